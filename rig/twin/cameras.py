"""Cameras of the twin: where they stand, what they see, and what a webcam makes of it.

A camera is drawn for one seed and stays where it is (its true pose goes to the truth log, never to the referee). The picture is drawn by
OpenGL with an ideal lens, bent by the profile's lens model where that is not ideal, and then given a webcam's blur, noise and JPEG.
OpenCV's conventions: pixel centres are integers, x right, y down, z forward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.messages import CameraPose, Tower
from rig.profile import CameraModel, Profile
from rig.twin.opengl import open_context
from rig.twin.poses import HandPose, Poses, poses_of
from rig.twin.repaint import Rectangle, Repaint
from rig.twin.scene import Scene

Picture = npt.NDArray[np.uint8]

AZIMUTHS_DEG = (-90.0, 10.0, 112.0, 205.0)
"""Where cameras 1 to 4 stand round the tower, counter-clockwise from +x: 1 in front, 2 about 100 degrees further."""

JPEG_QUALITY = 85


def draw_camera_poses(count: int, seed: int) -> tuple[CameraPose, ...]:
    """Poses for `count` cameras (1 to 4) about 0.9 m away and 0.6 m up, each a little off as hands put them; PalettiError beyond four."""
    if not 1 <= count <= len(AZIMUTHS_DEG):
        raise PalettiError(f"The twin has room for 1 to {len(AZIMUTHS_DEG)} cameras, not {count}.", "Say --cameras 1, 2, 3 or 4.")
    rng = np.random.default_rng((seed, 0xCA3))
    poses = []
    for k in range(count):
        azimuth = math.radians(AZIMUTHS_DEG[k] + rng.uniform(-6, 6))
        distance, height = rng.uniform(0.90, 0.96), rng.uniform(0.57, 0.63)
        eye = np.array([distance * math.cos(azimuth), distance * math.sin(azimuth), height]) * 1e3
        pitch = math.radians(-19.0 + rng.uniform(-0.8, 0.8))
        heading = azimuth + math.pi + math.radians(rng.uniform(-0.8, 0.8))
        forward = np.array([math.cos(pitch) * math.cos(heading), math.cos(pitch) * math.sin(heading), math.sin(pitch)])
        poses.append(camera_pose(k + 1, eye, forward, roll_deg=rng.uniform(-1.2, 1.2)))
    return tuple(poses)


def camera_pose(number: int, eye_mm: npt.NDArray[np.float64], forward: npt.NDArray[np.float64], roll_deg: float = 0.0) -> CameraPose:
    """The pose of a camera at `eye_mm` looking along `forward`, upright but for `roll_deg`."""
    z = forward / float(np.linalg.norm(forward))
    x = np.cross(z, (0.0, 0.0, 1.0))
    x /= float(np.linalg.norm(x))
    y = np.cross(z, x)
    c, s = math.cos(math.radians(roll_deg)), math.sin(math.radians(roll_deg))
    matrix = np.array([c * x + s * y, c * y - s * x, z])
    rvec, tvec = cv2.Rodrigues(matrix)[0].ravel(), -matrix @ eye_mm
    return CameraPose(number, (float(rvec[0]), float(rvec[1]), float(rvec[2])), (float(tvec[0]), float(tvec[1]), float(tvec[2])))


class Eye:
    """Draws what the cameras see. One OpenGL context; `close` it when done (or use it as a context manager)."""

    def __init__(self, profile: Profile, seed: int, poses: Sequence[CameraPose] | None = None) -> None:
        count = len(profile.cameras)
        self.profile = profile
        self.poses = tuple(poses) if poses is not None else draw_camera_poses(count, seed)
        self.scene = Scene(profile, seed)
        width = max(camera.model.width_px for camera in profile.cameras)
        height = max(camera.model.height_px for camera in profile.cameras)
        self._context = open_context(width, height)
        self._context.make_current()
        model = self.scene.model
        self._mjr = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._mjr)
        self._drawn = mujoco.MjvScene(model, maxgeom=400)
        self._option = mujoco.MjvOption()
        self._perturb = mujoco.MjvPerturb()
        self._bends = {camera.number: _bend(camera.model) for camera in profile.cameras}
        self._webcam = Webcam(width, height, seed)
        for pose in self.poses:
            self._aim(pose)
        self._repaint = Repaint(profile, self.poses, self.scene.lamp_direction)
        self._last = [np.zeros((lens.height_px, lens.width_px, 3), np.uint8) for lens in (self._lens(pose) for pose in self.poses)]

    def _lens(self, pose: CameraPose) -> CameraModel:
        return self.profile.camera(pose.camera).model

    def _aim(self, pose: CameraPose) -> None:
        rotation = cv2.Rodrigues(np.array(pose.rvec))[0]
        camera = self.scene.model.camera(f"camera{pose.camera}")
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, (rotation.T @ np.diag([1.0, -1.0, -1.0])).ravel())
        camera.pos[:] = -rotation.T @ np.array(pose.tvec_mm) / 1e3
        camera.quat[:] = turn

    def see(self, poses: Poses, hands: Sequence[HandPose] = ()) -> list[Picture]:
        """One ideal picture (BGR, no noise) a camera of the pieces at `poses`.

        Only the part that can have changed since the last call is drawn anew (`repaint.py`).
        """
        parts = self._repaint.parts(poses, hands)
        if any(part is not None for part in parts):
            self.scene.place(poses, hands)
        for last, pose, part in zip(self._last, self.poses, parts, strict=True):
            if part is not None:
                left, top, right, bottom = part
                last[top:bottom, left:right] = self._draw(pose.camera, part)
        return [self._bent(last, pose) for last, pose in zip(self._last, self.poses, strict=True)]

    def _draw(self, number: int, part: Rectangle) -> Picture:
        """This part of the ideal picture, BGR."""
        lens = self.profile.camera(number).model
        left, top, right, bottom = part
        self._context.make_current()
        view = mujoco.MjvCamera()
        view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        view.fixedcamid = self.scene.model.camera(f"camera{number}").id
        mujoco.mjv_updateScene(
            self.scene.model, self.scene.data, self._option, self._perturb, view, mujoco.mjtCatBit.mjCAT_ALL.value, self._drawn
        )
        for half in self._drawn.camera:  # MuJoCo draws the mean of two eyes; the frustum's edges lie on pixels' edges
            pixel = (half.frustum_top - half.frustum_bottom) / lens.height_px
            half.frustum_center = ((left + right) / 2 - lens.width_px / 2) * pixel
            half.frustum_width = (right - left) / 2 * pixel
            half.frustum_bottom = half.frustum_top - bottom * pixel
            half.frustum_top = half.frustum_top - top * pixel
        viewport = mujoco.MjrRect(0, 0, right - left, bottom - top)
        mujoco.mjr_render(viewport, self._drawn, self._mjr)
        pixels = np.empty((bottom - top, right - left, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, viewport, self._mjr)
        return np.asarray(cv2.cvtColor(cv2.flip(pixels, 0), cv2.COLOR_RGB2BGR), np.uint8)

    def _bent(self, picture: Picture, pose: CameraPose) -> Picture:
        bend = self._bends[pose.camera]
        if bend is None:
            return picture.copy()
        return np.asarray(cv2.remap(picture, bend[0], bend[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def webcam(self, picture: Picture) -> Picture:
        """What the sensor makes of an ideal picture: the next frame's noise on it."""
        return self._webcam.spoil(picture)

    def close(self) -> None:
        self._mjr.free()
        self._context.free()

    def __enter__(self) -> Eye:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Webcam:
    """Blur and noise of a small sensor. The noise is drawn once and laid on from another corner each time: fast and as unlike as needed."""

    def __init__(self, width_px: int, height_px: int, seed: int, noise: float = 1.6, blur_px: float = 0.55) -> None:
        rng = np.random.default_rng((seed, 0x0153))
        grain = rng.normal(0.0, noise, (height_px + 257, width_px + 257, 3)).astype(np.float32)
        self._grain = np.asarray(np.rint(grain), np.int16)
        self._blur_px = blur_px
        self._rng = rng

    def spoil(self, picture: Picture) -> Picture:
        height, width = picture.shape[:2]
        y, x = (int(v) for v in self._rng.integers(0, 257, 2))
        soft = cv2.GaussianBlur(picture, (3, 3), self._blur_px)
        return np.asarray(cv2.add(soft, self._grain[y : y + height, x : x + width], dtype=cv2.CV_8U), np.uint8)


