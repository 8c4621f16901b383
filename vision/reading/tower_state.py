"""A tower under test: what stands, and what every camera makes of each of its pixels.

The measure is the pictures' sum (`vision.change.evidence.BackgroundScore`): high where pixels show what the tower would show. A state is
never changed; one column taken away or set down gives a new one, for which only the pixels concerned are valued anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rig.messages import Laid, Standing, Tower
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.change.evidence import BackgroundScore, PixelEvidence
from vision.scene.silhouettes import Scene, code_of, column_item, items_of

COLUMN_COST = 90.0
"""What a column must gain (the pictures' sum) to stand at all: some thirty pixels of its paint. Lower makes up columns out of clutter.
Set by hand on tuning seeds; not measured on a spread of rooms. Bounded by `tests/vision/test_tunables.py`."""


class State:
    """A tower with what every camera makes of it. Never changed: `without` and `with_standing` give new ones."""

    def __init__(self, profile: Profile, tower: Tower, backgrounds: tuple[BackgroundScore, ...]) -> None:
        self.profile, self.tower, self.backgrounds = profile, tower, backgrounds

    @classmethod
    def of(cls, profile: Profile, evidences: Sequence[PixelEvidence], tower: Tower) -> State:
        scenes = [Scene(evidence.stage, items_of(profile, tower)) for evidence in evidences]
        return cls(profile, tower, tuple(BackgroundScore.of(evidence, scene) for evidence, scene in zip(evidences, scenes, strict=True)))

    @property
    def total(self) -> float:
        """The pictures' sum, less what the columns cost."""
        return sum(background.total for background in self.backgrounds) - COLUMN_COST * len(self.tower.columns)

    def without(self, *columns: Column) -> State:
        codes = [code_of(self.profile, column) for column in columns]
        tower = Tower(tuple(standing for standing in self.tower.columns if standing.column not in columns), self.tower.plateaus)
        return State(self.profile, tower, tuple(background.instead(background.scene.without(*codes)) for background in self.backgrounds))

    def with_standing(self, standing: Standing) -> State:
        item = column_item(self.profile, self.tower, standing)
        tower = Tower((*self.tower.columns, standing), self.tower.plateaus)
        return State(self.profile, tower, tuple(background.instead(background.scene.with_item(item)) for background in self.backgrounds))

    def gain(self, standing: Standing) -> float:
        """What the pictures' sum gains by a column that does not stand yet."""
        item = column_item(self.profile, self.tower, standing)
        return sum(background.gain(item) for background in self.backgrounds)

    def spare(self, colour: Colour, shape: Shape) -> Column | None:
        """A column of this kind that the box holds and that does not stand yet."""
        standing = {one.column for one in self.tower.columns}
        return next((column for column in self.profile.pieces.columns if column.kind == (colour, shape) and column not in standing), None)

    def any_of(self, colour: Colour) -> Column | None:
        """A column of this colour that does not stand yet, the likeliest shape first."""
        return next((column for shape in (Shape.THIN, Shape.HEX, Shape.THICK) if (column := self.spare(colour, shape)) is not None), None)


def settled_heights(profile: Profile, tower: Tower) -> Tower:
    """The tower with every foot and underside at the height that the columns below give it."""
    z = 0.0
    columns: list[Standing] = []
    plateaus: list[Laid] = []
    for floor in (Floor.GROUND, *(laid.plateau for laid in tower.plateaus)):
        laid = next((one for one in tower.plateaus if one.plateau is floor), None)
        if laid is not None:
            plateaus.append(msgspec.structs.replace(laid, z_mm=round(z, 2)))
            z += profile.plateaus[floor].thickness_mm
        on = tower.on(floor)
        columns += [msgspec.structs.replace(one, z_mm=round(z, 2)) for one in on]
        shapes = {one.column.shape for one in on} or set(profile.columns)
        z += max(profile.columns[shape].height_mm for shape in shapes)
    return Tower(tuple(columns), tuple(plateaus))
