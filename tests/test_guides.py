"""What the guides show works: Python blocks are run in order, shell blocks unless marked (how: `tests/guides.py`); links lead to files.

A shell block runs in an empty folder that has the repository's files at hand, with `paletti` and `python` on the path. It must end by
itself, with exit code 0.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guides import ALL, ROOT, Block, blocks, guides

PATIENCE_S = 300.0
"""No speed is asked for: a block that has not ended by then waits for something."""
TO_RUN = [block for block in ALL if block.language == "sh" and not block.mark]
WITH_PYTHON = sorted({block.path for block in ALL if block.language in ("python", "pycon", "py") and not block.mark})


@pytest.mark.parametrize("path", WITH_PYTHON, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_python_of_a_guide_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one guide share their names, as a reader types them one after the other."""
    _at_hand(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__guide__"}
    runner, parser = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS), doctest.DocTestParser()
    for block in blocks(path):
        if block.language not in ("python", "pycon", "py") or block.mark:
            continue
        if ">>>" in block.code:
            test = parser.get_doctest(block.code, names, block.name, str(path), block.line)
            runner.run(test, clear_globs=False)
            names = test.globs
        else:
            exec(compile("\n" * block.line + block.code, str(path), "exec"), names)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("block", TO_RUN, ids=lambda block: block.name)
def test_a_command_of_a_guide_runs(block: Block, tmp_path: Path) -> None:
    _at_hand(tmp_path)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", re.sub(r"^\$ ", "", block.code, flags=re.MULTILINE)],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{block.name}\n{done.stdout}\n{done.stderr}\nMark it if no test can run it: see tests/guides.py."


def test_a_command_that_talks_to_hardware_is_marked() -> None:
    """These wait for a base, a camera or a browser: unmarked they would fail, or hang, wherever there is none."""
    waiting = re.compile(
        r"^\s*(\$ )?(\.venv/bin/)?(paletti (run|doctor(?! .*(\.mcap|--log))|firmware flash|calibrate .*--live)|make demo)\b", re.MULTILINE
    )
    assert [block.name for block in TO_RUN if waiting.search(block.code) and "--help" not in block.code] == []


@pytest.mark.parametrize("path", guides(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_link_of_a_guide_leads_to_a_file(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    led_to = [(path.parent / link).resolve() for link in links if link]
    assert [there for there in led_to if not there.exists()] == []


def test_blocks_are_found_with_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Text\n\n    paletti doctor\n\n<!-- needs hardware -->\n\n    paletti run\n    more\n\n    no command\n\n"
        "<!-- not run: serves -->\n```sh\nmake demo\n```\n1. item\n\n   ```python\n   1 + 1\n   ```\n"
    )
    assert [(b.line, b.language, b.code, b.mark) for b in blocks(page)] == [
        (3, "sh", "paletti doctor\n", ""),
        (7, "sh", "paletti run\nmore\n\nno command\n", "needs hardware"),
        (13, "sh", "make demo\n", "not run: serves"),
        (18, "python", "1 + 1\n", ""),
    ]


def _at_hand(folder: Path) -> None:
    """The repository's top entries as links, and the two commands."""
    for entry in ROOT.iterdir():
        if entry.name not in {".venv", ".git", "build"} and not (folder / entry.name).exists():
            (folder / entry.name).symlink_to(entry)
    there = folder / ".venv" / "bin"
    there.mkdir(parents=True, exist_ok=True)
    for name, words in (("paletti", "-m rig.cli.main"), ("python", ""), ("python3", "")):
        script = there / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        script.chmod(0o755)
