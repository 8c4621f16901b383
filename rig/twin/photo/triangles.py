"""Every solid of a MuJoCo scene as triangles with colours, as another renderer can take them.

Meshes keep their own triangles and texture places (MuJoCo holds texture places apart from corners, so corners are told apart here), boxes,
capsules, cylinders and ellipsoids are cut into triangles fine enough for a camera at half a metre.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]

ROUND = 48
"""Steps round a circle."""


@dataclass(frozen=True, slots=True)
class TriangleMesh:
    """Triangles in the world, metres. `texture` RGB bytes, multiplied by `rgb` (sRGB, 0 to 1); `texture_at` with v upwards.

    `material` is MuJoCo's number of it (-1: none); solids of one material and `rgb` look alike.
    """

    vertices_m: Floats
    faces: npt.NDArray[np.int64]
    texture_at: Floats
    normals: Floats | None
    material: int
    rgb: tuple[float, float, float]
    texture: Picture | None
    gloss: float
    shininess: float
    emission: float

    @property
    def mean_rgb(self) -> tuple[float, float, float]:
        if self.texture is None:
            return self.rgb
        red, green, blue = (float(a * b) for a, b in zip(self.texture.reshape(-1, 3).mean(axis=0) / 255, self.rgb, strict=True))
        return (red, green, blue)


def solids_of(model: mujoco.MjModel, data: mujoco.MjData) -> Iterator[TriangleMesh]:
    """All that can be seen; what is parked behind the walls is left out."""
    textures: dict[int, Picture] = {}
    for geom in range(model.ngeom):
        at, turn = np.array(data.geom_xpos[geom]), np.array(data.geom_xmat[geom]).reshape(3, 3)
        if at[2] < -2.0 or model.geom_rgba[geom, 3] == 0:
            continue
        vertices, faces, places, normals = _shape(model, geom)
        rgb, texture, gloss, shine, emission = _looks(model, geom, textures)
        turned = None if normals is None else normals @ turn.T
        material = int(model.geom_matid[geom])
        yield TriangleMesh(vertices @ turn.T + at, faces, places, turned, material, rgb, texture, gloss, shine, emission)


def _looks(
    model: mujoco.MjModel, geom: int, textures: dict[int, Picture]
) -> tuple[tuple[float, float, float], Picture | None, float, float, float]:
    material = int(model.geom_matid[geom])
    if material < 0:
        red, green, blue = (float(v) for v in model.geom_rgba[geom, :3])
        return (red, green, blue), None, 0.0, 0.5, 0.0
    red, green, blue = (float(v) for v in model.mat_rgba[material, :3])
    number = int(model.mat_texid[material, mujoco.mjtTextureRole.mjTEXROLE_RGB])
    texture = None
    if number >= 0:
        if number not in textures:
            height, width, channels = (int(v[number]) for v in (model.tex_height, model.tex_width, model.tex_nchannel))
            start = int(model.tex_adr[number])
            textures[number] = np.array(model.tex_data[start : start + height * width * channels]).reshape(height, width, channels)[..., :3]
        texture = textures[number]
    values = (model.mat_specular, model.mat_shininess, model.mat_emission)
    gloss, shine, emission = (float(value[material]) for value in values)
    return (red, green, blue), texture, gloss, shine, emission


_Shape = tuple[Floats, npt.NDArray[np.int64], Floats, Floats | None]


def _shape(model: mujoco.MjModel, geom: int) -> _Shape:
    size = np.array(model.geom_size[geom])
    match int(model.geom_type[geom]):
        case mujoco.mjtGeom.mjGEOM_MESH:
            return _mesh(model, int(model.geom_dataid[geom]))
        case mujoco.mjtGeom.mjGEOM_BOX:
            return _box(size)
        case mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            return _lathe([(math.sin(a), -math.cos(a)) for a in np.linspace(0, math.pi, ROUND // 2)], size)
        case mujoco.mjtGeom.mjGEOM_SPHERE:
            return _lathe([(math.sin(a), -math.cos(a)) for a in np.linspace(0, math.pi, ROUND // 2)], np.full(3, size[0]))
        case mujoco.mjtGeom.mjGEOM_CAPSULE:
            radius, half = float(size[0]), float(size[1])
            low = [(radius * math.cos(a), radius * math.sin(a) - half) for a in np.linspace(-math.pi / 2, 0, ROUND // 4)]
            return _lathe([*low, *((r, -z) for r, z in reversed(low))], np.ones(3))
        case mujoco.mjtGeom.mjGEOM_CYLINDER:
            radius, half = float(size[0]), float(size[1])
            return _flat(_lathe([(0.0, -half), (radius, -half), (radius, half), (0.0, half)], np.ones(3)))
        case other:
            raise ValueError(f"a solid of MuJoCo's type {other} cannot be handed on")


def _mesh(model: mujoco.MjModel, mesh: int) -> _Shape:
    def rows(values: npt.NDArray[np.float32], address: npt.NDArray[np.int32], count: npt.NDArray[np.int32]) -> Floats:
        return np.array(values[address[mesh] : address[mesh] + count[mesh]], float)

    start, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    vertices = rows(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum)
    normals = rows(model.mesh_normal, model.mesh_normaladr, model.mesh_normalnum)
    corner, of_normal = (np.array(v[start : start + count], np.int64).ravel() for v in (model.mesh_face, model.mesh_facenormal))
    faces = np.arange(3 * count, dtype=np.int64).reshape(-1, 3)
    if model.mesh_texcoordadr[mesh] < 0:
        return vertices[corner], faces, np.zeros((3 * count, 2)), normals[of_normal]
    places = rows(model.mesh_texcoord, model.mesh_texcoordadr, model.mesh_texcoordnum)
    of_place = np.array(model.mesh_facetexcoord[start : start + count], np.int64).ravel()
    return vertices[corner], faces, places[of_place], normals[of_normal]


def _box(half: Floats) -> _Shape:
    corners: list[Floats] = []
    places: list[tuple[float, float]] = []
    faces: list[tuple[int, ...]] = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            first = len(corners)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = np.zeros(3)
                corner[axis], corner[u], corner[v] = sign * half[axis], a * half[u], b * half[v]
                corners.append(corner)
                places.append((0.75 + 0.75 * corner[0] / max(half[0], 1e-9), 0.75 + 0.75 * corner[1] / max(half[1], 1e-9)))
            order = ((0, 1, 2), (0, 2, 3)) if sign > 0 else ((0, 2, 1), (0, 3, 2))
            faces += [tuple(first + k for k in face) for face in order]
    return np.array(corners), np.array(faces, np.int64), np.array(places), None


def _lathe(profile: list[tuple[float, float]], stretch: Floats) -> _Shape:
    """A profile (radius, z) turned about z, then stretched."""
    turns = np.linspace(0, 2 * math.pi, ROUND, endpoint=False)
    rings = np.array([[(r * math.cos(a), r * math.sin(a), z) for a in turns] for r, z in profile])
    faces = []
    for k in range(len(profile) - 1):
        for j in range(ROUND):
            a, b = k * ROUND + j, k * ROUND + (j + 1) % ROUND
            c, d = b + ROUND, a + ROUND
            faces += [(a, b, c), (a, c, d)]
    vertices = rings.reshape(-1, 3) * stretch
    return vertices, np.array(faces, np.int64), np.zeros((len(vertices), 2)), _smooth_normals(vertices, np.array(faces))


def _smooth_normals(vertices: Floats, faces: npt.NDArray[np.int64]) -> Floats:
    across = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])
    normals = np.zeros_like(vertices)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], across)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    ends = np.where(vertices[:, 2:] > 0, 1.0, -1.0) * np.array([0.0, 0.0, 1.0])  # a pole's ring is one point
    return np.asarray(np.where(length > 1e-15, normals / np.maximum(length, 1e-15), ends))


def _flat(shape: _Shape) -> _Shape:
    """The same with every triangle's corners its own, so that edges are edges."""
    vertices, faces, places, _ = shape
    corner = faces.ravel()
    return vertices[corner], np.arange(len(corner), dtype=np.int64).reshape(-1, 3), places[corner], None
