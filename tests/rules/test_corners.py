"""Corners that an independent model of the rules found, each with its relatives: what one event says, every event that says the same says.

Every game begins as in `HEADER`; the moves are written as in a record.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rig.pieces import Column, Floor
from rig.rules import (
    Choice,
    Event,
    Game,
    HouseRules,
    ImpossibleEventError,
    Phase,
    Raised,
    Reason,
    RulingKind,
    TakenOut,
    parse_event,
    parse_record,
)

ANNA, BEN, CLEO, DAN = range(4)
FOUR = "colours red blue yellow green starts Anna"
THREE = "colours red blue yellow starts Anna"
TOUCHED = "switch touch_rule touched"
GREEN_READY = "raise red-thin-1 / raise blue-thin-1 / raise yellow-thin-1"


def game(moves: str, *switches: str, players: int = 4) -> Game:
    """The game of the record with these moves, `/` between them."""
    names = ("Anna", "Ben", "Cleo", "Dan")[:players]
    dealt = {4: FOUR, 3: THREE, 2: "colours red+blue yellow+green starts Anna"}[players]
    header = ["villa-paletti 1", *(f"player {name}" for name in names), *switches, "", "place-all", "lay covers 8", dealt]
    return parse_record("\n".join([*header, *filter(None, map(str.strip, moves.split(" / "))), ""])).game()


def place(state: Game, column: str) -> Floor | None:
    return state.where(Column.parse(column))


def locked(state: Game) -> set[str]:
    return set(map(str, state.locked))


def kinds(state: Game) -> list[RulingKind]:
    return [ruling.kind for ruling in state.rulings]


# --- C7: a call that nobody heard ---


@pytest.mark.parametrize(
    ("deed", "switch"),
    [
        ("abort red-thin-1 by Ben", "rules rulebook"),
        ("incident column red-thin-1 by Ben fallen red-thin-2", "rules rulebook"),
        ("touch red-thin-1 by Ben", TOUCHED),
    ],
)
def test_an_opponents_hand_on_a_claimants_column_is_a_challenge(deed: str, switch: str) -> None:
    """C7, C4, E7, B4, situation 23: whatever became of the column, it has failed; penalty and lock follow."""
    state = game("request / " + deed, switch)
    assert (state.phase, state.actor, state.turn, state.challenger) == (Phase.PENALTY, ANNA, ANNA, BEN)
    assert locked(state) == {"red-thin-1"}
    assert kinds(state)[0] is RulingKind.CHALLENGED
    assert not state.violations


def test_an_opponent_who_brings_it_down_with_a_claimants_column_has_challenged() -> None:
    """C7, C5: and is the culprit."""
    state = game("request / collapse column red-thin-1 by Ben")
    assert kinds(state)[:2] == [RulingKind.CHALLENGED, RulingKind.COLLAPSE]
    assert state.outcome is not None
    assert state.outcome.culprit == BEN
    assert kinds(game("request / collapse by Ben"))[0] is RulingKind.COLLAPSE


def test_a_touch_without_consequence_says_nothing() -> None:
    """B4, C7."""
    state = game("request / touch red-thin-1 by Ben")
    assert (state.phase, locked(state)) == (Phase.CLAIM, set())


def test_a_hand_on_another_column_than_the_claimants_is_no_challenge() -> None:
    """C7, U4."""
    for deed in ("incident column blue-thin-1 by Ben", "abort yellow-thin-1 by Ben"):
        state = game("request / " + deed)
        assert (state.phase, state.turn, bool(state.violations)) == (Phase.CLAIM, ANNA, True)


def test_nobodys_fault_is_nobodys_challenge() -> None:
    """C7, E8."""
    state = game("request / incident column red-thin-1 by Ben outside")
    assert RulingKind.CHALLENGED not in kinds(state)


@pytest.mark.parametrize(
    ("deed", "switch"),
    [
        ("incident column green-thin-2 by Ben", "rules rulebook"),
        ("abort green-thin-2 by Ben", "rules rulebook"),
        ("touch green-thin-2 by Ben", TOUCHED),
    ],
)
def test_another_players_hand_on_a_different_neutral_is_a_failed_proof(deed: str, switch: str) -> None:
    """C7, T3: its column is locked, and Anna goes on."""
    state = game("abort green-thin-1 / " + deed, switch, players=3)
    assert kinds(state)[0] is RulingKind.PROOF_OFFERED
    assert RulingKind.PROOF_FAILED in kinds(state)
    assert (state.phase, state.turn, locked(state)) == (Phase.OWN, ANNA, {"green-thin-1", "green-thin-2"})
    assert not state.violations


def test_the_abandoned_neutral_itself_shows_nothing() -> None:
    """C7, T3: a different one it must be; so the proof is still open."""
    state = game("abort green-thin-1 / raise green-thin-1 by Ben", players=3)
    assert RulingKind.PROOF_OFFERED not in kinds(state)
    assert state.violations
    assert state.position.proof_open
    assert kinds(game("abort green-thin-1 / collapse column green-thin-2 by Ben", players=3))[0] is RulingKind.PROOF_OFFERED


def test_columns_that_fall_by_the_claimants_hand_say_that_the_plateau_was_being_laid() -> None:
    """C7, E7: it comes off again and the turn ends."""
    state = game(GREEN_READY + " / request / incident by Dan fallen red-thin-2")
    assert kinds(state)[0] is RulingKind.UNCHALLENGED
    assert (state.turn, state.top_floor, state.position.idle) == (ANNA, Floor.BLUE, 0)
    unable = game("request / incident by Anna fallen red-thin-2")
    assert (unable.turn, unable.phase, unable.position.idle) == (BEN, Phase.BUILD, 0)


def test_columns_that_fall_by_nobodys_hand_while_a_request_waits_change_nothing() -> None:
    """E7."""
    state = game(GREEN_READY + " / request / incident fallen red-thin-2")
    assert (state.phase, state.turn) == (Phase.CLAIM, DAN)


def test_a_plateau_laid_was_requested() -> None:
    """C7, A1, A2: without a word it is the player's in turn; after an abort it is not possible."""
    state = game(GREEN_READY + " / lay covers 3")
    assert kinds(state)[:3] == [RulingKind.REQUESTED, RulingKind.UNCHALLENGED, RulingKind.LAID]
    assert not state.violations
    short = game("lay covers 2")
    assert kinds(short)[0] is RulingKind.REQUESTED
    assert short.violations[0].rules == ("A3",)
    after_neutral = game("raise green-thin-1 / lay", players=3)
    assert "T1" in after_neutral.violations[0].rules


