"""The rules as a library: positions in a line, games as pictures, records from anywhere, and what a judge prints."""

from __future__ import annotations

import ast
import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from rig.bench.random_games import any_game, wild_event
from rig.errors import PalettiError
from rig.pieces import Column, PieceSet, Shape
from rig.rules import (
    RULES,
    Game,
    ImpossibleEventError,
    NotationError,
    Phase,
    Reason,
    Record,
    RecordError,
    judge,
    parse_event,
    parse_record,
    print_record,
)
from rig.rules.rule_ids import RuleText
from tests.rules.table import villa
from tests.rules.test_corners import game

ROOM = Path(__file__).parents[2] / "rig" / "rules"
PLAYERS = '; player "Anna" red; player "Ben" blue; player "Cleo" yellow; player "Dan" green'
TURN = '; phase build turn "Ben" actor "Ben"'
START = "villa-paletti 1\nplayer A\nplayer B\n"


# --- positions in a line ---


def test_every_position_reads_back_as_it_was() -> None:
    """Whatever led there: random games of every variant, right and wrong events."""
    for seed in range(60):
        pick = random.Random(seed).choice
        state = any_game(pick)
        for _ in range(60):
            legal = state.legal_actions()
            try:
                state = state.apply(pick(legal) if legal and pick(range(4)) else wild_event(state, pick))
            except ImpossibleEventError:
                continue
            again = Game.from_line(state.line)
            assert again.position == state.position
            assert again.line == state.line


def test_a_game_begun_at_a_position_goes_on_as_the_one_that_led_there() -> None:
    """S3, U4: and its record says where it began."""
    state = villa("raise red-thin-1; raise blue-thin-1")
    begun = Game.from_line(state.line)
    move = parse_event("raise yellow-hex-1", state.table.names)
    assert begun.apply(move).position == state.apply(move).position
    record = Record.of(begun.apply(move))
    text = print_record(record)
    assert text.splitlines()[1].startswith("start villa-position 1; set ")
    assert parse_record(text) == record
    assert parse_record(text).game() == begun.apply(move)
    assert begun.apply(move).at(0).position == state.position


def test_an_event_before_the_first_can_be_put_in_at_a_position() -> None:
    """B13."""
    begun = Game.from_line(villa().line)
    corrected = begun.apply(parse_event("raise red-thin-1", begun.table.names)).apply(
        parse_event("correct 0: raise blue-thin-1 by Blue", begun.table.names)
    )
    assert [ruling.number for ruling in corrected.violations] == [0]


