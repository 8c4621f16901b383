/* The parts around the AVR, as they behave on its pins. Private to the simulator. */
#ifndef CHIPS_H
#define CHIPS_H
#include <simavr/sim_avr.h>
#include <simavr/sim_cycle_timers.h>
#include <simavr/sim_io.h>
#include <simavr/sim_irq.h>
#include <simavr/sim_time.h>

#include "palettisim.h"
#include "queue.h"

struct hx711 {
	avr_t *avr;
	avr_irq_t *line_irq;
	struct hx711 *all;          /* the four of them: port C is driven as a whole */
	struct queue queue;
	uint64_t epoch;             /* AVR cycle of the world's cycle 0 */
	int32_t latch;              /* the finished conversion */
	uint32_t shift;
	int pulses;                 /* clock pulses of the read in progress */
	int clock, line, ready, powered, settle, fault, index;
	int watching;               /* the power-down timer runs */
	uint64_t clock_rose;
	uint64_t conversions, read, clock_high_max;
};

struct mpu6050 {
	avr_t *avr;
	avr_irq_t *interrupt_irq, *bus_irq;
	struct queue queue;
	uint64_t epoch;
	uint8_t registers[128];
	uint8_t pointer;
	int selected, bytes, fault, skip;
	uint64_t awake_since, samples, read;
};

void hx711_init(struct hx711 *chip, avr_t *avr, struct hx711 *all, int index);
void hx711_power_on(struct hx711 *chip);
void hx711_schedule(struct hx711 *chip);      /* after a feed, or after the AVR's reset has wiped all timers */
void hx711_after_reset(struct hx711 *chip);
void hx711_redrive(struct hx711 *chip);       /* asserts the line's level again: a reset makes the AVR forget it */
void hx711_set_fault(struct hx711 *chip, int fault);

void mpu6050_init(struct mpu6050 *chip, avr_t *avr);
void mpu6050_power_on(struct mpu6050 *chip);
void mpu6050_schedule(struct mpu6050 *chip);
void mpu6050_after_reset(struct mpu6050 *chip);
#endif
