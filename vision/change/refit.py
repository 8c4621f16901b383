"""Where the bystanders of an action now are: hands shift plateaus and columns by a few millimetres without anybody meaning it.

Each plateau and each column is tried at small offsets round its believed place against the pictures, everything else held still, and kept
where it gains most. A column hidden from every camera, and one whose pixels did not change, stays where it was; what stands or lies on a
plateau that was shifted rides along with it unless the pictures say otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from rig.messages import Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from vision.arrays import Floats
from vision.change.evidence import BackgroundScore, PixelEvidence
from vision.scene.silhouettes import Item, Scene, code_of, column_item, items_of, plateau_item
from vision.scene.upright import Upright

REACH_MM = 20.0
"""A bystander that went farther is no bystander: it shows as unexplained. By design: more than the thinnest column's radius, less than
the thickest's width (`tests/vision/test_tunables.py`)."""

STAY_GAIN = 40.0
"""Least gain (summed pixel values) for which a bystander is moved at all: about a millimetre along a thin column's whole side. Set by
hand on tuning seeds; not measured on a spread of rooms."""

STAY_PER_MM2, STAY_MOST, STAY_PER_MM = 4.0, 120.0, 3.0
"""Cost of a shift, per square millimetre and so at most, and per millimetre: keeps what is hardly seen from wandering, and what one
camera sees from wandering along its line of sight. Set by hand on tuning seeds; not measured on a spread of rooms."""

FIT_STEPS = ((4.0, 2.0), (2.0, 1.0), (0.7, 0.4))
"""Offsets (mm) and turns (degrees) tried, from coarse to fine. By design: each a half or a third of the last, down to below a pixel."""

AGAIN_MM = 1.5
"""A shift beyond this uncovers or hides enough of the neighbours to fit all of them once more. Set by hand on tuning seeds; not measured
on a spread of rooms."""

CARRIED_MM = 1.0
"""From this far on a plateau's shift carries along what is on it; less is not told from an error of the fit. Set by hand on tuning
seeds; not measured on a spread of rooms."""

_AROUND = np.array([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)], dtype=np.float64)


_AXIS_MM = np.arange(-REACH_MM, REACH_MM + 1.0, 4.0)
_GRID_MM = np.array([(x, y) for x in _AXIS_MM for y in _AXIS_MM if np.hypot(x, y) <= REACH_MM])
"""Where else a piece is looked for: two cameras see one that went far aside at one place alone, with a valley between."""


@dataclass(frozen=True, eq=False)
class RigidCarry:
    """How far a piece has gone with what it stands or lies on: offset (2,) and turn about its own place."""

    offset_mm: Floats
    turn_deg: float

    @classmethod
    def none(cls) -> RigidCarry:
        return cls(np.zeros(2), 0.0)

    @classmethod
    def along(cls, first: Tower, now: Tower, piece: Standing | Laid) -> RigidCarry:
        """From where `piece` is in `now` to where the plateau under it has carried it since `first`; none if it was not shifted."""
        carrier = Floor(piece.plateau - 1) if isinstance(piece, Laid) else piece.floor
        then, lies = (next((laid for laid in tower.plateaus if laid.plateau is carrier), None) for tower in (first, now))
        was = first.find(piece.column) if isinstance(piece, Standing) else next(o for o in first.plateaus if o.plateau is piece.plateau)
        if then is None or lies is None or was is None:
            return cls.none()
        turn_deg = lies.yaw_deg - then.yaw_deg
        turn = np.radians(turn_deg)
        arm = np.array((was.x_mm - then.x_mm, was.y_mm - then.y_mm))
        turned = np.array((arm[0] * np.cos(turn) - arm[1] * np.sin(turn), arm[0] * np.sin(turn) + arm[1] * np.cos(turn)))
        carried = turned + (lies.x_mm, lies.y_mm)
        if np.hypot(*(carried - (was.x_mm, was.y_mm))) < CARRIED_MM:
            return cls.none()
        return cls(carried - (piece.x_mm, piece.y_mm), was.yaw_deg + turn_deg - piece.yaw_deg)

    def moved(self, piece: Standing | Laid) -> Standing | Laid:
        """The piece, gone so far; a column's turn is left as it was, as all of its fits do."""
        x, y = round(piece.x_mm + float(self.offset_mm[0]), 2), round(piece.y_mm + float(self.offset_mm[1]), 2)
        if isinstance(piece, Laid):
            return msgspec.structs.replace(piece, x_mm=x, y_mm=y, yaw_deg=round(piece.yaw_deg + self.turn_deg, 2))
        return msgspec.structs.replace(piece, x_mm=x, y_mm=y)


