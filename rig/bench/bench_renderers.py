"""Decisions from pictures of both renderers of the same instants: `python -m rig.bench.bench_renderers --count 100 --seed 810000`.

For every instant and renderer: how far off the camera's pose comes out at the fifth floor, whether each column that shows enough is told in
its colour (paints adapted on plateaus and base alone), and where marker centres lie in one picture against the other. `--read` has the
whole tower read as well. Needs the extra `photo`; some five seconds of processor time a picture.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable

import numpy as np

from rig.bench.results import Results, add_json, measured
from rig.messages import CameraPose
from rig.pieces import Colour, Column
from rig.profile import CameraModel
from rig.twin.levels import level_named
from rig.twin.photo.instants import TwiceDrawn, instants_drawn_twice
from rig.twin.photo.path_tracer import SPP
from vision.appearance.paints import ColourModel, features, sure_pixels
from vision.camera.markers import find_markers, fit_pose
from vision.camera.pose_doubt import TOP_POINT_MM
from vision.camera.view import CameraView
from vision.reading.whole_tower import read_tower
from vision.scene.silhouettes import Label, Scene, Stage, code_of, items_of

LEAST_PIXELS = 60
RENDERERS = ("OpenGL", "Mitsuba")


def top_error_mm(found: CameraPose, known: CameraModel, true: CameraPose, lens: CameraModel) -> float:
    """How far beside a point on the fifth floor its ray goes, on average: pixels between two projections, at the point's distance."""
    there, here = (CameraView.of(model, pose).project(TOP_POINT_MM) for model, pose in ((lens, true), (known, found)))
    depth = np.linalg.norm(TOP_POINT_MM - CameraView.of(lens, true).eye_mm, axis=1)
    return float((np.linalg.norm(there - here, axis=1) * depth / lens.focal_px).mean())


def colours_read(instant: TwiceDrawn, picture: np.ndarray) -> dict[Column, Colour]:
    """Each column's likeliest colour, where at least `LEAST_PIXELS` of it show and are no border."""
    scene = Scene(Stage(CameraView.of(instant.lenses[0], instant.poses[0])), items_of(instant.true, instant.tower))
    sure, labels, seen = sure_pixels(scene.code), scene.labels(), features(picture)
    others = sure & (labels >= Label.BLUE_PLATEAU) & (labels <= Label.BASE)
    model = ColourModel.guess(instant.true).adapted(seen, labels, others)
    density = model.log_densities(seen)
    told = {}
    for standing in instant.tower.columns:
        mine = sure & (scene.code == code_of(instant.true, standing.column))
        if int(mine.sum()) >= LEAST_PIXELS:
            scores = {colour: float(density[Label.of_colour(colour)][mine].mean()) for colour in Colour}
            told[standing.column] = max(scores, key=lambda colour: scores[colour])
    return told


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=810_000)
    parser.add_argument("--spp", type=int, default=SPP)
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", default="A", choices=("A", "B"))
    parser.add_argument("--read", action="store_true", help="have the whole tower read as well")
    add_json(parser, "renderers")
    options = parser.parse_args(None if arguments is None else list(arguments))
    with measured(options.json, range(options.seed, options.seed + options.count), __doc__) as results:
        compare(options, results)


class Renderer:
    """What was decided from one renderer's pictures."""

    def __init__(self) -> None:
        self.off_mm: list[float] = []
        self.right: list[bool] = []
        self.floors: list[bool] = []
        self.unposed = 0

    def tell(self, name: str, results: Results) -> None:
        results.median(f"{name}: pose off at the fifth floor", self.off_mm, "mm")
        results.share(f"{name}: pictures without a pose", self.unposed, self.unposed + len(self.off_mm))
        results.share(f"{name}: colours right", sum(self.right), len(self.right))
        results.share(f"{name}: columns read on their floor", sum(self.floors), len(self.floors))


def compare(options: argparse.Namespace, results: Results) -> None:
    """Every instant by both renderers."""
    found = {name: Renderer() for name in RENDERERS}
    same: list[bool] = []
    shifts: list[np.ndarray] = []
    level = level_named(options.level).pictures
    began = time.process_time()
    for instant in instants_drawn_twice(options.count, options.seed, 1, level, options.world, options.spp):
        known, layout = instant.known.cameras[0].model, instant.known.markers
        told, middles = {}, {}
        for name, picture in zip(RENDERERS, (instant.drawn[0], instant.photographed[0]), strict=True):
            seen = find_markers(picture, layout)
            middles[name] = {number: corners.mean(axis=0) for number, corners in zip(seen.ids, seen.corners_px, strict=True)}
            fit = fit_pose(seen, layout, known, 1)
            if fit is None:
                found[name].unposed += 1
            else:
                found[name].off_mm.append(top_error_mm(fit.pose, known, instant.poses[0], instant.lenses[0]))
                if options.read:
                    found[name].floors += floors_read(instant, picture, fit.pose)
            told[name] = colours_read(instant, picture)
            found[name].right += [column.colour is colour for column, colour in told[name].items()]
        same += [told["OpenGL"][column] is told["Mitsuba"][column] for column in told["OpenGL"] if column in told["Mitsuba"]]
        both = set(middles["OpenGL"]) & set(middles["Mitsuba"])
        shifts.append(np.array([middles["Mitsuba"][number] - middles["OpenGL"][number] for number in both]).reshape(-1, 2))
    print(f"{options.count} instants, {options.level}, world {options.world}, {options.spp} paths a pixel")
    for name, renderer in found.items():
        renderer.tell(name, results)
    away = np.concatenate(shifts)
    results.share("columns of which the same colour is told from both", sum(same), len(same))
    results.median("marker centres apart", np.linalg.norm(away, axis=1).tolist(), "px")
    print(f"mean shift {away.mean(axis=0).round(3).tolist()} px")
    results.number("processor time an instant", (time.process_time() - began) / options.count, "s", options.count)


def floors_read(instant: TwiceDrawn, picture: np.ndarray, pose: CameraPose) -> list[bool]:
    """Of each column that a whole reading finds: whether it stands on that floor."""
    reading = read_tower([picture], [pose], instant.known)
    truly = [(instant.tower.find(standing.column), standing.floor) for standing in reading.tower.columns]
    return [one is not None and one.floor is floor for one, floor in truly]


if __name__ == "__main__":
    main()
