"""The newest picture of each live camera, for the procedures that guide a person: cameras by URL as in `paletti run`.

Pictures come through the same source as in play (`rig.live.cameras`), JPEG and all, so what is measured here is what the eyes will see.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType

import cv2
import numpy as np
import numpy.typing as npt

from rig.errors import PalettiError
from rig.live.cameras import CameraSource
from rig.messages import Frame, Input

Picture = npt.NDArray[np.uint8]

OPEN_S = 6.0
NEXT_S = 3.0
SLICE_S = 0.2


class LivePictures:
    """Cameras 1, 2, … by URL, each delivering pictures of its size. Use it as a context manager."""

    def __init__(
        self, urls: Sequence[str], sizes_px: Sequence[tuple[int, int]], turns_deg: Sequence[int], per_second: float = 10.0
    ) -> None:
        if not len(urls) == len(sizes_px) == len(turns_deg):
            raise PalettiError(
                f"{len(urls)} cameras, {len(sizes_px)} picture sizes and {len(turns_deg)} turns do not go together.",
                "Give one of each a camera.",
            )
        self._news = threading.Condition()
        self._newest: dict[int, tuple[int, float, bytes]] = {}
        self._start = time.monotonic()
        self._sources = [
            CameraSource(number, url, size, self._put, self._clock, turn, per_second)
            for number, (url, size, turn) in enumerate(zip(urls, sizes_px, turns_deg, strict=True), 1)
        ]

    def _clock(self) -> float:
        return time.monotonic() - self._start

    def _put(self, _: str, payload: Input) -> None:
        if isinstance(payload, Frame):
            with self._news:
                count = self._newest.get(payload.camera, (0, 0.0, b""))[0]
                self._newest[payload.camera] = (count + 1, self._clock(), payload.jpeg)
                self._news.notify_all()

    def next(self, camera: int, wait_s: float = NEXT_S) -> tuple[float, Picture]:
        """The next picture of a camera (BGR) that arrives from now on, and when (s); PalettiError if none does in time."""
        source = self._sources[camera - 1]
        until = self._clock() + wait_s
        with self._news:
            seen = self._newest.get(camera, (0, 0.0, b""))[0]
            while not self._news.wait_for(lambda: self._newest.get(camera, (0, 0.0, b""))[0] > seen, SLICE_S):
                # one that never opened, or has another mode, will not come by waiting
                if self._clock() > until or (source.trouble and not source.opened.is_set()):
                    raise PalettiError(
                        source.trouble or f"Camera {camera} sends no picture within {wait_s:.0f} seconds.",
                        "Check its address, its cable, and that no other program uses it.",
                    )
            _, t_s, jpeg = self._newest[camera]
        return t_s, self.decoded(jpeg, camera)

    @property
    def now_s(self) -> float:
        """The time on the clock by which pictures are dated (s)."""
        return self._clock()

    def newest(self, camera: int) -> tuple[int, float, bytes]:
        """How many pictures of a camera have come, when the last one came (s), and its JPEG; without waiting."""
        with self._news:
            return self._newest.get(camera, (0, 0.0, b""))

    @staticmethod
    def decoded(jpeg: bytes, camera: int) -> Picture:
        """The picture (BGR) of a JPEG; PalettiError if it is none."""
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) if jpeg else None
        if picture is None:
            raise PalettiError(f"Camera {camera} sent a picture that cannot be read.", "Check its cable.")
        return np.asarray(picture, np.uint8)

    def __enter__(self) -> LivePictures:
        for source in self._sources:
            source.start()
        try:
            for number in range(1, len(self._sources) + 1):
                self.next(number, OPEN_S)
        except PalettiError:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Let the cameras go."""
        for source in self._sources:
            source.close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
