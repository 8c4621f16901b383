// The MPU-6050: set up for 200 samples/s, read when its interrupt line says so, set up again when it falls silent or freezes. It answers
// over I2C (the core's Wire, with a time-out, so that a stuck bus cannot hang the sketch). Register numbers: RM-MPU-6000A, revision 4.2.
#pragma once
#include <Arduino.h>
#include <Wire.h>
#include <util/atomic.h>

#include "clock.h"

namespace motion {

constexpr uint8_t ADDRESS = 0x68;
constexpr uint8_t SMPLRT_DIV = 0x19, CONFIG = 0x1A, GYRO_CONFIG = 0x1B, ACCEL_CONFIG = 0x1C, INT_PIN_CFG = 0x37, INT_ENABLE = 0x38;
constexpr uint8_t ACCEL_XOUT_H = 0x3B, PWR_MGMT_1 = 0x6B, WHO_AM_I = 0x75;
constexpr uint8_t INTERRUPT_PIN = 2;
constexpr uint16_t SILENT_TICKS = 1563;     // 0.1 s: twenty samples missing
constexpr uint16_t RETRY_TICKS = 15625;     // 1 s between attempts, so that a missing chip costs nothing
constexpr uint8_t FROZEN_SAMPLES = 100;     // its noise is tens of counts: 0.5 s of equal samples is no measurement
constexpr uint16_t BUS_TIMEOUT_US = 3000;

volatile uint32_t edge_tick;
volatile bool edge_seen;
volatile uint8_t overruns;

int16_t axes[6];                            // acceleration x, y, z, rate x, y, z
int16_t temperature;
uint16_t i2c_errors, restarts;
uint8_t divider = 4;                        // 1 kHz / (1 + 4)
uint8_t id;

static uint8_t same;
static uint32_t tried, heard;

ISR(INT0_vect) {
  if (edge_seen) overruns++;
  edge_tick = device_clock::now_locked();
  edge_seen = true;
}

// Wire measures its time-out with micros(), so Timer 0 must count while a transfer runs (and only then: see clock.h).
class TimeoutClock {
 public:
  TimeoutClock() {
    TIFR0 = _BV(TOV0);
    TIMSK0 = _BV(TOIE0);
  }
  ~TimeoutClock() { TIMSK0 = 0; }
};

static bool set_register(uint8_t number, uint8_t value) {
  const TimeoutClock running;
  Wire.beginTransmission(ADDRESS);
  Wire.write(number);
  Wire.write(value);
  const bool good = Wire.endTransmission() == 0;
  if (!good) i2c_errors++;
  return good;
}

static bool fetch(uint8_t number, uint8_t count) {
  const TimeoutClock running;
  Wire.beginTransmission(ADDRESS);
  Wire.write(number);
  const bool good = Wire.endTransmission(false) == 0 && Wire.requestFrom(ADDRESS, count) == count;
  if (!good) {
    i2c_errors++;
    Wire.clearWireTimeoutFlag();
  }
  return good;
}

inline uint8_t who_am_i() { return fetch(WHO_AM_I, 1) ? static_cast<uint8_t>(Wire.read()) : 0; }

inline void set_up() {
  tried = device_clock::now();
  heard = tried;
  same = 0;
  id = who_am_i();
  if (!id) return;
  const bool good = set_register(PWR_MGMT_1, 0x01)      // awake, clocked by the x gyro (more stable than its own oscillator)
                    && set_register(CONFIG, 0x02)       // low pass at 94 Hz: below half the sample rate
                    && set_register(SMPLRT_DIV, divider)
                    && set_register(GYRO_CONFIG, 0x00)  // +-250 degrees/s
                    && set_register(ACCEL_CONFIG, 0x00) // +-2 g
                    && set_register(INT_PIN_CFG, 0x00)  // pulse of 50 us
                    && set_register(INT_ENABLE, 0x01);  // data ready
  if (!good) id = 0;
}

// A reset in the middle of a read leaves the chip holding SDA low, waiting for clocks: nine of them free it (I2C specification, 3.1.16).
static void free_bus() {
  pinMode(SCL, OUTPUT);
  for (uint8_t pulse = 0; pulse < 9 && !digitalRead(SDA); pulse++) {
    digitalWrite(SCL, LOW);
    delayMicroseconds(5);
    digitalWrite(SCL, HIGH);
    delayMicroseconds(5);
  }
  pinMode(SCL, INPUT);
}

inline void begin() {
  pinMode(SDA, INPUT_PULLUP);
  free_bus();
  Wire.begin();
  Wire.setClock(400000);
  Wire.setWireTimeout(BUS_TIMEOUT_US, true);
  set_up();
  pinMode(INTERRUPT_PIN, INPUT);
  EICRA |= _BV(ISC01) | _BV(ISC00);          // rising
  EIFR = _BV(INTF0);
  EIMSK = _BV(INT0);
}

// Fetches a sample if there is one and says when it was taken.
inline bool read(uint32_t &tick) {
  if (!edge_seen) return false;
  ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
    tick = edge_tick;
    edge_seen = false;
  }
  if (!fetch(ACCEL_XOUT_H, 14)) return false;
  bool equal = true;
  for (uint8_t word = 0; word < 7; word++) {
    const uint8_t high = static_cast<uint8_t>(Wire.read());
    const int16_t value = static_cast<int16_t>((high << 8) | static_cast<uint8_t>(Wire.read()));
    if (word == 3) {
      temperature = value;
      continue;
    }
    int16_t &axis = axes[word < 3 ? word : word - 1];
    equal = equal && axis == value;
    axis = value;
  }
  if (!equal) same = 0;
  else if (same < 0xFF) same++;
  heard = tick;
  return true;
}

// Sets the chip up again when it has fallen silent or frozen, once a second at most.
inline void tend() {
  const uint32_t now = device_clock::now();
  const bool frozen = same >= FROZEN_SAMPLES;
  if (!frozen && static_cast<int32_t>(now - heard) <= static_cast<int32_t>(SILENT_TICKS)) return;
  if (now - tried < RETRY_TICKS) return;
  restarts++;
  set_up();
}

}  // namespace motion
