"""Who called whom, told beside the steps of a story: once for each call, not at every step in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from fencepost.program.operands import Position
from fencepost.witness.names import function_name
from fencepost.witness.sites import Called, foreign

_DEEPEST = 3  # calls that are told: further out, everybody knows
#: A step: its thread, the calls that it is in, innermost first, and the place where it is shown.
Standing = tuple[int, Sequence[Called], Position | None]


def callers(steps: Iterable[Standing], place: Callable[[Position | None], str]) -> list[str]:
    """For each step `in push, called at test.c:9`, where the thread was not there at its last step; else nothing."""
    found: list[str] = []
    last: dict[int, str] = {}
    for thread, calls, at in steps:
        text = _told(_from_shown(calls, at), place)
        found.append(text if text != last.get(thread, "") else "")
        last[thread] = text
    return found


def _told(calls: Sequence[Called], place: Callable[[Position | None], str]) -> str:
    levels = [
        f"in {function_name(callee.function)}, called at {place(caller.at)}" for callee, caller in pairwise(calls)
    ]
    return " ".join(levels[:_DEEPEST]) + (" ..." if len(levels) > _DEEPEST else "")


def _from_shown(calls: Sequence[Called], at: Position | None) -> list[Called]:
    """From the call that the step is shown in outwards; those of libraries are none of a reader's."""
    own = [c for c in calls if not foreign(c.at)]
    shown = next((n for n, c in enumerate(own) if c.at == at), 0)
    return own[shown:]
