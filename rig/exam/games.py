"""Plays whole games on the twin, referees them, and holds every ruling to the twin's truth.

The referee gets exactly what a real rig would give it; only this room sees both sides. A game's truth is the twin's log, taken from poses;
the true seal, scores and winner are what the rules make of those true facts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from rig.engine.fold import Said
from rig.exam.counts import Tally, tally
from rig.exam.match import matched
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.messages import Ask, Fact, FactKind, Message
from rig.pieces import Floor
from rig.rules import Game
from rig.rules.handling import BEFORE_PLAY
from rig.rules.rulings import Reason, Ruling
from rig.twin.people.announcing import OVERHANG_MM
from rig.twin.pictures.scene import WorldName
from rig.twin.session import TwinSession, TwinSource
from rig.twin.truth import NUDGED_MM, SHIFTED_MM, TURNED_DEG, Truth

TOLD = (FactKind.RAISED, FactKind.ABORTED, FactKind.LAID, FactKind.REMOVED, FactKind.COLLAPSED, FactKind.INCIDENT)
"""Deeds of play that are held to the truth; set-up is held to it by what follows."""


class Wrong(msgspec.Struct, frozen=True):
    """One thing that was told wrong, for looking at."""

    t_s: float
    what: str


class Result(msgspec.Struct, frozen=True):
    """One game's figures; several add up."""

    seed: int
    kind: str = ""
    """Of a situation: what was tried."""
    raises: Tally = Tally()
    aborts: Tally = Tally()
    plateaus: Tally = Tally()
    removed: Tally = Tally()
    incidents: Tally = Tally()
    violations: Tally = Tally()
    seal_changes: Tally = Tally()
    winners: Tally = Tally()
    collapses: Tally = Tally()
    culprits: Tally = Tally()
    games_perfect: Tally = Tally()
    false_facts: int = 0
    false_violations: int = 0
    false_collapses: int = 0
    questions: int = 0
    call_s: tuple[float, ...] = ()
    """From the moment each collapse began to the moment it was called."""
    hours: float = 0.0
    wall_hours: float = 0.0
    cpu_hours: float = 0.0
    """Processor time of all threads of the process that held the exam, building the twin included."""
    wrong: tuple[Wrong, ...] = ()
    failed: tuple[str, ...] = ()
    """What of the base and the cameras failed meanwhile, in words."""


class Watcher:
    """Hears what the referee says."""

    def __init__(self, holder: int | None = None) -> None:
        self.facts: list[Fact] = []
        self.asks: list[Ask] = []
        self.seal: list[tuple[float, int | None]] = []
        self._holder = holder

    def heard(self, message: Message, said: Said) -> None:
        self.facts += said.facts
        self.asks += [request for request in said.requests if isinstance(request, Ask)]
        if said.view is not None and said.view.phase not in BEFORE_PLAY and said.view.holder != self._holder:
            self._holder = said.view.holder
            self.seal.append((message.t_s, self._holder))


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


def play(seed: int, options: Options) -> Result:
    """One game, as fast as it goes."""
    twin = TwinSession(
        seed, players=options.players, cameras=options.cameras, level=options.level, max_raises=options.max_raises, base=options.base,
        world=options.world,
    )  # fmt: skip
    watcher = Watcher()
    session = Session(twin.profile, [watcher], on_ask=twin.ask)
    pace = Pace(None, time.monotonic, time.sleep)
    try:
        pour(twin, session, pace)
        book = session.fold.referee.book
        return hold_to_truth(seed, twin, watcher, book.game, pace)
    finally:
        session.close()
        twin.close()


