"""The eyes' worker: looks are answered beside the fold, never inside it.

Vision is pure; this owns its threads. `ask` hands a request and the JPEGs it names over and gives the future answer. One thread is right
for two cores: the physics or the sources have the other. Reading a whole tower takes seconds and has a thread of its own, so that hands are
noticed meanwhile.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import cv2

from rig.live.frames import FrameStore, named
from rig.messages import FindPose, Judge, Judged, LookAnswer, LookRequest, Posed, ReadTower, TowerRead, Track, Tracked, Watch, Watched
from rig.profile import Profile
from vision.see import Eyes


def cannot_see(request: LookRequest, sentence: str) -> LookAnswer:
    """The honest answer when pictures are missing or cannot be read."""
    match request:
        case Watch():
            return Watched(
                id=request.id, camera=request.camera, frame=request.frame, hand=0.0, sleeve=None, moving=0.0, changed=0.0, shift_px=0.0,
                fault=sentence,
            )  # fmt: skip
        case FindPose():
            return Posed(id=request.id, camera=request.camera, pose=None, markers=0, error_px=0.0, top_error_mm=0.0, sentence=sentence)
        case Judge():
            return Judged(id=request.id, opinions=(), fit=0.0, unexplained_mm2=0.0, plateaus_seen=(), cameras=0, sentence=sentence)
        case Track():
            return Tracked(id=request.id, traces=(), sentence=sentence)
        case ReadTower():
            return TowerRead(id=request.id, columns=(), plateaus=(), fit=0.0, usable=False, cameras=0, sentence=sentence)


class EyesWorker:
    """Answers looks in the order asked; whole readings beside the rest. A look is answered by the profile that held when it was asked."""

    def __init__(self) -> None:
        self._eyes: Eyes | None = None
        self._frames = FrameStore()
        self._pool, self._readers = (
            ThreadPoolExecutor(1, thread_name_prefix=name, initializer=cv2.setNumThreads, initargs=(1,)) for name in ("eyes", "reader")
        )

    def put(self, n: int, t_s: float, jpeg: bytes) -> None:
        """Keep the picture of message `n` for looks to come."""
        self._frames.put(n, t_s, jpeg)

    def set_profile(self, profile: Profile) -> None:
        """Look by this profile from here on."""
        self._eyes = Eyes(profile)

    def ask(self, request: LookRequest) -> Future[LookAnswer]:
        """ValueError before the first profile."""
        if self._eyes is None:
            raise ValueError("a session begins with its profile")
        self._frames.hold(request)
        pool = self._readers if isinstance(request, ReadTower) else self._pool
        return pool.submit(self._look, self._eyes, request, self._frames.jpegs(named(request)))

    def _look(self, eyes: Eyes, request: LookRequest, jpegs: dict[int, bytes]) -> LookAnswer:
        pictures = self._frames.pictures(jpegs)
        essential = set(named(request)) - ({request.previous, request.reference} if isinstance(request, Watch) else set())
        if isinstance(request, Track):
            essential = set(request.before)
        if not essential <= pictures.keys():
            return cannot_see(request, "A picture that was to be looked at is missing or cannot be decoded.")
        return eyes.look(request, pictures)

    def close(self) -> None:
        """End the workers; what is under way is finished."""
        for pool in (self._pool, self._readers):
            pool.shutdown(wait=True, cancel_futures=True)
