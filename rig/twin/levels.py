"""How kind the world is: `lab`, `home` or `rough`, as numbers.

Everything that differs between levels is a field here, so that a harder level is another value and not another code path. `lab` is even
light, nominal noise and no faults.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.errors import PalettiError


@dataclass(frozen=True, slots=True)
class Level:
    """One level. Noise figures are standard deviations."""

    name: str
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
    height_spread_mm: float = 0.02
    """Columns alike differ in height by this."""
    friction: float = 0.4
    frame_delay_s: tuple[float, float] = (0.06, 0.10)
    """From exposure to arrival, drawn evenly."""
    picture_noise: float = 1.6
    picture_blur_px: float = 0.55
    answer_s: tuple[float, float] = (2.0, 4.0)
    """How long the table takes over a question."""
    tremor_mm: float = 0.05
    """A hand's shake."""
    put_back_mm: float = 0.4
    """How exactly a tugged column is put back."""
    call_lag_s: tuple[float, float] = (0.3, 0.9)
    """From a deed or a thought to the spoken call."""


LEVELS = {"lab": Level("lab")}


def level_named(name: str) -> Level:
    """The level called `name`; PalettiError names those there are."""
    if name not in LEVELS:
        raise PalettiError(f"There is no level called {name!r}.", f"Levels are {', '.join(LEVELS)}.")
    return LEVELS[name]
