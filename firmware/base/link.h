// Frames out and commands in over the core's Serial. A frame goes out only if the transmit buffer takes it whole, so the main loop never
// waits for the wire.
#pragma once
#include <Arduino.h>

#include "boot.h"
#include "frame.h"
#include "protocol.h"

namespace link {

frame::Receiver receiver;

inline void begin() {
  Serial.begin(protocol::BAUD);
  Serial.write(static_cast<uint8_t>(0));   // ends a frame that a reset has torn; without it HELLO would be lost with that one
}

template <class Payload>
bool send(uint8_t kind, const Payload &payload) {
  static_assert(sizeof(Payload) <= protocol::MAX_PAYLOAD, "fits");
  if (Serial.availableForWrite() < static_cast<int>(sizeof(Payload)) + frame::OVERHEAD + 2) return false;
  uint8_t wire[frame::MAX_WIRE];
  const uint8_t count = frame::encode(kind, static_cast<uint16_t>(boot::survivor.frames), &payload, sizeof payload, wire);
  Serial.write(wire, count);
  boot::survivor.frames++;
  return true;
}

// Returns the type of the next good command of the right size, 0 if there is none.
inline uint8_t receive() {
  while (Serial.available() > 0) {
    const uint8_t kind = receiver.take(static_cast<uint8_t>(Serial.read()));
    if (!kind) continue;
    uint8_t expected = 0;
    switch (kind) {
      case protocol::PING: expected = sizeof(protocol::Ping); break;
      case protocol::ASK_HELLO: expected = sizeof(protocol::AskHello); break;
      case protocol::IDENTIFY: expected = sizeof(protocol::Identify); break;
      case protocol::TARE: expected = sizeof(protocol::Tare); break;
      case protocol::IMU_RATE: expected = sizeof(protocol::ImuRate); break;
      case protocol::RUN_SELF_TEST: expected = sizeof(protocol::RunSelfTest); break;
      case protocol::LIGHTS: expected = sizeof(protocol::Lights); break;
      default: break;
    }
    if (expected && receiver.payload_size == expected) return kind;
    receiver.errors++;
  }
  return 0;
}

}  // namespace link
