// Four HX711 on port pins: data lines on A0 to A3, clock lines on D4 to D7. A pin change dates each conversion; the main loop reads all
// chips that are ready in one burst of clock pulses. Every chip has its own clock line, so a dead, stuck or missing one stops no other.
#pragma once
#include <Arduino.h>
#include <util/atomic.h>
#include <util/delay_basic.h>

#include "clock.h"
#include "hx711.h"
#include "protocol.h"

namespace cells {

constexpr uint8_t ALL = (1 << protocol::CELLS) - 1;
constexpr uint8_t CLOCK_SHIFT = 4;   // D4 to D7 are bits 4 to 7 of port D

volatile uint32_t edge_tick[protocol::CELLS];
volatile uint8_t edge_seen;          // falling edges not read yet
volatile uint8_t line_before = ALL;
volatile uint8_t overruns[protocol::CELLS];

struct Sample {
  uint32_t tick;
  int32_t counts;
  uint8_t flags;
};
Sample sample[protocol::CELLS];      // what the last burst read
hx711::Chip chip[protocol::CELLS];
uint8_t out_of_step[protocol::CELLS];

ISR(PCINT1_vect) {
  const uint8_t line = PINC & ALL;
  const uint8_t fell = line_before & static_cast<uint8_t>(~line) & PCMSK1;
  line_before = line;
  if (!fell) return;
  const uint32_t now = device_clock::now_locked();
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) {
    if (!(fell & (1 << cell))) continue;
    edge_tick[cell] = now;
    if (edge_seen & (1 << cell)) overruns[cell]++;   // the chip has replaced a value that nobody read
  }
  edge_seen |= fell;
}

inline void begin() {
  PORTD &= static_cast<uint8_t>(~(ALL << CLOCK_SHIFT));
  DDRD |= ALL << CLOCK_SHIFT;
  DDRC &= static_cast<uint8_t>(~ALL);
  PORTC |= ALL;                      // pull-ups: a cable that is off reads "not ready"
  PCMSK1 = ALL;
  PCIFR = _BV(PCIF1);
  PCICR |= _BV(PCIE1);
}

inline uint8_t lines() { return PINC & ALL; }

inline uint8_t stuck_mask() {
  uint8_t mask = 0;
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) mask |= chip[cell].stuck() ? 1 << cell : 0;
  return mask;
}

inline void clock_line(uint8_t cell, bool high) {
  const uint8_t bit = static_cast<uint8_t>(1 << (cell + CLOCK_SHIFT));
  if (high) PORTD |= bit;
  else PORTD &= static_cast<uint8_t>(~bit);
}

// Looks after chips that are out of step, silent or stuck.
inline void tend() {
  const uint32_t now = device_clock::now();
  const uint8_t line = lines();
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) {
    const int8_t order = chip[cell].tend(now, line & (1 << cell));
    if (order == 0) continue;
    clock_line(cell, order > 0);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { edge_seen &= static_cast<uint8_t>(~(1 << cell)); }
  }
}

// Which chips hold a value to be read. A line that is low without its edge having been seen (at boot) is dated now: `undated`.
inline uint8_t ready(uint8_t &undated) {
  uint8_t listening = 0;
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) listening |= chip[cell].listening() ? 1 << cell : 0;
  uint8_t low;
  undated = 0;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    low = static_cast<uint8_t>(~PINC) & listening;
    if (!(PCIFR & _BV(PCIF1))) {       // else an edge is just being seen: the next pass reads it
      undated = low & static_cast<uint8_t>(~edge_seen);
      if (undated) {
        const uint32_t now = device_clock::now_locked();
        for (uint8_t cell = 0; cell < protocol::CELLS; cell++) {
          if (undated & (1 << cell)) edge_tick[cell] = now;
        }
        edge_seen |= undated;
      }
    }
    edge_seen &= listening;
    low &= edge_seen;
  }
  return low;
}

// Reads the chips of `mask` together (about 0.1 ms); returns those whose extra bit proves that they are in step.
inline uint8_t read(uint8_t mask, uint8_t undated) {
  uint8_t line[hx711::PULSES];
  const uint8_t clocks = static_cast<uint8_t>(mask << CLOCK_SHIFT);
  PCMSK1 = ALL & static_cast<uint8_t>(~mask);   // their lines now carry bits, not edges; the others are still dated
  for (uint8_t pulse = 0; pulse < hx711::PULSES; pulse++) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {         // above 60 us the chip would power down: no interrupt in between
      PORTD |= clocks;
      _delay_loop_1(4);                         // 0.75 us; the chip needs 0.1 us to bring out its bit
      PORTD &= static_cast<uint8_t>(~clocks);
    }
    line[pulse] = PINC;
  }
  uint32_t now;
  uint32_t tick[protocol::CELLS];
  const uint8_t in_step = line[hx711::BITS] & mask;   // after the 25th pulse the line goes high until the next conversion
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    now = device_clock::now_locked();
    for (uint8_t cell = 0; cell < protocol::CELLS; cell++) tick[cell] = edge_tick[cell];
    edge_seen &= static_cast<uint8_t>(~mask);
    line_before |= mask;
    PCMSK1 = ALL;
  }
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) {
    const uint8_t bit = static_cast<uint8_t>(1 << cell);
    if (!(mask & bit)) continue;
    if (!(in_step & bit)) {
      out_of_step[cell]++;
      chip[cell].bad(now);
      clock_line(cell, true);
      continue;
    }
    chip[cell].good(now);
    const bool gap = chip[cell].take_gap();
    sample[cell].tick = tick[cell];
    sample[cell].counts = hx711::counts_of(line, cell);
    sample[cell].flags = static_cast<uint8_t>(((undated & bit) ? protocol::UNDATED : 0) | (gap ? protocol::AFTER_GAP : 0));
    if (now - tick[cell] > hx711::LATE_TICKS) {        // the next conversion may have come in the middle of the read
      overruns[cell]++;
      chip[cell].mark_gap();
    }
  }
  return in_step;
}

}  // namespace cells
