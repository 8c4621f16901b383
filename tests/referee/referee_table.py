"""A table for testing the referee by itself: hands, weight and words are scripted, and the eyes answer what the script says is so.

No pixels and no bytes: those are tested where they are real. Here the question is only what the referee makes of what its senses tell.
"""

from __future__ import annotations

import copy
from functools import lru_cache

import msgspec

from rig.messages import (
    Added,
    Answered,
    Ask,
    Call,
    CallWord,
    CameraPose,
    ColumnSeen,
    Drew,
    Fact,
    Fallen,
    FindPose,
    Frame,
    Hypothesis,
    Input,
    Judge,
    Judged,
    Laid,
    Message,
    Moved,
    MovedTwo,
    NoneOfThese,
    Opinion,
    PlateauLaid,
    Posed,
    Reading,
    ReadTower,
    Removed,
    Ruling,
    SeatColours,
    Stacked,
    Standing,
    StepKind,
    Stepped,
    Tick,
    Toppled,
    Tower,
    TowerRead,
    Trace,
    Track,
    Tracked,
    View,
    Watch,
    Watched,
    Weighed,
)
from rig.pieces import Colour, Column, Floor
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.referee.predicted_tower import predicted
from rig.referee.referee import Referee
from rig.referee.tunables import TUNED, Tunables

PLAYERS = ("Ada", "Bo", "Cy", "Di")
COLOURS = (Colour.RED, Colour.BLUE, Colour.YELLOW, Colour.GREEN)
NAMED = Moved | Removed | Added | Toppled | MovedTwo | Stacked
"""Hypotheses that name what they are about: another of the same kind is another thing."""
FRESH_S = 1.5
"""How long a table waits before anything happens."""
POSE = CameraPose(1, (1.9, 0.0, 0.0), (0.0, 250.0, 1100.0))


@lru_cache(maxsize=1)
def _begun() -> Table:
    return Table()._set_up()


