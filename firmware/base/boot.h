// Which life is this, and why did the last one end? The reset cause is saved before anything can clear it; the boot id counts power-ups in
// the EEPROM (written once per power-up, good for 100 000) and resets since then in memory that a reset does not touch.
#pragma once
#include <Arduino.h>
#include <avr/eeprom.h>
#include <avr/wdt.h>

#include "protocol.h"

namespace boot {

constexpr uint16_t MAGIC = 0x5A17;
constexpr uint8_t PAINT = 0xC5;
constexpr uint8_t POWER_LOST = _BV(PORF) | _BV(BORF);

uint8_t cause __attribute__((section(".noinit")));
struct Survivor {
  uint16_t magic;
  uint16_t power_ups;
  uint16_t resets;
  uint32_t frames;      // sent so far in this boot
};
Survivor survivor __attribute__((section(".noinit")));
uint32_t frames_before;
uint16_t EEMEM power_ups_stored;

// Runs before main(), without a stack frame. Optiboot clears MCUSR and hands it over in r2; without a boot loader MCUSR is never 0 here.
// A watchdog that has bitten stays armed with its shortest time: it must be stopped at once.
extern "C" void save_reset_cause() __attribute__((naked, used, section(".init3")));
void save_reset_cause() {
  uint8_t handed_over;
  asm volatile("mov %0, r2" : "=r"(handed_over));
  cause = MCUSR ? MCUSR : (handed_over & 0x0F);
  MCUSR = 0;
  wdt_disable();
}

extern "C" uint8_t __heap_start;

// Paints the memory that nobody has used yet, so that the self-test can say how deep the stack has ever been.
inline void paint_stack() {
  for (uint8_t *at = &__heap_start; at < reinterpret_cast<uint8_t *>(SP - 16); at++) *at = PAINT;
}

inline uint16_t never_used() {
  const uint8_t *at = &__heap_start;
  while (at < reinterpret_cast<uint8_t *>(SP) && *at == PAINT) at++;
  return static_cast<uint16_t>(at - &__heap_start);
}

inline void begin() {
  const bool survived = survivor.magic == MAGIC && !(cause & POWER_LOST);
  if (survived) {
    survivor.resets++;
    frames_before = survivor.frames;
  } else {
    survivor.magic = MAGIC;
    survivor.power_ups = static_cast<uint16_t>(eeprom_read_word(&power_ups_stored) + 1);   // an erased cell reads 0xFFFF
    survivor.resets = 0;
    eeprom_write_word(&power_ups_stored, survivor.power_ups);
  }
  survivor.frames = 0;
}

inline uint32_t id() { return (static_cast<uint32_t>(survivor.power_ups) << 16) | survivor.resets; }

}  // namespace boot
