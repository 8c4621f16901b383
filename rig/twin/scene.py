"""The rig and its room as MuJoCo draws them: table, apron with its printed markers, sensing plate, base, pieces, hands.

Only for the eye: every piece is a body that is put where the physics (or a test) says, so one scene draws any tower. Sizes and colours come
from the profile; what no profile holds (table, walls, lamps, skin) is drawn from the seed. What pieces weigh and how they touch is
`physics.py`; lenses, noise and JPEG are `cameras.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from rig.pieces import Colour
from rig.profile import Profile, Rgb
from rig.twin import meshes, textures
from rig.twin.poses import HandPose, PieceOrder, Poses, piece_name

HANDS = 4
"""Hands that can be in the picture at once: two of the acting player, two of somebody else."""

_SKIN: tuple[Rgb, ...] = ((214, 162, 132), (176, 122, 92), (232, 188, 164), (120, 82, 60))
_TABLES: tuple[Rgb, ...] = ((150, 106, 68), (178, 140, 96), (92, 74, 60), (196, 190, 180), (84, 98, 92))
_WALLS: tuple[Rgb, ...] = ((206, 200, 188), (186, 196, 204), (214, 208, 200), (170, 176, 160), (196, 180, 176))
_BARE: Rgb = (104, 100, 108)
_SLEEVES: dict[Colour, Rgb] = {
    Colour.RED: (158, 40, 44), Colour.BLUE: (44, 62, 142), Colour.YELLOW: (212, 174, 52), Colour.GREEN: (42, 104, 62),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SceneLook:
    """What the seed decides about a room: colours and lamps. `lamp_m` casts the shadows."""

    table: Rgb
    wall: Rgb
    floor: Rgb
    skin: Rgb
    lamp_m: tuple[float, float, float]
    lamp: float
    ambient: float

    @classmethod
    def draw(cls, rng: np.random.Generator) -> SceneLook:
        azimuth = rng.uniform(0, 2 * math.pi)
        return cls(
            table=_TABLES[rng.integers(len(_TABLES))],
            wall=_WALLS[rng.integers(len(_WALLS))],
            floor=(int(rng.integers(70, 130)), int(rng.integers(60, 110)), int(rng.integers(50, 100))),
            skin=_SKIN[rng.integers(len(_SKIN))],
            lamp_m=(0.7 * math.cos(azimuth), 0.7 * math.sin(azimuth), 1.9),
            lamp=float(rng.uniform(0.34, 0.44)),
            ambient=float(rng.uniform(0.40, 0.48)),
        )


class Scene:
    """The drawable room for one profile and seed. `place` puts pieces and hands; `model` and `data` go to the renderer."""

    def __init__(self, profile: Profile, seed: int) -> None:
        rng = np.random.default_rng((seed, 0x5CE4E))
        self.profile = profile
        self.look = SceneLook.draw(rng)
        self.order = PieceOrder.of(profile.pieces)
        xml, assets = _mjcf(profile, self.look, rng)
        self.model = mujoco.MjModel.from_xml_string(xml, assets)
        self.data = mujoco.MjData(self.model)
        mocap = self.model.body_mocapid
        self._rows = np.array([mocap[self.model.body(piece_name(piece)).id] for piece in self.order.pieces])
        self._hands = [int(mocap[self.model.body(f"hand{k}").id]) for k in range(HANDS)]
        self._sleeves = [self.model.geom(f"sleeve{k}").id for k in range(HANDS)]
        self.place(Poses.parked(len(self.order.pieces)))

    @property
    def lamp_direction(self) -> np.ndarray:
        """Where the light that casts shadows goes, a unit vector."""
        return np.array(self.model.light_dir[0])

    def place(self, poses: Poses, hands: Sequence[HandPose] = ()) -> None:
        self.data.mocap_pos[self._rows] = poses.position_m
        self.data.mocap_quat[self._rows] = poses.turn
        for k in range(HANDS):
            if k < len(hands):
                position, turn = _hand_frame(hands[k])
                self.data.mocap_pos[self._hands[k]] = position
                self.data.mocap_quat[self._hands[k]] = turn
                sleeve = hands[k].sleeve
                self.model.geom_rgba[self._sleeves[k], :3] = np.array(_BARE if sleeve is None else _SLEEVES[sleeve]) / 255
            else:
                self.data.mocap_pos[self._hands[k]] = (0.0, 6.0, -3.0)
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)


def _hand_frame(hand: HandPose) -> tuple[np.ndarray, np.ndarray]:
    """Origin at the finger tips, x towards the elbow, z as far up as can be."""
    tip, elbow = np.array(hand.tip_mm) / 1e3, np.array(hand.elbow_mm) / 1e3
    x = (elbow - tip) / max(float(np.linalg.norm(elbow - tip)), 1e-6)
    y = np.cross((0.0, 0.0, 1.0), x)
    y = y / max(float(np.linalg.norm(y)), 1e-6)
    turn = np.zeros(4)
    mujoco.mju_mat2Quat(turn, np.stack([x, y, np.cross(x, y)], axis=1).ravel())
    return tip, turn


def _rgba(rgb: Rgb) -> str:
    return " ".join(f"{value / 255:.4f}" for value in rgb) + " 1"


def _mjcf(profile: Profile, look: SceneLook, rng: np.random.Generator) -> tuple[str, dict[str, bytes]]:
    base = profile.base
    layout = profile.markers
    pictures = {
        "markers.png": textures.png(textures.marker_sheet(layout)),
        "grain.png": textures.png(textures.wood(rng, 256, grain=0.055)),
        "boards.png": textures.png(textures.wood(rng, 512, grain=0.09, stretch=60)),
        "card.png": textures.png(textures.card(rng, base.radius_mm, base.site_radius_mm)),
        "cloth.png": textures.png(textures.cloth(rng)),
    }
    assets = [f'<texture name="{name[:-4]}" type="2d" file="{name}"/>' for name in pictures]
    assets.append('<material name="markers" texture="markers" specular="0" shininess="0"/>')
    assets.append(f'<material name="card" texture="card" rgba="{_rgba(_lift(profile.paint.base))}" specular="0.05"/>')
    assets.append(
        f'<material name="table" texture="boards" texrepeat="1.5 1.5" rgba="{_rgba(look.table)}" specular="0.15" shininess="0.4"/>'
    )
    assets.append(f'<material name="wall" texture="cloth" texrepeat="1 1" rgba="{_rgba(look.wall)}" specular="0"/>')
    assets.append(f'<material name="room" texture="boards" texrepeat="2 2" rgba="{_rgba(look.floor)}" specular="0"/>')
    assets.append(meshes.disc(base.radius_mm, base.thickness_mm).xml("base"))
    assets.append(meshes.markers(layout).xml("markers", shell=True))

    bodies: list[str] = []
    for shape, size in profile.columns.items():
        mesh = meshes.prism(meshes.column_outline(size), size.height_mm, round_side=not size.sides)
        assets.append(mesh.xml(f"column_{shape}"))
    for column in profile.pieces.columns:
        paint = _jitter(profile.paint.columns[column.colour], rng)
        assets.append(_paint(str(column), paint))
        bodies.append(_drawn(str(column), f"column_{column.shape}"))
    for plateau in profile.pieces.plateaus:
        solid = profile.plateaus[plateau]
        assets.append(meshes.prism(solid.outline_mm, solid.thickness_mm).xml(f"plateau_{plateau.word}"))
        assets.append(_paint(plateau.word, _jitter(profile.paint.plateaus[plateau], rng)))
        bodies.append(_drawn(plateau.word, f"plateau_{plateau.word}"))
    bodies += [_hand(k, look.skin) for k in range(HANDS)]

    xml = f"""<mujoco model="rig to be seen">
