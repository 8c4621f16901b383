"""What a file of judged pairs comes to: shares with their intervals, places, reliability, confusions, time, and the ten worst."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rig.bench.results import Results, interval, spread

Line = dict[str, Any]

WORST = 10
SEEN_SHARE = 0.25
"""Share of its side from which a column counts as seen in its place before: below it no sure word can be asked of any eye."""
SURE = 0.9
"""Confidence above which a wrong answer is told apart: below it the referee would rather ask."""
TOLD_MM, CLEAR_MM, ALMOST_MM = 5.0, 6.0, 4.0
"""A bystander's shift is alleged from the first on; a shift by the second must be, one below the third must not."""
BINS = (0.0, 0.5, 0.7, 0.9, 0.97, 0.99, 0.999, 1.0)
"""Edges of the confidences among which the reliability is told."""


def report(lines: Sequence[Line]) -> None:
    """Prints all tables."""
    skipped = Counter(line["skipped"].split("(")[0].strip() for line in lines if "skipped" in line)
    judged = [line for line in lines if "skipped" not in line]
    print(f"{len({line['seed'] for line in judged})} seeds judged, {sum(skipped.values())} without a pair", *skipped.items(), sep="\n  ")
    print("rigs", len({line["rig"] for line in judged}), "; levels", sorted({f"{line['level']}, world {line['world']}" for line in judged}))
    for renderer in sorted({line["renderer"] for line in judged}, reverse=True):
        for cameras in sorted({line["cameras"] for line in judged}):
            some = [line for line in judged if (line["renderer"], line["cameras"]) == (renderer, cameras)]
            if some:
                print(f"\n==== {renderer}, {cameras} camera{'s' if cameras > 1 else ''}")
                _shares(some)
                _places(some)
                _displaced(some)
                _reliability(some)
                _confusions(some)
                _times(some)
                _worst(some)
    _renderers(judged)
    whole = [line["whole_s"] for line in judged if "whole_s" in line]
    print(f"\nprocessor seconds a seed, everything: {spread(whole)}")


def note(lines: Sequence[Line], results: Results) -> None:
    """The figures that are kept, for each renderer and number of cameras."""
    judged = [line for line in lines if "skipped" not in line]
    for renderer in sorted({line["renderer"] for line in judged}, reverse=True):
        for cameras in sorted({line["cameras"] for line in judged}):
            some = [line for line in judged if (line["renderer"], line["cameras"]) == (renderer, cameras)]
            if some:
                _note(f"{renderer}, {cameras} camera{'s' if cameras > 1 else ''}", some, results)


def _note(case: str, lines: list[Line], results: Results) -> None:
    raised = [line for line in lines if line["what"] == "raised"]
    seen = [line for line in raised if line.get("seen_share", 0.0) >= SEEN_SHARE]
    results.share(f"{case}: moved column identified among all", _right(raised, "all"), len(raised))
    results.share(f"{case}: the same where a camera saw {SEEN_SHARE:.0%} of its side before", _right(seen, "all"), len(seen))
    kinds = [(_kind(line["all"]["best"]), _kind(line["truth"])) for line in raised]
    results.share(f"{case}: colour of the moved column right", sum(told[0] == true[0] for told, true in kinds), len(kinds))
    results.share(f"{case}: shape of the moved column right", sum(told[1] == true[1] for told, true in kinds), len(kinds))
    unlisted, withheld = [line for line in lines if not line["listed"]], [line for line in lines if "withheld" in line]
    both = _right(unlisted, "all") + _right(withheld, "withheld")
    results.share(f"{case}: none of these, said when so", both, len(unlisted) + len(withheld))
    listed = [line for line in lines if line["listed"]]
    results.share(f"{case}: none of these, said though not so", sum(line["all"]["best"] == "NoneOfThese" for line in listed), len(listed))
    results.share(f"{case}: every kind of action", _right(lines, "all"), len(lines))
    results.number(f"{case}: mean confidence said", float(np.mean([line["all"]["sure"] for line in lines])), "", len(lines))
    results.median(f"{case}: processor time a decision", [line["ms"] for line in lines], "ms")


def _share(words: str, lines: Iterable[Line], right: Callable[[Line], bool]) -> None:
    counted = [right(line) for line in lines]
    print(f"{words}: {interval(sum(counted), len(counted))}")


