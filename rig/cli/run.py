"""`paletti run`: referee a real tower with the cameras and the base there are, or keep score at the desk alone where there are none."""

from __future__ import annotations

import argparse
import queue
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rig.cli import options as kinds
from rig.cli import senses
from rig.cli.desk import DeskActions
from rig.cli.phones import Known, phones_among, say_how_to_connect, seen_by
from rig.cli.recording import SessionRecording
from rig.cli.resume import from_nothing, from_recording
from rig.cli.rung_now import RungNow
from rig.cli.screen import Screen, ScreenListener
from rig.cli.stands_already import StandsAlready
from rig.cli.stopping import Stopping
from rig.dashboard import Access
from rig.dashboard.door import new_code
from rig.dashboard.hub import Hub
from rig.dashboard.server import SECURE_PORT
from rig.engine.pump import Listener
from rig.errors import PalettiError
from rig.live.cameras import CameraSource
from rig.live.cropping import TowerCrop
from rig.live.phones import PHONE, PhoneSource
from rig.live.realtime import SerialSource, referee_live
from rig.live.session import Session
from rig.messages import Frame, Input, Resumed
from rig.profile import Camera
from rig.referee.book import SEAT_NAMES
from rig.rules import PRESETS

START_S = 6.0
"""Seconds the sources have to show a sign of life before the session begins."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add this command, its options and its example."""
    parser = commands.add_parser(
        "run",
        help="referee a real tower with the senses there are (--no-sensors: the desk alone)",
        description=__doc__,
        epilog='paletti.toml, every line of which may be missing: base = "/dev/ttyUSB0"; cameras = ["0", "phone"]; turn_deg = [90, 90]; '
        'profile = "profile.json". What is not named is played without.',
    )
    senses.add_options(parser)
    parser.add_argument("--record", type=Path, metavar="FILE", help="record everything raw to this .mcap file")
    keep = "how much of --record is kept: a size (2GB) for this session, days (30d) for pictures of those beside it, all: every picture"
    parser.add_argument("--keep", type=kinds.keep, action="append", default=[], metavar="SIZE|DAYS|all", help=keep)
    crop = "tower: nothing but the tower's surroundings is seen, recorded and shown (default: the whole picture)"
    parser.add_argument("--crop", choices=("tower",), help=crop)
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with the game of this recording, after a power cut")
    parser.add_argument("--players", nargs="+", metavar="PLAYER", help="2, 3 or 4; or the players' names, clockwise (default 4)")
    parser.add_argument("--rules", choices=sorted(PRESETS), help="which house rules (default rulebook)")
    parser.add_argument("--port", type=kinds.port, default=8080, help="the screen's port (default 8080; 0: any free one)")
    secure = f"where phones open their page by https (default {SECURE_PORT}; 0: any free one)"
    parser.add_argument("--secure-port", type=kinds.port, default=SECURE_PORT, metavar="PORT", help=secure)
    parser.add_argument("--host", default="127.0.0.1", help="to whom: 127.0.0.1 this computer alone (default), 0.0.0.0 the whole network")
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="a further name by which the screen is reached")
    parser.add_argument("--code", metavar="CODE", help="the table's code, to speak at the desk (default: drawn by chance and printed)")
    parser.add_argument("--host-code", metavar="CODE", help="the host's code, to correct, name, begin and end as well")
    parser.add_argument("--private", action="store_true", help="keep the cameras off the screen")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, known: Known | None = None) -> int:
    """Carry the command out; the exit code. `known`: phones that are connected already. PalettiError for what cannot be used."""
    if options.record is not None and options.resume is not None and options.record.resolve() == options.resume.resolve():
        raise PalettiError("A game cannot be recorded into the very file it is resumed from.", "Name another file with --record.")
    if options.resume is not None and (options.players or options.rules):
        raise PalettiError("Players and house rules are those of the resumed game.", "Leave out --players and --rules.")
    players = _players(options.players)
    begun = from_recording(options.resume) if options.resume is not None else None
    rig = senses.senses_of(options, begun)
    if begun is None:
        first = from_nothing(rig.profile.pieces, players or SEAT_NAMES, PRESETS[options.rules or "rulebook"])
    elif begun.profile.pieces.counts() == rig.profile.pieces.counts():
        first = begun.resumed
    else:
        raise PalettiError(f"The game in {options.resume} was played with another set of pieces.", "Use the profile it was played with.")
    _referee(options, rig, first, players, known)
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


