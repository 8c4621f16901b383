"""What a seat's one button means: the same press is a request, a challenge or an abort, by who presses and when.

The base dates each press by its own clock and sends presses in their order, so the first to challenge is the first in the stream.
"""

from __future__ import annotations

from rig.messages import Call, CallWord
from rig.rules import Phase


def meant(seat: int, phase: Phase, turn: int | None, actor: int | None, handled: bool) -> Call | None:
    """The call a press by `seat` stands for; None: nothing. `handled`: hands have been at the tower since the turn began."""
    word: CallWord | None = None
    match phase:
        case Phase.BUILD if seat == actor:
            word = CallWord.ABORT if handled else CallWord.REQUEST
        case Phase.OWN | Phase.RETRY if seat == actor and handled:
            word = CallWord.ABORT
        case Phase.CLAIM:
            word = CallWord.UNCHALLENGED if seat == turn else CallWord.CHALLENGE
        case Phase.CHALLENGE | Phase.PROOF if seat == actor:
            word = CallWord.ABORT if handled else CallWord.GIVE_UP
        case Phase.PENALTY if seat == actor:
            word = CallWord.ABORT if handled else CallWord.WAIVE
        case _:
            pass
    return Call(word=word, seat=seat) if word is not None else None
