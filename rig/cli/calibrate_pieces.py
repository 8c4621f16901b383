"""`paletti calibrate pieces`: the set at hand, its pieces set down one by one on the base: outlines, sizes, masses, colours, the split.

Live, the person is asked for one piece after the other and the scale weighs each. From files, `--steps FILE.json` says which pictures
belong to which piece: {"empty": ["c1.png", "c2.png"], "pieces": [{"images": ["a1.png", "a2.png"], "grams": 11.4}, ...]}, names relative to
that file; each piece is alone on the base unless "stays" is true, in which case the next one is looked at beside it.
"""

from __future__ import annotations

import argparse
import queue
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from calibration.pieces import ColumnSeen, Placed, PlateauSeen, SetReport, look_at, set_of
from calibration.pose import pose_cameras
from rig.base.fold import BaseFold
from rig.base.port import Port
from rig.cli.live_pictures import LivePictures
from rig.cli.look import read_picture
from rig.cli.writing import read_profile, write_profile
from rig.errors import PalettiError
from rig.live.realtime import SerialSource
from rig.messages import BaseBytes, Input, StepKind, Stepped
from rig.profile import Profile

Picture = npt.NDArray[np.uint8]
Pictures = dict[int, Picture]

WEIGH_S = 4.0
"""How long the scale may take to settle after a piece is set down."""


class PieceFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One piece in a steps file."""

    images: list[str]
    grams: float | None = None
    stays: bool = False


class StepFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A steps file."""

    empty: list[str]
    pieces: list[PieceFiles]


