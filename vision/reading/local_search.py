"""Changes of mind about a tower: columns taken up again and set down better, until nothing changes any more.

A greedy beginning errs where one column hides another, so every column is lifted again and given the best place of its colour anywhere, or
another kind where it stands; neighbours that hide one another are lifted two at a time; kinds are exchanged within a colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product

import msgspec
import numpy as np

from rig.messages import Standing
from rig.pieces import Colour, Shape
from vision.arrays import Floats
from vision.change.evidence import BackgroundScore
from vision.change.floor_search import SHAPES, FoundColumn
from vision.reading.crossed import crossings, orders
from vision.reading.tower_search import BETTER, Search
from vision.reading.tower_state import COLUMN_COST, State
from vision.scene.silhouettes import code_of

OTHER_COLOUR = 0.4
"""Share of a column's gain that another colour must reach in its place to be tried there at all. Set by hand: saves time. Not measured
on a spread of rooms."""

NO_GAIN = -1e9
"""What counts for a column where there is no room for it. By design: far below any gain."""

REASSIGNMENTS, WORTH_A_TRY = 3, 250.0
"""How many ways to give a colour's columns other shapes are tried, and by how much less than what stands they may gain one by one (the
pictures' sum) to be tried together: neighbours hide one another. Set by hand on tuning seeds; not measured on a spread of rooms."""

MERGE_MM = 45.0
"""Two columns of one colour nearer to each other than this may be one thick column taken for two. By design: more than the thickest
column is wide."""

IN_THE_WAY_MM = 26.0
"""A column nearer than this to a place may be in the way of another there: two thick columns touch at 28 mm, by design somewhat less."""

PLAIN_SHARES, PLAIN_RIGHT = 0.6, 0.9
"""A column of which some camera sees this share, and of whose seen pixels so many look right, is not sought elsewhere: saves time. Set
by hand on tuning seeds; not measured on a spread of rooms."""


