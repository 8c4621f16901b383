"""The exam's modelled eyes beside drawn pairs: what the models are fitted on, and how they do on pairs they were not fitted on.

    python -m tests.bench.bench_modelled --fit fit.jsonl
    python -m tests.bench.bench_modelled --held held.jsonl [--json OUT]

Both read rows of `tests.bench.bench_margins`, of different seeds. `--fit` prints, for each number of cameras and each way of being wrong,
how many margins there are, how many of them are confusions, their median and spread: the figures of `rig.exam.modelled.likelihoods`.
`--held` puts each pair's own lists before the models a hundred times over and prints how often drawn eyes and models were right, and by how
much the best wrong hypothesis lay below the truth.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from rig.exam.counts import wilson
from rig.exam.modelled.eyes import drawn
from rig.exam.modelled.likelihoods import FITTED, Eyes
from rig.exam.modelled.relations import Change, claim_of, holds, relation
from rig.messages import Fallen, Hypothesis, Moved, MovedTwo, NoneOfThese, Nothing, PlateauLaid, Removed, Stacked, Toppled
from rig.pieces import PLATEAUS, Column, Floor

Row = dict[str, Any]
DRAWS = 100
HIDDEN = 0.25
"""A column counts as hidden if the best camera saw less of its side."""


def hypothesis_of(words: str, top: Floor) -> Hypothesis:
    """A hypothesis from its words (`tests.bench.pair_judging.words_of`)."""
    kind, *about = words.split()
    match kind:
        case "PlateauLaid":
            return PlateauLaid(plateau=next(floor for floor in PLATEAUS if floor.word == about[0]))
        case "Nothing":
            return Nothing()
        case "Fallen":
            return Fallen()
        case "NoneOfThese":
            return NoneOfThese()
    columns = tuple(map(Column.parse, about))
    match kind:
        case "Moved":
            return Moved(column=columns[0], floor=top)
        case "Removed":
            return Removed(column=columns[0])
        case "Toppled":
            return Toppled(columns=columns)
        case "Stacked":
            return Stacked(column=columns[0], on=columns[1])
        case _:
            return MovedTwo(columns=(columns[0], columns[1]), floor=top)


def change_of(truth: Hypothesis) -> Change | None:
    """What truly changed; None where no hypothesis says it."""
    match truth:
        case Nothing():
            return Change()
        case Fallen():
            return Change(fallen=True)
        case Moved(column=column) | Stacked(column=column):
            return Change(frozenset((column,)), frozenset((column,)))
        case MovedTwo(columns=columns):
            return Change(frozenset(columns), frozenset(columns))
        case Removed(column=column):
            return Change(frozenset((column,)))
        case Toppled(columns=columns):
            return Change(frozenset(columns))
        case PlateauLaid(plateau=plateau):
            return Change(laid=frozenset((plateau,)))
        case _:
            return None


def looks_of(rows: Iterable[Row]) -> Iterable[tuple[Row, Change, list[tuple[Hypothesis, float]], Callable[[Column], bool]]]:
    """Each list that was answered: its row, the true change, the hypotheses with what was said, and what was hidden."""
    for row in rows:
        if "skipped" in row:
            continue
        top = Floor(row["top"])
        change = change_of(hypothesis_of(row["truth"], top))
        if change is None:
            continue
        for look in row["looks"]:
            seen = {Column.parse(name): shares[look["cameras"] - 1] for name, shares in row["seen"].items()}
            said = [(hypothesis_of(words, top), value) for words, value in look["said"]]
            yield look, change, said, lambda column, seen=seen: seen.get(column, 1.0) < HIDDEN  # type: ignore[misc]


def fit(rows: list[Row]) -> None:
    """The figures for `likelihoods.py`."""
    margins: dict[tuple[int, str], list[float]] = defaultdict(list)
    for look, change, said, hidden in looks_of(rows):
        cameras, there = look["cameras"], {column: column for row in rows if "seen" in row for column in map(Column.parse, row["seen"])}
        none = next(value for hypothesis, value in said if isinstance(hypothesis, NoneOfThese))
        claims = [(claim_of(hypothesis, there), hypothesis, value) for hypothesis, value in said]
        true = [value for claim, _, value in claims if claim is not None and holds(claim, change)]
        listed = max(true, default=None)
        if change.fallen:
            continue
        if listed is None:
            best = max(value for claim, _, value in claims if claim is not None)
            margins[cameras, f"none of these, {look['list']}"].append(none - best)
            continue
        margins[cameras, "none of these, of the truth"].append(listed - none)
        for claim, _, value in claims:
            if claim is not None and not holds(claim, change):
                margins[cameras, relation(claim, change, hidden)].append(listed - value)
    for (cameras, name), values in sorted(margins.items()):
        positive = [value for value in values if value > 0]
        wrong = len(values) - len(positive)
        spread = float(np.std(np.log(positive))) if len(positive) > 1 else math.nan
        least = ", ".join(f"{value:.1f}" for value in sorted(values)[:4])
        print(f"{cameras} camera(s) {name:<36} n {len(values):>5}  wrong {wrong:>3}  median {median(values):7.1f}  "
              f"spread {spread:5.2f}  least {least}")  # fmt: skip
    shares = [shares for row in rows for shares in row.get("seen", {}).values()]
    for k in range(len(shares[0]) if shares else 0):
        print(f"{k + 1} camera(s): {sum(one[k] < HIDDEN for one in shares)} of {len(shares)} columns hidden")


def modelled(
    said: list[tuple[Hypothesis, float]], change: Change, hidden: Callable[[Column], bool], eyes: Eyes, rng: np.random.Generator
) -> list[float]:
    """The same list answered by the model."""
    there = {column: column for hypothesis, _ in said for column in _columns(hypothesis)} | {c: c for c in (*change.went, *change.came)}
    values: list[float | None] = []
    for hypothesis, _ in said:
        claim = claim_of(hypothesis, there)
        if claim is None:
            values.append((0.0 if change.fallen else -2 * eyes.strange) if isinstance(hypothesis, Fallen) else None)
        elif holds(claim, change):
            values.append(0.0)
        else:
            values.append(-abs(drawn(eyes.fallen, rng)) if change.fallen else -drawn(eyes.margins[relation(claim, change, hidden)], rng))
    listed = change.fallen or any(value == 0.0 for value in values)
    best = max(value for value in values if value is not None)
    strange = rng.uniform(0, 4) if rng.random() < eyes.residue else -eyes.strange
    none = float(strange) if listed else best + drawn(eyes.unlisted, rng)
    return [none if value is None else value for value in values]


def _columns(hypothesis: Hypothesis) -> tuple[Column, ...]:
    found = [getattr(hypothesis, name) for name in hypothesis.__struct_fields__ if name in ("column", "on", "columns")]
    return tuple(column for value in found for column in (value if isinstance(value, tuple) else (value,)))


def held(rows: list[Row], out: Path | None) -> None:
    """The validation table."""
    rng = np.random.default_rng(0)
    drawn_right: dict[tuple[int, str], list[bool]] = defaultdict(list)
    model_right: dict[tuple[int, str], list[float]] = defaultdict(list)
    leads: dict[tuple[int, str], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for look, change, said, hidden in looks_of(rows):
        eyes = FITTED.eyes(look["cameras"])
        key = look["cameras"], look["list"]
        there = {column: column for hypothesis, _ in said for column in _columns(hypothesis)}
        right = [_right(hypothesis, change, there) for hypothesis, _ in said]
        if not any(right):  # none of these is the right answer
            right = [isinstance(hypothesis, NoneOfThese) for hypothesis, _ in said]
        drawn_right[key].append(right[int(np.argmax([value for _, value in said]))])
        times, least = 0, []
        for _ in range(DRAWS):
            values = modelled(said, change, hidden, eyes, rng)
            times += right[int(np.argmax(values))]
            least.append(_lead(values, right))
        model_right[key].append(times / DRAWS)
        leads[key][0].append(_lead([value for _, value in said], right))
        leads[key][1].append(median(least))
    table = []
    print("cameras  list         drawn right   share   95 % interval     model right   lead, drawn   lead, model (medians)")
    for key in sorted(drawn_right):
        k, n = sum(drawn_right[key]), len(drawn_right[key])
        low, high = wilson(k, n)
        model = sum(model_right[key]) / n
        one, other = (median(some) for some in leads[key])
        print(f"{key[0]:<9}{key[1]:<10}{k:>6} of {n:<5}{k / n:>8.1%}   {low:.1%} to {high:<9.1%}{model:>10.1%}{one:>14.1f}{other:>14.1f}")
        table.append(
            {
                "cameras": key[0],
                "list": key[1],
                "drawn_right": k,
                "n": n,
                "model_right": round(model, 4),
                "drawn_lead": one,
                "model_lead": other,
            }
        )
    if out is not None:
        out.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _right(hypothesis: Hypothesis, change: Change, there: dict[Column, Column]) -> bool:
    if isinstance(hypothesis, Fallen):
        return change.fallen
    claim = claim_of(hypothesis, there)
    return claim is not None and holds(claim, change)


def _lead(values: list[float], right: list[bool]) -> float:
    """By how much the best right answer leads the best wrong one."""
    best = max((value for value, ok in zip(values, right, strict=True) if ok), default=-1e3)
    return best - max(value for value, ok in zip(values, right, strict=True) if not ok)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", type=Path, nargs="+", default=[])
    parser.add_argument("--held", type=Path, nargs="+", default=[])
    parser.add_argument("--json", type=Path, help="write the validation table")
    given = parser.parse_args()
    try:
        for paths, what in ((given.fit, fit), (given.held, lambda rows: held(rows, given.json))):
            rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]
            if rows:
                what(rows)
    except OSError as error:
        print(f"{error.filename} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
