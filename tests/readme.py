"""Writes `tests/README.md`, the map from behaviour to file, out of the first paragraph of every test file: `python -m tests.readme`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
BEGIN, END = "<!-- files -->", "<!-- /files -->"


def first_paragraph(path: Path) -> str:
    """What a file says of itself; ValueError if it says nothing."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    if not text:
        raise ValueError(f"{path.name} has no docstring: its first paragraph says which behaviour it holds.")
    return " ".join(text.split("\n\n")[0].split())


def files(folder: Path) -> list[Path]:
    """The test files of a folder, then what they share."""
    found = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    return sorted(found, key=lambda path: not path.name.startswith("test_"))


def folders() -> list[Path]:
    """`tests` itself and its folders that have Python files."""
    return [HERE, *sorted(path for path in HERE.iterdir() if path.is_dir() and files(path))]


def table(folder: Path) -> Sequence[str]:
    """A heading and a row for each file of the folder."""
    title = "The whole repository" if folder == HERE else f"{folder.name}/"
    rows = [f"| [{path.name}]({path.relative_to(HERE)}) | {first_paragraph(path).replace('|', chr(92) + '|')} |" for path in files(folder)]
    return [f"## {title}", "", "| file | behaviour |", "|---|---|", *rows, ""]


def page() -> str:
    """The page as it should be: what is written by hand up to the first marker, the tables between the two."""
    text = PAGE.read_text(encoding="utf-8")
    tables = "\n".join(line for folder in folders() for line in table(folder))
    return f"{text.partition(BEGIN)[0]}{BEGIN}\n{tables}{END}{text.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
