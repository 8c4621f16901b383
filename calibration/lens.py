"""A camera's lens from views of a board, and whether it may be believed.

A small reprojection error proves little: five views from the front fit splendidly with a focal length that is 8 % off. So the verdict rests
on how well the parameters are pinned down (their standard deviations by the covariance of the fit), on how differently the board was held,
and only then on the error, relative to the picture's width. Markers' black squares print and photograph too small (bloom); for boards whose
corners are markers' corners that shrinkage is fitted together with the lens. So are bow and stretch of the sheet (`calibration.sheet`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.boards import LEAST_CORNERS, Board, Floats, Seen
from calibration.copies import without_copies
from calibration.lens_fit import LensFit, first_fisheye, fit_lens
from calibration.lens_verdict import SPREAD_DEG, ViewReport, refusals, remarks_on
from calibration.misfit import never_seen
from calibration.sheet import deformations, extent, sheet_step
from rig.errors import PalettiError
from rig.profile import CameraModel, LensDoubt, LensKind
from vision.camera.lens import rays_of

LEAST_VIEWS = 3
"""Fewer views of a plane leave the five numbers of the lens to chance."""

JUMP_PX = 5.0
"""A corner farther than this from where the fit puts it is a misreading, not noise: dropped and reported."""

ROUNDS = 6

SHEET_VIEWS = 5
"""Fewer views tell a bowed or stretched board from a longer lens only by chance."""
SHEET_ROUNDS = 3

LEAST_DOUBT = 1e-3
"""Ways in which the lens is in doubt by less than this share of the most doubtful one are left out."""


@dataclass(frozen=True, slots=True)
class LensReport:
    """The lens with what a person should know. `sentences` say what is wrong where `good` is False, and `remarks` what could be better.

    `stretch`: by what share the sheet is longer along x than along y. `doubt`: ways in which the lens may be off (`rig.profile.Camera`)."""

    model: CameraModel
    error_px: float
    focal_sd_px: float
    centre_sd_px: float
    bloom_px: float
    bow_mm: float
    stretch: float
    doubt: LensDoubt
    spread_deg: float
    covered: float
    views: tuple[ViewReport, ...]
    skipped: tuple[tuple[str, str], ...]
    good: bool
    sentences: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def worst(self) -> ViewReport:
        return max(self.views, key=lambda view: view.error_px)


def usable(seen: Sequence[Seen]) -> tuple[list[Seen], list[tuple[str, str]]]:
    """The views that can be used, and for the others their name and why not."""
    kept: list[Seen] = []
    skipped: list[tuple[str, str]] = []
    for view in seen:
        if len(view.ids) == 0:
            reason = f"{view.markers} markers, but no corner between them" if view.markers else "no board found"
        elif len(view.ids) < LEAST_CORNERS:
            reason = f"only {len(view.ids)} corners; at least {LEAST_CORNERS} are needed"
        elif view.on_one_line:
            reason = "only corners on one line, such as a diagonal: they fix no plane"
        else:
            kept.append(view)
            continue
        skipped.append((view.name, reason))
    return kept, skipped


def find_lens(seen: Sequence[Seen], board: Board | str, kind: LensKind = LensKind.PINHOLE) -> LensReport:
    """The lens of this kind from all views of one camera; PalettiError if there are too few views to fit anything, or of several sizes."""
    views, skipped = usable(seen)
    sizes = sorted({view.size_px for view in seen})
    if len(sizes) > 1:
        named = ", ".join(f"{width}x{height}" for width, height in sizes)
        raise PalettiError(f"The pictures are of several sizes ({named}).", "Use one mode of one camera; a lens belongs to its mode.")
    if len(views) < LEAST_VIEWS:
        why = "; ".join(f"{name}: {reason}" for name, reason in skipped[:4])
        raise PalettiError(
            f"Only {len(views)} of {len(seen)} pictures show enough of the board {board}{f' ({why})' if why else ''}.",
            f"At least {LEAST_VIEWS} are needed, better ten, from different sides.",
        )
    different, copies = without_copies(views)
    if len(different) >= LEAST_VIEWS:
        views, skipped = different, [*skipped, *copies]
    views, dropped = _without_jumps(views, kind)
    fit, bloom_px, views, more = _fit_all(views, kind)
    fit, bow_mm, stretch = _with_sheet(views, bloom_px, fit)
    for name, ids in more.items():
        dropped[name] = tuple(sorted((*dropped.get(name, ()), *ids)))
    reports = tuple(
        ViewReport(
            view.name, len(view.ids), dropped.get(view.name, ()), float(np.sqrt(np.square(residual).sum(1).mean())), float(distance),
            float(np.degrees(np.arccos(min(1.0, abs(float(normal[2])))))),
        )
        for view, residual, normal, distance in zip(views, fit.residuals, fit.normals, fit.distances_mm, strict=True)
    )  # fmt: skip
    spread_deg = _spread_deg(fit)
    covered = _covered(views)
    sds = np.sqrt(np.diag(fit.covariance))
    focal_sd, centre_sd = float(sds[:2].max()), float(sds[2:4].max())
    sentences = refusals(fit.model, fit.error_px, focal_sd, centre_sd, spread_deg, reports)
    if len(different) < LEAST_VIEWS:
        held = "one view" if len(different) == 1 else f"{len(different)} different views"
        alike = f"The {len(seen)} pictures show only {held} of the board; at least {LEAST_VIEWS} are needed, better ten."
        sentences = (*sentences, f"{alike} Move and tilt it between pictures.")
    remarks = (*remarks_on(fit.model, fit.error_px, covered, reports, dropped), *never_seen(seen, board))
    return LensReport(
        fit.model,
        fit.error_px,
        focal_sd,
        centre_sd,
        bloom_px,
        bow_mm,
        stretch,
        _doubt(fit.covariance),
        spread_deg,
        covered,
        reports,
        tuple(skipped),
        not sentences,
        sentences,
        remarks,
    )


# ---------------------------------------------------------------- the fit


def _without_jumps(views: Sequence[Seen], kind: LensKind) -> tuple[list[Seen], dict[str, tuple[int, ...]]]:
    """Corners that jumped far off the board's plane, dropped before they can pull the fit: a homography of each view tells them."""
    kept: list[Seen] = []
    dropped: dict[str, tuple[int, ...]] = {}
    wide = first_fisheye(views) if kind is LensKind.FISHEYE else None
    for view in views:
        room = max(3 * JUMP_PX, 0.02 * float(np.linalg.norm(np.ptp(view.pixels, axis=0))))  # a wide lens bends a plane by per cents
        seen = view.pixels if wide is None else wide.focal_px * rays_of(wide, view.pixels)
        _, mask = cv2.findHomography(view.board_mm[:, :2], seen, cv2.RANSAC, room)
        near = np.asarray(mask, np.bool_).ravel() if mask is not None else np.ones(len(view.ids), np.bool_)
        if not near.all():
            dropped[view.name] = tuple(int(number) for number in view.ids[~near])
        rest = view.only(near)
        if len(rest.ids) >= LEAST_CORNERS and not rest.on_one_line:
            kept.append(rest)
    if len(kept) < LEAST_VIEWS:
        raise PalettiError(
            f"Only {len(kept)} pictures show corners that lie in one plane.", "Is the board stiff, and the size declared the right one?"
        )
    return kept, dropped


