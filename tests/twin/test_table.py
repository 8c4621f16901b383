"""The people at the table: the careful play as ever, say it badly, fumble, and their games end by what really happened."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from rig.errors import PalettiError
from rig.messages import Ask, Call, CallWord, FactKind, Input, Standing, Tower
from rig.pieces import Colour, Column, Floor, PieceSet, Shape
from rig.profile.nominal import nominal_profile
from rig.rules import Game
from rig.twin.levels import level_named
from rig.twin.people import Person, draw_people, plans
from rig.twin.people.answers import answer_to
from rig.twin.people.manner import CAREFUL, draw_manner
from rig.twin.people.midgame import floors_of, played
from rig.twin.people.persons import draw_shirts
from rig.twin.people.setting_up import seats_in_turn
from rig.twin.people.speech import Mouths, Outside
from rig.twin.physics.level_table import HOME, LAB, HandHabits, OtherActions, Speech
from rig.twin.physics.poses import HOOK_M, Cloth
from rig.twin.physics.sets import draw_set
from rig.twin.pictures.arm_solids import hand_frame
from rig.twin.play import Play
from rig.twin.setting import Party
from rig.twin.truth import Truth

SMALL = PieceSet.of({Shape.THICK: 1, Shape.THIN: 1})
RED, BLUE = Column(Colour.RED, Shape.THIN), Column(Colour.BLUE, Shape.HEX)
STACKED = f"{RED} on top of {BLUE}"


def mouths(level: Speech, seed: int = 1, pressed: list[tuple[int, float]] | None = None) -> tuple[Mouths, list[tuple[str, Input, float]]]:
    said: list[tuple[str, Input, float]] = []

    def press(seat: int, delay_s: float) -> None:
        assert pressed is not None, "nobody presses a button here"
        pressed.append((seat, delay_s))

    outside = Outside(lambda source, what, delay_s: said.append((source, what, delay_s)), press)
    return Mouths(level, np.random.default_rng(seed), 4, outside), said


# ------------------------------------------------------------ levels and people


def test_at_lab_nothing_is_clumsy_beside_the_rules_or_said_badly() -> None:
    assert (LAB.hands, LAB.deeds, LAB.speech) == (HandHabits(), OtherActions(), Speech())
    fate = np.random.default_rng(3)
    before = fate.bit_generator.state
    assert draw_manner(LAB, fate, Person(), Floor.RED, True) is CAREFUL
    assert draw_people(LAB, fate, 4) == (Person(),) * 4
    assert fate.bit_generator.state == before, "what never happens is never drawn"


def test_the_clumsy_shake_more_and_misjudge_more_than_the_steady() -> None:
    clumsy, steady = Person(skill=0.2), Person(skill=1.0)
    assert clumsy.shake > 2 * steady.shake
    assert clumsy.misjudges_mm > 3
    assert steady.misjudges_mm == 0


def test_people_at_home_are_not_all_alike() -> None:
    people = draw_people(HOME, np.random.default_rng(1), 4)
    assert len({person.skill for person in people}) == 4
    assert all(HOME.skill[0] <= person.skill <= HOME.skill[1] for person in people)


def test_about_a_third_of_attempts_at_home_are_leant_through() -> None:
    fate = np.random.default_rng(8)
    drawn = [draw_manner(HOME, fate, Person(), Floor.GREEN, True) for _ in range(600)]
    assert 0.28 < np.mean([manner.lean_n > 0 for manner in drawn]) < 0.42
    assert not any(manner.stack for manner in drawn), "nobody stacks below orange"


# ------------------------------------------------------------ what is said


def test_a_tenth_of_calls_goes_missing_and_a_fifth_comes_late() -> None:
    level = replace(HOME.speech, wrong=0.0)
    mouth, said = mouths(level)
    for _ in range(1000):
        mouth.call(CallWord.UNCHALLENGED, 2)
    late = [delay_s for _, _, delay_s in said if delay_s > 0]
    assert 870 < len(said) < 930
    assert 150 < len(late) < 210
    assert all(level.late_s[0] <= delay_s <= level.late_s[1] for delay_s in late)


def test_what_no_deed_tells_is_said_again_and_the_table_waits_for_it() -> None:
    mouth, said = mouths(Speech(missing=1.0))
    waits_s = mouth.call(CallWord.NOTHING, 1)
    [(source, call, delay_s)] = said
    assert (source, call) == ("seat 2", Call(word=CallWord.NOTHING, seat=1))
    assert waits_s == delay_s >= 5.0
    assert mouth.call(CallWord.ABORT, 1) == 0.0
    assert len(said) == 1, "an abort nobody heard is not said again: the column tells it"


def test_a_call_from_the_wrong_seat_is_followed_by_the_right_one() -> None:
    mouth, said = mouths(Speech(wrong=1.0))
    mouth.call(CallWord.REQUEST, 3)
    assert [(call.seat, delay_s > 0) for _, call, delay_s in said if isinstance(call, Call)] == [(0, False), (3, True)]


def test_an_unheard_request_is_repeated_when_somebody_answers_it() -> None:
    mouth, said = mouths(Speech(missing=1.0))
    mouth.call(CallWord.REQUEST, 0)
    assert said == []
    mouth.repeat(CallWord.REQUEST)
    assert said == [("seat 1", Call(word=CallWord.REQUEST, seat=0), 0.0)]


def test_about_half_of_the_calls_that_a_button_has_are_pressed_and_not_said() -> None:
    pressed: list[tuple[int, float]] = []
    mouth, said = mouths(Speech(button=0.5), pressed=pressed)
    for _ in range(200):
        mouth.call(CallWord.ABORT, 2)
        mouth.call(CallWord.UNCHALLENGED, 1)
    assert sum(call == Call(word=CallWord.UNCHALLENGED, seat=1) for _, call, _ in said) == 200, "what no button says is spoken"
    assert len(said) + len(pressed) == 400
    assert 70 < len(pressed) < 130
    assert set(pressed) == {(2, 0.0)}


def test_a_request_that_comes_late_is_spoken_because_a_press_would_be_an_abort_by_then() -> None:
    pressed: list[tuple[int, float]] = []
    mouth, said = mouths(Speech(button=1.0, late=1.0), pressed=pressed)
    mouth.call(CallWord.REQUEST, 0)
    mouth.call(CallWord.ABORT, 0)
    assert [call for _, call, _ in said] == [Call(word=CallWord.REQUEST, seat=0)]
    assert [seat for seat, delay_s in pressed if delay_s > 0] == [0]


# ------------------------------------------------------------ sleeves, set-up


def test_at_lab_everybody_wears_their_colour_and_at_home_half_the_tables_do() -> None:
    fate = np.random.default_rng(5)
    assert draw_shirts(LAB.sleeves, fate, 4) is None
    assert fate.random() == np.random.default_rng(5).random(), "what never happens is never drawn"
    drawn = [draw_shirts(HOME.sleeves, fate, 4) for _ in range(200)]
    shirts = [shirt for table in drawn if table is not None for shirt in table]
    assert 80 < sum(table is None for table in drawn) < 120
    assert {*Cloth, None} < set(shirts)
    assert 0.05 < np.mean([isinstance(shirt, Colour) for shirt in shirts]) < 0.16


def test_several_people_stand_up_the_columns_some_of_them_several() -> None:
    assert seats_in_turn(LAB.set_up, np.random.default_rng(1), 3, 7) == [0, 1, 2, 0, 1, 2, 0]
    seats = seats_in_turn(HOME.set_up, np.random.default_rng(1), 4, 20)
    assert len(seats) == 20
    assert set(seats) == {0, 1, 2, 3}
    assert any(a == b for a, b in itertools.pairwise(seats))


def test_columns_meant_to_be_outside_stand_by_the_rim_of_the_site() -> None:
    profile = draw_set(3).profile
    site_mm = profile.base.site_radius_mm
    for seed in range(4):
        placed = plans.plan_set_up(profile, np.random.default_rng(seed), outside=4)
        reach = [math.hypot(s.x_mm, s.y_mm) + profile.columns[s.column.shape].radius_mm for s in placed]
        assert max(reach) < site_mm, "none on the outer ring (U1)"
        assert min(reach[-4:]) > site_mm - 8


def test_the_fingers_go_along_the_hook_to_what_it_has_pulled_out_without_a_jump() -> None:
    play = Play(1, level_named("lab"), Party(pieces=SMALL))
    hand = play.bots.table.builder
    hand.sits(30.0, Cloth.GREY)
    hand.take_hook()
    hand.bring(RED, 0.0, np.array([0.2, 0.1, 0.1]))
    seen = [hand.seen]
    for _ in hand.put_hook_away():
        play.world.step()
        seen.append(hand.seen)
    poses = [pose for pose in seen if pose is not None]
    assert [pose.hook for pose in poses[:2]] == [True, False]
    assert {pose.sleeve for pose in poses} == {Cloth.GREY}
    fingers_m = np.array([hand_frame(pose)[1] for pose in poses])
    assert np.linalg.norm(fingers_m[0] - fingers_m[-1]) == pytest.approx(HOOK_M, abs=0.003)
    assert np.linalg.norm(np.diff(fingers_m, axis=0), axis=1).max() < 0.008, "within a tick"


# ------------------------------------------------------------ what is answered


def asked(*choices: str) -> Ask:
    return Ask(id=1, t_s=20.0, question_english="?", question_german="?", choices=choices)


@pytest.mark.parametrize(
    ("truth", "choices", "answer"),
    [
        (Truth(18.0, FactKind.RAISED, 0, RED, Floor.BLUE), ("nothing", str(RED), "something else"), str(RED)),
        (Truth(18.0, FactKind.RAISED, 0, RED, Floor.RED, on_column=BLUE), (str(RED), STACKED), STACKED),
        (Truth(18.0, FactKind.REMOVED, 0, RED), ("nothing", f"took out {RED}", "something else"), f"took out {RED}"),
        (Truth(18.0, FactKind.INCIDENT, 0, RED, columns=(RED, BLUE)), (f"fell over: {BLUE}, {RED}", "y"), f"fell over: {BLUE}, {RED}"),
        (Truth(18.0, FactKind.COLLAPSED, 2), ("nothing", "collapse"), "collapse"),
        (Truth(18.0, FactKind.COLLAPSED, 2), ("Anna", "Ben", "Cleo", "Dan", "nobody playing"), "Cleo"),
        (Truth(18.0, FactKind.COLLAPSED, None), ("Anna", "Ben", "Cleo", "Dan", "nobody playing"), "nobody playing"),
        (Truth(2.0, FactKind.RAISED, 0, RED, Floor.BLUE), ("nothing", str(RED)), "nothing"),
        (Truth(18.0, FactKind.RAISED, 0, RED, Floor.BLUE), ("nothing", "something else"), "something else"),
    ],
)  # fmt: skip
def test_a_person_answers_what_really_happened_last(truth: Truth, choices: tuple[str, ...], answer: str) -> None:
    assert answer_to(asked(*choices), [truth], Game.new()) == answer


# ------------------------------------------------------------ whole games


def run(play: Play, limit_s: float = 400.0) -> Play:
    while play.over_t_s is None:
        play.tick()
        assert play.world.t_s < limit_s, "the game does not end"
    return play


@pytest.mark.parametrize(("seed", "players"), [(31, 2), (32, 3)])
def test_a_game_at_home_is_played_to_its_end_by_two_or_three(seed: int, players: int) -> None:
    play = run(Play(seed, level_named("home"), Party(players=players, pieces=SMALL, max_raises=1)))
    game = play.bots.game
    assert game.outcome is not None
    collapses = [truth for truth in play.truth.log if truth.kind is FactKind.COLLAPSED]
    if collapses:
        [fall] = collapses
        assert fall.cause is not None
        assert game.outcome.culprit == fall.seat


def test_the_same_seed_plays_the_same_game_at_home() -> None:
    first, again = (Play(33, level_named("home"), Party(pieces=SMALL)) for _ in range(2))
    for _ in range(1500):
        first.tick()
        again.tick()
    assert np.array_equal(first.world.poses().position_m, again.world.poses().position_m)
    assert first.truth.log == again.truth.log
    assert first.truth.log


def test_as_many_people_as_players_are_wanted() -> None:
    with pytest.raises(PalettiError, match="4 players were announced, but 1 people"):
        Play(1, level_named("home"), Party(people=(Person(),)))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_under_way_is_legal_to_its_last_event(players: int) -> None:
    found = [game for seed in range(6) if (game := played(PieceSet.of(), players, 3, 2, np.random.default_rng(seed))) is not None]
    assert found
    for game in found:
        assert game.violations == ()
        assert len(game.laid) == 3
        floors = floors_of(game)
        assert [len(floor) >= 3 for floor in floors[:-1]] == [True] * 3
        assert sum(map(len, floors)) == 20


@pytest.mark.parametrize(("off_mm", "free"), [(0.0, False), (7.0, False), (60.0, True)])
def test_a_column_on_whose_top_another_one_stands_carries_it_however_far_off_the_middle(off_mm: float, free: bool) -> None:
    profile = nominal_profile(1)
    thick, thin = Column(Colour.RED, Shape.THICK), Column(Colour.BLUE, Shape.THIN)
    z_mm = profile.columns[Shape.THICK].height_mm
    tower = Tower((Standing(thick, Floor.GROUND, 0.0, 0.0, 0.0, 0.0), Standing(thin, Floor.GROUND, off_mm, 0.0, z_mm, 0.0)))
    carrier = plans.carrier_for(tower, Column(Colour.GREEN, Shape.THIN), profile)
    assert (carrier is not None and carrier.column == thick) is free