def _shares(lines: list[Line]) -> None:
    raised = [line for line in lines if line["what"] == "raised"]
    _share("moved column identified among all, on equal terms", raised, lambda line: line["all"]["right"])
    _share("    with the referee's priors", raised, lambda line: line["ruled"]["right"])
    _share("    its colour right", raised, lambda line: _kind(line["all"]["best"])[0] == _kind(line["truth"])[0])
    _share("    its shape right", raised, lambda line: _kind(line["all"]["best"])[1] == _kind(line["truth"])[1])
    for kind in sorted({line["kind"] for line in raised}):
        _share(f"    {kind}", [line for line in raised if line["kind"] == kind], lambda line: line["all"]["right"])
    _seen_apart(raised, "all")
    unlisted = [line for line in lines if not line["listed"]]
    withheld = [line for line in lines if "withheld" in line]
    _share("none of these, said when so: what happened is not in the list", unlisted, lambda line: line["all"]["right"])
    _share("none of these, said when so: a raise struck from the list", withheld, lambda line: line["withheld"]["right"])
    _seen_apart(withheld, "withheld")
    print(f"    both: {interval(_right(unlisted, 'all') + _right(withheld, 'withheld'), len(unlisted) + len(withheld))}")
    for kind in sorted({line["kind"] for line in unlisted}):
        _share(f"    not in the list, {kind}", [line for line in unlisted if line["kind"] == kind], lambda line: line["all"]["right"])
    _share(
        "none of these, said though something in the list was so",
        [line for line in lines if line["listed"]], lambda line: line["all"]["best"] == "NoneOfThese",
    )  # fmt: skip
    for what in sorted({line["what"] for line in lines} - {"raised"}):
        some = [line for line in lines if line["what"] == what]
        _share(f"{what}", some, lambda line: line["all"]["right"])
        second = [line for line in some if "second" in line]
        if second:
            _share("    asked again with the wider list", second, lambda line: line["second"]["right"])
    _share("everything, on equal terms", lines, lambda line: line["all"]["right"])
    _share("everything, with the referee's priors", lines, lambda line: line["ruled"]["right"])


def _seen_apart(lines: list[Line], name: str) -> None:
    """The same among raises whose column some judged camera saw in its place before, the rest apart, and how many are wrong though sure."""
    told = [line for line in lines if "seen_share" in line]
    seen = [line for line in told if line["seen_share"] >= SEEN_SHARE]
    rest = [line for line in told if line["seen_share"] < SEEN_SHARE]
    alike = [line for line in rest if line["other_seen_share"] is not None and line["other_seen_share"] < SEEN_SHARE]
    _share(f"    a camera saw {SEEN_SHARE:.0%} of its side before", seen, lambda line: line[name]["right"])
    _share("    no camera saw that much", rest, lambda line: line[name]["right"])
    _share("        nor of another that looks like it", alike, lambda line: line[name]["right"])
    wrong = [line for line in lines if not line[name]["right"]]
    print(f"    wrong {len(wrong)}, said with more than {SURE}: {sum(line[name]['sure'] > SURE for line in wrong)}")


def _right(lines: list[Line], name: str) -> int:
    return sum(line[name]["right"] for line in lines)


def _kind(words: str) -> tuple[str, str]:
    """Colour and shape of the column that an answer names; empty where it names none."""
    parts = words.split(" ")
    if len(parts) < 2 or parts[1].count("-") < 2:
        return "", ""
    colour, *shape, _ = parts[1].split("-")
    return colour, "-".join(shape)


def _places(lines: list[Line]) -> None:
    for what in ("raised", "laid"):
        some = [line for line in lines if line["what"] == what and line.get("place_mm") is not None]
        if some:
            print(f"{what}: place error mm: {spread([line['place_mm'] for line in some])}")
        turns = [line["turn_deg"] for line in some if line["turn_deg"] is not None]
        if turns:
            print(f"{what}: turn error degrees: {spread(turns)}")
    beside = [off_mm for line in lines if line["what"] == "raised" for off_mm in line.get("bystanders_mm", ())]
    print(f"columns beside a raise, error mm: {spread(beside)}")


