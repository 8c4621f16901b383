"""The live page: what the referee believes and rules, the desk, and the archive of recordings."""

from rig.dashboard.app import create_app
from rig.dashboard.desk_routes import Actions
from rig.dashboard.door import Access, Role
from rig.dashboard.gate import Limits
from rig.dashboard.hub import Hub
from rig.dashboard.server import DEFAULT_PORT, Server

__all__ = ["DEFAULT_PORT", "Access", "Actions", "Hub", "Limits", "Role", "Server", "create_app"]
