"""What threads do to keep apart or to hand things over, and where it fails: evidence in one execution."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.interpret import Kind
from fencepost.records import dataclass
from fencepost.witness.case import Case


def asked_before(case: Case) -> list[int]:
    """Of a race: the atomic places that both threads went through before, each having written one that the other one
    looked at. That is what locks look like; here it let both in. Empty where there is no such thing."""
    error = case.witness.error
    if error.kind is not ErrorKind.RACE or len(error.events) != 2:
        return []
    a, b = (case.events[e] for e in error.events)
    if a.thread == b.thread:
        return []
    first, second = (_touched(case, e) for e in (a, b))
    told = [p for p in first if "W" in first[p] and "R" in second.get(p, "")]
    heard = [p for p in second if "W" in second[p] and "R" in first.get(p, "")]
    return sorted({*told, *heard}) if told and heard else []


def _touched(case: Case, at: Event) -> dict[int, str]:
    """The atomic places of the program's own that a thread went to before an access: R, W or both."""
    found: dict[int, str] = {}
    for e in case.witness.execution.thread_events(at.thread):
        if e.index < at.index and e.is_access and e.mode is not Mode.NA and not case.operation(e.id):
            found[e.address] = found.get(e.address, "") + ("W" if e.is_write else "R")
    return found


def consulted(case: Case) -> list[int]:
    """Of a race: the atomic places that one thread had looked at before its access and that the other one writes. Who
    asks there means to be kept apart by the answer."""
    error = case.witness.error
    if error.kind is not ErrorKind.RACE or len(error.events) != 2:
        return []
    a, b = (case.events[e] for e in error.events)
    found = set[int]()
    for asking, other in ((a, b), (b, a)):
        written = {
            e.address for e in case.witness.execution.thread_events(other.thread)
            if e.is_write and e.mode is not Mode.NA and not case.operation(e.id)
        }  # fmt: skip
        found |= {p for p, what in _touched(case, asking).items() if "R" in what and p in written and p != a.address}
    return sorted(found)


def locked_by_one(case: Case) -> tuple[Event, Event] | None:
    """Of a race: the access under a mutex and the other one, which is under none, where that is the mistake."""
    found = _on_one_side(case)
    return None if found is None or _double_checked(case, *found) else found


def double_checked(case: Case) -> bool:
    """Of a race: whether a lock was meant for the first time only, and what is looked at without it is plain."""
    found = _on_one_side(case)
    return found is not None and _double_checked(case, *found)


def _on_one_side(case: Case) -> tuple[Event, Event] | None:
    error = case.witness.error
    if error.kind is not ErrorKind.RACE or len(error.events) != 2:
        return None
    a, b = (case.events[e] for e in error.events)
    held = holds_lock(case, a), holds_lock(case, b)
    if held[0] == held[1]:
        return None
    return (a, b) if held[0] else (b, a)


def _double_checked(case: Case, locked: Event, other: Event) -> bool:
    """Whether the lock is there for the first time only: its owner looked without it, looked again with it, and wrote
    what does not depend on what was there. The other thread only looks."""
    line = [e for e in case.witness.execution.thread_events(locked.thread) if e.index < locked.index]
    looks = [case.events[e.id] for e in line if e.is_read and e.address == locked.address]
    if other.is_write or not locked.is_write or any(_computed_from(case, locked, e) for e in looks):
        return False
    return {holds_lock(case, e) for e in looks} == {False, True}


def read_too_early(case: Case) -> tuple[Event, Event] | None:
    """Of a race: a read of a thread, and the write of a thread that it started and has not joined yet."""
    error, x = case.witness.error, case.witness.execution
    if error.kind is not ErrorKind.RACE or len(error.events) != 2:
        return None
    started = {(case.events[a].thread, case.events[b].thread) for a, b in x.spawns}
    a, b = (case.events[e] for e in error.events)
    for read, write in ((a, b), (b, a)):
        if read.is_read and write.is_write and (read.thread, write.thread) in started:
            return read, write
    return None


def holds_lock(case: Case, at: Event) -> bool:
    """Whether a thread has locked a mutex, and not unlocked it, before this access."""
    line = [e for e in case.witness.execution.thread_events(at.thread) if e.index < at.index]
    taken = sum(case.operation(e.id) == "mutex_lock" and e.is_read and e.rmw for e in line)
    given = sum(case.operation(e.id) == "mutex_unlock" and e.is_write and e.value == 0 for e in line)
    return taken > given


def taken(case: Case, at: Event) -> Event | None:
    """The step by which a thread took the last mutex before an access."""
    line = [e for e in case.witness.execution.thread_events(at.thread) if e.index < at.index]
    found = [e for e in line if case.operation(e.id) == "mutex_lock" and e.is_read and e.rmw]
    return case.events[found[-1].id] if found else None


