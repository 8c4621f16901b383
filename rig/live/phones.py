"""Phones as cameras: what a phone sends enters a game as any other camera's pictures do.

A phone is camera 1, 2, … for as long as the program runs, whatever happens to its network in between; a second phone gets the next
number, and one more than there is room for is refused in words. The JPEG that came is the JPEG that is looked at and recorded. What phones
are known to do is watched for: a picture that is black though the camera lives (after a locked screen), the same picture for ever, a delay
that grows. Then the phone is asked to start its camera anew; meanwhile nothing of it enters the game. How bytes travel is the
dashboard's business (`rig.dashboard.phone_link`); it calls `PhoneCameras` from its own thread.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.live.phone_clock import Exchange, PhoneClock
from rig.messages import Frame, Health, Input, SourceNews
from vision.camera.picture_faults import BLANK_SPREAD, DARK_LEVEL

PHONE = "phone"
"""The address of a camera that is a phone, as in `--cameras phone phone`."""

FAULTY_S = 1.0
"""Black, or the same picture, for so long is told, and the phone starts its camera anew. Shorter: a hand over the lens does it."""

AGAIN_S = 6.0
"""Between two such requests: a camera takes one to three seconds to start."""

LATE_S = 1.0
"""A picture older than this is dropped and counted: the referee would take it for the present."""

UNKNOWN_LAG_S = 0.08
"""Delay assumed where a phone's browser does not say when a picture was taken: a usual camera's (`rig.profile.types.Camera.lag_s`)."""

RATE_S = 3.0
"""The pictures a second shown are those of so many seconds."""

LOW_BATTERY = 0.15


@dataclass(frozen=True, slots=True)
class Words:
    """A sentence for the phone's page and the screen. `good`: nothing has to be done."""

    good: bool
    english: str
    german: str


SEEN = Words(True, "The referee sees you.", "Der Schiedsrichter sieht mit.")


