"""Who brought the tower down? Whoever's action was in progress or who acted last, but not blindly (E8).

Four things are told apart by what the senses kept of the last seconds: the acting player's own hands; somebody else's arm (another
player's sleeve at the tower, the actor's nowhere); a late fall after the turn has passed, with nobody near; a knock on the table, which the
base feels before anything moves. What the senses leave open is for the table: a collapse is called at once, its culprit asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.messages import Evidence, StepKind
from rig.pieces import Colour
from rig.referee.senses import Action, SeenHand, Senses
from rig.referee.sleeve_attribution import Sleeves

BEFORE_S = 2.5
"""Seconds before the fall in which a hand at the tower may have caused it: a tower leans for about a second before it goes."""

SOONER_S = 0.15
"""A hand must have been seen by so long before it: pieces that fall look like an arm in the first picture that shows them falling."""

ITSELF, SUDDEN_S = 0.1, 0.4
"""Share of the tower's region that a mere arm changes at most, and how long before the tower looks quite unlike itself it must have been
seen: a plateau that begins to slide may look like an arm, but not for so long."""

HASTY_S = 1.4
"""Hands that came so shortly before it may be anybody's who reached across, unless a sleeve tells: who builds reaches in, takes hold and
pulls for longer. Higher: more builders are asked whether it was they."""

LATE_S = 15.0
"""Seconds after a deed in which a fall that nobody touched off is still that deed's. Longer: draughts are blamed on people."""

KNOCK_MPS2 = 2.0
"""Shock of the base from which the table was knocked. Lower: hard placements count as knocks; higher: soft knocks go unnoticed."""

KNOCK_WITHIN_S = 1.2
"""Seconds from a knock to the fall it causes."""

SLEEVES = 2
"""Pictures that must show a player's sleeve."""

PLAIN = 0.25
"""A sleeve counts if its arm covers at least this share of what the arm that covers most does."""

LEAST = 0.001
"""What an arm covers at least, as a share of the tower's region."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The culprit (None: nobody playing, or not known), whether the referee may say so by itself, and why."""

    seat: int | None
    sure: bool
    evidence: Evidence


def attribute(
    action: Action, senses: Senses, actor: int | None, last: tuple[int | None, float], colours: Sequence[Sequence[Colour]],
    sleeves: Sleeves,
) -> Attribution:  # fmt: skip
    """Who caused the fall that ended `action`. `actor`: who was acting when it began; `last`: who completed the last deed, and when;
    `colours`: each seat's; `sleeves`: what they wear."""
    owners = {colour: sleeves.whose(colour, actor, colours) for colour in Colour}
    onset_s = fall_began_s(action, senses)
    near = [hand for hand in senses.hands if onset_s - BEFORE_S <= hand.t_s <= onset_s - SOONER_S]
    hasty = _hasty(action, senses, onset_s)
    if near:
        return _of_hands(near, actor, owners, hasty)
    if not _knocked(action, senses) and (sudden := _sudden(action, senses)):
        return _of_hands(sudden, actor, owners, hasty)
    if _knocked(action, senses):
        return Attribution(None, False, Evidence("motion", "the table was knocked just before it fell, with no hand at the tower"))
    seat, done_t_s = last
    if seat is not None and onset_s - done_t_s <= LATE_S:
        return Attribution(seat, True, Evidence("camera", f"no hand was near; the last deed was {onset_s - done_t_s:.0f} s before"))
    if not senses.live_eyes(senses.t_s):
        return Attribution(actor, actor is not None, Evidence("rules", "whose action was in progress; no camera could see whose hands"))
    return Attribution(None, False, Evidence("camera", "no hand was near the tower"))


def _sudden(action: Action, senses: Senses) -> Sequence[SeenHand]:
    """Hands that came so shortly before the fall that the scale felt both at once: seen while the tower still looked like itself."""
    if action.upset_t_s is None:
        return ()
    hands = [hand for hand in senses.hands if action.upset_t_s - BEFORE_S <= hand.t_s < action.upset_t_s and hand.changed < ITSELF]
    came_s = min((hand.t_s for hand in hands), default=action.upset_t_s)
    return hands if action.upset_t_s - came_s >= SUDDEN_S else ()


def _hasty(action: Action, senses: Senses, onset_s: float) -> bool:
    """Whether the hands came so shortly before the fall that they need not have been at work on a column, and none was felt lifted."""
    came_s = min((hand.t_s for hand in senses.hands if hand.t_s >= action.start_t_s), default=onset_s)
    lifted = any(step.kind in (StepKind.LIFTED, StepKind.SET_DOWN) and step.start_t_s < onset_s for step in action.steps)
    return onset_s - came_s < HASTY_S and not lifted


def _knocked(action: Action, senses: Senses) -> bool:
    """Whether the table was knocked before anything in the pictures moved: what falls shakes the base too, but later."""
    moved_s = action.stirred_t_s if action.stirred_t_s is not None else action.start_t_s
    first_s = min(moved_s, action.start_t_s) - KNOCK_WITHIN_S
    return any(mps2 >= KNOCK_MPS2 and first_s <= t_s <= moved_s for t_s, mps2 in senses.shocks)


def fall_began_s(action: Action, senses: Senses) -> float:
    """When the tower began to fall: the first heavy swing of the weight, the first shock of the base, the first picture that shows it quite
    unlike itself, whichever came first; with none of them, when the last hand was seen."""
    signs = [step.start_t_s for step in action.steps if step.kind is StepKind.SWING]
    signs += [t_s for t_s, mps2 in senses.shocks if mps2 >= KNOCK_MPS2 and t_s >= action.start_t_s - KNOCK_WITHIN_S]
    if action.upset_t_s is not None:
        signs.append(action.upset_t_s)
    return min(signs, default=action.last_hand_t_s + SOONER_S)


def _of_hands(near: Sequence[SeenHand], actor: int | None, owners: Mapping[Colour, int | None], hasty: bool) -> Attribution:
    """Whose hands they were. A sleeve counts by how much of the tower's picture its arm covers: one that only shows at the border may be
    a cushion."""
    worn = _worn(near, owners)
    most = max(worn.values(), default=0.0)
    plain = {seat for seat, share in worn.items() if share >= PLAIN * most}
    others = {seat for seat in plain if seat != actor}
    if others and actor not in plain and len(others) == 1:
        seat = others.pop()
        sleeve = "/".join(str(colour) for colour, owner in owners.items() if owner == seat)
        return Attribution(seat, True, Evidence("camera", f"the arm at the tower wore {sleeve}, not the acting player's colour"))
    if others:
        return Attribution(actor, False, Evidence("camera", "two players' arms were at the tower"))
    if hasty and actor not in plain:
        return Attribution(actor, False, Evidence("camera", "an arm came just before it fell, and no sleeve tells whose"))
    return Attribution(actor, actor is not None, Evidence("camera", "the acting player's hands were at the tower"))


def _worn(hands: Sequence[SeenHand], owners: Mapping[Colour, int | None]) -> Mapping[int, float]:
    """For each seat whose sleeve was seen in enough pictures, the share of the tower's region that these arms changed, summed."""
    worn: dict[int, list[float]] = {}
    for hand in hands:
        seat = owners[hand.sleeve] if hand.sleeve is not None else None
        if seat is not None:
            worn.setdefault(seat, []).append(max(hand.changed, LEAST))
    return {seat: sum(shares) for seat, shares in worn.items() if len(shares) >= SLEEVES}