def counts_down(case: Case, address: int, thread: int) -> list[Event]:
    """The updates by which a thread takes one from a place."""
    x = case.witness.execution
    return [
        case.events[w] for r, w in sorted(x.rmw)
        if case.events[w].thread == thread and case.events[w].address == address
        and case.events[w].value == case.events[r].value - 1
    ]  # fmt: skip


def counted_reference(case: Case) -> int | None:
    """Of a race or a use after free: the place that both threads count down, the one that uses the memory and the one
    that frees it (or looks at it as the last owner)."""
    error = case.witness.error
    blamed = [case.events[e] for e in error.events]
    threads = {e.thread for e in blamed} | {error.thread}
    if error.kind is ErrorKind.USE_AFTER_FREE:
        threads |= {e.thread for e in case.events if e.kind is EventKind.FREE}
    halves = {w for _, w in case.witness.execution.rmw}
    places = {case.events[w].address for w in halves if not case.operation(w)}
    known = halves | case.setup
    again = {e.address for e in case.events if e.is_write and e.id not in known and e.thread >= 0}
    for place in sorted(places - again):  # who sets it anew counts rounds, not owners
        users = [t for t in threads if t >= 0 and counts_down(case, place, t)]
        last = [e for t in users for e in counts_down(case, place, t) if e.value == 0]
        if len(users) > 1 and last and any(_decided_by(case, e, last[0]) for e in blamed):
            return place
    return None


def _decided_by(case: Case, e: Event, update: Event) -> bool:
    """Whether a thread does something, after an update of its own, because of what it found there."""
    action = case.replayed.actions.get(e.id) if case.replayed is not None else None
    found = [r for r, w in case.witness.execution.rmw if w == update.id]
    after = e.thread == update.thread and e.index > update.index
    return after and action is not None and any(r in action.control_deps for r in found)


def split_update(case: Case) -> tuple[Event, Event, Event] | None:
    """A load and a later store of one thread with a foreign store in between: an update that was lost."""
    place, x = case.relations.place, case.witness.execution
    for write in (case.events[w] for w in sorted(case.past) if w in place):
        order = x.coherence[write.address]
        for read in case.relations.lines[write.thread][: write.index]:
            source = x.reads_from.get(read.id)
            if source not in place or read.address != write.address or place[source] + 1 == place[write.id]:
                continue
            if not _computed_from(case, write, read):
                continue
            between = [case.events[w] for w in order[place[source] + 1 : place[write.id]]]
            other = [e for e in between if e.thread != write.thread]
            if other:
                return case.events[read.id], other[-1], write
    return None


def split_asked(case: Case) -> tuple[Event, Event, Event] | None:
    """Of a race: an update that was lost at a place which should have kept the two threads apart."""
    asked = asked_before(case)
    split = split_update(case) if asked else None
    return split if split is not None and split[0].address in asked else None


def _computed_from(case: Case, write: Event, read: Event) -> bool:
    """Engines record dependencies only for models that look at them; the replay always does."""
    action = case.replayed.actions.get(write.id) if case.replayed is not None else None
    return (read.id, write.id) in case.witness.execution.data_deps or (
        action is not None and read.id in action.data_deps
    )


@dataclass(frozen=True, slots=True)
class Torn:
    """Two reads of one thread: `old` misses `missed`, `new` sees what the same writer did together with it. `version`:
    a place that the writer changed before and after, and the reader looked at before."""

    old: Event
    missed: Event
    new: Event
    seen: Event
    version: int | None = None


def torn(case: Case) -> Torn | None:
    """Two values that belong together and were read apart."""
    return next((t for t in _torn(case) if t.version is not None), next(_torn(case), None))


def _torn(case: Case) -> Iterator[Torn]:
    x, thread = case.witness.execution, case.witness.error.thread
    reads = [e for e in x.thread_events(thread) if e.is_read and e.id in case.past and e.id in x.reads_from]
    reads = [case.events[e.id] for e in reads if not case.operation(e.id)]
    for new, old in product(reads, reads):
        seen = case.events[x.reads_from[new.id]]
        missed = next((case.events[w] for w in case.relations.missed(old.id)), None) or _to_come(case, seen.thread, old)
        foreign = seen.thread not in (-1, thread) and missed is not None and missed.thread == seen.thread
        if not foreign or missed is None or old.address == new.address:
            continue
        version = _version(case, old, new, missed, seen)
        if version is not None or not _asked_because(case, *sorted((old, new), key=lambda e: e.index)):
            yield Torn(old, missed, new, seen, version)


def _asked_because(case: Case, first: Event, second: Event) -> bool:
    """Whether a thread reads a place only because of what it has read at another: the two need not belong together."""
    action = case.replayed.actions.get(second.id) if case.replayed is not None else None
    return action is None or first.id in action.control_deps


def _to_come(case: Case, thread: int, read: Event) -> Event | None:
    """The store that a thread stands before, where it changes what was read."""
    run = case.replayed.runs.get(thread) if case.replayed is not None else None
    action = run.stopped if run is not None else None
    if run is None or action is None or action.kind is not Kind.WRITE:
        return None
    if (action.address, action.size) != (read.address, read.size) or action.value == read.value:
        return None
    what = (EventKind.WRITE, action.address, action.size, action.value, action.mode)
    return Event(-1, thread, len(run.events), *what, at=run.shown or action.at)


