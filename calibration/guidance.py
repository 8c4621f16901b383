"""Which pose of the board is still missing, while a person holds it before a live camera.

A lens is pinned down by planes tilted to all sides and by corners in all parts of the picture. Each picture that shows the board is taken
if it is still and fills a gap in that list; the sentence says what to do next. Angles are judged with a rough focal length (the picture's
longer side), which is good enough to tell a tilt of 30 degrees from none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.boards import LEAST_CORNERS, Board, Seen, find_board
from calibration.misfit import other_board
from rig.errors import PalettiError

Grey = npt.NDArray[np.uint8]

TILT_DEG = 22.0
"""A board tilted by more than this counts as tilted. Higher asks more of wrists, lower pins the focal length down less."""

STILL_SHARE = 0.002
"""Movement between two pictures, as a share of the picture's width, up to which the board is still: more smears the corners."""

NEAR_SHARE = 0.35
"""Share of the picture's longer side that the board spans when it is held close enough."""


@dataclass(frozen=True, slots=True)
class Hold:
    """How the board was held: its plane's tilt to the right and downward (degrees), its centre and span (shares of the picture)."""

    right_deg: float
    down_deg: float
    x: float
    y: float
    span: float


WANTED: tuple[tuple[str, str], ...] = (
    ("front", "Hold the board straight before the camera, so near that it fills half of the picture."),
    ("left", "Turn the board's left edge away from the camera, by 30 to 45 degrees."),
    ("right", "Turn the board's right edge away from the camera, by 30 to 45 degrees."),
    ("up", "Tilt the board's upper edge away from the camera, by 30 to 45 degrees."),
    ("down", "Tilt the board's lower edge away from the camera, by 30 to 45 degrees."),
    ("upper left", "Hold the board into the upper left corner of the picture, a little tilted."),
    ("upper right", "Hold the board into the upper right corner of the picture, a little tilted."),
    ("lower left", "Hold the board into the lower left corner of the picture, a little tilted."),
    ("lower right", "Hold the board into the lower right corner of the picture, a little tilted."),
)
"""Poses by name with what to say, in the order in which they are asked for."""


def hold_of(view: Seen) -> Hold | None:
    """How the board is held; None if too little of it is seen."""
    if len(view.ids) < LEAST_CORNERS or view.on_one_line:
        return None
    width, height = view.size_px
    focal = float(max(width, height))
    matrix = np.array(((focal, 0, (width - 1) / 2), (0, focal, (height - 1) / 2), (0, 0, 1)))
    found, turn, _ = cv2.solvePnP(view.board_mm, view.pixels, matrix, np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
    if not found:
        return None
    normal = cv2.Rodrigues(turn)[0][:, 2]
    normal = normal if normal[2] > 0 else -normal  # away from the camera
    span = float(np.ptp(view.pixels, axis=0).max()) / focal
    x, y = view.pixels.mean(0) / (width, height)
    right, down = (float(np.degrees(np.arctan2(normal[axis], normal[2]))) for axis in (0, 1))
    return Hold(right, down, float(x), float(y), span)


def poses_of(hold: Hold) -> frozenset[str]:
    """The wanted poses that this view serves."""
    served = set()
    if abs(hold.right_deg) < 15 and abs(hold.down_deg) < 15 and hold.span > NEAR_SHARE:
        served.add("front")
    served |= {"left"} if hold.right_deg > TILT_DEG else set()  # the plane's far normal leans right: its left edge is the farther one
    served |= {"right"} if hold.right_deg < -TILT_DEG else set()
    served |= {"up"} if hold.down_deg > TILT_DEG else set()
    served |= {"down"} if hold.down_deg < -TILT_DEG else set()
    across = "left" if hold.x < 0.42 else "right" if hold.x > 0.58 else ""
    along = "upper" if hold.y < 0.42 else "lower" if hold.y > 0.58 else ""
    if across and along:
        served.add(f"{along} {across}")
    return frozenset(served)


def missing(holds: Sequence[Hold]) -> str:
    """What to do next; empty when every wanted pose has been seen."""
    served = frozenset[str]().union(*(poses_of(hold) for hold in holds))
    return next((words for name, words in WANTED if name not in served), "")


def worth_taking(view: Seen, before: Seen | None, taken: Sequence[Hold]) -> Hold | None:
    """The hold if this view is still (against the picture before) and serves a pose that no view taken so far serves; else None."""
    hold = hold_of(view)
    if hold is None or before is None or not _still(before, view):
        return None
    served = frozenset[str]().union(*(poses_of(other) for other in taken))
    return hold if poses_of(hold) - served else None


def _still(before: Seen, view: Seen) -> bool:
    shared, a, b = np.intersect1d(before.ids, view.ids, return_indices=True)
    if len(shared) < LEAST_CORNERS:
        return False
    moved = np.linalg.norm(before.pixels[a] - view.pixels[b], axis=1)
    return float(np.median(moved)) < STILL_SHARE * view.size_px[0]


GUIDED_PICTURES = 1500
"""Pictures looked at before a guided calibration gives up: two and a half minutes at ten a second."""


def guide(board: Board, take: Callable[[], Grey], tell: Callable[[str], None] = print, patience: int = GUIDED_PICTURES) -> dict[str, Grey]:
    """Pictures that together show every wanted pose: `take` gives the next, `tell` says what to do. PalettiError if `patience` runs out."""
    taken: dict[str, Grey] = {}
    holds: list[Hold] = []
    before: Seen | None = None
    asked = ""
    for _ in range(patience):
        wish = missing(holds)
        if not wish:
            tell(f"{len(taken)} pictures taken: that is enough.")
            return taken
        if wish != asked:
            tell(wish)
            asked = wish
        picture = take()
        view = find_board(picture, board)
        hold = worth_taking(view, before, holds)
        before = view
        if hold is not None:
            holds.append(hold)
            taken[f"view {len(taken) + 1}"] = picture
            tell(f"taken ({len(taken)})")
    if not taken:
        other = other_board([picture], board)
        if other:
            raise PalettiError(other)
    if len(taken) >= 3:
        tell(f"Only {len(taken)} pictures were taken; they are tried.")
        return taken
    raise PalettiError(
        f"Only {len(taken)} pictures of the board {board} could be taken.", "Is it the board declared, well lit, and held still when asked?"
    )
