"""A sense that has died in mid-game is left out, said in one sentence, and taken up again when it returns.

The referee works with what it hears: a camera without pictures is no live eye (`Senses.live_eyes`), a base without weights is no scale
(`Senses.scale_heard`). Here that is put into words: which sense, and with what the game goes on. What only follows from it (every cell of a
base that is silent is silent) is not said besides.
"""

from __future__ import annotations

from collections.abc import Mapping

from rig.messages import Health, SourceNews
from rig.referee.senses import Senses

_GONE = (Health.STALE, Health.LOST)


def with_left_out(t_s: float, senses: Senses, has_base: bool, health: Mapping[str, SourceNews]) -> dict[str, SourceNews]:
    """The news of every source, the dead ones in one sentence each. `has_base`: there are load cells at all."""
    told = dict(health)
    base_gone = has_base and "base" in told and told["base"].health in _GONE
    silent = [eye.camera for eye in senses.eyes.values() if 0 <= eye.frame_t_s <= t_s - senses.stale_s]
    living = [eye.camera for eye in senses.live_eyes(t_s)]
    goes_on = rest(living, has_base and not base_gone)
    for camera in silent:
        source = f"camera {camera}"
        told[source] = SourceNews(source=source, health=Health.LOST, sentence=f"Camera {camera} sends nothing. {goes_on}")
    if base_gone:
        told.pop("scale", None)
        told["base"] = SourceNews(source="base", health=Health.LOST, sentence=f"The base is silent: check its cable. {goes_on}")
    return told


def rest(cameras: list[int], base: bool) -> str:
    """With what the game goes on, in a sentence."""
    names = [f"camera{'s' * (len(cameras) > 1)} {_listed(list(map(str, cameras)))}"] if cameras else []
    names += ["the base"] if base else []
    return f"The game goes on with {_listed(names)}." if names else "The game goes on by taps at the desk."


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
