"""Errors of a program that only needs its threads to take turns, found with a fixed amount of work."""

from __future__ import annotations

from fencepost.errors import FencepostError
from fencepost.explore import native, reading
from fencepost.explore.begin import begin
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.verdict import Witness

#: Executions times events of one: not a time, so that what is told is always the same.
_EVENTS = 50_000
#: An execution with more than so many times the events is no simpler story, and loops without an end are cut there.
_LONGER = 4
_SECONDS = 5.0  # for what the two do not bound


def plain_errors(program: Program, size: int, options: CheckOptions) -> list[Witness]:
    """What goes wrong under sc, one execution for each error, as far as one comes. `program` is one that all passes
    have gone over; `size`: the events of an execution of it. A race is not an error of sc."""
    sc = find("sc")
    ignore = tuple(dict.fromkeys((*options.ignore, ErrorKind.RACE.value)))
    events = min(options.max_events, _LONGER * size + 100)
    short = CheckOptions(
        model=sc.name, max_executions=max(_EVENTS // max(size, 1), 1), max_events=events, keep_going=True,
        leaks=options.leaks, ignore=ignore, fix=False, time_limit=_SECONDS,
    )  # fmt: skip
    try:
        prepared, engine = begin(program, sc, short)
        if prepared is None:
            return []
        report = native.run(prepared, sc, engine, short, None)
    except FencepostError:  # a simpler story is a gift: without it the error is still told
        return []
    return reading.sort_findings(report, prepared, sc.name, short)[1]
