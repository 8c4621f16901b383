"""What really happened, from the poses of the pieces alone.

Never from a bot's plan, never from anything the referee said, and not from contacts, which change from moment to moment. While the tower is
being handled `watch` follows how far each column gets from its place; once it stands still `settle` compares it with the tower before and
says what is different, by the tolerances and definitions of the design: a column stands on a floor if it is upright with its foot on that
floor, a plateau is in its place if it is level and rests on column tops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from shapely import Point, get_coordinates

from rig.messages import FactKind, Laid, Standing, Tower
from rig.pieces import Column, Floor
from rig.profile import Profile
from rig.twin.physics.fall_cause import Cause, Witness
from rig.twin.physics.placement import carrier_of, standing_tower, tilt_deg
from rig.twin.physics.poses import PieceOrder, Poses
from rig.twin.physics.statics import covered, footprint, outline
from rig.twin.physics.world import Grip, World

Array = npt.NDArray[np.float64]

MOVED_MM = 4.0
"""A column that got this far from its place has moved (B4); below lies the wobble of its neighbours."""

NUDGED_MM = 4.0
"""A neighbour further from its place was nudged (B3)."""

SHIFTED_MM, TURNED_DEG = 5.0, 3.0
"""A plateau further from its place, or turned more, was not put back (B5)."""

LIFTED_MM = 1.5
"""A plateau raised by a hand by less was only steadied."""

GONE_MM, GONE_DEG = 3.0, 3.0
"""A plateau that has sunk or tilted further has begun to give way."""

GAP_MM = 1.5
"""A column whose top is further below the plateau is not covered by it, whatever it looks like from above (A3)."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One thing that was so: kind, when it had settled, whose doing, what, and measured details in mm."""

    t_s: float
    kind: FactKind
    seat: int | None
    column: Column | None = None
    floor: Floor | None = None
    details: dict[str, float] = field(default_factory=dict)
    nudged: tuple[Column, ...] = ()
    """Other columns that are no longer in their places (B3)."""
    shifted: tuple[Floor, ...] = ()
    """Plateaus that did not come back where they were (B5)."""
    columns: tuple[Column, ...] = ()
    """Of an incident: all columns that fell; `column` is the one that was handled, or the first."""
    on_column: Column | None = None
    """What a raised column is stacked on (B8)."""
    held_plateau: bool = False
    """A plateau was held when the raised column was let go (B6)."""
    cause: Cause | None = None
    """Of a collapse: what made the tower give way; `seat` is then the culprit, None if it was nobody's doing."""
    handled: bool = False
    """Of an incident: `column` had been in somebody's hand."""

    @property
    def outside(self) -> bool:
        """Whether nobody playing caused the collapse (E8)."""
        return self.kind is FactKind.COLLAPSED and self.cause is not None and self.seat is None


