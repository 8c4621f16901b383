"""What has happened between two looks: from the earlier tower the things that people do are held against both pictures, as in a game.

A whole reading of one instant errs where a column hides another, so two of them differ in more than what happened. `judge` compares the
pictures themselves. Nothing is known of turns and rules here, so every column may have been raised or taken away, any that is not in the
tower may have been stood on a floor, the next plateau laid, all of it fallen; and it may be none of these.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.messages import (
    Added,
    CameraPose,
    Fallen,
    Hypothesis,
    Judge,
    Judged,
    Laid,
    Moved,
    NoneOfThese,
    Nothing,
    PlateauLaid,
    Removed,
    Standing,
    Toppled,
    Tower,
)
from rig.pieces import Column, Floor
from rig.profile import Profile
from vision.arrays import Picture
from vision.change.judge import judge

LEAST_MM, LEAST_DEG = 3.0, 2.0
"""How far a bystander's re-fitted place must be from where it was to be told as shifted: three times the scatter of a re-fit. Set by
hand on tuning seeds; not measured on a spread of rooms."""

RARE = 2.0
"""Log prior against what is seldom done unasked: a column taken away, one stood that nobody saw before, a fall. By design: seven or
eight times rarer than what is done on purpose; not counted from games."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A piece that is not what happened is about, and how far it has moved (mm), a plateau also how far turned (degrees)."""

    what: Column | Floor
    mm: float
    turn_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened, how likely that is against everything else asked, the tower now (None: it is not known), and what shifted with it."""

    what: Hypothesis
    confidence: float
    tower: Tower | None
    shifted: tuple[Shift, ...]
    fit: float
    cameras: int


def possible(tower: Tower, profile: Profile) -> tuple[Hypothesis, ...]:
    """Everything that is asked of a tower, `NoneOfThese` last."""
    top = tower.top_floor
    asked: list[Hypothesis] = [Nothing()]
    asked += [Moved(column=one.column, floor=top) for one in tower.columns if one.floor is not top]
    asked += [Removed(column=one.column) for one in tower.columns]
    standing = {one.column for one in tower.columns}
    spare = {column.kind: column for column in reversed(profile.pieces.columns) if column not in standing}
    floors = {Floor.GROUND, top}
    asked += [Added(column=column, floor=floor) for column in spare.values() for floor in sorted(floors)]
    layable = next((plateau for plateau in profile.pieces.plateaus if plateau > top), None)
    if layable is not None and tower.on(top):
        asked.append(PlateauLaid(plateau=layable))
    return (*asked, Fallen(), NoneOfThese())


def what_happened(
    tower: Tower, before: Sequence[Picture], after: Sequence[Picture], poses: Sequence[CameraPose], profile: Profile
) -> Happening:
    """What happened to `tower` between two settled pictures a camera (BGR, full size, in the order of `poses`).

    `profile` gives cameras and sizes. What is compared are the pictures `before` and `after`.
    """
    frames = {2 * k: picture for k, picture in enumerate(before)} | {2 * k + 1: picture for k, picture in enumerate(after)}
    asked = possible(tower, profile)
    told = _told(tower, asked, frames, poses, profile)
    if isinstance(told.what, NoneOfThese):
        wider = (*asked[:-1], *(Toppled(columns=(one.column,)) for one in tower.columns), asked[-1])
        told = _told(tower, wider, frames, poses, profile)
    return told


def _told(
    tower: Tower, asked: tuple[Hypothesis, ...], frames: Mapping[int, Picture], poses: Sequence[CameraPose], profile: Profile
) -> Happening:
    numbers = range(len(poses))
    request = Judge(0, tuple(2 * k for k in numbers), tuple(2 * k + 1 for k in numbers), tuple(poses), tower, asked)
    judged: Judged = judge(request, frames, profile)
    logs = [one.log_likelihood - _price(hypothesis) for hypothesis, one in zip(asked, judged.opinions, strict=True)]
    top = max(logs)
    shares = [math.exp(one - top) for one in logs]
    at = shares.index(max(shares))
    now = judged.opinions[at].tower
    shifted = _shifted(tower, now, asked[at]) if now is not None else ()
    return Happening(asked[at], shares[at] / sum(shares), now, shifted, judged.fit, judged.cameras)


def _price(hypothesis: Hypothesis) -> float:
    return RARE if isinstance(hypothesis, (Removed, Added, Fallen, Toppled)) else 0.0


def _shifted(was: Tower, now: Tower, what: Hypothesis) -> tuple[Shift, ...]:
    """The bystanders whose re-fitted places are not where they stood; what rode along with a plateau has not moved by itself."""
    lay, lies = ({one.plateau: one for one in tower.plateaus} for tower in (was, now))
    found = [
        Shift(plateau, round(math.hypot(lies[plateau].x_mm - one.x_mm, lies[plateau].y_mm - one.y_mm), 2), _turn(one, lies[plateau]))
        for plateau, one in lay.items()
        if plateau in lies
    ]
    subject = getattr(what, "column", None)
    for one in was.columns:
        stands = now.find(one.column)
        if stands is not None and stands.floor is one.floor and one.column != subject:
            x_mm, y_mm = _carried(one, lay.get(one.floor), lies.get(one.floor))
            found.append(Shift(one.column, round(math.hypot(stands.x_mm - x_mm, stands.y_mm - y_mm), 2)))
    return tuple(one for one in found if one.mm >= LEAST_MM or abs(one.turn_deg) >= LEAST_DEG)


def _turn(was: Laid, now: Laid) -> float:
    return round(math.remainder(now.yaw_deg - was.yaw_deg, 360.0), 2)


def _carried(one: Standing, was: Laid | None, now: Laid | None) -> tuple[float, float]:
    """Where a column would stand if it only went with the plateau under it (mm)."""
    if was is None or now is None:
        return one.x_mm, one.y_mm
    turn = math.radians(now.yaw_deg - was.yaw_deg)
    arm = complex(one.x_mm - was.x_mm, one.y_mm - was.y_mm) * complex(math.cos(turn), math.sin(turn))
    return now.x_mm + arm.real, now.y_mm + arm.imag
