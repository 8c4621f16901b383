"""The scale's zero in a session: taken by itself while the empty base stands still at the start, or when a person says so; undoable. Pure.

A cell's zero wanders by tens of grams from day to day (temperature, creep, how the plate lies), so the profile's tare is a first guess.
Steps are differences and do not mind; the weight and the centre of pressure do. So the first still seconds of a session, if what lies
there is about nothing by the profile's tare, become zero. That is told, and can be taken back. Once a piece has been set down or lifted
nothing is tared by itself any more: a tower that stands when a session begins (after a power cut) is never zero.
"""

from __future__ import annotations

from rig.base.weight import Bin

EMPTY_WITHIN_G = 50.0
"""What the empty base may read by the profile's tare. Larger: more wander is taken up, and a piece that was forgotten on the base is more
easily taken for nothing (which costs no step, only the absolute weight); smaller: the reverse."""
STILL_S = 2.0
"""Stillness that a tare by itself needs: three times what a hand pauses between two pieces."""
STALE_S = 1.0
"""A pause in the readings that begins the stillness anew."""
SAME_WITHIN_G = 20.0
"""The weight at the start is told anew only if it has changed by more than this: a sentence that creeps along with the drift is no news."""


class StartTare:
    """Watches bins until the base has been tared once, or a piece has come first."""

    def __init__(self) -> None:
        self.armed = True
        self.sentence = ""
        """Why it has not tared although the base stands still, for a person; empty if there is nothing to tell."""
        self._still: list[tuple[float, ...]] = []
        self._since_s = 0.0
        self._last_s = 0.0
        self._told_g: float | None = None

    def disarm(self) -> None:
        """The base has been tared, or is not empty: leave the zero alone from now on."""
        self.armed = False
        self.sentence = ""
        self._still.clear()

    def step(self, reading: Bin, quiet: bool) -> tuple[float, ...] | None:
        """Takes the next bin; what the empty cells read (g) once that is known, else None."""
        if not self.armed:
            return None
        if not quiet or reading.cells_g is None or reading.t_s - self._last_s > STALE_S:
            self._still.clear()
        self._last_s = reading.t_s
        if not quiet or reading.cells_g is None:
            return None
        if not self._still:
            self._since_s = reading.t_s
        self._still.append(reading.cells_g)
        if reading.t_s - self._since_s < STILL_S:
            return None
        means = tuple(sum(cell) / len(self._still) for cell in zip(*self._still, strict=True))
        self._still.clear()
        if abs(sum(means)) <= EMPTY_WITHIN_G:
            return means
        if self._told_g is None or abs(sum(means) - self._told_g) > SAME_WITHIN_G:
            self._told_g = sum(means)
        self.sentence = (
            f"The scale reads {self._told_g:.0f} g at the start. If nothing lies on the base, tare it, or calibrate it again; "
            "if a tower stands there, all is well."
        )
        return None
