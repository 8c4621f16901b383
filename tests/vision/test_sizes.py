"""The eyes take every camera mode, whether or not its sides are multiples of what they shrink by."""

from __future__ import annotations

import numpy as np
import pytest

from rig.messages import CameraPose, Tower
from rig.profile.nominal import nominal_profile
from vision.frames.hands import region_of, shrunk_frame

BEFORE = CameraPose(camera=1, rvec=(1.3, 0.0, 0.0), tvec_mm=(0.0, 150.0, 900.0))


@pytest.mark.parametrize(
    ("width_px", "height_px"), [(360, 640), (480, 640), (480, 854), (720, 1280), (1080, 1920), (639, 801), (2304, 1296)]
)
@pytest.mark.parametrize("pose", [None, BEFORE])
def test_a_picture_and_its_regions_have_one_size(width_px: int, height_px: int, pose: CameraPose | None) -> None:
    profile = nominal_profile(1, width_px=width_px, height_px=height_px)
    seen = shrunk_frame(np.zeros((height_px, width_px, 3), np.uint8)).seen
    region = region_of(profile.camera(1), pose, profile, Tower())
    for mask in (region.tower, region.room, region.base, region.pieces):
        assert mask.shape == seen.shape[1:]