def _version(case: Case, old: Event, new: Event, missed: Event, seen: Event) -> int | None:
    x = case.witness.execution
    writes = [e for e in x.thread_events(seen.thread) if e.is_write]
    first, last = sorted((missed.index, seen.index))
    start = min(old.index, new.index)
    for e in x.thread_events(old.thread):
        if e.address in (old.address, new.address):  # what is read, not what watches over it
            continue
        mine = [w.index for w in writes if w.address == e.address]
        around = any(i < first for i in mine) and any(i > last for i in mine)
        if e.is_read and e.index < start and around:
            return e.address
    return None


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A thread found the condition false, waited, was woken, and went on although it was false again."""

    test: Event
    after: Event
    changed: Event


def unchecked_wait(case: Case) -> Unchecked | None:
    line = case.witness.execution.thread_events(case.witness.error.thread)
    waits = [e.index for e in line if case.operation(e.id) in ("cond_wait", "cond_timedwait")]
    if not waits:
        return None
    for test in reversed([e for e in _own_reads(case, line) if e.index < waits[0]]):
        after = next((e for e in _own_reads(case, line) if e.index > waits[-1] and e.address == test.address), None)
        if after is None or case.events[after.id].at == case.events[test.id].at or after.value != test.value:
            continue
        changed = case.events[case.witness.execution.reads_from[after.id]]
        if changed.thread not in (-1, test.thread):
            return Unchecked(case.events[test.id], case.events[after.id], changed)
    return None


def _own_reads(case: Case, line: tuple[Event, ...] | list[Event]) -> Iterator[Event]:
    known = case.witness.execution.reads_from
    return (e for e in line if e.is_read and e.id in known and not case.operation(e.id))


def signalled_nobody(case: Case) -> Event | None:
    """Of a thread that waits at a condition variable for ever: a signal there at a time when nobody waited."""
    waiting = {
        action.address & ~63 for t, action in case.waiting.items()
        if case.replayed is not None and case.replayed.runs[t].operation in ("cond_wait", "cond_timedwait")
    }  # fmt: skip
    words = {run.about for run in case.replayed.runs.values()} if case.replayed is not None else set()
    for e in case.events:
        operation = case.operation(e.id)
        if e.is_read and e.value == 0 and e.address & ~63 in waiting and operation in ("cond_signal", "cond_broadcast"):
            return e
        if operation == "futex_wake" and e.is_read and e.value == 0 and case.about(e.id) in words - {None}:
            return e
    return None


def woke_another(case: Case, thread: int) -> tuple[Event, int] | None:
    """Of a thread that waits at a condition variable for ever: the last signal there while it waited, and the thread
    that was woken in its place. The word has a bit for each thread that waits."""
    action, run = case.waiting[thread], case.replayed.runs[thread] if case.replayed is not None else None
    if run is None or run.operation not in ("cond_wait", "cond_timedwait"):
        return None
    for r, w in sorted(case.witness.execution.rmw, reverse=True):
        before, after = case.events[r], case.events[w]
        if case.operation(r) == "cond_signal" and r in case.past and before.address == action.address:
            woken = before.value & ~after.value
            if before.value >> thread & 1 and woken and not woken & woken - 1:
                return after, woken.bit_length() - 1
    return None


def signalled_too_early(case: Case) -> tuple[Event, Event] | None:
    """Of a thread that waits at a condition variable: the last signal there, and the store by which the same thread
    made true, only after it, what the waiting thread had looked at."""
    x = case.witness.execution
    for t, action in sorted(case.waiting.items()):
        if case.replayed is None or case.replayed.runs[t].operation not in ("cond_wait", "cond_timedwait"):
            continue
        tested = {e.address for e in _own_reads(case, x.thread_events(t))}
        signals = [
            e for e in case.events
            if case.operation(e.id) in ("cond_signal", "cond_broadcast") and e.address & ~63 == action.address & ~63
        ]  # fmt: skip
        for thread in sorted({s.thread for s in signals}):
            last = max((s for s in signals if s.thread == thread), key=lambda s: s.index)
            line = [case.events[e.id] for e in x.thread_events(thread)[last.index + 1 :]]
            found = next((e for e in line if e.is_write and e.address in tested and not case.operation(e.id)), None)
            if found is not None:
                return last, found
    return None


def changed_asleep(case: Case, thread: int) -> Event | None:
    """Of a thread that sleeps at a futex for ever: the last store to its word, of another thread."""
    word = case.replayed.runs[thread].about if case.replayed is not None else None
    newest = case.relations.newest(word) if word is not None else ()
    last = case.events[newest[-1]] if newest else None
    return last if last is not None and last.thread not in (-1, thread) else None