def _fit_all(views: list[Seen], kind: LensKind) -> tuple[LensFit, float, list[Seen], dict[str, tuple[int, ...]]]:
    """Fits lens and bloom, drops corners that are off by more than `JUMP_PX` (the worst half first), and fits again."""
    bloom_px = 0.0
    dropped: dict[str, tuple[int, ...]] = {}
    for _ in range(ROUNDS):
        bloom_px = _bloom(views, bloom_px, kind)
        fit = fit_lens(views, bloom_px, kind)
        away = [np.linalg.norm(residual, axis=1) for residual in fit.residuals]
        worst = max(float(values.max()) for values in away)
        if worst <= JUMP_PX:
            break
        limit = max(JUMP_PX, worst / 2)
        rest: list[Seen] = []
        for view, values in zip(views, away, strict=True):
            if (values > limit).any():
                dropped[view.name] = (*dropped.get(view.name, ()), *(int(number) for number in view.ids[values > limit]))
            kept = view.only(values <= limit)
            if len(kept.ids) >= LEAST_CORNERS and not kept.on_one_line:
                rest.append(kept)
        if len(rest) < LEAST_VIEWS:
            raise PalettiError(
                "The board's corners fit no lens: too many lie where no flat board has them.",
                "Is the board flat and stiff, and its size declared right?",
            )
        views = rest
    return fit, bloom_px, views, dropped


