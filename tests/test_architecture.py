"""The rooms of the program: no import goes in a circle, no room imports what it may not, and pages are made from the code."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from rig.bench import architecture
from rig.errors import PalettiError
from tests import readme


def test_no_file_imports_itself_by_way_of_others() -> None:
    imports = architecture.graph()
    assert [architecture.shortest(group, imports) for group in architecture.cycles(imports)] == []


def test_no_room_imports_what_it_may_not() -> None:
    assert architecture.broken() == []


def test_the_page_shows_the_imports_that_are() -> None:
    text = architecture.PAGE.read_text(encoding="utf-8")
    assert architecture.with_table(text) == text, "run python -m rig.bench.architecture"


def test_every_file_is_looked_at() -> None:
    """Truth from elsewhere: git's list of files."""
    listed = subprocess.run(
        ["git", "ls-files", "rig/*.py", "vision/*.py", "calibration/*.py"],
        cwd=architecture.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert {architecture.ROOT / line for line in listed.stdout.split()} <= set(architecture.modules().values())


def test_no_part_of_the_program_imports_tests() -> None:
    """Read from the source by Python's own parser; what tests share with benches stands in `rig/bench`."""
    imports = [
        (path.name, name)
        for path in architecture.modules().values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None), *(alias.name for alias in node.names)]
    ]
    assert len(imports) > 1000, "every import is looked at"
    assert [(file, name) for file, name in imports if name and name.partition(".")[0] == "tests"] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import rig.pieces", {"rig.pieces", "rig"}),
        ("from rig.messages import looks", {"rig.messages.looks", "rig.messages", "rig"}),
        ("from rig.messages import Look", {"rig.messages", "rig"}),
        ("def f():\n    from vision import see", {"vision.see", "vision"}),
        ("from .frames import Load", {"rig.base.frames", "rig.base", "rig"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import rig.pieces", set()),
        ("import os", set()),
    ],
)
def test_imports_are_read_from_the_source(source: str, found: set[str]) -> None:
    known = {"rig", "rig.pieces", "rig.messages", "rig.messages.looks", "rig.base", "rig.base.frames", "vision", "vision.see"}
    assert architecture.imported(source, "rig.base.port", known) == found - {"rig", "rig.base"}


def test_a_circle_is_found_whole_and_once() -> None:
    assert architecture.cycles({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": [], "e": ["e"]}) == [("a", "b", "c"), ("e",)]


def test_of_a_circle_the_shortest_way_round_is_told() -> None:
    assert architecture.shortest("abcd", {"a": ["b"], "b": ["c", "d"], "c": ["a"], "d": ["b"]}) == ("b", "d")
    assert architecture.shortest("e", {"e": ["e"]}) == ("e",)


def test_the_page_must_have_its_markers() -> None:
    with pytest.raises(PalettiError, match="lacks"):
        architecture.with_table("no markers")


def test_every_test_file_stands_in_the_map_of_tests_with_what_it_says_of_itself() -> None:
    text = readme.PAGE.read_text(encoding="utf-8")
    assert readme.page() == text, "run python -m tests.readme"
    listed = subprocess.run(["git", "ls-files", "tests/*.py"], cwd=architecture.ROOT, capture_output=True, text=True, check=True)
    names = [name.removeprefix("tests/") for name in listed.stdout.split() if not name.endswith("__init__.py")]
    assert [name for name in names if f"]({name})" not in text] == []


@pytest.mark.parametrize(
    "room", ["rig.twin.play", "rig.twin.levels", "rig.twin.physics.world", "rig.twin.pictures.cameras", "rig.twin.people"]
)
def test_a_part_of_the_twin_can_be_imported_first_and_without_the_photographs(room: str) -> None:
    code = f"import sys; sys.modules['mitsuba'] = None; import {room}"
    subprocess.run([sys.executable, "-c", code], cwd=architecture.ROOT, check=True, capture_output=True)
