"""How a session begins that does not begin from nothing: with known players and house rules, or where a recording broke off.

A recording is folded anew with the answers the eyes gave at the time, so the game and the tower come out as they stood when the power went,
up to the last message that was written. Both ways end in one message, `Resumed`, that goes first.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from rig.errors import PalettiError
from rig.live.replay import Replay
from rig.messages import ProfileSet, Resumed, Tower
from rig.pieces import PieceSet
from rig.profile import Profile, from_json
from rig.recording import read
from rig.rules import HouseRules, Language
from rig.rules.record import Header, Record, parse_record, print_record


class Begun(NamedTuple):
    """A game that goes on, and the profile it was played with."""

    resumed: Resumed
    profile: Profile


def from_recording(path: Path) -> Begun:
    """The game in the recording at `path`; PalettiError if it cannot be read, holds no session, or the game is over."""
    recording = read(path)
    if recording.damage:
        print(recording.damage, file=sys.stderr)
    replay = Replay(recording, (), recorded_eyes=True)
    replay.run()
    named = next((m.payload for m in recording.messages() if isinstance(m.payload, ProfileSet)), None)
    if named is None:
        raise PalettiError(f"{path} holds no session to go on from.", "Name a recording that `paletti run --record` wrote.")
    if replay.unanswered:
        print(f"{replay.unanswered} looks had no recorded answer: hold the tower on the screen against the real one.", file=sys.stderr)
    referee = replay.fold.referee
    if referee.book.over:
        outcome = referee.book.told_outcome(Language.ENGLISH)
        raise PalettiError(f"The game in {path} is over. {outcome}", "Begin a new one without --resume.")
    record = referee.book.record()
    parse_record(record)  # longer than a record may be: better told here than by a session that cannot go on
    return Begun(Resumed(record=record, tower=referee.tower), from_json(named.profile_json, str(path)))


def from_nothing(pieces: PieceSet, players: tuple[str, ...], rules: HouseRules) -> Resumed:
    """A game about to be set up; PalettiError if these players cannot play."""
    header = Header(pieces, players, 0, rules)
    header.start()
    return Resumed(record=print_record(Record(header)), tower=Tower())
