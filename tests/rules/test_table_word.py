"""What the table says about what happened: violations undone or treated as aborts, corrections, and what they can no longer reach."""

from __future__ import annotations

import pytest

from rig.pieces import Floor
from rig.rules import (
    SECOND_READING,
    Choice,
    Corrected,
    Game,
    ImpossibleEventError,
    Phase,
    Placed,
    PlateauLaid,
    Raised,
    Reason,
    RulingKind,
    TableRuled,
)
from tests.rules.table import (
    BLUE,
    EACH_ONE_UP,
    GREEN_LAID_BY_GREEN,
    RED,
    THREE,
    column,
    flagged,
    floor,
    found,
    kinds,
    play,
    reasons,
    refused,
    villa,
)

SET_UP = 3
"""The events before the first turn in `villa`."""


def test_a_violation_offers_to_stand_to_count_as_an_abort_or_to_be_undone() -> None:
    """B13."""
    assert found(villa("raise red-thin-1 plateau-held"), RulingKind.VIOLATION).get("choices") == ("stand", "abort", "undo")
    assert found(villa("abort red-thin-1 shifted blue"), RulingKind.VIOLATION).get("choices") == ("stand", "undo")
    assert found(villa("raise red-thin-1 plateau-held"), RulingKind.VIOLATION).get("choice") == "stand"


def test_a_raise_treated_as_an_abort_puts_the_column_back_and_locks_it() -> None:
    """B13, B10: it stays listed as a violation, once."""
    game = villa("raise red-thin-1 plateau-held; rule abort")
    assert floor(game, "red-thin-1") is Floor.GROUND
    assert game.locked == {column("red-thin-1")}
    assert game.turn == BLUE
    assert [(violation.rules, violation.get("choice")) for violation in game.violations] == [(("B6",), "abort")]
    ruled = found(game, RulingKind.TABLE_RULED)
    assert (ruled.get("event"), ruled.get("choice"), ruled.number) == (SET_UP + 1, "abort", SET_UP + 2)


def test_treated_as_an_abort_it_leaves_what_an_abort_leaves() -> None:
    """B13, B3, T3: another try by the second reading; a proof after an abandoned neutral."""
    assert villa("raise red-thin-1 plateau-held; rule abort", SECOND_READING).phase is Phase.RETRY
    neutral = villa("raise green-thin-1 plateau-held; rule abort", names=THREE)
    assert (neutral.phase, neutral.position.proof_open, neutral.turn) == (Phase.OWN, True, RED)
    challenge = villa('request; challenge by "Blue"; raise red-thin-1 plateau-held; rule abort')
    assert (challenge.phase, challenge.locked) == (Phase.PENALTY, {column("red-thin-1")})
    removal = villa('request; challenge by "Blue"; give-up; take-out yellow-hex-1; rule abort')
    assert (floor(removal, "yellow-hex-1"), removal.turn) == (Floor.GROUND, BLUE)
    assert removal.locked == frozenset()


def test_undone_it_is_as_if_it_had_not_happened_but_stays_on_record() -> None:
    """B13: the same player begins again."""
    game = villa("raise red-thin-1 plateau-held; rule undo")
    assert (floor(game, "red-thin-1"), game.turn, game.phase) == (Floor.GROUND, RED, Phase.BUILD)
    assert game.violations[0].get("choice") == "undo"
    assert game.locked == frozenset()
    assert play(game, "raise red-thin-1").turn == BLUE


def test_the_table_may_change_its_mind() -> None:
    """B13."""
    game = villa("raise red-thin-1 plateau-held; rule undo; rule stand")
    assert (floor(game, "red-thin-1"), game.turn) == (Floor.BLUE, BLUE)
    assert len(game.violations) == 1


