"""Cameras of the twin: where they stand, what they see, and what a webcam makes of it.

A camera is drawn for one seed and stays where it is unless somebody knocks it (its true pose and lens are the truth's, never
the referee's). The picture is drawn by OpenGL with an ideal lens, bent by the true lens (`lenses.py`), and then given a webcam's blur,
noise and JPEG (`developing.py`). OpenCV's conventions: pixel centres are integers, x right, y down, z forward.

Rolling shutter and motion blur are an approximation: where something moves during the exposure, a few instants are drawn and every line
of the sensor takes the mean of those that it was exposed to. The cameras stand on their side, so the sensor's lines are the picture's
columns.
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
from rig.twin.physics.poses import HandPose, Poses, poses_of
from rig.twin.pictures.developing import Develops, PlainSensor, Sensor
from rig.twin.pictures.lenses import LensMap, true_lenses
from rig.twin.pictures.level_pictures import LAB, PictureLevel
from rig.twin.pictures.moving import Instant, between, instants_for, line_weights
from rig.twin.pictures.opengl import open_context
from rig.twin.pictures.painter import Painter, Paints
from rig.twin.pictures.repaint import Rectangle, Repaint
from rig.twin.pictures.scene import CODE_LIGHT_MM, RenderScene, WorldName

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


def nudged(pose: CameraPose, turn_deg: Sequence[float], shift_mm: Sequence[float]) -> CameraPose:
    """The camera after a knock: turned about its own axes and shifted along them."""
    knock = np.asarray(cv2.Rodrigues(np.radians(np.asarray(turn_deg, float)))[0])
    matrix = knock @ np.asarray(cv2.Rodrigues(np.array(pose.rvec))[0])
    rvec = cv2.Rodrigues(matrix)[0].ravel()
    tvec = knock @ np.array(pose.tvec_mm) - np.asarray(shift_mm, float)
    return CameraPose(pose.camera, (float(rvec[0]), float(rvec[1]), float(rvec[2])), (float(tvec[0]), float(tvec[1]), float(tvec[2])))


class Eye:
    """Draws what the cameras see. One OpenGL context; `close` it when done (or use it as a context manager).

    `poses` and `lenses` are the true ones, drawn from the seed unless given (`lab` has the profile's own lenses); they may be read at any
    time. `code_light`: one small light on the apron's rim whose brightness `see` is told. `painter` draws; any other object with its two
    methods may be set in its place, made for `scene` and `context` (MuJoCo's, in OpenGL).
    """

    def __init__(
        self,
        profile: Profile,
        seed: int,
        poses: Sequence[CameraPose] | None = None,
        level: PictureLevel = LAB,
        world: WorldName = "A",
        lenses: Sequence[CameraModel] | None = None,
        code_light: bool = False,
    ) -> None:
        count = len(profile.cameras)
        self.profile = profile
        self.poses = tuple(poses) if poses is not None else draw_camera_poses(count, seed)
        self.lenses = tuple(lenses) if lenses is not None else true_lenses(profile, seed, level.lens_spread)
        self._level, self._code_light = level, code_light
        self._bends = {camera.number: LensMap.of(lens) for camera, lens in zip(profile.cameras, self.lenses, strict=True)}
        self.scene = RenderScene(profile, seed, level, world, self._bends, code_light)
        width = max(lens.width_px for lens in self.lenses)
        height = max(lens.height_px for lens in self.lenses)
        self._window = open_context(max(b.width_px for b in self._bends.values()), max(b.height_px for b in self._bends.values()))
        self._window.make_current()
        model = self.scene.model
        self.context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self.context)
        self.painter: Paints = Painter(model, self.scene.data, self.context)
        self._sensors = self._make_sensors(width, height, seed, world)
        for pose in self.poses:
            self._aim(pose)
        self._repaint = Repaint(profile, self.poses, self._bends, self.scene.beams, self.scene.room.table_half_m)
        views = [self._bends[pose.camera] for pose in self.poses]
        self._last = [np.zeros((view.height_px, view.width_px, 3), np.uint8) for view in views]
        self._bent = [self._bends[pose.camera].apply(last) for last, pose in zip(self._last, self.poses, strict=True)]
        self._stale: list[list[Rectangle]] = [[] for _ in views]
        self._weights = {n: [line_weights(view.width_px, level.readout_s, level.exposure_s, n) for view in views] for n in (2, 3)}
        self._light_state = (0, 0.0)

    def _make_sensors(self, width: int, height: int, seed: int, world: WorldName) -> dict[int, Develops]:
        numbers = [camera.number for camera in self.profile.cameras]
        if self._level.plain_sensor:
            one = PlainSensor(width, height, seed)
            return dict.fromkeys(numbers, one)
        return {number: Sensor(width, height, seed, number, self._level, coarse=world == "B") for number in numbers}

    def _aim(self, pose: CameraPose) -> None:
        rotation = cv2.Rodrigues(np.array(pose.rvec))[0]
        camera = self.scene.model.camera(f"camera{pose.camera}")
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, (rotation.T @ np.diag([1.0, -1.0, -1.0])).ravel())
        camera.pos[:] = -rotation.T @ np.array(pose.tvec_mm) / 1e3
        camera.quat[:] = turn

    def move_camera(self, pose: CameraPose) -> None:
        """A camera has been knocked: from now on it is here."""
        self.poses = tuple(pose if old.camera == pose.camera else old for old in self.poses)
        self._aim(pose)
        self._repaint.forget(self._bends, self.poses)

    def see(self, poses: Poses, hands: Sequence[HandPose] = (), t_s: float = 0.0, code: float = 0.0) -> list[Picture]:
        """One ideal picture (BGR, no noise) a camera of the pieces at `poses`, by the room's light at `t_s`.

        Only the part that can have changed since the last call is drawn anew (`repaint.py`). `code`: the code light's brightness, 0 to 1.
        """
        self._paint(poses, hands, t_s, code)
        return self._bend(self._last)

    def see_moving(self, first: Instant, last: Instant, t_s: float = 0.0, code: float = 0.0) -> list[Picture]:
        """The same for an exposure that began when things stood as in `first` and ended as in `last`: lines take what they saw."""
        instants = instants_for(first.furthest_mm(last))
        if instants == 1:
            return self.see(first.poses, first.hands, t_s, code)
        self._paint(first.poses, first.hands, t_s, code)
        weights = self._weights[instants]
        blends = [
            [_Blend(part, _cut(picture, part), share) for part in parts]
            for picture, parts, share in zip(self._last, self._repaint.over(first, last), weights, strict=True)
        ]
        if any(blends):
            for step in range(1, instants):
                now = between(first, last, step / (instants - 1))
                self._paint(now.poses, now.hands, t_s, code)
                for picture, several in zip(self._last, blends, strict=True):
                    for blend in several:
                        blend.add(_cut(picture, blend.part), step)
        shown = [_with(picture, several) for picture, several in zip(self._last, blends, strict=True)]
        pictures = self._bend(shown)
        for stale, several in zip(self._stale, blends, strict=True):
            stale += [blend.part for blend in several]
        return pictures

    def _bend(self, pictures: Sequence[Picture]) -> list[Picture]:
        """These ideal pictures through the lenses; only what is stale is bent anew."""
        for bent, picture, stale, pose in zip(self._bent, pictures, self._stale, self.poses, strict=True):
            for part in stale:
                self._bends[pose.camera].apply_part(picture, part, bent)
        self._stale = [[] for _ in pictures]
        return [bent.copy() for bent in self._bent]

    def _paint(self, poses: Poses, hands: Sequence[HandPose], t_s: float, code: float) -> None:
        state = (self.scene.wander_step(t_s), code if self._code_light else 0.0)
        besides = []
        if state[0] != self._light_state[0]:
            self._repaint.forget(self._bends, self.poses)
        if state[1] != self._light_state[1]:
            besides.append((np.array([*CODE_LIGHT_MM, self.profile.base.rim_z_mm]) / 1e3, 0.006))
        self._light_state = state
        parts = self._repaint.parts(poses, hands, besides)
        if any(parts):
            self.scene.place(poses, hands, t_s, code)
            self._window.make_current()
            self.painter.moved()
        for last, stale, pose, some in zip(self._last, self._stale, self.poses, parts, strict=True):
            if some:
                ideal = self._bends[pose.camera]
                number = self.scene.model.camera(f"camera{pose.camera}").id
                painted = self.painter.paint(number, (ideal.width_px, ideal.height_px), some)
                for (left, top, right, bottom), picture in zip(some, painted, strict=True):
                    last[top:bottom, left:right] = picture
                stale += some

    def webcam(self, picture: Picture, camera: int = 1, t_s: float = 0.0) -> Picture:
        """What `camera`'s sensor makes of an ideal picture exposed at `t_s`: the next frame's noise on it."""
        return self._sensors[camera].spoil(picture, t_s)

    def delivered(self, poses: Poses, hands: Sequence[HandPose] = (), t_s: float = 0.0) -> list[Picture]:
        """What the cameras deliver of a tower that stands still: sensor and JPEG included."""
        pictures = [self.webcam(picture, pose.camera, t_s) for pose, picture in zip(self.poses, self.see(poses, hands, t_s), strict=True)]
        return [from_jpeg(to_jpeg(picture)) for picture in pictures]

    def close(self) -> None:
        self.context.free()
        self._window.free()

    def __enter__(self) -> Eye:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Blend:
    """One part of an exposure's picture: the sum of its instants, each line with its own shares (instants, lines)."""

    def __init__(self, part: Rectangle, first: Picture, shares: npt.NDArray[np.float32]) -> None:
        self.part = part
        self._shares = shares[:, part[0] : part[2], None]
        self._sum = first * self._shares[0]

    def add(self, picture: Picture, instant: int) -> None:
        self._sum += picture * self._shares[instant]

    @property
    def picture(self) -> Picture:
        return np.asarray(np.rint(self._sum), np.uint8)


def _cut(picture: Picture, part: Rectangle) -> Picture:
    left, top, right, bottom = part
    return picture[top:bottom, left:right]


def _with(picture: Picture, blends: Sequence[_Blend]) -> Picture:
    """The picture with the blends in it; itself if there are none."""
    if not blends:
        return picture
    out = picture.copy()
    for blend in blends:
        _cut(out, blend.part)[:] = blend.picture
    return out


def to_jpeg(picture: Picture, quality: int = JPEG_QUALITY) -> bytes:
    """A BGR picture as JPEG; ValueError if OpenCV refuses it."""
    ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise ValueError("a picture cannot be written as JPEG")
    return data.tobytes()


def from_jpeg(data: bytes) -> Picture:
    """A JPEG as BGR picture (height, width, 3); ValueError if it is none."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError("these bytes are no picture")
    return np.asarray(picture, np.uint8)


def render_tower(
    profile: Profile,
    tower: Tower,
    seed: int,
    hands: Sequence[HandPose] = (),
    cameras: int = 2,
    level: PictureLevel = LAB,
    world: WorldName = "A",
) -> list[Picture]:
    """Pictures (BGR) of a tower that stands still, as the first `cameras` cameras of `profile` deliver them (noise and JPEG included).

    The cameras' true poses are `draw_camera_poses(cameras, seed)`. For many pictures of one rig keep an `Eye`.
    """
    with Eye(_with_cameras(profile, cameras), seed, level=level, world=world) as eye:
        return eye.delivered(poses_of(profile, tower), hands)


def _with_cameras(profile: Profile, count: int) -> Profile:
    if count > len(profile.cameras):
        raise PalettiError(f"The profile has {len(profile.cameras)} cameras, not {count}.", "Make the profile with as many cameras.")
    return Profile(**{name: getattr(profile, name) for name in profile.__struct_fields__} | {"cameras": profile.cameras[:count]})
