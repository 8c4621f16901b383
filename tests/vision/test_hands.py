"""Hands, motion and sick cameras, on pictures by the twin's renderer."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from rig.bench.hands_in import watch_one, watched_shots
from rig.bench.situations import delivered
from rig.messages import CameraPose, Tower, Watch, Watched
from rig.pieces import Colour
from rig.profile.nominal import nominal_profile
from rig.twin.physics.poses import HandPose
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye
from vision.see import look

Picture = npt.NDArray[np.uint8]
PROFILE = nominal_profile(2)
SEED = 5301
TOWER = random_tower(PROFILE, SEED, 2)


class Room:
    """One tower's settled picture and others of it, by camera 1."""

    def __init__(self) -> None:
        with Eye(PROFILE, SEED) as eye:
            self.pose: CameraPose = eye.poses[0]
            self.settled = delivered(eye, TOWER)[0]
            self.again = delivered(eye, TOWER)[0]
            self.armed = {
                sleeve: delivered(eye, TOWER, (HandPose((40.0, -30.0, 230.0), (380.0, -180.0, 330.0), sleeve),))[0]
                for sleeve in (None, Colour.RED, Colour.GREEN)
            }

    def watch(self, picture: Picture, previous: Picture | None = None, reference: bool = True) -> Watched:
        frames = {1: self.settled, 9: picture}
        if previous is not None:
            frames[8] = previous
        before = None if previous is None else 8
        settled = 1 if reference else None
        request = Watch(id=4, camera=1, frame=9, previous=before, reference=settled, pose=self.pose, tower=TOWER)
        answer = look(request, frames, PROFILE)
        assert isinstance(answer, Watched)
        return answer


@pytest.fixture(scope="module")
def room() -> Room:
    return Room()


def test_settled_tower_has_no_hand_and_does_not_move(room: Room) -> None:
    watched = room.watch(room.again, room.settled)
    assert watched.hand < 0.1
    assert watched.moving < 0.01
    assert watched.changed < 0.01
    assert watched.shift_px < 0.5
    assert watched.sleeve is None
    assert watched.fault == ""


@pytest.mark.parametrize("sleeve", [None, Colour.RED, Colour.GREEN], ids=str)
def test_hand_and_its_sleeve_are_seen(room: Room, sleeve: Colour | None) -> None:
    watched = room.watch(room.armed[sleeve], room.again)
    assert watched.hand > 0.9
    assert watched.sleeve is sleeve
    assert watched.moving > 0.03
    assert watched.changed > 0.02


def test_hands_of_several_rooms_are_told_from_no_hands() -> None:
    shots = [shot for seed in (5311, 5316, 5318) for shot in watched_shots(seed)]
    for shot in shots:
        seen = max(watched.hand for watched in shot.watched)
        if shot.kind == "hand":
            assert seen > 0.5, shot
        elif shot.kind in ("settled", "moved"):
            assert seen < 0.5, shot


def test_camera_knocked_aside_shows_as_a_shift_of_the_picture(room: Room) -> None:
    by = np.array(((1.0, 0, 12.0), (0, 1, -9.0)))
    knocked = np.asarray(cv2.warpAffine(room.again, by, (720, 1280), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)
    assert room.watch(knocked).shift_px == pytest.approx(15.0, abs=2.0)


@pytest.mark.parametrize("lamp", [(0.88, 0.88, 0.88), (0.8, 0.92, 1.05), (1.05, 0.95, 0.85)], ids=["dimmer", "warmer", "cooler"])
def test_another_lamp_is_no_change(room: Room, lamp: tuple[float, float, float]) -> None:
    dimmed = np.asarray(np.clip(room.again * np.array(lamp), 0, 255), dtype=np.uint8)
    watched = room.watch(dimmed, room.settled)
    assert watched.hand < 0.1
    assert watched.changed < 0.02
    assert watched.moving < 0.02


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda picture: picture // 40, "dark"),
        (lambda picture: np.full_like(picture, 200), "blank"),
        (lambda picture: cv2.GaussianBlur(picture, (0, 0), 9), "blurred"),
        (lambda picture: cv2.resize(picture, (640, 480)), "640x480"),
    ],
)
def test_sick_picture_gets_a_sentence(room: Room, spoil: object, word: str) -> None:
    assert callable(spoil)
    watched = room.watch(np.asarray(spoil(room.again), dtype=np.uint8))
    assert word in watched.fault
    assert watched.fault.startswith("Camera 1")


def test_frozen_camera_is_noticed_by_its_second_picture(room: Room) -> None:
    assert "frozen" in room.watch(room.again, room.again.copy()).fault
    assert room.watch(room.again, room.settled).fault == ""


def test_without_reference_or_pose_the_eyes_still_answer(room: Room) -> None:
    assert room.watch(room.again, reference=False).hand == 0.5  # nobody knows
    assert room.watch(room.again, room.settled, reference=False).hand < 0.1
    assert room.watch(room.armed[Colour.RED], room.again, reference=False).hand > 0.9
    watched = watch_one(1, room.settled, room.again, None, Tower())
    assert watched.hand < 0.5
    assert watched.fault == ""


def test_missing_frame_is_a_sentence() -> None:
    answer = look(Watch(id=4, camera=1, frame=9, previous=None, reference=None, pose=None, tower=Tower()), {}, PROFILE)
    assert isinstance(answer, Watched)
    assert "not at hand" in answer.fault


def test_shadow_that_wanders_over_a_wooden_table_is_no_hand(room: Room) -> None:
    """Wood has skin's hue; a shadow takes the lamp's light and leaves the cooler light of the sky."""
    wood, shade = np.array((60, 110, 170), dtype=np.float64), np.array((0.62, 0.55, 0.5))
    settled, later = room.settled.copy(), room.settled.copy()
    place = (slice(300, 620), slice(60, 230))
    settled[place] = wood
    later[place] = wood
    later[350:560, 100:210] = wood * shade
    frames = {1: settled, 9: later}
    request = Watch(id=4, camera=1, frame=9, previous=None, reference=1, pose=room.pose, tower=TOWER)
    answer = look(request, frames, PROFILE)
    assert isinstance(answer, Watched)
    assert answer.hand < 0.1
    assert answer.changed < 0.01
