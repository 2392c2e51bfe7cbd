"""What a model forbids in every execution, proved on executions of a few events: cycles of po ∪ rf, and what breaks SC
per location.

A shortest cycle of po ∪ rf goes, in each of its threads, from a read that reads another thread's write to a later
write that another thread reads; or it is a read of one's own later write. So po ∪ rf is acyclic where the model

    has an acyclic relation that contains all pairs [R] ; po ; [W] and all of rfe, and
    rejects reads of one's own later write.

What a few events have to do with one another in a large execution is more than in the execution of these alone, for
everything that is built from primitives without taking away what may depend on other events: there the pairs found
among the few are pairs of every execution that has them. Whatever is not built so counts as empty. A few events can
only look in so many ways: all are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, product
from typing import Any, TypeAlias

from fencepost.execution import relations as rel
from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution
from fencepost.models.cat.base import RELATIONS, SETS, Structure, structure_of
from fencepost.models.cat.plan import ACYCLIC, IRREFLEXIVE, SIMPLE, Op, Plan, Register, holds, walk
from fencepost.program.instructions import Mode

Look: TypeAlias = dict[str, Any]  # fields of an Event that an access may have

_READ = (Mode.NA, Mode.RLX, Mode.ACQ, Mode.ACQ_PC, Mode.ACQ_REL, Mode.SC)
_WRITE = (Mode.NA, Mode.RLX, Mode.REL, Mode.ACQ_REL, Mode.SC)
_SAME, _OTHER = 0x1000, 0x2000
_EXACT = {Op.BASE_SET, Op.BASE_RELATION, Op.ALL_EVENTS, Op.EMPTY_SET, Op.EMPTY_RELATION}
_NEGATIVE = {Op.DIFFERENCE, Op.SET_DIFFERENCE}
_COMPLEMENT = {Op.COMPLEMENT, Op.SET_COMPLEMENT}
_INEXACT = {Op.SEQUENCE, Op.PLUS, Op.STAR, Op.DOMAIN, Op.RANGE}
_UNARY = {Op.DOMAIN, Op.RANGE, Op.INVERSE, Op.PLUS, Op.STAR, Op.OPTIONAL, Op.IDENTITY, *_COMPLEMENT}


def keeps_coherence(plan: Plan) -> bool:
    """Whether the model rejects every execution that breaks SC per location."""
    smalls = [Small(part, blind=blind) for blind in (True, False) for part in _parts(plan)]
    return all(any(_rejects_shape(small, shape) for small in smalls) for shape in INCOHERENT)


def keeps_atomicity(plan: Plan) -> bool:
    """Whether no other thread ever writes between the read and the write of a read-modify-write or exclusive pair."""
    smalls = (Small(part, blind=blind) for blind in (True, False) for part in _parts(plan))
    return any(all(small.rejects(s) for s in _broken_updates(small)) for small in smalls)


def is_causal(plan: Plan, *, spawns: bool) -> bool:
    """Whether po ∪ rf is acyclic in every execution that the model allows; with `spawns`, together with the starting
    and joining of threads."""
    return any(_is_causal(Small(plan, blind=blind, spawns=spawns)) for blind in (True, False))


def _is_causal(small: Small) -> bool:
    wanted = small.containing(chain(_program_order(small), _reads_from(small)), small.acyclic_relations())
    if small.spawns:
        across = small.containing(_across_threads(small), wanted, ordered=True)
        wanted = across | small.containing(_thread_order(), wanted)
    return bool(wanted) and all(small.rejects(s) for s in _own_future(small))


class Small:
    """A plan evaluated from below on executions of a few events. `blind`: it does not look at the modes of accesses, so
    that what it finds holds for all of them at once. Without `spawns` all threads are there from the start."""

    def __init__(self, plan: Plan, *, blind: bool = False, spawns: bool = True) -> None:
        self.plan, self.blind, self.spawns = plan, blind, spawns
        self.made = {to: (op, a, b) for op, to, a, b in plan.operations if op not in _STATEMENTS}
        self.order = frozenset(r for r in self.made if self.is_order(r))
        unseen = frozenset(r for r, (op, a, _) in self.made.items() if op == Op.BASE_SET and _is_look(SETS[a]))
        self.empty = _uncertain(plan, unseen if blind else frozenset(), frozenset() if spawns else self.order)

    def acyclic_relations(self) -> set[int]:
        """The registers that the model wants acyclic; an irreflexive one counts where it is transitive."""
        found = set()
        for op, _, index, register in self.plan.operations:
            if op != Op.CHECK:
                continue
            check = self.plan.checks[index]
            if check.flag or check.negated:
                continue
            if check.kind == ACYCLIC or (check.kind == IRREFLEXIVE and self.is_transitive(register)):
                found.add(register)
        return found

    def is_transitive(self, register: int) -> bool:
        op, _, _ = self.made[register]
        if op == Op.VARIABLE:
            return any(o == Op.ASSIGN and a == register and self.has_square(b, register)
                       for o, _, a, b in self.plan.operations)  # fmt: skip
        return op == Op.PLUS

    def has_square(self, register: int, of: int) -> bool:
        op, a, b = self.made[register]
        if op == Op.UNION:
            return self.has_square(a, of) or self.has_square(b, of)
        return op == Op.SEQUENCE and a == b == of

    def is_order(self, register: int) -> bool:
        """Whether it is (po | spawn)+, or `threads` of the prelude: what relates events of different threads."""
        op, inner, _ = self.made[register]
        if op != Op.PLUS or inner not in self.made:
            return False
        op, a, b = self.made[inner]
        if op == Op.UNION:
            return {self.base_name(a), self.base_name(b)} == {"po", "spawn"}
        return op == Op.SEQUENCE and self.words(inner) == ["po?", "spawn", "po?"]

    def words(self, register: int) -> list[str]:
        op, a, b = self.made[register]
        if op == Op.SEQUENCE:
            return [*self.words(a), *self.words(b)]
        return [f"{self.base_name(a)}?" if op == Op.OPTIONAL else self.base_name(register)]

    def base_name(self, register: int) -> str:
        op, a, _ = self.made[register]
        return RELATIONS[a] if op == Op.BASE_RELATION else ""

    def uses(self, name: str) -> bool:
        base = SETS.index(name)
        return any(op == Op.BASE_SET and a == base for op, a, _ in self.made.values())

    def looks(self, kind: EventKind, modes: tuple[Mode, ...]) -> list[Look]:
        """The ways an access can look, as far as the model can tell them apart."""
        if self.blind:
            return [{"kind": kind}]
        told_apart = {m if self.uses(f"access.{m.value}") else None: m for m in modes}
        flags = [n for n, s in (("rmw", "RMW"), ("exclusive", "X")) if self.uses(s)]
        return [
            {"kind": kind, "mode": mode, **dict(zip(flags, chosen, strict=True))}
            for mode, chosen in product(told_apart.values(), product((False, True), repeat=len(flags)))
        ]

    def containing(self, structures: Iterable[Structure], registers: set[int], *, ordered: bool = False) -> set[int]:
        """Those of the relations that relate the first event to the second in all of the executions."""
        left = set(registers)
        for structure in structures:
            if not left:
                break
            values = self.evaluate(structure, ordered=ordered)
            left = {r for r in left if _relates(values[r])}
        return left

    def rejects(self, structure: Structure) -> bool:
        values = self.evaluate(structure)
        for op, _, index, register in self.plan.operations:
            if op == Op.CHECK:
                check = self.plan.checks[index]
                if not check.flag and not check.negated and not holds(check.kind, values[register]):
                    return True
        return False

    def evaluate(self, s: Structure, *, ordered: bool = False) -> list[Register]:
        """Every register, from below. `ordered`: the two events are ordered across threads."""
        values: list[Register] = [0] * self.plan.registers

        def compute(op: int, to: int, a: int, b: int) -> None:
            values[to] = SIMPLE[op](values, a, b, s)
            if to in self.empty:
                values[to] = 0 if isinstance(values[to], int) else (0,) * s.n
            elif ordered and to in self.order:
                values[to] = (2, 0)

        def assign(a: int, b: int) -> bool:
            before, values[a] = values[a], values[b]
            return values[a] != before

        walk(self.plan, compute, assign)
        return values


_STATEMENTS = {Op.CHECK, Op.ASSIGN, Op.LOOP, Op.END_LOOP}


def _parts(plan: Plan) -> Iterator[Plan]:
    """The plan of each constraint alone, so that it only tells apart what it looks at. Loops stay whole."""
    for op, _, index, register in plan.operations:
        if op == Op.CHECK and not plan.checks[index].flag and not plan.checks[index].negated:
            yield replace(plan, operations=tuple(_cone(plan, register, index)), static=0)


def _cone(plan: Plan, register: int, index: int) -> list[tuple[int, int, int, int]]:
    needed, kept, inside = {register}, [], 0
    for operation in reversed(plan.operations):
        op, to, a, b = operation
        inside += (op == Op.END_LOOP) - (op == Op.LOOP)
        if op == Op.CHECK:
            if a == index:
                kept.append(operation)
        elif inside or op in (Op.LOOP, Op.ASSIGN) or to in needed:
            kept.append(operation)
            needed |= {a, b} if op not in _EXACT else set()
    return kept[::-1]


def _is_look(name: str) -> bool:
    return name.startswith("access.") or name in ("RMW", "X")


def _uncertain(plan: Plan, unseen: frozenset[int], exact: frozenset[int]) -> frozenset[int]:
    """The registers that may lose pairs as an execution grows around a few events; those `unseen` are among them."""
    low: dict[int, bool] = {}
    high: dict[int, bool] = {}
    while True:
        before = dict(high), dict(low)
        for op, to, a, b in plan.operations:
            if op == Op.ASSIGN:
                high[a] = high[a] and high[b] and low[b]
            elif op in (Op.VARIABLE, Op.SET_VARIABLE):
                low.setdefault(to, True)
                high.setdefault(to, True)
            elif op not in _STATEMENTS:
                low[to], high[to] = _bounds(op, a, b, low, high)
                low[to], high[to] = low[to] and to not in unseen, high[to] or to in exact
        if before == (high, low):
            return frozenset(r for r, is_low in low.items() if not is_low)


def _bounds(op: int, a: int, b: int, low: dict[int, bool], high: dict[int, bool]) -> tuple[bool, bool]:
    """Whether the value among two events is a part of the value among all, and whether it is all of it. A register
    that is not low is taken for empty, which is a part, but not all."""
    if op in _EXACT:
        return True, True
    first = high[a] and low[a]
    if op in _COMPLEMENT:
        return first, True
    if op in _UNARY:
        return True, first and op not in _INEXACT
    second = high[b] and low[b]
    return (second, first) if op in _NEGATIVE else (True, first and second and op not in _INEXACT)


def _relates(value: Register) -> bool:
    return not isinstance(value, int) and bool(value[0] & 2)


# --- executions of a few events --------------------------------------------------------------------------------------

#: (accesses of thread 0, number of writes of thread 1, reads-from of the reads, coherence). Event 0 is the initial
#: write, then thread 0, then thread 1. Whatever breaks SC per location contains one of these.
Shape = tuple[str, int, tuple[int, ...], tuple[int, ...]]
OWN: tuple[Shape, ...] = (
    ("RW", 0, (2,), (0, 2)),  # reads its own later write
    ("WWR", 0, (1,), (0, 1, 2)),  # reads its own write that it has overwritten
    ("WR", 0, (0,), (0, 1)),  # reads the initial value after its own write
)
INCOHERENT: tuple[Shape, ...] = (
    *OWN,
    ("WW", 0, (), (0, 2, 1)),  # CoWW
    ("RW", 1, (3,), (0, 2, 3)),  # CoRW
    ("WR", 1, (3,), (0, 3, 1)),  # CoWR
    ("RR", 1, (3, 0), (0, 3)),  # CoRR
    ("RR", 2, (4, 3), (0, 3, 4)),
)


def _rejects_shape(small: Small, shape: Shape) -> bool:
    own, writes, _, _ = shape
    looks = {"R": small.looks(EventKind.READ, _READ), "W": small.looks(EventKind.WRITE, _WRITE)}
    choices = [looks[kind] for kind in own] + [looks["W"]] * writes
    return all(small.rejects(structure_of(incoherent(shape, chosen))) for chosen in product(*choices))


def incoherent(shape: Shape, looks: tuple[Look, ...]) -> Execution:
    """The execution of a shape whose accesses look like this."""
    own, _, sources, order = shape
    events = [Event(0, -1, 0, EventKind.INIT, _SAME, 8)]
    for i, look in enumerate(looks):
        thread, index = (0, i) if i < len(own) else (1, i - len(own))
        events.append(Event(i + 1, thread, index, address=_SAME, size=8, **look))
    reads = [i + 1 for i, kind in enumerate(own) if kind == "R"]
    return Execution(tuple(events), dict(zip(reads, sources, strict=True)), {_SAME: order})


def _broken_updates(small: Small) -> Iterator[Structure]:
    """A pair that reads the initial value, and a write of another thread between the two."""
    reads, writes = small.looks(EventKind.READ, _READ), small.looks(EventKind.WRITE, _WRITE)
    for exclusive in (False, True):
        pair = {"rmw": True, "exclusive": exclusive}
        for read, write, other in product(reads, writes, writes):
            x = incoherent(("RW", 1, (0,), (0, 3, 2)), ({**read, **pair}, {**write, **pair}, other))
            yield structure_of(replace(x, rmw=frozenset({(1, 2)})))


def _pair(first: Look, second: Look, given: dict[str, rel.Rows]) -> Structure:
    common = {"thread": 0, "address": _SAME, "size": 8}
    events = (
        Event(**{**common, "id": 0, "index": 0, **first}),
        Event(**{**common, "id": 1, "index": 1, **second}),
    )
    none = dict.fromkeys(("rf", "co", "rmw", "spawn", *DEPENDENCIES.values()), (0, 0))
    return Structure(events, {**none, **given})


def _program_order(small: Small) -> Iterator[Structure]:
    for read, write in product(small.looks(EventKind.READ, _READ), small.looks(EventKind.WRITE, _WRITE)):
        for address in (_SAME, _OTHER):
            yield _pair(read, {**write, "address": address}, {})


def _reads_from(small: Small) -> Iterator[Structure]:
    for write, read in product(small.looks(EventKind.WRITE, _WRITE), small.looks(EventKind.READ, _READ)):
        yield _pair(write, {**read, "thread": 1}, {"rf": (2, 0)})


def _own_future(small: Small) -> Iterator[Structure]:
    for read, write in product(small.looks(EventKind.READ, _READ), small.looks(EventKind.WRITE, _WRITE)):
        yield _pair(read, write, {"rf": (0, 1)})


def _across_threads(small: Small) -> Iterator[Structure]:
    """A read, and a write that comes after it through threads that start and end."""
    for read, write in product(small.looks(EventKind.READ, _READ), small.looks(EventKind.WRITE, _WRITE)):
        for address in (_SAME, _OTHER):
            yield _pair(read, {**write, "thread": 1, "address": address}, {})


def _thread_order() -> Iterator[Structure]:
    """The steps from a read to a write of another thread: by program order to a spawn or an end, by spawn to the other
    thread, and on."""

    def look(kind: EventKind) -> Look:
        return {"kind": kind, "size": 8 if kind in (EventKind.READ, EventKind.WRITE) else 0}

    for first in (EventKind.READ, EventKind.JOIN, EventKind.BEGIN):
        for second in (EventKind.WRITE, EventKind.SPAWN, EventKind.END):
            yield _pair(look(first), look(second), {})
    for second in (EventKind.BEGIN, EventKind.WRITE, EventKind.SPAWN, EventKind.END):
        yield _pair(look(EventKind.SPAWN), {**look(second), "thread": 1}, {"spawn": (2, 0)})
    for first in (EventKind.READ, EventKind.JOIN, EventKind.BEGIN, EventKind.END):
        yield _pair(look(first), {**look(EventKind.JOIN), "thread": 1}, {"spawn": (2, 0)})
