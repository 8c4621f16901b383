"""The base as the doctor's patient: some seconds of its bytes, live or recorded, into the report that any log gets, and then some. Pure.

It adds to the cells' and the motion chip's figures what the base's own frames tell: losses on the link, silences, resets, overruns, chips
out of step, the motion chip's name. Reading a port is `rig.base.doctor.visit`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from rig.base.books import LinkBooks
from rig.base.clock import DeviceClock
from rig.base.doctor.channel import CellSamples, bad_read_note, examine_cells
from rig.base.doctor.motion import CLONES, examine_imu
from rig.base.doctor.plate import PlateWatch
from rig.base.doctor.report import ChannelReport, DoctorReport, ImuReport, Spell
from rig.base.frames import Frame, FrameDecoder, Hello, Imu, Load, SelfTest, Status
from rig.base.protocol import ACCEL_COUNTS_PER_G, CELLS, LAYOUT_HASH, TICK_S, CellFlag
from rig.errors import PalettiError

IMU_ID = 0x68
SLOW_HZ = 15.0
"""Fewer samples a second than this mean a chip strapped to 10 (HX711 data sheet, RATE pin)."""
IMU_LEAST_HZ, IMU_MOST_HZ = 150.0, 250.0
LEAST_SUPPLY_MV, MOST_SUPPLY_MV = 4500, 5500
"""USB allows 4.4 to 5.25 V at the device; the internal reference that measures it is good to 10 % (ATmega328P data sheet, table 28-3)."""
LEAST_FREE_RAM = 100
OPENING_S = 3.0
"""Opening the port resets an Uno, and its boot loader waits for a second or two: such a new boot is no fault."""
SILENT_S = 0.5
"""A pause of the whole base from which it counts as silent: five hundred frames are missing then."""
LOST_LEAST, LOST_SHARE = 5, 0.0005
"""Frames lost from which the cable is worth a look: so many, and this share of all. Fewer are noted."""
REFUSED_LEAST = 2
"""Damaged frames that the start in mid-frame makes by itself."""


@dataclass(slots=True)
class _Heard:
    """All that the base's frames have said."""

    watch: PlateWatch = field(default_factory=lambda: PlateWatch(CELLS))
    loads: list[list[tuple[float, int]]] = field(default_factory=lambda: [[] for _ in range(CELLS)])
    motion: list[tuple[float, int, int, int]] = field(default_factory=list)
    statuses: list[list[Status]] = field(default_factory=lambda: [[]])
    """Once a second, a list for each boot."""
    arrivals_s: list[float] = field(default_factory=list)
    """Of chunks with frames in them."""

    def enter(self, frame: Frame, t_s: float) -> None:
        """One frame dated `t_s`."""
        if isinstance(frame, Load) and frame.cell < CELLS:
            self.loads[frame.cell].append((t_s, frame.counts))
            self.watch.feed(frame.cell, t_s, frame.counts, bool(frame.flags & CellFlag.AFTER_GAP))
        elif isinstance(frame, Imu):
            self.motion.append((t_s, frame.ax, frame.ay, frame.az))
        elif isinstance(frame, Status):
            self.statuses[-1].append(frame)

    def silences(self, end_s: float) -> list[Spell]:
        """When the whole base said nothing."""
        pauses = [Spell("silent", a, b) for a, b in pairwise(self.arrivals_s) if b - a > SILENT_S]
        last_s = self.arrivals_s[-1]
        return pauses + ([Spell("silent", last_s, end_s, True)] if end_s - last_s > SILENT_S else [])