class LocalSearch(Search):
    """A search that changes its mind."""

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
            stay = self.gain(rest, standing)
            tries = [FoundColumn(standing, stay)]
            elsewhere = None if self._plain(standing) else self.best_insertion(rest, standing.column.colour, self.floors)
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

    def _plain(self, standing: Standing) -> bool:
        """Whether a column is seen so well where it stands, or believed there with nothing against it, that it is not sought elsewhere."""
        code = code_of(self.profile, standing.column)
        seen = right = 0
        share = 0.0
        for background in self.state.backgrounds:
            patch = background.scene.patches[code]
            there = background.scene.code[patch.box] == code
            share = max(share, int(there.sum()) / max(int(patch.inside.sum()), 1))
            within = there[:, 1:-1] & there[:, :-2] & there[:, 2:]  # where neighbours meet, paints mix
            within &= background.evidence.bare[patch.box][:, 1:-1]
            seen += int(within.sum())
            right += int((background.value[patch.box][:, 1:-1][within] > 0).sum())
        return (share >= PLAIN_SHARES or self.belief.credit(standing) > 0) and right >= PLAIN_RIGHT * seen

    def _here(self, rest: State, standing: Standing, stay: float) -> list[FoundColumn]:
        """Other kinds of column where this one stood: its own colour's spare shapes, and other colours if they look half as good."""
        tries = []
        for colour in Colour:
            if colour is not standing.column.colour:
                stranger = rest.spare(colour, standing.column.shape) or rest.any_of(colour)
                if stranger is None or self.gain(rest, msgspec.structs.replace(standing, column=stranger)) < OTHER_COLOUR * stay:
                    continue
            here = self.best_shape(rest, colour, standing.floor, (standing.x_mm, standing.y_mm), standing.yaw_deg)
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
            stay = self.gain(rest, standing)
            for shape in SHAPES:
                holders = [one for one in self.state.tower.columns if one.column.kind == (colour, shape)]
                if shape is standing.column.shape or rest.spare(colour, shape) is not None or not holders:
                    continue
                wish = self.refined(rest, standing.floor, holders[0].column, (standing.x_mm, standing.y_mm))
                if wish is None or wish.gain < stay + BETTER:
                    continue
                if any(self._taken(standing, holder) for holder in holders):
                    changed = True
                    break
        return changed

    def _taken(self, standing: Standing, holder: Standing) -> bool:
        """Try `standing` as the kind of `holder`; whether that, with the rest of the colour set down anew, was better and is now so."""
        now = self.total(self.state)
        state = self.state.without(standing.column, holder.column)
        first = self.refined(state, standing.floor, holder.column, (standing.x_mm, standing.y_mm))
        if first is None:
            return False
        state = self._refilled(state.with_standing(first.standing), standing.column.colour)
        if self.total(state) <= now + BETTER:
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

    def reassign(self) -> bool:
        """Give all columns of a colour their shapes anew at once: where three have one another's shapes, every exchange of two may be worse
        than what stands."""
        changed = False
        for colour in Colour:
            standing = tuple(one for one in self.state.tower.columns if one.column.colour is colour)
            if len(standing) < 3 or standing in self._in_vain:
                continue
            if any(self._given(standing, shapes) for shapes in self._likely_shapes(standing)):
                changed = True
            else:
                self._in_vain.add(standing)
        return changed

    def _likely_shapes(self, standing: Sequence[Standing]) -> list[tuple[Shape, ...]]:
        """Other shapes for these columns of one colour, no more of a shape than are in the box: those that gain most, each column held
        against the pictures while the others stay."""
        colour = standing[0].column.colour
        kinds = {column.shape: column for column in self.profile.pieces.columns if column.colour is colour}
        gains: list[dict[Shape, float]] = []
        for one in standing:
            rest = self.state.without(one.column)
            by_shape = {one.column.shape: self.gain(rest, one)}
            for shape, column in kinds.items():
                if shape is not one.column.shape:
                    found = self.refined(rest, one.floor, column, (one.x_mm, one.y_mm), one.yaw_deg)
                    by_shape[shape] = NO_GAIN if found is None else self.gain(rest, found.standing)
            gains.append(by_shape)
        now = tuple(one.column.shape for one in standing)
        box = Counter(column.shape for column in self.profile.pieces.columns if column.colour is colour)
        sums = {
            shapes: sum(by_shape[shape] for by_shape, shape in zip(gains, shapes, strict=True))
            for shapes in product(kinds, repeat=len(standing))
            if shapes != now and not Counter(shapes) - box
        }
        least = sum(by_shape[shape] for by_shape, shape in zip(gains, now, strict=True)) - WORTH_A_TRY
        return [shapes for shapes in sorted(sums, key=lambda one: -sums[one])[:REASSIGNMENTS] if sums[shapes] > least]

    def _given(self, standing: Sequence[Standing], shapes: Sequence[Shape]) -> bool:
        """Try the columns with these shapes; whether the tower was better so and is now so."""
        moved = [(one, shape) for one, shape in zip(standing, shapes, strict=True) if one.column.shape is not shape]
        state = self.state.without(*(one.column for one, _ in moved))
        for one, shape in moved:
            column = state.spare(one.column.colour, shape)
            place = (one.x_mm, one.y_mm)
            found = None if column is None else self.refined(state, one.floor, column, place, one.yaw_deg)
            if found is None:
                return False
            state = state.with_standing(found.standing)
        if self.total(state) <= self.total(self.state) + BETTER:
            return False
        self.state = state
        return True

    def merge(self) -> bool:
        """Take two slender neighbours of one colour for one thicker column, if need be the one that stands elsewhere."""
        changed = False
        for floor in self.floors:
            for a, b in combinations(self.state.tower.on(floor), 2):
                near = bool(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < MERGE_MM)
                if a.column.colour is not b.column.colour or not near or not {a, b} <= set(self.state.tower.columns):
                    continue
                if self.belief.credit(a) and self.belief.credit(b) and self._plain(a) and self._plain(b):
                    continue
                thicker = [shape for shape in (Shape.THICK, Shape.HEX) if shape not in (a.column.shape, b.column.shape)]
                changed |= any(self._merged(a, b, shape) for shape in thicker)
        return changed

    def _merged(self, a: Standing, b: Standing, shape: Shape) -> bool:
        if not {a, b} <= set(self.state.tower.columns):
            return False
        colour, now = a.column.colour, self.total(self.state)
        holders = [one.column for one in self.state.tower.columns if one.column.kind == (colour, shape)]
        spare = self.state.spare(colour, shape)
        for column in [spare] if spare is not None else holders:
            state = self.state.without(a.column, b.column, *([] if spare is not None else [column]))
            middle = ((a.x_mm + b.x_mm) / 2, (a.y_mm + b.y_mm) / 2)
            starts = (middle, (a.x_mm, a.y_mm), (b.x_mm, b.y_mm))
            tries = [self.refined(state, a.floor, column, at) for at in starts]
            best = max((found for found in tries if found is not None), key=lambda found: found.gain, default=None)
            if best is None or best.gain < COLUMN_COST:
                continue
            state = self._refilled(state.with_standing(best.standing), colour)
            if self.total(state) > now + BETTER:
                self.state = state
                return True
        return False

    def kick(self) -> bool:
        """Lift two neighbours of one floor that hide one another, and set the best two down anew."""
        changed = False
        for a, b in self._hiding_pairs():
            if self.state.tower.find(a.column) != a or self.state.tower.find(b.column) != b or self._settled(a, b):
                continue
            around = np.array(((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)))
            now = self.total(self.state)
            state = self.state.without(a.column, b.column)
            for _ in range(2):
                tries = [self.best_insertion(state, colour, (a.floor,), 3, around) for colour in {a.column.colour, b.column.colour}]
                best = max((found for found in tries if found is not None), key=lambda found: found.gain, default=None)
                if best is None or best.gain < COLUMN_COST:
                    break
                state = state.with_standing(best.standing)
            if self.total(state) > now + BETTER:
                self.state, changed = state, True
        return changed

    def uncross(self) -> bool:
        """Take up two columns of one colour that may stand at the crossings of two cameras' lines of sight, with what stands in the way of
        the other two places, and set all of them down anew. What was tried in vain on a floor is not tried again as long as the floor
        stands as it stood."""
        changed = False
        for floor in self.floors:
            for a, b in combinations(self.state.tower.on(floor), 2):
                if a.column.colour is not b.column.colour or not {a, b} <= set(self.state.tower.columns):
                    continue
                tried = (self.state.tower.on(floor), self.state.tower.plateaus, a, b)
                if tried in self._in_vain:
                    continue
                eyes = [background.evidence.stage.eye_mm for background in self.state.backgrounds]
                if any(self._uncrossed(a, b, places) for places in crossings(eyes, a, b)):
                    changed = True
                else:
                    self._in_vain.add(tried)
        return changed

    def _uncrossed(self, a: Standing, b: Standing, places: tuple[Floats, Floats]) -> bool:
        if not {a, b} <= set(self.state.tower.columns):
            return False
        now = self.total(self.state)
        blocking = [
            one
            for one in self.state.tower.on(a.floor)
            if one not in (a, b) and min(np.hypot(*(place - (one.x_mm, one.y_mm))) for place in places) < IN_THE_WAY_MM
        ]
        rest = self.state.without(a.column, b.column, *(one.column for one in blocking))
        for order in orders(a, b, places):
            state: State | None = rest
            for one, place in order:
                found = None if state is None else self.refined(state, one.floor, one.column, place, one.yaw_deg)
                state = None if state is None or found is None or found.gain < COLUMN_COST else state.with_standing(found.standing)
            if state is None:
                continue
            for colour in {one.column.colour for one in blocking}:
                state = self._refilled(state, colour)
            if self.total(state) > now + BETTER:
                self.state = state
                return True
        return False

    def _settled(self, a: Standing, b: Standing) -> bool:
        """Whether two neighbours are seen so well that both stand where they are thought to; not if only one of them does as believed."""
        return (self.belief.credit(a) > 0) == (self.belief.credit(b) > 0) and self._plain(a) and self._plain(b)

    def _hiding_pairs(self) -> list[tuple[Standing, Standing]]:
        pairs = []
        for floor in self.floors:
            for a, b in combinations(self.state.tower.on(floor), 2):
                if any(
                    _overlap(background, code_of(self.profile, a.column), code_of(self.profile, b.column))
                    for background in self.state.backgrounds
                ):
                    pairs.append((a, b))
        return pairs

    def polish(self, rounds: int = 4) -> None:
        """Change minds until nothing changes any more."""
        for _ in range(rounds):
            changed = self.add_missing()
            changed |= self.relocate()
            changed |= self.exchange()
            changed |= self.reassign()
            changed |= self.merge()
            changed |= self.uncross()
            if not changed:
                break
        if self.kick():
            self.add_missing()
            self.relocate()


def _overlap(background: BackgroundScore, first: int, second: int) -> bool:
    """Whether one of two columns may hide the other from this camera: their silhouettes' boxes overlap by more than an edge."""
    a, b = background.scene.patches.get(first), background.scene.patches.get(second)
    if a is None or b is None or not a.inside.size or not b.inside.size:
        return False
    wide = min(a.x0 + a.inside.shape[1], b.x0 + b.inside.shape[1]) - max(a.x0, b.x0)
    tall = min(a.y0 + a.inside.shape[0], b.y0 + b.inside.shape[0]) - max(a.y0, b.y0)
    return bool(wide > 2 and tall > 10)
