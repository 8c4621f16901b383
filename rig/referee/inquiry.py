"""The question to the eyes about one action: which pictures, which hypotheses, and what the scale already knows.

It is composed here and answered by `vision`; what the answer is worth is `verdict.py`, what follows from it `referee.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import msgspec

from rig.messages import EmptyView, Evidence, Hypothesis, Judge, Judged, NoneOfThese, Nothing, ReadTower, Toppled, Tower
from rig.pieces import Column
from rig.profile import Profile
from rig.referee import hypotheses
from rig.referee.book import Book
from rig.referee.hypotheses import Weighted
from rig.referee.repair import Repair
from rig.referee.scale import place_of_change
from rig.referee.senses import Action, Senses

ANOTHER_MM2 = 400.0
"""Changed picture area that one fallen column leaves unexplained from which another may have fallen too: half of a thin one's side. Lower:
columns that nobody sees are taken to have fallen along, because their colour lies there."""


class Width(Enum):
    """How much was asked of the eyes: more each time that nothing explains the pictures."""

    LIKELY = "likely"
    UNLIKELY = "unlikely"
    TOGETHER = "fallen together"


@dataclass(frozen=True, slots=True)
class Pending:
    """An action waiting for the eyes' answer or the desk's: what was asked about it, and the pictures that settled it."""

    id: int
    action: Action
    frames: dict[int, int]
    references: dict[int, int]
    weighted: tuple[Weighted, ...]
    change_g: float | None
    settled: bool
    doubtful: bool
    """Some camera saw a hand all the while: good for a ruling, too little for a question."""
    request: Judge
    glimpsed: bool = False
    """The hands are back already: it only says what had been gone meanwhile."""
    word: tuple[Evidence, ...] = ()
    """What people answered; the eyes are only asked where things stand."""
    width: Width = Width.LIKELY


def compose(
    number: int, senses: Senses, action: Action, frames: Mapping[int, int], references: dict[int, int], tower: Tower, book: Book,
    repair: Repair, profile: Profile, settled: bool, doubtful: bool,
) -> tuple[Pending, Judge]:  # fmt: skip
    """The request numbered `number`, and what must be remembered until it is answered."""
    change_g, near = _weight_of(senses, action, settled)
    if book.setting_up:
        weighted = hypotheses.set_up(tower, profile.pieces, near)
    elif not settled:
        weighted = hypotheses.FALL
    else:
        listed = repair.comes_first(hypotheses.play(tower, book.expected(), book.next_plateau))
        weighted = hypotheses.with_place((*repair.hypotheses(tower), *listed), near if change_g and change_g > 20 else None)
    request = _request(number, frames, references, senses, tower, weighted)
    return Pending(number, action, dict(frames), references, weighted, change_g, settled, doubtful, request), request


def glimpse(
    number: int, senses: Senses, action: Action, frames: Mapping[int, int], references: dict[int, int], tower: Tower
) -> tuple[Pending, Judge]:
    """Was a column gone, in pictures that were calm for too short a time to settle anything?"""
    weighted = hypotheses.gone(tower)
    request = _request(number, frames, references, senses, tower, weighted)
    pending = Pending(number, action, dict(frames), references, weighted, None, False, False, request, glimpsed=True)
    return pending, request


def _request(
    number: int, frames: Mapping[int, int], references: Mapping[int, int], senses: Senses, tower: Tower, weighted: tuple[Weighted, ...]
) -> Judge:
    """The cameras that have a picture of both, in their order."""
    cameras = [camera for camera in sorted(frames) if camera in references]
    return Judge(
        id=number,
        before=tuple(references[camera] for camera in cameras),
        after=tuple(frames[camera] for camera in cameras),
        poses=tuple(pose for camera in cameras if (pose := senses.eyes[camera].pose) is not None),
        tower=tower,
        hypotheses=tuple(w.hypothesis for w in weighted),
    )


def _weight_of(senses: Senses, action: Action, settled: bool) -> tuple[float | None, tuple[float, float] | None]:
    """The settled change of weight in grams and where it lies (mm); None where not known, as while a hand may be holding the tower."""
    weighed = senses.weighed
    after_g = senses.quiet_weight_g if settled else None
    if weighed is None or after_g is None or action.weight_before_g is None:
        return None, None
    known = weighed.cop_x_mm is not None and weighed.cop_y_mm is not None
    place = (weighed.cop_x_mm or 0.0, weighed.cop_y_mm or 0.0) if known else None
    return after_g - action.weight_before_g, place_of_change(action.weight_before_g, action.cop_before_mm, after_g, place)


def again(number: int, before: Pending, judged: Judged, tower: Tower, book: Book) -> tuple[Pending, Judge] | None:
    """The same pictures once more: first with the unlikely things among the hypotheses, then with columns that may have fallen together.

    None when there is nothing more to ask. `judged`: the answer to `before`.
    """
    if before.width is Width.LIKELY:
        return _asked(number, before, (*before.weighted[:-1], *hypotheses.wider(tower, book.expected())), Width.UNLIKELY)
    more = before.width is Width.UNLIKELY and judged.unexplained_mm2 >= ANOTHER_MM2
    together = hypotheses.fallen_together(_toppled(before, judged), tower) if more else ()
    return _asked(number, before, (*before.weighted[:-1], *together, before.weighted[-1]), Width.TOGETHER) if together else None


def _asked(number: int, before: Pending, weighted: tuple[Weighted, ...], width: Width) -> tuple[Pending, Judge]:
    request = msgspec.structs.replace(before.request, id=number, hypotheses=tuple(w.hypothesis for w in weighted))
    return replace(before, id=number, weighted=weighted, request=request, width=width), request


def _toppled(pending: Pending, judged: Judged) -> dict[Column, float]:
    """By how much it explains the pictures better that a column fell over than that nothing happened, for each."""
    said = list(zip((w.hypothesis for w in pending.weighted), (opinion.log_likelihood for opinion in judged.opinions), strict=True))
    nothing = next((log_likelihood for hypothesis, log_likelihood in said if isinstance(hypothesis, Nothing)), 0.0)
    return {h.columns[0]: log_likelihood - nothing for h, log_likelihood in said if isinstance(h, Toppled) and len(h.columns) == 1}


def whole(number: int, frames: Mapping[int, int], senses: Senses, tower: Tower, empty: Mapping[int, EmptyView]) -> ReadTower:
    """What stands there, whatever was believed? Asked of every camera in `frames` that knows where it is."""
    poses = {camera: pose for camera in sorted(frames) if (pose := senses.eyes[camera].pose) is not None}
    return ReadTower(
        id=number,
        frames=tuple(frames[camera] for camera in poses),
        poses=tuple(poses.values()),
        expected=tower,
        empty=tuple(empty[camera] for camera in poses if camera in empty),
    )


def confirm(
    number: int, hypothesis: Hypothesis, word: tuple[Evidence, ...], before: Pending, frames: Mapping[int, int],
    references: dict[int, int], senses: Senses, tower: Tower,
) -> tuple[Pending, Judge]:  # fmt: skip
    """Where things stand now that people have said what happened; what fell may have been stood up meanwhile."""
    stands_again = (Weighted(Nothing(), 0.0),) if isinstance(hypothesis, Toppled) else ()
    weighted = (Weighted(hypothesis, 0.0), *stands_again, Weighted(NoneOfThese(), 0.0))
    request = _request(number, frames, references, senses, tower, weighted)
    pending = replace(
        before, id=number, frames=dict(frames), references=references, weighted=weighted, change_g=None, request=request, word=word
    )
    return pending, request
