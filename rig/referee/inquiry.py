"""The question to the eyes about one action: which pictures, which hypotheses, and what the scale already knows.

It is composed here and answered by `vision`; what the answer is worth is `verdict.py`, what follows from it `referee.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from rig.messages import Evidence, Hypothesis, Judge, NoneOfThese, ReadTower, Tower
from rig.profile import Profile
from rig.referee import hypotheses
from rig.referee.book import Book
from rig.referee.hypotheses import Weighted
from rig.referee.repair import Repair
from rig.referee.scale import place_of_change
from rig.referee.senses import Action, Senses


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
    word: tuple[Evidence, ...] = ()
    """What people answered; the eyes are only asked where things stand."""
    wide: bool = False
    """Asked again with the unlikely things among the hypotheses, because the likely ones did not explain the pictures."""


def compose(
    number: int, senses: Senses, action: Action, frames: Mapping[int, int], references: dict[int, int], tower: Tower, book: Book,
    repair: Repair, profile: Profile, settled: bool, doubtful: bool,
) -> tuple[Pending, Judge]:  # fmt: skip
    """The request numbered `number`, and what must be remembered until it is answered."""
    cameras = [camera for camera in sorted(frames) if camera in references]
    change_g, near = _weight_of(senses, action, settled)
    if book.setting_up:
        weighted = hypotheses.set_up(tower, profile.pieces, near)
    elif not settled:
        weighted = hypotheses.FALL
    else:
        listed = hypotheses.play(tower, book.expected(), book.next_plateau)
        weighted = hypotheses.with_place((*repair.hypotheses(tower), *listed), near if change_g and change_g > 20 else None)
    request = Judge(
        id=number,
        before=tuple(references[camera] for camera in cameras),
        after=tuple(frames[camera] for camera in cameras),
        poses=tuple(pose for camera in cameras if (pose := senses.eyes[camera].pose) is not None),
        tower=tower,
        hypotheses=tuple(w.hypothesis for w in weighted),
    )
    return Pending(number, action, dict(frames), references, weighted, change_g, settled, doubtful, request), request


def _weight_of(senses: Senses, action: Action, settled: bool) -> tuple[float | None, tuple[float, float] | None]:
    """The settled change of weight in grams and where it lies (mm); None where not known, as while a hand may be holding the tower."""
    weighed = senses.weighed
    after_g = senses.quiet_weight_g if settled else None
    if weighed is None or after_g is None or action.weight_before_g is None:
        return None, None
    known = weighed.cop_x_mm is not None and weighed.cop_y_mm is not None
    place = (weighed.cop_x_mm or 0.0, weighed.cop_y_mm or 0.0) if known else None
    return after_g - action.weight_before_g, place_of_change(action.weight_before_g, action.cop_before_mm, after_g, place)


def again(number: int, before: Pending, tower: Tower, book: Book) -> tuple[Pending, Judge]:
    """The same pictures once more, with the unlikely things among the hypotheses."""
    weighted = (*before.weighted[:-1], *hypotheses.wider(tower, book.expected()), before.weighted[-1])
    wider = msgspec.structs.replace(before.request, id=number, hypotheses=tuple(w.hypothesis for w in weighted))
    return replace(before, id=number, weighted=weighted, request=wider, wide=True), wider


def whole(number: int, frames: Mapping[int, int], senses: Senses, tower: Tower) -> ReadTower:
    """What stands there, whatever was believed? Asked of every camera in `frames` that knows where it is."""
    poses = {camera: pose for camera in sorted(frames) if (pose := senses.eyes[camera].pose) is not None}
    return ReadTower(id=number, frames=tuple(frames[camera] for camera in poses), poses=tuple(poses.values()), expected=tower)


def confirm(
    number: int, hypothesis: Hypothesis, word: tuple[Evidence, ...], before: Pending, frames: Mapping[int, int],
    references: dict[int, int], senses: Senses, tower: Tower,
) -> tuple[Pending, Judge]:  # fmt: skip
    """Where things stand now that people have said what happened."""
    cameras = [camera for camera in sorted(frames) if camera in references]
    weighted = (Weighted(hypothesis, 0.0), Weighted(NoneOfThese(), 0.0))
    request = Judge(
        id=number,
        before=tuple(references[camera] for camera in cameras),
        after=tuple(frames[camera] for camera in cameras),
        poses=tuple(pose for camera in cameras if (pose := senses.eyes[camera].pose) is not None),
        tower=tower,
        hypotheses=tuple(w.hypothesis for w in weighted),
    )
    pending = replace(
        before, id=number, frames=dict(frames), references=references, weighted=weighted, change_g=None, request=request, word=word
    )
    return pending, request
