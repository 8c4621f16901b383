"""Leads a person through the set at hand, piece by piece: asks, looks, weighs, and says what it saw."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from calibration.pieces import ColumnMeasured, PieceShown, PlateauMeasured, look_at
from calibration.pose import pose_cameras
from rig.errors import PalettiError
from rig.profile import Profile

Picture = npt.NDArray[np.uint8]
Pictures = dict[int, Picture]


def guide(
    profile: Profile,
    take: Callable[[], Pictures],
    step_g: Callable[[], float | None],
    ask: Callable[[str], str],
    tell: Callable[[str], None],
) -> tuple[Profile, list[ColumnMeasured | PlateauMeasured]]:
    """Asks for one piece after the other until told `done`: looks, weighs, says what it saw; what cannot be read is asked for again.

    `take` gives a picture a camera from now on, `step_g` the last settled step of weight (None: no scale).

    `profile` is the one to be measured into; `ask` puts a request and returns the answer; `tell` says something.
    """
    ask("Take everything off the base and your hands out of the picture, then press Enter.")
    before = take()
    posed = with_poses(profile, before)
    seen: list[ColumnMeasured | PlateauMeasured] = []
    while True:
        said = ask(f"Piece {len(seen) + 1}: set it down in the middle (columns upright, plateaus flat), then Enter; or write done.")
        if said.strip().lower() in ("done", "d"):
            return posed, seen
        mass_g = step_g()
        try:
            one = look_at(posed, PieceShown(before, take(), mass_g))
        except PalettiError as error:
            tell(str(error))
        else:
            seen.append(one)
            tell(words_of(one))
        ask("Take it off again, then press Enter.")
        before = take()


def words_of(one: ColumnMeasured | PlateauMeasured) -> str:
    weight = "not weighed" if one.mass_g is None else f"{one.mass_g:.1f} g"
    if isinstance(one, PlateauMeasured):
        return f"  a plateau of {one.area_mm2 / 100:.0f} cm², {one.size.thickness_mm:.1f} mm thick, {weight}"
    standing = one.standing
    return f"  a {one.colour} column, {2 * standing.half_width_mm:.1f} mm wide, {standing.height_mm:.1f} mm high, {weight}"


def with_poses(profile: Profile, pictures: Pictures) -> Profile:
    """The profile with the poses that these pictures show, so that a camera moved since is no trouble."""
    return pose_cameras(profile, {number: [picture] for number, picture in pictures.items()})[0]
