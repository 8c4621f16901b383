"""What cells and motion chip do to the truth, one value a level; the defaults are `lab`'s."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SensorLevel:
    """What cells and motion chip do to the truth. Noise figures are standard deviations."""

    cell_noise_g: float = 0.05
    """Per sample at 80 samples/s: HX711 with a 3 kg bar cell, about 50 nV rms at gain 128 (data sheet: input noise)."""
    cell_gain_spread: float = 0.001
    """Relative error of a cell's calibrated gain."""
    cell_offset_g: float = 0.3
    """How far a cell's zero has wandered since calibration."""
    cell_drift_g_per_min: float = 0.02
    """Slope of the zero with temperature."""
    imu_noise_g: float = 0.004
    """MPU-6050 product specification 6.2: 400 ug/sqrt(Hz) over a 94 Hz filter."""
    imu_noise_dps: float = 0.05
    """6.1: 0.005 deg/s/sqrt(Hz) over the same."""
    imu_bias_g: float = 0.02
    imu_bias_dps: float = 1.0


LAB = SensorLevel()
HOME = SensorLevel()
ROUGH = SensorLevel()
