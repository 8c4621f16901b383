"""What stands there? The whole tower read from one picture a camera, with nothing believed before: for set-up, and to get back from *lost*.

Plateaus first (`plateau_search`), then the columns of all floors together (`tower_search`, `local_search`), then colours measured on what
was found and all of it once more. A believed tower makes it quicker and surer: every column is held against the pictures where it is
believed to stand, and only what does not fit is sought elsewhere. The answer says for every column how sure it is and how much of it any
camera sees. What none sees is *hidden*: its kind is named, its place is not guessed. This is no standing oracle: a believed tower is tested
against alternatives instead (`vision.change.judge`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import msgspec
import numpy as np

from rig.errors import PalettiError
from rig.messages import CameraPose, Laid, Standing, Tower
from rig.pieces import Colour, Column, Shape
from rig.profile import Profile
from vision.appearance.reference import EmptyBase, reference_for
from vision.arrays import Picture
from vision.camera.picture_faults import picture_fault
from vision.camera.view import CameraView
from vision.change.evidence import PixelEvidence
from vision.change.tunables import LUMP_MM2, TEMPER
from vision.reading.belief import Belief, carried
from vision.reading.local_search import LocalSearch
from vision.reading.plateau_search import Flat, climbed, find_plateau, is_present, soft_values
from vision.reading.single_view import SingleView, tallest_tower
from vision.reading.tower_search import NO_BELIEF
from vision.reading.tower_state import COLUMN_COST, State, settled_heights
from vision.scene.silhouettes import Label, code_of, running_sum

UNCERTAIN, LEAST_GAIN = 0.6, 400.0
"""A column less sure than the first whose place gains less than the second by it (the pictures' sum; a quarter of a thin column's side
gains as much) is made of the edges of what stands round it, and left out. Set by hand on tuning seeds; not measured on a spread of
rooms."""

DOUBTED = 0.5
"""A plainly visible column less sure than this makes all columns be sought once more. By design: more likely wrong than right."""

LEAST_SHARE, LEAST_CONFIDENCE, PLAIN_SHARE = 0.08, 0.3, 0.25
"""A column of which less than the first share is seen by the camera that sees it best is *hidden*; so is one less sure than the second,
unless the third share of it is seen: that one stands there, whatever it is. Set by hand on tuning seeds; not measured on a spread of
rooms."""

STRAY_MM2, EMPTY_MM2 = 900.0, 250.0
"""Lumps of a piece's paint where the tower shows none count from `LUMP_MM2` on; beyond the first sum something lies or leans there, and
beyond the second on a base on which nothing was found: the smallest column shows four times as much. Set by hand on tuning seeds; not
measured on a spread of rooms. Bounded by `tests/vision/test_tunables.py`."""

LEAST_OPEN = 0.3
"""Share of the tower's room that a camera is taken to see at least, arms or not, when stray paint is reckoned up. Set by hand on tuning
seeds; not measured on a spread of rooms."""

BELIEVED_STEPS = ((3.0, 2.0), (1.5, 1.0), (0.7, 0.5))
"""Steps (mm, degrees) in which a plateau is sought round its believed place. By design: each about half of the last, down to below a
pixel."""

TOLD_SHARE = 0.1
"""Share of the tower that arms must hide from a camera for people to be told. Set by hand on tuning seeds; not measured on a spread of
rooms."""

POOR_FIT = 0.72
"""Share of the tower's pixels that show what they should, below which the reading is not to be believed. Set by hand on tuning seeds;
not measured on a spread of rooms."""


@dataclass(frozen=True, slots=True)
class ColumnRead:
    """A column as read: `visible` is the share of its silhouette that the camera with the best view sees."""

    standing: Standing
    confidence: float
    visible: float


@dataclass(frozen=True, slots=True)
class PlateauRead:
    """A plateau as read; `confidence` is the share of what could show it that does; `way_round`: how sure it is that it does not lie turned
    half round, since some outlines seen from the side differ little from themselves reversed."""

    laid: Laid
    confidence: float
    way_round: float


@dataclass(frozen=True, slots=True)
class HiddenKind:
    """So many columns of this kind are in the box and were not seen: hidden in the tower, or not in it."""

    colour: Colour
    shape: Shape
    count: int


@dataclass(frozen=True, slots=True)
class TowerReading:
    """The whole tower. `unseen`: columns believed to stand where hardly any camera sees, and nothing speaks against it. `fit`: share of
    the tower's pixels that show what they should; `stray_mm2`: area of pieces' paint that no standing piece explains (in the camera that
    sees least); `sentence`: what a person should know, empty if all is well."""

    columns: tuple[ColumnRead, ...]
    unseen: tuple[Standing, ...]
    plateaus: tuple[PlateauRead, ...]
    hidden: tuple[HiddenKind, ...]
    fit: float
    stray_mm2: float
    cameras: int
    sentence: str

    @property
    def tower(self) -> Tower:
        return Tower(tuple(one.standing for one in self.columns), tuple(one.laid for one in self.plateaus))

    @property
    def usable(self) -> bool:
        """Whether the pictures look like a standing tower at all."""
        most_mm2 = STRAY_MM2 if self.columns or self.plateaus else EMPTY_MM2
        return self.cameras > 0 and self.fit >= POOR_FIT and self.stray_mm2 < most_mm2


def read_tower(
    pictures: Sequence[Picture],
    poses: Sequence[CameraPose],
    profile: Profile,
    believed: Tower | None = None,
    empties: Sequence[EmptyBase] = (),
) -> TowerReading:
    """The tower in the pictures (BGR, full size, one a pose). `believed`: what should stand there, to start from; it counts where pictures
    say little (`vision.reading.belief`) and is dropped where they show something else. Plateaus are sought in any case.

    PalettiError if pictures and poses are not as many; a camera whose picture cannot be read is left out, and the sentence says so.

    `profile` gives cameras, sizes and paints; `empties`: pictures of the empty base, of the cameras that have one.
    """
    if len(pictures) != len(poses):
        raise PalettiError(f"There are {len(pictures)} pictures for {len(poses)} camera poses.", "Give one picture for every camera.")
    views, complaints = [], []
    for picture, pose in zip(pictures, poses, strict=True):
        fault = picture_fault(picture, profile.camera(pose.camera))
        if fault:
            complaints.append(fault)
        else:
            empty = reference_for(pose, CameraView.of(profile.camera(pose.camera).model, pose), empties)
            views.append(SingleView(profile, pose, picture, believed is not None, None if empty is None else empty.picture))
    if not views:
        hidden = _hidden(profile, ())
        return TowerReading((), (), (), hidden, 0.0, 0.0, 0, " ".join(complaints) or "No camera's pose is known yet: nothing can be read.")
    laid = tuple(_plateaus(profile, views, believed.plateaus if believed is not None else ()))
    if believed is None:
        search = _searched(profile, views, Tower((), laid), NO_BELIEF)
        reading = _reading(profile, views, search, complaints)
        if all(one.confidence >= DOUBTED or one.visible < PLAIN_SHARE for one in reading.columns):
            return reading
        anew = _searched_anew(profile, views, search)
        as_before = State.of(profile, anew.evidences, search.state.tower)
        return _reading(profile, views, anew, complaints) if anew.total(anew.state) > anew.total(as_before) else reading
    start = settled_heights(profile, carried(believed, laid))
    search = _resumed(profile, views, start)
    if _fit(search) < POOR_FIT or _stray_mm2(views, search) >= STRAY_MM2:
        anew = _searched(profile, views, Tower((), laid), Belief(start.columns))
        search = max(search, anew, key=lambda one: one.total(one.state))
    return _reading(profile, views, search, complaints)


def _plateaus(profile: Profile, views: Sequence[SingleView], believed: Sequence[Laid] = ()) -> list[Laid]:
    """The plateaus from the bottom up to the first that is not there. Of one that is believed to lie hands may hide the most."""
    known = {laid.plateau: laid for laid in believed}
    flats = [Flat(view.stage, view.values, view.mm2, view.arm) for view in views]
    found: list[Laid] = []
    for usual in tallest_tower(profile).plateaus:
        one = find_plateau(profile, flats, usual.plateau, usual.z_mm)
        laid = one.laid if is_present(one) else None
        if laid is None and usual.plateau in known:
            laid = _still_there(profile, flats, known[usual.plateau])
        if laid is None:
            break
        found.append(laid)
    return found


def _still_there(profile: Profile, flats: Sequence[Flat], believed: Laid) -> Laid | None:
    """A plateau near its believed place, by the cameras in which more speaks for it than against it; None if there are none."""
    fits = []
    for flat in flats:
        total = running_sum(soft_values(flat.values, believed.plateau))
        if climbed(profile, [flat.stage], [total], believed, steps=BELIEVED_STEPS)[1] > 0:
            fits.append((flat.stage, total))
    if not fits:
        return None
    return climbed(profile, [stage for stage, _ in fits], [total for _, total in fits], believed, steps=BELIEVED_STEPS)[0]


def _evidences(views: Sequence[SingleView], tower: Tower) -> list[PixelEvidence]:
    """What every picture says, its colours measured on a tower."""
    for view in views:
        view.adapt(tower)
    return [view.evidence() for view in views]


def _resumed(profile: Profile, views: Sequence[SingleView], believed: Tower) -> LocalSearch:
    """The best tower uphill from one that is believed to stand."""
    search = LocalSearch(profile, _evidences(views, believed), believed, Belief(believed.columns))
    search.climb()
    search.polish(2)
    search.with_evidences(_evidences(views, search.state.tower))
    search.refit_plateaus()
    search.settle()
    search.polish(2)
    return search


def _searched(profile: Profile, views: Sequence[SingleView], start: Tower, belief: Belief) -> LocalSearch:
    """The best tower uphill from one without columns; colours are measured on the start, then on the first tower found."""
    search = LocalSearch(profile, _evidences(views, start), start, belief)
    search.greedy()
    search.with_evidences(_evidences(views, search.state.tower))
    search.refit_plateaus()
    search.polish()
    search.settle()
    search.refit_plateaus()
    search.polish(2)
    return search


def _searched_anew(profile: Profile, views: Sequence[SingleView], first: LocalSearch) -> LocalSearch:
    """Another tower on the plateaus of the first, its columns sought from the beginning with the colours measured on all that was found:
    a first column set down wrongly by guessed colours can keep several others from their places."""
    tower = first.state.tower
    search = LocalSearch(profile, _evidences(views, tower), Tower((), tower.plateaus), NO_BELIEF)
    search.greedy()
    search.refit_plateaus()
    search.polish()
    search.settle()
    return search


def _hidden(profile: Profile, standing: Sequence[Column]) -> tuple[HiddenKind, ...]:
    left = Counter(profile.pieces.counts())
    left.subtract(Counter(column.kind for column in standing))
    return tuple(HiddenKind(colour, shape, count) for (colour, shape), count in sorted(left.items()) if count > 0)


def visible_shares(state: State, column: Column) -> tuple[float, ...]:
    """For each camera the share of a standing column's silhouette that it sees: neither pieces nor arms before it."""
    code = code_of(state.profile, column)
    shares = []
    for background in state.backgrounds:
        whole = int(background.scene.patches[code].inside.sum())
        shares.append(float((background.scene.visible(code) & background.evidence.bare).sum()) / whole if whole else 0.0)
    return tuple(shares)


