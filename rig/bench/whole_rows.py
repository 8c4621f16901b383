"""What a whole reading made of one tower, held to the truth: a line for people, plain values for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from rig.bench.results import Results
from rig.bench.tower_matching import matched
from rig.messages import Tower
from vision.reading.whole_tower import TowerReading

QUARTER = 0.25
"""Share of its silhouette that some camera must see of a column that counts."""

SURE = 0.99
"""What is said with so much confidence is taken for certain."""


class Row(msgspec.Struct):
    """One whole reading held to the truth; `wrong` in words."""

    scene: str
    plain: int
    right: int
    hidden_right: int
    invented: int
    invented_sure: int
    plateaus: int
    plateaus_found: int
    usable: bool
    fit: float
    stray_mm2: float
    seconds: float
    sentence: str
    wrong: list[str]


def tower_row(scene: str, true: Tower, seen: Mapping[str, float], reading: TowerReading, seconds: float) -> Row:
    """How much of a tower was read right; `seen`: share of each column that a camera sees, by its name (unnamed: all of it)."""
    places = matched(true, reading.tower)
    sure = {one.standing: one.confidence for one in reading.columns}
    row = Row(scene, 0, 0, 0, 0, 0, len(true.plateaus), 0, reading.usable, reading.fit, reading.stray_mm2, round(seconds, 2), "", [])
    row.sentence = reading.sentence
    for one in true.columns:
        share = seen.get(f"{one.column.colour}-{one.column.shape}-{one.column.number}", 1.0)
        found = places.get(one.column)
        right = found is not None and found.column.kind == one.column.kind
        if share < QUARTER:
            row.hidden_right += right
            continue
        row.plain += 1
        row.right += right
        if not right:
            said = "none" if found is None else f"{found.column.colour} {found.column.shape} ({sure[found]:.2f})"
            row.wrong.append(f"{one.column} on {one.floor.word} ({share:.2f} seen) as {said}")
    for standing, confidence in sure.items():
        if standing not in places.values():
            row.invented += 1
            row.invented_sure += confidence >= SURE
            row.wrong.append(
                f"made up {standing.column} on {standing.floor.word} at {standing.x_mm:.0f}, {standing.y_mm:.0f} ({confidence:.2f})"
            )
    for laid in true.plateaus:
        read = next((one.laid for one in reading.plateaus if one.laid.plateau is laid.plateau), None)
        off = None if read is None else float(np.hypot(read.x_mm - laid.x_mm, read.y_mm - laid.y_mm))
        turn = None if read is None else abs((read.yaw_deg - laid.yaw_deg + 180) % 360 - 180)
        if off is not None and turn is not None and off < 10 and turn < 15:
            row.plateaus_found += 1
        else:
            row.wrong.append(f"{laid.plateau.word} plateau: " + ("not found" if off is None else f"{off:.0f} mm off, turned by {turn:.0f}"))
    return row


def tell(rows: Sequence[Row]) -> None:
    for row in rows:
        print(
            f"{row.scene:7} columns {row.right} of {row.plain}, {row.invented} made up ({row.invented_sure} at {SURE}), plateaus "
            f"{row.plateaus_found} of {row.plateaus}, {'usable' if row.usable else 'NOT usable'}, fit {row.fit:.2f}, "
            f"stray {row.stray_mm2:.0f} mm2, {row.seconds:.1f} s  {row.sentence}"
        )
        for one in row.wrong:
            print(f"        {one}")
    print(
        f"all: {sum(r.right for r in rows)} of {sum(r.plain for r in rows)} columns, {sum(r.invented for r in rows)} made up "
        f"({sum(r.invented_sure for r in rows)} sure), {sum(r.plateaus_found for r in rows)} of {sum(r.plateaus for r in rows)} plateaus, "
        f"{sum(r.usable for r in rows)} of {len(rows)} usable, {sum(not r.wrong for r in rows)} all right"
    )


def note(results: Results, rows: Sequence[Row], about: str) -> None:
    """The figures of these readings; `about` begins the name of each."""
    results.share(f"{about}: columns read right, of those in sight", sum(row.right for row in rows), sum(row.plain for row in rows))
    results.number(f"{about}: columns made up", sum(row.invented for row in rows), "columns", len(rows))
    results.number(
        f"{about}: columns made up with a confidence of {SURE} or more", sum(row.invented_sure for row in rows), "columns", len(rows)
    )
    results.share(f"{about}: plateaus found", sum(row.plateaus_found for row in rows), sum(row.plateaus for row in rows))
    results.share(f"{about}: readings that call themselves usable", sum(row.usable for row in rows), len(rows))
    results.share(f"{about}: readings with nothing wrong", sum(not row.wrong for row in rows), len(rows))
    results.median(f"{about}: processor time of a reading", [row.seconds for row in rows], "s")
