"""What the senses said of single actions of the twin, beside what was so: rows that the exam's modelled senses are fitted on, and held to.

    python -m rig.bench.bench_senses --first 400000 --seeds 100 --out fit.jsonl
    python -m rig.bench.bench_senses --first 410000 --seeds 60 --out held.jsonl

Each seed is a situation as `paletti exam --situations` plays it: drawn pictures, physics, cells, the base's bytes, the real eyes. One line
of JSON a situation holds every judgement of the eyes (with all cameras, and the same pictures with the first camera alone), every search
for a tugged column, what each frame said of hands and motion, the readings of the base, and the truth log. Seeds already in the file are
skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from rig.bench.pair_sight import side_mm2
from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.live.eyes import EyesWorker
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.messages import (
    Call,
    Hypothesis,
    Judge,
    Judged,
    LookAnswer,
    LookRequest,
    Message,
    NoneOfThese,
    Resumed,
    Stepped,
    Tilted,
    Track,
    Tracked,
    Watched,
    Weighed,
)
from rig.profile import Profile
from rig.rules.record import Record, print_record
from rig.twin.pictures.scene import WorldName
from rig.twin.situation_play import NoTowerError
from rig.twin.situations import SituationSession
from rig.twin.truth import Truth
from vision.change.evidence import crop_of
from vision.scene.silhouettes import Scene, Stage, code_of, items_of
from vision.see import Eyes

Row = dict[str, Any]


class TwiceAsked(EyesWorker):
    """The eyes, which note what they answer, and what the first camera alone would have answered."""

    def __init__(self, profile: Profile) -> None:
        super().__init__()
        self._profile = profile
        self.rows: list[Row] = []

    def _look(self, eyes: Eyes, request: LookRequest, jpegs: dict[int, bytes]) -> LookAnswer:
        answer = super()._look(eyes, request, jpegs)
        if isinstance(request, Judge) and isinstance(answer, Judged) and answer.opinions:
            row = _judged(request, answer) | {"seen": self._seen_shares(request)}
            if len(request.poses) > 1:
                alone = msgspec.structs.replace(request, before=request.before[:1], after=request.after[:1], poses=request.poses[:1])
                one = super()._look(eyes, alone, jpegs)
                row["one"] = _judged(alone, one) if isinstance(one, Judged) and one.opinions else None
            self.rows.append(row)
        elif isinstance(request, Track) and isinstance(answer, Tracked):
            traces = [[str(trace.column), round(trace.log_odds, 2)] for trace in answer.traces]
            self.rows.append({"id": request.id, "track": traces, "frames": len(request.frames), "cameras": len(request.poses)})
        return answer

    def _seen_shares(self, request: Judge) -> dict[str, list[float]]:
        """For each column believed to stand, the share of its side that each camera saw of it."""
        shares: dict[str, list[float]] = {str(s.column): [] for s in request.tower.columns}
        for pose in request.poses:
            view, _ = crop_of(self._profile, pose.camera, pose, request.tower)
            scene = Scene(Stage(view), items_of(self._profile, request.tower))
            for standing in request.tower.columns:
                pixels = int(scene.visible(code_of(self._profile, standing.column)).sum())
                share = pixels / view.px_per_mm() ** 2 / side_mm2(self._profile, standing.column)
                shares[str(standing.column)].append(round(share, 3))
        return shares


def _judged(request: Judge, judged: Judged) -> Row:
    """A judgement as plain values."""
    said = [
        [words_of(hypothesis), round(opinion.log_likelihood, 2)]
        for hypothesis, opinion in zip(request.hypotheses, judged.opinions, strict=True)
    ]
    floors = {str(s.column): int(s.floor) for s in request.tower.columns}
    return {
        "id": request.id, "said": said, "fit": round(judged.fit, 3), "unexplained_mm2": round(judged.unexplained_mm2),
        "cameras": len(request.poses), "floors": floors,
    }  # fmt: skip


def words_of(hypothesis: Hypothesis) -> str:
    """A hypothesis as its kind and what it is about."""
    fields = [getattr(hypothesis, name) for name in hypothesis.__struct_fields__ if not name.startswith("near_")]
    words = [str(one) for value in fields for one in (value if isinstance(value, tuple) else (value,))]
    return " ".join((type(hypothesis).__name__, *words)) if not isinstance(hypothesis, NoneOfThese) else "NoneOfThese"


class Scribe:
    """Hears what comes in, and notes what the senses said and when each look was asked and answered."""

    def __init__(self) -> None:
        self.answered_t_s: dict[int, float] = {}
        self.watched: list[list[Any]] = []
        self.weighed: list[list[Any]] = []
        self.steps: list[Row] = []
        self.shocks: list[list[float]] = []
        self.calls: list[list[Any]] = []
        self.facts: list[Row] = []
        self.asks: list[Row] = []
        self._exposed: dict[int, float] = {}

    def heard(self, message: Message, said: Said) -> None:
        payload, t_s = message.payload, round(message.t_s, 2)
        if isinstance(payload, (Judged, Tracked)):
            self.answered_t_s[payload.id] = t_s
        elif isinstance(payload, Watched):
            self.watched.append(
                [
                    t_s, payload.camera, round(payload.hand, 2), str(payload.sleeve) if payload.sleeve else None,
                    round(payload.moving, 4), round(payload.changed, 4), round(payload.tilt_deg, 2), round(payload.tilt_sigma_deg, 2),
                ]
            )  # fmt: skip
        elif isinstance(payload, Call):
            self.calls.append([t_s, payload.word.value, payload.seat])
        for reading in said.readings:
            self._note(reading)
        self.facts += [json.loads(msgspec.json.encode(fact)) for fact in said.facts]
        self.asks += [json.loads(msgspec.json.encode(ask)) for ask in said.requests if type(ask).__name__ == "Ask"]

    def _note(self, reading: Any) -> None:
        match reading:
            case Weighed():
                grams = None if reading.weight_g is None else round(reading.weight_g, 2)
                self.weighed.append([round(reading.t_s, 2), grams, reading.quiet])
            case Stepped():
                self.steps.append(json.loads(msgspec.json.encode(reading)))
            case Tilted() if reading.shock_mps2 > 0.3:
                self.shocks.append([round(reading.t_s, 2), round(reading.shock_mps2, 2)])


def _truth(truth: Truth) -> Row:
    return {
        "t_s": round(truth.t_s, 2), "kind": truth.kind.value, "seat": truth.seat, "column": str(truth.column) if truth.column else None,
        "floor": None if truth.floor is None else int(truth.floor), "details": truth.details, "nudged": [str(c) for c in truth.nudged],
        "shifted": [int(f) for f in truth.shifted], "columns": [str(c) for c in truth.columns],
        "on": str(truth.on_column) if truth.on_column else None, "cause": truth.cause.value if truth.cause else None,
    }  # fmt: skip


def examine(seed: int, level: str, world: WorldName, cameras: int) -> Row:
    """One situation and all that was said of it."""
    try:
        twin = SituationSession(seed, None, level, 4, cameras, base="standin", world=world)
    except NoTowerError as error:
        return {"seed": seed, "skipped": str(error)}
    scribe = Scribe()
    eyes = TwiceAsked(twin.profile)
    session = Session(twin.profile, [scribe], on_ask=twin.ask, eyes=eyes)
    try:
        session.pour(0.0, "desk", Resumed(record=print_record(Record.of(twin.start_game)), tower=twin.start_tower))
        pour(twin, session, Pace(None, lambda: 0.0, lambda _: None))
        masses = {str(shape): round(size.mass_g, 2) for shape, size in twin.true_profile.columns.items()}
        return {
            "seed": seed, "kind": str(twin.kind), "level": level, "world": world, "cameras": cameras, "actor": twin.start_game.actor,
            "eligible": [str(c) for c in twin.start_game.position.eligible(twin.start_game.actor or 0)],
            "truth": [_truth(one) for one in twin.truth.log], "looks": eyes.rows, "answered_t_s": scribe.answered_t_s,
            "watched": scribe.watched, "weighed": scribe.weighed, "steps": scribe.steps, "shocks": scribe.shocks, "calls": scribe.calls,
            "facts": scribe.facts, "asks": scribe.asks, "masses_g": masses,
        }  # fmt: skip
    finally:
        session.close()
        twin.close()


def _done(out: Path) -> set[int]:
    return {json.loads(line)["seed"] for line in out.read_text().splitlines() if line} if out.exists() else set()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=400_000, help="first seed")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", default="A", choices=("A", "B"))
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--out", type=Path, required=True, help="where lines are appended")
    given = parser.parse_args()
    done = _done(given.out)
    try:
        for seed in (seed for seed in range(given.first, given.first + given.seeds) if seed not in done):
            row = examine(seed, given.level, given.world, given.cameras)
            with given.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{seed}: {row.get('skipped') or row['kind']}", file=sys.stderr, flush=True)
    except PalettiError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
