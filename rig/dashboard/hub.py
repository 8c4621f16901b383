"""What the screen knows: the whole state for those who come, and small numbered changes for those who are there.

The session publishes at its own pace, twenty readings a second and at full speed many times that; a screen wants a few changes a second.
So rulings, facts, questions and news of sources go out at once, while the view, the weight's line and the pictures are gathered and go out
at most 25 (pictures four) times a second of the wall's clock. Thread-safe: anybody may publish, any number of streams may listen.
How it travels is said in `streams`, how it looks is the page's business.
"""

from __future__ import annotations

import math
import re
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from rig import messages as m
from rig.dashboard.alarm_words import in_german
from rig.dashboard.journal import Event, Journal
from rig.dashboard.set_at_hand import drawable

Shown: TypeAlias = (
    m.View | m.Ruling | m.Fact | m.Ask | m.Weighed | m.Tilted | m.Stepped | m.Pressed | m.SourceNews | m.LinkNews | m.ProfileSet
)  # fmt: skip

LINE_S = 60.0
"""How much of the weight's and the tilt's lines is kept for a page that opens."""

SPACING_S = 0.04
"""At least this long between two sendings of view and lines; a little less than the 50 ms between two weights, so that none of them waits
for the next. Lower: more work for phones."""

PICTURE_S = 0.25
"""At least this long between two pictures of a camera. Lower: livelier, and about 90 kB more for every picture and screen."""

FRAMES_KEPT = 240
"""Pictures kept so that evidence can be looked at, about 20 MB."""


