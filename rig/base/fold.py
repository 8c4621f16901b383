"""The base as a fold: raw bytes in, readings out. It reads no clock and no port, so a recording gives again what the live base gave.

It joins the parts: bytes to frames, frames to the books of losses and to dated samples, samples to weight, steps and tilt. Health is told
once a second and at every reset, always with the whole books, so that one lost message hides nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from rig.base.books import LinkBooks
from rig.base.cell import SILENT_LEAST_S, CellState
from rig.base.clock import DeviceClock
from rig.base.frames import Button, Frame, FrameDecoder, Hello, Imu, Load, Status
from rig.base.protocol import CELLS, LAYOUT_HASH, PROTOCOL_VERSION, CellFlag, ResetCause
from rig.base.steps import StepFinder
from rig.base.tare import StartTare
from rig.base.tilt import TiltSense
from rig.base.weight import Scale, fault_sentence
from rig.errors import PalettiError
from rig.messages import Health, LinkNews, Pressed, Reading, StepKind
from rig.profile import Profile

NEWS_EVERY_S = 1.0
DRIFT_ADVICE_G = 30.0
"""Drift since the last tare from which a person is advised: three thin columns' worth. Steps stay right; the whole weight does not."""
STALE_S = 0.8
"""Silence that is told, at once: seen on the screen within a second (a tick is 0.1 s)."""
LOST_S = 3.0
LOSS_WINDOW_S = 10.0
LOSS_SHARE = 0.002
"""Share of the last LOSS_WINDOW_S's frames that may be lost before it is a fault: ten of them. Below that the number is told, no more."""
LOSS_LEAST = 5
TOUCHED_S = 5.0
"""For so long it is told that a cell moved by itself."""
SLOW_CELLS_HZ = 15.0
"""Fewer samples a second than this mean a chip strapped to 10 (HX711 data sheet, RATE pin)."""


def _used_cells(profile: Profile) -> Profile:
    if not 1 <= len(profile.cells) <= CELLS:
        raise PalettiError(
            f"The profile has {len(profile.cells)} load cells; the base has room for 1 to {CELLS}.",
            "Calibrate with `paletti calibrate scale`.",
        )
    for number, cell in enumerate(profile.cells, 1):
        if not cell.counts_per_g:
            raise PalettiError(f"The profile's load cell {number} has 0 counts per gram.", "Calibrate with `paletti calibrate scale`.")
    return profile


