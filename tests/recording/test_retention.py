"""What is kept when room is scarce: pictures go first, those of a ruling's evidence last, and everything else stays."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from rig import messages as m
from rig.bench.recorded_session import HEADER
from rig.live.listeners import RecordingListener, Rulings
from rig.live.replay import Replay
from rig.recording import Parts, Recorder, Words, forget_pictures, read, thin

SHORT_GAME = Path(__file__).parent.parent / "data" / "short_game.mcap"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    return Path(shutil.copy(SHORT_GAME, tmp_path / "game.mcap"))


def pictures(path: Path) -> dict[int, int]:
    return {message.n: len(message.payload.jpeg) for message in read(path).messages() if isinstance(message.payload, m.Frame)}


def evidence(path: Path) -> set[int]:
    facts = [beside.payload for beside in read(path).outputs(m.Fact)]
    return {n for fact in facts if isinstance(fact, m.Fact) for one in fact.evidence for n in one.frames}


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """The short game as the present program records it: the pictures it judges by are those that the present referee asked for."""
    path = tmp_path / "fresh.mcap"
    recording = RecordingListener(Recorder(path, HEADER))
    Replay(read(SHORT_GAME), [recording]).run()
    recording.close()
    return path


def test_a_quarter_of_the_pictures_is_left_and_the_second_look_decides_the_same(fresh: Path) -> None:
    """The pictures that were only watched go; every judgement is looked at again, and rules what it ruled."""
    game = fresh
    whole, before = list(read(game).messages()), sum(pictures(game).values())
    assert thin(game, game.stat().st_size - int(0.73 * before)) > 0
    assert sum(pictures(game).values()) <= 0.27 * before
    after = read(game)
    assert after.damage == "" and int(after.header["pictures_taken_out"]) > 0
    plain = [message for message in after.messages() if not isinstance(message.payload, m.Frame)]
    assert plain == [message for message in whole if not isinstance(message.payload, m.Frame)]
    old, new = Rulings(), Rulings()
    Replay(read(SHORT_GAME), [old]).run()
    replay = Replay(after, [new])
    replay.run()
    assert [ruling.english for ruling in new.rulings] == [ruling.english for ruling in old.rulings]


def test_the_evidence_of_a_ruling_goes_last(game: Path) -> None:
    proof = evidence(game) & set(pictures(game))
    assert len(proof) > 5
    for share in (0.7, 0.5, 0.34):
        thin(game, int(SHORT_GAME.stat().st_size * share))
        left = pictures(game)
        assert all(left[n] for n in proof)
    thin(game, 0)
    assert not any(pictures(game).values())
    assert len(list(read(game).outputs(m.Ruling))) == len(list(read(SHORT_GAME).outputs(m.Ruling)))


def test_pictures_older_than_so_many_days_are_forgotten_and_nothing_else(game: Path, tmp_path: Path) -> None:
    young, text = Path(shutil.copy(game, tmp_path / "young.mcap")), tmp_path / "broken.mcap"
    text.write_text("not a recording")
    for path in (game, text):
        os.utime(path, (0, 0))
    assert forget_pictures(tmp_path, 30) == ["game.mcap"]
    assert forget_pictures(tmp_path, 30) == [], "once is enough"
    assert any(pictures(young).values()) and not any(pictures(game).values())
    assert text.read_text() == "not a recording"
    assert read(game).messages_good == read(young).messages_good


def test_a_session_keeps_to_its_size(tmp_path: Path) -> None:
    said: list[str] = []
    parts = Parts(
        tmp_path / "evening.mcap", HEADER, Words(lambda: [m.ProfileSet(profile_json="{}")], lambda _, told: said.append(told)),
        keep_bytes=400_000,
    )  # fmt: skip
    for n in range(1, 1200):
        parts.write(m.Message(n, n / 10, "camera 1", m.Frame(camera=1, jpeg=os.urandom(1000))))
    parts.close()
    assert len(parts.paths) > 3 and all("goes on" in one for one in said)
    assert sum(path.stat().st_size for path in parts.paths) <= 400_000
    assert sum(read(path).messages_good for path in parts.paths) > 1190
