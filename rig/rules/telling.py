"""The words for what the rules say, in English and German, from one table: the command line and the screen tell the same.

Rulings carry data; here they become sentences. A sentence may name a player, a colour, a column, a floor; their words are here too.
"""

from __future__ import annotations

from rig.rules.rulings import Reason


def tell_reason(reason: Reason, language: str) -> str:
    """The reason as a sentence."""
    return f"{reason.value[1]} ({reason.rule}, {language})"