def confidence_of(search: LocalSearch, standing: Standing) -> float:
    """How sure a column's kind is, against every other kind where it stands and against there being none."""
    rest = search.state.without(standing.column)
    own = search.gain(rest, standing)
    others = [COLUMN_COST]
    place = (standing.x_mm, standing.y_mm)
    kinds = {column.kind: column for column in search.profile.pieces.columns}
    for (colour, shape), column in kinds.items():
        if (colour, shape) == standing.column.kind:
            continue
        if colour is standing.column.colour:
            found = search.refined(rest, standing.floor, column, place, steps=(1.5, 0.5))
            if found is not None:
                others.append(found.gain)
        elif shape is standing.column.shape:
            others.append(search.gain(rest, msgspec.structs.replace(standing, column=column)))
    return 1.0 / (1.0 + sum(math.exp(min(TEMPER * (other - own), 50.0)) for other in others))


def _fit(search: LocalSearch) -> float:
    """Share of the tower's pixels (base and what arms cover left out) whose paint is the likeliest or near to it."""
    right = whole = 0.0
    for background in search.state.backgrounds:
        labels = background.scene.labels()
        piece = (labels < Label.BASE) & background.evidence.bare
        right += float((background.value[piece] > 0).sum())
        whole += float(piece.sum())
    return right / whole if whole else 1.0


