"""Modelled games: whole games by rules-level players, refereed by the real referee, without a picture drawn."""

from __future__ import annotations

import pytest

from rig.cli import exam as command
from rig.engine.fold import Said
from rig.errors import PalettiError
from rig.exam.games import Options
from rig.exam.modelled import exam
from rig.exam.modelled.play import Modelled, ModelledGame
from rig.messages import Fact, Message, encode
from rig.rules import Phase


class Notes:
    """Everything that the referee says, as bytes."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.facts: list[Fact] = []

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        self.said += [encode(one) for one in (*said.facts, *said.rulings, *said.requests)]
        self.facts += said.facts


def test_a_game_comes_to_its_end_and_nearly_everything_is_told() -> None:
    result = exam.play(9, Options(level="home", senses="model"))
    assert result.raises.n >= 10
    assert result.raises.share > 0.8
    assert result.winners.n == 1


def test_the_same_seed_is_the_same_game_with_the_same_rulings() -> None:
    one, other = Notes(), Notes()
    for notes in (one, other):
        ModelledGame(5, Modelled(), [notes]).run()
    assert one.said == other.said
    assert one.facts


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_is_played_by_the_rules(players: int) -> None:
    game = ModelledGame(21, Modelled(players=players))
    game.run()
    assert game.table.game.phase is Phase.OVER
    assert len(game.table.game.players) == players


@pytest.mark.parametrize("without", ["base", "imu"])
def test_a_sense_may_be_missing(without: str) -> None:
    result = exam.play(7, Options(level="home", senses="model", without=frozenset({without})))
    assert result.raises.share > 0.6


def test_a_sense_that_is_none_is_told() -> None:
    with pytest.raises(PalettiError, match="'nose' is no sense"):
        command._without("nose", "model")


def test_drawn_games_lack_no_sense() -> None:
    with pytest.raises(PalettiError, match="Only modelled senses"):
        command._without("base", "twin")
