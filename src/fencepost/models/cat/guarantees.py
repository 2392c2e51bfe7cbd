"""What an exploration in program order may rely on, proved from the plan of a model.

TruSt visits every consistent execution exactly once under models that are

    prefix-closed   what is left of a consistent execution without events that nothing left depends on by po, rf or
                    spawn is consistent
    extensible      a consistent execution stays consistent with one more event at the end of its thread that reads
                    the coherence-last write, or is the coherence-last write itself (a read-modify-write: both)
    causal          po ∪ rf is acyclic: see `small.py`

Here the first two are proved by abstract interpretation: each register of the plan gets a `Fact` that holds for all
executions, and each check of the model asks for some of it. No proof means no, never yes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fencepost.models.cat.base import RELATIONS, SETS
from fencepost.models.cat.plan import ACYCLIC, EMPTY, IRREFLEXIVE, Op, Plan, PlanCheck, walk

# Where a pair that starts at a new event can end: later in the new events (the write of a read-modify-write, seen from
# its read), at itself, earlier in the new events, at the coherence-last write that the new event reads, elsewhere.
_LATER, _SELF, _EARLIER, _LAST, _ELSEWHERE = 1, 2, 4, 8, 16
_OLD = _LAST | _ELSEWHERE
_ANYWHERE = 31


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a set or a relation r(G), for each execution G and each prefix S of it.

    grows: r(S) ⊆ r(G).  settled: r(G) on the events of S ⊆ r(S).  kept: as settled, where G is S and a new event.
    inward: a pair that ends in S starts in S; outward: one that starts in S ends in S. initial: initial writes only.
    reflexive: it relates every event to itself. `out` is where pairs end that start at a new event, `last` where those
    end that start at the coherence-last write; `back` and `back_last` say the same of the inverse.
    """

    grows: bool = True
    settled: bool = True
    kept: bool = True
    inward: bool = True
    outward: bool = True
    initial: bool = False
    reflexive: bool = False
    out: int = 0
    last: int = 0
    back: int = 0
    back_last: int = 0


_NOTHING = Fact(initial=True)
_UNKNOWN = Fact(True, True, True, False, False, out=_ANYWHERE, last=_ANYWHERE, back=_ANYWHERE, back_last=_ANYWHERE)
_DEPENDENCY = replace(_UNKNOWN, inward=True, out=_LATER)
_BASE: dict[str, Fact] = {
    "po": _DEPENDENCY,
    "rf": replace(_DEPENDENCY, out=0, back=_LAST, back_last=0),
    "co": replace(_UNKNOWN, out=0, last=_LATER),
    "loc": _UNKNOWN,
    "int": _UNKNOWN,
    "addr": _DEPENDENCY,
    "data": _DEPENDENCY,
    "ctrl": _DEPENDENCY,
    "rmw": replace(_DEPENDENCY, last=0, back=_EARLIER),
    "spawn": _DEPENDENCY,
    "pick.addr": _DEPENDENCY,
    "pick.data": _DEPENDENCY,
    "pick.ctrl": _DEPENDENCY,
    "atomic": _NOTHING,  # programs with atomic blocks are not explored this way
}


def unproved(plan: Plan) -> str:
    """Why an exploration in program order might miss executions; empty where the model is prefix-closed and
    extensible."""
    facts = _Facts(plan).run()
    for op, _, index, register in plan.operations:
        if op != Op.CHECK or plan.checks[index].flag:
            continue
        check, fact = plan.checks[index], facts[register]
        if check.negated or not fact.grows:
            return f"'{check.name}' may fail at first and hold later in an execution"
        if not _survives(check, fact):
            return f"'{check.name}' may rule out every way to continue an execution"
    return ""


def not_monotonic(plan: Plan) -> str:
    """The first check that may fail in a part of an execution and hold in the whole, where the part has what its events
    depend on or read from, but maybe not all that is po-before them; empty where there is none."""
    facts = _Facts(plan, _BASE | {"po": _UNKNOWN}).run()
    for op, _, index, register in plan.operations:
        if op == Op.CHECK and not plan.checks[index].flag and (plan.checks[index].negated or not facts[register].grows):
            return plan.checks[index].name
    return ""


