"""The rig and its room as MuJoCo draws them: apron with its printed markers, sensing plate, base, pieces, hands, and a room round them.

Only for the eye: every piece is a body that is put where the physics (or a test) says, so one scene draws any tower. Sizes and colours come
from the profile; what no profile holds (table, walls, lamps, skin) is the room's, drawn from the seed: `rooms.py` for `lab`, `household.py`
for the levels above, `other_world.py` for world B. What pieces weigh and how they touch is `physics.py`; lenses, noise and JPEG are
`cameras.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import mujoco
import numpy as np

from rig.errors import PalettiError
from rig.profile import Profile
from rig.twin.physics.poses import HandPose, PieceOrder, Poses, piece_name
from rig.twin.pictures import arm_solids, meshes, textures
from rig.twin.pictures.arm_solids import HANDS
from rig.twin.pictures.geoms import box, cylinder
from rig.twin.pictures.household import HouseholdRoom
from rig.twin.pictures.lenses import LensMap
from rig.twin.pictures.level_pictures import LAB, PictureLevel
from rig.twin.pictures.light import Lamp
from rig.twin.pictures.other_world import OtherRoom
from rig.twin.pictures.repaint import Beam
from rig.twin.pictures.rooms import PlainRoom, Room

WorldName = Literal["A", "B"]
"""A is the world that things are tuned on; B looks otherwise and is never tuned on."""

CODE_LIGHT_MM = (176.0, -219.5)
"""Where on the apron's rim the code light is, in a gap between markers."""
CODE_LIGHT_RADIUS_MM = 4.0


def room_for(profile: Profile, seed: int, level: PictureLevel, world: WorldName) -> Room:
    """The room that this seed has at this level in this world; PalettiError if there is no such world."""
    if world == "B":
        return OtherRoom(profile, seed, level)
    if world != "A":
        raise PalettiError(f"There is no world called {world!r}.", "Worlds are A and B.")
    return HouseholdRoom(profile, seed, level) if level.household else PlainRoom(profile, seed)


class RenderScene:
    """The drawable room for one profile and seed. `place` puts pieces and hands; `model` and `data` go to the renderer.

    `bends`: by camera number the pinhole picture to draw, where that is not the profile's lens itself.
    """

    def __init__(
        self,
        profile: Profile,
        seed: int,
        level: PictureLevel = LAB,
        world: WorldName = "A",
        bends: Mapping[int, LensMap] | None = None,
        code_light: bool = False,
    ) -> None:
        self.profile = profile
        self.room = room_for(profile, seed, level, world)
        self.order = PieceOrder.of(profile.pieces)
        views = bends if bends is not None else {camera.number: LensMap.of(camera.model) for camera in profile.cameras}
        xml, assets = _mjcf(profile, self.room, views, code_light)
        self.model = mujoco.MjModel.from_xml_string(xml, assets)
        self.data = mujoco.MjData(self.model)
        self._rows = np.array([self._mocap(piece_name(piece)) for piece in self.order.pieces])
        self._hands = [self._mocap(f"hand{k}") for k in range(HANDS)]
        self._hooks = [self._mocap(f"hook{k}") for k in range(HANDS)]
        self._solids = [np.isin(self.model.geom_bodyid, (self.model.body(f"hand{k}").id,)) for k in range(HANDS)]
        self._rods = [np.isin(self.model.geom_bodyid, (self.model.body(f"hook{k}").id,)) for k in range(HANDS)]
        self._sleeves = [self.model.geom(f"sleeve{k}").id for k in range(HANDS)]
        self._light = self.model.material("code").id if code_light else None
        self._step_s = level.shadow_step_s
        self.place(Poses.parked(len(self.order.pieces)))

    def _mocap(self, name: str) -> int:
        return int(self.model.body_mocapid[self.model.body(name).id])

    @property
    def lamps(self) -> tuple[Lamp, ...]:
        return self.room.lamps

    @property
    def beams(self) -> list[Beam]:
        """The lamps that cast shadows, as OpenGL has them."""
        model = self.model
        reach_m = float(model.vis.map.shadowclip * model.stat.extent)
        casting = np.flatnonzero(model.light_castshadow)
        return [Beam(model.light_pos[k].copy(), model.light_dir[k] / np.linalg.norm(model.light_dir[k]), reach_m) for k in casting]

    def wander_step(self, t_s: float) -> int:
        """Which step of wandering shadows `t_s` falls into; 0 for ever where none wander."""
        step = int(t_s / self._step_s)
        return step if self.room.wandering(step) else 0

    def place(self, poses: Poses, hands: Sequence[HandPose] = (), t_s: float = 0.0, code: float = 0.0) -> None:
        """Puts everything where it is; `code` is the code light's brightness, 0 to 1."""
        self.data.mocap_pos[self._rows] = poses.position_m
        self.data.mocap_quat[self._rows] = poses.turn
        for k in range(HANDS):  # what is transparent is not drawn at all, which saves time
            self.model.geom_rgba[self._solids[k], 3] = float(k < len(hands))
            self.model.geom_rgba[self._rods[k], 3] = float(k < len(hands) and hands[k].hook)
            if k < len(hands):
                end, fingers, turn = arm_solids.hand_frame(hands[k])
                self.data.mocap_pos[self._hands[k]] = fingers
                self.data.mocap_quat[self._hands[k]] = turn
                self.data.mocap_pos[self._hooks[k]] = end if hands[k].hook else (0.0, 6.0, -3.0)
                self.data.mocap_quat[self._hooks[k]] = turn
                self.model.geom_rgba[self._sleeves[k], :3] = np.array(self.room.sleeves[hands[k].sleeve]) / 255
            else:
                self.data.mocap_pos[self._hands[k]] = (0.0, 6.0, -3.0)
                self.data.mocap_pos[self._hooks[k]] = (0.0, 6.0, -3.0)
        for name, at in self.room.wandering(int(t_s / self._step_s)).items():
            self.data.mocap_pos[self._mocap(name)] = at
        if self._light is not None:
            self.model.mat_emission[self._light] = code
            self.model.mat_rgba[self._light, :3] = np.array([0.30, 0.05, 0.05]) + code * np.array([0.70, 0.25, 0.2])
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)


def _mjcf(profile: Profile, room: Room, views: Mapping[int, LensMap], code_light: bool) -> tuple[str, dict[str, bytes]]:
    base, layout = profile.base, profile.markers
    pictures = {"markers": textures.png(textures.marker_sheet(layout))} | room.pictures()
    assets = [f'<texture name="{name}" type="2d" file="{name}.png"/>' for name in pictures]
    assets.append('<material name="markers" texture="markers" specular="0" shininess="0"/>')
    assets += room.assets()
    assets.append(meshes.disc(base.radius_mm, base.thickness_mm).xml("base"))
    assets.append(meshes.markers(layout).xml("markers", shell=True))
    if code_light:
        assets.append('<material name="code" rgba="0.3 0.05 0.05 1" specular="0" emission="0"/>')

    bodies: list[str] = []
    for shape, size in profile.columns.items():
        prism = meshes.prism(meshes.column_outline(size), size.height_mm, round_side=not size.sides)
        assets.append(prism.xml(f"column_{shape}"))
    for column in profile.pieces.columns:
        assets.append(room.paint(str(column), profile.paint.columns[column.colour]))
        bodies.append(_drawn(str(column), f"column_{column.shape}"))
    for plateau in profile.pieces.plateaus:
        solid = profile.plateaus[plateau]
        assets.append(meshes.prism(solid.outline_mm, solid.thickness_mm).xml(f"plateau_{plateau.word}"))
        assets.append(room.paint(plateau.word, profile.paint.plateaus[plateau]))
        bodies.append(_drawn(plateau.word, f"plateau_{plateau.word}"))
    bodies += [room.hand(k) for k in range(HANDS)]
    bodies += [arm_solids.hook_body(k) for k in range(HANDS)]

    ambient = " ".join(str(part) for part in room.ambient)
    xml = f"""<mujoco model="rig to be seen">
<visual>
  <global offwidth="{max(view.width_px for view in views.values())}" offheight="{max(view.height_px for view in views.values())}"/>
  <quality numslices="{room.slices}" numstacks="{room.slices // 2 + 2}" shadowsize="{room.shadow_px}" offsamples="0"/>
  <headlight ambient="{ambient}" diffuse="{room.fill} {room.fill} {room.fill}" specular="0 0 0"/>
  <map znear=".05" zfar="12" shadowclip="0.75"/>
</visual>
<statistic extent="1" center="0 0 0.2"/>
<asset>{"".join(assets)}</asset>
<worldbody>
  {room.surroundings()}
  {_rig(profile, code_light)}
  {"".join(_camera(number, view) for number, view in views.items())}
  {"".join(bodies)}
</worldbody></mujoco>"""
    return xml, {f"{name}.png": data for name, data in pictures.items()}


def _drawn(name: str, mesh: str) -> str:
    geom = f'<geom type="mesh" mesh="{mesh}" material="{name}" contype="0" conaffinity="0" mass="0.01"/>'
    return f'<body name="{name}" mocap="true">{geom}</body>'


def _camera(number: int, view: LensMap) -> str:
    fovy = math.degrees(2 * math.atan(view.height_px / 2 / view.focal_px))
    return f'<camera name="camera{number}" pos="0 -1 0.5" fovy="{fovy:.6f}"/>'


def _rig(profile: Profile, code_light: bool) -> str:
    base = profile.base
    table, rim = base.table_z_mm / 1e3, base.rim_z_mm / 1e3
    inner, outer = base.apron_inner_mm / 1e3, base.apron_outer_mm / 1e3
    plate = base.plate_half_mm / 1e3
    middle, half_width, half_height = (inner + outer) / 2, (outer - inner) / 2, (rim - table) / 2
    grey = 'rgba="0.56 0.57 0.58 1"'
    parts: list[str] = []
    for sign in (-1, 1):
        parts.append(box((0, sign * middle, (rim + table) / 2), (outer, half_width, half_height), grey))
        parts.append(box((sign * middle, 0, (rim + table) / 2), (half_width, inner, half_height), grey))
    top = -base.thickness_mm / 1e3
    parts.append(box((0, 0, top - 0.003), (plate, plate, 0.003), 'rgba="0.34 0.35 0.37 1"'))
    parts.append('<geom type="mesh" mesh="markers" material="markers" contype="0" conaffinity="0" mass="0.01"/>')
    parts.append(f'<geom type="mesh" mesh="base" material="card" pos="0 0 {top / 2}" contype="0" conaffinity="0" mass="0.01"/>')
    if code_light:
        x, y = CODE_LIGHT_MM[0] / 1e3, CODE_LIGHT_MM[1] / 1e3
        parts.append(cylinder((x, y, rim), (x, y, rim + 0.0015), CODE_LIGHT_RADIUS_MM / 1e3, 'material="code"'))
    return "".join(parts)
