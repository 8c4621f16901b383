"""`paletti calibrate pieces`: the set at hand, its pieces set down one by one on the base: outlines, sizes, masses, colours, the split.

Live, the person is asked for one piece after the other and the scale weighs each. From files, `--steps FILE.json` says which pictures
belong to which piece: {"empty": ["c1.png", "c2.png"], "pieces": [{"images": ["a1.png", "a2.png"], "grams": 11.4}, ...]}, names relative to
that file; each piece is alone on the base unless "stays" is true, in which case the next one is looked at beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from calibration.pieces import ColumnMeasured, PieceShown, PlateauMeasured, SetReport, look_at, set_of
from calibration.pieces_guide import Pictures, guide, with_poses, words_of
from rig.cli.files import read_picture, read_profile, write_profile
from rig.errors import PalettiError
from rig.live.live_pictures import LivePictures
from rig.live.set_downs import SetDowns
from rig.profile import Profile

Picture = npt.NDArray[np.uint8]


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
    """Add this command, its options and its example."""
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


def run(options: argparse.Namespace, asking: Callable[[str], str] | None = None) -> int:
    """Carry the command out; the exit code. PalettiError for what cannot be used."""
    ask: Callable[[str], str] = asking or input
    tell: Callable[[str], None] = (lambda _: None) if options.json else print
    if options.steps:
        profile, seen = _from_files(options, tell)
    else:
        profile = read_profile(options.profile, len(options.live))
        with LivePictures(options.live, _sizes(profile, len(options.live)), options.turn or [0] * len(options.live)) as live:

            def take() -> Pictures:
                return {number: live.next(number)[1] for number in range(1, len(options.live) + 1)}

            scale = SetDowns(profile, options.base, lambda: live.now_s) if options.base is not None else None
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


def _from_files(options: argparse.Namespace, tell: Callable[[str], None]) -> tuple[Profile, list[ColumnMeasured | PlateauMeasured]]:
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


def _placements(folder: Path, steps: StepFile, empty: Pictures) -> Iterator[tuple[PieceShown, str]]:
    before = empty
    for piece in steps.pieces:
        after = _named(folder, piece.images)
        yield PieceShown(before, after, piece.grams), piece.images[0]
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
