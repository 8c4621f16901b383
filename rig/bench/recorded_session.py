"""A made-up session with a message of every kind, and its recording: what the format's tests and the bench write and read back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig import messages as m
from rig.pieces import Colour, Column, Floor, Shape
from rig.recording import Recorder
from rig.recording.topics import Derived

HEADER = {"code": "0.1.0", "lock": "none", "firmware": "test", "profile": "nominal"}
COLUMN = Column(Colour.RED, Shape.HEX, 1)
POSE = m.CameraPose(1, (0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
TOWER = m.Tower((m.Standing(COLUMN, Floor.GREEN, 1.5, -2.5, 105.0, 30.0),), (m.Laid(Floor.BLUE, 0.1, 0.2, 100.0, 3.0),))


def every_input() -> list[m.Input]:
    return [
        m.ProfileSet(profile_json='{"version": 1, "name": "Häkchen"}'),
        m.Tick(),
        m.BaseBytes(data=bytes(range(256))),
        m.Felt(readings=(m.Pressed(t_s=0.2, button=1, pressed=True),)),
        m.Frame(camera=1, jpeg=b"\xff\xd8" + os.urandom(500) + b"\xff\xd9", lag_s=0.0813, dropped=3),
        m.Frame(camera=2, jpeg=b"", lag_s=0.0),
        m.Call(word=m.CallWord.CHALLENGE, seat=2, column=COLUMN),
        m.Call(word=m.CallWord.ABORT, seat=0),
        m.Drew(seats=(m.SeatColours("Ada", (Colour.RED,)), m.SeatColours("Bo", (Colour.BLUE,))), first=1),
        m.Told(line="raise red-thin-1 onto green"),
        m.Resumed(record="villa-paletti 1", tower=TOWER),
        m.PutRight(column=COLUMN, floor=Floor.GREEN),
        m.Answered(ask=7, choice="red-hex-1"),
        m.Tare(back=True),
        m.SourceNews(source="camera 1", health=m.Health.STALE, sentence="No picture for 2 s."),
        m.Watched(id=1, camera=1, frame=3, hand=0.25, sleeve=Colour.BLUE, moving=0.1, changed=0.2, shift_px=0.3),
        m.Posed(id=2, camera=1, pose=POSE, markers=12, error_px=0.4, top_error_mm=1.1),
        m.Judged(
            id=3, opinions=(m.Opinion(0.0, TOWER), m.Opinion(-12.5, None)), fit=0.9, unexplained_mm2=3.0, plateaus_seen=(0.9,), cameras=2
        ),
        m.Tracked(id=4, traces=(m.Trace(COLUMN, 5.5, None),)),
        m.TowerRead(id=5, columns=(m.ColumnSeen(TOWER.columns[0], 0.97, 0.6),), plateaus=TOWER.plateaus, fit=0.9, usable=True, cameras=2),
    ]


def every_beside() -> list[m.Reading | m.Output]:
    ask = m.Ask(id=9, t_s=1.0, question_english="Which?", question_german="Welche?", choices=("a", "b"))
    return [
        m.Weighed(t_s=0.1, weight_g=None, cop_x_mm=None, cop_y_mm=None, noise_g=0.2, quiet=True, fault="cell 3 is missing"),
        m.Stepped(kind=m.StepKind.LIFTED, start_t_s=1.0, end_t_s=1.5, before_g=700.0, after_g=689.0, delta_g=-11.0, sigma_g=0.3, x_mm=10.0),
        m.Tilted(t_s=0.2, tilt_x_deg=0.01, tilt_y_deg=-0.02, shock_mps2=0.0),
        m.Pressed(t_s=0.3, button=2, pressed=True),
        m.LinkNews(
            health=m.Health.GOOD, sentence="", frames=1, samples=2, lost_frames=3, bad_frames=4, rejected_samples=5, resets=6
        ),
        m.Fact(
            id=1, t_s=2.0, kind=m.FactKind.RAISED, seat=0, column=COLUMN, floor=Floor.GREEN, confidence=0.99,
            evidence=(m.Evidence("camera", "seen", 8.0, (12, 14)),), details={"overhang_mm": 0.5},
        ),
        m.Ruling(id=1, t_s=2.0, kind="raised", rule_ids=("B1", "S3"), facts=(1,), english="e", german="d", data={"seat": 1}),
        ask,
        m.Watch(id=5, camera=1, frame=4, previous=None, reference=2, pose=POSE, tower=TOWER),
        m.FindPose(id=6, camera=1, frame=4),
        m.Judge(
            id=7, before=(1, 2), after=(3, 4), poses=(POSE,), tower=TOWER,
            hypotheses=(m.Nothing(), m.Moved(column=COLUMN, floor=Floor.GREEN)),
        ),
        m.Track(id=8, before=(1,), frames=((1, 4),), poses=(POSE,), tower=TOWER, columns=(COLUMN,)),
        m.ReadTower(id=9, frames=(1, 2), poses=(POSE, POSE), expected=TOWER),
        m.View(
            t_s=2.0, state=m.RefereeState.SETTLED, phase="play", turn=0, seats=(m.SeatView("Ada", (Colour.RED,), 3),), holder=0, face=None,
            tower=TOWER, locked=(COLUMN,), removed=(), next_plateau=Floor.GREEN, doing="Ada builds", ask=ask, outcome=None, health={},
        ),
    ]  # fmt: skip


def session(seconds: int = 3) -> Iterator[m.Message | Derived]:
    """Ticks, serial bytes, pictures and readings as they come, with every other kind strewn in; times that no short decimal can hold."""
    n = 0
    strewn = iter(every_input())
    aside = iter(every_beside())
    for step in range(seconds * 10):
        t_s = step / 10 + 0.1 / 3
        payloads: list[tuple[str, m.Input]] = [("clock", m.Tick()), ("base", m.BaseBytes(data=os.urandom(20)))]
        if step % 2:
            payloads.append(("camera 1", m.Frame(camera=1, jpeg=b"\xff\xd8" + os.urandom(300), lag_s=0.08 + step / 1e6, dropped=step)))
        if (extra := next(strewn, None)) is not None:
            payloads.append(("desk", extra))
        for source, payload in payloads:
            n += 1
            yield m.Message(n, t_s, source, payload)
        if (beside := next(aside, None)) is not None:
            yield Derived(n, t_s, beside)


def record(path: Path, items: Sequence[m.Message | Derived]) -> None:
    """Writes them as a recording. RuntimeError if the recorder was in trouble."""
    with Recorder(path, HEADER) as recorder:
        for item in items:
            recorder.write(item) if isinstance(item, m.Message) else recorder.write_output(item.t_s, item.n, item.payload)
    if recorder.trouble:
        raise RuntimeError(recorder.trouble)
