"""Every message that flows, one frozen typed class each, with units.

A live rig, a recording and the twin differ only in who pours these in; the referee is a fold over them. Three kinds meet here:

* **inputs** enter through the one sequencer, which numbers and dates them: ticks, raw serial bytes, frames, calls, answers, looked answers;
* **readings** are derived from inputs inside the fold by `rig.base` and handed on to the referee under the same number;
* **outputs** are what the referee says: facts, rulings, requests to look and to ask, and the view for the screen.

Lengths are millimetres, masses grams, angles degrees, times seconds of the session's one time axis (0 is its start). The frame of
reference is the base's centre: x right and y away as camera 1 sees it, z up, z = 0 on the base's upper face. `encode` and `decode` turn
any of them to JSON and back without loss.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from rig.pieces import Colour, Column, Floor

SCHEMA_VERSION = 1
"""Raised when a recorded message of an older version would be misread."""


class _Payload(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """What all payloads share: immutable, tagged with their class name, written by keyword."""


# ---------------------------------------------------------------- the tower as believed


class Standing(msgspec.Struct, frozen=True):
    """A column on a floor; (x_mm, y_mm) is its foot's centre, z_mm its foot's height, yaw_deg matters for hexagons only."""

    column: Column
    floor: Floor
    x_mm: float
    y_mm: float
    z_mm: float
    yaw_deg: float = 0.0


class Laid(msgspec.Struct, frozen=True):
    """A plateau in its place: its outline's origin (its centre of mass) and the height of its *underside*; tilts about x and y."""

    plateau: Floor
    x_mm: float
    y_mm: float
    z_mm: float
    yaw_deg: float
    tilt_x_deg: float = 0.0
    tilt_y_deg: float = 0.0


class Tower(msgspec.Struct, frozen=True):
    """All that stands, as somebody believes it (or, in the twin's truth, as it is)."""

    columns: tuple[Standing, ...] = ()
    plateaus: tuple[Laid, ...] = ()

    @property
    def top_floor(self) -> Floor:
        return self.plateaus[-1].plateau if self.plateaus else Floor.GROUND

    def on(self, floor: Floor) -> tuple[Standing, ...]:
        return tuple(standing for standing in self.columns if standing.floor is floor)

    def find(self, column: Column) -> Standing | None:
        return next((standing for standing in self.columns if standing.column == column), None)


class CameraPose(msgspec.Struct, frozen=True):
    """Where camera `camera` is: world (mm) to camera by rotation vector `rvec` (radians, OpenCV) and translation `tvec_mm`."""

    camera: int
    rvec: tuple[float, float, float]
    tvec_mm: tuple[float, float, float]


# ---------------------------------------------------------------- inputs


class Tick(_Payload, frozen=True):
    """Ten a second, so that silence is visible."""


class BaseBytes(_Payload, frozen=True):
    """Raw bytes as they came from the base's serial port."""

    data: bytes


class Frame(_Payload, frozen=True):
    """One picture as JPEG, encoded once. `lag_s`: estimated time from exposure to arrival; `dropped`: frames lost before this one."""

    camera: int
    jpeg: bytes
    lag_s: float = 0.0
    dropped: int = 0


class CallWord(StrEnum):
    """What people say, by seat button or at the desk."""

    REQUEST = "request"
    UNCHALLENGED = "unchallenged"
    CHALLENGE = "challenge"
    GIVE_UP = "give up"
    ABORT = "abort"
    NOTHING = "build nothing"
    CANNOT_LAY = "cannot lay"
    PASS = "pass"
    WAIVE = "waive"
    SETTLED = "settled"


class Call(_Payload, frozen=True):
    """A player's word: `seat` counts clockwise from 0; `column` where the caller named one at the desk."""

    word: CallWord
    seat: int
    column: Column | None = None


class SeatColours(msgspec.Struct, frozen=True):
    """A player as the desk knows them after the draw."""

    name: str
    colours: tuple[Colour, ...]


class Drew(_Payload, frozen=True):
    """The draw's result as told at the desk: seats clockwise and who starts (U3)."""

    seats: tuple[SeatColours, ...]
    first: int


