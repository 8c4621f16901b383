"""How far a pose may be off at the fifth floor: what the markers' corners leave open, and what the lens does.

Corners scatter each by itself, by noise, and four together, where a marker is printed or glued a little off; the second weighs more, since
it does not average out over a marker. A lens in doubt moves every corner and every place up there at once; the pose follows the corners
and so takes back some of it. A frame printed larger or smaller as a whole is not in doubt here: it is the rig's own millimetre.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.messages import CameraPose
from rig.profile import CameraModel, LensDoubt
from vision.arrays import Floats
from vision.camera.lens import slopes_of
from vision.camera.view import CameraView

TOP_POINT_MM = np.array([(0.0, 0.0, 525.0), (80.0, 0.0, 525.0), (-80.0, 0.0, 525.0), (0.0, 80.0, 525.0), (0.0, -80.0, 525.0)])
"""Places on the fifth floor of the nominal tower at which the pose's error is quoted. By design: where an error of the pose weighs most,
five floors up, in the middle and towards each side."""

LEAST_PX = 0.035
"""Scatter of a corner along one axis that is taken for granted, however well the corners of one picture fit (px). Set by hand on tuning
seeds; not measured on a spread of rooms."""


def top_error_mm(
    model: CameraModel, pose: CameraPose, corners_mm: Floats, others: Floats, away_px: Floats, used: npt.NDArray[np.bool_], doubt: LensDoubt
) -> float:
    """Rms displacement at the fifth floor across the line of sight (one standard deviation, mm), by linear error propagation.

    `corners_mm` (4 m, 3) of m markers, four each; `others` (4 m, 2, k): how the corners move with whatever else was fitted (bloom);
    `away_px` (4 m, 2): what is left of each corner; `used` (4 m,): those that count.

    `model` is the lens, `pose` where the camera was found to stand, `doubt` the lens's own uncertainty (columns of a square root of its
    covariance).
    """
    by_pose, by_lens = slopes_of(model, pose, corners_mm)
    top_by_pose, top_by_lens = slopes_of(model, pose, TOP_POINT_MM)
    rows = np.concatenate((by_pose, others), axis=2)[used].reshape(2 * int(used.sum()), -1)
    answer = np.linalg.pinv(rows)[:6]  # how the pose follows the corners
    inverse = np.linalg.pinv(rows.T @ rows)[:6, :6]
    top = top_by_pose.reshape(-1, 6)
    corners = np.einsum("ij,jk,ik->i", top, inverse, top) * _scatter_px(away_px, used) ** 2
    ways = np.array(doubt).reshape(-1, by_lens.shape[2])
    seen = by_lens[used].reshape(len(rows), -1) @ ways.T
    lens = top_by_lens.reshape(len(top), -1) @ ways.T - top @ answer @ seen
    variance = corners.mean() + np.square(lens).sum(1).mean()
    return float(np.sqrt(2 * variance) / CameraView.of(model, pose).px_per_mm(TOP_POINT_MM[0]))


def _scatter_px(away_px: Floats, used: npt.NDArray[np.bool_]) -> float:
    """The standard deviation along one axis (px) of corners that stand for themselves; more, where the four of a marker err together."""
    single = float(np.sqrt(np.square(away_px[used]).mean()))
    whole = used.reshape(-1, 4).all(1)
    if whole.sum() < 2:
        return max(single, LEAST_PX)
    middles = away_px.reshape(-1, 4, 2)[whole].mean(1)
    return max(single, 2 * float(np.sqrt(np.square(middles).mean())), LEAST_PX)
