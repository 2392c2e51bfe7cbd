"""Loads the core with Ctrl-C held back: an interrupt while it registers its types would end the process with a message
of its own. What was held back is delivered right afterwards. Rooms that use the core import this first."""

from __future__ import annotations

import signal


def _load() -> None:
    if not hasattr(signal, "pthread_sigmask"):
        from fencepost import _core as _unguarded  # noqa: F401

        return
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        from fencepost import _core  # noqa: F401
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


_load()
