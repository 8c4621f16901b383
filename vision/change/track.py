"""Did a column leave its place while hands were in? A column tugged and put back shows it in no settled picture.

For each candidate and each frame the pictures are asked whether the column stands in its place or beside it: its own pixels lose its paint
on one side and the pixels beside gain it on the other. What a hand covers shows neither, so it counts for nothing: a pixel speaks only
where it shows the column's paint, or plainly what lies behind. Cameras that saw the same moment are asked together about one and the same
displacement: a sleeve of the column's colour beside it fools one of them, hardly ever two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from rig.messages import Standing, Tower, Trace, Track, Tracked
from rig.pieces import Column
from rig.profile import Profile
from vision.arrays import Bools, Floats, Picture
from vision.camera.picture_faults import picture_fault
from vision.change.evidence import BackgroundScore, PixelEvidence, Settled
from vision.change.tunables import TEMPER
from vision.scene.silhouettes import Scene, Spans, code_of, column_item, running_sum, spans_of, sums_within
from vision.scene.solids import column_prisms_at

OFFSETS_MM = np.array(
    [(0.0, 0.0)] + [(r * math.cos(a), r * math.sin(a)) for r in (7.0, 12.0, 18.0, 26.0) for a in np.arange(12) * math.pi / 6]
)
"""Displacements tried; the first is "in its place". By design: rings of twelve from less than a thin column's radius on."""

CLAIM = 150.0
"""Gain (pixels' sum) from which a displacement counts as the explanation of its pixels, so that no neighbour may claim them too. Set by
hand on tuning seeds; not measured on a spread of rooms."""

DISPLACED_PRIOR = 3.0
"""Log odds against a displacement before any frame is seen, and for having tried so many displacements and frames. By design: log of
about twenty for the trying. Set by hand on tuning seeds; not measured on a spread of rooms."""


VACATED = 3.0
"""A displacement explains at most this many times what its own place shows: a hand of its colour beside it empties no place. Set by hand
on tuning seeds; not measured on a spread of rooms."""


def _gains(background: BackgroundScore, tower: Tower, standing: Standing) -> Floats:
    """Gain of each displacement in one frame over "in its place" (2, n): by pixels the column would have left, and by those it would have
    come to; `background` is the scene without this column."""
    evidence, profile = background.evidence, background.evidence.profile
    item = column_item(profile, tower, standing)
    places = OFFSETS_MM + np.array((standing.x_mm, standing.y_mm))
    view = evidence.stage.view
    spans = spans_of(view.project(column_prisms_at(profile, standing.column.shape, places, standing.z_mm, standing.yaw_deg)), view.height)
    y0 = int(spans.top.min())
    y1 = max(min(int(spans.top.max()) + spans.left.shape[1], view.height), y0 + 1)
    box = (slice(y0, y1), slice(0, view.width))
    gains = background.gain_map(item, box)
    # a covering hand makes "own paint" and "what lies behind" equally bad: such pixels say nothing
    unread = (evidence.changed[item.label][box] < 0) & (background.value[box] <= 0)
    gains = np.where(unread, np.float32(0), gains)
    inside = Spans(spans.top - y0, spans.left, spans.right)
    sums = sums_within(running_sum(gains), inside)
    kept = sums_within(running_sum(np.where(_own(inside, gains.shape), gains, np.float32(0))), inside)
    return np.stack((kept - sums[0], sums - kept))


def _own(spans: Spans, shape: tuple[int, ...]) -> Bools:
    """The pixels (h, w) of the first silhouette."""
    own = np.zeros(shape, dtype=np.bool_)
    x = np.arange(shape[1])
    rows = own[spans.top[0] : spans.top[0] + spans.left.shape[1]]
    rows[:] = (x >= np.rint(spans.left[0, : len(rows), None])) & (x <= np.rint(spans.right[0, : len(rows), None]))
    return own


def _best(gains: Floats) -> tuple[float, int]:
    """The best displacement's gain and its number, from (2, n) summed over cameras."""
    total = np.minimum(gains.sum(0), VACATED * np.maximum(gains[0], 0.0))
    at = int(total.argmax())
    return float(total[at]), at


