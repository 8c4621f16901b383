"""The one family of errors a person may see.

Every bad input ends here: a sentence that says what is wrong and where, and a hint that says what to do. It is raised anywhere and
caught once, in the command line (exit code 2) and in the web layer. Programming mistakes are ordinary exceptions and stay loud.
"""

from __future__ import annotations


class PalettiError(Exception):
    """Unusable input, told to a person: `sentence` says what is wrong, `hint` what to do about it."""

    def __init__(self, sentence: str, hint: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}".strip()
