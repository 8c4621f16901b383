/* An MPU-6050 on the I2C bus, as far as the sketch uses it: the register file with auto-increment, sleep, data-ready pulses of 50 us, and
 * the sample registers held still while they are read (register map RM-MPU-6000A, 4.2; start-up 30 ms, product specification 6.2).
 */
#include <string.h>

#include <simavr/avr_ioport.h>
#include <simavr/avr_twi.h>

#include "chips.h"

enum { ADDRESS = 0x68, WHO_AM_I = 0x75, PWR_MGMT_1 = 0x6B, SLEEP = 0x40, INT_ENABLE = 0x38, SMPLRT_DIV = 0x19, FIRST_SAMPLE = 0x3B };
enum { PULSE_US = 50, START_UP_US = 30000, NOMINAL_DIVIDER = 5 };

static avr_cycle_count_t pulse_ends(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)avr, (void)when;
	avr_raise_irq(((struct mpu6050 *)param)->interrupt_irq, 0);
	return 0;
}

static int asleep(const struct mpu6050 *chip)
{
	return chip->fault == IMU_ABSENT || chip->fault == IMU_SILENT || (chip->registers[PWR_MGMT_1] & SLEEP) != 0
	       || chip->avr->cycle < chip->awake_since + avr_usec_to_cycles(chip->avr, START_UP_US);
}

static avr_cycle_count_t sample(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)when;
	struct mpu6050 *chip = param;
	const struct measurement *head = queue_head(&chip->queue);
	if (!head) return 0;
	int16_t values[7];
	memcpy(values, head->motion, sizeof values);
	queue_drop(&chip->queue);
	head = queue_head(&chip->queue);
	const avr_cycle_count_t next = head ? chip->epoch + head->cycle : 0;
	if (asleep(chip)) return next;
	/* Fed at 200/s, the rate the sketch asks for; a larger divider leaves samples out. */
	const int every = (chip->registers[SMPLRT_DIV] + 1) / NOMINAL_DIVIDER;
	if (++chip->skip < every) return next;
	chip->skip = 0;
	if (chip->fault != IMU_FROZEN && !chip->selected) {
		static const int order[7] = {0, 1, 2, 6, 3, 4, 5};   /* in the registers the temperature comes in the middle */
		for (int i = 0; i < 7; i++) {
			chip->registers[FIRST_SAMPLE + 2 * i] = (uint16_t)values[order[i]] >> 8;
			chip->registers[FIRST_SAMPLE + 2 * i + 1] = (uint16_t)values[order[i]] & 0xFF;
		}
	}
	chip->samples++;
	if (chip->registers[INT_ENABLE] & 1) {
		avr_raise_irq(chip->interrupt_irq, 1);
		avr_cycle_timer_register(avr, avr_usec_to_cycles(avr, PULSE_US), pulse_ends, chip);
	}
	return next;
}

static void write_register(struct mpu6050 *chip, uint8_t number, uint8_t value)
{
	if (number == PWR_MGMT_1 && (chip->registers[PWR_MGMT_1] & SLEEP) && !(value & SLEEP)) chip->awake_since = chip->avr->cycle;
	chip->registers[number] = value;
}

static void bus(avr_irq_t *irq, uint32_t value, void *param)
{
	(void)irq;
	struct mpu6050 *chip = param;
	avr_twi_msg_irq_t message = {.u.v = value};
	const int what = message.u.twi.msg;
	if (what & TWI_COND_STOP) chip->selected = chip->bytes = 0;
	if (what & TWI_COND_START) {
		chip->selected = chip->bytes = 0;
		if (chip->fault != IMU_ABSENT && message.u.twi.addr >> 1 == ADDRESS) {
			chip->selected = message.u.twi.addr | 0x100;
			avr_raise_irq(chip->bus_irq, avr_twi_irq_msg(TWI_COND_ACK, message.u.twi.addr, 1));
		}
	}
	if (!chip->selected) return;
	if (what & TWI_COND_WRITE) {
		avr_raise_irq(chip->bus_irq, avr_twi_irq_msg(TWI_COND_ACK, chip->selected & 0xFF, 1));
		if (chip->bytes++ == 0) {
			chip->pointer = message.u.twi.data & 0x7F;
		} else {
			write_register(chip, chip->pointer, message.u.twi.data);
			chip->pointer = (chip->pointer + 1) & 0x7F;
		}
	}
	if (what & TWI_COND_READ) {
		avr_raise_irq(chip->bus_irq, avr_twi_irq_msg(TWI_COND_READ, chip->selected & 0xFF, chip->registers[chip->pointer]));
		if (chip->pointer == FIRST_SAMPLE) chip->read++;
		chip->pointer = (chip->pointer + 1) & 0x7F;
	}
}

void mpu6050_init(struct mpu6050 *chip, avr_t *avr)
{
	chip->avr = avr;
	chip->interrupt_irq = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2);
	chip->bus_irq = avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT);
	avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT), bus, chip);
	mpu6050_power_on(chip);
}

void mpu6050_power_on(struct mpu6050 *chip)
{
	memset(chip->registers, 0, sizeof chip->registers);
	chip->registers[PWR_MGMT_1] = SLEEP;
	chip->registers[WHO_AM_I] = ADDRESS;
	chip->selected = chip->bytes = chip->skip = 0;
}

void mpu6050_schedule(struct mpu6050 *chip)
{
	const struct measurement *head = queue_head(&chip->queue);
	avr_cycle_timer_cancel(chip->avr, sample, chip);
	if (!head) return;
	const uint64_t at = chip->epoch + head->cycle;
	avr_cycle_timer_register(chip->avr, at > chip->avr->cycle ? at - chip->avr->cycle : 1, sample, chip);
}

void mpu6050_after_reset(struct mpu6050 *chip)
{
	chip->selected = chip->bytes = 0;
	chip->interrupt_irq->value = 0;   /* not raised: INT0 in its reset state (level low) would be polled every cycle by simavr */
	mpu6050_schedule(chip);
}
