"""The words: every ruling and every reason in both languages, from one table; and the house rules by name."""

from __future__ import annotations

import pytest

from rig.errors import PalettiError
from rig.rules import (
    EASIER,
    PRESETS,
    RULEBOOK,
    SECOND_READING,
    Game,
    HouseRules,
    Language,
    Reason,
    Ruling,
    RulingKind,
    Why,
    by_colour,
    by_name,
    tell,
    tell_outcome,
    tell_reason,
)
from rig.rules.house import SWITCHES
from rig.rules.sentences import REASONS, RULINGS, WHO_WINS, WHY_OVER, Cases, Either, Pair
from tests.rules.table import GREEN_LAID_BY_GREEN, GREEN_LAID_BY_RED, TWO, play, villa

EN, DE = Language.ENGLISH, Language.GERMAN


def test_the_seal_is_told_as_people_at_the_table_would() -> None:
    """P5, S3: `Das Siegel geht an Blau, es zeigt Rot`."""
    game = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; raise blue-hex-1")
    assert "Das Siegel geht an Blau, es zeigt Rot." in game.told(DE)
    assert "The seal goes to Blue, it shows red." in game.told()


@pytest.mark.parametrize(
    ("moves", "english", "german"),
    [
        (
            "raise red-hex-1 plateau-held",
            "Against the rules by Red (B6): A plateau was held while the column was set down.",
            "Regelverstoß von Rot (B6): Beim Absetzen der Säule wurde ein Plateau festgehalten.",
        ),
        (
            "raise red-hex-1",
            "Red raises red's hexagonal column 1 onto the blue plateau.",
            "Rot hebt die sechseckige Säule 1 von Rot auf das blaue Plateau.",
        ),
        (
            "abort red-thick-1",
            "From now on red's thick column 1 is locked.",
            "Ab jetzt ist die dicke Säule 1 von Rot gesperrt.",
        ),
        (
            "touch red-thin-2",
            "Red touched red's thin column 2; nothing follows.",
            "Rot hat die dünne Säule 2 von Rot berührt; das bleibt ohne Folgen.",
        ),
        ("request", "Red requests the green plateau.", "Rot verlangt das grüne Plateau."),
        ('request; challenge by "Yellow"', "Yellow challenges Red.", "Gelb zweifelt Rot an."),
        (
            'request; challenge by "Yellow"; give-up',
            "Yellow's challenge has failed; one of Yellow's columns may be taken out.",
            "Der Versuch von Gelb ist gescheitert; eine Säule von Gelb darf herausgenommen werden.",
        ),
        (GREEN_LAID_BY_RED, "The green plateau lies.", "Das grüne Plateau liegt."),
        ("incident", "Columns fell, every plateau keeps its place: stand them up where they were.", None),
        (
            "incident column red-thin-1",
            "Columns fell, every plateau keeps its place: the attempt with red's thin column 1 counts as broken off.",
            "Säulen sind gefallen, jedes Plateau liegt noch: Der Versuch mit der dünnen Säule 1 von Rot gilt als abgebrochen.",
        ),
        ("stop", "Refused to Red (E6): Nobody can stop here.", "Abgelehnt für Rot (E6): Hier kann man nicht aufhören."),
        ("collapse", "The villa has collapsed; the cause: Red.", "Einsturz der Villa; Ursache: Rot."),
        ("collapse", "The villa has collapsed: nobody wins.", "Die Villa ist eingestürzt: Niemand gewinnt."),
        (
            "raise red-thin-1 plateau-held; rule undo",
            "The table rules on event 4: it is undone.",
            "Der Tisch entscheidet zu Ereignis 4: es wird zurückgenommen.",
        ),
    ],
)
def test_rulings_are_told_in_both_languages(moves: str, english: str, german: str | None) -> None:
    game = villa(moves)
    assert english in game.told()
    if german is not None:
        assert german in game.told(DE)


def test_corrections_are_told_with_what_was_set_aside() -> None:
    """B13."""
    game = villa("raise red-thin-1; raise blue-thin-1; raise yellow-thin-1")
    assert play(game, "correct 5:").told()[0] == "Event 5 is corrected."
    over = play(game, "correct 4: collapse")
    assert over.told()[0] == "Event 4 is corrected; no longer possible and set aside: 5, 6."
    assert "Beiseitegelegt: Das Spiel ist aus." in over.told(DE)


def test_players_are_called_by_colour_or_by_name() -> None:
    game = villa("raise red-thin-1", names=TWO)
    assert by_colour(game, EN) == ("Red and blue", "Yellow and green")
    assert by_colour(game, "de") == ("Rot und Blau", "Gelb und Grün")
    assert by_name(game) == TWO
    assert by_colour(Game.new(players=TWO), EN) == TWO
    turn = game.rulings[-1]
    assert tell(turn, by_name(game), EN) == "It is Ben's turn."
    assert tell(turn, game, "en") == "It is Yellow and green's turn."


def test_the_outcome_is_told_with_its_reason() -> None:
    """E2, E4, E5, E8."""
    assert tell_outcome(villa(), EN) == ""
    won = villa(GREEN_LAID_BY_GREEN + "; raise red-thin-1; collapse")
    assert tell_outcome(won, EN) == "The villa has collapsed: Red wins."
    assert tell_outcome(won, DE) == "Die Villa ist eingestürzt: Rot gewinnt."
    joint = villa("collapse", HouseRules().with_switch("no_previous", "all_others"))
    assert tell_outcome(joint, EN) == "The villa has collapsed: Blue, Yellow and Green win."
    assert tell_outcome(joint, DE) == "Die Villa ist eingestürzt: Blau, Gelb und Grün gewinnen."
    decided = villa("collapse outside; decide holder_wins")
    assert tell_outcome(decided, EN) == "The table has ended the game: nobody wins."
    idle = villa("; ".join(["request; unchallenged"] * 4))
    assert tell_outcome(idle, DE) == "Niemand kann noch etwas anbauen: Niemand gewinnt."
    reopened = play(idle, f"correct {len(idle.log)}:")
    assert tell_outcome(reopened, EN) == ""


