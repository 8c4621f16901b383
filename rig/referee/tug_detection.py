"""Everything is in its place, but hands were in: the eyes are asked whether a column was tugged and put back."""

from __future__ import annotations

from rig.messages import Tower, Track, Tracked
from rig.referee.aborts import Abort
from rig.referee.look_request import Pending
from rig.referee.mind import Mind

WITNESSES = 48
"""At most so many pictures of an action, spread over it, are searched for a column that was tugged and put back."""


class TugDetection:
    """One such search at a time."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._open: int | None = None

    @property
    def open(self) -> bool:
        return self._open is not None

    def drop(self) -> None:
        self._open = None

    def look_for(self, pending: Pending, before: Tower) -> None:
        """Searches the action's pictures, if there are any and somebody may have been at a column."""
        mind = self._mind
        columns = mind.book.attempt_columns()
        seen = pending.action.witnesses
        witnesses = tuple(seen[k * len(seen) // WITNESSES] for k in range(WITNESSES)) if len(seen) > WITNESSES else tuple(seen)
        poses = tuple(eye.pose for camera in sorted(pending.references) if (eye := mind.senses.eyes[camera]).pose is not None)
        if not columns or not witnesses or not poses:
            return
        request = Track(
            id=mind.outbox.next_id(), before=tuple(pending.references[pose.camera] for pose in poses), frames=witnesses, poses=poses,
            tower=before, columns=columns,
        )  # fmt: skip
        self._open = request.id
        mind.outbox.request(request)

    def hear(self, tracked: Tracked) -> Abort | None:
        """What sight and the player's word come to together, if that is enough."""
        if tracked.id != self._open:
            return None
        self._open = None
        return self._mind.aborts.tracked(self._mind.t_s, tracked.traces)
