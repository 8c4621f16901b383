"""A fall is called while pieces still roll: when the eyes are asked for one, and when their word is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rig.messages import Fallen
from rig.referee.action import Action
from rig.referee.looks import Judging
from rig.referee.memory import Memory
from rig.referee.state import Watch
from rig.referee.verdict import Verdict


def frames(memory: Memory, action: Action, watch: Watch) -> tuple[Watch, Mapping[int, int] | None]:
    """Pictures in which a fall is to be looked for now, of a scene that moves or in which what lies there looks like a hand."""
    senses, t_s, tuned = memory.senses, memory.t_s, memory.tuned
    falling = senses.falling_frames(t_s, action) if t_s - watch.fall_looked_t_s >= tuned.fall_again_s else None
    if falling is not None:
        return replace(watch, fall_looked_t_s=t_s), falling
    still = senses.still_frames(t_s, tuned.still_patience_s) if t_s - watch.still_t_s > tuned.still_again_s else None
    if still is not None and _weight_is_strange(memory, action):
        return replace(watch, still_t_s=t_s), still
    return watch, None


def _weight_is_strange(memory: Memory, action: Action) -> bool:
    """Whether the weight moved in a way that hands at work do not explain."""
    weighed = memory.senses.weighed
    if weighed is None or weighed.weight_g is None or action.weight_before_g is None:
        return True
    return action.swing_g > 0 or abs(weighed.weight_g - action.weight_before_g) > memory.tuned.strange_g


def called(memory: Memory, watch: Watch, judging: Judging, verdict: Verdict) -> tuple[Watch, bool]:
    """Whether these pictures are enough: what still moves must look fallen twice in a row."""
    fallen = verdict.sure and isinstance(verdict.best.hypothesis, Fallen)
    at_rest = all(not memory.senses.eyes[camera].moving for camera in judging.frames)
    enough = fallen and (at_rest or memory.t_s - watch.fall_seen_t_s <= memory.tuned.twice_s)
    return replace(watch, fall_seen_t_s=memory.t_s if fallen else -1e9), enough
