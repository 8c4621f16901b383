"""What holds in every game, legal or not, under every switch: a share of the million events that the benchmark runs."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rig.bench.random_games import any_game, play_on, text_round_trip, worked_out_anew
from rig.errors import PalettiError
from rig.rules.notation import EVENT_WORDS, parse_event, print_event
from rig.rules.record import parse_record, print_record

NAMES = ("Anna", "Ben B", "Cleo")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_any_events_at_all_leave_the_game_in_order(data: st.DataObject) -> None:
    """B13, S2, S3, B10, P5: columns conserved, the seal's history a chain, scores those of the top floor, locked columns still."""

    def pick(options: Sequence[Any]) -> Any:
        return options[data.draw(st.integers(0, len(options) - 1))]

    game = play_on(any_game(pick), 25, pick)
    text_round_trip(game)
    worked_out_anew(game)


def test_long_random_games_stay_in_order() -> None:
    """E1: some four thousand events across all variants and switches."""
    for seed in range(100):
        chooser = random.Random(seed)
        game = play_on(any_game(chooser.choice), 100, chooser.choice)
        text_round_trip(game)
        worked_out_anew(game)


LIKELY = st.sampled_from(
    [
        *EVENT_WORDS,
        "red-thin-1",
        "blue-hex-9",
        "by",
        "Anna",
        '"Ben B"',
        "onto",
        "green",
        "covers",
        "3",
        ":",
        ";",
        "#",
        '"',
        "starts",
        "nudged",
        ",",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(LIKELY, max_size=8).map(" ".join)))
def test_any_text_is_an_event_or_fails_with_a_sentence(text: str) -> None:
    try:
        event = parse_event(text, NAMES)
    except PalettiError as error:
        assert error.sentence.startswith("Column ")
        assert len(error.sentence) < 500
    else:
        assert parse_event(print_event(event, NAMES), NAMES) == event


HEADER = [
    "villa-paletti 1",
    "player Anna",
    "player Ben youngest",
    "set thin 3",
    "rules easier",
    "switch allow_pass true",
    "",
    "place-all",
    "lay",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(HEADER), st.text(max_size=20)), max_size=8), st.booleans())
def test_any_text_is_a_record_or_fails_with_a_sentence(lines: list[str], well_begun: bool) -> None:
    text = "\n".join([*(HEADER[:3] if well_begun else []), *lines]) + "\n"
    try:
        record = parse_record(text)
    except PalettiError as error:
        assert error.sentence.startswith("Line ")
    else:
        assert parse_record(print_record(record)) == record