class PhoneSource:
    """One phone, from its connection's side `picture`, `clocked`, `told`, `left`; from the game's side like any camera source."""

    def __init__(
        self,
        number: int,
        size_px: tuple[int, int],
        put: Callable[[str, Input], None],
        clock: Callable[[], float],
        per_second: float = 10.0,
    ) -> None:
        """`size_px`: width and height that its pictures must have; (0, 0): any upright one, until a first picture has set it."""
        self.number, self.size_px = number, size_px
        self._put, self._clock, self.per_second = put, clock, per_second
        self.opened = threading.Event()
        self.trouble = ""
        self.device = ""
        self.here = False
        self.restarts = 0
        self.times = PhoneClock()
        self.words = Words(False, f"Camera {number} waits for a phone.", f"Kamera {number} wartet auf ein Handy.")
        self.lag_s: float | None = None
        self.dropped = 0
        self._unsaid = 0
        self._asked_s = -math.inf
        self._last_s = -math.inf
        self._came: deque[float] = deque()
        self._look = _Look()
        self._battery = 1.0
        self._put_off = False

    @property
    def source(self) -> str:
        return f"camera {self.number}"

    def start(self) -> None:
        """Phones come by themselves; until then the screen says so."""
        self._put(self.source, SourceNews(source=self.source, health=Health.LOST, sentence=self.words.english))

    def close(self) -> None:
        self.here = False

    @property
    def rate_per_s(self) -> float:
        """Pictures a second of late that entered."""
        now_s = self._clock()
        while self._came and now_s - self._came[0] > RATE_S:
            self._came.popleft()
        return len(self._came) / RATE_S

    # ------------------------------------------------------------ the connection's side

    def come(self, device: str) -> None:
        self.device, self.here = device, True
        self.times, self._look = PhoneClock(), _Look()

    def left(self) -> None:
        """Its connection is gone: by sleep, by the network, or the page was closed."""
        self.here = False
        battery = " (its battery was almost empty)" if self._battery < LOW_BATTERY else ""
        akku = " (der Akku war fast leer)" if self._battery < LOW_BATTERY else ""
        self._say(
            Health.LOST,
            f"Camera {self.number}'s phone is gone{battery}: wake it, keep the page open. It is taken up again by itself.",
            f"Das Handy von Kamera {self.number} ist weg{akku}: aufwecken und die Seite offen lassen. Es geht von selbst weiter.",
        )

    def clocked(self, sent_s: float, phone_s: float, back_s: float) -> None:
        self.times.heard(Exchange(sent_s, phone_s, back_s))

    def told(self, battery: float, upright: bool, off: bool) -> None:
        """What the phone says of itself: its battery (0 to 1), whether it stands upright, whether its camera is off (page hidden)."""
        self._battery = battery
        self._put_off = off
        if not upright:
            self._say(Health.FAULT, f"Turn camera {self.number}'s phone upright.", f"Das Handy von Kamera {self.number} hochkant stellen.")

    def picture(self, jpeg: bytes, phone_s: float, exact: bool, skipped: int) -> None:
        """One JPEG, taken at `phone_s` of the phone's clock (`exact`: by its camera, else shown by its browser), `skipped` before it."""
        now_s = self._clock()
        here_s = self.times.here_s(phone_s)
        if here_s is None:
            return  # the first exchange of times comes with the greeting: this is a picture too early
        lag_s = max(0.0, now_s - here_s) + (0.0 if exact else UNKNOWN_LAG_S)
        self.lag_s = lag_s
        self._unsaid += skipped
        grey = _coarse(jpeg)
        if grey is None:
            self._say(Health.FAULT, f"Camera {self.number} sent a picture that cannot be read.", "Ein Bild war nicht lesbar.")
            return
        if not self._fits(jpeg):
            return
        self._look.take(now_s, grey)
        if self._look.trouble and now_s - self._look.since_s >= FAULTY_S:
            self._restart(now_s, self._look.trouble)
            return
        if lag_s > LATE_S:
            self.dropped += 1
            self._unsaid += 1
            self._say(
                Health.STALE,
                f"Camera {self.number}'s pictures come {lag_s:.1f} s late and are left out: bring the phone nearer to the Wi-Fi.",
                f"Die Bilder von Kamera {self.number} kommen {lag_s:.1f} s zu spät: das Handy näher ans WLAN bringen.",
                key="late",
            )
            return
        if now_s - self._last_s < 0.8 / self.per_second:
            return
        self._last_s = now_s
        self._came.append(now_s)
        self._say(Health.GOOD, f"Camera {self.number} sends pictures.", SEEN.german)
        self.opened.set()
        self._put(self.source, Frame(camera=self.number, jpeg=jpeg, lag_s=round(lag_s, 4), dropped=self._unsaid))
        self._unsaid = 0

    def _fits(self, jpeg: bytes) -> bool:
        size = jpeg_size(jpeg)
        if self.size_px == (0, 0) and size[1] > size[0] > 0:
            self.size_px = size
        if size == self.size_px:
            return True
        if size[0] > size[1]:
            self._say(Health.FAULT, f"Turn camera {self.number}'s phone upright.", f"Das Handy von Kamera {self.number} hochkant stellen.")
            return False
        wanted = " x ".join(map(str, self.size_px))
        self._say(
            Health.FAULT,
            f"Camera {self.number} sends {size[0]} x {size[1]} pictures, but the profile was made for {wanted}: "
            "reload the page on the phone, or set the camera up again.",
            f"Kamera {self.number} schickt {size[0]} x {size[1]} Punkte, eingerichtet sind {wanted}: Seite am Handy neu laden.",
        )
        return False

    def _restart(self, now_s: float, trouble: str) -> None:
        if now_s - self._asked_s >= AGAIN_S:
            self._asked_s = now_s
            self.restarts += 1
        english, german = {
            "black": ("is black: uncover its lens, or switch on a light", "ist schwarz: Linse frei machen, Licht anschalten"),
            "blank": ("shows one even surface: uncover its lens", "zeigt nur eine Fläche: Linse frei machen"),
            "frozen": ("stands still: its camera is being started anew", "steht still: Die Kamera wird neu gestartet"),
        }[trouble]
        self._say(Health.FAULT, f"Camera {self.number}'s picture {english}.", f"Das Bild von Kamera {self.number} {german}.")

    def _say(self, health: Health, english: str, german: str, key: str = "") -> None:
        """Told once, until something else is told."""
        self.words = Words(health is Health.GOOD, english, german)
        said = key or english
        if said != self.trouble:
            self.trouble = said
            self._put(self.source, SourceNews(source=self.source, health=health, sentence=english))

    def state(self, seen: Words | None, wall_s: float = 0.0) -> dict[str, object]:
        """What its page shows. `seen`: the referee's own words about this camera, which come first if they ask for something."""
        words = seen if seen is not None and self.words.good else self.words
        if words.good and self._battery < LOW_BATTERY:
            words = Words(False, "The battery is low: plug the phone in.", "Der Akku ist schwach: Handy ans Ladegerät.")
        return {
            "camera": self.number,
            "good": words.good,
            "english": words.english,
            "german": words.german,
            "per_s": round(self.rate_per_s, 1),
            "lag_ms": None if self.lag_s is None else round(1000 * self.lag_s),
            "offset_ms": _ms(None if self.times.offset_s is None else self.times.offset_s - wall_s),
            "doubt_ms": _ms(self.times.doubt_s),
            "dropped": self.dropped,
            "restart": self.restarts,
        }


@dataclass(slots=True)
class _Look:
    """Is the picture black, blank, or the one before again? `trouble` since `since_s`; empty if all is well."""

    trouble: str = ""
    since_s: float = 0.0
    _before: npt.NDArray[np.uint8] | None = field(default=None)

    def take(self, now_s: float, grey: npt.NDArray[np.uint8]) -> None:
        trouble = ""
        if float(np.percentile(grey, 95)) < DARK_LEVEL:
            trouble = "black"
        elif float(grey.std()) < BLANK_SPREAD:
            trouble = "blank"
        elif self._before is not None and grey.shape == self._before.shape and np.array_equal(grey, self._before):
            trouble = "frozen"
        self._before = grey
        if trouble != self.trouble:
            self.trouble, self.since_s = trouble, now_s


