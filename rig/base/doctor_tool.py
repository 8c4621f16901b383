"""`paletti doctor` for the base: which patient, and the report as text or JSON. The examination is `rig.base.doctor`'s."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rig.base.command import ask_base
from rig.base.doctor import DoctorReport, examine_log
from rig.base.frames import SelfTest, encode
from rig.base.logs import read_log
from rig.base.patient import examine_base, listen, with_self_test
from rig.base.port import Port
from rig.base.protocol import Kind

LISTEN_S = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The base's options of `paletti doctor`."""
    parser.add_argument("--log", type=Path, metavar="FILE.csv", help="anybody's log: a time column and one to four of counts or grams")
    parser.add_argument("--rate", type=float, metavar="HZ", help="lines a second of a log without a time column")
    parser.add_argument("--base", default="", metavar="URL", help="the base's port (default: the only USB serial port)")
    parser.add_argument("--seconds", type=float, default=LISTEN_S, metavar="S", help="how long to listen (default 10)")
    parser.add_argument("--identify", type=float, default=0.0, metavar="S", help="let the board's own light blink for so long")
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")


def examine(options: argparse.Namespace) -> DoctorReport:
    """The log's or the base's report; PalettiError if there is nothing to examine."""
    if options.log is not None:
        return examine_log(read_log(options.log, options.rate), str(options.log))
    port = Port(options.base)
    port.open()
    try:
        if options.identify:
            port.write(encode(Kind.IDENTIFY, 0, min(int(options.identify), 255)))
        report = examine_base(listen(port, options.seconds), port.url)
        return with_self_test(report, ask_base(port, Kind.RUN_SELF_TEST, 0, SelfTest))
    finally:
        port.close()


def as_json(report: DoctorReport) -> dict[str, Any]:
    """The report as plain values: its fields, and `well`, `wrong`."""
    return {**asdict(report), "wrong": list(report.wrong), "well": not report.wrong}


def report_lines(report: DoctorReport) -> list[str]:
    """The report as a table, without what is wrong."""
    lines = [f"{report.source}: {report.seconds:.1f} s, {report.unit}"]
    if report.channels:
        lines.append(
            f"  {'cell':<14}{'samples/s':>10}{'level':>12}{'noise':>10}{'drift/min':>11}{'spikes':>8}{'frozen':>8}{'full':>7}{'gaps':>6}"
        )
    lines += [
        f"  {c.name:<14}{c.rate_hz:>10.1f}{c.mean:>12.1f}{c.noise:>10.2f}{c.drift_per_minute:>+11.2f}{c.spikes:>8}{c.frozen_share:>8.0%}"
        f"{c.saturated_share:>7.0%}{c.gaps:>6}"
        for c in report.channels
    ]
    if report.imu:
        i = report.imu
        lines.append(
            f"  motion chip: {i.rate_hz:.0f} samples/s, gravity {i.gravity_g:.3f} g, noise {1000 * i.noise_g:.1f} mg, clipped "
            f"{i.clipped_share:.1%}, at rest {i.rest_share:.0%} of the time"
        )
    lines += [f"  {note}" for note in report.notes]
    return lines
