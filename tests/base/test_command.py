"""Commands: asked again when an answer is lost, given up after a few tries, never taken for answered by somebody else's answer."""

from __future__ import annotations

import pytest

from rig.base.command import TRIES, ask_base
from rig.base.frames import Pong, SelfTest, encode
from rig.base.protocol import FrameKind
from rig.errors import PalettiError


class Wire:
    """A base that answers from its `deaf_for`-th command on; every read takes 50 ms of a clock of its own."""

    url = "/dev/ttyUSB0"

    def __init__(self, deaf_for: int = 0, answer: bytes | None = None) -> None:
        self.now_s, self.sent, self._deaf_for, self._answer = 0.0, list[bytes](), deaf_for, answer
        self._waiting = b""

    def clock(self) -> float:
        return self.now_s

    def write(self, data: bytes) -> None:
        self.sent.append(data)
        if len(self.sent) > self._deaf_for and self._answer is not None:
            self._waiting = encode(FrameKind.LOAD, 1, 5, 0, 0, 7) + self._answer

    def read(self) -> bytes:
        self.now_s += 0.05
        data, self._waiting = self._waiting, b""
        return data


def test_answer_comes_back_from_among_the_samples() -> None:
    wire = Wire(answer=encode(FrameKind.SELF_TEST, 2, 6, 4980, 780, 15, 0x68, 40))
    test = ask_base(wire, FrameKind.RUN_SELF_TEST, 0, SelfTest, wire.clock)
    assert (test.supply_mv, test.free_ram) == (4980, 780)
    assert len(wire.sent) == 1


def test_lost_command_is_sent_again() -> None:
    wire = Wire(deaf_for=2, answer=encode(FrameKind.PONG, 2, 6, 77))
    assert ask_base(wire, FrameKind.PING, 77, Pong, wire.clock).token == 77
    assert len(wire.sent) == 3


@pytest.mark.parametrize("answer", [None, encode(FrameKind.PONG, 2, 6, 76), b"Resend: hours\n"])
def test_command_that_is_never_answered_is_given_up_with_a_sentence(answer: bytes | None) -> None:
    wire = Wire(answer=answer)
    with pytest.raises(PalettiError, match="does not answer PING after 3 tries"):
        ask_base(wire, FrameKind.PING, 77, Pong, wire.clock)
    assert len(wire.sent) == TRIES