# --- C2: what a challenge proves ---


def test_a_column_stood_on_another_floor_than_the_tallest_proves_nothing() -> None:
    """C2, situation 24."""
    state = game("request / challenge by Ben / raise red-thin-1 onto ground")
    assert (state.phase, state.actor) == (Phase.PENALTY, ANNA)
    assert (place(state, "red-thin-1"), locked(state)) == (Floor.GROUND, set())
    assert state.violations[0].rules == ("B1",)
    unheard = game("request / raise red-thin-1 onto ground by Ben")
    assert unheard.phase is Phase.PENALTY


def test_a_neutral_stood_on_another_floor_than_the_tallest_proves_nothing() -> None:
    """T3, C2."""
    state = game("abort green-thin-1 / proof by Ben / raise green-thin-2 onto ground", players=3)
    assert RulingKind.PROOF_FAILED in kinds(state)
    assert (state.phase, state.turn) == (Phase.OWN, ANNA)


def test_a_locked_column_proves_nothing_and_the_challenge_rule_says_so() -> None:
    """C2."""
    state = game("abort red-thin-1" + " / raise blue-thin-1 / raise yellow-thin-1 / raise green-thin-1" + " / request / challenge by Ben")
    assert state.why_not(state_event(state, "raise red-thin-1")) == (Reason.LOCKED_FOR_CHALLENGE,)
    assert state.apply(state_event(state, "raise red-thin-1")).phase is Phase.PENALTY


def state_event(state: Game, move: str) -> Event:
    return parse_event(move, state.table.names, state.pieces)


# --- A3, B14: a claim that ends by itself ---


@pytest.mark.parametrize(
    "word", ["", " / unchallenged", " / challenge by Dan / give-up / waive", " / challenge by Dan / abort yellow-thin-2 / waive"]
)
def test_a_plateau_laid_after_a_claim_that_could_not_be_is_the_claimants(word: str) -> None:
    """A3, B14, B13: with too few columns on top the turn ends by itself, but the plateau lies."""
    state = game(f"raise red-thin-1 / raise blue-thin-1 / request{word} / lay covers 2")
    assert [(found.rules, found.seat) for found in state.violations] == [(("A3",), CLEO)]
    assert (state.top_floor, state.turn, state.phase, state.position.idle) == (Floor.GREEN, DAN, Phase.BUILD, 0)


def test_it_is_so_even_where_the_claim_had_ended_the_game() -> None:
    """A3, E5."""
    asked = "request / unchallenged"
    over = game(" / ".join([asked] * 4))
    assert over.phase is Phase.OVER
    state = game(" / ".join([asked] * 4) + " / lay covers 2")
    assert (state.outcome, state.turn, state.violations[0].seat) == (None, ANNA, DAN)


