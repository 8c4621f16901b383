"""The two renderers draw the same things at the same places, so that what differs between their pictures is light."""

from __future__ import annotations

import importlib
from types import ModuleType

import cv2
import msgspec
import numpy as np
import pytest

from rig.errors import PalettiError
from rig.messages import Tower
from rig.profile.nominal import nominal_profile
from rig.twin.photo import path_tracer as photo
from rig.twin.physics.poses import poses_of
from rig.twin.physics.towers import random_tower
from rig.twin.pictures.cameras import Eye, Picture
from rig.twin.pictures.rooms import PlainRoom

pytest.importorskip("mitsuba", reason="photorealistic pictures need the extra `photo`")
if photo.llvm_library() is None:
    pytest.skip("photorealistic pictures need LLVM 16 or newer", allow_module_level=True)

PROFILE = nominal_profile(1, width_px=450, height_px=800)
BENT = msgspec.structs.replace(PROFILE.cameras[0].model, cx_px=229.0, cy_px=394.0, distortion=(-0.08, 0.03, 0.0005, -0.0005, 0.0))


def grey_room() -> int:
    """The first seed with a table and a floor that nobody takes for paint."""
    return next(seed for seed in range(200) if max(PlainRoom(PROFILE, seed).look.table) - min(PlainRoom(PROFILE, seed).look.table) < 20)


def painted(full: Picture, empty: Picture) -> np.ndarray:
    """Where something in strong colour newly is."""
    soft, before = cv2.medianBlur(full, 3).astype(int), cv2.medianBlur(empty, 3).astype(int)
    strength = (soft.max(axis=2) - soft.min(axis=2)) / np.maximum(soft.max(axis=2), 12)
    return np.asarray((strength > 0.42) & (np.abs(soft / max(empty.mean(), 1) - before / max(empty.mean(), 1)).sum(axis=2) > 0.2))


def markers(picture: Picture) -> dict[int, np.ndarray]:
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    large = cv2.resize(picture, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    found, ids, _ = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_100), settings).detectMarkers(large)
    return {int(i): quad.reshape(4, 2) / 2 for i, quad in zip(ids.ravel(), found, strict=True)}


def test_both_renderers_put_markers_and_pieces_at_the_same_places() -> None:
    seed = grey_room()
    tower = random_tower(PROFILE, seed, 3)
    with Eye(PROFILE, seed, lenses=[BENT]) as eye:
        drawn, traced = [], []
        for shown in (tower, Tower()):
            drawn.append(eye.see(poses_of(PROFILE, shown))[0])
            traced += photo.photograph_scene(eye.scene, eye.poses, [BENT], spp=8)
    ours, theirs = markers(drawn[1]), markers(traced[1])
    both = set(ours) & set(theirs)
    assert len(both) >= 12
    off = np.array([theirs[k] - ours[k] for k in both])
    assert np.abs(np.median(off, axis=(0, 1))).max() < 0.15, "half a pixel's shift between the two would show"
    assert np.median(np.linalg.norm(off.mean(axis=1), axis=1)) < 0.3
    a, b = painted(drawn[0], drawn[1]), painted(traced[0], traced[1])
    assert a.mean() > 0.02
    assert (a & b).sum() / (a | b).sum() > 0.9


def test_without_mitsuba_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def missing(name: str) -> ModuleType:
        if name == "mitsuba":
            raise ImportError("No module named 'mitsuba'")
        return real(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(PalettiError, match="need Mitsuba") as caught:
        photo.open_mitsuba()
    assert "[photo]" in caught.value.hint