def _displaced(lines: list[Line]) -> None:
    """What the referee would allege of bystanders: told from `TOLD_MM` on, and so if it truly went nearly as far."""
    by_line = [{name: tuple(two) for name, two in line["displaced_mm"].items()} for line in lines if "displaced_mm" in line]
    for words, column in (("neighbours moved", True), ("plateaus shifted", False)):
        some = [[two for name, two in found.items() if ("-" in name) is column] for found in by_line]
        clear = [two for found in some for two in found if two[1] >= CLEAR_MM]
        print(f"{words} by {CLEAR_MM} mm or more, told: {interval(sum(told >= TOLD_MM for told, _ in clear), len(clear))}")
        false = sum(any(told >= TOLD_MM and true < ALMOST_MM for told, true in found) for found in some)
        print(f"    alleged though less than {ALMOST_MM} mm, in so many actions: {interval(false, len(some))}")
        if clear:
            print(f"    told less true, mm: {spread([abs(told - true) for told, true in clear])}")


def _reliability(lines: list[Line]) -> None:
    print("said with confidence … was right:")
    sure = np.array([line["all"]["sure"] for line in lines])
    right = np.array([line["all"]["right"] for line in lines])
    for low, high in pairwise(BINS):
        among = (sure >= low) & ((sure < high) | (high == 1.0))
        if among.any():
            print(f"    {low} to {high}: mean {sure[among].mean():.4f}, right {interval(int(right[among].sum()), int(among.sum()))}")
    kept = np.clip(np.where(right, sure, 1 - sure), 1e-6, 1.0)
    print(f"    mean confidence {sure.mean():.4f}, share right {right.mean():.4f}, mean log score {np.log(kept).mean():.4f}")


def _confusions(lines: list[Line]) -> None:
    _matrix("kind believed (across) by what was so (down)", [(line["what"], line["all"]["best"].split(" ")[0]) for line in lines])
    raised = [line for line in lines if line["what"] == "raised"]
    told = [(_kind(line["truth"]), _kind(line["all"]["best"])) for line in raised]
    for k, name in enumerate(("colour", "shape")):
        _matrix(f"{name} believed of raised columns", [(true[k], said[k] or "none") for true, said in told])


def _matrix(title: str, told: Iterable[tuple[str, str]]) -> None:
    cells = Counter(told)
    down, across = sorted({row for row, _ in cells}), sorted({column for _, column in cells})
    wide = max(map(len, [*down, ""])) + 2
    print(f"{title}\n{'':{wide}}" + "".join(f"{column:>{max(len(column), 4) + 2}}" for column in across))
    for row in down:
        print(f"{row:{wide}}" + "".join(f"{cells[row, column] or '.':>{max(len(column), 4) + 2}}" for column in across))


def _times(lines: list[Line]) -> None:
    print(f"ms a decision: {spread([line['ms'] for line in lines])}")
    print(f"ms a decision about a raise: {spread([line['ms'] for line in lines if line['what'] == 'raised'])}")
    again = [line["second_ms"] for line in lines if "second_ms" in line]
    if again:
        print(f"ms asked again: {spread(again)}, {len(again)} times")


def _worst(lines: list[Line]) -> None:
    wrong = [(line[name]["sure"], name, line) for line in lines for name in ("all", "withheld") if name in line and not line[name]["right"]]
    wrong.sort(key=lambda one: -one[0])
    for sure, name, line in wrong[:WORST]:
        truth = line["truth"] or line["what"]
        print(f"    wrong at {sure:.3f}: seed {line['seed']}, {line['kind']}, asked {name}: {line[name]['best']}; truth {truth}")


def _renderers(lines: list[Line]) -> None:
    """Whether the same is decided from both renderers' pictures of the same instants."""
    by_pair: dict[tuple[int, int], dict[str, Line]] = {}
    for line in lines:
        by_pair.setdefault((line["seed"], line["cameras"]), {})[line["renderer"]] = line
    for cameras in sorted({cameras for _, cameras in by_pair}):
        both = [two for (_, n), two in by_pair.items() if n == cameras and len(two) == 2]
        if both:
            same = [two["OpenGL"]["all"]["best"] == two["Mitsuba"]["all"]["best"] for two in both]
            print(f"\n{cameras} cameras: the same decided from both renderers: {interval(sum(same), len(same))}")
            for two, agree in zip(both, same, strict=True):
                if not agree:
                    gl, photo = two["OpenGL"], two["Mitsuba"]
                    answers = f"OpenGL {gl['all']['best']}, Mitsuba {photo['all']['best']}"
                    print(f"    seed {gl['seed']}: {answers}, truth {gl['truth'] or gl['what']}")