def test_after_anything_else_the_plateau_is_that_of_the_player_in_turn() -> None:
    """C7, A3: also when another is named."""
    named = game("raise red-thin-1 / raise blue-thin-1 / request / unchallenged / lay covers 2 by Dan")
    assert (named.violations[0].seat, named.turn) == (DAN, ANNA)
    later = game("raise red-thin-1 / raise blue-thin-1 / request / unchallenged / raise green-thin-1 / lay covers 3")
    assert (later.turn, later.violations) == (BEN, ())
    spoken = game(GREEN_READY + " / request / unchallenged / cannot-lay / lay covers 3")
    assert (spoken.turn, spoken.violations) == (BEN, ())
    refused = game("raise red-thin-1 / raise blue-thin-1 / request / unchallenged / stop / touch red-thin-2 / lay covers 2")
    assert refused.violations[0].seat == CLEO


# --- B13: whose turn is over ---


@pytest.mark.parametrize(
    "deed",
    [
        "take-out yellow-thin-2 by Dan",
        "take-out yellow-thin-2",
        "abort yellow-thin-2",
        "incident column yellow-thin-2",
        "raise green-thin-2",
    ],
)
def test_a_penalty_taken_against_the_rules_ends_the_claimants_turn(deed: str) -> None:
    """B13, C4: Dan asked, Anna challenged in vain; yellow is Cleo's."""
    state = game(f"{GREEN_READY} / request / challenge by Anna / give-up / {deed}")
    assert state.violations[0].seat == DAN
    assert (state.turn, state.phase) == (ANNA, Phase.BUILD)


def test_a_penalty_broken_off_by_the_rules_goes_on_to_the_plateau() -> None:
    """C4."""
    state = game(GREEN_READY + " / request / challenge by Anna / give-up / abort red-thin-2")
    assert (state.turn, state.phase, locked(state)) == (DAN, Phase.LAY, set())


def test_a_wrong_penalty_may_still_be_ruled_an_abort_or_undone() -> None:
    """B13."""
    before = GREEN_READY + " / request / challenge by Anna / give-up / take-out yellow-thin-2"
    assert game(before + " / rule abort").phase is Phase.LAY
    assert game(before + " / rule undo").phase is Phase.PENALTY


# --- E7: a column that falls after it stood ---


@pytest.mark.parametrize(
    "incident", ["incident column red-thin-1 by Anna", "incident column red-thin-1", "incident column red-thin-1 fallen red-thin-1"]
)
def test_a_settled_raise_stands_whatever_falls_later(incident: str) -> None:
    """E7, situation 22: nothing is locked, nobody broke a rule, and Ben's turn goes on."""
    state = game("raise red-thin-1 / " + incident)
    assert (place(state, "red-thin-1"), locked(state), state.violations) == (Floor.BLUE, set(), ())
    assert (state.turn, state.phase) == (BEN, Phase.BUILD)
    assert state.rulings[0].get("how") == "settled"


def test_a_raise_that_had_not_settled_counts_as_aborted() -> None:
    """E7, situation 22: old place, locked."""
    state = game("incident column red-thin-1 by Anna")
    assert (place(state, "red-thin-1"), locked(state), state.turn) == (Floor.GROUND, {"red-thin-1"}, BEN)


def test_an_earlier_raise_that_falls_out_of_turn_stands_too() -> None:
    """E7: Anna's column, two turns later."""
    state = game("raise red-thin-1 / raise blue-thin-1 / incident column red-thin-1 by Anna")
    assert (locked(state), state.violations, state.turn) == (set(), (), CLEO)


def test_a_raised_neutral_that_falls_stands_and_the_turn_goes_on() -> None:
    """E7, T1."""
    state = game("raise green-thin-1 / incident column green-thin-1", players=3)
    assert (state.phase, state.turn, locked(state), place(state, "green-thin-1")) == (Phase.OWN, ANNA, set(), Floor.BLUE)


def test_the_column_of_a_won_challenge_that_falls_changes_nothing() -> None:
    """E7, C3."""
    state = game("request / challenge by Ben / raise red-thin-1 / incident column red-thin-1 by Ben")
    assert (state.violations, state.turn, place(state, "red-thin-1")) == ((), BEN, None)


def test_somebody_elses_handling_of_it_is_another_deed() -> None:
    """E7, B1: Ben tries Anna's column, which stands on top."""
    state = game("raise red-thin-1 / incident column red-thin-1 by Ben")
    assert {"B1", "B2"} <= set(state.violations[0].rules)


