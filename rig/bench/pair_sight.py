"""How much of each column the cameras could see before anything happened: what no camera saw stand, no eye can miss when it is gone."""

from __future__ import annotations

from rig.bench.pairs import Pair
from rig.messages import Tower
from rig.pieces import Column
from rig.profile import Profile
from vision.change.evidence import crop_of
from vision.scene.silhouettes import Scene, Stage, code_of, items_of


def seen_mm2(pair: Pair, cameras: int) -> dict[Column, float]:
    """For each column believed to stand before: the area (mm² at the tower) that the camera which sees most of it has of it."""
    most = dict.fromkeys((standing.column for standing in pair.believed.columns), 0.0)
    for pose in pair.poses[:cameras]:
        view, _ = crop_of(pair.known, pose.camera, pose, pair.believed)
        scene = Scene(Stage(view), items_of(pair.known, pair.believed))
        for column in most:
            pixels = int(scene.visible(code_of(pair.known, column)).sum())
            most[column] = max(most[column], pixels / view.px_per_mm() ** 2)
    return most


def side_mm2(profile: Profile, column: Column) -> float:
    """The area of a column's whole side as a camera sees it."""
    size = profile.columns[column.shape]
    return 2 * size.radius_mm * size.height_mm


def most_hidden_alike(tower: Tower, column: Column, seen: dict[Column, float]) -> float | None:
    """Of the columns below the top floor that look like `column`, how much is seen of the one seen least (mm²); None: there is none."""
    alike = [
        seen[other.column]
        for other in tower.columns
        if other.column.kind == column.kind and other.column != column and other.floor is not tower.top_floor
    ]
    return min(alike, default=None)
