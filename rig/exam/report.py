"""The exam's figures as a table, a line and a JSON object."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rig.exam.counts import Tally
from rig.exam.games import Result

TALLIES = ("raises", "aborts", "plateaus", "seal_changes", "winners", "collapses", "culprits", "games_perfect")


def total(results: Sequence[Result]) -> Result:
    """All games' figures added up; `seed` is the first game's."""

    def summed(name: str) -> Tally:
        return sum((getattr(result, name) for result in results), Tally())

    return Result(
        seed=results[0].seed,
        raises=summed("raises"),
        aborts=summed("aborts"),
        plateaus=summed("plateaus"),
        seal_changes=summed("seal_changes"),
        winners=summed("winners"),
        collapses=summed("collapses"),
        culprits=summed("culprits"),
        games_perfect=summed("games_perfect"),
        false_facts=sum(result.false_facts for result in results),
        false_collapses=sum(result.false_collapses for result in results),
        questions=sum(result.questions for result in results),
        hours=sum(result.hours for result in results),
        wall_hours=sum(result.wall_hours for result in results),
    )


def line(result: Result) -> str:
    """One game in a line, with what was told wrong under it."""
    factor = result.hours / result.wall_hours if result.wall_hours else 0.0
    told = ", ".join(f"{name.replace('_', ' ')} {tally.right}/{tally.n}" for name in TALLIES if (tally := getattr(result, name)).n)
    first = f"game {result.seed}: {told}, {result.questions} questions, {result.hours * 60:.1f} min, {factor:.2f} times real time"
    return "\n".join([first, *(f"    {wrong.t_s:7.1f} s  {wrong.what}" for wrong in result.wrong)])


def table(summed: Result, level: str, seeds: Sequence[int]) -> str:
    lines = [
        f"{len(seeds)} games of the twin (synthetic), level {level}, seeds {seeds[0]} to {seeds[-1]}",
        f"{'':<16}{'right':>7}{'n':>7}{'share':>9}   95 % interval",
    ]
    for name in TALLIES:
        tally: Tally = getattr(summed, name)
        low, high = tally.interval()
        share = f"{tally.share:8.1%}" if tally.n else "       -"
        lines.append(f"{name.replace('_', ' '):<16}{tally.right:>7}{tally.n:>7} {share}   {low:.1%} to {high:.1%}")
    factor = summed.hours / summed.wall_hours if summed.wall_hours else 0.0
    lines.append(
        f"told though not so: {summed.false_facts}, of them collapses: {summed.false_collapses}; questions: {summed.questions}; "
        f"{summed.hours:.2f} h of play; {factor:.2f} times real time a game"
    )
    return "\n".join(lines)


def as_json(summed: Result) -> bytes:
    """The contract: a tally each for the eight counts, and five numbers."""
    figures = {name: {"right": getattr(summed, name).right, "n": getattr(summed, name).n} for name in TALLIES}
    factor = summed.hours / summed.wall_hours if summed.wall_hours else 0.0
    return msgspec.json.encode(
        {
            **figures,
            "false_collapses": summed.false_collapses,
            "hours": round(summed.hours, 4),
            "questions": summed.questions,
            "real_time_factor": round(factor, 3),
        }
    )
