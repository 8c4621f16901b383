"""`paletti exam`: referee games of the twin, hold every ruling to the truth."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from rig.cli import options as kinds
from rig.errors import PalettiError


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("exam", help="referee games of the twin, hold every ruling to the truth", description=__doc__)
    many = parser.add_mutually_exclusive_group(required=True)
    many.add_argument("--games", type=kinds.count(1, 10000, "games"), help="how many whole games")
    many.add_argument("--situations", type=kinds.count(1, 100000, "situations"), help="how many single actions out of mid-game towers")
    parser.add_argument("--seed", type=kinds.seed, default=1000, help="the first seed; the others follow (default 1000)")
    parser.add_argument("--level", default="lab", help="how kind the world is: lab, home or rough (default lab)")
    parser.add_argument("--world", choices=("A", "B"), default="A", help="other room, table, lamps, hands, outlines: B, never tuned on")
    parser.add_argument("--cameras", type=kinds.count(0, 4, "cameras"), default=2, help="0 with --senses model only")
    parser.add_argument("--players", type=kinds.count(2, 4, "players"), default=4)
    parser.add_argument(
        "--senses", choices=("twin", "model"), default="twin", help="model: whole games without drawing, senses drawn from fitted models"
    )
    parser.add_argument("--without", default="", help="senses that are missing, with --senses model: base,imu,cameras")
    parser.add_argument("--greedy", action="store_true", help="the referee carries one course of the game only: the baseline")
    parser.add_argument("--wrong-answers", type=_share, metavar="SHARE", help="share of questions the table answers wrongly (model)")
    parser.add_argument("--save", type=Path, metavar="DIR", help="keep recording and true log of each faulty whole game")
    parser.add_argument("--raises", type=kinds.count(1, 99, "raises"), default=None, help="topple the tower after so many raises")
    parser.add_argument("--jobs", type=kinds.count(1, 64, "jobs"), default=os.cpu_count() or 1, help="games at a time (default: all cores)")
    parser.add_argument("--kinds", default="", help="of situations only these, in turn, with commas between: topple,drop,abort …")
    parser.add_argument("--bar", type=float, default=0.95, help="exit code 1 if fewer raises than this are right (default 0.95)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures as one JSON object")
    parser.add_argument("--beside", type=Path, metavar="JSON", help="show the figures beside those of an earlier exam, such as world A's")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    try:
        from rig.exam import games, many, report, situations
    except ImportError as error:
        raise PalettiError(f"The twin cannot start: {error}.", "Install it with `pip install villa-paletti-rig[twin]`.") from error
    from rig.twin.levels import level_named

    level_named(options.level)
    _check(options)
    other = report.read_json(options.beside) if options.beside is not None else None
    number, what = (options.games, "games") if options.games is not None else (options.situations, "situations")
    examine = games.play if options.games is not None else situations.examine
    if options.senses == "model":
        from rig.exam.modelled import exam as modelled

        examine = modelled.play
    seeds = [options.seed + k for k in range(number)]
    how = games.Options(
        level=options.level, cameras=options.cameras, players=options.players, max_raises=options.raises, world=options.world,
        kinds=_kinds(options.kinds, what), senses=options.senses, without=_without(options.without, options.senses),
        wrong_answers=options.wrong_answers, greedy=options.greedy, save=str(options.save or ""),
    )  # fmt: skip

    def told(result: games.Result) -> None:
        print(report.line(result), file=sys.stderr, flush=True)

    results = many.examine_all(examine, seeds, how, min(options.jobs, number), told)
    total = report.total(results)
    print(report.table(total, what, how, seeds))
    if options.games is not None and (faulty := report.worst(results)):
        print(f"the worst games:\n{faulty}")
    if options.games is None:
        print(report.kinds_table(situations.by_kind(results)))
    if other is not None:
        print(report.beside(total, how, other))
    if options.json is not None:
        try:
            options.json.write_bytes(report.as_json(total, what, how, seeds) + b"\n")
        except OSError as error:
            raise PalettiError(f"{options.json} cannot be written: {error.strerror}.", "Name another with --json.") from error
    return 0 if total.raises.n == 0 or total.raises.share >= options.bar else 1


def _check(options: argparse.Namespace) -> None:
    """PalettiError for options that do not go together."""
    modelled = options.senses == "model"
    if modelled and options.games is None:
        raise PalettiError("Single situations are drawn, never modelled.", "Give --games with --senses model.")
    if not modelled and options.cameras == 0:
        raise PalettiError("Drawn games need a camera.", "Give --cameras 1 to 4, or --senses model.")
    if not modelled and options.wrong_answers is not None:
        raise PalettiError("Only at a modelled table the share of wrong answers can be chosen.", "Give --senses model as well.")
    if options.save is not None and options.games is None:
        raise PalettiError("Only whole games are kept.", "Give --games with --save.")


def _share(text: str) -> float:
    """A share between 0 and 1."""
    try:
        share = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number.") from error
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no share: it lies between 0 and 1.")
    return share


SENSES = frozenset({"base", "imu", "cameras"})


def _without(text: str, senses: str) -> frozenset[str]:
    """The senses that are missing; PalettiError for one that is none."""
    names = frozenset(name for name in text.split(",") if name)
    if strange := sorted(names - SENSES):
        raise PalettiError(f"{strange[0]!r} is no sense that can be missing.", f"They are: {', '.join(sorted(SENSES))}.")
    if names and senses != "model":
        raise PalettiError("Only modelled senses can be missing.", "Give --senses model as well.")
    return names


def _kinds(text: str, what: str) -> tuple[str, ...]:
    """Names of kinds of situations; PalettiError for one that is none. A kind's own comma belongs to its name."""
    from rig.twin.situation_play import Scenario

    if text and what == "games":
        raise PalettiError("Whole games have no kinds.", "Give --kinds with --situations.")
    kinds, left = [], text
    while left:
        kind = next((kind for kind in sorted(Scenario, key=len, reverse=True) if f"{left},".startswith(f"{kind},")), None)
        if kind is None:
            raise PalettiError(f"{left!r} begins with no kind of situation.", f"The kinds are: {'; '.join(Scenario)}.")
        kinds.append(str(kind))
        left = left[len(kind) + 1 :]
    return tuple(kinds)
