"""What happened since an earlier `paletti look --json`, in one sentence, and what was shifted with it.

The earlier look names its pictures. The judge holds everything that may have happened against those and the pictures of now
(`vision.change.since`). Where they are gone, or the camera has been moved, only places are compared: columns have no names in a picture, so
those of one kind on one floor are paired so that the sum of their ways is least, and a column that changed its floor is not told.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from scipy.optimize import linear_sum_assignment

from rig.cli.files import read_picture
from rig.errors import PalettiError
from rig.messages import (
    Added,
    CameraPose,
    Fallen,
    Hypothesis,
    Laid,
    Moved,
    Nothing,
    PlateauLaid,
    Removed,
    Standing,
    Toppled,
    Tower,
)
from rig.pieces import Colour, Column, Floor, Shape
from rig.profile import Profile
from vision.appearance.reference import EmptyBase, reference_for
from vision.arrays import Picture
from vision.camera.view import CameraView
from vision.change.since import Happening, Shift, what_happened

PLAIN = 2.0
"""A shift of more than so many standard deviations is told to people."""


def load_look(path: Path) -> dict[str, Any]:
    """What an earlier look wrote; PalettiError if it is none."""
    hint = "Name a file that `paletti look --json` wrote."
    try:
        said = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise PalettiError(f"The look {path} cannot be read: {error.strerror}.", hint) from error
    except msgspec.DecodeError as error:
        raise PalettiError(f"{path} is no look as JSON: {error}.", hint) from error
    if not isinstance(said, dict) or said.get("version") != 1 or not all(_told(one) for one in _pieces(said)):
        raise PalettiError(f"{path} is no look as JSON, or one without uncertainties.", hint)
    return said


def _pieces(said: dict[str, Any]) -> list[Any]:
    plateaus, columns = said.get("plateaus"), said.get("columns")
    return [*plateaus, *columns] if isinstance(plateaus, list) and isinstance(columns, list) else [None]


def _told(one: Any) -> bool:
    names = ("x_mm", "y_mm", "yaw_deg", "sigma_mm")
    own = ("plateau", "yaw_sigma_deg") if isinstance(one, dict) and "plateau" in one else ("colour", "shape", "floor")
    return isinstance(one, dict) and all(isinstance(one.get(name), int | float) for name in names) and all(name in one for name in own)


def happened_since(earlier: dict[str, Any], pictures: Sequence[Picture], poses: Sequence[CameraPose], profile: Profile) -> Happening | None:
    """What the pictures say has happened; None where no camera's earlier picture can be compared with its picture of now."""
    was = _earlier_pictures(earlier)
    before, after, same = [], [], []
    for picture, pose in zip(pictures, poses, strict=True):
        view = CameraView.of(profile.camera(pose.camera).model, pose)
        found = reference_for(pose, view, [one for one in was if one.picture.shape == picture.shape])
        if found is not None:
            before.append(found.picture)
            after.append(picture)
            same.append(found.pose)
    return what_happened(tower_of(earlier, profile), before, after, same, profile) if same else None


def _earlier_pictures(earlier: dict[str, Any]) -> list[EmptyBase]:
    """The earlier look's pictures that are still there, with the poses it found."""
    found = []
    for path, camera in zip(earlier.get("pictures", []), earlier.get("cameras", []), strict=False):
        try:
            pose = CameraPose(camera["camera"], tuple(camera["rvec"]), tuple(camera["tvec_mm"]))
            found.append(EmptyBase(pose, read_picture(Path(path))))
        except (PalettiError, KeyError, TypeError):
            continue
    return found


def tower_of(said: dict[str, Any], profile: Profile) -> Tower:
    """The tower of a look; columns of a kind are numbered as they come. PalettiError if it names what the profile's box does not hold."""
    box: dict[tuple[Colour, Shape], list[Column]] = defaultdict(list)
    for column in profile.pieces.columns:
        box[column.kind].append(column)
    used: Counter[tuple[Colour, Shape]] = Counter()
    columns = []
    try:
        for one in said["columns"]:
            kind = Colour(one["colour"]), Shape(one["shape"])
            column = box[kind][used[kind]]
            used[kind] += 1
            floor = Floor.GROUND if one["floor"] == Floor.GROUND.word else Floor.parse(one["floor"])
            columns.append(Standing(column, floor, one["x_mm"], one["y_mm"], one["z_mm"], one["yaw_deg"]))
        plateaus = tuple(
            Laid(Floor.parse(one["plateau"]), one["x_mm"], one["y_mm"], one["z_mm"], one["yaw_deg"]) for one in said["plateaus"]
        )
    except (ValueError, KeyError, IndexError) as error:
        raise PalettiError("The earlier look is of another set than the profile's.", "Look anew with --json.") from error
    return Tower(tuple(columns), plateaus)


