"""Who brought the tower down? Whoever's action was in progress or who acted last, but not blindly (E8).

Four things are told apart by what the senses kept of the last seconds: the acting player's own hands; somebody else's arm (another
player's sleeve at the tower, the actor's nowhere); a late fall after the turn has passed, with nobody near; a knock on the table, which the
base feels before anything moves. The answer is a probability for each seat: each course of the belief asks with its own acting player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.messages import Evidence, StepKind
from rig.pieces import Colour
from rig.referee.action import Action, SeenHand
from rig.referee.senses import Senses
from rig.referee.sleeve_attribution import Sleeves
from rig.referee.tunables import TUNED, Tunables

LEAST = 0.001
"""What an arm covers at least, as a share of the tower's region (by design: a share of nought would tell nothing)."""

LIKELIER = 0.6
"""Probability of the likeliest where the senses leave it open (by design: every such fall is asked about)."""

Shares = tuple[tuple[int | None, float], ...]
"""Probability for each seat; None: nobody playing."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who it was, with probabilities that sum to 1, the likeliest first; and why."""

    shares: Shares
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits there: each seat's colours, and what they wear."""

    colours: Sequence[Sequence[Colour]]
    sleeves: Sleeves

    def owners(self, actor: int | None) -> Mapping[Colour, int | None]:
        return {colour: self.sleeves.whose(colour, actor, self.colours) for colour in Colour}

    def open_between(self, first: int | None, others: Sequence[int | None] | None = None) -> Shares:
        """`first` is likelier than the others together (None: everybody else at the table)."""
        rest = [seat for seat in range(len(self.colours)) if seat != first] if others is None else list(others)
        if not rest:
            return ((first, 1.0),)
        return ((first, LIKELIER), *((seat, (1 - LIKELIER) / len(rest)) for seat in rest))


def attribute(
    action: Action, senses: Senses, actor: int | None, last: tuple[int | None, float], table: Table, t_s: float, tuned: Tunables = TUNED
) -> Attribution:
    """Who caused the fall that ended `action`. `actor`: who was acting; `last`: who completed the last deed, and when (seconds)."""
    onset_s = fall_began_s(action, senses, tuned)
    near = [hand for hand in senses.hands if onset_s - tuned.before_s <= hand.t_s <= onset_s - tuned.sooner_s]
    hasty = _hasty(action, senses, onset_s, tuned)
    if near:
        return _of_hands(near, actor, table, hasty, tuned)
    knocked = _knocked(action, senses, tuned)
    if not knocked and (sudden := _sudden(action, senses, tuned)):
        return _of_hands(sudden, actor, table, hasty, tuned)
    if knocked:
        told = Evidence("motion", "the table was knocked just before it fell, with no hand at the tower")
        return Attribution(table.open_between(None), told)
    seat, done_t_s = last
    if seat is not None and onset_s - done_t_s <= tuned.late_s:
        told = Evidence("camera", f"no hand was near; the last deed was {onset_s - done_t_s:.0f} s before")
        return _surely(seat, told) if onset_s - done_t_s <= tuned.soon_s else Attribution(table.open_between(seat, [None]), told)
    if not senses.live_eyes(t_s) and actor is not None:
        return _surely(actor, Evidence("rules", "whose action was in progress; no camera could see whose hands"))
    return Attribution(table.open_between(None), Evidence("camera", "no hand was near the tower"))


def fall_began_s(action: Action, senses: Senses, tuned: Tunables = TUNED) -> float:
    """When the tower began to fall: the first heavy swing of the weight, the first shock of the base, the first picture that shows it quite
    unlike itself, whichever came first; with none of them, when the last hand was seen."""
    signs = [step.start_t_s for step in action.steps if step.kind is StepKind.SWING]
    since_s = action.start_t_s - tuned.knock_within_s
    signs += [t_s for t_s, mps2 in senses.shocks if mps2 >= tuned.knock_mps2 and t_s >= since_s]
    if action.upset_t_s is not None:
        signs.append(action.upset_t_s)
    return min(signs, default=action.last_hand_t_s + tuned.sooner_s)


def _surely(seat: int, why: Evidence) -> Attribution:
    return Attribution(((seat, 1.0),), why)


def _sudden(action: Action, senses: Senses, tuned: Tunables) -> Sequence[SeenHand]:
    """Hands that came so shortly before the fall that the scale felt both at once: seen while the tower still looked like itself."""
    upset_s = action.upset_t_s
    if upset_s is None:
        return ()
    hands = [hand for hand in senses.hands if upset_s - tuned.before_s <= hand.t_s < upset_s and hand.changed < tuned.itself]
    came_s = min((hand.t_s for hand in hands), default=upset_s)
    return hands if upset_s - came_s >= tuned.sudden_s else ()


def _hasty(action: Action, senses: Senses, onset_s: float, tuned: Tunables) -> bool:
    """Whether the hands came so shortly before the fall that they need not have been at work on a column, and none was felt lifted."""
    came_s = min((hand.t_s for hand in senses.hands if hand.t_s >= action.start_t_s), default=onset_s)
    lifted = any(step.kind in (StepKind.LIFTED, StepKind.SET_DOWN) and step.start_t_s < onset_s for step in action.steps)
    return onset_s - came_s < tuned.hasty_s and not lifted


def _knocked(action: Action, senses: Senses, tuned: Tunables) -> bool:
    """Whether the table was knocked before anything in the pictures moved: what falls shakes the base too, but later."""
    moved_s = action.stirred_t_s if action.stirred_t_s is not None else action.start_t_s
    first_s = min(moved_s, action.start_t_s) - tuned.knock_within_s
    return any(mps2 >= tuned.knock_mps2 and first_s <= t_s <= moved_s for t_s, mps2 in senses.shocks)


def _of_hands(near: Sequence[SeenHand], actor: int | None, table: Table, hasty: bool, tuned: Tunables) -> Attribution:
    """Whose hands they were. A sleeve counts by how much of the tower's picture its arm covers: one that only shows at the border may be
    a cushion."""
    owners = table.owners(actor)
    worn = _worn(near, owners, tuned)
    most = max(worn.values(), default=0.0)
    plain = {seat for seat, share in worn.items() if share >= tuned.plain * most}
    others = sorted(seat for seat in plain if seat != actor)
    if others and actor not in plain and len(others) == 1:
        seat = others[0]
        sleeve = "/".join(str(colour) for colour, owner in owners.items() if owner == seat)
        return _surely(seat, Evidence("camera", f"the arm at the tower wore {sleeve}, not the acting player's colour"))
    if others:
        return Attribution(table.open_between(actor, others), Evidence("camera", "two players' arms were at the tower"))
    if actor is None:
        return Attribution(table.open_between(None), Evidence("camera", "hands were at the tower, and it was nobody's turn"))
    if hasty and actor not in plain:
        return Attribution(table.open_between(actor), Evidence("camera", "an arm came just before it fell, and no sleeve tells whose"))
    return _surely(actor, Evidence("camera", "the acting player's hands were at the tower"))


def _worn(hands: Sequence[SeenHand], owners: Mapping[Colour, int | None], tuned: Tunables) -> Mapping[int, float]:
    """For each seat whose sleeve was seen in enough pictures, the share of the tower's region that these arms changed, summed."""
    worn: dict[int, list[float]] = {}
    for hand in hands:
        seat = owners[hand.sleeve] if hand.sleeve is not None else None
        if seat is not None:
            worn.setdefault(seat, []).append(max(hand.changed, LEAST))
    return {seat: sum(shares) for seat, shares in worn.items() if len(shares) >= tuned.sleeve_pictures}
