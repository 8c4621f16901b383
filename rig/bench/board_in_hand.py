"""The printed ChArUco board in a person's hand, before one of the twin's webcams: what `paletti calibrate camera --board` would be shown.

The board hangs before what the camera sees anyway, by ray casting through the true lens, and the picture then goes the way of any other
picture of that camera: exposure, white balance, vignetting, blur, noise, JPEG. The sheet is a home print on card: its two directions
differ in scale by a thousandth, it is bowed by a fraction of a millimetre, and the hand that holds it trembles.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from calibration.guidance import WANTED
from calibration.tower import BOARD
from rig.bench.board_views import PX_PER_MM, Held, printed
from rig.cli.calibrate_camera import Grey, grey_of
from rig.profile import CameraModel
from rig.twin.pictures.cameras import from_jpeg, to_jpeg
from rig.twin.pictures.developing import Develops, PlainSensor, Sensor
from rig.twin.pictures.lenses import rays_through, seen_through
from rig.twin.pictures.level_pictures import PictureLevel

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

BOW_MM = 0.3
"""How far the sheet's middle lies before its edges (standard deviation), bent like a spring along any direction: card of a millimetre, held
at its edges."""

CURL_MM = 0.15
"""How far its corners curl (standard deviation), with the fourth power of the distance from the middle."""

PRINT_ASPECT = 0.001
"""By how much printers stretch one direction against the other (standard deviation)."""

TREMBLE_MM, TREMBLE_DEG = 0.15, 0.03
"""Of a hand that holds still, from one picture to the next a tenth of a second later."""

TAKE_S = 0.1
MOVE_S = 4.0
"""What a person needs to hold the board another way; assumed."""

PAPER = 222.0
"""Brightness (of 255) of the sheet's white under the lamp before the camera finds its exposure; black ink gives a tenth of it."""

OVER = 2
"""Rays a pixel, each way, on and round the board."""

STEP = 4
"""Pixels from one ray that is computed to the next; between them places on the sheet are linear within a thousandth of a pixel or two."""


