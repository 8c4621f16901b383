"""Listening to a base for the doctor: some seconds of its port, its self-test, and the last of its bytes for a report. It reads a port."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rig.base.command import TwoWay, ask_base
from rig.base.doctor.patient import examine_base, with_self_test, without_answer
from rig.base.doctor.report import DoctorReport
from rig.base.frames import SelfTest, encode
from rig.base.protocol import Kind
from rig.errors import PalettiError

LISTEN_S = 10.0
RAW_S = 10.0
"""Of the bytes so much goes into a report for others."""

Chunk = tuple[float, bytes]
"""Arrival (s since listening began) and bytes."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A report, and the bytes of its last RAW_S."""

    report: DoctorReport
    raw: tuple[Chunk, ...]


def listen(port: TwoWay, seconds: float, clock: Callable[[], float] = time.monotonic) -> Iterator[Chunk]:
    """What comes from an open port for so many seconds, silence as empty chunks. PalettiError when the port is lost."""
    started_s = clock()
    while (now_s := clock() - started_s) < seconds:
        yield now_s, port.read()


def visit(port: TwoWay, seconds: float, identify_s: float = 0.0, clock: Callable[[], float] = time.monotonic) -> Visit:
    """Listens to an open port for `seconds`, lets the base test itself, and lets its own light blink for `identify_s`.

    PalettiError if nothing of a base is heard. A base that sends samples but answers no command is reported with what it sends.
    """
    if identify_s:
        port.write(encode(Kind.IDENTIFY, 0, min(int(identify_s), 255)))
    chunks: list[Chunk] = []
    lost: PalettiError | None = None
    try:
        chunks.extend(listen(port, seconds, clock))
    except PalettiError as error:  # the plug was pulled while listening: what was heard until then counts
        lost = error
    report = examine_base(iter(chunks), port.url, max(seconds, chunks[-1][0]) if chunks and lost is None else None)
    if lost is not None:
        report = _with_link(report, lost.sentence)
    else:
        try:
            report = with_self_test(report, ask_base(port, Kind.RUN_SELF_TEST, 0, SelfTest, clock))
        except PalettiError:
            report = without_answer(report)
    newest_s = chunks[-1][0] if chunks else 0.0
    return Visit(report, tuple((t_s, data) for t_s, data in chunks if data and t_s > newest_s - RAW_S))


def _with_link(report: DoctorReport, sentence: str) -> DoctorReport:
    return replace(report, link=(*report.link, sentence))