def examine_base(chunks: Iterable[tuple[float, bytes]], source: str, end_s: float | None = None) -> DoctorReport:
    """What the base's bytes say of its health. `chunks`: (arrival s, bytes) in order, empty ones for silence; `source`: what to call it;
    `end_s`: when listening ended (default: the last chunk's arrival). PalettiError if no frame of a base is among them."""
    decoder, books, clock, heard = FrameDecoder(), LinkBooks(), DeviceClock(), _Heard()
    last_s, resets = 0.0, 0
    for arrival_s, data in chunks:
        last_s = arrival_s
        frames = decoder.feed(data)
        if frames:
            heard.arrivals_s.append(arrival_s)
        for frame in frames:
            if books.is_new_boot(frame) or clock.restarted(frame.t, arrival_s):
                books.new_boot()
                clock.restart()
                if arrival_s > OPENING_S:
                    resets += 1
                    heard.statuses.append([])
                else:
                    heard = _Heard(arrivals_s=[arrival_s])
            if books.enter(frame):
                heard.watch.bridge()
            device_s = clock.unwrap(frame.t, arrival_s)
            if isinstance(frame, Load | Imu | Status):
                clock.arrived(device_s, arrival_s)
            heard.enter(frame, clock.session_s(device_s))
        heard.watch.advance(arrival_s)
    _refuse_strangers(decoder, source)
    end_s = last_s if end_s is None else end_s
    heard.watch.finish(end_s)
    silences = heard.silences(end_s)
    link = [*_link_findings(books, decoder, resets, silences), *_hello_findings(books.hello), *_status_findings(heard.statuses)]
    channels = _channels(heard, silences, end_s)
    notes = [*_hello_notes(books.hello), *_loss_notes(books, decoder), *filter(None, map(bad_read_note, channels))]
    return DoctorReport(
        source,
        end_s,
        "counts",
        channels,
        _motion(heard, books.hello, silences, end_s),
        tuple(link),
        tuple(notes),
        "",
        _versions(books.hello),
    )


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


def without_answer(report: DoctorReport) -> DoctorReport:
    """The report of a base that sends samples and answers nothing."""
    sentence = "it sends samples but answers no command: look at the line to its RX pin (D0), or at what else drives it"
    return replace(report, link=(*report.link, sentence))


def _refuse_strangers(decoder: FrameDecoder, source: str) -> None:
    if decoder.counts.frames:
        return
    if decoder.counts.bytes:
        raise PalettiError(
            f"{source} sends bytes, but no frame of a base.", "Is it the right port, and flashed (`paletti firmware flash`)?"
        )
    raise PalettiError(f"{source} sends nothing.", "Check the cable, and whether the base is flashed (`paletti firmware flash`).")


# ------------------------------------------------------------ cells and motion chip


def _channels(heard: _Heard, silences: Sequence[Spell], end_s: float) -> tuple[ChannelReport, ...]:
    cells = []
    for number, samples in enumerate(heard.loads, 1):
        table = np.array(samples, dtype=np.float64).reshape(-1, 2)
        cells.append(CellSamples(f"load cell {number}", np.maximum.accumulate(table[:, 0]), table[:, 1]))
    reports = examine_cells(cells, heard.watch, end_s, is_counts=True, ignored=silences)
    return tuple(_with_status(report, number, heard.statuses) for number, report in enumerate(reports))


def _with_status(report: ChannelReport, number: int, statuses: Sequence[Sequence[Status]]) -> ChannelReport:
    wrong = list(report.wrong)
    if 0 < report.rate_hz < SLOW_HZ:
        wrong.append(f"only {report.rate_hz:.0f} samples/s: tie its RATE pin high for 80")
    for what, name in (("conversions were overrun", "overruns"), ("reads were out of step", "out_of_step")):
        count = sum((getattr(boot[-1], name)[number] - getattr(boot[0], name)[number]) % 256 for boot in statuses if boot)
        if count:
            wrong.append(f"{count} {what}")
    if any(status.stuck >> number & 1 for boot in statuses for status in boot):
        wrong.append("its data line stays low: a short, or no supply")
    return replace(report, wrong=tuple(wrong))


