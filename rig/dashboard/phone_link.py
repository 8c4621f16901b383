"""How a phone's pictures travel: a WebSocket that never queues.

The phone sends its newest picture, waits for the answer, and sends the next. So a slow network makes fewer pictures, not older ones: one is
under way at a time. Text messages are JSON, one key each; pictures are binary: a head of 16 bytes (time taken, number, pictures skipped,
flags), then the JPEG. The first message is a greeting with the code of the QR; without the right one nothing else is heard. What becomes of
a picture is not this file's business (`Phones`).
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import struct
import time
from typing import Any, Protocol

from rig.dashboard.gate import Receive, Scope, Send
from rig.errors import PalettiError

LINK = "/phone/link"

HEAD = struct.Struct("<dIHH")
"""Seconds of the phone's clock, the picture's number, pictures skipped before it, flags."""

EXACT = 1
"""The time is that at which the camera took the picture; without it, that at which the browser showed it."""

MOST_BYTES = 1_500_000
"""A picture is 60 to 400 kB at 1280x720."""

GREETING_S = 5.0
SILENT_S = 4.0
"""A phone sends a sign of life every second."""

STATE_S = 0.4
ASK_TIME_S = 2.0
"""The phone's clock is asked for at once, and then so often."""

WRONG_S = 0.5
"""A wrong code is answered after so long: it has 128 bits, this only keeps floods cheap."""

_OLD_CODE = (
    "This code is from an earlier start. Scan the QR code that is on the screen now.",
    "Dieser Code ist von einem früheren Start. Bitte den QR-Code scannen, der jetzt auf dem Bildschirm ist.",
)
_ELSEWHERE = ("This phone's camera is open in another tab.", "Die Kamera dieses Handys ist in einem anderen Tab offen.")


class Phones(Protocol):
    """Takes what phones send. Called from threads; every method returns soon."""

    def now_s(self) -> float:
        """The clock by which times are exchanged (s)."""

    def join(self, device: str) -> int:
        """The camera number of a phone with this lasting mark; PalettiError (with `german`) if there is no room."""

    def size_px(self, camera: int) -> tuple[int, int]:
        """Width and height wanted; (0, 0) if any will do."""

    def clocked(self, camera: int, sent_s: float, phone_s: float, back_s: float) -> None:
        """Asked for its time at `sent_s`, the phone answered `phone_s`, heard at `back_s`."""

    def told(self, camera: int, battery: float, upright: bool, off: bool) -> None:
        """What the phone says of itself: battery 0 to 1; whether it is upright; whether its camera is off."""

    def picture(self, camera: int, jpeg: bytes, phone_s: float, exact: bool, skipped: int) -> None:
        """One picture."""

    def left(self, camera: int) -> None:
        """The connection is gone."""

    def state(self, camera: int) -> dict[str, object]:
        """What the phone's page shows, as plain data; `restart` counts how often its camera is to be started anew."""

    def numbers(self) -> list[int]:
        """The numbers of all phones there is room for."""


class _Gone(Exception):  # noqa: N818 - no error: the phone has gone
    """The other side has closed, or said nothing for too long."""


class PhoneLink:
    """The ASGI application behind `LINK`."""

    def __init__(self, phones: Phones, code: str) -> None:
        self._phones, self._code = phones, code
        self._open: dict[int, _Connection] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - an ASGI application's form
        with contextlib.suppress(_Gone, TimeoutError):
            await self._talk(receive, send)

    async def close(self) -> None:
        """End every connection; the phones try again by themselves."""
        for connection in list(self._open.values()):
            await connection.end(1001)

    async def _talk(self, receive: Receive, send: Send) -> None:
        async with asyncio.timeout(GREETING_S):
            if (await receive())["type"] != "websocket.connect":
                return
            await send({"type": "websocket.accept"})
            hello = _object(await _message(receive)).get("hello")
        hello = hello if isinstance(hello, dict) else {}
        if not hmac.compare_digest(str(hello.get("code", "")).encode(), self._code.encode()):
            await asyncio.sleep(WRONG_S)
            await _refuse(send, *_OLD_CODE)
            return
        try:
            camera = self._phones.join(_device(hello))
        except PalettiError as error:
            await _refuse(send, error.sentence, getattr(error, "german", error.sentence))
            return
        connection = _Connection(self._phones, camera, receive, send)
        before, self._open[camera] = self._open.get(camera), connection
        if before is not None:
            await before.end(1008, *_ELSEWHERE)
        try:
            await connection.run()
        finally:
            if self._open.get(camera) is connection:
                del self._open[camera]
                self._phones.left(camera)


