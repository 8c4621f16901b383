"""What the senses say, as small models: every parameter with its unit, its meaning and where it was measured.

Eyes answer in natural log likelihoods, 0 for the best. A *margin* is by how much a wrong hypothesis lies below the truth; it is drawn from
a log-normal distribution, and with a small probability from beyond zero: that is a confusion. Fitted on the rows of
`python -m rig.bench.bench_senses` (drawn pairs, level home, world A) and on the shares that `rig.bench.bench_pairs` counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rig.exam.modelled.relations import Relation


@dataclass(frozen=True, slots=True)
class Margin:
    """A wrong hypothesis against the truth: `median` nats, `spread` of its natural log; with probability `wrong` the sign is lost, and the
    wrong one leads by up to `leads` nats."""

    median: float
    spread: float
    wrong: float = 0.0
    leads: float = 3.0


@dataclass(frozen=True, slots=True)
class Eyes:
    """Judgements of settled pictures by one number of cameras."""

    hidden: float
    """Share of the columns below the top floor of which no camera sees a quarter of the side."""
    margins: Mapping[Relation, Margin]
    """By how the wrong hypothesis is wrong."""
    unlisted: Margin
    """*None of these* above the best of a list that lacks the truth."""
    fallen: Margin = Margin(200.0, 0.6)
    """Anything else against a fall."""
    strange: float = 6.0
    """What *none of these* lies below a truth that explains everything (nats): the eyes' own price, 300 times 0.02."""
    residue: float = 0.006
    """Probability that something unexplained remains beside the truth, so that *none of these* leads."""
    place_mm: float = 0.55
    """Error of the place of what was moved (standard deviation each way)."""
    bystander_mm: float = 0.35
    turn_deg: float = 0.2


TWO = Eyes(
    hidden=0.20,
    margins={
        Relation.ALIKE: Margin(180.0, 0.65, 0.001),
        Relation.ALIKE_HIDDEN: Margin(125.0, 1.05, 0.005),
        Relation.SHAPE: Margin(185.0, 0.58, 0.0007),
        Relation.COLOUR: Margin(225.0, 0.57, 0.0001),
        Relation.NOTHING: Margin(170.0, 0.62, 0.0005),
        Relation.UNSEEN: Margin(10.0, 0.9, 0.05),
        Relation.GONE: Margin(82.0, 0.56, 0.001),
        Relation.STILL: Margin(160.0, 0.88, 0.0003),
        Relation.STILL_HIDDEN: Margin(15.0, 0.95, 0.0005),
        Relation.PHANTOM: Margin(2.0, 0.8, 0.05),
    },
    unlisted=Margin(75.0, 0.73, 0.0065),
    residue=0.005,
)
ONE = Eyes(
    hidden=0.43,
    margins={
        Relation.ALIKE: Margin(76.0, 0.54, 0.004),
        Relation.ALIKE_HIDDEN: Margin(80.0, 0.85, 0.065),
        Relation.SHAPE: Margin(83.0, 0.7, 0.003),
        Relation.COLOUR: Margin(100.0, 0.6, 0.0003),
        Relation.NOTHING: Margin(70.0, 0.7, 0.002),
        Relation.UNSEEN: Margin(4.0, 1.0, 0.15),
        Relation.GONE: Margin(33.0, 0.6, 0.004),
        Relation.STILL: Margin(100.0, 0.75, 0.0005),
        Relation.STILL_HIDDEN: Margin(5.0, 0.8, 0.001),
        Relation.PHANTOM: Margin(1.0, 0.8, 0.1),
    },
    unlisted=Margin(44.0, 0.6, 0.069),
    residue=0.010,
    place_mm=1.9,
    bystander_mm=0.8,
    turn_deg=0.5,
)
"""Medians and spreads: 20 drawn pairs, `python -m rig.bench.bench_margins --first 420000 --seeds 20`, by `bench_modelled --fit`. Shares of
confusions: the 1,008 raises and 1,073 withheld truths that `bench_pairs` counted, per alternative. `UNSEEN` and `PHANTOM` are assumed: too
few such pairs were drawn."""


@dataclass(frozen=True, slots=True)
class Tugs:
    """Searches of the witnesses for a column tugged and put back (log odds)."""

    shows: float = 0.85
    """Probability that a tug shows at all in the witnesses of this many cameras."""
    seen: tuple[float, float] = (60.0, 0.7)
    """Log odds of the true column where it shows: median, spread of the natural log."""
    unseen: float = -3.0
    """Log odds of a column that did not move, or moved unseen: the eyes' prior."""
    false: float = 0.006
    """Probability a column and search that a hand at work beside it looks like a tug."""
    false_odds: tuple[float, float] = (3.0, 0.8)


@dataclass(frozen=True, slots=True)
class Hands:
    """What each picture says of hands and motion."""

    seen: float = 0.99
    """Probability that an arm in the tower's region is seen in a camera's picture (12 drawn actions, `bench_senses`)."""
    away: float = 0.3
    """Probability, a camera and column carried, that the arm is out of this camera's sight while it carries (the same)."""
    false_per_h: float = 2.0
    """Times an hour that a shadow or a cushion passes for an arm, for up to `false_s`: assumed (none in 30 s of idle pictures)."""
    false_s: tuple[float, float] = (0.3, 1.5)
    sleeve: float = 0.55
    """Probability that a picture of a sleeved arm shows the sleeve (the same)."""
    sleeve_wrong: float = 0.02
    """Probability that a picture of an arm shows a sleeve of a colour nobody there wears (the same: a white one was called red once)."""
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
    unsettled: float = 0.01
    """Share of actions after which the scale goes on trembling for `trembles_s`: assumed; 1 of 12 drawn actions, and of 65 raises in whole
    drawn games at most one was missed."""
    trembles_s: tuple[float, float] = (1.0, 6.0)


@dataclass(frozen=True, slots=True)
class Likelihoods:
    """All of them."""

    two: Eyes = TWO
    one: Eyes = ONE
    tugs: Tugs = Tugs()
    tugs_one: Tugs = Tugs(shows=0.7, seen=(25.0, 0.8), false=0.012)
    hands: Hands = Hands()
    scale: Scale = Scale()

    def eyes(self, cameras: int) -> Eyes:
        return self.one if cameras == 1 else self.two

    def search(self, cameras: int) -> Tugs:
        return self.tugs_one if cameras == 1 else self.tugs


FITTED = Likelihoods()


def _never_wrong(eyes: Eyes) -> Eyes:
    margins = {way: replace(margin, wrong=0.0) for way, margin in eyes.margins.items()}
    return replace(eyes, margins=margins, unlisted=replace(eyes.unlisted, wrong=0.0), residue=0.0, hidden=0.0)


FAULTLESS = Likelihoods(
    two=_never_wrong(TWO),
    one=_never_wrong(ONE),
    tugs=Tugs(shows=1.0, false=0.0),
    tugs_one=Tugs(shows=1.0, false=0.0),
    hands=Hands(seen=1.0, away=0.0, false_per_h=0.0, sleeve=1.0, sleeve_wrong=0.0, fallen_hand=0.0),
    scale=Scale(read=1.0, misread=0.0, unsettled=0.0),
)
"""Senses that are never wrong: what is told wrong with them is the referee's own, or comes of what people say and do."""
