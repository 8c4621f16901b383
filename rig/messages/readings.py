"""What the base's bytes say, derived inside the fold by `rig.base`."""

from __future__ import annotations

from enum import StrEnum

from rig.messages.inputs import Health
from rig.messages.tagged import Tagged


class Weighed(Tagged, frozen=True):
    """The scale's word about 20 times a second. None: not known (a cell is missing, saturated …), with the reason in `fault`.

    `weight_g` is what lies on the sensing plate beyond its tare; `cop_x_mm`, `cop_y_mm` the centre of pressure of that load (None under
    5 g); `noise_g` the standard deviation within the reading; `quiet`: nothing has moved for about 0.4 s.
    """

    t_s: float
    weight_g: float | None
    cop_x_mm: float | None
    cop_y_mm: float | None
    noise_g: float
    quiet: bool
    fault: str = ""


class StepKind(StrEnum):
    LIFTED = "lifted"
    SET_DOWN = "set down"
    KNOCK = "knock"
    SWING = "swing"
    PRESSED = "pressed"


class Stepped(Tagged, frozen=True):
    """Something happened on the scale. For lifted and set down: settled weight before and after, their difference with its uncertainty, and
    the place (centre of the moment change) where that is known. For knock, swing and pressed: the largest excursion in `delta_g`."""

    kind: StepKind
    start_t_s: float
    end_t_s: float
    before_g: float | None
    after_g: float | None
    delta_g: float
    sigma_g: float
    x_mm: float | None = None
    y_mm: float | None = None


class Tilted(Tagged, frozen=True):
    """The base's IMU, 10 a second: slow tilt of the base from gravity, and the strongest shock (m/s², gravity removed) since the last."""

    t_s: float
    tilt_x_deg: float
    tilt_y_deg: float
    shock_mps2: float


class Pressed(Tagged, frozen=True):
    """A seat button (0 to 3) was pressed or released, dated by the base's own clock at the first contact."""

    t_s: float
    button: int
    pressed: bool


class LinkNews(Tagged, frozen=True):
    """The serial link's books, about once a second and at every reset: every loss counted since the session's start. `zeroed_g`: by a tare
    (by itself, by word, or taken back) the scale reads so much less from the next `Weighed` on; weights remembered are to follow."""

    health: Health
    sentence: str
    frames: int
    samples: int
    lost_frames: int
    bad_frames: int
    rejected_samples: int
    resets: int
    zeroed_g: float = 0.0


class Felt(Tagged, frozen=True):
    """Readings of a modelled base, for which no bytes were ever sent: an input in the place of `BaseBytes`."""

    readings: tuple[Weighed | Stepped | Tilted | Pressed | LinkNews, ...]
