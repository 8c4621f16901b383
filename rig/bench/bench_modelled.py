"""The exam's modelled eyes beside drawn pairs: what the models are fitted on, and how they do on pairs they were not fitted on.

    python -m rig.bench.bench_modelled --fit fit.jsonl
    python -m rig.bench.bench_modelled --held held.jsonl
    python -m rig.bench.bench_modelled                     # on pairs of its own

Both read rows of `rig.bench.bench_margins`, of different seeds; without a file, pairs are drawn and judged here, half a minute each.

`--fit` prints, for each number of cameras and each way of being wrong, how many margins there are, how many of them are confusions, their
median and spread: the figures of `rig.exam.modelled.likelihoods`. `--held` puts each pair's own lists before the models a hundred times
over and gives how often drawn eyes and models were right, and by how much the best wrong hypothesis lay below the truth.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from rig.bench.bench_margins import examine
from rig.bench.results import Results, add_json, measured
from rig.errors import PalettiError
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
    """A hypothesis from its words (`rig.bench.pair_judging.words_of`)."""
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


@dataclass(slots=True)
class Compared:
    """One list as the drawn eyes answered it, pair by pair, beside the models: whether right, and the lead of the right answer."""

    drawn_right: list[bool] = field(default_factory=list)
    model_right: list[float] = field(default_factory=list)
    drawn_lead: list[float] = field(default_factory=list)
    model_lead: list[float] = field(default_factory=list)


def compared(rows: Sequence[Row]) -> dict[tuple[int, str], Compared]:
    """By number of cameras and list."""
    rng = np.random.default_rng(0)
    found: dict[tuple[int, str], Compared] = defaultdict(Compared)
    for look, change, said, hidden in looks_of(rows):
        eyes, one = FITTED.eyes(look["cameras"]), found[look["cameras"], look["list"]]
        there = {column: column for hypothesis, _ in said for column in _columns(hypothesis)}
        right = [_right(hypothesis, change, there) for hypothesis, _ in said]
        if not any(right):  # none of these is the right answer
            right = [isinstance(hypothesis, NoneOfThese) for hypothesis, _ in said]
        one.drawn_right.append(right[int(np.argmax([value for _, value in said]))])
        times, least = 0, []
        for _ in range(DRAWS):
            values = modelled(said, change, hidden, eyes, rng)
            times += right[int(np.argmax(values))]
            least.append(_lead(values, right))
        one.model_right.append(times / DRAWS)
        one.drawn_lead.append(_lead([value for _, value in said], right))
        one.model_lead.append(median(least))
    return found


def held(rows: Sequence[Row], results: Results) -> None:
    """The models beside pairs that they were not fitted on."""
    for (cameras, name), one in sorted(compared(rows).items()):
        about, n = f"{cameras} {'camera' if cameras == 1 else 'cameras'}, list {name!r}", len(one.drawn_right)
        results.share(f"{about}: drawn eyes right", sum(one.drawn_right), n)
        results.number(f"{about}: modelled eyes right, {DRAWS} draws a pair", 100 * sum(one.model_right) / n, "%", n)
        results.median(f"{about}: lead of the right answer, drawn eyes", one.drawn_lead, "nat")
        results.median(f"{about}: lead of the right answer, modelled eyes", one.model_lead, "nat")


def _right(hypothesis: Hypothesis, change: Change, there: dict[Column, Column]) -> bool:
    if isinstance(hypothesis, Fallen):
        return change.fallen
    claim = claim_of(hypothesis, there)
    return claim is not None and holds(claim, change)


def _lead(values: list[float], right: list[bool]) -> float:
    """By how much the best right answer leads the best wrong one."""
    best = max((value for value, ok in zip(values, right, strict=True) if ok), default=-1e3)
    return best - max(value for value, ok in zip(values, right, strict=True) if not ok)


def rows_in(paths: Sequence[Path]) -> list[Row]:
    """The rows of these files; PalettiError if one cannot be read."""
    try:
        return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        raise PalettiError(f"The rows cannot be read: {error}.", "Name files that bench_margins wrote.") from error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", type=Path, nargs="+", default=[], help="print what the models are fitted on, and no figures")
    parser.add_argument("--held", type=Path, nargs="+", default=[])
    parser.add_argument("--first", type=int, default=430_000, help="first seed of the pairs drawn without a file")
    parser.add_argument("--pairs", type=int, default=20, help="how many those are")
    add_json(parser, "modelled")
    given = parser.parse_args()
    try:
        if given.fit:
            fit(rows_in(given.fit))
            return 0
        rows = rows_in(given.held)
        seeds = f"{min(row['seed'] for row in rows)} to {max(row['seed'] for row in rows)}" if rows else ""
        with measured(given.json, seeds or range(given.first, given.first + given.pairs), __doc__) as results:
            held(rows or [examine(seed, "home", 710_000, 20, 2) for seed in range(given.first, given.first + given.pairs)], results)
    except PalettiError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
