"""A phone as a camera, without a browser: whose number it is, when its pictures were taken, and what phones are known to do wrong."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rig.errors import PalettiError
from rig.live.phone_clock import KEPT_S, Exchange, PhoneClock
from rig.live.phones import AGAIN_S, FAULTY_S, LATE_S, UNKNOWN_LAG_S, PhoneCameras, PhoneSource, Words, jpeg_size
from rig.messages import Frame, Health, Input, SourceNews

SIZE = (72, 128)
AHEAD_S = 5000.0
"""The phone's clock less the computer's."""

RNG = np.random.default_rng(1)


def jpeg(size: tuple[int, int] = SIZE, level: float = 120.0, contrast: float = 60.0) -> bytes:
    """A slope of light from left to right with a sensor's noise."""
    slope = np.linspace(level - contrast, level + contrast, size[0])[None, :, None]
    picture = np.clip(RNG.normal(slope, 3.0, (size[1], size[0], 3)), 0, 255).astype(np.uint8)
    return cv2.imencode(".jpg", picture)[1].tobytes()


class Table:
    """Phones at a table whose clock the test moves."""

    def __init__(self, room: int = 2) -> None:
        self.t_s = 10.0
        self.heard: list[Input] = []
        self.sources = [PhoneSource(k, SIZE, lambda _, payload: self.heard.append(payload), lambda: self.t_s) for k in range(1, room + 1)]
        self.said: Words | None = None
        self.cameras = PhoneCameras(self.sources, lambda: self.t_s, lambda _: self.said)

    def join(self, device: str) -> int:
        camera = self.cameras.join(device)
        self.cameras.clocked(camera, self.t_s, self.t_s + AHEAD_S, self.t_s)
        return camera

    def send(self, camera: int, picture: bytes | None = None, age_s: float = 0.05, exact: bool = True, skipped: int = 0) -> None:
        self.t_s += 0.1
        self.cameras.picture(camera, jpeg() if picture is None else picture, self.t_s - age_s + AHEAD_S, exact, skipped)

    @property
    def frames(self) -> list[Frame]:
        return [payload for payload in self.heard if isinstance(payload, Frame)]

    @property
    def news(self) -> list[SourceNews]:
        return [payload for payload in self.heard if isinstance(payload, SourceNews)]


@pytest.fixture
def table() -> Table:
    return Table()


# ---------------------------------------------------------------- times


def test_the_shortest_exchange_of_times_is_believed() -> None:
    clock = PhoneClock()
    clock.heard(Exchange(0.0, 100.9, 1.0))  # the answer was late: 100.9 at any time from 0 to 1
    clock.heard(Exchange(2.0, 102.51, 2.02))
    clock.heard(Exchange(3.0, 103.9, 3.8))
    assert clock.offset_s == pytest.approx(100.5)
    assert clock.doubt_s == pytest.approx(0.01)


def test_a_phone_whose_clock_has_jumped_is_believed_anew() -> None:
    clock = PhoneClock()
    clock.heard(Exchange(0.0, 100.0, 0.01))
    clock.heard(Exchange(2.0, 152.0, 2.3))
    assert clock.here_s(152.0) == pytest.approx(2.15)


def test_a_drift_is_followed_within_a_minute() -> None:
    clock = PhoneClock()
    for k in range(100):
        clock.heard(Exchange(2.0 * k, 2.0 * k * 1.0001 + (0.0 if k else -0.001), 2.0 * k + 0.02))
    assert clock.offset_s is not None
    assert abs(clock.offset_s - (200 * 0.0001 - 0.01)) < KEPT_S * 0.0001 + 0.01


def test_a_picture_enters_with_the_time_since_the_camera_took_it(table: Table) -> None:
    camera = table.join("anna's phone")
    table.send(camera, age_s=0.4)
    table.send(camera, age_s=0.05, exact=False)
    assert [frame.lag_s for frame in table.frames] == [pytest.approx(0.4), pytest.approx(0.05 + UNKNOWN_LAG_S)]


def test_the_picture_that_came_is_the_picture_looked_at(table: Table) -> None:
    picture = jpeg()
    table.send(table.join("anna's phone"), picture, skipped=3)
    assert [(frame.jpeg, frame.dropped) for frame in table.frames] == [(picture, 3)]


def test_a_delay_that_grows_without_end_never_enters_the_game(table: Table) -> None:
    camera = table.join("anna's phone")
    for k in range(40):
        table.send(camera, age_s=0.1 * k)
    assert max(frame.lag_s for frame in table.frames) <= LATE_S
    late = [news for news in table.news if news.health is Health.STALE]
    assert len(late) == 1, "told once, however long it goes on"
    assert "nearer to the Wi-Fi" in late[0].sentence
    table.send(camera)
    assert table.frames[-1].dropped == 29, "what was left out is counted"
    assert table.news[-1].health is Health.GOOD


