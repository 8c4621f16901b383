"""A reading of the whole tower for people and for scripts: a text picture floor by floor, and stable JSON.

JSON (`version` 1; lengths mm, angles degrees, rig's frame; fields are only ever added):

    {"version": 1,
     "cameras":  [{"camera", "markers", "error_px", "top_error_mm", "rvec": [3], "tvec_mm": [3]}],
     "plateaus": [{"plateau", "x_mm", "y_mm", "z_mm", "yaw_deg", "confidence",                  from the bottom
                  "way_round": how sure that it is not turned by half a turn,
                  "sigma_mm": as for columns, "yaw_sigma_deg", "tilt_x_deg", "tilt_y_deg", "tilt_sigma_deg": along the tilt}],
     "columns":  [{"colour", "shape", "floor", "x_mm", "y_mm", "z_mm", "yaw_deg", "confidence", "visible",
                  "sigma_mm": standard deviation of the place along its worst direction}],
     "overhangs": [{"what": a plateau, or a column as colour-shape-number, "over": "base", "building site", or a plateau,
                  "mm": beyond its edge, negative inside, "sigma_mm", "chance": that it is beyond at all}],
     "pictures": where this look's pictures are, for a later look with --since; empty if they were not kept,
     "happened": with --since and the earlier look's pictures only,
                 {"sentence", "confidence", "fit", "shifted": [{"what", "mm", "turn_deg"}]},
     "moved": with --since only, [{"what", "mm", "sigma_mm", for plateaus "turn_deg", "turn_sigma_deg", for columns "floor"}],
     "hidden":   [{"colour", "shape", "count"}],                   in the box but not seen; never with a place
     "fit": share of the tower's pixels that show what they should, "stray_mm2": area of pieces where none stands,
     "usable": whether this looks like a standing tower, "sentence": what a person should know, or empty}
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from rig.messages import Posed
from rig.pieces import Floor, Shape
from rig.profile import Profile
from vision.reading.overhang import Overhang
from vision.reading.uncertainty import Uncertainties
from vision.reading.whole_tower import ColumnRead, TowerReading
from vision.scene.solids import floor_outline_mm, outside_mm

JSON_VERSION = 1

HALF_MM, ACROSS_MM, DOWN_MM = 160.0, 10.0, 20.0
"""The map of a floor: its half side, and what a character stands for across and down (characters are twice as tall as wide)."""

TOLD_CHANCE = 0.05
"""What is beyond an edge with more than this probability is told."""

SURE = 0.9
"""A column less sure than this is marked with a question mark."""


def as_json(reading: TowerReading, cameras: Sequence[Posed], known: Uncertainties, over: Sequence[Overhang]) -> dict[str, Any]:
    """The reading as the JSON described above; `known`: how well each piece's place is known; `over`: what reaches over edges."""
    return {
        "version": JSON_VERSION,
        "cameras": [
            {
                "camera": one.camera,
                "markers": one.markers,
                "error_px": one.error_px,
                "top_error_mm": one.top_error_mm,
                "rvec": list(one.pose.rvec),
                "tvec_mm": list(one.pose.tvec_mm),
            }
            for one in cameras
            if one.pose is not None
        ],
        "plateaus": [
            {
                "plateau": one.laid.plateau.word,
                "x_mm": one.laid.x_mm,
                "y_mm": one.laid.y_mm,
                "z_mm": one.laid.z_mm,
                "yaw_deg": one.laid.yaw_deg,
                "confidence": one.confidence,
                "way_round": one.way_round,
                "sigma_mm": round(known.plateaus[one.laid.plateau].place_mm, 3),
                "yaw_sigma_deg": round(known.plateaus[one.laid.plateau].sigmas[2], 3),
                "tilt_x_deg": known.plateaus[one.laid.plateau].tilt_x_deg,
                "tilt_y_deg": known.plateaus[one.laid.plateau].tilt_y_deg,
                "tilt_sigma_deg": round(known.plateaus[one.laid.plateau].tilt_sigma_deg, 3),
            }
            for one in reading.plateaus
        ],
        "columns": [
            {
                "colour": one.standing.column.colour.value,
                "shape": one.standing.column.shape.value,
                "floor": one.standing.floor.word,
                "x_mm": one.standing.x_mm,
                "y_mm": one.standing.y_mm,
                "z_mm": one.standing.z_mm,
                "yaw_deg": one.standing.yaw_deg,
                "confidence": one.confidence,
                "visible": one.visible,
                "sigma_mm": known.columns[one.standing.column].worst_mm,
            }
            for one in reading.columns
        ],
        "overhangs": [
            {
                "what": one.what.word if isinstance(one.what, Floor) else str(one.what),
                "over": one.over,
                "mm": one.mm,
                "sigma_mm": one.sigma_mm,
                "chance": round(one.chance, 4),
            }
            for one in over
        ],
        "hidden": [{"colour": one.colour.value, "shape": one.shape.value, "count": one.count} for one in reading.hidden],
        "fit": reading.fit,
        "stray_mm2": reading.stray_mm2,
        "usable": reading.usable,
        "sentence": reading.sentence,
    }


