"""Games as text: exact there and back, and a sentence with the place for everything that is not a game."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from itertools import repeat

import pytest

from rig.errors import PalettiError
from rig.pieces import Colour, Floor, PieceSet, Shape
from rig.rules import (
    EASIER,
    SECOND_READING,
    Aborted,
    AllPlaced,
    BuiltNothing,
    CannotLay,
    Challenged,
    Choice,
    Chose,
    Collapsed,
    ColoursAssigned,
    Corrected,
    Event,
    Game,
    GaveUp,
    HouseRules,
    Incident,
    OutsideChoice,
    OutsideDecided,
    Passed,
    PenaltyWaived,
    Placed,
    PlateauLaid,
    ProofOffered,
    Raised,
    Requested,
    Rolled,
    Stopped,
    TableRuled,
    TakenOut,
    Touched,
    Unchallenged,
)
from rig.rules.json_lines import judge
from rig.rules.notation import EVENT_WORDS, parse_event, print_event
from rig.rules.record import (
    LONGEST_LINE_BYTES,
    MOST_CORRECTIONS,
    MOST_EVENTS,
    MOST_LINES,
    Entry,
    Header,
    Record,
    RecordError,
    parse_record,
    print_record,
)
from rig.rules.words import NotationError
from tests.rules.table import FOUR, GREEN_LAID_BY_RED, column, villa

NAMES = ("Anna", "Ben Bauer", "Çelik # 3", "d;e:f")
THIN, HEX = column("red-thin-1"), column("blue-hex-1")

LONGEST = (
    'raise red-thin-1 onto green by "d;e:f" plateau-held overhang_mm 6.25 stacked-on blue-hex-1'
    " shifted blue,green nudged blue-hex-1,red-hex-1"
)
EVENTS: list[tuple[Event, str]] = [
    (AllPlaced(), "place-all"),
    (Placed(THIN), "place red-thin-1"),
    (Placed(THIN, Floor.BLUE, outer_ring=True), "place red-thin-1 onto blue outer-ring"),
    (Rolled(Colour.RED), "roll red"),
    (Rolled(Colour.GREEN, by=1), 'roll green by "Ben Bauer"'),
    (Chose(Colour.YELLOW, by=2), 'choose yellow by "Çelik # 3"'),
    (ColoursAssigned(((Colour.RED, Colour.BLUE), (Colour.GREEN, Colour.YELLOW)), 1), 'colours red+blue green+yellow starts "Ben Bauer"'),
    (Raised(THIN), "raise red-thin-1"),
    (
        Raised(
            THIN,
            Floor.GREEN,
            by=3,
            held_plateau=True,
            overhang_mm=6.25,
            on_column=HEX,
            shifted=(Floor.BLUE, Floor.GREEN),
            nudged=(HEX, column("red-hex-1")),
        ),
        LONGEST,
    ),
    (Aborted(THIN, by=0, shifted=(Floor.BLUE,)), 'abort red-thin-1 by "Anna" shifted blue'),
    (Touched(THIN), "touch red-thin-1"),
    (TakenOut(THIN, nudged=(HEX,)), "take-out red-thin-1 nudged blue-hex-1"),
    (PlateauLaid(), "lay"),
    (
        PlateauLaid(Floor.GREEN, by=1, covers=0, beyond_edge=True, partial=True, nudged=(HEX,)),
        'lay plateau green by "Ben Bauer" covers 0 beyond-edge partly nudged blue-hex-1',
    ),
    (Incident(), "incident"),
    (
        Incident(THIN, by=1, outside=True, fallen=(THIN, HEX)),
        'incident column red-thin-1 by "Ben Bauer" outside fallen red-thin-1,blue-hex-1',
    ),
    (Collapsed(), "collapse"),
    (Collapsed(by=1, outside=True), 'collapse by "Ben Bauer" outside'),
    (Requested(by=1), 'request by "Ben Bauer"'),
    (Unchallenged(), "unchallenged"),
    (Challenged(2), 'challenge by "Çelik # 3"'),
    (ProofOffered(0), 'proof by "Anna"'),
    (GaveUp(), "give-up"),
    (PenaltyWaived(), "waive"),
    (CannotLay(), "cannot-lay"),
    (BuiltNothing(), "build-nothing"),
    (Passed(), "pass"),
    (Stopped(), "stop"),
    (TableRuled(Choice.ABORT), "rule abort"),
    (TableRuled(Choice.UNDO, 17), "rule undo event 17"),
    (OutsideDecided(OutsideChoice.HOLDER_WINS), "decide holder_wins"),
    (Corrected(17), "correct 17:"),
    (Corrected(0, (AllPlaced(), PlateauLaid(covers=3))), "correct 0: place-all; lay covers 3"),
]


@pytest.mark.parametrize(("event", "text"), EVENTS, ids=[text[:30] for _, text in EVENTS])
def test_every_event_has_one_text_and_reads_back(event: Event, text: str) -> None:
    assert print_event(event, NAMES) == text
    assert parse_event(text, NAMES) == event


def test_every_word_an_event_may_begin_with_is_exercised_above() -> None:
    assert {text.split()[0] for _, text in EVENTS} == set(EVENT_WORDS)
    assert {type(event) for event, _ in EVENTS} == set(Event.__args__)  # type: ignore[attr-defined]


def test_options_come_in_any_order_and_names_of_one_word_need_no_quotes() -> None:
    assert parse_event("  raise red-thin-1  overhang_mm 2 by Anna  ", NAMES) == Raised(THIN, by=0, overhang_mm=2.0)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", 1, "an event is missing"),
        ("fly red-thin-1", 1, "'fly' is no event"),
        ("raise", 6, "a column is missing"),
        ("raise purple-thin-1", 7, "'purple' is no colour"),
        ("raise red-thin", 7, "the set holds 3 columns red-thin; write red-thin-1"),
        ("raise red-thin-1 onto", 22, "a floor is missing"),
        ("raise red-thin-1 onto pink", 23, "'pink' is no floor"),
        ("raise red-thin-1 by Zoe", 21, "'Zoe' is no player; players are Anna, Ben Bauer"),
        ('raise red-thin-1 by "Anna', 21, "a quotation mark is not closed"),
        ("raise red-thin-1 overhang_mm nan", 30, "no length in millimetres"),
        ("raise red-thin-1 overhang_mm -1", 30, "no length in millimetres"),
        ("raise red-thin-1 overhang_mm 1e309", 30, "no length in millimetres"),
        ("raise red-thin-1 by Anna by Anna", 26, "by is told twice"),
        ("raise red-thin-1 sideways", 18, "'sideways' does not belong here"),
        ("raise red-thin-1 nudged red-thin-1,,red-thin-2", 25, "is no column"),
        ("raise " + "x" * 99, 7, "is no column"),
        ("roll pink", 6, "'pink' is no colour"),
        ("lay covers many", 12, "no whole number"),
        ("lay covers 10000", 12, "no whole number"),
        ("lay covers ²", 12, "no whole number"),
        ("challenge", 10, "by is missing"),
        ("challenge now", 11, "by is missing before 'now'"),
        ("rule perhaps", 6, "'perhaps' is no choice; write stand or abort or undo"),
        ("decide perhaps", 8, "'perhaps' is no decision"),
        ("colours red blue", 17, "starts is missing"),
        ("colours red pink starts Anna", 13, "'pink' is no colour"),
        ("colours red starts", 19, "a player is missing"),
        ("correct", 8, "a number is missing"),
        ("correct x:", 9, "no whole number"),
        ("correct 3", 10, "a colon is missing"),
        ("correct 3 lay", 11, "a colon is missing"),
        ("correct 3: lay lay", 16, "'lay' does not belong here"),
        ("correct 3: lay;", 16, "an event is missing"),
        ("correct 3: correct 2: lay", 12, "holds no other correction"),
        ("correct 3: rule undo", 12, "holds no other correction"),
    ],
)
def test_what_is_no_event_is_told_with_its_place(text: str, where: int, what: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_event(text, NAMES)
    assert what in caught.value.cause
    assert caught.value.column == where
    assert str(caught.value).startswith(f"Column {where}: ")
    assert len(caught.value.sentence) < 400


# --- whole records ---

HAND_WRITTEN = """\
\ufeffvilla-paletti 1   # a game on a Sunday
set thick 1 hex 1 thin 3 plateaus 5
# Ben is the youngest
player Anna
player "Ben Bauer" youngest

