"""From an edge at the sensor to the pixel on the page, by parts, and the first picture of the page: a real Chromium over loopback.

    python -m rig.bench.bench_latency [--edges 200] [--opens 10]

The base is the real firmware in its simulator on a pseudo terminal, in a process of its own; the weight on it jumps at moments drawn by
chance (seed 1). Serial port, session, eyes and screen are those of `paletti run`. Two cameras send the pictures of the recorded short game
(synthetic, 360 x 640), five a second each, which the eyes watch. An edge counts as seen by the fold, and as painted, once more than half of
it shows; painted is the animation frame after the page's text has changed.

The simulated base must keep real time: on a machine that is busy with other work
it does not, edges come late or never, and the share that was painted says so.
"""

from __future__ import annotations

import argparse
import queue
import subprocess
import sys
import threading
import time
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, Response, sync_playwright

from rig.base.port import Port
from rig.bench.chromium import CHROMIUM, FLAGS
from rig.bench.results import Results, add_json, measured
from rig.cli.resume import from_nothing
from rig.cli.screen import Screen, ScreenListener
from rig.dashboard import Access, Limits
from rig.dashboard.hub import Hub
from rig.engine.fold import Said
from rig.live.realtime import SerialSource, referee_live
from rig.live.session import Session
from rig.messages import Frame, Input, Message, ProfileSet, Weighed
from rig.profile import Profile, from_json
from rig.recording import read
from rig.rules import RULEBOOK

GAME = Path(__file__).parents[2] / "tests" / "data" / "short_game.mcap"
LOW_G, HIGH_G = 600.0, 640.0
SEED = 1
LEAST_S, MOST_S = 0.6, 0.9
"""Between two edges."""
_WATCH = """() => {
  window.edges = [];
  const node = document.getElementById('weight-now');
  const painted = (grams) => requestAnimationFrame(() => window.edges.push([grams, Date.now()]));
  new MutationObserver(() => painted(parseFloat(node.textContent.replace('−', '-'))))
    .observe(node, { childList: true, characterData: true, subtree: true });
}"""


def base(edges: int) -> None:
    """The process of the base: prints the terminal's name, then for every edge the wall's time (s) and the grams from there on."""
    from rig.bench.terminal_bench import RunningBase
    from rig.twin.sensors.simulate import RestingWorld

    running, rng = RunningBase(), np.random.default_rng(SEED)
    print(running.terminal.name, flush=True)
    sys.stdin.readline()
    for k in range(edges):
        time.sleep(float(rng.uniform(LEAST_S, MOST_S)))
        grams = HIGH_G if k % 2 == 0 else LOW_G

        def jump(grams: float = grams) -> None:
            running.terminal._world._counts = RestingWorld(grams)._counts  # type: ignore[attr-defined]
            print(f"{time.time()} {grams}", flush=True)

        running.do(jump)
    time.sleep(1.0)
    running.close()


class Stamps:
    """When the fold first said a weight beyond the middle of an edge."""

    def __init__(self) -> None:
        self.weights: list[tuple[float, float]] = []

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        self.weights += [(one.weight_g, time.time()) for one in said.readings if isinstance(one, Weighed) and one.weight_g is not None]


