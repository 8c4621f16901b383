"""Random events, right and wrong, told to the engine and to the naive telling at once: whatever differs is a mistake of one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rig.bench.oracle_of_deeds import Deed, Witness
from rig.bench.random_games import SETS, any_rules
from rig.pieces import Colour, Column, Floor, PieceSet
from rig.rules import (
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Collapsed,
    ColoursAssigned,
    Event,
    Game,
    GaveUp,
    HouseRules,
    Incident,
    Passed,
    PenaltyWaived,
    Phase,
    PlateauLaid,
    ProofOffered,
    Raised,
    Requested,
    RulingKind,
    Stopped,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.house import SWITCHES

Pick = Callable[[Sequence[Any]], Any]

CALLS: dict[str, Callable[[int | None], Event]] = {
    "request": lambda by: Requested(by=by),
    "unchallenged": lambda _by: Unchallenged(),
    "challenge": lambda by: Challenged(by or 0),
    "proof": lambda by: ProofOffered(by or 0),
    "give-up": lambda by: GaveUp(by=by),
    "waive": lambda by: PenaltyWaived(by=by),
    "cannot-lay": lambda by: CannotLay(by=by),
    "build-nothing": lambda by: BuiltNothing(by=by),
    "pass": lambda by: Passed(by=by),
    "stop": lambda by: Stopped(by=by),
}
"""Every call of a turn, with who says it."""

DOING = {
    Phase.BUILD: "turn",
    Phase.RETRY: "again",
    Phase.OWN: "own",
    Phase.CLAIM: "asked",
    Phase.CHALLENGE: "challenge",
    Phase.PENALTY: "penalty",
    Phase.LAY: "lay",
}


def beginning(pick: Pick) -> tuple[Game, Witness]:
    """The same beginning twice: everything on the ground, blue laid, player 0 to move, any set and any switches."""
    pieces: PieceSet = pick(SETS)
    players, rules = pick((2, 3, 4)), any_rules(pick)
    dealt = ((Colour.RED, Colour.BLUE), (Colour.YELLOW, Colour.GREEN)) if players == 2 else tuple((c,) for c in tuple(Colour)[:players])
    game = Game.new(pieces, tuple("0123"[:players]), rules).play([AllPlaced(), PlateauLaid(), ColoursAssigned(dealt, 0)])
    return game, Witness(map(str, pieces.columns), len(pieces.plateaus), players, **switches(rules))


def switches(rules: HouseRules) -> dict[str, object]:
    """The house rules as plain texts and numbers."""
    return {name: str(value) if isinstance(value := getattr(rules, name), str) else value for name in SWITCHES}


def any_deed(witness: Witness, pick: Pick) -> Deed:
    """A deed or a call, as likely right as wrong: what is allowed now, or anything at all. A collapse is rare, for it ends everything."""
    by = pick((None, None, *range(witness.players)))
    kind = pick(("legal", "legal", "legal", "column", "column", "lay", "incident", "call", "rare"))
    if kind == "legal" and (moves := [move for move in witness.moves() if "stacked-on" not in move]):
        word, _, rest = pick(moves).partition(" ")
        column, _, named = rest.partition("by ")
        return Deed(word, column.strip(), int(named.strip('"')) if named else pick((None, None, by)))
    column = pick((*witness.place, *([witness.last_raise[1]] if witness.last_raise else ())))
    if kind == "lay":
        return Deed("lay", by=by, covers=pick((None, None, 2, 4)), touches=pick((None, 2, 4)), wrong=pick((False, False, True)))
    if kind == "incident":
        return Deed("incident", pick(("", column)), by, outside=pick((False, False, False, True)))
    if kind == "call":
        word = pick(tuple(CALLS))
        return Deed(word, by=pick(range(witness.players)) if word in ("challenge", "proof") else by)
    if kind == "rare" and pick(range(12)) == 0:
        return Deed("collapse", pick(("", column)), by)
    word = pick(("raise", "raise", "abort", "touch", "take-out"))
    onto = pick((None, None, *range(witness.top + 1))) if word == "raise" else None
    return Deed(word, column, by, onto, wrong=word != "touch" and pick((False, False, False, True)))


def as_event(deed: Deed, game: Game) -> Event:
    """The deed in the engine's words."""
    if deed.word in CALLS:
        return CALLS[deed.word](deed.by)
    column = Column.parse(deed.column) if deed.column else None
    shifted = (Floor.BLUE,) if deed.wrong else ()
    if deed.word == "lay":
        nudged = game.pieces.columns[:1] if deed.wrong else ()
        return PlateauLaid(by=deed.by, covers=deed.covers, touches=deed.touches, nudged=nudged)
    if deed.word == "incident":
        return Incident(column, by=deed.by, outside=deed.outside)
    if deed.word == "collapse":
        return Collapsed(column, by=deed.by)
    assert column is not None
    if deed.word == "touch":
        return Touched(column, by=deed.by)
    if deed.word == "raise":
        return Raised(column, None if deed.onto is None else Floor(deed.onto), by=deed.by, held_plateau=deed.wrong)
    return (Aborted if deed.word == "abort" else TakenOut)(column, by=deed.by, shifted=shifted)


