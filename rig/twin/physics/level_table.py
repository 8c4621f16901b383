"""What people, pieces and tables are like, one value a level; the defaults are `lab`'s, where everybody is careful and says what they do.

Shares are probabilities: of a turn, of an attempt, of a call. At `lab` every one of them is nothing, and nothing is drawn for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Speech:
    """How people call."""

    missing: float = 0.0
    """Share of calls nobody hears. What no deed tells as well is said again after `again_s`."""
    late: float = 0.0
    late_s: tuple[float, float] = (1.5, 5.0)
    wrong: float = 0.0
    """Share of calls that come from a neighbour's seat first, and rightly a little later."""
    false_abort: float = 0.0
    """Share of raises after which somebody presses "abort" for nothing."""
    again_s: tuple[float, float] = (5.0, 12.0)
    answer_wrong: float = 0.0
    """Share of the referee's questions answered wrongly."""
    button: float = 0.0
    """Share of requests, challenges, aborts and surrenders that are pressed on the seat's button instead of being said at the desk."""


@dataclass(frozen=True, slots=True)
class Hands:
    """How hands work, as shares of attempts."""

    arms: bool = False
    """Whether fingers and arms can push what they do not hold."""
    lean: float = 0.0
    """The other hand leans on the base from before the pull until the column stands: the scale never rests."""
    lean_n: tuple[float, float] = (0.8, 4.0)
    lean_sway: float = 0.12
    """How much a leaning hand's force wanders, as a share of it."""
    apron: float = 0.0
    """The other hand rests on the apron, which is not weighed."""
    press: float = 0.0
    """Presses down while pulling and lets go with a jerk."""
    press_n: tuple[float, float] = (0.3, 1.5)
    hook: float = 0.0
    """The column is pulled with the game's hook (P6)."""


@dataclass(frozen=True, slots=True)
class Sleeves:
    """What people wear."""

    own_colour: float = 1.0
    """Share of tables at which everybody has put on sleeves in their colour once colours are drawn."""
    any_colour: float = 0.0
    """Of people at other tables: share whose shirt happens to be in some player's colour. The rest wear white, grey, black, or short."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """How the columns are stood up before the game."""

    pause_s: tuple[float, float] = (0.9, 1.2)
    """From one column, when it stands still, to the next hand."""
    in_a_row: tuple[int, int] = (1, 1)
    """So many columns one person stands up before the next person takes over."""
    outside: tuple[int, int] = (0, 0)
    """So many columns are stood by the site's rim on purpose, where the blue plateau will hardly reach (U2)."""


@dataclass(frozen=True, slots=True)
class OtherActions:
    """What people do beside raising, aborting and laying: shares of attempts, of turns where said."""

    touch: float = 0.0
    """Of turns: a column is only touched, then another is taken."""
    plateau_lift: float = 0.0
    """Of turns: a plateau is lifted by a few mm, looked under, and put back."""
    lift_mm: tuple[float, float] = (2.0, 5.0)
    shift: float = 0.0
    """The held plateau comes back shifted (B5)."""
    shift_mm: tuple[float, float] = (5.5, 9.0)
    put_back_off: float = 0.0
    """Share of aborts: the column is put back a little off."""
    put_back_off_mm: tuple[float, float] = (1.5, 4.0)
    nudge: float = 0.0
    nudge_mm: tuple[float, float] = (4.5, 10.0)
    overhang: float = 0.0
    overhang_mm: tuple[float, float] = (3.0, 6.5)
    held: float = 0.0
    """The top plateau is steadied while the column is set down (B6)."""
    stack: float = 0.0
    """On orange or red the column is stood on another one (B8)."""
    two: float = 0.0
    """Two columns in one turn."""
    wrong_colour: float = 0.0
    """Somebody else's column, or a locked one, is raised."""
    drop: float = 0.0
    """The column slips out of the hand on its way."""
    topple: float = 0.0
    """Of turns: columns on top are knocked over, the plateaus stay."""
    bump: float = 0.0
    """Of turns: the table gets a knock that does no harm."""
    idle: float = 0.0
    """Of turns: nothing happens for a minute."""
    askew: float = 0.0
    """Of plateaus: laid with little to spare, on few columns."""
    challenge: float = 0.0
    """Of requests that can be challenged."""
    waive: float = 0.0
    """Of penalties."""