def _motion(heard: _Heard, hello: Hello | None, silences: Sequence[Spell], end_s: float) -> ImuReport | None:
    if not heard.motion:
        return ImuReport(0, 0.0, 0.0, 0.0, 0.0, 0.0, ("silent: check its four wires and INT",)) if hello is None or hello.imu_id else None
    samples = np.array(heard.motion, dtype=np.float64)
    report = examine_imu(np.maximum.accumulate(samples[:, 0]), samples[:, 1:] / ACCEL_COUNTS_PER_G, end_s=end_s)
    own = tuple(spell for spell in report.spells if not _beside(spell, silences))
    wrong = tuple(
        sentence for sentence in report.wrong if not any(sentence.endswith(spell.when) for spell in report.spells if spell not in own)
    )
    if report.rate_hz and not IMU_LEAST_HZ <= report.rate_hz <= IMU_MOST_HZ:
        wrong = (*wrong, f"{report.rate_hz:.0f} samples/s instead of 200")
    return replace(report, wrong=wrong, spells=own)


def _beside(spell: Spell, silences: Sequence[Spell]) -> bool:
    middle_s = (spell.start_s + spell.end_s) / 2
    return any(silence.start_s - SILENT_S <= middle_s <= silence.end_s + SILENT_S for silence in silences)


# ------------------------------------------------------------ link and base


def _link_findings(books: LinkBooks, decoder: FrameDecoder, resets: int, silences: Sequence[Spell]) -> list[str]:
    counts, out = decoder.counts, []
    sent = counts.frames + books.lost
    damaged = max(counts.refused - REFUSED_LEAST, 0)
    if books.lost >= max(LOST_LEAST, LOST_SHARE * sent) or damaged > LOST_SHARE * sent:
        out.append(f"{books.lost} frames lost ({books.lost / sent:.2%}) and {counts.refused} damaged of {sent}: look at the USB cable")
    if books.leaps:
        out.append(f"its frame numbers leapt {books.leaps} time{'s' * (books.leaps > 1)}: two bases or two programs on one line?")
    out += [f"the whole base was silent {silence.when}" for silence in silences]
    if resets:
        cause = "" if books.hello is None else f" ({_causes(books.hello)})"
        out.append(f"the base has started anew {resets} time{'s' * (resets > 1)} while listening{cause}")
    return out


def _loss_notes(books: LinkBooks, decoder: FrameDecoder) -> list[str]:
    sent = decoder.counts.frames + books.lost
    if books.lost and books.lost < max(LOST_LEAST, LOST_SHARE * sent):
        return [f"{books.lost} of {sent} frames were lost"]
    return []


def _causes(hello: Hello) -> str:
    words = {1: "power", 2: "reset line", 4: "supply voltage broke down", 8: "watchdog ended a hang"}
    return " and ".join(word for bit, word in words.items() if hello.reset_cause & bit) or "no cause told"


def _hello_findings(hello: Hello | None) -> list[str]:
    if hello is None:
        return []
    out = []
    if hello.layout != LAYOUT_HASH:
        out.append("its firmware speaks another protocol than this program: flash the matching one")
    if hello.imu_id not in (0, IMU_ID) and hello.imu_id not in CLONES:
        out.append(f"its motion chip calls itself 0x{hello.imu_id:02x}, which nobody here knows")
    return out


def _hello_notes(hello: Hello | None) -> list[str]:
    if hello is None or hello.imu_id not in CLONES:
        return []
    return [f"the motion chip calls itself 0x{hello.imu_id:02x} ({CLONES[hello.imu_id]}), a clone that does as well"]


def _versions(hello: Hello | None) -> tuple[str, ...]:
    if hello is None:
        return ("firmware: not told",)
    return (f"firmware {hello.firmware}, protocol {hello.protocol} (layout {hello.layout:08x}), motion chip 0x{hello.imu_id:02x}",)


def _status_findings(statuses: Sequence[Sequence[Status]]) -> list[str]:
    names = {
        "late": "samples were read late",
        "dropped": "samples found no room on the wire",
        "i2c_errors": "transfers with the motion chip failed",
        "imu_restarts": "times the motion chip had to be set up again",
        "rx_errors": "commands came in damaged",
    }
    counts = {name: sum((getattr(boot[-1], name) - getattr(boot[0], name)) % 65536 for boot in statuses if boot) for name in names}
    return [f"{count} {names[name]}" for name, count in counts.items() if count]