def _bloom(views: Sequence[Seen], start_px: float, kind: LensKind) -> float:
    """How far every marker's corner is drawn inward (px): the mean of the residuals along that direction, which the fit leaves alone."""
    if not any(view.push.any() for view in views):
        return 0.0
    bloom_px = start_px
    for _ in range(4):
        fit = fit_lens(views, bloom_px, kind)
        push = np.concatenate([view.push for view in views])
        step = -float((np.concatenate(fit.residuals) * push).sum() / np.square(push).sum())
        bloom_px = float(np.clip(bloom_px + step, -1.0, 2.5))
        if abs(step) < 0.01:
            break
    return bloom_px


def _with_sheet(views: Sequence[Seen], bloom_px: float, flat: LensFit) -> tuple[LensFit, float, float]:
    """The fit with the sheet fitted along, how far (mm) the board is from flat at its worst, and by what share x is longer than y; the
    flat, true one if views are few or alike."""
    if len(views) < SHEET_VIEWS or _spread_deg(flat) < SPREAD_DEG:
        return flat, 0.0, 0.0
    true = [view.board_mm for view in views]
    middle, half = extent(true)
    moved = [deformations(board, middle, half) for board in true]
    boards, sheet, fit = true, np.zeros(len(moved[0])), flat
    for _ in range(SHEET_ROUNDS):
        step, _ = sheet_step(moved, boards, fit.residuals, fit.poses, fit.model, sheet)
        sheet = sheet + step
        boards = [board + np.tensordot(sheet, ways, 1) for board, ways in zip(true, moved, strict=True)]
        bowed = [replace(view, board_mm=board) for view, board in zip(views, boards, strict=True)]
        fit = fit_lens(bowed, bloom_px, fit.model.kind, fit.model)
    _, covariance = sheet_step(moved, boards, fit.residuals, fit.poses, fit.model, sheet)
    away = np.concatenate([np.tensordot(sheet[:3], ways[:3, :, 2], 1) for ways in moved])
    return replace(fit, covariance=covariance), float(np.ptp(away)), float(sheet[3]) / half


def _doubt(covariance: Floats) -> LensDoubt:
    """The covariance (p, p) as ways in which the lens may be off by one standard deviation each, independent of one another."""
    sds = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(sds > 0, sds, 1.0)
    shares, ways = np.linalg.eigh(covariance / np.outer(scale, scale))
    kept = shares > LEAST_DOUBT * max(float(shares.max()), 1e-12)
    rows = (ways[:, kept] * np.sqrt(shares[kept])).T * scale
    return tuple(tuple(float(f"{value:.4g}") for value in row) for row in rows[::-1])


def _spread_deg(fit: LensFit) -> float:
    """The angle between the two planes of the board that differ most."""
    return float(np.degrees(np.arccos(np.clip(fit.normals @ fit.normals.T, -1.0, 1.0))).max())


def _covered(views: Sequence[Seen]) -> float:
    """Share of a 6 x 6 raster of the picture's fields in which some view has a corner."""
    width, height = views[0].size_px
    fields = np.concatenate([np.floor(view.pixels / (width, height) * 6) for view in views]).clip(0, 5)
    return len(np.unique(fields, axis=0)) / 36
