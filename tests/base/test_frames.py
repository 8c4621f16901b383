"""Frames out of a byte stream that is cut, torn, flipped, mixed with noise: what is damaged is refused and counted, the rest is whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.base.frames import FrameDecoder, Load, Status, encode
from rig.base.protocol import BY_KIND, FRAMES, FrameKind

LOADS = [encode(FrameKind.LOAD, n, 1000 + 50 * n, n % 4, 0, 123_456 - n * 7_001) for n in range(40)]


def samples_of_every_frame() -> list[bytes]:
    rng = np.random.default_rng(5)
    out = []
    for frame in FRAMES:
        if frame.kind >= 0x80:
            continue
        for n in range(4):
            high = {"u8": 256, "u16": 1 << 16, "u32": 1 << 32, "i16": 1 << 15, "i32": 1 << 23}
            values = [int(rng.integers(high[field.type])) if n else 0 for field in frame.fields for _ in range(field.count)]
            out.append(encode(frame.kind, n * 257, *values))
    return out


def test_frame_in_three_pieces_is_one_frame() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(LOADS[1][:3]) == []
    assert decoder.feed(LOADS[1][3:9]) == []
    assert decoder.feed(LOADS[1][9:]) == [Load(1, 1050, 1, 0, 123_456 - 7_001)]


def test_stream_cut_anywhere_gives_the_same_frames() -> None:
    stream = b"".join(LOADS)
    whole = FrameDecoder().feed(stream)
    for cut in range(len(stream)):
        decoder = FrameDecoder()
        assert decoder.feed(stream[:cut]) + decoder.feed(stream[cut:]) == whole


def test_every_single_bit_flip_in_every_frame_is_rejected() -> None:
    for wire in samples_of_every_frame():
        for bit in range(8 * len(wire)):
            flipped = bytearray(wire)
            flipped[bit // 8] ^= 1 << bit % 8
            decoder = FrameDecoder()
            assert decoder.feed(bytes(flipped)) + decoder.feed(b"\0") == []
            assert decoder.counts.refused >= 1


def test_flip_in_the_middle_of_a_stream_costs_two_frames_at_the_most() -> None:
    stream = b"".join(LOADS)
    good = FrameDecoder().feed(stream)
    for bit in range(8 * len(stream)):
        flipped = bytearray(stream)
        flipped[bit // 8] ^= 1 << bit % 8
        found = FrameDecoder().feed(bytes(flipped))
        assert set(found) <= set(good)
        assert len(found) >= len(good) - 2  # a flipped zero glues two frames together


@pytest.mark.parametrize("prefix", [bytes([0x99]), b"\x01", bytes(range(0x80, 0x100)) * 2 + b"\0", b"45.6\r\n", b"\xff" * 5000])
def test_whatever_comes_first_the_decoder_is_in_step_after_one_frame(prefix: bytes) -> None:
    found = FrameDecoder().feed(prefix + b"".join(LOADS))
    assert found[-39:] == FrameDecoder().feed(b"".join(LOADS))[1:]


def test_one_inserted_byte_costs_one_frame() -> None:
    stream = b"".join(LOADS)
    good = FrameDecoder().feed(stream)
    for place in range(0, len(stream), 3):
        found = FrameDecoder().feed(stream[:place] + b"\x42" + stream[place:])
        assert len(found) >= len(good) - 1
        assert set(found) <= set(good)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, len(b"".join(LOADS)) - 1), max_size=12))
def test_deleted_bytes_cost_only_the_frames_they_were_in(places: list[int]) -> None:
    stream = b"".join(LOADS)
    good = FrameDecoder().feed(stream)
    holed = bytes(byte for place, byte in enumerate(stream) if place not in set(places))
    found = FrameDecoder().feed(holed)
    assert set(found) <= set(good)
    assert len(found) >= len(good) - 2 * len(set(places))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=90), max_size=20))
def test_no_bytes_whatever_raise(pieces: list[bytes]) -> None:
    decoder = FrameDecoder()
    for piece in pieces:
        decoder.feed(piece)
    assert decoder.counts.bytes == sum(len(piece) for piece in pieces)


def test_million_bytes_of_noise_hold_no_frame() -> None:
    decoder = FrameDecoder()
    noise = np.random.default_rng(2).integers(0, 256, 1_000_000, dtype=np.uint8).tobytes()
    assert decoder.feed(noise) == []
    assert decoder.counts.refused > 3000


def test_empty_frames_are_no_frames() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(bytes(500)) == []
    assert decoder.counts.frames == decoder.counts.refused == 0


def test_right_checksum_on_an_unknown_shape_is_refused() -> None:
    from binascii import crc_hqx

    from cobs import cobs

    for raw in (b"\x63\x00\x00abc", bytes([FrameKind.LOAD]) + b"\x00\x00" + b"x" * (BY_KIND[FrameKind.LOAD].size - 1)):
        wire = cobs.encode(raw + crc_hqx(raw, 0xFFFF).to_bytes(2, "big")) + b"\0"
        decoder = FrameDecoder()
        assert decoder.feed(wire) == []
        assert decoder.counts.bad_shape == 1


def test_commands_coming_back_are_no_frames() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(encode(FrameKind.PING, 0, 77)) == []
    assert decoder.counts.bad_shape == 1


def test_endless_noise_without_a_zero_is_not_kept() -> None:
    decoder = FrameDecoder()
    for _ in range(1000):
        decoder.feed(b"\x55" * 100)
    assert len(decoder._rest) <= 64
    assert decoder.feed(b"\0" + LOADS[0]) == FrameDecoder().feed(LOADS[0])


def test_status_arrays_come_back_as_they_went() -> None:
    wire = encode(FrameKind.STATUS, 9, 15625, 520, 80, 81, 79, 80, 200, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -3920, 14)
    (status,) = FrameDecoder().feed(wire)
    assert status == Status(9, 15625, 520, (80, 81, 79, 80), 200, (1, 2, 3, 4), (5, 6, 7, 8), 9, 10, 11, 12, 13, -3920, 14)
