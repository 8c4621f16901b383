"""Draws a believed tower over a picture, so that a person sees at a glance whether the eyes are right.

For the dashboard and for `paletti look --overlay`; nothing here decides anything. Outlines follow what is visible: a hidden edge is not
drawn.
"""

from __future__ import annotations

import cv2
import numpy as np

from rig.messages import CameraPose, Tower
from rig.profile import Profile, Rgb
from vision.appearance.paints import paint_of
from vision.arrays import Picture
from vision.camera.view import CameraView
from vision.scene.silhouettes import Label, Scene, Stage, items_of
from vision.scene.solids import polygon_of, prism


def draw_tower(picture: Picture, profile: Profile, pose: CameraPose, tower: Tower, tint: float = 0.25) -> Picture:
    """A copy of the full picture (BGR) with the tower's visible outlines, every piece filled with `tint` of its paint.

    `profile` gives lens, sizes and paints; `pose`: where the camera stands.
    """
    view = CameraView.of(profile.camera(pose.camera).model, pose)
    scene = Scene(Stage(view), items_of(profile, tower))
    drawn = picture.copy()
    for code, item in scene.items.items():
        if item.label is Label.BASE:
            continue
        seen = (scene.code == code).astype(np.uint8)
        if not seen.any():
            continue
        red, green, blue = paint_of(profile.paint, item.label)
        where = seen.astype(np.bool_)
        drawn[where] = np.rint(drawn[where] * (1 - tint) + np.array((blue, green, red)) * tint).astype(np.uint8)
        outlines, _ = cv2.findContours(seen, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(drawn, outlines, -1, (255, 255, 255), 1)
    return drawn


def draw_ghost(picture: Picture, profile: Profile, pose: CameraPose, floors: int = 5, colour: Rgb = (255, 255, 255)) -> Picture:
    """A copy of the picture with rings at the height of every floor up to the fifth: what the camera must be able to see.

    `profile` gives lens and sizes, `pose` where the camera stands; `floors`: how many are drawn; `colour`: red, green, blue of the rings.
    """
    view = CameraView.of(profile.camera(pose.camera).model, pose)
    drawn = picture.copy()
    tallest = max(size.height_mm for size in profile.columns.values())
    thickness = max((size.thickness_mm for size in profile.plateaus.values()), default=5.0)
    ring = polygon_of(profile.base.site_radius_mm, 48)
    for floor in range(floors + 2):
        height = floor * (tallest + thickness)
        pixels = view.project(prism(ring, height, height)[0])
        if not np.isnan(pixels).any():
            cv2.polylines(drawn, [np.rint(pixels).astype(np.int32)], True, colour[::-1], 1, cv2.LINE_AA)
    return drawn


def crops_ghost(profile: Profile, pose: CameraPose, floors: int = 5) -> float:
    """Share of the five-floor ghost (rings and a column above the last) that falls outside this camera's picture; 0 is what is wanted."""
    model = profile.camera(pose.camera).model
    view = CameraView.of(model, pose)
    tallest = max(size.height_mm for size in profile.columns.values())
    thickness = max((size.thickness_mm for size in profile.plateaus.values()), default=5.0)
    ring = polygon_of(profile.base.site_radius_mm, 48)
    heights = np.linspace(0.0, floors * (tallest + thickness) + tallest, 24)
    points = np.concatenate([prism(ring, height, height)[0] for height in heights])
    pixels = view.project(points)
    with np.errstate(invalid="ignore"):
        inside = (pixels >= 0).all(1) & (pixels[:, 0] <= model.width_px - 1) & (pixels[:, 1] <= model.height_px - 1)
    return float(1.0 - inside.mean())