class Told(_Payload, frozen=True):
    """An event as the desk tells it, one line of the rules' notation (`raise red-thin-1 onto green`, `correct 12 …`): a fact by tap where
    no camera looks, the table's ruling on a violation, a correction of what the referee believed."""

    line: str


class Resumed(_Payload, frozen=True):
    """A game goes on from here: its record in text (the rules' notation, header and all) and the tower as it stands now."""

    record: str
    tower: Tower


class Answered(_Payload, frozen=True):
    """The desk's answer to an `Ask`: one of its choices, word for word."""

    ask: int
    choice: str


class Health(StrEnum):
    GOOD = "good"
    STALE = "stale"
    LOST = "lost"
    FAULT = "fault"


class SourceNews(_Payload, frozen=True):
    """A source was found, lost or is faulty, with a sentence that says what to do."""

    source: str
    health: Health
    sentence: str


class Tare(_Payload, frozen=True):
    """The desk's word: what rests on the scale now counts as nothing; `back`: take the last tare back."""

    back: bool = False


class ProfileSet(_Payload, frozen=True):
    """The profile in force from here on, as the profile's own JSON (first message of every session)."""

    profile_json: str


# ---------------------------------------------------------------- readings (derived inside the fold by rig.base)


class Weighed(_Payload, frozen=True):
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


class Stepped(_Payload, frozen=True):
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


class Tilted(_Payload, frozen=True):
    """The base's IMU, 10 a second: slow tilt of the base from gravity, and the strongest shock (m/s², gravity removed) since the last."""

    t_s: float
    tilt_x_deg: float
    tilt_y_deg: float
    shock_mps2: float


class Pressed(_Payload, frozen=True):
    """A seat button (0 to 3) was pressed or released, dated by the base's own clock at the first contact."""

    t_s: float
    button: int
    pressed: bool


class LinkNews(_Payload, frozen=True):
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


# ---------------------------------------------------------------- hypotheses


class Nothing(_Payload, frozen=True):
    """Everything stands as before (within tolerance)."""


class Moved(_Payload, frozen=True):
    """`column` went from where it stood to `floor`; where on it, the eyes find out."""

    column: Column
    floor: Floor


class Added(_Payload, frozen=True):
    """A column of this kind newly stands on `floor`, near (x_mm, y_mm) where the scale knows the place. For set-up."""

    column: Column
    floor: Floor
    near_x_mm: float | None = None
    near_y_mm: float | None = None


class Removed(_Payload, frozen=True):
    """`column` left the tower."""

    column: Column


class PlateauLaid(_Payload, frozen=True):
    """`plateau` newly lies on the top floor's columns, its centre of mass near (x_mm, y_mm) where the scale knows it."""

    plateau: Floor
    near_x_mm: float | None = None
    near_y_mm: float | None = None


class MovedTwo(_Payload, frozen=True):
    """Both of these columns went to `floor` (B3 forbids the second); where on it, the eyes find out."""

    columns: tuple[Column, Column]
    floor: Floor


class Stacked(_Payload, frozen=True):
    """`column` went from where it stood onto the top of the column `on`, which itself did not move (B8)."""

    column: Column
    on: Column


class Toppled(_Payload, frozen=True):
    """These columns no longer stand in their places, lying somewhere or off the table, while every plateau kept its place (E7, level B)."""

    columns: tuple[Column, ...]


class Fallen(_Payload, frozen=True):
    """At least one plateau is no longer in its place."""


class NoneOfThese(_Payload, frozen=True):
    """Always among the hypotheses: something else happened."""


Hypothesis: TypeAlias = Nothing | Moved | MovedTwo | Stacked | Added | Removed | PlateauLaid | Toppled | Fallen | NoneOfThese


# ---------------------------------------------------------------- looks and their answers


class Watch(_Payload, frozen=True):
    """Asked for every frame: are hands in the picture, does it move, is the camera well? `reference`: the frame of the last settled tower
    (message number, None before there is one); `previous`: the frame before this one of the same camera."""

    id: int
    camera: int
    frame: int
    previous: int | None
    reference: int | None
    pose: CameraPose | None
    tower: Tower