def test_a_plateau_laid_against_the_rules_may_come_off_again() -> None:
    """B13, A3: undone, the layer tries again; treated as an abort, it is not laid and the turn ends."""
    game = villa(EACH_ONE_UP + "; request; unchallenged; lay covers 2")
    undone = play(game, "rule undo")
    assert (undone.top_floor, undone.phase, undone.turn) == (Floor.BLUE, Phase.LAY, RED)
    off = play(game, "rule abort")
    assert RulingKind.NOT_LAID in kinds(off)
    assert (off.top_floor, off.turn, off.position.idle) == (Floor.BLUE, BLUE, 0)
    setting_up = Game.new().apply(PlateauLaid()).apply(TableRuled(Choice.ABORT))
    assert (setting_up.phase, setting_up.laid) == (Phase.SET_UP, ())


def test_an_incident_may_be_ruled_otherwise() -> None:
    """E7: undone, nothing came of it."""
    game = villa("incident column red-thin-1")
    assert found(game, RulingKind.INCIDENT).get("choices") == ("stand", "undo")
    undone = play(game, "rule undo")
    assert (undone.turn, undone.locked) == (RED, frozenset())
    assert [ruling.get("choice") for ruling in undone.history if ruling.kind is RulingKind.INCIDENT] == ["undo"]
    assert refused(play(game, "rule abort")) == {"B13"}


def test_the_table_rules_on_the_event_it_names_else_on_the_latest() -> None:
    """B13: two violations, the first is undone; what came after keeps its doer, who is out of turn then."""
    game = villa("raise red-thin-1 plateau-held; raise blue-thin-1 plateau-held")
    first = play(game, f"rule undo event {SET_UP + 1}")
    assert (floor(first, "red-thin-1"), floor(first, "blue-thin-1")) == (Floor.GROUND, Floor.BLUE)
    assert (first.violations[1].rules, first.violations[1].seat, first.turn) == (("U4", "B6"), BLUE, RED)
    latest = play(game, "rule undo")
    assert (floor(latest, "red-thin-1"), floor(latest, "blue-thin-1")) == (Floor.BLUE, Floor.GROUND)


def test_there_must_be_something_to_rule_on() -> None:
    """B13."""
    assert refused(villa("rule undo")) == {"B13"}
    assert reasons(villa("raise red-thin-1"), f"rule undo event {SET_UP + 1}") == (Reason.NOTHING_TO_RULE_ON,)
    assert reasons(villa("abort red-thin-1 shifted blue"), "rule abort") == (Reason.CHOICE_NOT_OFFERED,)
    assert reasons(villa("abort red-thin-1 shifted blue"), "rule undo") == ()


def test_a_later_ruling_of_the_table_works_on_what_followed_too() -> None:
    """B13, S3: the score that came by an overhanging foot is gone, and the seal with it."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-hex-1 overhang_mm 6.0")
    assert game.holder == BLUE
    assert play(game, "rule abort").holder == RED


# --- corrections ---


def test_a_corrected_event_changes_everything_after_it() -> None:
    """B13: it was red's hexagon, not the thin column."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-hex-1")
    number = len(game.log) - 1
    assert game.holder == BLUE
    fixed = play(game, f"correct {number}: raise red-hex-1")
    assert fixed.scores[:2] == (2, 2)
    assert fixed.holder == RED
    own = fixed.rulings[0]
    assert (own.kind, own.get("event"), own.get("set_aside"), own.number) == (RulingKind.CORRECTED, number, (), len(fixed.log))
    assert {ruling.number for ruling in fixed.rulings[1:]} == {number, number + 1}


def test_an_event_can_be_struck_and_put_back() -> None:
    """B13: nothing happened after all; or it did."""
    game = villa("raise red-thin-1; raise blue-thin-1")
    struck = play(game, f"correct {SET_UP + 1}:")
    assert (floor(struck, "red-thin-1"), struck.turn) == (Floor.GROUND, RED)
    assert (struck.violations[0].rules, struck.violations[0].seat) == (("U4",), BLUE)
    back = play(struck, f"correct {SET_UP + 1}: raise red-thin-1")
    assert back.position.floors == game.position.floors
    assert back.violations == ()


