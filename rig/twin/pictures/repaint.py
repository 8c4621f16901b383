"""Which parts of a picture can have changed since it was last drawn: so that only those are drawn again.

Drawing is the twin's greatest cost, and between two pictures mostly one hand and one column have moved. Whatever moved is enclosed in
balls, where it was and where it is. Drawn anew is what the balls cover in the picture; where their shadows fall on the table and what lies
low on it, or beyond its edge down to the floor; and what else of pieces and arms their shadows can fall on. All this is marked on a grid of
cells, and the marked cells are covered with a few rectangles. A piece that stirred by less than `STILL_M` since it was
last drawn (a hundredth of a pixel) counts as still.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.pieces import Floor
from rig.profile import Profile
from rig.twin.physics.poses import HOOK_M, HandPose, Piece, PieceOrder, Poses
from rig.twin.pictures.gl_solids import any_up, look_along
from rig.twin.pictures.lenses import LensMap
from rig.twin.pictures.moving import Instant

Array = npt.NDArray[np.float64]
Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""
Ball = tuple[Array, float]
"""Middle and radius, metres."""
Group = list[Ball]
"""What lies within the hull of these balls."""

STILL_M = 5e-6
STILL_TURN = 2e-5
"""Of a quaternion's parts: a plateau's rim then moves by under 5 um."""
MARGIN_PX = 4
"""For the lens's bending and the pixel grid."""
TEXEL_M = 0.004
"""A shadow map's: by so much more than a ball its shadow may change."""
LOW_M = 0.12
"""What lies or stands on the table beside the tower, the apron with it, is no higher than this."""
NEAREST_M = 0.05
"""Before the lens; the image of what is nearer has no bounds."""
CELL_PX = 8
CUT_CELLS = 200
"""What one more rectangle costs, about a millisecond."""
ARM_M = 0.85
ARM_BALLS = 11
RIM_BALLS = 16
SPARE_M = 0.002
HAND_RADIUS_M, ARM_RADIUS_M = 0.065, 0.056
WRIST_M = 0.24
"""From the finger tips; beyond it the arm is thinner."""
FLOOR_Z_M = -0.78


