"""Sources pour into a session in message time, at the pace asked for; a camera that does not work says so and holds nothing up."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.live.cameras import CameraSource, address
from rig.live.pouring import Pace, pour
from rig.live.session import TICK_S, Session
from rig.messages import Ask, Call, CallWord, FindPose, Frame, Health, Input, Message, Posed, ProfileSet, SourceNews, Tick
from rig.profile.nominal import nominal_profile


class WallClock:
    """A clock that goes only when somebody sleeps or works."""

    def __init__(self) -> None:
        self.t_s = 100.0
        self.slept_s = 0.0

    def __call__(self) -> float:
        return self.t_s

    def sleep(self, seconds: float) -> None:
        self.slept_s += seconds
        self.t_s += seconds


class Script:
    """A source that sends what it was told to send, at those times, and may take wall time over each slice."""

    def __init__(
        self, sends: Sequence[tuple[float, str, Input]], until_s: float, clock: WallClock | None = None, work_s: float = 0.0
    ) -> None:
        self._sends, self._until_s, self._t_s = list(sends), until_s, 0.0
        self._clock, self._work_s = clock, work_s

    @property
    def finished(self) -> bool:
        return self._t_s >= self._until_s

    def advance(self, until_s: float) -> Sequence[tuple[float, str, Input]]:
        if self._clock is not None:
            self._clock.t_s += self._work_s
        now, self._sends = [s for s in self._sends if s[0] <= until_s], [s for s in self._sends if s[0] > until_s]
        self._t_s = until_s
        return now

    def ask(self, ask: Ask) -> None:
        raise AssertionError(ask)


class Heard:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.said: list[Said] = []

    def heard(self, message: Message, said: Said) -> None:
        self.messages.append(message)
        self.said.append(said)


def poured(source: Script, pace: Pace | None = None, **how: object) -> tuple[bool, Heard]:
    heard = Heard()
    clock = WallClock()
    session = Session(nominal_profile(), [heard])
    try:
        return pour(source, session, pace or Pace(None, clock, clock.sleep), **how), heard  # type: ignore[arg-type]
    finally:
        session.close()


CALL = Call(word=CallWord.PASS, seat=2)
GARBAGE = Frame(camera=1, jpeg=b"no picture")


# ---------------------------------------------------------------- pace


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0])
def test_message_time_is_held_back_to_the_speed_asked_for(speed: float) -> None:
    clock = WallClock()
    pace = Pace(speed, clock, clock.sleep)
    for k in range(1, 101):
        pace.wait(k * 0.05)
    assert clock.slept_s == pytest.approx(5.0 / speed)
    assert pace.factor == pytest.approx(speed)


def test_as_fast_as_it_goes_never_sleeps() -> None:
    clock = WallClock()
    pace = Pace(None, clock, clock.sleep)
    clock.t_s += 2.0
    pace.wait(10.0)
    assert clock.slept_s == 0.0
    assert pace.factor == pytest.approx(5.0)


def test_time_lost_to_a_slow_source_is_not_made_up_by_a_rush() -> None:
    clock = WallClock()
    pace = Pace(1.0, clock, clock.sleep)
    pace.wait(1.0)
    clock.t_s += 10.0  # the source stood still
    pace.wait(1.05)
    slept_s = clock.slept_s
    pace.wait(2.05)
    assert clock.slept_s - slept_s == pytest.approx(1.0)


def test_a_slow_source_makes_the_factor_smaller_and_the_session_runs_on() -> None:
    clock = WallClock()
    pace = Pace(1.0, clock, clock.sleep)
    finished, _ = poured(Script([], 5.0, clock, work_s=0.1), pace)
    assert finished
    assert clock.slept_s == 0.0
    assert pace.factor == pytest.approx(0.5)


# ---------------------------------------------------------------- pouring


def test_ticks_fill_the_silence_and_what_is_sent_stands_in_its_place() -> None:
    finished, heard = poured(Script([(0.42, "seat 3", CALL)], 1.0))
    assert finished
    assert isinstance(heard.messages[0].payload, ProfileSet)
    assert [m.t_s for m in heard.messages if isinstance(m.payload, Tick)] == pytest.approx([TICK_S * k for k in range(1, 11)])
    assert [m.n for m in heard.messages] == list(range(1, 13))
    [at] = [k for k, m in enumerate(heard.messages) if m.payload == CALL]
    assert (heard.messages[at - 1].t_s, heard.messages[at].t_s, heard.messages[at + 1].t_s) == pytest.approx((0.4, 0.42, 0.5))


def test_a_word_from_the_desk_enters_beside_the_source() -> None:
    inbox: queue.SimpleQueue[tuple[str, Input]] = queue.SimpleQueue()
    inbox.put(("seat 3", CALL))
    _, heard = poured(Script([], 0.5), inbox=inbox)
    [message] = [m for m in heard.messages if m.payload == CALL]
    assert (message.source, message.t_s) == ("seat 3", pytest.approx(0.05))


def test_pouring_ends_when_it_is_stopped_or_takes_too_long() -> None:
    assert poured(Script([], 5.0), stopped=lambda: True)[0] is False
    finished, heard = poured(Script([], 5.0), limit_s=1.0)
    assert finished is False
    assert heard.messages[-1].t_s < 1.2


def test_the_eyes_answer_enters_a_nominal_time_after_the_look_even_if_the_picture_is_none() -> None:
    _, heard = poured(Script([(0.33, "camera 1", GARBAGE)], 1.5))
    asked_t_s = [m.t_s for m, s in zip(heard.messages, heard.said, strict=True) for r in s.requests if isinstance(r, FindPose)]
    answers = [m for m in heard.messages if isinstance(m.payload, Posed)]
    assert asked_t_s
    assert [m.t_s for m in answers] == pytest.approx([t_s + 0.3 for t_s in asked_t_s])
    assert all(m.source == "eyes" for m in answers)
    for message in answers:
        assert isinstance(message.payload, Posed)
        assert message.payload.pose is None
        assert "missing or cannot be decoded" in message.payload.sentence


# ---------------------------------------------------------------- cameras


@pytest.mark.parametrize(("text", "meant"), [("0", 0), (" 2 ", 2), ("rtsp://cam/1", "rtsp://cam/1"), ("a b.mp4", "a b.mp4"), ("²", "²")])
def test_a_number_is_a_camera_and_everything_else_a_file_or_an_address(text: str, meant: int | str) -> None:
    assert address(text) == meant


@pytest.mark.parametrize("text", ["", "   ", '{"camera": 1}', "'0'", "0\n1"])
def test_what_cannot_be_a_camera_is_told(text: str) -> None:
    with pytest.raises(PalettiError, match="is no camera") as refused:
        address(text)
    assert "Give an index such as 0" in refused.value.hint


def test_a_camera_can_be_turned_by_right_angles_only() -> None:
    with pytest.raises(PalettiError, match="cannot be turned by 45 degrees"):
        CameraSource(1, "0", (720, 1280), lambda *_: None, lambda: 0.0, turn_deg=45)


class Put:
    """Collects what a camera's thread says until something of the kind waited for has come."""

    def __init__(self) -> None:
        self.said: queue.SimpleQueue[tuple[str, Input]] = queue.SimpleQueue()

    def __call__(self, source: str, payload: Input) -> None:
        self.said.put((source, payload))

    def next(self) -> tuple[str, Input]:
        return self.said.get(timeout=20.0)


