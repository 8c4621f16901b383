"""What is wrong with these cameras? Some seconds of pictures, live or recorded, to a report with sentences.

It knows nothing of towers: how many pictures a second, how long without one, dark, blank, noise, or the same again, and since when. A
camera that hangs (a driver's time-out is ten seconds and more) is left hanging in a thread of its own: the report never waits for it
longer than `FIRST_S`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from rig.base.doctor.report import Spell
from rig.live.cameras import address
from vision.camera.picture_faults import BLANK_SPREAD, DARK_LEVEL

Picture = npt.NDArray[np.uint8]

FIRST_S = 2.5
"""A camera that has not sent its first picture by then is told as silent. Longer: slow drivers get their chance; 3 s is the promise."""
STALL_S = 1.5
"""Without a picture for so long a camera counts as stalled; the referee leaves it out then, too."""
SLOW_PER_S = 4.5
"""The referee wants five pictures a second; fewer make it late."""
SLOW_RECORDED_PER_S = 1.0
"""A recording holds fewer where the session ran faster than its cameras (the twin's may)."""
FROZEN_SHARE = 0.2
"""Share of pictures that repeat the one before: a live sensor's noise never does, but a driver may hand out one twice."""
REPEATED_SHARE = 0.98
"""Share of pixels that are the very same in a picture that repeats the one before. A codec changes some of a frozen picture; of a live one
36 % at most were the same (154 JPEG pictures of the twin)."""
FROZEN_S = 1.0
"""Repeats that go on for so long are told with their time. Shorter ones are a driver that hands out a picture twice."""
NOISE_CORRELATION = 0.5
"""Between pixels side by side: below it a picture is noise (pictures of a scene: 0.92 and more; white noise: 0)."""
DARK_SHARE = 0.5
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Glance:
    """What one picture says: arrival, size, brightest twentieth and spread of its greys (0 to 255); `smooth`: correlation of pixels side by
    side (-1 to 1); `repeats`: the last one again."""

    t_s: float
    width_px: int
    height_px: int
    bright: float
    spread: float
    smooth: float
    repeats: bool


@dataclass(frozen=True, slots=True)
class CameraReport:
    """One camera over `seconds`. `per_second`: between its first picture and its last; `longest_gap_s`: without a picture, from the first
    to the end; `size_px`: width and height, None without a picture; shares are 0 to 1 of the pictures; `spells`: when it was frozen or
    showed noise; `wrong`: sentences, or empty."""

    name: str
    seconds: float
    pictures: int
    per_second: float
    longest_gap_s: float
    size_px: tuple[int, int] | None
    dark_share: float
    blank_share: float
    frozen_share: float
    dropped: int
    wrong: tuple[str, ...]
    noise_share: float = 0.0
    spells: tuple[Spell, ...] = ()


@dataclass(slots=True)
class CameraPatient:
    """Takes pictures one by one and keeps what `examine_camera` needs."""

    name: str
    glances: list[Glance] = field(default_factory=list)
    dropped: int = 0
    trouble: str = ""
    _last: Picture | None = None

    def take(self, t_s: float, picture: Picture | None) -> None:
        """One picture (h, w, 3) or (h, w), arrived at `t_s`; None: one that could not be decoded."""
        if picture is None or picture.size == 0:
            self.trouble = "sends pictures that cannot be decoded"
            return
        coarse = np.ascontiguousarray(picture[::8, ::8])
        grey = cv2.cvtColor(coarse, cv2.COLOR_BGR2GRAY) if coarse.ndim == 3 else coarse
        repeats = self._last is not None and _repeats(picture, self._last)
        height, width = picture.shape[:2]
        self.glances.append(Glance(t_s, width, height, float(np.percentile(grey, 95)), float(grey.std()), _smooth(picture), repeats))
        self._last = picture


def examine_camera(patient: CameraPatient, end_s: float, slow_per_s: float = SLOW_PER_S) -> CameraReport:
    """What `patient`'s pictures up to `end_s` (its clock's) say; fewer than `slow_per_s` a second are told."""
    seen = patient.glances
    if not seen:
        trouble = patient.trouble or f"sends no picture within {min(FIRST_S, end_s):.1f} s: stalled, or used by another program"
        return CameraReport(patient.name, end_s, 0, 0.0, end_s, None, 0.0, 0.0, 0.0, patient.dropped, (trouble,))
    dates = np.array([glance.t_s for glance in seen])
    steps = np.diff(dates)
    per_second = float(len(steps) / (dates[-1] - dates[0])) if len(steps) and dates[-1] > dates[0] else 0.0
    gaps = np.append(steps, end_s - dates[-1])
    longest_s = float(gaps.max())
    wrong = [patient.trouble] if patient.trouble else []
    if gaps[-1] > STALL_S:
        wrong.append(f"has sent nothing for the last {gaps[-1]:.1f} s: stalled")
    elif longest_s > STALL_S:
        wrong.append(f"was silent for {longest_s:.1f} s: look at its cable, or whether the computer is too slow")
    elif 0 < per_second < slow_per_s:
        wrong.append(f"sends only {per_second:.1f} pictures a second: more light, or a faster mode")
    shares = _shares(seen)
    spells = (
        *_spells(seen, "frozen", [glance.repeats for glance in seen]),
        *_spells(seen, "noise", [_is_noise(glance) for glance in seen]),
    )
    wrong += _picture_sentences(shares, spells)
    if len({(glance.width_px, glance.height_px) for glance in seen}) > 1:
        wrong.append("changes the size of its pictures")
    size_px = (seen[-1].width_px, seen[-1].height_px)
    counts = (len(seen), per_second, longest_s, size_px, shares.dark, shares.blank, shares.same, patient.dropped)
    return CameraReport(patient.name, end_s, *counts, tuple(wrong), shares.noise, spells)


@dataclass(frozen=True, slots=True)
class _Shares:
    """Shares (0 to 1) of the pictures that are dark, blank, the one before again, and noise."""

    dark: float
    blank: float
    same: float
    noise: float


def _shares(seen: Sequence[Glance]) -> _Shares:
    return _Shares(
        dark=float(np.mean([glance.bright < DARK_LEVEL for glance in seen])),
        blank=float(np.mean([glance.spread < BLANK_SPREAD for glance in seen])),
        same=float(np.mean([glance.repeats for glance in seen[1:]])) if len(seen) > 1 else 0.0,
        noise=float(np.mean([_is_noise(glance) for glance in seen])),
    )


def _picture_sentences(shares: _Shares, spells: Sequence[Spell]) -> list[str]:
    """What is wrong with what the pictures show."""
    if shares.dark > DARK_SHARE:
        return ["is dark: uncover the lens, or switch on a light"]
    if shares.blank > DARK_SHARE:
        return ["shows one even surface: uncover the lens, or check the cable"]
    out = []
    for what, remedy in (("frozen", "unplug it and plug it in again"), ("noise", "no picture of anything; check its cable and address")):
        mine = [spell for spell in spells if spell.what == what]
        if mine:
            out.append(f"{'is frozen' if what == 'frozen' else 'shows noise'} {', '.join(spell.when for spell in mine[:3])}: {remedy}")
    if shares.same > FROZEN_SHARE and not any(spell.what == "frozen" for spell in spells):
        out.append(f"repeats the same picture ({shares.same:.0%} of them): frozen; unplug it and plug it in again")
    return out


def _spells(seen: Sequence[Glance], what: str, flags: Sequence[bool]) -> list[Spell]:
    """When the flagged pictures followed one another for FROZEN_S; of repeats the picture before is the first."""
    out, began = [], None
    for k, flag in enumerate([*flags, False]):
        if flag and began is None:
            began = max(k - 1, 0) if what == "frozen" else k
        elif not flag and began is not None:
            start_s, end_s = seen[began].t_s, seen[k - 1].t_s
            if end_s - start_s >= FROZEN_S:
                out.append(Spell(what, start_s, end_s, k == len(seen)))
            began = None
    return out


def _is_noise(glance: Glance) -> bool:
    return glance.bright >= DARK_LEVEL and glance.spread >= BLANK_SPREAD and glance.smooth < NOISE_CORRELATION


def _repeats(picture: Picture, before: Picture) -> bool:
    """Is it the picture before, but for what a codec makes of it? Both (h, w) or (h, w, 3)."""
    if picture.shape != before.shape or float(np.mean(picture[::16, ::16] == before[::16, ::16])) < REPEATED_SHARE / 2:
        return False
    return float(np.mean(picture == before)) >= REPEATED_SHARE


def _smooth(picture: Picture) -> float:
    """Correlation of pixels side by side in the middle of a picture (h, w) or (h, w, 3); 1 where all are the same."""
    height, width = picture.shape[:2]
    middle = picture[height // 4 : height - height // 4, width // 4 : width - width // 4]
    grey = (middle.mean(axis=2) if middle.ndim == 3 else middle).astype(np.float64)
    grey = grey - grey.mean()
    power = float(np.mean(grey**2))
    return float(np.mean(grey[:, 1:] * grey[:, :-1])) / power if power > 0 and grey.shape[1] > 1 else 1.0


def listen_to_cameras(
    urls: Sequence[str],
    seconds: float,
    opener: Callable[[int | str], Any] | None = None,
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], object] = time.sleep,
) -> tuple[CameraReport, ...]:
    """Reads all cameras at once for `seconds`. Returns as soon as no camera can add anything: after `FIRST_S` if all are silent.

    PalettiError for what cannot be a camera's address.
    """
    addresses = [address(url) for url in urls]
    patients = [CameraPatient(f"camera {number} ({url})") for number, url in enumerate(urls, 1)]
    started_s = clock()
    stop = threading.Event()
    threads = [
        threading.Thread(target=_listen, args=(where, patient, opener or cv2.VideoCapture, lambda: clock() - started_s, stop), daemon=True)
        for where, patient in zip(addresses, patients, strict=True)
    ]
    for thread in threads:
        thread.start()
    while (now_s := clock() - started_s) < seconds and any(
        thread.is_alive() and not _hangs(patient, now_s) for thread, patient in zip(threads, patients, strict=True)
    ):
        wait(POLL_S)
    stop.set()
    return tuple(examine_camera(patient, clock() - started_s) for patient in patients)


