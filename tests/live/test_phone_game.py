"""A whole short game refereed from two phones: two browsers play its pictures as their cameras, over https and the link.

The game is the one that the replay test has (drawn by the twin, `tests/data`); the base's bytes are left out, so this is the ladder's
second rung. The film runs two and a half times as fast as the game; every picture bears its number, by which it gets the game's time again,
and the game is folded from what the phones sent. In the middle one phone is killed and comes back, and the other's network is dark for ten
seconds of the game; what was not seen meanwhile stays unseen.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from playwright.sync_api import Page, sync_playwright

from rig.bench.chromium import CHROMIUM, FLAGS
from rig.bench.phone_film import FAKE_CAMERA, film_flag, jpeg_of, write_film
from rig.engine.fold import Said
from rig.live.session import Session
from rig.messages import Drew, Frame, Health, Input, Message, ProfileSet, Ruling
from rig.profile import Profile, from_json
from rig.recording import read
from tests.dashboard.phone_table import CODE, Phones
from tests.dashboard.test_phone_browser import Wire

DATA = Path(__file__).parents[1] / "data"
SIZE = (360, 640)
FILM_PER_S = 3.75
GAME_PER_S = 1.5
BITS, BLOCK = 8, 20
LAG_S, ENOUGH = 0.08, 0.999
UNSEEN_S = {1: (27.0, 37.0), 2: (18.0, 24.0)}
"""While phone 1's network was dark and phone 2 was dead (s of the game). The film begins anew at its end and with the page, so
what it shows of that time later is struck out."""

pytestmark = pytest.mark.skipif(not os.access(CHROMIUM, os.X_OK), reason="Chromium is not installed here.")


class Game:
    """The recorded game: each camera's pictures with the times at which they entered, what was said, and the profile without a base."""

    def __init__(self) -> None:
        self.times: dict[int, list[float]] = {1: [], 2: []}
        self.jpegs: dict[int, list[bytes]] = {1: [], 2: []}
        self.said: list[tuple[float, str, Input]] = []
        for message in read(DATA / "short_game.mcap").messages():
            match message.payload:
                case Frame(camera=camera, jpeg=jpeg):
                    self.times[camera].append(message.t_s)
                    self.jpegs[camera].append(numbered(jpeg, len(self.jpegs[camera])))
                case Drew():
                    self.said.append((message.t_s, message.source, message.payload))
                case ProfileSet(profile_json=json):
                    self.profile: Profile = msgspec.structs.replace(from_json(json, "the recording"), cells=())
                case _:
                    pass


def numbered(jpeg: bytes, number: int) -> bytes:
    """The picture with its number in black and white blocks in the upper left corner, far from the tower."""
    picture = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    for bit in range(BITS):
        picture[:BLOCK, bit * BLOCK : (bit + 1) * BLOCK] = 255 if number >> bit & 1 else 0
    return jpeg_of(picture, 95)


def number_of(jpeg: bytes) -> int:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    return sum(1 << bit for bit in range(BITS) if picture[BLOCK // 2, bit * BLOCK + BLOCK // 2] > 127)


class Rulings:
    def __init__(self) -> None:
        self.told: list[str] = []
        self.asked: list[str] = []

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        self.told += [ruling.english for ruling in said.rulings]
        if said.view is not None and said.view.ask is not None:
            self.asked.append(said.view.ask.english)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Game, Phones]]:
    """The film has run through both phones."""
    game, folder = Game(), tmp_path_factory.mktemp("phones")
    films = {camera: write_film(folder / f"{camera}.mjpeg", game.jpegs[camera], FILM_PER_S) for camera in (1, 2)}
    with Phones(folder, SIZE) as phones, sync_playwright() as playwright, ExitStack() as stack:
        wire = Wire(phones.port)
        stack.callback(wire.close)
        pages: dict[int, Page] = {}
        contexts = {}
        for camera in (1, 2):
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *FAKE_CAMERA, film_flag(films[camera])])
            stack.callback(browser.close)
            contexts[camera] = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844})
            pages[camera] = contexts[camera].new_page()
            pages[camera].goto(f"https://127.0.0.1:{wire.port if camera == 1 else phones.port}/phone#code={CODE}")
            phones.wait_for_more(camera, 1)

        def seen(camera: int, t_s: float) -> bool:
            return any(game.times[camera][number_of(frame.jpeg)] >= t_s for frame in phones.frames(camera)[-3:])

        phones.wait(lambda: seen(2, 18.0), "the film of phone 2 up to 18 s", 180.0)
        pages[2].close()
        phones.wait(lambda: seen(1, 27.0), "the film of phone 1 up to 27 s", 180.0)
        wire.dark(True)
        pages[2] = contexts[2].new_page()
        pages[2].goto(phones.link)
        pages[1].wait_for_timeout(4000)
        wire.dark(False)
        for camera in (1, 2):
            phones.wait(lambda: share_seen(game, phones, camera) > ENOUGH, f"the film of phone {camera}", 180.0)  # noqa: B023 - waited for here
        yield game, phones


def as_it_came(game: Game, phones: Phones, camera: int) -> dict[int, Frame]:
    """Pictures by number, without those of the time that was not seen; the film may have run more than once on a slow machine."""
    from_s, to_s = UNSEEN_S[camera]
    came = {number_of(frame.jpeg): frame for frame in reversed(phones.frames(camera))}
    return {number: frame for number, frame in came.items() if not from_s <= game.times[camera][number] < to_s}


def share_seen(game: Game, phones: Phones, camera: int) -> float:
    """Of the pictures that can be seen."""
    from_s, to_s = UNSEEN_S[camera]
    return len(as_it_came(game, phones, camera)) / sum(not from_s <= t_s < to_s for t_s in game.times[camera])


def refereed(game: Game, phones: Phones) -> Rulings:
    """The game folded from what the phones sent, each picture at the game's time."""
    entries: list[tuple[float, str, Input]] = list(game.said)
    for camera in (1, 2):
        entries += [
            (game.times[camera][number], f"camera {camera}", msgspec.structs.replace(frame, lag_s=LAG_S))
            for number, frame in as_it_came(game, phones, camera).items()
        ]
    heard = Rulings()
    session = Session(game.profile, [heard])
    try:
        for t_s, source, payload in sorted(entries, key=lambda entry: entry[0]):
            session.pour(t_s, source, payload)
        session.run_to(60.0)
    finally:
        session.close()
    return heard


def test_the_game_is_ruled_from_two_phones_as_it_was_from_the_whole_rig(evening: tuple[Game, Phones]) -> None:
    golden = (DATA / "short_game.rulings.jsonl").read_bytes().splitlines()
    heard = refereed(*evening)
    assert heard.told == [msgspec.json.decode(line, type=Ruling).english for line in golden]
    assert heard.asked == []


def test_each_phone_was_gone_for_a_while_and_said_so(evening: tuple[Game, Phones]) -> None:
    _, phones = evening
    lost = {news.source for news in phones.told() if news.health is Health.LOST}
    assert lost == {"camera 1", "camera 2"}
    assert all(phones.state(camera)["good"] for camera in (1, 2))
