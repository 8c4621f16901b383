"""The twin's faults on a bench, heard by the game and by the doctor from the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

from rig.base.doctor import DoctorReport
from rig.base.doctor.patient import examine_base
from rig.bench.base_load import Load, LoadedBase, resting
from rig.twin.sensors.hardware_faults import CELL_FAILURES, HORIZON_S, RESETS, BaseFault, BaseFaultKind
from rig.twin.sensors.level_sensors import LAB, SensorLevel

STARTS_S, ENDS_S, WHOLE_S = 6.013, 9.207, 13.0
STRUCK = 2
"""The cell that fails (0 based)."""


@dataclass(frozen=True)
class Told:
    """What the doctor and the game said of one session."""

    doctor: DoctorReport
    game: tuple[str, ...]


def strike(kind: BaseFaultKind) -> BaseFault:
    """The fault in the middle of the session; slow chips for all of it."""
    if kind is BaseFaultKind.SLOW_CHIPS:
        return BaseFault(0.0, HORIZON_S, kind)
    moment = kind in (BaseFaultKind.BYTES_LOST, *RESETS)
    size = {BaseFaultKind.BYTES_LOST: 200.0, BaseFaultKind.CABLE_WIGGLE: 40.0}.get(kind, 1.0)
    cell = STRUCK if kind in (*CELL_FAILURES, BaseFaultKind.CABLE_WIGGLE) else None
    return BaseFault(STARTS_S, STARTS_S if moment else ENDS_S, kind, cell, size)


def hear(
    faults: tuple[BaseFault, ...], level: SensorLevel = LAB, seed: int = 3, load: Load | None = None, whole_s: float = WHOLE_S
) -> Told:
    """A session of the twin's base with these faults, and what is told of it."""
    bench = LoadedBase(load or resting(800, 20, -30), level, seed=seed, faults=faults)
    chunks: list[tuple[float, bytes]] = []
    give = bench.sensors.bytes_by

    def noted(until_s: float) -> bytes:
        data = give(until_s)
        chunks.append((until_s, data))
        return data

    bench.sensors.bytes_by = noted  # type: ignore[method-assign]
    bench.run(whole_s)
    bench.close()
    return Told(examine_base(iter(chunks), "twin", whole_s), tuple(bench.said()))
