"""Phones as cameras, wired: the sources, the https page and its code, and what the referee says of each camera."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from flask import Flask

from rig.dashboard.certificate import certificate, user_folder
from rig.dashboard.phone_link import LINK, PhoneLink
from rig.dashboard.phone_pages import PhoneDoor, phone_routes
from rig.dashboard.server import SECURE_PORT, Secure, names_of
from rig.engine.fold import Said
from rig.engine.pump import Listener
from rig.live.phones import PhoneCameras, PhoneSource, Words
from rig.messages import Health, Message

CODE_BYTES = 16


class Seen:
    """A listener that keeps what the referee says of each camera, for the phone's own page."""

    def __init__(self) -> None:
        self._words: dict[int, Words] = {}

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        """Called by the session for every message."""
        if said.view is not None:
            self._words = {
                int(source.split()[1]): Words(False, news.sentence, _german(news.sentence))
                for source, news in said.view.health.items()
                if source.startswith("camera ") and source.split()[1].isdigit() and news.health is not Health.GOOD
            }

    def words(self, camera: int) -> Words | None:
        """What is wrong with a camera by the referee; None if nothing is."""
        return self._words.get(camera)


_GERMAN = (
    ("fit no pose", "Die Marken passen nicht zum Profil: diese Kamera neu einrichten."),
    ("dark", "Zu dunkel: Licht anschalten oder die Linse frei machen."),
    ("blank", "Nur eine Fläche zu sehen: Linse frei machen."),
    ("markers", "Die Marken sind nicht zu sehen: das Handy auf die Unterlage richten."),
    ("moved", "Das Handy wurde bewegt: ruhig stehen lassen."),
    ("blur", "Unscharf: Linse putzen, Handy anlehnen."),
)
"""The referee's sentences on cameras are English; the phone's page says the same in German by a word that marks them."""


def _german(sentence: str) -> str:
    return next((german for mark, german in _GERMAN if mark in sentence.lower()), sentence)


@dataclass(slots=True)
class PhoneTable:
    """Everything that makes phones cameras of one program."""

    cameras: PhoneCameras
    secure: Secure
    way: PhoneDoor
    seen: Seen = field(default_factory=Seen)

    def register(self, app: Flask) -> None:
        """The pages."""
        app.register_blueprint(phone_routes(app.extensions["paletti-door"], self.cameras, self.way))


def phone_table(
    sources: Sequence[PhoneSource], clock: Callable[[], float], host: str = "0.0.0.0", port: int = SECURE_PORT, code: str | None = None
) -> PhoneTable:
    """`host`, `port`: to whom the https page is served; `code`: the QR's, drawn by chance unless given. PalettiError if no certificate can
    be kept in the user's folder."""
    seen = Seen()
    cameras = PhoneCameras(sources, clock, seen.words, time.time() - clock())
    kept = certificate(user_folder(), names_of(host))
    way = PhoneDoor(code or secrets.token_urlsafe(CODE_BYTES), fingerprint=kept.fingerprint)
    return PhoneTable(cameras, Secure(kept, {LINK: PhoneLink(cameras, way.code)}, host, port), way, seen)


@dataclass(frozen=True, slots=True)
class Known:
    """What was there before the game: the code in the phones' pages, which phone is which camera, and what stands already (lines of the
    rules' notation, as a tap would tell them)."""

    code: str
    devices: Mapping[int, str]
    stands: tuple[str, ...] = ()


def phones_among(
    sources: Sequence[object], clock: Callable[[], float], host: str, port: int, known: Known | None = None
) -> PhoneTable | None:
    """The table for the phones among a game's cameras; None if there are none. `host` is the screen's: a phone is never this computer, so
    its page is served to the network unless one address was named."""
    found = [source for source in sources if isinstance(source, PhoneSource)]
    if not found:
        return None
    table = phone_table(found, clock, secure_host(host), port, known.code if known is not None else None)
    if known is not None:
        table.cameras.know(known.devices)
    return table


def secure_host(host: str) -> str:
    """To whom the phones' page is served where the screen is served to `host`."""
    return "0.0.0.0" if host in ("127.0.0.1", "localhost") else host


def seen_by(phones: PhoneTable | None) -> list[Listener]:
    """Who has to hear the session for the phones' sake."""
    return [] if phones is None else [phones.seen]


def say_how_to_connect(phones: PhoneTable | None, screen_url: str) -> None:
    """Where the code is that makes a phone a camera."""
    if phones is not None:
        count = len(phones.cameras.numbers())
        print(f"Connect {'the phone' if count == 1 else f'{count} phones'}: open {screen_url}phones here and scan the code.", flush=True)
