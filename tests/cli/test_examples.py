"""The help: every command shows an example line, and every example is a line that the command takes."""

from __future__ import annotations

import pytest

from rig.cli.examples import EXAMPLES
from rig.cli.main import COMMANDS, main, parser


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_ends_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([*name.split(), "--help"])
    assert left.value.code == 0
    assert EXAMPLES[name] in " ".join(capsys.readouterr().out.replace("-\n", "-").split())


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_lines_that_the_command_takes(name: str) -> None:
    program, *words = EXAMPLES[name].split()
    assert program == "paletti"
    assert " ".join(words).startswith(name)
    assert callable(parser(words[0]).parse_args(words).run)


def test_every_command_has_an_example() -> None:
    assert set(COMMANDS) <= set(EXAMPLES)
