"""The base as the doctor's patient: some seconds of its bytes, live or recorded, into the report that any log gets, and then some.

It adds to `rig.base.doctor` what the base's own frames tell: losses on the link, overruns, chips out of step, the motion chip's name, the
reset cause. Pure but for `listen`, which reads a port for a while.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rig.base.books import LinkBooks
from rig.base.clock import DeviceClock
from rig.base.doctor import CLONES, SLOW_HZ, ChannelReport, DoctorReport, ImuReport, examine_channel, examine_imu, stirred
from rig.base.frames import Frame, FrameDecoder, Hello, Imu, Load, SelfTest, Status
from rig.base.port import Port
from rig.base.protocol import ACCEL_COUNTS_PER_G, CELLS, LAYOUT_HASH, TICK_S
from rig.errors import PalettiError

IMU_ID = 0x68
LEAST_SUPPLY_MV, MOST_SUPPLY_MV = 4500, 5500
"""USB allows 4.4 to 5.25 V at the device; the internal reference that measures it is good to 10 % (data sheet, table 28-3)."""
LEAST_FREE_RAM = 100
OPENING_S = 3.0
"""Opening the port resets an Uno, and its boot loader waits for a second or two: such a new boot is no fault."""
TOGETHER_S = 0.02
"""Cells take turns and share one plate: what loads one moves the others within a sample or two."""


def listen(port: Port, seconds: float) -> Iterator[tuple[float, bytes]]:
    """(arrival, bytes) from an open port for so many seconds."""
    started = time.monotonic()
    while (now_s := time.monotonic() - started) < seconds:
        data = port.read()
        if data:
            yield now_s, data


def examine_base(chunks: Iterable[tuple[float, bytes]], source: str) -> DoctorReport:
    """What the base's bytes say of its health. PalettiError if no frame of a base is among them."""
    decoder, books, clock = FrameDecoder(), LinkBooks(), DeviceClock()
    loads: list[list[tuple[float, int]]] = [[] for _ in range(CELLS)]
    motion: list[tuple[float, int, int, int]] = []
    statuses: list[Status] = []
    last_s, resets = 0.0, 0
    for arrival_s, data in chunks:
        last_s = arrival_s
        for frame in decoder.feed(data):
            if books.is_new_boot(frame) or clock.restarted(frame.t, arrival_s):
                books.new_boot()
                resets += arrival_s > OPENING_S
                clock.restart()
                statuses.clear()
                motion.clear()
                for cell in loads:
                    cell.clear()
            books.enter(frame)
            _sort(frame, clock.unwrap(frame.t, arrival_s), loads, motion, statuses)
    counts = decoder.counts
    if not counts.frames:
        if counts.bytes:
            raise PalettiError(
                f"{source} sends bytes, but no frame of a base.", "Is it the right port, and flashed (`paletti firmware flash`)?"
            )
        raise PalettiError(f"{source} sends nothing.", "Check the cable, and whether the base is flashed (`paletti firmware flash`).")
    channels = _channels([np.array(cell, dtype=np.float64).reshape(-1, 2) for cell in loads], statuses)
    link: list[str] = []
    if books.lost or counts.refused > 2:
        link.append(f"{books.lost} frames lost and {counts.refused} damaged of {counts.frames}: look at the USB cable")
    if resets:
        link.append(f"the base has started anew {resets} time{'s' * (resets > 1)} while listening")
    link += _hello_findings(books.hello)
    if statuses:
        link += _status_findings(statuses)
    return DoctorReport(source, last_s, "counts", channels, _motion(motion, books.hello), tuple(link), _hello_notes(books.hello))


def _sort(
    frame: Frame,
    device_s: float,
    loads: list[list[tuple[float, int]]],
    motion: list[tuple[float, int, int, int]],
    statuses: list[Status],
) -> None:
    if isinstance(frame, Load) and frame.cell < CELLS:
        loads[frame.cell].append((device_s, frame.counts))
    elif isinstance(frame, Imu):
        motion.append((device_s, frame.ax, frame.ay, frame.az))
    elif isinstance(frame, Status):
        statuses.append(frame)