def test_what_follows_from_a_position_need_not_be_written() -> None:
    """S2: owners, scores, and everything that says nothing."""
    state = Game.from_line(f"villa-position 1{PLAYERS}; laid blue,green; green red-thick-1,blue-hex-1; blue red-thin-1,blue-thin-1{TURN}")
    assert state.scores == (3, 2, 0, 0)
    assert state.owner(Column.parse("blue-hex-1")) == 1
    assert state.where(Column.parse("green-hex-1")) is None
    assert len(state.legal_actions()) == 3


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("villa-position 2", "a position begins with villa-position 1"),
        ("", "villa-position 1 is missing"),
        ("villa-position 1", "two, three or four players"),
        ("villa-position 1 set", "'set' does not belong here"),
        ("villa-position 1;", "a section is missing"),
        ("villa-position 1; fly", "'fly' is no section"),
        ("villa-position 1; set thin 3; set thin 3", "set is told twice"),
        ("villa-position 1; rules chess 3", "no house rule called 'chess'"),
        ("villa-position 1; set columns red-thin-1 thin 3", "either by a split or by its columns"),
        (f"villa-position 1{PLAYERS}; laid green,green; phase build", "lies twice"),
        (f"villa-position 1{PLAYERS}; green red-thin-1{TURN}", "does not lie"),
        (f"villa-position 1{PLAYERS}; ground red-thin-1,red-thin-1", "stands twice"),
        (f"villa-position 1{PLAYERS}; ground red-thin-9{TURN}", "no column red-thin-9"),
        (f"villa-position 1{PLAYERS}; locked red-thin-9{TURN}", "no column red-thin-9"),
        (f"villa-position 1{PLAYERS}; stacked red-thin-1{TURN}", "an upper column and its carrier"),
        (f"villa-position 1{PLAYERS}; phase dance", "'dance' is not a valid Phase"),
        (f"villa-position 1{PLAYERS}; phase build", "it is somebody's turn"),
        (f'villa-position 1{PLAYERS}; phase set_up turn "Anna"', "it is nobody's turn"),
        (f'villa-position 1{PLAYERS}; phase build turn "Anna"', "waits for somebody"),
        (f'villa-position 1{PLAYERS}; phase challenge turn "Anna" actor "Ben"', "somebody has challenged"),
        (f'villa-position 1{PLAYERS}; phase over turn "Anna"', "An ended game has a result"),
        (f'villa-position 1{PLAYERS}; phase decision turn "Anna"', "something to go back to"),
        (f"villa-position 1{PLAYERS}; count 3 since 1,2{TURN}", "a number in `since`"),
        (f"villa-position 1{PLAYERS}; phase build turn Eve", "'Eve' is no player"),
        (f"villa-position 1{PLAYERS}; unlaid idle 2{TURN}", "by is missing"),
        ('villa-position 1; player "A" red; player "B" red; player "C" blue; phase build turn "A" actor "A"', "the same colour"),
        ('villa-position 1; player "A" pink', "no colour"),
    ],
)
def test_a_position_that_cannot_be_is_told_in_a_sentence(line: str, what: str) -> None:
    with pytest.raises(NotationError) as caught:
        Game.from_line(line)
    assert what in caught.value.sentence
    assert caught.value.column >= 1


def test_a_start_stands_alone_in_the_header() -> None:
    line = f"start {villa().line}\n"
    for text, what in (
        (f"villa-paletti 1\nplayer A\n{line}", "says the set, the players and the rules itself"),
        (f"villa-paletti 1\n{line}player A\n", "the position says it"),
    ):
        with pytest.raises(RecordError, match=what):
            parse_record(text)
    assert parse_record(f"villa-paletti 1\n{line}raise red-thin-1\n").game().turn == 1


# --- games as pictures ---


def test_a_game_prints_as_its_tower_in_about_a_dozen_lines() -> None:
    """B10, P5: O thick, H hexagonal, i thin, ! locked."""
    state = game("raise red-thick / raise blue-thin-1 / abort yellow-hex / request / unchallenged / cannot-lay / raise red-thin-1 / lay")
    assert str(state).splitlines() == [
        "        red     blue    yellow  green",
        "green",
        "blue    Oi      i",
        "ground  Hii     HOii    H!Oiii  HOiii",
        "Anna (red): 0",
        "Ben (blue): 0",
        "Cleo (yellow): 0",
        "Dan (green): 0",
        "Cleo is to build, or to request the yellow plateau.",
    ]
    assert len(str(state).splitlines()) <= 14
    assert repr(state) == "<Game: 11 events, build on green, 'Cleo' in turn>"


def test_every_phase_of_a_game_can_be_printed() -> None:
    seen = set()
    for moves in ("", "request", "request / challenge by Ben", "request / challenge by Ben / give-up", "collapse", "collapse outside"):
        seen.add(str(game(moves)).splitlines()[-1])
    seen.add(str(game("collapse", "switch no_previous all_others")).splitlines()[-1])
    assert "Ben challenges Anna." in seen
    assert "The game is over: nobody wins." in seen
    assert "The game is over: Ben and Cleo and Dan win jointly." in seen
    assert str(Game.new()).splitlines()[-1] == "The villa is being set up."
    assert "beside  HOiii" in str(Game.new())
    holder = game("raise red-thin-1 / raise blue-thin-1 / raise yellow-thin-1 / lay / raise red-hex")
    assert "Anna (red): 2  holds the seal, which shows red" in str(holder)
    assert repr(Game.new()) == "<Game: 0 events, set_up on ground>"


