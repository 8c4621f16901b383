"""Every rule is cited by a test, every citation is of a rule there is, and the room keeps its word about what it imports."""

from __future__ import annotations

import ast
import doctest
import re
import sys
from pathlib import Path

import pytest

from rig.rules import Reason

ROOT = Path(__file__).parents[2]
ROOM = ROOT / "rig" / "rules"
TESTS = sorted((ROOT / "tests").glob("rules/test_*.py"))
RULE_ID = re.compile(r"\b[PUBACSEDT]\d{1,2}\b")


def rule_table() -> dict[str, str]:
    """The ids and meanings of the table in the room's README."""
    rows = re.findall(r"^\| ([PUBACSEDT]\d{1,2}) \| (.+) \|$", (ROOM / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return dict(rows)


def citations() -> dict[str, set[str]]:
    """Which tests cite which rule id in their docstring."""
    cited: dict[str, set[str]] = {}
    for path in TESTS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for rule in RULE_ID.findall(ast.get_docstring(node) or ""):
                    cited.setdefault(rule, set()).add(node.name)
    return cited


def test_the_table_of_rule_ids_is_whole() -> None:
    """P1 to T5, without a gap."""
    counts = {"P": 7, "U": 4, "B": 14, "A": 5, "C": 7, "S": 6, "E": 8, "D": 1, "T": 5}
    assert list(rule_table()) == [f"{part}{number}" for part, last in counts.items() for number in range(1, last + 1)]


def test_every_rule_is_cited_by_a_test() -> None:
    assert set(rule_table()) - set(citations()) == set()


def test_every_cited_rule_is_in_the_table() -> None:
    cited = set(citations()) | {reason.rule for reason in Reason}
    for path in ROOM.glob("*.py"):
        cited |= set(RULE_ID.findall(path.read_text(encoding="utf-8")))
    assert cited - set(rule_table()) == set()


@pytest.mark.parametrize("path", sorted(ROOM.glob("*.py")), ids=lambda path: path.name)
def test_the_rules_import_nothing_but_the_pieces_and_the_standard_library(path: Path) -> None:
    allowed = {"rig.pieces", "rig.errors", "rig.rules"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        for name in names:
            inside = name in allowed or name.startswith("rig.rules.")
            assert inside or name.split(".")[0] in sys.stdlib_module_names, name
            assert name.split(".")[0] not in {"time", "datetime", "random", "os", "io", "pathlib", "threading", "socket"}, name


def test_every_file_of_the_room_fits_in_one_head() -> None:
    for path in ROOM.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith('"""'), path.name
        assert len(text.splitlines()) <= 330, path.name


def test_the_readmes_example_runs_as_printed() -> None:
    failed, attempted = doctest.testfile(str(ROOM / "README.md"), module_relative=False)
    assert failed == 0
    assert attempted > 5