class Watched(_Payload, frozen=True):
    """`hand`: probability that a hand or arm is in the tower's region; `sleeve`: its colour if it is a player's; `moving`: share of the
    tower's region that changed since the previous frame; `changed`: the same against the reference; `shift_px`: the camera's own
    displacement against the reference; `tilt_deg`: how far the top plateau has tilted since the reference, with its standard deviation
    (90: nothing known); `fault`: a sentence if the picture is dark, blank, frozen, blurred (else empty)."""

    id: int
    camera: int
    frame: int
    hand: float
    sleeve: Colour | None
    moving: float
    changed: float
    shift_px: float
    fault: str = ""
    tilt_deg: float = 0.0
    tilt_sigma_deg: float = 90.0


class FindPose(_Payload, frozen=True):
    """Where is this camera? From the rig's printed markers in one frame. `believed`: where it was, to be told how far it has moved."""

    id: int
    camera: int
    frame: int
    believed: CameraPose | None = None


class Posed(_Payload, frozen=True):
    """The camera's pose, None with a sentence if it cannot be had; error of reprojection and what that means at the fifth floor;
    `moved_px`: how far the rig's markers are from where the believed pose has them (0: it stands where it stood)."""

    id: int
    camera: int
    pose: CameraPose | None
    markers: int
    error_px: float
    top_error_mm: float
    sentence: str = ""
    moved_px: float = 0.0


class Judge(_Payload, frozen=True):
    """Which of these happened between `before` and `after` (settled frames by message number, one per camera in the order of `poses`)?"""

    id: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    poses: tuple[CameraPose, ...]
    tower: Tower
    hypotheses: tuple[Hypothesis, ...]


class Opinion(msgspec.Struct, frozen=True):
    """One hypothesis's tempered log likelihood (natural log, best = 0 by convention) and the tower re-fitted under it (None: no fit)."""

    log_likelihood: float
    tower: Tower | None


class Judged(_Payload, frozen=True):
    """Opinions in the order of the hypotheses. `fit`: absolute goodness of the best one, 0 (does not explain the pictures) to 1;
    `unexplained_mm2`: changed picture area the best one leaves unexplained, at the tower's distance; `plateaus_seen`: for each plateau of
    the tower before, the share of its visible outline found in its place; `cameras`: pictures that could be used."""

    id: int
    opinions: tuple[Opinion, ...]
    fit: float
    unexplained_mm2: float
    plateaus_seen: tuple[float, ...]
    cameras: int
    sentence: str = ""


class Track(_Payload, frozen=True):
    """While hands were in: did any of these columns leave its place for a while? `frames` are (camera, message number) in time order."""

    id: int
    before: tuple[int, ...]
    frames: tuple[tuple[int, int], ...]
    poses: tuple[CameraPose, ...]
    tower: Tower
    columns: tuple[Column, ...]


class Trace(msgspec.Struct, frozen=True):
    """`log_odds` that the column was displaced at some time, and the frame that shows it best (message number)."""

    column: Column
    log_odds: float
    frame: int | None


class Tracked(_Payload, frozen=True):
    id: int
    traces: tuple[Trace, ...]
    sentence: str = ""


class ReadTower(_Payload, frozen=True):
    """What stands there, whatever was believed? One settled frame per camera (message numbers, in the order of `poses`); `expected` is one
    more place to start the search from."""

    id: int
    frames: tuple[int, ...]
    poses: tuple[CameraPose, ...]
    expected: Tower


class ColumnSeen(msgspec.Struct, frozen=True):
    """A column as read: how sure its kind is (0 to 1), and the share of its silhouette that the camera with the best view sees."""

    standing: Standing
    confidence: float
    visible: float


class TowerRead(_Payload, frozen=True):
    """What was read; columns that no camera sees are not in it. `fit` is the share of the tower's pixels that show what they should; not
    `usable`: the pictures do not look like a standing tower."""

    id: int
    columns: tuple[ColumnSeen, ...]
    plateaus: tuple[Laid, ...]
    fit: float
    usable: bool
    cameras: int
    sentence: str = ""


LookRequest: TypeAlias = Watch | FindPose | Judge | Track | ReadTower
LookAnswer: TypeAlias = Watched | Posed | Judged | Tracked | TowerRead


