"""From the fold to the pixel, what viewers cost, and how heavy the page is: a real Chromium over loopback, readings and pictures as from a
two-camera rig (synthetic).

    python -m rig.bench.bench_screen [--edges 200] [--viewers 200]

An edge is one weight reading that jumps; it is timed from its publishing by the fold to the animation frame after the page shows it. The
fold's cost with viewers is how often a fixed load (arithmetic and publishing) can be done, with and without them, alternately in one run.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import threading
import time

from playwright.sync_api import Page, sync_playwright

from rig import messages as m
from rig.bench import page_scene as scene
from rig.bench.chromium import CHROMIUM, FLAGS
from rig.bench.results import Results, add_json, measured
from rig.dashboard import Access, Hub, Limits, Server, create_app

_WATCH = """() => {
  window.edges = [];
  const node = document.getElementById('weight-now');
  new MutationObserver(() => { const text = node.textContent; requestAnimationFrame(() => window.edges.push([text, Date.now()])); })
    .observe(node, { childList: true, characterData: true, subtree: true });
}"""


class Rig:
    """A hub that is fed like a two-camera rig's, until closed."""

    def __init__(self) -> None:
        self.hub = Hub()
        limits = Limits(burst=10**6, per_second=1e6, streams=300, streams_in_all=400)
        self.server = Server(create_app(self.hub, access=Access("table1", "host12")), self.hub, port=0, limits=limits)
        self.hub.publish(scene.profile_set(), 0.0)
        for ruling in scene.rulings():
            self.hub.publish(ruling, ruling.t_s)
        self.hub.publish(scene.view(), 412.0)
        self.grams = 500.0
        self.t_s = 412.0
        self._end = threading.Event()
        self._feed = threading.Thread(target=self._run, daemon=True)
        self._feed.start()

    def _run(self) -> None:
        while not self._end.wait(0.05):
            self.t_s += 0.05
            self.weigh()
            for camera in (1, 2):
                if round(self.t_s * 20) % 4 == 0:
                    self.hub.picture(camera, scene.picture(camera), self.t_s)

    def weigh(self) -> None:
        reading = m.Weighed(t_s=self.t_s, weight_g=self.grams, cop_x_mm=0.0, cop_y_mm=0.0, noise_g=0.2, quiet=True)
        self.hub.publish(reading, self.t_s)

    def close(self) -> None:
        self._end.set()
        self._feed.join()
        self.server.close()


def edges(rig: Rig, page: Page, count: int) -> list[float]:
    """Milliseconds from publishing a jump to the painted page."""
    page.evaluate(_WATCH)
    page.locator("#lines-box summary").click()
    started: dict[str, float] = {}
    for k in range(count):
        time.sleep(0.21 + 0.0137 * (k % 7))
        rig.grams = 501.0 + k
        started[f"{501 + k} g"] = time.time()
        rig.weigh()
    time.sleep(1.0)
    painted: dict[str, float] = dict(reversed(page.evaluate("window.edges")))
    return [1000 * (painted[text] / 1000 - at) for text, at in started.items() if text in painted]


async def _view(port: int, stop: asyncio.Event) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    while not stop.is_set():
        if not await reader.read(65536):
            break
    writer.close()


class Viewers:
    """So many pages that only listen, in a process of their own (this one's interpreter would be shared with the fold otherwise)."""

    def __init__(self, port: int, count: int) -> None:
        code = (
            "import asyncio, sys\nfrom rig.bench.bench_screen import _view\n"
            "async def main():\n    stop = asyncio.Event()\n"
            f"    await asyncio.gather(*(_view({port}, stop) for _ in range({count})))\nasyncio.run(main())\n"
        )
        self._process = subprocess.Popen([sys.executable, "-c", code])

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def load(rig: Rig, seconds: float = 2.0) -> float:
    """How often a second a step of the fold's size (a fixed piece of arithmetic) and its publishing can be done."""
    end, done = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        sum(k * k for k in range(20_000))
        rig.weigh()
        done += 1
        time.sleep(0.004)
    return done / seconds


def viewers(rig: Rig, count: int, rounds: int = 3) -> list[float]:
    """For each round the steps a second with so many viewers, as a share of those without."""
    ratios = []
    for _ in range(rounds):
        alone = load(rig)
        crowd = Viewers(rig.server.port, count)
        while rig.server.streams.count() < count:
            time.sleep(0.1)
        ratios.append(load(rig) / alone)
        crowd.close()
        while rig.server.streams.count() > 5:
            time.sleep(0.1)
    return ratios


def weight_of(page: Page, url: str) -> tuple[float, float]:
    """Kilobytes of a first visit without pictures, and seconds until the first camera picture is there."""
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(int(answer.headers.get("content-length", 0))) if "/camera/" not in answer.url else None)
    start = time.monotonic()
    page.goto(url)
    page.wait_for_selector("#cameras img[src]")
    while not page.evaluate("[...document.querySelectorAll('#cameras img')].some((one) => one.naturalHeight > 0)"):
        time.sleep(0.01)
    return sum(sizes) / 1000, time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=200)
    parser.add_argument("--viewers", type=int, default=200)
    add_json(parser, "screen")
    options = parser.parse_args()
    with measured(options.json, "none drawn", __doc__) as results:
        rig = Rig()
        try:
            watch(rig, options.edges, results)
            results.median(f"the fold's steps with {options.viewers} viewers, beside those without", viewers(rig, options.viewers), "times")
        finally:
            rig.close()


def watch(rig: Rig, count: int, results: Results) -> None:
    """What one page weighs and how late it is."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        weight_kb, first_s = weight_of(page, rig.server.url)
        results.number("a first visit, without pictures", weight_kb, "kB", 1)
        results.number("first camera picture on the page", first_s, "s", 1)
        late_ms = edges(rig, page, count)
        results.share("jumps of the weight that were painted", len(late_ms), count)
        results.median("from the fold to the painted page", late_ms, "ms")
        results.number("from the fold to the painted page, latest", max(late_ms), "ms", len(late_ms))
        browser.close()


if __name__ == "__main__":
    main()
