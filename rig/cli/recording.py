"""A session's recording and all that is said about it: on the screen, at the terminal, and at the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rig.dashboard.hub import Hub
from rig.live.listeners import RecordingListener
from rig.live.session import Session
from rig.messages import Input, ProfileSet, Resumed
from rig.profile import Profile, to_json
from rig.recording import Keep, Parts, Recorder, Words, forget_pictures, versions


class SessionRecording:
    """Records a session; `listener` is to be among its listeners."""

    def __init__(self, path: Path, firmware: str, profile: Profile, hub: Hub, keeps: Sequence[Keep] = ()) -> None:
        """PalettiError if nothing can be recorded at `path`."""
        size_bytes = min((keep.size_bytes for keep in keeps if keep.size_bytes is not None), default=None)
        days = min((keep.days for keep in keeps if keep.days is not None), default=None)
        if days is not None and (names := forget_pictures(path.resolve().parent, days)):
            print(f"Pictures older than {days:g} days taken out of {', '.join(names)}.", flush=True)
        self._hub, self._profile = hub, profile
        self._session: Session | None = None
        self._parts = Parts(path, _header(firmware, profile), Words(self._beginning, self._told), keep_bytes=size_bytes)
        self.listener = RecordingListener(self._parts)
        hub.info({"recording": path.name, "trouble": ""})

    def follow(self, session: Session) -> None:
        """The session whose game a new file begins with."""
        self._session = session

    def close(self) -> str:
        """Close the file; what there is to say at the end."""
        self._parts.close()
        names = ", ".join(str(path) for path in self._parts.paths)
        return f"Recorded to {names}." + (f" {self._parts.trouble}" if self._parts.trouble else "")

    def _beginning(self) -> list[Input]:
        if self._session is None:
            return []
        referee = self._session.fold.referee
        return [ProfileSet(profile_json=to_json(self._profile)), Resumed(record=referee.book.record(), tower=referee.tower)]

    def _told(self, trouble: str, sentence: str) -> None:
        print(f"  {sentence}", file=sys.stderr, flush=True)
        self._hub.info({"recording": "" if trouble else self._parts.path.name, "trouble": trouble})


def recorder_for(path: Path, firmware: str, profile: Profile) -> Recorder:
    """A recorder of one file, with the header that says what made the recording."""
    return Recorder(path, _header(firmware, profile))


def _header(firmware: str, profile: Profile) -> dict[str, str]:
    return versions(firmware=firmware, profile=f"{profile.name} (version {profile.version})")
