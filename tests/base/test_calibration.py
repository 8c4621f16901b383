"""Calibrating the scale with one known mass: truth is a made plate with its own gains, places, bending and cross-talk."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration import scale_guide
from calibration.scale import SPOTS, ScaleResult, Spot, StillReading, solve, still
from calibration.scale_guide import guide
from rig import profile as profiles
from rig.cli import calibrate_scale, main
from rig.errors import PalettiError
from rig.profile.nominal import nominal_profile
from rig.twin.sensors.chips import ChipClocks
from rig.twin.sensors.standin import StandInBase

CELLS = nominal_profile().cells
Floats = NDArray[np.float64]


@dataclass
class Plate:
    """A plate on four cells that are not where the drawing says, with 10 % different gains, 2 % cross-talk and some bending."""

    seed: int = 1
    noise_counts: float = 25.0
    bend: float = 0.3
    dead_g: tuple[float, ...] = (300.0, 260.0, 290.0, 250.0)
    spoil: Callable[[Floats], Floats] = field(default=lambda counts: counts)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.places = np.array([(cell.x_mm, cell.y_mm) for cell in CELLS]) + self.rng.normal(0, 2.5, (4, 2))
        self.gains = 420 * (1 + self.rng.normal(0, 0.07, 4))
        self.mixing = np.eye(4) + 0.005 * self.rng.normal(size=(4, 4))
        self.offsets = self.rng.normal(0, 50_000, 4)

    def forces(self, mass_g: float, x_mm: float, y_mm: float) -> Floats:
        """Statics gives three equations for four cells; `bend` says how far a soft plate twists."""
        statics = np.vstack([np.ones(4), self.places.T])
        stiff = np.linalg.lstsq(statics, mass_g * np.array([1.0, x_mm, y_mm]), rcond=None)[0]
        twist = np.linalg.svd(statics)[2][3]
        return np.asarray(stiff + self.bend * mass_g * x_mm * y_mm / 140**2 / 4 * twist)

    def samples(self, mass_g: float = 0.0, x_mm: float = 0.0, y_mm: float = 0.0, bare: bool = False, n: int = 240) -> list[list[int]]:
        forces = np.zeros(4) if bare else self.forces(mass_g, x_mm, y_mm) + self.dead_g
        clean = self.offsets + self.gains * (self.mixing @ forces)
        counts = self.spoil(clean) + self.rng.normal(0, self.noise_counts, (n, 4))
        return [[round(value) for value in counts[:, cell]] for cell in range(4)]

    def read(self, mass_g: float = 0.0, x_mm: float = 0.0, y_mm: float = 0.0, bare: bool = False) -> StillReading:
        return still(self.samples(mass_g, x_mm, y_mm, bare), "test")

    def calibrate(self, mass_g: float = 1000.0, place_error_mm: float = 0.7, bare: bool = False) -> ScaleResult:
        put = [(s.x_mm + self.rng.normal(0, place_error_mm), s.y_mm + self.rng.normal(0, place_error_mm)) for s in SPOTS]
        loaded = [self.read(mass_g, x, y) for x, y in put]
        return solve(CELLS, self.read(), loaded, mass_g, self.read(bare=True) if bare else None)

    def weigh(self, result: ScaleResult, mass_g: float, x_mm: float, y_mm: float) -> tuple[float, float, float]:
        counts = self.read(mass_g, x_mm, y_mm).counts
        grams = [(c - cell.tare_counts) / cell.counts_per_g for c, cell in zip(counts, result.cells, strict=True)]
        weight = sum(grams)
        return (
            weight,
            sum(g * cell.x_mm for g, cell in zip(grams, result.cells, strict=True)) / weight,
            sum(g * cell.y_mm for g, cell in zip(grams, result.cells, strict=True)) / weight,
        )


@pytest.mark.parametrize("seed", range(8))
def test_calibrated_scale_weighs_other_masses_at_other_places_right(seed: int) -> None:
    plate = Plate(seed)
    result = plate.calibrate()
    rng = np.random.default_rng(100 + seed)
    for _ in range(10):
        mass_g, x_mm, y_mm = float(rng.uniform(40, 1500)), *rng.uniform(-100, 100, 2)
        weight, x_read, y_read = plate.weigh(result, mass_g, float(x_mm), float(y_mm))
        assert weight == pytest.approx(mass_g, abs=0.3 + 0.002 * mass_g)
        assert np.hypot(x_read - x_mm, y_read - y_mm) < 2.5


def test_report_says_repeatability_linearity_and_noise() -> None:
    result = Plate().calibrate()
    assert result.repeatability_g < 0.3
    assert result.linearity < 0.002
    assert result.noise_g == pytest.approx(2 * 25 / 420, rel=0.2)
    assert len(result.sentences) == 4 + len(SPOTS) + 1
    assert max(result.places_mm) < 3


def test_worse_scale_gets_a_worse_report() -> None:
    def sticky(counts: Floats) -> Floats:
        return counts + np.array([0.0, 4e-8, 0.0, 0.0]) * (counts - counts.mean()) ** 2

    assert Plate(spoil=sticky).calibrate().linearity > 3 * Plate().calibrate().linearity


@pytest.mark.parametrize("cell", range(4))
def test_cell_that_does_not_answer_is_named(cell: int) -> None:
    def dead(counts: Floats) -> Floats:
        return np.where(np.arange(4) == cell, 838.0, counts)

    with pytest.raises(PalettiError, match=f"Load cell {cell + 1} does not answer"):
        Plate(spoil=dead).calibrate()


@pytest.mark.parametrize("cell", range(4))
def test_reversed_cell_is_named(cell: int) -> None:
    def reversed_(counts: Floats) -> Floats:
        return np.where(np.arange(4) == cell, -counts, counts)

    with pytest.raises(PalettiError, match=f"Load cell {cell + 1} reads the wrong way round"):
        Plate(spoil=reversed_).calibrate()


def test_all_cells_reversed_is_only_a_sign() -> None:
    plate = Plate(spoil=lambda counts: -counts)
    result = plate.calibrate()
    assert all(cell.counts_per_g < 0 for cell in result.cells)
    assert plate.weigh(result, 500, 30, 30)[0] == pytest.approx(500, abs=1.5)


@pytest.mark.parametrize("swapped", [(0, 1), (1, 3), (2, 3)])
def test_exchanged_cells_are_named(swapped: tuple[int, int]) -> None:
    order = list(range(4))
    order[swapped[0]], order[swapped[1]] = order[swapped[1]], order[swapped[0]]
    with pytest.raises(PalettiError, match="exchanged") as caught:
        Plate(spoil=lambda counts: counts[order]).calibrate()
    assert f"cell {swapped[0] + 1} answers where cell {swapped[1] + 1}" in str(caught.value)


def test_taring_while_shaking_is_refused() -> None:
    samples = Plate().samples()
    shaken = [[value + round(800 * np.sin(k / 9)) for k, value in enumerate(cell)] for cell in samples]
    with pytest.raises(PalettiError, match="not still"):
        still(shaken, "empty plate")


def test_oscillating_unloaded_cell_is_refused() -> None:
    """Power and signal wires mixed up: after taring the value oscillates and ignores the weight."""
    samples = Plate().samples()
    samples[2] = [838 + 400 * (-1) ** (k // 3) for k in range(240)]
    with pytest.raises(PalettiError, match="load cell 3"):
        still(samples, "empty plate")


@pytest.mark.parametrize(
    ("cell", "word"), [([], "gives no samples"), ([8388607 - k % 3 for k in range(240)], "full scale"), ([838] * 240, "repeats one value")]
)
def test_dead_cells_are_refused_at_the_tare(cell: list[int], word: str) -> None:
    samples = Plate().samples()
    samples[1] = cell
    with pytest.raises(PalettiError, match=f"Load cell 2.*{word}"):
        still(samples, "empty plate")


def test_bad_reads_do_not_spoil_a_tare() -> None:
    plate = Plate()
    samples = plate.samples()
    clean = still(samples, "x").counts
    for k in (20, 90, 91, 200):
        samples[0][k] = 8388607
    assert still(samples, "x").counts == pytest.approx(clean, abs=15)


def test_rocking_plate_is_refused() -> None:
    with pytest.raises(PalettiError, match="Load cell 3 carries less than a tenth"):
        Plate(dead_g=(400.0, 350.0, 20.0, 330.0)).calibrate(bare=True)
    shares = Plate().calibrate(bare=True).dead_shares
    assert shares is not None
    assert sum(shares) == pytest.approx(1.0)


def test_too_small_a_mass_is_refused() -> None:
    with pytest.raises(PalettiError, match="too small"):
        Plate().calibrate(mass_g=20)


def test_guide_asks_for_each_mark_and_again_after_a_shake() -> None:
    plate, asked, told = Plate(), [], []
    where = {spot.name: spot for spot in SPOTS}
    state = {"at": None, "shaken": 1}

    def ask(request: str) -> None:
        asked.append(request)
        state["at"] = next((spot for name, spot in where.items() if f" {name}," in request), None)

    def collect(seconds: float) -> list[list[int]]:
        spot = state["at"]
        samples = plate.samples(*((1000.0, spot.x_mm, spot.y_mm) if isinstance(spot, Spot) else ()), n=int(80 * seconds))
        if isinstance(spot, Spot) and "front right" in spot.name and state["shaken"] and seconds > 2:
            state["shaken"] = 0
            return [[value + round(3000 * np.sin(k / 15)) for k, value in enumerate(cell)] for cell in samples]
        return samples

    result = guide(CELLS, 1000.0, collect, ask, told.append, with_bare=False)
    assert len(asked) == 1 + len(SPOTS) + 1
    assert "not still" in told[0]
    assert max(abs(r) for r in result.residuals_g) < 1.5


def test_guide_gives_up_on_a_missing_base_with_a_sentence() -> None:
    with pytest.raises(PalettiError, match="gives no samples"):
        guide(CELLS, 1000.0, lambda _: [[], [], [], []], lambda _: None)


def test_plate_that_touches_its_rim_is_refused_and_the_spot_named() -> None:
    def touching(counts: Floats) -> Floats:
        return np.where(counts - counts.min() > 200_000, counts - 15_000, counts)

    with pytest.raises(PalettiError, match=r"do not fit one scale: (on|in) the "):
        Plate(spoil=touching).calibrate()


def test_mass_on_another_place_than_its_mark_is_refused() -> None:
    plate = Plate()
    loaded = [plate.read(1000.0, spot.x_mm, spot.y_mm + (60 if spot is SPOTS[2] else 0)) for spot in SPOTS]
    with pytest.raises(PalettiError, match="on the front right mark"):
        solve(CELLS, plate.read(), loaded, 1000.0)


class VirtualPort:
    """A base under `weigh`, its time passing as it is read; the clock of the test."""

    url = "/dev/ttyUSB0"

    def __init__(self, weigh: Callable[[], Floats], silent: bool = False) -> None:
        self.now_s, self._weigh, self._silent = 0.0, weigh, silent
        self._clocks, self._base = ChipClocks(3), StandInBase()
        self._rng = np.random.default_rng(5)

    def open(self) -> None: ...

    def close(self) -> None: ...

    def clock(self) -> float:
        return self.now_s

    def read(self) -> bytes:
        self.now_s = round(self.now_s + 0.05, 6)
        due = self._clocks.due(self.now_s)
        counts = self._weigh()[due.load_cell] + self._rng.normal(0, 25, len(due.load_cell))
        motion = np.zeros((len(due.imu_t_s), 7), np.int16)
        data = self._base.advance(self.now_s, due, np.rint(counts).astype(np.int32), motion)
        return b"" if self._silent else data


def test_no_keyboard_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_keyboard(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", no_keyboard)
    with pytest.raises(PalettiError, match="there is no keyboard"):
        calibrate_scale.ask_at_the_keyboard("Put the plate on")


def calibrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plate: Plate, arguments: list[str], silent: bool = False) -> int:
    """`paletti calibrate scale` with a person who does as asked."""
    where = {spot.name: spot for spot in SPOTS}
    on = {"counts": plate.read(bare=True).counts}

    def ask(request: str) -> None:
        spot = next((spot for name, spot in where.items() if f" {name}," in request), None)
        reading = plate.read(bare="off the cells" in request) if spot is None else plate.read(1000, spot.x_mm, spot.y_mm)
        on["counts"] = reading.counts

    port = VirtualPort(lambda: on["counts"], silent)
    monkeypatch.setattr(calibrate_scale, "Port", lambda _: port)
    monkeypatch.setattr(scale_guide.time, "monotonic", port.clock)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", ask)
    code = main(["calibrate", "scale", "--mass", "1000", *arguments])
    assert port.now_s <= 120 - 8 * 10  # eight readings leave a person ten seconds for each within two minutes
    return code


def test_whole_procedure_takes_forty_seconds_and_writes_a_profile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrated(tmp_path, monkeypatch, Plate(dead_g=(300, 290, 310, 280)), []) == 0
    said = capsys.readouterr().out
    assert "repeatability" in said
    assert "linearity" in said
    assert re.search(r"dead load: 2\d%, 2\d%, 2\d%, 2\d% on cells 1 to 4", said)
    assert all(spot.name in said for spot in SPOTS)
    known = Plate().calibrate()
    for cell, again in zip(profiles.load(tmp_path / "profile.json").cells, known.cells, strict=True):
        assert cell.counts_per_g == pytest.approx(again.counts_per_g, rel=0.01)


def test_rocking_plate_ends_the_procedure_and_no_profile_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrated(tmp_path, monkeypatch, Plate(dead_g=(400, 350, 20, 330)), []) == 2
    assert "Load cell 3 carries less than a tenth" in capsys.readouterr().err
    assert not (tmp_path / "profile.json").exists()


def test_silent_base_times_out_with_a_sentence_and_exit_code_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrated(tmp_path, monkeypatch, Plate(), ["--fixed-plate"], silent=True) == 2
    assert "Load cell 1 gives no samples" in capsys.readouterr().err
