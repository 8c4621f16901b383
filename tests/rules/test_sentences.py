"""Every sentence of the table, in both languages, as one page that a person reads: `tests/rules/sentences.txt`.

Run this file to write the page anew after a change of words, and read what changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from rig.pieces import Colour, Column, Floor, Shape
from rig.rules import RULES, Game, Language, Reason, Ruling, RulingKind, Why, by_colour, by_name, tell, tell_reason
from rig.rules.rulings import Datum
from rig.rules.sentences import RULINGS, Cases
from tests.rules.table import FOUR, THREE, TWO, villa

PAGE = Path(__file__).parent / "sentences.txt"
Data = dict[str, Datum]

FALLS: tuple[Data, ...] = tuple(
    {"how": how, "column": "red-hex-1", "fallen": ("red-thin-1",)} for how in ("attempt", "settled", "laying", "removal", "nothing")
)
DATA: dict[RulingKind, tuple[Data, ...]] = {
    RulingKind.PLACED: (*({"column": "blue-thin-2", "floor": floor.word} for floor in Floor), {"floor": "ground"}),
    RulingKind.DREW: ({"colours": ("red",)}, {"colours": ("yellow", "green")}),
    RulingKind.ROLL_AGAIN: ({"colour": "blue"},),
    RulingKind.RAISED: tuple({"column": "yellow-thick-1", "floor": floor.word} for floor in Floor),
    RulingKind.REQUESTED: tuple({"plateau": floor.word} for floor in Floor if floor > Floor.BLUE),
    RulingKind.FORCED: ({"plateau": "orange"},),
    RulingKind.UNCHALLENGED: ({"plateau": "yellow"}, {"plateau": None}),
    RulingKind.CHALLENGED: ({"claimant": 1},),
    RulingKind.CLAIM_REFUTED: ({"claimant": 1, "column": "green-hex-1"},),
    RulingKind.LAID: ({"plateau": "green", "covers": 1}, {"plateau": "red", "covers": 2}, {"plateau": "blue", "covers": None}),
    RulingKind.NOT_LAID: ({"plateau": "orange"},),
    RulingKind.SEAL: tuple({"face": colour} for colour in Colour),
    RulingKind.VIOLATION: ({"reasons": ("out_of_turn", "overhang")},),
    RulingKind.REFUSED: ({"reasons": ("challenge_runs",)},),
    RulingKind.INCIDENT: FALLS,
    RulingKind.COLLAPSE: ({}, {"incident": True}),
    RulingKind.TABLE_RULED: tuple({"event": 7, "choice": choice} for choice in ("stand", "abort", "undo")),
    RulingKind.CORRECTED: ({"event": 7, "set_aside": ()}, {"event": 7, "set_aside": (8,)}, {"event": 7, "set_aside": (8, 9, 12)}),
    RulingKind.SET_ASIDE: ({"reasons": ("game_over",)},),
    RulingKind.OVER: tuple({"why": why, "winners": winners} for why, winners in product(Why, ((), (0,), (0, 1)))),
}
"""What rulings of each kind may hold; the others hold a column, or nothing."""


def lines() -> Iterator[str]:
    """The page."""
    for number, names in ((2, TWO), (3, THREE), (4, FOUR)):
        game = villa(names=names)
        for called in ("colour", "name"):
            yield f"# {number} players, by {called}"
            for kind in RulingKind:
                yield from told(game, kind, called)
            yield ""
    yield "# columns"
    for column in (Column(colour, shape) for colour, shape in product(Colour, Shape)):
        ruling = Ruling(RulingKind.TOUCHED, ("B4",), 1, 0, (("column", str(column)),))
        yield from both(ruling, villa(), "colour")
    yield ""
    yield "# reasons"
    for reason in Reason:
        yield f"{reason.rule:4} {tell_reason(reason, Language.ENGLISH)} | {tell_reason(reason, Language.GERMAN)}"
    yield ""
    yield "# rules"
    for rule, text in RULES.items():
        yield f"{rule:4} {text.english} | {text.german}"


def told(game: Game, kind: RulingKind, called: str) -> Iterator[str]:
    for data in DATA.get(kind, ({"column": "red-thin-1"},)):
        yield from both(Ruling(kind, ("B1", "U4")[: 1 + (kind is RulingKind.VIOLATION)], 1, 0, tuple(data.items())), game, called)
        if kind in (RulingKind.VIOLATION, RulingKind.REFUSED, RulingKind.COLLAPSE):
            yield from both(Ruling(kind, ("B1",), 1, None, tuple(data.items())), game, called)


def both(ruling: Ruling, game: Game, called: str) -> Iterator[str]:
    texts = []
    for language in Language:
        names = game if ruling.kind is RulingKind.DREW else by_name(game) if called == "name" else by_colour(game, language)
        texts.append(tell(ruling, names, language))
    yield f"{ruling.kind:14} {' | '.join(texts)}"


def test_every_sentence_reads_as_on_the_page() -> None:
    assert PAGE.read_text(encoding="utf-8") == "\n".join(lines()) + "\n"


def test_the_page_holds_every_sentence_of_the_table() -> None:
    told_kinds = {line.split()[0] for line in lines() if line and not line.startswith("#")}
    assert {str(kind) for kind in RulingKind} <= told_kinds
    falls = RULINGS[RulingKind.INCIDENT]
    assert isinstance(falls, Cases)
    assert set(falls.sentences) == {data["how"] for data in FALLS}
    assert not [line for line in lines() if set("[]{}") & set(line)]


if __name__ == "__main__":
    PAGE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
