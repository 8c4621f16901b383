"""One short whole game through everything that is real: firmware binary (where it is built), pixels, referee, rules, recording and page."""

from __future__ import annotations

import json
import time
import urllib.request
from pathlib import Path

import pytest

from rig.cli.screen import Screen, ScreenListener, recorder_for
from rig.dashboard.hub import Hub
from rig.live.listeners import RecordingListener, RulingFile
from rig.live.pouring import Pace, pour
from rig.live.replay import Replay
from rig.live.session import Session
from rig.messages import FactKind
from rig.recording import read

twin_session = pytest.importorskip("rig.twin.session", reason="the twin needs MuJoCo")

SEED = 3


def test_a_short_game_is_refereed_recorded_shown_and_replayed(tmp_path: Path) -> None:
    twin = twin_session.TwinSession(SEED, max_raises=1, frame_rate=4.0)
    hub = Hub()
    screen = Screen(hub, None, 0)
    recording = RecordingListener(recorder_for(tmp_path / "game.mcap", twin.firmware_version, twin.profile))
    rulings = RulingFile(tmp_path / "live.jsonl")
    session = Session(twin.profile, [ScreenListener(hub), recording, rulings], on_ask=twin.ask)
    try:
        assert pour(twin, session, Pace(None, time.monotonic, time.sleep))
        told = session.fold.referee.book.game
        with urllib.request.urlopen(screen.url + "/state.json") as answer:
            shown = json.load(answer)
    finally:
        session.close()
        twin.close()
        recording.close()
        rulings.close()
        screen.close()
    assert any(truth.kind is FactKind.COLLAPSED for truth in twin.truth.log)
    assert told.outcome is not None
    assert told.outcome == twin.bots.game.outcome
    assert shown["view"]["outcome"]["english"]
    live = (tmp_path / "live.jsonl").read_bytes()
    assert live.count(b"\n") > 5
    for name, recorded_eyes in (("seen", False), ("recorded", True)):
        again = RulingFile(tmp_path / f"{name}.jsonl")
        replay = Replay(read(tmp_path / "game.mcap"), [again], recorded_eyes)
        replay.run()
        again.close()
        assert replay.unanswered == 0
        assert (tmp_path / f"{name}.jsonl").read_bytes() == live, f"replay with {name} eyes differs"
