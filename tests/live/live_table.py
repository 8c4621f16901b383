"""A table that procedures on live devices can be held against: the real firmware on a pseudo terminal, cameras as MJPEG addresses.

The cameras' pictures are the twin's, of what lies on the base now, with the code light as bright as the firmware's own pin makes it; each
leaves the camera a known while after its exposure. What opens port and addresses is the code of play and of `paletti calibrate`: nothing
is patched. Real time passes, so figures are only as good as the machine is free; `late_s` says how good that was.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from types import TracebackType

import cv2
import numpy as np
import numpy.typing as npt

from rig.base import firmware_tool
from rig.messages import Tower
from rig.profile import Profile, from_json, to_json
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye, Picture, to_jpeg
from rig.twin.sensors.avr import AvrBase
from rig.twin.sensors.chips import ChipClocks, Due
from rig.twin.sensors.simulate import IMU_NOISE_COUNTS, NOISE_COUNTS
from rig.twin.sensors.terminal import SLICE_S, BaseOnTerminal

CODE_PIN = 3
PICTURES_PER_S = 9.0
"""Slow, so that a busy machine keeps up; no multiple of the code's bits of 65.5 ms, so that every phase of a bit is seen."""

EXPOSURE_S = 0.01
STARTS_WITHIN_S = 60.0


class _Loads:
    """What the chips measure: grams on each cell, changed while it runs."""

    def __init__(self, profile: Profile) -> None:
        self._rng = np.random.default_rng(1)
        self._clocks = ChipClocks(1)
        self._cells = profile.cells
        self.grams = np.zeros(len(profile.cells))

    def measure(self, until_s: float) -> tuple[Due, npt.NDArray[np.int32], npt.NDArray[np.int16]]:
        due = self._clocks.due(until_s)
        carried = np.array([cell.tare_counts + g * cell.counts_per_g for cell, g in zip(self._cells, self.grams, strict=True)])
        counts = carried[due.load_cell] + self._rng.normal(0, NOISE_COUNTS, len(due.load_cell))
        motion = self._rng.normal(0, IMU_NOISE_COUNTS, (len(due.imu_tick), 7)) + np.array([0, 0, 16384, 0, 0, 0, -3920])
        return due, np.rint(counts).astype(np.int32), np.rint(motion).astype(np.int16)


class StreamedCamera:
    """The newest picture that has left a camera, for whoever reads its address."""

    def __init__(self) -> None:
        self.news = threading.Condition()
        self.count, self.jpeg = 0, b""
        self.under_way: deque[tuple[float, bytes]] = deque()

    def deliver(self, now_s: float) -> None:
        while self.under_way and self.under_way[0][0] <= now_s:
            with self.news:
                self.count, self.jpeg = self.count + 1, self.under_way.popleft()[1]
                self.news.notify_all()


@dataclass(frozen=True, eq=False)
class Shown:
    """What a camera sees: pictures with noise, and the part of them that the code light changes, dark and lit."""

    noisy: tuple[Picture, ...]
    part: tuple[slice, slice]
    dark: Picture
    lit: Picture


class LiveTable:
    """Use it as a context manager: `port` and `urls` can be opened as long as it runs, in a process of its own. `delays_s`: from the middle
    of an exposure to the picture's leaving, by camera."""

    def __init__(self, true: Profile, seed: int, delays_s: Mapping[int, float]) -> None:
        context = multiprocessing.get_context("spawn")  # a process with threads, OpenGL and an AVR of its own
        self._ask, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, to_json(true), seed, dict(delays_s)), daemon=True)

    def __enter__(self) -> LiveTable:
        self._process.start()
        if not self._ask.poll(STARTS_WITHIN_S):
            raise TimeoutError("the table was not laid in time")
        self.port, self.urls = self._ask.recv()
        return self

    def show(self, tower: Tower, grams: npt.NDArray[np.float64]) -> None:
        """From now on this stands on the base, and weighs so much on each cell."""
        self._answer((tower, grams))

    @property
    def late_s(self) -> float:
        """By how much the base has fallen behind real time at worst: its clock and its light cannot be trusted nearer than that."""
        return float(self._answer(None))

    def _answer(self, question: object) -> float:
        self._ask.send(question)
        return float(self._ask.recv())

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._ask.close()
        self._process.join(timeout=10.0)


def _serve(questions: Connection, profile_json: str, seed: int, delays_s: Mapping[int, float]) -> None:
    """In the table's process: does what is asked until nobody asks any more."""
    cv2.setNumThreads(1)
    with _Table(from_json(profile_json), seed, delays_s) as table, contextlib.suppress(EOFError):
        questions.send((table.port, table.urls))
        while True:
            asked = questions.recv()
            if asked is not None:
                table.show(*asked)
            questions.send(table.late_s)


