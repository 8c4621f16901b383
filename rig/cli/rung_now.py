"""Which rung the game is on now: senses come and go in mid-game, and the screen says with which it goes on."""

from __future__ import annotations

from rig.cli.rungs import Rung, rung_of
from rig.dashboard.hub import Hub
from rig.engine.fold import Said
from rig.messages import Health, Message


def shown(rung: Rung) -> dict[str, object]:
    """As the hub's `info` has it."""
    return {"number": rung.number, "english": rung.english, "german": rung.german}


class RungNow:
    """A listener that tells the hub the rung of the senses that live, whenever it changes. One with a fault is still there."""

    def __init__(self, hub: Hub, cameras: int, base: bool) -> None:
        """`cameras`, `base`: the senses the game was begun with; all are taken to live until one is missed."""
        self._hub, self._base = hub, base
        self._cameras = frozenset(range(1, cameras + 1))
        self._told: Rung | None = None
        self._tell(rung_of(cameras, base))

    def heard(self, message: Message, said: Said) -> None:  # noqa: ARG002
        """Called by the session for every message."""
        if said.view is None:
            return
        dead = {source for source, news in said.view.health.items() if news.health in (Health.LOST, Health.STALE)}
        cameras = [number for number in self._cameras if f"camera {number}" not in dead]
        self._tell(rung_of(len(cameras), self._base and "base" not in dead))

    def _tell(self, rung: Rung) -> None:
        if rung != self._told:
            self._told = rung
            self._hub.info({"rung": shown(rung)})
