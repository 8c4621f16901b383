"""The exam's figures as a table, a line and a JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rig.errors import PalettiError
from rig.exam.counts import Tally
from rig.exam.games import Options, Result

TALLIES = (
    "raises", "aborts", "plateaus", "removed", "incidents", "violations",
    "seal_changes", "winners", "collapses", "culprits", "games_perfect",
)  # fmt: skip


def total(results: Sequence[Result]) -> Result:
    """All games' figures added up; `seed` is the first game's."""

    def summed(name: str) -> Tally:
        return sum((getattr(result, name) for result in results), Tally())

    return Result(
        seed=results[0].seed,
        raises=summed("raises"),
        aborts=summed("aborts"),
        plateaus=summed("plateaus"),
        removed=summed("removed"),
        incidents=summed("incidents"),
        violations=summed("violations"),
        seal_changes=summed("seal_changes"),
        winners=summed("winners"),
        collapses=summed("collapses"),
        culprits=summed("culprits"),
        games_perfect=summed("games_perfect"),
        false_facts=sum(result.false_facts for result in results),
        false_violations=sum(result.false_violations for result in results),
        false_collapses=sum(result.false_collapses for result in results),
        questions=sum(result.questions for result in results),
        call_s=tuple(sorted(seconds for result in results for seconds in result.call_s)),
        hours=sum(result.hours for result in results),
        wall_hours=sum(result.wall_hours for result in results),
        cpu_hours=sum(result.cpu_hours for result in results),
    )


def line(result: Result) -> str:
    """One game in a line, with what was told wrong under it."""
    factor = result.hours / result.wall_hours if result.wall_hours else 0.0
    told = ", ".join(f"{name.replace('_', ' ')} {tally.right}/{tally.n}" for name in TALLIES if (tally := getattr(result, name)).n)
    what = f"situation {result.seed} ({result.kind})" if result.kind else f"game {result.seed}"
    first = f"{what}: {told}, {result.questions} questions, {result.hours * 60:.1f} min, {factor:.2f} times real time"
    failed = [f"             meanwhile: {words}" for words in result.failed] if result.wrong else []
    return "\n".join([first, *(f"    {wrong.t_s:7.1f} s  {wrong.what}" for wrong in result.wrong), *failed])


def table(summed: Result, what: str, options: Options, seeds: Sequence[int]) -> str:
    """`what`: games or situations."""
    lines = [
        f"{len(seeds)} {what} of the twin (synthetic), level {options.level}, world {options.world}, seeds {seeds[0]} to {seeds[-1]}",
        f"{'':<16}{'right':>7}{'n':>7}{'share':>9}   95 % interval",
    ]
    for name in TALLIES:
        tally: Tally = getattr(summed, name)
        low, high = tally.interval()
        share = f"{tally.share:8.1%}" if tally.n else "       -"
        lines.append(f"{_word(name):<16}{tally.right:>7}{tally.n:>7} {share}   {low:.1%} to {high:.1%}")
    factor = summed.hours / summed.wall_hours if summed.wall_hours else 0.0
    lines.append(
        f"told though not so: {summed.false_facts}, of them collapses: {summed.false_collapses}; "
        f"flagged though not so: {summed.false_violations}; questions: {summed.questions}; "
        f"{summed.hours:.2f} h of play; {factor:.2f} times real time each"
    )
    if summed.cpu_hours:
        lines[-1] += f", {summed.hours / summed.cpu_hours:.2f} by one core's processor time"
    if summed.call_s:
        middle, late = summed.call_s[len(summed.call_s) // 2], summed.call_s[-1]
        lines.append(f"collapses called {middle:.1f} s after they began (median), {late:.1f} s at the latest, n = {len(summed.call_s)}")
    return "\n".join(lines)


def _word(name: str) -> str:
    return "all told right" if name == "games_perfect" else name.replace("_", " ")


def beside(summed: Result, options: Options, other: Mapping[str, Any]) -> str:
    """This exam's figures beside those of another (`as_json`, decoded): what is right in one world and not in the other is the twin's own
    handwriting."""
    heads = f"level {options.level}, world {options.world}", f"level {other['level']}, world {other['world']}"
    lines = [f"{'':<16}{heads[0]:>32}{heads[1]:>32}"]
    for name in TALLIES:
        both = getattr(summed, name), Tally(other[name]["right"], other[name]["n"])
        lines.append(f"{_word(name):<16}" + "".join(f"{_in_short(tally):>32}" for tally in both))
    return "\n".join(lines)


def _in_short(tally: Tally) -> str:
    low, high = tally.interval()
    return f"{tally.right} of {tally.n} ({low:.1%} to {high:.1%})" if tally.n else "-"


def kinds_table(kinds: Mapping[str, Tally]) -> str:
    """Situations told right throughout, a line a kind."""
    return "\n".join(f"  {kind:<28}{tally.right:>5} of {tally.n}" for kind, tally in kinds.items())


def as_json(summed: Result, what: str, options: Options, seeds: Sequence[int]) -> bytes:
    """The contract: what was examined, a tally each for the counts in `TALLIES`, and nine figures."""
    figures = {name: {"right": getattr(summed, name).right, "n": getattr(summed, name).n} for name in TALLIES}
    factor = summed.hours / summed.wall_hours if summed.wall_hours else 0.0
    return msgspec.json.encode(
        {
            "examined": what,
            "level": options.level,
            "world": options.world,
            "seeds": [seeds[0], seeds[-1]],
            **figures,
            "false_collapses": summed.false_collapses,
            "false_facts": summed.false_facts,
            "false_violations": summed.false_violations,
            "collapse_called_after_s": list(summed.call_s),
            "hours": round(summed.hours, 4),
            "questions": summed.questions,
            "real_time_factor": round(factor, 3),
            "real_time_factor_of_one_core": round(summed.hours / summed.cpu_hours, 3) if summed.cpu_hours else 0.0,
        }
    )


def read_json(path: Path) -> Mapping[str, Any]:
    """What an earlier exam wrote with `--json`; PalettiError if that is not what the file is."""
    try:
        figures = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError) as error:
        raise PalettiError(
            f"{path} cannot be read as an exam's figures: {error}.", "Name a file that `paletti exam --json` wrote."
        ) from error
    lacking = [name for name in ("level", "world", *TALLIES) if name not in figures]
    if lacking:
        raise PalettiError(f"{path} is not an exam's figures: it has no {lacking[0]}.", "Name a file that `paletti exam --json` wrote.")
    return figures
