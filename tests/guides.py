"""The code blocks of the guides (every Markdown file in the repository but the generated one), for `tests/test_guides.py`.

A block is fenced (three backticks and a language) or indented by four blanks and begins with a command. Whoever writes a guide marks a
shell block that a test must not run, with a comment in the line above it (a blank line between is allowed):

    <!-- needs hardware -->          it talks to a base or a camera
    <!-- not run: why -->            it serves until stopped, takes minutes, changes the machine
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GENERATED = ("rig/bench/RESULTS.md", "CHANGELOG.md")
"""No guides: figures with the commands that were run; what has changed."""
SHELL = ("sh", "bash", "shell", "console")
COMMANDS = re.compile(r"(\$ )?((\.venv/bin/)?(paletti|python3?|pip|pytest|ruff|mypy)|make|git|sudo|apt(-get)?|cd|\.ci/run)\b")
"""How an indented block begins that is one for the shell."""
MARK = re.compile(r"<!--\s*(needs hardware|not run: \S.*?)\s*-->")


@dataclass(frozen=True)
class Block:
    """Code in a guide. `mark`: why no test runs it, empty if one does."""

    path: Path
    line: int
    language: str
    code: str
    mark: str

    @property
    def name(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def guides() -> list[Path]:
    """Every Markdown file that git knows, or that is about to be added, the generated ones left out."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in sorted(set(listed.stdout.split())) if name not in GENERATED and (ROOT / name).exists()]


def blocks(path: Path) -> Iterator[Block]:
    """All code blocks of a guide in order; those of other languages than Python and the shell too."""
    lines = path.read_text(encoding="utf-8").splitlines()
    k = 0
    while k < len(lines):
        fence = re.match(r"(\s*)(`{3,})\s*(\w*)", lines[k])
        indented = lines[k].startswith("    ") and (k == 0 or not lines[k - 1].strip() or MARK.search(lines[k - 1]) is not None)
        if fence:
            end = next((j for j in range(k + 1, len(lines)) if lines[j].strip() == fence[2]), len(lines))
            code = [line.removeprefix(fence[1]) for line in lines[k + 1 : end]]
            yield Block(path, k + 1, "sh" if fence[3] in SHELL else fence[3], "\n".join(code) + "\n", _mark(lines, k))
            k = end
        elif indented:
            end = k
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            code = [line[4:] for line in lines[k:end]]
            if COMMANDS.match(code[0]):
                yield Block(path, k + 1, "sh", "\n".join(code).rstrip() + "\n", _mark(lines, k))
            k = end - 1
        k += 1


def _mark(lines: list[str], at: int) -> str:
    """What the comment above line `at` says, if there is one."""
    above = next((lines[j] for j in range(at - 1, max(at - 3, -1), -1) if lines[j].strip()), "")
    found = MARK.search(above)
    return found[1] if found else ""


ALL = [block for path in guides() for block in blocks(path)]
