"""The moment before an event as it is understood now: what a desk that puts it right must offer from."""

from __future__ import annotations

import random

from rig.bench.random_games import any_game, play_on
from rig.pieces import Floor
from rig.rules import Aborted, Corrected, Raised
from tests.rules.table import column, villa

SET_UP = 3


def test_the_moment_after_everything_is_where_the_game_stands() -> None:
    """B13: in random games with corrections, rulings of the table and broken rules."""
    corrected = 0
    for seed in range(300):
        chooser = random.Random(seed)
        game = play_on(any_game(chooser.choice), 60, chooser.choice)
        corrected += len(game.amendments)
        assert game.before(len(game.log) + 1).position == game.position
    assert corrected > 100


def test_without_corrections_it_is_what_it_was_at_the_time() -> None:
    compared = 0
    for seed in range(60):
        chooser = random.Random(1000 + seed)
        game = play_on(any_game(chooser.choice), 40, chooser.choice)
        if game.amendments:
            continue
        for number in range(1, len(game.log) + 1):
            assert game.before(number).position == game.at(number - 1).position
            compared += 1
    assert compared > 500


def test_an_earlier_correction_counts_and_a_later_one_does_not() -> None:
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1")
    game = game.apply(Corrected(SET_UP + 1, (Aborted(column("red-hex-1")),))).apply(Corrected(SET_UP + 3))
    moment = game.before(SET_UP + 3)
    assert moment.where(column("red-thin-1")) is Floor.GROUND
    assert moment.locked == {column("red-hex-1")}
    assert moment.where(column("blue-thin-1")) is Floor.BLUE
    assert moment.turn == 2


def test_what_an_event_is_taken_for_is_its_latest_correction() -> None:
    game = villa("raise red-thin-1")
    number = SET_UP + 1
    assert game.really(number) == (Raised(column("red-thin-1")),)
    struck = game.apply(Corrected(number))
    assert struck.really(number) == ()
    assert struck.apply(Corrected(number, (Raised(column("red-hex-1")),))).really(number) == (Raised(column("red-hex-1")),)
    assert struck.really(number + 1) == (), "a correction is no event of its own"
