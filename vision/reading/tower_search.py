"""A first tower that explains the pictures: columns set down one after another where they gain most, or where they are believed.

The measure is the pictures' sum over all pixels of all cameras, each held against what the tower shows there
(`vision.change.evidence.BackgroundScore`), with some credit for what stands where it was believed to stand. The box bounds it all: a kind
of which none is left cannot stand. Errors are mended by `vision.reading.local_search`.
"""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.arrays import Floats
from vision.change.evidence import PixelEvidence
from vision.change.floor_search import SHAPES, STEPS_MM, FloorSearch, FoundColumn, allowed
from vision.change.tunables import TEMPER
from vision.reading.belief import Belief
from vision.reading.plateau_search import climbed
from vision.reading.support import support_cost
from vision.reading.tower_state import COLUMN_COST, State, settled_heights
from vision.scene.silhouettes import plateau_item, running_sum

BETTER = 4.0
"""Least gain for a change of mind. By design: the most that one pixel says (`vision.change.evidence.CUT`)."""

AROUND_MM = 35.0
"""How far from where neighbours stood they are sought when both are lifted. Set by hand on tuning seeds; not measured on a spread of
rooms."""

TRIES = 4
"""Places refined in one search. Set by hand: more cost time. Not measured on a spread of rooms."""

NO_BELIEF = Belief()