def stands(game: Game) -> dict[str, object]:
    """Everything that is compared, as the engine has it."""
    position, outcome = game.position, game.outcome
    doing = DOING.get(game.phase) or f"prove {game.actor}"
    return {
        "doing": None if outcome else doing,
        "turn": None if outcome else game.turn,
        "waits for": None if outcome else game.actor,
        "scores": list(game.scores),
        "seal": [seat for seat in (game.predecessor, game.holder) if seat is not None],
        "winners": None if outcome is None else list(outcome.winners),
        "places": {str(column): None if (floor := game.where(column)) is None else int(floor) for column in game.pieces.columns},
        "locked": {str(column) for column in game.locked},
        "top": int(game.top_floor),
        "counting": None if outcome else position.idle,
        "proof open": game.phase is Phase.OWN and position.proof_open,
        "lay late": None if position.unlaid is None else position.unlaid.turn,
    }


def naively(witness: Witness) -> dict[str, object]:
    """The same as the naive telling has it."""
    return {
        "doing": None if witness.over else witness.doing,
        "turn": None if witness.over else witness.player,
        "waits for": None if witness.over else witness._waited_for(),
        "scores": witness.scores(),
        "seal": witness.seal[-2:],
        "winners": witness.winners if witness.over else None,
        "places": witness.place,
        "locked": witness.locked,
        "top": witness.top,
        "counting": None if witness.over else witness.counting_turns,
        "proof open": not witness.over and witness.doing == "own" and witness._proof_is_open(),
        "lay late": None if witness.unlaid is None else witness.unlaid.player,
    }


def play_both(events: int, pick: Pick) -> int:
    """One game of at most so many events, each compared; how many were told. AssertionError at the first difference."""
    game, witness = beginning(pick)
    told: list[Deed] = []
    while len(told) < events:
        if witness.over and witness.unlaid is None:
            return len(told)
        deed = any_deed(witness, pick) if not witness.over else Deed("lay", covers=2)
        if deed.outside and witness.switches.get("collapse") == "any_piece":
            continue
        if deed.word == "lay" and (witness.unlaid or witness).top == witness.plateaus:
            continue
        told.append(deed)
        game = game.apply(as_event(deed, game))
        witness, wrong = witness.told(deed)
        kinds = {ruling.kind for ruling in game.rulings}
        assert wrong == bool(kinds & {RulingKind.VIOLATION, RulingKind.REFUSED}), (game.rules, told, game.rulings)
        ours, theirs = stands(game), naively(witness)
        if ours["waits for"] is None or game.phase is Phase.CLAIM:
            del ours["waits for"], theirs["waits for"]
        assert ours == theirs, (
            game.rules,
            len(game.pieces.columns),
            told,
            {key: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]},
        )
    return len(told)
