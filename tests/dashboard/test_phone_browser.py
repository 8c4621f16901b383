"""The phone's page in a real Chromium, over https with the certificate made here; a film or a drawn picture stands in for the camera."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from rig.bench.chromium import CHROMIUM, FLAGS
from rig.bench.phone_film import FAKE_CAMERA, film_flag, jpeg_of, write_film
from rig.live.phones import LATE_S, jpeg_size
from rig.messages import Health
from tests.dashboard.phone_table import CODE, Phones
from tests.dashboard.test_browser import Line

pytestmark = pytest.mark.skipif(not os.access(CHROMIUM, os.X_OK), reason="Chromium is not installed here.")

SIZE = (180, 320)
PATIENCE_MS = 60_000
"""For a machine that other work stops."""

PHONE = {"width": 390, "height": 844}

DRAWN = """
  window.made = []; window.show = "live"; window.size = [180, 320];
  navigator.mediaDevices.getUserMedia = async () => {
    const refuse = window.refuse; if (refuse) throw new DOMException("", refuse);
    const alive = window.made.filter((track) => track.readyState === "live").length;
    const canvas = document.createElement("canvas"); [canvas.width, canvas.height] = window.size;
    const pen = canvas.getContext("2d"); let k = 0; const mine = window.made.length;
    setInterval(() => {
      if (window.show === "frozen" && mine + 1 === window.made.length && window.dead === mine) return;
      const black = window.show === "black" && window.dead === mine;
      for (let x = 0; x < canvas.width; x += 10) {
        pen.fillStyle = black ? "#000" : `rgb(${x % 255}, ${(x + 7 * k) % 255}, 90)`;
        pen.fillRect(x, 0, 10, canvas.height);
      }
      k += 1;
      pen.fillStyle = black ? "#000" : `hsl(${k * 37}, 80%, 50%)`;
      pen.fillRect((k * 13) % 100, 40, 60, 60);
    }, 60);
    const stream = canvas.captureStream(15), [track] = stream.getVideoTracks();
    track.aliveBefore = alive; window.made.push(track);
    return stream;
  };
"""
"""A camera that the test can make black or freeze; `made` holds every track that was started, `aliveBefore` how many lived then."""


class Wire(Line):
    """A line that can also go dark: it carries nothing, and says nothing of it."""

    def __init__(self, port: int) -> None:
        self._lit = threading.Event()
        self._lit.set()
        super().__init__(port)

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:  # type: ignore[override]
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._lit.wait()
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def dark(self, dark: bool) -> None:
        (self._lit.clear if dark else self._lit.set)()

    def close(self) -> None:
        self._lit.set()
        super().close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    rng = np.random.default_rng(1)
    slope = np.broadcast_to(np.linspace(30, 220, SIZE[0])[None, :, None], (SIZE[1], SIZE[0], 3))
    frames = [jpeg_of(np.clip(rng.normal(slope, 4), 0, 255).astype(np.uint8)) for _ in range(20)]
    film = write_film(tmp_path_factory.mktemp("film") / "camera.mjpeg", frames, 15)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *FAKE_CAMERA, film_flag(film)])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("user")


@pytest.fixture
def phones(folder: Path) -> Iterator[Phones]:
    with Phones(folder, SIZE) as phones:
        yield phones


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One phone: its own storage."""
    context = browser.new_context(ignore_https_errors=True, viewport=PHONE, locale="en-GB")
    context.set_default_timeout(90_000)
    yield context
    context.close()


def open_phone(context: BrowserContext, url: str, drawn: bool = False) -> Page:
    page = context.new_page()
    if drawn:
        page.add_init_script(DRAWN)
    page.goto(url)
    return page


def test_the_page_s_film_comes_as_pictures_with_their_own_times(context: BrowserContext, phones: Phones) -> None:
    page = open_phone(context, phones.link)
    phones.wait_for_more(more=12)
    expect(page.locator("#told")).to_have_text("Camera 1 sends pictures.", timeout=PATIENCE_MS)
    expect(page.locator("#number")).to_have_text("Camera 1", timeout=PATIENCE_MS)
    frames = phones.frames()
    assert {jpeg_size(frame.jpeg) for frame in frames} == {SIZE}
    assert all(0.0 <= frame.lag_s <= LATE_S for frame in frames)
    shown = cv2.imdecode(np.frombuffer(frames[-1].jpeg, np.uint8), cv2.IMREAD_COLOR)
    columns = shown.mean((0, 2))
    assert columns[10] < 60 < 180 < columns[-10], "it is the film, the right way round"
    expect(page.locator("#lines")).to_contain_text("delay", timeout=PATIENCE_MS)
    expect(page.locator("#lines")).to_contain_text("± ", timeout=PATIENCE_MS)
    offset_ms = phones.state()["offset_ms"]
    assert isinstance(offset_ms, int)
    assert abs(offset_ms) < 500, "the same computer's clock"
    page.locator("#language").click()
    expect(page.locator("#number")).to_have_text("Kamera 1", timeout=PATIENCE_MS)


