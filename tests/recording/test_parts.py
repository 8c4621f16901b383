"""A recording outlives its file: whatever stops the writing is told at once, the game goes on, and so does the recording."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from rig import messages as m
from rig.bench.recorded_session import HEADER
from rig.recording import Parts, Words, read

PROFILE = m.ProfileSet(profile_json="{}")


class Told:
    """Hears what the wiring hears."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    def words(self) -> Words:
        return Words(lambda: [PROFILE], lambda trouble, sentence: self.said.append((trouble, sentence)))


@pytest.fixture
def small_disk() -> Iterator[None]:
    """The kernel refuses to let any one file grow beyond 60 kB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def frames(count: int) -> list[m.Message]:
    return [m.Message(n, n / 10, "camera 1", m.Frame(camera=1, jpeg=os.urandom(1000))) for n in range(1, count)]


@pytest.mark.usefixtures("small_disk")
def test_a_full_file_is_told_and_the_game_goes_on_in_a_new_one(tmp_path: Path) -> None:
    told, path = Told(), tmp_path / "evening.mcap"
    parts = Parts(path, HEADER, told.words())
    sent = frames(200)
    for message in sent:
        parts.write(message)
    parts.close()
    stopped, resumed = told.said[0], told.said[1]
    assert "File too large" in stopped[0] and "new file when there is room" in stopped[1]
    assert resumed == ("", resumed[1]) and "evening.2.mcap" in resumed[1]
    assert [one.name for one in parts.paths[:2]] == ["evening.mcap", "evening.2.mcap"]
    kept = [message for one in parts.paths for message in read(one).messages() if isinstance(message.payload, m.Frame)]
    assert all(message in sent for message in kept)
    second = list(read(parts.paths[1]).messages())
    assert second[0].payload == PROFILE, "a new file begins with what it needs to be replayed"
    assert 0 < second[1].t_s - max(message.t_s for message in read(path).messages()) < 6.0


def test_without_room_nothing_new_is_begun_and_the_sentence_stays(tmp_path: Path, small_disk: None) -> None:
    del small_disk
    told = Told()
    parts = Parts(tmp_path / "evening.mcap", HEADER, told.words(), room_bytes=1 << 62)
    for message in frames(300):
        parts.write(message)
    assert parts.trouble and len(told.said) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "evening.mcap"]
    parts.close()


def test_a_file_removed_while_it_is_written_is_noticed(tmp_path: Path) -> None:
    told, path = Told(), tmp_path / "evening.mcap"
    parts = Parts(path, HEADER, told.words())
    for message in frames(200):
        parts.write(message)
        if message.n == 50:
            path.unlink()
    parts.close()
    assert "removed" in told.said[0][0]
    assert read(tmp_path / "evening.2.mcap").messages_good > 50


def test_a_message_that_cannot_be_recorded_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    told = Told()
    parts = Parts(tmp_path / "evening.mcap", HEADER, told.words())
    for n in range(1, 4):
        judged = m.Judged(id=n, opinions=(m.Opinion(float("inf"), None),), fit=0.9, unexplained_mm2=0.0, plateaus_seen=(), cameras=1)
        parts.write(m.Message(2 * n, n / 10, "eyes", judged))
        parts.write(m.Message(2 * n + 1, n / 10, "clock", m.Tick()))
    parts.close()
    assert len(told.said) == 1 and "not finite" in told.said[0][1]
    assert read(tmp_path / "evening.mcap").messages_good == 3
