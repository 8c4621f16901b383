"""What players wear is learnt from their own deeds."""

from __future__ import annotations

from rig.pieces import Colour
from rig.referee.action import SeenHand
from rig.referee.sleeve_attribution import Sleeves

COLOURS = ((Colour.RED,), (Colour.BLUE,))


def hands(*sleeves: Colour | None) -> list[SeenHand]:
    return [SeenHand(float(k), sleeve, 0.05) for k, sleeve in enumerate(sleeves)]


def test_before_anybody_has_built_a_sleeve_is_its_colours_players() -> None:
    assert Sleeves().whose(Colour.BLUE, 0, COLOURS) == 1


def test_who_builds_in_a_shirt_of_another_players_colour_owns_that_sleeve() -> None:
    sleeves = Sleeves()
    for _ in range(2):
        sleeves.note(0, hands(Colour.BLUE, Colour.BLUE, None))
    assert sleeves.whose(Colour.BLUE, 0, COLOURS) == 0


def test_the_colour_of_one_who_builds_with_bare_arms_tells_nothing() -> None:
    sleeves = Sleeves()
    for _ in range(2):
        sleeves.note(1, hands(None, None, None))
    assert sleeves.whose(Colour.BLUE, 0, COLOURS) is None


def test_a_helpers_sleeve_now_and_then_does_not_become_the_builders() -> None:
    sleeves = Sleeves()
    for sleeve in (Colour.BLUE, Colour.RED, Colour.RED):
        sleeves.note(0, hands(sleeve, sleeve))
    assert sleeves.whose(Colour.BLUE, 0, COLOURS) == 1