# --- records ---


def test_comments_and_blank_lines_may_stand_anywhere() -> None:
    record = parse_record("\n# first\nvilla-paletti 1\n\nplayer A\n# second\n\nplayer B\n\n# third\n\nplace-all\n\n# fourth\nlay\n")
    assert record.header.players == ("A", "B")
    assert record.header.remarks == ("first", "second")
    assert [entry.comment for entry in record.entries] == ["third", None, "fourth", None]
    assert parse_record(print_record(record)) == record
    later = parse_record("villa-paletti 1\nplayer A\n\n# of the header\nplayer B\n")
    assert later.header.remarks == ("of the header",)


def test_a_shape_that_a_colour_has_once_needs_no_number() -> None:
    """P3."""
    names = ("A", "B")
    assert parse_event("raise red-thick", names) == parse_event("raise red-thick-1", names)
    with pytest.raises(NotationError, match="the set holds 3 columns red-thin; write red-thin-1 or another number"):
        parse_event("raise red-thin", names)
    two = PieceSet.of({Shape.THICK: 2})
    with pytest.raises(NotationError, match="the set holds 2 columns"):
        parse_event("raise red-thick", names, two)
    with pytest.raises(NotationError, match="the set holds 0 columns red-hex"):
        parse_event("raise red-hex", names, two)
    assert parse_record(START + "set columns red-thin-4,blue-thin-1,yellow-thin-1,green-thin-1\nplace red-thin\n").game()


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (START + "player A\n", 4, "Two players have the same name, 'A'."),
        (START + "place-all\nraise red-thin-9\n", 5, "There is no column red-thin-9 in the set. (P3)"),
        (START + "place-all\nraise red-thin-1 nudged blue-hex-4\n", 5, "There is no column blue-hex-4 in the set. (P3)"),
        (START.replace("\n", "\r"), 1, "carriage returns alone"),
        (START + "place-all\rlay\r\n", 4, "carriage returns alone"),
        (START + "place-all\ncorrect 1: place red-thin-9\n", 5, "There is no column red-thin-9 in the set. (P3)"),
    ],
)
def test_faults_name_their_cause(text: str, line: int, what: str) -> None:
    with pytest.raises(RecordError) as caught:
        judge(io.BytesIO(text.encode()), io.StringIO())
    assert (caught.value.line, what in caught.value.cause) == (line, True)
    if "\r" in text:
        with pytest.raises(RecordError, match="carriage returns"):
            parse_record(text)


def test_a_set_and_rules_of_ones_own_stand_in_the_header_and_in_a_position() -> None:
    """P3: colours with different columns, switches that are no preset."""
    columns = "set columns red-thin-1,red-thin-2,blue-hex-1,yellow-thick-1,green-thin-1"
    record = parse_record(START + f"{columns}\nswitch stacking top\nswitch allow_pass true\nplace red-thin-2\n")
    assert parse_record(print_record(record)) == record
    state = record.game()
    assert state.rules.changed() == {"stacking": "top", "allow_pass": "true"}
    assert Game.from_line(state.line).position == state.position
    assert len(state.pieces.columns) == 5


# --- the judge ---


CORRECTED = START + "place-all\nlay\ncolours red+blue yellow+green starts A\nraise red-hex\nraise yellow-hex\ncorrect 4: raise red-thick\n"


