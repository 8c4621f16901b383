/* The AVR, its UART and its resets; the chips round it are in hx711.c and mpu6050.c. See palettisim.h. */
#include <stdarg.h>
#include <stdio.h>

#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_elf.h>

#include "chips.h"

enum { FREQUENCY = 16000000, BAUD = 250000, RING = 1 << 16, TICK = 1024, BUTTONS = 4 };
enum { MCUSR_ADDRESS = 0x54, TCCR1B_ADDRESS = 0x81, CLOCK_RUNS = 0x05 };   /* ATmega328P data sheet, register summary */
enum { BOOT_LIMIT = FREQUENCY };

struct ring {
	uint8_t bytes[RING];
	uint64_t cycles[RING];
	uint64_t head, tail;
};

struct palettisim {
	avr_t *avr;
	avr_io_t after_reset;
	struct hx711 cells[PALETTISIM_CELLS];
	struct mpu6050 imu;
	avr_irq_t *uart_in, *buttons[BUTTONS];
	struct ring out, in;
	int may_send;
	uint64_t epoch, boot_cycles, resets;
	uint8_t pressed;
	uint32_t hung_at;
	uint8_t hung_code[2];
	int hung;
};

/* ---- UART ---- */

static void byte_out(avr_irq_t *irq, uint32_t value, void *param)
{
	(void)irq;
	palettisim *sim = param;
	struct ring *ring = &sim->out;
	if (ring->head - ring->tail == RING) ring->tail++;   /* nobody reads: the oldest is lost, as on a cable */
	ring->bytes[ring->head % RING] = value;
	ring->cycles[ring->head % RING] = sim->avr->cycle - sim->epoch;
	ring->head++;
}

static avr_cycle_count_t byte_in(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)avr;
	palettisim *sim = param;
	struct ring *ring = &sim->in;
	if (ring->head != ring->tail && sim->may_send) avr_raise_irq(sim->uart_in, ring->bytes[ring->tail++ % RING]);
	return ring->head != ring->tail ? when + FREQUENCY / (BAUD / 10) : 0;
}

static void xon(avr_irq_t *irq, uint32_t value, void *param)
{
	(void)irq, (void)value;
	((palettisim *)param)->may_send = 1;
}

static void xoff(avr_irq_t *irq, uint32_t value, void *param)
{
	(void)irq;
	if (value) ((palettisim *)param)->may_send = 0;
}

size_t palettisim_write(palettisim *sim, const uint8_t *bytes, size_t n)
{
	struct ring *ring = &sim->in;
	const int idle = ring->head == ring->tail;
	size_t taken = 0;
	while (taken < n && ring->head - ring->tail < RING) ring->bytes[ring->head++ % RING] = bytes[taken++];
	if (idle && taken) avr_cycle_timer_register(sim->avr, FREQUENCY / (BAUD / 10), byte_in, sim);
	return taken;
}

size_t palettisim_read(palettisim *sim, uint8_t *bytes, uint64_t *cycles, size_t max)
{
	struct ring *ring = &sim->out;
	size_t n = 0;
	for (; n < max && ring->tail != ring->head; n++, ring->tail++) {
		bytes[n] = ring->bytes[ring->tail % RING];
		if (cycles) cycles[n] = ring->cycles[ring->tail % RING];
	}
	return n;
}

/* ---- life cycle ---- */

static void set_button(palettisim *sim, int button)
{
	const int level = !(sim->pressed & (1 << button));
	avr_ioport_external_t driven = {.name = 'B', .mask = (1 << BUTTONS) - 1, .value = (uint8_t)~sim->pressed & ((1 << BUTTONS) - 1)};
	avr_ioctl(sim->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('B'), &driven);
	avr_raise_irq(sim->buttons[button], !level);
	avr_raise_irq(sim->buttons[button], level);
}

static avr_cycle_count_t redrive(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)avr, (void)when;
	palettisim *sim = param;
	for (int i = 0; i < PALETTISIM_CELLS; i++) hx711_redrive(&sim->cells[i]);
	for (int i = 0; i < BUTTONS; i++) set_button(sim, i);
	return 0;
}

