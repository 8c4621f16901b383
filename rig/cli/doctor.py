"""`paletti doctor`: what is connected, how fast, how noisy, what is wrong.

The patient is the rig (base and cameras, live), a recording, a report that somebody sent, or anybody's log of load cells. `--watch` shows
a live table instead, to be kept open while soldering. With `--json` one object is printed; its keys are a contract: `source`, `seconds`,
`unit` (counts, grams, or g), `understood` (what a log's columns were taken for), `channels` (the cells: fields of
`rig.base.doctor.ChannelReport`), `imu` (of `ImuReport`, or null), `link` (what is wrong with cable and clock), `notes` (worth knowing, not
wrong), `versions`, `cameras` (fields of `CameraReport`), `wrong` (every finding as a sentence) and `well`.
Exit code 0: well, 1: a fault was found.

Example: paletti doctor --base /dev/ttyUSB0 --report report.txt
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rig.base.doctor.log import examine_log
from rig.base.doctor.patient import examine_base
from rig.base.doctor.report import DoctorReport
from rig.base.doctor.report_file import FIRST_LINE, last_lines, raw_of, report_text, write_report
from rig.base.doctor.visit import LISTEN_S, Chunk, visit
from rig.base.logs import read_log
from rig.base.port import Port
from rig.cli.doctor_text import report_lines
from rig.cli.doctor_watch import watch
from rig.errors import PalettiError
from rig.live.camera_doctor import CameraReport, examine_recorded, listen_to_cameras
from rig.live.camera_doctor import report_lines as camera_lines
from rig.messages import BaseBytes, Frame
from rig.recording import read

CONFIG = Path("paletti.toml")


@dataclass(frozen=True, slots=True)
class _Found:
    """What is to be printed or written: reports, and raw data of the base or the log."""

    base: DoctorReport
    cameras: tuple[CameraReport, ...] = ()
    raw: tuple[Chunk, ...] = ()
    raw_lines: tuple[str, ...] = ()

    @property
    def wrong(self) -> list[str]:
        return [*self.base.wrong, *(f"{camera.name} {sentence}" for camera in self.cameras for sentence in camera.wrong)]


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "doctor",
        help="what is connected, how fast, how noisy, what is wrong",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help="a recording (.mcap) or a report to examine instead of the rig")
    parser.add_argument("--log", type=Path, metavar="FILE.csv", help="anybody's log: a time column and one to four of counts, grams or kg")
    parser.add_argument("--rate", type=float, metavar="HZ", help="lines a second of a log without a time column")
    parser.add_argument(
        "--columns",
        default="",
        metavar="WORDS",
        help="what the log's columns are, one word each with commas: time, time_ms, time_us, index, cell, counts, g, kg, total, skip",
    )
    parser.add_argument("--base", default="", metavar="URL", help="the base's port (default: the only USB serial port)")
    parser.add_argument(
        "--seconds", type=float, default=None, metavar="S", help=f"how long to listen (default {LISTEN_S:.0f}; with --watch: to Ctrl-C)"
    )
    parser.add_argument("--identify", type=float, default=0.0, metavar="S", help="let the board's own light blink for so long")
    parser.add_argument("--watch", action="store_true", help="a live table of the base's channels, until Ctrl-C")
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write a report for others, with ten seconds of raw data")
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")
    parser.add_argument(
        "--cameras", nargs="+", metavar="ADDRESS", help="cameras to examine: an index, a file, an rtsp:// or http:// address"
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="take base and cameras from here (default: paletti.toml, if it is there)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Prints the report; 0 if all is well, 1 if a fault was found. PalettiError for what cannot be examined."""
    if options.seconds is not None and not 0 < options.seconds < 86400:
        raise PalettiError(f"--seconds {options.seconds:g} is no time to listen.", "Give some seconds, such as 10.")
    if options.watch:
        return _watch(options)
    if options.file is not None:
        found = _sent(options.file) if _is_report(options.file) else _recorded(options.file)
    elif options.log is not None:
        found = _log(options)
    else:
        found = _live(options)
    lines = [*report_lines(found.base), *camera_lines(found.cameras)]
    lines += [f"  ! {sentence}" for sentence in found.wrong] or ["  nothing wrong"]
    if options.json:
        cameras = [asdict(camera) for camera in found.cameras]
        print(json.dumps({**asdict(found.base), "cameras": cameras, "wrong": found.wrong, "well": not found.wrong}, indent=1))
    else:
        print("\n".join(lines))
    if options.report is not None:
        named = [lines[0].replace(found.base.source, _name(found.base.source), 1), *lines[1:]]
        write_report(options.report, report_text(named, found.base.versions, found.raw, found.raw_lines))
        if not options.json:
            print(f"  report for others: {options.report}")
    return 1 if found.wrong else 0


def _name(source: str) -> str:
    """A file's name without its folder; a port or an address as it is."""
    path = Path(source)
    return path.name if path.is_file() else source


def _watch(options: argparse.Namespace) -> int:
    if options.file is not None or options.log is not None or options.json:
        raise PalettiError("--watch shows a live base, no file and no JSON.", "Leave the file, --log and --json away.")
    _, named = _configured(options)
    port = Port(options.base or named)
    port.open()
    try:
        return watch(port, options.seconds)
    finally:
        port.close()


def _is_report(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST_LINE)) == FIRST_LINE.encode()
    except OSError:
        return False


def _sent(path: Path) -> _Found:
    """A report that somebody has sent: its bytes are examined once more."""
    raw = tuple(raw_of(path.read_text(encoding="utf-8", errors="replace")))
    first_s = raw[0][0] if raw else 0.0
    moved = tuple((t_s - first_s, data) for t_s, data in raw)
    return _Found(examine_base(iter(moved), str(path)), (), moved)


def _log(options: argparse.Namespace) -> _Found:
    log = read_log(options.log, options.rate, options.columns)
    base = examine_log(log, str(options.log))
    with options.log.open(encoding="utf-8", errors="replace") as file:
        rows_per_s = len(log.t_s) / base.seconds if base.seconds > 0 else 1.0
        return _Found(base, (), (), tuple(last_lines(file, rows_per_s)))


def _recorded(path: Path) -> _Found:
    recording = read(path)
    chunks: list[Chunk] = []
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
    if not chunks:
        nothing = ("the recording holds no bytes of a base",)
        return _Found(DoctorReport(str(path), end_s, "counts", (), None, (), nothing), cameras)
    last = tuple((t_s, data) for t_s, data in chunks if t_s > end_s - LISTEN_S)
    return _Found(examine_base(chunks, str(path), end_s), cameras, last)


def _live(options: argparse.Namespace) -> _Found:
    urls, named = _configured(options)
    seconds = LISTEN_S if options.seconds is None else options.seconds
    cameras = listen_to_cameras(urls, min(seconds, LISTEN_S)) if urls else ()
    port = Port(options.base or named)
    try:
        port.open()
        visited = visit(port, seconds, options.identify)
    except PalettiError as error:  # with cameras to report of, a missing base is a finding among others
        if not urls:
            raise
        return _Found(DoctorReport(port.url, 0.0, "counts", (), None, (f"no base: {error}",)), cameras)
    finally:
        port.close()
    return _Found(visited.report, cameras, visited.raw)


def _configured(options: argparse.Namespace) -> tuple[Sequence[str], str]:
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
