"""What lenses, sensors, lamps and rooms do to pictures, one value a level; the defaults are `lab`'s.

Figures without a source are judged from what household webcams and rooms do; the contact sheet in the README shows what comes of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PictureLevel:
    """What lenses, sensors, lamps and rooms do to pictures. Noise figures are standard deviations, brightness runs from 0 to 255."""

    # ---- time and transport
    frame_delay_s: tuple[float, float] = (0.06, 0.10)
    """From exposure to arrival. With `delay_jitter_s` None every picture's is drawn evenly, else every camera's once."""
    delay_jitter_s: float | None = None
    """Of one picture round its camera's delay; no picture arrives before 40 ms or overtakes the one before."""
    drops_per_hour: float = 0.0
    """Pictures lost singly on the way, per camera."""
    freezes_per_hour: float = 0.0
    """Times at which a camera sends the same picture again and again, per camera."""
    freeze_s: tuple[float, float] = (0.5, 3.0)
    dropouts_per_hour: float = 0.0
    """Times at which the cable or the bus gives out and a camera is gone, per camera."""
    dropout_s: tuple[float, float] = (2.0, 12.0)
    readout_s: float = 0.0
    """Rolling shutter: the last row is exposed this much later than the first. 0: all at once."""
    exposure_s: float = 0.0
    """How long each row gathers light: smears what moves."""
    quality: tuple[int, int] = (85, 85)
    """JPEG quality, drawn once a camera."""

    # ---- lens, sensor
    lens_spread: float = 0.0
    """1: lenses differ from the nominal one as webcams of one make do (`lenses.py`)."""
    exposure_wander: float = 0.0
    """Of the log brightness, slowly."""
    white_wander: float = 0.0
    """Of the log of red and blue against green, slowly."""
    noise: tuple[float, float] = (1.6, 1.6)
    """Of a pixel's brightness in the dark and in the light; between them by the square root."""
    blur_px: tuple[float, float] = (0.55, 0.55)
    """Drawn once a camera."""
    vignette: float = 0.0
    """How much darker the corners are, at most."""

    # ---- knocks
    nudges_per_hour: float = 0.0
    """Times at which somebody touches a camera, per camera."""
    nudge_deg: tuple[float, float] = (0.1, 0.6)
    nudge_mm: tuple[float, float] = (0.0, 4.0)

    # ---- the room
    household: bool = False
    """Lamps of many colours, daylight, shadows that wander, glossy paint, photographs, cloths (`household.py`); else even light."""
    sun: bool = False
    """Direct sun through a window."""
    shadow_step_s: float = 2.0
    """Shadows wander in steps of this, because each step has the whole picture drawn anew."""

    @property
    def plain_sensor(self) -> bool:
        """Whether the sensor is `lab`'s: the same small noise everywhere, nothing wanders."""
        return self.exposure_wander == 0.0 and self.white_wander == 0.0 and self.vignette == 0.0 and self.noise[0] == self.noise[1]


LAB = PictureLevel()
HOME = PictureLevel(
    frame_delay_s=(0.045, 0.135),
    delay_jitter_s=0.006,
    drops_per_hour=40.0,
    freezes_per_hour=3.0,
    readout_s=0.03,
    exposure_s=0.02,
    quality=(76, 92),
    lens_spread=1.0,
    exposure_wander=0.06,
    white_wander=0.03,
    noise=(2.6, 1.6),
    blur_px=(0.5, 0.8),
    vignette=0.16,
    nudges_per_hour=0.6,
    household=True,
)
ROUGH = PictureLevel(
    frame_delay_s=(0.05, 0.14),
    delay_jitter_s=0.010,
    drops_per_hour=200.0,
    freezes_per_hour=12.0,
    freeze_s=(0.5, 6.0),
    dropouts_per_hour=8.0,
    readout_s=0.033,
    exposure_s=0.03,
    quality=(62, 85),
    lens_spread=1.3,
    exposure_wander=0.12,
    white_wander=0.06,
    noise=(4.2, 2.4),
    blur_px=(0.6, 1.1),
    vignette=0.24,
    nudges_per_hour=6.0,
    nudge_deg=(0.4, 3.0),
    nudge_mm=(1.0, 20.0),
    household=True,
    sun=True,
    shadow_step_s=1.0,
)
