"""What moved since an earlier `paletti look --json`: plateaus that came back shifted, neighbours that were nudged, in mm with uncertainty.

Columns have no names in a picture: those of one kind on one floor are paired so that the sum of their ways is least.
"""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from scipy.optimize import linear_sum_assignment

from rig.errors import PalettiError

PLAIN = 2.0
"""A shift of more than so many standard deviations is told to people."""


def load_look(path: Path) -> dict[str, Any]:
    """What an earlier look wrote; PalettiError if it is none."""
    hint = "Name a file that `paletti look --json` wrote."
    try:
        said = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise PalettiError(f"The look {path} cannot be read: {error.strerror}.", hint) from error
    except msgspec.DecodeError as error:
        raise PalettiError(f"{path} is no look as JSON: {error}.", hint) from error
    if not isinstance(said, dict) or said.get("version") != 1 or not all(_told(one) for one in _pieces(said)):
        raise PalettiError(f"{path} is no look as JSON, or one without uncertainties.", hint)
    return said


def _pieces(said: dict[str, Any]) -> list[Any]:
    plateaus, columns = said.get("plateaus"), said.get("columns")
    return [*plateaus, *columns] if isinstance(plateaus, list) and isinstance(columns, list) else [None]


def _told(one: Any) -> bool:
    names = ("x_mm", "y_mm", "yaw_deg", "sigma_mm")
    own = ("plateau", "yaw_sigma_deg") if isinstance(one, dict) and "plateau" in one else ("colour", "shape", "floor")
    return isinstance(one, dict) and all(isinstance(one.get(name), int | float) for name in names) and all(name in one for name in own)


def moved_since(earlier: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    """For every piece that both looks saw how far it moved (`mm`, `sigma_mm`), plateaus with `turn_deg` and `turn_sigma_deg`."""
    found = []
    before = {one["plateau"]: one for one in earlier["plateaus"]}
    for one in now["plateaus"]:
        was = before.get(one["plateau"])
        if was is not None:
            turn = {
                "turn_deg": round(math.remainder(one["yaw_deg"] - was["yaw_deg"], 360.0), 2),
                "turn_sigma_deg": round(math.hypot(one["yaw_sigma_deg"], was["yaw_sigma_deg"]), 2),
            }
            found.append({"what": one["plateau"], **_way(was, one), **turn})
    return found + _columns_moved(earlier["columns"], now["columns"])


def _columns_moved(earlier: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[dict[str, Any]]:
    alike: dict[tuple[str, str, str], tuple[list[dict[str, Any]], list[dict[str, Any]]]] = defaultdict(lambda: ([], []))
    for k, columns in enumerate((earlier, now)):
        for one in columns:
            alike[one["colour"], one["shape"], one["floor"]][k].append(one)
    found = []
    for (colour, shape, floor), (were, are) in alike.items():
        ways = np.array([[math.hypot(a["x_mm"] - b["x_mm"], a["y_mm"] - b["y_mm"]) for b in are] for a in were]).reshape(
            len(were), len(are)
        )
        for i, j in zip(*linear_sum_assignment(ways), strict=True):
            found.append({"what": f"{colour} {shape}", "floor": floor, **_way(were[i], are[j])})
    return found


def _way(was: dict[str, Any], one: dict[str, Any]) -> dict[str, float]:
    mm = math.hypot(one["x_mm"] - was["x_mm"], one["y_mm"] - was["y_mm"])
    return {"mm": round(mm, 2), "sigma_mm": round(math.hypot(one["sigma_mm"], was["sigma_mm"]), 2)}


def as_lines(moved: list[dict[str, Any]]) -> list[str]:
    """Those that moved plainly, for people."""
    lines = []
    for one in moved:
        turned = abs(one.get("turn_deg", 0.0)) > PLAIN * one.get("turn_sigma_deg", math.inf)
        if one["mm"] > PLAIN * one["sigma_mm"] or turned:
            where = f" on {one['floor']}" if "floor" in one else f", turned {one['turn_deg']:+.1f} +-{one['turn_sigma_deg']:.1f} degrees"
            lines.append(f"moved: {one['what']} by {one['mm']:.1f} +-{one['sigma_mm']:.1f} mm{where}")
    return lines or ["nothing has plainly moved since"]
