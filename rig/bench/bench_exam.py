"""The whole referee: games or single actions of the twin, refereed live, every fact and ruling held to the truth that physics alone wrote.

    python -m rig.bench.bench_exam --situations 20 --seed 20300 --level home
    python -m rig.bench.bench_exam --of EXAM.json        # figures of an exam that `paletti exam --json EXAM.json` ran at this commit

Figures are those of `paletti exam` (see rig/exam/README.md). The seeds must be ones that no tuning has seen.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rig.bench.results import Results, add_json, measured, variant
from rig.cli import main as paletti
from rig.errors import PalettiError
from rig.exam.report import TALLIES, read_json

WORDS = {
    "games_perfect": "all told right",
    "games_relevant": "all that the result hangs on told right",
    "games_one_question": "the same, with at most one question",
    "removed": "columns taken out",
    "incidents": "incidents told",
    "violations": "broken rules flagged",
}
"""What a reader does not guess from the name in the exam's file."""

UNAIDED = ("games_relevant", "raises", "aborts_called", "aborts_uncalled", "culprits", "winners")
"""Of these it is also said how many were right before any answer of the table."""


def note(exam: Mapping[str, Any], results: Results) -> None:
    """An exam's figures; `exam` as `rig.exam.report.as_json` writes it."""
    for name in TALLIES:
        words = WORDS.get(name, name.replace("_", " "))
        results.share(words, exam[name]["right"], exam[name]["n"])
        if name in UNAIDED:
            results.share(f"{words}, unaided", exam[name]["unaided"], exam[name]["n"])
    seeds = exam["seeds"]
    number = seeds[1] - seeds[0] + 1
    for words, name in (
        ("told though not so", "false_facts"),
        ("collapses told though not so", "false_collapses"),
        ("broken rules flagged though not so", "false_violations"),
        ("questions asked", "questions"),
    ):
        results.number(words, exam[name], "", number)
    results.number("needless questions", len(exam["needless"]), "", number)
    for words, name in (
        ("verdict on a raise", "verdict_s"),
        ("warning of a collapse", "alarm_s"),
        ("collapse called after all lay still", "rest_s"),
    ):
        if (delay := exam["delays"][name])["n"]:
            results.number(f"{words}, 95th percentile", delay["p95"], "s", delay["n"])
    results.median("collapse called after it began", exam["collapse_called_after_s"], "s")
    if exam["real_time_factor_of_one_core"]:
        results.number("speed on one core's processor time", exam["real_time_factor_of_one_core"], "times real time", number)


def sat(options: argparse.Namespace, folder: Path) -> Path:
    """Runs the exam; its file."""
    out = folder / "exam.json"
    what = ["--games", options.games] if options.games else ["--situations", options.situations]
    words = ["exam", *what, "--seed", options.seed, "--level", options.level, "--world", options.world, "--cameras", options.cameras]
    paletti([*map(str, words), "--jobs", str(options.jobs), "--bar", "0", "--json", str(out)])
    return out


def _how(exam: Mapping[str, Any]) -> str:
    """The exam's options that are not the usual ones."""
    said = {"senses": "twin", "world": "A", "players": 4, "cameras": 2}
    words = [f"--{name} {exam[name]}" for name, usual in said.items() if exam[name] != usual]
    return " ".join([*words, *(["--greedy"] if exam["greedy"] else [])])


def _suffix(exam: Mapping[str, Any]) -> str:
    """The same for the name of a file."""
    return "".join(f"-{word}" for word in _how(exam).replace("--senses ", "").replace("--world ", "").replace("--", "").split())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--situations", type=int, default=6)
    parser.add_argument("--seed", type=int, default=20_600)
    parser.add_argument("--level", default="home")
    parser.add_argument("--world", default="A", choices=("A", "B"))
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--of", type=Path, metavar="JSON", help="note the figures of an exam that was run at this commit")
    add_json(parser, "exam")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            exam = read_json(options.of or sat(options, Path(folder)))
        number = exam["seeds"][1] - exam["seeds"][0] + 1
        command = f"paletti exam --{exam['examined']} {number} --seed {exam['seeds'][0]} --level {exam['level']} {_how(exam)}".strip()
        where = variant(options.json, f"exam-{exam['examined']}-{exam['level']}{_suffix(exam)}")
        seeds = range(exam["seeds"][0], exam["seeds"][1] + 1)
        with measured(where, seeds, __doc__, command if options.of else None) as results:
            note(exam, results)
    except PalettiError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
