"""Pictures as a film that Chromium plays to a page in the place of a camera (`--use-file-for-fake-video-capture`).

Motion JPEG is played at 30 pictures a second, whatever it holds (`media/capture/video/file_video_capture_device.cc`), so a slower film
repeats its pictures. The film begins anew at its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

PLAYED_PER_S = 30

FAKE_CAMERA = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
"""Chromium's flags beside the film's own: permission is given, and a film is the camera."""


def write_film(path: Path, jpegs: Iterable[bytes], per_second: float) -> Path:
    """JPEGs (4:2:0, all of one size) as Motion JPEG that plays `per_second` of them."""
    repeats = max(1, round(PLAYED_PER_S / per_second))
    with path.open("wb") as file:
        for jpeg in jpegs:
            file.write(jpeg * repeats)
    return path


def jpeg_of(picture: npt.NDArray[np.uint8], quality: int = 90) -> bytes:
    """A picture (h, w, 3), BGR, as JPEG."""
    good, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not good:
        raise ValueError("a picture that cannot be encoded")
    return jpeg.tobytes()


def film_flag(path: Path) -> str:
    return f"--use-file-for-fake-video-capture={path}"
