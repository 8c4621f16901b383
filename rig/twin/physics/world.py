"""The tower as MuJoCo moves it: pieces with mass and friction, the sensing plate on its four springs, and grips that can hold a piece.

What happens is decided here and nowhere else; bots only say where their hands go. Settings that let a tower of thin plates stand still
(creep under 0.02 mm in 10 s) and fall when it should: 2 ms steps, implicit integrator, elliptic friction cone, several contact points for
each pair of solids, contacts as stiff as the step allows. A grip is a mocap body welded to the piece it holds: an explicit spring of a
hand's stiffness on an 11 g column would need far shorter steps.

What lies still for a while is put to sleep by MuJoCo (its speed is then nothing, its forces stay) until something touches it; sleep is
forbidden wherever MuJoCo would not notice by itself that a hand, a shove or a released weld disturbs it (`_mind_sleep`).

The sensing plate moves in three ways (down, and about both axes) on springs that amount to one under each load cell, so a cell's force
follows from the plate's motion and there are no contacts that chatter. The base is seated in the plate's locating ring: fixed to it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from rig.pieces import Floor
from rig.profile import Profile
from rig.twin.physics.level_table import TableLevel
from rig.twin.physics.mjcf import ARM_AWAY_M, ARMS, CELL_DAMPING, CELL_STIFFNESS, GRAVITY, STEP_S, Grip, mjcf
from rig.twin.physics.poses import PARKED_M, Piece, PieceOrder, Poses, piece_name, yaw_turn
from rig.twin.physics.sets import Warp

__all__ = ["GRAVITY", "STEP_S", "Grip", "Signals", "World"]

Array = npt.NDArray[np.float64]

STICTION = 0.004
"""Below this speed (m/s and the like) a tower of bent plates is stopped by sleep. Bent plates touch round columns at points, where the
simulated friction slides for ten seconds; wood sticks. Measured: 0.07 mm in 5 s with MuJoCo's own 0.001, nothing with this."""
LET_GO_S = 0.4
"""Nothing sleeps this long after a disturbance: what is to tip has then left its place."""
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)


@dataclass(frozen=True, slots=True)
class Signals:
    """What the sensors felt since the last call, a row a step: `t_s` (n,), `load_g` (n, 4) beyond the bare plate, `imu` (n, 6) in g and
    degrees/s."""

    t_s: Array
    load_g: Array
    imu: Array


