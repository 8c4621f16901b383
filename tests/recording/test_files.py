"""A recording gives back what was put in, exactly, and as much as is good after any accident."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.writer import Writer

from rig import messages as m
from rig.bench.recorded_session import HEADER, record, session
from rig.errors import PalettiError
from rig.recording import Recorder, read, recover, recovery, versions
from rig.recording.topics import Derived


@pytest.fixture(scope="module")
def items() -> list[m.Message | Derived]:
    return list(session())


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, items: list[m.Message | Derived]) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "game.mcap"
    record(path, items)
    return path


def test_every_kind_of_message_comes_back_exactly_and_in_order(recorded: Path, items: list[m.Message | Derived]) -> None:
    recording = read(recorded)
    assert list(recording.everything()) == items
    assert list(recording.messages()) == [item for item in items if isinstance(item, m.Message)]
    assert list(recording.outputs()) == [item for item in items if isinstance(item, Derived)]
    rulings = [item for item in items if isinstance(item, Derived) and isinstance(item.payload, m.Ruling | m.Fact)]
    assert list(recording.outputs(m.Ruling, m.Fact)) == rulings
    assert recording.damage == ""


def test_every_class_that_flows_has_its_place(items: list[m.Message | Derived]) -> None:
    kinds = {type(item.payload) for item in items}
    for alias in (m.Input, m.Reading, m.Output):
        assert set(alias.__args__) <= kinds


def test_the_header_says_which_versions_wrote_it(tmp_path: Path) -> None:
    header = versions(firmware="1.0", profile="nominal")
    Recorder(tmp_path / "a.mcap", header).close()
    found = read(tmp_path / "a.mcap").header
    assert found == {**header, "schema": str(m.SCHEMA_VERSION)}
    assert "mcap" in found["lock"] and found["code"]


@given(t_s=st.floats(min_value=0, max_value=1e6), lag_s=st.floats(min_value=0, max_value=10), n=st.integers(0, 2**40))
@settings(max_examples=60, deadline=None)
def test_number_and_time_survive_to_the_last_bit(tmp_path_factory: pytest.TempPathFactory, t_s: float, lag_s: float, n: int) -> None:
    path = tmp_path_factory.mktemp("bits") / "a.mcap"
    sent: list[m.Message | Derived] = [
        m.Message(n, t_s, "clock", m.Tick()),
        m.Message(n + 1, t_s, "camera 1", m.Frame(camera=1, jpeg=b"x", lag_s=lag_s)),
        m.Message(n + 2, t_s, "base", m.BaseBytes(data=b"")),
        Derived(n + 2, t_s, m.Tilted(t_s=t_s, tilt_x_deg=lag_s, tilt_y_deg=-lag_s, shock_mps2=0.1)),
    ]
    record(path, sent)
    assert list(read(path).everything()) == sent


def test_pictures_do_not_swell(tmp_path: Path) -> None:
    jpeg = b"\xff\xd8" + os.urandom(100_000)
    record(tmp_path / "a.mcap", [m.Message(n, n / 10, "camera 1", m.Frame(camera=1, jpeg=jpeg)) for n in range(20)])
    assert (tmp_path / "a.mcap").stat().st_size < 20 * len(jpeg) * 1.01


def test_viewers_find_images_and_plain_schemas(recorded: Path) -> None:
    with recorded.open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    by_topic = {channel.topic: summary.schemas[channel.schema_id] for channel in summary.channels.values()}
    assert len(by_topic) == len(summary.channels), "one schema for each topic"
    assert (by_topic["/camera/1"].name, by_topic["/camera/1"].encoding) == ("foxglove.CompressedImage", "protobuf")
    weight = msgspec.json.decode(by_topic["/weight"].data)
    assert weight["properties"]["payload"]["properties"]["weight_g"] == {"type": "number"}
    for schema in by_topic.values():
        if schema.encoding == "jsonschema":
            assert b"$ref" not in schema.data and b"anyOf" not in schema.data


def test_a_file_cut_at_any_byte_reads_up_to_the_cut(tmp_path: Path, items: list[m.Message | Derived]) -> None:
    """Every byte of a short session's file; nothing read may differ from what was written, and more bytes never give less."""
    small = items[:60]
    whole = tmp_path / "whole.mcap"
    with Recorder(whole, HEADER, flush_every_s=0.4, durable=False) as recorder:
        for item in small:
            recorder.write(item) if isinstance(item, m.Message) else recorder.write_output(item.t_s, item.n, item.payload)
    data = whole.read_bytes()
    cut = tmp_path / "cut.mcap"
    most, refused = 0, 0
    step = max(1, len(data) // 6000)
    for end in range(0, len(data), step):
        cut.write_bytes(data[:end])
        try:
            recording = read(cut)
        except PalettiError as error:
            assert most == 0, "once readable, more bytes stay readable"
            assert error.sentence.endswith(".")
            refused += 1
            continue
        good = recording.messages_good + recording.beside_good
        assert good >= most
        assert recording.damage.endswith(".")
        assert recording.header == {**HEADER, "schema": str(m.SCHEMA_VERSION)}, "half a header is none"
        if good > most:
            assert list(recording.everything()) == small[:good]
            assert str(recording.messages_good) in recording.damage
        most = good
    assert most == len(small)
    assert refused * step < 2000, "only a cut in the header itself leaves nothing"
    assert read(whole).damage == ""


def test_a_flipped_byte_is_found_and_never_changes_a_message(tmp_path: Path, recorded: Path, items: list[m.Message | Derived]) -> None:
    data = bytearray(recorded.read_bytes())
    bad = tmp_path / "bad.mcap"
    found = 0
    places = range(0, len(data), 97)
    for place in places:
        data[place] ^= 0x40
        bad.write_bytes(data)
        data[place] ^= 0x40
        try:
            recording = read(bad)
        except PalettiError:
            continue
        got = list(recording.everything())
        found += bool(recording.damage)
        if not recording.damage:
            assert got == items
        else:
            assert [item for item in items if item in got] == got, "what is left is what was written, in its order"
            lost = [item for item in items if item not in got]
            assert max((item.t_s for item in lost), default=0.0) - min((item.t_s for item in lost), default=0.0) <= 0.5, "one chunk at most"
    assert found > len(places) / 4, "the rest of this small file is schemas and indexes, which replay does not need"


def test_a_kill_loses_at_most_the_last_second(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcap"
    code = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from rig import messages as m
        from rig.recording import Recorder
        recorder = Recorder(Path(sys.argv[1]), {"code": "0"})
        for n in range(75):
            recorder.write(m.Message(n, n / 10, "clock", m.Tick()))
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    recording = read(path)
    last = max(message.t_s for message in recording.messages())
    assert last >= 7.4 - 1.0
    assert recording.messages_good >= 65
    assert recording.seconds == pytest.approx(last, abs=1e-6)
    assert "was not closed" in recording.damage and str(recording.messages_good) in recording.damage


@pytest.fixture
def small_disk() -> Iterator[None]:
    """The kernel refuses to let any file grow beyond 60 kB, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_stops_the_recording_with_a_sentence_and_not_the_game(tmp_path: Path) -> None:
    path = tmp_path / "full.mcap"
    recorder = Recorder(path, HEADER)
    sent = [m.Message(n, n / 10, "camera 1", m.Frame(camera=1, jpeg=os.urandom(1000))) for n in range(200)]
    for message in sent:
        recorder.write(message)
    recorder.write_output(20.0, 200, m.Tilted(t_s=20.0, tilt_x_deg=0, tilt_y_deg=0, shock_mps2=0))
    recorder.close()
    assert "stays readable" in recorder.trouble and path.name in recorder.trouble
    recording = read(path)
    got = list(recording.messages())
    assert got == sent[: len(got)]
    assert len(got) >= 40
    assert len(got) == recording.messages_good
    assert "was not closed" in recording.damage, "no broken chunk is left behind"
    assert recorder.lost > 100


def test_a_recording_is_never_written_over(tmp_path: Path, recorded: Path) -> None:
    before = recorded.read_bytes()
    with pytest.raises(PalettiError, match="already holds something"):
        Recorder(recorded, HEADER)
    assert recorded.read_bytes() == before
    with pytest.raises(PalettiError, match="no folder"):
        Recorder(tmp_path / "nowhere" / "a.mcap", HEADER)
    with pytest.raises(PalettiError, match="Nothing can be recorded"):
        Recorder(tmp_path, HEADER)
    with pytest.raises(PalettiError, match="Nothing can be recorded"):
        Recorder(Path("/dev/full"), HEADER)


def test_one_wrong_time_does_not_make_the_recording_years_long(tmp_path: Path) -> None:
    path = tmp_path / "times.mcap"
    times = [0.1 * step for step in range(50)]
    times[20], times[30] = -1.7e9, 1.7e9
    record(path, [m.Message(n, t_s, "clock", m.Tick()) for n, t_s in enumerate(times)])
    recording = read(path)
    assert recording.seconds == pytest.approx(4.9, abs=0.2)
    assert [message.t_s for message in recording.messages()] == times
    with path.open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None and summary.statistics is not None
    assert summary.statistics.message_end_time - summary.statistics.message_start_time < 6e9


def test_a_number_that_json_cannot_hold_is_refused_when_written(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.mcap", HEADER)
    judged = m.Judged(id=3, opinions=(m.Opinion(-float("inf"), None),), fit=0.9, unexplained_mm2=3.0, plateaus_seen=(), cameras=2)
    with pytest.raises(ValueError, match="not finite"):
        recorder.write(m.Message(1, 0.0, "eyes", judged))
    recorder.close()


def test_files_that_are_no_recordings_get_a_sentence(tmp_path: Path) -> None:
    empty, text, foreign = tmp_path / "empty.mcap", tmp_path / "text.mcap", tmp_path / "foreign.mcap"
    empty.write_bytes(b"")
    text.write_text("red raises hex 1 to green")
    with foreign.open("wb") as file:
        writer = Writer(file)
        writer.start()
        writer.finish()  # type: ignore[no-untyped-call]
    for path, sentence in (
        (empty, "is empty"),
        (text, "not a recording"),
        (foreign, "not a recording of a game"),
        (tmp_path / "missing.mcap", "cannot be read"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(PalettiError, match=sentence):
            read(path)


def test_a_recording_of_another_version_is_not_misread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.mcap"
    with monkeypatch.context() as patched:
        patched.setattr(m, "SCHEMA_VERSION", 999)
        Recorder(path, HEADER).close()
    with pytest.raises(PalettiError, match="version 999"):
        read(path)


def test_recovery_is_counted_before_it_is_believed(tmp_path: Path, recorded: Path, items: list[m.Message | Derived]) -> None:
    cut, whole = tmp_path / "cut.mcap", tmp_path / "whole.mcap"
    data = recorded.read_bytes()
    cut.write_bytes(data[: len(data) * 2 // 3])
    damaged = read(cut)
    saved = recover(cut, whole)
    assert saved.damage == "" and saved.header == damaged.header
    assert list(saved.everything()) == list(damaged.everything()) == items[: damaged.messages_good + damaged.beside_good]
    assert damaged.messages_good > 20
    with whole.open("rb") as file:
        assert make_reader(file).get_summary() is not None
    with pytest.raises(PalettiError, match="exists already"):
        recover(cut, whole)


def test_a_recovery_that_does_not_read_back_is_no_success(tmp_path: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(recording: object, file: object) -> None:
        del recording
        file.write(recorded.read_bytes()[:-200])  # type: ignore[attr-defined]

    monkeypatch.setattr(recovery, "_copy", forgetful)
    with pytest.raises(PalettiError, match="does not read back"):
        recover(recorded, tmp_path / "b.mcap")
