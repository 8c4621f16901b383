// The optional parts: four seat buttons (D8 to D11, to ground), the "settled, go" light (D12), the code light for the cameras (D3), and the
// board's own light (D13) for `identify`. Absent parts cost nothing: the buttons' pull-ups keep them released, the lights drive air.
#pragma once
#include <Arduino.h>

#include "clock.h"
#include "debounce.h"
#include "protocol.h"

namespace panel {

constexpr uint8_t BUTTON_MASK = 0x0F;        // bits 0 to 3 of port B: D8 to D11
constexpr uint8_t GO_PIN = 12, CODE_PIN = 3, BOARD_PIN = LED_BUILTIN;
constexpr uint8_t GO = 1, CODE = 2;
constexpr uint8_t IDENTIFY_SHIFT = 11;       // 0.13 s on, 0.13 s off

debounce::Button button[protocol::BUTTONS];
uint8_t lights = CODE;                       // the code runs from the boot on: cameras need it whenever they look
uint32_t identify_until;
bool identifying;

volatile bool touched;
ISR(PCINT0_vect) { touched = true; }         // wakes the main loop, which looks at once

inline void begin() {
  DDRB &= static_cast<uint8_t>(~BUTTON_MASK);
  PORTB |= BUTTON_MASK;
  PCMSK0 = BUTTON_MASK;
  PCICR |= _BV(PCIE0);
  EICRA |= _BV(ISC11) | _BV(ISC10);          // D3 is INT1's pin too: never a level request, which a dark light would be (and slow to simulate)
  pinMode(GO_PIN, OUTPUT);
  pinMode(CODE_PIN, OUTPUT);
  pinMode(BOARD_PIN, OUTPUT);
}

// At a contact, and about once a millisecond.
inline bool worth_a_look(uint32_t now) {
  constexpr uint8_t EVERY_TICKS = 16;
  static uint8_t looked;
  if (!touched && static_cast<uint8_t>(static_cast<uint8_t>(now) - looked) < EVERY_TICKS) return false;
  touched = false;
  looked = static_cast<uint8_t>(now);
  return true;
}

inline uint8_t pressed_lines() { return static_cast<uint8_t>(~PINB) & BUTTON_MASK; }

inline void identify(uint8_t seconds) {
  identifying = seconds > 0;
  identify_until = device_clock::now() + static_cast<uint32_t>(seconds) * protocol::TICKS_PER_SECOND;
}

// The code light's bit is a function of the device clock alone, so whoever knows the clock knows the light.
inline bool code_bit(uint32_t now) { return (protocol::CODE_SEQUENCE >> ((now >> protocol::CODE_TICK_SHIFT) % 31)) & 1; }

inline void show(uint32_t now) {
  digitalWrite(GO_PIN, lights & GO);
  digitalWrite(CODE_PIN, (lights & CODE) && code_bit(now));
  if (identifying && static_cast<int32_t>(now - identify_until) >= 0) identifying = false;
  digitalWrite(BOARD_PIN, identifying && ((now >> IDENTIFY_SHIFT) & 1));
}

}  // namespace panel
