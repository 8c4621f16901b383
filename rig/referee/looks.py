"""What the eyes have been asked, each as a value that remembers what must be known until the answer comes.

The requests themselves are made here; what an answer is worth is `verdict.py`, what follows from it `concluding.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

import msgspec

from rig.messages import CameraPose, EmptyView, Evidence, Hypothesis, Judge, Judged, NoneOfThese, Nothing, ReadTower, Toppled, Tower, Track
from rig.pieces import Column
from rig.referee.action import Action
from rig.referee.hypotheses import Weighted
from rig.referee.scale import place_of_change
from rig.referee.senses import Senses
from rig.referee.tunables import TUNED, Tunables
from rig.referee.verdict import Verdict


class Width(Enum):
    """How much was asked of the eyes: more each time that nothing explains the pictures."""

    FALL = "whether it fell"
    GONE = "what is gone"
    LIKELY = "likely"
    UNLIKELY = "unlikely"
    TOGETHER = "fallen together"


class Sort(Enum):
    """What a judgement may lead to."""

    SETTLED = "settled"
    """All is calm: whatever is found counts, and what is not found is asked."""
    AHEAD = "ahead of the scale"
    """The scale still shakes: what is sure counts, anything else waits for the scale."""
    DOUBTED = "a hand in a still scene"
    """What explains the pictures counts, anything else waits."""
    UNSETTLED = "unsettled"
    """Only a fall counts."""
    GLIMPSE = "glimpse"
    """The hands are back already: it only says what had been gone meanwhile."""


@dataclass(frozen=True, slots=True)
class Judging:
    """One question to the eyes about an action: pictures before and after, what was asked, and what the scale knows."""

    id: int
    sort: Sort
    width: Width
    action: Action
    frames: Mapping[int, int]
    references: Mapping[int, int]
    request: Judge
    change_g: float | None = None
    near: tuple[float, float] | None = None
    together: tuple[Weighted, ...] = ()
    """Columns that may have fallen together, as they were asked."""


@dataclass(frozen=True, slots=True)
class Confirming:
    """The table has said what happened; the eyes are asked where things stand. `id` None: a calm picture is waited for."""

    hypothesis: Hypothesis
    word: tuple[Evidence, ...]
    judging: Judging
    since_t_s: float
    id: int | None = None
    frames: Mapping[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Tracing:
    """All is in its place after hands were in: was a column moved and put back?"""

    id: int
    judging: Judging
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Scanning:
    """The whole tower is read in set-up. With the judgement that did not rule, if there was one."""

    id: int
    frames: Mapping[int, int]
    weight_g: float | None
    judging: Judging | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Searching:
    """The whole tower is read because track was lost."""

    id: int
    frames: Mapping[int, int]
    weight_g: float | None


Look: TypeAlias = Judging | Confirming | Tracing | Scanning | Searching


def judge_request(
    number: int, frames: Mapping[int, int], references: Mapping[int, int], senses: Senses, tower: Tower, asked: Sequence[Hypothesis]
) -> Judge:
    """Which of these happened? Asked of the cameras that have a picture of both before and after, in their order."""
    cameras = [camera for camera in sorted(frames) if camera in references]
    return Judge(
        id=number,
        before=tuple(references[camera] for camera in cameras),
        after=tuple(frames[camera] for camera in cameras),
        poses=_poses(cameras, senses),
        tower=tower,
        hypotheses=tuple(asked),
    )


def read_request(
    number: int, frames: Mapping[int, int], senses: Senses, tower: Tower, empty: Mapping[int, EmptyView] | None = None
) -> ReadTower:
    """What stands there, whatever was believed? Asked of every camera in `frames` that knows where it is; `empty`: what each camera saw
    before anything stood."""
    poses = _poses(sorted(frames), senses)
    return ReadTower(
        id=number,
        frames=tuple(frames[pose.camera] for pose in poses),
        poses=poses,
        expected=tower,
        empty=tuple(empty[pose.camera] for pose in poses if pose.camera in empty) if empty else (),
    )


def track_request(
    number: int, judging: Judging, senses: Senses, tower: Tower, columns: tuple[Column, ...], tuned: Tunables = TUNED
) -> Track | None:
    """Was one of these columns moved and put back? None if no picture can tell."""
    seen, most = judging.action.witnesses, tuned.witnesses
    witnesses = tuple(seen[k * len(seen) // most] for k in range(most)) if len(seen) > most else seen
    poses = _poses(sorted(judging.references), senses)
    if not columns or not witnesses or not poses:
        return None
    before = tuple(judging.references[pose.camera] for pose in poses)
    return Track(id=number, before=before, frames=witnesses, poses=poses, tower=tower, columns=columns)


def _poses(cameras: Sequence[int], senses: Senses) -> tuple[CameraPose, ...]:
    return tuple(pose for camera in cameras if (pose := senses.eyes[camera].pose) is not None)


def weight_change(
    senses: Senses, action: Action, settled: bool, tuned: Tunables = TUNED
) -> tuple[float | None, tuple[float, float] | None]:
    """The settled change of weight in grams and where it lies (mm); None where not known, as while a hand may be holding the tower."""
    weighed = senses.weighed
    after_g = senses.quiet_weight_g if settled else None
    if weighed is None or after_g is None or action.weight_before_g is None:
        return None, None
    known = weighed.cop_x_mm is not None and weighed.cop_y_mm is not None
    place = (weighed.cop_x_mm or 0.0, weighed.cop_y_mm or 0.0) if known else None
    change_g = after_g - action.weight_before_g
    return change_g, place_of_change(action.weight_before_g, action.cop_before_mm, after_g, place, tuned)


def toppled_alone(judged: Judged, asked: Sequence[Hypothesis]) -> dict[Column, float]:
    """By how much it explains the pictures better that a column fell over than that nothing happened, for each (natural log)."""
    said = list(zip(asked, (opinion.log_likelihood for opinion in judged.opinions), strict=True))
    nothing = next((log_likelihood for hypothesis, log_likelihood in said if isinstance(hypothesis, Nothing)), 0.0)
    return {h.columns[0]: log_likelihood - nothing for h, log_likelihood in said if isinstance(h, Toppled) and len(h.columns) == 1}


def asked_again(number: int, before: Judging, asked: Sequence[Hypothesis], width: Width, together: tuple[Weighted, ...] = ()) -> Judging:
    """The same pictures once more, with other hypotheses."""
    request = msgspec.structs.replace(before.request, id=number, hypotheses=tuple(asked))
    return replace(before, id=number, request=request, width=width, together=together)


def confirmation(number: int, confirming: Confirming, frames: Mapping[int, int], senses: Senses, tower: Tower) -> tuple[Confirming, Judge]:
    """Where things stand now that people have said what happened; what fell may have been stood up meanwhile."""
    stands_again = (Nothing(),) if isinstance(confirming.hypothesis, Toppled) else ()
    asked = (confirming.hypothesis, *stands_again, NoneOfThese())
    request = judge_request(number, frames, confirming.judging.references, senses, tower, asked)
    return replace(confirming, id=number, frames=dict(frames)), request
