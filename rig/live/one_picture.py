"""One picture of every live camera: the newest of a short while, with earlier ones to know a frozen camera by."""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.live.cameras import CameraSource
from rig.messages import Frame, Input
from rig.profile import Profile
from vision.camera.picture_faults import frozen

Picture = npt.NDArray[np.uint8]

PATIENCE_S = 8.0
"""How long every camera has to deliver; opening one takes up to three seconds."""

FRAMES = 4
"""Pictures waited for: the first ones of a webcam are dark while its exposure settles."""


def one_each(profile: Profile, urls: Sequence[str], turns_deg: Sequence[int]) -> list[Picture]:
    """A picture (BGR) of each of the profile's cameras; PalettiError if one does not deliver, or the same picture again and again."""
    inbox: queue.SimpleQueue[Input] = queue.SimpleQueue()
    cameras = [
        CameraSource(
            camera.number, url, (camera.model.width_px, camera.model.height_px), lambda _, one: inbox.put(one), time.monotonic, turn
        )
        for camera, url, turn in zip(profile.cameras, urls, turns_deg, strict=True)
    ]
    frames = _gathered(cameras, [camera.number for camera in profile.cameras], inbox)
    for source, (number, pictures) in zip(cameras, frames.items(), strict=True):
        if not pictures:
            raise PalettiError(
                source.trouble or f"Camera {number} delivers no picture within {PATIENCE_S:.0f} seconds.",
                "Check its cable and its address.",
            )
        if len(pictures) >= 2 and all(frozen(pictures[-1], earlier) for earlier in pictures[:-1]):
            raise PalettiError(
                f"Camera {number} delivers the same picture again and again: it is frozen.", "Unplug the camera and plug it in again."
            )
    return [pictures[-1] for pictures in frames.values()]


def _gathered(cameras: Sequence[CameraSource], numbers: Sequence[int], inbox: queue.SimpleQueue[Input]) -> dict[int, list[Picture]]:
    """The first pictures of every camera, as many as are waited for and come in time."""
    frames: dict[int, list[Picture]] = {number: [] for number in numbers}
    deadline = time.monotonic() + PATIENCE_S
    try:
        for source in cameras:
            source.start()
        while min(len(pictures) for pictures in frames.values()) < FRAMES and time.monotonic() < deadline:
            try:
                one = inbox.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                break
            if isinstance(one, Frame):
                picture = cv2.imdecode(np.frombuffer(one.jpeg, np.uint8), cv2.IMREAD_COLOR)
                if picture is not None:
                    frames[one.camera].append(np.asarray(picture, np.uint8))
    finally:
        for source in cameras:
            source.close()
    return frames
