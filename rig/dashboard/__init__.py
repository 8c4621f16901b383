"""The live page: what the referee believes and rules, the desk, and the archive of recordings."""

from rig.dashboard.app import Actions, create_app
from rig.dashboard.hub import Hub
from rig.dashboard.server import DEFAULT_PORT, Server

__all__ = ["DEFAULT_PORT", "Actions", "Hub", "Server", "create_app"]
