"""What a person needs to see why a judgement went wrong: before, after, the believed tower drawn over, the true tower drawn over."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from rig.bench.pair_judging import Answer, Judgement, words_of
from rig.bench.pair_truth import happened
from rig.bench.pairs import Pair
from rig.messages import CameraPose, Tower
from rig.profile import CameraModel, Profile
from vision.camera.view import CameraView
from vision.scene.overlay import draw_tower
from vision.scene.solids import region_box

Picture = npt.NDArray[np.uint8]

HEIGHT_PX = 640
OWN = ("all", "withheld")
"""Lists whose answers are shown."""


def write_wrong(folder: Path, pair: Pair, judgement: Judgement) -> list[Path]:
    """A picture for each wrong answer of the eyes' own, a row a camera; the files written."""
    written = []
    for name in OWN:
        answer = judgement.answers.get(name)
        if answer is not None and not answer.right:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{pair.acted.seed}-{pair.renderer}-{judgement.cameras}-{name}.png"
            cv2.imwrite(str(path), _panel(pair, judgement.cameras, name, answer))
            written.append(path)
    return written


def _panel(pair: Pair, cameras: int, name: str, answer: Answer) -> Picture:
    rows = [_row(pair, k, answer.tower if answer.tower is not None else pair.believed) for k in range(cameras)]
    width = max(row.shape[1] for row in rows)
    padded = [cv2.copyMakeBorder(row, 0, 0, 0, width - row.shape[1], cv2.BORDER_CONSTANT) for row in rows]
    head = np.zeros((28, width, 3), np.uint8)
    truth = happened(pair.acted)
    said = words_of(truth.hypothesis) if truth.hypothesis is not None else truth.what.value
    text = f"{pair.acted.seed} ({pair.acted.kind}) asked {name}: {words_of(answer.best)} at {answer.sure:.3f}; truth {said}"
    cv2.putText(head, text, (6, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (255, 255, 255), 1, cv2.LINE_AA)
    return np.concatenate([head, *padded])


def _row(pair: Pair, k: int, believed: Tower) -> Picture:
    """One camera: before, after, what is believed over after, what is so over after; cut to the tower."""
    true = _with_lens(pair.acted.true_set.profile, pair.true_poses[k], pair.lenses[k])
    before, after = pair.before[k], pair.after[k]
    shown = [
        before, after, draw_tower(after, pair.known, pair.poses[k], believed),
        draw_tower(after, true, pair.true_poses[k], pair.acted.after.tower),
    ]  # fmt: skip
    view = CameraView.of(pair.known.cameras[k].model, pair.poses[k])
    left, top, right, bottom = region_box(view, pair.known, pair.believed, margin_mm=40.0, room_mm=60.0)
    cut = [one[max(top, 0) : bottom, max(left, 0) : right] for one in shown]
    scale = HEIGHT_PX / cut[0].shape[0]
    return np.asarray(cv2.resize(np.concatenate(cut, axis=1), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)


def _with_lens(profile: Profile, pose: CameraPose, lens: CameraModel) -> Profile:
    cameras = tuple(msgspec.structs.replace(camera, model=lens) if camera.number == pose.camera else camera for camera in profile.cameras)
    return msgspec.structs.replace(profile, cameras=cameras)