def _moment_gains(evidences: Sequence[PixelEvidence], tower: Tower, standings: Sequence[Standing]) -> list[float]:
    """What a displacement of each column explains at one moment, to all cameras that saw it, beyond what those that explain more have
    explained already."""
    profile = evidences[0].profile
    scenes = [evidence.before for evidence in evidences]
    gains = [0.0] * len(standings)
    open_ones = list(range(len(standings)))
    while open_ones:
        tries = []
        for k in open_ones:
            code = code_of(profile, standings[k].column)
            seen = [
                _gains(BackgroundScore.of(evidence, scene.without(code)), tower, standings[k])
                for evidence, scene in zip(evidences, scenes, strict=True)
            ]
            gain, at = _best(np.sum(seen, axis=0))
            tries.append((gain, k, at))
        gain, k, at = max(tries, key=lambda one: (one[0], -one[1]))
        for other, number, _ in tries:
            gains[number] = other
        if gain < CLAIM:
            break
        open_ones.remove(k)
        dx, dy = OFFSETS_MM[at]
        aside = msgspec.structs.replace(standings[k], x_mm=standings[k].x_mm + float(dx), y_mm=standings[k].y_mm + float(dy))
        scenes = [_with_moved(scene, profile, tower, aside) for scene in scenes]
    return gains


def _with_moved(scene: Scene, profile: Profile, tower: Tower, aside: Standing) -> Scene:
    code = code_of(profile, aside.column)
    others = [item for number, item in scene.items.items() if number != code]
    return Scene(scene.stage, [*others, column_item(profile, tower, aside)], scene.patches_but(code))


def _moments(frames: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Frames (camera, message number) in time order, those of different cameras that follow each other taken together."""
    moments: list[list[tuple[int, int]]] = []
    for camera, number in frames:
        if moments and all(camera != other for other, _ in moments[-1]):
            moments[-1].append((camera, number))
        else:
            moments.append([(camera, number)])
    return moments


def _settled(request: Track, frames: Mapping[int, Picture], profile: Profile) -> tuple[dict[int, Settled], list[str]]:
    """What each camera's picture from before shows, and what is wrong with the others."""
    settled: dict[int, Settled] = {}
    complaints: list[str] = []
    for number, pose in zip(request.before, request.poses, strict=True):
        picture = frames.get(number)
        fault = f"Picture {number} is not at hand." if picture is None else picture_fault(picture, profile.camera(pose.camera))
        if picture is None or fault:
            complaints.append(fault)
        else:
            settled[pose.camera] = Settled.of(profile, request.tower, pose, picture)
    return settled, complaints


def track(request: Track, frames: Mapping[int, Picture], profile: Profile) -> Tracked:
    """The answer to `Track`: for each candidate the log odds of having been displaced in any frame, and the frame that shows it best."""
    settled, complaints = _settled(request, frames, profile)
    standings = [standing for standing in map(request.tower.find, request.columns) if standing is not None]
    best: dict[Column, tuple[float, int | None]] = {}
    used = 0
    for moment in _moments(request.frames):
        evidences, numbers = [], []
        for camera, number in moment:
            picture = frames.get(number)
            if camera in settled and picture is not None and not picture_fault(picture, profile.camera(camera)):
                evidences.append(settled[camera].against(picture))
                numbers.append(number)
        if not evidences:
            continue
        used += len(evidences)
        for standing, gain in zip(standings, _moment_gains(evidences, request.tower, standings), strict=True):
            if gain > best.get(standing.column, (0.0, None))[0]:
                best[standing.column] = (gain, numbers[0])
    if not used:
        complaints.append("No frame could be used.")
    traces = []
    for column in request.columns:
        gain, shown = best.get(column, (0.0, None))
        traces.append(Trace(column, round(TEMPER * gain - DISPLACED_PRIOR, 4), shown))
    return Tracked(id=request.id, traces=tuple(traces), sentence=" ".join(complaints))