/* avr_reset() calls this last, also when the watchdog has bitten; it has just wiped every timer. */
static void world_after_reset(avr_io_t *io)
{
	palettisim *sim = (palettisim *)((char *)io - offsetof(palettisim, after_reset));
	sim->resets++;
	if (sim->hung) {
		memcpy(sim->avr->flash + sim->hung_at, sim->hung_code, sizeof sim->hung_code);
		sim->hung = 0;
	}
	for (int i = 0; i < PALETTISIM_CELLS; i++) hx711_after_reset(&sim->cells[i]);
	mpu6050_after_reset(&sim->imu);
	sim->in.tail = sim->in.head;
	sim->may_send = 1;
	avr_cycle_timer_register(sim->avr, 1, redrive, sim);
}

static void no_sleep(avr_t *avr, avr_cycle_count_t cycles)
{
	(void)avr, (void)cycles;   /* virtual time passes by itself */
}

static void log_errors(avr_t *avr, const int level, const char *format, va_list arguments)
{
	(void)avr;
	if (level <= LOG_ERROR) vfprintf(stderr, format, arguments);
}

/* From the reset to the start of the device clock. */
static uint64_t boot(palettisim *sim)
{
	const uint64_t began = sim->avr->cycle;
	while (sim->avr->data[TCCR1B_ADDRESS] != CLOCK_RUNS && sim->avr->cycle < began + BOOT_LIMIT) {
		const int state = avr_run(sim->avr);
		if (state == cpu_Done || state == cpu_Crashed) break;
	}
	return sim->avr->cycle - began;
}

palettisim *palettisim_new(const char *path)
{
	avr_global_logger_set(log_errors);
	elf_firmware_t firmware = {0};
	if (elf_read_firmware(path, &firmware)) return NULL;
	palettisim *sim = calloc(1, sizeof *sim);
	avr_t *avr = avr_make_mcu_by_name("atmega328p");
	if (!sim || !avr) abort();
	sim->avr = avr;
	avr_init(avr);
	firmware.frequency = FREQUENCY;
	avr_load_firmware(avr, &firmware);
	avr->frequency = FREQUENCY;
	avr->vcc = avr->avcc = 5000;
	avr->sleep = no_sleep;
	avr->log = LOG_ERROR;
	uint32_t flags = 0;
	avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
	flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
	avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
	for (int i = 0; i < PALETTISIM_CELLS; i++) hx711_init(&sim->cells[i], avr, sim->cells, i);
	mpu6050_init(&sim->imu, avr);
	for (int i = 0; i < BUTTONS; i++) sim->buttons[i] = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), i);
	avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), byte_out, sim);
	avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), xon, sim);
	avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), xoff, sim);
	sim->uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
	sim->after_reset.kind = "palettisim";
	sim->after_reset.reset = world_after_reset;
	avr_register_io(avr, &sim->after_reset);
	avr_reset(avr);
	avr->data[MCUSR_ADDRESS] = 1 << RESET_POWER_ON;
	sim->boot_cycles = boot(sim);
	sim->epoch = avr->cycle;
	for (int i = 0; i < PALETTISIM_CELLS; i++) sim->cells[i].epoch = sim->epoch;
	sim->imu.epoch = sim->epoch;
	sim->resets = 0;
	return sim;
}

void palettisim_free(palettisim *sim)
{
	for (int i = 0; i < PALETTISIM_CELLS; i++) free(sim->cells[i].queue.at);
	free(sim->imu.queue.at);
	avr_terminate(sim->avr);
	free(sim);
}

void palettisim_reset(palettisim *sim, int cause)
{
	const uint64_t clock_starts = sim->avr->cycle + sim->boot_cycles - sim->epoch;
	palettisim_run(sim, palettisim_cycle(sim) + (TICK - clock_starts % TICK) % TICK);
	avr_reset(sim->avr);
	sim->avr->data[MCUSR_ADDRESS] = 1 << cause;
	if (cause != RESET_EXTERNAL) {   /* the chips have lost their supply too */
		mpu6050_power_on(&sim->imu);
		for (int i = 0; i < PALETTISIM_CELLS; i++) hx711_power_on(&sim->cells[i]);
	}
}

