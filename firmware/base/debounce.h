// A button's contacts bounce for some milliseconds. A change counts once the contact has kept still for 20 ms, and is dated at its first
// touch, because who was first is what matters. Pure: no Arduino here.
#pragma once
#include <stdint.h>

namespace debounce {

constexpr uint16_t STILL_TICKS = 313;   // 20 ms; shorter lets bounces through, longer loses quick taps

class Button {
 public:
  // `pressed` as the pin says at tick `now`; true if a change has just been settled (see `pressed` and `stamp`).
  bool update(bool raw, uint32_t now) {
    if (raw != last_) {
      last_ = raw;
      changed_ = now;
      if (!moving_) {
        moving_ = true;
        stamp_ = now;
      }
    }
    if (!moving_ || now - changed_ < STILL_TICKS) return false;
    moving_ = false;
    if (raw == pressed_) return false;   // only a flicker
    pressed_ = raw;
    return true;
  }

  bool pressed() const { return pressed_; }
  uint32_t stamp() const { return stamp_; }

 private:
  bool pressed_ = false, last_ = false, moving_ = false;
  uint32_t changed_ = 0, stamp_ = 0;
};

}  // namespace debounce
