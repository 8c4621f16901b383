"""The eyes' constants: every one says what it is, and a gross change of those that decide something shows."""

from __future__ import annotations

import ast
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import vision
from rig.pieces import Colour, Shape
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from vision.appearance import paints, skin
from vision.camera import camera_motion, markers, pose_doubt
from vision.camera.view import CameraView
from vision.change import column_placement, evidence, floor_search, hypothesis_scorer, judge, refit, tunables, unmodelled
from vision.frames import hands
from vision.reading import belief, tower_state, whole_tower
from vision.scene.silhouettes import Label

PROFILE = nominal_profile(2)
ROOM = Path(vision.__file__).parent

WITHOUT_WORDS = {"F", "T", "PAINTS", "PLATES", "SHAPES", "BASE", "SITE", "NO_BELIEF", "NOTHING_SAID"}
"""Names of types, lists of all members and empty values: there is no figure to explain."""


SOURCES = re.compile(
    r"by design|by hand|derived|measured|set so that|physics:|geometry[:.]|rig\.bench\.|opencv|\b(19|20)\d\d\b|\([A-Z]\d+\)", re.IGNORECASE
)
"""What a docstring may rest on: a choice, a bench, a law, OpenCV, a paper (its year) or a rule's id. `by hand` is an honest source too."""


