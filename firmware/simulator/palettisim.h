/* The sensing base in virtual time: the AVR binary under libsimavr, with four HX711, an MPU-6050, buttons and a UART around it.
 *
 * Time is counted in AVR cycles (16 MHz) since the base's device clock started, so that cycle / 1024 is the device's own tick in the first
 * boot. Nothing here reads a wall clock or a random number: the same calls give the same bytes. What the chips measure, and when their
 * conversions end, comes in from outside (palettisim_feed_*); this library only knows how they behave on their pins.
 */
#ifndef PALETTISIM_H
#define PALETTISIM_H
#include <stddef.h>
#include <stdint.h>

#define PALETTISIM_CELLS 4
#define PALETTISIM_API __attribute__((visibility("default")))

typedef struct palettisim palettisim;

enum palettisim_cell_fault {
	CELL_GOOD,
	CELL_LINE_HIGH,   /* cable off, or no chip: the pull-up holds the line high */
	CELL_LINE_LOW,    /* shorted data line */
	CELL_SILENT,      /* converts no more, but answers as it should */
	CELL_EXTRA_CLOCK, /* once: a disturbance counts as a clock pulse */
	CELL_LOST_CLOCK,  /* once: a clock pulse is not seen */
};
enum palettisim_imu_fault { IMU_GOOD, IMU_ABSENT, IMU_SILENT, IMU_FROZEN };
enum palettisim_reset_cause { RESET_POWER_ON, RESET_EXTERNAL, RESET_BROWN_OUT };

struct palettisim_counts {
	uint64_t conversions[PALETTISIM_CELLS]; /* offered by each HX711 */
	uint64_t read[PALETTISIM_CELLS];        /* clocked out whole by the base */
	uint64_t imu_samples;                   /* offered by the MPU-6050 */
	uint64_t imu_read;
	uint64_t resets;
	uint64_t clock_high_max;                /* cycles; longest clock pulse on any HX711 while powered */
};

/* NULL if the file is no usable ELF. */
PALETTISIM_API palettisim *palettisim_new(const char *elf);
PALETTISIM_API void palettisim_free(palettisim *sim);

/* Conversions that end at `cycle` (rising per cell, not in the past). */
PALETTISIM_API void palettisim_feed_loads(palettisim *sim, size_t n, const uint64_t *cycle, const uint8_t *cell, const int32_t *counts);
/* Samples of ax ay az gx gy gz temperature, 7 numbers each. */
PALETTISIM_API void palettisim_feed_imu(palettisim *sim, size_t n, const uint64_t *cycle, const int16_t *values);

/* Runs to `cycle`; 0 if all is well, else the AVR has crashed. */
PALETTISIM_API int palettisim_run(palettisim *sim, uint64_t cycle);
PALETTISIM_API uint64_t palettisim_cycle(const palettisim *sim);

/* Bytes that have left the UART, with the cycle at which each began to leave. Returns how many. */
PALETTISIM_API size_t palettisim_read(palettisim *sim, uint8_t *bytes, uint64_t *cycles, size_t max);
/* Bytes sent to the base, one byte time apart. Returns how many were taken. */
PALETTISIM_API size_t palettisim_write(palettisim *sim, const uint8_t *bytes, size_t n);

PALETTISIM_API void palettisim_fault_cell(palettisim *sim, int cell, int fault);
PALETTISIM_API void palettisim_fault_imu(palettisim *sim, int fault);
PALETTISIM_API void palettisim_button(palettisim *sim, int button, int pressed);
/* Output pins by Arduino number, bit n = Dn (0 to 13). */
PALETTISIM_API uint32_t palettisim_pins(const palettisim *sim);
/* A reset by this cause, delayed by less than one tick so that the new device clock keeps the grid of the old. */
PALETTISIM_API void palettisim_reset(palettisim *sim, int cause);
/* The program runs in a circle where it is, until the watchdog bites. */
PALETTISIM_API void palettisim_hang(palettisim *sim);
/* Overwrites RAM. */
PALETTISIM_API void palettisim_poke(palettisim *sim, uint16_t address, const uint8_t *bytes, size_t n);
PALETTISIM_API void palettisim_counts(const palettisim *sim, struct palettisim_counts *out);

#endif
