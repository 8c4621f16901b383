"""`paletti demo`: the twin plays, the rig referees, the dashboard is live."""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
import webbrowser
from pathlib import Path

from rig.cli import options as kinds
from rig.cli.recording import SessionRecording
from rig.cli.screen import Screen, ScreenListener
from rig.cli.stopping import Stopping
from rig.dashboard.hub import Hub
from rig.engine.fold import Said
from rig.engine.pump import Listener
from rig.errors import PalettiError
from rig.live.listeners import RulingFile
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.messages import Input, Message, View


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("demo", help="the twin plays, the rig referees, the dashboard is live", description=__doc__)
    parser.add_argument("--players", type=kinds.count(2, 4, "players"), default=4, help="2, 3 or 4 (default 4)")
    parser.add_argument("--level", default="lab", help="how kind the world is: lab, home or rough (default lab)")
    parser.add_argument("--world", choices=("A", "B"), default="A", help="the twin's first world, or the other one (default A)")
    parser.add_argument("--cameras", type=kinds.count(1, 4, "cameras"), default=2, help="1 to 4 (default 2)")
    parser.add_argument("--seed", type=kinds.seed, default=None, help="which game (default: another each time)")
    parser.add_argument("--speed", type=kinds.speed, default=1.0, help="1 is real time (default), max as fast as it goes")
    parser.add_argument("--once", action="store_true", help="play one game without a screen unless --port is given, print the result, exit")
    parser.add_argument("--record", type=Path, metavar="FILE", help="record everything raw to this .mcap file")
    parser.add_argument("--keep", type=kinds.keep, action="append", default=[], metavar="SIZE|DAYS", help="as for `run`")
    parser.add_argument("--rulings", type=Path, metavar="FILE", help="write one JSON line a ruling")
    parser.add_argument("--port", type=kinds.port, default=None, help="the screen's port (default 8080; 0: any free one)")
    parser.add_argument("--raises", type=kinds.count(1, 99, "raises"), default=None, help="topple the tower after so many raises")
    parser.add_argument("--browser", action="store_true", help="open the screen in this machine's browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    screen = None
    hub = Hub()
    inbox: queue.SimpleQueue[tuple[str, Input]] = queue.SimpleQueue()
    if not options.once or options.port is not None:
        screen = Screen(hub, None, 8080 if options.port is None else options.port, recordings=_folder(options.record))
        print(f"The screen is at {screen.url}", flush=True)
        if options.browser:
            webbrowser.open(screen.url)
    try:
        seed = options.seed if options.seed is not None else int(time.time()) % 2**32
        while True:
            code = _play(options, seed, hub, inbox)
            if options.once:
                return code
            print("The next game begins in 20 seconds; Ctrl-C ends the demo.", flush=True)
            time.sleep(20.0)
            seed += 1
            hub.new_game()
    finally:
        if screen is not None:
            screen.close()


def _play(options: argparse.Namespace, seed: int, hub: Hub, inbox: queue.SimpleQueue[tuple[str, Input]]) -> int:
    try:
        from rig.twin.session import TwinSession
    except ImportError as error:
        raise PalettiError(
            f"The twin cannot start: {error}.", "Install it with `pip install villa-paletti-rig[twin]`, or run `make demo`."
        ) from error
    twin = TwinSession(
        seed, players=options.players, cameras=options.cameras, level=options.level, max_raises=options.raises, world=options.world
    )
    listeners: list[Listener] = [_Teller(hub)]
    closing: list[RulingFile] = []
    recording = None
    if options.record is not None:
        recording = SessionRecording(options.record, twin.firmware_version, twin.profile, hub, options.keep)
        listeners.append(recording.listener)
    if options.rulings is not None:
        rulings = RulingFile(options.rulings)
        listeners.append(rulings)
        closing.append(rulings)
    for sentence in twin.real_parts:
        print(f"  real: {sentence}", flush=True)
    for sentence in twin.stand_ins:
        print(f"  stands in: {sentence}", flush=True)
    print(f"Game {seed}: {options.players} players, {options.cameras} cameras.", flush=True)
    hub.info({"seed": seed, "real": list(twin.real_parts), "stand_ins": list(twin.stand_ins), "demo": True})
    session = Session(twin.profile, listeners, on_ask=twin.ask)
    if recording is not None:
        recording.follow(session)
    pace = Pace(options.speed, time.monotonic, time.sleep)
    reporting = threading.Event()
    reporter = threading.Thread(target=_report, args=(pace, options.speed, hub, reporting), daemon=True)
    reporter.start()
    try:
        with Stopping() as stopping:
            if not pour(twin, session, pace, inbox, stopping.asked) and stopping.asked():
                raise KeyboardInterrupt
    finally:
        reporting.set()
        session.close()
        twin.close()
        for listener in closing:
            listener.close()
    view = session.fold.referee.view
    print(f"{pace.t_s:.0f} s of play in {pace.t_s / max(pace.factor, 1e-9):.0f} s: {pace.factor:.2f} times real time.")
    if recording is not None:
        print(recording.close())
    return _result(view)


def _folder(record: Path | None) -> Path | None:
    """Where recordings lie, for the archive; None: none are made."""
    return record.resolve().parent if record is not None else None


def _result(view: View | None) -> int:
    if view is None or view.outcome is None:
        print("The game did not come to an end.", file=sys.stderr)
        return 1
    print(view.outcome.english)
    return 0


REACH_S = 10.0
"""Wall seconds after which it is told that a speed is out of reach; the eyes take their first seconds to warm up."""


def _report(pace: Pace, wanted: float | None, hub: Hub, stop: threading.Event) -> None:
    """Says on the screen how the session keeps up with real time, and once at the terminal if the speed asked for is out of reach."""
    told, since = wanted is None, time.monotonic()
    while not stop.wait(1.0):
        hub.info({"speed_factor": round(pace.factor, 2)})
        if not told and time.monotonic() - since > REACH_S and wanted is not None and pace.factor < 0.9 * wanted:
            told = True
            sentence = f"This computer reaches {pace.factor:.1f} times real time; --speed {wanted:g} is out of its reach."
            print(f"  {sentence}", file=sys.stderr, flush=True)
            hub.info({"slow": sentence})


class _Teller:
    """Prints the rulings and feeds the screen."""

    def __init__(self, hub: Hub) -> None:
        self._screen = ScreenListener(hub)

    def heard(self, message: Message, said: Said) -> None:
        self._screen.heard(message, said)
        for ruling in said.rulings:
            print(f"  {ruling.t_s:7.1f} s  {ruling.english}", flush=True)
