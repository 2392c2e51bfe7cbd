"""The one function that dask carries to workers as code: it calls one of ours by its name there.

Were it named to dask as most functions are, a worker that lacks fencepost could not even read the message, and would
end its connection. So, whoever has no fencepost says so, and goes on with other work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_CODE = """
def enter(place, argument):
    from pkgutil import resolve_name

    return resolve_name(place)(argument)
"""


def _made() -> Callable[[str, Any], Any]:
    """In a module that nobody can import: so it travels as code."""
    space: dict[str, Any] = {"__name__": "__fencepost__"}
    exec(_CODE, space)
    made: Callable[[str, Any], Any] = space["enter"]
    return made


enter = _made()