def _bend(lens: CameraModel) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]] | None:
    """For every pixel of the real lens the place in the ideal picture (focal length fy, centred); None if the lens is ideal."""
    middle = ((lens.width_px - 1) / 2, (lens.height_px - 1) / 2)
    if not any(lens.distortion) and lens.fx_px == lens.fy_px and (lens.cx_px, lens.cy_px) == middle:
        return None
    matrix = np.array([[lens.fx_px, 0, lens.cx_px], [0, lens.fy_px, lens.cy_px], [0, 0, 1]])
    ideal = np.array([[lens.fy_px, 0, middle[0]], [0, lens.fy_px, middle[1]], [0, 0, 1]])
    grid = np.stack(np.meshgrid(np.arange(lens.width_px), np.arange(lens.height_px)), axis=-1).reshape(-1, 1, 2).astype(np.float64)
    source = cv2.undistortPoints(grid, matrix, np.array(lens.distortion), P=ideal).reshape(lens.height_px, lens.width_px, 2)
    return np.asarray(source[..., 0], np.float32), np.asarray(source[..., 1], np.float32)


def to_jpeg(picture: Picture, quality: int = JPEG_QUALITY) -> bytes:
    ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise ValueError("a picture cannot be written as JPEG")
    return data.tobytes()


def render_tower(profile: Profile, tower: Tower, seed: int, hands: Sequence[HandPose] = (), cameras: int = 2) -> list[Picture]:
    """Pictures (BGR) of a tower that stands still, as the first `cameras` cameras of `profile` deliver them (noise and JPEG included).

    The cameras' true poses are `draw_camera_poses(cameras, seed)`. For many pictures of one rig keep an `Eye`.
    """
    shown = _with_cameras(profile, cameras)
    with Eye(shown, seed) as eye:
        pictures = eye.see(poses_of(profile, tower), hands)
        delivered = [cv2.imdecode(np.frombuffer(to_jpeg(eye.webcam(picture)), np.uint8), cv2.IMREAD_COLOR) for picture in pictures]
    return [np.asarray(picture, np.uint8) for picture in delivered]


def _with_cameras(profile: Profile, count: int) -> Profile:
    if count > len(profile.cameras):
        raise PalettiError(f"The profile has {len(profile.cameras)} cameras, not {count}.", "Make the profile with as many cameras.")
    return Profile(**{name: getattr(profile, name) for name in profile.__struct_fields__} | {"cameras": profile.cameras[:count]})