static avr_cycle_count_t wake(avr_t *avr, avr_cycle_count_t when, void *param)
{
	(void)avr, (void)when, (void)param;
	return 0;
}

int palettisim_run(palettisim *sim, uint64_t cycle)
{
	avr_t *avr = sim->avr;
	const uint64_t end = sim->epoch + cycle;
	if (end <= avr->cycle) return 0;
	avr_cycle_timer_cancel(avr, wake, sim);
	avr_cycle_timer_register(avr, end - avr->cycle, wake, sim);   /* a sleeping AVR would skip past the end */
	while (avr->cycle < end) {
		const int state = avr_run(avr);
		if (state == cpu_Done || state == cpu_Crashed) return state;
	}
	return 0;
}

uint64_t palettisim_cycle(const palettisim *sim) { return sim->avr->cycle - sim->epoch; }

/* ---- what is measured, and what goes wrong ---- */

void palettisim_feed_loads(palettisim *sim, size_t n, const uint64_t *cycle, const uint8_t *cell, const int32_t *counts)
{
	for (size_t i = 0; i < n; i++) {
		const struct measurement item = {.cycle = cycle[i], .counts = counts[i]};
		struct hx711 *chip = &sim->cells[cell[i] % PALETTISIM_CELLS];
		queue_put(&chip->queue, &item);
		if (chip->queue.count == 1) hx711_schedule(chip);
	}
}

void palettisim_feed_imu(palettisim *sim, size_t n, const uint64_t *cycle, const int16_t *values)
{
	for (size_t i = 0; i < n; i++) {
		struct measurement item = {.cycle = cycle[i]};
		memcpy(item.motion, values + 7 * i, sizeof item.motion);
		queue_put(&sim->imu.queue, &item);
		if (sim->imu.queue.count == 1) mpu6050_schedule(&sim->imu);
	}
}

void palettisim_fault_cell(palettisim *sim, int cell, int fault) { hx711_set_fault(&sim->cells[cell % PALETTISIM_CELLS], fault); }

void palettisim_fault_imu(palettisim *sim, int fault)
{
	if (sim->imu.fault == IMU_ABSENT || fault == IMU_ABSENT) mpu6050_power_on(&sim->imu);   /* its supply comes with its cable */
	sim->imu.fault = fault;
}

void palettisim_button(palettisim *sim, int button, int pressed)
{
	const uint8_t bit = 1 << (button % BUTTONS);
	sim->pressed = pressed ? sim->pressed | bit : sim->pressed & ~bit;
	set_button(sim, button % BUTTONS);
}

uint32_t palettisim_pins(const palettisim *sim)
{
	enum { PORTB = 0x25, PORTD = 0x2B };
	return sim->avr->data[PORTD] | (uint32_t)sim->avr->data[PORTB] << 8;
}

void palettisim_hang(palettisim *sim)
{
	static const uint8_t jump_to_itself[2] = {0xFF, 0xCF};   /* rjmp .-2 */
	if (sim->hung) return;
	sim->hung = 1;
	sim->hung_at = sim->avr->pc;
	memcpy(sim->hung_code, sim->avr->flash + sim->hung_at, sizeof sim->hung_code);
	memcpy(sim->avr->flash + sim->hung_at, jump_to_itself, sizeof jump_to_itself);
}

void palettisim_poke(palettisim *sim, uint16_t address, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n && address + i <= sim->avr->ramend; i++) sim->avr->data[address + i] = bytes[i];
}

void palettisim_counts(const palettisim *sim, struct palettisim_counts *out)
{
	*out = (struct palettisim_counts){.imu_samples = sim->imu.samples, .imu_read = sim->imu.read, .resets = sim->resets};
	for (int i = 0; i < PALETTISIM_CELLS; i++) {
		out->conversions[i] = sim->cells[i].conversions;
		out->read[i] = sim->cells[i].read;
		if (sim->cells[i].clock_high_max > out->clock_high_max) out->clock_high_max = sim->cells[i].clock_high_max;
	}
}
