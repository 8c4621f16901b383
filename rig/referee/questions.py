"""Questions for the desk, and what their answers mean.

A question names the few things that could have happened, in plain words; its choices are the answers, word for word, so that a tap at the
desk and a recorded answer are the same message.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.messages import Added, Ask, Evidence, Fallen, Hypothesis, Moved, MovedTwo, Nothing, PlateauLaid, Removed, Stacked, Toppled, Tower
from rig.pieces import Column
from rig.profile import Profile
from rig.referee.attribution import Attribution
from rig.referee.hypotheses import Weighted
from rig.referee.predicted_tower import predicted
from rig.referee.verdict import Candidate, Verdict
from rig.rules.events import OutsideChoice

NOTHING = "nothing"
COLLAPSE = "collapse"
SOMETHING_ELSE = "something else"
NO_COLUMN = "none"
SAID = 0.98
"""Confidence of what people say (in two of a hundred answers they are wrong)."""
NOBODY = "nobody playing"
OUTSIDE = {"rebuild it": OutsideChoice.REBUILD, "the holder wins": OutsideChoice.HOLDER_WINS}
"""What the table may make of a collapse that nobody playing caused (E8)."""


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


@dataclass(frozen=True, slots=True)
class Question:
    """An open question: what was asked and what each answer means."""

    ask: Ask
    meaning: dict[str, Hypothesis]
    fact: int | None = None
    """The collapse whose culprit is asked."""
    tried: bool = False
    """Which column was tried and put back is asked."""


def what_happened(ask_id: int, t_s: float, weighted: tuple[Weighted, ...], verdict: Verdict) -> Question:
    """Which of these happened? All hypotheses are offered, the likeliest first; a person must always be able to say what was so."""
    ranked = [candidate.hypothesis for candidate in verdict.candidates] or [w.hypothesis for w in weighted]
    meaning: dict[str, Hypothesis] = {}
    for hypothesis in ranked:
        choice = choice_of(hypothesis)
        if choice is not None:
            meaning[choice] = hypothesis
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="What happened?", question_german="Was ist geschehen?",
        choices=(*meaning, SOMETHING_ELSE), reason=verdict.doubt,
    )  # fmt: skip
    return Question(ask, meaning)


def which_column(ask_id: int, t_s: float, among: tuple[Column, ...], said: bool) -> Question:
    """Which column was moved and put back? `said`: the player has said that one was."""
    unclear = "The attempt was broken off, but the pictures do not show clearly with which column."
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="Which column was moved and put back?",
        question_german="Welche Säule wurde bewegt und zurückgestellt?", choices=(*map(str, among), NO_COLUMN),
        reason=unclear if said else "One seems to have left its place for a while.",
    )  # fmt: skip
    return Question(ask, {}, tried=True)


def how_the_turn_ended(ask_id: int, t_s: float, among: tuple[Column, ...]) -> Question:
    """The next player has built: which column had the player before tried and put back?"""
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="The next player has built. Which column was tried and put back before that?",
        question_german="Es wurde schon weitergebaut. Welche Säule wurde davor versucht und zurückgestellt?",
        choices=(*map(str, among), NO_COLUMN), reason="Otherwise this raise was not with the player's own column.",
    )  # fmt: skip
    return Question(ask, {})


def who_did_it(ask_id: int, t_s: float, names: tuple[str, ...], blamed: Attribution, fact: int) -> Question:
    """Who brought the tower down? The likeliest is offered first."""
    ranked = sorted(names, key=lambda name: blamed.seat is None or name != names[blamed.seat])
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="The tower fell. Whose doing was it?", question_german="Der Turm ist eingestürzt. Wer war es?",
        choices=(*ranked, NOBODY), reason=f"I cannot tell by myself: {blamed.evidence.sentence}.",
    )  # fmt: skip
    return Question(ask, {}, fact)


def rebuild_or_end(ask_id: int, t_s: float) -> Question:
    """Nobody playing caused the fall: is the tower rebuilt as it was, or has the holder won?"""
    ask = Ask(
        id=ask_id, t_s=t_s, question_english="Nobody playing brought it down. What now?",
        question_german="Niemand am Tisch war schuld. Was nun?", choices=tuple(OUTSIDE), reason="The rules leave it to the table (E8).",
    )  # fmt: skip
    return Question(ask, {})


def confirmed(hypothesis: Hypothesis, verdict: Verdict | None, word: tuple[Evidence, ...], tower: Tower, profile: Profile) -> Candidate:
    """What people said, with the eyes' places where they found any that fit, else with supposed ones. What fell may stand again."""
    candidates = verdict.candidates if verdict is not None else ()
    seen = next((c for c in candidates if c.hypothesis == hypothesis or isinstance(c.hypothesis, Nothing)), None)
    after = seen.tower if seen is not None and seen.tower is not None else predicted(tower, hypothesis, profile)
    return Candidate(hypothesis, SAID, after, word)