def test_what_was_missed_can_be_put_in() -> None:
    """B13: between two events, or before the first."""
    game = villa('raise red-thin-1; raise yellow-thin-1 by "Yellow"')
    assert [violation.rules for violation in game.violations] == [("U4",)]
    fixed = play(game, f"correct {SET_UP + 1}: raise red-thin-1; raise blue-hex-1")
    assert fixed.violations == ()
    assert floor(fixed, "blue-hex-1") is Floor.BLUE
    early = Game.new().apply(PlateauLaid())
    assert flagged(early) == {"U1", "U2"}
    assert play(early, "correct 0: place-all").violations == ()


def test_a_correction_sets_aside_what_can_no_longer_have_happened_and_says_so() -> None:
    """E1, B13: it was a collapse; and back again."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1")
    over = play(game, f"correct {SET_UP + 1}: collapse")
    assert over.phase is Phase.OVER
    assert over.rulings[0].get("set_aside") == (SET_UP + 2, SET_UP + 3)
    assert [ruling.rules for ruling in over.rulings if ruling.kind is RulingKind.SET_ASIDE] == [("E1",), ("E1",)]
    again = play(over, f"correct {SET_UP + 1}: raise red-thin-1")
    assert again.position.floors == game.position.floors
    assert again.rulings[0].get("set_aside") == ()


def test_a_finished_game_can_be_reopened_by_a_correction_only() -> None:
    """E1."""
    game = villa("raise red-thin-1; collapse")
    fixed = play(game, f"correct {SET_UP + 2}: incident")
    assert (fixed.outcome, fixed.turn) == (None, BLUE)


def test_a_call_that_is_against_the_rules_after_a_correction_is_refused_then() -> None:
    """B11: red had aborted, so the request that followed is void."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1; request")
    fixed = play(game, f"correct {SET_UP + 3}:")
    assert (fixed.rulings[-1].kind, fixed.rulings[-1].rules, fixed.rulings[-1].seat) == (RulingKind.REFUSED, ("U4",), 3)
    assert fixed.turn == 2
    later = villa('abort red-thin-1; request by "Blue"')
    fixed = play(later, f"correct {SET_UP + 1}: raise red-thin-1; raise blue-thin-1")
    assert found(fixed, RulingKind.REFUSED).rules == ("U4",)


def test_the_words_of_the_table_cannot_be_corrected_only_said_anew() -> None:
    """B13."""
    game = villa("raise red-thin-1 plateau-held; rule undo")
    last = len(game.log)
    for number in (last, last + 1, 99):
        assert reasons(game, f"correct {number}: request") == (Reason.UNKNOWN_NUMBER,)
        assert refused(play(game, f"correct {number}: request")) == {"B13"}
    assert game.why_not(Corrected(-1)) == (Reason.UNKNOWN_NUMBER,)
    assert game.why_not(Corrected(last - 1, (TableRuled(Choice.UNDO),))) == (Reason.UNKNOWN_NUMBER,)
    assert game.why_not(Corrected(last - 1, (Corrected(1),))) == (Reason.UNKNOWN_NUMBER,)
    assert game.why_not(Corrected(last - 1)) == ()


def test_a_refused_word_of_the_table_stays_on_record_and_changes_nothing() -> None:
    """B13: also when a later correction works everything out anew."""
    game = villa("raise red-thin-1; rule undo; raise blue-thin-1")
    assert floor(game, "red-thin-1") is Floor.BLUE
    fixed = play(game, f"correct {SET_UP + 1}: raise red-hex-1")
    assert (floor(fixed, "red-hex-1"), floor(fixed, "blue-thin-1")) == (Floor.BLUE, Floor.BLUE)
    assert [ruling.number for ruling in fixed.history if ruling.kind is RulingKind.REFUSED] == [SET_UP + 2]
    assert [ruling.number for ruling in fixed.history] == sorted(ruling.number for ruling in fixed.history)


