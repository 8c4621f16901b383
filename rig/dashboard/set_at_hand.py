"""What the drawing needs of the set at hand: outlines, thicknesses and column sizes, picked out of the profile's JSON.

The profile's classes belong to a room the dashboard does not know; a drawing needs a dozen of its numbers and does without any of them
(the page has shapes of its own to fall back on), so they are picked from the JSON and nothing is judged.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rig.pieces import PLATEAUS, Shape


class _Plateau(msgspec.Struct):
    outline_mm: list[tuple[float, float]]
    thickness_mm: float


class _Column(msgspec.Struct):
    radius_mm: float
    height_mm: float


class _Base(msgspec.Struct):
    radius_mm: float
    site_radius_mm: float


class _Sizes(msgspec.Struct):
    plateaus: dict[str, _Plateau]
    columns: dict[str, _Column]
    base: _Base


def drawable(profile_json: str) -> dict[str, Any] | None:
    """`{"plateaus": {word: {outline_mm, thickness_mm}}, "columns": {shape: {radius_mm, height_mm}}, "base": {…}}`; None if it lacks."""
    try:
        sizes = msgspec.json.decode(profile_json, type=_Sizes)
    except msgspec.DecodeError:
        return None
    words = {str(int(floor)): floor.word for floor in PLATEAUS}
    plain: dict[str, Any] = msgspec.to_builtins(sizes)
    return {
        "plateaus": {words[key]: plateau for key, plateau in plain["plateaus"].items() if key in words},
        "columns": {key: column for key, column in plain["columns"].items() if key in set(Shape)},
        "base": plain["base"],
    }
