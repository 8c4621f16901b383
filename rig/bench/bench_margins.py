"""By how much the eyes prefer the truth: log likelihoods of every hypothesis on drawn pairs, to fit the exam's models on and hold them to.

    python -m rig.bench.bench_margins --first 420000 --seeds 60 --out fit.jsonl
    python -m rig.bench.bench_margins --first 430000 --seeds 40 --out held.jsonl

A pair is two pictures a camera, before and after one action that hands and physics made in a drawn living room (`rig.bench.pairs`); it is
judged with one camera and with two, by the referee's first list, by the wider one, and by the first with the truth struck out. One line of
JSON a pair; seeds already in the file are not judged again, and count.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rig.bench.pair_judging import _ask, words_of
from rig.bench.pair_sight import seen_mm2, side_mm2
from rig.bench.pair_truth import happened, right_among, says
from rig.bench.pairs import Pair, act, pairs_of
from rig.bench.results import Results, add_json, measured
from rig.errors import PalettiError
from rig.messages import NoneOfThese
from rig.referee.hypotheses import Weighted, play, wider
from rig.twin.levels import level_named

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


def rows_of(given: argparse.Namespace) -> list[Row]:
    """The rows of all seeds asked for, those at hand in the file and those judged anew, which are appended to it."""
    out: Path | None = given.out
    at_hand = (
        [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines() if line] if out is not None and out.exists() else []
    )
    rows = {row["seed"]: row for row in at_hand}
    for seed in range(given.first, given.first + given.seeds):
        if seed in rows:
            continue
        row = rows[seed] = examine(seed, given.level, given.first_set, given.sets, given.cameras)
        if out is not None:
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        print(f"{seed}: {row.get('skipped') or row['truth']}, {row.get('cpu_s', 0)} s", file=sys.stderr, flush=True)
    return [rows[seed] for seed in range(given.first, given.first + given.seeds)]


def leads(rows: Iterable[Row]) -> dict[tuple[int, str], list[float]]:
    """For each number of cameras and each list by how much the right answer's log likelihood lies above the best other."""
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for one in (look for row in rows for look in row.get("looks", ())):
        right = [value for words, value in one["said"] if words == one["right"]]
        other = [value for words, value in one["said"] if words != one["right"]]
        if right and other:
            found[one["cameras"], one["list"]].append(max(right) - max(other))
    return found


def note(results: Results, rows: Sequence[Row]) -> None:
    """The figures: pairs judged, and for each list how often and by how much the right answer is preferred."""
    results.share("seeds that gave a pair", sum("skipped" not in row for row in rows), len(rows))
    for (cameras, name), values in sorted(leads(rows).items()):
        about = f"{cameras} {'camera' if cameras == 1 else 'cameras'}, list {name!r}"
        results.share(f"{about}: the right answer is preferred", sum(value > 0 for value in values), len(values))
        results.median(f"{about}: lead of the right answer in log likelihood", values, "nat")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=420_000, help="first seed")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--level", default="home")
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--sets", type=int, default=20, help="how many rigs are used in turn")
    parser.add_argument("--first-set", type=int, default=710_000)
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="where lines are appended")
    add_json(parser, "margins")
    given = parser.parse_args()
    with measured(given.json, range(given.first, given.first + given.seeds), __doc__) as results:
        note(results, rows_of(given))


if __name__ == "__main__":
    main()
