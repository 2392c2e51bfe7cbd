"""The way of a program through the house, taken from a real run: which room calls which, for one verb."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import fencepost

SOURCE = str(Path(fencepost.__file__).parent) + "/"
#: Helpers that every room uses: they are no hop on the way.
_EVERYWHERE = ("records", "paths", "errors", "display", "_version", "__init__")


def rooms_of(run: Callable[[], object]) -> list[str]:
    """The rooms in the order in which a call first comes to them from another one."""
    found: dict[str, None] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(SOURCE) or frame.f_code.co_name == "<module>":
            return
        room, caller = _room(frame), frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(SOURCE):
            caller = caller.f_back
        if (caller is None or _room(caller) != room) and room not in _EVERYWHERE:
            found.setdefault(room)

    run()  # what is imported or made once is no part of the way
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return list(found)


def _room(frame: FrameType) -> str:
    return frame.f_code.co_filename[len(SOURCE) :].removesuffix(".py").partition("/")[0]
