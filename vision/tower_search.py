"""The tower that explains the pictures best: columns set down one after another, then taken up again and set down better.

The measure is the pictures' sum over all pixels of all cameras, each held against what the tower shows there (`vision.evidence.Under`). A
greedy beginning errs where one column hides another, so every column is lifted again and given the best place of its colour anywhere, or
another kind where it stands; neighbours that hide one another are lifted two at a time; kinds are exchanged within a colour. The box bounds
it all: a kind of which none is left cannot stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import msgspec
import numpy as np

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.column_search import SHAPES, FloorGrid, Found
from vision.evidence import Evidence, Under
from vision.geometry import Floats
from vision.plateau_search import climbed
from vision.silhouettes import code_of, plateau_item, running_sum
from vision.tower_state import COLUMN_COST, State, settled_heights

BETTER = 4.0
"""Least gain for a change of mind."""

OTHER_COLOUR = 0.4
"""Share of a column's gain that another colour must reach in its place to be tried there at all."""

MERGE_MM = 45.0
"""Two columns of one colour nearer to each other than this may be one thick column taken for two."""

PLAIN_SHARE, PLAIN_RIGHT = 0.6, 0.9
"""A column of which some camera sees this share, and of whose seen pixels so many look right, is not sought elsewhere: saves time."""

TRIES = 4
"""Places refined in one search."""


