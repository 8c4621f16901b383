"""Where each kind of message lies in a recording, and how it is written there.

Inputs are what a replay pours in again, so they are kept whole: number, exact time, source, payload. Readings and what the referee said
lie beside them for viewers such as Foxglove and PlotJuggler, which want one shape of data per topic; hence one topic per class, and one
per camera. Files and damage are the business of `recorder` and `reader`.
"""

from __future__ import annotations

from typing import TypeAlias, cast

import msgspec

from rig import messages as m
from rig.recording.absent import with_nulls, without_nulls

Beside: TypeAlias = m.Reading | m.Output

_INPUTS: dict[type, str] = {
    m.Tick: "/clock",
    m.BaseBytes: "/base/bytes",
    m.Felt: "/base/felt",
    m.Frame: "/camera",
    m.Call: "/calls",
    m.Drew: "/desk/drew",
    m.Told: "/desk/told",
    m.Resumed: "/desk/resumed",
    m.PutRight: "/desk/put_right",
    m.Answered: "/desk/answered",
    m.SourceNews: "/sources",
    m.Tare: "/desk/tare",
    m.ProfileSet: "/profile",
    m.Watched: "/eyes/watched",
    m.Posed: "/eyes/posed",
    m.Judged: "/eyes/judged",
    m.Tracked: "/eyes/tracked",
    m.TowerRead: "/eyes/tower",
}

_BESIDE: dict[type, str] = {
    m.Weighed: "/weight",
    m.Stepped: "/steps",
    m.Tilted: "/tilt",
    m.Pressed: "/buttons",
    m.LinkNews: "/link",
    m.Fact: "/facts",
    m.Ruling: "/rulings",
    m.Ask: "/asks",
    m.View: "/view",
    m.Watch: "/looks/watch",
    m.FindPose: "/looks/pose",
    m.Judge: "/looks/judge",
    m.Track: "/looks/track",
    m.ReadTower: "/looks/tower",
}


class Derived(msgspec.Struct, frozen=True):
    """A reading or an output under the number and time of the input that caused it."""

    n: int
    t_s: float
    payload: Beside


def input_topic(payload: m.Input) -> str:
    """The topic of an input; a frame's ends in its camera's number and `/arrival` (its picture lies above that)."""
    topic = _INPUTS[type(payload)]
    return f"{topic}/{payload.camera}/arrival" if isinstance(payload, m.Frame) else topic


def picture_topic(camera: int) -> str:
    """The topic of a camera's pictures."""
    return f"{_INPUTS[m.Frame]}/{camera}"


def beside_topic(kind: type) -> str:
    """The topic of a class of readings or outputs; KeyError if it is neither."""
    return _BESIDE[kind]


_encode = msgspec.json.Encoder().encode
_decode_message = msgspec.json.Decoder(m.Message).decode
_decode_derived = msgspec.json.Decoder(Derived).decode


def message_json(message: m.Message) -> bytes:
    """`message` as JSON that reads back equal, without its null fields; ValueError if it holds a number that JSON cannot (infinite, or
    none)."""
    return _checked(_encode(message), message, m.Message)


def derived_json(derived: Derived) -> bytes:
    """As `message_json`, for what lies beside."""
    return _checked(_encode(derived), derived, Derived)


def _checked(data: bytes, value: m.Message | Derived, kind: type) -> bytes:
    """`data` without its null fields. JSON has no infinity: msgspec writes null for it, which would be found out only at the replay."""
    if b"null" not in data:
        return data
    data = without_nulls(data, kind)
    try:
        same = with_nulls(data, kind) == value
    except msgspec.ValidationError:
        same = False
    if not same:
        raise ValueError(f"message {value.n} ({type(value.payload).__name__}) holds a number that is not finite; it cannot be recorded")
    return data


def message_from_json(data: bytes) -> m.Message:
    """The message in `data`, with or without its null fields; msgspec.DecodeError if it holds none."""
    try:
        return _decode_message(data)
    except msgspec.ValidationError:
        return cast(m.Message, with_nulls(data, m.Message))


def derived_from_json(data: bytes) -> Derived:
    """As `message_from_json`, for what lies beside."""
    try:
        return _decode_derived(data)
    except msgspec.ValidationError:
        return cast(Derived, with_nulls(data, Derived))