def test_every_reason_and_every_ruling_has_its_words_and_no_two_reasons_the_same() -> None:
    assert set(REASONS) == set(Reason)
    assert set(RULINGS) | {RulingKind.OVER} == set(RulingKind)
    assert set(WHY_OVER) == set(Why)
    assert len(WHO_WINS) == 2
    for side in (0, 1):
        assert len({pair[side] for pair in REASONS.values()}) == len(Reason)
    for reason in Reason:
        assert tell_reason(reason, EN).endswith(".")
        assert tell_reason(reason, DE).endswith(".")
        assert tell_reason(reason, EN) != tell_reason(reason, DE)


def sentences_of(found: Pair | Either | Cases) -> tuple[Pair, ...]:
    """Every sentence of an entry of the table."""
    if isinstance(found, Cases):
        return tuple(found.sentences.values())
    return (found.given, found.missing) if isinstance(found, Either) else (found,)


def test_both_languages_name_the_same_things() -> None:
    def braces(text: str) -> set[str]:
        return {part.split("}")[0].split(":")[0] for part in text.split("{")[1:]}

    pairs = [pair for found in RULINGS.values() for pair in sentences_of(found)]
    for english, german in [*pairs, *WHO_WINS]:
        assert braces(english) == braces(german), english


def test_a_ruling_about_nobody_and_nothing_is_still_a_sentence() -> None:
    assert tell(Ruling(RulingKind.COLLAPSE, ("E1",), 1), (), EN) == "The villa has collapsed; the cause: nobody."
    assert tell(Ruling(RulingKind.REQUESTED, ("A1",), 1, 0, (("plateau", None),)), ("Anna",), DE) == "Anna verlangt nichts."
    assert tell(Ruling(RulingKind.OVER, ("E1",), 1, None, (("why", "collapse"),)), (), EN) == "The villa has collapsed: nobody wins."


def test_an_unknown_language_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="fr"):
        tell_reason(Reason.LOCKED, "fr")  # type: ignore[arg-type]


# --- house rules ---


def test_the_presets_are_the_projects_reading_and_both_texts_to_the_letter() -> None:
    """A3, B3, B8, B10, C4, E1."""
    assert list(PRESETS) == ["rulebook", "easier", "second_reading", "guide", "rules_page"]
    assert PRESETS["guide"].changed() == {"plateau_after_failed_challenge": "false"}
    assert PRESETS["rules_page"].changed() == {
        "retry_after_abort": "true",
        "stacking": "top",
        "locked_as_penalty": "false",
        "covering": "touch",
        "plateau_after_failed_challenge": "false",
        "end_without": "column",
    }
    assert RULEBOOK.changed() == {}
    assert EASIER.changed() == {"two_from_orange": "true"}
    assert SECOND_READING.changed() == {"retry_after_abort": "true"}


def test_the_defaults_are_the_rules_own() -> None:
    """U3, B3, B4, A3, A4, C1, C2, C4, E4, E6, E7."""
    assert {name: str(getattr(RULEBOOK, name)).lower() for name in SWITCHES} == {
        "colour_mode": "roll_choose",
        "retry_after_abort": "false",
        "touch_rule": "moved",
        "stacking": "red",
        "locked_as_penalty": "true",
        "covering": "cover",
        "two_from_orange": "false",
        "limit_all_plateaus": "false",
        "forbid_partial_cover": "false",
        "max_challenges": "1",
        "challenge_proof": "place",
        "plateau_after_failed_challenge": "true",
        "penalty_chosen_by": "claimant",
        "end_without": "column_or_plateau",
        "no_previous": "nobody",
        "allow_pass": "false",
        "collapse": "plateau_lost",
        "challenge_nothing": "false",
    }


def test_every_switch_can_be_set_by_its_text() -> None:
    changed = HouseRules()
    for name, value in {
        "colour_mode": "all_roll",
        "retry_after_abort": "true",
        "touch_rule": "touched",
        "stacking": "top",
        "locked_as_penalty": "false",
        "covering": "touch",
        "two_from_orange": "true",
        "limit_all_plateaus": "true",
        "forbid_partial_cover": "true",
        "max_challenges": "3",
        "challenge_proof": "extract",
        "plateau_after_failed_challenge": "false",
        "penalty_chosen_by": "another",
        "end_without": "column",
        "no_previous": "all_others",
        "allow_pass": "true",
        "collapse": "any_piece",
        "challenge_nothing": "true",
    }.items():
        changed = changed.with_switch(name, value)
        assert changed.changed()[name] == value
    assert set(changed.changed()) == set(SWITCHES)


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("fly", "true", "There is no house rule called 'fly'. House rules are colour_mode"),
        ("allow_pass", "1", "cannot be '1'. It is one of false, true"),
        ("max_challenges", "0", "one of 1, 2, 3"),
        ("touch_rule", "", "one of moved, touched"),
    ],
)
def test_a_switch_that_does_not_exist_or_fit_is_told_in_a_sentence(name: str, value: str, what: str) -> None:
    with pytest.raises(PalettiError) as caught:
        HouseRules().with_switch(name, value)
    assert what in str(caught.value)


def test_a_request_meets_one_to_three_challenges() -> None:
    """C1."""
    for number in (0, 4):
        with pytest.raises(PalettiError, match="one to three"):
            HouseRules(max_challenges=number)
