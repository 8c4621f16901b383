"""Tables that several files of tests sit down at."""

from __future__ import annotations

import pytest

from tests.referee.referee_table import Table


@pytest.fixture
def table() -> Table:
    """The 20 columns stand, blue lies, and colours are drawn."""
    return Table().set_up()


@pytest.fixture
def four_up(table: Table) -> Table:
    """Everybody has raised a thin column once."""
    for column in ("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1"):
        table.raised(column)
    return table