def _channels(cells: list[NDArray[np.float64]], statuses: list[Status]) -> tuple[ChannelReport, ...]:
    """Each cell's (n, 2) samples; where another cell moves at the same time, an excursion is load and no bad read."""
    moving_s = [cell[stirred(cell[:, 1]), 0] if len(cell) > 1 else np.empty(0) for cell in cells]
    reports = []
    for number, cell in enumerate(cells):
        others_s = np.sort(np.concatenate([dates for k, dates in enumerate(moving_s) if k != number]))
        nearest = np.searchsorted(others_s, cell[:, 0] - TOGETHER_S)
        shared = np.append(others_s, np.inf)[nearest] <= cell[:, 0] + TOGETHER_S
        reports.append(_channel(number, cell, shared, statuses))
    return tuple(reports)


def _channel(number: int, samples: NDArray[np.float64], shared: NDArray[np.bool_], statuses: list[Status]) -> ChannelReport:
    report = examine_channel(f"load cell {number + 1}", samples[:, 0], samples[:, 1], True, shared)
    wrong = list(report.wrong)
    if 0 < report.rate_hz < SLOW_HZ:
        wrong.append(f"only {report.rate_hz:.0f} samples/s: tie its RATE pin high for 80")
    if statuses:
        first, last = statuses[0], statuses[-1]
        for what, field in (("conversions were overrun", "overruns"), ("reads were out of step", "out_of_step")):
            count = (getattr(last, field)[number] - getattr(first, field)[number]) % 256
            if count:
                wrong.append(f"{count} {what}")
        if last.stuck >> number & 1:
            wrong.append("its data line stays low: a short, or no supply")
    return replace(report, wrong=tuple(wrong))


def _motion(motion: list[tuple[float, int, int, int]], hello: Hello | None) -> ImuReport | None:
    if not motion:
        return ImuReport(0, 0.0, 0.0, 0.0, 0.0, 0.0, ("silent: check its four wires and INT",)) if hello is None or hello.imu_id else None
    samples = np.array(motion, dtype=np.float64)
    report = examine_imu(samples[:, 0], samples[:, 1:] / ACCEL_COUNTS_PER_G)
    if not 150 <= report.rate_hz <= 250:
        report = replace(report, wrong=(*report.wrong, f"{report.rate_hz:.0f} samples/s instead of 200"))
    return report


def _hello_findings(hello: Hello | None) -> list[str]:
    if hello is None:
        return []
    out = []
    if hello.layout != LAYOUT_HASH:
        out.append("its firmware speaks another protocol than this program: flash the matching one")
    if hello.imu_id not in (0, IMU_ID) and hello.imu_id not in CLONES:
        out.append(f"its motion chip calls itself 0x{hello.imu_id:02x}, which nobody here knows")
    return out


def _hello_notes(hello: Hello | None) -> tuple[str, ...]:
    if hello is None or hello.imu_id not in CLONES:
        return ()
    return (f"the motion chip calls itself 0x{hello.imu_id:02x} ({CLONES[hello.imu_id]}), a clone that does as well",)


def with_self_test(report: DoctorReport, test: SelfTest) -> DoctorReport:
    """The report and what the base found when asked to test itself."""
    wrong = []
    if not LEAST_SUPPLY_MV <= test.supply_mv <= MOST_SUPPLY_MV:
        wrong.append(f"its supply is {test.supply_mv / 1000:.2f} V instead of 5 V: another cable or hub")
    if test.free_ram < LEAST_FREE_RAM:
        wrong.append(f"only {test.free_ram} bytes of its memory have never been used")
    loop_ms = 1e3 * test.loop_max * TICK_S
    note = f"self-test: supply {test.supply_mv / 1000:.2f} V, {test.free_ram} bytes of memory free, longest loop {loop_ms:.1f} ms"
    return replace(report, link=(*report.link, *wrong), notes=(*report.notes, note))


def _status_findings(statuses: list[Status]) -> list[str]:
    first, last = statuses[0], statuses[-1]
    names = {
        "late": "samples were read late",
        "dropped": "samples found no room on the wire",
        "i2c_errors": "transfers with the motion chip failed",
        "imu_restarts": "times the motion chip had to be set up again",
        "rx_errors": "commands came in damaged",
    }
    counts = {name: (getattr(last, name) - getattr(first, name)) % 65536 for name in names}
    return [f"{count} {names[name]}" for name, count in counts.items() if count]
