"""The paint of a set from its start position, the same under every lamp; and cameras whose controls hold, or only say so."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from calibration.locking import lock
from calibration.paint import measure_paint, whites_of
from rig import profile as profiles
from rig.cli import main
from rig.errors import PalettiError
from rig.messages import Tower
from rig.pieces import Colour, PieceSet
from rig.profile import Profile, Rgb
from rig.profile.nominal import nominal_profile
from rig.twin.levels import LEVELS
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, draw_camera_poses, render_tower
from rig.twin.pictures.light import light_of
from vision.appearance.paints import feature_of
from vision.camera.markers import find_markers
from vision.camera.view import CameraView
from vision.scene.silhouettes import Label, Scene, Stage, items_of

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2, width_px=540, height_px=960)
SEED = 6501
START = random_tower(PROFILE, SEED, 0)


@pytest.fixture(scope="module")
def empty() -> list[Picture]:
    return render_tower(PROFILE, Tower(), SEED)


@pytest.fixture(scope="module")
def start() -> list[Picture]:
    return render_tower(PROFILE, START, SEED)


def under(picture: Picture, kelvin: float, balanced: float = 0.4) -> Picture:
    """The picture under a lamp of this temperature by a camera that balances `balanced` of it away."""
    gains = np.array(light_of(kelvin))[::-1] ** (1 - balanced)
    gains /= gains.max()
    share = picture.astype(np.float64) / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4) * gains
    coded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.rint(255 * coded).astype(np.uint8)


def numbered(pictures: list[Picture]) -> dict[int, Picture]:
    return dict(enumerate(pictures, 1))


def hue(rgb: Rgb) -> float:
    return float(np.degrees(np.arctan2(*feature_of(rgb)[1::-1])))


def test_paint_is_the_same_under_2700_4000_and_6500_kelvin(empty: list[Picture], start: list[Picture]) -> None:
    found = []
    for kelvin in (2700.0, 4000.0, 6500.0):
        report = measure_paint(PROFILE, *(numbered([under(p, kelvin) for p in shown]) for shown in (empty, start)))
        assert report.good, report.sentences
        found.append(np.array([*report.paint.columns.values(), report.paint.base]))
    assert np.abs(found[0] - found[2]).max() <= 4
    assert np.abs(found[1] - found[2]).max() <= 4


def test_paint_found_is_that_of_the_set(empty: list[Picture], start: list[Picture]) -> None:
    paint = measure_paint(PROFILE, numbered(empty), numbered(start)).paint
    for colour, rgb in paint.columns.items():
        assert abs((hue(rgb) - hue(PROFILE.paint.columns[colour]) + 180) % 360 - 180) < 15
    assert np.abs(np.array(paint.base) - PROFILE.paint.base).max() < 15


def test_inventory_by_paint_measured_once_is_the_same_under_every_lamp(empty: list[Picture], start: list[Picture]) -> None:
    paint = measure_paint(PROFILE, numbered([under(p, 4000) for p in empty]), numbered([under(p, 4000) for p in start])).paint
    poses = draw_camera_poses(2, SEED)
    for kelvin in (2700.0, 4000.0, 6500.0):
        for picture, pose in zip(start, poses, strict=True):
            shown = under(picture, kelvin)
            white = np.array(whites_of(shown, find_markers(shown, PROFILE.markers), PROFILE.markers)[1])
            scene = Scene(Stage(CameraView.of(PROFILE.camera(pose.camera).model, pose)), items_of(PROFILE, START))
            read, true = [], []
            for code, item in scene.items.items():
                if item.label is Label.BASE or int((scene.code == code).sum()) < 150:
                    continue
                share = shown[scene.code == code][:, ::-1].astype(np.float64) / 255
                light = np.median((share**2.2) / white, axis=0) + 1e-3
                chroma = np.log(light[[0, 2]] / light[1])
                paints = {c: np.array(rgb, np.float64) ** 2.2 + 20 for c, rgb in paint.columns.items()}
                read.append(min(paints, key=lambda c: float(np.linalg.norm(np.log(paints[c][[0, 2]] / paints[c][1]) - chroma))))
                true.append(Colour(item.label.name.partition("_")[0].lower()))
            assert len(true) > 10
            assert read == true


def test_another_sets_paint_is_followed() -> None:
    columns = {Colour.RED: (196, 60, 92), Colour.BLUE: (70, 130, 190), Colour.YELLOW: (236, 200, 90), Colour.GREEN: (120, 160, 50)}
    other = msgspec.structs.replace(PROFILE, paint=msgspec.structs.replace(PROFILE.paint, columns=columns))
    pictures = [numbered(render_tower(other, tower, SEED)) for tower in (Tower(), START)]
    paint = measure_paint(PROFILE, *pictures).paint
    for colour, true in columns.items():
        away, before = (
            np.linalg.norm((feature_of(rgb) - feature_of(true))[:2]) for rgb in (paint.columns[colour], PROFILE.paint.columns[colour])
        )
        assert away < 0.5 * before


@pytest.mark.parametrize("seed", [6511, 6512])
def test_paint_is_found_in_living_rooms(seed: int) -> None:
    with Eye(PROFILE, seed, level=LEVELS["home"].pictures) as eye:
        shown = []
        for tower in (Tower(), random_tower(PROFILE, seed, 0)):
            ideal = eye.see(poses_of(PROFILE, tower))
            shown.append({number: eye.webcam(picture, number, 0.0) for number, picture in enumerate(ideal, 1)})
        lensed = msgspec.structs.replace(
            PROFILE, cameras=tuple(msgspec.structs.replace(c, model=lens) for c, lens in zip(PROFILE.cameras, eye.lenses, strict=True))
        )
    paint = measure_paint(lensed, *shown).paint
    for colour, rgb in paint.columns.items():
        nearest = min(Colour, key=lambda other: abs((hue(rgb) - hue(PROFILE.paint.columns[other]) + 180) % 360 - 180))
        assert nearest is colour


def test_colour_that_is_not_there_is_said_and_nothing_passed(empty: list[Picture]) -> None:
    without = nominal_profile(2, PieceSet.of(colours=(Colour.RED, Colour.BLUE, Colour.YELLOW)), 540, 960)
    report = measure_paint(PROFILE, numbered(empty), numbered(render_tower(PROFILE, random_tower(without, SEED, 0), SEED)))
    assert not report.good
    assert "is a colour missing" in report.sentences[0]


def test_base_left_empty_is_said(empty: list[Picture]) -> None:
    with pytest.raises(PalettiError, match="Hardly any column"):
        measure_paint(PROFILE, numbered(empty), numbered(empty))


def test_two_colours_alike_are_said_and_not_passed(empty: list[Picture]) -> None:
    columns = {**PROFILE.paint.columns, Colour.BLUE: (30, 104, 88), Colour.GREEN: (28, 106, 80)}
    alike = msgspec.structs.replace(PROFILE, paint=msgspec.structs.replace(PROFILE.paint, columns=columns))
    report = measure_paint(PROFILE, numbered(empty), numbered(render_tower(alike, START, SEED)))
    assert not report.good
    assert "cannot be told apart" in report.sentences[0]


def test_over_exposed_margins_and_dark_pictures_are_sentences(empty: list[Picture], start: list[Picture]) -> None:
    glaring = [np.clip(p.astype(np.int64) * 3, 0, 255).astype(np.uint8) for p in start]
    with pytest.raises(PalettiError, match="over-exposed"):
        measure_paint(PROFILE, numbered(empty), numbered(glaring))
    with pytest.raises(PalettiError, match="dark"):
        measure_paint(PROFILE, numbered(empty), numbered([p // 40 for p in start]))
    with pytest.raises(PalettiError, match="empty base and the start position"):
        measure_paint(PROFILE, numbered(empty[:1]), numbered(start))


def test_command_writes_the_paint_into_the_profile(
    empty: list[Picture], start: list[Picture], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {}
    for word, shown in (("empty", empty), ("images", start)):
        names[word] = [str(tmp_path / f"{word}{k}.png") for k in (1, 2)]
        for name, picture in zip(names[word], shown, strict=True):
            cv2.imwrite(name, picture)
    out = tmp_path / "p.json"
    out.write_text(profiles.to_json(PROFILE))
    command = ["calibrate", "colours", "--images", *names["images"], "--profile", str(out), "--out", str(out), "--json"]
    assert main([*command, "--empty", *names["empty"]]) == 0
    told = json.loads(capsys.readouterr().out)
    written: Profile = profiles.load(out)
    assert list(written.paint.columns[Colour.RED]) == told["paint"]["paint"]["columns"]["red"]
    assert written.paint.columns != PROFILE.paint.columns
    assert main([*command, "--empty", names["empty"][0]]) == 2
    assert "as many pictures" in capsys.readouterr().err


# ---------------------------------------------------------------- locking


class FakeCamera:
    """A camera whose manual mode is `manual` and which follows its controls, or only says so."""

    def __init__(self, manual: float = 1.0, obeys: bool = True, keeps: bool = True, exposure: float = 200.0, white: bool = True) -> None:
        self.values = {cv2.CAP_PROP_AUTO_EXPOSURE: 3.0, cv2.CAP_PROP_EXPOSURE: exposure, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0}
        self.values[cv2.CAP_PROP_AUTO_WB] = 1.0
        self.manual, self.obeys, self.keeps, self.white = manual, obeys, keeps, white
        self.began = exposure

    def set(self, prop: int, value: float) -> bool:
        if prop == cv2.CAP_PROP_AUTO_WB and not self.white:
            return False
        if self.keeps:
            self.values[prop] = value
        return True

    def get(self, prop: int) -> float:
        return self.values[prop]

    def take(self) -> Picture:
        level = np.array((90.0, 90.0, 90.0))
        if self.obeys and self.values[cv2.CAP_PROP_AUTO_EXPOSURE] == self.manual:
            value = self.values[cv2.CAP_PROP_EXPOSURE]
            level *= 2.0 ** (value - self.began) if self.began <= 0 else value / self.began
        if self.obeys and self.white and self.values[cv2.CAP_PROP_AUTO_WB] == 0.0:
            level *= (4600 / self.values[cv2.CAP_PROP_WB_TEMPERATURE], 1.0, self.values[cv2.CAP_PROP_WB_TEMPERATURE] / 4600)
        return np.full((8, 8, 3), level, np.float64).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(("manual", "exposure"), [(1.0, 200.0), (0.25, 0.02), (0.0, -6.0)])
def test_camera_is_locked_whatever_its_systems_magic_value(manual: float, exposure: float) -> None:
    camera = FakeCamera(manual, exposure=exposure)
    locked = lock(1, camera, camera.take)
    assert locked.exposure
    assert locked.white
    assert locked.sentences == ()
    assert camera.values[cv2.CAP_PROP_EXPOSURE] == exposure
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == manual
    assert camera.values[cv2.CAP_PROP_WB_TEMPERATURE] == 4600.0


@pytest.mark.parametrize("keeps", [True, False])
def test_camera_that_says_yes_and_does_nothing_is_found_out(keeps: bool) -> None:
    camera = FakeCamera(obeys=False, keeps=keeps)
    locked = lock(2, camera, camera.take)
    assert not locked.exposure
    assert "the pictures did not follow" in locked.sentences[0]


def test_camera_without_white_balance_control_is_said() -> None:
    camera = FakeCamera(white=False)
    locked = lock(1, camera, camera.take)
    assert locked.exposure
    assert not locked.white
    assert "white balance" in locked.sentences[0]
