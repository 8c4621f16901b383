"""Pictures of flat boards as a camera with a known lens sees them: the truth for tests of the lens's calibration.

Drawn here by ray casting from the board's own print, not by the code under test: every pixel's ray is bent back through the lens and meets
the board's plane, several rays a pixel, then blur and noise as of a small sensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.boards import Board, Kind, charuco_of, grid_of
from rig.profile import CameraModel
from rig.twin.pictures.lenses import rays_through

Grey = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

PX_PER_MM = 6
OVER = 2


@dataclass(frozen=True, slots=True)
class Held:
    """How the board is held: turned about the picture's x, y and z (degrees), its middle at (x, y, z) mm before the camera."""

    tilt_x: float
    tilt_y: float
    roll: float
    x: float
    y: float
    z: float


def printed(board: Board, margin_mm: float = 12.0, ground: int = 255) -> tuple[Grey, Floats]:
    """The print at `PX_PER_MM`, and the board's origin in it (mm)."""
    pitch = board.pitch_mm
    if board.kind is Kind.CHESSBOARD:
        columns, rows = board.columns + 1, board.rows + 1
        cells = (np.add.outer(np.arange(rows), np.arange(columns)) % 2 * 255).astype(np.uint8)
        sheet = np.kron(cells, np.ones((round(pitch * PX_PER_MM),) * 2, np.uint8))
        origin = np.array((pitch, pitch))
    elif board.kind is Kind.CHARUCO:
        size = (round(board.columns * pitch * PX_PER_MM), round(board.rows * pitch * PX_PER_MM))
        sheet = np.asarray(charuco_of(board).generateImage(size, marginSize=0), np.uint8)
        origin = np.zeros(2)
    else:
        gap = pitch - board.marker_mm
        size = (round((board.columns * pitch - gap) * PX_PER_MM), round((board.rows * pitch - gap) * PX_PER_MM))
        sheet = np.asarray(grid_of(board).generateImage(size, marginSize=0), np.uint8)
        origin = np.zeros(2)
    edge = round(margin_mm * PX_PER_MM)
    return np.asarray(cv2.copyMakeBorder(sheet, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=ground), np.uint8), origin + margin_mm


@cache
def _rays(lens: CameraModel) -> Floats:
    """Directions (n, 3) of `OVER` x `OVER` rays a pixel."""
    size = (lens.height_px * OVER, lens.width_px * OVER)
    grid = (np.stack(np.meshgrid(np.arange(size[1]), np.arange(size[0])), axis=-1) + 0.5) / OVER - 0.5
    rays = rays_through(lens, grid).reshape(-1, 2)
    return np.column_stack((rays, np.ones(len(rays))))


def photograph(
    board: Board,
    lens: CameraModel,
    held: Held,
    seed: int = 1,
    ground: int = 255,
    blur_px: float = 0.7,
    bloom_px: int = 0,
    noise: float = 2.0,
) -> Grey:
    """A picture of the board; `bloom_px` widens everything white by so many half pixels."""
    sheet, origin = printed(board, ground=ground)
    middle = np.array((sheet.shape[1], sheet.shape[0])) / PX_PER_MM / 2 - origin
    turn = cv2.Rodrigues(np.radians(np.array((held.tilt_x, 0.0, 0.0))))[0] @ cv2.Rodrigues(np.radians(np.array((0.0, held.tilt_y, 0.0))))[0]
    turn = cv2.Rodrigues(np.radians(np.array((0.0, 0.0, held.roll))))[0] @ turn
    shift = np.array((held.x, held.y, held.z)) - turn @ np.append(middle, 0.0)
    w, h, over = lens.width_px, lens.height_px, OVER
    rays3 = _rays(lens)
    normal = turn[:, 2]
    depth = (normal @ shift) / (rays3 @ normal)
    flat = (rays3 * depth[:, None] - shift) @ turn[:, :2]
    place = ((flat + origin) * PX_PER_MM - 0.5).astype(np.float32).reshape(h * over, w * over, 2)
    picture = cv2.remap(sheet, place[..., 0], place[..., 1], cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=70)
    if bloom_px:
        picture = cv2.dilate(picture, np.ones((1 + 2 * bloom_px,) * 2, np.uint8))
    small = cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)
    soft = cv2.GaussianBlur(small * 0.75 + 25, (0, 0), blur_px)
    return np.asarray(np.clip(soft + np.random.default_rng(seed).normal(0, noise, soft.shape), 0, 255), np.uint8)


def held_around(lens: CameraModel, reach_mm: float, count: int = 9, seed: int = 5, tilt: float = 35.0) -> Sequence[Held]:
    """Poses tilted to all sides and spread over the picture."""
    rng = np.random.default_rng(seed)
    held = []
    for k in range(count):
        angle = 2 * np.pi * k / count
        side = 0.28 * reach_mm / lens.focal_px * lens.width_px
        held.append(
            Held(
                tilt * np.sin(angle) + rng.uniform(-4, 4), tilt * np.cos(angle) + rng.uniform(-4, 4), rng.uniform(-15, 15),
                side * np.cos(angle + 0.7), 0.75 * side * np.sin(angle + 0.7), reach_mm * rng.uniform(0.95, 1.15),
            )
        )  # fmt: skip
    return held
