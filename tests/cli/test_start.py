"""`paletti start` from nothing to the first ruling, on the ladder's first rung: one browser shows the set-up, another is the phone.

The phone's camera shows what the twin draws of the mat from where a person would hold it: six views in the hand, then the place where it
stays. Screens and taps are counted.
"""

from __future__ import annotations

import base64
import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from playwright.sync_api import Page, expect, sync_playwright

from calibration.mat import on_mat
from rig import profile as profiles
from rig.bench.chromium import CHROMIUM, FLAGS
from rig.messages import CameraPose, Laid, Standing, Tower
from rig.pieces import Floor
from rig.profile import Camera, CameraModel
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye, draw_camera_poses

pytestmark = pytest.mark.skipif(not os.access(CHROMIUM, os.X_OK), reason="Chromium is not installed here.")

FOCAL_PX = 1180.0
LENS = CameraModel(720, 1280, FOCAL_PX, FOCAL_PX, 359.5, 639.5)
HELD_MM = ((0, -10, 1000), (0, -700, 800), (600, -50, 800), (-600, -50, 800), (350, -450, 800), (-350, -450, 850))
"""Where the hand holds the phone over the mat: right, away, up."""

MOST_SCREENS, MOST_TAPS = 12, 25

SHOWN = """
  window.bitmap = null;
  window.look = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    window.bitmap = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
  };
  navigator.mediaDevices.getUserMedia = async () => {
    const canvas = document.createElement("canvas"); Object.assign(canvas, { width: 720, height: 1280 });
    const pen = canvas.getContext("2d");
    setInterval(() => {
      if (window.bitmap) pen.drawImage(window.bitmap, 0, 0);
      else { pen.fillStyle = "#444"; pen.fillRect(0, 0, 720, 1280); pen.fillStyle = "#aaa"; pen.fillRect(0, 0, 360, 1280); }
      for (let k = 0; k < 6; k += 1) {
        pen.fillStyle = `rgba(${Math.random() * 255}, 0, 0, 0.06)`;
        pen.fillRect(16 * Math.floor(Math.random() * 44), 16 * Math.floor(Math.random() * 6), 16, 16);
      }
    }, 66);
    return canvas.captureStream(15);
  };
"""
"""A camera that shows what the test tells it, with a little flicker in the wall: a real sensor never gives the same picture twice."""


def held(number: int, x: float, y: float, z: float) -> CameraPose:
    """A phone in the hand that looks at the middle of the mat, its upper edge away from the person."""
    eye = np.array((x, y, z), float)
    forward = -eye / np.linalg.norm(eye)
    away = np.array((0.0, 1.0, 0.0))
    down = -(away - (away @ forward) * forward)
    down /= np.linalg.norm(down)
    matrix = np.array((np.cross(down, forward), down, forward))
    rvec, tvec = cv2.Rodrigues(matrix)[0].ravel(), -matrix @ eye
    return CameraPose(number, (float(rvec[0]), float(rvec[1]), float(rvec[2])), (float(tvec[0]), float(tvec[1]), float(tvec[2])))


class Drawn:
    """What the phone sees, as base64 JPEG: the mat from the hand, then from its place the empty base, the columns, the blue plateau."""

    def __init__(self) -> None:
        poses = [held(k, *place) for k, place in enumerate(HELD_MM, 1)]
        poses.append(msgspec.structs.replace(draw_camera_poses(1, 12)[0], camera=len(poses) + 1))
        self.stays = poses[-1]
        rig = on_mat(nominal_profile(cameras=1))
        true = msgspec.structs.replace(rig, cameras=tuple(Camera(pose.camera, LENS) for pose in poses))
        columns = sorted(true.pieces.columns, key=lambda column: (column.number, column.colour))
        turns = 2 * np.pi * np.arange(len(columns)) / len(columns)
        reach = np.where(np.arange(len(columns)) % 2, 105.0, 55.0)
        standing = tuple(
            Standing(column, Floor.GROUND, float(r * np.cos(a)), float(r * np.sin(a)), 0.0)
            for column, r, a in zip(columns, reach, turns, strict=True)
        )
        blue = (Laid(Floor.BLUE, 0.0, 0.0, true.columns[columns[0].shape].height_mm, 0.0),)
        with Eye(true, 3, poses=poses) as eye:
            empty = [text(picture) for picture in eye.see(poses_of(true, Tower()))]
            self.views, self.empty = empty[:-1], empty[-1]
            self.columns = text(eye.see(poses_of(true, Tower(standing)))[-1])
            self.laid = text(eye.see(poses_of(true, Tower(standing, blue)))[-1])


