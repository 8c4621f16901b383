// The device clock: Timer 1 counts 64 us ticks by itself, its overflow makes 32 bits of it (they wrap after 76 hours). Reading it takes two
// instructions in an interrupt, so an edge's date depends on nothing but the edge. Timer 0 (micros, millis) is switched off: its interrupts
// would only delay ours.
#pragma once
#include <Arduino.h>
#include <util/atomic.h>

namespace device_clock {

volatile uint16_t overflows;   // high half of the clock

ISR(TIMER1_OVF_vect) { overflows++; }
EMPTY_INTERRUPT(TIMER1_COMPA_vect)   // only wakes the main loop

// With interrupts disabled, as they are in an interrupt.
inline uint32_t now_locked() {
  const uint16_t low = TCNT1;
  uint16_t high = overflows;
  if ((TIFR1 & _BV(TOV1)) && low < 0x8000) high++;   // wrapped, and its interrupt has not come through yet
  return (static_cast<uint32_t>(high) << 16) | low;
}

inline uint32_t now() {
  uint32_t ticks;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { ticks = now_locked(); }
  return ticks;
}

inline void start() {
  TIMSK0 = 0;
  TCCR2B = 0;                          // the core has started Timer 2 for PWM; nothing here uses it
  TCCR1B = 0;
  TCCR1A = 0;
  TCNT1 = 0;
  TIFR1 = _BV(TOV1) | _BV(OCF1A);
  TIMSK1 = _BV(TOIE1) | _BV(OCIE1A);
  GTCCR = _BV(PSRSYNC);                // the first tick is as long as the others
  TCCR1B = _BV(CS12) | _BV(CS10);      // 16 MHz / 1024
}

inline void wake_at(uint32_t tick) { OCR1A = static_cast<uint16_t>(tick); }

}  // namespace device_clock
