"""From pictures of a board to a lens, with everything that can be wrong said in words: what `paletti calibrate camera --board` does.

Puts the finding of the board, the search for what does not fit and the fit of the lens together, and writes the outcome as sentences and as
JSON. Where the pictures come from is the command line's matter.
"""

from __future__ import annotations

from collections.abc import Mapping

from calibration.boards import Board, Grey, Seen, find_board
from calibration.lens import LEAST_VIEWS, LensReport, find_lens, usable
from calibration.misfit import contradiction, mirrored, other_board, picture_trouble
from rig.errors import PalettiError
from rig.profile import LensKind

BOW_TOLD_MM = 0.1
"""A board that is less than this from flat is told as flat; the fit allows for it anyway. By design."""


def lens_of(pictures: Mapping[str, Grey], board: Board, kind: LensKind = LensKind.PINHOLE) -> LensReport:
    """The lens of this kind from named grey pictures of a board. PalettiError if they show another board, none, or too little of it."""
    seen = {name: find_board(picture, board, name) for name, picture in pictures.items()}
    against = contradiction(_by_markers(pictures, seen), board)
    if against:
        raise PalettiError(against, "Then calibrate again with the board as it is.")
    views, _ = usable(list(seen.values()))
    if len(views) < LEAST_VIEWS:
        _refuse(pictures, seen, board, len(views))
    return find_lens(list(seen.values()), board, kind)


def _by_markers(pictures: Mapping[str, Grey], seen: Mapping[str, Seen]) -> list[Grey]:
    """The pictures, those with the most markers first."""
    return [pictures[name] for name in sorted(pictures, key=lambda name: -seen[name].markers)]


def _refuse(pictures: Mapping[str, Grey], seen: Mapping[str, Seen], board: Board, views: int) -> None:
    """Raises with the likeliest reason why hardly any picture can be used."""
    said = mirrored(list(pictures.values()), board)
    if said:
        raise PalettiError(said)
    if views == 0:
        other = other_board(_by_markers(pictures, seen), board)
        if other:
            raise PalettiError(other)
    reasons = []
    for name, picture in pictures.items():
        view = seen[name]
        if view.markers == 0 and len(view.ids) == 0:
            reasons.append(f"{name}: {picture_trouble(picture, board)}")
        else:
            reasons.extend(f"{skipped}: {reason}" for skipped, reason in usable([view])[1])
    shown = "; ".join(reasons[:4]) + (f"; and {len(reasons) - 4} more" if len(reasons) > 4 else "")
    raise PalettiError(
        f"Only {views} of {len(pictures)} pictures show enough of the board {board}{f' ({shown})' if shown else ''}.",
        f"At least {LEAST_VIEWS} are needed, better ten, from different sides.",
    )


def sentences_of(report: LensReport) -> list[str]:
    """The report for a person, line by line."""
    lens = report.model
    corners = sum(view.corners for view in report.views)
    worst = f"worst view {report.worst.name} ({report.worst.error_px:.2f} px)"
    focal = f"focal length {lens.fx_px:.1f} x {lens.fy_px:.1f} px (sd {report.focal_sd_px:.1f})"
    centre = f"centre {lens.cx_px:.1f}, {lens.cy_px:.1f} px (sd {report.centre_sd_px:.1f})"
    said = [
        f"{len(report.views)} views, {corners} corners, error {report.error_px:.2f} px, {worst}",
        f"{focal}, {centre}, planes up to {report.spread_deg:.0f} degrees apart",
    ]
    if report.bloom_px:
        said.append(f"markers bloom by {report.bloom_px:.2f} px a corner; this is allowed for")
    if report.bow_mm >= BOW_TOLD_MM:
        said.append(f"the board is {report.bow_mm:.1f} mm from flat; this is allowed for")
    if abs(report.stretch) >= 0.0005:
        said.append(f"the print is stretched by {100 * report.stretch:+.2f} % along its columns against its rows; this is allowed for")
    said.extend(f"skipped {name}: {reason}" for name, reason in report.skipped)
    said.extend(report.remarks)
    said.extend(report.sentences)
    return said


def json_of(report: LensReport, board: Board) -> dict[str, object]:
    """The report as documented for `--json`: pixels, millimetres, degrees; stable keys."""
    lens = report.model
    return {
        "good": report.good,
        "board": str(board),
        "model": lens.kind.value,
        "width_px": lens.width_px,
        "height_px": lens.height_px,
        "fx_px": lens.fx_px,
        "fy_px": lens.fy_px,
        "cx_px": lens.cx_px,
        "cy_px": lens.cy_px,
        "distortion": list(lens.distortion),
        "error_px": round(report.error_px, 4),
        "focal_sd_px": round(report.focal_sd_px, 3),
        "centre_sd_px": round(report.centre_sd_px, 3),
        "bloom_px": round(report.bloom_px, 3),
        "bow_mm": round(report.bow_mm, 3),
        "stretch": round(report.stretch, 5),
        "spread_deg": round(report.spread_deg, 1),
        "covered": round(report.covered, 3),
        "worst_view": report.worst.name,
        "views": [
            {
                "name": view.name,
                "corners": view.corners,
                "dropped": list(view.dropped),
                "error_px": round(view.error_px, 4),
                "distance_mm": round(view.distance_mm, 1),
                "tilt_deg": round(view.tilt_deg, 1),
            }
            for view in report.views
        ],
        "skipped": [{"name": name, "reason": reason} for name, reason in report.skipped],
        "sentences": list(report.sentences),
        "remarks": list(report.remarks),
    }