# ---------------------------------------------------------------- what the referee says


class Evidence(msgspec.Struct, frozen=True):
    """One sense's word for a fact: `sense` (camera, scale, motion, call, desk, rules), a sentence, its weight as log odds, and frames."""

    sense: str
    sentence: str
    log_odds: float = 0.0
    frames: tuple[int, ...] = ()


class FactKind(StrEnum):
    STOOD = "stood"
    LAID = "laid"
    RAISED = "raised"
    ABORTED = "aborted"
    REMOVED = "removed"
    COLLAPSED = "collapsed"
    INCIDENT = "incident"
    KNOCKED = "knocked"
    UNCHANGED = "unchanged"


class Fact(_Payload, frozen=True):
    """What was observed, whether or not the rules allow it. `details` holds measured numbers by name (`overhang_mm`, `covers` …)."""

    id: int
    t_s: float
    kind: FactKind
    seat: int | None
    column: Column | None
    floor: Floor | None
    confidence: float
    evidence: tuple[Evidence, ...]
    details: dict[str, float] = {}


class Ruling(_Payload, frozen=True):
    """What it means: from rig.rules, told in both languages, citing rule ids and the facts it rests on."""

    id: int
    t_s: float
    kind: str
    rule_ids: tuple[str, ...]
    facts: tuple[int, ...]
    english: str
    german: str
    data: dict[str, Any] = {}


class Ask(_Payload, frozen=True):
    """A question for the desk. `reason` says why the referee cannot tell by itself."""

    id: int
    t_s: float
    question_english: str
    question_german: str
    choices: tuple[str, ...]
    reason: str = ""


class RefereeState(StrEnum):
    SET_UP = "set-up"
    SETTLED = "settled"
    HANDS_IN = "hands in"
    SETTLING = "settling"
    ASKING = "asking"
    REPAIR = "repair"
    LOST = "lost"
    OVER = "over"


class SeatView(msgspec.Struct, frozen=True):
    name: str
    colours: tuple[Colour, ...]
    score: int


class OutcomeView(msgspec.Struct, frozen=True):
    """How it ended: winners' seats (none: nobody wins), the culprit's seat if there is one, and the sentence that says why."""

    winners: tuple[int, ...]
    culprit: int | None
    english: str
    german: str


class View(_Payload, frozen=True):
    """All the screen needs, drawn from the referee's own state; sent whenever it changes. `doing` says in English what the referee waits
    for or works at, `doing_german` the same in German (empty: none yet); `leaning_deg`: how far the top plateau has tilted since all was
    settled, where that is beyond doubt (0: it has not) - the early warning, which rules nothing."""

    t_s: float
    state: RefereeState
    phase: str
    turn: int | None
    seats: tuple[SeatView, ...]
    holder: int | None
    face: Colour | None
    tower: Tower
    locked: tuple[Column, ...]
    removed: tuple[Column, ...]
    next_plateau: Floor | None
    doing: str
    ask: Ask | None
    outcome: OutcomeView | None
    health: dict[str, SourceNews]
    doing_german: str = ""
    leaning_deg: float = 0.0


Input: TypeAlias = Tick | BaseBytes | Frame | Call | Drew | Told | Resumed | Answered | SourceNews | Tare | ProfileSet | LookAnswer
Reading: TypeAlias = Weighed | Stepped | Tilted | Pressed | LinkNews
Request: TypeAlias = LookRequest | Ask
Output: TypeAlias = Fact | Ruling | Request | View
Payload: TypeAlias = Input | Reading | Output


class Message(msgspec.Struct, frozen=True):
    """A payload in its place in the session: number, arrival time, source (`base`, `camera 1`, `desk`, `seat 2`, `eyes`, `clock`)."""

    n: int
    t_s: float
    source: str
    payload: Input


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Payload] = msgspec.json.Decoder(Payload)


def encode(payload: Payload) -> bytes:
    """`payload` as one line of JSON, tagged by class name under `type`; the same payload gives the same bytes."""
    return _encoder.encode(payload)


def decode(line: bytes) -> Payload:
    """The payload that `encode` wrote; msgspec.DecodeError if the bytes are not one."""
    return _decoder.decode(line)