def _constants(path: Path) -> list[tuple[str, str]]:
    """The module's constants, and the text below the assignment that says what they are (empty where there is none)."""
    body = ast.parse(path.read_text()).body
    found = []
    for statement, after in itertools.zip_longest(body, body[1:]):
        if isinstance(statement, ast.Assign):
            says = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
            told = " ".join(ast.literal_eval(after.value).split()) if isinstance(after, ast.Expr) and says else ""
            targets = [part for target in statement.targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
            found += [(name.id, told) for name in targets if isinstance(name, ast.Name) and name.id.isupper() and name.id[0] != "_"]
    return found


def test_every_constant_says_what_it_is() -> None:
    silent = [
        f"{path.relative_to(ROOM)}: {name}"
        for path in sorted(ROOM.rglob("*.py"))
        for name, told in _constants(path)
        if not told and name not in WITHOUT_WORDS
    ]
    assert silent == []


def test_every_constant_says_where_its_figure_comes_from() -> None:
    without = [
        f"{path.relative_to(ROOM)}: {name}"
        for path in sorted(ROOM.rglob("*.py"))
        for name, told in _constants(path)
        if told and not SOURCES.search(told)
    ]
    assert without == []


def test_no_constant_has_two_homes() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(ROOM.rglob("*.py")):
        for name, _ in _constants(path):
            homes.setdefault(name, []).append(path.name)
    assert {name: places for name, places in homes.items() if len(places) > 1 and name not in WITHOUT_WORDS} == {}


def test_columns_paints_are_farther_apart_than_a_measured_one_may_be_off() -> None:
    chromas = paints.ColourModel.guess(PROFILE).means[[Label.of_colour(colour) for colour in Colour], :2]
    apart = [float(np.abs(a - b).max()) for a, b in itertools.combinations(chromas, 2)]
    assert min(apart) > 3.0 * paints.ANOTHER_PAINT


@pytest.mark.parametrize("tone", [(241, 205, 184), (214, 176, 154), (176, 136, 114), (128, 94, 77), (88, 62, 49)])
def test_skin_from_pale_to_dark_is_skin(tone: tuple[int, int, int]) -> None:
    seen = np.repeat(np.repeat(paints.feature_of(tone)[:, None, None], 5, 1), 5, 2).astype(np.float32)
    assert skin.skin_pixels(seen, np.zeros(3))[2, 2]


@pytest.mark.parametrize("colour", list(Colour))
def test_no_column_s_paint_is_skin(colour: Colour) -> None:
    seen = np.repeat(np.repeat(paints.feature_of(PROFILE.paint.columns[colour])[:, None, None], 5, 1), 5, 2).astype(np.float32)
    assert not skin.skin_pixels(seen, np.zeros(3)).any()


def test_base_s_card_is_no_skin() -> None:
    assert paints.feature_of(PROFILE.paint.base)[0] < skin.SKIN_LEAST_RED


def test_search_s_grid_finds_the_thinnest_column() -> None:
    thinnest = min(size.radius_mm for size in PROFILE.columns.values())
    assert 2 * thinnest > floor_search.GRID_MM
    assert sum(floor_search.STEPS_MM[1:]) >= floor_search.STEPS_MM[0] / 2, "finer steps reach what the coarser one left"
    assert thinnest > floor_search.MAY_OVERLAP_MM
    assert 2 * thinnest > column_placement.APART_MM


def test_a_bystander_is_told_from_a_column_moved() -> None:
    thinnest = min(size.radius_mm for size in PROFILE.columns.values())
    assert thinnest < refit.REACH_MM < 2 * max(size.radius_mm for size in PROFILE.columns.values()) + 10


def _pixels_of(shape: Shape) -> float:
    """Pixels of half size that a column of this shape covers in the nominal camera."""
    size = PROFILE.columns[shape]
    view = CameraView.of(PROFILE.cameras[0].model, draw_camera_poses(1, 1)[0], evidence.SCALE)
    return 2 * size.radius_mm * size.height_mm * view.px_per_mm() ** 2


def test_costs_are_a_part_of_what_a_column_shows() -> None:
    """A column seen whole must pay for itself many times, one of which a fiftieth is seen must not."""
    most = evidence.CUT * _pixels_of(Shape.THIN)
    for cost in (
        hypothesis_scorer.SEARCH_COST, unmodelled.MOVED_COST, unmodelled.GONE_COST, unmodelled.BESIDES_COST, unmodelled.ADDED_COST,
        judge.STRANGE_COST, tower_state.COLUMN_COST, belief.CREDIT,
    ):  # fmt: skip
        assert most / 50 < cost < most / 4
    assert refit.STAY_GAIN < refit.STAY_MOST < hypothesis_scorer.SEARCH_COST < hypothesis_scorer.STRAYED_MOST
    assert unmodelled.MOVED_COST < unmodelled.GONE_COST <= unmodelled.BESIDES_COST <= unmodelled.ADDED_COST


def test_one_column_s_pixels_make_an_answer_sure_and_a_speck_does_not() -> None:
    whole = tunables.TEMPER * evidence.CUT * _pixels_of(Shape.THIN)
    speck = tunables.TEMPER * evidence.CUT * 25
    assert whole > 20.0, "nats"
    assert speck < 3.0, "nats"


def test_lumps_are_smaller_than_any_column_and_larger_than_edges() -> None:
    thin = PROFILE.columns[Shape.THIN]
    assert 25.0 < tunables.LUMP_MM2 < 0.1 * 2 * thin.radius_mm * thin.height_mm
    assert tunables.LUMP_MM2 < whole_tower.EMPTY_MM2 < whole_tower.STRAY_MM2 < 2 * thin.radius_mm * thin.height_mm


def test_hands_are_told_from_fingers_up() -> None:
    finger_mm2 = 15.0 * 60.0
    assert finger_mm2 / 2 > hands.SKIN_MM2
    assert hands.SKIN_MM2 < hands.ARM_MM2 < 70.0 * 100.0


def test_soft_shadow_changes_less_than_a_hand() -> None:
    assert max(evidence.SAME_SIGMA) * 3 < hands.LIGHT_CHANGE
    assert evidence.SAME_SIGMA[2] < evidence.SHADE_SIGMA[2]
    assert hands.SHADE_CHROMA < hands.CHROMA_CHANGE


def test_knock_counts_from_where_places_suffer() -> None:
    """A knock moves places at the tower by more than a pose's own scatter, and by less than a nudge counts (4 mm)."""
    model = PROFILE.cameras[0].model
    px_per_mm = CameraView.of(model, draw_camera_poses(1, 1)[0]).px_per_mm()
    moved_mm = camera_motion.KNOCK_SHARE * max(model.width_px, model.height_px) / px_per_mm
    assert 0.5 < moved_mm < 4.0
    assert pose_doubt.LEAST_PX < markers.BLOOM_PX < markers.INLIER_PX


def test_fallen_plateau_is_seen_less_than_one_half_hidden() -> None:
    assert 0.2 < judge.GONE_SHARE < 0.5 < judge.PARTLY_GONE < 0.9
    assert judge.CARRIERS_GONE < 0.5


def test_what_counts_as_a_new_column_s_own_light_is_a_part_of_it() -> None:
    assert hypothesis_scorer.MIRRORED < hypothesis_scorer.FOOT_FROM < 1.0
    assert hypothesis_scorer.OWN_MOST < hypothesis_scorer.FOOT_MOST < hypothesis_scorer.OWN_SHARE
