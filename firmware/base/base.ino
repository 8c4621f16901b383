// The sensing base of the Villa Paletti rig: four HX711 load cell amplifiers and an MPU-6050 on an ATmega328P at 16 MHz (Uno, Nano),
// streamed as framed binary at 250000 baud. Every sample carries the time of its own conversion; every loss is counted and reported. The
// protocol is protocol.h, generated from the host's table. Wiring, parts and flashing: ../README.md.
//
// The main loop only moves things: interrupts date the edges, loop() reads what is ready, and the outbox sends what is old enough, oldest
// first. It sleeps in between.
#include <Arduino.h>
#include <Wire.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "boot.h"
#include "cells.h"
#include "clock.h"
#include "link.h"
#include "motion.h"
#include "outbox.h"
#include "panel.h"
#include "protocol.h"

static outbox::Outbox waiting;
static protocol::Load load[protocol::CELLS];
static protocol::Imu imu;
static uint8_t cell_samples[protocol::CELLS], imu_samples;
static uint16_t late, dropped, loop_max;
static int16_t temperature_read, temperature_sent;
static uint32_t next_status, seconds, pong_token, tare_token;

static void put(uint8_t source, uint32_t stamp, uint32_t now) {
  if (source <= outbox::IMU && now - stamp >= protocol::HOLD_TICKS) late++;
  if (!waiting.put(source, stamp)) dropped++;
}

static void read_cells() {
  cells::tend();
  uint8_t undated;
  const uint8_t ready = cells::ready(undated);
  if (!ready) return;
  const uint8_t good = cells::read(ready, undated);
  const uint32_t now = device_clock::now();
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) {
    if (!(good & (1 << cell))) continue;
    protocol::Load &out = load[cell];
    out.t = cells::sample[cell].tick;
    out.cell = cell;
    out.flags = cells::sample[cell].flags;
    out.counts = cells::sample[cell].counts;
    put(outbox::LOAD_0 + cell, out.t, now);
  }
}

static void read_motion() {
  uint32_t tick;
  if (motion::read(tick)) {
    imu.t = tick;
    temperature_read = motion::temperature;
    memcpy(imu.accel, motion::axes, sizeof imu.accel);
    memcpy(imu.gyro, motion::axes + 3, sizeof imu.gyro);
    put(outbox::IMU, tick, device_clock::now());
  }
  motion::tend();
}

static void read_panel() {
  const uint32_t now = device_clock::now();
  if (!panel::worth_a_look(now)) return;
  const uint8_t pressed = panel::pressed_lines();
  for (uint8_t button = 0; button < protocol::BUTTONS; button++) {
    if (panel::button[button].update(pressed & (1 << button), now)) put(outbox::BUTTON_0 + button, panel::button[button].stamp(), now);
  }
  panel::show(now);
}

static void obey() {
  const uint8_t *payload = link::receiver.payload();
  const uint8_t kind = link::receive();
  if (!kind) return;
  const uint32_t now = device_clock::now();
  switch (kind) {
    case protocol::PING:
      memcpy(&pong_token, payload, sizeof pong_token);
      waiting.put(outbox::PONG, now);
      break;
    case protocol::ASK_HELLO:
      waiting.put(outbox::HELLO, now);
      break;
    case protocol::IDENTIFY:
      panel::identify(payload[0]);
      break;
    case protocol::TARE:
      memcpy(&tare_token, payload, sizeof tare_token);
      waiting.put(outbox::TARED, now);
      break;
    case protocol::IMU_RATE:
      motion::divider = payload[0];
      motion::set_up();
      break;
    case protocol::RUN_SELF_TEST:
      waiting.put(outbox::SELF_TEST, now);
      break;
    case protocol::LIGHTS:
      panel::lights = payload[0];
      break;
    default:
      break;
  }
}

static bool send_hello(uint32_t tick) {
  protocol::Hello hello;
  hello.t = tick;
  hello.protocol = protocol::VERSION;
  hello.layout = protocol::LAYOUT_HASH;
  hello.firmware = protocol::FIRMWARE_VERSION;
  hello.reset_cause = boot::cause;
  hello.boot_id = boot::id();
  hello.frames_before = boot::frames_before;
  hello.imu_id = motion::id;
  return link::send(protocol::HELLO, hello);
}

static bool send_status(uint32_t tick) {
  protocol::Status status;
  status.t = tick;
  status.frames = boot::survivor.frames;
  memcpy(status.cell_samples, cell_samples, sizeof cell_samples);
  status.imu_samples = imu_samples;
  for (uint8_t cell = 0; cell < protocol::CELLS; cell++) status.overruns[cell] = cells::overruns[cell];
  memcpy(status.out_of_step, cells::out_of_step, sizeof cells::out_of_step);
  status.stuck = cells::stuck_mask();
  status.late = late;
  status.dropped = dropped + motion::overruns;
  status.i2c_errors = motion::i2c_errors;
  status.imu_restarts = motion::restarts;
  status.imu_temp = temperature_sent;
  status.rx_errors = link::receiver.errors;
  if (!link::send(protocol::STATUS, status)) return false;
  memset(cell_samples, 0, sizeof cell_samples);
  imu_samples = 0;
  return true;
}

