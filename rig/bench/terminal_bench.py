"""The base's real binary on a pseudo terminal, running in real time, and a host that listens to it: for tests and `bench_reconnect`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from rig.base import firmware_tool
from rig.base.fold import BaseFold
from rig.base.port import Port
from rig.bench.base_scenario import PROFILE
from rig.live.realtime import SerialSource
from rig.messages import BaseBytes, Input, LinkNews, Reading, SourceNews, Stepped, Weighed
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.simulate import RestingWorld
from rig.twin.sensors.terminal import BaseOnTerminal

GRAMS = 600.0
"""What rests on the base."""
PATIENCE_S = 30.0
"""Nothing is asserted of real time: `Host.wait` gives up after so long."""


@dataclass
class Listed:
    """The base as pyserial lists it: the same USB device under whatever name it has now."""

    device: str
    description: str = "Arduino Uno"
    vid: int | None = 0x2341
    pid: int | None = 0x43
    serial_number: str | None = "85735313"


class RunningBase:
    """A base that runs in its own thread at real time; `do` runs something between two of its slices."""

    def __init__(self) -> None:
        self.avr = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path())
        self.terminal = BaseOnTerminal(self.avr, RestingWorld(GRAMS))
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        while self.terminal.t_s < 0.2:  # it has booted before anybody opens its port
            time.sleep(0.01)

    def _run(self) -> None:
        started = time.monotonic()
        while not self._stop.is_set():
            with self._lock:
                self.terminal.step()
            time.sleep(max(0.0, started + self.terminal.t_s - time.monotonic()))

    def do(self, act: Callable[[], None]) -> None:
        with self._lock:
            act()

    def ports(self) -> list[Listed]:
        return [Listed(self.terminal.name)] if self.terminal.name else []

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.terminal.close()
        self.avr.close()


class Host:
    """What a session does with the base: a serial source into a fold, and everything that comes of it."""

    def __init__(self, port: Port) -> None:
        self.fold = BaseFold(PROFILE)
        self.readings: list[Reading] = []
        self.told: list[SourceNews] = []
        self._start = time.monotonic()
        self._source = SerialSource(port, self._put)
        self._source.start()

    def _put(self, _: str, payload: Input) -> None:
        if isinstance(payload, BaseBytes):
            self.readings += self.fold.step(time.monotonic() - self._start, payload.data)
        elif isinstance(payload, SourceNews):
            self.told.append(payload)

    @property
    def news(self) -> list[LinkNews]:
        return [reading for reading in self.readings if isinstance(reading, LinkNews)]

    @property
    def steps(self) -> list[Stepped]:
        return [reading for reading in self.readings if isinstance(reading, Stepped)]

    def weights_g(self, since: int = 0) -> list[float]:
        return [reading.weight_g for reading in self.readings[since:] if isinstance(reading, Weighed) and reading.weight_g is not None]

    def wait(self, until: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < deadline, f"it never came: {self.news[-1:]} {self.told}"
            time.sleep(0.02)

    def close(self) -> None:
        self._source.close()