def _survives(check: PlanCheck, r: Fact) -> bool:
    """Whether the check holds with a new event, where it held without."""
    if not r.kept:
        return False
    if check.kind == ACYCLIC:
        return not r.out & ~_LATER
    if check.kind == IRREFLEXIVE:
        return not r.out & _SELF
    return check.kind == EMPTY and not r.out and not r.back & _OLD


def _then(reached: int, r: Fact) -> int:
    """Where one gets by r from what was reached, all seen from where the walk began."""
    found = 0
    if reached & _SELF:
        found |= r.out
    if reached & _LATER:
        found |= _composed(r.out, _LATER, _EARLIER)
    if reached & _EARLIER:
        found |= _composed(r.out, _EARLIER, _LATER)
    if reached & _LAST:
        found |= r.last
    return _ANYWHERE if reached & _ELSEWHERE else found


def _composed(out: int, way: int, other: int) -> int:
    """A step among the new events in one direction, then `out`."""
    found = out & _OLD
    if out & (way | _SELF):
        found |= way
    return found | (_LATER | _SELF | _EARLIER if out & other else 0)


def _inverse(r: Fact) -> Fact:
    return replace(r, inward=r.outward, outward=r.inward, out=r.back, last=r.back_last, back=r.out, back_last=r.last)


def _sequence(a: Fact, b: Fact) -> Fact:
    through = b.inward or a.outward
    backwards = _inverse(a)
    return Fact(
        grows=a.grows and b.grows,
        settled=a.settled and b.settled and through,
        kept=a.kept and b.kept and (not b.out & _OLD or not a.back & _OLD),
        inward=a.inward and b.inward,
        outward=a.outward and b.outward,
        reflexive=a.reflexive and b.reflexive,
        out=_then(a.out, b),
        last=_then(a.last, b),
        back=_then(b.back, backwards),
        back_last=_then(b.back_last, backwards),
    )


def _union(a: Fact, b: Fact) -> Fact:
    return Fact(
        a.grows and b.grows, a.settled and b.settled, a.kept and b.kept, a.inward and b.inward, a.outward and b.outward,
        a.initial and b.initial, a.reflexive or b.reflexive, a.out | b.out, a.last | b.last, a.back | b.back,
        a.back_last | b.back_last,
    )  # fmt: skip


def _intersection(a: Fact, b: Fact) -> Fact:
    return Fact(
        a.grows and b.grows, a.settled and b.settled, a.kept and b.kept, a.inward or b.inward, a.outward or b.outward,
        a.initial or b.initial, a.reflexive and b.reflexive, a.out & b.out, a.last & b.last, a.back & b.back,
        a.back_last & b.back_last,
    )  # fmt: skip


def _difference(a: Fact, b: Fact) -> Fact:
    gone = _SELF if b.reflexive else 0
    return replace(
        a, grows=a.grows and b.settled, settled=a.settled and b.grows, kept=a.kept and b.grows,
        reflexive=False, out=a.out & ~gone, back=a.back & ~gone,
    )  # fmt: skip


def _plus(a: Fact) -> Fact:
    whole, steps = a, _sequence(a, a)
    while _union(whole, steps) != whole:
        whole = _union(whole, steps)
        steps = _sequence(whole, a)
    return whole


_IDENTITY = Fact(reflexive=True, out=_SELF, last=_LAST, back=_SELF, back_last=_LAST)


def _identity(s: Fact) -> Fact:
    end = 0 if s.initial else _SELF
    return replace(_IDENTITY, grows=s.grows, settled=s.settled, kept=s.kept, reflexive=False, out=end, back=end)