def test_two_phones_are_two_cameras_and_a_third_is_refused(browser: Browser, phones: Phones) -> None:
    with contextlib.ExitStack() as stack:
        contexts = [browser.new_context(ignore_https_errors=True, viewport=PHONE, locale="en-GB") for _ in range(3)]
        for one in contexts:
            stack.callback(one.close)
        for number in (1, 2):
            open_phone(contexts[number - 1], phones.link)
            phones.wait_for_more(number, 1)
        third = open_phone(contexts[2], phones.link)
        expect(third.locator("#told")).to_contain_text("There is room for 2 cameras", timeout=PATIENCE_MS)


def test_a_killed_page_is_told_and_comes_back_as_the_same_camera(context: BrowserContext, phones: Phones) -> None:
    page = open_phone(context, phones.link)
    phones.wait_for_more()
    page.close()
    phones.wait(lambda: phones.told()[-1].health is Health.LOST, "that the phone is gone")
    assert "keep the page open" in phones.told()[-1].sentence
    open_phone(context, phones.link)
    phones.wait_for_more()
    assert phones.told()[-1].health is Health.GOOD
    assert not phones.frames(2), "it is camera 1 again"


def test_it_comes_back_by_itself_after_the_network_was_cut_or_dark(context: BrowserContext, phones: Phones) -> None:
    wire = Wire(phones.port)
    try:
        open_phone(context, f"https://127.0.0.1:{wire.port}/phone#code={CODE}")
        phones.wait_for_more()
        wire.cut()
        phones.wait_for_more()
        wire.dark(True)
        phones.wait(lambda: phones.told()[-1].health is Health.LOST, "that nothing is heard")
        wire.dark(False)
        phones.wait_for_more(more=10)
        newest = phones.frames()[-1]
        assert newest.lag_s <= LATE_S, "what waited in the dark line is not shown as the present"
    finally:
        wire.close()


@pytest.mark.parametrize("how", ["black", "frozen"])
def test_a_camera_that_dies_while_it_says_it_lives_is_started_anew(context: BrowserContext, phones: Phones, how: str) -> None:
    page = open_phone(context, phones.link, drawn=True)
    phones.wait_for_more()
    page.evaluate(f"() => {{ window.show = '{how}'; window.dead = window.made.length - 1; }}")
    page.wait_for_function("() => window.made.length >= 2", timeout=PATIENCE_MS)
    assert page.evaluate("() => window.made.map((track) => track.aliveBefore)") == [0] * page.evaluate("() => window.made.length"), (
        "the old track was stopped before: a second one freezes the first"
    )
    phones.wait_for_more()


def test_a_phone_that_slept_starts_its_camera_anew(context: BrowserContext, phones: Phones) -> None:
    page = open_phone(context, phones.link, drawn=True)
    phones.wait_for_more()
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    page.wait_for_timeout(800)
    page.evaluate(hide, False)
    page.wait_for_function("() => window.made.length === 2", timeout=PATIENCE_MS)
    phones.wait_for_more()


def test_what_does_not_work_is_said_on_the_page(context: BrowserContext, phones: Phones) -> None:
    for link, words in (
        (phones.link.replace(CODE, "yesterday"), "This code is from an earlier start"),
        (phones.table.way.url + "phone", "Scan the QR code"),
    ):
        expect(open_phone(context, link).locator("#told")).to_contain_text(words, timeout=PATIENCE_MS)
    lying = context.new_page()
    lying.add_init_script(DRAWN + "window.size = [320, 180];")
    lying.goto(phones.link)
    expect(lying.locator("#told")).to_have_text("Turn the phone upright.", timeout=PATIENCE_MS)
    lying.close()
    for name, words in (
        ("NotAllowedError", "Allow it"),
        ("NotReadableError", "Another app uses the camera"),
        ("NotFoundError", "No camera"),
    ):
        page = context.new_page()
        page.add_init_script(f"{DRAWN} window.refuse = '{name}';")
        page.goto(phones.link)
        expect(page.locator("#told")).to_contain_text(words, timeout=PATIENCE_MS)
        expect(page.locator("#again")).to_be_visible(timeout=PATIENCE_MS)
        page.close()
    for away, words in (("isSecureContext", "https"), ("MediaDevices", "current Chrome")):
        page = context.new_page()
        page.add_init_script(
            "Object.defineProperty(window, 'isSecureContext', { value: false })"
            if away == "isSecureContext"
            else "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })"
        )
        page.goto(phones.link)
        expect(page.locator("#told")).to_contain_text(words, timeout=PATIENCE_MS)
        expect(page.locator("#secure")).to_be_visible(visible=away == "isSecureContext", timeout=PATIENCE_MS)
        page.close()
    assert not phones.frames()


def test_the_code_is_shown_to_this_computer_and_to_those_at_the_table(context: BrowserContext, phones: Phones) -> None:
    page = context.new_page()
    page.goto(phones.screen.url + "phones")
    expect(page.locator("#qr")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.locator("#fingerprint")).to_have_text(phones.table.way.fingerprint)
    expect(page.locator("#phones li")).to_have_count(2, timeout=PATIENCE_MS)
    expect(page.locator("#phones li").first).to_contain_text("waits for a phone", timeout=PATIENCE_MS)
