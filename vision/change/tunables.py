"""Constants of judging that more than one file needs, with unit, meaning and source."""

from __future__ import annotations

TEMPER = 0.02
"""Nats of the answer per nat of the pixels' sum: neighbouring pixels err together (a whole edge, a whole shadow).

`python -m rig.bench.bench_reliability` fits it and draws the plot. On 28 judgements of raises at home (seeds 4000 to 4013, one and two
cameras) the truth's mean log posterior is -0.098 at half of this, -0.044 here and flat above; on seeds 200000 to 200016 (102 judgements)
0.987 was said on average and 0.980 was so. Higher: surer than pixels allow when something unforeseen comes; lower: more questions."""

LUMP_MM2 = 60.0
"""Lumps of unexplained change below this area are blurred edges and specks. Set by hand on tuning seeds; not measured on a spread of
rooms. Bounded by `tests/vision/test_tunables.py`."""
