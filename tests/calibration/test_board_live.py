"""`paletti calibrate camera --board --live` end to end: the printed board, held as told before a camera behind an http:// address."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.tower import BOARD
from rig import profile as profiles
from rig.bench.board_in_hand import BoardInHand
from rig.cli import main
from rig.profile.nominal import nominal_profile
from rig.twin.levels import level_named
from rig.twin.pictures.lenses import draw_lens
from tests.live.live_table import StreamedCamera, stream_handler

NOMINAL = nominal_profile(1, width_px=540, height_px=960)
TRUE = draw_lens(NOMINAL.cameras[0].model, 6803, 1, 1.0)
GAP_S = 0.12


class Stage:
    """The board in a hand before a camera that streams; whoever holds it reads what the command prints."""

    def __init__(self) -> None:
        self._hand = BoardInHand(TRUE, np.full((960, 540, 3), 120, np.uint8), level_named("home").pictures, 6803, 1, False, 88)
        self._camera, self._stop = StreamedCamera(), threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), stream_handler({1: self._camera}, self._stop))
        self._server.daemon_threads = True
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._film, self._server.serve_forever)]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/1.mjpg"

    def told(self, sentence: str) -> None:
        self._hand.told(sentence)

    def _film(self) -> None:
        while not self._stop.is_set():
            _, jpeg = cv2.imencode(".jpg", self._hand.take())
            self._camera.under_way.append((time.monotonic(), jpeg.tobytes()))
            self._camera.deliver(time.monotonic())
            time.sleep(GAP_S)

    def close(self) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(timeout=5.0)


class Read(io.StringIO):
    """What is printed, read by the person as it comes."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage

    def write(self, text: str) -> int:
        for line in filter(None, text.splitlines()):
            self._stage.told(line)
        return super().write(text)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def test_board_held_as_told_before_a_live_camera_gives_its_lens(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, out = tmp_path / "start.json", tmp_path / "lens.json"
    start.write_text(profiles.to_json(NOMINAL))
    read = Read(stage)
    monkeypatch.setattr("sys.stdout", read)
    code = main(["calibrate", "camera", "--board", str(BOARD), "--live", stage.url, "--profile", str(start), "--out", str(out)])
    assert code == 0, read.getvalue()
    assert "that is enough" in read.getvalue()
    assert profiles.load(out).cameras[0].model.fy_px == pytest.approx(TRUE.fy_px, rel=0.005)
