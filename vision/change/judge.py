"""Which of the things that could have happened did: every hypothesis re-fitted to the pictures and weighed, none trusted blindly.

The pictures' sum over pixels (see `vision.change.evidence`) says how well a tower explains what changed. Each hypothesis gives such a
tower, with the place of what moved found by search and the bystanders re-fitted once for all. Sums over thousands of dependent pixels are
far too sure of themselves, so they are tempered. *None of these* is what remains if changed pixels that no hypothesis explains form lumps
as large as a column, or if something that the list leaves out explains them better (`vision.change.unmodelled`); *fallen* needs, besides
the lumps, that a plateau is not seen where it lay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rig.messages import Fallen, Hypothesis, Judge, Judged, NoneOfThese, Opinion
from rig.profile import Profile
from vision.arrays import Picture
from vision.camera.picture_faults import picture_fault
from vision.change.composite import score_all
from vision.change.evidence import PixelEvidence, Settled
from vision.change.hypothesis_scorer import UNEXPLAINED, HypothesisScorer, Residue, Scored
from vision.change.tunables import TEMPER
from vision.change.unmodelled import best_unlisted

STRANGE_COST = 300.0
"""What one has to pay, in the pixels' sum, for "something else happened": about a sixth of what a thin column's whole side may say. Set by
hand on tuning seeds; not measured on a spread of rooms. Bounded by `tests/vision/test_tunables.py`."""

IMPOSSIBLE = 100.0
"""Nats against a hypothesis that no tower fits: a column that does not stand, a kind of which none is left. By design: far beyond what
pictures say."""

GONE_SHARE = 0.35
"""A plateau of whose visible area less than this is found in its place has fallen. Set by hand on tuning seeds; not measured on a spread
of rooms."""

PARTLY_GONE, CARRIERS_GONE = 0.75, 0.4
"""So it has if less than the first is found and of the columns that carried it less than the second: it may have come down where it
seemed to lie, or be sought before something of its paint. Set by hand on single pairs that were told wrong; not measured on a spread
of rooms. `tests/vision/test_uncovered.py` holds what it is for."""


def _evidences(request: Judge, frames: Mapping[int, Picture], profile: Profile) -> tuple[list[PixelEvidence], str]:
    """The evidence of every camera whose two pictures can be used, and what is wrong with the others."""
    evidences, complaints = [], []
    for before, after, pose in zip(request.before, request.after, request.poses, strict=True):
        was, now = frames.get(before), frames.get(after)
        if was is None or now is None:
            complaints.append(f"Camera {pose.camera}'s pictures {before} and {after} are not at hand.")
            continue
        fault = picture_fault(was, profile.camera(pose.camera)) or picture_fault(now, profile.camera(pose.camera))
        if fault:
            complaints.append(fault)
        else:
            evidences.append(Settled.of(profile, request.tower, pose, was).against(now))
    return evidences, " ".join(complaints)


def _opinions(
    hypotheses: Sequence[Hypothesis], scored: Sequence[Scored | None], best: Scored, residue: Residue, gone: bool, unlisted: float
) -> tuple[Opinion, ...]:
    """Tempered log likelihoods, the best 0, in the order of the hypotheses; `gone`: a plateau is not seen in its place.

    `unlisted`: the pictures' sum for the best of what the list leaves out.
    """
    strange = best.total + residue.gain - STRANGE_COST
    totals: list[float] = []
    for hypothesis, one in zip(hypotheses, scored, strict=True):
        match hypothesis:
            case NoneOfThese():
                totals.append(max(strange, unlisted))
            case Fallen():
                totals.append(strange + (STRANGE_COST if gone else -STRANGE_COST))
            case _:
                totals.append(best.total - IMPOSSIBLE / TEMPER if one is None else one.total)
    top = max(totals, default=0.0)
    return tuple(
        Opinion(round(TEMPER * (total - top), 4), None if one is None else one.tower) for total, one in zip(totals, scored, strict=True)
    )


def _fallen(scorer: HypothesisScorer, seen: Sequence[float]) -> bool:
    """Whether a plateau is not where it lay; `seen`: the share found of each in its place."""
    carried = zip(seen, scorer.carriers_seen(), strict=True)
    return min(seen, default=1.0) < GONE_SHARE or any(found < PARTLY_GONE and background < CARRIERS_GONE for found, background in carried)


def judge(request: Judge, frames: Mapping[int, Picture], profile: Profile) -> Judged:
    """The answer to `Judge`. `frames` holds the decoded pictures (BGR, full size) by message number."""
    evidences, complaints = _evidences(request, frames, profile)
    if not evidences:
        return Judged(
            id=request.id,
            opinions=tuple(Opinion(0.0, None) for _ in request.hypotheses),
            fit=0.0,
            unexplained_mm2=0.0,
            plateaus_seen=tuple(1.0 for _ in request.tower.plateaus),
            cameras=0,
            sentence=complaints or "No camera's pose is known yet: nothing can be judged.",
        )
    scorer = HypothesisScorer(profile, evidences, request.tower)
    scored = score_all(scorer, request.hypotheses)
    best = max((one for one in scored if one is not None), key=lambda one: one.total, default=scorer.still)
    residue = scorer.residue(best)
    if residue.area_mm2 and best is not scorer.still and not best.excused:
        better = scorer.refitted(best)
        scored = [better if one is best else one for one in scored]
        best, residue = better, scorer.residue(better)
    seen = scorer.plateaus_seen()
    changed = sum(float((evidence.same < UNEXPLAINED).sum()) * evidence.mm2 for evidence in evidences) / len(evidences)
    unlisted = best_unlisted(scorer, request.hypotheses, best)
    return Judged(
        id=request.id,
        opinions=_opinions(request.hypotheses, scored, best, residue, _fallen(scorer, seen), unlisted),
        fit=round(1.0 - residue.area_mm2 / max(changed, residue.area_mm2, 400.0), 4),
        unexplained_mm2=round(residue.area_mm2, 1),
        plateaus_seen=tuple(round(share, 4) for share in seen),
        cameras=len(evidences),
        sentence=complaints,
    )
