"""Whether somebody answers at an address, before anything is built upon it."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from fencepost.errors import UsageError

_LOGS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
_DEFAULT_PORT = 8786  # of dask
_PATIENCE = 10.0  # seconds for an answer: a busy machine takes its time


def refuse_silent(option: str, address: str, settings: Any) -> None:
    """Raises UsageError where no dask scheduler answers there, or where we cannot show it a certificate."""
    if address.startswith("tls:") and settings.tls_client_cert is None:
        raise UsageError(f"{option} {address}: TLS needs --certificates FOLDER")
    try:
        _knock(address)
        with quiet():
            asyncio.run(asyncio.wait_for(_asked(address, settings), _PATIENCE))
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"{option} {address}: nobody answers there, or it is no scheduler of dask: {_said(error)}"
        ) from None


def _knock(address: str) -> None:
    """Dask tries again and again where nobody listens; that is known at once."""
    place = urlsplit(address)
    socket.create_connection((place.hostname, place.port or _DEFAULT_PORT), _PATIENCE).close()


def _said(error: BaseException) -> str:
    """Its first line, without the names of dask's own objects."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = str(error.__cause__ or error).splitlines() or [f"no answer in {_PATIENCE:g} seconds"]
    return re.sub(r"^in <[^>]*>: ", "", lines[0])


async def _asked(address: str, settings: Any) -> None:
    from distributed import rpc

    scheduler = rpc(address, connection_args=settings.get_connection_args("client"), timeout=_PATIENCE)
    try:
        await scheduler.identity()
    finally:
        await scheduler.close_rpc()


@contextmanager
def quiet() -> Iterator[None]:
    """Dask tells on its own log what we tell in our words."""
    loggers = [logging.getLogger(n) for n in _LOGS]
    before = [x.level for x in loggers]
    for x in loggers:
        x.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for x, level in zip(loggers, before, strict=True):
            x.setLevel(level)
