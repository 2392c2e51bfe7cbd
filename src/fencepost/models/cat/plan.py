"""A relation plan: a model as a flat list of operations on numbered registers, as plain integers.

It is what the native core evaluates over bit matrices; the evaluator here runs the same plan in plain Python and is
held equal to the tree evaluator by test.

    operation = (opcode, destination, a, b)      operands are registers unless the opcode says otherwise
    register  = a set of events or a relation; written by exactly one operation (a VARIABLE also by its ASSIGNs)

Loops are fixpoints: VARIABLEs start empty, the operations between LOOP and the END_LOOP that names it are run until no
ASSIGN changed its variable. CHECK fails, or raises its flag, as `Plan.checks[a]` says about register b.
The first `static` operations depend neither on rf nor on co.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from fencepost.execution import relations as rel
from fencepost.models.cat.base import RELATIONS, SETS, Structure
from fencepost.program.operands import Position
from fencepost.records import dataclass


class Op(IntEnum):
    """Numbers are the interface to the native core: they never change."""

    BASE_SET = 0  # a: index in SETS
    BASE_RELATION = 1  # a: index in RELATIONS
    ALL_EVENTS = 2
    EMPTY_SET = 3
    EMPTY_RELATION = 4
    SET_UNION = 5
    SET_INTERSECTION = 6
    SET_DIFFERENCE = 7
    SET_COMPLEMENT = 8
    DOMAIN = 9
    RANGE = 10
    UNION = 11
    INTERSECTION = 12
    DIFFERENCE = 13
    COMPLEMENT = 14
    SEQUENCE = 15
    INVERSE = 16
    PLUS = 17
    STAR = 18
    OPTIONAL = 19
    PRODUCT = 20  # a, b: sets
    IDENTITY = 21  # a: set
    FROM = 22  # a: set, b: relation: the pairs that start in the set
    TO = 23  # a: relation, b: set: the pairs that end in the set
    SET_VARIABLE = 24
    VARIABLE = 25
    ASSIGN = 26  # a: variable, b: its new value
    LOOP = 27
    END_LOOP = 28  # a: how many operations back to the one after LOOP
    CHECK = 29  # a: index in checks, b: relation or set


_RACES = ("racy", "dr", "ur")


def is_race(flag: str) -> bool:
    """Whether a flag of this name is about data races: `race`, `data-race`, `Dr`, `unsequencedRace` ..."""
    return flag.lower() in _RACES or flag.lower().endswith("race")


ACYCLIC, IRREFLEXIVE, EMPTY, EMPTY_SET_CHECK = range(4)


@dataclass(frozen=True, slots=True)
class PlanCheck:
    """kind: one of ACYCLIC, IRREFLEXIVE, EMPTY, EMPTY_SET_CHECK. A flag is raised where its condition holds."""

    name: str
    kind: int
    negated: bool
    flag: bool
    at: Position

    @property
    def race(self) -> bool:
        """A flag that says that the program has a data race."""
        return self.flag and is_race(self.name)

    def fails(self, holds: bool) -> bool:
        """Whether to report it, given whether its unnegated condition holds."""
        return (holds == self.negated) != self.flag


@dataclass(frozen=True, slots=True)
class Plan:
    operations: tuple[tuple[int, int, int, int], ...]
    registers: int
    checks: tuple[PlanCheck, ...]
    static: int
    sets: tuple[str, ...] = SETS
    relations: tuple[str, ...] = RELATIONS

    def uses(self, relation: str) -> bool:
        index = self.relations.index(relation)
        return any(op == Op.BASE_RELATION and a == index for op, _, a, _ in self.operations)

    def same_as(self, other: Plan | None) -> bool:
        """Whether both are the same but for the names and places of their checks."""
        if other is None or self.operations != other.operations:
            return False
        return [(c.kind, c.negated, c.flag) for c in self.checks] == [(c.kind, c.negated, c.flag) for c in other.checks]


Register = int | rel.Rows
SIMPLE: dict[int, Callable[[list[Register], int, int, Structure], Register]] = {
    Op.BASE_SET: lambda r, a, b, s: s.set(SETS[a]),
    Op.BASE_RELATION: lambda r, a, b, s: s.relation(RELATIONS[a]),
    Op.ALL_EVENTS: lambda r, a, b, s: s.full,
    Op.EMPTY_SET: lambda r, a, b, s: 0,
    Op.EMPTY_RELATION: lambda r, a, b, s: (0,) * s.n,
    Op.SET_UNION: lambda r, a, b, s: r[a] | r[b],  # type: ignore[operator]
    Op.SET_INTERSECTION: lambda r, a, b, s: r[a] & r[b],  # type: ignore[operator]
    Op.SET_DIFFERENCE: lambda r, a, b, s: r[a] & ~r[b],  # type: ignore[operator]
    Op.SET_COMPLEMENT: lambda r, a, b, s: s.full & ~r[a],  # type: ignore[operator]
    Op.DOMAIN: lambda r, a, b, s: rel.domain(r[a]),  # type: ignore[arg-type]
    Op.RANGE: lambda r, a, b, s: rel.range_of(r[a]),  # type: ignore[arg-type]
    Op.UNION: lambda r, a, b, s: rel.union(r[a], r[b]),  # type: ignore[arg-type]
    Op.INTERSECTION: lambda r, a, b, s: rel.intersection(r[a], r[b]),  # type: ignore[arg-type]
    Op.DIFFERENCE: lambda r, a, b, s: rel.difference(r[a], r[b]),  # type: ignore[arg-type]
    Op.COMPLEMENT: lambda r, a, b, s: rel.complement(r[a]),  # type: ignore[arg-type]
    Op.SEQUENCE: lambda r, a, b, s: rel.sequence(r[a], r[b]),  # type: ignore[arg-type]
    Op.INVERSE: lambda r, a, b, s: rel.inverse(r[a]),  # type: ignore[arg-type]
    Op.PLUS: lambda r, a, b, s: rel.closure(r[a]),  # type: ignore[arg-type]
    Op.STAR: lambda r, a, b, s: rel.reflexive(rel.closure(r[a])),  # type: ignore[arg-type]
    Op.OPTIONAL: lambda r, a, b, s: rel.reflexive(r[a]),  # type: ignore[arg-type]
    Op.PRODUCT: lambda r, a, b, s: rel.product(r[a], r[b], s.n),  # type: ignore[arg-type]
    Op.IDENTITY: lambda r, a, b, s: rel.identity(r[a], s.n),  # type: ignore[arg-type]
    Op.FROM: lambda r, a, b, s: rel.starting_in(r[a], r[b]),  # type: ignore[arg-type]
    Op.TO: lambda r, a, b, s: rel.ending_in(r[a], r[b]),  # type: ignore[arg-type]
    Op.SET_VARIABLE: lambda r, a, b, s: 0,
    Op.VARIABLE: lambda r, a, b, s: (0,) * s.n,
}  # the registers of an operation have the kind it asks for: the compiler sees to that


@dataclass(frozen=True, slots=True)
class PlanResult:
    """Indices in `Plan.checks` of what failed and of the flags that were raised."""

    failed: tuple[int, ...]
    flags: tuple[int, ...]


class PlanRun:
    """A plan over the structures of one frame: what does not depend on rf and co is evaluated once."""

    def __init__(self, plan: Plan, shared: Structure) -> None:
        self.plan = plan
        self.registers: list[Register] = [0] * plan.registers
        self.early = _Findings()
        _run(plan, 0, plan.static, self.registers, shared, self.early, stop=False)

    def judge(self, structure: Structure, *, stop: bool = True) -> PlanResult:
        """`stop`: at the first check that fails."""
        found = _Findings(list(self.early.failed), list(self.early.flags))
        if not (stop and found.failed):
            plan = self.plan
            _run(plan, plan.static, len(plan.operations), list(self.registers), structure, found, stop)
        return PlanResult(tuple(found.failed), tuple(found.flags))


class _Findings:
    def __init__(self, failed: list[int] | None = None, flags: list[int] | None = None) -> None:
        self.failed, self.flags = failed or [], flags or []


def _run(
    plan: Plan, first: int, last: int, registers: list[Register], s: Structure, found: _Findings, stop: bool
) -> None:
    operations, k, changed = plan.operations, first, [False]
    while k < last:
        op, dst, a, b = operations[k]
        k += 1
        simple = SIMPLE.get(op)
        if simple is not None:
            registers[dst] = simple(registers, a, b, s)
        elif op == Op.ASSIGN:
            if registers[a] != registers[b]:
                registers[a], changed[-1] = registers[b], True
        elif op == Op.LOOP:
            changed.append(False)
        elif op == Op.END_LOOP:
            if changed[-1]:
                changed[-1] = False
                k -= a
            else:
                changed.pop()
        else:
            check = plan.checks[a]
            if check.fails(holds(check.kind, registers[b])):
                (found.flags if check.flag else found.failed).append(a)
                if stop and not check.flag:
                    return


def walk(
    plan: Plan, compute: Callable[[int, int, int, int], None], assign: Callable[[int, int], bool]
) -> None:  # fmt: skip
    """The order in which a plan is computed, for other readings of it: `compute(op, to, a, b)` for each operation,
    `assign(a, b)` at the end of each round of a loop, which goes on while one of them changes something. (`_run` is the
    same loop written out: it is the inner loop of enumeration.)"""
    operations, k, changed = plan.operations, 0, [False]
    while k < len(operations):
        op, to, a, b = operations[k]
        k += 1
        if op == Op.LOOP:
            changed.append(False)
        elif op == Op.ASSIGN:
            changed[-1] = assign(a, b) or changed[-1]
        elif op == Op.END_LOOP:
            if changed.pop():
                changed.append(False)
                k -= a
        elif op != Op.CHECK:
            compute(op, to, a, b)


def holds(kind: int, value: Register) -> bool:
    if kind == EMPTY_SET_CHECK:
        return not value
    assert isinstance(value, tuple), "a check of a relation should have one"
    if kind == ACYCLIC:
        return rel.is_acyclic(value)
    return rel.is_irreflexive(value) if kind == IRREFLEXIVE else not any(value)
