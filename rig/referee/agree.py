"""The believed tower made to agree with the books, when a person has told or corrected what happened.

Where no camera looks there is nothing but the books, and a correction can change any number of earlier events; so the tower is not patched
but worked out from the position: what stands as it should stays where it is, what the books have elsewhere goes there. Places are only for
the eye of the beholder: the one where a column was last seen on that floor, else where there is room.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import msgspec

from rig.messages import Added, Moved, PlateauLaid, Stacked, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.referee.predicted_tower import predicted
from rig.referee.tunables import TUNED
from rig.rules import Position

GOLDEN_RAD = math.pi * (3 - math.sqrt(5))
"""The turn from one seed of a sunflower to the next: any number of points, spread evenly over a disc."""


class Places:
    """Where each column was last believed to stand, floor by floor."""

    def __init__(self) -> None:
        self._seen: dict[tuple[Column, Floor], Standing] = {}

    def note(self, tower: Tower) -> None:
        self._seen |= {(standing.column, standing.floor): standing for standing in tower.columns}

    def known(self, column: Column, floor: Floor) -> Standing | None:
        return self._seen.get((column, floor))


def agree(tower: Tower, position: Position, profile: Profile, places: Places, fallen: Collection[Column] = ()) -> Tower:
    """`tower` as `position` has it; the columns in `fallen` are waited for and stand nowhere."""
    places.note(tower)
    stacked = dict(position.stacks)
    built = Tower()
    for floor in (Floor.GROUND, *position.laid):
        if floor is not Floor.GROUND:
            built = _with_plateau(built, tower, floor, profile)
        there = [c for c in position.table.columns if position.floor_of(c) is floor and c not in fallen and c not in stacked]
        built = _with_columns(built, tower, floor, there, profile, places)
        for upper, carrier in stacked.items():
            if position.floor_of(upper) is floor and upper not in fallen:
                built = predicted(built, Stacked(column=upper, on=carrier), profile)
    places.note(built)
    return built


def _with_plateau(built: Tower, tower: Tower, floor: Floor, profile: Profile) -> Tower:
    lying = next((laid for laid in tower.plateaus if laid.plateau is floor), None)
    if lying is not None:
        return msgspec.structs.replace(built, plateaus=(*built.plateaus, lying))
    return predicted(built, PlateauLaid(plateau=floor), profile)


def _with_columns(built: Tower, tower: Tower, floor: Floor, there: list[Column], profile: Profile, places: Places) -> Tower:
    staying = [s for c in there if (s := tower.find(c)) is not None and s.floor is floor]
    coming = [column for column in there if all(s.column != column for s in staying)]
    built = msgspec.structs.replace(built, columns=(*built.columns, *staying))
    if floor is Floor.GROUND and not staying and len(coming) > 1:
        return msgspec.structs.replace(built, columns=_spread(coming, profile))
    for column in coming:
        before = places.known(column, floor)
        if before is not None and all(math.hypot(s.x_mm - before.x_mm, s.y_mm - before.y_mm) >= TUNED.apart_mm for s in built.on(floor)):
            built = msgspec.structs.replace(built, columns=(*built.columns, before))
        elif tower.find(column) is not None:
            built = predicted(built, Moved(column=column, floor=floor), profile)
        else:
            built = predicted(built, Added(column=column, floor=floor), profile)
    return built


def _spread(columns: list[Column], profile: Profile) -> tuple[Standing, ...]:
    """All columns over the building site, alike ones apart from each other."""
    widest_mm = max(size.radius_mm for size in profile.columns.values())
    reach_mm = profile.base.site_radius_mm - 2 * widest_mm
    order = sorted(columns, key=lambda column: (column.shape, column.number, column.colour))
    return tuple(
        Standing(
            column,
            Floor.GROUND,
            round(reach_mm * math.sqrt((k + 0.5) / len(order)) * math.cos(k * GOLDEN_RAD), 1),
            round(reach_mm * math.sqrt((k + 0.5) / len(order)) * math.sin(k * GOLDEN_RAD), 1),
            0.0,
        )
        for k, column in enumerate(order)
    )
