"""The rungs of the ladder: which senses a game is refereed with, and what that means in a sentence. Every rung starts and plays.

The sentences say what is decided by which sense; how often that is right is a figure of the exam.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rung:
    """`number` from 0 (the desk alone) to 4 (cameras and base); what it rules by itself and what it asks, in one sentence each language."""

    number: int
    english: str
    german: str


LADDER: tuple[tuple[str, str], ...] = (
    (
        "No camera and no base: nothing is ruled by itself, every deed is told by a tap.",
        "Keine Kamera und keine Waage: nichts wird von selbst erkannt, jede Tat wird angetippt.",
    ),
    (
        "One camera and no base: raises, plateaus, seal and collapse are ruled by sight, hidden columns and most aborts are asked about.",
        (
            "Eine Kamera, keine Waage: Züge, Plattformen, Siegel und Einsturz werden gesehen, "
            "nach verdeckten Säulen und den meisten Abbrüchen wird gefragt."
        ),
    ),
    (
        "{cameras} cameras and no base: raises, plateaus, seal and collapse are ruled by sight, some aborts and knocks are asked about.",
        (
            "{cameras} Kameras, keine Waage: Züge, Plattformen, Siegel und Einsturz werden gesehen, "
            "nach manchen Abbrüchen und Stößen wird gefragt."
        ),
    ),
    (
        "The base and no camera: weight, tilt and what is lifted are shown, but nothing is ruled by itself, every deed is told by a tap.",
        (
            "Die Waage, keine Kamera: Gewicht, Neigung und was angehoben wird sind zu sehen, "
            "aber nichts wird von selbst erkannt, jede Tat wird angetippt."
        ),
    ),
    (
        "{cameras} and the base: raises, aborts, plateaus, seal, collapse and culprit are ruled, only what stays in doubt is asked about.",
        (
            "{cameras} und die Waage: Züge, Abbrüche, Plattformen, Siegel, Einsturz und Schuldige werden erkannt, "
            "gefragt wird nur, was zweifelhaft bleibt."
        ),
    ),
)
"""What each rung rules and asks, in English and German; `{cameras}` is filled in."""


def rung_of(cameras: int, base: bool) -> Rung:
    """The rung of so many cameras (0 or more) with the base or without; ValueError for fewer than none."""
    if cameras < 0:
        raise ValueError(f"{cameras} cameras")
    number = (4 if cameras else 3) if base else min(cameras, 2)
    english, german = LADDER[number]
    if number == 4:
        return Rung(
            number,
            english.format(cameras=f"{cameras} cameras" if cameras > 1 else "One camera"),
            german.format(cameras=f"{cameras} Kameras" if cameras > 1 else "Eine Kamera"),
        )
    return Rung(number, english.format(cameras=cameras), german.format(cameras=cameras))
