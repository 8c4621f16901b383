"""The exam's figures as a table, a line and a JSON object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rig.errors import PalettiError
from rig.exam.counts import Tally, quantile
from rig.exam.results import TALLIES, Options, Result, total

__all__ = ["TALLIES", "as_json", "beside", "kinds_table", "line", "read_json", "table", "total"]

_IN_A_LINE = (
    "raises", "aborts", "plateaus", "removed", "incidents", "violations", "seal_changes", "winners", "collapses", "culprits",
    "games_relevant", "games_perfect",
)  # fmt: skip

_WORDS = {
    "aborts_called": "  called",
    "aborts_uncalled": "  uncalled",
    "culprits_not_plain": "  not plain",
    "raises_alike": "raises, alike",
    "aborts_alike": "aborts, alike",
    "games_relevant": "result right",
    "games_one_question": "  one question",
    "games_perfect": "all told right",
}

_DELAYS = {
    "verdict_s": "verdict on a raise, after hands are out and all is still",
    "alarm_s": "alarm, after the tower began to give way",
    "call_s": "collapse called, after it began",
    "rest_s": "collapse called, after all lay still",
}
"""Delays of a result, in words."""


def line(result: Result) -> str:
    """One game in a line, with what was told wrong and what was asked needlessly under it."""
    factor = result.hours / result.wall_hours if result.wall_hours else 0.0
    told = ", ".join(f"{name.replace('_', ' ')} {tally.right}/{tally.n}" for name in _IN_A_LINE if (tally := getattr(result, name)).n)
    what = f"situation {result.seed} ({result.kind})" if result.kind else f"game {result.seed}"
    first = f"{what}: {told}, {result.questions} questions, {result.hours * 60:.1f} min, {factor:.2f} times real time"
    failed = [f"             meanwhile: {words}" for words in result.failed] if result.wrong else []
    wrong = [f"    {one.t_s:7.1f} s  {one.what}{' (cosmetic)' if one.cosmetic else ''}" for one in result.wrong]
    asked = [f"    {one.t_s:7.1f} s  asked needlessly: {one.question} ({one.why})" for one in result.needless]
    kept = [f"    kept: {result.saved}"] if result.saved else []
    return "\n".join([first, *wrong, *asked, *kept, *failed])


def table(summed: Result, what: str, options: Options, seeds: Sequence[int]) -> str:
    """`what`: games or situations."""
    lines = [
        _head(what, options, seeds),
        f"{'':<16}{'right':>7}{'n':>7}{'share':>9}   {'95 % interval':<17}{'unaided':>9}{'share':>9}   95 % interval",
    ]
    lines += [_row(name, getattr(summed, name)) for name in TALLIES if getattr(summed, name).n or name in _IN_A_LINE]
    games = max(1, len(seeds))
    factor = summed.hours / summed.wall_hours if summed.wall_hours else 0.0
    lines.append(
        f"told though not so: {summed.false_facts}, of them collapses: {summed.false_collapses}; "
        f"flagged though not so: {summed.false_violations} ({summed.false_violations / games:.2f} a game); revised: {summed.revised}; "
        f"questions: {summed.questions} ({summed.questions / games:.2f} a game), of them needless: {len(summed.needless)}; "
        f"{summed.hours:.2f} h of play; {factor:.2f} times real time each"
    )
    if summed.cpu_hours:
        lines[-1] += f", {summed.hours / summed.cpu_hours:.2f} by one core's processor time"
    lines += [
        f"  needless, {number} times: {words}"
        for words, number in Counter(f"{n.question} ({n.why})" for n in summed.needless).most_common(5)
    ]
    lines += [_delay(words, getattr(summed, name)) for name, words in _DELAYS.items() if getattr(summed, name)]
    return "\n".join(lines)


def _head(what: str, options: Options, seeds: Sequence[int]) -> str:
    span = f"seeds {seeds[0]} to {seeds[-1]}"
    if options.senses != "model":
        return f"{len(seeds)} {what} of the twin (synthetic), level {options.level}, world {options.world}, {span}"
    lacking = f", without {', '.join(sorted(options.without))}" if options.without else ""
    how = ", greedy" if options.greedy else ""
    cameras = f"{options.cameras} camera{'s' if options.cameras != 1 else ''}"
    return (
        f"{len(seeds)} {what} with modelled senses: the referee's logic is measured, never the eyes. People of level {options.level}, "
        f"{options.players} players, {cameras}{lacking}{how}, {span}"
    )


def _row(name: str, tally: Tally) -> str:
    low, high = tally.interval()
    least, most = tally.unaided_interval()
    share = f"{tally.share:8.1%}" if tally.n else "       -"
    alone = f"{tally.unaided / tally.n:8.1%}" if tally.n else "       -"
    spans = f"{low:.1%} to {high:.1%}", f"{least:.1%} to {most:.1%}"
    return f"{_word(name):<16}{tally.right:>7}{tally.n:>7} {share}   {spans[0]:<17}{tally.unaided:>9} {alone}   {spans[1]}"


def _delay(words: str, seconds: Sequence[float]) -> str:
    middle, late = quantile(seconds, 0.5) or 0.0, quantile(seconds, 0.95) or 0.0
    return f"{words}: median {middle:.2f} s, p95 {late:.2f} s, at the latest {max(seconds):.2f} s, n = {len(seconds)}"


def _word(name: str) -> str:
    return _WORDS.get(name, name.replace("_", " "))


def beside(summed: Result, options: Options, other: Mapping[str, Any]) -> str:
    """This exam's figures beside those of another (`as_json`, decoded): what is right in one world and not in the other is the twin's own
    handwriting."""
    heads = f"level {options.level}, world {options.world}", f"level {other['level']}, world {other['world']}"
    lines = [f"{'':<16}{heads[0]:>32}{heads[1]:>32}"]
    for name in TALLIES:
        if name in other:
            both = getattr(summed, name), Tally(other[name]["right"], other[name]["n"])
            lines.append(f"{_word(name):<16}" + "".join(f"{_in_short(tally):>32}" for tally in both))
    return "\n".join(lines)


def _in_short(tally: Tally) -> str:
    low, high = tally.interval()
    return f"{tally.right} of {tally.n} ({low:.1%} to {high:.1%})" if tally.n else "-"


def kinds_table(kinds: Mapping[str, Tally]) -> str:
    """Situations told right throughout, a line a kind."""
    return "\n".join(f"  {kind:<28}{tally.right:>5} of {tally.n}" for kind, tally in kinds.items())


def worst(results: Sequence[Result], number: int = 10) -> str:
    """The games with the most told wrong, result-relevant first, each with what was wrong first."""
    ranked = sorted(results, key=lambda one: (-sum(not w.cosmetic for w in one.wrong), -len(one.wrong), one.seed))
    return "\n".join(
        f"  game {one.seed}: {len(one.wrong)} wrong, {one.questions} questions; first at {one.wrong[0].t_s:.1f} s: {one.wrong[0].what}"
        for one in ranked[:number]
        if one.wrong
    )


def as_json(summed: Result, what: str, options: Options, seeds: Sequence[int]) -> bytes:
    """The contract, as README.md lists it: what was examined, a tally each for the counts in `TALLIES`, and the other figures."""
    tallies = {name: getattr(summed, name) for name in TALLIES}
    figures = {name: {"right": one.right, "n": one.n, "unaided": one.unaided} for name, one in tallies.items()}
    factor = summed.hours / summed.wall_hours if summed.wall_hours else 0.0
    delays = {
        name: {"n": len(seconds), "p50": quantile(seconds, 0.5), "p95": quantile(seconds, 0.95)}
        for name in _DELAYS
        for seconds in [getattr(summed, name)]
    }
    return msgspec.json.encode(
        {
            "examined": what,
            "senses": options.senses,
            "level": options.level,
            "world": options.world,
            "players": options.players,
            "cameras": options.cameras,
            "without": sorted(options.without),
            "greedy": options.greedy,
            "seeds": [seeds[0], seeds[-1]],
            **figures,
            "delays": delays,
            "false_collapses": summed.false_collapses,
            "false_facts": summed.false_facts,
            "false_violations": summed.false_violations,
            "revised": summed.revised,
            "collapse_called_after_s": list(summed.call_s),
            "hours": round(summed.hours, 4),
            "questions": summed.questions,
            "needless": [{"t_s": one.t_s, "question": one.question, "why": one.why} for one in summed.needless],
            "real_time_factor": round(factor, 3),
            "real_time_factor_of_one_core": round(summed.hours / summed.cpu_hours, 3) if summed.cpu_hours else 0.0,
        }
    )


_NEEDED = ("level", "world", "raises", "aborts", "games_perfect")


def read_json(path: Path) -> Mapping[str, Any]:
    """What an earlier exam wrote with `--json`; PalettiError if that is not what the file is."""
    try:
        figures = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError) as error:
        raise PalettiError(
            f"{path} cannot be read as an exam's figures: {error}.", "Name a file that `paletti exam --json` wrote."
        ) from error
    lacking = [name for name in _NEEDED if name not in figures]
    if lacking:
        raise PalettiError(f"{path} is not an exam's figures: it has no {lacking[0]}.", "Name a file that `paletti exam --json` wrote.")
    return figures
