"""What the referee asks the eyes, and what they answer."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from rig.messages.hypotheses import Hypothesis
from rig.messages.tagged import Tagged
from rig.messages.tower import CameraPose, Laid, Standing, Tower
from rig.pieces import Colour, Column


class Watch(Tagged, frozen=True):
    """Asked for every frame: are hands in the picture, does it move, is the camera well? `reference`: the frame of the last settled tower
    (message number, None before there is one); `previous`: the frame before this one of the same camera."""

    id: int
    camera: int
    frame: int
    previous: int | None
    reference: int | None
    pose: CameraPose | None
    tower: Tower


class Watched(Tagged, frozen=True):
    """`hand`: probability that a hand or arm is in the tower's region; `sleeve`: its colour if it is a player's; `moving`: share of the
    tower's region that changed since the previous frame; `changed`: the same against the reference; `shift_px`: the camera's own
    displacement against the reference; `tilt_deg`: how far the top plateau has tilted since the reference, with its standard deviation
    (90: nothing known); `fault`: a sentence if the picture is dark, blank, frozen, blurred (else empty)."""

    id: int
    camera: int
    frame: int
    hand: float
    sleeve: Colour | None
    moving: float
    changed: float
    shift_px: float
    fault: str = ""
    tilt_deg: float = 0.0
    tilt_sigma_deg: float = 90.0


class FindPose(Tagged, frozen=True):
    """Where is this camera? From the rig's printed markers in one frame. `believed`: where it was, to be told how far it has moved."""

    id: int
    camera: int
    frame: int
    believed: CameraPose | None = None


class Posed(Tagged, frozen=True):
    """The camera's pose, None with a sentence if it cannot be had; error of reprojection and what that means at the fifth floor;
    `moved_px`: how far the rig's markers are from where the believed pose has them (0: it stands where it stood)."""

    id: int
    camera: int
    pose: CameraPose | None
    markers: int
    error_px: float
    top_error_mm: float
    sentence: str = ""
    moved_px: float = 0.0


class Judge(Tagged, frozen=True):
    """Which of these happened between `before` and `after` (settled frames by message number, one per camera in the order of `poses`)?"""

    id: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    poses: tuple[CameraPose, ...]
    tower: Tower
    hypotheses: tuple[Hypothesis, ...]


class Opinion(msgspec.Struct, frozen=True):
    """One hypothesis's tempered log likelihood (natural log, best = 0 by convention) and the tower re-fitted under it (None: no fit)."""

    log_likelihood: float
    tower: Tower | None


class Judged(Tagged, frozen=True):
    """Opinions in the order of the hypotheses. `fit`: absolute goodness of the best one, 0 (does not explain the pictures) to 1;
    `unexplained_mm2`: changed picture area the best one leaves unexplained, at the tower's distance; `plateaus_seen`: for each plateau of
    the tower before, the share of its visible outline found in its place; `cameras`: pictures that could be used."""

    id: int
    opinions: tuple[Opinion, ...]
    fit: float
    unexplained_mm2: float
    plateaus_seen: tuple[float, ...]
    cameras: int
    sentence: str = ""


class Track(Tagged, frozen=True):
    """While hands were in: did any of these columns leave its place for a while? `frames` are (camera, message number) in time order."""

    id: int
    before: tuple[int, ...]
    frames: tuple[tuple[int, int], ...]
    poses: tuple[CameraPose, ...]
    tower: Tower
    columns: tuple[Column, ...]


class Trace(msgspec.Struct, frozen=True):
    """`log_odds` that the column was displaced at some time, and the frame that shows it best (message number)."""

    column: Column
    log_odds: float
    frame: int | None


class Tracked(Tagged, frozen=True):
    """The answer to a `Track` of the same `id`."""

    id: int
    traces: tuple[Trace, ...]
    sentence: str = ""


class EmptyView(msgspec.Struct, frozen=True):
    """The empty base as one camera saw it: the settled frame (message number) and where the camera stood then."""

    frame: int
    pose: CameraPose


class ReadTower(Tagged, frozen=True, omit_defaults=True):
    """What stands there, whatever was believed? One settled frame per camera (message numbers, in the order of `poses`); `expected` is one
    more place to start the search from; `empty`: what the cameras saw before anything stood, for those that saw it."""

    id: int
    frames: tuple[int, ...]
    poses: tuple[CameraPose, ...]
    expected: Tower
    empty: tuple[EmptyView, ...] = ()


class ColumnSeen(msgspec.Struct, frozen=True):
    """A column as read: how sure its kind is (0 to 1), and the share of its silhouette that the camera with the best view sees."""

    standing: Standing
    confidence: float
    visible: float


class TowerRead(Tagged, frozen=True, omit_defaults=True):
    """What was read; columns that no camera sees are not among `columns`. `unseen`: those of the expected tower that hardly any camera sees
    and nothing speaks against; an expected column in neither does not stand where it was expected. `fit` is the share of the tower's pixels
    that show what they should; not `usable`: the pictures do not look like a standing tower."""

    id: int
    columns: tuple[ColumnSeen, ...]
    plateaus: tuple[Laid, ...]
    fit: float
    usable: bool
    cameras: int
    sentence: str = ""
    unseen: tuple[Standing, ...] = ()


LookRequest: TypeAlias = Watch | FindPose | Judge | Track | ReadTower
LookAnswer: TypeAlias = Watched | Posed | Judged | Tracked | TowerRead
