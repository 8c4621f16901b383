"""Did a column leave its place while hands were in? A column tugged and put back shows it in no settled picture.

For each candidate and each frame the pictures are asked whether the column stands in its place or beside it: its own pixels lose its paint
on one side and the pixels beside gain it on the other. What a hand covers shows neither, so it counts for nothing: a pixel speaks only
where it shows the column's paint, or plainly what lies behind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose, Standing, Trace, Track, Tracked
from rig.profile import Profile
from vision.evidence import Evidence, Under, gather
from vision.faults import picture_fault
from vision.geometry import Floats, column_prisms_at
from vision.silhouettes import Maps, code_of, column_item, running_sum, spans_of, sums_within

Picture = npt.NDArray[np.uint8]

OFFSETS_MM = np.array(
    [(0.0, 0.0)] + [(r * math.cos(a), r * math.sin(a)) for r in (7.0, 12.0, 18.0, 26.0) for a in np.arange(12) * math.pi / 6]
)
"""Displacements tried; the first is "in its place"."""

TEMPER = 0.02
"""Nats of the answer per nat of the pixels' sum, as for judging."""

PRIOR = 3.0
"""Log odds against a displacement before any frame is seen, and for having tried so many displacements and frames."""


def _frame_gains(evidence: Evidence, profile: Profile, standing: Standing, request: Track) -> Floats:
    """Gain of each displacement in one frame over "in its place"."""
    code = code_of(profile, standing.column)
    item = column_item(profile, request.tower, standing)
    under = Under.of(evidence, evidence.before.without(code))
    places = OFFSETS_MM + np.array((standing.x_mm, standing.y_mm))
    view = evidence.stage.view
    spans = spans_of(view.project(column_prisms_at(profile, standing.column.shape, places, standing.z_mm, standing.yaw_deg)), view.height)
    y0 = int(spans.top.min())
    y1 = max(min(int(spans.top.max()) + spans.left.shape[1], view.height), y0 + 1)
    box = (slice(y0, y1), slice(0, view.width))
    gains: Maps = under.gain_map(item, box)
    # a covering hand makes "own paint" and "what lies behind" equally bad: such pixels say nothing
    unread = (evidence.changed[item.label][box] < 0) & (under.value[box] <= 0)
    gains = np.where(unread, np.float32(0), gains)
    sums = sums_within(running_sum(gains), type(spans)(spans.top - y0, spans.left, spans.right))
    return np.asarray(sums - sums[0])


def track(request: Track, frames: Mapping[int, Picture], profile: Profile) -> Tracked:
    """The answer to `Track`: for each candidate the log odds of having been displaced in any frame, and the frame that shows it best."""
    before: dict[int, Picture] = {}
    poses: dict[int, CameraPose] = {}
    complaints: list[str] = []
    for number, pose in zip(request.before, request.poses, strict=True):
        picture = frames.get(number)
        fault = f"Picture {number} is not at hand." if picture is None else picture_fault(picture, profile.camera(pose.camera))
        if picture is None or fault:
            complaints.append(fault)
            continue
        before[pose.camera], poses[pose.camera] = picture, pose
    best: dict[str, tuple[float, int | None]] = {str(column): (0.0, None) for column in request.columns}
    standings = {str(column): request.tower.find(column) for column in request.columns}
    used = 0
    for camera, number in request.frames:
        picture = frames.get(number)
        if camera not in before or picture is None or picture_fault(picture, profile.camera(camera)):
            continue
        used += 1
        evidence = gather(profile, request.tower, poses[camera], before[camera], picture)
        for name, standing in standings.items():
            if standing is None:
                continue
            gain = float(_frame_gains(evidence, profile, standing, request).max())
            if gain > best[name][0]:
                best[name] = (gain, number)
    if not used:
        complaints.append("No frame could be used.")
    traces = tuple(Trace(column, round(TEMPER * best[str(column)][0] - PRIOR, 4), best[str(column)][1]) for column in request.columns)
    return Tracked(id=request.id, traces=traces, sentence=" ".join(complaints))
