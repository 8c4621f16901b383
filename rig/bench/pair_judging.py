"""One pair put before the eyes as a referee would, and what they made of it as a line of plain values; nothing here counts or prints.

Asked are the referee's own lists (`rig.referee.hypotheses`): every column of a lower floor moved to the top, those that may be taken out
gone, the next plateau laid, nothing, a fall, none of these. `all` is the eyes' own answer, every hypothesis on equal terms; `ruled` weighs
it with the referee's priors (no scale, no steps); where that says "none of these", `second` is the answer to the wider list, as the referee
asks again. `withheld` is a raise judged with the true hypothesis struck from the list: the right answer is then none of these. Of what left
its place, `seen_mm2` says how much of it the best of the judged cameras saw before, `seen_share` what share of its side that is, and
`other_seen_mm2` and `other_seen_share` the same of the most hidden column that looks like it and could have been raised instead.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rig.bench.pair_sight import most_hidden_alike, seen_mm2, side_mm2
from rig.bench.pair_truth import Happened, What, bystanders_off_mm, displaced_mm, happened, misplaced, right_among, says
from rig.bench.pairs import Pair
from rig.messages import (
    Added,
    Fallen,
    Hypothesis,
    Judge,
    Judged,
    Moved,
    MovedTwo,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    Removed,
    Stacked,
    Toppled,
    Tower,
)
from rig.pieces import Column
from rig.referee.hypotheses import Weighted, play, wider
from vision.see import look

WORTH_MM = 3.0
"""Least shift of a bystander, told or true, that is written down."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The likeliest hypothesis of a list, how likely, whether right, and the tower fitted under it (None: none was)."""

    best: Hypothesis
    right: bool
    sure: float
    tower: Tower | None

    def line(self) -> dict[str, Any]:
        return {"best": words_of(self.best), "right": self.right, "sure": round(self.sure, 5)}


@dataclass(frozen=True, slots=True)
class Judgement:
    """A pair judged by the first `cameras` cameras: the answers by list, and all that is counted, as plain values."""

    cameras: int
    answers: dict[str, Answer]
    line: dict[str, Any]


def words_of(hypothesis: Hypothesis) -> str:
    """A hypothesis as a few words: its kind, then what it is about."""
    match hypothesis:
        case Moved(column=column) | Removed(column=column) | Added(column=column):
            return f"{type(hypothesis).__name__} {column}"
        case Stacked(column=column, on=on):
            return f"Stacked {column} {on}"
        case MovedTwo(columns=columns) | Toppled(columns=columns):
            return " ".join((type(hypothesis).__name__, *map(str, columns)))
        case PlateauLaid(plateau=plateau):
            return f"PlateauLaid {plateau.word}"
        case Nothing() | Fallen() | NoneOfThese():
            return type(hypothesis).__name__


def _ask(pair: Pair, cameras: int, weighted: tuple[Weighted, ...]) -> tuple[Judged, float]:
    """The eyes' answer and the processor time it took, in ms."""
    frames = dict(enumerate((*pair.before[:cameras], *pair.after[:cameras])))
    request = Judge(
        id=1, before=tuple(range(cameras)), after=tuple(range(cameras, 2 * cameras)), poses=pair.poses[:cameras], tower=pair.believed,
        hypotheses=tuple(w.hypothesis for w in weighted),
    )  # fmt: skip
    started = time.process_time()
    judged = look(request, frames, pair.known)
    ms = (time.process_time() - started) * 1e3
    assert isinstance(judged, Judged)
    return judged, ms


def _answer(judged: Judged, weighted: tuple[Weighted, ...], truth: Happened, priors: bool) -> Answer:
    values = np.array([o.log_likelihood + (w.log_prior if priors else 0.0) for o, w in zip(judged.opinions, weighted, strict=True)])
    at = int(values.argmax())
    best = weighted[at].hypothesis
    right = says(best, right_among(tuple(w.hypothesis for w in weighted), truth))
    return Answer(best, right, float(1 / np.exp(values - values.max()).sum()), judged.opinions[at].tower)


def judge_pair(pair: Pair, cameras: int) -> Judgement:
    """What the eyes make of a pair with its first `cameras` cameras."""
    acted, truth = pair.acted, happened(pair.acted)
    expected = acted.expected()
    listed = play(pair.believed, expected, acted.game.next_plateau)
    judged, ms = _ask(pair, cameras, listed)
    answers = {"all": _answer(judged, listed, truth, priors=False), "ruled": _answer(judged, listed, truth, priors=True)}
    times = {"ms": round(ms, 1)}
    if isinstance(answers["ruled"].best, NoneOfThese):
        more = (*listed[:-1], *wider(pair.believed, expected), listed[-1])
        again, second_ms = _ask(pair, cameras, more)
        answers["second"] = _answer(again, more, truth, priors=True)
        times["second_ms"] = round(second_ms, 1)
    if truth.what is What.RAISED:
        rest = tuple(w for w in listed if not says(w.hypothesis, truth.hypothesis))
        answers["withheld"] = _answer(_ask(pair, cameras, rest)[0], rest, truth, priors=False)
    line: dict[str, Any] = {
        "seed": acted.seed, "rig": acted.rig, "kind": acted.kind.value, "renderer": pair.renderer, "cameras": cameras,
        "what": truth.what.value, "truth": words_of(truth.hypothesis) if truth.hypothesis is not None else "", "asked": len(listed),
        "listed": not isinstance(right_among(tuple(w.hypothesis for w in listed), truth), NoneOfThese), "quiet": acted.quiet,
        "plateaus": len(acted.before.tower.plateaus), "fit": judged.fit, **times,
    }  # fmt: skip
    line |= {name: answer.line() for name, answer in answers.items()}
    if truth.column is not None and pair.believed.find(truth.column) is not None:
        line |= _sight(pair, cameras, truth.column)
    first = answers["all"]
    if first.right and first.tower is not None:
        place_mm, turn_deg = misplaced(truth, acted.after.tower, first.tower)
        line |= {"place_mm": _rounded(place_mm), "turn_deg": _rounded(turn_deg)}
        line["bystanders_mm"] = [round(off_mm, 2) for off_mm in bystanders_off_mm(truth, acted.after.tower, first.tower)]
        line["displaced_mm"] = _displaced(
            displaced_mm(truth, pair.believed, first.tower), displaced_mm(truth, acted.before.tower, acted.after.tower)
        )
    return Judgement(cameras, answers, line)


def _displaced(told: dict[str, float], true: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Told and true, by piece, where either is worth a word."""
    both = {name: (round(told[name], 1), round(true[name], 1)) for name in told if name in true}
    return {name: pair for name, pair in both.items() if max(pair) >= WORTH_MM}


def _sight(pair: Pair, cameras: int, column: Column) -> dict[str, Any]:
    """How much of what left its place, and of the most hidden column that looks like it, was seen before."""
    seen, side = seen_mm2(pair, cameras), side_mm2(pair.known, column)
    other = most_hidden_alike(pair.believed, column, seen)
    return {
        "seen_mm2": round(seen[column], 1), "seen_share": round(seen[column] / side, 4),
        "other_seen_mm2": _rounded(other), "other_seen_share": None if other is None else round(other / side, 4),
    }  # fmt: skip


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
