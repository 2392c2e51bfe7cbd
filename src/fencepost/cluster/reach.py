"""Whether somebody answers at an address, before anything is built upon it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fencepost.errors import UsageError

_LOGS = ("distributed", "distributed.client", "tornado", "tornado.application", "asyncio")
_PATIENCE = 10.0  # seconds for an answer: a busy machine takes its time


def refuse_silent(option: str, address: str, settings: Any) -> None:
    """Raises UsageError where no dask scheduler answers there, or where we cannot show it a certificate."""
    if address.startswith("tls:") and settings.tls_client_cert is None:
        raise UsageError(f"{option} {address}: TLS needs --certificates FOLDER")
    try:
        with quiet():
            asyncio.run(asyncio.wait_for(_asked(address, settings), _PATIENCE))
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        said = str(error.__cause__ or error).splitlines() or [f"no answer in {_PATIENCE:g} seconds"]
        raise UsageError(
            f"{option} {address}: nobody answers there, or it is no scheduler of dask: {said[0]}"
        ) from None


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