def _stray_mm2(views: Sequence[SingleView], search: LocalSearch) -> float:
    """Area (mm²) of lumps that show a piece's paint round the tower where it shows none, in the camera that sees least of them: what stands
    or lies there all cameras see, a picture on the wall only one."""
    areas = []
    for view, background in zip(views, search.state.backgrounds, strict=True):
        labels = background.scene.labels()
        paint = background.evidence.changed[: Label.BASE].max(0)
        around = view.around(search.state.tower)
        stray = (labels >= Label.BASE) & (paint > 2.0) & (paint > background.value + 2.0) & around
        open_share = float(background.evidence.bare[around].mean()) if around.any() else 1.0
        count, _, stats, _ = cv2.connectedComponentsWithStats(stray.astype(np.uint8), connectivity=4)
        sizes = stats[1:, cv2.CC_STAT_AREA] * view.mm2
        areas.append(float(sizes[sizes > LUMP_MM2].sum()) / max(open_share, LEAST_OPEN) if count > 1 else 0.0)
    return min(areas, default=0.0)


def _reading(profile: Profile, views: Sequence[SingleView], search: LocalSearch, complaints: Sequence[str]) -> TowerReading:
    columns, unseen = [], []
    for standing in sorted(search.state.tower.columns, key=lambda one: (one.floor, one.column)):
        visible = max(visible_shares(search.state, standing.column))
        confidence = confidence_of(search, standing)
        made_of_edges = confidence < UNCERTAIN and search.state.without(standing.column).gain(standing) < LEAST_GAIN
        if made_of_edges and not search.belief.credit(standing):
            continue
        if visible >= PLAIN_SHARE or (visible >= LEAST_SHARE and confidence >= LEAST_CONFIDENCE):
            columns.append(ColumnRead(standing, round(confidence, 4), round(visible, 4)))
        elif search.belief.credit(standing):
            unseen.append(standing)
    plateaus = tuple(
        PlateauRead(laid, _plateau_share(search, laid), round(search.way_round(laid), 4)) for laid in search.state.tower.plateaus
    )
    fit, stray = _fit(search), _stray_mm2(views, search)
    complaints = [*complaints, *_hidden_by_arms(views, search)]
    if fit < POOR_FIT:
        complaints.append(f"Only {100 * fit:.0f} % of the tower's pixels show what they should: this is not a tower that stands.")
    if stray >= (STRAY_MM2 if search.state.tower != Tower() else EMPTY_MM2):
        complaints.append(
            f"Pieces show where none stands ({stray / 100:.0f} cm²): something lies or leans there, or the room has their colours."
        )
    return TowerReading(
        columns=tuple(columns),
        unseen=tuple(unseen),
        plateaus=plateaus,
        hidden=_hidden(profile, [one.standing.column for one in columns]),
        fit=round(fit, 4),
        stray_mm2=round(stray, 1),
        cameras=len(views),
        sentence=" ".join(complaints),
    )


def _hidden_by_arms(views: Sequence[SingleView], search: LocalSearch) -> list[str]:
    """A sentence for every camera from which arms hide much of the tower."""
    sentences = []
    for view, background in zip(views, search.state.backgrounds, strict=True):
        piece = background.scene.labels() < Label.BASE
        share = 1.0 - float(background.evidence.bare[piece].mean()) if piece.any() else 0.0
        if share >= TOLD_SHARE:
            sentences.append(f"An arm hides {100 * share:.0f} % of the tower from camera {view.camera}.")
    return sentences


def _plateau_share(search: LocalSearch, laid: Laid) -> float:
    """Share of the pixels in which the tower shows this plateau that look like it."""
    right = whole = 0
    for background in search.state.backgrounds:
        there = (background.scene.code == int(laid.plateau)) & background.evidence.bare
        right += int((background.value[there] > 0).sum())
        whole += int(there.sum())
    return round(right / whole, 4) if whole else 0.0
