"""Whether the parts of a position that was told fit together, and the parts that follow from the others.

A position that play leads to is whole by construction; one that somebody wrote down is not.
"""

from __future__ import annotations

from rig.errors import PalettiError
from rig.pieces import Floor
from rig.rules.draft import Draft
from rig.rules.handling import BEFORE_PLAY
from rig.rules.position import Phase, Position


def owned(position: Position) -> Position:
    """The position with owners and scores worked out from colours and floors, once building has begun (S1, S2)."""
    if position.turn is None:
        return position
    draft = Draft(position, 0)
    draft.deal_out()
    since = draft.since
    draft.score_again()
    draft.since, draft.ticks = since, position.ticks
    return draft.frozen()


def fits(position: Position) -> None:
    """PalettiError if the parts of a position contradict each other."""
    table, phase = position.table, position.phase
    if set(position.laid) - set(table.pieces.plateaus) or len(set(position.laid)) != len(position.laid):
        raise PalettiError("A plateau lies twice, or is not in the set (P2).")
    if {floor for floor in position.floors if floor is not None} - {Floor.GROUND, *position.laid}:
        raise PalettiError("A column stands on a plateau that does not lie.", "Name the plateaus that lie, from the bottom, in `laid`.")
    if len(position.since) != len(table.names):
        raise PalettiError("Each player needs a number in `since`.")
    dealt = [colour for colours in position.colours for colour in colours]
    if len(set(dealt)) != len(dealt):
        raise PalettiError("Two players have the same colour.", "Each colour is one player's (U3).")
    playing = phase not in BEFORE_PLAY
    if playing and ([len(colours) for colours in position.colours] != [table.colours_each] * len(table.names) or position.turn is None):
        raise PalettiError(f"In the phase {phase} every player has colours, and it is somebody's turn (U3, U4).")
    if not playing and position.turn is not None:
        raise PalettiError(f"In the phase {phase} it is nobody's turn (U3).")
    if phase in (Phase.CHALLENGE, Phase.PENALTY) and not position.challenged_by:
        raise PalettiError(f"In the phase {phase} somebody has challenged (C1).")
    if playing and phase not in (Phase.OVER, Phase.DECISION) and position.actor is None:
        raise PalettiError(f"In the phase {phase} the game waits for somebody.", "Name whom in `phase … actor`.")
    if (phase is Phase.OVER) != (position.outcome is not None) or (phase is Phase.DECISION) != (position.resume is not None):
        raise PalettiError("An ended game has a result (`over`), a decision something to go back to (`resume`), and no other phase has.")