def printed(text: str, *, history: bool = False) -> list[dict[str, object]]:
    out = io.StringIO()
    judge(io.BytesIO(text.encode()), out, history=history)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_each_ruling_is_printed_once_as_it_stands_at_the_end() -> None:
    """B13: with the line of its event and where the game stood after it."""
    lines = printed(CORRECTED)
    raised = [line for line in lines if line.get("kind") == "raised"]
    assert [(line["line"], line["event"], line["data"]["column"]) for line in raised] == [  # type: ignore[index]
        (7, 4, "red-thick-1"),
        (8, 5, "yellow-hex-1"),
    ]
    assert [line["turn"] for line in raised] == ["B", "A"]
    assert [line["kind"] for line in lines if line.get("line") == 9] == ["corrected"]
    assert len([line for line in printed(CORRECTED, history=True) if line.get("kind") == "raised"]) == 4


def test_a_violation_is_told_beside_every_ruling_of_its_event() -> None:
    """B13."""
    lines = printed(START + "place-all\nlay\ncolours red+blue yellow+green starts A\nraise red-hex plateau-held\n")
    assert [line["violations"] for line in lines if line.get("event") == 4] == [[{"rules": ["B6"], "reasons": ["plateau_held"]}]] * 3


def test_a_full_output_is_told_in_a_sentence() -> None:
    class Full:
        def write(self, _text: str) -> int:
            raise OSError(28, "No space left on device")

    class Closed:
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(PalettiError, match="cannot be written: No space left on device"):
        judge(io.BytesIO(CORRECTED.encode()), Full())
    with pytest.raises(BrokenPipeError):
        judge(io.BytesIO(CORRECTED.encode()), Closed())


def test_what_was_ruled_before_a_fault_is_printed_in_either_way() -> None:
    for history in (False, True):
        out = io.StringIO()
        with pytest.raises(RecordError):
            judge(io.BytesIO((CORRECTED + "raise pink-thin-1\n").encode()), out, history=history)
        assert "corrected" in out.getvalue()
        assert "result" not in out.getvalue().splitlines()[-1][:12]


def test_a_correction_stops_where_the_game_stands_as_it_stood() -> None:
    """B13: what follows is kept as it was, to the very same positions."""
    state = villa("touch red-thin-1; raise red-thin-1; raise blue-thin-1")
    corrected = state.apply(parse_event("correct 4: touch red-thin-2", state.table.names))
    assert corrected.trail[6] is state.trail[6]
    assert corrected.position == state.position
    assert [ruling.number for ruling in corrected.rulings][1:] == [4, 5, 5, 6, 6]


# --- the room ---


def test_judging_imports_nothing_of_the_rest() -> None:
    code = "import sys, rig.rules; print(*sorted(n for n in sys.modules if n.split('.')[0] in ('rig', 'vision', 'numpy', 'cv2', 'scipy')))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOM.parents[1]).stdout.split()
    assert {name for name in told if not name.startswith("rig.rules")} == {"rig", "rig.errors", "rig.pieces"}
    command = "import sys; from rig.cli.main import parser; parser('judge'); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True, cwd=ROOM.parents[1]).stdout.split()
    assert not {"numpy", "cv2", "scipy", "msgspec", "flask"} & set(told)


def test_no_file_of_the_room_imports_in_a_circle() -> None:
    """Also not where only types are imported."""
    imports = {
        path.stem: {
            node.module.removeprefix("rig.rules.")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rig.rules.")
        }
        for path in ROOM.glob("*.py")
        if path.stem != "__init__"
    }
    while free := [name for name, needed in imports.items() if not needed & set(imports)]:
        for name in free:
            del imports[name]
    assert imports == {}


def test_each_rule_has_its_text_in_both_languages_and_the_readme_says_the_same() -> None:
    readme = (ROOM / "README.md").read_text(encoding="utf-8")
    for rule, text in RULES.items():
        assert isinstance(text, RuleText)
        assert text.english != text.german
        assert f"| {rule} | {text.english.replace('(decided)', '*(decided)*')} |" in readme
    assert {reason.rule for reason in Reason} <= set(RULES)
    assert Phase.BUILD.value == "build"
