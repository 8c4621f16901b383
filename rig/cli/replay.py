"""`paletti replay`: a recording through the same fold."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import msgspec

from rig.cli import options as kinds
from rig.engine.pump import Listener
from rig.errors import PalettiError
from rig.live.listeners import RulingFile, Rulings
from rig.live.pouring import Pace
from rig.live.replay import Replay
from rig.messages import Ruling
from rig.recording import read


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("replay", help="a recording through the same fold", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="a recording that --record wrote")
    parser.add_argument("--speed", type=kinds.speed, default=None, help="1 is real time; max (the default) as fast as it goes")
    parser.add_argument("--rulings", type=Path, metavar="OUT.jsonl", help="write one JSON line a ruling")
    parser.add_argument("--check", type=Path, metavar="GOLDEN.jsonl", help="compare the rulings with these; exit code 1 if they differ")
    parser.add_argument("--recorded-eyes", action="store_true", help="take the recorded answers of the eyes instead of looking again")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    golden = _golden(options.check) if options.check is not None else None
    recording = read(options.file)
    if recording.damage:
        print(recording.damage, file=sys.stderr)
    heard = Rulings()
    listeners: list[Listener] = [heard]
    out = RulingFile(options.rulings) if options.rulings is not None else None
    if out is not None:
        listeners.append(out)
    pace = Pace(options.speed, time.monotonic, time.sleep)
    replayed = Replay(recording, listeners, options.recorded_eyes)
    try:
        replayed.run(pace.wait)
    finally:
        if out is not None:
            out.close()
    eyes = "recorded eyes" if options.recorded_eyes else "re-seen"
    print(f"{len(heard.rulings)} rulings over {pace.t_s:.0f} s, {eyes}, {pace.factor:.1f} times real time.", file=sys.stderr)
    if replayed.unanswered:
        print(f"{replayed.unanswered} looks had no recorded answer: replay without --recorded-eyes.", file=sys.stderr)
    return 0 if golden is None else _compare(heard.rulings, golden)


def _golden(path: Path) -> list[Ruling]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise PalettiError(f"The golden file {path} cannot be read: {error.strerror}.", "Name a file that --rulings wrote.") from error
    rulings = []
    for number, line in enumerate(lines, 1):
        try:
            rulings.append(msgspec.json.decode(line, type=Ruling))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise PalettiError(f"Line {number} of {path} is no ruling: {error}.", "Name a file that --rulings wrote.") from error
    return rulings


def _compare(rulings: list[Ruling], golden: list[Ruling]) -> int:
    """Compares what was ruled, not confidences or millimetres."""
    ours = [(ruling.kind, ruling.rule_ids, ruling.english) for ruling in rulings]
    theirs = [(ruling.kind, ruling.rule_ids, ruling.english) for ruling in golden]
    if ours == theirs:
        print("The rulings are those of the golden file.", file=sys.stderr)
        return 0
    at = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    print(f"The rulings differ from ruling {at + 1} on:", file=sys.stderr)
    print(f"  golden:   {golden[at].english if at < len(golden) else '(no more)'}", file=sys.stderr)
    print(f"  replayed: {rulings[at].english if at < len(rulings) else '(no more)'}", file=sys.stderr)
    return 1