class Repaint:
    """Keeps, for all cameras, what was drawn last; `parts` says what must be drawn anew for the next picture.

    `views`: by camera number the pinhole picture that is drawn. `lamps`: those that cast shadows.
    """

    def __init__(
        self,
        profile: Profile,
        poses: Sequence[CameraPose],
        views: Mapping[int, LensMap],
        lamps: Sequence[Beam],
        table_half_m: tuple[float, float],
    ) -> None:
        order = PieceOrder.of(profile.pieces)
        self._solids = [_enclosed(profile, piece) for piece in order.pieces]
        self._radius_m = np.array([max(float(np.linalg.norm(at)) + r for at, r in solid) for solid in self._solids])
        self._views = [_View(views[pose.camera], pose) for pose in poses]
        self._lamps = lamps
        self._table_half_m = table_half_m
        self._table_z_m = profile.base.table_z_mm / 1e3
        self._drawn: Poses | None = None
        self._hands: tuple[HandPose, ...] = ()

    def forget(self, views: Mapping[int, LensMap], poses: Sequence[CameraPose]) -> None:
        """A camera or the light has moved: everything must be drawn anew."""
        self._views = [_View(views[pose.camera], pose) for pose in poses]
        self._drawn = None

    def parts(self, poses: Poses, hands: Sequence[HandPose], besides: Sequence[Ball] = ()) -> list[list[Rectangle]]:
        """For each camera the rectangles to draw anew, none over another; the whole picture the first time. What is told is taken as drawn.

        `besides`: balls (m) in which something else has changed.
        """
        before = self._drawn
        if before is None:
            self._drawn, self._hands = Poses(poses.position_m.copy(), poses.turn.copy()), tuple(hands)
            return [[(0, 0, view.width, view.height)] for view in self._views]
        moved, groups = self._changed(before, self._hands, poses, hands, _apart)
        before.position_m[moved], before.turn[moved] = poses.position_m[moved], poses.turn[moved]
        self._hands = tuple(hands)
        return self._rectangles([*groups, *([ball] for ball in besides)], poses, hands)

    def over(self, first: Instant, last: Instant) -> list[list[Rectangle]]:
        """For each camera the rectangles in which anything changes on the way from `first` to `last`; takes nothing as drawn."""
        _, groups = self._changed(first.poses, first.hands, last.poses, last.hands, _swept)
        return self._rectangles(groups, first.poses, first.hands)

    def _changed(
        self,
        before: Poses,
        hands_before: Sequence[HandPose],
        poses: Poses,
        hands: Sequence[HandPose],
        joined: Callable[[Group, Group], list[Group]],
    ) -> tuple[npt.NDArray[np.bool_], list[Group]]:
        """Which pieces have moved, and balls round all that has, where it was and where it is."""
        shifted = np.abs(poses.position_m - before.position_m).max(axis=1) > STILL_M
        moved = shifted | (np.abs(poses.turn - before.turn).max(axis=1) > STILL_TURN)
        groups: list[Group] = []
        for k in np.flatnonzero(moved):
            groups += joined(self._piece(before, int(k)), self._piece(poses, int(k)))
        if len(hands) != len(hands_before):
            groups += [list(two) for hand in (*hands_before, *hands) for two in itertools.pairwise(_arm(hand))]
        else:
            for was, now in zip(hands_before, hands, strict=True):
                if was != now:
                    for two, others in zip(itertools.pairwise(_arm(was)), itertools.pairwise(_arm(now)), strict=False):
                        groups += joined(list(two), list(others))
        return moved, groups

    def _piece(self, poses: Poses, k: int) -> Group:
        """Balls whose hull holds a piece where it is."""
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, poses.turn[k])
        return [(poses.position_m[k] + turn.reshape(3, 3) @ at, radius) for at, radius in self._solids[k]]

    def _rectangles(self, groups: Sequence[Group], poses: Poses, hands: Sequence[HandPose]) -> list[list[Rectangle]]:
        if not groups:
            return [[] for _ in self._views]
        arms = [ball for hand in hands for ball in _arm(hand)]
        at = np.vstack([poses.position_m, *(place for place, _ in arms)])
        radius = np.concatenate([self._radius_m, [r for _, r in arms]])
        others = [self._piece(poses, k) for k in range(len(self._solids))] + [[ball] for ball in arms]
        marked, shaded = [*groups], np.zeros(len(at), np.bool_)
        for lamp in self._lamps:
            for group in groups:
                if lamp.reaches(group):
                    marked += self._shadows(group, lamp)
                    shaded |= lamp.shaded(group, at, radius)
        marked += [others[k] for k in np.flatnonzero(shaded)]
        return [view.cover(marked) for view in self._views]

    def _shadows(self, group: Group, lamp: Beam) -> Iterable[Group]:
        """Where a group's shadows fall on the table and what lies on it, and beyond its edge down to the floor."""
        low = [shadow for z in (self._table_z_m, self._table_z_m + LOW_M) for shadow in lamp.onto(group, z)]
        yield low
        if any(abs(at[0]) + r > self._table_half_m[0] or abs(at[1]) + r > self._table_half_m[1] for at, r in low):
            yield [*low, *lamp.onto(group, FLOOR_Z_M)]


