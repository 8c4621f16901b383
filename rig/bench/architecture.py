"""Which room imports which, read from the code; the law it is held to; and the table of it in `rig/README.md`.

    python -m rig.bench.architecture            # writes the table between <!-- imports --> and <!-- /imports -->
    python -m rig.bench.architecture --check    # exit code 1 if it is out of date or a room imports what it may not

A room is a folder or file right below `rig/`, or `vision/` or `calibration/`. Imports inside functions count like others, imports under
`if TYPE_CHECKING` do not. `tests/test_architecture.py` holds all of it.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from rig.errors import PalettiError

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "rig" / "README.md"
BEGIN, END = "<!-- imports -->", "<!-- /imports -->"
EVERY = frozenset({"*"})

LAW: Mapping[str, frozenset[str]] = {
    "pieces": frozenset(),
    "errors": frozenset(),
    "messages": frozenset({"pieces"}),
    "profile": frozenset({"pieces", "messages"}),
    "rules": frozenset({"pieces"}),
    "base": frozenset({"pieces", "messages", "profile"}),
    "vision": frozenset({"pieces", "messages", "profile"}),
    "calibration": frozenset({"vision", "base", "profile"}),
    "referee": frozenset({"rules", "messages", "pieces", "profile"}),
    "recording": frozenset({"messages"}),
    "engine": frozenset({"base", "referee", "messages", "profile"}),
    "live": frozenset({"engine", "vision", "recording", "messages"}),
    "dashboard": frozenset({"messages", "rules", "recording"}),
    "hall": frozenset({"messages", "rules", "dashboard"}),
    "twin": frozenset({"pieces", "messages", "profile", "rules", "base"}),
    "exam": frozenset({"twin", "live", "referee", "messages"}),
    "bench": EVERY,
    "cli": EVERY,
}
"""What each room may import besides itself and `errors`, which all may. `EVERY`: any other room."""

BEYOND: Mapping[tuple[str, str], str] = {
    ("calibration", "messages"): "poses and pictures come as messages",
    ("calibration", "pieces"): "which pieces a set has",
    ("live", "base"): "the serial port",
    ("live", "profile"): "the profile that is set in mid-session",
    ("dashboard", "pieces"): "pieces to be chosen at the desk",
    ("exam", "engine"): "the exam drives the fold without threads",
    ("exam", "rules"): "rulings are compared with those that the rules make of the truth",
    ("exam", "pieces"): "pieces named in facts",
    ("exam", "recording"): "games with a fault are kept as recordings",
    ("exam", "profile"): "the modelled senses know the rig as the referee does",
}
"""Imports beyond the law that are so, each with its reason. One that no code needs any more must go."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the program by its dotted name."""
    found = {}
    for top in ("rig", "vision", "calibration"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room_of(module: str) -> str:
    """The room of a dotted name: `rig.base.port` is in `base`. `rig` itself, which only holds the version, is in no room: ''."""
    top, _, rest = module.partition(".")
    return rest.partition(".")[0] if top == "rig" else top


def imported(source: str, module: str, known: Iterable[str], package: bool = False) -> set[str]:
    """Modules among `known` that a module's `source` imports; those under `if TYPE_CHECKING` left out.

    `from a import b` is an import of `a.b` where that is a module, else of `a`. What a package's `__init__` imports comes with any of its
    modules, so the packages round an imported module count as well, except those that the importing module is in.
    """
    known, found = set(known), set[str]()
    around = {module, *_packages(module)}

    def add(name: str) -> None:
        if name in known:
            found.update({name, *(one for one in _packages(name) if one in known)} - around)

    def walk(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            children: Iterable[ast.AST] = node.orelse
        else:
            children = ast.iter_child_nodes(node)
            if isinstance(node, ast.Import):
                for alias in node.names:
                    add(alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = _absolute(node, module, package)
                for alias in node.names:
                    add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base)
        for child in children:
            walk(child)

    walk(ast.parse(source))
    return found


def _packages(module: str) -> list[str]:
    """The packages round a module, from the outside."""
    parts = module.split(".")
    return [".".join(parts[:k]) for k in range(1, len(parts))]


def _absolute(node: ast.ImportFrom, module: str, package: bool) -> str:
    """What a `from … import` names, in full."""
    if not node.level:
        return node.module or ""
    parts = module.split(".") if package else module.split(".")[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


@cache
def graph() -> dict[str, frozenset[str]]:
    """Every module with the modules that it imports."""
    found = modules()
    return {
        name: frozenset(imported(path.read_text(encoding="utf-8"), name, found, path.name == "__init__.py")) for name, path in found.items()
    }


def cycles(imports: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Groups of two or more modules each of which imports all the others, if only by way of others (Tarjan 1972), and self-imports."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[tuple[str, ...]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(imports.get(name, ())):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = tuple(sorted(stack[stack.index(name) :]))
            del stack[stack.index(name) :]
            if len(group) > 1 or name in imports.get(name, ()):
                groups.append(group)

    for name in sorted(imports):
        if name not in index:
            visit(name)
    return groups


def shortest(group: Iterable[str], imports: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """The shortest circle in a group that `cycles` found: each imports the next, the last the first."""
    inside = set(group)
    best: tuple[str, ...] = ()
    for start in sorted(inside):
        paths: list[tuple[str, ...]] = [(start,)]
        seen = {start}
        while paths and (not best or len(paths[0]) < len(best)):
            path = paths.pop(0)
            for other in sorted(inside & set(imports[path[-1]])):
                if other == start:
                    best, paths = path, []
                    break
                if other not in seen:
                    seen.add(other)
                    paths.append((*path, other))
    return best


def rooms() -> dict[str, frozenset[str]]:
    """Every room with the rooms that it imports."""
    found: dict[str, set[str]] = {}
    for module, others in graph().items():
        if room_of(module):
            found.setdefault(room_of(module), set()).update(room_of(other) for other in others)
    return {room: frozenset(others - {room, ""}) for room, others in found.items()}


def broken() -> list[str]:
    """A sentence for each import that the law forbids, and for each room that the law does not know."""
    words = []
    for module, others in sorted(graph().items()):
        room = room_of(module)
        if room and room not in LAW:
            words.append(f"{module} is in the room {room!r}, which the law in rig/bench/architecture.py does not know.")
            continue
        allowed = LAW.get(room, EVERY)
        for other in sorted(others):
            there = room_of(other)
            if there not in {room, "", "errors"} | allowed and "*" not in allowed and (room, there) not in BEYOND:
                words.append(f"{module} imports {other}: {room} may not import {there}.")
    imports = rooms()
    unused = [
        f"No module of {room} imports {there} any more: strike it from BEYOND." for room, there in BEYOND if there not in imports[room]
    ]
    return words + unused


def table() -> str:
    """The table of `rig/README.md`, in the order of the law: a room, and what it imports."""
    lines = ["| room | imports, besides itself and `errors` |", "|---|---|"]
    imports = rooms()
    for room in (room for room in LAW if room in imports and room != "errors"):
        others = [other for other in LAW if other in imports[room] and other != "errors"]
        lines.append(f"| `{room}` | {', '.join(others) or 'nothing'} |")
    return "\n".join(lines)


def with_table(text: str) -> str:
    """The page with the table between its markers; PalettiError if they are not there once each, in order."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise PalettiError(f"rig/README.md lacks {BEGIN} and {END}, once each.", "Put the two lines where the table belongs.")
    return f"{text.partition(BEGIN)[0]}{BEGIN}\n{table()}\n{END}{text.partition(END)[2]}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if something does not hold")
    options = parser.parse_args(arguments)
    text = PAGE.read_text(encoding="utf-8")
    wanted, faults = with_table(text), broken()
    print(*faults, sep="\n", end="\n" if faults else "")
    for group in cycles(graph()):
        circle = shortest(group, graph())
        print(f"These import in a circle: {' > '.join((*circle, circle[0]))}.")
    if not options.check:
        PAGE.write_text(wanted, encoding="utf-8")
    return int(bool(faults or cycles(graph()) or (options.check and wanted != text)))


if __name__ == "__main__":
    sys.exit(main())