class World:
    """The physics of one game. `step` moves it on by `STEP_S`; all lengths in metres, in the base's frame."""

    def __init__(self, profile: Profile, seed: int, level: TableLevel, bends: Mapping[Floor, Warp] | None = None) -> None:
        """`bends`: how bent each plateau is (none: flat). The tower is parked beside the base, the plate at rest, the time 0."""
        rng = np.random.default_rng((seed, 0x9415))
        self.profile = profile
        self.order = PieceOrder.of(profile.pieces)
        self.model = mujoco.MjModel.from_xml_string(mjcf(profile, level, rng, bends or {}))
        self._let_go_s = LET_GO_S
        if bends:
            self.model.opt.sleep_tolerance, self._let_go_s = STICTION, 2 * LET_GO_S
        self.data = mujoco.MjData(self.model)
        self._number_parts(level)
        self._park_all()
        self._leave_alone()
        cells = np.array([[cell.x_mm, cell.y_mm] for cell in profile.cells]) / 1e3
        self._lever = np.column_stack([np.ones(4), cells[:, 1], -cells[:, 0]])  # sinking of a corner for (z, about x, about y)
        self._rest = self._bare_load()
        self._awake_until_s = 0.3  # the plate must not fall asleep before it has sunk to where it rests
        self._held_touches = False
        self._steps = 0
        self._log: list[tuple[float, Array, Array]] = []
        for _ in range(200):  # let the plate come to rest under the base
            self.step()
        self._log.clear()
        self.data.time = 0.0

    def _number_parts(self, level: TableLevel) -> None:
        """MuJoCo's numbers of everything that is asked for by name."""
        model = self.model
        self.body = {piece: int(model.body(piece_name(piece)).id) for piece in self.order.pieces}
        self._bodies = np.array([self.body[piece] for piece in self.order.pieces])
        self._qpos = {piece: int(model.jnt_qposadr[model.body_jntadr[body]]) for piece, body in self.body.items()}
        self._qvel = {piece: int(model.jnt_dofadr[model.body_jntadr[body]]) for piece, body in self.body.items()}
        self._grip_mocap = [int(model.body_mocapid[model.body(f"grip{grip.value}").id]) for grip in Grip]
        self._weld = [int(model.equality(f"weld{grip.value}").id) for grip in Grip]
        self._firm, self._firm_solimp = model.eq_solref[:, 0].copy(), model.eq_solimp.copy()
        arms = range(ARMS) if level.hands.arms else ()
        self._arm_mocap = [int(model.body_mocapid[model.body(f"arm{k}").id]) for k in arms]
        self._arm_geoms = {int(model.geom(f"arm{k}{part}").id): k for k in arms for part in ("tip", "finger", "fore")}

    def _park_all(self) -> None:
        """All pieces beside the base, weightless, until they are put."""
        self.parked: set[Piece] = set(self.order.pieces)
        parked = Poses.parked(len(self.order.pieces))
        for row, piece in enumerate(self.order.pieces):
            self._set(piece, parked.position_m[row], parked.turn[row])
            self.model.body_gravcomp[self.body[piece]] = 1.0

    def _leave_alone(self) -> None:
        """No hand, arm, knock or draught works on anything."""
        self.held: dict[Grip, Piece] = {}
        self.shove = np.zeros(3)
        """Acceleration of the whole table, m/s²."""
        self.shove_by: int | None = None
        """Whose knock on the table it is; None: nobody's."""
        self.press_n = np.zeros(3)
        """A hand's force on the sensing plate: newtons downwards, and where (x, y in m)."""
        self.press_by: int | None = None
        self.gust_n = np.zeros(3)
        """A draught's (or a pet's) force on the topmost plateau, newtons."""
        self.gust_on: Floor | None = None
        self.seat: dict[Grip, int] = {}
        """Whose hand each grip is."""
        self._arm_goal: dict[int, tuple[Array, Array]] = {}
        self.arm_by: dict[int, int] = {}
        """Whose arm each of those in the picture is."""

    def _bare_load(self) -> Array:
        """What each cell carries under the bare plate (its tare), newtons."""
        return np.full(4, self.profile.base.plate_mass_g / 4e3 * GRAVITY)

    @property
    def t_s(self) -> float:
        """Time since the start."""
        return float(self.data.time)

    def step(self) -> None:
        """Moves everything on by `STEP_S`."""
        data = self.data
        self._mind_sleep()
        self.model.opt.gravity[:2] = -self.shove[:2]
        self.model.opt.gravity[2] = -GRAVITY - self.shove[2]
        if self.press_n[0] or self.data.xfrc_applied[self._plate, 2]:
            force, x, y = self.press_n
            self.data.xfrc_applied[self._plate] = (0, 0, -force, -force * y, force * x, 0)
        if self.gust_on is not None:
            self.data.xfrc_applied[self.body[self.gust_on], :3] = self.gust_n
        self._move_arms()
        mujoco.mj_step(self.model, data)
        load = -CELL_STIFFNESS * (self._lever @ data.qpos[:3]) - CELL_DAMPING * (self._lever @ data.qvel[:3])
        self._log.append((data.time, load, data.sensordata.copy()))

    def _mind_sleep(self) -> None:
        """Sleep is allowed unless something was just disturbed, or a held piece touches another."""
        self._steps += 1
        if self.held and self._steps % 8 == 0:
            bodies = self.model.geom_bodyid[self.data.contact.geom]
            self._held_touches = bool(np.isin(bodies, [self.body[piece] for piece in self.held.values()]).any())
        busy = self.data.time < self._awake_until_s or (self.held and self._held_touches) or self.shove.any() or self.press_n[0]
        if busy or self._arm_goal or self.gust_on is not None:
            self.model.opt.enableflags &= ~_SLEEP
        else:
            self.model.opt.enableflags |= _SLEEP

    def wake(self, for_s: float = LET_GO_S) -> None:
        """Nothing sleeps for the next `for_s` seconds."""
        self._awake_until_s = max(self._awake_until_s, self.t_s + for_s)

    @property
    def _plate(self) -> int:
        return 1

    def is_still(self) -> bool:
        """Whether nothing on the tower moves faster than 4 mm/s."""
        rows = [self._qvel[piece] for piece in self.order.pieces if piece not in self.parked and piece not in self.held.values()]
        return all(float(np.abs(self.data.qvel[row : row + 3]).max()) < 0.004 for row in rows)

    def drain(self) -> Signals:
        """The sensors' log since the last call."""
        log, self._log = self._log, []
        t_s = np.array([row[0] for row in log])
        load = np.array([row[1] for row in log]).reshape(-1, 4)
        imu = np.array([row[2] for row in log]).reshape(-1, 6)
        scaled = np.concatenate([imu[:, :3] / GRAVITY, np.degrees(imu[:, 3:])], axis=1)
        return Signals(t_s, (load - self._rest) / GRAVITY * 1e3, scaled)

    def poses(self) -> Poses:
        """Where all pieces are now."""
        return Poses(self.data.xpos[self._bodies].copy(), self.data.xquat[self._bodies].copy())

    def position(self, piece: Piece) -> Array:
        """A piece's middle, metres (3,)."""
        return np.array(self.data.xpos[self.body[piece]])

    def turn(self, piece: Piece) -> Array:
        """A piece's quaternion (w, x, y, z)."""
        return np.array(self.data.xquat[self.body[piece]])

    def put(self, piece: Piece, position_m: Array, yaw_deg: float = 0.0) -> None:
        """Takes a piece out of its box and to a place, at rest. For pieces outside the picture, or in a hand that brings them."""
        self._set(piece, position_m, np.array(yaw_turn(yaw_deg)))
        self.model.body_gravcomp[self.body[piece]] = 0.0
        self.parked.discard(piece)
        self.wake(0.1)
        mujoco.mj_kinematics(self.model, self.data)

    def park(self, piece: Piece) -> None:
        """Out of the game, out of the picture."""
        row = self.order.row[piece]
        self._set(piece, np.array(PARKED_M) + (0.3 * row, 0, 0), np.array([1.0, 0, 0, 0]))
        self.model.body_gravcomp[self.body[piece]] = 1.0
        self.parked.add(piece)
        self.wake()

    def _set(self, piece: Piece, position_m: Array, turn: Array) -> None:
        at, speed = self._qpos[piece], self._qvel[piece]
        self.data.qpos[at : at + 3] = position_m
        self.data.qpos[at + 3 : at + 7] = turn
        self.data.qvel[speed : speed + 6] = 0.0

    # --- arms and draughts: what touches the tower without holding it ---

    def reach_in(self, arm: int, seat: int, tip_m: Array, elbow_m: Array, seconds: float = 0.01) -> None:
        """Arm `arm` of `seat` moves within `seconds` to have its finger tips at `tip_m`; what is in the way is pushed."""
        if not self._arm_mocap:
            return
        if arm not in self._arm_goal:
            self._place_arm(arm, tip_m, elbow_m)
        steps = max(1, round(seconds / STEP_S))
        turn = _along(elbow_m - tip_m)
        speed = (tip_m - self.data.mocap_pos[self._arm_mocap[arm]]) / steps
        self._arm_goal[arm] = (speed, np.array([*turn, float(steps)]))
        self.arm_by[arm] = seat
        self.wake()

    def withdraw(self, arm: int) -> None:
        """Arm `arm` is out of the picture."""
        if self._arm_goal.pop(arm, None) is not None:
            self.data.mocap_pos[self._arm_mocap[arm]] = ARM_AWAY_M
            self.arm_by.pop(arm, None)
            self.wake()

    def _place_arm(self, arm: int, tip_m: Array, elbow_m: Array) -> None:
        self.data.mocap_pos[self._arm_mocap[arm]] = tip_m
        self.data.mocap_quat[self._arm_mocap[arm]] = _along(elbow_m - tip_m)

    def _move_arms(self) -> None:
        for arm, (speed, rest) in self._arm_goal.items():
            if rest[4] > 0:
                self.data.mocap_pos[self._arm_mocap[arm]] += speed
                self.data.mocap_quat[self._arm_mocap[arm]] = rest[:4]
                rest[4] -= 1

    def blow(self, force_n: Array, on: Floor | None) -> None:
        """A draught on plateau `on`; None: it is over."""
        if self.gust_on is not None:
            self.data.xfrc_applied[self.body[self.gust_on], :3] = 0.0
        self.gust_n, self.gust_on = force_n, on
        self.wake()

    def arm_forces(self) -> list[tuple[int, Piece, float]]:
        """What arms press against now: the arm's seat, the piece, newtons."""
        found: list[tuple[int, Piece, float]] = []
        if not self._arm_goal:
            return found
        force = np.zeros(6)
        pieces = {body: piece for piece, body in self.body.items()}
        for k in range(self.data.ncon):
            one, other = (int(geom) for geom in self.data.contact[k].geom)
            arm = self._arm_geoms.get(one, self._arm_geoms.get(other))
            body = int(self.model.geom_bodyid[other if one in self._arm_geoms else one])
            if arm is not None and arm in self.arm_by and body in pieces:
                mujoco.mj_contactForce(self.model, self.data, k, force)
                found.append((self.arm_by[arm], pieces[body], float(np.linalg.norm(force[:3]))))
        return found

    # --- grips ---

    def take(self, grip: Grip, piece: Piece) -> None:
        """The grip closes on `piece` where it is."""
        mocap, weld, data = self._grip_mocap[grip], self._weld[grip], self.data
        data.mocap_pos[mocap] = data.xpos[self.body[piece]]
        data.mocap_quat[mocap] = data.xquat[self.body[piece]]
        self.model.eq_obj1id[weld] = self.model.body(f"grip{grip.value}").id
        self.model.eq_obj2id[weld] = self.body[piece]
        # anchor 0, relative pose none, torque scale 1: as the weld's data are laid out in mjmodel.h
        self.model.eq_data[weld, :11] = (0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1)
        data.eq_active[weld] = 1
        self.held[grip] = piece
        self._held_touches = True
        self.wake(0.05)

    def steer(self, grip: Grip, position_m: Array, turn: Array | None = None) -> None:
        """Where the grip wants its piece to be."""
        self.data.mocap_pos[self._grip_mocap[grip]] = position_m
        if turn is not None:
            self.data.mocap_quat[self._grip_mocap[grip]] = turn

    def aim(self, grip: Grip) -> Array:
        """Where a grip is steered to, metres (3,)."""
        return np.array(self.data.mocap_pos[self._grip_mocap[grip]])

    def loosen(self, grip: Grip, share: float) -> None:
        """The grip grows slack, from firm (0) to hardly there (1), so that its load goes over to what carries the piece without a jolt."""
        weld = self._weld[grip]
        self.model.eq_solref[weld, 0] = self._firm[weld] * 20.0**share
        self.model.eq_solimp[weld, :2] = self._firm_solimp[weld, :2] * (1 - share) + 0.5 * share

    def let_go(self, grip: Grip) -> None:
        """The grip holds nothing any more."""
        self.data.eq_active[self._weld[grip]] = 0
        self.loosen(grip, 0.0)
        self.held.pop(grip, None)
        self.wake(self._let_go_s)


def _along(way: Array) -> Array:
    """The quaternion that turns x towards `way`, keeping y level."""
    yaw = math.atan2(way[1], way[0])
    pitch = -math.atan2(way[2], math.hypot(way[0], way[1]))
    cy, sy, cp, sp = math.cos(yaw / 2), math.sin(yaw / 2), math.cos(pitch / 2), math.sin(pitch / 2)
    return np.array([cy * cp, -sy * sp, cy * sp, sy * cp])