@dataclass(frozen=True, slots=True)
class FallRates:
    """How games end, as weights: by the acting player's plain pulling or placing, or not."""

    pull: float = 1.0
    off_centre: float = 0.0
    arm: float = 0.0
    """Somebody else's arm sweeps the tower."""
    knock: float = 0.0
    """Somebody else knocks the table."""
    draught: float = 0.0
    """A draught, or a pet: nobody's doing."""
    late: float = 0.0
    """A raise that leaves the tower on the brink; it falls after the turn has passed."""
    uncalled: float = 0.0
    """Of turns, for each plateau that lies: an arm, a knock, a draught or a raise onto the brink comes of itself, by the weights above. At
    nothing games are toppled once they have lasted long enough; otherwise they last until they end of themselves."""


@dataclass(frozen=True, slots=True)
class TableLevel:
    """What people, pieces and tables are like."""

    height_spread_mm: float = 0.02
    """Columns alike differ in height by this."""
    friction: float = 0.4
    answer_s: tuple[float, float] = (2.0, 4.0)
    """How long the table takes over a question."""
    tremor_mm: float = 0.05
    """A hand's shake."""
    put_back_mm: float = 0.4
    """How exactly a tugged column is put back."""
    call_lag_s: tuple[float, float] = (0.3, 0.9)
    """From a deed or a thought to the spoken call."""
    drawn_set: bool = False
    """Whether the set is drawn, and the referee handed what a calibration would measure of it."""
    skill: tuple[float, float] = (1.0, 1.0)
    boldness: tuple[float, float] = (0.0, 0.0)
    honesty: tuple[float, float] = (1.0, 1.0)
    """What the people at the table are drawn between (`rig.twin.people.persons`)."""
    set_up: SetUp = field(default_factory=SetUp)
    sleeves: Sleeves = field(default_factory=Sleeves)
    speech: Speech = field(default_factory=Speech)
    hands: Hands = field(default_factory=Hands)
    deeds: OtherActions = field(default_factory=OtherActions)
    falls: FallRates = field(default_factory=FallRates)


LAB = TableLevel()
HOME = TableLevel(
    height_spread_mm=0.08,
    answer_s=(3.0, 15.0),
    tremor_mm=0.12,
    put_back_mm=0.8,
    drawn_set=True,
    skill=(0.4, 1.0),
    boldness=(0.0, 1.0),
    honesty=(0.7, 1.0),
    set_up=SetUp(pause_s=(0.5, 2.2), in_a_row=(1, 4), outside=(2, 5)),
    sleeves=Sleeves(own_colour=0.5, any_colour=0.1),
    speech=Speech(missing=0.10, late=0.20, wrong=0.03, false_abort=0.01, answer_wrong=0.02, button=0.5),
    hands=Hands(arms=True, lean=0.36, apron=0.25, press=0.25, hook=0.2),
    deeds=OtherActions(
        touch=0.06, plateau_lift=0.04, shift=0.03, put_back_off=0.4, nudge=0.06, overhang=0.05, held=0.05, stack=0.10, two=0.02,
        wrong_colour=0.03, drop=0.015, topple=0.012, bump=0.06, idle=0.01, askew=0.3, challenge=0.4, waive=0.1,
    ),
    falls=FallRates(pull=0.30, off_centre=0.22, arm=0.16, knock=0.12, draught=0.08, late=0.12, uncalled=0.012),
)  # fmt: skip
"""A living room: sources of the shares are the project's issue on the twin and, where that is silent, guesses of its makers."""
ROUGH = TableLevel(
    height_spread_mm=0.15,
    answer_s=(3.0, 15.0),
    tremor_mm=0.2,
    put_back_mm=1.2,
    drawn_set=True,
    skill=(0.2, 0.8),
    boldness=(0.3, 1.0),
    honesty=(0.4, 1.0),
    set_up=SetUp(pause_s=(0.3, 1.8), in_a_row=(1, 6), outside=(2, 6)),
    sleeves=Sleeves(own_colour=0.3, any_colour=0.2),
    speech=Speech(missing=0.15, late=0.3, wrong=0.05, false_abort=0.02, answer_wrong=0.04, button=0.5),
    hands=Hands(arms=True, lean=0.5, apron=0.25, press=0.4, lean_n=(1.5, 8.0), hook=0.3),
    deeds=OtherActions(
        touch=0.10, plateau_lift=0.08, shift=0.06, put_back_off=0.6, nudge=0.10, overhang=0.08, held=0.08, stack=0.15, two=0.04,
        wrong_colour=0.05, drop=0.03, topple=0.04, bump=0.12, idle=0.02, askew=0.5, challenge=0.5, waive=0.1,
    ),
    falls=FallRates(pull=0.25, off_centre=0.2, arm=0.2, knock=0.15, draught=0.08, late=0.12, uncalled=0.018),
)  # fmt: skip