class Hub:
    """The screen's state. `clock` is the wall's, in seconds; tests bring their own."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.RLock()
        self._listening: list[Callable[[], None]] = []
        self._journal = Journal(secrets.token_hex(4))
        self._closed = False
        self._view: m.View | None = None
        self._plain_view: dict[str, Any] | None = None
        self._ask: dict[str, Any] | None = None
        self._rulings: list[dict[str, Any]] = []
        self._facts: dict[int, dict[str, Any]] = {}
        self._sources: dict[str, dict[str, Any]] = {}
        self._link: dict[str, Any] | None = None
        self._info: dict[str, Any] = {}
        self._set: dict[str, Any] | None = None
        self._t_s = 0.0
        self._published_at = clock()
        self._lines: dict[str, deque[list[Any]]] = {"weight": deque(), "tilt": deque()}
        self._steps: deque[dict[str, Any]] = deque(maxlen=40)
        self._pictures: dict[int, tuple[bytes, float]] = {}
        self._frames: OrderedDict[int, bytes] = OrderedDict()
        self._evidence: OrderedDict[int, bytes] = OrderedDict()
        self._pending_view = False
        self._pending: dict[str, list[list[Any]]] = {"weight": [], "tilt": []}
        self._pending_pictures: set[int] = set()
        self._pictured_at: dict[int, float] = {}
        self._sent_at = -math.inf

    # ------------------------------------------------------------ what comes in

    def publish(self, payload: Shown, t_s: float) -> None:
        """Show `payload`, which belongs to session time `t_s`."""
        self.publish_all((payload,), t_s)

    def publish_all(self, payloads: Iterable[Shown], t_s: float) -> None:
        """Show all of these together: what is gathered goes out once, none waits for the others."""
        with self._lock:
            self._alive(t_s)
            for payload in payloads:
                self._take(payload, t_s)
            self._send()

    def _take(self, payload: Shown, t_s: float) -> None:
        if isinstance(payload, m.Weighed):
            place = _number(payload.cop_x_mm), _number(payload.cop_y_mm)
            self._line("weight", [t_s, _number(payload.weight_g), *place, payload.quiet, payload.fault])
        elif isinstance(payload, m.Tilted):
            self._line("tilt", [t_s, _number(payload.tilt_x_deg), _number(payload.tilt_y_deg), _number(payload.shock_mps2)])
        elif isinstance(payload, m.View):
            self._view, self._plain_view = payload, None  # made plain only when it is sent: most views never are
            self._ask = _plain(payload.ask) if payload.ask is not None else None
            self._pending_view = True
        else:
            self._at_once(payload)

    def _at_once(self, payload: m.Ruling | m.Fact | m.Ask | m.Stepped | m.Pressed | m.SourceNews | m.LinkNews | m.ProfileSet) -> None:
        plain = _plain(payload)
        match payload:
            case m.Ruling():
                self._rulings.append(plain)
                self._emit("ruling", plain)
            case m.Fact():
                self._facts[payload.id] = plain
                self._pin(payload)
                self._emit("fact", plain)
            case m.Ask():
                self._ask = plain
                self._emit("ask", plain)
            case m.Stepped():
                self._steps.append(plain)
                self._emit("step", plain)
            case m.Pressed():
                pass  # what it means comes as a call and a ruling
            case m.SourceNews():
                self._sources[payload.source] = plain = _in_both(plain)
                self._emit("source", plain)
            case m.LinkNews():
                self._link = plain = _in_both(plain)
                self._emit("link", plain)
            case m.ProfileSet():
                self._set = drawable(payload.profile_json)
                self._emit("set", self._set)

    def tared(self, answer: m.LinkNews, t_s: float) -> None:
        """Show what the base answered to the desk's word to tare, or to take that back."""
        with self._lock:
            self._alive(t_s)
            self._at_once(answer)
            self._emit("tared", self._link)
            self._send()

    def picture(self, camera: int, jpeg: bytes, t_s: float, n: int | None = None) -> None:
        """Show a camera's newest picture; with its message number `n` it can also be looked at as evidence later."""
        with self._lock:
            self._alive(t_s)
            self._pictures[camera] = (jpeg, t_s)
            self._pending_pictures.add(camera)
            if n is not None:
                self._frames[n] = jpeg
                while len(self._frames) > FRAMES_KEPT:
                    self._frames.popitem(last=False)
            self._send()

    def alive(self, t_s: float) -> None:
        """The session goes on, though there may be nothing to show of it."""
        with self._lock:
            self._alive(t_s)

    def info(self, info: Mapping[str, Any]) -> None:
        """Add to what is said about this session. The page knows `real` and `stand_ins` (lists of sentences), `speed_factor` (against real
        time), `recording` (a file's name, or empty), `trouble` (a sentence), `demo` (true: bots play, the desk is shut), `desk_alone`
        (true: no cameras, the desk keeps score), `rung` (`number`, `english`, `german`: what the senses rule and what is
        asked), `private` (true: no cameras on the screen) and `players` (names known before the draw)."""
        with self._lock:
            self._info.update(info)
            self._emit("info", self._info)

    def told_info(self, key: str) -> Any:
        """What `info` said last under `key`, None if nothing."""
        with self._lock:
            return self._info.get(key)

    def renamed(self, names: Mapping[str, str]) -> None:
        """Players got other names (old to new): what was told of them is told of the same players under their new names."""
        with self._lock:
            for ruling in self._rulings:
                for language in ("english", "german"):
                    ruling[language] = with_names(ruling[language], names)
            self._info["players"] = [names.get(name, name) for name in self._info.get("players", ())]
            self._emit("state", self._state())

    def new_game(self) -> None:
        """Forget the game that was shown and begin a new session at time 0. What `info` said and the newest pictures stay."""
        with self._lock:
            self._view = self._plain_view = self._ask = self._link = None
            self._t_s = 0.0
            self._pending_view = False
            self._facts.clear()
            self._sources.clear()
            self._frames.clear()
            self._evidence.clear()
            self._rulings.clear()
            self._steps.clear()
            for line in (*self._lines.values(), *self._pending.values()):
                line.clear()
            self._emit("state", self._state())

    def close(self) -> None:
        """End all streams."""
        with self._lock:
            self._closed = True
            self._tell()

    # ------------------------------------------------------------ what goes out

    @property
    def closed(self) -> bool:
        return self._closed

    def state(self) -> dict[str, Any]:
        """The whole state, as plain data for JSON; `last` is the id of the last event that it contains."""
        with self._lock:
            return self._state()

    def catch_up(self, name: str | None) -> tuple[dict[str, Any] | None, list[Event], int]:
        """For a client whose last event was `name`: (None, the events since, number of the last) or, if those are not to be had, (the whole
        state, no events, number of the last event in it)."""
        with self._lock:
            self._send()
            number = self._journal.number(name) if name else None
            events = self._journal.since(number) if number is not None else None
            if events is None:
                return self._state(), [], self._journal.last
            return None, events, self._journal.last

    def since(self, number: int) -> list[Event] | None:
        """Events after `number`; empty if there are none, None if `number` is too long ago."""
        with self._lock:
            self._send()
            return self._journal.since(number)

    def listen(self, news: Callable[[], None]) -> None:
        """Call `news` whenever there is something after all that was; from any thread, and it must return at once."""
        with self._lock:
            self._listening.append(news)

    def gather(self) -> None:
        """Send what has been gathered, if it is time; to be called a few times a second."""
        with self._lock:
            self._send()

    def beat(self) -> dict[str, Any]:
        """The session's time and how long ago (wall seconds) anything was published: by this the page knows that all is alive."""
        with self._lock:
            return {"t_s": self._t_s, "silent_s": round(self._clock() - self._published_at, 2)}

    def name(self, number: int) -> str:
        return self._journal.name(number)

    def newest(self, camera: int) -> tuple[bytes, float] | None:
        """The camera's newest picture and its time."""
        with self._lock:
            return self._pictures.get(camera)

    def frame(self, n: int) -> bytes | None:
        """The picture of message `n`, if it is still kept."""
        with self._lock:
            return self._evidence.get(n) or self._frames.get(n)

    def ask(self) -> dict[str, Any] | None:
        """The question that waits for an answer."""
        with self._lock:
            return self._ask

    def lost(self) -> bool:
        """Whether the referee has lost track of the tower."""
        with self._lock:
            return self._view is not None and self._view.state is m.RefereeState.LOST

    # ------------------------------------------------------------ within, the lock held

    def _alive(self, t_s: float) -> None:
        self._t_s = max(self._t_s, t_s)
        self._published_at = self._clock()

    def _line(self, name: str, point: list[Any]) -> None:
        line, pending = self._lines[name], self._pending[name]
        line.append(point)
        while line and line[0][0] < point[0] - LINE_S:
            line.popleft()
        pending.append(point)
        if len(pending) > 600:  # nobody listens, or the game runs at full speed: every second point still draws the line
            del pending[::2]

    def _pin(self, fact: m.Fact) -> None:
        for evidence in fact.evidence:
            for n in evidence.frames:
                if n in self._frames:
                    self._evidence[n] = self._frames[n]
        while len(self._evidence) > FRAMES_KEPT:
            self._evidence.popitem(last=False)

    def _waiting(self) -> bool:
        return self._pending_view or any(self._pending.values()) or bool(self._pending_pictures)

    def _send(self) -> None:
        """Emit what has been gathered, if it is time."""
        now = self._clock()
        if not self._waiting() or now - self._sent_at < SPACING_S:
            return
        self._sent_at = now
        if self._pending_view:
            self._pending_view = False
            self._emit("view", self._shown_view())
        for name, points in self._pending.items():
            if points:
                self._emit(name, points)
                self._pending[name] = []
        for camera in sorted(self._pending_pictures):
            if now - self._pictured_at.get(camera, -math.inf) >= PICTURE_S:
                self._pictured_at[camera] = now
                self._pending_pictures.discard(camera)
                self._emit("picture", {"camera": camera, "t_s": self._pictures[camera][1]})

    def _shown_view(self) -> dict[str, Any] | None:
        if self._plain_view is None and self._view is not None:
            self._plain_view = _plain(self._view)
            for source, news in self._plain_view["health"].items():
                self._plain_view["health"][source] = _in_both(news)
        return self._plain_view

    def _emit(self, kind: str, value: Any) -> None:
        self._journal.add(kind, value)
        self._tell()

    def _tell(self) -> None:
        for news in self._listening:
            news()

    def _state(self) -> dict[str, Any]:
        return {
            "last": self._journal.name(self._journal.last),
            "t_s": self._t_s,
            "view": self._shown_view(),
            "ask": self._ask,
            "rulings": list(self._rulings),
            "facts": list(self._facts.values()),
            "sources": dict(self._sources),
            "link": self._link,
            "info": dict(self._info),
            "set": self._set,
            "weight": list(self._lines["weight"]),
            "tilt": list(self._lines["tilt"]),
            "steps": list(self._steps),
            "cameras": {str(camera): t_s for camera, (_, t_s) in sorted(self._pictures.items())},
        }


def _plain(payload: Any) -> Any:
    plain = msgspec.to_builtins(payload, str_keys=True)
    plain.pop("type", None)
    return _finite(plain)


def _in_both(news: dict[str, Any]) -> dict[str, Any]:
    """What a source says, in both languages."""
    return {**news, "german": in_german(news["sentence"])}


def _finite(value: Any) -> Any:
    """`value` with every number that JSON cannot hold left out as null."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return _number(value) if isinstance(value, float) else value


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def with_names(sentence: str, names: Mapping[str, str]) -> str:
    """The sentence with every player's old name (whole words) replaced by the new one."""
    if not names:
        return sentence
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{pattern})(?=s?(?!\w))", lambda found: names[found.group()], sentence)
