"""Whether a fitted lens may be believed, and what could be better, in words.

The lens is what `calibration.lens` fitted. A small reprojection error alone counts for nothing: what counts first is how well the views
pin the parameters down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.profile import CameraModel

SPREAD_DEG = 20.0
"""Least angle between the two board planes that differ most. Zhang (2000, section 5.1) finds the lens best known near 45 degrees and badly
at small angles; of two real sets one with 13 degrees had its focal length 8 % off, one with 56 degrees was right."""

FOCAL_SHARE = 0.01
"""Greatest standard deviation of the focal length, as a share of it: 1 % is 5 mm at the fifth floor's distance of half a metre off axis."""

CENTRE_SHARE = 0.01
"""Greatest standard deviation of the principal point, as a share of the picture's width."""

GOOD_ERROR_SHARE, WORST_ERROR_SHARE = 0.0008, 0.0022
"""Rms error relative to the picture's width: 0.5 px of 640 and 1.5 px of 1920 are the same lens. Above the first a remark, above the second
a refusal."""


@dataclass(frozen=True, slots=True)
class ViewReport:
    """One picture's part: corners used, its error (px rms), distance (mm), tilt of the board against the line of sight (degrees)."""

    name: str
    corners: int
    dropped: tuple[int, ...]
    error_px: float
    distance_mm: float
    tilt_deg: float


def refusals(
    model: CameraModel, error_px: float, focal_sd: float, centre_sd: float, spread_deg: float, views: Sequence[ViewReport]
) -> tuple[str, ...]:
    """What is wrong with the lens, a sentence each; none if it may be used. Standard deviations in px.

    `model`: the fitted lens; `error_px`: rms error of all corners; `focal_sd` and `centre_sd`: of focal length and centre; `spread_deg`:
    largest angle between the board's planes; `views`: error and corners of each.
    """
    width = model.width_px
    focal = model.focal_px
    worst = max(views, key=lambda view: view.error_px)
    said = []
    if spread_deg < SPREAD_DEG:
        said.append(
            f"The board was held too much alike: its planes differ by at most {spread_deg:.0f} degrees, {SPREAD_DEG:.0f} are needed. "
            "Tilt it to the left, the right, forward and back, by 30 to 45 degrees."
        )
    if not focal_sd <= FOCAL_SHARE * focal:
        said.append(
            f"The focal length is uncertain by {100 * focal_sd / focal:.1f} % ({focal:.0f} px, standard deviation {focal_sd:.1f} px); "
            f"{100 * FOCAL_SHARE:.0f} % is allowed. Add tilted views, close enough to fill the picture."
        )
    if not centre_sd <= CENTRE_SHARE * width:
        said.append(
            f"The picture's centre is uncertain by {centre_sd:.1f} px; {CENTRE_SHARE * width:.1f} px are allowed. "
            "Add views tilted to all sides."
        )
    if error_px > WORST_ERROR_SHARE * width:
        said.append(
            f"The board is {error_px:.2f} px off on average, in pictures {width} px wide; "
            f"{WORST_ERROR_SHARE * width:.2f} px are allowed. "
            f"The worst view is {worst.name} ({worst.error_px:.2f} px): is the board flat, its size right, and nothing blurred?"
        )
    if not 0.25 * width < focal < 12 * width:
        said.append(f"A focal length of {focal:.0f} px is not that of a camera {width} px wide.")
    return tuple(said)


def remarks_on(
    model: CameraModel, error_px: float, covered: float, views: Sequence[ViewReport], dropped: dict[str, tuple[int, ...]]
) -> tuple[str, ...]:
    """What could be better, or was left out.

    `model`: the fitted lens; `error_px`: rms error of all corners; `covered`: share of the picture where corners were seen (0 to 1);
    `views`: error of each; `dropped`: numbers of the corners left out, by the view's name.
    """
    width = model.width_px
    worst = max(views, key=lambda view: view.error_px)
    said = [
        f"{name}: {len(ids)} corner{'s' if len(ids) > 1 else ''} dropped as misread ({', '.join(str(number) for number in ids[:8])})."
        for name, ids in dropped.items()
    ]
    if GOOD_ERROR_SHARE * width < error_px <= WORST_ERROR_SHARE * width:
        said.append(f"An error of {error_px:.2f} px is much for {width} px: a board that is not quite flat does that.")
    typical = float(np.median([view.error_px for view in views]))
    if worst.error_px > 2 * typical:
        said.append(f"The worst view is {worst.name}: {worst.error_px:.2f} px, the others {typical:.2f} px. Leave it out or take it again.")
    if covered < 0.5:
        said.append(f"The board was seen in {100 * covered:.0f} % of the picture only: hold it into the corners as well.")
    return tuple(said)
