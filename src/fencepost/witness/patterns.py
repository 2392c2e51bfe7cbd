"""Well-known bugs by their names, each only where the execution itself is the evidence.

The names are explained in docs/bugs.md, one heading each.
"""

from __future__ import annotations

from fencepost.execution.execution import Event
from fencepost.program.instructions import ErrorKind
from fencepost.witness.case import Case
from fencepost.witness.protocols import (
    asked_before,
    changed_asleep,
    counted_reference,
    double_checked,
    holds_lock,
    signalled_nobody,
    signalled_too_early,
    split_asked,
    split_update,
    torn,
    unchecked_wait,
)

#: A cycle of the execution, read from any of its edges: what a thread keeps in order (po with the kinds of its ends),
#: and how one thread's access reaches the next.
_CYCLES = {
    ("WR", "fr", "WR", "fr"): "store buffering",
    ("WW", "rf", "RR", "fr"): "message passing",
    ("RW", "rf", "RW", "rf"): "load buffering",
    ("WW", "co", "WW", "co"): "2+2W",
    ("rf", "RR", "fr", "rf", "RR", "fr"): "independent reads of independent writes",
    ("rf", "RW", "rf", "RR", "fr"): "write-to-read causality",
    ("WW", "rf", "RW", "rf", "RR", "fr"): "write-to-read causality",  # the first thread tells of its store by another
}


def known_as(case: Case) -> str:
    """The name of the bug; empty where the evidence is for none."""
    kind = case.witness.error.kind
    if kind in (ErrorKind.DEADLOCK, ErrorKind.LIVENESS):
        return _lost_wake_up(case) or _lock_inversion(case) or _cycle(case)
    if kind in (ErrorKind.RACE, ErrorKind.USE_AFTER_FREE) and counted_reference(case) is not None:
        return "reference count"
    if kind is ErrorKind.RACE:
        if double_checked(case):
            return "double-checked locking"
        if not case.cycle and split_asked(case) is not None:
            return "lost update"
        return publication(case) or (_cycle(case) if asked_before(case) else "")
    return _came_back(case) or _sequence_lock(case) or _cycle(case) or _taking_turns(case)


def _came_back(case: Case) -> str:
    """Who is deceived by a value that came back may have read others before: that is no sequence lock."""
    other = case.cycle or unchecked_wait(case) is not None or split_update(case) is not None
    return "ABA" if not other and aba(case) is not None else ""


def _sequence_lock(case: Case) -> str:
    found = torn(case)
    return "broken sequence lock" if found is not None and found.version is not None else ""


def _taking_turns(case: Case) -> str:
    """What goes wrong without any reordering."""
    if unchecked_wait(case) is not None:
        return "condition variable without a loop"
    if case.cycle:
        return ""
    if split_update(case) is not None:
        return "lost update"
    return "torn read" if case.witness.error.kind is ErrorKind.ASSERTION and torn(case) is not None else ""


def _cycle(case: Case) -> str:
    events = case.events
    shape = [
        e.name if e.name in ("rf", "co", "fr") else _letter(events[e.source]) + _letter(events[e.target])
        for e in case.cycle
    ]  # fmt: skip
    for pattern, name in _CYCLES.items():
        turns = [tuple(shape[n:] + shape[:n]) for n in range(len(shape))]
        if pattern in turns:
            return name
    return ""


def _letter(e: Event) -> str:
    return "W" if e.is_write else "R"


def _lost_wake_up(case: Case) -> str:
    """A thread waits at a condition variable that was signalled before anybody waited there, or before what it waits
    for was true; or it sleeps at a futex whose word somebody changed and woke nobody."""
    unsignalled = signalled_nobody(case) is not None or signalled_too_early(case) is not None
    return "lost wake-up" if unsignalled or any(changed_asleep(case, t) for t in case.waiting) else ""