class Table:
    """Two cameras at 5 pictures a second, a scale at 10 readings a second, and people who do as they are told."""

    def __init__(self, profile: Profile | None = None, tuned: Tunables = TUNED) -> None:
        self.profile = profile if profile is not None else nominal_profile()
        self.tuned = tuned
        self.referee = Referee(self.profile, tuned)
        self.t_s = 0.0
        self.n = 0
        self.hand = False
        self.seen_as_hand: set[int] = set()
        """Cameras to which something that lies there looks like a hand."""
        self.moving = False
        self.still = False
        self.trembles = False
        """The scale does, with nobody near."""
        self.weight_g: float | None = 0.0
        self.truth: Hypothesis | None = None
        self.looks_like: Hypothesis | None = None
        """Something else that no picture tells from the truth."""
        self.sureness = 12.0
        self.strange: float | None = None
        """By how much "none of these" lags behind the truth, if not as everything else."""
        self.fit = 0.9
        self.unexplained_mm2 = 1000.0
        self.changed = 0.0
        self.tilt = (0.0, 90.0)
        self.shift_px: dict[int, float] = {}
        """Cameras that were knocked, and by how much."""
        self.sleeve: Colour | None = None
        self.tugged: dict[Column, float] = {}
        self.stands: Tower | None = None
        """What whole readings find; None: no tower can be made out."""
        self.read_sure: dict[Column, float] = {}
        """Columns whose kind they are less sure of than they are of most."""
        self.facts: list[Fact] = []
        self.rulings: list[Ruling] = []
        self.asks: list[Ask] = []
        self.views: list[View] = []
        self.requests: list[object] = []
        self.wait(FRESH_S)

    # ---------------------------------------------------------------- the world goes on

    def enter(self, source: str, payload: Input, readings: tuple[Reading, ...] = ()) -> None:
        self.n += 1
        heard = self.referee.step(Message(self.n, self.t_s, source, payload), readings)
        self.facts += heard.facts
        self.rulings += heard.rulings
        if heard.view is not None:
            self.views.append(heard.view)
        for request in heard.requests:
            self.requests.append(request)
            match request:
                case Ask():
                    self.asks.append(request)
                case Watch():
                    self.enter("eyes", self._watched(request))
                case FindPose(id=number, camera=camera, believed=believed):
                    pose = msgspec.structs.replace(POSE, camera=camera)
                    moved_px = self.shift_px.pop(camera, 0.0) if believed is not None else 0.0
                    posed = Posed(id=number, camera=camera, pose=pose, markers=20, error_px=0.4, top_error_mm=0.3, moved_px=moved_px)
                    self.enter("eyes", posed)
                case Judge():
                    self.enter("eyes", self._judged(request))
                case Track(id=number, columns=columns):
                    traces = tuple(Trace(column, self.tugged.get(column, -3.0), None) for column in columns)
                    self.enter("eyes", Tracked(id=number, traces=traces))
                case ReadTower(id=number):
                    self.enter("eyes", self._read(number))

    def _read(self, number: int) -> TowerRead:
        if self.stands is None:
            return TowerRead(id=number, columns=(), plateaus=(), fit=0.1, usable=False, cameras=2, sentence="This is no tower.")
        columns = tuple(ColumnSeen(s, self.read_sure.get(s.column, 0.99), 0.8) for s in self.stands.columns)
        return TowerRead(id=number, columns=columns, plateaus=self.stands.plateaus, fit=0.9, usable=True, cameras=2)

    def _watched(self, request: Watch) -> Watched:
        hand = self.hand or request.camera in self.seen_as_hand
        return Watched(
            id=request.id, camera=request.camera, frame=request.frame, hand=0.95 if hand else 0.02,
            sleeve=self.sleeve if self.hand else None,
            moving=0.05 if (self.hand and not self.still) or self.moving else 0.0,
            changed=self.changed, tilt_deg=self.tilt[0], tilt_sigma_deg=self.tilt[1],
            shift_px=self.shift_px.get(request.camera, 0.0),
        )  # fmt: skip

    def _judged(self, request: Judge) -> Judged:
        def opinion(hypothesis: Hypothesis) -> Opinion:
            so = hypothesis == self.truth or (type(hypothesis) is type(self.truth) and not isinstance(hypothesis, NAMED))
            tower = self.after(request.tower, hypothesis) if not isinstance(hypothesis, NoneOfThese) else None
            less = self.strange if self.strange is not None and isinstance(hypothesis, NoneOfThese) else self.sureness
            return Opinion(0.0 if so or hypothesis == self.looks_like else -less * self.unlike(hypothesis), tower)

        opinions = tuple(opinion(hypothesis) for hypothesis in request.hypotheses)
        return Judged(
            id=request.id,
            opinions=opinions,
            fit=self.fit,
            unexplained_mm2=self.unexplained_mm2,
            plateaus_seen=(),
            cameras=len(request.after),
        )

    def unlike(self, hypothesis: Hypothesis) -> float:
        """How much of the truth's pictures it leaves unexplained, as a share."""
        if isinstance(self.truth, Toppled) and isinstance(hypothesis, Toppled) and set(hypothesis.columns) < set(self.truth.columns):
            return 1 - len(hypothesis.columns) / (2 * len(self.truth.columns))
        return 1.0

    def after(self, tower: Tower, hypothesis: Hypothesis) -> Tower:
        if isinstance(hypothesis, PlateauLaid):
            laid = Laid(hypothesis.plateau, 0.0, 0.0, 100.0 + 105.0 * len(tower.plateaus), 0.0)
            return msgspec.structs.replace(tower, plateaus=(*tower.plateaus, laid))
        return predicted(tower, hypothesis, self.profile)

    def wait(self, seconds: float) -> None:
        """Time passes: ticks with weight, pictures of both cameras."""
        steps = round(seconds * 10)
        for k in range(steps):
            self.t_s = round(self.t_s + 0.1, 3)
            quiet = not self.trembles and (self.still or (not self.hand and not self.moving))
            fault = "" if self.weight_g is not None else "cell 3 is missing"
            cop = None if not self.weight_g else 0.0
            weighed = Weighed(t_s=self.t_s, weight_g=self.weight_g, cop_x_mm=cop, cop_y_mm=cop, noise_g=0.1, quiet=quiet, fault=fault)
            self.enter("clock", Tick(), (weighed,))
            if k % 2 == 0:
                for camera in (1, 2):
                    self.enter(f"camera {camera}", Frame(camera=camera, jpeg=b"", lag_s=0.08))

    def act(self, truth: Hypothesis, change_g: float = 0.0, seconds: float = 3.0) -> None:
        """Somebody reaches in, does `truth`, and lets go; the tower settles."""
        self.hand = True
        self.wait(seconds)
        self.truth = truth
        self.hand = False
        if self.weight_g is not None:
            self.weight_g += change_g
        self.wait(2.0)

    def feel(self, *readings: Reading) -> None:
        """The base tells of something besides weight, now."""
        self.enter("base", Tick(), readings)

    def falls(self, change_g: float = -300.0) -> None:
        """The tower falls with no hand at it: everything moves, the weight swings, and then it lies."""
        swing = Stepped(
            kind=StepKind.SWING, start_t_s=self.t_s, end_t_s=self.t_s + 0.1, before_g=None, after_g=None, delta_g=change_g, sigma_g=0.0
        )  # fmt: skip
        self.truth = Fallen()
        self.moving = True
        self.feel(swing)
        self.wait(1.0)
        self.moving = False
        self.weight_g = (self.weight_g or 0.0) + change_g
        self.wait(3.0)

    def say(self, word: CallWord, seat: int, column: Column | None = None) -> None:
        self.enter(f"seat {seat + 1}", Call(word=word, seat=seat, column=column))

    def answer(self, choice: str) -> None:
        self.enter("desk", Answered(ask=self.asks[-1].id, choice=choice))

    # ---------------------------------------------------------------- a game under way

    def set_up(self) -> Table:
        """All columns stood up one by one, blue laid, colours drawn: Ada (red) begins. A fresh table is played once and then copied."""
        if self.facts or self.t_s > FRESH_S or self.profile != nominal_profile() or self.tuned != TUNED:
            return self._set_up()
        return copy.deepcopy(_begun())

    def _set_up(self) -> Table:
        for column in self.profile.pieces.columns:
            self.act(Added(column=column, floor=Floor.GROUND, near_x_mm=0.0, near_y_mm=0.0), self.mass(column), 0.8)
        self.lay(Floor.BLUE)
        self.enter("desk", Drew(seats=tuple(SeatColours(n, (c,)) for n, c in zip(PLAYERS, COLOURS, strict=True)), first=0))
        return self

    def mass(self, column: Column) -> float:
        return self.profile.columns[column.shape].mass_g

    def raised(self, text: str) -> None:
        self.act(Moved(column=Column.parse(text), floor=self.referee.tower.top_floor))

    def lay(self, plateau: Floor) -> None:
        self.act(PlateauLaid(plateau=plateau), self.profile.plateaus[plateau].mass_g)

    def collapse(self, change_g: float = -120.0, seconds: float = 3.0) -> None:
        self.act(Fallen(), change_g, seconds)

    def request_and_lay(self, seat: int, plateau: Floor) -> None:
        self.say(CallWord.REQUEST, seat)
        self.say(CallWord.UNCHALLENGED, (seat + 1) % 4)
        self.lay(plateau)

    @property
    def kinds(self) -> list[str]:
        return [str(fact.kind) for fact in self.facts]

    def standing(self, text: str) -> Standing | None:
        return self.referee.tower.find(Column.parse(text))
