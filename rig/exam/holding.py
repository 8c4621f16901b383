"""Holds what the referee said to what was true in one game, and counts: every figure as it stood in the end, and unaided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rig.exam.counts import Tally, tally
from rig.exam.match import matched
from rig.exam.needless import needless
from rig.exam.relevant import first_difference, same_on_screen
from rig.exam.results import Result, So, Span, Wrong
from rig.exam.watcher import Heard, Watcher
from rig.messages import Fact, FactKind
from rig.pieces import Floor
from rig.rules import Game
from rig.rules.rulings import Reason, Ruling
from rig.twin.people.announcing import OVERHANG_MM
from rig.twin.people.table import SETTLE_S
from rig.twin.physics.fall_cause import Cause
from rig.twin.truth import NUDGED_MM, SHIFTED_MM, TURNED_DEG, Truth

TOLD = (FactKind.RAISED, FactKind.ABORTED, FactKind.LAID, FactKind.REMOVED, FactKind.COLLAPSED, FactKind.INCIDENT)
"""Deeds of play that are held to the truth; set-up is held to it by what follows."""

CALLED_S = (-3.0, 6.0)
"""An abort is called if its word or press comes so long before or after it has settled."""

PLAIN = (Cause.PULLED, Cause.PLACED, Cause.LAID)
"""Causes of a collapse that are the acting player's plain doing."""

Pair = tuple[Truth, Heard | None]


def held(seed: int, so: So, watcher: Watcher, told: Game, pace: Span, holder: int | None = None) -> Result:
    """Every truth of play against what was told. `holder`: who held the seal at the start."""
    truths = [truth for truth in so.log if _counts(truth.kind, truth.floor)]
    heard = [one for one in watcher.told.values() if _counts(one.fact.kind, one.fact.floor)]
    pairs, left = matched(truths, heard, _truth_s, _heard_s, lambda truth, one: same(truth, one.fact))
    alike, left_alike = matched(truths, heard, _truth_s, _heard_s, lambda truth, one: same_kind(truth, one.fact))
    seals, extra_seals = matched(seal_changes(so, holder), watcher.seal, lambda one: one[0], lambda one: one[0], lambda a, b: a[1] == b[1])
    close = too_close(truths)
    flags, false_flags = held_flags(so.game, told, close)
    view = watcher.view
    end_told = (view.outcome.winners, view.outcome.culprit) if view is not None and view.outcome is not None else None
    end_true = (so.game.outcome.winners, so.game.outcome.culprit) if so.game.outcome is not None else None
    asked_whose = any(set(ask.choices) & {player.name for player in so.game.players} for ask in watcher.asks)
    same_end = end_told == end_true if end_told is None or end_true is None else end_told[0] == end_true[0]
    same_culprit = (end_told[1] if end_told else None) == (end_true[1] if end_true else None)
    falls = [truth for truth in truths if truth.kind is FactKind.COLLAPSED]
    culprits = tally(same_culprit, same_culprit and not asked_whose) if falls else Tally()
    parted = first_difference(told, so.game)
    relevant = parted is None and same_on_screen(view, so.game) and all(one is not None for _, one in seals) and not extra_seals
    wrong = [
        *_wrongs(pairs, left, {id(truth) for truth, one in alike if one is not None}, {id(one) for one in left_alike}),
        *(Wrong(pace.t_s, f"not flagged: {flag}", True) for flag, found in flags if not found),
        *(Wrong(pace.t_s, f"flagged though not so: {flag}", True) for flag in false_flags),
    ]
    if parted is not None:
        wrong.append(Wrong(pace.t_s, f"the result differs from deed {parted + 1} on"))
    no_answers, asked = not watcher.answers, len(watcher.asks)
    perfect = not wrong and same_end and same_culprit and relevant
    return Result(
        seed=seed,
        raises=_of(pairs, FactKind.RAISED), aborts=_of(pairs, FactKind.ABORTED),
        aborts_called=_aborts(pairs, watcher, True), aborts_uncalled=_aborts(pairs, watcher, False),
        plateaus=_of(pairs, FactKind.LAID), removed=_of(pairs, FactKind.REMOVED), incidents=_of(pairs, FactKind.INCIDENT),
        violations=sum((tally(found, found and flag not in _aided_flags(watcher)) for flag, found in flags), Tally()),
        seal_changes=sum((tally(one is not None, one is not None and not one[2]) for _, one in seals), Tally()),
        winners=tally(same_end, same_end and not watcher.end_aided),
        collapses=_of(pairs, FactKind.COLLAPSED), culprits=culprits,
        culprits_not_plain=culprits if any(truth.cause not in PLAIN for truth in falls) else Tally(),
        raises_alike=_of(alike, FactKind.RAISED), aborts_alike=_of(alike, FactKind.ABORTED),
        games_relevant=tally(relevant, relevant and no_answers), games_one_question=tally(relevant and asked <= 1, relevant and no_answers),
        games_perfect=tally(perfect, perfect and no_answers),
        false_facts=len(left), false_violations=len(false_flags),
        false_collapses=sum(one.fact.kind is FactKind.COLLAPSED for one in left),
        revised=watcher.revised, questions=asked, needless=needless(watcher.asks, so.log, watcher.asked_of),
        call_s=_delays(pairs, FactKind.COLLAPSED, lambda truth: truth.details.get("onset_t_s", truth.t_s)),
        rest_s=_delays(pairs, FactKind.COLLAPSED, lambda truth: truth.t_s - SETTLE_S),
        alarm_s=_alarms(pairs, watcher), verdict_s=_verdicts(pairs),
        hours=pace.t_s / 3600, wall_hours=pace.t_s / 3600 / pace.factor if pace.factor else 0.0,
        wrong=tuple(sorted(wrong, key=lambda one: one.t_s)), failed=so.failed,
    )  # fmt: skip


