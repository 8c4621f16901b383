"""`paletti doctor`: what is connected, how fast, how noisy, what is wrong.

The patient is the rig (base and cameras, live), a recording, or anybody's log of load cells. With `--json` one object is printed; its keys
are a contract: `source`, `seconds`, `unit` (counts, grams, or g), `channels` (the cells: fields of `rig.base.doctor.ChannelReport`), `imu`
(of `ImuReport`, or null), `link` (what is wrong with cable and clock), `notes` (worth knowing, not wrong), `cameras` (fields of
`rig.live.camera_doctor.CameraReport`), `wrong` (every finding as a sentence) and `well`. Exit code 0: well, 1: a fault was found.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rig.base import doctor_tool
from rig.base.doctor import DoctorReport
from rig.base.patient import examine_base
from rig.errors import PalettiError
from rig.live.camera_doctor import CameraReport, examine_recorded, listen_to_cameras, report_lines
from rig.messages import BaseBytes, Frame
from rig.recording import read

CONFIG = Path("paletti.toml")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("doctor", help="what is connected, how fast, how noisy, what is wrong", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE.mcap", help="a recording to examine instead of the rig")
    doctor_tool.add_arguments(parser)
    parser.add_argument(
        "--cameras", nargs="+", metavar="ADDRESS", help="cameras to examine: an index, a file, an rtsp:// or http:// address"
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="take base and cameras from here (default: paletti.toml, if it is there)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prints the report; 0 if all is well, 1 if a fault was found."""
    if options.file is not None:
        base, cameras = _recorded(options.file)
    elif options.log is not None:
        base, cameras = doctor_tool.examine(options), ()
    else:
        base, cameras = _live(options)
    wrong = [*base.wrong, *(f"{camera.name} {sentence}" for camera in cameras for sentence in camera.wrong)]
    if options.json:
        report = {**doctor_tool.as_json(base), "cameras": [asdict(camera) for camera in cameras], "wrong": wrong, "well": not wrong}
        print(json.dumps(report, indent=1))
    else:
        print("\n".join(_text(base, cameras, wrong)))
    return 1 if wrong else 0


def _text(base: DoctorReport, cameras: Sequence[CameraReport], wrong: Sequence[str]) -> list[str]:
    return [*doctor_tool.report_lines(base), *report_lines(cameras), *([f"  ! {sentence}" for sentence in wrong] or ["  nothing wrong"])]


def _recorded(path: Path) -> tuple[DoctorReport, tuple[CameraReport, ...]]:
    recording = read(path)
    chunks: list[tuple[float, bytes]] = []
    end_s = 0.0

    def pictures() -> list[tuple[float, int, bytes, int]]:
        nonlocal end_s
        found = []
        for message in recording.messages():
            end_s = message.t_s
            if isinstance(message.payload, BaseBytes):
                chunks.append((message.t_s, message.payload.data))
            elif isinstance(message.payload, Frame):
                found.append((message.t_s, message.payload.camera, message.payload.jpeg, message.payload.dropped))
        return found

    seen = pictures()
    cameras = examine_recorded(seen, end_s)
    if chunks:
        base = examine_base(chunks, str(path))
    else:
        base = DoctorReport(str(path), end_s, "counts", (), None, ("the recording holds no bytes of a base",))
    return base, cameras


def _live(options: argparse.Namespace) -> tuple[DoctorReport, tuple[CameraReport, ...]]:
    urls, named = _configured(options)
    options.base = options.base or named
    if not urls:
        return doctor_tool.examine(options), ()
    cameras = listen_to_cameras(urls, min(options.seconds, doctor_tool.LISTEN_S))
    try:
        base = doctor_tool.examine(options)
    except PalettiError as error:  # with cameras to report of, a missing base is a finding among others
        base = DoctorReport(options.base, 0.0, "counts", (), None, (f"no base: {error}",))
    return base, cameras


def _configured(options: argparse.Namespace) -> tuple[list[str], str]:
    """Addresses of the cameras and of the base."""
    path = options.config or (CONFIG if CONFIG.is_file() else None)
    config: dict[str, object] = {}
    if path is not None:
        try:
            config = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise PalettiError(
                f"The configuration {path} cannot be read: {error}.", "Correct it, or name another with --config."
            ) from error
    listed = config.get("cameras", [])
    if not isinstance(listed, list):
        raise PalettiError(f"In {path}, cameras must be a list of addresses.", 'For example cameras = ["0", "2"].')
    return options.cameras or [str(url) for url in listed], str(config.get("base", ""))
