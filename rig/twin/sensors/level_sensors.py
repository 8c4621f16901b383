"""What cells, motion chip and cable do to the truth, one value a level; the defaults are `lab`'s.

`home` is whatever a sound base does in a living room; `rough` adds broken hardware and bad cables, drawn from the seed (`faults.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class FaultRates:
    """How often hardware fails. Shares are of games, rates are mean numbers an hour (drawn as Poisson processes)."""

    failing_cell_share: float = 0.0
    """Games in which one load cell fails: from some moment on, for half a minute or to the end."""
    wiggles_per_h: float = 0.0
    """A load cell's cable is touched: for up to two seconds its contact comes and goes."""
    lost_bytes_per_h: float = 0.0
    """1 to 400 bytes in a row never arrive (a USB controller's hiccup)."""
    unplugs_per_h: float = 0.0
    """The USB plug is out for 1 to 6 s; the base has no power meanwhile."""
    resets_per_h: float = 0.0
    """The board resets: its reset line, or its supply breaks down."""
    imu_faults_per_h: float = 0.0
    """The motion chip freezes, falls silent or drops off its bus for 2 to 20 s."""


@dataclass(frozen=True, slots=True)
class SensorLevel:
    """What cells, motion chip and cable do to the truth. Noise figures are standard deviations.

    Figures for cells: a 3 kg aluminium bar cell of 1 mV/V at 4.3 V, so 1 g is 1.4 uV. Its data sheet's errors are of the kind that cheap
    bar cells state: creep 0.05 % in 30 min, zero and span 0.05 % of capacity in 10 degrees, hysteresis and repeatability 0.05 %.
    """

    cell_noise_g: float = 0.05
    """Per sample at 80 samples/s, white: 90 nV rms at gain 128 are 0.06 g (HX711 data sheet, input noise; at 10/s 50 nV, so less)."""
    slow_noise_g: float = 0.0
    """Flicker: a wander of some seconds on top, which averaging does not take away."""
    cell_gain_spread: float = 0.001
    """Relative error of a cell's calibrated gain."""
    corner_spread: float = 0.0
    """Share of a cell's load that a neighbour shows instead or besides (off-axis error: moments through the plate, bars not in line)."""
    cell_offset_g: float = 0.3
    """How far a cell's zero has wandered since calibration."""
    cell_drift_g_per_min: float = 0.02
    """Slope of the zero over the whole session."""
    creep_share: float = 0.0
    """Share of a load by which the reading goes on rising, exponentially with `creep_s`. OIML R 60 (5.5.1) tests it over 30 minutes."""
    creep_s: float = 300.0
    temperature_c: float = 0.0
    """Wander of the room's temperature (with 15 minutes' memory)."""
    warm_up_c: float = 0.0
    """The board's own heat in the first half hour (exponential, ten minutes)."""
    zero_g_per_c: float = 0.0
    """Spread of the cells' zero against temperature: 0.05 % of 3 kg in 10 degrees are 0.15 g a degree."""
    span_per_c: float = 0.0
    """Spread of the cells' gain against temperature: 0.05 % in 10 degrees."""
    spikes_per_min: float = 0.0
    """Samples a minute and cell (at 80/s) that are torn reads: 2^n - 1, doubled values, 0 and -1, single or double. Public logs of
    bit-banged readers show 1 to 5 % of all samples; this sketch checks the chip's extra bit, which leaves the slips that look right."""
    slow_chip_share: float = 0.0
    """Sessions whose HX711s are strapped to 10 samples/s, as many boards come."""
    vibrations_per_min: float = 0.0
    """Steps on the floor, a slammed door, a cup set down: the table shakes for half a second."""
    vibration_mps2: float = 0.0
    """Typical peak of such a shake, up and down."""
    imu_noise_g: float = 0.004
    """MPU-6050 product specification 6.2: 400 ug/sqrt(Hz) over a 94 Hz filter."""
    imu_noise_dps: float = 0.05
    """6.1: 0.005 deg/s/sqrt(Hz) over the same."""
    imu_bias_g: float = 0.02
    imu_bias_dps: float = 1.0
    imu_bias_g_per_c: float = 0.0
    """6.2: the zero wanders by some tenths of a mg to a mg a degree."""
    faults: FaultRates = field(default_factory=FaultRates)


LAB = SensorLevel()

HOME = SensorLevel(
    cell_noise_g=0.08,
    slow_noise_g=0.06,
    cell_gain_spread=0.002,
    corner_spread=0.002,
    cell_offset_g=2.0,
    cell_drift_g_per_min=0.02,
    creep_share=0.0005,
    temperature_c=0.7,
    warm_up_c=2.0,
    zero_g_per_c=0.15,
    span_per_c=0.00005,
    spikes_per_min=1.0,
    slow_chip_share=0.15,
    vibrations_per_min=1.0,
    vibration_mps2=0.04,
    imu_noise_g=0.005,
    imu_noise_dps=0.07,
    imu_bias_g=0.05,
    imu_bias_dps=3.0,
    imu_bias_g_per_c=0.0005,
)

ROUGH = SensorLevel(
    cell_noise_g=0.15,
    slow_noise_g=0.15,
    cell_gain_spread=0.005,
    corner_spread=0.006,
    cell_offset_g=5.0,
    cell_drift_g_per_min=0.05,
    creep_share=0.001,
    temperature_c=1.5,
    warm_up_c=3.0,
    zero_g_per_c=0.3,
    span_per_c=0.0001,
    spikes_per_min=20.0,
    slow_chip_share=0.25,
    vibrations_per_min=3.0,
    vibration_mps2=0.08,
    imu_noise_g=0.006,
    imu_noise_dps=0.1,
    imu_bias_g=0.08,
    imu_bias_dps=8.0,
    imu_bias_g_per_c=0.001,
    faults=FaultRates(
        failing_cell_share=0.4, wiggles_per_h=10.0, lost_bytes_per_h=12.0, unplugs_per_h=2.0, resets_per_h=2.0, imu_faults_per_h=3.0
    ),
)
