"""Fencepost: model checking for weak memory.

import fencepost
verdict = fencepost.check("queue.c", model="rc11")
"""

from __future__ import annotations

from fencepost import display
from fencepost._version import __version__

_PUBLIC = (
    "check",
    "robust",
    "replay",
    "outcomes",
    "executions",
    "estimate",
    "read",
    "model_names",
    "doctor",
    "print_program",
)
__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name: str) -> object:
    """The public functions, imported when they are first used: `fencepost --help` must not wait for them."""
    if name in _PUBLIC:
        from fencepost import api

        return getattr(api, name)
    raise AttributeError(f"module 'fencepost' has no attribute {name!r}")


def _notebook(value: object, form: str) -> str | None:
    from fencepost import api

    return api.notebook(value, form)


display.install(_notebook)


def __dir__() -> list[str]:
    return sorted(__all__)