def text(picture: npt.NDArray[np.uint8]) -> str:
    return base64.b64encode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 93])[1].tobytes()).decode()


class Person:
    """Sets up in front of the page, and counts."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps = page, 0
        self.screens: list[str] = []

    def at(self, step: str) -> None:
        self.page.wait_for_selector(f"body[data-step={step}]", timeout=90_000)
        self.screens.append(step)

    def tap(self, name: str) -> None:
        self.taps += 1
        self.page.get_by_role("button", name=name, exact=False).first.click()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[str]:
    """The program, begun with nothing configured; the address it prints."""
    user = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "user"), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", "import sys; from rig.cli import main; sys.exit(main(sys.argv[1:]))", "start", "--no-browser"]
    (tmp_path / "table").mkdir()
    told = (tmp_path / "told").open("w")
    process = subprocess.Popen(
        [*command, "--port", "0", "--secure-port", "0", "--code", "table1", "--host-code", "host12"],
        cwd=tmp_path / "table", env=user, stdout=told, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        for _ in range(600):
            found = re.search(r"Set up at (\S+)", (tmp_path / "told").read_text())
            if found:
                break
            assert process.poll() is None, (tmp_path / "told").read_text()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
        assert found is not None
        yield found[1]
    finally:
        process.terminate()
        process.wait(30)
        told.close()


def test_from_nothing_to_the_first_ruling_with_one_phone(started: str, tmp_path: Path) -> None:
    drawn = Drawn()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page(locale="en-GB", viewport={"width": 1280, "height": 800})
        page.set_default_timeout(90_000)
        person = Person(page)
        page.goto(started)
        person.at("have")
        person.tap("One phone")
        person.at("print")
        page.locator("#ruler").fill("97")
        page.get_by_role("button", name="It is printed").click()
        expect(page.locator("#told")).to_contain_text("was not printed at 100 %", timeout=90_000)
        page.locator("#ruler").fill("")
        person.taps += 1  # the sheet itself, in another tab
        assert page.evaluate("async () => (await fetch('/setup/sheet-a4.pdf')).headers.get('content-type')") == "application/pdf"
        person.tap("It is printed")
        person.at("lay")
        person.tap("It lies")
        person.at("connect")
        link = page.evaluate("async () => (await (await fetch('/phones.json')).json()).link")
        phone = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844}).new_page()
        phone.add_init_script(SHOWN)
        phone.goto(re.sub(r"//[^:/]+:", "//127.0.0.1:", link))
        person.at("lens")
        for number, view in enumerate(drawn.views, 1):
            phone.evaluate("(text) => window.look(text)", view)
            if number < len(drawn.views):
                expect(page.locator("figcaption")).to_contain_text(f"{number} views", timeout=90_000)
        person.at("pose")
        expect(page.get_by_role("button", name="The base is empty")).to_be_disabled()
        phone.evaluate("(text) => window.look(text)", drawn.empty)
        expect(page.locator("figcaption")).to_contain_text("It stands well", timeout=90_000)
        person.tap("The base is empty")
        person.at("colours")
        for picture, button, following in ((drawn.columns, "All columns stand", "plateau"), (drawn.laid, "The plateau lies", "names")):
            phone.evaluate("(text) => window.look(text)", picture)
            page.wait_for_timeout(1500)
            person.tap(button)
            person.at(following)
        for k, name in enumerate(("Anna", "Ben")):
            person.taps += 1
            page.locator("input[name=name]").nth(k).fill(name)
        person.tap("Play")
        page.wait_for_selector("#feed li")
        person.screens.append("game")
        expect(page.locator("#feed")).to_contain_text("The villa is set up", timeout=90_000)
        browser.close()
    print(f"{len(person.screens)} screens, {person.taps} taps")
    assert len(person.screens) <= MOST_SCREENS
    assert person.taps <= MOST_TAPS
    profile = profiles.load(tmp_path / "table" / "profile.json")
    (camera,) = profile.cameras
    assert camera.model.focal_px == pytest.approx(FOCAL_PX, rel=0.005)
    assert camera.pose is not None
    eyes = [-cv2.Rodrigues(np.array(pose.rvec))[0].T @ np.array(pose.tvec_mm) for pose in (camera.pose, drawn.stays)]
    assert np.linalg.norm(eyes[0] - eyes[1]) < 10.0
    assert (tmp_path / "table" / "profile-empty-1.png").exists()
    assert not (tmp_path / "table" / "setup.json").exists()
