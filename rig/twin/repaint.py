"""Which part of a picture can have changed since it was last drawn: so that only that part is drawn again.

Drawing is the twin's greatest cost, and between two pictures mostly one hand and one column have moved. Whatever moved is enclosed in
balls, where it was and where it is, and so are their shadows on table and floor; the smallest rectangle round all their images is drawn
anew. A piece that stirred by less than `STILL_M` since it was last drawn (a hundredth of a pixel) counts as still.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import cv2
import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.pieces import Floor
from rig.profile import Profile
from rig.twin.poses import HandPose, PieceOrder, Poses

Array = npt.NDArray[np.float64]
Rectangle = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""

STILL_M = 5e-6
STILL_TURN = 2e-5
"""Of a quaternion's parts: a plateau's rim then moves by under 5 um."""
MARGIN_PX = 4
"""For the shadow map's soft edge and the pixel grid."""
ARM_M = 0.85
HAND_RADIUS_M = 0.065
TABLE_HALF_M = (0.72, 0.62)
FLOOR_Z_M = -0.78


class Repaint:
    """Keeps, for all cameras, what was drawn last; `parts` says what must be drawn anew for the next picture."""

    def __init__(self, profile: Profile, poses: Sequence[CameraPose], light: Array) -> None:
        order = PieceOrder.of(profile.pieces)
        self._radius_m = np.array(
            [
                max(math.hypot(x, y) for x, y in profile.plateaus[piece].outline_mm) / 1e3 + 0.005
                if isinstance(piece, Floor)
                else math.hypot(profile.columns[piece.shape].radius_mm, profile.columns[piece.shape].height_mm / 2) / 1e3 + 0.002
                for piece in order.pieces
            ]
        )
        self._views = [_View(profile, pose) for pose in poses]
        self._light = light / abs(float(light[2]))
        self._table_z_m = profile.base.table_z_mm / 1e3
        self._drawn: Poses | None = None
        self._hands: tuple[HandPose, ...] = ()

    def parts(self, poses: Poses, hands: Sequence[HandPose]) -> list[Rectangle | None]:
        """For each camera the rectangle to draw anew, None if nothing; the whole picture the first time. What is told is taken as drawn."""
        before = self._drawn
        if before is None:
            self._drawn, self._hands = Poses(poses.position_m.copy(), poses.turn.copy()), tuple(hands)
            return [(0, 0, view.width, view.height) for view in self._views]
        shifted = np.abs(poses.position_m - before.position_m).max(axis=1) > STILL_M
        moved = shifted | (np.abs(poses.turn - before.turn).max(axis=1) > STILL_TURN)
        balls = [(at, r) for rows in (before, poses) for at, r in zip(rows.position_m[moved], self._radius_m[moved], strict=True)]
        if tuple(hands) != self._hands:
            balls += [ball for hand in (*self._hands, *hands) for ball in _arm(hand)]
        before.position_m[moved], before.turn[moved] = poses.position_m[moved], poses.turn[moved]
        self._hands = tuple(hands)
        if not balls:
            return [None] * len(self._views)
        balls += [shadow for ball in balls for shadow in self._shadows(ball)]
        return [view.rectangle(balls) for view in self._views]

    def _shadows(self, ball: tuple[Array, float]) -> Iterable[tuple[Array, float]]:
        """The shadow is a smear no wider than 1.5 balls for lamps this high; what lies between ball and shadow is within their hull."""
        at, radius = ball
        onto = at + self._light * max(0.0, float(at[2]) - self._table_z_m)
        yield onto, 1.5 * radius
        if abs(onto[0]) + radius > TABLE_HALF_M[0] or abs(onto[1]) + radius > TABLE_HALF_M[1]:
            yield at + self._light * max(0.0, float(at[2]) - FLOOR_Z_M), 1.5 * radius


def _arm(hand: HandPose) -> Iterable[tuple[Array, float]]:
    tip, elbow = np.array(hand.tip_mm) / 1e3, np.array(hand.elbow_mm) / 1e3
    along = (elbow - tip) / max(float(np.linalg.norm(elbow - tip)), 1e-6)
    for reach in np.linspace(0.0, ARM_M, 5):
        yield tip + along * reach, HAND_RADIUS_M


class _View:
    """One camera's ideal lens and pose, for enclosing balls in its picture."""

    def __init__(self, profile: Profile, pose: CameraPose) -> None:
        lens = profile.camera(pose.camera).model
        self.width, self.height, self._focal = lens.width_px, lens.height_px, lens.fy_px
        self._matrix = np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0], float)
        self._shift = np.array(pose.tvec_mm) / 1e3

    def rectangle(self, balls: Sequence[tuple[Array, float]]) -> Rectangle | None:
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
