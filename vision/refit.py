"""Where the bystanders of an action now are: hands shift plateaus and columns by a few millimetres without anybody meaning it.

Each plateau and each column is tried at small offsets round its believed place against the pictures, everything else held still, and kept
where it gains most. A column hidden from every camera, and one whose pixels did not change, stays where it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from vision.evidence import Evidence, Under
from vision.geometry import Floats, column_prisms_at, turned
from vision.silhouettes import Item, Scene, code_of, column_item, items_of, plateau_item, running_sum, spans_of_parts, sums_within

REACH_MM = 6.0
"""A bystander that went farther is no bystander: it shows as unexplained."""

STAY_GAIN = 40.0
"""Least gain (summed pixel values) for which a bystander is moved at all: about a millimetre along a thin column's whole side."""

STAY_PER_MM2 = 4.0
"""Cost of a shift, per square millimetre: keeps what is hardly seen from wandering."""


def _grid(step: float, reach: int = 2) -> Floats:
    axis = np.arange(-reach, reach + 1) * step
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


def _best_offset(
    unders: Sequence[Under], item: Item, corners_at: PartsAt, offsets: Floats, turns: Floats
) -> tuple[Floats, float, float, float]:
    """The best of `offsets` (m, 2) with `turns` (m,), its gain over the first of them, which is "stay"."""
    total = np.zeros(len(offsets))
    for under in unders:
        view = under.evidence.stage.view
        spans = spans_of_parts(view, corners_at(offsets, turns))
        rows = np.nonzero((spans.right >= spans.left).any(0))[0]
        if not len(rows):
            continue
        y0 = int(spans.top.min())
        y1 = min(int(spans.top.max()) + spans.left.shape[1], view.height)
        box = (slice(y0, max(y1, y0 + 1)), slice(0, view.width))
        sums = running_sum(under.gain_map(item, box))
        shifted = type(spans)(spans.top - y0, spans.left, spans.right)
        total += sums_within(sums, shifted)
    total -= STAY_PER_MM2 * (offsets**2).sum(1) + STAY_PER_MM2 * turns**2
    at = int(np.argmax(total))
    return offsets[at], float(turns[at]), float(total[at] - total[0]), float(total[0])


class PartsAt:
    """Corners of an item's parts at each of m offsets (and turns) from its believed place: a list of (m, 2, n, 3)."""

    def __init__(self, profile: Profile, piece: Standing | Laid) -> None:
        self.profile, self.piece = profile, piece

    def __call__(self, offsets: Floats, turns: Floats) -> list[Floats]:
        piece = self.piece
        if isinstance(piece, Standing):
            places = offsets + np.array((piece.x_mm, piece.y_mm))
            return [column_prisms_at(self.profile, piece.column.shape, places, piece.z_mm, piece.yaw_deg)]
        size = self.profile.plateaus[piece.plateau]
        parts = []
        for part in size.parts_mm:
            outlines = np.array([turned(np.array(part), piece.yaw_deg + turn) for turn in turns])
            corners = np.empty((len(offsets), 2, len(part), 3))
            corners[..., :2] = (outlines + (offsets + np.array((piece.x_mm, piece.y_mm)))[:, None])[:, None]
            corners[:, 0, :, 2], corners[:, 1, :, 2] = piece.z_mm, piece.z_mm + size.thickness_mm
            parts.append(corners)
        return parts


def _refit_piece(profile: Profile, unders: Sequence[Under], item: Item, piece: Standing | Laid) -> Standing | Laid:
    parts = PartsAt(profile, piece)
    best, turn = np.zeros(2), 0.0
    gained = 0.0
    turning = isinstance(piece, Laid)
    for step, turn_step in ((2.0, 1.0), (0.7, 0.4)):
        offsets, turns = best + _grid(step), np.full(25, turn)
        if turning:
            turns = np.concatenate((turns, turn + np.repeat((-turn_step, turn_step), 9)))
            offsets = np.concatenate((offsets, best + np.tile(_grid(step, 1), (2, 1))))
        offsets, turns = np.concatenate((np.zeros((1, 2)), offsets)), np.concatenate((np.zeros(1), turns))
        best, turn, gained, _ = _best_offset(unders, item, parts, offsets, turns)
    if gained < STAY_GAIN or np.hypot(*best) > REACH_MM:
        return piece
    x, y = round(piece.x_mm + float(best[0]), 2), round(piece.y_mm + float(best[1]), 2)
    if isinstance(piece, Laid):
        return msgspec.structs.replace(piece, x_mm=x, y_mm=y, yaw_deg=round(piece.yaw_deg + turn, 2))
    return msgspec.structs.replace(piece, x_mm=x, y_mm=y)


def refit_bystanders(
    profile: Profile, evidences: Sequence[Evidence], tower: Tower, scenes: Sequence[Scene], but: Sequence[Column | Floor] = ()
) -> tuple[Tower, tuple[Scene, ...]]:
    """`tower` with every plateau and column (except `but`) moved to where it now is, and the scenes of that."""
    scenes = tuple(scenes)
    pieces: tuple[Laid | Standing, ...] = (*tower.plateaus, *tower.columns)
    for piece in pieces:
        key = piece.plateau if isinstance(piece, Laid) else piece.column
        if key in but:
            continue
        code = code_of(profile, key)
        if not _disturbed(evidences, scenes, code):
            continue
        unders = [Under.of(evidence, scene.without(code)) for evidence, scene in zip(evidences, scenes, strict=True)]
        item = plateau_item(profile, piece) if isinstance(piece, Laid) else column_item(profile, tower, piece)
        new = _refit_piece(profile, unders, item, piece)
        if new is piece:
            continue
        if isinstance(new, Laid):
            tower = Tower(tower.columns, tuple(new if laid.plateau is new.plateau else laid for laid in tower.plateaus))
        else:
            tower = Tower(tuple(new if standing.column == new.column else standing for standing in tower.columns), tower.plateaus)
        scenes = tuple(Scene(scene.stage, items_of(profile, tower), scene.patches_but(code)) for scene in scenes)
    return tower, scenes


def _disturbed(evidences: Sequence[Evidence], scenes: Sequence[Scene], code: int) -> bool:
    """Whether any camera sees change on this item's silhouette or right beside it; what is undisturbed need not be fitted."""
    for evidence, scene in zip(evidences, scenes, strict=True):
        patch = scene.patches[code]
        if not patch.inside.size:
            continue
        rows, columns = patch.box
        around = (slice(max(rows.start - 3, 0), rows.stop + 3), slice(max(columns.start - 3, 0), columns.stop + 3))
        shown = (scene.code[around] == code) | (evidence.before.code[around] == code)
        worse = evidence.same[around] < -0.5
        if int((worse & _grown(shown)).sum()) > 12:
            return True
    return False


def _grown(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    wide = mask.copy()
    wide[:, 2:] |= mask[:, :-2]
    wide[:, :-2] |= mask[:, 2:]
    tall = wide.copy()
    tall[2:] |= wide[:-2]
    tall[:-2] |= wide[2:]
    return tall
