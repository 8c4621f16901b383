"""The web server: Werkzeug's threaded one, quietly, on a port that is really free.

One thread a connection, so streams never use up the threads that answer "/". Meant for a table's own network, by default this machine
alone; whoever opens it to others says so with the host.
"""

from __future__ import annotations

import errno
import logging
import socket
import threading
from types import TracebackType
from typing import Any

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from rig.dashboard.hub import Hub
from rig.errors import PalettiError

DEFAULT_PORT = 8080

_EVERYWHERE = ("", "0.0.0.0", "::")
_HERE = ("127.0.0.1", "localhost", "::1")
_NOWHERE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737), which nobody has."""

_log = logging.getLogger("rig.dashboard")


class _Quiet(WSGIRequestHandler):
    """No line for every request; errors go to the program's own log."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        del code, size

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002
        _log.log(logging.ERROR if type == "error" else logging.DEBUG, message, *args)


class Server:
    """The page being served, in a thread of its own, until closed."""

    def __init__(self, app: Flask, hub: Hub, host: str = "127.0.0.1", port: int = DEFAULT_PORT) -> None:
        """Serve at once. Port 0 takes any free one. PalettiError if the address cannot be had."""
        listening = _listen(host, port)
        self._hub = hub
        self._server = make_server(host, listening.getsockname()[1], app, threaded=True, request_handler=_Quiet, fd=listening.fileno())
        listening.close()  # the server has a duplicate of its own
        self.host = host
        self.port: int = self._server.port
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="dashboard", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """What to type into a browser on this machine."""
        return self._url("127.0.0.1" if self.host in _EVERYWHERE else self.host)

    @property
    def url_from_elsewhere(self) -> str | None:
        """What to type into a phone on the same network; None if the page is served to this machine alone."""
        if self.host not in _EVERYWHERE:
            return None if self.host in _HERE else self.url
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(_NOWHERE)  # datagrams: this sends nothing, but chooses the address that others see
            except OSError:
                return None
            return self._url(str(probe.getsockname()[0]))

    def _url(self, host: str) -> str:
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    def close(self) -> None:
        """End all streams and stop serving."""
        self._hub.close()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise PalettiError(f"There is no port {port}.", "Ports are numbers from 1 to 65535; 0 takes any free one.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except PermissionError as error:
        listening.close()
        raise PalettiError(f"Port {port} may not be used by this user.", "Choose one above 1023 with --port.") from error
    except socket.gaierror as error:
        listening.close()
        raise PalettiError(
            f"There is no address called {host}.", "Use 127.0.0.1 for this machine alone, 0.0.0.0 for the whole network."
        ) from error
    except OSError as error:
        listening.close()
        sentence = (
            f"Port {port} on {host} is already in use."
            if error.errno == errno.EADDRINUSE
            else f"Port {port} on {host} cannot be had: {error.strerror}."
        )
        raise PalettiError(sentence, "Stop the other program (perhaps another paletti), or choose another port with --port.") from error
    return listening
