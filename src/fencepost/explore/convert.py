"""Executions and findings as they come from the core, turned into ours."""

from __future__ import annotations

from typing import Any

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.explore.prepare import Prepared
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
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


def to_execution(raw: dict[str, Any], prepared: Prepared) -> Execution:
    """The initial writes come first, one per location that is accessed; then the events in the core's order."""
    places = sorted({(e[8], e[7]) for e in raw["events"] if e[2] in (0, 1)})
    initial = {address: i for i, (address, _) in enumerate(places)}
    events = [
        Event(i, -1, i, EventKind.INIT, address, size, _initial(prepared, address, size))
        for i, (address, size) in enumerate(places)
    ]
    shift = len(places)
    positions = prepared.encoded.positions
    events += [_event(shift + i, e, positions[e[10]]) for i, e in enumerate(raw["events"])]
    sources = {i: e[11] for i, e in enumerate(raw["events"]) if e[2] == 0}
    return Execution(
        tuple(events),
        {shift + r: shift + w if w >= 0 else initial[raw["events"][r][8]] for r, w in sources.items()},
        _coherence(raw, initial, shift),
        _updates(events),
        _dependencies(raw, shift, 13),
        _dependencies(raw, shift, 14),
        _dependencies(raw, shift, 15),
        _spawns(raw, shift),
        _thread_names(raw, prepared),
        dict(state_of(raw["outcome"], prepared)) if raw["outcome"] else {},
        {t: positions[p] for t, p, _ in raw["stuck"]},
    )


def _event(number: int, e: Any, at: Position | None) -> Event:
    kind = _KINDS[e[2]]
    if kind in (EventKind.READ, EventKind.WRITE):
        return Event(
            number, e[0], e[1], kind, e[8], e[7], e[9], _MODES[e[3]], rmw=e[5], exclusive=e[6], at=at
        )  # fmt: skip
    fence = _FENCES[e[4]] if kind is EventKind.FENCE else None
    return Event(number, e[0], e[1], kind, e[8] if kind is EventKind.FREE else 0, 0, e[9], fence=fence, at=at)


def _spawns(raw: dict[str, Any], shift: int) -> frozenset[tuple[int, int]]:
    """From a Spawn to the first event of its thread, and from the last event of a thread to whoever joined it."""
    first = {e[0]: shift + i for i, e in reversed(list(enumerate(raw["events"]))) if e[1] == 0}
    started = {(shift + s, first[t]) for t, s in enumerate(raw["spawned_by"]) if s >= 0 and t in first}
    joined = {(shift + e[12], shift + i) for i, e in enumerate(raw["events"]) if e[12] >= 0}
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


def _coherence(raw: dict[str, Any], initial: dict[int, int], shift: int) -> dict[int, tuple[int, ...]]:
    order: dict[int, tuple[int, ...]] = {address: (number,) for address, number in initial.items()}
    for address, writes in raw["coherence"]:
        order[address] += tuple(shift + w for w in writes)
    return order


def _updates(events: list[Event]) -> frozenset[tuple[int, int]]:
    """The halves of a read-modify-write follow each other in program order."""
    reads = {(e.thread, e.index): e.id for e in events if e.rmw and e.is_read}
    return frozenset(
        (reads[e.thread, e.index - 1], e.id)
        for e in events
        if e.rmw and e.kind is EventKind.WRITE and (e.thread, e.index - 1) in reads
    )


def _dependencies(raw: dict[str, Any], shift: int, column: int) -> frozenset[tuple[int, int]]:
    by_index = {(e[0], e[1]): shift + i for i, e in enumerate(raw["events"])}
    return frozenset(
        (by_index[e[0], source], shift + i)
        for i, e in enumerate(raw["events"])
        for source in e[column]
        if (e[0], source) in by_index
    )


def _thread_names(raw: dict[str, Any], prepared: Prepared) -> tuple[str, ...]:
    """Static threads have names; a spawned one is called after the function it runs, where that is known."""
    names = [t.name for t in prepared.program.threads]
    for thread in range(len(names), len(raw["spawned_by"])):
        names.append(f"thread {thread}")
    return tuple(names)


def state_of(values: list[int], prepared: Prepared) -> tuple[tuple[str, int], ...]:
    """Observed values under their names, read with the width and sign of their observation."""
    return tuple(
        (o.name, (to_signed if o.signed else to_unsigned)(value, o.width))
        for o, value in zip(prepared.program.observations, values, strict=True)
    )


def to_report(raw: dict[str, Any], prepared: Prepared) -> ErrorReport:
    """An error, with the events of its execution that are to blame."""
    kind = _ERRORS[raw["kind"]]
    shift = len({(e[8], e[7]) for e in raw["execution"]["events"] if e[2] in (0, 1)})
    message = raw["message"] or kind.value
    blamed = [raw["execution"]["events"][i] for i in raw["events"]]
    if kind is ErrorKind.RACE and len(blamed) == 2:
        message = _race(blamed, raw["execution"], prepared)
    return ErrorReport(
        kind,
        message,
        prepared.encoded.positions[raw["position"]],
        raw["thread"],
        tuple(shift + i for i in raw["events"]),
    )


def _race(blamed: list[Any], execution: dict[str, Any], prepared: Prepared) -> str:
    names = _thread_names(execution, prepared)

    def describe(e: Any) -> str:
        at = prepared.encoded.positions[e[10]]
        what = f"{'non-atomic ' if _MODES[e[3]] is Mode.NA else ''}{'read' if e[2] == 0 else 'write'}"
        return f"{what} in {names[e[0]]}" + (f" at {at}" if at else "")

    found = prepared.encoded.layout.find(blamed[0][8])
    where = f" on {demangled(found[0].name)}" if found else ""
    return f"data race{where}: {describe(blamed[0])} and {describe(blamed[1])}"