class Table:
    """A rig in real time, until closed: the base on `terminal`, two cameras, the screen."""

    def __init__(self, terminal: str) -> None:
        profile, frames = _recorded()
        self.stamps, hub, self._end = Stamps(), Hub(), threading.Event()
        self.screen = Screen(hub, None, 0, access=Access("table1", "host12"), limits=Limits(burst=10**6, per_second=1e6))
        inbox: queue.SimpleQueue[tuple[float, str, Input]] = queue.SimpleQueue()
        start = time.monotonic()

        def put(source: str, payload: Input) -> None:
            inbox.put((time.monotonic() - start, source, payload))

        self._session = Session(profile, [ScreenListener(hub), self.stamps], real_time=True)
        self._session.pour(0.0, "desk", from_nothing(profile.pieces, ("Ada", "Bo", "Cleo", "Dan"), RULEBOOK))
        self._base = SerialSource(Port(terminal), put)
        self._base.start()
        self._threads = [
            threading.Thread(target=self._film, args=(frames, put), daemon=True),
            threading.Thread(
                target=referee_live,
                args=(self._session, inbox, queue.SimpleQueue(), lambda: time.monotonic() - start, self._end.is_set),
                daemon=True,
            ),
        ]
        for thread in self._threads:
            thread.start()

    def _film(self, frames: dict[int, list[Frame]], put: SerialSource) -> None:
        for pair in zip(*(cycle(frames[camera]) for camera in sorted(frames)), strict=False):
            for frame in pair:
                if self._end.wait(0.2 / len(frames)):
                    return
                put(f"camera {frame.camera}", frame)  # type: ignore[operator]

    def close(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()
        self._base.close()
        self._session.close()
        self.screen.close()


def _recorded() -> tuple[Profile, dict[int, list[Frame]]]:
    profile, frames = None, dict[int, list[Frame]]()
    for message in read(GAME).messages():
        if isinstance(message.payload, ProfileSet):
            profile = from_json(message.payload.profile_json, "the recording's profile")
        elif isinstance(message.payload, Frame) and message.payload.jpeg:
            frames.setdefault(message.payload.camera, []).append(message.payload)
    assert profile is not None
    return profile, frames


def edges(table: Table, page: Page, process: subprocess.Popen[str], results: Results) -> None:
    """The parts of every edge that was painted."""
    page.evaluate(_WATCH)
    page.locator("#lines-box summary").click()
    time.sleep(2.0)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    jumps = [(float(at), float(grams)) for at, grams in (line.split() for line in process.stdout)]
    painted = [(grams, at / 1000) for grams, at in page.evaluate("window.edges") if grams is not None]
    shown_g = [grams for grams, at_s in table.stamps.weights if at_s > jumps[0][0]]
    middle_g = float(np.percentile(shown_g, (10, 90)).mean())  # the scale may have tared itself
    to_fold, to_page, whole = [], [], []
    for at_s, grams in jumps:
        fold_s, page_s = (_first(seen, at_s, grams == HIGH_G, middle_g) for seen in (table.stamps.weights, painted))
        if fold_s is not None and page_s is not None:
            to_fold.append(1000 * (fold_s - at_s))
            to_page.append(1000 * (page_s - fold_s))
            whole.append(1000 * (page_s - at_s))
    results.share("edges at the sensor that were painted", len(whole), len(jumps))
    for what, values in (
        ("from the sensor to the fold (firmware, serial port, bins of 50 ms)", to_fold),
        ("from the fold to the painted page", to_page),
        ("from the sensor to the painted page", whole),
    ):
        results.median(what, values, "ms")
        results.number(f"{what}, 95th percentile", float(np.percentile(values, 95)), "ms", len(values))


def _first(seen: list[tuple[float, float]], at_s: float, up: bool, middle_g: float) -> float | None:
    """When a weight on the far side of the edge's middle was first there, before the next edge."""
    return next((t_s for grams, t_s in seen if at_s <= t_s < at_s + LEAST_S and (grams > middle_g) == up), None)


def _weigh(into: list[int], answer: Response) -> None:
    """Note what came over the wire, camera pictures left out."""
    into.append(0 if "/camera/" in answer.url else int(answer.headers.get("content-length", 0)))


def opens(browser: Browser, url: str, times: int, results: Results) -> None:
    """A first visit with an empty cache: what it weighs, and when tower, rulings and pictures are there."""
    first, whole, sizes = [], [], list[float]()
    for _ in range(times):
        context = browser.new_context(viewport={"width": 1920, "height": 1080})
        page, bytes_in = context.new_page(), list[int]()
        page.on("response", partial(_weigh, bytes_in))
        page.goto(url, wait_until="commit")
        page.wait_for_selector("#tower .base", state="attached")
        done = "[...document.querySelectorAll('#cameras img')].some((one) => one.naturalHeight > 0)"
        while not page.evaluate(done):
            time.sleep(0.01)
        whole.append(page.evaluate("performance.now()") / 1000)
        paints = page.evaluate("performance.getEntriesByType('paint').map((one) => [one.name, one.startTime])")
        first.append(dict(paints).get("first-contentful-paint", float("nan")) / 1000)
        sizes.append(sum(bytes_in) / 1000)
        context.close()
    results.number("a first visit, without pictures", max(sizes), "kB", times)
    results.median("first contentful paint", first, "s")
    results.median("first camera picture on the page", whole, "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=200)
    parser.add_argument("--opens", type=int, default=10)
    parser.add_argument("--base", action="store_true", help=argparse.SUPPRESS)
    add_json(parser, "latency")
    options = parser.parse_args()
    if options.base:
        base(options.edges)
        return
    command = [sys.executable, "-m", "rig.bench.bench_latency", "--base", "--edges", str(options.edges)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with measured(options.json, str(SEED), __doc__) as results, sync_playwright() as playwright:
        table = Table(process.stdout.readline().strip())
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        try:
            time.sleep(3.0)
            opens(browser, table.screen.url, options.opens, results)
            page = browser.new_page(viewport={"width": 1920, "height": 1080})
            page.goto(table.screen.url)
            edges(table, page, process, results)
        finally:
            browser.close()
            table.close()
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
