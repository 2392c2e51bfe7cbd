"""Executions and findings as they come from the core, turned into ours."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost._core import CoreEvent, CoreExecution, CoreFinding
from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution
from fencepost.prepare.encoded import Prepared
from fencepost.program.instructions import ErrorKind, FenceKind, Mode, Tag
from fencepost.program.layout import GLOBALS, REGION_MASK
from fencepost.program.operands import Position, to_signed, to_unsigned
from fencepost.program.symbols import demangled
from fencepost.verdict import ErrorReport

_KINDS = (
    EventKind.READ, EventKind.WRITE, EventKind.FENCE, EventKind.CHOOSE, EventKind.FREE, EventKind.SPAWN, EventKind.JOIN,
    EventKind.ATOMIC_BEGIN, EventKind.ATOMIC_END,
)  # fmt: skip
_MODES = tuple(Mode)
_FENCES = tuple(FenceKind)
_ERRORS = tuple(ErrorKind)
_PICK = 1 << 30  # marks a pick dependency


def to_execution(raw: CoreExecution, prepared: Prepared) -> Execution:
    """The initial writes come first, one per location that is accessed; then the events in the core's order."""
    found = raw.events  # handed over once: each time it is asked for it is copied
    places = _places(found)
    initial = {address: i for i, (address, _) in enumerate(places)}
    events = [
        Event(i, -1, i, EventKind.INIT, address, size, _initial(prepared, address, size))
        for i, (address, size) in enumerate(places)
    ]
    shift = len(places)
    positions = prepared.encoded.positions
    events += [_event(shift + i, e, positions[e.position]) for i, e in enumerate(found)]
    outcome = raw.outcome
    return Execution(
        tuple(events),
        {shift + i: shift + e.reads_from if e.reads_from >= 0 else initial[e.address]
         for i, e in enumerate(found) if _KINDS[e.kind] is EventKind.READ},
        _coherence(raw, initial, shift),
        _updates(events),
        spawns=_spawns(found, raw.spawned_by, shift),
        threads=_thread_names(raw, prepared),
        outcome=dict(state_of(outcome, prepared)) if outcome else {},
        blocked={s.thread: positions[s.position] for s in raw.stuck},
    ).depending(_dependencies(found, shift))  # fmt: skip


def _accesses(e: CoreEvent) -> bool:
    return _KINDS[e.kind] in (EventKind.READ, EventKind.WRITE)


def _places(events: Sequence[CoreEvent]) -> list[tuple[int, int]]:
    """The locations that are accessed, by address and size: each has its initial write."""
    return sorted({(e.address, e.size) for e in events if _accesses(e)})


def _event(number: int, e: CoreEvent, at: Position | None) -> Event:
    kind = _KINDS[e.kind]
    if _accesses(e):
        return Event(
            number, e.thread, e.index, kind, e.address, e.size, e.value, _MODES[e.mode], rmw=e.rmw,
            exclusive=e.exclusive, at=at, tag=Tag.NORETURN if e.noreturn else Tag.NONE,
        )  # fmt: skip
    fence = _FENCES[e.fence] if kind is EventKind.FENCE else None
    address = e.address if kind is EventKind.FREE else 0
    return Event(number, e.thread, e.index, kind, address, 0, e.value, fence=fence, at=at)


def _spawns(events: Sequence[CoreEvent], spawned_by: Sequence[int], shift: int) -> frozenset[tuple[int, int]]:
    """From a Spawn to the first event of its thread, and from the last event of a thread to whoever joined it."""
    first = {e.thread: shift + i for i, e in reversed(list(enumerate(events))) if e.index == 0}
    started = {(shift + s, first[t]) for t, s in enumerate(spawned_by) if s >= 0 and t in first}
    joined = {(shift + e.joined, shift + i) for i, e in enumerate(events) if e.joined >= 0}
    return frozenset(started | joined)


def _initial(prepared: Prepared, address: int, size: int) -> int:
    if address < GLOBALS or address & REGION_MASK:
        return 0
    found = prepared.encoded.layout.find(address)
    if found is None:
        return 0
    o, offset = found
    content = bytearray(o.size)
    for init in o.init:
        value = to_unsigned(prepared.encoded.layout.value(init.value), 8 * init.size)
        content[init.offset : init.offset + init.size] = value.to_bytes(init.size, "little")
    return int.from_bytes(content[offset : offset + size], "little")


