"""Fencepost: model checking for weak memory.

import fencepost
verdict = fencepost.check("queue.c", model="rc11")
"""

from __future__ import annotations

import sys
from types import ModuleType

from fencepost import display
from fencepost._version import __version__

_PUBLIC = (
    "check", "repair", "relax", "robust", "bounded", "outcomes", "outcomes_by_model", "executions", "estimate",
    "litmus", "explain", "generate", "compare", "replay", "read", "print_program", "model_names", "doctor",
)  # fmt: skip
__all__ = [*_PUBLIC, "__version__"]


def __getattr__(name: str) -> object:
    """The public functions, imported when they are first used: `fencepost --help` must not wait for them."""
    if name in _PUBLIC:
        from fencepost import api

        return getattr(api, name)
    if name == "errors":
        from importlib import import_module

        return import_module("fencepost.errors")
    raise AttributeError(f"module 'fencepost' has no attribute {name!r}")


def _notebook(value: object, form: str) -> str | None:
    from fencepost import api

    return api.notebook(value, form)


display.install(_notebook)


class _Package(ModuleType):
    """Some rooms have the names of public functions (`bounded`, `repair`): importing a room must not hide them."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _PUBLIC or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted(__all__)
