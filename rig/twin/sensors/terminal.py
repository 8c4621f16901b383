"""The simulated base on a pseudo terminal: to the host a serial port like any other, with an Uno's habits.

A pseudo terminal has no DTR line, but its other end hears when the first reader opens it. An Uno is reset then (its DTR line is wired to
the reset pin), so this one is too; a second opener changes nothing on either, since the line is up already. Unplugged, it takes its power
away and its name with it; plugged in again it has another name, as USB ports do.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import tty
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rig.twin.sensors.avr import AvrBase, Reset
from rig.twin.sensors.chips import Due

SLICE_S = 0.002


class Measured(Protocol):
    """What the chips measure up to a time (shapes as in `SensingBase.advance`)."""

    def measure(self, until_s: float) -> tuple[Due, NDArray[np.int32], NDArray[np.int16]]:
        """What the chips have measured since asked before: what is due, counts of the cells, words of the motion chip."""


class BaseOnTerminal:
    """`step` runs the base for one slice of its own time and serves the terminal; pacing is the caller's."""

    def __init__(self, base: AvrBase, world: Measured) -> None:
        self._base, self._world = base, world
        self._slices = 0
        self._ours: int | None = None
        self._is_read = False
        self.openings = 0
        self.name = ""
        self.plug_in(power_on=False)

    @property
    def t_s(self) -> float:
        """The base's time."""
        return self._slices * SLICE_S

    def step(self) -> None:
        """One slice of time later: read what was written to it, send what it says."""
        self._slices += 1
        if self._ours is not None:
            self._notice_openers(self._ours)
        data = self._base.advance(self.t_s, *self._world.measure(self.t_s))
        if self._ours is None or not self._is_read:
            return  # nobody reads: lost, as on a cable
        with contextlib.suppress(BlockingIOError):
            os.write(self._ours, data)
        try:
            self._base.write(os.read(self._ours, 256))
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise

    def unplug(self) -> None:
        """Pulls the cable: readers see the port vanish."""
        if self._ours is not None:
            os.close(self._ours)
        self._ours, self._is_read, self.name = None, False, ""

    def plug_in(self, power_on: bool = True) -> None:
        """A new terminal under a new name; `power_on`: the base has been without power."""
        self.unplug()
        self._ours, theirs = os.openpty()
        os.set_blocking(self._ours, False)
        tty.setraw(theirs)
        self.name = os.ttyname(theirs)
        os.close(theirs)  # from here on the terminal hangs up whenever nobody has it open, which is how openers are noticed
        if power_on:
            self._base.reset(Reset.POWER_ON)

    def close(self) -> None:
        """Pull the plug."""
        self.unplug()

    def _notice_openers(self, ours: int) -> None:
        poll = select.poll()
        poll.register(ours, 0)
        is_read = not any(event & select.POLLHUP for _, event in poll.poll(0))
        if is_read and not self._is_read:
            self.openings += 1
            self._base.reset(Reset.EXTERNAL)
        self._is_read = is_read