class BoardInHand:
    """Pictures of the board by one camera; `told` is what the guide says, `take` gives the next picture (grey).

    Where `told` asks for a pose the hand goes there, more or less; if the guide is not content after `PATIENCE` pictures, it tries anew.
    """

    PATIENCE = 6

    def __init__(
        self, lens: CameraModel, background: Picture, level: PictureLevel, seed: int, camera: int, coarse: bool, quality: int
    ) -> None:
        rng = self._rng = np.random.default_rng((seed, camera, 0xB0A2D))
        self._lens, self._background, self._quality = lens, background, quality
        width, height = lens.width_px, lens.height_px
        self._sensor: Develops = (
            PlainSensor(width, height, seed) if level.plain_sensor else Sensor(width, height, seed, camera, level, coarse=coarse)
        )
        self._bow_mm, self._curl_mm, self._bent = (
            float(rng.normal(0, BOW_MM)),
            float(rng.normal(0, CURL_MM)),
            float(rng.uniform(0, math.pi)),
        )
        self._aspect = 1.0 + float(rng.normal(0, PRINT_ASPECT))
        sheet, self._origin = printed(BOARD)
        self._sheet = (PAPER * (0.1 + 0.9 * sheet.astype(np.float32) / 255)).astype(np.float32)
        self._shade = float(rng.uniform(0.75, 1.0))
        self._wish, self._held, self._shown, self._t_s = WANTED[0][0], self._posed(WANTED[0][0]), 0, 0.0
        self.taken = 0
        self.held_anew = 0

    def told(self, sentence: str) -> None:
        names = [name for name, words in WANTED if words == sentence]
        if names:
            self._wish = names[0]
            self._hold_anew()

    def take(self) -> Grey:
        if self._shown >= self.PATIENCE:
            self._hold_anew()
        self._shown += 1
        self.taken += 1
        self._t_s += TAKE_S
        picture = self._sensor.spoil(self._ideal(self._trembling(self._held)), self._t_s)
        return grey_of(from_jpeg(to_jpeg(picture, self._quality)))

    @property
    def person_s(self) -> float:
        """How long the person has been at it."""
        return self.held_anew * MOVE_S + self.taken * TAKE_S

    # ------------------------------------------------------------ how it is held

    def _hold_anew(self) -> None:
        self._held, self._shown = self._posed(self._wish), 0
        self.held_anew += 1

    def _posed(self, wish: str) -> Held:
        """Somehow as asked: by 30 to 45 degrees where the guide says so, the board's long side along the picture's long side or across."""
        rng, lens = self._rng, self._lens
        roll = float(rng.choice((0.0, 90.0)) + rng.uniform(-12, 12))
        near = float(rng.uniform(310, 400))
        tilt = float(rng.uniform(30, 43))
        slight = [float(value) for value in rng.uniform(-12, 12, 2)]
        match wish:
            case "front":
                return Held(slight[0] / 3, slight[1] / 3, roll, 0.0, 0.0, near)
            case "left" | "right":
                return Held(slight[0], tilt if wish == "left" else -tilt, roll, 0.0, slight[1], near)
            case "up" | "down":
                return Held(-tilt if wish == "up" else tilt, slight[0], roll, 0.0, slight[1], near)
        far = float(rng.uniform(380, 480))
        x = 0.22 * far * lens.width_px / lens.focal_px * (-1 if wish.endswith("left") else 1)
        y = 0.25 * far * lens.height_px / lens.focal_px * (-1 if wish.startswith("upper") else 1)
        little = [float(value) for value in rng.choice((-1, 1), 2) * rng.uniform(10, 25, 2)]
        return Held(little[0], little[1], roll, x, y, far)

    def _trembling(self, held: Held) -> Held:
        turns = self._rng.normal(0, TREMBLE_DEG, 3)
        shifts = self._rng.normal(0, TREMBLE_MM, 3)
        return Held(
            held.tilt_x + turns[0], held.tilt_y + turns[1], held.roll + turns[2], held.x + shifts[0], held.y + shifts[1], held.z + shifts[2]
        )  # fmt: skip

    # ------------------------------------------------------------ what is seen

    def _ideal(self, held: Held) -> Picture:
        """The board before the background (BGR, no noise), drawn in the rectangle round it alone."""
        lens = self._lens
        middle = np.array((self._sheet.shape[1], self._sheet.shape[0])) / PX_PER_MM / 2 - self._origin
        turn = _turn(held)
        shift = np.array((held.x, held.y, held.z)) - turn @ np.append(middle, 0.0)
        half = np.array((self._sheet.shape[1], self._sheet.shape[0])) / PX_PER_MM / 2
        rim = np.array([(middle[0] + a * half[0], middle[1] + b * half[1], 0.0) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
        seen = seen_through(lens, rim, cv2.Rodrigues(turn)[0], shift)
        low, high = seen.min(0), seen.max(0)
        left, top = (max(int(value) - 8, 0) for value in low)
        right, bottom = min(int(high[0]) + 9, lens.width_px), min(int(high[1]) + 9, lens.height_px)
        picture = self._background.copy()
        if right <= left or bottom <= top:
            return picture
        place = self._places(turn, shift, middle, half, (left, top, right, bottom))
        sheet = cv2.remap(self._sheet, place[..., 0], place[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=-1.0)
        on = (sheet >= 0).astype(np.float32)
        size = (right - left, bottom - top)
        share = cv2.resize(on, size, interpolation=cv2.INTER_AREA)[..., None]
        board = cv2.resize(np.maximum(sheet, 0) * on, size, interpolation=cv2.INTER_AREA)[..., None]
        part = picture[top:bottom, left:right].astype(np.float32)
        picture[top:bottom, left:right] = np.rint(part * (1 - share) + self._shade * board).astype(np.uint8)
        return picture

    def _bow(self, share: Floats) -> Floats:
        """How far the sheet lies before its plane (n,), at places (n, 2) as shares of its half length and width."""
        along = np.clip(share @ (math.cos(self._bent), math.sin(self._bent)), -1.5, 1.5)
        return np.asarray(self._bow_mm * np.cos(along * math.pi / 2) + self._curl_mm * np.clip(np.square(share).mean(1), 0, 1.5) ** 2)

    def _places(
        self, turn: Floats, shift: Floats, middle: Floats, half: Floats, part: tuple[int, int, int, int]
    ) -> npt.NDArray[np.float32]:
        """Where on the sheet (px) each ray through this part of the picture falls."""
        left, top, right, bottom = part
        wide, high = (math.ceil((b - a) / STEP) + 2 for a, b in ((left, right), (top, bottom)))
        x, y = ((np.arange(count) - 0.5) * STEP - 0.5 + start for count, start in ((wide, left), (high, top)))
        grid = np.stack(np.meshgrid(x, y), axis=-1)
        rays = rays_through(self._lens, grid).reshape(-1, 2)
        local = np.column_stack((rays, np.ones(len(rays)))) @ turn  # the rays in the board's own directions
        eye = -turn.T @ shift
        flat = eye[:2] - local[:, :2] * (eye[2] / local[:, 2:])
        bow = self._bow((flat - middle) / half)
        flat += local[:, :2] / local[:, 2:] * bow[:, None]  # a bowed sheet is met a little earlier or later
        flat[:, 0] = middle[0] + (flat[:, 0] - middle[0]) / self._aspect
        places = np.asarray((flat + self._origin) * PX_PER_MM - 0.5, np.float32).reshape(grid.shape)
        fine = STEP * OVER
        smooth = cv2.resize(places, (wide * fine, high * fine), interpolation=cv2.INTER_LINEAR)
        return np.asarray(smooth[fine : fine + (bottom - top) * OVER, fine : fine + (right - left) * OVER], np.float32)


def _turn(held: Held) -> Floats:
    first, second, third = (
        np.asarray(cv2.Rodrigues(np.radians(np.array(axis)))[0], np.float64)
        for axis in ((held.tilt_x, 0.0, 0.0), (0.0, held.tilt_y, 0.0), (0.0, 0.0, held.roll))
    )
    return third @ first @ second
