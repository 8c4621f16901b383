"""`paletti run`: referee a real tower, or keep score at the desk alone where there is no hardware."""

from __future__ import annotations

import argparse
import queue
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rig import profile as profiles
from rig.base.port import Port
from rig.cli import options as kinds
from rig.cli.configuration import configuration, list_of
from rig.cli.resume import Begun, from_nothing, from_recording
from rig.cli.screen import DeskActions, Screen, ScreenListener, recorder_for
from rig.cli.stopping import Stopping
from rig.dashboard.hub import Hub
from rig.engine.pump import Listener
from rig.errors import PalettiError
from rig.live.cameras import CameraSource
from rig.live.listeners import RecordingListener
from rig.live.realtime import SerialSource, referee_live
from rig.live.session import Session
from rig.messages import Input, Resumed
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.referee.book import SEAT_NAMES
from rig.rules import PRESETS

START_S = 6.0
"""Seconds the sources have to show a sign of life before the session begins."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="referee a real tower (--no-sensors: the desk alone)",
        description=__doc__,
        epilog='paletti.toml: base = "/dev/ttyUSB0"; cameras = ["0", "2"]; turn_deg = [90, 90]; profile = "profile.json"',
    )
    parser.add_argument("--config", type=Path, default=Path("paletti.toml"), help="the rig's configuration (default paletti.toml)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="record everything raw to this .mcap file")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with the game of this recording, after a power cut")
    parser.add_argument("--no-sensors", action="store_true", help="no cameras, no base: the desk alone keeps score, facts by tap")
    parser.add_argument("--players", nargs="+", metavar="PLAYER", help="2, 3 or 4; or the players' names, clockwise (default 4)")
    parser.add_argument("--rules", choices=sorted(PRESETS), help="which house rules (default rulebook)")
    parser.add_argument("--port", type=kinds.port, default=8080, help="the screen's port (default 8080; 0: any free one)")
    parser.add_argument("--host", default="127.0.0.1", help="to whom: 127.0.0.1 this computer alone (default), 0.0.0.0 the whole network")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    if options.record is not None and options.resume is not None and options.record.resolve() == options.resume.resolve():
        raise PalettiError("A game cannot be recorded into the very file it is resumed from.", "Name another file with --record.")
    if options.resume is not None and (options.players or options.rules):
        raise PalettiError("Players and house rules are those of the resumed game.", "Leave out --players and --rules.")
    players = _players(options.players)
    begun = from_recording(options.resume) if options.resume is not None else None
    rig = _desk_alone(options.config, begun) if options.no_sensors else _real_rig(options.config)
    if begun is None:
        first = from_nothing(rig.profile.pieces, players or SEAT_NAMES, PRESETS[options.rules or "rulebook"])
    elif begun.profile.pieces.counts() == rig.profile.pieces.counts():
        first = begun.resumed
    else:
        raise PalettiError(f"The game in {options.resume} was played with another set of pieces.", "Use the profile it was played with.")
    _referee(options, rig, first, players)
    return 0


def _players(given: list[str] | None) -> tuple[str, ...]:
    """The names, `Seat 1`, `Seat 2`, … where only their number is given; none if nothing was said."""
    if given is None:
        return ()
    if len(given) == 1 and given[0].isascii() and given[0].isdigit():
        if not 2 <= int(given[0]) <= 4:
            raise PalettiError(f"{given[0]} players cannot play.", "Two to four can.")
        return SEAT_NAMES[: int(given[0])]
    return tuple(given)


@dataclass(frozen=True, slots=True)
class _Rig:
    """What there is to listen to and look through; nothing at all where the desk keeps score alone."""

    profile: Profile
    port: Port | None = None
    urls: tuple[str, ...] = ()
    turns_deg: tuple[int, ...] = ()


def _desk_alone(path: Path, begun: Begun | None) -> _Rig:
    """The set of the resumed game, else of the configured profile, else the nominal one; without its cells and cameras."""
    if begun is not None:
        return _Rig(msgspec.structs.replace(begun.profile, cells=(), cameras=()))
    named = configuration(path).get("profile") if path.exists() else None
    profile = profiles.load(Path(named)) if named else nominal_profile()
    return _Rig(msgspec.structs.replace(profile, cells=(), cameras=()))


def _real_rig(path: Path) -> _Rig:
    config = configuration(path)
    urls = [str(url) for url in list_of(config, "cameras", str, ["0"])]
    turns = list_of(config, "turn_deg", int, [0] * len(urls))
    named = config.get("profile")
    profile = profiles.load(Path(named)) if named else nominal_profile(cameras=len(urls))
    if len(profile.cameras) != len(urls) or len(turns) != len(urls):
        raise PalettiError(
            f"The configuration names {len(urls)} cameras and {len(turns)} turns; the profile knows {len(profile.cameras)} cameras.",
            "Make them agree, or calibrate again.",
        )
    return _Rig(profile, Port(str(config.get("base", ""))), tuple(urls), tuple(turns))


def _referee(options: argparse.Namespace, rig: _Rig, first: Resumed, players: tuple[str, ...]) -> None:
    start = time.monotonic()
    inbox: queue.SimpleQueue[tuple[float, str, Input]] = queue.SimpleQueue()

    def clock() -> float:
        return time.monotonic() - start

    def put(source: str, payload: Input) -> None:
        inbox.put((clock(), source, payload))

    profile = rig.profile
    cameras = [
        CameraSource(camera.number, url, (camera.model.width_px, camera.model.height_px), put, clock, turn)
        for camera, url, turn in zip(profile.cameras, rig.urls, rig.turns_deg, strict=True)
    ]
    base = SerialSource(rig.port, put) if rig.port is not None else None
    hub = Hub()
    desk: queue.SimpleQueue[tuple[str, Input]] = queue.SimpleQueue()
    actions = DeskActions(desk)
    folder = options.record.resolve().parent if options.record is not None else None
    screen = Screen(hub, actions, options.port, options.host, folder)
    hub.info({"recording": str(options.record or ""), "desk_alone": options.no_sensors, "players": players})
    listeners: list[Listener] = [ScreenListener(hub)]
    recording = None
    try:
        if base is not None:
            base.start()
        for camera in cameras:
            camera.start()
        _wait_for_cameras(cameras)
        if options.record is not None:
            firmware = "none: the desk alone" if base is None else "as told by the base"
            recording = RecordingListener(recorder_for(options.record, firmware, profile))
            listeners.append(recording)
        session = Session(profile, listeners, real_time=True)
        actions.follow(session)
        try:
            session.pour(clock(), "desk", first)
            print(f"The screen is at {screen.url}; Ctrl-C ends the game.", flush=True)
            if screen.url_from_elsewhere is not None:
                print(f"From a phone on this network: {screen.url_from_elsewhere} (whoever opens it can speak at the desk).", flush=True)
            with Stopping() as stopping:
                referee_live(session, inbox, desk, clock, stopping.asked)
            raise KeyboardInterrupt
        finally:
            session.close()
    finally:
        for camera in cameras:
            camera.close()
        if base is not None:
            base.close()
        screen.close()
        if recording is not None:
            recording.close()


def _wait_for_cameras(cameras: list[CameraSource]) -> None:
    deadline = time.monotonic() + START_S
    for camera in cameras:
        if not camera.opened.wait(max(0.0, deadline - time.monotonic())):
            raise PalettiError(
                camera.trouble or f"{camera.source.capitalize()} does not open within {START_S:.0f} seconds.",
                "Check its address in the configuration; `paletti doctor` lists what is connected.",
            )
