"""One action out of a settled tower: what was tried can happen, and what is told of it is what was so."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from rig.messages import FactKind
from rig.rules import Phase
from rig.twin.levels import LEVELS, level_named
from rig.twin.physics.fall_cause import Cause
from rig.twin.physics.sets import draw_set
from rig.twin.physics.world import STEP_S
from rig.twin.situation_play import Scenario, SituationPlay, found
from rig.twin.situations import SHARES, SituationSession, believed, kind_of
from rig.twin.truth import Truth


def ready(kind: Scenario, seed: int, level: str = "home", players: int = 4) -> SituationPlay:
    return found(seed, kind, level_named(level), players, draw_set(seed))


def done(play: SituationPlay) -> list[Truth]:
    while play.over_t_s is None:
        play.tick()
        assert play.world.t_s < 120, "the situation does not end"
    return play.truth.log


def test_every_kind_has_its_share_of_any_hundred() -> None:
    drawn = Counter(kind_of(seed) for seed in range(700, 800))
    assert sum(SHARES.values()) == 100
    assert drawn == Counter({kind: round(share) for kind, share in SHARES.items()})


def test_a_situation_starts_from_a_tower_that_stands_still_and_that_the_game_knows() -> None:
    play = ready(Scenario.NOTHING, 3)
    tower, game = play.truth.tower, play.bots.game
    assert {(s.column, s.floor) for s in tower.columns} == {(c, game.where(c)) for c in game.pieces.columns if game.where(c) is not None}
    assert game.phase is Phase.BUILD
    before = play.world.poses().position_m
    assert done(play) == []
    assert np.abs(play.world.poses().position_m - before).max() < 1e-4


def test_a_tower_of_bent_plates_creeps_less_than_a_fiftieth_of_a_millimetre_in_ten_seconds() -> None:
    play = ready(Scenario.NOTHING, 5)
    for _ in range(round(3.0 / STEP_S)):
        play.world.step()
    before = play.world.poses().position_m
    for _ in range(round(10.0 / STEP_S)):
        play.world.step()
    assert np.abs(play.world.poses().position_m - before).max() < 2e-5


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Scenario.RAISE, FactKind.RAISED),
        (Scenario.ABORT, FactKind.ABORTED),
        (Scenario.REMOVE, FactKind.REMOVED),
        (Scenario.LIFT, FactKind.UNCHANGED),
    ],
)
def test_what_is_done_is_what_is_told(kind: Scenario, told: FactKind) -> None:
    [truth] = done(ready(kind, 2))
    assert truth.kind is told


def test_a_foot_hung_over_the_edge_is_told_by_how_much() -> None:
    [truth] = done(ready(Scenario.OVERHANG, 2))
    assert truth.details["overhang_mm"] >= 2.0


def test_a_plateau_held_while_the_column_is_set_down_is_told() -> None:
    [truth] = done(ready(Scenario.HELD, 2))
    assert truth.held_plateau


def test_a_neighbour_nudged_is_told() -> None:
    play = ready(Scenario.NUDGE, 2)
    [truth] = done(play)
    assert len(truth.nudged) == 1
    assert play.bots.game.violations


def test_a_column_knocked_over_is_an_incident_and_is_stood_up_again() -> None:
    log = done(ready(Scenario.TOPPLE, 2))
    assert [truth.kind for truth in log] == [FactKind.INCIDENT, FactKind.STOOD]
    assert not log[0].handled


@pytest.mark.parametrize(
    ("kind", "cause"),
    [(Scenario.FALL_ARM, Cause.ARM), (Scenario.FALL_DRAUGHT, Cause.DRAUGHT), (Scenario.FALL_KNOCK, Cause.KNOCK)],
)
def test_a_tower_brought_down_is_told_with_its_cause(kind: Scenario, cause: Cause) -> None:
    play = ready(kind, 2)
    actor = play.bots.game.actor
    [truth] = done(play)
    assert (truth.kind, truth.cause) == (FactKind.COLLAPSED, cause)
    assert truth.seat != actor
    assert (truth.seat is None) == truth.outside == (cause is Cause.DRAUGHT)
    assert play.bots.game.phase is Phase.OVER


@pytest.mark.parametrize("seed", [2, 3])
def test_what_comes_uncalled_is_an_arm_a_knock_a_draught_or_a_raise_onto_the_brink(seed: int) -> None:
    play = ready(Scenario.NOTHING, seed)
    turns, actor = play.bots.turns, play.bots.game.actor
    assert actor is not None
    play.bots.table.sit(actor)
    play._script = play.bots.ticking(turns.mishaps.uncalled(actor, turns.eligible(actor)))
    falls = [truth for truth in done(play) if truth.kind is FactKind.COLLAPSED]
    assert all(truth.cause in (Cause.ARM, Cause.KNOCK, Cause.DRAUGHT, Cause.LATE, Cause.PLACED) for truth in falls)


def test_only_where_nothing_comes_uncalled_are_games_toppled_when_they_have_lasted() -> None:
    assert LEVELS["lab"].table.falls.uncalled == 0.0
    assert all(LEVELS[name].table.falls.uncalled > 0.0 for name in ("home", "rough"))


def test_what_the_referee_believes_at_the_start_is_a_little_off() -> None:
    play = ready(Scenario.NOTHING, 3)
    tower = believed(play.truth.tower, play.true_profile, play.profile, np.random.default_rng(1))
    off_mm = [math.dist((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)) for a, b in zip(tower.columns, play.truth.tower.columns, strict=True)]
    assert 0.2 < float(np.mean(off_mm)) < 3.0
    assert [s.column for s in tower.columns] == [s.column for s in play.truth.tower.columns]


def test_a_situation_is_a_source_that_sends_pictures_and_bytes_of_its_tower() -> None:
    source = SituationSession(2, Scenario.BUMP, base="standin", frame_rate=1.0, picture_px=(180, 320))
    sent = source.advance(1.5)
    source.close()
    assert {name for _, name, _ in sent} >= {"base", "camera 1", "camera 2"}
    assert source.start_game.phase is Phase.BUILD
    assert len(source.start_tower.columns) == 20