def as_text(reading: TowerReading, profile: Profile, known: Uncertainties, over: Sequence[Overhang]) -> str:
    """The floors from the top down: a map as seen from above (camera 1 below it) beside what stands there."""
    lines: list[str] = []
    plateaus = {one.laid.plateau: one for one in reading.plateaus}
    for floor in (*sorted(plateaus, reverse=True), Floor.GROUND):
        columns = [one for one in reading.columns if one.standing.floor is floor]
        if floor is Floor.GROUND:
            lines.append("ground")
        else:
            laid = plateaus[floor].laid
            own = known.plateaus[floor]
            where = (
                f"at {laid.x_mm:+.0f}, {laid.y_mm:+.0f} +-{own.place_mm:.1f} mm, turned {laid.yaw_deg:.0f} +-{own.sigmas[2]:.1f} degrees"
            )
            tilt = f"tilted {own.tilt_deg:.1f} +-{own.tilt_sigma_deg:.1f}"
            turned = _turned(plateaus[floor].way_round)
            lines.append(f"{floor.word} {where}, {tilt}, {100 * plateaus[floor].confidence:.0f} % of it looks right{turned}")
        words = [_words(one, known.columns[one.standing.column].worst_mm) for one in columns] or ["nothing stands here"]
        drawn = _map(reading, profile, floor, columns)
        lines += [f"  {row:<33}  {word}".rstrip() for row, word in zip_longest(drawn, words, fillvalue="")]
        lines.append("")
    hidden = ", ".join(f"{one.count} {one.colour} {one.shape}" for one in reading.hidden)
    lines.append(f"not seen (hidden, or not in the tower): {hidden}" if hidden else "every column of the box is seen")
    lines.append(
        f"{100 * reading.fit:.0f} % of the tower's pixels look right, {reading.cameras} camera{'s' if reading.cameras != 1 else ''}"
    )
    lines += [_beyond(one) for one in over if one.chance > TOLD_CHANCE]
    if reading.sentence:
        lines.append(reading.sentence)
    return "\n".join(lines)


def _turned(way_round: float) -> str:
    """Words for a plateau that may lie the other way round; none if it surely does not."""
    return "" if way_round >= SURE else f"; may be turned by half a turn ({100 * (1 - way_round):.0f} %)"


def _beyond(one: Overhang) -> str:
    what = one.what.word if isinstance(one.what, Floor) else f"{one.what.colour} {one.what.shape}"
    return f"{what}: {one.mm:+.1f} +-{one.sigma_mm:.1f} mm over the edge of the {one.over}"


def _words(one: ColumnRead, sigma_mm: float) -> str:
    standing = one.standing
    doubt = "" if one.confidence >= SURE else "?"
    sure = f"{100 * one.confidence:.0f} % sure, {100 * one.visible:.0f} % visible"
    where = f"at {standing.x_mm:+.0f}, {standing.y_mm:+.0f} +-{sigma_mm:.1f} mm"
    return f"{_sign(one)}{doubt} {standing.column.colour} {standing.column.shape} {where} ({sure})"


def _sign(one: ColumnRead) -> str:
    """Two characters: the colour's letter, and the points that tell the shapes apart (thin 1, hexagonal 2, thick 3)."""
    return f"{one.standing.column.colour.value[0].upper()}{Shape(one.standing.column.shape).points}"


def _map(reading: TowerReading, profile: Profile, floor: Floor, columns: Sequence[ColumnRead]) -> list[str]:
    x = np.arange(-HALF_MM, HALF_MM + 1, ACROSS_MM)
    y = np.arange(HALF_MM, -HALF_MM - 1, -DOWN_MM)
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    inside = (outside_mm(floor_outline_mm(profile, reading.tower, floor), places) <= 0).reshape(len(y), len(x))
    rows = [["." if there else " " for there in row] for row in inside]
    for one in columns:
        k = int(np.clip(round((HALF_MM - one.standing.y_mm) / DOWN_MM), 0, len(y) - 1))
        j = int(np.clip(round((one.standing.x_mm + HALF_MM) / ACROSS_MM), 0, len(x) - 2))
        rows[k][j : j + 2] = list(_sign(one))
    return [line for line in ("".join(row).rstrip() for row in rows) if line]
