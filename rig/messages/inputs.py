"""What comes in: bytes, pictures, words; all that is recorded and replayed, the eyes' answers besides."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from rig.messages.tagged import Tagged
from rig.messages.tower import Tower
from rig.pieces import Colour, Column, Floor


class Tick(Tagged, frozen=True):
    """Ten a second, so that silence is visible."""


class BaseBytes(Tagged, frozen=True):
    """Raw bytes as they came from the base's serial port."""

    data: bytes


class Frame(Tagged, frozen=True):
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


class Call(Tagged, frozen=True):
    """A player's word: `seat` counts clockwise from 0; `column` where the caller named one at the desk."""

    word: CallWord
    seat: int
    column: Column | None = None


class SeatColours(msgspec.Struct, frozen=True):
    """A player as the desk knows them after the draw."""

    name: str
    colours: tuple[Colour, ...]


class Drew(Tagged, frozen=True):
    """The draw's result as told at the desk: seats clockwise and who starts (U3)."""

    seats: tuple[SeatColours, ...]
    first: int


class Told(Tagged, frozen=True):
    """An event as the desk tells it, one line of the rules' notation (`raise red-thin-1 onto green`, `correct 12 …`): a fact by tap where
    no camera looks, the table's ruling on a violation, a correction of what the referee believed."""

    line: str


class Resumed(Tagged, frozen=True):
    """A game goes on from here: its record in text (the rules' notation, header and all) and the tower as it stands now."""

    record: str
    tower: Tower


class PutRight(Tagged, frozen=True):
    """The believed tower put right at the desk, one column a tap: `column` stands on `floor` (None: it is not in the tower). `done`: so it
    stands now; until then the books wait."""

    column: Column | None = None
    floor: Floor | None = None
    done: bool = False


class Answered(Tagged, frozen=True):
    """The desk's answer to an `Ask`: one of its choices, word for word."""

    ask: int
    choice: str


class Health(StrEnum):
    GOOD = "good"
    STALE = "stale"
    LOST = "lost"
    FAULT = "fault"


class SourceNews(Tagged, frozen=True):
    """A source was found, lost or is faulty, with a sentence that says what to do."""

    source: str
    health: Health
    sentence: str


class Tare(Tagged, frozen=True):
    """The desk's word: what rests on the scale now counts as nothing; `back`: take the last tare back."""

    back: bool = False


class ProfileSet(Tagged, frozen=True):
    """The profile in force from here on, as the profile's own JSON (first message of every session)."""

    profile_json: str
