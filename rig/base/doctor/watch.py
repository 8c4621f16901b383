"""A base watched while somebody solders: rate, noise, last value and state of each channel as they are at this moment. Pure.

The states are the game's own judgement (`rig.base.bins`), so a wiggled cable shows here as the game would feel it. Showing it is the
command line's.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum

import numpy as np

from rig.base.bins import CellBins
from rig.base.books import LinkBooks
from rig.base.cell import CellState
from rig.base.clock import DeviceClock
from rig.base.doctor.figures import neighbour_noise
from rig.base.frames import Frame, FrameDecoder, Imu, Load, Status
from rig.base.protocol import CELLS, CellFlag
from rig.base.tilt import TiltSense

WINDOW_S = 2.0
"""Rate and noise are of so long. Longer: steadier figures; shorter: they follow the soldering iron."""
SILENT_S = 0.3
TOUCHED_S = 2.0
MOST_CHANGES = 8
SLOW_HZ = 15.0


class Condition(Enum):
    """How a channel is, for colours."""

    WELL = "well"
    DOUBTFUL = "doubtful"
    ILL = "ill"


@dataclass(frozen=True, slots=True)
class ChannelGlance:
    """One channel now: samples a second, noise and last value in counts (of the motion chip: length of gravity in thousandths of g), state
    in words since `since_s` (seconds of the watch)."""

    name: str
    rate_hz: float
    noise: float
    last: float | None
    state: str
    condition: Condition
    since_s: float


@dataclass(frozen=True, slots=True)
class Glance:
    """All channels at `t_s`; `link` in words; `changes`: the latest changes of state, oldest first."""

    t_s: float
    channels: tuple[ChannelGlance, ...]
    link: str
    link_condition: Condition
    changes: tuple[str, ...]


class LiveWatch:
    """Bytes in (`hear`), glances out (`look`)."""

    def __init__(self) -> None:
        self._decoder, self._books, self._clock = FrameDecoder(), LinkBooks(), DeviceClock()
        self._bins, self._tilt = CellBins(CELLS), TiltSense()
        self._cells: list[deque[tuple[float, int]]] = [deque() for _ in range(CELLS)]
        self._motion: deque[tuple[float, float]] = deque()
        self._stuck = 0
        self._heard_s: float | None = None
        self._states: dict[int, tuple[str, float]] = {}
        self._changes: deque[str] = deque(maxlen=MOST_CHANGES)
        self._trouble = ""

    def hear(self, t_s: float, data: bytes) -> None:
        """Takes bytes that arrived at `t_s` (s since the watch began), empty ones for silence."""
        self._trouble = ""
        for frame in self._decoder.feed(data):
            self._heard_s = t_s
            if self._books.is_new_boot(frame) or self._clock.restarted(frame.t, t_s):
                self._books.new_boot()
                self._clock.restart()
                self._bins.restart()
                self._changes.append(f"{t_s:7.1f} s  the base has started anew")
            if self._books.enter(frame):
                for judge in self._bins.filters:
                    judge.bridge()
            device_s = self._clock.unwrap(frame.t, t_s)
            if isinstance(frame, Load | Imu | Status):
                self._clock.arrived(device_s, t_s)
            self._enter(frame, self._clock.session_s(device_s))
        self._bins.advance(t_s)

    def lose(self, sentence: str) -> None:
        """The port itself is lost, with this to say of it."""
        self._trouble = sentence

    def look(self, t_s: float) -> Glance:
        """How everything is at `t_s`."""
        silent = self._heard_s is None or t_s - self._heard_s > SILENT_S
        channels = [self._cell(cell, t_s, silent) for cell in range(CELLS)]
        channels.append(self._motion_chip(t_s, silent))
        return Glance(t_s, tuple(channels), *self._link(t_s, silent), tuple(self._changes))

    def _enter(self, frame: Frame, t_s: float) -> None:
        if isinstance(frame, Load) and frame.cell < CELLS:
            if frame.flags & CellFlag.AFTER_GAP:
                self._bins.filters[frame.cell].gap()
            self._bins.feed(frame.cell, t_s, frame.counts)
            self._cells[frame.cell].append((t_s, frame.counts))
        elif isinstance(frame, Imu):
            self._tilt.feed(t_s, frame.ax, frame.ay, frame.az)
            self._motion.append((t_s, float(np.sqrt(float(frame.ax) ** 2 + float(frame.ay) ** 2 + float(frame.az) ** 2) / 16.384)))
        elif isinstance(frame, Status):
            self._stuck = frame.stuck

    def _cell(self, cell: int, t_s: float, silent: bool) -> ChannelGlance:
        window = self._cells[cell]
        while window and window[0][0] < t_s - WINDOW_S:
            window.popleft()
        rate_hz = len(window) / min(WINDOW_S, max(t_s, 0.1))
        noise = neighbour_noise(np.array([counts for _, counts in window], dtype=np.float64))
        judge = self._bins.filters[cell]
        state = self._bins.state(cell, t_s - 0.1)
        touched_s = self._bins.slips.touched_s[cell]
        words, condition = str(state), Condition.ILL
        if silent:
            words = "the base is silent"
        elif state is CellState.SILENT and self._stuck >> cell & 1:
            words = "not connected: data line stays low"
        elif state is CellState.GOOD and touched_s is not None and t_s - touched_s < TOUCHED_S:
            words, condition = "moved by itself: touched?", Condition.DOUBTFUL
        elif state is CellState.GOOD and window and rate_hz < SLOW_HZ:
            words, condition = "good, but only 10 a second", Condition.DOUBTFUL
        elif state is CellState.GOOD:
            condition = Condition.WELL
        return ChannelGlance(f"load cell {cell + 1}", rate_hz, noise, judge.last, words, condition, self._since(cell, t_s, words))

    def _motion_chip(self, t_s: float, silent: bool) -> ChannelGlance:
        window = self._motion
        while window and window[0][0] < t_s - WINDOW_S:
            window.popleft()
        noise = neighbour_noise(np.array([length for _, length in window], dtype=np.float64))
        words, condition = "good", Condition.WELL
        if silent or not window or t_s - window[-1][0] > SILENT_S:
            words, condition = "the base is silent" if silent else "silent", Condition.ILL
        elif self._tilt.fault:
            words, condition = self._tilt.fault.removeprefix("the motion chip "), Condition.ILL
        last = window[-1][1] if window else None
        rate_hz = len(window) / min(WINDOW_S, max(t_s, 0.1))
        return ChannelGlance("motion chip", rate_hz, noise, last, words, condition, self._since(CELLS, t_s, words))

    def _since(self, channel: int, t_s: float, words: str) -> float:
        """Since when the channel's state has had these words; a change is kept for the list."""
        before, since_s = self._states.get(channel, ("", t_s))
        if words != before:
            since_s = t_s
            self._states[channel] = (words, t_s)
            if before:
                name = "motion chip" if channel == CELLS else f"load cell {channel + 1}"
                self._changes.append(f"{t_s:7.1f} s  {name}: {words}")
        return since_s

    def _link(self, t_s: float, silent: bool) -> tuple[str, Condition]:
        counts, books = self._decoder.counts, self._books
        if self._trouble:
            return self._trouble, Condition.ILL
        if self._heard_s is None:
            if counts.bytes:
                return "bytes come in, but no frame of a base: wrong port, or not its firmware", Condition.ILL
            return "nothing heard yet", Condition.DOUBTFUL
        if silent:
            return f"the base has been silent for {t_s - self._heard_s:.1f} s: check its cable", Condition.ILL
        words = f"{counts.frames} frames, {books.lost} lost, {counts.refused} damaged, {books.resets} resets"
        return words, Condition.DOUBTFUL if books.lost or books.resets else Condition.WELL
