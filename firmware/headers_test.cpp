// The sketch's pure headers on the host, under the address and undefined-behaviour sanitizers: `make -C firmware headers-test`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "base/debounce.h"
#include "base/frame.h"
#include "base/hx711.h"
#include "base/outbox.h"

static int failures;
#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      failures++;                                                        \
    }                                                                    \
  } while (0)

static void crc_has_its_published_check_value() {
  CHECK(frame::crc16(reinterpret_cast<const uint8_t *>("123456789"), 9) == 0x29B1);
}

static void every_payload_comes_back_through_encode_and_receive() {
  std::mt19937 random(1);
  frame::Receiver receiver;
  for (int round = 0; round < 20000; round++) {
    uint8_t payload[protocol::MAX_PAYLOAD], wire[frame::MAX_WIRE];
    const uint8_t size = random() % (protocol::MAX_PAYLOAD + 1);
    for (uint8_t i = 0; i < size; i++) payload[i] = random() % 3 ? random() : 0;
    const uint8_t count = frame::encode(0x42, static_cast<uint16_t>(round), payload, size, wire);
    CHECK(count == size + frame::OVERHEAD + 2);
    CHECK(wire[count - 1] == 0 && !std::memchr(wire, 0, count - 1));
    uint8_t kind = 0;
    for (uint8_t i = 0; i < count; i++) kind = receiver.take(wire[i]);
    CHECK(kind == 0x42 && receiver.payload_size == size && !std::memcmp(receiver.payload(), payload, size));
    CHECK((receiver.raw[1] | receiver.raw[2] << 8) == (round & 0xFFFF));
  }
  CHECK(receiver.errors == 0);
}

static void too_long_a_payload_is_not_sent() {
  uint8_t payload[255] = {}, wire[frame::MAX_WIRE];
  CHECK(frame::encode(1, 0, payload, protocol::MAX_PAYLOAD + 1, wire) == 0);
}

static void noise_is_never_a_frame_and_never_overruns() {
  std::mt19937 random(2);
  frame::Receiver receiver;
  int frames = 0;
  for (int i = 0; i < 3000000; i++) frames += receiver.take(static_cast<uint8_t>(random() % 5 ? random() : 0)) != 0;
  CHECK(frames == 0);
}

static void bits_become_counts() {
  const int32_t values[] = {0, 1, -1, 8388607, -8388608, 0x2A5C3F, -0x5C3A1};
  for (int32_t value : values) {
    for (uint8_t cell = 0; cell < 4; cell++) {
      uint8_t lines[hx711::PULSES];
      for (uint8_t bit = 0; bit < 24; bit++) lines[bit] = ((static_cast<uint32_t>(value) >> (23 - bit)) & 1) ? 1 << cell : static_cast<uint8_t>(~(1 << cell));
      lines[24] = 0xFF;
      CHECK(hx711::counts_of(lines, cell) == value);
    }
  }
}

static void silent_chip_is_reset_once_and_a_stuck_line_again_and_again() {
  hx711::Chip chip;
  CHECK(chip.take_gap() && !chip.take_gap());
  chip.good(100);
  CHECK(chip.tend(100 + hx711::SILENT_TICKS, true) == 0);
  CHECK(chip.tend(101 + hx711::SILENT_TICKS, true) == 1);
  CHECK(!chip.listening());
  CHECK(chip.tend(102 + hx711::SILENT_TICKS, true) == 0);
  CHECK(chip.tend(103 + hx711::SILENT_TICKS, true) == -1);
  CHECK(chip.listening() && chip.take_gap());
  CHECK(chip.tend(1000000, true) == 0);   // unplugged for good: left alone
  chip.bad(2000000);
  CHECK(chip.tend(2000002, false) == -1 && chip.stuck());
  CHECK(chip.tend(2000003 + hx711::STUCK_RETRY_TICKS, false) == 1);
  CHECK(chip.tend(2000005 + hx711::STUCK_RETRY_TICKS, false) == -1 && chip.stuck());
  CHECK(chip.tend(2000006 + hx711::STUCK_RETRY_TICKS, true) == 0 && chip.listening());
}

static void chip_does_not_mind_the_clock_wrapping() {
  hx711::Chip chip;
  chip.good(0xFFFFFF00u);
  CHECK(chip.tend(0x00000100u, true) == 0);
  CHECK(chip.tend(0xFFFFFF00u + hx711::SILENT_TICKS + 1, true) == 1);
}

static void oldest_goes_first_also_across_the_wrap() {
  outbox::Outbox box;
  CHECK(box.oldest() == outbox::NONE);
  CHECK(box.put(outbox::STATUS, 0xFFFFFFF0u));
  CHECK(box.put(1, 5));
  CHECK(box.put(0, 5));
  CHECK(!box.put(0, 5));
  CHECK(box.oldest() == outbox::STATUS);
  box.done(outbox::STATUS);
  CHECK(box.oldest() == 0);   // a tie goes to the lower source
  CHECK(!box.due(0, 5 + protocol::HOLD_TICKS - 1) && box.due(0, 5 + protocol::HOLD_TICKS));
  CHECK(box.put(outbox::IMU, 0xFFFFFFFFu) && box.due(outbox::IMU, protocol::HOLD_TICKS - 1));
}

static void bouncing_contact_is_one_press_dated_at_the_first_touch() {
  debounce::Button button;
  uint32_t now = 1000;
  CHECK(!button.update(true, now));
  for (int bounce = 0; bounce < 6; bounce++) CHECK(!button.update(bounce % 2, now += 20));
  CHECK(!button.update(true, now += debounce::STILL_TICKS - 1));
  CHECK(button.update(true, now += 1));
  CHECK(button.pressed() && button.stamp() == 1000);
  CHECK(!button.update(false, now += 50));
  CHECK(!button.update(true, now += 50));
  CHECK(!button.update(true, now += debounce::STILL_TICKS));   // a flicker
  CHECK(button.pressed());
}

int main() {
  crc_has_its_published_check_value();
  every_payload_comes_back_through_encode_and_receive();
  too_long_a_payload_is_not_sent();
  noise_is_never_a_frame_and_never_overruns();
  bits_become_counts();
  silent_chip_is_reset_once_and_a_stuck_line_again_and_again();
  chip_does_not_mind_the_clock_wrapping();
  oldest_goes_first_also_across_the_wrap();
  bouncing_contact_is_one_press_dated_at_the_first_touch();
  std::printf(failures ? "%d checks failed\n" : "all checks hold\n", failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
