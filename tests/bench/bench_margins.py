"""By how much the eyes prefer the truth: log likelihoods of every hypothesis on drawn pairs, to fit the exam's models on and hold them to.

    python -m tests.bench.bench_margins --first 420000 --seeds 60 --out fit.jsonl
    python -m tests.bench.bench_margins --first 430000 --seeds 40 --out held.jsonl

A pair is two pictures a camera, before and after one action that hands and physics made in a drawn living room (`tests.bench.pairs`); it is
judged with one camera and with two, by the referee's first list, by the wider one, and by the first with the truth struck out. One line of
JSON a pair; seeds already in the file are skipped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from rig.errors import PalettiError
from rig.messages import NoneOfThese
from rig.referee.hypotheses import Weighted, play, wider
from rig.twin.levels import level_named
from tests.bench.pair_judging import _ask, words_of
from tests.bench.pair_sight import seen_mm2, side_mm2
from tests.bench.pair_truth import happened, right_among, says
from tests.bench.pairs import Pair, act, pairs_of

Row = dict[str, Any]


def judged(pair: Pair, cameras: int, listed: tuple[Weighted, ...], name: str) -> Row:
    """One list's answer as plain values."""
    answer, _ = _ask(pair, cameras, listed)
    said = [[words_of(w.hypothesis), round(o.log_likelihood, 2)] for w, o in zip(listed, answer.opinions, strict=True)]
    right = right_among(tuple(w.hypothesis for w in listed), happened(pair.acted))
    return {
        "list": name, "cameras": cameras, "said": said, "right": words_of(right), "fit": round(answer.fit, 3),
        "unexplained_mm2": round(answer.unexplained_mm2),
    }  # fmt: skip


def examine(seed: int, level_name: str, first_set: int, sets: int, cameras: int) -> Row:
    """One pair, or why there is none."""
    began, level, rig = time.process_time(), level_named(level_name), first_set + seed % sets
    try:
        acted = act(seed, rig, cameras, level)
        pairs = pairs_of(acted, level) if acted is not None else []
    except PalettiError as error:
        return {"seed": seed, "skipped": str(error)}
    if acted is None or not pairs:
        return {"seed": seed, "skipped": "no pair"}
    pair, truth, expected = pairs[0], happened(acted), acted.expected()
    listed = play(pair.believed, expected, acted.game.next_plateau)
    wide = (*listed[:-1], *wider(pair.believed, expected))
    rest = tuple(w for w in listed if not says(w.hypothesis, truth.hypothesis))
    looks = []
    for number in range(1, cameras + 1):
        looks += [judged(pair, number, listed, "listed"), judged(pair, number, wide, "wider")]
        if len(rest) < len(listed):
            looks.append(judged(pair, number, rest, "withheld"))
    seen = [seen_mm2(pair, number) for number in range(1, cameras + 1)]
    shares = {str(s.column): [round(one[s.column] / side_mm2(pair.known, s.column), 3) for one in seen] for s in pair.believed.columns}
    return {
        "seed": seed, "kind": acted.kind.value, "truth": words_of(truth.hypothesis or NoneOfThese()), "looks": looks, "seen": shares,
        "floors": {str(s.column): int(s.floor) for s in pair.believed.columns}, "top": int(pair.believed.top_floor),
        "cpu_s": round(time.process_time() - began, 1),
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=420_000, help="first seed")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--level", default="home")
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--sets", type=int, default=20, help="how many rigs are used in turn")
    parser.add_argument("--first-set", type=int, default=710_000)
    parser.add_argument("--out", type=Path, required=True, help="where lines are appended")
    given = parser.parse_args()
    done = {json.loads(line)["seed"] for line in given.out.read_text().splitlines() if line} if given.out.exists() else set()
    for seed in (seed for seed in range(given.first, given.first + given.seeds) if seed not in done):
        row = examine(seed, given.level, given.first_set, given.sets, given.cameras)
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{seed}: {row.get('skipped') or row['truth']}, {row.get('cpu_s', 0)} s", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
