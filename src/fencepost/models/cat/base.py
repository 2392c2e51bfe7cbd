"""The primitive sets and relations of an execution: the one table that every evaluator, native or not, starts from.

Everything else that models use (`fr`, `rfe`, `po-loc`, `ACQ`, `sync` ...) is defined in cat, in `include/prelude.cat`.
A relation plan names primitives by their index in SETS and RELATIONS, so both lists only ever grow at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution
from fencepost.execution.relations import Rows, mask_of, relation, total_orders
from fencepost.program.instructions import FenceKind, Mode, Tag

#: R, W (initial writes included), F; `access.acq`: accesses of that mode; `fence.sync`: fences of that kind;
#: `tag.lock`: accesses with that tag.
SETS: tuple[str, ...] = (
    "R", "W", "F", "IW", "RMW", "X",
    *(f"access.{m.value}" for m in Mode),
    *(f"fence.{k.value}" for k in FenceKind),
    *(f"event.{k.value}" for k in EventKind if k.value not in ("init", "read", "write", "fence")),
    *(f"tag.{t.value}" for t in Tag if t is not Tag.NONE),
)  # fmt: skip
#: `rmw` pairs the halves of every read-modify-write; `spawn` joins SPAWN to BEGIN and END to JOIN; `atomic` relates the
#: events of one atomic block; `pick.addr` is what of `addr` is a pick dependency only; `int`
#: is same thread (initial writes are a thread of their own).
RELATIONS: tuple[str, ...] = ("po", "rf", "co", "loc", "int", "addr", "data", "ctrl", "rmw", "spawn", "atomic",
                              "pick.addr", "pick.data", "pick.ctrl")  # fmt: skip
#: What a candidate with the same events can differ in.
VARYING = frozenset({"rf", "co"})


class Structure:
    """The primitives of one execution, computed when first asked for."""

    def __init__(self, events: tuple[Event, ...], given: Mapping[str, Rows]) -> None:
        self.events, self.n = events, len(events)
        self.full = (1 << self.n) - 1
        self.relations: dict[str, Rows] = dict(given)
        self.sets: dict[str, int] = {}

    def relation(self, name: str) -> Rows:
        found = self.relations.get(name)
        if found is None:
            found = self.relations[name] = _RELATION[name](self)
        return found

    def set(self, name: str) -> int:
        if not self.sets:
            self.sets = _all_sets(self.events)
        return self.sets.get(name, 0)


def structure_of(execution: Execution) -> Structure:
    """The primitives of an execution graph."""
    n = len(execution.events)
    return Structure(
        execution.events,
        {
            "rf": relation(((w, r) for r, w in execution.reads_from.items()), n),
            "co": total_orders(execution.coherence.values(), n),
            "rmw": relation(execution.rmw, n),
            "spawn": relation(execution.spawns, n),
        }
        | {name: relation(getattr(execution, kept), n) for kept, name in DEPENDENCIES.items()},
    )


def _all_sets(events: tuple[Event, ...]) -> dict[str, int]:
    sets = dict.fromkeys(SETS, 0)
    for e in events:
        for name in _memberships(e):
            sets[name] |= 1 << e.id
    return sets


def _memberships(e: Event) -> Iterable[str]:
    if e.is_access:
        yield "R" if e.is_read else "W"
        yield f"access.{e.mode.value}"
        if e.kind is EventKind.INIT:
            yield "IW"
        if e.rmw:
            yield "RMW"
        if e.exclusive:
            yield "X"
        if e.tag is not Tag.NONE:
            yield f"tag.{e.tag.value}"
    elif e.kind is EventKind.FENCE:
        yield "F"
        if e.fence is not None:
            yield f"fence.{e.fence.value}"
    else:
        yield f"event.{e.kind.value}"


def _program_order(s: Structure) -> Rows:
    rows = [0] * s.n
    later: dict[int, int] = {}
    for e in sorted(s.events, key=lambda e: -e.index):
        if e.thread >= 0:
            rows[e.id] = later.get(e.thread, 0)
            later[e.thread] = rows[e.id] | 1 << e.id
    return tuple(rows)


def _classes(s: Structure, members: Iterable[tuple[int, object]]) -> Rows:
    masks: dict[object, int] = {}
    listed = list(members)
    for i, key in listed:
        masks[key] = masks.get(key, 0) | 1 << i
    rows = [0] * s.n
    for i, key in listed:
        rows[i] = masks[key]
    return tuple(rows)


def _same_location(s: Structure) -> Rows:
    return _classes(s, ((e.id, e.address) for e in s.events if e.is_access))


def _same_thread(s: Structure) -> Rows:
    return _classes(s, ((e.id, e.thread) for e in s.events))


def _atomic_blocks(s: Structure) -> Rows:
    rows = [0] * s.n
    threads: dict[int, list[Event]] = {}
    for e in sorted(s.events, key=lambda e: e.index):
        threads.setdefault(e.thread, []).append(e)
    for events in threads.values():
        marks = [i for i, e in enumerate(events) if e.kind in (EventKind.ATOMIC_BEGIN, EventKind.ATOMIC_END)]
        for first, last in pairwise([*marks, len(events)]):
            if events[first].kind is EventKind.ATOMIC_BEGIN:
                block = mask_of(e.id for e in events[first + 1 : last])
                for e in events[first + 1 : last]:
                    rows[e.id] = block
    return tuple(rows)


_RELATION = {"po": _program_order, "loc": _same_location, "int": _same_thread, "atomic": _atomic_blocks}
