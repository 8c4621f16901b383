"""Real cameras by URL: an index, a file, an RTSP or MJPEG address; each in a thread of its own that never blocks the game.

A camera that does not open within three seconds, or stops delivering, is told with a sentence and tried again; queued old pictures are
thrown away by reading as fast as the camera delivers and keeping only the newest. Pictures are encoded once, here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import cv2
import numpy as np

from rig.errors import PalettiError
from rig.live.cropping import TowerCrop
from rig.messages import Frame, Health, Input, SourceNews

OPEN_S = 3.0
RETRY_S = 2.0
JPEG_QUALITY = 85

_TURNS = {0: None, 90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}


def address(text: str) -> int | str:
    """A number is a camera's index, everything else a file or a URL; PalettiError for what cannot be either."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return int(text)
    if not text or any(mark in text for mark in "{}\"'\n"):
        raise PalettiError(f"{text!r} is no camera.", "Give an index such as 0, a video file, or an rtsp:// or http:// address.")
    return text


class CameraSource:
    """Pictures of one camera, handed to `put(t_s, source, payload)` at most `per_second` a second."""

    def __init__(
        self,
        number: int,
        url: str,
        size_px: tuple[int, int],
        put: Callable[[str, Input], None],
        clock: Callable[[], float],
        turn_deg: int = 0,
        per_second: float = 5.0,
        crop: TowerCrop | None = None,
    ) -> None:
        """`crop`: what is left of a picture before anybody sees it; PalettiError for what is no address or turn."""
        if turn_deg not in _TURNS:
            raise PalettiError(f"Camera {number} cannot be turned by {turn_deg} degrees.", "Give 0, 90, 180 or 270.")
        self._number, self._url, self._size_px = number, address(url), size_px
        self._put, self._clock, self._turn = put, clock, _TURNS[turn_deg]
        self._gap_s = 1.0 / per_second
        self._crop = crop
        self._stop = threading.Event()
        self.opened = threading.Event()
        self.trouble = ""
        self._thread = threading.Thread(target=self._run, name=f"camera {number}", daemon=True)

    @property
    def source(self) -> str:
        """Its name among the messages."""
        return f"camera {self._number}"

    def start(self) -> None:
        """Begin to send frames."""
        self._thread.start()

    def close(self) -> None:
        """Stop, and let the device go."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=1.0)

    def _run(self) -> None:
        while not self._stop.is_set():
            capture = self._open()
            if capture is None:
                self._tell(Health.LOST, f"Camera {self._number} ({self._url}) does not open: is it plugged in, and used by nobody else?")
            else:
                self._read(capture)
                capture.release()
            self._stop.wait(RETRY_S)

    def _open(self) -> cv2.VideoCapture | None:
        capture = cv2.VideoCapture(self._url)
        if not capture.isOpened():
            return None
        width, height = self._size_px if self._turn in (None, cv2.ROTATE_180) else self._size_px[::-1]
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, width)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, height)
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        return capture

    def _read(self, capture: cv2.VideoCapture) -> None:
        last_s = -1e9
        while not self._stop.is_set():
            good, picture = capture.read()
            if not good or picture is None or picture.size == 0:
                self._tell(Health.LOST, f"Camera {self._number} has stopped sending pictures; trying again.")
                return
            now_s = self._clock()
            if now_s - last_s < self._gap_s:
                continue
            picture = np.asarray(picture if self._turn is None else cv2.rotate(picture, self._turn), np.uint8)
            if (picture.shape[1], picture.shape[0]) != self._size_px:
                self._tell(
                    Health.FAULT,
                    f"Camera {self._number} sends {picture.shape[1]} x {picture.shape[0]} pictures, but the profile was made for "
                    f"{self._size_px[0]} x {self._size_px[1]}: set that mode, or turn the camera.",
                )
                return
            if self._crop is not None:
                picture = self._crop.picture(self._number, now_s, np.asarray(picture, np.uint8))
            good, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            if good:
                if not self.opened.is_set() or self.trouble:
                    self._tell(Health.GOOD, f"Camera {self._number} sends pictures.")
                    self.trouble = ""
                    self.opened.set()
                self._put(self.source, Frame(camera=self._number, jpeg=jpeg.tobytes(), dropped=0))
                last_s = now_s

    def _tell(self, health: Health, sentence: str) -> None:
        if sentence != self.trouble:
            self.trouble = sentence
            self._put(self.source, SourceNews(source=self.source, health=health, sentence=sentence))
