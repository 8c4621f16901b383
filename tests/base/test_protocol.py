"""One table for both sides: what is committed for the sketch is what the table says now."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.base import protocol
from rig.base.frames import Frame, FrameDecoder, encode
from rig.base.protocol import BY_KIND, FRAMES, MAX_PAYLOAD, FrameKind

FIRMWARE = Path(__file__).parents[2] / "firmware"


def test_committed_header_is_what_the_table_generates() -> None:
    assert (FIRMWARE / "base" / "protocol.h").read_text() == protocol.c_header(), "run: python -m rig.base.protocol header"


def test_readme_shows_the_table_as_it_is() -> None:
    assert protocol.markdown_table() in (FIRMWARE / "README.md").read_text(), "run: python -m rig.base.protocol table"


def test_every_frame_fits_the_payload_limit_and_has_a_shape_of_its_own() -> None:
    assert all(frame.size <= MAX_PAYLOAD for frame in FRAMES)
    assert len(BY_KIND) == len(FRAMES) == len(FrameKind)


@pytest.mark.parametrize("frame", [frame for frame in FRAMES if frame.kind < 0x80], ids=lambda frame: frame.kind.name)
def test_frame_fields_are_named_as_in_the_table(frame: protocol.FrameType) -> None:
    values = list(range(1, 1 + sum(field.count for field in frame.fields)))
    (decoded,) = FrameDecoder().feed(encode(frame.kind, 7, *values))
    flat = _flat(decoded)
    assert flat == [7, *values]
    names = [name for name in decoded._fields if name != "sequence"]
    if frame.kind is FrameKind.IMU:  # its two arrays are written out, for speed
        assert names == ["t", "ax", "ay", "az", "gx", "gy", "gz"]
    else:
        assert names == [field.name for field in frame.fields]


def test_any_change_of_a_field_changes_the_layout_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = protocol.layout_text()
    first, *rest = FRAMES
    changed = protocol.FrameType(first.kind, first.note, (*first.fields[:-1], protocol.Field("imu_id", "u16", "")))
    monkeypatch.setattr(protocol, "FRAMES", (changed, *rest))
    assert protocol.layout_text() != before


def _flat(frame: Frame) -> list[int]:
    out: list[int] = []
    for value in frame:
        out += value if isinstance(value, tuple) else [value]
    return out