# ---------------------------------------------------------------- what phones do


@pytest.mark.parametrize(("picture", "word"), [(jpeg(level=2, contrast=1.0), "black"), (jpeg(contrast=0.0), "even surface")])
def test_a_black_picture_of_a_live_camera_is_told_and_the_camera_started_anew(table: Table, picture: bytes, word: str) -> None:
    camera = table.join("anna's phone")
    table.send(camera)
    began_s = table.t_s
    while table.news[-1].health is not Health.FAULT:
        table.send(camera, picture)
        assert table.t_s - began_s < 2.0, "dropped within two seconds"
    assert word in table.news[-1].sentence
    assert table.cameras.state(camera)["restart"] == 1
    count = len(table.frames)
    for _ in range(round(AGAIN_S / 0.1) - 5):
        table.send(camera, picture)
    assert table.cameras.state(camera)["restart"] == 1, "it is given time to start"
    assert len(table.frames) == count
    table.send(camera)
    assert table.news[-1].health is Health.GOOD


def test_a_frozen_picture_is_told_and_the_camera_started_anew(table: Table) -> None:
    camera, still = table.join("anna's phone"), jpeg()
    for _ in range(round(FAULTY_S / 0.1) + 3):
        table.send(camera, still)
    assert "stands still" in table.news[-1].sentence
    assert table.cameras.state(camera)["restart"] == 1


def test_a_picture_handed_out_twice_is_no_fault(table: Table) -> None:
    camera = table.join("anna's phone")
    for _ in range(30):
        twice = jpeg()
        table.send(camera, twice)
        table.send(camera, twice)
    assert [news.health for news in table.news] == [Health.GOOD]


def test_a_phone_on_its_side_is_asked_to_stand_up(table: Table) -> None:
    camera = table.join("anna's phone")
    table.send(camera, jpeg((128, 72)))
    assert "upright" in table.news[-1].sentence
    assert not table.frames


def test_a_phone_with_another_picture_than_was_set_up_is_told(table: Table) -> None:
    table.send(table.join("anna's phone"), jpeg((96, 128)))
    assert "72 x 128" in table.news[-1].sentence
    assert not table.frames


def test_what_is_no_picture_is_told(table: Table) -> None:
    table.send(table.join("anna's phone"), b"\xff\xd8 no picture")
    assert "cannot be read" in table.news[-1].sentence


def test_an_empty_battery_is_asked_for_while_all_else_is_well(table: Table) -> None:
    camera = table.join("anna's phone")
    table.send(camera)
    table.cameras.told(camera, battery=0.08, upright=True, off=False)
    assert "plug the phone in" in str(table.cameras.state(camera)["english"])
    table.cameras.left(camera)
    assert "battery was almost empty" in table.news[-1].sentence


def test_the_phone_shows_what_the_referee_says_of_its_camera(table: Table) -> None:
    camera = table.join("anna's phone")
    table.send(camera)
    assert table.cameras.state(camera)["good"]
    table.said = Words(False, "Camera 1's picture is dark.", "Zu dunkel.")
    assert table.cameras.state(camera)["english"] == "Camera 1's picture is dark."


# ---------------------------------------------------------------- whose number it is


def test_one_phone_is_one_camera_for_as_long_as_the_program_runs(table: Table) -> None:
    assert table.join("anna's phone") == 1
    assert table.join("ben's phone") == 2
    table.cameras.left(1)
    table.cameras.left(2)
    assert table.join("ben's phone") == 2
    assert table.join("anna's phone") == 1


def test_one_phone_more_than_there_is_room_for_is_refused_in_words(table: Table) -> None:
    table.join("anna's phone")
    table.join("ben's phone")
    with pytest.raises(PalettiError, match="room for 2 cameras"):
        table.join("cleo's phone")
    table.cameras.left(2)
    assert table.join("cleo's phone") == 2, "a phone that has gone makes room"


def test_a_phone_that_leaves_is_told_and_is_back_by_itself(table: Table) -> None:
    camera = table.join("anna's phone")
    table.send(camera)
    table.cameras.left(camera)
    assert table.news[-1].health is Health.LOST
    assert table.join("anna's phone") == camera
    table.send(camera)
    assert table.news[-1].health is Health.GOOD


def test_a_jpeg_says_its_size_without_being_decoded() -> None:
    assert jpeg_size(jpeg((96, 128))) == (96, 128)
    assert jpeg_size(b"") == jpeg_size(b"\xff\xd8\xff\xe0\x00") == jpeg_size(jpeg()[:40]) == (0, 0)