place-all
lay   covers 7
roll red       # by Ben

# Anna thinks long
choose blue
choose green
raise blue-thin-1 plateau-held
correct 6: raise blue-thin-1
"""

PRINTED = """\
villa-paletti 1
# a game on a Sunday
# Ben is the youngest
set thick 1 hex 1 thin 3 plateaus 5
player "Anna"
player "Ben Bauer" youngest
rules rulebook

place-all
lay covers 7
roll red  # by Ben
# Anna thinks long
choose blue
choose green
raise blue-thin-1 plateau-held
correct 6: raise blue-thin-1
"""


def test_a_hand_written_record_is_read_and_printed_in_one_form() -> None:
    record = parse_record(HAND_WRITTEN.removeprefix("\ufeff"))
    assert record.header.players == ("Anna", "Ben Bauer")
    assert record.header.youngest == 1
    assert record.header.remarks == ("a game on a Sunday", "Ben is the youngest")
    assert len(record.events) == 7
    assert record.entries[3] == Entry(comment="Anna thinks long")
    assert print_record(record) == PRINTED
    assert parse_record(PRINTED) == record
    game = record.game()
    assert game.violations == ()
    assert game.where(column("blue-thin-1")) is Floor.BLUE
    assert game.turn == 1


def test_a_game_goes_to_text_and_back_unchanged() -> None:
    game = villa(GREEN_LAID_BY_RED + "; raise blue-thin-1 plateau-held; rule undo; raise blue-hex-1")
    text = print_record(Record.of(game))
    assert parse_record(text) == Record.of(game)
    assert parse_record(text).game() == game
    assert print_record(parse_record(text)) == text


@pytest.mark.parametrize(
    ("header", "line"),
    [
        (Header(PieceSet.of({Shape.THIN: 5}, plateaus=3), FOUR), "set thick 0 hex 0 thin 5 plateaus 3"),
        (Header(PieceSet(PieceSet.of().columns[:-1]), FOUR), "set columns blue-hex-1,blue-thick-1"),
        (Header(players=FOUR, rules=EASIER), "rules easier"),
        (Header(players=FOUR, rules=SECOND_READING, youngest=3), 'player "Green" youngest'),
        (Header(players=FOUR, rules=HouseRules(allow_pass=True, max_challenges=2)), "switch max_challenges 2\nswitch allow_pass true"),
    ],
)
def test_every_kind_of_header_reads_back(header: Header, line: str) -> None:
    record = Record(header, (Entry(AllPlaced(), "all"), Entry(comment="")))
    text = print_record(record)
    assert line in text
    assert parse_record(text) == record


def test_a_record_without_a_blank_line_after_the_header_reads_as_well() -> None:
    record = parse_record("villa-paletti 1\nplayer A\nplayer B\nplace-all # go\nlay\n")
    assert record.entries == (Entry(AllPlaced(), "go"), Entry(PlateauLaid()))
    assert parse_record("villa-paletti 1\r\nplayer A\r\nplayer B\r\n") == Record(Header(players=("A", "B")))


def test_switches_may_follow_a_preset() -> None:
    header = parse_record("villa-paletti 1\nplayer A\nplayer B\nrules easier\nswitch allow_pass true\n").header
    assert header.rules == HouseRules(two_from_orange=True, allow_pass=True)


START = "villa-paletti 1\nplayer A\nplayer B\n"


@pytest.mark.parametrize(
    ("text", "line", "where", "what"),
    [
        ("", 1, 1, "villa-paletti 1 is missing"),
        ("\n", 1, 1, "villa-paletti 1 is missing"),
        ("chess 1\n", 1, 1, "begins with villa-paletti 1"),
        ("villa-paletti\n", 1, 14, "the version is missing"),
        ("villa-paletti 2\n", 1, 15, "only version 1"),
        ("villa-paletti 1 x\n", 1, 17, "'x' does not belong here"),
        ("villa-paletti 1\n", 1, 0, "two, three or four players, not 0"),
        ("villa-paletti 1\nplayer A\n\n", 3, 0, "not 1"),
        ("villa-paletti 1\nplayer A\nplayer A\n", 3, 1, "same name"),
        ("villa-paletti 1\nplayer\n", 2, 7, "a name is missing"),
        ('villa-paletti 1\nplayer "A\n', 2, 8, "not closed"),
        ("villa-paletti 1\nplayer A youngest\nplayer B youngest\n", 3, 1, "Only one player is the youngest"),
        ("villa-paletti 1\nplayr A\n", 2, 1, "'playr' is neither a header line nor an event"),
        ("villa-paletti 1\nset thin 3\nset thin 3\n", 3, 1, "told twice"),
        ("villa-paletti 1\nset thin 21\n", 2, 1, "whole number from 0 to 20"),
        ("villa-paletti 1\nset thin\n", 2, 9, "a number is missing"),
        ("villa-paletti 1\nset plateaus 6\n", 2, 1, "whole number from 0 to 5"),
        ("villa-paletti 1\nset plateaus 0\n", 2, 1, "fixed order"),
        ("villa-paletti 1\nset thick 0 hex 0 thin 0\n", 2, 1, "at least one column"),
        ("villa-paletti 1\nset wide 3\n", 2, 1, "neither a shape nor plateaus nor columns"),
        ("villa-paletti 1\nset columns red-thin-1,pink-thin-1\n", 2, 1, "'pink' is no colour"),
        ("villa-paletti 1\nset columns red-thin-1,red-thin-1\n", 2, 1, "listed twice"),
        ("villa-paletti 1\nset thin 3 columns red-thin-1\n", 2, 1, "either by a split or by its columns"),
        ("villa-paletti 1\nset columns red-thin-1\nplayer A\nplayer B\n", 4, 0, "lacks a colour"),
        ("villa-paletti 1\nrules chess\n", 2, 1, "no house rules called 'chess'"),
        ("villa-paletti 1\nswitch allow_pass true\nrules easier\n", 3, 1, "after a switch"),
        ("villa-paletti 1\nswitch fly true\n", 2, 1, "no house rule called 'fly'"),
        ("villa-paletti 1\nswitch allow_pass maybe\n", 2, 1, "cannot be 'maybe'"),
        ("villa-paletti 1\nswitch max_challenges 4\n", 2, 1, "one of 1, 2, 3"),
        ("villa-paletti 1\nswitch colour_mode x\n", 2, 1, "one of roll_choose, all_roll, youngest_starts"),
        (START + "\nplace-all\nplayer C\n", 6, 1, "'player' is no event"),
        (START + "\nplace-all\nraise pink-thin-1\n", 6, 7, "'pink' is no colour"),
        (START + "\nplace-all\nlay", 6, 0, "The last line is cut off"),
        (START + "\nplace-all\nraise red-th\n", 6, 7, "is no column"),
        (START + "place-all now\n", 4, 11, "'now' does not belong here"),
    ],
)
def test_what_is_no_record_is_told_with_line_and_column(text: str, line: int, where: int, what: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(text)
    assert what in caught.value.cause
    assert (caught.value.line, caught.value.column) == (line, where)
    assert str(line) in caught.value.sentence
    assert caught.value.hint


def test_comments_and_entries_are_checked_where_they_are_made() -> None:
    with pytest.raises(PalettiError, match="comment"):
        Entry(comment="two\nlines")
    with pytest.raises(PalettiError, match="comment"):
        Header(remarks=(" blank",))
    with pytest.raises(PalettiError, match="an event, a comment or both"):
        Entry()


# --- judging ---


def judged(data: bytes) -> tuple[list[dict[str, object]], PalettiError | None]:
    """The lines printed for a record, and the error it ended with."""
    out = io.StringIO()
    error = None
    try:
        judge(io.BytesIO(data), out)
    except PalettiError as caught:
        error = caught
    return [json.loads(line) for line in out.getvalue().splitlines()], error


GAME = (
    START + "\nplace-all\nlay\ncolours red+blue yellow+green starts A\nraise red-thin-1 plateau-held\nabort yellow-hex-1  # sways\n"
    "# nobody speaks\nrequest\nunchallenged\ncollapse\n"
)


def test_judging_prints_a_line_for_each_ruling_and_the_result_last() -> None:
    lines, error = judged(GAME.encode())
    assert error is None
    assert [line.get("kind") for line in lines] == [
        *["placed", "laid", "set_up"],
        *["drew", "drew", "starts", "turn"],
        *["violation", "raised", "turn"],
        *["aborted", "locked", "turn"],
        "requested",
        *["unchallenged", "not_laid", "turn"],
        *["collapse", "over"],
        None,
    ]
    violation = lines[7]
    assert violation["line"] == 8
    assert violation["event"] == 4
    assert violation["player"] == "A"
    assert violation["violations"] == [{"rules": ["B6"], "reasons": ["plateau_held"]}]
    assert violation["scores"] == {"A": 0, "B": 0}
    assert violation["english"] == "Against the rules by Red and blue (B6): A plateau was held while the column was set down."
    assert lines[10]["locked"] == ["yellow-hex-1"]
    assert lines[10]["violations"] == []
    assert lines[-1]["result"] == {"winners": [], "why": "collapse", "rules": ["E4"], "culprit": "B"}
    assert lines[-1]["events"] == 8
    assert set(lines[0]) == {
        *("line", "event", "kind", "rules", "player", "data", "english", "german", "violations"),
        *("phase", "turn", "scores", "seal", "face", "top_floor", "locked", "outcome"),
    }


def test_an_unfinished_game_has_no_result_yet() -> None:
    lines, error = judged((START + "\nplace-all\n").encode())
    assert error is None
    assert lines[-1]["result"] is None
    assert lines[-1]["phase"] == "set_up"


def test_the_seal_and_its_face_are_told() -> None:
    text = print_record(Record.of(villa(GREEN_LAID_BY_RED + "; raise blue-thin-1; raise yellow-hex-1")))
    lines, _ = judged(text.encode())
    assert (lines[-1]["seal"], lines[-1]["face"], lines[-1]["top_floor"]) == ("Yellow", "blue", "green")
    assert "Das Siegel geht an Gelb, es zeigt Blau." in [line.get("german") for line in lines]


@pytest.mark.parametrize(
    ("tail", "what"),
    [
        ("raise pink-thin-1\n", "Line 13, column 7: 'pink' is no colour"),
        ("raise red-thin-9\n", "Line 13: There is no column red-thin-9 in the set. (P3)"),
        ("raise red-thin-1", "Line 13: The last line is cut off."),
        ("collapse\nrequest\n", "Line 14: The game is over. (E1)"),
        ("lay plateau blue\n", "Line 13: That plateau lies already, or is not in the set. (P2)"),
    ],
)
def test_all_rulings_before_a_fault_are_printed(tail: str, what: str) -> None:
    whole = GAME.removesuffix("collapse\n")
    before, _ = judged(whole.encode())
    lines, error = judged((whole + tail).encode())
    assert error is not None
    assert what in error.sentence
    assert lines[: len(before) - 1] == before[:-1]
    assert "result" not in lines[-1]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (GAME.encode("utf-16"), "not UTF-8"),
        (GAME.encode("utf-16-le"), "zero byte"),
        (GAME.replace("sways", "schwänkt").encode("latin-1"), "Line 9: Byte 27 of the line is not UTF-8"),
        (b"\xff", "not UTF-8"),
        (b"x" * (LONGEST_LINE_BYTES + 1), "longer than"),
        (b"x" * LONGEST_LINE_BYTES, "longer than"),
        (b"", "villa-paletti 1 is missing"),
        ((START + "\n" * MOST_LINES).encode(), f"at most {MOST_LINES} lines"),
        ((START + "place-all\n" + "pass\n" * MOST_EVENTS).encode(), f"at most {MOST_EVENTS} events"),
    ],
)
def test_what_is_no_text_is_told_in_a_sentence(data: bytes, what: str) -> None:
    _, error = judged(data)
    assert error is not None
    assert what in error.sentence


@pytest.mark.parametrize(
    ("data", "line", "column", "hint"),
    [
        (b"\xff", 1, 0, "Save the record as UTF-8 text."),
        (START.encode() + b"\nab\0c\0\n", 5, 3, "Save the record as UTF-8 text."),
        (START.encode() + b"x" * (LONGEST_LINE_BYTES + 1), 4, 0, "grammar"),
        ((START + "\n" * MOST_LINES).encode(), MOST_LINES + 1, 0, "grammar"),
        ((START + "\nplace-all").encode(), 5, 0, "If it is complete, end it with a line break."),
        ((START + "\nplace-all\nraise red-thin-9\n").encode(), 6, 0, "Check the event, or correct an earlier one."),
        (START.encode() + b"\n\xef\xbb\xbfplace-all\n", 5, 1, "grammar"),
    ],
)
def test_a_fault_is_told_with_its_line_and_what_to_do(data: bytes, line: int, column: int, hint: str) -> None:
    _, error = judged(data)
    assert isinstance(error, RecordError)
    assert (error.line, error.column) == (line, column)
    assert hint in error.hint


def test_a_byte_order_mark_and_the_line_ends_of_other_systems_are_fine() -> None:
    plain, _ = judged(GAME.encode())
    marked, error = judged(b"\xef\xbb\xbf" + GAME.replace("\n", "\r\n").encode())
    assert error is None
    assert marked == plain


def test_long_words_are_quoted_cut_short_and_short_ones_whole() -> None:
    for length, quoted in ((40, "'" + "x" * 40 + "'"), (41, "'" + "x" * 40 + "…'")):
        with pytest.raises(NotationError) as caught:
            parse_event("x" * length, NAMES)
        assert quoted in caught.value.cause
        assert caught.value.hint == "The record's grammar is in rig/rules/README.md."


def test_the_limits_themselves_are_still_read() -> None:
    _, error = judged((START + "place-all\n" + "pass\n" * (MOST_EVENTS - 1)).encode())
    assert error is None
    blank = MOST_LINES - START.count("\n")
    _, error = judged((START + "\n" * blank).encode())
    assert error is None
    fitting = b"#" * (LONGEST_LINE_BYTES - 1) + b"\n"
    _, error = judged(START.encode() + fitting)
    assert error is None


class Endless:
    """A stream of noise that counts what is read of it."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        self.read_bytes = 0

    def readline(self, size: int, /) -> bytes:
        piece = self.line[:size] if self.line else b"\xa7" * size
        self.read_bytes += len(piece)
        return piece


