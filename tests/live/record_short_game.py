"""Makes the recording that the replay test holds to its golden rulings.

`python -m tests.live.record_short_game`. Small set, small pictures.
"""

from __future__ import annotations

import time
from pathlib import Path

from rig.cli.screen import recorder_for
from rig.live.listeners import RecordingListener, RulingFile
from rig.live.pouring import Pace, pour
from rig.live.session import Session
from rig.pieces import PieceSet, Shape
from rig.twin.session import TwinSession
from rig.twin.setting import Devices, Party

DATA = Path(__file__).parents[1] / "data"
SEED = 11


def main() -> None:
    DATA.mkdir(exist_ok=True)
    target = DATA / "short_game.mcap"
    target.unlink(missing_ok=True)
    pieces = PieceSet.of({Shape.THICK: 1, Shape.THIN: 1})
    twin = TwinSession(
        SEED, party=Party(pieces=pieces, max_raises=1), devices=Devices(frame_rate=1.5, picture_px=(360, 640), base="standin")
    )
    recording = RecordingListener(recorder_for(target, twin.firmware_version, twin.profile))
    rulings = RulingFile(DATA / "short_game.rulings.jsonl")
    session = Session(twin.profile, [recording, rulings], on_ask=twin.ask)
    try:
        pour(twin, session, Pace(None, time.monotonic, time.sleep), limit_s=52.0)
    finally:
        session.close()
        twin.close()
        recording.close()
        rulings.close()
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, {session.t_s:.0f} s")


if __name__ == "__main__":
    main()
