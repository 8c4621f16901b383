"""Columns moved at ten samples a second under the noise of a real load cell: no knock is told where nobody knocked (absent log:
skipped)."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from rig.base.fold import BaseFold
from rig.base.frames import FrameDecoder, Load, encode
from rig.base.logs import read_log
from rig.base.protocol import Kind
from rig.bench.base_scenario import PROFILE, at, chunks, of, ramp
from rig.messages import StepKind, Stepped

REAL = Path(os.environ.get("PALETTI_REALDATA", Path(__file__).parents[2] / "../shared/data")) / "sensors/hx711_spikes"
QUIET = ((2800, 3200), (4400, 5200), (7250, 8220))
"""Rows of the long log in which nothing was done to the cell: standard deviation 0.5 to 0.6 g between neighbours."""


def noise_of_a_real_cell(rng: np.random.Generator, rows: int) -> NDArray[np.float64]:
    path = REAL / "20240210_172504_longrun.txt"
    if not path.is_file():
        pytest.skip(f"the real logs are not here: {path}")
    grams = read_log(path).columns[:, 0]
    first, end = QUIET[int(rng.integers(len(QUIET)))]
    start = int(rng.integers(first, end - rows))
    return np.asarray(grams[start : start + rows] - np.median(grams[start : start + rows]))


def moved(seed: int) -> list[Stepped]:
    """A column lifted and set down elsewhere with a push, each cell with its own stretch of real noise."""
    rng = np.random.default_rng(seed)
    mass_g, push_g, (x0, y0, x1, y1) = float(rng.choice((11.49, 22.52, 40.02))), rng.uniform(5, 40), rng.uniform(-80, 80, 4)

    def load(t_s: float) -> NDArray[np.float64]:
        push = push_g * np.sin(np.pi * (t_s - 8.2) / 0.5) if 8.2 < t_s < 8.7 else 0.0
        return at(700, 5, -5) - at(mass_g, x0, y0) * ramp(t_s, 5, 0.4) + at(mass_g, x1, y1) * ramp(t_s, 8.2, 0.2) + at(push, x1, y1)

    noises, rows = [noise_of_a_real_cell(rng, 140) for _ in range(4)], [0] * 4
    fold, decoder, found = BaseFold(PROFILE), FrameDecoder(), []
    for t_s, data in chunks(load, 13, seed=seed, noise_g=0.0, cell_hz=10.0):
        wire = b""
        for frame in decoder.feed(data):
            if isinstance(frame, Load):
                grams = noises[frame.cell][rows[frame.cell]]
                rows[frame.cell] += 1
                wire += encode(Kind.LOAD, frame.sequence, *frame[1:4], frame.counts + round(420 * grams))
        found += fold.step(t_s, wire)
    return of(Stepped, found)


@pytest.mark.parametrize("first", [900_104, 900_157])
def test_moves_at_ten_samples_a_second_with_real_noise_give_no_knocks(first: int) -> None:
    for seed in (first, first + 28):
        assert not [step for step in moved(seed) if step.kind is StepKind.KNOCK]
