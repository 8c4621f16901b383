"""Questions for the desk, and what their answers mean.

A question names the few things that could have happened, in plain words; its choices are the answers, word for word, so that a tap at the
desk and a recorded answer are the same message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from rig.messages import Added, Ask, Fallen, Hypothesis, Moved, MovedTwo, Nothing, PlateauLaid, Removed, Stacked, Toppled
from rig.pieces import Column
from rig.rules.events import OutsideChoice

if TYPE_CHECKING:
    from rig.referee.looks import Judging
    from rig.referee.state import Found
    from rig.referee.verdict import Verdict

NOTHING = "nothing"
COLLAPSE = "collapse"
SOMETHING_ELSE = "something else"
NO_COLUMN = "none"
NOBODY = "nobody playing"
YES, NO = "yes", "no, we will correct the books"
OUTSIDE = {"rebuild it": OutsideChoice.REBUILD, "the holder wins": OutsideChoice.HOLDER_WINS}
"""What the table may make of a collapse that nobody playing caused (E8)."""


class Sort(Enum):
    """What is asked."""

    WHAT = "what happened"
    WHICH = "which column was put back"
    WHO = "whose doing it was"
    OUTSIDE = "what becomes of a fall by nobody's doing"
    READING = "whether a reading is right"


@dataclass(frozen=True, slots=True)
class Question:
    """An open question: what was asked, of which occasion (None: of what nothing explains), and what each answer means."""

    ask: Ask
    sort: Sort
    occasion: int | None = None
    meaning: Mapping[str, Hypothesis] | None = None
    judging: Judging | None = None
    verdict: Verdict | None = None
    found: Found | None = None


def choice_of(hypothesis: Hypothesis) -> str | None:
    """The answer that stands for this hypothesis; None for "none of these"."""
    match hypothesis:
        case Nothing():
            return NOTHING
        case Fallen():
            return COLLAPSE
        case Moved(column=column) | Added(column=column):
            return str(column)
        case Removed(column=column):
            return f"took out {column}"
        case Toppled(columns=columns):
            return f"fell over: {', '.join(map(str, columns))}"
        case MovedTwo(columns=columns):
            return f"raised two: {columns[0]} and {columns[1]}"
        case Stacked(column=column, on=on):
            return f"{column} on top of {on}"
        case PlateauLaid(plateau=plateau):
            return f"plateau {plateau.word}"
        case _:
            return None


def what_happened(ask_id: int, t_s: float, judging: Judging, verdict: Verdict, occasion: int | None = None, doubt: str = "") -> Question:
    """Which of these happened? All hypotheses are offered, the likeliest first; a person must always be able to say what was so."""
    ranked = [candidate.hypothesis for candidate in verdict.candidates] or list(judging.request.hypotheses)
    meaning: dict[str, Hypothesis] = {}
    for hypothesis in ranked:
        choice = choice_of(hypothesis)
        if choice is not None:
            meaning[choice] = hypothesis
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="What happened?", question_german="Was ist geschehen?",
        choices=(*meaning, SOMETHING_ELSE), reason=doubt or verdict.doubt,
    )  # fmt: skip
    return Question(ask, Sort.WHAT, occasion, meaning, judging, verdict)


def which_column(ask_id: int, t_s: float, among: Sequence[Column], said: bool, occasion: int, who: str) -> Question:
    """Which column was moved and put back? `said`: the player has said that one was; `who`: the player's name, where one is meant."""
    unclear = "The attempt was broken off, but the pictures do not show clearly with which column."
    english = f"Which column was moved and put back{f' by {who}' if who else ''}?"
    german = f"Welche Säule wurde{f' von {who}' if who else ''} bewegt und zurückgestellt?"
    ask = Ask(
        id=ask_id, t_s=t_s, question_english=english, question_german=german, choices=(*map(str, among), NO_COLUMN),
        reason=unclear if said else "One seems to have left its place for a while.",
    )  # fmt: skip
    return Question(ask, Sort.WHICH, occasion)


def who_did_it(ask_id: int, t_s: float, names: Sequence[str], likeliest: int | None, occasion: int | None, why: str) -> Question:
    """Who brought the tower down? The likeliest is offered first."""
    ranked = sorted(names, key=lambda name: likeliest is None or name != names[likeliest])
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="The tower fell. Whose doing was it?", question_german="Der Turm ist eingestürzt. Wer war es?",
        choices=(*ranked, NOBODY), reason=f"I cannot tell by myself: {why}.",
    )  # fmt: skip
    return Question(ask, Sort.WHO, occasion)


def rebuild_or_end(ask_id: int, t_s: float) -> Question:
    """Nobody playing caused the fall: is the tower rebuilt as it was, or has the holder won?"""
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="Nobody playing brought it down. What now?",
        question_german="Niemand am Tisch war schuld. Was nun?", choices=tuple(OUTSIDE), reason="The rules leave it to the table (E8).",
    )  # fmt: skip
    return Question(ask, Sort.OUTSIDE)


def is_it_so(ask_id: int, t_s: float, english: str, german: str, found: Found) -> Question:
    """The tower as read differs from the books by these deeds: are they so?"""
    ask = Ask(
        id=ask_id, t_s=t_s, question_english=f"The tower differs from the books: {english}. Is that so?",
        question_german=f"Der Turm steht anders als in den Büchern: {german}. Stimmt das?", choices=(YES, NO),
        reason="I lost track and have read the whole tower anew.",
    )  # fmt: skip
    return Question(ask, Sort.READING, found=found)