@pytest.mark.parametrize("line", [b"", b"\n", b"# noise\n", b"villa-paletti 1\n"])
def test_endless_noise_is_given_up_after_a_bounded_part(line: bytes) -> None:
    noise = Endless(line)
    with pytest.raises(RecordError):
        judge(noise, io.StringIO())
    assert noise.read_bytes < 1_000_000


def test_endless_corrections_are_given_up_too() -> None:
    def lines() -> Iterator[bytes]:
        yield from (START + "place-all\n").encode().splitlines(keepends=True)
        yield from repeat(b"correct 1: place-all\n")

    class Stream:
        def __init__(self) -> None:
            self.lines = lines()

        def readline(self, _size: int, /) -> bytes:
            return next(self.lines)

    with pytest.raises(RecordError, match=f"at most {MOST_CORRECTIONS} corrections") as caught:
        judge(Stream(), io.StringIO())
    assert caught.value.line == START.count("\n") + 1 + MOST_CORRECTIONS + 1


def test_a_games_record_can_be_judged_as_it_stands() -> None:
    game = villa(GREEN_LAID_BY_RED)
    out = io.StringIO()
    assert judge(io.BytesIO(print_record(Record.of(game)).encode()), out) == game
    assert Game.new(players=FOUR) == Record.of(Game.new(players=FOUR)).game()
