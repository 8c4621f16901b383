"""Reads what a page sends: JSON of a known form, or a sentence that says what is wrong with it.

Nothing a stranger sends may raise anything else; in particular JSON that is nested a thousand deep.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from rig.errors import PalettiError

BODY_BYTES = 20_000
"""The largest thing a page has to say is a correction of a whole turn."""

DEPTH = 12
"""How deep what a page says may be nested; a draw of four players needs four."""

_NO_BRACKET = bytes(set(range(256)) - set(b"[]{}"))

_T = TypeVar("_T")


def read_body(body: bytes) -> dict[str, Any]:
    """The JSON object in `body`; PalettiError if it is none, too large or too deep."""
    if len(body) > BODY_BYTES:
        raise PalettiError(f"That is longer than {BODY_BYTES} bytes.", "Tell it in parts.")
    if _depth(body) > DEPTH:
        raise PalettiError("The desk did not understand that: it is nested too deep.")
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PalettiError(f"The desk did not understand that: {error}.") from error
    if not isinstance(value, dict):
        raise PalettiError("The desk did not understand that: it takes a JSON object.")
    return value


def read_as(body: bytes, kind: type[_T]) -> _T:
    """The `kind` in `body`, whose tag the page leaves out; PalettiError if it holds none."""
    value = {**read_body(body), "type": kind.__name__}
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise PalettiError(f"The desk did not understand that: {error}.") from error


def text_of(value: dict[str, Any], key: str, letters: int = 200) -> str:
    """The text under `key`; PalettiError if there is none or it is too long."""
    text = value.get(key)
    if not isinstance(text, str) or len(text) > letters:
        raise PalettiError(f"The desk did not understand that: {key!r} must be a text of at most {letters} letters.")
    return text


def _depth(body: bytes) -> int:
    """An upper bound of the nesting, without decoding."""
    deepest = depth = 0
    for byte in body.translate(None, _NO_BRACKET):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest
