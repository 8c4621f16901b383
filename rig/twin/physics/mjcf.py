"""The tower's physics written down for MuJoCo: bodies, joints, springs, contacts. What is done with the model is `physics.py`.

The comments say which numbers were measured to let a tower of thin plates stand still, and fall when it should.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from rig.pieces import Column, Floor
from rig.profile import ColumnSize, Profile
from rig.twin.physics.level_table import TableLevel
from rig.twin.physics.poses import piece_name
from rig.twin.physics.sets import Warp

Array = npt.NDArray[np.float64]

STEP_S = 0.002
GRAVITY = 9.81
CELL_STIFFNESS = 2.0e4
"""N/m under each corner: softer than a bar cell with its plate, as stiff as 2 ms steps bear."""
CELL_DAMPING = 60.0
"""N s/m under each corner: about a third of critical with a full tower."""


class Grip(IntEnum):
    """What can hold a piece at the same time: the builder's hand, the hand that holds a plateau, and a third for trouble."""

    BUILDER = 0
    STEADY = 1
    OTHER = 2


ARMS = 2
"""Arms that can touch pieces at the same time, where the level has arms."""
ARM_AWAY_M = (0.0, 0.0, 6.0)

# A weld gives way in proportion to what works on its piece, as a share of the piece's own weight and inertia. A plateau carries up to five
# times its own weight, and a thin column dragged between two plates is wrung about an inertia of 1e-5 kg m2: softer grips than these lift
# nothing, or let the column lean until it jams and pushes the tower aside.
_GRASP = 'solref="0.01 1" solimp="0.98 0.99 0.001"'


def mjcf(profile: Profile, level: TableLevel, rng: np.random.Generator, bends: Mapping[Floor, Warp]) -> str:
    """MuJoCo's description of table, plate, base and pieces, as XML. Lengths in metres, masses in kilograms."""
    base = profile.base
    top = -base.thickness_mm / 1e3
    plate, radius = base.plate_half_mm / 1e3, base.radius_mm / 1e3
    cell = profile.cells[0]
    arm_x, arm_y = abs(cell.x_mm) / 1e3, abs(cell.y_mm) / 1e3
    plate_kg, base_kg = base.plate_mass_g / 1e3, base.mass_g / 1e3
    weight = (plate_kg + base_kg) * GRAVITY
    sag = weight / (4 * CELL_STIFFNESS)
    meshes = [
        _mesh(f"{plateau.word}{k}", np.array(part), profile.plateaus[plateau].thickness_mm, bends.get(plateau))
        for plateau in profile.pieces.plateaus
        for k, part in enumerate(profile.plateaus[plateau].parts_mm)
    ]
    for shape, size in profile.columns.items():
        if size.sides:
            angles = 2 * math.pi * np.arange(size.sides) / size.sides
            meshes.append(_mesh(f"column_{shape}", size.radius_mm * np.column_stack([np.cos(angles), np.sin(angles)]), size.height_mm))
    bodies = [_column(column, profile.columns[column.shape], level.height_spread_mm * rng.normal()) for column in profile.pieces.columns]
    bodies += [_plateau(profile, plateau) for plateau in profile.pieces.plateaus]
    first = piece_name(profile.pieces.columns[0])
    grips = "".join(f'<body name="grip{grip.value}" mocap="true" pos="0 0 5"/>' for grip in Grip)
    grips += "".join(_arm(k) for k in range(ARMS)) if level.hands.arms else ""
    welds = "".join(f'<weld name="weld{grip.value}" body1="grip{grip.value}" body2="{first}" active="false" {_GRASP}/>' for grip in Grip)
    return f"""<mujoco model="rig to be weighed">
<compiler angle="radian"/>
<option timestep="{STEP_S}" integrator="implicitfast" cone="elliptic" impratio="10" tolerance="1e-7" gravity="0 0 -{GRAVITY}">
  <flag multiccd="enable"/>
</option>
<default><geom friction="{level.friction} 0.002 0.0001" condim="4" solref="0.004 1" solimp="0.95 0.99 0.0005"/></default>
<asset>{"".join(meshes)}</asset>
<worldbody>
  <body name="plate" pos="0 0 {sag}">
    <joint name="sink" type="slide" axis="0 0 1" stiffness="{4 * CELL_STIFFNESS}" damping="{4 * CELL_DAMPING}"/>
    <joint name="tilt_x" type="hinge" axis="1 0 0" stiffness="{4 * CELL_STIFFNESS * arm_y**2}" damping="{4 * CELL_DAMPING * arm_y**2}"/>
    <joint name="tilt_y" type="hinge" axis="0 1 0" stiffness="{4 * CELL_STIFFNESS * arm_x**2}" damping="{4 * CELL_DAMPING * arm_x**2}"/>
    <geom name="plate" type="box" size="{plate} {plate} 0.003" pos="0 0 {top - 0.003}" mass="{plate_kg}"/>
    <geom name="base" type="cylinder" size="{radius} {-top / 2}" pos="0 0 {top / 2}" mass="{base_kg}"/>
    <site name="imu" pos="0 0 {top - 0.01}"/>
  </body>
  {_surroundings(profile)}
  {"".join(bodies)}
  {grips}
</worldbody>
<equality>{welds}</equality>
<sensor><accelerometer site="imu"/><gyro site="imu"/></sensor>
</mujoco>"""


def _arm(k: int) -> str:
    """Finger tips at the origin, the forearm along x; soft, so that it pushes and does not strike."""
    soft = 'solref="0.02 1" solimp="0.5 0.95 0.002" friction="0.5 0.002 0.0001"'
    tip = f'<geom name="arm{k}tip" type="sphere" size="0.008" {soft}/>'
    finger = f'<geom name="arm{k}finger" type="capsule" fromto="0.004 0 0 0.11 0 0.004" size="0.0075" {soft}/>'
    fore = f'<geom name="arm{k}fore" type="capsule" fromto="0.14 0 0.008 0.35 0 0.012" size="0.028" {soft}/>'
    return f'<body name="arm{k}" mocap="true" pos="{" ".join(map(str, ARM_AWAY_M))}">{tip}{finger}{fore}</body>'


def _mesh(name: str, outline_mm: Array, thickness_mm: float, bend: Warp | None = None) -> str:
    half = thickness_mm / 2
    rise = bend.rise_mm(outline_mm) if bend is not None else np.zeros(len(outline_mm))
    points = np.concatenate([np.column_stack([outline_mm, rise + z]) for z in (-half, half)]) / 1e3
    return f'<mesh name="{name}" vertex="{" ".join(f"{value:.6f}" for value in points.ravel())}"/>'


def _column(column: Column, size: ColumnSize, taller_mm: float) -> str:
    mass, height = size.mass_g / 1e3, size.height_mm / 1e3
    radius = size.radius_mm / 1e3
    spin = mass * radius**2 / 2 if not size.sides else mass * radius**2 * 5 / 12  # a regular hexagon's, about its axis
    across = spin / 2 + mass * height**2 / 12
    half = (height + taller_mm / 1e3) / 2
    solid = f'type="mesh" mesh="column_{column.shape}"' if size.sides else f'type="cylinder" size="{radius} {half}"'
    return _body(str(column), mass, (across, across, spin), [f"<geom {solid}/>"])


def _plateau(profile: Profile, plateau: Floor) -> str:
    """Its inertia from the outline: the parts overlap, so theirs would count twice."""
    size = profile.plateaus[plateau]
    x, y = np.array(size.outline_mm).T / 1e3
    nx, ny = np.roll(x, -1), np.roll(y, -1)
    cross = x * ny - nx * y
    area = float(cross.sum() / 2)
    about_x = abs(float((cross * (y * y + y * ny + ny * ny)).sum() / 12)) / abs(area)
    about_y = abs(float((cross * (x * x + x * nx + nx * nx)).sum() / 12)) / abs(area)
    mass, thick = size.mass_g / 1e3, (size.thickness_mm / 1e3) ** 2 / 12
    inertia = (mass * (about_x + thick), mass * (about_y + thick), mass * (about_x + about_y))
    return _body(plateau.word, mass, inertia, [f'<geom type="mesh" mesh="{plateau.word}{k}"/>' for k in range(len(size.parts_mm))])


def _body(name: str, mass_kg: float, inertia: tuple[float, float, float], geoms: list[str]) -> str:
    moments = " ".join(f"{value:.6e}" for value in inertia)
    return (
        f'<body name="{name}" gravcomp="1"><freejoint/>'
        f'<inertial pos="0 0 0" mass="{mass_kg:.6f}" diaginertia="{moments}"/>{"".join(geoms)}</body>'
    )


def _surroundings(profile: Profile) -> str:
    """The apron and the table, for what falls."""
    base = profile.base
    table, rim = base.table_z_mm / 1e3, base.rim_z_mm / 1e3
    inner, outer = base.apron_inner_mm / 1e3, base.apron_outer_mm / 1e3
    middle, width, height = (inner + outer) / 2, (outer - inner) / 2, (rim - table) / 2
    parts = [
        f'<geom type="box" pos="0 0 {table - 0.02}" size="0.72 0.62 0.02"/>',
        '<geom type="box" pos="0 0 -0.80" size="3 3 0.02"/>',
    ]
    for sign in (-1, 1):
        parts.append(f'<geom type="box" pos="0 {sign * middle} {(rim + table) / 2}" size="{outer} {width} {height}"/>')
        parts.append(f'<geom type="box" pos="{sign * middle} 0 {(rim + table) / 2}" size="{width} {inner} {height}"/>')
    return "".join(parts)