def _coherence(raw: CoreExecution, initial: dict[int, int], shift: int) -> dict[int, tuple[int, ...]]:
    order: dict[int, tuple[int, ...]] = {address: (number,) for address, number in initial.items()}
    for address, writes in raw.coherence:
        order[address] += tuple(shift + w for w in writes)
    return order


def _updates(events: list[Event]) -> frozenset[tuple[int, int]]:
    """The halves of a read-modify-write follow each other in program order; an exclusive write is paired with the last
    exclusive read there."""
    reads = {(e.thread, e.index): e.id for e in events if e.rmw and e.is_read}
    exclusive: dict[tuple[int, int], list[Event]] = {}
    for e in events:
        if e.rmw and e.is_read and e.exclusive:
            exclusive.setdefault((e.thread, e.address), []).append(e)
    found = set()
    for e in events:
        if not e.rmw or e.kind is not EventKind.WRITE:
            continue
        there = [r for r in exclusive.get((e.thread, e.address), ()) if r.index < e.index] if e.exclusive else []
        first = max(there, key=lambda r: r.index).id if there else reads.get((e.thread, e.index - 1))
        if first is not None:
            found.add((first, e.id))
    return frozenset(found)


def _dependencies(events: Sequence[CoreEvent], shift: int) -> dict[str, set[tuple[int, int]]]:
    """By the name of the field of Execution."""
    by_index = {(e.thread, e.index): shift + i for i, e in enumerate(events)}
    found: dict[str, set[tuple[int, int]]] = {name: set() for name in DEPENDENCIES}
    for i, e in enumerate(events):
        for name in ("address", "data", "control"):
            for source in getattr(e, f"{name}_deps"):
                pair = by_index.get((e.thread, source & ~_PICK))
                if pair is None:
                    continue
                found[f"{name}_deps"].add((pair, shift + i))
                if source & _PICK:
                    found[f"{name}_picks"].add((pair, shift + i))
    return found


def _thread_names(raw: CoreExecution, prepared: Prepared) -> tuple[str, ...]:
    """Static threads have names; a spawned one is called after the function it runs, where that is known."""
    names = [t.name for t in prepared.program.threads]
    for thread in range(len(names), len(raw.spawned_by)):
        names.append(f"thread {thread}")
    return tuple(names)


def state_of(values: list[int], prepared: Prepared) -> tuple[tuple[str, int], ...]:
    """Observed values under their names, read with the width and sign of their observation."""
    state = tuple(
        (o.name, (to_signed if o.signed else to_unsigned)(value, o.width))
        for o, value in zip(prepared.program.observations, values, strict=True)
    )
    return state if prepared.split is None else prepared.split.whole(state)


def to_report(raw: CoreFinding, prepared: Prepared) -> ErrorReport:
    """An error, with the events of its execution that are to blame."""
    kind = _ERRORS[raw.kind]
    execution, numbers = raw.execution, raw.events
    events = execution.events
    shift = len(_places(events))
    message = raw.message or kind.value
    if kind is ErrorKind.RACE and len(numbers) == 2:
        message = _race([events[i] for i in numbers], execution, prepared)
    at = prepared.encoded.positions[raw.position]
    return ErrorReport(kind, message, at, raw.thread, tuple(shift + i for i in numbers))


def _race(blamed: Sequence[CoreEvent], execution: CoreExecution, prepared: Prepared) -> str:
    names = _thread_names(execution, prepared)

    def describe(e: CoreEvent) -> str:
        at = prepared.encoded.positions[e.position]
        atomic = "non-atomic " if _MODES[e.mode] is Mode.NA else ""
        what = "read" if _KINDS[e.kind] is EventKind.READ else "write"
        return f"{atomic}{what} in {names[e.thread]}" + (f" at {at}" if at else "")

    found = prepared.encoded.layout.find(blamed[0].address)
    where = f" on {demangled(found[0].name)}" if found else ""
    return f"data race{where}: {describe(blamed[0])} and {describe(blamed[1])}"