def add(what: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    pieces = what.add_parser("pieces", help="the set at hand, its pieces set down one by one", description=__doc__)
    source = pieces.add_mutually_exclusive_group(required=True)
    source.add_argument("--steps", type=Path, metavar="FILE.json", help="pictures and grams of each piece")
    source.add_argument("--live", nargs="+", metavar="URL", help="all cameras by address, in order")
    pieces.add_argument("--turn", type=int, nargs="+", metavar="DEG", help="by how much each live camera is turned: 0, 90, 180 or 270")
    pieces.add_argument("--base", metavar="URL", help="with --live: the base's port, which weighs each piece")
    pieces.add_argument("--profile", type=Path, help="the profile to begin with (default: the nominal one)")
    pieces.add_argument("--out", type=Path, default=Path("profile.json"), metavar="FILE", help="where to write it (default profile.json)")
    pieces.add_argument("--json", action="store_true", help="print JSON")
    pieces.set_defaults(run=run)


def run(options: argparse.Namespace, ask: Callable[[str], str] = input) -> int:
    tell: Callable[[str], None] = (lambda _: None) if options.json else print
    if options.steps:
        profile, seen = _from_files(options, tell)
    else:
        profile = read_profile(options.profile, len(options.live))
        with LivePictures(options.live, _sizes(profile, len(options.live)), options.turn or [0] * len(options.live)) as live:

            def take() -> Pictures:
                return {number: live.next(number)[1] for number in range(1, len(options.live) + 1)}

            scale = Scale(profile, options.base, lambda: live.now_s) if options.base is not None else None
            try:
                profile, seen = guide(profile, take, scale.step_g if scale is not None else lambda: None, ask, tell)
            finally:
                if scale is not None:
                    scale.close()
    report = set_of(profile, seen)
    if options.json:
        sys.stdout.write(msgspec.json.encode(_told(report)).decode() + "\n")
    else:
        for sentence in report.sentences:
            print(sentence)
    write_profile(options.out, report.profile, quiet=options.json)
    return 0


def guide(
    profile: Profile,
    take: Callable[[], Pictures],
    step_g: Callable[[], float | None],
    ask: Callable[[str], str],
    tell: Callable[[str], None],
) -> tuple[Profile, list[ColumnSeen | PlateauSeen]]:
    """Asks for one piece after the other until told `done`: looks, weighs, says what it saw; what cannot be read is asked for again.

    `take` gives a picture a camera from now on, `step_g` the last settled step of weight (None: no scale).
    """
    ask("Take everything off the base and your hands out of the picture, then press Enter.")
    before = take()
    posed = with_poses(profile, before)
    seen: list[ColumnSeen | PlateauSeen] = []
    while True:
        said = ask(f"Piece {len(seen) + 1}: set it down in the middle (columns upright, plateaus flat), then Enter; or write done.")
        if said.strip().lower() in ("done", "d"):
            return posed, seen
        mass_g = step_g()
        try:
            one = look_at(posed, Placed(before, take(), mass_g))
        except PalettiError as error:
            tell(str(error))
        else:
            seen.append(one)
            tell(words_of(one))
        ask("Take it off again, then press Enter.")
        before = take()


def words_of(one: ColumnSeen | PlateauSeen) -> str:
    weight = "not weighed" if one.mass_g is None else f"{one.mass_g:.1f} g"
    if isinstance(one, PlateauSeen):
        return f"  a plateau of {one.area_mm2 / 100:.0f} cm², {one.size.thickness_mm:.1f} mm thick, {weight}"
    standing = one.standing
    return f"  a {one.colour} column, {2 * standing.half_width_mm:.1f} mm wide, {standing.height_mm:.1f} mm high, {weight}"


def with_poses(profile: Profile, pictures: Pictures) -> Profile:
    """The profile with the poses that these pictures show, so that a camera moved since is no trouble."""
    return pose_cameras(profile, {number: [picture] for number, picture in pictures.items()})[0]


def _from_files(options: argparse.Namespace, tell: Callable[[str], None]) -> tuple[Profile, list[ColumnSeen | PlateauSeen]]:
    try:
        steps = msgspec.json.decode(options.steps.read_bytes(), type=StepFile)
    except OSError as error:
        raise PalettiError(f"The file {options.steps} cannot be read: {error.strerror}.", "Name an existing file with --steps.") from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise PalettiError(
            f"{options.steps} does not say which pictures belong to which piece: {error}.", "See --help for its form."
        ) from error
    folder = options.steps.parent
    if any(len(piece.images) != len(steps.empty) for piece in steps.pieces) or not steps.empty:
        raise PalettiError(
            f"In {options.steps} the pieces and the empty base are not shown by the same cameras.", "Name one picture a camera."
        )
    empty = _named(folder, steps.empty)
    profile = with_poses(read_profile(options.profile, len(steps.empty)), empty)
    seen = []
    for placed, name in _placements(folder, steps, empty):
        try:
            one = look_at(profile, placed)
        except PalettiError as error:
            raise PalettiError(f"{name}: {error.sentence}", error.hint) from error
        tell(f"{name}:{words_of(one)}")
        seen.append(one)
    return profile, seen


def _placements(folder: Path, steps: StepFile, empty: Pictures) -> Iterator[tuple[Placed, str]]:
    before = empty
    for piece in steps.pieces:
        after = _named(folder, piece.images)
        yield Placed(before, after, piece.grams), piece.images[0]
        before = after if piece.stays else empty


def _named(folder: Path, names: list[str]) -> Pictures:
    return {number: read_picture(folder / name) for number, name in enumerate(names, 1)}


def _sizes(profile: Profile, count: int) -> list[tuple[int, int]]:
    models = [profile.camera(number).model for number in range(1, count + 1)]
    return [(model.width_px, model.height_px) for model in models]


def _told(report: SetReport) -> dict[str, object]:
    columns = [
        {
            "colour": one.colour,
            "shape": shape,
            "mass_g": one.mass_g,
            "half_width_mm": round(one.standing.half_width_mm, 2),
            "height_mm": round(one.standing.height_mm, 2),
            "fit": round(one.standing.fit, 3),
        }
        for one, shape in report.columns
    ]
    plateaus = [
        {
            "plateau": floor.word,
            "area_mm2": round(one.area_mm2),
            "thickness_mm": one.size.thickness_mm,
            "mass_g": one.mass_g,
            "rgb": one.rgb,
        }
        for one, floor in report.plateaus
    ]
    return {"columns": columns, "plateaus": plateaus, "sentences": report.sentences}


class Scale:
    """The base's scale beside the questions: hears the port all the time, and tells the last settled set-down when asked."""

    def __init__(self, profile: Profile, url: str, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._inbox: queue.SimpleQueue[tuple[float, Input]] = queue.SimpleQueue()
        self._fold = BaseFold(profile)
        self._source = SerialSource(Port(url), lambda _, payload: self._inbox.put((clock(), payload)))
        self._source.start()

    def step_g(self) -> float | None:
        """Grams of the last piece set down since asked before; None if none settles in time. PalettiError if the base does not speak."""
        until = self._clock() + WEIGH_S
        found: float | None = None
        while self._clock() < until:
            try:
                t_s, payload = self._inbox.get(timeout=0.1)
            except queue.Empty:
                continue
            data = payload.data if isinstance(payload, BaseBytes) else b""
            for reading in self._fold.step(t_s, data):
                if isinstance(reading, Stepped) and reading.kind is StepKind.SET_DOWN:
                    found = reading.delta_g
            if found is not None and self._inbox.empty():
                return found
        if self._fold.device_s(self._clock()) is None:
            raise PalettiError("The base does not speak, so nothing can be weighed.", "Check its port with `paletti doctor`.")
        return found

    def close(self) -> None:
        self._source.close()
