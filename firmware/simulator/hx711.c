/* An HX711 on its two pins, after the data sheet's "Serial interface" and "Reset and power-down": the data line falls when a conversion is
 * done; 24 clock pulses bring out the bits, the 25th raises the line; a clock held high for 60 us powers the chip down, and the first four
 * conversions after power-up are not offered (output settling time).
 */
#include <simavr/avr_ioport.h>

#include "chips.h"

enum { POWER_DOWN_US = 60, SETTLE_CONVERSIONS = 4, RENEW_US = 20, PULSES = 25, BITS = 24 };

static void drive(struct hx711 *chip, int level)
{
	if (chip->fault == CELL_LINE_HIGH) level = 1;
	if (chip->fault == CELL_LINE_LOW) level = 0;
	if (level == chip->line) return;
	chip->line = level;
	/* A write to PORTC (pull-ups) would override a driven input unless simavr is told that it is driven from outside. */
	uint8_t levels = 0;
	for (int i = 0; i < PALETTISIM_CELLS; i++) levels |= (chip->all[i].line != 0) << i;
	avr_ioport_external_t driven = {.name = 'C', .mask = (1 << PALETTISIM_CELLS) - 1, .value = levels};
	avr_ioctl(chip->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('C'), &driven);
	avr_raise_irq(chip->line_irq, level);
}

static avr_cycle_count_t fall(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)avr, (void)when;
	struct hx711 *chip = param;
	if (chip->ready && chip->pulses == 0) drive(chip, 0);
	return 0;
}

static avr_cycle_count_t convert(avr_t *avr, avr_cycle_count_t when, void *param)
{
	struct hx711 *chip = param;
	const struct measurement *head = queue_head(&chip->queue);
	if (!head) return 0;
	const int32_t counts = head->counts;
	queue_drop(&chip->queue);
	head = queue_head(&chip->queue);
	const avr_cycle_count_t next = head ? chip->epoch + head->cycle : 0;
	(void)when;
	if (!chip->powered || chip->fault == CELL_SILENT) return next;
	if (chip->settle > 0) {
		chip->settle--;
		return next;
	}
	chip->latch = counts > 0x7FFFFF ? 0x7FFFFF : counts < -0x800000 ? -0x800000 : counts;
	chip->conversions++;
	if (chip->pulses > 0) {   /* in the middle of a read: the bits still to come are those of the new value */
		chip->shift = (uint32_t)chip->latch & 0xFFFFFF;
		return next;
	}
	const int unread = chip->ready;
	chip->ready = 1;
	chip->shift = (uint32_t)chip->latch & 0xFFFFFF;
	if (unread) {
		drive(chip, 1);
		avr_cycle_timer_register(avr, avr_usec_to_cycles(avr, RENEW_US), fall, chip);
	} else {
		drive(chip, 0);
	}
	return next;
}

static avr_cycle_count_t power_down(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)when;
	struct hx711 *chip = param;
	chip->watching = 0;
	if (!chip->clock) return 0;
	const uint64_t limit = avr_usec_to_cycles(avr, POWER_DOWN_US), high = avr->cycle - chip->clock_rose;
	if (high < limit) {
		chip->watching = 1;
		return avr->cycle + limit - high;
	}
	chip->powered = 0;
	chip->ready = 0;
	chip->pulses = 0;
	drive(chip, 1);
	return 0;
}

static void pulse(struct hx711 *chip)
{
	if (!chip->ready && chip->pulses == 0) return;   /* nothing to bring out */
	if (chip->pulses < BITS) {
		drive(chip, (chip->shift >> (BITS - 1 - chip->pulses)) & 1);
	} else {
		drive(chip, 1);
		chip->ready = 0;
	}
	chip->pulses++;
}

static void clock_changed(avr_irq_t *irq, uint32_t value, void *param)
{
	(void)irq;
	struct hx711 *chip = param;
	const int level = value & 1;
	if (level == chip->clock) return;
	chip->clock = level;
	if (level) {
		chip->clock_rose = chip->avr->cycle;
		if (!chip->watching) {
			chip->watching = 1;
			avr_cycle_timer_register(chip->avr, avr_usec_to_cycles(chip->avr, POWER_DOWN_US), power_down, chip);
		}
		if (!chip->powered) return;
		if (chip->fault == CELL_LOST_CLOCK && chip->pulses == 10) {
			chip->fault = CELL_GOOD;
			return;
		}
		pulse(chip);
		if (chip->fault == CELL_EXTRA_CLOCK && chip->pulses == 10) {
			chip->fault = CELL_GOOD;
			pulse(chip);
		}
		return;
	}
	if (!chip->powered) {
		chip->powered = 1;
		chip->settle = SETTLE_CONVERSIONS;
		chip->pulses = 0;
		return;
	}
	const uint64_t high = chip->avr->cycle - chip->clock_rose;
	if (high > chip->clock_high_max) chip->clock_high_max = high;
	if (chip->pulses >= PULSES) {
		chip->read++;
		chip->pulses = 0;
	}
}

void hx711_init(struct hx711 *chip, avr_t *avr, struct hx711 *all, int index)
{
	chip->avr = avr;
	chip->all = all;
	chip->index = index;
	chip->line = -1;
	chip->line_irq = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('C'), index);
	avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 4 + index), clock_changed, chip);
	hx711_power_on(chip);
}

void hx711_power_on(struct hx711 *chip)
{
	chip->powered = 1;
	chip->ready = 0;
	chip->pulses = 0;
	chip->settle = SETTLE_CONVERSIONS;
	drive(chip, 1);
}

void hx711_schedule(struct hx711 *chip)
{
	const struct measurement *head = queue_head(&chip->queue);
	avr_cycle_timer_cancel(chip->avr, convert, chip);
	if (!head) return;
	const uint64_t at = chip->epoch + head->cycle;
	avr_cycle_timer_register(chip->avr, at > chip->avr->cycle ? at - chip->avr->cycle : 1, convert, chip);
}

void hx711_after_reset(struct hx711 *chip)
{
	chip->clock = 0;      /* the AVR's pins are inputs now; the module's own pull-down holds the clock low */
	chip->watching = 0;
	chip->pulses = 0;
	hx711_schedule(chip);
}

void hx711_redrive(struct hx711 *chip)
{
	const int level = chip->line;
	avr_raise_irq(chip->line_irq, !level);   /* an equal level would be filtered out */
	chip->line = -1;
	drive(chip, level);
}

void hx711_set_fault(struct hx711 *chip, int fault)
{
	const int was = chip->fault;
	chip->fault = fault;
	if (fault == CELL_LINE_HIGH || fault == CELL_LINE_LOW) drive(chip, 1);
	else if (was == CELL_LINE_HIGH || was == CELL_LINE_LOW) hx711_power_on(chip);
}
