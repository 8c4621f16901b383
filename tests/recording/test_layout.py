"""The file's layout: every record is valid under its own schema, pictures follow Foxglove's, and the older layout is still read."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from jsonschema import Draft202012Validator
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory

from rig import messages as m
from rig.bench.recorded_session import record, session
from rig.errors import PalettiError
from rig.recording import read

SHORT_GAME = Path(__file__).parent.parent / "data" / "short_game.mcap"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("layout") / "game.mcap"
    record(path, list(session(12)))
    return path


def invalid(path: Path) -> tuple[int, list[str]]:
    """How many JSON records a file holds, and what is wrong with those that are not valid under their schema."""
    validators: dict[int, Draft202012Validator] = {}
    count, wrong = 0, []
    with path.open("rb") as file:
        for schema, channel, written in make_reader(file).iter_messages():
            if channel.message_encoding != "json":
                continue
            assert schema is not None
            if schema.id not in validators:
                plain = json.loads(schema.data)
                Draft202012Validator.check_schema(plain)
                validators[schema.id] = Draft202012Validator(plain)
            count += 1
            wrong += [f"{channel.topic}: {error.message}" for error in validators[schema.id].iter_errors(json.loads(written.data))]
    return count, wrong


def test_every_json_record_is_valid_under_its_own_schema(recorded: Path) -> None:
    count, wrong = invalid(recorded)
    assert count > 200
    assert wrong == []


def test_a_whole_refereed_game_written_anew_is_valid_too(tmp_path: Path) -> None:
    """The committed game in today's layout: all its inputs, readings and rulings."""
    again = tmp_path / "again.mcap"
    items = list(read(SHORT_GAME).everything())
    record(again, items)
    count, wrong = invalid(again)
    assert count > 1000 and wrong == []
    assert list(read(again).everything()) == items


def test_a_recording_of_the_older_layout_is_still_read_whole() -> None:
    recording = read(SHORT_GAME)
    assert recording.damage == "" and recording.gaps == ()
    frames = [message.payload for message in recording.messages() if isinstance(message.payload, m.Frame)]
    chunks = [message.payload for message in recording.messages() if isinstance(message.payload, m.BaseBytes)]
    assert len(frames) > 50 and all(frame.jpeg.startswith(b"\xff\xd8") for frame in frames)
    assert len(chunks) > 50 and all(chunk.data for chunk in chunks)


def test_pictures_are_foxgloves_own_without_a_field_of_ours(recorded: Path) -> None:
    with recorded.open("rb") as file:
        pictures = list(make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages(topics=["/camera/1"]))
    assert len(pictures) > 50
    own = {field.name for field in CompressedImage.DESCRIPTOR.fields}
    for schema, _, written, image in pictures:
        assert schema is not None and schema.name == "foxglove.CompressedImage"
        assert {field.name for field in image.DESCRIPTOR.fields} == own
        assert (image.format, image.frame_id) == ("jpeg", "camera 1")
        assert image.timestamp.seconds * 10**9 + image.timestamp.nanos == written.log_time


def test_of_two_hundred_flipped_bytes_none_loses_more_than_its_chunk(tmp_path: Path, recorded: Path) -> None:
    """Wherever the byte is: in the header, in a length, in a chunk or between chunks. All that is read is what was written."""
    whole = list(read(recorded).everything())
    known = {json.dumps(str(item)) for item in whole}
    data = bytearray(recorded.read_bytes())
    chance, bad = random.Random(17), tmp_path / "bad.mcap"
    places = [chance.randrange(len(data)) for _ in range(150)] + list(range(8, 508, 10))
    for place in places:
        bit = 1 << chance.randrange(8)
        data[place] ^= bit
        bad.write_bytes(data)
        data[place] ^= bit
        recording = read(bad)
        got = {json.dumps(str(item)) for item in recording.everything()}
        assert got <= known, place
        lost = [item.t_s for item in whole if json.dumps(str(item)) not in got]
        assert not lost or max(lost) - min(lost) <= 0.5, (place, min(lost), max(lost))
        if any(isinstance(item, m.Message) for item in whole if json.dumps(str(item)) not in got):
            assert "cannot be read" in recording.damage or "in the middle" in recording.damage, place


def test_what_is_missing_is_told_with_its_time(tmp_path: Path, recorded: Path) -> None:
    data = bytearray(recorded.read_bytes())
    place = data.index(b"\x04\x00\x00\x00zstd", len(data) // 3) + 40  # inside a chunk's packed content
    data[place] ^= 1
    bad = tmp_path / "bad.mcap"
    bad.write_bytes(data)
    recording = read(bad)
    (gap,) = recording.gaps
    assert gap.to_s is not None and 0 < gap.to_s - gap.from_s <= 0.6
    assert f"between {gap.from_s:.1f} s and {gap.to_s:.1f} s" in recording.damage
    assert recording.messages_good > 0.9 * read(recorded).messages_good


def test_a_file_that_is_text_with_a_chunk_in_it_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "notes.mcap"
    path.write_bytes(b"some notes\n" + b"\x06" * 400)
    with pytest.raises(PalettiError, match="not a recording"):
        read(path)
