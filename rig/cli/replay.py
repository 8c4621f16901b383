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

MODELLED = "modelled"
"""What the header's entry `senses` says of an exam's recording without pictures."""


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
    modelled = recording.header.get("senses") == MODELLED
    if modelled and not options.recorded_eyes:
        print("The senses of this recording are modelled: there are no pictures to look at again.", file=sys.stderr)
    recorded_eyes = options.recorded_eyes or modelled
    replayed = Replay(recording, listeners, recorded_eyes)
    try:
        replayed.run(pace.wait)
    finally:
        if out is not None:
            out.close()
    eyes = "recorded eyes" if recorded_eyes else "re-seen"
    print(f"{len(heard.rulings)} rulings over {pace.t_s:.0f} s, {eyes}, {pace.factor:.1f} times real time.", file=sys.stderr)
    if replayed.unanswered:
        print(f"{replayed.unanswered} looks had no recorded answer: replay without --recorded-eyes.", file=sys.stderr)
    _show_truth(options.file, heard.rulings)
    if recording.gaps:
        from_s = recording.gaps[0].from_s
        print(f"From {from_s:.1f} s on the rulings can no longer be compared: what is missing may have changed the game.", file=sys.stderr)
        return _compare_until(heard.rulings, golden, from_s) if golden is not None else 0
    return 0 if golden is None else _compare(heard.rulings, golden)


def _compare_until(rulings: list[Ruling], golden: list[Ruling], end_s: float) -> int:
    """Compares what was ruled before `end_s`; the whole is never called equal."""
    code = _compare([one for one in rulings if one.t_s < end_s], [one for one in golden if one.t_s < end_s])
    if code == 0:
        print(f"That holds up to {end_s:.1f} s; the rest cannot be checked.", file=sys.stderr)
    return 1


def _show_truth(file: Path, rulings: list[Ruling]) -> None:
    """What was so beside what is told now, if the recording is of a game that the exam kept."""
    log = file.with_name(file.name.removesuffix(".mcap") + ".truth.jsonl")
    if log.exists():
        from rig.exam import saving

        print(saving.beside(saving.read_truth(log), rulings))


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