class TruthLog:
    """The log of one game. `tower` is the settled tower of now."""

    def __init__(self, profile: Profile, order: PieceOrder) -> None:
        self._profile, self._order = profile, order
        self.tower = Tower()
        self.log: list[Truth] = []
        self.witness = Witness()
        self._strayed: dict[Column, float] = {}
        self._gripped: set[Column] = set()
        self._touched: set[Column] = set()
        self._lifted_mm: dict[Floor, float] = {}
        self._held_at_release: set[Column] = set()
        self._in_hand: Column | None = None
        self._last_actor: int | None = None
        self._firm_t_s: dict[Floor, float] = {}

    def watch(self, poses: Poses) -> None:
        """While handled: how far has each column been from its place (relative to the settled tower)?"""
        for standing in self.tower.columns:
            x, y, z = poses.position_m[self._order.row[standing.column]] * 1e3
            height_mm = self._profile.columns[standing.column.shape].height_mm
            away = math.dist((x, y, z), (standing.x_mm, standing.y_mm, standing.z_mm + height_mm / 2))
            if away > self._strayed.get(standing.column, 0.0):
                self._strayed[standing.column] = away

    def observe(self, world: World) -> None:
        """At any time: which hands hold what, what is pressed against, and when was each plateau last in its place?"""
        self.witness.watch(world, self._top_m())
        held = world.held
        in_hand = held.get(Grip.BUILDER)
        if self._in_hand is not None and in_hand != self._in_hand and any(isinstance(piece, Floor) for piece in held.values()):
            self._held_at_release.add(self._in_hand)
        self._in_hand = in_hand if isinstance(in_hand, Column) else None
        self._gripped |= {piece for piece in held.values() if isinstance(piece, Column)}
        self._touched |= {piece for _, piece, _ in world.arm_forces() if isinstance(piece, Column)}
        for laid in self.tower.plateaus:
            rise_mm = world.position(laid.plateau)[2] * 1e3 - laid.z_mm - self._profile.plateaus[laid.plateau].thickness_mm / 2
            if laid.plateau in held.values():
                self._lifted_mm[laid.plateau] = max(self._lifted_mm.get(laid.plateau, 0.0), float(rise_mm))
            if rise_mm > -GONE_MM and tilt_deg(world.turn(laid.plateau)) < GONE_DEG:
                self._firm_t_s[laid.plateau] = world.t_s

    def _top_m(self) -> float:
        laid = self.tower.plateaus[-1] if self.tower.plateaus else None
        return (laid.z_mm + self._profile.plateaus[laid.plateau].thickness_mm) / 1e3 if laid is not None else 0.0

    def settle(self, t_s: float, poses: Poses, seat: int | None, parked: set[Column | Floor], last_actor: int | None = None) -> list[Truth]:
        """The tower stands still again: what is different? `seat`: who acted; `last_actor`: who acted last, where nobody did now."""
        before, after = self.tower, standing_tower(self._profile, self._order, poses, parked)
        self.tower = after
        self._last_actor = seat if seat is not None else last_actor
        found = self._differences(t_s, before, after, seat, parked)
        self._strayed, self._gripped, self._touched = {}, set(), set()
        self._lifted_mm, self._held_at_release, self._firm_t_s = {}, set(), {}
        self.log += found
        return found

    def _differences(self, t_s: float, before: Tower, after: Tower, seat: int | None, parked: set[Column | Floor]) -> list[Truth]:
        then = {laid.plateau for laid in before.plateaus}
        now = {laid.plateau for laid in after.plateaus}
        if then - now:
            return [self._collapse(t_s, then - now)]
        found: list[Truth] = []
        fallen = [s.column for s in before.columns if after.find(s.column) is None and s.column not in parked]
        for standing in after.columns:
            old = before.find(standing.column)
            if old is None:
                found.append(Truth(t_s, FactKind.STOOD, seat, standing.column, standing.floor))
            elif old.floor is not standing.floor:
                found.append(self._raised(t_s, before, after, standing, seat))
        for plateau in sorted(now - then):
            laid = next(laid for laid in after.plateaus if laid.plateau is plateau)
            covers = [s for s in covered(self._profile, laid, after.on(Floor(plateau - 1))) if self._gap_mm(laid, s) < GAP_MM]
            change = _Disturbance.between(before, after, None)
            details = {"covers": float(len(covers))} | change.details
            found.append(Truth(t_s, FactKind.LAID, seat, None, plateau, details, change.nudged, change.shifted))
        if fallen:
            handled = next((column for column in fallen if column in self._gripped), None)
            found.append(
                Truth(
                    t_s,
                    FactKind.INCIDENT,
                    seat,
                    handled if handled is not None else fallen[0],
                    columns=tuple(fallen),
                    details={"fallen": float(len(fallen))},
                    handled=handled is not None,
                )
            )
        gone = [s.column for s in before.columns if after.find(s.column) is None and s.column in parked]
        for column in gone:
            change = _Disturbance.between(before, after, column)
            found.append(Truth(t_s, FactKind.REMOVED, seat, column, None, change.details, change.nudged, change.shifted))
        return found or self._tugged(t_s, before, after, seat)

    def _raised(self, t_s: float, before: Tower, after: Tower, standing: Standing, seat: int | None) -> Truth:
        change = _Disturbance.between(before, after, standing.column)
        details = {"overhang_mm": self._overhang_mm(after, standing)} | change.details
        on = carrier_of(self._profile, standing, after.on(standing.floor))
        return Truth(
            t_s, FactKind.RAISED, seat, standing.column, standing.floor, details | ({"overhang_mm": 0.0} if on else {}),
            change.nudged, change.shifted, on_column=on, held_plateau=standing.column in self._held_at_release,
        )  # fmt: skip

    def _collapse(self, t_s: float, lost: set[Floor]) -> Truth:
        """A plateau lost its place: when did the first one begin to go, and what was at work then?"""
        onset_t_s = min((self._firm_t_s[plateau] for plateau in lost if plateau in self._firm_t_s), default=t_s)
        blame = self.witness.blame(onset_t_s, self._last_actor)
        details = {"plateaus_lost": float(len(lost)), "onset_t_s": round(onset_t_s, 2)}
        return Truth(t_s, FactKind.COLLAPSED, blame.seat, floor=min(lost), details=details, cause=blame.cause)

    def _tugged(self, t_s: float, before: Tower, after: Tower, seat: int | None) -> list[Truth]:
        """Everything is in its place: the column that had left it in somebody's hand, if one had; else what was only touched or lifted."""
        away = {column: away_mm for column, away_mm in self._strayed.items() if away_mm >= MOVED_MM and after.find(column) is not None}
        if self._gripped:
            away = {column: away_mm for column, away_mm in away.items() if column in self._gripped}
        if not away:
            return self._hardly(t_s, before, after, seat)
        column = max(away, key=lambda c: away[c])
        place = after.find(column)
        floor = place.floor if place is not None else None
        change = _Disturbance.between(before, after, column)
        details = {"moved_mm": round(away[column], 1)} | change.details
        old = before.find(column)
        if old is not None and place is not None:
            details["off_mm"] = round(math.hypot(place.x_mm - old.x_mm, place.y_mm - old.y_mm), 2)
        return [Truth(t_s, FactKind.ABORTED, seat, column, floor, details, change.nudged, change.shifted)]

    def _hardly(self, t_s: float, before: Tower, after: Tower, seat: int | None) -> list[Truth]:
        """What changes nothing by the rules: a plateau lifted and put back, a column touched, one nudged by nobody's attempt."""
        change = _Disturbance.between(before, after, None)
        lifted = {plateau: mm for plateau, mm in self._lifted_mm.items() if mm >= LIFTED_MM}
        if lifted:
            plateau = min(lifted)
            details = {"lifted_mm": round(lifted[plateau], 1)} | change.details
            return [Truth(t_s, FactKind.UNCHANGED, seat, None, plateau, details, change.nudged, change.shifted)]
        touched = sorted(self._touched)
        if touched or change.nudged:
            column = change.nudged[0] if change.nudged else touched[0]
            return [Truth(t_s, FactKind.UNCHANGED, seat, column, None, {"touched": 1.0} | change.details, change.nudged, change.shifted)]
        return []

    def _gap_mm(self, laid: Laid, standing: Standing) -> float:
        """Air between a column's top and the plateau's underside above it, its tilt counted."""
        over = math.tan(math.radians(laid.tilt_x_deg)) * (standing.y_mm - laid.y_mm)
        over -= math.tan(math.radians(laid.tilt_y_deg)) * (standing.x_mm - laid.x_mm)
        return laid.z_mm + over - standing.z_mm - self._profile.columns[standing.column.shape].height_mm

    def _overhang_mm(self, tower: Tower, standing: Standing) -> float:
        """How far a foot reaches beyond its floor's edge (B7)."""
        laid = next((laid for laid in tower.plateaus if laid.plateau is standing.floor), None)
        if laid is None:
            return 0.0
        shape = outline(self._profile, laid)
        beyond = footprint(self._profile, standing).difference(shape)
        return round(max((shape.distance(Point(x, y)) for x, y in get_coordinates(beyond)), default=0.0), 1)


