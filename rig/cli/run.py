"""`paletti run`: referee a real tower."""

from __future__ import annotations

import argparse
import queue
import time
import tomllib
from pathlib import Path
from typing import Any

from rig import profile as profiles
from rig.base.port import Port
from rig.cli import options as kinds
from rig.cli.screen import DeskActions, Screen, ScreenListener, recorder_for
from rig.dashboard.hub import Hub
from rig.errors import PalettiError
from rig.live.cameras import CameraSource
from rig.live.listeners import RecordingListener
from rig.live.realtime import SerialSource, referee_live
from rig.live.session import Listener, Session
from rig.messages import Input

START_S = 6.0
"""Seconds the sources have to show a sign of life before the session begins."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="referee a real tower",
        description=__doc__,
        epilog='paletti.toml: base = "/dev/ttyUSB0"; cameras = ["0", "2"]; turn_deg = [90, 90]; profile = "profile.json"',
    )
    parser.add_argument("--config", type=Path, default=Path("paletti.toml"), help="the rig's configuration (default paletti.toml)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="record everything raw to this .mcap file")
    parser.add_argument("--port", type=kinds.port, default=8080, help="the screen's port (default 8080)")
    parser.set_defaults(run=run)


def _configuration(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PalettiError(
            f"There is no configuration {path}.", "Write one (see `paletti run --help`), name another with --config, or try `paletti demo`."
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PalettiError(f"The configuration {path} cannot be read: {error}.", "Correct that line.") from error


def _list_of(config: dict[str, Any], key: str, kind: type, default: list[Any]) -> list[Any]:
    value = config.get(key, default)
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise PalettiError(f"In the configuration, {key} must be a list of {kind.__name__} values.", f"For example {key} = {default}.")
    return value


def run(options: argparse.Namespace) -> int:
    config = _configuration(options.config)
    urls = [str(url) for url in _list_of(config, "cameras", str, ["0"])]
    turns = _list_of(config, "turn_deg", int, [0] * len(urls))
    named = config.get("profile")
    profile = profiles.load(Path(named)) if named else profiles.nominal_profile(cameras=len(urls))
    if len(profile.cameras) != len(urls) or len(turns) != len(urls):
        raise PalettiError(
            f"The configuration names {len(urls)} cameras and {len(turns)} turns; the profile knows {len(profile.cameras)} cameras.",
            "Make them agree, or calibrate again.",
        )
    port = Port(str(config.get("base", "")))
    start = time.monotonic()
    inbox: queue.SimpleQueue[tuple[float, str, Input]] = queue.SimpleQueue()

    def clock() -> float:
        return time.monotonic() - start

    def put(source: str, payload: Input) -> None:
        inbox.put((clock(), source, payload))

    cameras = [
        CameraSource(camera.number, url, (camera.model.width_px, camera.model.height_px), put, clock, turn)
        for camera, url, turn in zip(profile.cameras, urls, turns, strict=True)
    ]
    base = SerialSource(port, put)
    hub = Hub()
    desk: queue.SimpleQueue[tuple[str, Input]] = queue.SimpleQueue()
    screen = Screen(hub, DeskActions(desk), options.port)
    listeners: list[Listener] = [ScreenListener(hub)]
    recording = None
    try:
        base.start()
        for camera in cameras:
            camera.start()
        _wait_for_cameras(cameras)
        if options.record is not None:
            recording = RecordingListener(recorder_for(options.record, "as told by the base", profile))
            listeners.append(recording)
        print(f"The screen is at {screen.url}; Ctrl-C ends the game.", flush=True)
        session = Session(profile, listeners, real_time=True)
        try:
            referee_live(session, inbox, desk, clock)
        finally:
            session.close()
    finally:
        for camera in cameras:
            camera.close()
        base.close()
        screen.close()
        if recording is not None:
            recording.close()
    return 0


def _wait_for_cameras(cameras: list[CameraSource]) -> None:
    deadline = time.monotonic() + START_S
    for camera in cameras:
        if not camera.opened.wait(max(0.0, deadline - time.monotonic())):
            raise PalettiError(
                camera.trouble or f"{camera.source.capitalize()} does not open within {START_S:.0f} seconds.",
                "Check its address in the configuration; `paletti doctor` lists what is connected.",
            )
