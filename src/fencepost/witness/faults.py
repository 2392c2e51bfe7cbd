"""Errors of memory and of locks in the program's own words: what was touched, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Action, Kind
from fencepost.program.operands import Position
from fencepost.witness.case import Case

#: Errors whose events are the fault; of others they are only the last thing that happened.
_FAULTY_EVENTS = frozenset({
    ErrorKind.RACE, ErrorKind.USE_AFTER_FREE, ErrorKind.DOUBLE_FREE, ErrorKind.INVALID_FREE, ErrorKind.UNINITIALISED,
})  # fmt: skip


def standing(case: Case) -> Action | None:
    """The access that the thread of the error stands before."""
    run = case.replayed.runs.get(case.witness.error.thread) if case.replayed is not None else None
    return run.stopped if run is not None and run.stopped is not None and run.stopped.address else None


def is_fault(case: Case, e: Event) -> bool:
    """Whether the event itself is what went wrong, or one half of it."""
    error = case.witness.error
    return error.kind in _FAULTY_EVENTS and e.id in error.events and not _between_events(case)


def _between_events(case: Case) -> bool:
    """Whether the thread read a variable of its own that nobody wrote, which is no event: those named came before."""
    run = case.replayed.runs.get(case.witness.error.thread) if case.replayed is not None else None
    stopped = run.stopped if run is not None else None
    return stopped is not None and stopped.kind is Kind.ERROR and stopped.error is ErrorKind.UNINITIALISED


def thing(case: Case) -> str | None:
    """What the error is about, for the line that names it: `buf[4], past the end of buf (4 elements)`. Empty where the
    kind of error says it all, None where the engine's own message is as good as any."""
    error = case.witness.error
    known: dict[ErrorKind, Callable[[Case], str | None]] = {
        ErrorKind.NULL: lambda _: "", ErrorKind.OUT_OF_BOUNDS: _beyond, ErrorKind.USE_AFTER_FREE: _accessed,
        ErrorKind.UNINITIALISED: _accessed, ErrorKind.DOUBLE_FREE: _freed, ErrorKind.LEAK: _lost,
        ErrorKind.UNLOCK: _mutex,
    }  # fmt: skip
    return known[error.kind](case) if error.kind in known else None


def sentence(case: Case) -> str:
    """What is wrong, where the events alone do not say it; else empty."""
    error = case.witness.error
    if error.kind is ErrorKind.OUT_OF_BOUNDS and (place := _beyond(case)):
        return f"{case.names.subject(error.thread)} accesses {place}"
    if error.kind is ErrorKind.UNINITIALISED:
        return "" if _between_events(case) else _unwritten(case)
    return _not_held(case) if error.kind is ErrorKind.UNLOCK else ""


def lost(case: Case) -> dict[int, Position | None]:
    """The heap objects that nobody freed, and where they were made."""
    freed = {e.address for e in case.events if e.kind is EventKind.FREE}
    allocated = case.replayed.allocated if case.replayed is not None else {}
    return {start: at for start, at in allocated.items() if start not in freed}


def _at(case: Case, at: Position | None) -> str:
    return f" ({case.names.place(at)})" if at is not None else ""


def _blamed(case: Case) -> list[Event]:
    return [case.events[e] for e in case.witness.error.events]


def _beyond(case: Case) -> str | None:
    action = standing(case)
    return case.names.beyond(action.address, action.size) if action is not None else None


def _accessed(case: Case) -> str | None:
    """The place that was touched: by an event, or by what comes next."""
    if _between_events(case):
        return None
    touched: list[Event | Action] = [e for e in _blamed(case) if e.is_access]
    action = standing(case)
    if not touched and action is not None and action.kind in (Kind.READ, Kind.WRITE):
        touched = [action]
    return case.names.location(touched[-1].address) if touched else None


def _freed(case: Case) -> str | None:
    frees = [e for e in _blamed(case) if e.kind is EventKind.FREE]
    return case.names.piece(frees[0].address) if frees else None


def _lost(case: Case) -> str | None:
    found = [case.names.piece(start) for start in lost(case)]
    return f"{', '.join(found)} {'is' if len(found) == 1 else 'are'} never freed" if found else None


def _unlocking(case: Case) -> Event | None:
    """The look at the mutex that showed who holds it."""
    mine = case.witness.execution.thread_events(case.witness.error.thread)
    return next((case.events[e.id] for e in reversed(mine) if case.operation(e.id).endswith("unlock")), None)


def _mutex(case: Case) -> str | None:
    look = _unlocking(case)
    return case.names.location(look.address) if look is not None else None


def _not_held(case: Case) -> str:
    look = _unlocking(case)
    source = case.witness.execution.reads_from.get(look.id) if look is not None else None
    if look is None or source is None:
        return ""
    owner = case.events[source]
    text = f"{case.names.subject(look.thread)} unlocks {case.names.location(look.address)}{_at(case, look.at)}"
    if look.value == 0 or owner.thread < 0:
        return f"{text}, which nobody holds"
    return f"{text}, which {case.names.subject(owner.thread)} holds{_at(case, owner.at)}"


def _unwritten(case: Case) -> str:
    """Of memory that nobody wrote at all: that somebody wrote it and was not seen is another story."""
    reads = [e for e in _blamed(case) if e.is_read]
    written = case.witness.execution.coherence.get(reads[0].address, ()) if reads else ()
    if not reads or any(case.events[w].kind is not EventKind.INIT for w in written):
        return ""
    made = case.replayed.allocated if case.replayed is not None else {}
    start = max((s for s in made if s <= reads[0].address), default=None)
    since = f"since it was allocated{_at(case, made[start])}" if start is not None else "before"
    where = f"{case.names.location(reads[0].address)}{_at(case, reads[0].at)}"
    return f"{case.names.subject(reads[0].thread)} reads {where}, which nobody has written {since}"
