"""A camera knocked in play: noticed from the pictures as a whole, confirmed by the rig's markers, and posed again.

Every watched frame says how far the picture has shifted against the settled one. Several in a row that agree, while the picture no longer
moves, are reason to have the markers looked at; whether the camera really moved is the markers' word alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.messages import Watched

KNOCKED_SHARE = 0.002
"""Shift of the whole picture, as a share of its longer side, that is looked into: 2.6 px of 1280. Lower: markers are searched for at every
sway; higher: a small knock goes on spoiling places."""

IN_A_ROW = 2
"""Frames that must say so."""

AGAIN_S = 1.0
"""Seconds between two looks at one camera's markers."""

TRUSTED_S = 10.0
"""Seconds for which a camera whose markers were where they should be is not doubted again."""

AT_REST = 0.08
"""Share of the region that may still change between two frames of a camera that has come to rest; hands may be at work meanwhile."""


@dataclass(slots=True)
class _Camera:
    in_a_row: int = 0
    asked_t_s: float = -1e9


class Knocks:
    """One memory a camera."""

    def __init__(self, longer_px: dict[int, int]) -> None:
        self._limit_px = {camera: KNOCKED_SHARE * px for camera, px in longer_px.items()}
        self._cameras = {camera: _Camera() for camera in longer_px}

    def suspects(self, t_s: float, watched: Watched) -> bool:
        """Whether this camera's markers should be looked at now."""
        camera = self._cameras.get(watched.camera)
        if camera is None or watched.fault or watched.shift_px < self._limit_px[watched.camera]:
            if camera is not None:
                camera.in_a_row = 0
            return False
        camera.in_a_row += 1
        if camera.in_a_row < IN_A_ROW or watched.moving > AT_REST or t_s - camera.asked_t_s < AGAIN_S:
            return False
        camera.asked_t_s = t_s
        return True

    def stands(self, t_s: float, camera: int) -> None:
        """Its markers are where they should be: it was something else in the picture that moved."""
        self._cameras[camera].asked_t_s = t_s + TRUSTED_S - AGAIN_S
