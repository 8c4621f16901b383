"""What is gone for a while: a column out of its place and off the scale, or a tower that somebody holds up out of sight.

Neither is ruled at once, because the hand that has it may come back. What comes back to where it stood leaves pictures in which nothing has
changed; that it was gone is then known from here alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rig.messages import Evidence, Removed, Toppled
from rig.pieces import Column
from rig.referee.action import Action
from rig.referee.expectations import expected
from rig.referee.looks import Judging
from rig.referee.memory import Memory
from rig.referee.state import Gone, Watch
from rig.referee.verdict import Verdict, seen


def glimpse(memory: Memory, action: Action, watch: Watch) -> tuple[Watch, Mapping[int, int] | None]:
    """Pictures to look at now: hands are back at the tower, which had stood calm without them, though not for long enough to settle."""
    senses, t_s = memory.senses, memory.t_s
    frames = senses.glimpsed_frames(t_s, action.start_t_s)
    if frames is not None:
        return (_with(watch, frames), None) if watch.glimpsed != frames else (watch, None)
    if watch.glimpsed is not None and senses.hands_in(t_s):
        return _with(watch, None), watch.glimpsed if action.hands_seen else None
    return watch, None


def _with(watch: Watch, frames: Mapping[int, int] | None) -> Watch:
    return replace(watch, glimpsed=frames)


def waits(memory: Memory, judging: Judging, verdict: Verdict) -> bool:
    """Whether what was found may only be a hand's work that is not done."""
    if memory.book.setting_up:
        return False
    return _is_carried(memory, judging, verdict) or (not verdict.sure and _is_held_up(memory, judging))


def _is_carried(memory: Memory, judging: Judging, verdict: Verdict) -> bool:
    """Whether a column that is gone, from its place and from the scale, may only be in somebody's hand out of sight."""
    tuned = memory.tuned
    if memory.t_s - judging.action.start_t_s > tuned.carried_s or not verdict.candidates:
        return False
    columns = _gone(verdict)
    taken = isinstance(verdict.best.hypothesis, Removed) and columns[0] in expected(memory.course.game).removable
    off_the_plate = judging.change_g is None or judging.change_g < -tuned.carried_g
    return len(columns) == 1 and not taken and off_the_plate and not _lies_in_sight(columns[0], verdict, tuned.lies)


def _is_held_up(memory: Memory, judging: Judging) -> bool:
    """Whether more weight is off the scale than anything that was seen explains: somebody out of sight holds the tower still."""
    tuned, change_g = memory.tuned, judging.change_g
    if change_g is None or memory.t_s - judging.action.start_t_s > tuned.held_s:
        return False
    heaviest_g = max(plateau.mass_g for plateau in memory.profile.plateaus.values())
    return change_g < -tuned.held_g or change_g > heaviest_g + tuned.held_g


def noted(memory: Memory, watch: Watch, judging: Judging, verdict: Verdict) -> Watch:
    """Remembers which column is gone, however it went, if that is clear."""
    columns = _gone(verdict) if verdict.candidates else ()
    if len(columns) != 1:
        return watch
    column = columns[0]
    ways = (Removed(column=column), Toppled(columns=(column,)))
    confidence = sum(candidate.posterior for candidate in verdict.candidates if candidate.hypothesis in ways)
    if confidence < memory.tuned.seen_gone or (watch.gone is not None and watch.gone.column == column):
        return watch
    return replace(watch, gone=Gone(column, memory.t_s, confidence, tuple(judging.frames.values())))


def evidence(gone: Gone, t_s: float) -> Evidence:
    """Everything stands as before, but a column had been gone: it fell, and was stood up again.

    It was not put back: who breaks off does so while pulling, and who has a column out stands it on top.
    """
    for_s = t_s - gone.t_s
    return Evidence("camera", f"{gone.column} was gone from its place and stands there again {for_s:.0f} s later", frames=gone.frames)


def _gone(verdict: Verdict) -> tuple[Column, ...]:
    """The columns that the likeliest has gone from their places; none if it is something else."""
    match verdict.best.hypothesis:
        case Removed(column=column):
            return (column,)
        case Toppled(columns=columns):
            return columns
        case _:
            return ()


def _lies_in_sight(column: Column, verdict: Verdict, by: float) -> bool:
    """Whether the cameras see the column lying somewhere."""
    said = {candidate.hypothesis: seen(candidate) for candidate in verdict.candidates}
    lying, nowhere = said.get(Toppled(columns=(column,))), said.get(Removed(column=column))
    return lying is not None and nowhere is not None and lying - nowhere >= by