class _Table:
    """The table itself, with a thread for the base, one for the cameras and one for those who look at them."""

    def __init__(self, true: Profile, seed: int, delays_s: Mapping[int, float]) -> None:
        self._true, self._delays_s = true, delays_s
        self._loads = _Loads(true)
        self._eye = Eye(true, seed, code_light=True)
        self._cameras = {number: StreamedCamera() for number in delays_s}
        self._grain = np.rint(np.random.default_rng(seed).normal(0, 1.6, (*self._size()[::-1], 3))).astype(np.int16)
        self._avr = AvrBase(firmware_tool.elf_path(), firmware_tool.library_path())
        self._terminal = BaseOnTerminal(self._avr, self._loads)
        self._lit: deque[bool] = deque(maxlen=round(EXPOSURE_S / SLICE_S))
        self.late_s = 0.0
        self._stop = threading.Event()
        self._shown: dict[int, Shown] = {}
        self.show(Tower(), np.zeros(4))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), stream_handler(self._cameras, self._stop))
        self._server.daemon_threads = True
        self._threads = [
            threading.Thread(target=run, daemon=True) for run in (self._run_base, self._run_cameras, self._server.serve_forever)
        ]

    def _size(self) -> tuple[int, int]:
        model = self._true.cameras[0].model
        return model.width_px, model.height_px

    @property
    def port(self) -> str:
        return self._terminal.name

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{self._server.server_address[1]}/{number}.mjpg" for number in self._cameras]

    def show(self, tower: Tower, grams: npt.NDArray[np.float64]) -> None:
        poses = poses_of(self._true, tower)
        dark, lit = (self._eye.see(poses, code=level) for level in (0.0, 1.0))
        self._shown = {number: self._noisy(*pair) for number, pair in enumerate(zip(dark, lit, strict=True), 1)}
        self._loads.grams = grams

    def _noisy(self, dark: Picture, lit: Picture) -> Shown:
        """A few pictures with noise, and the part round the light, dark and lit: little work is left for each picture."""
        noisy = tuple(np.asarray(cv2.add(dark, np.roll(self._grain, 37 * k, axis=0), dtype=cv2.CV_8U), np.uint8) for k in range(4))
        rows, columns = np.nonzero(np.abs(lit.astype(int) - dark).max(2) > 4)
        if not len(rows):
            return Shown(noisy, (slice(0, 0), slice(0, 0)), dark, lit)
        part = (slice(int(rows.min()), int(rows.max()) + 1), slice(int(columns.min()), int(columns.max()) + 1))
        return Shown(noisy, part, dark[part], lit[part])

    def __enter__(self) -> _Table:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(timeout=5.0)
        self._terminal.close()
        self._avr.close()
        self._eye.close()

    # ------------------------------------------------------------ in threads of their own

    def _run_base(self) -> None:
        started = time.monotonic()
        while not self._stop.is_set():
            self._terminal.step()
            self._lit.append(bool(self._avr.pins() >> CODE_PIN & 1))
            early_s = started + self._terminal.t_s - time.monotonic()
            self.late_s = max(self.late_s, -early_s)
            time.sleep(max(0.0, early_s))

    def _run_cameras(self) -> None:
        next_s, count = time.monotonic(), 0
        while not self._stop.is_set():
            now_s = time.monotonic()
            if now_s >= next_s and self._lit:
                next_s, count = max(next_s + 1 / PICTURES_PER_S, now_s), count + 1
                level = float(np.mean(self._lit.copy()))
                for number, camera in self._cameras.items():
                    camera.under_way.append((now_s - EXPOSURE_S / 2 + self._delays_s[number], self._picture(number, level, count)))
            for camera in self._cameras.values():
                camera.deliver(time.monotonic())
            time.sleep(0.002)

    def _picture(self, number: int, level: float, count: int) -> bytes:
        shown = self._shown[number]
        picture = shown.noisy[count % len(shown.noisy)].copy()
        picture[shown.part] = np.rint(shown.dark * (1 - level) + shown.lit * level).astype(np.uint8)
        return to_jpeg(picture)


def stream_handler(cameras: Mapping[int, StreamedCamera], stop: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Stream(BaseHTTPRequestHandler):
        """Pictures one after the other in one endless answer, as webcams with a network plug send them."""

        def do_GET(self) -> None:
            name = self.path.strip("/").removesuffix(".mjpg")
            camera = cameras.get(int(name)) if name.isdigit() else None
            if camera is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
            self.end_headers()
            seen = 0
            try:
                while not stop.is_set():
                    with camera.news:
                        if not camera.news.wait_for(lambda: camera.count > seen, 0.2):  # noqa: B023 - waited for here
                            continue
                        seen, jpeg = camera.count, camera.jpeg
                    self.wfile.write(b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg) + jpeg + b"\r\n")
            except OSError:
                return  # the reader has gone

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002, ARG002 - the server's own signature
            return

    return Stream
