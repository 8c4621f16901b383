"""Which part of a picture can have changed since it was last drawn: so that only that part is drawn again.

Drawing is the twin's greatest cost, and between two pictures mostly one hand and one column have moved. Whatever moved is enclosed in
balls, where it was and where it is, and so are their shadows on table and floor (one for each lamp that casts any); the smallest
rectangle round all their images is drawn anew. A piece that stirred by less than `STILL_M` since it was
last drawn (a hundredth of a pixel) counts as still.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.pieces import Floor
from rig.profile import Profile
from rig.twin.lenses import Bend
from rig.twin.moving import Instant
from rig.twin.poses import HOOK_M, HandPose, PieceOrder, Poses

Array = npt.NDArray[np.float64]
Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""
Ball = tuple[Array, float]
"""Middle and radius, metres."""

STILL_M = 5e-6
STILL_TURN = 2e-5
"""Of a quaternion's parts: a plateau's rim then moves by under 5 um."""
MARGIN_PX = 4
"""For the shadow map's soft edge and the pixel grid."""
ARM_M = 0.85
HAND_RADIUS_M = 0.065
FLOOR_Z_M = -0.78


class Repaint:
    """Keeps, for all cameras, what was drawn last; `parts` says what must be drawn anew for the next picture.

    `views`: by camera number the pinhole picture that is drawn. `lights`: where each shadow-casting lamp's light goes, unit vectors.
    """

    def __init__(
        self,
        profile: Profile,
        poses: Sequence[CameraPose],
        views: Mapping[int, Bend],
        lights: Sequence[Array],
        table_half_m: tuple[float, float],
    ) -> None:
        order = PieceOrder.of(profile.pieces)
        self._radius_m = np.array(
            [
                max(math.hypot(x, y) for x, y in profile.plateaus[piece].outline_mm) / 1e3 + 0.005
                if isinstance(piece, Floor)
                else math.hypot(profile.columns[piece.shape].radius_mm, profile.columns[piece.shape].height_mm / 2) / 1e3 + 0.002
                for piece in order.pieces
            ]
        )
        self._views = [_View(views[pose.camera], pose) for pose in poses]
        # A ball's shadow is an ellipse, stretched by as much as the lamp is low.
        self._lights = [(light / abs(float(light[2])), max(1.5, 1.1 / abs(float(light[2])))) for light in lights]
        self._table_half_m = table_half_m
        self._table_z_m = profile.base.table_z_mm / 1e3
        self._drawn: Poses | None = None
        self._hands: tuple[HandPose, ...] = ()

    def forget(self, views: Mapping[int, Bend], poses: Sequence[CameraPose]) -> None:
        """A camera or the light has moved: everything must be drawn anew."""
        self._views = [_View(views[pose.camera], pose) for pose in poses]
        self._drawn = None

    def parts(self, poses: Poses, hands: Sequence[HandPose], besides: Sequence[Ball] = ()) -> list[Rectangle | None]:
        """For each camera the rectangle to draw anew, None if nothing; the whole picture the first time. What is told is taken as drawn.

        `besides`: balls (m) in which something else has changed.
        """
        before = self._drawn
        if before is None:
            self._drawn, self._hands = Poses(poses.position_m.copy(), poses.turn.copy()), tuple(hands)
            return [(0, 0, view.width, view.height) for view in self._views]
        moved, balls = self._changed(before, self._hands, poses, hands)
        before.position_m[moved], before.turn[moved] = poses.position_m[moved], poses.turn[moved]
        self._hands = tuple(hands)
        return self._rectangles([*balls, *besides])

    def over(self, first: Instant, last: Instant) -> list[Rectangle | None]:
        """For each camera the rectangle in which anything changes on the way from `first` to `last`; takes nothing as drawn."""
        return self._rectangles(self._changed(first.poses, first.hands, last.poses, last.hands)[1])

    def _changed(
        self, before: Poses, hands_before: Sequence[HandPose], poses: Poses, hands: Sequence[HandPose]
    ) -> tuple[npt.NDArray[np.bool_], list[Ball]]:
        """Which pieces have moved, and balls round all that has."""
        shifted = np.abs(poses.position_m - before.position_m).max(axis=1) > STILL_M
        moved = shifted | (np.abs(poses.turn - before.turn).max(axis=1) > STILL_TURN)
        balls = [(at, r) for rows in (before, poses) for at, r in zip(rows.position_m[moved], self._radius_m[moved], strict=True)]
        if tuple(hands) != tuple(hands_before):
            balls += [ball for hand in (*hands_before, *hands) for ball in _arm(hand)]
        return moved, balls

    def _rectangles(self, balls: list[Ball]) -> list[Rectangle | None]:
        if not balls:
            return [None] * len(self._views)
        shadows = [shadow for ball in balls for shadow in self._shadows(ball)]
        return [view.rectangle([*balls, *shadows]) for view in self._views]

    def _shadows(self, ball: Ball) -> Iterable[Ball]:
        """Where a ball's shadows fall; what lies between ball and shadow is within their hull."""
        at, radius = ball
        for light, stretch in self._lights:
            onto = at + light * max(0.0, float(at[2]) - self._table_z_m)
            yield onto, stretch * radius
            if abs(onto[0]) + radius > self._table_half_m[0] or abs(onto[1]) + radius > self._table_half_m[1]:
                yield at + light * max(0.0, float(at[2]) - FLOOR_Z_M), stretch * radius


def _arm(hand: HandPose) -> Iterable[Ball]:
    tip, elbow = np.array(hand.tip_mm) / 1e3, np.array(hand.elbow_mm) / 1e3
    along = (elbow - tip) / max(float(np.linalg.norm(elbow - tip)), 1e-6)
    for reach in np.linspace(0.0, ARM_M + (HOOK_M if hand.hook else 0.0), 5):
        yield tip + along * reach, HAND_RADIUS_M


class _View:
    """One camera's pinhole picture and pose, for enclosing balls in it."""

    def __init__(self, view: Bend, pose: CameraPose) -> None:
        self.width, self.height, self._focal = view.width_px, view.height_px, view.focal_px
        self._matrix = np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0], float)
        self._shift = np.array(pose.tvec_mm) / 1e3

    def rectangle(self, balls: Sequence[Ball]) -> Rectangle | None:
        centres = np.array([at for at, _ in balls]) @ self._matrix.T + self._shift
        radii = np.array([radius for _, radius in balls])
        depth = centres[:, 2] - radii
        if (depth < 0.05).any():  # something reaches past the lens: its image has no bounds
            return (0, 0, self.width, self.height)
        centre = np.array([(self.width - 1) / 2, (self.height - 1) / 2])
        image = centre + self._focal * centres[:, :2] / centres[:, 2:3]
        # A ball's image reaches a little further than radius / depth off the axis; the nearer depth bounds it.
        reach = self._focal * radii / depth * (1 + np.abs(centres[:, :2]).max(axis=1) / depth)
        low = np.floor((image - reach[:, None]).min(axis=0)).astype(int) - MARGIN_PX
        high = np.ceil((image + reach[:, None]).max(axis=0)).astype(int) + MARGIN_PX
        left, top = max(0, int(low[0])), max(0, int(low[1]))
        right, bottom = min(self.width, int(high[0])), min(self.height, int(high[1]))
        return (left, top, right, bottom) if left < right and top < bottom else None
