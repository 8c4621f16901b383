"""A report for others: one text file with everything that helps somebody else to help, and nothing personal.

It holds versions, the table and the findings as they were printed, and the last seconds of raw data. A file's name is kept without its
folder, an address without what stands before its host; serial numbers, host and user names are not in it.
"""

from __future__ import annotations

import base64
import platform
import re
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from rig.base.doctor.visit import RAW_S, Chunk
from rig.base.protocol import FIRMWARE_VERSION, LAYOUT_HASH, PROTOCOL_VERSION
from rig.errors import PalettiError

FIRST_LINE = "paletti doctor: report 1"
RAW_BYTES = "raw bytes of the base: seconds since listening began, base64"
RAW_LINES = f"raw lines of the log, its last {RAW_S:.0f} s"
PACKAGE = "villa-paletti-rig"


def report_text(lines: Sequence[str], versions: Sequence[str], raw: Sequence[Chunk] = (), raw_lines: Sequence[str] = ()) -> str:
    """The file: printed `lines`, `versions` of what took part, and raw data, bytes of a base or lines of a log."""
    sections = [
        FIRST_LINE,
        "",
        *[without_names(line) for line in lines],
        "",
        "versions",
        *[f"  {line}" for line in (*own_versions(), *versions)],
    ]
    if raw:
        sections += ["", RAW_BYTES, *[f"{t_s:.3f} {base64.b64encode(data).decode()}" for t_s, data in raw]]
    if raw_lines:
        sections += ["", RAW_LINES, *raw_lines]
    return "\n".join(sections) + "\n"


def write_report(path: Path, text: str) -> None:
    """Writes the file; PalettiError if that cannot be done."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PalettiError(f"The report {path} cannot be written: {error.strerror}.", "Name a file in a folder that is there.") from error


def raw_of(text: str) -> list[Chunk]:
    """The base's bytes out of a report's text, to be examined again. PalettiError if the text is no report with bytes in it."""
    lines = text.splitlines()
    if not lines or lines[0] != FIRST_LINE or RAW_BYTES not in lines:
        raise PalettiError("This is no report of `paletti doctor` with a base's bytes in it.", "Give the file that --report has written.")
    chunks = []
    for number, line in enumerate(lines[lines.index(RAW_BYTES) + 1 :], lines.index(RAW_BYTES) + 2):
        try:
            t_s, data = line.split()
            chunks.append((float(t_s), base64.b64decode(data, validate=True)))
        except ValueError as error:
            raise PalettiError(f"Line {number} of the report is damaged.", "Ask for the file once more, unaltered.") from error
    return chunks


def own_versions() -> tuple[str, ...]:
    """This program, Python, and the kind of computer."""
    try:
        version = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        version = "not installed"
    return (
        f"program {version}, its firmware {FIRMWARE_VERSION}, protocol {PROTOCOL_VERSION} (layout {LAYOUT_HASH:08x})",
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
    )


def last_lines(lines: Iterable[str], rows_per_s: float) -> list[str]:
    """The lines of a log's last RAW_S, if it has `rows_per_s`, and its first three, where a header would stand."""
    every = [line.rstrip("\n") for line in lines]
    last = max(8, round(RAW_S * rows_per_s))
    return every if len(every) <= last + 3 else [*every[:3], "…", *every[-last:]]


def without_names(line: str) -> str:
    """A printed line without folders (which hold people's names) and without what addresses hold before their host."""
    line = re.sub(r"([a-z]+://)[^\s/@]*@", r"\1", line)
    return re.sub(r"(?<![\w/:])((?:~|\.{1,2}|[A-Za-z]:)?[\\/](?!dev/)(?:[^\s\\/:]+[\\/])+)(?=[^\s\\/])", "", line)
