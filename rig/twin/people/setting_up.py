"""Before the game: all columns are stood on the site by everybody in turn, the blue plateau is laid, colours are drawn (U1 to U4)."""

from __future__ import annotations

import numpy as np

from rig.messages import Drew, SeatColours
from rig.pieces import Colour, Floor
from rig.rules import Phase, events
from rig.twin.people import plans
from rig.twin.people.actions import HandActions
from rig.twin.people.hand import Movement, pause
from rig.twin.people.table import NAMES, TableState
from rig.twin.physics.level_table import SetUp


def seats_in_turn(level: SetUp, fate: np.random.Generator, players: int, columns: int) -> list[int]:
    """Who stands up each column: everybody in turn, some of them several."""
    least, most = level.in_a_row
    seats: list[int] = []
    seat = 0
    while len(seats) < columns:
        seats += [seat] * (least if least == most else int(fate.integers(least, most + 1)))
        seat = (seat + 1) % players
    return seats[:columns]


def stand_up_all(table: TableState, deeds: HandActions) -> Movement:
    """Column after column, at a human pace; some by the rim on purpose, clear of the blue plateau to come."""
    t, hand, level = table, table.builder, table.level.set_up
    least, most = level.outside
    outside = least if least == most else int(t.fate.integers(least, most + 1))
    seats = seats_in_turn(level, t.fate, t.players, len(t.profile.pieces.columns))
    for seat, standing in zip(seats, plans.plan_set_up(t.profile, t.rng, outside), strict=True):
        t.sit(seat)
        height_m = t.profile.columns[standing.column.shape].height_mm / 1e3
        goal = np.array([standing.x_mm / 1e3, standing.y_mm / 1e3, height_m / 2])
        t.handling = True
        hand.bring(standing.column, standing.yaw_deg, goal * (0, 0, 1) + t.edge_m(0.25))
        yield from hand.move(goal + (0, 0, 0.13), 900, standing.yaw_deg)
        yield from deeds.set_down(goal)
        yield from t.finish(None)
        yield from pause(float(t.rng.uniform(*level.pause_s)))
        while t.wait_for_table():
            yield


def draw_colours(table: TableState) -> Movement:
    """Colours are drawn and told at the desk."""
    t = table
    yield from pause(2.0)
    colours = [Colour(c) for c in t.rng.permutation(list(Colour))]
    each = t.game.table.colours_each
    seats_colours = tuple(tuple(colours[each * s : each * s + each]) for s in range(t.players))
    first = int(t.rng.integers(t.players))
    t.say("desk", Drew(seats=tuple(SeatColours(n, c) for n, c in zip(NAMES[: t.players], seats_colours, strict=True)), first=first), 0.0)
    t.game = t.game.apply(events.ColoursAssigned(seats_colours, first))


def blue_is_wanted(table: TableState) -> bool:
    return Floor.BLUE not in table.game.laid and table.game.phase is Phase.SET_UP
