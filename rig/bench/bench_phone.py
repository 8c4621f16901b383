"""How long is a phone's picture under way, from the camera to the fold? Two browsers with a film for a camera, over https on loopback.

    python -m rig.bench.bench_phone [--seconds 60] [--encode]

Frame to fold: from the time at which the browser says its camera took the picture (brought to this computer's clock by the link's own
exchanges) until the session has folded it, the eyes at work beside. What a real lens, sensor and Wi-Fi add is not in it. Memory is this
process's, at a third and at the end; pictures of the last minute are kept, so it grows until then.

On one machine the browsers take the processor that a phone brings along. So the film is small and the page sends ready JPEGs of 720 x 1280
in the place of what it encodes; `--encode` has it decode and encode whole pictures itself.
"""

from __future__ import annotations

import argparse
import base64
import json
import queue
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from rig.bench.chromium import CHROMIUM, FLAGS
from rig.bench.phone_film import FAKE_CAMERA, film_flag, jpeg_of, write_film
from rig.bench.results import add_json, measured
from rig.cli.phones import phone_table
from rig.cli.screen import Screen
from rig.dashboard import Access
from rig.dashboard.hub import Hub
from rig.engine.fold import Said
from rig.live.phones import PhoneSource
from rig.live.realtime import referee_live
from rig.live.session import Session
from rig.messages import Frame, Input, Message
from rig.profile.nominal import nominal_profile

SIZE_PX, SMALL_PX = (720, 1280), (180, 320)
PHONES = 2
WARM_S = 5.0


class Delays:
    """A listener: for each camera's picture the seconds from being taken to being folded."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.seconds: list[tuple[float, int, float]] = []

    def clock(self) -> float:
        return time.monotonic() - self.start

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        if isinstance(message.payload, Frame):
            taken_s = message.t_s - message.payload.lag_s
            self.seconds.append((message.t_s, message.payload.camera, self.clock() - taken_s))


def ready_jpegs() -> str:
    """A script that puts ready pictures in the place of what a canvas encodes."""
    rng = np.random.default_rng(9)
    slope = np.broadcast_to(np.linspace(40, 210, SIZE_PX[0])[None, :, None], (SIZE_PX[1], SIZE_PX[0], 3))
    texts = [base64.b64encode(jpeg_of(np.clip(rng.normal(slope, 3), 0, 255).astype(np.uint8), 85)).decode() for _ in range(8)]
    return f"""
      const ready = {json.dumps(texts)}.map((text) => new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
      let sent = 0;
      HTMLCanvasElement.prototype.toBlob = function (done) {{ done(ready[sent++ % ready.length]); }};
    """


def film(folder: Path, camera: int, size_px: tuple[int, int]) -> Path:
    """A second of an upright picture with a sensor's noise."""
    rng = np.random.default_rng(camera)
    slope = np.broadcast_to(np.linspace(40, 210, size_px[0])[None, :, None], (size_px[1], size_px[0], 3))
    return write_film(folder / f"{camera}.mjpeg", [jpeg_of(np.clip(rng.normal(slope, 3), 0, 255).astype(np.uint8)) for _ in range(10)], 10)


def memory_mb() -> float:
    """What this process holds (MB), as the kernel says."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def measure(seconds: float, encode: bool) -> tuple[Delays, float, float]:
    """The delays of so many seconds, and memory (MB) at a third and at the end."""
    delays, inbox = Delays(), queue.SimpleQueue[tuple[float, str, Input]]()
    sources = [
        PhoneSource(k, SIZE_PX, lambda source, payload: inbox.put((delays.clock(), source, payload)), delays.clock)
        for k in range(1, PHONES + 1)
    ]
    phones = phone_table(sources, delays.clock, "127.0.0.1", 0)
    screen = Screen(Hub(), None, 0, access=Access(), phones=phones)
    session, end = Session(nominal_profile(cameras=PHONES), [delays], real_time=True), threading.Event()
    desk = queue.SimpleQueue[tuple[str, Input]]()
    folding = threading.Thread(target=referee_live, args=(session, inbox, desk, delays.clock, end.is_set))
    folding.start()
    try:
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            for camera in range(1, PHONES + 1):
                flags = [*FLAGS, *FAKE_CAMERA, film_flag(film(Path(folder), camera, SIZE_PX if encode else SMALL_PX))]
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
                page = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844}).new_page()
                if not encode:
                    page.add_init_script(ready_jpegs())
                page.goto(phones.way.link)
            page.wait_for_timeout(1000 * (WARM_S + seconds / 3))
            first = memory_mb()
            page.wait_for_timeout(1000 * seconds * 2 / 3)
            last = memory_mb()
    finally:
        end.set()
        folding.join()
        session.close()
        screen.close()
    return delays, first, last


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--encode", action="store_true", help="the browsers decode and encode whole pictures themselves")
    add_json(parser, "phone")
    options = parser.parse_args(arguments)
    seconds = options.seconds
    with measured(options.json, "none drawn", __doc__) as results:
        delays, first, last = measure(seconds, options.encode)
        began = min(t_s for t_s, _, _ in delays.seconds) + WARM_S
        for camera in range(1, PHONES + 1):
            ms = 1000 * np.array([delay for t_s, number, delay in delays.seconds if number == camera and t_s >= began])
            results.number(f"camera {camera}: pictures a second", len(ms) / seconds, "pictures/s", len(ms))
            results.median(f"camera {camera}: from the picture to the fold", ms.tolist(), "ms")
            results.number(f"camera {camera}: from the picture to the fold, 95th percentile", float(np.percentile(ms, 95)), "ms", len(ms))
        results.number("memory after a third of the time", first, "MB", 1)
        results.number("memory at the end", last, "MB", 1)


if __name__ == "__main__":
    main()
