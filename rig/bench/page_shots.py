"""Pictures of screen, desk and archive during a game of the twin, to be looked at; and the two pictures of the dashboard's README.

    python -m rig.bench.page_shots OUT [--recording FILE] [--seed 4711] [--at SECONDS]     every size, light and dark, both languages
    python -m rig.bench.page_shots rig/dashboard --face                                    screen.png and desk.png

The game is played by the twin (physics, pictures, firmware in its simulator) and refereed as in `paletti demo`; with `--recording` a game
that was recorded is shown instead: what the referee said then, and the pictures it saw. The desk's pictures are of a game told by tap.
"""

from __future__ import annotations

import argparse
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from playwright.sync_api import Browser, Page, sync_playwright

from rig import messages as m
from rig.bench.chromium import CHROMIUM, FLAGS
from rig.cli.desk import DeskActions
from rig.cli.resume import from_nothing
from rig.cli.screen import Screen, ScreenListener
from rig.dashboard import Access
from rig.dashboard.archive import SHOWN
from rig.dashboard.hub import Hub
from rig.live.realtime import referee_live
from rig.live.session import Session
from rig.profile.nominal import nominal_profile
from rig.recording import Derived, read
from rig.rules import RULEBOOK

SIZES = ((3840, 2160), (1920, 1080), (820, 1180), (390, 844))
Scheme = Literal["dark", "light"]
SCHEMES: tuple[Scheme, ...] = ("dark", "light")
SEED, AT_S = 4711, 322.0
"""A game with four floors, and a moment late in it."""
HOST_CODE = "host12"
TOLD = (
    "place-all", "lay plateau blue", 'colours red blue yellow green starts "Anna"', "raise red-hex-1 onto blue",
    "raise blue-thin-1 onto blue", "raise yellow-thick-1 onto blue", "raise green-thin-1 onto blue", "request", "unchallenged",
    "lay plateau green", "raise blue-thin-1 onto green", "raise yellow-thick-1 onto green", "abort green-hex-1",
)  # fmt: skip
PLAYERS = ("Anna", "Ben", "Cleo", "Dan")


def played(seed: int, into: Path) -> Path:
    """A game of the twin, recorded."""
    path = into / "game.mcap"
    command = [
        sys.executable,
        "-c",
        "from rig.cli import main; raise SystemExit(main())",
        "demo",
        "--once",
        "--speed",
        "max",
        "--seed",
        str(seed),
        "--record",
        str(path),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def show(recording: Path, hub: Hub, until_s: float) -> None:
    """Everything that was said and seen up to `until_s`."""
    for item in read(recording).everything():
        if item.t_s > until_s:
            break
        payload = item.payload
        if isinstance(item, Derived):
            if isinstance(payload, SHOWN):
                hub.publish(payload, item.t_s)
        elif isinstance(payload, m.Frame) and payload.jpeg:
            hub.picture(payload.camera, payload.jpeg, item.t_s, item.n)
        elif isinstance(payload, m.ProfileSet):
            hub.publish(payload, item.t_s)


@contextmanager
def watched(recording: Path, until_s: float) -> Iterator[str]:
    """The screen beside the table at that moment of the game; its address."""
    hub = Hub()
    hub.info({"recording": recording.name, "demo": True, "private": False})
    show(recording, hub, until_s)
    screen, end = Screen(hub, None, 0, recordings=recording.parent, access=Access("table1", HOST_CODE)), threading.Event()

    def live() -> None:
        while not end.wait(0.2):
            hub.alive(until_s)

    alive = threading.Thread(target=live, daemon=True)
    alive.start()
    try:
        yield screen.url
    finally:
        end.set()
        alive.join()
        screen.close()


@contextmanager
def told(players: tuple[str, ...] = PLAYERS, lines: tuple[str, ...] = TOLD) -> Iterator[str]:
    """The desk alone in a game told by tap; its address for the host."""
    profile = msgspec.structs.replace(nominal_profile(), cells=(), cameras=())
    hub, desk, end = Hub(), queue.SimpleQueue[tuple[str, m.Input]](), threading.Event()
    actions = DeskActions(desk)
    screen = Screen(hub, actions, 0, access=Access("table1", HOST_CODE))
    hub.info({"desk_alone": True, "players": players})
    session = Session(profile, [ScreenListener(hub), actions], real_time=True)
    actions.follow(session)
    session.pour(0.0, "desk", from_nothing(profile.pieces, players, RULEBOOK))
    start, nothing = time.monotonic(), queue.SimpleQueue[tuple[float, str, m.Input]]()
    clock = lambda: time.monotonic() - start  # noqa: E731
    thread = threading.Thread(target=referee_live, args=(session, nothing, desk, clock, end.is_set), daemon=True)
    thread.start()
    try:
        for line in lines:
            actions.told(m.Told(line=line))
        yield f"{screen.url}#code={HOST_CODE}"
    finally:
        end.set()
        thread.join()
        session.close()
        screen.close()


def page_of(browser: Browser, url: str, size: tuple[int, int], scheme: Scheme, language: str, scale: float = 1.0) -> Page:
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        locale=language,
        reduced_motion="reduce",
        device_scale_factor=scale,
    )
    page = context.new_page()
    page.on("pageerror", lambda error: print(f"  {url}: {error}", file=sys.stderr))
    page.goto(url)
    page.wait_for_timeout(1800)
    if page.locator("#verdict-close").is_visible():
        page.locator("#verdict-close").click()
    return page


