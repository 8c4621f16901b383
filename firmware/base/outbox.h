// What waits to be sent, and in which order. Every source (a cell, the motion chip, a button, the status ...) has one place; the oldest
// goes first, ties by source number, and nothing goes before it is HOLD_TICKS old. So the order on the wire is a function of the samples'
// times alone, however the main loop happened to run. Pure: no Arduino here.
#pragma once
#include <stdint.h>

#include "protocol.h"

namespace outbox {

enum Source : uint8_t {
  LOAD_0 = 0,                                      // four cells
  IMU = LOAD_0 + protocol::CELLS,
  BUTTON_0 = IMU + 1,                              // four buttons
  STATUS = BUTTON_0 + protocol::BUTTONS,
  HELLO,
  PONG,
  TARED,
  SELF_TEST,
  SOURCES,
  NONE = 0xFF,
};
static_assert(SOURCES <= 16, "one bit each");

class Outbox {
 public:
  // False if the place was still taken: what was there is lost, and the caller counts it.
  bool put(uint8_t source, uint32_t stamp) {
    const uint16_t bit = static_cast<uint16_t>(1u << source);
    const bool free = !(waiting_ & bit);
    waiting_ |= bit;
    stamp_[source] = stamp;
    return free;
  }

  uint8_t oldest() const {
    uint8_t best = NONE;
    uint16_t left = waiting_;
    for (uint8_t source = 0; left; source++, left >>= 1) {
      if (!(left & 1)) continue;
      if (best == NONE || static_cast<int32_t>(stamp_[source] - stamp_[best]) < 0) best = source;
    }
    return best;
  }

  bool due(uint8_t source, uint32_t now) const { return static_cast<int32_t>(now - stamp_[source]) >= protocol::HOLD_TICKS; }
  bool waits(uint8_t source) const { return waiting_ & (1u << source); }
  uint32_t stamp(uint8_t source) const { return stamp_[source]; }
  void done(uint8_t source) { waiting_ &= static_cast<uint16_t>(~(1u << source)); }

 private:
  uint16_t waiting_ = 0;
  uint32_t stamp_[SOURCES] = {};
};

}  // namespace outbox
