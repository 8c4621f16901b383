"""Whole readings in the twin's rooms, path-traced or drawn, with the empty base photographed first as at every session's start.

A room, a set, lenses and poses are drawn from the seed; the eyes know the set as measured (`rig.twin.physics.sets.measured`), the lenses as
calibrated and the poses as the markers tell. Seeds from 930000 on are a third world: nothing was ever tuned on them.

    .venv/bin/python -m rig.bench.bench_photo_rooms --first 920000 --seeds 20 --photo     # 4 s of rendering a picture, extra `photo`
    .venv/bin/python -m rig.bench.bench_photo_rooms --first 920000 --seeds 20             # the drawn pictures of the same towers
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import msgspec
import numpy as np

from rig.bench.reading_shots import known_of, poses_found, tower_of
from rig.bench.results import add_json, measured, variant
from rig.bench.whole_rows import Row, note, tell, tower_row
from rig.errors import PalettiError
from rig.messages import CameraPose, Tower
from rig.profile import Profile
from rig.twin.levels import level_named
from rig.twin.photo.mitsuba_scene import Studio
from rig.twin.photo.path_tracer import Space, open_mitsuba, photograph_scene
from rig.twin.physics.poses import poses_of
from rig.twin.pictures.cameras import Eye, Picture, from_jpeg, to_jpeg
from vision.appearance.reference import EmptyBase
from vision.camera.view import CameraView
from vision.change.evidence import SCALE
from vision.reading.whole_tower import read_tower
from vision.scene.silhouettes import Scene, Stage, code_of, items_of

SPP = 4
"""Light paths a pixel, as the pairs' photographs have."""

BESIDE_MM, ABOVE_MM = 30.0, 130.0
"""How far beside the base and above the tower's top floor a photograph has all its light paths."""


@dataclass(frozen=True)
class Room:
    """One tower in one room: pictures of the empty base and of the tower by each camera."""

    tower: Tower
    true: Profile
    true_poses: tuple[CameraPose, ...]
    known: Profile
    empty: tuple[Picture, ...]
    pictures: tuple[Picture, ...]


def room_of(seed: int, cameras: int, level: str, photo: bool) -> Room:
    """The room of a seed. PalettiError if its set has no such tower, or without Mitsuba."""
    rig = known_of(seed, cameras, level)
    tower = tower_of(rig.true, seed, "towers")
    pictures = level_named(level).pictures
    shown: list[tuple[Picture, ...]] = []
    with Eye(rig.true, seed, level=pictures, lenses=rig.lenses) as eye:
        studio: Studio | None = None
        for draw, scene in enumerate((Tower(), tower)):
            poses = poses_of(rig.true, scene)
            if not photo:
                shown.append(tuple(eye.delivered(poses)))
                continue
            eye.scene.place(poses, (), 0.0)
            studio = studio or Studio(open_mitsuba(), eye.scene)
            ideal = photograph_scene(eye.scene, eye.poses, rig.lenses, SPP, _where_it_matters(rig.true, tower), draw, studio)
            shown.append(
                tuple(from_jpeg(to_jpeg(eye.webcam(one, pose.camera, 2.0 * draw))) for one, pose in zip(ideal, eye.poses, strict=True))
            )
        true_poses = eye.poses
    seen_by = tuple(msgspec.structs.replace(camera, model=lens) for camera, lens in zip(rig.true.cameras, rig.lenses, strict=True))
    return Room(tower, msgspec.structs.replace(rig.true, cameras=seen_by), true_poses, rig.known, shown[0], shown[1])


def _where_it_matters(true: Profile, tower: Tower) -> list[Space]:
    base = true.base
    top = max((laid.z_mm for laid in tower.plateaus), default=0.0) + ABOVE_MM
    apron, above = base.apron_outer_mm + BESIDE_MM, base.radius_mm + BESIDE_MM
    low = base.table_z_mm
    return [Space((-apron, -apron, low), (apron, apron, base.rim_z_mm)), Space((-above, -above, low), (above, above, top))]


def seen_shares(room: Room) -> dict[str, float]:
    """For each column by name the share of its silhouette that the camera with the best view sees, by the truth."""
    best: dict[str, float] = {}
    for pose in room.true_poses:
        stage = Stage(CameraView.of(room.true.camera(pose.camera).model, pose, SCALE))
        scene = Scene(stage, items_of(room.true, room.tower))
        for one in room.tower.columns:
            code = code_of(room.true, one.column)
            whole = max(int(scene.patches[code].inside.sum()), 1)
            best[str(one.column)] = max(best.get(str(one.column), 0.0), float(scene.visible(code).sum()) / whole)
    return best


def read_room(seed: int, room: Room, reference: bool) -> Row | None:
    """The reading of a room's tower, with or without the pictures of its empty base; None if a camera finds no pose."""
    poses = poses_found(room.known, room.pictures)
    before = poses_found(room.known, room.empty)
    if poses is None or before is None:
        return None
    empties = [EmptyBase(pose, picture) for pose, picture in zip(before, room.empty, strict=True)] if reference else []
    began = time.process_time()
    reading = read_tower(room.pictures, poses, room.known, None, empties)
    return tower_row(str(seed), room.tower, seen_shares(room), reading, time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=920_000)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--level", default="home")
    parser.add_argument("--photo", action="store_true", help="path-traced (extra `photo`) instead of drawn")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="append a line for every reading")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write every room's pictures there")
    add_json(parser, "photo_rooms")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    path = variant(options.json, "photo_rooms-photo") if options.photo else options.json
    with measured(path, range(options.first, options.first + options.seeds), __doc__) as results:
        rows = read_rooms(options)
        for reference, about in ((True, "with the empty base"), (False, "without")):
            print(f"== {about}")
            tell(rows[reference])
            if rows[reference]:
                note(results, rows[reference], about)


def read_rooms(options: argparse.Namespace) -> dict[bool, list[Row]]:
    """Every seed's readings with (True) and without (False) the pictures of the empty base."""
    rows: dict[bool, list[Row]] = {True: [], False: []}
    for seed in range(options.first, options.first + options.seeds):
        try:
            room = room_of(seed, options.cameras, options.level, options.photo)
        except PalettiError as error:
            print(f"seed {seed}: {error}", flush=True)
            continue
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(options.keep / f"{seed}.png"), np.vstack((np.hstack(room.empty), np.hstack(room.pictures))))
        for reference in (True, False):
            row = read_room(seed, room, reference)
            if row is None:
                continue
            rows[reference].append(row)
            print(f"{'with' if reference else 'without'} reference, seed {seed}: {'; '.join(row.wrong) or 'right'}", flush=True)
            if options.out is not None:
                with options.out.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps({"photo": options.photo, "reference": reference, **msgspec.to_builtins(row)}) + "\n")
    return rows


if __name__ == "__main__":
    main()
