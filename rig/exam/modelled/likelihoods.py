"""What the senses say, as small models: every parameter with its unit, its meaning and where it was measured.

Eyes answer in natural log likelihoods, 0 for the best. A *margin* is by how much a wrong hypothesis lies below the truth; it is drawn from
a log-normal distribution, and with a small probability from beyond zero: that is a confusion. Fitted on the rows of
`python -m rig.bench.bench_senses` (drawn pairs, level home, world A) and on the shares that `rig.bench.bench_pairs` counts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Margin:
    """A wrong hypothesis against the truth: `median` nats, `spread` of its natural log; with probability `wrong` the sign is lost, and the
    wrong one leads by up to `leads` nats."""

    median: float
    spread: float
    wrong: float = 0.0
    leads: float = 4.0


@dataclass(frozen=True, slots=True)
class Eyes:
    """Judgements of settled pictures by one number of cameras."""

    hidden: float
    """Share of the columns below the top floor of which no camera sees a quarter of the side."""
    alike: Margin
    """Another column of the same kind that is in sight, charged with a raise."""
    alike_hidden: Margin
    """The same where the true column, or the other, was hidden."""
    shape: Margin
    """A column of the same colour and another shape."""
    colour: Margin
    """A column of another colour, and everything else that explains neither what came nor what went."""
    nothing: Margin
    """*Nothing* against a change of one column."""
    gone: Margin
    """The true column gone (fallen, taken out) without having come to stand on top, against its raise."""
    still: Margin
    """A change of a column in sight, when nothing happened."""
    still_hidden: Margin
    """A hidden column gone, when nothing happened."""
    strange: float = 6.0
    """What *none of these* lies below a truth that explains everything (nats): the eyes' own price, 300 times 0.02."""
    residue: float = 0.006
    """Probability that something unexplained remains beside the truth, so that *none of these* leads."""
    unlisted: Margin = Margin(30.0, 0.9)
    """*None of these* above the best of a list that lacks the truth."""
    place_mm: float = 0.55
    """Error of the place of what was moved (standard deviation each way)."""
    bystander_mm: float = 0.35
    turn_deg: float = 0.2


TWO = Eyes(
    hidden=0.19,
    alike=Margin(40.0, 0.7, 0.004),
    alike_hidden=Margin(12.0, 1.0, 0.03),
    shape=Margin(25.0, 0.6, 0.002),
    colour=Margin(45.0, 0.5, 0.0004),
    nothing=Margin(45.0, 0.5, 0.001),
    gone=Margin(30.0, 0.6, 0.001),
    still=Margin(25.0, 0.7, 0.001),
    still_hidden=Margin(3.0, 0.8, 0.02),
    residue=0.006,
    unlisted=Margin(30.0, 0.9, 0.0065),
)
ONE = Eyes(
    hidden=0.44,
    alike=Margin(22.0, 0.8, 0.01),
    alike_hidden=Margin(5.0, 1.0, 0.10),
    shape=Margin(14.0, 0.7, 0.008),
    colour=Margin(25.0, 0.5, 0.001),
    nothing=Margin(25.0, 0.6, 0.002),
    gone=Margin(16.0, 0.7, 0.004),
    still=Margin(14.0, 0.8, 0.002),
    still_hidden=Margin(1.2, 0.9, 0.05),
    residue=0.010,
    unlisted=Margin(14.0, 1.0, 0.069),
    place_mm=1.9,
    bystander_mm=0.8,
    turn_deg=0.5,
)


@dataclass(frozen=True, slots=True)
class Tugs:
    """Searches of the witnesses for a column tugged and put back (log odds)."""

    shows: float = 0.85
    """Probability that a tug shows at all in the witnesses of this many cameras."""
    seen: tuple[float, float] = (26.0, 0.8)
    """Log odds of the true column where it shows: median, spread of the natural log."""
    unseen: tuple[float, float] = (-3.0, 1.0)
    """Log odds of a column that did not move, or moved unseen: mean, standard deviation."""
    false: float = 0.006
    """Probability a column and search that a hand at work beside it looks like a tug."""
    false_odds: tuple[float, float] = (3.0, 0.8)


@dataclass(frozen=True, slots=True)
class Hands:
    """What each picture says of hands and motion."""

    seen: float = 0.96
    """Probability that an arm in the tower's region is seen in a camera's picture."""
    false_per_h: float = 4.0
    """Times an hour that a shadow or a cushion passes for an arm, for up to `false_s`."""
    false_s: tuple[float, float] = (0.3, 1.5)
    sleeve: float = 0.6
    """Probability that a picture of a sleeved arm shows the sleeve."""
    fallen_hand: float = 0.5
    """Probability, a camera and fall, that what lies there passes for an arm."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the base says."""

    settled_g: float = 0.15
    """Error of a settled difference (rms)."""
    hand_g: float = 0.12
    """Error of a column's mass felt in the hand, where it is read at all."""
    read: float = 0.62
    """Share of raises, no hand leaning, in which the scale reads the column's mass in the hand."""
    misread: float = 0.06
    """Share of those in which it is something else, such as a plateau held along."""
    mass_g: float = 0.1
    """Error of the calibrated masses of the shapes."""
    quiet_after_s: float = 0.45
    """From the last change of load to the first quiet reading."""
    shakes: float = 0.04
    """Share of games in a house whose floor lets the scale never rest."""


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """All of them."""

    two: Eyes = TWO
    one: Eyes = ONE
    tugs: Tugs = Tugs()
    tugs_one: Tugs = Tugs(shows=0.7, seen=(12.0, 0.8), false=0.012)
    hands: Hands = Hands()
    scale: Scale = Scale()

    def eyes(self, cameras: int) -> Eyes:
        return self.one if cameras == 1 else self.two

    def search(self, cameras: int) -> Tugs:
        return self.tugs_one if cameras == 1 else self.tugs


FITTED = Likelihoods()
