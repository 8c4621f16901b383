// Frames on the wire: COBS(type, sequence, payload, CRC) and a zero. Pure: no Arduino here, so the host's tests compile it too.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "protocol.h"

namespace frame {

constexpr uint8_t OVERHEAD = 5;                                           // type, 16 bit sequence, 16 bit CRC
constexpr uint8_t MAX_WIRE = protocol::MAX_PAYLOAD + OVERHEAD + 2;        // COBS adds one byte below 254, and the zero

// CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF), a byte at a time without a table: four shifts and three exclusive ors say the same
// as eight rounds of the division, because the polynomial has only three low terms (x^12, x^5, 1).
inline uint16_t crc16(uint16_t crc, uint8_t byte) {
  uint8_t x = static_cast<uint8_t>(crc >> 8) ^ byte;
  x ^= x >> 4;
  return static_cast<uint16_t>((crc << 8) ^ (static_cast<uint16_t>(x) << 12) ^ (static_cast<uint16_t>(x) << 5) ^ x);
}

inline uint16_t crc16(const uint8_t *bytes, uint8_t count) {
  uint16_t crc = 0xFFFF;
  for (uint8_t i = 0; i < count; i++) crc = crc16(crc, bytes[i]);
  return crc;
}

// Writes the whole frame to `wire` (MAX_WIRE bytes) and returns its length. COBS: every zero is replaced by the distance to the next one,
// so zero itself can end a frame and a listener is back in step after one frame at the latest.
inline uint8_t encode(uint8_t kind, uint16_t sequence, const void *payload, uint8_t size, uint8_t *wire) {
  uint8_t raw[protocol::MAX_PAYLOAD + OVERHEAD];
  if (size > protocol::MAX_PAYLOAD) return 0;
  raw[0] = kind;
  raw[1] = static_cast<uint8_t>(sequence);
  raw[2] = static_cast<uint8_t>(sequence >> 8);
  memcpy(raw + 3, payload, size);
  const uint8_t end = static_cast<uint8_t>(size + 3);
  const uint16_t crc = crc16(raw, end);
  raw[end] = static_cast<uint8_t>(crc >> 8);
  raw[end + 1] = static_cast<uint8_t>(crc);
  uint8_t distance_at = 0;
  uint8_t out = 1;
  for (uint8_t i = 0; i < end + 2; i++) {
    if (raw[i]) {
      wire[out++] = raw[i];
    } else {
      wire[distance_at] = static_cast<uint8_t>(out - distance_at);
      distance_at = out++;
    }
  }
  wire[distance_at] = static_cast<uint8_t>(out - distance_at);
  wire[out++] = 0;
  return out;
}

// Collects bytes into one frame at a time and checks it. What is damaged, too long or of an unknown shape is counted, never acted on.
class Receiver {
 public:
  uint8_t raw[MAX_WIRE];        // after take(): type, sequence, payload, CRC
  uint8_t payload_size = 0;
  uint16_t errors = 0;

  const uint8_t *payload() const { return raw + 3; }

  // Returns the frame's type when `byte` completes a good one, else 0 (no type is 0).
  uint8_t take(uint8_t byte) {
    if (byte) {
      if (count_ < sizeof raw) raw[count_] = byte;
      if (count_ < 0xFF) count_++;
      return 0;
    }
    const uint8_t count = count_;
    count_ = 0;
    if (count == 0) return 0;   // two zeros in a row: an empty frame is not a frame
    const int16_t size = count <= sizeof raw ? unstuff(count) : -1;
    if (size < OVERHEAD || crc16(raw, static_cast<uint8_t>(size)) != 0) {
      errors++;
      return 0;
    }
    payload_size = static_cast<uint8_t>(size - OVERHEAD);
    return raw[0];
  }

 private:
  uint8_t count_ = 0;

  // COBS in place (the text only gets shorter); -1 if the distances do not add up.
  int16_t unstuff(uint8_t count) {
    uint8_t in = 0, out = 0;
    while (in < count) {
      const uint8_t next = static_cast<uint8_t>(raw[in] + in);
      if (next < in || next > count) return -1;
      in++;
      while (in < next) raw[out++] = raw[in++];
      if (in < count) raw[out++] = 0;
    }
    return out;
  }
};

}  // namespace frame
