"""Real pairs of pictures: one action of the twin's situations, played in the physics, drawn before the hands came and after all was still.

Nothing of the tower after is made up: what stood, slid, was nudged or fell is what the physics left, and what happened is what the truth
log says of it. There is no referee, no base and no session; the cameras find their poses by the markers of the picture before. A rig (set,
lenses) is drawn by a number of its own, so that a calibration of it serves many pairs; room, lamps and cameras' places are the pair's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rig.bench.situations import found_poses
from rig.messages import CameraPose, Tower
from rig.profile import CameraModel, Profile
from rig.referee.book import Book
from rig.referee.hypotheses import Expected
from rig.referee.outbox import Outbox
from rig.rules import Game
from rig.twin.levels import Level
from rig.twin.photo.mitsuba_scene import Studio
from rig.twin.photo.path_tracer import Space, open_mitsuba, photograph_scene
from rig.twin.physics.placement import standing_tower
from rig.twin.physics.poses import HandPose, Poses
from rig.twin.physics.sets import TrueSet, draw_set, measured
from rig.twin.pictures.cameras import Eye, Picture, from_jpeg, to_jpeg
from rig.twin.pictures.lenses import profile_as_calibrated, true_lenses
from rig.twin.pictures.scene import WorldName
from rig.twin.situation_play import BEFORE_S, Scenario, SituationPlay, found
from rig.twin.situations import believed
from rig.twin.truth import Truth

UNTOUCHED_S = 1.0
"""How long before the hands come the picture before is taken."""
PLAYERS = 4
LONGEST_S, CALM_S = 90.0, 5.0
"""An action that is not over by then is not judged; how long at most is waited for stillness after it."""
HEADROOM_MM, BESIDE_MM = 150.0, 20.0
"""How far above the middle of the highest piece, and beside apron and base, photographs have all their light paths."""

SHARES: dict[Scenario, float] = {
    Scenario.RAISE: 48, Scenario.NUDGE: 8, Scenario.SHIFT: 5, Scenario.OVERHANG: 6, Scenario.HELD: 4, Scenario.WRONG: 5,
    Scenario.ABORT: 3, Scenario.ABORT_OFF: 2, Scenario.NOTHING: 1, Scenario.TOUCH: 1, Scenario.LIFT: 1, Scenario.BUMP: 1, Scenario.LAY: 6,
    Scenario.REMOVE: 2, Scenario.TWO: 3, Scenario.STACK: 3, Scenario.TOPPLE: 3, Scenario.DROP: 2, Scenario.FALL_PULL: 2,
    Scenario.FALL_PLACE: 2, Scenario.FALL_ARM: 1, Scenario.FALL_KNOCK: 1, Scenario.FALL_LATE: 1,
}  # fmt: skip
"""Weights of what is tried: raises of every sort above all. What came of it is up to the physics."""
RAISES = frozenset((Scenario.RAISE, Scenario.NUDGE, Scenario.SHIFT, Scenario.OVERHANG, Scenario.HELD, Scenario.WRONG))
"""What is meant to end with one column more on the top floor."""

KnownRig = Callable[[TrueSet, int, int, Level, WorldName], Profile]
"""What a calibration knows of a rig: its true set, its number, cameras, level, world."""


@dataclass(frozen=True, slots=True)
class TowerInstant:
    """The tower at one instant: poses of all pieces, what stands by them, when, and what of hands can be seen."""

    t_s: float
    poses: Poses
    tower: Tower
    hands: tuple[HandPose, ...]


@dataclass(frozen=True, slots=True)
class Acted:
    """What the physics made of one action. `facts` is the truth log of it, `game` the game as heard when the referee would ask."""

    seed: int
    kind: Scenario
    rig: int
    true_set: TrueSet
    before: TowerInstant
    after: TowerInstant
    facts: tuple[Truth, ...]
    game: Game
    quiet: bool
    """Nothing moved any more in the instant after."""

    def expected(self) -> Expected:
        """What the rules lead a referee to expect."""
        book = Book(self.true_set.profile.pieces, Outbox())
        book.game = self.game
        return book.expected()


@dataclass(frozen=True, slots=True)
class Pair:
    """An action with pictures (BGR, one a camera, as delivered), the poses that the eyes found, and the rig and tower as believed."""

    acted: Acted
    renderer: str
    known: Profile
    poses: tuple[CameraPose, ...]
    true_poses: tuple[CameraPose, ...]
    lenses: tuple[CameraModel, ...]
    believed: Tower
    before: tuple[Picture, ...]
    after: tuple[Picture, ...]


def kind_drawn(seed: int) -> Scenario:
    """What is tried under this seed."""
    kinds = list(SHARES)
    weights = np.array([SHARES[kind] for kind in kinds])
    return kinds[int(np.random.default_rng((seed, 0x9A15)).choice(len(kinds), p=weights / weights.sum()))]


def act(seed: int, rig: int, cameras: int, level: Level, kind: Scenario | None = None, world: WorldName = "A") -> Acted | None:
    """One action of rig number `rig`, played out; None if it does not come to an end. PalettiError if no tower is found for it."""
    kind = kind if kind is not None else kind_drawn(seed)
    true_set = draw_set(rig, cameras, world=world)
    play = found(seed, kind, level, PLAYERS, true_set)
    told = len(play.truth.log)
    while play.due(BEFORE_S - UNTOUCHED_S):
        play.tick()
    before = _still(play)
    handled, game = False, play.bots.game
    while play.over_t_s is None and len(play.truth.log) == told:
        if play.bots.handling:
            handled, game = True, play.bots.game
        elif handled:
            break
        if play.world.t_s > LONGEST_S:
            return None
        play.tick()
    if not handled:
        game = play.bots.game
    waits_until_s = play.world.t_s + CALM_S
    while not play.world.is_still() and play.world.t_s < waits_until_s and not play.bots.handling:
        play.tick()
    return Acted(seed, kind, rig, true_set, before, _still(play), tuple(play.truth.log[told:]), game, play.world.is_still())


def _still(play: SituationPlay) -> TowerInstant:
    poses = play.world.poses()
    copied = Poses(poses.position_m.copy(), poses.turn.copy())
    hands = tuple(seen for hand in play.bots.hands if (seen := hand.seen) is not None)
    tower = standing_tower(play.true_profile, play.world.order, copied, play.world.parked)
    return TowerInstant(play.world.t_s, copied, tower, hands)


def as_measured(true_set: TrueSet, rig: int, cameras: int, level: Level, world: WorldName) -> Profile:
    """The rig as a careful calibration would know it: the truth with a calibration's stated errors."""
    del cameras, world
    return profile_as_calibrated(measured(true_set.profile, rig), rig, level.pictures.lens_spread)