def _hangs(patient: CameraPatient, now_s: float) -> bool:
    return now_s - (patient.glances[-1].t_s if patient.glances else 0.0) > FIRST_S


def _listen(
    where: int | str, patient: CameraPatient, opener: Callable[[int | str], Any], now: Callable[[], float], stop: threading.Event
) -> None:
    capture = opener(where)
    if not capture.isOpened():
        patient.trouble = "does not open: is it plugged in, and used by no other program?"
        return
    while not stop.is_set():
        good, picture = capture.read()
        if stop.is_set():
            break
        if not good or picture is None:
            patient.trouble = "has stopped sending pictures"
            break
        patient.take(now(), picture)
    capture.release()


def examine_recorded(pictures: Iterable[tuple[float, int, bytes, int]], end_s: float) -> tuple[CameraReport, ...]:
    """The cameras of a recording: (arrival, camera number, JPEG, frames dropped before it) in order, up to `end_s`."""
    patients: dict[int, CameraPatient] = {}
    for t_s, camera, jpeg, dropped in pictures:
        patient = patients.setdefault(camera, CameraPatient(f"camera {camera}"))
        patient.dropped += dropped
        decoded = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) if jpeg else None
        patient.take(t_s, None if decoded is None else np.asarray(decoded, np.uint8))
    return tuple(examine_camera(patients[camera], end_s, SLOW_RECORDED_PER_S) for camera in sorted(patients))


def report_lines(reports: Sequence[CameraReport]) -> list[str]:
    """The cameras for a person, without what is wrong."""
    return [f"  {report.name}: {'no picture' if report.size_px is None else _figures(report, report.size_px)}" for report in reports]


def _figures(report: CameraReport, size_px: tuple[int, int]) -> str:
    dropped = f", {report.dropped} dropped" if report.dropped else ""
    return (
        f"{size_px[0]} x {size_px[1]}, {report.per_second:.1f} pictures/s, longest gap {report.longest_gap_s:.2f} s, "
        f"dark {report.dark_share:.0%}, blank {report.blank_share:.0%}, frozen {report.frozen_share:.0%}, noise "
        f"{report.noise_share:.0%}{dropped}"
    )
