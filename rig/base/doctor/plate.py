"""The cells of one plate as the game judges them, with a diary: when was which cell not well, and which reads were bad. Pure.

It feeds the game's own bins (`rig.base.bins`), so the doctor can say nothing of a cell that the game would not, and the reverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rig.base.bins import CellBin, CellBins
from rig.base.cell import COUNTS, CellLimits, CellState

SILENT_LEAST_S = 0.3
"""A silence shorter than this is a lost frame or two, which the link's books tell."""
MERGE_S = 1.0
"""Spells of one kind with no more than this between are one."""


@dataclass(slots=True)
class StateSpell:
    """A cell was in one `state` from `start_s` to `end_s`."""

    state: CellState
    start_s: float
    end_s: float


@dataclass(slots=True)
class _Diary:
    spells: list[StateSpell] = field(default_factory=list)
    bad: list[tuple[float, float]] = field(default_factory=list)


class PlateWatch:
    """Samples in (`feed`, in time order), a diary out. `limits` as for `CellBins`; `tells_silence`: False for a log, which has whole rows
    or none."""

    def __init__(self, cells: int, limits: CellLimits | Sequence[CellLimits] = COUNTS, tells_silence: bool = True) -> None:
        self._bins = CellBins(cells, limits)
        self._tells_silence = tells_silence
        self._diaries = [_Diary() for _ in range(cells)]
        self._began = [False] * cells

    @property
    def bins(self) -> CellBins:
        """The judgement itself."""
        return self._bins

    def feed(self, cell: int, t_s: float, counts: float, after_gap: bool = False) -> None:
        """One sample of cell `cell` (0 based) dated `t_s`; `after_gap`: the chip said that it may be unsettled."""
        judge = self._bins.filters[cell]
        if after_gap:
            judge.gap()
        before = judge.bad_reads
        self._bins.feed(cell, t_s, counts)
        if judge.bad_reads > before and judge.newest_bad is not None:
            self._diaries[cell].bad.append((judge.newest_bad.t_s, judge.newest_bad.counts))

    def bridge(self) -> None:
        """Frames are missing before what is fed next."""
        for judge in self._bins.filters:
            judge.bridge()

    def advance(self, now_s: float) -> list[CellBin]:
        """The bins that are complete at `now_s`, entered in the diary."""
        closed = self._bins.advance(now_s)
        self._enter(closed)
        return closed

    def finish(self, end_s: float) -> None:
        """Nothing more comes; `end_s`: when listening ended."""
        slowest_s = max(judge.interval_s for judge in self._bins.filters)
        self._enter([closed for closed in self._bins.advance(end_s + 10 * slowest_s + 1.0) if closed.end_s <= end_s])

    def bad(self, cell: int) -> list[tuple[float, float]]:
        """Date and counts of each bad read of a cell, in order."""
        return self._diaries[cell].bad

    def spells(self, cell: int) -> list[StateSpell]:
        """When the cell was not well, in order: spells of one kind merged, and what lies within another left out."""
        merged: list[StateSpell] = []
        for state in CellState:
            mine = [spell for spell in self._diaries[cell].spells if spell.state is state]
            joined: list[StateSpell] = []
            for spell in mine:
                if joined and spell.start_s - joined[-1].end_s <= MERGE_S:
                    joined[-1].end_s = spell.end_s
                else:
                    joined.append(StateSpell(spell.state, spell.start_s, spell.end_s))
            merged += joined
        merged = [spell for spell in merged if spell.state is not CellState.SILENT or spell.end_s - spell.start_s >= SILENT_LEAST_S]
        longest = sorted(merged, key=lambda spell: spell.start_s - spell.end_s)
        kept: list[StateSpell] = []
        for spell in longest:
            middle_s = (spell.start_s + spell.end_s) / 2
            if not any(other.start_s <= middle_s <= other.end_s for other in kept):
                kept.append(spell)
        return sorted(kept, key=lambda spell: spell.start_s)

    def _enter(self, closed: Sequence[CellBin]) -> None:
        for one in closed:
            for cell, read in enumerate(one.cells):
                if read.state is CellState.GOOD:
                    self._began[cell] = True
                    continue
                # a cell's first samples wait to be judged, and until then it has measured nothing
                if read.state is CellState.SILENT and not (self._tells_silence and self._began[cell]):
                    continue
                spells = self._diaries[cell].spells
                if spells and spells[-1].state is read.state and one.start_s - spells[-1].end_s < 1e-6:
                    spells[-1].end_s = one.end_s
                else:
                    spells.append(StateSpell(read.state, one.start_s, one.end_s))