class Search:
    """Looks for the best tower over given plateaus; what stands where it is believed to stand has credit."""

    def __init__(self, profile: Profile, evidences: Sequence[PixelEvidence], start: Tower, belief: Belief = NO_BELIEF) -> None:
        self.profile, self.evidences, self.belief = profile, tuple(evidences), belief
        self.state = State.of(profile, self.evidences, start)
        self._grids: dict[tuple[Floor, Laid | None], FloorSearch] = {}
        self._in_vain: set[tuple[object, ...]] = set()

    def grid(self, floor: Floor) -> FloorSearch:
        laid = next((laid for laid in self.state.tower.plateaus if laid.plateau is floor), None)
        if (floor, laid) not in self._grids:
            self._grids[floor, laid] = FloorSearch(self.profile, self.state.tower, floor, self.state.backgrounds)
        return self._grids[floor, laid]

    @property
    def floors(self) -> tuple[Floor, ...]:
        return (Floor.GROUND, *(laid.plateau for laid in self.state.tower.plateaus))

    def gain(self, rest: State, standing: Standing) -> float:
        """What a state gains by a column, with the credit of having been believed there."""
        return rest.gain(standing) + self.belief.credit(standing)

    def refined(
        self,
        state: State,
        floor: Floor,
        column: Column,
        place: Sequence[float] | Floats,
        yaw_deg: float = 0.0,
        steps: Sequence[float] = STEPS_MM,
    ) -> FoundColumn | None:
        """The best place for a column near `place`, its gain with the credit; None if there is no room.

        `state`: the tower that stands; `floor`: where the column stands; `place` (2,) mm and `yaw_deg` to begin with; `steps` (mm),
        coarse to fine.
        """
        found = self.grid(floor).refined(state.backgrounds, state.tower, column, place, yaw_deg, steps)
        return None if found is None else FoundColumn(found.standing, found.gain + self.belief.credit(found.standing))

    def total(self, state: State) -> float:
        return state.total + self.belief.worth(state.tower)

    # ------------------------------------------------------------ a first tower

    def climb(self) -> None:
        """Move every column uphill from where it stands, twice, because neighbours hide one another. What nobody sees stays."""
        for _ in range(2):
            for standing in self.state.tower.columns:
                rest = self.state.without(standing.column)
                place = (standing.x_mm, standing.y_mm)
                found = self.refined(rest, standing.floor, standing.column, place, standing.yaw_deg)
                if found is not None and found.gain > self.gain(rest, standing) + BETTER:
                    self.state = rest.with_standing(found.standing)

    def greedy(self) -> None:
        """Set down, again and again, the column that gains most."""
        tables = {floor: self._table(self.state, floor) for floor in self.floors}
        while True:
            best: tuple[float, Floor, Colour, int, int] | None = None
            for floor, table in tables.items():
                for colour, gains in table.items():
                    for k, shape in enumerate(SHAPES):
                        if self.state.spare(colour, shape) is None:
                            gains[k] = -np.inf
                    at = int(np.argmax(gains))
                    k, place = divmod(at, gains.shape[1])
                    if best is None or gains[k, place] > best[0]:
                        best = (float(gains[k, place]), floor, colour, k, place)
            if best is None or best[0] < COLUMN_COST:
                return
            _, floor, colour, _, place = best
            grid = self.grid(floor)
            found = self.best_shape(self.state, colour, floor, grid.places[place])
            if found is None or found.gain < COLUMN_COST:
                tables[floor][colour][:, np.hypot(*(grid.places - grid.places[place]).T) < 4.0] = -np.inf
                continue
            self.state = self.state.with_standing(found.standing)
            tables[floor] = self._table(self.state, floor)

    def _table(self, state: State, floor: Floor) -> dict[Colour, Floats]:
        standing = state.tower.on(floor)
        return {colour: self.grid(floor).gains(state.backgrounds, standing, colour) for colour in Colour}

    def best_shape(
        self, state: State, colour: Colour, floor: Floor, place: Sequence[float] | Floats, yaw_deg: float = 0.0
    ) -> FoundColumn | None:
        """The best spare shape of a colour near a place.

        `state`: the tower that stands; `colour`, `floor` and `place` (2,) mm of the column; `yaw_deg`: the turn of a hexagon to begin
        with.
        """
        tries = []
        for shape in SHAPES:
            column = state.spare(colour, shape)
            if column is not None:
                found = self.refined(state, floor, column, place, yaw_deg)
                if found is not None:
                    tries.append(found)
        return max(tries, key=lambda found: found.gain, default=None)

    def best_insertion(
        self, state: State, colour: Colour, floors: Iterable[Floor], tries: int = TRIES, around: Floats | None = None
    ) -> FoundColumn | None:
        """The best place of any floor for a column of this colour and any spare shape; `around` (n, 2): only near these places.

        `state`: the tower that stands; `floors`: those to be searched; `tries`: places refined at most.
        """
        starts: list[tuple[float, Floor, Shape, Floats]] = []
        for floor in floors:
            grid = self.grid(floor) if around is None else _part_of(self.grid(floor), around)
            gains = grid.gains(state.backgrounds, state.tower.on(floor), colour)
            for k, shape in enumerate(SHAPES):
                if state.spare(colour, shape) is None:
                    continue
                row = gains[k].copy()
                for _ in range(2):
                    at = int(np.argmax(row))
                    if not np.isfinite(row[at]) or row[at] < 0.5 * COLUMN_COST:
                        break
                    starts.append((float(row[at]), floor, shape, grid.places[at]))
                    row[np.hypot(*(grid.places - grid.places[at]).T) < 12.0] = -np.inf
        starts.sort(key=lambda one: -one[0])
        best: FoundColumn | None = None
        for _, floor, shape, place in starts[:tries]:
            column = state.spare(colour, shape)
            if column is None:
                continue
            found = self.refined(state, floor, column, place)
            if found is not None and (best is None or found.gain > best.gain):
                best = found
        return max((one for one in (best, self._believed(state, colour)) if one is not None), key=lambda one: one.gain, default=None)

    def _believed(self, state: State, colour: Colour) -> FoundColumn | None:
        """The best place of those where a column of this colour is believed to stand and where none stands yet."""
        tries = []
        for one in self.belief.standings:
            column = state.spare(colour, one.column.shape) if one.column.colour is colour else None
            if column is None or one.floor not in self.floors:
                continue
            place = np.array(((one.x_mm, one.y_mm),))
            if allowed(self.profile, state.tower, one.floor, one.column.shape, place, (), self.grid(one.floor).outline)[0]:
                standing = msgspec.structs.replace(one, column=column, z_mm=self.grid(one.floor).z_mm)
                tries.append(FoundColumn(standing, self.gain(state, standing)))
        return max(tries, key=lambda found: found.gain, default=None)

    # ------------------------------------------------------------ heights, plateaus, colours

    def refit_plateaus(self) -> None:
        """Every plateau moved to where it is seen best, or turned half round: some outlines differ little from themselves reversed."""
        for laid in self.state.tower.plateaus:
            new = max(self._both_ways(laid), key=lambda one: one[1])[0]
            if new == laid:
                continue
            tower = Tower(self.state.tower.columns, tuple(new if one.plateau is laid.plateau else one for one in self.state.tower.plateaus))
            self.state = State.of(self.profile, self.evidences, tower)

    def _both_ways(self, laid: Laid) -> tuple[tuple[Laid, float], tuple[Laid, float]]:
        """A plateau's best pose near `laid`, and near `laid` turned half round, each with its gain less what physics says against it."""
        code = int(laid.plateau)
        sums, stages = [], []
        for background in self.state.backgrounds:
            rest = background.instead(background.scene.without(code))
            height, width = background.evidence.stage.shape
            gains = rest.gain_map(plateau_item(self.profile, laid), (slice(0, height), slice(0, width)))
            sums.append(running_sum(gains))
            stages.append(background.evidence.stage)
        turned = msgspec.structs.replace(laid, yaw_deg=(laid.yaw_deg + 180.0) % 360.0)
        fine = ((1.5, 1.0), (0.7, 0.5), (0.3, 0.2))
        own = climbed(self.profile, stages, sums, laid, steps=fine)
        other = climbed(self.profile, stages, sums, turned, steps=((6.0, 4.0), (3.0, 2.0), *fine))
        first, second = ((found, gain - support_cost(self.profile, self.state.tower, found)) for found, gain in (own, other))
        return first, second

    def way_round(self, laid: Laid) -> float:
        """How sure it is that a plateau does not lie turned half round (0 to 1): its outline there against its own."""
        own, other = (gain for _, gain in self._both_ways(laid))
        return 1.0 / (1.0 + math.exp(min(TEMPER * (other - own), 50.0)))

    def settle(self) -> None:
        """Put every foot and underside at the height that the columns found below give it."""
        tower = settled_heights(self.profile, self.state.tower)
        if tower != self.state.tower:
            self.state = State.of(self.profile, self.evidences, tower)

    def with_evidences(self, evidences: Sequence[PixelEvidence]) -> None:
        """The same tower under colours measured anew."""
        self.evidences = tuple(evidences)
        self._in_vain.clear()
        self.state = State.of(self.profile, self.evidences, self.state.tower)


def _part_of(grid: FloorSearch, around: Floats) -> FloorSearch:
    """The same grid with only the places near some of `around` (n, 2)."""
    near = np.hypot(*(grid.places[:, None] - around[None]).transpose(2, 0, 1)).min(1) < AROUND_MM
    part = copy.copy(grid)
    part.places = grid.places[near]
    part.strips = [
        dataclasses.replace(
            strips,
            left={shape: ends[near] for shape, ends in strips.left.items()},
            right={shape: ends[near] for shape, ends in strips.right.items()},
            nearness=strips.nearness[near],
        )
        for strips in grid.strips
    ]
    return part
