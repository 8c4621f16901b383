// Generated from rig/base/protocol.py by `python -m rig.base.protocol header`; do not edit.
#pragma once
#include <stdint.h>

namespace protocol {

constexpr uint8_t VERSION = 1;
constexpr uint16_t FIRMWARE_VERSION = 1;
constexpr uint32_t LAYOUT_HASH = 0x6f35ba07UL;
constexpr uint32_t BAUD = 250000UL;
constexpr uint16_t TICKS_PER_SECOND = 15625;
constexpr uint8_t HOLD_TICKS = 32;
constexpr uint8_t HELLO_EVERY_SECONDS = 8;
constexpr uint8_t CELLS = 4;
constexpr uint8_t BUTTONS = 4;
constexpr uint8_t MAX_PAYLOAD = 48;
constexpr uint8_t CODE_TICK_SHIFT = 10;
constexpr uint32_t CODE_SEQUENCE = 0x05763e69UL;

enum CellFlag : uint8_t {
  UNDATED = 1,
  AFTER_GAP = 2,
};

enum Kind : uint8_t {
  HELLO = 0x01,  // at boot (dated 0), every 8 s, and when asked
  STATUS = 0x02,  // once a second; counters run since boot and wrap
  LOAD = 0x03,  // one HX711 conversion
  IMU = 0x04,  // one MPU-6050 sample
  BUTTON = 0x05,  // a seat button, debounced; dated at the first contact
  PONG = 0x06,  // answer to PING
  TARED = 0x07,  // answer to TARE: marks it in the stream
  SELF_TEST = 0x08,  // answer to RUN_SELF_TEST
  PING = 0x81,  // asks for PONG
  ASK_HELLO = 0x82,  // asks for HELLO
  IDENTIFY = 0x83,  // blinks the board's own light
  TARE = 0x84,  // the host has tared: asks for TARED
  IMU_RATE = 0x85,  // sets the motion chip's rate
  RUN_SELF_TEST = 0x86,  // asks for SELF_TEST
  LIGHTS = 0x87,  // switches the optional lights
};

struct __attribute__((packed)) Hello {
  uint32_t t;  // device clock in ticks of 64 us
  uint8_t protocol;  // version of this protocol
  uint32_t layout;  // hash of this table
  uint16_t firmware;  // version of the sketch
  uint8_t reset_cause;  // MCUSR: 1 power-on, 2 external, 4 brown-out, 8 watchdog
  uint32_t boot_id;  // power-ups since it was flashed (high half), resets since power-up (low half)
  uint32_t frames_before;  // frames the previous boot had sent; 0 if the memory did not survive
  uint8_t imu_id;  // the motion chip's WHO_AM_I; 0 if it does not answer
};
static_assert(sizeof(Hello) == 21, "layout of Hello");

struct __attribute__((packed)) Status {
  uint32_t t;  // device clock in ticks of 64 us
  uint32_t frames;  // frames sent before this one
  uint8_t cell_samples[4];  // samples sent in the last second, per cell
  uint8_t imu_samples;  // samples sent in the last second
  uint8_t overruns[4];  // conversions replaced before they were read, per cell
  uint8_t out_of_step[4];  // reads refused because the extra clock bits were wrong, per cell
  uint8_t stuck;  // mask of cells whose data line stays low
  uint16_t late;  // samples read later than they should have been sent
  uint16_t dropped;  // samples read but not sent: no room on the wire
  uint16_t i2c_errors;  // failed transfers with the motion chip
  uint16_t imu_restarts;  // times the motion chip was set up again after it had fallen silent or frozen
  int16_t imu_temp;  // raw; degrees C = raw / 340 + 36.53
  uint16_t rx_errors;  // commands received damaged
};
static_assert(sizeof(Status) == 34, "layout of Status");

struct __attribute__((packed)) Load {
  uint32_t t;  // device clock in ticks of 64 us
  uint8_t cell;  // 0 to 3
  uint8_t flags;  // 1 undated (the edge was not seen), 2 first after a gap
  int32_t counts;  // 24 bit two's complement, sign extended
};
static_assert(sizeof(Load) == 10, "layout of Load");

struct __attribute__((packed)) Imu {
  uint32_t t;  // device clock in ticks of 64 us
  int16_t accel[3];  // x, y, z; 16384 per g
  int16_t gyro[3];  // x, y, z; 131 per degree/s
};
static_assert(sizeof(Imu) == 16, "layout of Imu");

struct __attribute__((packed)) Button {
  uint32_t t;  // device clock in ticks of 64 us
  uint8_t button;  // 0 to 3
  uint8_t pressed;  // 1 pressed, 0 released
};
static_assert(sizeof(Button) == 6, "layout of Button");

struct __attribute__((packed)) Pong {
  uint32_t t;  // device clock in ticks of 64 us
  uint32_t token;  // as it came
};
static_assert(sizeof(Pong) == 8, "layout of Pong");

struct __attribute__((packed)) Tared {
  uint32_t t;  // device clock in ticks of 64 us
  uint32_t token;  // as it came
};
static_assert(sizeof(Tared) == 8, "layout of Tared");

struct __attribute__((packed)) SelfTest {
  uint32_t t;  // device clock in ticks of 64 us
  uint16_t supply_mv;  // supply voltage against the internal reference
  uint16_t free_ram;  // bytes never touched between heap and stack
  uint8_t lines;  // data lines of the cells as read, one bit each
  uint8_t imu_id;  // WHO_AM_I; 0 if it does not answer
  uint16_t loop_max;  // longest pass of the main loop since the last self-test, in ticks
};
static_assert(sizeof(SelfTest) == 12, "layout of SelfTest");

struct __attribute__((packed)) Ping {
  uint32_t token;  // any
};
static_assert(sizeof(Ping) == 4, "layout of Ping");

struct __attribute__((packed)) AskHello {
  uint32_t token;  // any
};
static_assert(sizeof(AskHello) == 4, "layout of AskHello");

struct __attribute__((packed)) Identify {
  uint8_t seconds;  // 0 stops it
};
static_assert(sizeof(Identify) == 1, "layout of Identify");

struct __attribute__((packed)) Tare {
  uint32_t token;  // any
};
static_assert(sizeof(Tare) == 4, "layout of Tare");

struct __attribute__((packed)) ImuRate {
  uint8_t divider;  // rate = 1000 / (1 + divider) Hz; 4 is 200 Hz
};
static_assert(sizeof(ImuRate) == 1, "layout of ImuRate");

struct __attribute__((packed)) RunSelfTest {
  uint32_t token;  // any
};
static_assert(sizeof(RunSelfTest) == 4, "layout of RunSelfTest");

struct __attribute__((packed)) Lights {
  uint8_t mask;  // 1 the go light, 2 the code light
};
static_assert(sizeof(Lights) == 1, "layout of Lights");

}  // namespace protocol