@dataclass(frozen=True, slots=True, eq=False)
class Beam:
    """A lamp's light: from `at_m` along `way` (a unit vector), with shadows as far as `reach_m` from its axis (a square)."""

    at_m: Array
    way: Array
    reach_m: float
    _sides: Array = field(init=False)
    """Unit vectors towards the four sides of the beam (3, 4)."""

    def __post_init__(self) -> None:
        across_and_up = look_along(self.at_m, self.way, any_up(self.way)).reshape(4, 4)[:3, :2]
        object.__setattr__(self, "_sides", np.hstack((across_and_up, -across_and_up)).astype(float))

    def reaches(self, group: Group) -> bool:
        """Whether a group may cast a shadow: not if all of it is beyond one side."""
        off = np.array([at for at, _ in group]) @ self._sides - self.at_m @ self._sides
        beyond = off > np.array([radius for _, radius in group])[:, None] + self.reach_m
        return not bool(beyond.all(axis=0).any())

    def onto(self, group: Group, z_m: float) -> Group:
        """The group's shadows on a level plane; a ball's is an ellipse, stretched by as much as the lamp is low."""
        fall = self.way / abs(float(self.way[2]))
        stretch = max(1.5, 1.1 / abs(float(self.way[2])))
        return [(at + fall * max(0.0, float(at[2]) - z_m), stretch * (radius + TEXEL_M)) for at, radius in group]

    def shaded(self, group: Group, at: Array, radius: Array) -> npt.NDArray[np.bool_]:
        """Which of these balls (n, 3), (n,) the group's shadows can fall on."""
        out = np.zeros(len(at), np.bool_)
        for centre, r in group:
            off = at - centre
            along = off @ self.way
            apart2 = (off * off).sum(axis=1) - along * along
            out |= (along > -radius - r) & (apart2 < (radius + r + TEXEL_M) ** 2)
        return out


def _apart(was: Group, now: Group) -> list[Group]:
    """What is where it was and where it is, and nowhere else."""
    return [was, now]


def _swept(was: Group, now: Group) -> list[Group]:
    """The same, and everywhere on the way."""
    return [[*was, *(((a + b) / 2, r) for (a, r), (b, _) in zip(was, now, strict=True)), *now]]


def _enclosed(profile: Profile, piece: Piece) -> Group:
    """Balls round a piece's own middle whose hull holds it: two in a column, some along a plateau's rim."""
    if isinstance(piece, Floor):
        solid = profile.plateaus[piece]
        rim = np.array(solid.outline_mm) / 1e3
        ways = np.arange(RIM_BALLS) * 2 * math.pi / RIM_BALLS
        furthest = {int((rim @ (math.cos(a), math.sin(a))).argmax()) for a in ways}
        # Between two of these directions the rim bulges no further than this beyond the line from one to the other.
        bulge = float(np.linalg.norm(rim, axis=1).max()) * (1 - math.cos(math.pi / RIM_BALLS))
        return [(np.array([*rim[k], 0.0]), solid.thickness_mm / 2e3 + bulge + SPARE_M) for k in sorted(furthest)]
    size = profile.columns[piece.shape]
    return [(np.array([0.0, 0.0, z * size.height_mm / 2e3]), size.radius_mm / 1e3 + SPARE_M) for z in (-1, 1)]


def _arm(hand: HandPose) -> list[Ball]:
    tip, elbow = np.array(hand.tip_mm) / 1e3, np.array(hand.elbow_mm) / 1e3
    along = (elbow - tip) / max(float(np.linalg.norm(elbow - tip)), 1e-6)
    wrist_m = WRIST_M + (HOOK_M if hand.hook else 0.0)
    reaches = np.linspace(0.0, ARM_M + (HOOK_M if hand.hook else 0.0), ARM_BALLS)
    return [(tip + along * reach, HAND_RADIUS_M if reach < wrist_m else ARM_RADIUS_M) for reach in reaches]


