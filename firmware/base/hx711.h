// What an HX711's reading is worth: bits to counts, and when a chip is out of step, silent or stuck and what to do about it. The pins are
// driven by cells.h; this part is pure, so the host's tests compile it too. (HX711 data sheet, Avia Semiconductor: "Serial interface".)
#pragma once
#include <stdint.h>

namespace hx711 {

constexpr uint8_t BITS = 24;
constexpr uint8_t PULSES = 25;                 // 25 clock pulses: next conversion is channel A at gain 128
constexpr uint16_t SILENT_TICKS = 7813;        // 0.5 s without a conversion (at least 5 periods at 10/s): the chip is reset
constexpr uint16_t STUCK_RETRY_TICKS = 15625;  // a data line that stays low is looked at again once a second
constexpr uint8_t POWER_DOWN_TICKS = 2;        // clock high for more than 60 us powers the chip down: 64 to 128 us
constexpr uint8_t LATE_TICKS = 140;            // 9 ms after the edge the next conversion may come in the middle of the read

// The four data lines were read together after each pulse; picks out one. The result is sign extended.
inline int32_t counts_of(const uint8_t *lines, uint8_t cell) {
  const uint8_t mask = static_cast<uint8_t>(1u << cell);
  uint8_t byte[3];
  for (uint8_t b = 0; b < 3; b++) {
    uint8_t value = 0;
    for (uint8_t i = 0; i < 8; i++) {
      value = static_cast<uint8_t>(value << 1);
      if (*lines++ & mask) value |= 1;
    }
    byte[b] = value;
  }
  const uint32_t low = (static_cast<uint32_t>(byte[0]) << 16) | (static_cast<uint32_t>(byte[1]) << 8) | byte[2];
  return static_cast<int32_t>(byte[0] & 0x80 ? low | 0xFF000000UL : low);
}

// One chip's health. After each event it says whether the chip's clock line must go high (power-down) or may go low again.
class Chip {
 public:
  enum State : uint8_t { LISTENING, POWERED_DOWN, STUCK };

  bool listening() const { return state_ == LISTENING; }
  bool stuck() const { return state_ == STUCK; }
  bool take_gap() {                            // true for the first sample after anything that upset gain or filter
    const bool gap = gap_;
    gap_ = false;
    return gap;
  }
  void mark_gap() { gap_ = true; }

  // A good read ended at `now`.
  void good(uint32_t now) {
    alive_ = true;
    heard_ = now;
  }

  // The extra clock bit was wrong: out of step, or the line is stuck. The caller raises the clock line.
  void bad(uint32_t now) {
    state_ = POWERED_DOWN;
    since_ = now;
    gap_ = true;
  }

  // Called every pass. Returns +1: raise the clock line (reset it), -1: lower it again, 0: leave it. `line_high`: the data line now.
  int8_t tend(uint32_t now, bool line_high) {
    switch (state_) {
      case LISTENING:
        if (alive_ && now - heard_ > SILENT_TICKS) {
          alive_ = false;                      // once; an unplugged chip must not be pulsed for ever
          bad(now);
          return 1;
        }
        return 0;
      case POWERED_DOWN:
        if (now - since_ < POWER_DOWN_TICKS) return 0;
        heard_ = now;                          // a powered-down chip holds its line high: low means nobody drives it but a fault
        since_ = now;
        state_ = line_high ? LISTENING : STUCK;
        return -1;
      case STUCK:
        if (line_high) {
          state_ = LISTENING;
          heard_ = now;
          gap_ = true;
        } else if (now - since_ > STUCK_RETRY_TICKS) {
          bad(now);
          return 1;
        }
        return 0;
    }
    return 0;
  }

 private:
  State state_ = LISTENING;
  bool alive_ = false;
  bool gap_ = true;
  uint32_t heard_ = 0;
  uint32_t since_ = 0;
};

}  // namespace hx711
