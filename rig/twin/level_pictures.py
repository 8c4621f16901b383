"""What lenses, sensors, lamps and rooms do to pictures, one value a level; the defaults are `lab`'s."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PictureLevel:
    """What lenses, sensors, lamps and rooms do to pictures. Noise figures are standard deviations."""

    frame_delay_s: tuple[float, float] = (0.06, 0.10)
    """From exposure to arrival, drawn evenly."""


LAB = PictureLevel()
HOME = PictureLevel()
ROUGH = PictureLevel()