def every_size(browser: Browser, out: Path, recording: Path, at_s: float, only: list[str], widths: list[int]) -> None:
    """These pages in these sizes; phones whole, screens as they stand."""
    with watched(recording, at_s) as screen, told() as desk:
        for width, height in (size for size in SIZES if size[0] in widths):
            for scheme in SCHEMES:
                for language in ("en-GB", "de-DE"):
                    name = f"{width}-{scheme}-{language[:2]}"
                    pages = {"screen": screen, "desk": desk, "archive": f"{screen}archive"}
                    for what, url in ((what, pages[what]) for what in only):
                        page = page_of(browser, url, (width, height), scheme, language)
                        page.screenshot(path=out / f"{what}-{name}.png", full_page=width < 1000)
                        page.context.close()


def face(browser: Browser, out: Path, recording: Path, at_s: float) -> None:
    """The project's face: the screen in a game of the twin, and four moments of the desk on a phone."""
    with watched(recording, at_s) as screen:
        page = page_of(browser, screen, (1920, 1080), "dark", "en-GB")
        page.screenshot(path=out / "screen.png")
        page.context.close()
    with tempfile.TemporaryDirectory() as folder, told() as desk:
        page = page_of(browser, desk, (390, 844), "dark", "en-GB", 1.5)
        shots: list[npt.NDArray[np.uint8]] = []

        def shoot() -> None:
            page.wait_for_timeout(700)
            path = Path(folder) / f"{len(shots)}.png"
            page.screenshot(path=path)
            shots.append(np.asarray(cv2.imread(str(path)), np.uint8))

        shoot()
        page.locator("#offers [data-pick]").first.click()
        shoot()
        page.locator("#sheet-close").click()
        page.locator("#offers").get_by_role("button", name="Put the tower right").click()
        page.locator(".places [data-place]").first.click()
        shoot()
        page.locator("#sheet-close").click()
        page.locator("#offers").get_by_role("button", name="Put right what was ruled").click()
        shoot()
        gap = np.full((shots[0].shape[0], 24, 3), 255, np.uint8)
        row = [part for shot in shots for part in (shot, gap)][:-1]
        cv2.imwrite(str(out / "desk.png"), np.hstack(row), [cv2.IMWRITE_PNG_COMPRESSION, 9])
        page.context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--recording", type=Path, help="a recorded game, instead of playing one")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--at", type=float, default=AT_S, help="the moment of the game, in seconds")
    parser.add_argument(
        "--only", nargs="+", default=["screen", "desk", "archive"], choices=("screen", "desk", "archive"), help="which pages"
    )
    parser.add_argument("--widths", type=int, nargs="+", default=[width for width, _ in SIZES], help="which sizes")
    parser.add_argument("--face", action="store_true", help="only screen.png and desk.png")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        recording = options.recording or played(options.seed, Path(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        if options.face:
            face(browser, options.out, recording, options.at)
        else:
            every_size(browser, options.out, recording, options.at, options.only, options.widths)
        browser.close()


if __name__ == "__main__":
    main()