def _lock_inversion(case: Case) -> str:
    """Threads in a circle, each of which waits for a lock that the next one took last."""
    holders: dict[int, int] = {}
    for t, action in case.waiting.items():
        if action.lock:
            newest = case.relations.newest(action.address)
            holders[t] = case.events[newest[-1]].thread if newest else -1
    for start in holders:
        t, seen = start, set[int]()
        while t in holders and t not in seen:
            seen.add(t)
            t = holders[t]
        if t == start and len(seen) > 1:
            return "lock order inversion"
    return ""


def publication(case: Case) -> str:
    """The name of a race between a thread and one that came after it; empty also where that has no name."""
    found = handed_over(case)
    if found is None:
        return ""
    first, second, store, seen = found
    if (_takes(case, first, store) and seen.rmw) or _queued(case, first, store, seen):  # both took a lock
        return "lock without acquire" if store.mode.releases else "unlock without release"
    if not (first.is_write and second.is_read):
        return ""
    locked = holds_lock(case, first) and not holds_lock(case, second)
    return "double-checked locking" if locked else "unsafe publication"


def handed_over(case: Case) -> tuple[Event, Event, Event, Event] | None:
    """Of a race: the access of a thread and that of another one which had seen a later atomic store of the first; that
    store, and the read that saw it."""
    if len(case.witness.error.events) != 2:
        return None
    pair = [case.events[e] for e in case.witness.error.events]
    for r, w in case.witness.execution.reads_from.items():
        seen, store = case.events[r], case.events[w]
        for first, second in (pair, pair[::-1]):
            told = store.thread == first.thread and store.index > first.index and not case.operation(w)
            if told and seen.thread == second.thread and seen.index < second.index and seen.address != first.address:
                return first, second, store, seen
    return None


def _takes(case: Case, at: Event, given: Event) -> bool:
    """Whether the thread found at a place, by a read-modify-write before an access, what it puts back there: it took
    the lock."""
    line = case.witness.execution.thread_events(at.thread)
    same = [e for e in line if e.rmw and e.is_read and e.address == given.address and e.index < at.index]
    return any(e.value == given.value for e in same[-1:])


def _queued(case: Case, at: Event, given: Event, seen: Event) -> bool:
    """Whether both threads stood in the queue of a lock, by the same statement: a ticket, or a place behind the tail.
    Then the lock is given by a store to another place. At a barrier a thread counts again before it lets others go."""
    x = case.witness.execution
    places = {w: case.events[w] for _, w in x.rmw if not case.operation(w)}
    mine = [e for e in places.values() if e.thread == at.thread and e.index < given.index]
    theirs = [e for e in places.values() if e.thread == seen.thread and e.index < seen.index]
    last = {e.address: e for e in sorted(mine, key=lambda e: e.index) if e.address != given.address}
    order = case.relations.place
    return any(
        w.index < at.index and w.at is not None
        and any(o.address == w.address and o.at == w.at and order.get(w.id, 0) < order.get(o.id, 0) for o in theirs)
        for w in last.values()
    )  # fmt: skip


def aba(case: Case) -> tuple[Event, Event, Event] | None:
    """A compare-exchange that found the value which its thread had read, though others had changed it in between: that
    read, a store of another value, and the exchange."""
    x = case.witness.execution
    for read, _ in sorted(x.rmw):
        exchange = case.events[read]
        if case.operation(read):  # the word of a mutex comes back by its nature
            continue
        source = x.reads_from[read]
        earlier = [
            e for e in x.thread_events(exchange.thread)
            if e.is_read and e.index < exchange.index and (e.address, e.value) == (exchange.address, exchange.value)
        ]  # fmt: skip
        order = x.coherence.get(exchange.address, ())
        for e in earlier[-1:]:
            first = x.reads_from[e.id]
            if first == source or first not in order or source not in order:
                continue
            between = [case.events[w] for w in order[order.index(first) + 1 : order.index(source)]]
            other = [w for w in between if w.value != e.value and w.thread != exchange.thread]
            if other and case.events[source].thread != exchange.thread:
                return case.events[e.id], other[0], exchange
    return None
