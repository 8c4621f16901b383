"""What the rules hear of a truth: by the design's tolerances, from what was so, never from what was meant."""

from __future__ import annotations

from rig.messages import FactKind, Tower
from rig.pieces import Floor
from rig.rules import Game, Phase, events
from rig.twin.truth import Truth

OVERHANG_MM = 4.0
"""A foot counts as over the edge from here on (the design's tolerance for B7)."""


def events_of(truth: Truth, tower: Tower, game: Game) -> list[events.Event]:
    """The events of one truth in this game. `truth.seat` did it; None: whom the game waits for."""
    column, by = truth.column, truth.seat
    match truth.kind:
        case FactKind.STOOD if column is not None:
            floor = truth.floor if truth.floor is not None else Floor.GROUND
            stood_up_again = game.phase is not Phase.SET_UP
            return [] if stood_up_again else [events.Placed(column, floor)]
        case FactKind.RAISED if column is not None:
            over_mm = truth.details["overhang_mm"]
            over_mm = over_mm if over_mm >= OVERHANG_MM else 0.0
            # The rules hear of a stack only where they know the carrier to stand on that floor (one taken out of the game may stand still).
            on = truth.on_column if truth.on_column is not None and game.where(truth.on_column) is truth.floor else None
            return [
                events.Raised(
                    column,
                    truth.floor,
                    by=by,
                    held_plateau=truth.held_plateau,
                    overhang_mm=over_mm,
                    on_column=on,
                    shifted=truth.shifted,
                    nudged=truth.nudged,
                )
            ]
        case FactKind.ABORTED if column is not None:
            return [events.Aborted(column, by=by, shifted=truth.shifted, nudged=truth.nudged)]
        case FactKind.REMOVED if column is not None:
            out_already = game.where(column) is None  # a refuted claim's column leaves the game by the rules before it leaves the tower
            return [] if out_already else [events.TakenOut(column, by=by, shifted=truth.shifted, nudged=truth.nudged)]
        case FactKind.LAID:
            return [events.PlateauLaid(truth.floor, by=by, covers=int(truth.details["covers"]), nudged=truth.nudged)]
        case FactKind.COLLAPSED:
            return [events.Collapsed(by=by, outside=truth.outside)]
        case FactKind.INCIDENT if by is not None:  # what falls while fallen columns are stood up is repair, not play
            return [events.Incident(column if truth.handled else None, by=by, fallen=truth.columns)] if tower.plateaus else []
        case _:
            return []
