"""Every message that flows, one frozen typed class each, with units.

A live rig, a recording and the twin differ only in who pours these in; the referee is a fold over them. Three kinds meet here:

* **inputs** enter through the one sequencer, which numbers and dates them: ticks, raw serial bytes, frames, calls, answers, looked answers;
* **readings** are derived from inputs inside the fold by `rig.base` and handed on to the referee under the same number;
* **outputs** are what the referee says: facts, rulings, requests to look and to ask, and the view for the screen.

Lengths are millimetres, masses grams, angles degrees, times seconds of the session's one time axis (0 is its start). The frame of
reference is the base's centre: x right and y away as camera 1 sees it, z up, z = 0 on the base's upper face. `encode` and `decode` turn
any of them to JSON and back without loss.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from rig.messages.hypotheses import Added, Fallen, Hypothesis, Moved, MovedTwo, NoneOfThese, Nothing, PlateauLaid, Removed, Stacked, Toppled
from rig.messages.inputs import (
    Answered,
    BaseBytes,
    Call,
    CallWord,
    Drew,
    Frame,
    Health,
    ProfileSet,
    PutRight,
    Resumed,
    SeatColours,
    SourceNews,
    Tare,
    Tick,
    Told,
)
from rig.messages.looks import (
    ColumnSeen,
    EmptyView,
    FindPose,
    Judge,
    Judged,
    LookAnswer,
    LookRequest,
    Opinion,
    Posed,
    ReadTower,
    TowerRead,
    Trace,
    Track,
    Tracked,
    Watch,
    Watched,
)
from rig.messages.readings import Felt, LinkNews, Pressed, StepKind, Stepped, Tilted, Weighed
from rig.messages.tower import CameraPose, Laid, Standing, Tower
from rig.messages.verdicts import Ask, Evidence, Fact, FactKind, OutcomeView, RefereeState, Ruling, SeatView, View

__all__ = [
    "SCHEMA_VERSION",
    "Added",
    "Answered",
    "Ask",
    "BaseBytes",
    "Call",
    "CallWord",
    "CameraPose",
    "ColumnSeen",
    "Drew",
    "EmptyView",
    "Evidence",
    "Fact",
    "FactKind",
    "Fallen",
    "Felt",
    "FindPose",
    "Frame",
    "Health",
    "Hypothesis",
    "Input",
    "Judge",
    "Judged",
    "Laid",
    "LinkNews",
    "LookAnswer",
    "LookRequest",
    "Message",
    "Moved",
    "MovedTwo",
    "NoneOfThese",
    "Nothing",
    "Opinion",
    "OutcomeView",
    "Output",
    "Payload",
    "PlateauLaid",
    "Posed",
    "Pressed",
    "ProfileSet",
    "PutRight",
    "ReadTower",
    "Reading",
    "RefereeState",
    "Removed",
    "Request",
    "Resumed",
    "Ruling",
    "SeatColours",
    "SeatView",
    "SourceNews",
    "Stacked",
    "Standing",
    "StepKind",
    "Stepped",
    "Tare",
    "Tick",
    "Tilted",
    "Told",
    "Toppled",
    "Tower",
    "TowerRead",
    "Trace",
    "Track",
    "Tracked",
    "View",
    "Watch",
    "Watched",
    "Weighed",
    "decode",
    "encode",
]

SCHEMA_VERSION = 1
"""Raised when a recorded message of an older version would be misread."""

Input: TypeAlias = (
    Tick | BaseBytes | Felt | Frame | Call | Drew | Told | Resumed | PutRight | Answered | SourceNews | Tare | ProfileSet | LookAnswer
)
Reading: TypeAlias = Weighed | Stepped | Tilted | Pressed | LinkNews
Request: TypeAlias = LookRequest | Ask
Output: TypeAlias = Fact | Ruling | Request | View
Payload: TypeAlias = Input | Reading | Output


class Message(msgspec.Struct, frozen=True):
    """A payload in its place in the session: number, arrival time, source (`base`, `camera 1`, `desk`, `seat 2`, `eyes`, `clock`)."""

    n: int
    t_s: float
    source: str
    payload: Input


_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Payload] = msgspec.json.Decoder(Payload)


def encode(payload: Payload) -> bytes:
    """`payload` as one line of JSON, tagged by class name under `type`; the same payload gives the same bytes."""
    return _encoder.encode(payload)


def decode(line: bytes) -> Payload:
    """The payload that `encode` wrote; msgspec.DecodeError if the bytes are not one."""
    return _decoder.decode(line)
