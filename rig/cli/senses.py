"""Which senses `paletti run` has: cameras and base, from the command line or `paletti.toml`. What nobody names is not there.

The command line wins over the file. Any sense may be missing; the file too, if the command line names a sense.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from rig import profile as profiles
from rig.base.port import Port
from rig.cli.configuration import configuration, list_of
from rig.cli.resume import Begun
from rig.cli.rungs import Rung, rung_of
from rig.errors import PalettiError
from rig.profile import Profile
from rig.profile.nominal import nominal_profile

CONFIG = Path("paletti.toml")
NONE, ONLY_ONE = "none", "auto"
"""No camera at all; the only USB serial port there is."""


@dataclass(frozen=True, slots=True)
class Senses:
    """What there is to listen to and look through; nothing at all where the desk keeps score alone."""

    profile: Profile
    port: Port | None = None
    urls: tuple[str, ...] = ()
    turns_deg: tuple[int, ...] = ()

    @property
    def rung(self) -> Rung:
        return rung_of(len(self.urls), self.port is not None)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", type=Path, metavar="FILE", help="the rig's configuration (default paletti.toml)")
    cameras = "the cameras' addresses, in the profile's order, or none (default: those of the configuration)"
    parser.add_argument("--cameras", nargs="+", metavar="URL", help=cameras)
    parser.add_argument("--turn", type=int, nargs="+", metavar="DEG", help="with --cameras: by how much each is turned: 0, 90, 180 or 270")
    base = parser.add_mutually_exclusive_group()
    base.add_argument("--base", metavar="PORT", help="the base's serial port, or auto for the only USB one (default: the configuration's)")
    base.add_argument("--no-base", action="store_true", help="play without the base, even if the configuration names one")
    parser.add_argument("--no-sensors", action="store_true", help="no cameras, no base: the desk alone keeps score, facts by tap")


def senses_of(options: argparse.Namespace, begun: Begun | None) -> Senses:
    """The senses told, with a profile that knows no others. `begun`: the resumed game, whose set the desk alone goes on with. PalettiError
    for what does not go together."""
    if options.turn is not None and options.cameras is None:
        raise PalettiError("--turn turns the cameras that --cameras names.", "Name them, or write turn_deg into the configuration.")
    if options.no_sensors:
        if options.cameras not in (None, [NONE]) or options.base is not None:
            raise PalettiError("--no-sensors plays without cameras and base.", "Leave it out, or leave out --cameras and --base.")
        return _desk_alone(options.config or CONFIG, begun)
    config = _configured(options)
    urls, turns = _cameras(options, config)
    port = _port(options, config)
    if port is None and not urls:
        return _desk_alone(options.config or CONFIG, begun)
    named = _named_profile(config)
    profile = profiles.load(Path(named)) if named else nominal_profile(cameras=len(urls))
    if len(turns) != len(urls) or (urls and len(profile.cameras) != len(urls)):
        raise PalettiError(
            f"Named are {len(urls)} cameras and {len(turns)} turns; the profile knows {len(profile.cameras)} cameras.",
            "Make them agree, or calibrate again.",
        )
    if port is not None and not profile.cells:
        raise PalettiError(
            f"The profile {profile.name!r} knows no load cells.", "Play without the base (--no-base), or name the profile of that base."
        )
    return Senses(
        msgspec.structs.replace(profile, cells=profile.cells if port else (), cameras=profile.cameras if urls else ()),
        port,
        tuple(urls),
        tuple(turns),
    )


def _desk_alone(path: Path, begun: Begun | None) -> Senses:
    """The set of the resumed game, else of the configured profile, else the nominal one; without its cells and cameras."""
    if begun is not None:
        return Senses(msgspec.structs.replace(begun.profile, cells=(), cameras=()))
    named = _named_profile(configuration(path)) if path.exists() else None
    profile = profiles.load(Path(named)) if named else nominal_profile()
    return Senses(msgspec.structs.replace(profile, cells=(), cameras=()))


def _configured(options: argparse.Namespace) -> dict[str, Any]:
    """The configuration; an empty one if there is no file, none was asked for, and the command line names a sense."""
    if options.config is None and not CONFIG.exists() and (options.cameras is not None or options.base is not None):
        return {}
    return configuration(options.config or CONFIG)


def _cameras(options: argparse.Namespace, config: dict[str, Any]) -> tuple[Sequence[str], Sequence[int]]:
    """Addresses and turns (degrees, clockwise)."""
    if options.cameras is None:
        urls = list_of(config, "cameras", str, ["0"]) if "cameras" in config else []
        return urls, list_of(config, "turn_deg", int, [0] * len(urls)) if urls else []
    if NONE not in options.cameras:
        return options.cameras, options.turn or [0] * len(options.cameras)
    if len(options.cameras) > 1 or options.turn:
        raise PalettiError("--cameras none stands alone: no camera can be named or turned beside it.", "Leave out one or the other.")
    return [], []


def _port(options: argparse.Namespace, config: dict[str, Any]) -> Port | None:
    """The base's port; None where nobody names one."""
    if options.no_base:
        return None
    named = options.base if options.base is not None else config.get("base")
    if named is None:
        return None
    if not isinstance(named, str):
        raise PalettiError("In the configuration, base must be a text.", 'For example base = "/dev/ttyUSB0", or "auto" for the only one.')
    return Port("" if named == ONLY_ONE else named)


def _named_profile(config: dict[str, Any]) -> str | None:
    named = config.get("profile")
    if named is not None and not isinstance(named, str):
        raise PalettiError("In the configuration, profile must be a text.", 'For example profile = "profile.json".')
    return named