def test_where_any_piece_is_a_collapse_it_is_the_raisers() -> None:
    """E7, E8: and it is said once, that it is a collapse."""
    state = game("raise red-thin-1 / incident column red-thin-1", "switch collapse any_piece")
    assert state.outcome is not None
    assert state.outcome.culprit == ANNA
    assert kinds(state) == [RulingKind.COLLAPSE, RulingKind.OVER]
    undone = state.apply(state_event(state, "rule undo"))
    assert (undone.phase, undone.turn, undone.outcome) == (Phase.BUILD, BEN, None)
    assert Choice.UNDO in [ruling.get("choice") for ruling in undone.history]


# --- B13: an event keeps its doer ---


def test_a_move_stays_its_doers_when_the_one_before_is_undone() -> None:
    """B13: it was Ben who raised blue; now out of turn, Anna begins again."""
    state = game("raise red-thin-1 plateau-held / raise blue-thin-1 / rule undo event 4")
    assert state.violations[1].seat == BEN
    assert (state.violations[1].rules, state.turn) == (("U4",), ANNA)
    assert (place(state, "red-thin-1"), place(state, "blue-thin-1")) == (Floor.GROUND, Floor.BLUE)


@pytest.mark.parametrize(
    "later", ["abort blue-thin-1", "touch blue-thin-1", "request", "collapse", "lay covers 3", "pass", "incident column blue-thin-1"]
)
def test_whatever_the_event_it_keeps_its_doer(later: str) -> None:
    """B13: after a correction too, and after the next one."""
    state = game(f"raise red-thin-1 / {later} / correct 4: abort red-thin-2; raise blue-thin-2 / correct 4:")
    about = [ruling.seat for ruling in state.history if ruling.number == 5]
    assert about[0] == BEN


def test_an_event_put_in_by_a_correction_keeps_the_doer_it_had_then() -> None:
    """B13."""
    state = game("raise red-thin-1 / raise blue-thin-1 / raise yellow-thin-1 / correct 5: raise blue-hex-1 / correct 4:")
    assert [ruling.seat for ruling in state.history if ruling.number == 5 and ruling.kind is RulingKind.RAISED] == [BEN]


def test_the_log_says_what_was_told_and_not_what_was_understood() -> None:
    """B13."""
    state = game("raise red-thin-1 plateau-held / raise blue-thin-1 / rule undo event 4")
    assert state.log[4] == state_event(state, "raise blue-thin-1")
    assert state.really(5) == (state.log[4],)


# --- legality does not depend on whose object an event is ---


@pytest.mark.parametrize(
    "moves",
    [
        "",
        "abort red-thin-1 / raise blue-thin-1 / raise yellow-thin-1 / raise green-thin-1",
        "request",
        "request / challenge by Ben",
        GREEN_READY + " / lay",
        "take-out red-hex by Ben",
    ],
)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_tables_own_events_are_judged_as_any_equal_event(moves: str, players: int) -> None:
    """B1, B2, B10, T1: the ones that `legal_actions` gives out, and the same written down."""
    state = game(moves, players=players)
    legal = set(state.legal_actions())
    for attempts, _ in state.table.plain:
        for own in attempts:
            equal = replace(own)
            assert state.why_not(own) == state.why_not(equal)
            if state.phase is Phase.BUILD:
                assert (own in legal) == (not state.why_not(own))
            assert state.apply(own) == state.apply(equal)


# --- B8: stacking ---


def test_where_columns_may_be_stacked_the_list_of_actions_says_so() -> None:
    """B8: on each column of the uppermost floor that carries none."""
    state = game("raise red-thick-1 / raise blue-thin-1 stacked-on red-thick-1", "switch stacking top")
    assert not state.violations
    stacked = {str(action.on_column) for action in state.legal_actions() if isinstance(action, Raised) and action.on_column}
    assert stacked == {"blue-thin-1"}
    assert not [action for action in game("raise red-thick-1").legal_actions() if isinstance(action, Raised) and action.on_column]
    assert not state.why_not(state_event(state, "raise yellow-thin-1 stacked-on blue-thin-1"))


def test_a_second_column_on_one_carrier_is_refused() -> None:
    """B8."""
    state = game("raise red-thick-1 / raise blue-thin-1 stacked-on red-thick-1", "switch stacking top")
    with pytest.raises(ImpossibleEventError, match="carries another one already"):
        state.apply(state_event(state, "raise yellow-thin-1 stacked-on red-thick-1"))
    assert state.why_not(state_event(state, "raise yellow-thin-1 stacked-on red-thick-1")) == (Reason.CARRIER_TAKEN,)


