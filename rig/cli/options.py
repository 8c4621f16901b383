"""Kinds of values that several commands take, each refused with a sentence when it makes no sense."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable

from rig.recording import Keep


def seed(text: str) -> int:
    """A whole number from 0 to 2^32 - 1."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no seed: give a whole number such as 7") from None
    if not 0 <= value < 2**32:
        raise argparse.ArgumentTypeError(f"the seed {value} is out of range: give a whole number from 0 to 4294967295")
    return value


def speed(text: str) -> float | None:
    """A factor such as 1 or 2.5; `max` (None) for as fast as it goes."""
    if text == "max":
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.01 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed: give a factor such as 1 or 2.5, or max")
    return value


def count(low: int, high: int, what: str) -> Callable[[str], int]:
    """A whole number from `low` to `high`."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no number of {what}: give a whole number from {low} to {high}")
        return int(text)

    return read


def keep(text: str) -> Keep:
    """How much is kept: `30d` (days) or `2GB`, `500MB` (size)."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(d|days|MB|GB)", text.strip(), re.IGNORECASE)
    if found is None or float(found[1]) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is neither days nor a size: give for example 30d, 500MB or 2GB")
    unit = found[2].lower()
    if unit in ("d", "days"):
        return Keep(days=float(found[1]))
    return Keep(size_bytes=int(float(found[1]) * (1e9 if unit == "gb" else 1e6)))


def port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 0 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 1 to 65535 (0: any free one)")
    return int(text)