def _counts(kind: FactKind, floor: Floor | None) -> bool:
    return kind in TOLD and not (kind is FactKind.LAID and floor is Floor.BLUE)


def _truth_s(truth: Truth) -> float:
    return truth.t_s


def _heard_s(heard: Heard) -> float:
    return heard.t_s


def same(truth: Truth, fact: Fact) -> bool:
    """Whether the fact tells the truth: kind, column and floor; a collapse is a collapse whichever plateau went first."""
    if truth.kind is not fact.kind:
        return False
    if truth.kind is FactKind.INCIDENT:
        return fact.column in (truth.column, *truth.columns)
    return truth.kind is FactKind.COLLAPSED or (truth.column == fact.column and truth.floor == fact.floor)


def same_kind(truth: Truth, fact: Fact) -> bool:
    """The same, a column of the same colour and shape being as good."""
    if truth.column is None or fact.column is None or truth.kind is not fact.kind or truth.kind is FactKind.INCIDENT:
        return same(truth, fact)
    return truth.column.kind == fact.column.kind and truth.floor == fact.floor


def _wrongs(pairs: Sequence[Pair], left: Sequence[Heard], told_alike: set[int], false_alike: set[int]) -> list[Wrong]:
    """What was missed and what was told though not so; what only names one of two alike is cosmetic."""
    missed = [
        Wrong(truth.t_s, f"missed: {truth.kind} {truth.column or ''} {_word(truth.floor)}", id(truth) in told_alike)
        for truth, one in pairs
        if one is None
    ]
    return missed + [
        Wrong(one.fact.t_s, f"not so: {one.fact.kind} {one.fact.column or ''} {_word(one.fact.floor)}", id(one) not in false_alike)
        for one in left
    ]


def _word(floor: Floor | None) -> str:
    return floor.word if floor is not None else ""


def _of(pairs: Sequence[Pair], kind: FactKind) -> Tally:
    return sum((tally(one is not None, one is not None and not one.aided) for truth, one in pairs if truth.kind is kind), Tally())


def _aborts(pairs: Sequence[Pair], watcher: Watcher, called: bool) -> Tally:
    """Aborts whose word was, or was not, heard."""

    def was_called(truth: Truth) -> bool:
        low, high = CALLED_S
        return any(seat == truth.seat and low <= t_s - truth.t_s <= high for t_s, seat in watcher.words)

    return _of([(truth, one) for truth, one in pairs if truth.kind is FactKind.ABORTED and was_called(truth) is called], FactKind.ABORTED)


def _delays(pairs: Sequence[Pair], kind: FactKind, since: object) -> tuple[float, ...]:
    assert callable(since)
    return tuple(round(one.t_s - since(truth), 2) for truth, one in pairs if truth.kind is kind and one is not None)


def _verdicts(pairs: Sequence[Pair]) -> tuple[float, ...]:
    """From hands out and tower still to the telling of each raise that nobody was asked about."""
    told = [(truth, one) for truth, one in pairs if truth.kind is FactKind.RAISED and one is not None and not one.aided]
    return tuple(round(max(0.0, one.t_s - (truth.t_s - SETTLE_S)), 2) for truth, one in told)


def _alarms(pairs: Sequence[Pair], watcher: Watcher) -> tuple[float, ...]:
    """From each collapse's beginning to the first warning, or to its call."""
    delays = []
    for truth, one in pairs:
        if truth.kind is not FactKind.COLLAPSED or "onset_t_s" not in truth.details:
            continue
        onset_s = truth.details["onset_t_s"]
        signs = [t_s for t_s in watcher.warned_t_s if onset_s - 0.5 <= t_s <= truth.t_s]
        signs += [one.t_s] if one is not None else []
        if signs:
            delays.append(round(max(0.0, min(signs) - onset_s), 2))
    return tuple(delays)


def seal_changes(so: So, holder: int | None) -> list[tuple[float, int | None]]:
    """When the true game's seal passed, and to whom."""
    changes = list(so.seal)
    return changes[1:] if holder is not None and changes and changes[0][1] == holder else changes


# ------------------------------------------------------------ flags


def held_flags(true: Game, told: Game, close: set[str]) -> tuple[list[tuple[str, bool]], list[str]]:
    """Every broken rule of the true game with whether it was flagged, and what was flagged though it was not so. "column: reason"; `close`
    are those that either answer is right for."""
    so, said = ([flag for ruling in game.violations for flag in _reasons(ruling) if flag not in close] for game in (true, told))
    left = Counter(said)
    found: list[tuple[str, bool]] = []
    for flag in so:
        found.append((flag, left[flag] > 0))
        if left[flag]:
            left[flag] -= 1
    return found, list(left.elements())


def _reasons(ruling: Ruling) -> list[str]:
    reasons = ruling.get("reasons")
    return [f"{ruling.get('column') or 'plateau'}: {reason}" for reason in reasons] if isinstance(reasons, tuple) else []


def _aided_flags(watcher: Watcher) -> set[str]:
    """Flags of facts that rest on the desk's word."""
    aided = set(watcher.aided_ids())
    return {
        f"{ruling.data.get('column') or 'plateau'}: {reason}"
        for ruling in watcher.rulings.values()
        if ruling.kind == "violation" and aided & set(ruling.facts)
        for reason in ruling.data.get("reasons", ())
    }


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