class PhoneCameras:
    """All phones. Thread-safe: the web server calls it, and the game's wiring. Implements the dashboard's `Phones`."""

    def __init__(
        self,
        sources: Sequence[PhoneSource],
        clock: Callable[[], float],
        seen: Callable[[int], Words | None] = lambda _: None,
        wall_s: float = 0.0,
    ) -> None:
        """`sources`: those there is room for; `seen`: what the referee says of a camera; `wall_s`: the wall's clock less `clock`,
        for people who compare a phone's clock with the computer's."""
        self._all = sorted(sources, key=lambda source: source.number)
        self._room = len(self._all)
        self._sources = {source.number: source for source in self._all}
        self._clock, self._seen, self._wall_s = clock, seen, wall_s
        self._lock = threading.Lock()

    def now_s(self) -> float:
        return self._clock()

    def make_room(self, phones: int) -> None:
        """From now on there is room for so many of the sources; a phone beyond them is forgotten."""
        with self._lock:
            self._room = min(phones, len(self._all))
            self._sources = {source.number: source for source in self._all[: self._room]}
            for source in self._all[self._room :]:
                source.device = ""

    def know(self, devices: Mapping[int, str]) -> None:
        """These phones have these numbers, though they are not connected yet."""
        with self._lock:
            for number, device in devices.items():
                if number in self._sources:
                    self._sources[number].device = device

    def devices(self) -> dict[int, str]:
        """The lasting marks of the phones that have come so far, by number."""
        with self._lock:
            return {number: source.device for number, source in self._sources.items() if source.device}

    def numbers(self) -> list[int]:
        """The numbers of all phones there is room for."""
        return sorted(self._sources)

    def join(self, device: str) -> int:
        """The camera number of a phone by its own lasting mark; PalettiError if all numbers are taken by other phones."""
        with self._lock:
            mine = next((source for source in self._sources.values() if source.device == device), None)
            mine = mine or next((source for _, source in sorted(self._sources.items()) if not source.device), None)
            if mine is None:  # a phone that has gone for good makes room for another
                mine = next((source for _, source in sorted(self._sources.items()) if not source.here), None)
            if mine is None:
                raise PhoneRefusedError(len(self._sources))
            mine.come(device)
            return mine.number

    def size_px(self, camera: int) -> tuple[int, int]:
        return self._at(camera).size_px

    def _at(self, camera: int) -> PhoneSource:
        return next(source for source in self._all if source.number == camera)

    def clocked(self, camera: int, sent_s: float, phone_s: float, back_s: float) -> None:
        with self._lock:
            self._at(camera).clocked(sent_s, phone_s, back_s)

    def told(self, camera: int, battery: float, upright: bool, off: bool) -> None:
        with self._lock:
            self._at(camera).told(battery, upright, off)

    def picture(self, camera: int, jpeg: bytes, phone_s: float, exact: bool, skipped: int) -> None:
        with self._lock:
            self._at(camera).picture(jpeg, phone_s, exact, skipped)

    def left(self, camera: int) -> None:
        with self._lock:
            self._at(camera).left()

    def state(self, camera: int) -> dict[str, object]:
        seen = self._seen(camera)
        with self._lock:
            return self._at(camera).state(seen, self._wall_s)


class PhoneRefusedError(PalettiError):
    """All camera numbers are taken. `german` is the sentence in German."""

    def __init__(self, room: int) -> None:
        cameras, kameras = ("camera", "Kamera") if room == 1 else ("cameras", "Kameras")
        super().__init__(f"There is room for {room} {cameras}, and as many phones are connected: close the page on one of them first.")
        self.german = f"Es ist Platz für {room} {kameras}, und so viele Handys sind verbunden: erst auf einem die Seite schließen."


def jpeg_size(jpeg: bytes) -> tuple[int, int]:
    """Width and height in a JPEG's frame header (ITU-T T.81, B.2.2), without decoding; (0, 0) if there is none."""
    at = 2
    while jpeg[:2] == b"\xff\xd8" and at + 9 < len(jpeg) and jpeg[at] == 0xFF:
        mark, length = jpeg[at + 1], int.from_bytes(jpeg[at + 2 : at + 4], "big")
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(jpeg[at + 7 : at + 9], "big"), int.from_bytes(jpeg[at + 5 : at + 7], "big")
        at += 2 + length
    return 0, 0


def _coarse(jpeg: bytes) -> npt.NDArray[np.uint8] | None:
    """An eighth of the picture, grey: the JPEG's own coarse levels, which cost little to decode. None if it cannot be decoded."""
    found = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_REDUCED_GRAYSCALE_8) if jpeg else None
    return None if found is None else np.asarray(found, np.uint8)


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(1000 * seconds)