def film(path: Path, size_px: tuple[int, int], pictures: int = 6) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, size_px)
    assert writer.isOpened()
    for k in range(pictures):
        writer.write(np.full((size_px[1], size_px[0], 3), 20 * k, np.uint8))
    writer.release()
    return path


def test_a_camera_that_does_not_open_is_told_once_and_holds_nothing_up(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    put = Put()
    camera = CameraSource(2, str(tmp_path / "none.mp4"), (720, 1280), put, lambda: 0.0)
    camera.start()
    source, news = put.next()
    camera.close()
    assert source == "camera 2"
    assert isinstance(news, SourceNews)
    assert (news.source, news.health) == ("camera 2", Health.LOST)
    assert "does not open" in news.sentence
    assert camera.trouble == news.sentence
    assert not camera.opened.is_set()
    assert put.said.empty()
    assert not any(thread.name == "camera 2" for thread in threading.enumerate())
    capfd.readouterr()  # OpenCV's own complaint


def test_a_film_gives_pictures_and_its_end_is_told(tmp_path: Path) -> None:
    put, times = Put(), iter(range(1000))
    camera = CameraSource(1, str(film(tmp_path / "film.avi", (64, 96))), (64, 96), put, lambda: float(next(times)))
    camera.start()
    said = [put.next() for _ in range(8)]
    camera.close()
    kinds = [type(payload) for _, payload in said]
    assert kinds == [SourceNews] + [Frame] * 6 + [SourceNews]
    first, last = said[0][1], said[-1][1]
    assert isinstance(first, SourceNews)
    assert isinstance(last, SourceNews)
    assert (first.health, last.health) == (Health.GOOD, Health.LOST)
    assert "stopped sending" in last.sentence


def test_pictures_faster_than_asked_are_passed_over(tmp_path: Path) -> None:
    put, times = Put(), iter(range(1000))
    camera = CameraSource(1, str(film(tmp_path / "film.avi", (64, 96))), (64, 96), put, lambda: 0.1 * next(times), per_second=5.0)
    camera.start()
    kinds = [type(put.next()[1]) for _ in range(5)]
    camera.close()
    assert kinds == [SourceNews, Frame, Frame, Frame, SourceNews], "every other one of six, at 10 a second"


def test_a_camera_in_another_mode_than_the_profiles_is_a_fault(tmp_path: Path) -> None:
    put = Put()
    camera = CameraSource(1, str(film(tmp_path / "film.avi", (64, 96))), (96, 64), put, lambda: 0.0)
    camera.start()
    _, news = put.next()
    camera.close()
    assert isinstance(news, SourceNews)
    assert news.health is Health.FAULT
    assert "sends 64 x 96 pictures, but the profile was made for 96 x 64" in news.sentence


def test_a_turned_camera_gives_turned_pictures(tmp_path: Path) -> None:
    put = Put()
    camera = CameraSource(1, str(film(tmp_path / "film.avi", (96, 64))), (64, 96), put, lambda: 0.0, turn_deg=90)
    camera.start()
    put.next()
    _, frame = put.next()
    camera.close()
    assert isinstance(frame, Frame)
    picture = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (96, 64, 3)
