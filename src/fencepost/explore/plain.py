"""Other executions with the errors of a program, found with a fixed amount of work: one of them may be easier to follow
than the one that was met first."""

from __future__ import annotations

from fencepost.errors import FencepostError
from fencepost.explore import native, reading
from fencepost.explore.begin import begin
from fencepost.explore.engines import NATIVE_MODELS
from fencepost.models.registry import Model
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.records import replace
from fencepost.verdict import Witness

#: Executions times events of one: not a time, so that what is told is always the same.
_EVENTS = 50_000
#: The same where the model is one of hardware, which takes longer.
_EVENTS_OF_PLANS = 5_000
#: An execution with more than so many times the events is no simpler story, and loops without an end are cut there.
_LONGER = 4
_SECONDS = 1.0  # for what the two do not bound; one looks up to three times
_MOST = 200  # executions with an error that are handed out


def other_errors(program: Program, model: Model, size: int, options: CheckOptions) -> list[Witness]:
    """What goes wrong under a model, several executions for each error, as far as one comes. `program` is one that all
    passes have gone over; `size`: the events of an execution of it. A race is not an error of sc. Of executions that
    differ in nothing but the order of what does not matter one is enough; where that is not enough to come to the
    error, they are left out."""
    ignored = (ErrorKind.RACE.value,) if model.name == "sc" else ()
    most = _EVENTS if model.name in NATIVE_MODELS else _EVENTS_OF_PLANS
    events = min(options.max_events, _LONGER * size + 100)
    short = CheckOptions(
        model=model.name, max_executions=max(most // max(size, 1), 1), max_events=events, keep_going=True,
        leaks=options.leaks, ignore=tuple(dict.fromkeys((*options.ignore, *ignored))), fix=False,
        time_limit=_SECONDS, reductions=False,
    )  # fmt: skip
    return _found(program, model, short) or _found(program, model, replace(short, reductions=True))


def _found(program: Program, model: Model, options: CheckOptions) -> list[Witness]:
    try:
        prepared, engine = begin(program, model, options)
        if prepared is None:
            return []
        report = native.erroneous(prepared, model, engine, options, _MOST)
    except FencepostError:  # a simpler story is a gift: without it the error is still told
        return []
    return reading.sort_findings(report, prepared, model.name, options)[1]
