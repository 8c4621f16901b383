"""What a recording says about the software that made it, so that a replay that differs can be explained.

The schema's version is the recorder's own to add; firmware and profile are known to the wiring alone.
"""

from __future__ import annotations

import hashlib
import platform
from importlib import metadata

_DISTRIBUTION = "villa-paletti-rig"


def versions(firmware: str, profile: str) -> dict[str, str]:
    """The header's entries `code`, `lock`, `python`, `machine`, `firmware`, `profile`.

    `lock` names every installed library the code asks for with its version, and ends in a short digest of them all. `firmware` and
    `profile` are given as they should be read ("1.0, protocol 3", "nominal, version 1").
    """
    wanted = metadata.requires(_DISTRIBUTION) or []
    names = sorted({name for line in wanted if "extra ==" not in line for name in [_bare(line)]})
    listed = ", ".join(f"{name} {metadata.version(name)}" for name in names)
    digest = hashlib.sha256(listed.encode()).hexdigest()[:12]
    return {
        "code": metadata.version(_DISTRIBUTION),
        "lock": f"{listed} ({digest})",
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "firmware": firmware,
        "profile": profile,
    }


def _bare(requirement: str) -> str:
    """The name in a requirement line such as `mcap>=1.3`."""
    for end, letter in enumerate(requirement):
        if not (letter.isalnum() or letter in "-_."):
            return requirement[:end]
    return requirement
