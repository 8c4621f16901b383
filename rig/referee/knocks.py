"""A camera knocked in play: noticed from the pictures as a whole, confirmed by the rig's markers, and posed again.

Every watched frame says how far the picture has shifted against the settled one. Several in a row that agree, while the picture no longer
moves, are reason to have the markers looked at; whether the camera really moved is the markers' word alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.messages import Watched
from rig.referee.tunables import TUNED, Tunables


@dataclass(slots=True)
class _Camera:
    in_a_row: int = 0
    asked_t_s: float = -1e9


class Knocks:
    """One memory a camera."""

    def __init__(self, longer_px: dict[int, int], tuned: Tunables = TUNED) -> None:
        self._tuned = tuned
        self._limit_px = {camera: tuned.knocked_share * px for camera, px in longer_px.items()}
        self._cameras = {camera: _Camera() for camera in longer_px}

    def suspects(self, t_s: float, watched: Watched) -> bool:
        """Whether this camera's markers should be looked at now."""
        camera = self._cameras.get(watched.camera)
        if camera is None or watched.fault or watched.shift_px < self._limit_px[watched.camera]:
            if camera is not None:
                camera.in_a_row = 0
            return False
        camera.in_a_row += 1
        if (
            camera.in_a_row < self._tuned.knocked_frames
            or watched.moving > self._tuned.at_rest
            or t_s - camera.asked_t_s < self._tuned.markers_again_s
        ):
            return False
        camera.asked_t_s = t_s
        return True

    def stands(self, t_s: float, camera: int) -> None:
        """Its markers are where they should be: it was something else in the picture that moved."""
        self._cameras[camera].asked_t_s = t_s + self._tuned.trusted_s - self._tuned.markers_again_s
