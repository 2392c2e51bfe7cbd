"""Starts the playground on loopback."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from fencepost.errors import UsageError
from fencepost.serve.app import Limits, Playground

_HOST = "127.0.0.1"


def serve(port: int, limits: Limits, *, browser: bool, told: Callable[[str], None], token: str | None = None) -> None:
    """Until Ctrl-C. `told` is called with the address once it can be opened. Port 0 is any free one."""
    listener = _listen(port)
    number = listener.getsockname()[1]
    token = token or secrets.token_urlsafe(18)
    hosts = frozenset(f"{name}:{number}" for name in (_HOST, "localhost"))
    app = Playground(token, hosts, limits).app()
    settings = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, lifespan="off")
    address = f"http://{_HOST}:{number}/?token={token}"
    told(address)
    if browser:
        webbrowser.open(address)
    uvicorn.Server(settings).run(sockets=[listener])


def _listen(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((_HOST, port))
        listener.listen(128)  # who opens the address before the server runs waits, and is not refused
    except OverflowError:
        listener.close()
        raise UsageError(f"--port {port}: expected a number below 65536") from None
    except OSError as error:
        listener.close()
        raise UsageError(f"--port {port}: {error.strerror}; --port 0 takes any that is free") from None
    return listener
