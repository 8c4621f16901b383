"""A game of the twin as the rig would send it: the same for the same seed, in time order, and ended by what really fell."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from rig.errors import PalettiError
from rig.messages import Answered, Ask, BaseBytes, Drew, FactKind, Frame, Input
from rig.pieces import Floor, PieceSet, Shape
from rig.rules import Phase
from rig.twin.levels import level_named
from rig.twin.pictures.cameras import from_jpeg
from rig.twin.pictures.scene import CODE_LIGHT_MM, WorldName
from rig.twin.session import TwinSession
from rig.twin.setting import Devices, Party
from tests.twin.test_pictures import project

FEW = PieceSet.of({Shape.THICK: 1, Shape.THIN: 1})
Sent = list[tuple[float, str, Input]]


def small(
    seed: int, frame_rate: float = 1.0, world: WorldName = "A", max_raises: int | None = None, pieces: PieceSet | None = None
) -> TwinSession:
    devices = Devices(frame_rate=frame_rate, base="standin", picture_px=(180, 320), world=world)
    return TwinSession(seed, party=Party(max_raises=max_raises, pieces=pieces), devices=devices)


def sent(session: TwinSession, until_s: float, step_s: float = 0.05) -> Sent:
    out: Sent = []
    for k in range(1, round(until_s / step_s) + 1):
        out += session.advance(k * step_s)
    session.close()
    return out


def test_the_same_seed_sends_the_same_bytes_and_pixels() -> None:
    first, again = (sent(small(5), 6.0) for _ in range(2))
    assert first == again
    assert any(isinstance(payload, Frame) for _, _, payload in first)


def test_other_steps_of_asking_change_nothing_but_the_parcels() -> None:
    often, seldom = (sent(small(5, frame_rate=0.5), 5.0, step_s) for step_s in (0.05, 0.25))
    assert [m for m in often if isinstance(m[2], Frame)] == [m for m in seldom if isinstance(m[2], Frame)]


def test_the_same_game_is_seen_in_the_other_world_with_other_plateaus() -> None:
    here, there = (small(5, world=world) for world in ("A", "B"))
    assert here.true_profile.plateaus != there.true_profile.plateaus
    seen = [[m[2] for m in sent(session, 1.5) if isinstance(m[2], Frame)] for session in (here, there)]
    assert len(seen[0]) == len(seen[1]) > 0
    assert all(a.jpeg != b.jpeg for a, b in zip(*seen, strict=True))


def test_at_home_the_bases_code_light_blinks_on_the_aprons_rim() -> None:
    pictures = []
    for level in ("lab", "home"):
        session = TwinSession(5, level, devices=Devices(frame_rate=10.0, base="standin", picture_px=(360, 640)))
        seen = [m[2].jpeg for m in session.advance(1.6) if isinstance(m[2], Frame) and m[1] == "camera 1"]
        [lens], [pose] = session._webcams.lenses[:1], session._webcams.poses_at(0.0)[:1]
        session.close()
        x, y = np.rint(project(lens, pose, (*CODE_LIGHT_MM, session.true_profile.base.rim_z_mm))[0]).astype(int)
        pictures.append([int(from_jpeg(jpeg)[y - 1 : y + 2, x - 1 : x + 2, 2].max()) for jpeg in seen])
    assert np.ptp(pictures[0]) < 25
    assert np.ptp(pictures[1]) > 40


def test_another_seed_is_another_game() -> None:
    assert sent(small(5), 3.0) != sent(small(6), 3.0)


def test_messages_come_in_time_order_and_pictures_late_by_their_delay() -> None:
    messages = sent(small(7), 6.0)
    times = [t_s for t_s, _, _ in messages]
    assert times == sorted(times)
    frames = [(t_s, source) for t_s, source, payload in messages if isinstance(payload, Frame)]
    assert {source for _, source in frames} == {"camera 1", "camera 2"}
    low, high = level_named("lab").pictures.frame_delay_s
    assert all(low - 0.02 <= (t_s - 0.1) % 1.0 <= high + 0.02 for t_s, _ in frames)


def test_frames_are_pictures_of_the_profiles_size() -> None:
    [jpeg] = [payload.jpeg for _, source, payload in sent(small(7), 0.5) if isinstance(payload, Frame) and source == "camera 2"]
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == (320, 180, 3)


def test_a_short_game_is_set_up_drawn_played_and_toppled_by_the_physics() -> None:
    session = small(12, frame_rate=0.1, max_raises=1, pieces=FEW)
    messages: Sent = []
    t_s = 0.0
    while not session.finished:
        t_s += 0.1
        assert t_s < 300, "the game does not end"
        messages += session.advance(t_s)
    session.close()
    kinds = [truth.kind for truth in session.truth.log]
    assert kinds[:8] == [FactKind.STOOD] * 8
    assert session.truth.log[8].floor is Floor.BLUE
    assert session.truth.log[8].details["covers"] >= 3
    assert kinds.count(FactKind.RAISED) >= 1
    assert session.bots.game.phase is Phase.OVER
    [drew] = [payload for _, _, payload in messages if isinstance(payload, Drew)]
    assert len(drew.seats) == 4
    drawn_t_s = next(t for t, _, payload in messages if isinstance(payload, Drew))
    assert drawn_t_s > session.truth.log[8].t_s, "colours are drawn after blue lies (U3)"
    data = b"".join(payload.data for _, _, payload in messages if isinstance(payload, BaseBytes))
    assert len(data) > 4 * 80 * 10 * t_s, "four cells at 80 samples a second, at least 10 bytes each"


def test_the_table_answers_a_question_with_one_of_its_choices_after_thinking() -> None:
    session = small(3, frame_rate=0.1)
    for k in range(1, 31):
        session.advance(k * 0.1)
    session.ask(Ask(id=4, t_s=3.0, question_english="What happened?", question_german="Was war?", choices=("collapse", "nothing")))
    answers: Sent = []
    for k in range(31, 80):
        answers += [message for message in session.advance(k * 0.1) if isinstance(message[2], Answered)]
    session.close()
    [(t_s, source, answer)] = answers
    assert isinstance(answer, Answered)
    assert (source, answer.ask) == ("desk", 4)
    assert answer.choice in ("collapse", "nothing")
    assert 5.0 <= t_s <= 7.1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: TwinSession(1, devices=Devices(cameras=5)), "one to four cameras"),
        (lambda: TwinSession(1, "moon"), "no level called 'moon'"),
        (lambda: TwinSession(1, devices=Devices(base="paper")), "no base called 'paper'"),
    ],
    ids=["cameras", "level", "base"],
)
def test_what_the_twin_cannot_do_is_told(wrong: Callable[[], TwinSession], sentence: str) -> None:
    with pytest.raises(PalettiError, match=sentence):
        wrong()
