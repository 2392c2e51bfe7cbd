"""How values show themselves in notebooks, without knowing how: the waist must not import the reports.

`fencepost/__init__.py` installs the renderer, which imports the reports when the first value is shown.
"""

from __future__ import annotations

from collections.abc import Callable

Renderer = Callable[[object, str], str | None]
_installed: list[Renderer] = []


def install(renderer: Renderer) -> None:
    """`renderer(value, form)` gives `html` or `svg` for a value, or None where it has no such form."""
    _installed[:] = [renderer]


def show(value: object, form: str) -> str | None:
    return _installed[0](value, form) if _installed else None