# --- the switches ---


def test_by_house_rule_a_locked_column_is_no_penalty() -> None:
    """B10."""
    before = "raise red-thin-1 / abort blue-thin-1 / raise yellow-thin-1 / request / challenge by Ben / give-up"
    assert game(before + " / take-out blue-thin-1").violations == ()
    spared = game(before, "switch locked_as_penalty false")
    assert not [action for action in spared.legal_actions() if str(getattr(action, "column", "")) == "blue-thin-1"]
    assert game(before + " / take-out blue-thin-1", "switch locked_as_penalty false").violations[0].rules == ("B10",)


def test_by_house_rule_contact_counts_instead_of_cover() -> None:
    """A3: what was told counts, else all that stand on top."""
    touch = "switch covering touch"
    assert game(GREEN_READY + " / lay covers 2 touches 3", touch).violations == ()
    assert game(GREEN_READY + " / lay covers 3 touches 2", touch).violations[0].get("reasons") == ("touches_too_few",)
    assert game(GREEN_READY + " / lay covers 2", touch).violations[0].rules == ("A3",)
    assert game(GREEN_READY + " / lay covers 2 touches 3").violations[0].rules == ("A3",)


def test_by_house_rule_another_player_takes_the_penalty() -> None:
    """C4: neither claimant nor challenger; without a name it is the next one."""
    asked = GREEN_READY + " / request / challenge by Anna / give-up"
    another = "switch penalty_chosen_by another"
    state = game(asked, another)
    assert (state.phase, state.actor, state.turn) == (Phase.PENALTY, BEN, DAN)
    takers = {action.by for action in state.legal_actions() if isinstance(action, TakenOut)}
    assert takers == {BEN, CLEO}
    for by in ("", " by Cleo"):
        taken = game(f"{asked} / take-out red-thin-2{by}", another)
        assert (taken.violations, taken.phase, taken.actor) == ((), Phase.LAY, DAN)
    wrong = game(asked + " / take-out red-thin-2 by Dan", another)
    assert (set(wrong.violations[0].rules), wrong.turn) == ({"C4"}, ANNA)
    laid = game(asked + " / lay covers 3", another)
    assert (laid.violations, laid.turn, laid.top_floor) == ((), ANNA, Floor.GREEN)
    assert game(asked + " / waive by Cleo", another).phase is Phase.LAY
    assert game(asked + " / incident by Cleo fallen red-thin-2", another).phase is Phase.LAY
    collapsed = game(asked + " / collapse", another).outcome
    assert collapsed is not None
    assert collapsed.culprit == BEN
    two = game("raise red-thin-1 / raise yellow-thin-1 / raise red-thin-2 / request / challenge by Anna / give-up", another, players=2)
    assert two.actor == BEN


def test_by_house_rule_the_game_ends_when_nobody_can_add_a_column() -> None:
    """E1, A1: though a plateau could still be laid; as long as somebody can, the others lay."""
    small = "set thin 1 plateaus 3"
    all_up = "raise red-thin-1 / raise blue-thin-1 / raise yellow-thin-1 / raise green-thin-1"
    default = game(all_up, small)
    assert (default.phase, default.turn) == (Phase.LAY, ANNA)
    ended = game(all_up, small, "switch end_without column")
    assert ended.outcome is not None
    assert (ended.outcome.rules, ended.outcome.winners) == (("E1", "E4"), ())
    short = game(
        "raise red-thin-1 / raise blue-thin-1 / raise yellow-thin-1 / request / unchallenged / cannot-lay",
        small,
        "switch end_without column",
    )
    assert short.phase is Phase.LAY
    won = game(
        all_up.replace(" / raise green-thin-1", " / lay / raise red-thin-1 / raise blue-thin-1 / raise yellow-thin-1 / abort green-thin-1"),
        small,
        "switch end_without column",
    )
    assert won.outcome is not None
    assert (won.outcome.rules, won.outcome.winners) == (("E1", "E2"), (ANNA,))


def test_the_two_texts_can_be_played_to_the_letter() -> None:
    """B3, C4: neither grants the plateau after a failed challenge; one lets an aborting player try again."""
    asked = GREEN_READY + " / request / challenge by Anna / give-up / waive"
    for preset in ("guide", "rules_page"):
        assert game(asked, f"rules {preset}").turn == ANNA
    assert game("abort red-thin-1", "rules guide").turn == BEN
    assert game("abort red-thin-1", "rules rules_page").phase is Phase.RETRY
    assert game(asked, "rules rulebook").phase is Phase.LAY
    assert HouseRules() == HouseRules().with_switch("stacking", "red")