def happening_as_json(one: Happening) -> dict[str, Any]:
    """For the field `happened` of the JSON (`rig.cli.look_text`)."""
    shifted = [{"what": _name(shift.what), "mm": shift.mm, "turn_deg": shift.turn_deg} for shift in one.shifted]
    return {"sentence": sentence_of(one), "confidence": round(one.confidence, 4), "fit": one.fit, "shifted": shifted}


def sentence_of(one: Happening) -> str:
    """What happened, for people."""
    shifted = f" {', '.join(_shift_words(shift) for shift in one.shifted)}." if one.shifted else ""
    what = "Something was shifted." if isinstance(one.what, Nothing) and one.shifted else _words(one.what)
    return f"{what}{shifted} ({100 * one.confidence:.0f} % sure)"


def _shift_words(shift: Shift) -> str:
    turned = f", turned by {shift.turn_deg:+.1f} degrees" if abs(shift.turn_deg) >= 1.0 else ""
    return f"{_name(shift.what)} moved by {shift.mm:.1f} mm{turned}"


def _name(what: Column | Floor) -> str:
    return f"{what.word} plateau" if isinstance(what, Floor) else f"{what.colour} {what.shape} column"


def _words(what: Hypothesis) -> str:
    match what:
        case Nothing():
            return "Nothing has happened."
        case Moved(column=column, floor=floor):
            return f"A {_name(column)} was raised to {floor.word}."
        case Removed(column=column):
            return f"A {_name(column)} is gone."
        case Added(column=column, floor=floor):
            return f"A {_name(column)} stands on {floor.word} that was not seen before."
        case PlateauLaid(plateau=plateau):
            return f"The {plateau.word} plateau was laid."
        case Toppled(columns=columns):
            return f"Fallen over: {', '.join(_name(column) for column in columns)}."
        case Fallen():
            return "The tower has fallen."
        case _:
            return "Something else has happened: no single action explains the pictures."


def moved_since(earlier: dict[str, Any], now: dict[str, Any]) -> list[dict[str, Any]]:
    """For every piece that both looks saw how far it moved (`mm`, `sigma_mm`), plateaus with `turn_deg` and `turn_sigma_deg`."""
    found = []
    before = {one["plateau"]: one for one in earlier["plateaus"]}
    for one in now["plateaus"]:
        was = before.get(one["plateau"])
        if was is not None:
            turn = {
                "turn_deg": round(math.remainder(one["yaw_deg"] - was["yaw_deg"], 360.0), 2),
                "turn_sigma_deg": round(math.hypot(one["yaw_sigma_deg"], was["yaw_sigma_deg"]), 2),
            }
            found.append({"what": one["plateau"], **_way(was, one), **turn})
    return found + _columns_moved(earlier["columns"], now["columns"])


def _columns_moved(earlier: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[dict[str, Any]]:
    alike: dict[tuple[str, str, str], tuple[list[dict[str, Any]], list[dict[str, Any]]]] = defaultdict(lambda: ([], []))
    for k, columns in enumerate((earlier, now)):
        for one in columns:
            alike[one["colour"], one["shape"], one["floor"]][k].append(one)
    found = []
    for (colour, shape, floor), (were, are) in alike.items():
        ways = np.array([[math.hypot(a["x_mm"] - b["x_mm"], a["y_mm"] - b["y_mm"]) for b in are] for a in were]).reshape(
            len(were), len(are)
        )
        for i, j in zip(*linear_sum_assignment(ways), strict=True):
            found.append({"what": f"{colour} {shape}", "floor": floor, **_way(were[i], are[j])})
    return found


def _way(was: dict[str, Any], one: dict[str, Any]) -> dict[str, float]:
    mm = math.hypot(one["x_mm"] - was["x_mm"], one["y_mm"] - was["y_mm"])
    return {"mm": round(mm, 2), "sigma_mm": round(math.hypot(one["sigma_mm"], was["sigma_mm"]), 2)}


def as_lines(moved: list[dict[str, Any]]) -> list[str]:
    """Those that moved plainly, for people."""
    lines = []
    for one in moved:
        turned = abs(one.get("turn_deg", 0.0)) > PLAIN * one.get("turn_sigma_deg", math.inf)
        if one["mm"] > PLAIN * one["sigma_mm"] or turned:
            where = f" on {one['floor']}" if "floor" in one else f", turned {one['turn_deg']:+.1f} +-{one['turn_sigma_deg']:.1f} degrees"
            lines.append(f"moved: {one['what']} by {one['mm']:.1f} +-{one['sigma_mm']:.1f} mm{where}")
    return lines or ["nothing has plainly moved since"]
