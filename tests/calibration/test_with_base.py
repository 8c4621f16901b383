"""The live procedures end to end: the real firmware behind a serial port, cameras behind http:// addresses, a person who does as asked."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from rig import profile as profiles
from rig.base import firmware_tool
from rig.cli import main
from rig.profile import Profile
from rig.profile.nominal import nominal_profile
from rig.twin.pictures.cameras import draw_camera_poses
from tests.live.live_table import LiveTable

pytestmark = pytest.mark.skipif(not firmware_tool.has_simulator(), reason="the AVR tools are missing: `paletti firmware build` was not run")

SEED = 6901
NOMINAL = nominal_profile(2, width_px=540, height_px=960)
DELAYS_S = {1: 0.06, 2: 0.13}


def posed(profile: Profile) -> Profile:
    poses = draw_camera_poses(len(profile.cameras), SEED)
    cameras = tuple(msgspec.structs.replace(camera, pose=pose) for camera, pose in zip(profile.cameras, poses, strict=True))
    return msgspec.structs.replace(profile, cameras=cameras)


BUSY_S = 0.03
"""A stand-in for the base that has fallen farther behind real time proves nothing by a delay that is off."""
TRIES = 3


def test_check_times_every_camera_by_the_light_on_the_bases_own_pin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known, out = tmp_path / "known.json", tmp_path / "timed.json"
    known.write_text(profiles.to_json(posed(NOMINAL)))
    for _ in range(TRIES):
        with LiveTable(NOMINAL, SEED, DELAYS_S) as table:
            base = ["--base", table.port, "--profile", str(known), "--out", str(out), "--json"]
            code = main(["calibrate", "check", "--live", *table.urls, *base])
            late_s = table.late_s
        told = json.loads(capsys.readouterr().out)
        assert not any(camera["sentences"] for camera in told["cameras"])
        delays = {delay["camera"]: delay["delay_s"] or 0.0 for delay in told["delays"]}
        added = {number: delays[number] - delay_s for number, delay_s in DELAYS_S.items()}
        # what comes on top of the stand-in's own delay is taking the picture in: reading, decoding, encoding
        if code == 0 and all(-0.01 < more_s < 0.045 for more_s in added.values()):
            assert {camera.number: camera.lag_s for camera in profiles.load(out).cameras} == pytest.approx(delays, abs=1e-3)
            return
        assert late_s > BUSY_S, told
    pytest.skip(f"this machine is too busy for real time: the simulated base fell {1e3 * late_s:.0f} ms behind")