class BaseFold:
    """`step(t_s, data) -> readings`. Call it with b"" at every tick too: silence is news.

    `tare_at_start`: take the first still seconds of the empty base as zero (see `rig.base.tare`).
    """

    def __init__(self, profile: Profile, tare_at_start: bool = True) -> None:
        self._decoder = FrameDecoder()
        self._books = LinkBooks()
        self._clock = DeviceClock()
        self._tilt = TiltSense()
        self._samples = 0
        self._heard_s: float | None = None
        self._news_s: float | None = None
        self._told = Health.LOST
        self._status: Status | None = None
        self._first_status: Status | None = None
        self._mismatch = ""
        self._forgotten = 0
        self._losses: deque[tuple[float, int, int]] = deque()  # time, frames lost and frames seen by then
        self._scale = Scale(())
        self._tare = StartTare()
        if not tare_at_start:
            self._tare.disarm()
        self._zero_before: tuple[float, ...] | None = None
        self.set_profile(profile)

    def set_profile(self, profile: Profile) -> None:
        """A new calibration holds from here on; books and clock go on, and so does the scale if its cells are as before."""
        cells = _used_cells(profile).cells
        if cells == self._scale.cells:
            return
        self._zero_before = None
        self._forgotten += self._scale.rejected
        self._scale = Scale(cells)
        self._steps = StepFinder(cells)

    @property
    def hello(self) -> Hello | None:
        """What the base last said of itself (boot id, reset cause, versions); None before it has."""
        return self._books.hello

    @property
    def zero_g(self) -> tuple[float, ...]:
        """The zero in force, per cell, beyond the profile's tare (g)."""
        return self._scale.zero_g

    def tare(self, t_s: float) -> LinkNews:
        """What rests on the base now counts as nothing. PalettiError while it does not rest or is not known."""
        level_g = self._steps.level_g
        if level_g is None:
            raise PalettiError(
                "The scale is not still, or not known: it has not been tared.", "Keep hands and table quiet, then try again."
            )
        return self._take_zero(t_s, level_g, "The base has been tared")

    def untare(self, t_s: float) -> LinkNews:
        """Takes the last tare back. PalettiError if there is none."""
        if self._zero_before is None:
            raise PalettiError("There is no tare to take back.")
        back = tuple(before - now for before, now in zip(self._zero_before, self._scale.zero_g, strict=True))
        news = self._take_zero(t_s, back, "The tare has been taken back")
        self._zero_before = None
        return news

    def tare_by_word(self, t_s: float, back: bool) -> LinkNews:
        """`tare`, or `untare` if `back`, for a fold that may not raise: what cannot be done is told in the news' sentence."""
        try:
            return self.untare(t_s) if back else self.tare(t_s)
        except PalettiError as error:
            return self._news(t_s, str(error))

    def _take_zero(self, t_s: float, zero_g: tuple[float, ...], what: str) -> LinkNews:
        self._zero_before = self._scale.zero_g
        self._scale.rezero(zero_g)
        self._steps.rezero(zero_g)
        self._tare.disarm()
        return self._news(t_s, f"{what}: what read {sum(zero_g):+.1f} g is zero now.", sum(zero_g))

    def device_s(self, t_s: float) -> float | None:
        """What the base's clock (seconds since its boot) showed at session time `t_s`, for the code light; None before it speaks."""
        return self._clock.device_s(t_s)

    def step(self, t_s: float, data: bytes) -> tuple[Reading, ...]:
        """The readings that these bytes, arrived at `t_s`, lead to, in time order within each kind."""
        out: list[Reading] = []
        if self._news_s is None:
            self._news_s = t_s
        newest_s: float | None = None
        for frame in self._decoder.feed(data):
            self._heard_s = t_s
            if self._is_new_boot(frame, t_s):
                self._new_boot()
                newest_s = None  # what came before in this chunk is dated by the old boot's clock
                self._enter(frame)
                out.append(self._news(t_s, self._reset_sentence(frame)))
            else:
                self._enter(frame)
            device_s = self._clock.unwrap(frame.t, t_s)
            if isinstance(frame, Load | Imu | Status):
                newest_s = device_s
            if newest_s is not None:
                self._clock.arrived(newest_s, t_s)
            if not self._mismatch:
                self._hear(frame, self._clock.session_s(device_s), out)
        if newest_s is not None:
            self._weigh(self._clock.session_s(newest_s), t_s, out)
        elif self._heard_s is not None and t_s - self._heard_s > STALE_S / 2:
            self._weigh(t_s - STALE_S / 2, t_s, out)  # silence must be seen on the scale, not only on the link
        fell_silent = self._told is Health.GOOD and self._heard_s is not None and t_s - self._heard_s > STALE_S
        if fell_silent or (self._news_s is not None and t_s - self._news_s >= NEWS_EVERY_S):
            out.append(self._news(t_s, ""))
        return tuple(out)

    # ------------------------------------------------------------ frames

    def _is_new_boot(self, frame: Frame, t_s: float) -> bool:
        if isinstance(frame, Button):
            return False  # dated back by its debouncing
        return self._books.is_new_boot(frame) or self._clock.restarted(frame.t, t_s)

    def _new_boot(self) -> None:
        self._books.new_boot()
        self._clock.restart()
        self._scale.restart()
        self._status = self._first_status = None

    def _enter(self, frame: Frame) -> None:
        if self._books.enter(frame):
            for cell in self._scale.filters:
                cell.bridge()
        if isinstance(frame, Hello):
            self._mismatch = ""
            if frame.layout != LAYOUT_HASH:
                self._mismatch = (
                    f"The base speaks protocol {frame.protocol} (layout {frame.layout:08x}), this program {PROTOCOL_VERSION} "
                    f"({LAYOUT_HASH:08x}): its samples are not used. Flash the matching firmware with `paletti firmware flash`."
                )
        elif isinstance(frame, Status):
            self._first_status = self._status or self._first_status or frame
            self._status = frame
            self._scale.stuck = frame.stuck

    def _hear(self, frame: Frame, sample_s: float, out: list[Reading]) -> None:
        if isinstance(frame, Load):
            self._samples += 1
            if frame.cell < len(self._scale.filters):
                if frame.flags & CellFlag.AFTER_GAP:
                    self._scale.filters[frame.cell].gap()
                self._scale.feed(frame.cell, sample_s, frame.counts)
        elif isinstance(frame, Imu):
            self._samples += 1
            tilted = self._tilt.feed(sample_s, frame.ax, frame.ay, frame.az)
            if tilted is not None:
                out.append(tilted)
        elif isinstance(frame, Button):
            out.append(Pressed(t_s=sample_s, button=frame.button, pressed=bool(frame.pressed)))

    def _weigh(self, now_s: float, t_s: float, out: list[Reading]) -> None:
        zero_g: tuple[float, ...] | None = None
        for reading, weighed in self._scale.advance(now_s):
            out.append(weighed)
            steps = self._steps.step(reading, weighed.quiet, self._scale.noise_floor_g, self._scale.interval_s)
            out.extend(steps)
            if any(step.kind in (StepKind.LIFTED, StepKind.SET_DOWN) for step in steps):
                self._tare.disarm()
            zero_g = self._tare.step(reading, weighed.quiet) or zero_g
        if zero_g is not None and self._tare.armed:
            out.append(self._take_zero(t_s, zero_g, "The empty base has been tared"))

    # ------------------------------------------------------------ news

    def _news(self, t_s: float, sentence: str, zeroed_g: float = 0.0) -> LinkNews:
        self._news_s = t_s
        health, told = self._health(t_s)
        self._told = health
        counts = self._decoder.counts
        return LinkNews(
            health=health,
            sentence=sentence or told,
            frames=counts.frames,
            samples=self._samples,
            lost_frames=self._books.lost,
            bad_frames=counts.refused,
            rejected_samples=self._forgotten + self._scale.rejected,
            resets=self._books.resets,
            zeroed_g=zeroed_g,
        )

    def _health(self, t_s: float) -> tuple[Health, str]:
        if self._heard_s is None:
            if self._decoder.counts.bytes:
                return Health.LOST, "Bytes come in, but no frame of the base among them: wrong port, or not the base's firmware."
            return Health.LOST, "Nothing has been heard from the base yet: check its cable and port."
        silent_s = t_s - self._heard_s
        states = [self._scale.state(cell, t_s - 0.1) for cell in range(len(self._scale.cells))]
        if silent_s > LOST_S:
            return Health.LOST, f"The base has been silent for {silent_s:.0f} s: check its cable."
        if silent_s > STALE_S or (silent_s > SILENT_LEAST_S and all(state is CellState.SILENT for state in states)):
            return Health.STALE, f"The base has been silent for {silent_s:.1f} s."
        if self._mismatch:
            return Health.FAULT, self._mismatch
        faults = self._faults(t_s, states)
        losses = self._loss_sentence(t_s)
        if faults or losses:
            return Health.FAULT, " ".join(filter(None, (*faults, losses)))
        if abs(self._steps.drift_g) >= DRIFT_ADVICE_G:
            return Health.FAULT, (
                f"The scale has drifted by {self._steps.drift_g:+.0f} g since it was tared. Steps stay right; tare it again when the "
                "base is empty, and look for warmth or a loose wire."
            )
        return Health.GOOD, self._tare.sentence or self._well_sentence()

    def _faults(self, t_s: float, states: Sequence[CellState]) -> list[str]:
        """One sentence for each cause."""
        faults = [fault_sentence(states, self._scale.stuck)]
        faults += [
            f"Load cell {number} moved by itself while no other did: look at its cable and plug."
            for number in self._scale.touched(t_s - TOUCHED_S)
            if states[number - 1] is CellState.GOOD
        ]
        if states and all(state is CellState.SILENT for state in states):
            faults = ["No load cell sends anything: check what they share, supply and clock wire."]
        if self._tilt.fault:
            faults.append(self._tilt.fault[0].upper() + self._tilt.fault[1:] + ".")
        if self._status is not None and self._first_status not in (None, self._status) and not self._status.imu_samples:
            faults.append("The motion chip is silent.")
        return [fault for fault in faults if fault]

    def _loss_sentence(self, t_s: float) -> str:
        """What has been lost in the last seconds, if it is worth looking at the cable."""
        seen = self._decoder.counts.frames
        self._losses.append((t_s, self._books.lost, seen))
        while self._losses[0][0] < t_s - LOSS_WINDOW_S:
            self._losses.popleft()
        _, lost_before, seen_before = self._losses[0]
        lost, sent = self._books.lost - lost_before, self._books.lost - lost_before + seen - seen_before
        if lost < max(LOSS_LEAST, LOSS_SHARE * sent):
            return ""
        return f"{lost} frames ({lost / sent:.1%}) were lost in the last {LOSS_WINDOW_S:.0f} s: look at the USB cable."

    def _well_sentence(self) -> str:
        lost, leaps = self._books.lost, self._books.leaps
        told = f" {lost} of {self._decoder.counts.frames + lost} frames have been lost so far." if lost else ""
        leapt = f" Its frame numbers leapt {leaps} time{'s' * (leaps > 1)}: do two bases share the line?" if leaps else ""
        slow = [str(k) for k, cell in enumerate(self._scale.filters, 1) if cell.samples and cell.interval_s > 1 / SLOW_CELLS_HZ]
        slowly = f" Load cell {', '.join(slow)}: only 10 samples a second; tie the RATE pin high for 80." if slow else ""
        return f"The base is well.{told}{leapt}{slowly}"

    def _reset_sentence(self, frame: Frame) -> str:
        if not isinstance(frame, Hello):
            return "The base has started anew."
        cause = ResetCause(frame.reset_cause & 0x0F)
        words = {
            ResetCause.POWER_ON: "its power was off",
            ResetCause.EXTERNAL: "its reset line was pulled (opening the port does that)",
            ResetCause.BROWN_OUT: "its supply voltage broke down",
            ResetCause.WATCHDOG: "its watchdog had to end a hang",
        }
        reasons = [word for flag, word in words.items() if flag in cause]
        return f"The base has started anew: {' and '.join(reasons) or 'it does not say why'}."