// The supply against the internal 1.1 V reference (data sheet, section 24.6); the first conversion after switching is thrown away.
static uint16_t supply_mv() {
  ADMUX = _BV(REFS0) | 0x0E;
  ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0);
  uint16_t reading = 0;
  for (uint8_t conversion = 0; conversion < 2; conversion++) {
    delayMicroseconds(500);
    ADCSRA |= _BV(ADSC);
    for (uint16_t wait = 0; (ADCSRA & _BV(ADSC)) && wait < 2000; wait++) {}
    reading = ADC;
  }
  return reading ? static_cast<uint16_t>(1100UL * 1024UL / reading) : 0;
}

static bool send_self_test(uint32_t tick) {
  protocol::SelfTest test;
  test.t = tick;
  test.supply_mv = supply_mv();
  test.free_ram = boot::never_used();
  test.lines = cells::lines();
  test.imu_id = motion::who_am_i();
  test.loop_max = loop_max;
  if (!link::send(protocol::SELF_TEST, test)) return false;
  loop_max = 0;
  return true;
}

static bool send_from(uint8_t source) {
  const uint32_t tick = waiting.stamp(source);
  if (source < outbox::IMU) {
    if (!link::send(protocol::LOAD, load[source])) return false;
    cell_samples[source]++;
    return true;
  }
  if (source < outbox::STATUS && source >= outbox::BUTTON_0) {
    const uint8_t number = static_cast<uint8_t>(source - outbox::BUTTON_0);
    const protocol::Button button = {tick, number, panel::button[number].pressed()};
    return link::send(protocol::BUTTON, button);
  }
  switch (source) {
    case outbox::IMU:
      if (!link::send(protocol::IMU, imu)) return false;
      imu_samples++;
      temperature_sent = temperature_read;   // STATUS tells what was sent before it, nothing newer
      return true;
    case outbox::STATUS:
      return send_status(tick);
    case outbox::HELLO:
      return send_hello(tick);
    case outbox::PONG:
      return link::send(protocol::PONG, protocol::Pong{tick, pong_token});
    case outbox::TARED:
      return link::send(protocol::TARED, protocol::Tared{tick, tare_token});
    case outbox::SELF_TEST:
      return send_self_test(tick);
    default:
      return true;
  }
}

static void send_due() {
  for (;;) {
    const uint8_t source = waiting.oldest();
    if (source == outbox::NONE || !waiting.due(source, device_clock::now()) || !send_from(source)) return;
    waiting.done(source);
  }
}

static void keep_seconds() {
  if (static_cast<int32_t>(device_clock::now() - next_status) < 0) return;
  waiting.put(outbox::STATUS, next_status);
  if (++seconds % protocol::HELLO_EVERY_SECONDS == 0) waiting.put(outbox::HELLO, next_status);
  next_status += protocol::TICKS_PER_SECOND;
}

// Until there is something to do: an edge, a byte from the host, or the clock when the oldest sample is due (16 ms at the latest). Other
// interrupts, most of them for bytes going out, only turn it over in its sleep; a frame that waits for room on the wire wakes with them.
static void sleep_until_due() {
  constexpr uint8_t LONGEST_TICKS = 250;
  const uint8_t source = waiting.oldest();
  const uint32_t now = device_clock::now();
  bool blocked = false;
  uint32_t wake = now + LONGEST_TICKS;
  if (source != outbox::NONE) {
    blocked = waiting.due(source, now);
    if (blocked && Serial.availableForWrite() >= frame::MAX_WIRE) return;   // it has become due just now
    if (!blocked) wake = waiting.stamp(source) + protocol::HOLD_TICKS;
  }
  device_clock::wake_at(wake);
  for (;;) {
    cli();
    if (motion::edge_seen || cells::edge_seen || panel::touched || Serial.available() > 0
        || static_cast<int32_t>(device_clock::now_locked() - wake) >= 0) {
      break;
    }
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
    if (blocked) break;
  }
  sei();
}

void setup() {
  device_clock::start();
  boot::paint_stack();
  boot::begin();
  cells::begin();
  panel::begin();
  link::begin();
  motion::begin();
  send_hello(0);
  next_status = protocol::TICKS_PER_SECOND;
  set_sleep_mode(SLEEP_MODE_IDLE);
  wdt_enable(WDTO_250MS);
}

void loop() {
  const uint16_t began = static_cast<uint16_t>(device_clock::now());
  wdt_reset();
  read_motion();
  read_cells();
  read_panel();
  obey();
  keep_seconds();
  send_due();
  const uint16_t took = static_cast<uint16_t>(device_clock::now()) - began;
  if (took > loop_max) loop_max = took;
  sleep_until_due();
}
