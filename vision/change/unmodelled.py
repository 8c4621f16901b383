"""What a list of hypotheses leaves out and the tower could still tell: a part of *none of these*.

Changed pixels that nothing explains must form lumps before they speak (`HypothesisScorer.residue`). But a column that left a place where
little of it was seen leaves a sliver, and two hypotheses that differ by a sliver are told apart by its pixels, lump or no lump. So where
columns may have been raised, *none of these* competes with the same weapons: a standing column that the list does not name moved to the
same floor, one gone that the list does not say is gone, one more from the box, and one gone besides whatever explains the pictures best.
Each costs what such a thing is unlikely by (nats of the answer over `vision.change.tunables.TEMPER`), so that where no camera can tell the
list is believed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rig.messages import Added, Hypothesis, Moved, Removed
from rig.pieces import Floor
from vision.change.evidence import BackgroundScore
from vision.change.hypothesis_scorer import SEARCH_COST, HypothesisScorer, Scored
from vision.scene.silhouettes import code_of

MOVED_COST = 100.0
"""What a column moved that the list does not name costs beyond one that it names (the pictures' sum). Lower: columns that hardly differ
in what is seen of them become "none of these"; higher: a sliver must be larger to tell that it was another. Set by hand on single
pairs that were told wrong; not measured on a spread of rooms."""

GONE_COST = 200.0
"""The same for a column gone that the list does not say is gone. Set by hand on single pairs that were told wrong; not measured on a
spread of rooms. `tests/vision/test_unlisted.py` holds what these four are for."""

BESIDES_COST = 250.0
"""The same for one gone besides what the list says happened. Set by hand on single pairs that were told wrong; not measured on a spread
of rooms."""

ADDED_COST = 300.0
"""The same for one more from the box: as much as for anything strange. By design: `vision.change.judge.STRANGE_COST`. Bounded by
`tests/vision/test_tunables.py`."""


def best_unlisted(scorer: HypothesisScorer, hypotheses: Sequence[Hypothesis], best: Scored) -> float:
    """The largest sum of what could have happened and is not listed, its cost taken off; minus infinity where no raise is asked about.

    `best` is the best of what is listed.
    """
    floors = sorted({hypothesis.floor for hypothesis in hypotheses if isinstance(hypothesis, Moved)})
    if not floors:
        return -np.inf
    named = frozenset(hypotheses)
    totals = [-np.inf, _gone_besides(scorer, best) - BESIDES_COST]
    for standing in scorer.tower.columns:
        if Removed(column=standing.column) not in named:
            totals.append(_total(scorer.removed(standing.column)) - GONE_COST)
        unnamed = [floor for floor in floors if Moved(column=standing.column, floor=floor) not in named]
        totals += [_total(scorer.moved(standing.column, floor)) - MOVED_COST for floor in unnamed]
    totals += [_added(scorer, named, floor) - ADDED_COST for floor in floors]
    return max(totals)


def _total(scored: Scored | None) -> float:
    return -np.inf if scored is None else scored.total


def _gone_besides(scorer: HypothesisScorer, best: Scored) -> float:
    """The best sum if what is listed is so and one more column, one of those that it leaves in their places, is gone."""
    if best is scorer.still:
        return -np.inf
    backgrounds = [BackgroundScore.of(evidence, scene) for evidence, scene in zip(scorer.evidences, scorer.scenes_of(best), strict=True)]
    floors = {standing.column: standing.floor for standing in scorer.tower.columns}
    gains = [
        scorer.strayed(column)
        + sum(
            background.instead(background.scene.without(code_of(scorer.profile, column))).total - background.total
            for background in backgrounds
        )
        for column in (standing.column for standing in best.tower.columns if floors.get(standing.column) is standing.floor)
    ]
    return best.total + max(gains, default=-np.inf) - SEARCH_COST / 2


def _added(scorer: HypothesisScorer, named: frozenset[Hypothesis], floor: Floor) -> float:
    """The best sum for one more column of the box, of a kind the list does not say was added."""
    spare = {column.kind: column for column in scorer.profile.pieces.columns if scorer.tower.find(column) is None}
    listed = {hypothesis.column.kind for hypothesis in named if isinstance(hypothesis, Added)}
    return max((_total(scorer.added(column, floor, None)) for kind, column in spare.items() if kind not in listed), default=-np.inf)