def pairs_of(acted: Acted, level: Level, world: WorldName = "A", known_rig: KnownRig = as_measured, spp: int | None = None) -> list[Pair]:
    """The action seen by OpenGL and, with `spp` light paths a pixel, by Mitsuba too; a renderer whose markers are not found is left out."""
    seed, true = acted.seed, acted.true_set.profile
    count = len(true.cameras)
    known = known_rig(acted.true_set, acted.rig, count, level, world)
    lenses = true_lenses(true, acted.rig, level.pictures.lens_spread)
    off_s = float(np.random.default_rng((seed, 0x71E)).uniform(10.0, 600.0))
    tower = believed(acted.before.tower, true, known, np.random.default_rng((seed, 0xBE11)))
    pairs = []
    ideal: dict[str, list[list[Picture]]] = {"OpenGL": []}
    studio: Studio | None = None
    with Eye(true, seed, level=level.pictures, world=world, lenses=lenses) as eye:
        for still in (acted.before, acted.after):
            ideal["OpenGL"].append(eye.see(still.poses, still.hands, off_s + still.t_s))
            if spp is not None:
                eye.scene.place(still.poses, still.hands, off_s + still.t_s)
                studio = studio or Studio(open_mitsuba(), eye.scene)
                draw = len(ideal.setdefault("Mitsuba", []))
                ideal["Mitsuba"].append(photograph_scene(eye.scene, eye.poses, lenses, spp, _where_it_matters(acted), draw, studio))
        times = (off_s + acted.before.t_s, off_s + acted.after.t_s)
        first = [_through_sensors(eye, pictures, t_s) for pictures, t_s in zip(ideal["OpenGL"], times, strict=True)]
        delivered = {"OpenGL": first}
        true_poses = eye.poses
    if spp is not None:
        with Eye(true, seed, level=level.pictures, world=world, lenses=lenses) as eye:  # its cameras find their exposure on photographs
            delivered["Mitsuba"] = [_through_sensors(eye, pictures, t_s) for pictures, t_s in zip(ideal["Mitsuba"], times, strict=True)]
    for renderer, (before, after) in delivered.items():
        poses = found_poses(known, before)
        if poses is not None:
            pairs.append(Pair(acted, renderer, known, poses, true_poses, lenses, tower, before, after))
    return pairs


def _where_it_matters(acted: Acted) -> list[Space]:
    """What the eyes decide by: the apron with its markers, and above the base what a tower of either instant and one more column take."""
    base = acted.true_set.profile.base
    at_mm = 1e3 * np.concatenate([acted.before.poses.position_m, acted.after.poses.position_m])
    top_mm = float(at_mm[at_mm[:, 2] > base.table_z_mm, 2].max()) + HEADROOM_MM
    apron, above = base.apron_outer_mm + BESIDE_MM, base.radius_mm + BESIDE_MM
    return [
        Space((-apron, -apron, base.table_z_mm), (apron, apron, base.rim_z_mm)),
        Space((-above, -above, base.table_z_mm), (above, above, top_mm)),
    ]


def _through_sensors(eye: Eye, pictures: list[Picture], t_s: float) -> tuple[Picture, ...]:
    """What the cameras deliver of ideal pictures exposed at `t_s`: each one's sensor and JPEG."""
    return tuple(from_jpeg(to_jpeg(eye.webcam(picture, pose.camera, t_s))) for picture, pose in zip(pictures, eye.poses, strict=True))