class Search:
    """Looks for the best tower over given plateaus."""

    def __init__(self, profile: Profile, evidences: Sequence[Evidence], start: Tower) -> None:
        self.profile, self.evidences = profile, tuple(evidences)
        self.state = State.of(profile, self.evidences, start)
        self._grids: dict[tuple[Floor, Laid | None], FloorGrid] = {}

    def grid(self, floor: Floor) -> FloorGrid:
        laid = next((laid for laid in self.state.tower.plateaus if laid.plateau is floor), None)
        if (floor, laid) not in self._grids:
            self._grids[floor, laid] = FloorGrid(self.profile, self.state.tower, floor, self.state.unders)
        return self._grids[floor, laid]

    @property
    def floors(self) -> tuple[Floor, ...]:
        return (Floor.GROUND, *(laid.plateau for laid in self.state.tower.plateaus))

    # ------------------------------------------------------------ a first tower

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
            found = self._best_shape(self.state, colour, floor, grid.places[place])
            if found is None or found.gain < COLUMN_COST:
                tables[floor][colour][:, np.hypot(*(grid.places - grid.places[place]).T) < 4.0] = -np.inf
                continue
            self.state = self.state.with_standing(found.standing)
            tables[floor] = self._table(self.state, floor)

    def _table(self, state: State, floor: Floor) -> dict[Colour, Floats]:
        standing = state.tower.on(floor)
        return {colour: self.grid(floor).gains(state.unders, standing, colour) for colour in Colour}

    def _best_shape(
        self, state: State, colour: Colour, floor: Floor, place: Sequence[float] | Floats, yaw_deg: float = 0.0
    ) -> Found | None:
        """The best spare shape of a colour near a place."""
        tries = []
        for shape in SHAPES:
            column = state.spare(colour, shape)
            if column is not None:
                found = self.grid(floor).refined(state.unders, state.tower, column, place, yaw_deg)
                if found is not None:
                    tries.append(found)
        return max(tries, key=lambda found: found.gain, default=None)

    def best_insertion(self, state: State, colour: Colour, floors: Iterable[Floor], tries: int = TRIES) -> Found | None:
        """The best place of any floor for a column of this colour and any spare shape."""
        starts: list[tuple[float, Floor, Shape, Floats]] = []
        for floor in floors:
            grid = self.grid(floor)
            gains = grid.gains(state.unders, state.tower.on(floor), colour)
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
        best: Found | None = None
        for _, floor, shape, place in starts[:tries]:
            column = state.spare(colour, shape)
            if column is None:
                continue
            found = self.grid(floor).refined(state.unders, state.tower, column, place)
            if found is not None and (best is None or found.gain > best.gain):
                best = found
        return best

    # ------------------------------------------------------------ changes of mind

    def add_missing(self) -> bool:
        """Set down what is still in the box and gains enough."""
        changed = False
        for colour in Colour:
            while any(self.state.spare(colour, shape) is not None for shape in SHAPES):
                found = self.best_insertion(self.state, colour, self.floors)
                if found is None or found.gain < COLUMN_COST:
                    break
                self.state = self.state.with_standing(found.standing)
                changed = True
        return changed

    def relocate(self) -> bool:
        """Lift every column and set it down where its colour gains most, or as another kind where it stood, or not at all."""
        changed = False
        for standing in sorted(self.state.tower.columns, key=lambda one: one.floor):
            rest = self.state.without(standing.column)
            stay = rest.gain(standing)
            tries = [Found(standing, stay)]
            elsewhere = None if self._plain(standing.column) else self.best_insertion(rest, standing.column.colour, self.floors)
            if elsewhere is not None:
                tries.append(elsewhere)
            tries += self._here(rest, standing, stay)
            best = max(tries[1:], key=lambda found: found.gain, default=tries[0])
            if best.gain > stay + BETTER and best.gain > COLUMN_COST:
                self.state = rest.with_standing(best.standing)
                changed = True
            elif stay < COLUMN_COST:
                self.state = rest
                changed = True
        return changed

    def _plain(self, column: Column) -> bool:
        """Whether a column is seen so well where it stands that it need not be sought elsewhere."""
        code = code_of(self.profile, column)
        seen = right = 0
        share = 0.0
        for under in self.state.unders:
            there = under.scene.visible(code)
            pixels = int(there.sum())
            seen += pixels
            right += int((under.value[there] > 0).sum())
            share = max(share, pixels / max(int(under.scene.patches[code].inside.sum()), 1))
        return share >= PLAIN_SHARE and right >= PLAIN_RIGHT * seen

    def _here(self, rest: State, standing: Standing, stay: float) -> list[Found]:
        """Other kinds of column where this one stood: its own colour's spare shapes, and other colours if they look half as good."""
        tries = []
        for colour in Colour:
            if colour is not standing.column.colour:
                stranger = rest.spare(colour, standing.column.shape) or rest.any_of(colour)
                if stranger is None or rest.gain(msgspec.structs.replace(standing, column=stranger)) < OTHER_COLOUR * stay:
                    continue
            here = self._best_shape(rest, colour, standing.floor, (standing.x_mm, standing.y_mm), standing.yaw_deg)
            if here is not None:
                tries.append(here)
        return tries

    def exchange(self) -> bool:
        """Where a column would rather be a shape of which the box has no more, take that shape from where it stands, and put what is
        then left in the box to its best places."""
        changed = False
        for standing in self.state.tower.columns:
            if self.state.tower.find(standing.column) != standing:
                continue
            colour = standing.column.colour
            rest = self.state.without(standing.column)
            stay = rest.gain(standing)
            for shape in SHAPES:
                holders = [one for one in self.state.tower.columns if one.column.kind == (colour, shape)]
                if shape is standing.column.shape or rest.spare(colour, shape) is not None or not holders:
                    continue
                wish = self.grid(standing.floor).refined(rest.unders, rest.tower, holders[0].column, (standing.x_mm, standing.y_mm))
                if wish is None or wish.gain < stay + BETTER:
                    continue
                if any(self._taken(standing, holder) for holder in holders):
                    changed = True
                    break
        return changed

    def _taken(self, standing: Standing, holder: Standing) -> bool:
        """Try `standing` as the kind of `holder`; whether that, with the rest of the colour set down anew, was better and is now so."""
        now = self.state.total
        state = self.state.without(standing.column, holder.column)
        first = self.grid(standing.floor).refined(state.unders, state.tower, holder.column, (standing.x_mm, standing.y_mm))
        if first is None:
            return False
        state = self._refilled(state.with_standing(first.standing), standing.column.colour)
        if state.total <= now + BETTER:
            return False
        self.state = state
        return True

    def _refilled(self, state: State, colour: Colour) -> State:
        """The tower with what the box still holds of a colour set down where it gains most."""
        while any(state.spare(colour, shape) is not None for shape in SHAPES):
            found = self.best_insertion(state, colour, self.floors)
            if found is None or found.gain < COLUMN_COST:
                break
            state = state.with_standing(found.standing)
        return state

    def merge(self) -> bool:
        """Take two slender neighbours of one colour for one thicker column, if need be the one that stands elsewhere."""
        changed = False
        for floor in self.floors:
            for a, b in combinations(self.state.tower.on(floor), 2):
                near = bool(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < MERGE_MM)
                if a.column.colour is not b.column.colour or not near or not {a, b} <= set(self.state.tower.columns):
                    continue
                thicker = [shape for shape in (Shape.THICK, Shape.HEX) if shape not in (a.column.shape, b.column.shape)]
                changed |= any(self._merged(a, b, shape) for shape in thicker)
        return changed

    def _merged(self, a: Standing, b: Standing, shape: Shape) -> bool:
        if not {a, b} <= set(self.state.tower.columns):
            return False
        colour, now = a.column.colour, self.state.total
        holders = [one.column for one in self.state.tower.columns if one.column.kind == (colour, shape)]
        spare = self.state.spare(colour, shape)
        for column in [spare] if spare is not None else holders:
            state = self.state.without(a.column, b.column, *([] if spare is not None else [column]))
            middle = ((a.x_mm + b.x_mm) / 2, (a.y_mm + b.y_mm) / 2)
            starts = (middle, (a.x_mm, a.y_mm), (b.x_mm, b.y_mm))
            tries = [self.grid(a.floor).refined(state.unders, state.tower, column, at) for at in starts]
            best = max((found for found in tries if found is not None), key=lambda found: found.gain, default=None)
            if best is None or best.gain < COLUMN_COST:
                continue
            state = self._refilled(state.with_standing(best.standing), colour)
            if state.total > now + BETTER:
                self.state = state
                return True
        return False

    def kick(self) -> bool:
        """Lift two neighbours of one floor that hide one another, and set the best two down anew."""
        changed = False
        for a, b in self._hiding_pairs():
            if self.state.tower.find(a.column) != a or self.state.tower.find(b.column) != b:
                continue
            now = self.state.total
            state = self.state.without(a.column, b.column)
            for _ in range(2):
                tries = [self.best_insertion(state, colour, (a.floor,), 3) for colour in {a.column.colour, b.column.colour}]
                best = max((found for found in tries if found is not None), key=lambda found: found.gain, default=None)
                if best is None or best.gain < COLUMN_COST:
                    break
                state = state.with_standing(best.standing)
            if state.total > now + BETTER:
                self.state, changed = state, True
        return changed

    def _hiding_pairs(self) -> list[tuple[Standing, Standing]]:
        pairs = []
        for floor in self.floors:
            for a, b in combinations(self.state.tower.on(floor), 2):
                if any(_overlap(under, code_of(self.profile, a.column), code_of(self.profile, b.column)) for under in self.state.unders):
                    pairs.append((a, b))
        return pairs

    def refit_plateaus(self) -> None:
        """Every plateau moved to where it is seen best, with what stands on it going along."""
        for laid in self.state.tower.plateaus:
            code = int(laid.plateau)
            sums, stages = [], []
            for under in self.state.unders:
                rest = under.instead(under.scene.without(code))
                height, width = under.evidence.stage.shape
                gains = rest.gain_map(plateau_item(self.profile, laid), (slice(0, height), slice(0, width)))
                sums.append(running_sum(gains))
                stages.append(under.evidence.stage)
            new, _ = climbed(self.profile, stages, sums, laid, steps=((1.5, 1.0), (0.7, 0.5), (0.3, 0.2)))
            if new == laid:
                continue
            tower = Tower(self.state.tower.columns, tuple(new if one.plateau is laid.plateau else one for one in self.state.tower.plateaus))
            self.state = State.of(self.profile, self.evidences, tower)

    def settle(self) -> None:
        """Put every foot and underside at the height that the columns found below give it."""
        tower = settled_heights(self.profile, self.state.tower)
        if tower != self.state.tower:
            self.state = State.of(self.profile, self.evidences, tower)

    def with_evidences(self, evidences: Sequence[Evidence]) -> None:
        """The same tower under colours measured anew."""
        self.evidences = tuple(evidences)
        self.state = State.of(self.profile, self.evidences, self.state.tower)

    def polish(self, rounds: int = 4) -> None:
        """Change minds until nothing changes any more."""
        for _ in range(rounds):
            changed = self.add_missing()
            changed |= self.relocate()
            changed |= self.exchange()
            changed |= self.merge()
            if not changed:
                break
        if self.kick():
            self.add_missing()
            self.relocate()


def _overlap(under: Under, first: int, second: int) -> bool:
    """Whether one of two columns may hide the other from this camera: their silhouettes' boxes overlap by more than an edge."""
    a, b = under.scene.patches.get(first), under.scene.patches.get(second)
    if a is None or b is None or not a.inside.size or not b.inside.size:
        return False
    wide = min(a.x0 + a.inside.shape[1], b.x0 + b.inside.shape[1]) - max(a.x0, b.x0)
    tall = min(a.y0 + a.inside.shape[0], b.y0 + b.inside.shape[0]) - max(a.y0, b.y0)
    return bool(wide > 2 and tall > 10)