def test_a_correction_takes_back_what_the_table_ruled_on_that_event() -> None:
    """B13: undone was another deed."""
    game = villa(f"raise red-thin-1 plateau-held; rule undo; correct {SET_UP + 1}: raise red-hex-1 plateau-held")
    assert floor(game, "red-hex-1") is Floor.BLUE
    assert game.violations[-1].get("choice") == "stand"


def test_a_correction_to_what_cannot_have_happened_is_an_error_and_changes_nothing() -> None:
    """P3, B1."""
    game = villa("raise red-thin-1")
    with pytest.raises(ImpossibleEventError, match="does not exist yet"):
        play(game, f"correct {SET_UP + 1}: raise red-thin-1 onto orange")
    with pytest.raises(ImpossibleEventError, match="no column red-thin-9"):
        game.apply(Corrected(SET_UP + 1, (Raised(column("red-thin-9")),)))


def test_an_earlier_moment_can_be_looked_at() -> None:
    """B13: with the corrections made by then."""
    game = villa("raise red-thin-1; raise blue-thin-1")
    assert game.at(SET_UP + 1) == villa("raise red-thin-1")
    assert game.at(0) == Game.new(players=game.table.names)
    assert game.at(len(game.log)) == game


def test_the_choices_are_those_of_the_event_named() -> None:
    """B13: the latest offers an abort, the earlier one does not."""
    game = villa("abort red-thin-1 shifted blue; raise blue-thin-1 plateau-held")
    assert reasons(game, f"rule abort event {SET_UP + 1}") == (Reason.CHOICE_NOT_OFFERED,)
    assert reasons(game, f"rule abort event {SET_UP + 2}") == ()


def test_the_very_first_event_can_be_corrected() -> None:
    """B13, U1."""
    game = Game.new().apply(Placed(column("red-thin-1")))
    fixed = game.apply(Corrected(1, (Placed(column("blue-thin-1")),)))
    assert (floor(fixed, "red-thin-1"), floor(fixed, "blue-thin-1")) == (None, Floor.GROUND)


def test_a_refused_word_does_not_forget_those_before_it() -> None:
    """B13."""
    game = villa("raise red-thin-1 plateau-held; rule undo; rule abort event 1; raise red-hex-1 plateau-held; rule abort")
    assert floor(game, "red-thin-1") is Floor.GROUND
    assert game.locked == {column("red-hex-1")}


def test_of_several_inserted_events_only_the_impossible_are_set_aside() -> None:
    """B13, P2: all plateaus lay already, so the lay cannot have happened, but the raises after it can."""
    laid = villa(EACH_ONE_UP + "; request; unchallenged; lay")
    last = len(laid.log)
    game = play(laid, f"correct {last}: lay; raise blue-thin-1 onto green; raise yellow-hex-1")
    assert floor(game, "yellow-hex-1") is Floor.GREEN
    four = "lay plateau green; lay plateau yellow; lay plateau orange; lay plateau red"
    all_lie = play(game, f"correct {last - 1}: unchallenged; {four}")
    aside = [(ruling.number, ruling.rules) for ruling in all_lie.rulings if ruling.kind is RulingKind.SET_ASIDE]
    assert aside == [(last, ("P2",))]
    assert (floor(all_lie, "blue-thin-1"), floor(all_lie, "yellow-hex-1")) == (Floor.GREEN, Floor.RED)


def test_a_column_taken_out_of_turn_treated_as_an_abort_leaves_what_an_abort_leaves() -> None:
    """B13, B3: put back and locked; by the second reading another may be tried."""
    game = villa("take-out red-hex-1; rule abort", SECOND_READING)
    assert (floor(game, "red-hex-1"), game.phase, game.turn) == (Floor.GROUND, Phase.RETRY, RED)
    assert game.locked == {column("red-hex-1")}