def _carried(old: Standing, before: Tower, after: Tower) -> tuple[float, float]:
    """Where a column that stood at `old` would be if it had ridden along with its plateau, and not moved on it."""
    was = next((laid for laid in before.plateaus if laid.plateau is old.floor), None)
    now = next((laid for laid in after.plateaus if laid.plateau is old.floor), None)
    if was is None or now is None:
        return old.x_mm, old.y_mm
    turn = math.radians(now.yaw_deg - was.yaw_deg)
    x, y = old.x_mm - was.x_mm, old.y_mm - was.y_mm
    return now.x_mm + x * math.cos(turn) - y * math.sin(turn), now.y_mm + x * math.sin(turn) + y * math.cos(turn)


@dataclass(frozen=True, slots=True)
class _Disturbance:
    """How far the columns not handled and the plateaus have come from their places."""

    details: dict[str, float]
    nudged: tuple[Column, ...]
    shifted: tuple[Floor, ...]

    @classmethod
    def between(cls, before: Tower, after: Tower, handled: Column | None) -> _Disturbance:
        nudged_mm = {
            s.column: math.dist((s.x_mm, s.y_mm), _carried(old, before, after))
            for s in after.columns
            if s.column != handled and (old := before.find(s.column)) is not None and old.floor is s.floor
        }
        was = {laid.plateau: laid for laid in before.plateaus}
        both = [(laid, was[laid.plateau]) for laid in after.plateaus if laid.plateau in was]
        shifted_mm = {a.plateau: math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for a, b in both}
        turned_deg = {a.plateau: abs((a.yaw_deg - b.yaw_deg + 180) % 360 - 180) for a, b in both}
        return cls(
            {
                "nudged_mm": round(max(nudged_mm.values(), default=0.0), 2),
                "shifted_mm": round(max(shifted_mm.values(), default=0.0), 2),
                "turned_deg": round(max(turned_deg.values(), default=0.0), 2),
            },
            tuple(column for column, mm in nudged_mm.items() if mm >= NUDGED_MM),
            tuple(plateau for plateau, mm in shifted_mm.items() if mm >= SHIFTED_MM or turned_deg[plateau] >= TURNED_DEG),
        )
