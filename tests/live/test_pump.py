"""The one message pump: what a message sets in motion is the same for a live session, the twin and a replay."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rig.engine.fold import Said
from rig.engine.pump import Pump
from rig.engine.sequencer import Sequencer
from rig.errors import PalettiError
from rig.live.eyes import EyesWorker
from rig.messages import FindPose, Frame, Message, Posed, ProfileSet, Request, Tick
from rig.profile import to_json
from rig.profile.nominal import nominal_profile


def _nobody_asks(request: Request, t_s: float) -> None:
    raise AssertionError(f"{request} at {t_s} s, though nothing happened")


class _Heard:
    def __init__(self) -> None:
        self.numbers: list[int] = []

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        self.numbers.append(message.n)


def test_a_profile_set_in_mid_session_reaches_the_eyes() -> None:
    eyes, sequencer = EyesWorker(), Sequencer()
    pump = Pump((), eyes, _nobody_asks)
    jpeg = cv2.imencode(".jpg", np.full((1280, 720, 3), 128, np.uint8))[1].tobytes()
    try:
        pump.feed(sequencer.enter(0.0, "profile", ProfileSet(profile_json=to_json(nominal_profile(cameras=1)))))
        pump.feed(sequencer.enter(0.1, "camera 2", Frame(camera=2, jpeg=jpeg)))
        look = FindPose(id=1, camera=2, frame=2)
        with pytest.raises(PalettiError, match="no camera 2"):
            eyes.ask(look).result()
        pump.feed(sequencer.enter(0.2, "profile", ProfileSet(profile_json=to_json(nominal_profile(cameras=2)))))
        posed = eyes.ask(look).result()
    finally:
        eyes.close()
    assert isinstance(posed, Posed)
    assert posed.pose is None  # an empty grey picture shows no markers; that it was looked at is the point


def test_every_listener_hears_every_message_in_order() -> None:
    first, second, sequencer = _Heard(), _Heard(), Sequencer()
    pump = Pump((first, second), None, _nobody_asks)
    pump.feed(sequencer.enter(0.0, "profile", ProfileSet(profile_json=to_json(nominal_profile(cameras=1)))))
    for k in range(3):
        pump.feed(sequencer.enter(0.1 * k, "clock", Tick()))
    assert first.numbers == second.numbers == [1, 2, 3, 4]


def test_a_message_before_the_first_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with its profile"):
        Pump((), None, _nobody_asks).feed(Sequencer().enter(0.0, "clock", Tick()))
