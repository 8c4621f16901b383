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

REACH_MM = 14.0
"""A bystander that went farther is no bystander: it shows as unexplained."""

STAY_GAIN = 40.0
"""Least gain (summed pixel values) for which a bystander is moved at all: about a millimetre along a thin column's whole side."""

STAY_PER_MM2, STAY_MOST = 4.0, 120.0
"""Cost of a shift, per square millimetre, and at most: keeps what is hardly seen from wandering."""

STEPS = ((4.0, 2.0), (2.0, 1.0), (0.7, 0.4))
"""Offsets (mm) and turns (degrees) tried, from coarse to fine."""

AGAIN_MM = 1.5
"""A shift beyond this uncovers or hides enough of the neighbours to fit all of them once more."""

_AROUND = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)], dtype=np.float64)


class _Fit:
    """Gains of one item at offsets from its believed place, all else held still."""

    def __init__(self, profile: Profile, unders: Sequence[Under], item: Item, piece: Standing | Laid) -> None:
        self.parts = PartsAt(profile, piece)
        self.turning = isinstance(piece, Laid)
        self.unders = tuple(unders)
        self.sums: list[Floats] = []
        for under in unders:
            height, width = under.evidence.stage.shape
            patch = under.evidence.stage.patch(item)
            margin = int(1.3 * REACH_MM / np.sqrt(under.evidence.mm2)) + 2
            y0 = max(patch.y0 - margin, 0) if patch.inside.size else 0
            y1 = min(patch.y0 + patch.inside.shape[0] + margin, height) if patch.inside.size else height
            gains = np.zeros((height, width), dtype=np.float32)
            box = (slice(y0, y1), slice(0, width))
            gains[box] = under.gain_map(item, box)
            self.sums.append(running_sum(gains))

    def gains(self, offsets: Floats, turns: Floats) -> Floats:
        total = np.zeros(len(offsets))
        for under, sums in zip(self.unders, self.sums, strict=True):
            total += sums_within(sums, spans_of_parts(under.evidence.stage.view, self.parts(offsets, turns)))
        return np.asarray(total - np.minimum(STAY_PER_MM2 * ((offsets**2).sum(1) + turns**2), STAY_MOST))

    def climb(self, start: Floats) -> tuple[Floats, float, float]:
        """The best offset and turn uphill from a start, and what it gains over staying."""
        stay = float(self.gains(np.zeros((1, 2)), np.zeros(1))[0])
        offset, turn, gain = start, 0.0, -np.inf
        for step, turn_step in STEPS:
            for _ in range(4):
                offsets = offset + _AROUND * step
                turns = np.full(len(offsets), turn)
                if self.turning:
                    offsets = np.concatenate((offsets, np.repeat(offset[None], 2, axis=0)))
                    turns = np.concatenate((turns, (turn - turn_step, turn + turn_step)))
                total = self.gains(offsets, turns)
                at = int(np.argmax(total))
                offset, turn, gain = offsets[at], float(turns[at]), float(total[at])
                if at == 0:
                    break
        return offset, turn, gain - stay


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


def _refit_piece(fit: _Fit, piece: Standing | Laid, carried: Floats) -> Standing | Laid:
    """The piece where it now is; `carried`: how far what it stands on has gone, a second place to start from."""
    tries = [fit.climb(np.zeros(2))]
    if np.hypot(*carried) > 1.0:
        tries.append(fit.climb(carried))
    best, turn, gained = max(tries, key=lambda one: one[2])
    if gained < STAY_GAIN or np.hypot(*best) > REACH_MM:
        return piece
    x, y = round(piece.x_mm + float(best[0]), 2), round(piece.y_mm + float(best[1]), 2)
    if isinstance(piece, Laid):
        return msgspec.structs.replace(piece, x_mm=x, y_mm=y, yaw_deg=round(piece.yaw_deg + turn, 2))
    return msgspec.structs.replace(piece, x_mm=x, y_mm=y)


def refit_piece_on(profile: Profile, unders: Sequence[Under], tower: Tower, start: Standing) -> Standing:
    """`start`, a column that is not in the unders' scenes, moved to where it gains most within a few millimetres."""
    fit = _Fit(profile, unders, column_item(profile, tower, start), start)
    offset, _, _ = fit.climb(np.zeros(2))
    return msgspec.structs.replace(start, x_mm=round(start.x_mm + float(offset[0]), 2), y_mm=round(start.y_mm + float(offset[1]), 2))


def refit_bystanders(
    profile: Profile, evidences: Sequence[Evidence], tower: Tower, scenes: Sequence[Scene], but: Sequence[Column | Floor] = ()
) -> tuple[Tower, tuple[Scene, ...]]:
    """`tower` with every plateau and column (except `but`) moved to where it now is, and the scenes of that."""
    scenes = tuple(scenes)
    whole = [Under.of(evidence, scene) for evidence, scene in zip(evidences, scenes, strict=True)]
    for _ in range(2):
        moved_mm = 0.0
        gone: dict[Floor, Floats] = {}
        for piece in _from_the_ground_up(tower):
            key = piece.plateau if isinstance(piece, Laid) else piece.column
            code = code_of(profile, key)
            if key in but or not _disturbed(evidences, scenes, code):
                continue
            unders = [under.instead(under.scene.without(code)) for under in whole]
            item = plateau_item(profile, piece) if isinstance(piece, Laid) else column_item(profile, tower, piece)
            carried = np.zeros(2) if isinstance(piece, Laid) else gone.get(piece.floor, np.zeros(2))
            new = _refit_piece(_Fit(profile, unders, item, piece), piece, carried)
            if new is piece:
                continue
            shift = np.array((new.x_mm - piece.x_mm, new.y_mm - piece.y_mm))
            moved_mm = max(moved_mm, float(np.hypot(*shift)))
            if isinstance(new, Laid):
                gone[new.plateau] = shift
                tower = Tower(tower.columns, tuple(new if laid.plateau is new.plateau else laid for laid in tower.plateaus))
            else:
                tower = Tower(tuple(new if standing.column == new.column else standing for standing in tower.columns), tower.plateaus)
            scenes = tuple(Scene(scene.stage, items_of(profile, tower), scene.patches_but(code)) for scene in scenes)
            whole = [under.instead(scene) for under, scene in zip(whole, scenes, strict=True)]
        if moved_mm < AGAIN_MM:
            break
    return tower, scenes


def _from_the_ground_up(tower: Tower) -> list[Laid | Standing]:
    pieces: list[Laid | Standing] = [*tower.on(Floor.GROUND)]
    for laid in tower.plateaus:
        pieces += [laid, *tower.on(laid.plateau)]
    return pieces


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
