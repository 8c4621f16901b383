"""What is counted of one game, and how games are played: plain values that add up and travel between processes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rig.exam.counts import Tally
from rig.rules import Game
from rig.twin.pictures.scene import WorldName
from rig.twin.truth import Truth


class Options(msgspec.Struct, frozen=True):
    """How the games are played."""

    level: str = "lab"
    cameras: int = 2
    players: int = 4
    max_raises: int | None = None
    base: str = "auto"
    world: WorldName = "A"
    """Which of the twin's two worlds: nothing is tuned on B."""
    kinds: tuple[str, ...] = ()
    """Of situations: only these, in turn; empty: all, in their shares."""
    senses: str = "twin"
    """`twin`: drawn pictures, physics, the base's bytes; `model`: what these would have said, from models."""
    without: frozenset[str] = frozenset()
    """Senses that are missing: base, imu, cameras. With modelled senses."""
    wrong_answers: float | None = None
    """Share of the referee's questions that the table answers wrongly; None: the level's. With modelled senses."""
    greedy: bool = False
    """The referee carries one course of the game only: every action is decided by itself."""
    save: str = ""
    """The folder in which the recording and the true log of each faulty game are kept; empty: none is."""


class Wrong(msgspec.Struct, frozen=True):
    """One thing that was told wrong, for looking at; `cosmetic`: no seal, score, lock, turn or end hangs on it."""

    t_s: float
    what: str
    cosmetic: bool = False


class Needless(msgspec.Struct, frozen=True):
    """A question that nobody needed to be asked, and why not."""

    t_s: float
    question: str
    why: str


class So(msgspec.Struct, frozen=True):
    """What was so in one game: the truth log, the true game, when the seal really passed and to whom, what failed meanwhile."""

    log: Sequence[Truth]
    game: Game
    seal: Sequence[tuple[float, int | None]]
    failed: tuple[str, ...] = ()


class Span(msgspec.Struct, frozen=True):
    """How long a game took: message time in seconds, and by what factor that was faster than the wall's."""

    t_s: float
    factor: float


class Result(msgspec.Struct, frozen=True):
    """One game's figures; several add up. Of a tally `right` is what was right in the end, `unaided` without any answer of the table."""

    seed: int
    kind: str = ""
    """Of a situation: what was tried."""
    raises: Tally = Tally()
    aborts: Tally = Tally()
    aborts_called: Tally = Tally()
    """Of the aborts: those that were said or pressed by the time they had settled, or a little later; `aborts_uncalled`: the others."""
    aborts_uncalled: Tally = Tally()
    plateaus: Tally = Tally()
    removed: Tally = Tally()
    incidents: Tally = Tally()
    violations: Tally = Tally()
    seal_changes: Tally = Tally()
    winners: Tally = Tally()
    collapses: Tally = Tally()
    culprits: Tally = Tally()
    culprits_not_plain: Tally = Tally()
    """Of the culprits: where it was not the acting player's plain doing."""
    raises_alike: Tally = Tally()
    """Raises, another column of the same kind and floor counting as right."""
    aborts_alike: Tally = Tally()
    games_relevant: Tally = Tally()
    """Games in which all that is result-relevant was told right: seal, scores, locks, turns, end."""
    games_one_question: Tally = Tally()
    """The same with at most one question."""
    games_perfect: Tally = Tally()
    false_facts: int = 0
    false_violations: int = 0
    false_collapses: int = 0
    revised: int = 0
    """Facts that were told, and later replaced by another."""
    questions: int = 0
    needless: tuple[Needless, ...] = ()
    call_s: tuple[float, ...] = ()
    """From the moment each collapse began to the moment it was called."""
    rest_s: tuple[float, ...] = ()
    """From the moment all lay still after a collapse to its call (negative: called before)."""
    alarm_s: tuple[float, ...] = ()
    """From the moment a collapse began to the first warning, or to its call if that came sooner."""
    verdict_s: tuple[float, ...] = ()
    """From the moment hands were out and the tower stood still to the telling of a raise, as far as nobody was asked."""
    hours: float = 0.0
    wall_hours: float = 0.0
    cpu_hours: float = 0.0
    """Processor time of all threads of the process that held the exam, building the twin included."""
    wrong: tuple[Wrong, ...] = ()
    failed: tuple[str, ...] = ()
    """What of the base and the cameras failed meanwhile, in words."""
    saved: str = ""
    """The recording of a faulty game, if it was kept."""


TALLIES = (
    "raises", "aborts", "aborts_called", "aborts_uncalled", "plateaus", "removed", "incidents", "violations", "seal_changes", "winners",
    "collapses", "culprits", "culprits_not_plain", "raises_alike", "aborts_alike", "games_relevant", "games_one_question", "games_perfect",
)  # fmt: skip
"""The counts in the order of the table and of the JSON object."""

_COUNTS = ("false_facts", "false_violations", "false_collapses", "revised", "questions", "hours", "wall_hours", "cpu_hours")
_DELAYS = ("call_s", "rest_s", "alarm_s", "verdict_s")


def total(results: Sequence[Result]) -> Result:
    """All games' figures added up; `seed` is the first game's."""
    summed: dict[str, object] = {name: sum((getattr(result, name) for result in results), Tally()) for name in TALLIES}
    summed |= {name: sum(getattr(result, name) for result in results) for name in _COUNTS}
    summed |= {name: tuple(sorted(s for result in results for s in getattr(result, name))) for name in _DELAYS}
    needless = tuple(one for result in results for one in result.needless)
    return Result(seed=results[0].seed, needless=needless, **summed)  # type: ignore[arg-type]
