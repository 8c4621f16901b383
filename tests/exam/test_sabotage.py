"""A referee that tells what is not so is seen by the exam, whichever way it lies: each of these spoils one thing of a whole game."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest

from rig.engine.fold import Fold
from rig.exam.holding import held
from rig.exam.modelled.likelihoods import FAULTLESS
from rig.exam.modelled.play import Modelled, ModelledGame
from rig.exam.results import Result, So, Span, total
from rig.exam.watcher import Watcher
from rig.messages import Fact, FactKind, Message, OutcomeView, Reading, Ruling, View
from rig.pieces import Column, Shape
from rig.profile import Profile
from rig.referee.referee import Heard, Referee

SEEDS = (8, 9)
"""Games of careful people that end in a collapse, with seals that pass."""


class Honest:
    """A referee that passes on what the real one says; what a saboteur changes is `spoiled`."""

    def __init__(self, profile: Profile) -> None:
        self.real = Referee(profile)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def step(self, message: Message, readings: tuple[Reading, ...] = ()) -> Heard:
        return self.spoiled(self.real.step(message, readings))

    def spoiled(self, heard: Heard) -> Heard:
        return heard


class BlamesTheNext(Honest):
    """The culprit is always the neighbour of whoever it was."""

    def spoiled(self, heard: Heard) -> Heard:
        if heard.view is None or heard.view.outcome is None:
            return heard
        outcome = heard.view.outcome
        culprit = None if outcome.culprit is None else (outcome.culprit + 1) % 4
        view = msgspec.structs.replace(heard.view, outcome=OutcomeView(outcome.winners, culprit, outcome.english, outcome.german))
        return heard._replace(view=view)


class SealOneStepLate(Honest):
    """The seal passes on the screen only when it truly passes the next time."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(profile)
        self._true: int | None = None
        self._shown: int | None = None

    def spoiled(self, heard: Heard) -> Heard:
        if heard.view is None:
            return heard
        if heard.view.holder != self._true:
            self._shown, self._true = self._true, heard.view.holder
        return heard._replace(view=msgspec.structs.replace(heard.view, holder=self._shown))


class DropsARaise(Honest):
    """The third raise is not told."""

    def __init__(self, profile: Profile) -> None:
        super().__init__(profile)
        self._raises = 0

    def spoiled(self, heard: Heard) -> Heard:
        facts = []
        for fact in heard.facts:
            self._raises += fact.kind is FactKind.RAISED
            if fact.kind is not FactKind.RAISED or self._raises != 3:
                facts.append(fact)
        return heard._replace(facts=tuple(facts))


class Hasty(Honest):
    """Every fourth raise is first told of another column, and revised a message later."""

    revises = True

    def __init__(self, profile: Profile) -> None:
        super().__init__(profile)
        self._raises = 0
        self._later: list[tuple[Fact, Ruling]] = []

    def spoiled(self, heard: Heard) -> Heard:
        facts, rulings = [], list(heard.rulings)
        for fact, ruling in self._later:
            if self.revises:
                facts.append(fact)
                rulings.append(ruling)
        self._later = []
        for fact in heard.facts:
            self._raises += fact.kind is FactKind.RAISED
            if fact.kind is FactKind.RAISED and self._raises % 4 == 0 and fact.column is not None:
                wrong = msgspec.structs.replace(fact, column=_another(fact.column))
                hasty = _ruling(900_000 + fact.id, fact.t_s, (fact.id,), None)
                better = msgspec.structs.replace(fact, id=800_000 + fact.id)
                self._later.append((better, _ruling(950_000 + fact.id, fact.t_s, (better.id,), hasty.id)))
                facts.append(wrong)
                rulings.append(hasty)
            else:
                facts.append(fact)
        return heard._replace(facts=tuple(facts), rulings=tuple(rulings))


class DropsRevisions(Hasty):
    """The same, but what later evidence showed is never told."""

    revises = False


def _another(column: Column) -> Column:
    shape = Shape.THIN if column.shape is Shape.THICK else Shape.THICK
    return Column(column.colour, shape, 1)


def _ruling(number: int, t_s: float, facts: tuple[int, ...], revises: int | None) -> Ruling:
    return Ruling(id=number, t_s=t_s, kind="raised", rule_ids=(), facts=facts, english="", german="", revises=revises)


@cache
def examined(make: Callable[[Profile], Any]) -> Result:
    """The games' figures by this referee, added up."""
    results = []
    for seed in SEEDS:
        watcher = Watcher()
        game = ModelledGame(seed, Modelled(level="lab", likelihoods=FAULTLESS), [watcher], Fold(make))
        watcher.begin(game.table.game.holder)
        game.run()
        so = So(game.table.log, game.table.game, game.table.seal)
        results.append(held(seed, so, watcher, game.fold.referee.book.game, Span(game.t_s, 1.0)))
    return total(results)


def test_with_faultless_senses_an_honest_referee_tells_everything_right() -> None:
    honest = examined(Honest)
    assert honest.games_perfect.unaided == honest.games_relevant.right == honest.culprits.right == len(SEEDS)
    assert (honest.seal_changes.n, honest.revised, honest.questions) == (5, 0, 0)


def test_a_wrong_culprit_is_seen() -> None:
    spoiled = examined(BlamesTheNext)
    assert spoiled.culprits.right == 0
    assert spoiled.games_relevant.right == 0
    assert spoiled.games_perfect.right == 0


def test_a_seal_that_passes_one_step_late_is_seen() -> None:
    late = examined(SealOneStepLate)
    assert late.seal_changes.right < late.seal_changes.n
    assert late.games_relevant.right == 0


def test_a_raise_that_is_dropped_is_seen() -> None:
    assert examined(DropsARaise).raises.right == examined(Honest).raises.right - len(SEEDS)
    assert examined(DropsARaise).games_perfect.right == 0


def test_a_fact_that_was_revised_is_as_good_as_told_at_once() -> None:
    revised, honest = examined(Hasty), examined(Honest)
    assert revised.revised >= 2
    assert (revised.raises, revised.false_facts) == (honest.raises, honest.false_facts)


def test_revisions_that_are_dropped_are_seen() -> None:
    spoiled, honest = examined(DropsRevisions), examined(Honest)
    assert spoiled.raises.right < honest.raises.right
    assert spoiled.false_facts > honest.false_facts
    assert spoiled.games_perfect.right == 0


def test_what_the_screen_shows_last_is_held_to_the_truth() -> None:
    class ShowsNoLocks(Honest):
        def spoiled(self, heard: Heard) -> Heard:
            view: View | None = heard.view
            return heard if view is None else heard._replace(view=msgspec.structs.replace(view, locked=()))

    assert examined(ShowsNoLocks).games_relevant.right < len(SEEDS)


@pytest.mark.parametrize("make", [BlamesTheNext, DropsARaise, DropsRevisions])
def test_every_spoiled_game_is_named_as_faulty(make: type[Honest]) -> None:
    assert examined(make).games_perfect.right < examined(make).games_perfect.n
