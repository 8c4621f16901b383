"""`paletti start`: the set-up in the browser where nothing is configured yet, the game where it is. All that most owners ever type."""

from __future__ import annotations

import argparse
import threading
import time
import webbrowser
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.mat import mat_sheet
from calibration.setup import MOST_PHONES, Kept, SetUp, Step, jpeg_shown
from rig.cli import options as kinds
from rig.cli.empty_base import keep_empty
from rig.cli.files import write_bytes, write_profile
from rig.cli.phones import Known, PhoneTable, phone_table, secure_host
from rig.cli.run import run as play
from rig.cli.screen import Screen
from rig.cli.senses import CONFIG
from rig.cli.stopping import Stopping
from rig.dashboard import Access
from rig.dashboard.door import new_code
from rig.dashboard.hub import Hub
from rig.dashboard.server import SECURE_PORT
from rig.errors import PalettiError
from rig.live.phones import PHONE, PhoneSource
from rig.messages import Frame, Input
from rig.profile.nominal import nominal_base
from rig.rules import PRESETS

PROFILE, KEPT = Path("profile.json"), Path("setup.json")
POLL_S = 0.1
SPARED_S = 0.02
"""Between two looks, so that taps get their turn."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "start", help="set up in the browser, then play; with everything set up, play at once", description=__doc__
    )
    parser.add_argument("--again", action="store_true", help="set up anew; what was set up before is kept beside it")
    parser.add_argument("--no-browser", action="store_true", help="print the address instead of opening it")
    parser.add_argument("--record", type=Path, metavar="FILE", help="record the game raw to this .mcap file")
    parser.add_argument("--port", type=kinds.port, default=8080, help="the screen's port (default 8080; 0: any free one)")
    secure = f"where phones open their page by https (default {SECURE_PORT}; 0: any free one)"
    parser.add_argument("--secure-port", type=kinds.port, default=SECURE_PORT, metavar="PORT", help=secure)
    parser.add_argument("--host", default="127.0.0.1", help="to whom: 127.0.0.1 this computer alone (default), 0.0.0.0 the whole network")
    parser.add_argument("--code", metavar="CODE", help="the table's code, to speak at the desk (default: drawn by chance and printed)")
    parser.add_argument("--host-code", metavar="CODE", help="the host's code, to set up, correct, name, begin and end")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    options.code, options.host_code = options.code or new_code(), options.host_code or new_code()
    if CONFIG.exists() and not options.again:
        if not options.no_browser:
            opener = threading.Timer(1.5, webbrowser.open, [f"http://127.0.0.1:{options.port}/#code={options.host_code}"])
            opener.daemon = True
            opener.start()
        return play(_game(options, (), ""))
    ready = _set_up(options)
    return 130 if ready is None else play(_game(options, ready.names, ready.rules), ready.known)


class Ready(msgspec.Struct, frozen=True):
    """What the game is begun with."""

    names: tuple[str, ...]
    rules: str
    known: Known


def _game(options: argparse.Namespace, names: tuple[str, ...], rules: str) -> argparse.Namespace:
    """The options of `paletti run` for this game."""
    from rig.cli.main import parser  # it imports the commands, this one among them

    told = ["run", "--port", str(options.port), "--secure-port", str(options.secure_port), "--host", options.host]
    told += ["--code", options.code, "--host-code", options.host_code]
    told += ["--record", str(options.record)] if options.record is not None else []
    told += ["--rules", rules] if rules else []
    game = parser("run").parse_args(told)
    game.players = list(names) or None
    return game


def _set_up(options: argparse.Namespace) -> Ready | None:
    """Serves the set-up until it is done; None if it was stopped."""
    start = time.monotonic()
    setting = SettingUp(options.host_code)
    sources = [PhoneSource(number, (0, 0), setting.put, lambda: time.monotonic() - start) for number in range(1, MOST_PHONES + 1)]
    phones = phone_table(sources, lambda: time.monotonic() - start, secure_host(options.host), options.secure_port)
    setting.follow(phones)
    access = Access(options.code, options.host_code)
    screen = Screen(Hub(), None, options.port, options.host, access=access, phones=phones, setup=setting)
    options.port, options.secure_port = screen.port, screen.secure_port
    try:
        address = f"{screen.url}setup#code={options.host_code}"
        print(f"Set up at {address}\nCtrl-C stops, and it goes on where it was the next time.", flush=True)
        if not options.no_browser:
            webbrowser.open(address)
        with Stopping() as stopping:
            return setting.serve(stopping.asked)
    finally:
        screen.close()


class SettingUp:
    """The set-up behind its page. Implements the dashboard's `SetUpActions`; looks at pictures in the thread that calls `serve`."""

    def __init__(self, host_code: str, folder: Path | None = None) -> None:
        self._folder = folder or Path()
        self._host_code = host_code
        self._lock = threading.Lock()
        self._setup = SetUp(_kept(self._folder / KEPT), self._keep)
        self._newest: dict[int, bytes] = {}
        self._came = threading.Event()
        self._pictures: dict[int, bytes] = {}
        self._state = self._setup.state()
        self._phones: PhoneTable | None = None
        self._ready: Ready | None = None

    def follow(self, phones: PhoneTable) -> None:
        """The phones there are."""
        self._phones = phones
        phones.cameras.make_room(self._setup.phones)

    def put(self, _: str, payload: Input) -> None:
        """A phone's message."""
        if isinstance(payload, Frame):
            self._newest[payload.camera] = payload.jpeg
            self._came.set()

    def serve(self, stopped: Any = lambda: False) -> Ready | None:
        """Looks at pictures as they come until the game is to begin (or `stopped()`: None)."""
        while self._ready is None:
            if stopped():
                return None
            self._came.wait(POLL_S)
            self._came.clear()
            for camera in list(self._newest):
                self._look(camera, self._newest.pop(camera))
            time.sleep(SPARED_S)
        return self._ready

    def _look(self, camera: int, jpeg: bytes) -> None:
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        if picture is not None:
            with self._lock:
                self._setup.see(camera, np.asarray(picture, np.uint8))
                self._show(camera)

    def _show(self, camera: int | None = None) -> None:
        self._state = {**self._setup.state(), "rules": sorted(PRESETS, key=lambda name: name != "rulebook")}
        shown = self._setup.picture(camera) if camera is not None else None
        if camera is not None and shown is not None:
            self._pictures[camera] = jpeg_shown(shown)

    # ------------------------------------------------------------ what the page asks

    def state(self) -> dict[str, Any]:
        return self._state

    def act(self, name: str, value: str) -> None:
        with self._lock:
            self._setup.act(name, value)
            if self._phones is not None:
                self._phones.cameras.make_room(self._setup.phones)
            self._show()

    def picture(self, camera: int) -> bytes | None:
        return self._pictures.get(camera)

    def sheet(self, paper: str) -> bytes:
        return mat_sheet(nominal_base(), paper).pdf

    def play(self, names: tuple[str, ...], rules: str) -> str:
        if rules not in PRESETS:
            raise PalettiError(f"There are no house rules {rules!r}.", f"Choose one of {', '.join(PRESETS)}.")
        if len(set(names)) < len(names) or not all(names):
            raise PalettiError("Each player needs a name of their own.")
        with self._lock:
            if self._setup.step not in (Step.NAMES, Step.PLAY):
                raise PalettiError("The set-up is not done yet.", "Finish the step that is shown.")
            self._write()
            known = (
                Known("", {}) if self._phones is None else Known(self._phones.way.code, self._phones.cameras.devices(), self._setup.stands)
            )
            self._ready = Ready(names, rules, known)
        return f"/#code={self._host_code}"

    # ------------------------------------------------------------ what is kept

    def _keep(self, kept: Kept) -> None:
        write_bytes(self._folder / KEPT, msgspec.json.encode(kept))

    def _write(self) -> None:
        """Profile and configuration; those of before are kept beside them."""
        for path in (self._folder / CONFIG, self._folder / PROFILE):
            if path.exists():
                write_bytes(path.with_name(f"{path.stem}-before{path.suffix}"), path.read_bytes())
        lines = ["# written by `paletti start`"]
        if self._setup.phones:
            profile = self._setup.profile
            assert profile is not None
            write_profile(self._folder / PROFILE, profile, quiet=True)
            keep_empty(self._folder / PROFILE, self._setup.empty)
            cameras = ", ".join(f'"{PHONE}"' for _ in range(self._setup.phones))
            lines += [f"cameras = [{cameras}]", f'profile = "{PROFILE}"']
        write_bytes(self._folder / CONFIG, ("\n".join(lines) + "\n").encode())
        (self._folder / KEPT).unlink(missing_ok=True)


def _kept(path: Path) -> Kept | None:
    """What was kept of a set-up that was left; None if nothing, or nothing of use."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except (OSError, msgspec.DecodeError):
        return None