<visual>
  <global offwidth="{max(c.model.width_px for c in profile.cameras)}" offheight="{max(c.model.height_px for c in profile.cameras)}"/>
  <quality shadowsize="1024" offsamples="0"/>
  <headlight ambient="{look.ambient} {look.ambient} {look.ambient}" diffuse=".22 .22 .22" specular="0 0 0"/>
  <map znear=".05" zfar="12" shadowclip="0.75"/>
</visual>
<statistic extent="1" center="0 0 0.2"/>
<asset>{"".join(assets)}</asset>
<worldbody>
  {_lamps(look)}
  {_room(rng)}
  {_rig(profile)}
  {"".join(_camera(camera.number, camera.model.fy_px, camera.model.height_px) for camera in profile.cameras)}
  {"".join(bodies)}
</worldbody></mujoco>"""
    return xml, pictures


def _lift(rgb: Rgb) -> Rgb:
    """Textures are a little darker than white; lift the colour so that the mean comes out as the profile says."""
    return (min(255, round(rgb[0] * 1.06)), min(255, round(rgb[1] * 1.06)), min(255, round(rgb[2] * 1.06)))


def _jitter(rgb: Rgb, rng: np.random.Generator, spread: float = 3.0) -> Rgb:
    """No two pieces are painted quite alike."""
    red, green, blue = (int(np.clip(value + rng.normal(0, spread), 4, 250)) for value in rgb)
    return (red, green, blue)


def _paint(name: str, rgb: Rgb) -> str:
    return f'<material name="{name}" texture="grain" rgba="{_rgba(_lift(rgb))}" specular="0.12" shininess="0.35"/>'


def _drawn(name: str, mesh: str) -> str:
    geom = f'<geom type="mesh" mesh="{mesh}" material="{name}" contype="0" conaffinity="0" mass="0.01"/>'
    return f'<body name="{name}" mocap="true">{geom}</body>'


def _camera(number: int, focal_px: float, height_px: int) -> str:
    fovy = math.degrees(2 * math.atan(height_px / 2 / focal_px))
    return f'<camera name="camera{number}" pos="0 -1 0.5" fovy="{fovy:.6f}"/>'


def _lamps(look: SceneLook) -> str:
    x, y, z = look.lamp_m
    key, fill = look.lamp, 0.16
    return (
        f'<light pos="{x} {y} {z}" dir="{-x} {-y} {0.2 - z}" directional="true"'
        f' diffuse="{key} {key} {key * 0.97}" specular=".25 .25 .25" ambient="0 0 0" castshadow="true"/>'
        f'<light pos="{-x} {-y} 2" dir="{x} {y} -2" directional="true" diffuse="{fill} {fill} {fill}" specular="0 0 0" castshadow="false"/>'
    )


def _box(centre: Sequence[float], half: Sequence[float], look: str) -> str:
    return (
        f'<geom type="box" pos="{" ".join(f"{v:.5f}" for v in centre)}" size="{" ".join(f"{v:.5f}" for v in half)}"'
        f' {look} contype="0" conaffinity="0"/>'
    )


def _room(rng: np.random.Generator) -> str:
    """Floor, four walls and a few pieces of furniture: what is behind the table in the picture."""
    parts = [_box((0, 0, -0.80), (3.2, 3.2, 0.02), 'material="room"')]
    for x, y in ((3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0)):
        half = (0.02, 3.0, 1.6) if x else (3.0, 0.02, 1.6)
        parts.append(_box((x, y, 0.8), half, 'material="wall"'))
    for _ in range(9):
        azimuth, distance = rng.uniform(0, 2 * math.pi), rng.uniform(1.9, 2.7)
        size = rng.uniform((0.12, 0.12, 0.2), (0.5, 0.4, 0.9))
        colour = " ".join(f"{v:.3f}" for v in rng.uniform(0.15, 0.75, 3))
        centre = (distance * math.cos(azimuth), distance * math.sin(azimuth), -0.78 + size[2])
        parts.append(_box(centre, size.tolist(), f'rgba="{colour} 1"'))
    return "".join(parts)


def _rig(profile: Profile) -> str:
    base = profile.base
    table, rim = base.table_z_mm / 1e3, base.rim_z_mm / 1e3
    inner, outer = base.apron_inner_mm / 1e3, base.apron_outer_mm / 1e3
    plate = base.plate_half_mm / 1e3
    parts = [_box((0, 0, table - 0.015), (0.72, 0.62, 0.015), 'material="table"')]
    middle, half_width, half_height = (inner + outer) / 2, (outer - inner) / 2, (rim - table) / 2
    grey = 'rgba="0.56 0.57 0.58 1"'
    for sign in (-1, 1):
        parts.append(_box((0, sign * middle, (rim + table) / 2), (outer, half_width, half_height), grey))
        parts.append(_box((sign * middle, 0, (rim + table) / 2), (half_width, inner, half_height), grey))
    top = -base.thickness_mm / 1e3
    parts.append(_box((0, 0, top - 0.003), (plate, plate, 0.003), 'rgba="0.34 0.35 0.37 1"'))
    parts.append('<geom type="mesh" mesh="markers" material="markers" contype="0" conaffinity="0" mass="0.01"/>')
    parts.append(f'<geom type="mesh" mesh="base" material="card" pos="0 0 {top / 2}" contype="0" conaffinity="0" mass="0.01"/>')
    return "".join(parts)


def _capsule(a: Sequence[float], b: Sequence[float], radius: float, look: str) -> str:
    ends = " ".join(f"{v:.4f}" for v in (*a, *b))
    return f'<geom type="capsule" fromto="{ends}" size="{radius}" {look} contype="0" conaffinity="0" mass="0.01"/>'


def _hand(k: int, skin: Rgb) -> str:
    """Finger tips at the origin, the forearm along +x: thumb and forefinger pinch, three fingers are curled beside them."""
    look = f'rgba="{_rgba(skin)}"'
    parts = []
    for side, reach, height in ((0.012, 0.004, 0.006), (0.030, 0.014, 0.016), (0.047, 0.026, 0.020)):
        parts.append(_capsule((reach, side, 0.0), (0.045, side * 1.05, height + 0.012), 0.0078, look))
        parts.append(_capsule((0.045, side * 1.05, height + 0.012), (0.088, side * 0.9, 0.014), 0.0088, look))
    parts.append(_capsule((0.002, -0.012, 0.0), (0.034, -0.030, 0.002), 0.0088, look))
    parts.append(_capsule((0.034, -0.030, 0.002), (0.080, -0.030, 0.004), 0.0105, look))
    parts.append(
        f'<geom type="ellipsoid" pos="0.112 0.008 0.008" size="0.052 0.042 0.021" {look} contype="0" conaffinity="0" mass="0.01"/>'
    )
    parts.append(_capsule((0.150, 0.004, 0.008), (0.250, 0.0, 0.010), 0.026, look))
    sleeve = f'<geom name="sleeve{k}" type="capsule" fromto="0.235 0 0.010 0.80 0 0.012" size="0.042" rgba="0.5 0.5 0.5 1"'
    parts.append(sleeve + ' contype="0" conaffinity="0" mass="0.01"/>')
    return f'<body name="hand{k}" mocap="true" pos="0 6 -3">{"".join(parts)}</body>'