def _product(a: Fact, b: Fact) -> Fact:
    return Fact(
        a.grows and b.grows, a.settled and b.settled, a.kept and b.kept, inward=a.initial, outward=b.initial,
        out=0 if a.initial else _OLD if b.initial else _ANYWHERE, last=_ANYWHERE,
        back=0 if b.initial else _OLD if a.initial else _ANYWHERE, back_last=_ANYWHERE,
    )  # fmt: skip


class _Facts:
    """One walk over a plan; loops are walked until their facts stop changing, from the best that they could be."""

    def __init__(self, plan: Plan, base: dict[str, Fact] = _BASE) -> None:
        self.plan, self.base = plan, base
        self.facts: list[Fact] = [_NOTHING] * plan.registers
        self.made: dict[int, tuple[int, int, int]] = {}

    def run(self) -> list[Fact]:
        def compute(op: int, to: int, a: int, b: int) -> None:
            self.made[to] = (op, a, b)
            self.facts[to] = self.fact(op, a, b)

        def assign(a: int, b: int) -> bool:
            before, self.facts[a] = self.facts[a], _union(self.facts[a], self.facts[b])
            return self.facts[a] != before

        walk(self.plan, compute, assign)
        return self.facts

    def fact(self, op: int, a: int, b: int) -> Fact:
        match op:
            case Op.BASE_SET:
                return Fact(initial=SETS[a] == "IW")
            case Op.BASE_RELATION:
                return self.base[RELATIONS[a]]
            case Op.ALL_EVENTS:
                return Fact()
            case Op.EMPTY_SET | Op.EMPTY_RELATION | Op.SET_VARIABLE | Op.VARIABLE:
                return _NOTHING
        x, y = self.facts[a], self.facts[b] if op in _BINARY else _NOTHING
        match op:
            case Op.UNION | Op.SET_UNION:
                return _union(x, y)
            case Op.INTERSECTION | Op.SET_INTERSECTION:
                return _intersection(x, y)
            case Op.DIFFERENCE | Op.SET_DIFFERENCE:
                return _difference(x, y)
            case Op.SEQUENCE:
                return _sequence(x, y)
            case Op.PRODUCT:
                return _product(x, y)
            case Op.FROM:
                return _sequence(_identity(x), y)
            case Op.TO:
                return _sequence(x, _identity(y))
            case _:
                return self.unary(op, a, x)

    def unary(self, op: int, a: int, x: Fact) -> Fact:
        match op:
            case Op.INVERSE:
                return _inverse(x)
            case Op.PLUS:
                return _plus(x)
            case Op.STAR:
                return _union(_plus(x), _IDENTITY)
            case Op.OPTIONAL:
                return _union(x, _IDENTITY)
            case Op.IDENTITY:
                all_events = self.made.get(a, (0, 0, 0))[0] == Op.ALL_EVENTS
                return _IDENTITY if all_events else _identity(x)
            case Op.DOMAIN:
                return Fact(x.grows, x.settled and x.outward, x.kept and not x.back & _OLD)
            case Op.RANGE:
                return Fact(x.grows, x.settled and x.inward, x.kept and not x.out & _OLD)
        assert op in (Op.COMPLEMENT, Op.SET_COMPLEMENT), "every operation should have a fact"
        return replace(self.other_threads(a), grows=x.settled, settled=x.grows, kept=x.grows)

    def other_threads(self, a: int) -> Fact:
        """The complement of `int` leaves the new events; that of anything else may go anywhere."""
        op, index, _ = self.made.get(a, (-1, 0, 0))
        if op == Op.BASE_RELATION and RELATIONS[index] == "int":
            return replace(_UNKNOWN, out=_OLD, back=_OLD)
        return _UNKNOWN


_BINARY = frozenset({
    Op.UNION, Op.SET_UNION, Op.INTERSECTION, Op.SET_INTERSECTION, Op.DIFFERENCE, Op.SET_DIFFERENCE, Op.SEQUENCE,
    Op.PRODUCT, Op.FROM, Op.TO,
})  # fmt: skip