def hold_to_truth(seed: int, twin: TwinSource, watcher: Watcher, told: Game, pace: Pace, holder: int | None = None) -> Result:
    """Every truth of play against what was told. `holder`: who held the seal at the start."""
    truths = [truth for truth in twin.truth.log if truth.kind in TOLD and not (truth.kind is FactKind.LAID and truth.floor is Floor.BLUE)]
    facts = [fact for fact in watcher.facts if fact.kind in TOLD and not (fact.kind is FactKind.LAID and fact.floor is Floor.BLUE)]
    pairs, left = matched(truths, facts, lambda truth: truth.t_s, lambda fact: fact.t_s, _same)
    wrong = [Wrong(truth.t_s, f"missed: {truth.kind} {truth.column or ''} {_word(truth.floor)}") for truth, fact in pairs if fact is None]
    wrong += [Wrong(fact.t_s, f"not so: {fact.kind} {fact.column or ''} {_word(fact.floor)}") for fact in left]
    true = twin.bots.game
    seals, extra_seals = matched(
        _seal_changes(twin, holder), watcher.seal, lambda change: change[0], lambda change: change[0], lambda a, b: a[1] == b[1]
    )
    flags, false_flags = _flags(true, told, too_close(truths))
    wrong += [Wrong(pace.t_s, f"not flagged: {flag}") for flag, found in flags if not found]
    wrong += [Wrong(pace.t_s, f"flagged though not so: {flag}") for flag in false_flags]
    collapsed = any(truth.kind is FactKind.COLLAPSED for truth in truths)
    same_end = _end(told) == _end(true)
    return Result(
        seed=seed,
        raises=_of(pairs, FactKind.RAISED),
        aborts=_of(pairs, FactKind.ABORTED),
        plateaus=_of(pairs, FactKind.LAID),
        removed=_of(pairs, FactKind.REMOVED),
        incidents=_of(pairs, FactKind.INCIDENT),
        violations=sum((tally(found) for _, found in flags), Tally()),
        seal_changes=sum((tally(fact is not None) for _, fact in seals), Tally()),
        winners=tally(same_end),
        collapses=_of(pairs, FactKind.COLLAPSED),
        culprits=tally(_culprit(told) == _culprit(true)) if collapsed else Tally(),
        games_perfect=tally(
            not wrong and not extra_seals and same_end and _culprit(told) == _culprit(true) and all(fact is not None for _, fact in seals)
        ),
        false_facts=len(left),
        false_violations=len(false_flags),
        false_collapses=sum(fact.kind is FactKind.COLLAPSED for fact in left),
        questions=len(watcher.asks),
        call_s=tuple(_called_after_s(truth, fact) for truth, fact in pairs if truth.kind is FactKind.COLLAPSED and fact is not None),
        hours=pace.t_s / 3600,
        wall_hours=pace.t_s / 3600 / pace.factor if pace.factor else 0.0,
        wrong=tuple(sorted(wrong, key=lambda one: one.t_s)),
        failed=twin.failed,
    )


def _word(floor: Floor | None) -> str:
    return floor.word if floor is not None else ""


def _same(truth: Truth, fact: Fact) -> bool:
    """Whether the fact tells the truth: kind, column and floor; a collapse is a collapse whichever plateau went first."""
    if truth.kind is not fact.kind:
        return False
    if truth.kind is FactKind.INCIDENT:
        return fact.column in (truth.column, *truth.columns)
    return truth.kind is FactKind.COLLAPSED or (truth.column == fact.column and truth.floor == fact.floor)


def _of(pairs: list[tuple[Truth, Fact | None]], kind: FactKind) -> Tally:
    return sum((tally(fact is not None) for truth, fact in pairs if truth.kind is kind), Tally())


def _called_after_s(truth: Truth, fact: Fact) -> float:
    return round(fact.t_s - truth.details.get("onset_t_s", truth.t_s), 2)


def _seal_changes(twin: TwinSource, holder: int | None) -> list[tuple[float, int | None]]:
    """When the true game's seal passed, and to whom."""
    changes = list(twin.bots.seal)
    return changes[1:] if holder is not None and changes and changes[0][1] == holder else changes


def _flags(true: Game, told: Game, close: set[str]) -> tuple[list[tuple[str, bool]], list[str]]:
    """Every broken rule of the true game with whether it was flagged, and what was flagged though it was not so. "column: reason"; `close`
    are those that either answer is right for."""
    so, said = ([flag for ruling in game.violations for flag in _reasons(ruling) if flag not in close] for game in (true, told))
    left = list(said)
    found: list[tuple[str, bool]] = []
    for flag in so:
        found.append((flag, flag in left))
        if flag in left:
            left.remove(flag)
    return found, left


CLOSE = 0.25
"""A measure within this share of its tolerance is too close to call: a millimetre of four, as the design has it."""

_MEASURES: dict[Reason, tuple[tuple[str, float], ...]] = {
    Reason.PLATEAU_SHIFTED: (("shifted_mm", SHIFTED_MM), ("turned_deg", TURNED_DEG)),
    Reason.NEIGHBOUR_MOVED: (("nudged_mm", NUDGED_MM),),
    Reason.OVERHANG: (("overhang_mm", OVERHANG_MM),),
}


def too_close(truths: Sequence[Truth]) -> set[str]:
    """Flags that could rightly be told or not: their true measure is as good as the tolerance."""
    close: set[str] = set()
    for truth in truths:
        for reason, measures in _MEASURES.items():
            worst = max(truth.details.get(name, 0.0) / tolerance for name, tolerance in measures)
            if abs(worst - 1.0) < CLOSE:
                close.add(f"{truth.column or 'plateau'}: {reason.name.lower()}")
    return close


def _reasons(ruling: Ruling) -> list[str]:
    reasons = ruling.get("reasons")
    return [f"{ruling.get('column') or 'plateau'}: {reason}" for reason in reasons] if isinstance(reasons, tuple) else []


def _end(game: Game) -> tuple[str, tuple[int, ...]] | None:
    """How it ended: why, and who won; None: it goes on."""
    return (game.outcome.why, game.outcome.winners) if game.outcome is not None else None


def _culprit(game: Game) -> int | None:
    return game.outcome.culprit if game.outcome is not None else None