class _Connection:
    """One phone that has been let in."""

    def __init__(self, phones: Phones, camera: int, receive: Receive, send: Send) -> None:
        self._phones, self._camera, self._receive, self._send = phones, camera, receive, send
        self._stated = self._asked = -1e9

    async def run(self) -> None:
        width, height = self._phones.size_px(self._camera)
        await _say(self._send, {"welcome": {"camera": self._camera, "width": width, "height": height}})
        while True:
            if time.monotonic() - self._asked >= ASK_TIME_S:
                self._asked = time.monotonic()
                await _say(self._send, {"ping": self._phones.now_s()})
            async with asyncio.timeout(SILENT_S):
                message = await _message(self._receive)
            if isinstance(message, bytes):
                await self._picture(message)
            else:
                self._hear(_object(message))

    async def end(self, code: int, *why: str) -> None:
        """Close it, with a sentence in English and German where it must not come back by itself."""
        with contextlib.suppress(Exception):  # it may be gone already, in any of a dozen ways
            await (_refuse(self._send, *why) if why else self._send({"type": "websocket.close", "code": code}))

    async def _picture(self, data: bytes) -> None:
        if not HEAD.size < len(data) <= MOST_BYTES:
            return
        phone_s, number, skipped, flags = HEAD.unpack_from(data)
        await asyncio.to_thread(self._phones.picture, self._camera, data[HEAD.size :], phone_s, bool(flags & EXACT), skipped)
        answer: dict[str, object] = {"ack": number}
        if time.monotonic() - self._stated >= STATE_S:
            answer["state"] = self._state()
        await _say(self._send, answer)

    def _state(self) -> dict[str, object]:
        self._stated = time.monotonic()
        return self._phones.state(self._camera)

    def _hear(self, said: dict[str, Any]) -> None:
        match said:
            case {"pong": float() | int() as sent_s, "at": float() | int() as phone_s}:
                self._phones.clocked(self._camera, float(sent_s), float(phone_s), self._phones.now_s())
            case {"told": {"battery": float() | int() as battery, "upright": bool() as upright, "off": bool() as off}}:
                self._phones.told(self._camera, float(battery), upright, off)
            case _:
                pass  # a newer page's word


async def _message(receive: Receive) -> bytes | str:
    message = await receive()
    if message["type"] != "websocket.receive":
        raise _Gone
    data, text = message.get("bytes"), message.get("text")
    return data if data is not None else str(text or "")


def _object(message: bytes | str) -> dict[str, Any]:
    """The JSON object in a text message; an empty one for anything else."""
    if isinstance(message, bytes) or len(message) > 2000:
        return {}
    try:
        value = json.loads(message)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _device(hello: dict[str, Any]) -> str:
    device = hello.get("device")
    if not isinstance(device, str) or not 8 <= len(device) <= 64:
        raise PalettiError("This phone did not say who it is: reload the page.")
    return device


async def _say(send: Send, value: dict[str, object]) -> None:
    await send({"type": "websocket.send", "text": json.dumps(value)})


async def _refuse(send: Send, english: str, german: str) -> None:
    await _say(send, {"refused": {"english": english, "german": german}})
    await send({"type": "websocket.close", "code": 1008})
