"""The ground every message stands on."""

from __future__ import annotations

import msgspec


class Tagged(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """What all payloads share: immutable, tagged with their class name, written by keyword."""
