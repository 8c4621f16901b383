"""What a recording survives: seconds lost over 200 kills of the process that writes, and over 200 flipped bits of a file.

    python -m rig.bench.bench_recording [--kills 200] [--flips 200]

The killed process writes a two-camera session in real time (synthetic pictures of 60 kB); it is killed at a moment drawn by chance.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from rig.bench.recorded_session import record, session
from rig.bench.results import add_json, measured
from rig.recording import read

SEED = 1
_WRITER = textwrap.dedent(
    """
    import os, sys, time
    from pathlib import Path
    from rig import messages as m
    from rig.recording import Recorder
    recorder = Recorder(Path(sys.argv[1]), {"code": "bench"})
    jpeg = os.urandom(60_000)
    start, n = time.monotonic(), 0
    print("begun", flush=True)
    while True:
        t_s = time.monotonic() - start
        n += 1
        payload = (m.Tick(), m.Frame(camera=1, jpeg=jpeg), m.Frame(camera=2, jpeg=jpeg), m.BaseBytes(data=jpeg[:200]))[n % 4]
        recorder.write(m.Message(n, t_s, "bench", payload))
        print(t_s, flush=True)
        time.sleep(0.02)
    """
)


def killed(folder: Path, number: int, chance: random.Random) -> float:
    """Seconds between the last message handed to a recorder and the last one that its file holds, after SIGKILL."""
    path = folder / f"{number}.mcap"
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    writer.stdout.readline()
    time.sleep(chance.uniform(1.0, 2.2))
    os.kill(writer.pid, signal.SIGKILL)
    written_s = float(writer.stdout.read().split()[-1])
    writer.wait()
    kept_s = max(message.t_s for message in read(path).messages())
    path.unlink()
    return written_s - kept_s


def flipped(folder: Path, flips: int, chance: random.Random) -> list[float]:
    """For each flipped byte the span in seconds of what is lost (0: nothing)."""
    path, bad = folder / "whole.mcap", folder / "bad.mcap"
    record(path, list(session(20)))
    whole = {str(item): item.t_s for item in read(path).everything()}
    data = bytearray(path.read_bytes())
    spans = []
    for _ in range(flips):
        place, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        data[place] ^= bit
        bad.write_bytes(data)
        data[place] ^= bit
        got = {str(item) for item in read(bad).everything()}
        assert got <= set(whole), place
        lost = [t_s for item, t_s in whole.items() if item not in got]
        spans.append(max(lost) - min(lost) if lost else 0.0)
    return spans


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--flips", type=int, default=200)
    add_json(parser, "recording")
    options = parser.parse_args()
    chance = random.Random(SEED)
    with measured(options.json, str(SEED), __doc__) as results, tempfile.TemporaryDirectory() as name:
        spans = flipped(Path(name), options.flips, chance)
        results.share("flipped bits after which nothing is lost", sum(span == 0.0 for span in spans), len(spans))
        results.number("longest span lost to a flipped bit", max(spans), "s", len(spans))
        lost_s = [killed(Path(name), number, chance) for number in range(options.kills)]
        results.median("lost to a kill", lost_s, "s")
        results.number("most lost to a kill", max(lost_s), "s", len(lost_s))


if __name__ == "__main__":
    main()