class _View:
    """One camera's pinhole picture and pose, for finding out which of its cells balls cover."""

    def __init__(self, view: LensMap, pose: CameraPose) -> None:
        self.width, self.height, self._focal = view.width_px, view.height_px, view.focal_px
        self._matrix = np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0], float)
        self._shift = np.array(pose.tvec_mm) / 1e3
        x, y, f = self.width / 2, self.height / 2, self._focal
        edges = np.array([(f, 0, x), (-f, 0, x), (0, f, y), (0, -f, y)], float)
        self._inwards = np.vstack([edges / np.linalg.norm(edges, axis=1, keepdims=True), (0, 0, 1)])
        """Unit vectors into the view from its left, right, upper and lower edge, and along its axis."""

    def cover(self, groups: Sequence[Group]) -> list[Rectangle]:
        """Rectangles, none over another, that hold the images of the hulls of all groups, as far as they are in the picture."""
        balls = [ball for group in groups for ball in group]
        starts = np.cumsum([0, *(len(group) for group in groups)])
        centres = np.array([at for at, _ in balls]) @ self._matrix.T + self._shift
        radii = np.array([radius for _, radius in balls])
        outside = centres @ self._inwards.T < np.array([0, 0, 0, 0, NEAREST_M]) - radii[:, None]
        unseen = np.logical_and.reduceat(outside, starts[:-1]).any(axis=1)
        depth = centres[:, 2] - radii
        unbounded = np.logical_or.reduceat(depth < NEAREST_M, starts[:-1]) & ~unseen
        if unbounded.any():  # it reaches past the lens
            return [(0, 0, self.width, self.height)]
        depth = np.maximum(depth, NEAREST_M)
        # A ball's image reaches a little further than radius / depth off the axis; the nearer depth bounds it.
        reach = self._focal * radii / depth * (1 + np.abs(centres[:, :2]).max(axis=1) / depth) + MARGIN_PX + 0.75 * CELL_PX
        image = np.array([(self.width - 1) / 2, (self.height - 1) / 2]) + self._focal * centres[:, :2] / np.maximum(
            centres[:, 2:3], depth[:, None]
        )
        rims = image[:, None] + reach[:, None, None] * _OCTAGON
        cells = np.rint(np.clip((rims - (CELL_PX - 1) / 2) / CELL_PX, -9999, 9999)).astype(np.int32)
        marked = np.zeros((-(-self.height // CELL_PX), -(-self.width // CELL_PX)), np.uint8)
        for k in np.flatnonzero(~unseen):
            cv2.fillConvexPoly(marked, cv2.convexHull(cells[starts[k] : starts[k + 1]].reshape(-1, 2)), 1)
        return [
            (left * CELL_PX, top * CELL_PX, min(self.width, right * CELL_PX), min(self.height, bottom * CELL_PX))
            for left, top, right, bottom in cut_out(marked.astype(np.bool_))
        ]


def cut_out(marked: npt.NDArray[np.bool_]) -> list[Rectangle]:
    """A few rectangles, none over another, that hold all marked cells: one is cut in two wherever that saves `CUT_CELLS` cells."""
    columns, rows = np.flatnonzero(marked.any(axis=0)), np.flatnonzero(marked.any(axis=1))
    if not len(rows):
        return []
    left, right, top, bottom = int(columns[0]), int(columns[-1]) + 1, int(rows[0]), int(rows[-1]) + 1
    inner = marked[top:bottom, left:right]
    best, axis, at = inner.size - CUT_CELLS, -1, 0
    for along in (0, 1):
        areas = _areas_cut(inner if along else inner.T)
        if len(areas) and int(areas.min()) < best:
            best, axis, at = int(areas.min()), along, int(areas.argmin()) + 1
    if axis < 0:
        return [(left, top, right, bottom)]
    halves = ((inner[:, :at], 0, 0), (inner[:, at:], at, 0)) if axis else ((inner[:at], 0, 0), (inner[at:], 0, at))
    return [(a + left + x, b + top + y, c + left + x, d + top + y) for half, x, y in halves for a, b, c, d in cut_out(half)]


def _areas_cut(marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Cells in the two rectangles round what is marked to the left and to the right of each cut between columns (width - 1,)."""
    height, width = marked.shape
    some: npt.NDArray[np.bool_] = np.asarray(marked.any(axis=0))
    first = np.where(some, marked.argmax(axis=0), height)
    last = np.where(some, height - marked[::-1].argmax(axis=0), 0)

    def area(first: npt.NDArray[np.intp], last: npt.NDArray[np.intp], some: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        tall = np.maximum.accumulate(last) - np.minimum.accumulate(first)
        wide = np.maximum.accumulate(np.where(some, np.arange(1, width + 1), 0))
        return np.asarray(np.maximum(tall, 0) * wide)

    mirrored = area(first[::-1], last[::-1], some[::-1])
    return np.asarray(area(first, last, some)[:-1] + mirrored[::-1][1:])


_OCTAGON = np.array([(math.cos(a), math.sin(a)) for a in np.arange(8) * math.pi / 4]) / math.cos(math.pi / 8)
