"""Senses that die in mid-game: left out within two seconds of the game's time, said in one sentence, taken up again; and rulings go on.

One game of the twin (the recorded short one) is refereed anew with its base unplugged, a camera silent, the other covered, one after the
other. What the referee says is held to what really was cut, and to the rulings of the undisturbed game.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from rig.cli.rung_now import RungNow
from rig.dashboard.hub import Hub
from rig.engine.fold import Said
from rig.live.session import Session
from rig.messages import BaseBytes, Drew, Frame, Health, Input, Message, ProfileSet, Ruling, SourceNews
from rig.profile import from_json
from rig.recording import read

DATA = Path(__file__).parents[1] / "data"
BASE_OUT_S, SILENT_S, COVERED_S = (14.0, 22.0), (24.0, 33.0), (38.0, 43.5)
"""When the base, camera 2 and camera 1 were cut off (s of the game): in the set-up, and in the middle of a raise."""

WITHIN_S = 2.0
BLACK = cv2.imencode(".jpg", np.zeros((640, 360, 3), np.uint8))[1].tobytes()


class Told:
    """The news of every source and the rung, with times."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.rulings: list[str] = []
        self.health: list[tuple[float, dict[str, SourceNews]]] = []
        self.rungs: list[tuple[float, int]] = []

    def heard(self, message: Message, said: Said) -> None:
        self.rulings += [ruling.english for ruling in said.rulings]
        if said.view is not None:
            self.health.append((message.t_s, dict(said.view.health)))
        rung = self._hub.told_info("rung")["number"]
        if not self.rungs or self.rungs[-1][1] != rung:
            self.rungs.append((message.t_s, rung))

    def at(self, t_s: float) -> dict[str, SourceNews]:
        """What was shown at this time."""
        return [health for at_s, health in self.health if at_s <= t_s][-1]

    def sentences(self, source: str, from_s: float, to_s: float) -> list[str]:
        """Different sentences told of a source in that time."""
        told = [health[source].sentence for t_s, health in self.health if from_s <= t_s <= to_s and source in health]
        return list(dict.fromkeys(told))


def cut(message: Message) -> Input | None:
    """What is left of a message."""
    payload, t_s = message.payload, message.t_s
    match payload:
        case BaseBytes() if BASE_OUT_S[0] <= t_s < BASE_OUT_S[1]:
            return None
        case Frame(camera=2) if SILENT_S[0] <= t_s < SILENT_S[1]:
            return None
        case Frame(camera=1) if COVERED_S[0] <= t_s < COVERED_S[1]:
            return msgspec.structs.replace(payload, jpeg=BLACK)
        case BaseBytes() | Frame() | Drew():
            return payload
        case _:
            return None


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    messages = list(read(DATA / "short_game.mcap").messages())
    profile = next(from_json(m.payload.profile_json, "the recording") for m in messages if isinstance(m.payload, ProfileSet))
    hub = Hub()
    told = Told(hub)
    session = Session(profile, [RungNow(hub, 2, True), told])
    try:
        for message in messages:
            payload = cut(message)
            if payload is not None:
                session.pour(message.t_s, message.source, payload)
        session.run_to(56.0)
    finally:
        session.close()
    yield told


def test_an_unplugged_base_is_one_sentence_and_comes_back(told: Told) -> None:
    out_s, back_s = BASE_OUT_S
    health = told.at(out_s + WITHIN_S)
    assert health["base"].health is Health.LOST
    assert health["base"].sentence == "The base is silent: check its cable. The game goes on with cameras 1 and 2."
    assert "scale" not in health, "that its cells are silent too goes without saying"
    assert len(told.sentences("base", out_s + WITHIN_S, back_s)) == 1
    assert told.at(back_s + WITHIN_S)["base"].health is Health.FAULT, "heard again; what was lost is told for ten seconds more"
    assert told.at(back_s + 12.0)["base"].health is Health.GOOD


def test_a_silent_camera_is_one_sentence_and_comes_back(told: Told) -> None:
    out_s, back_s = SILENT_S
    assert told.at(out_s + WITHIN_S)["camera 2"].sentence == "Camera 2 sends nothing. The game goes on with camera 1 and the base."
    assert len(told.sentences("camera 2", out_s + WITHIN_S, back_s)) == 1
    assert "camera 2" not in told.at(back_s + WITHIN_S)


def test_a_covered_camera_is_left_out_and_comes_back(told: Told) -> None:
    out_s, back_s = COVERED_S
    assert "dark" in told.at(out_s + WITHIN_S)["camera 1"].sentence
    assert "camera 1" not in told.at(back_s + WITHIN_S)


def test_the_rung_that_is_left_is_shown(told: Told) -> None:
    rung = {t_s: [number for at_s, number in told.rungs if at_s <= t_s][-1] for t_s in (12.0, 17.0, 23.5, 27.0, 36.0, 41.0, 50.0)}
    assert rung == {12.0: 4, 17.0: 2, 23.5: 4, 27.0: 4, 36.0: 4, 41.0: 4, 50.0: 4}


def test_rulings_go_on_on_the_rung_that_is_left(told: Told) -> None:
    golden = (DATA / "short_game.rulings.jsonl").read_bytes().splitlines()
    assert told.rulings == [msgspec.json.decode(line, type=Ruling).english for line in golden]