class _Fit:
    """Gains of one item at offsets from its believed place, all else held still."""

    def __init__(self, profile: Profile, backgrounds: Sequence[BackgroundScore], item: Item, piece: Standing | Laid) -> None:
        self.solid = Upright.of(profile, piece)
        self.turning = isinstance(piece, Laid)
        self.backgrounds = tuple(backgrounds)
        self.sums: list[tuple[Floats, int, int]] = []
        for background in backgrounds:
            stage = background.evidence.stage
            patch = stage.patch(item)
            box = (slice(0, stage.shape[0]), slice(0, stage.shape[1]))
            if patch.inside.size:
                margin = int(1.3 * REACH_MM / np.sqrt(background.evidence.mm2)) + 2
                rows, columns = patch.box
                box = (slice(max(rows.start - margin, 0), rows.stop + margin), slice(max(columns.start - margin, 0), columns.stop + margin))
            self.sums.append((background.gain_sums(item, box, float(stage.nearness(item.place_mm))), box[1].start, box[0].start))

    def gains(self, offsets: Floats, turns: Floats, carry: RigidCarry) -> Floats:
        """What each offset and turn gains, less the cost of how far that is from where it would have ridden."""
        total = np.zeros(len(offsets))
        for background, (sums, x0, y0) in zip(self.backgrounds, self.sums, strict=True):
            total += self.solid.sums(background.evidence.stage.view, sums, offsets, turns, x0, y0)
        off = ((offsets - carry.offset_mm) ** 2).sum(1) + (turns - carry.turn_deg) ** 2
        total -= np.minimum(STAY_PER_MM2 * off, STAY_MOST) + STAY_PER_MM * np.sqrt(off)
        return np.where(np.hypot(*offsets.T) <= REACH_MM, total, -np.inf)

    def climb(self, start: RigidCarry, carry: RigidCarry) -> tuple[Floats, float, float]:
        """The best offset and turn uphill from a start, and what it gains over having ridden along."""
        stay = float(self.gains(carry.offset_mm[None], np.full(1, carry.turn_deg), carry)[0])
        offset, turn, gain = start.offset_mm, start.turn_deg, -np.inf
        for step, turn_step in FIT_STEPS:
            for _ in range(4):
                offsets = offset + _AROUND * step
                turns = np.full(len(offsets), turn)
                if self.turning:
                    offsets = np.concatenate((offsets, np.repeat(offset[None], 2, axis=0)))
                    turns = np.concatenate((turns, (turn - turn_step, turn + turn_step)))
                total = self.gains(offsets, turns, carry)
                at = int(np.argmax(total))
                offset, turn, gain = offsets[at], float(turns[at]), float(total[at])
                if at == 0:
                    break
        return offset, turn, gain - stay


def _refit_piece(fit: _Fit, piece: Standing | Laid, carry: RigidCarry) -> Standing | Laid:
    """The piece where it now is; `carry`: how far it has gone if nobody touched it."""
    starts = [
        carry,
        RigidCarry(_GRID_MM[int(np.argmax(fit.gains(_GRID_MM, np.full(len(_GRID_MM), carry.turn_deg), carry)))], carry.turn_deg),
    ]
    if carry.offset_mm.any():
        starts.append(RigidCarry.none())
    tries = [fit.climb(start, carry) for start in starts]
    offset, turn, gained = max(tries, key=lambda one: one[2])
    found = carry if gained < STAY_GAIN else RigidCarry(offset, turn)
    return found.moved(piece) if found.offset_mm.any() or found.turn_deg else piece


def refit_piece_on(profile: Profile, backgrounds: Sequence[BackgroundScore], tower: Tower, start: Standing) -> Standing:
    """`start`, a column that is not in the unders' scenes, moved to where it gains most within a few millimetres."""
    fit = _Fit(profile, backgrounds, column_item(profile, tower, start), start)
    offset, _, _ = fit.climb(RigidCarry.none(), RigidCarry.none())
    return msgspec.structs.replace(start, x_mm=round(start.x_mm + float(offset[0]), 2), y_mm=round(start.y_mm + float(offset[1]), 2))


def refit_bystanders(
    profile: Profile, evidences: Sequence[PixelEvidence], tower: Tower, scenes: Sequence[Scene], but: Sequence[Column | Floor] = ()
) -> tuple[Tower, tuple[Scene, ...]]:
    """`tower` with every plateau and column (except `but`) moved to where it now is, and the scenes of that.

    `profile` gives the sizes; `evidences` and `scenes` are one a camera, the scenes those of `tower`.
    """
    scenes = tuple(scenes)
    whole = [BackgroundScore.of(evidence, scene) for evidence, scene in zip(evidences, scenes, strict=True)]
    first = tower
    for _ in range(2):
        moved_mm = 0.0
        for piece in _from_the_ground_up(tower):
            key = piece.plateau if isinstance(piece, Laid) else piece.column
            code = code_of(profile, key)
            carry = RigidCarry.along(first, tower, piece)
            if key in but or not (carry.offset_mm.any() or _disturbed(evidences, scenes, code)):
                continue
            backgrounds = [background.instead(background.scene.without(code)) for background in whole]
            item = plateau_item(profile, piece) if isinstance(piece, Laid) else column_item(profile, tower, piece)
            new = _refit_piece(_Fit(profile, backgrounds, item, piece), piece, carry)
            if new is piece:
                continue
            moved_mm = max(moved_mm, float(np.hypot(new.x_mm - piece.x_mm, new.y_mm - piece.y_mm)))
            if isinstance(new, Laid):
                tower = Tower(tower.columns, tuple(new if laid.plateau is new.plateau else laid for laid in tower.plateaus))
            else:
                tower = Tower(tuple(new if standing.column == new.column else standing for standing in tower.columns), tower.plateaus)
            scenes = tuple(Scene(scene.stage, items_of(profile, tower), scene.patches_but(code)) for scene in scenes)
            whole = [background.instead(scene) for background, scene in zip(whole, scenes, strict=True)]
        if moved_mm < AGAIN_MM:
            break
    return tower, scenes


def _from_the_ground_up(tower: Tower) -> list[Laid | Standing]:
    pieces: list[Laid | Standing] = [*tower.on(Floor.GROUND)]
    for laid in tower.plateaus:
        pieces += [laid, *tower.on(laid.plateau)]
    return pieces


def _disturbed(evidences: Sequence[PixelEvidence], scenes: Sequence[Scene], code: int) -> bool:
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
