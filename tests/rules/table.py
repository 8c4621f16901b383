"""Games for the rules' tests: players named after their colours, moves written as in a game record."""

from __future__ import annotations

from rig.pieces import STANDARD_SET, Colour, Column, Floor, PieceSet
from rig.rules import RULEBOOK, AllPlaced, ColoursAssigned, Game, HouseRules, PlateauLaid, Reason, Ruling, RulingKind
from rig.rules.notation import parse_event

RED, BLUE, YELLOW, GREEN = range(4)
FOUR = ("Red", "Blue", "Yellow", "Green")
THREE = ("Red", "Blue", "Yellow")
TWO = ("Anna", "Ben")

EACH_ONE_UP = "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; raise green-thin-1"
GREEN_LAID_BY_RED = EACH_ONE_UP + "; request; unchallenged; lay"
"""Green lies, every player has a thin column below it, and it is blue's turn."""
GREEN_LAID_BY_GREEN = "raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request; unchallenged; lay"
"""Green lies, and it is red's turn."""


def villa(moves: str = "", rules: HouseRules = RULEBOOK, pieces: PieceSet = STANDARD_SET, names: tuple[str, ...] = FOUR) -> Game:
    """A game whose first player (red; with two, Anna: red and blue) is about to begin, after `moves`. With three, green is neutral."""
    colours: tuple[tuple[Colour, ...], ...]
    if len(names) == 2:
        colours = ((Colour.RED, Colour.BLUE), (Colour.YELLOW, Colour.GREEN))
    else:
        colours = tuple((colour,) for colour in tuple(Colour)[: len(names)])
    game = Game.new(pieces, names, rules).play([AllPlaced(), PlateauLaid(), ColoursAssigned(colours, 0)])
    return play(game, moves)


def play(game: Game, moves: str) -> Game:
    """The game after `moves`, written as in a record with semicolons between; a correction stands alone, it has semicolons of its own."""
    for move in [moves] if moves.startswith("correct") else moves.split(";"):
        if move.strip():
            game = game.apply(parse_event(move.strip(), game.table.names))
    return game


def why_not(game: Game, move: str) -> set[str]:
    """The rule ids that `move` would break."""
    return {reason.rule for reason in game.why_not(parse_event(move, game.table.names))}


def reasons(game: Game, move: str) -> tuple[Reason, ...]:
    return game.why_not(parse_event(move, game.table.names))


def column(text: str) -> Column:
    return Column.parse(text)


def floor(game: Game, text: str) -> Floor | None:
    """What the column written as `text` stands on."""
    return game.where(Column.parse(text))


def kinds(game: Game) -> list[RulingKind]:
    """What the last event was ruled to be."""
    return [ruling.kind for ruling in game.rulings]


def found(game: Game, kind: RulingKind) -> Ruling:
    """The last event's one ruling of this kind."""
    (ruling,) = [ruling for ruling in game.rulings if ruling.kind is kind]
    return ruling


def flagged(game: Game) -> set[str]:
    """The rule ids of the violation in the last event."""
    return set(found(game, RulingKind.VIOLATION).rules)


def refused(game: Game) -> set[str]:
    """The rule ids by which the last call was refused."""
    return set(found(game, RulingKind.REFUSED).rules)
