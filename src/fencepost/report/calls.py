"""Who called whom, told beside the steps of a story: once for each call, not at every step in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fencepost.witness.names import function_name, short_file
from fencepost.witness.sites import Called, foreign
from fencepost.witness.story import Moment

_DEEPEST = 3  # calls that are told: further out, everybody knows


def callers(moments: Sequence[Moment]) -> dict[int, str]:
    """By the numbers of the steps: `in push, called at test.c:9`, where the thread was not there at its last step."""
    found: dict[int, str] = {}
    last: dict[int, str] = {}
    for m in moments:
        text = _told(m)
        if text != last.get(m.thread, ""):
            last[m.thread] = text
            if text:
                found[m.number] = text
    return found


def _told(m: Moment) -> str:
    calls = _from_shown(m)
    levels = [
        f"in {function_name(callee.function)}, called at {_place(caller)}"
        for callee, caller in pairwise(calls)
    ]  # fmt: skip
    return " ".join(levels[:_DEEPEST]) + (" ..." if len(levels) > _DEEPEST else "")


def _from_shown(m: Moment) -> list[Called]:
    """From the call that the step is shown in outwards; those of libraries are none of a reader's."""
    own = [c for c in m.calls if not foreign(c.at)]
    shown = next((n for n, c in enumerate(own) if c.at == m.at), 0)
    return own[shown:]


def _place(call: Called) -> str:
    return f"{short_file(call.at.file)}:{call.at.line}" if call.at is not None else "?"