def _referee(
    options: argparse.Namespace, rig: senses.ConnectedSenses, first: Resumed, players: tuple[str, ...], known: Known | None = None
) -> None:
    start = time.monotonic()
    inbox: queue.SimpleQueue[tuple[float, str, Input]] = queue.SimpleQueue()

    def clock() -> float:
        return time.monotonic() - start

    def put(source: str, payload: Input) -> None:
        inbox.put((clock(), source, payload))

    profile = rig.profile
    cameras = camera_sources(profile.cameras, rig, put, clock, TowerCrop(profile) if options.crop else None)
    phones = phones_among(cameras, clock, options.host, options.secure_port, known)
    base = SerialSource(rig.port, put) if rig.port is not None else None
    hub = Hub()
    desk: queue.SimpleQueue[tuple[str, Input]] = queue.SimpleQueue()
    actions = DeskActions(desk)
    folder = options.record.resolve().parent if options.record is not None else None
    access = Access(options.code or new_code(), options.host_code or new_code(), options.private)
    screen = Screen(hub, actions, options.port, options.host, folder, access, options.allow_host, phones=phones)
    rung = rig.rung
    hub.info({"desk_alone": not rig.urls, "players": players})
    listeners: list[Listener] = [ScreenListener(hub), actions, RungNow(hub, len(rig.urls), base is not None), *seen_by(phones)]
    listeners += [StandsAlready(known.stands, desk)] if known is not None else []
    recording = None
    try:
        if base is not None:
            base.start()
        for camera in cameras:
            camera.start()
        _wait_for_cameras([camera for camera in cameras if isinstance(camera, CameraSource)])
        if options.record is not None:
            firmware = "none: no base" if base is None else "as told by the base"
            recording = SessionRecording(options.record, firmware, profile, hub, options.keep)
            listeners.append(recording.listener)
        session = Session(profile, listeners, real_time=True)
        actions.follow(session)
        if recording is not None:
            recording.follow(session)
        try:
            session.pour(clock(), "desk", first)
            _say_where(screen)
            say_how_to_connect(phones, screen.url)
            print(f"Rung {rung.number} of 4. {rung.english}", flush=True)
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
            print(recording.close(), file=sys.stderr)


def camera_sources(
    cameras: Sequence[Camera],
    rig: senses.ConnectedSenses,
    put: Callable[[str, Input], None],
    clock: Callable[[], float],
    crop: TowerCrop | None = None,
) -> list[CameraSource | PhoneSource]:
    """A source for each camera: a phone that will come by itself, or an address that is opened. `crop`: what is left of its pictures."""

    def put_cropped(source: str, payload: Input) -> None:
        put(source, crop.frame(clock(), payload) if crop is not None and isinstance(payload, Frame) else payload)

    sources: list[CameraSource | PhoneSource] = []
    for camera, url, turn in zip(cameras, rig.urls, rig.turns_deg, strict=True):
        size = (camera.model.width_px, camera.model.height_px)
        if url == PHONE:
            sources.append(PhoneSource(camera.number, size, put_cropped, clock))
        else:
            sources.append(CameraSource(camera.number, url, size, put, clock, turn, crop=crop))
    return sources


def _say_where(screen: Screen) -> None:
    print(f"The screen is at {screen.url}; Ctrl-C ends the game.", flush=True)
    if screen.url_from_elsewhere is not None:
        print(f"From a phone on this network: {screen.url_from_elsewhere}", flush=True)
    print(f"To speak at the desk, tap its lock and give the code {screen.access.table_code}.", flush=True)
    print(f"The host may also correct, name the players, begin and end games: {screen.access.host_code}", flush=True)


def _wait_for_cameras(cameras: list[CameraSource]) -> None:
    deadline = time.monotonic() + START_S
    for camera in cameras:
        if not camera.opened.wait(max(0.0, deadline - time.monotonic())):
            raise PalettiError(
                camera.trouble or f"{camera.source.capitalize()} does not open within {START_S:.0f} seconds.",
                "Check its address, or leave it out (--cameras); `paletti doctor` lists what is connected.",
            )
