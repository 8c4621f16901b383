"""What pours in is numbered once, time never runs backwards, and pictures are there for as long as somebody may still look at them."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as some

from rig.engine.sequencer import Sequencer
from rig.live.frames import KEPT_JUDGEMENTS, SPAN_S, FrameStore, named
from rig.messages import CameraPose, Judge, Nothing, Tick, Tower, Track, Watch

POSE = CameraPose(camera=1, rvec=(0.0, 0.0, 0.0), tvec_mm=(0.0, 0.0, 800.0))


def jpeg(shade: int) -> bytes:
    done, data = cv2.imencode(".jpg", np.full((32, 24, 3), shade, np.uint8))
    assert done
    return bytes(data.tobytes())


def judge(number: int, before: int, after: int) -> Judge:
    return Judge(id=number, before=(before,), after=(after,), poses=(POSE,), tower=Tower(), hypotheses=(Nothing(),))


@given(some.lists(some.floats(0, 7200), max_size=40))
def test_numbers_count_from_one_and_time_never_runs_backwards(arrivals: list[float]) -> None:
    sequencer = Sequencer()
    messages = [sequencer.enter(t_s, "clock", Tick()) for t_s in arrivals]
    assert [message.n for message in messages] == list(range(1, len(arrivals) + 1))
    assert [message.t_s for message in messages] == [max(arrivals[: k + 1]) for k in range(len(arrivals))]


def test_a_late_message_is_dated_with_the_latest_time_seen() -> None:
    sequencer = Sequencer()
    sequencer.enter(5.0, "base", Tick())
    assert sequencer.enter(4.9, "camera 1", Tick()).t_s == 5.0
    assert sequencer.t_s == 5.0


def test_pictures_are_forgotten_after_their_span() -> None:
    store = FrameStore()
    store.put(1, 0.0, jpeg(10))
    store.put(2, 1.0, jpeg(20))
    store.put(3, SPAN_S + 0.5, jpeg(30))
    assert store.jpegs((1, 2, 3)).keys() == {2, 3}


def test_a_judgements_pictures_are_kept_however_old_until_newer_judgements_push_them_out() -> None:
    store = FrameStore()
    store.put(1, 0.0, jpeg(10))
    store.put(2, 0.5, jpeg(20))
    store.hold(judge(1, before=1, after=2))
    store.put(3, 3600.0, jpeg(30))
    assert store.jpegs((1, 2, 3)).keys() == {1, 2, 3}, "a tower may stand untouched for an hour"
    for k in range(KEPT_JUDGEMENTS):
        store.hold(judge(2 + k, before=3, after=3))
    store.put(4, 3601.0, jpeg(40))
    assert store.jpegs((1, 2, 3, 4)).keys() == {3, 4}


def test_a_picture_that_does_not_decode_is_left_out() -> None:
    pictures = FrameStore().pictures({1: jpeg(90), 2: b"no picture", 3: b"", 4: jpeg(90)[:40]})
    assert pictures.keys() == {1}
    assert pictures[1].shape == (32, 24, 3)
    assert abs(float(pictures[1].mean()) - 90) < 2


def test_a_look_names_every_picture_it_needs() -> None:
    watch = Watch(id=1, camera=1, frame=9, previous=None, reference=4, pose=POSE, tower=Tower())
    track = Track(id=2, before=(3, 4), frames=((1, 7), (2, 8)), poses=(POSE,), tower=Tower(), columns=())
    assert set(named(watch)) == {4, 9}
    assert set(named(track)) == {3, 4, 7, 8}
    assert set(named(judge(3, 5, 6))) == {5, 6}
