"""Is a model monotone: does it forbid, with stronger orders and more fences, all that it forbade without?

That is what makes the search exact: an execution that is bad under some assignment is bad under all weaker ones. It is
proved from the model's plan, by running the plan on facts instead of relations. A fact says of a set or a relation how
its part on the *old* events (those that both programs have) moves when an order is raised or a fence is added, and
whether new fences may be among its ends:

    SAME it does not move, UP it only grows, DOWN it only shrinks, ANY nothing is known.

A sequence through an event that may be a new fence only grows. Every axiom must be asked of a relation that only grows,
and the flag for races of one that only shrinks. The proof is conservative: a model that fails it may be monotone.
What the compilation for a machine replaces (an `lwsync` by a `sync`) is no insertion; for our own models that too is
tested against all assignments, for a user's model of POWER nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from fencepost.execution.execution import EventKind
from fencepost.models.cat.plan import Op, Plan, walk
from fencepost.models.registry import Model
from fencepost.program.instructions import FenceKind, Mode, Tag
from fencepost.program.passes.mapping import TARGETS
from fencepost.program.program import Arch


class Move(Enum):
    SAME = "same"
    UP = "up"
    DOWN = "down"
    ANY = "any"


class Label(NamedTuple):
    """What the primitive sets can tell of an event."""

    role: str  # R, W, F, or the kind of an event that is no access
    detail: str = ""  # its mode or the kind of the fence
    initial: bool = False
    rmw: bool = False
    exclusive: bool = False
    tag: str = Tag.NONE.value


class Fact(NamedTuple):
    """`first`, `last`: whether a new fence may be the first or the last event of a pair; of a set both are the same.
    `labels` are known of sets that are made of primitive ones."""

    move: Move
    first: bool = False
    last: bool = False
    labels: frozenset[Label] | None = None


_STRONGER = {
    Mode.NA: (), Mode.RLX: (Mode.ACQ_PC, Mode.ACQ, Mode.REL, Mode.ACQ_REL, Mode.SC),
    Mode.ACQ_PC: (Mode.ACQ, Mode.ACQ_REL, Mode.SC), Mode.ACQ: (Mode.ACQ_REL, Mode.SC),
    Mode.REL: (Mode.ACQ_REL, Mode.SC), Mode.ACQ_REL: (Mode.SC,), Mode.SC: (),
}  # fmt: skip
_OF_READS = (Mode.NA, Mode.RLX, Mode.ACQ_PC, Mode.ACQ, Mode.SC)
_OF_WRITES = (Mode.NA, Mode.RLX, Mode.REL, Mode.SC)
_TRUTHS = (False, True)


def _modes(role: str, rmw: bool) -> tuple[Mode, ...]:
    return tuple(Mode) if rmw else _OF_READS if role == "R" else _OF_WRITES


@cache
def _accesses() -> frozenset[Label]:
    ordinary = {
        Label(role, m.value, False, u, x, t.value)
        for role in "RW" for u in _TRUTHS for x in _TRUTHS for m in _modes(role, u) for t in Tag
    }  # fmt: skip
    return frozenset(ordinary | {Label("W", Mode.NA.value, True)})


@cache
def _labels() -> frozenset[Label]:
    plain = [k for k in EventKind if k.value not in ("init", "read", "write", "fence")]
    return _accesses() | {Label("F", k.value) for k in FenceKind} | {Label(k.value) for k in plain}


def _primitive(name: str) -> frozenset[Label]:
    kind, _, detail = name.partition(".")
    tests: dict[str, Callable[[Label], bool]] = {
        "R": lambda e: e.role == "R", "W": lambda e: e.role == "W", "F": lambda e: e.role == "F",
        "IW": lambda e: e.initial, "RMW": lambda e: e.rmw, "X": lambda e: e.exclusive,
        "access": lambda e: e.role in "RW" and e.detail == detail,
        "fence": lambda e: e.role == "F" and e.detail == detail, "event": lambda e: e.role == detail,
        "tag": lambda e: e.tag == detail,
    }  # fmt: skip
    return frozenset(e for e in _labels() if tests[kind](e))


@lru_cache(maxsize=512)
def _set(labels: frozenset[Label]) -> Fact:
    grows = shrinks = True
    for e in _accesses():
        if e.initial:
            continue
        for stronger in _STRONGER[Mode(e.detail)]:
            if stronger in _modes(e.role, e.rmw):
                there, after = e in labels, e._replace(detail=stronger.value) in labels
                grows, shrinks = grows and not (there and not after), shrinks and not (after and not there)
    move = Move.SAME if grows and shrinks else Move.UP if grows else Move.DOWN if shrinks else Move.ANY
    fence = any(e.role == "F" for e in labels)
    return Fact(move, fence, fence, labels)


def _both(*moves: Move) -> Move:
    found = set(moves) - {Move.SAME}
    return Move.SAME if not found else found.pop() if len(found) == 1 else Move.ANY


_OPPOSITE = {Move.SAME: Move.SAME, Move.UP: Move.DOWN, Move.DOWN: Move.UP, Move.ANY: Move.ANY}
_EMPTY = Fact(Move.SAME)
_UNKNOWN = Fact(Move.ANY, True, True)


def _relations(branches: bool) -> dict[str, Fact]:
    """Dependencies never end in the fences that are put in, but for control dependencies (of what follows a branch).
    `branches`: an order is compiled to a branch, and then what follows it gains control dependencies; without that they
    are what the program's own branches make them, whatever its orders are."""
    same = Fact(Move.SAME, False, True)
    ctrl, picked = (Fact(Move.UP, False, True), Fact(Move.DOWN, False, True)) if branches else (same, same)
    return {
        "po": Fact(Move.SAME, True, True), "int": Fact(Move.SAME, True, True), "atomic": Fact(Move.SAME, True, True),
        "ctrl": ctrl, "pick.ctrl": picked, "rf": _EMPTY, "co": _EMPTY, "loc": _EMPTY, "addr": _EMPTY, "data": _EMPTY,
        "rmw": _EMPTY, "spawn": _EMPTY, "pick.addr": _EMPTY, "pick.data": _EMPTY,
    }  # fmt: skip


class _Proof:
    def __init__(self, plan: Plan, branches: bool) -> None:
        self.plan, self.facts, self.relations = plan, dict[int, Fact](), _relations(branches)

    def run(self) -> list[str]:
        walk(self.plan, self.compute, self.assign)
        return [c for c in map(self.objection, self.plan.operations) if c]

    def objection(self, operation: tuple[int, int, int, int]) -> str:
        op, _, a, b = operation
        if op != Op.CHECK:
            return ""
        check = self.plan.checks[a]
        if check.flag and not check.race:
            return ""  # it decides nothing
        # an axiom `acyclic r` must be asked of what grows, `~empty r` of what shrinks; the flag `~empty race` is raised
        # where there is one, so races must shrink
        wanted = (Move.SAME, Move.DOWN) if check.negated else (Move.SAME, Move.UP)
        move = self.facts[b].move
        return "" if move in wanted else f"{check.name or 'a check'} at line {check.at.line}"

    def assign(self, a: int, b: int) -> bool:
        x, y = self.facts[a], self.facts[b]
        new = Fact(_both(x.move, y.move), x.first or y.first, x.last or y.last)
        self.facts[a] = new
        return new != x

    def compute(self, op: int, to: int, a: int, b: int) -> None:
        if op in (Op.VARIABLE, Op.SET_VARIABLE):
            self.facts.setdefault(to, _EMPTY)
        else:
            self.facts[to] = self.fact(Op(op), a, b)

    def fact(self, op: Op, a: int, b: int) -> Fact:
        match op:
            case Op.BASE_SET:
                return _set(_primitive(self.plan.sets[a]))
            case Op.BASE_RELATION:
                return self.relations.get(self.plan.relations[a], _UNKNOWN)
            case Op.ALL_EVENTS:
                return _set(_labels())
            case Op.EMPTY_SET:
                return _set(frozenset())
            case Op.EMPTY_RELATION:
                return _EMPTY
        x = self.facts[a]
        y = self.facts.get(b, _EMPTY)
        if op in (Op.SET_UNION, Op.SET_INTERSECTION, Op.SET_DIFFERENCE, Op.SET_COMPLEMENT):
            return self.of_sets(op, x, y)
        return self.of_relations(op, a, b, x, y)

    @staticmethod
    def of_sets(op: Op, x: Fact, y: Fact) -> Fact:
        if x.labels is not None and (y.labels is not None or op is Op.SET_COMPLEMENT):
            others = y.labels or frozenset()
            made = {
                Op.SET_UNION: x.labels | others, Op.SET_INTERSECTION: x.labels & others,
                Op.SET_DIFFERENCE: x.labels - others, Op.SET_COMPLEMENT: _labels() - x.labels,
            }  # fmt: skip
            return _set(made[op])
        if op is Op.SET_COMPLEMENT:
            return Fact(_OPPOSITE[x.move], True, True)
        other = _OPPOSITE[y.move] if op is Op.SET_DIFFERENCE else y.move
        fence = x.first or (y.first and op is Op.SET_UNION)
        return Fact(_both(x.move, other), fence, fence)

    def of_relations(self, op: Op, a: int, b: int, x: Fact, y: Fact) -> Fact:
        through = Move.UP  # a new fence in the middle makes pairs
        match op:
            case Op.DOMAIN:
                return Fact(_both(x.move, through if x.last else Move.SAME), x.first, x.first)
            case Op.RANGE:
                return Fact(_both(x.move, through if x.first else Move.SAME), x.last, x.last)
            case Op.UNION:
                return Fact(_both(x.move, y.move), x.first or y.first, x.last or y.last)
            case Op.INTERSECTION:
                return Fact(_both(x.move, y.move), x.first and y.first, x.last and y.last)
            case Op.DIFFERENCE:
                return Fact(_both(x.move, _OPPOSITE[y.move]), x.first, x.last)
            case Op.COMPLEMENT:
                return Fact(_OPPOSITE[x.move], True, True)
            case Op.SEQUENCE:
                return Fact(_both(x.move, y.move, through if x.last and y.first else Move.SAME), x.first, y.last)
            case Op.INVERSE:
                return Fact(x.move, x.last, x.first)
            case Op.PLUS | Op.STAR:
                inner = Move.SAME if self.is_order(a) else through if x.first and x.last else Move.SAME
                star = op is Op.STAR
                return Fact(_both(x.move, inner), x.first or star, x.last or star)
            case Op.OPTIONAL:
                return Fact(x.move, True, True)
            case Op.PRODUCT:
                return Fact(_both(x.move, y.move), x.first, y.first)
            case Op.IDENTITY:
                return Fact(x.move, x.first, x.first)
            case Op.FROM:  # a set, then a relation
                return Fact(_both(x.move, y.move), x.first and y.first, y.last)
            case Op.TO:
                return Fact(_both(x.move, y.move), x.first, x.last and y.first)
        return _UNKNOWN

    def is_order(self, register: int) -> bool:
        """Whether a relation is po, or po with the starts and ends of threads: a fence on the way changes nothing in
        its closure, since what stands around it is ordered anyway."""
        made = {to: (Op(op), a, b) for op, to, a, b in self.plan.operations if op not in (Op.CHECK, Op.ASSIGN)}

        def fits(r: int) -> bool:
            op, a, b = made.get(r, (Op.EMPTY_SET, 0, 0))
            if op is Op.UNION:
                return fits(a) and fits(b)
            return op is Op.BASE_RELATION and self.plan.relations[a] in ("po", "spawn")

        return fits(register)


@lru_cache(maxsize=64)
def objections(model: Model) -> tuple[str, ...]:
    """Why the model is not proved monotone; empty where it is."""
    if model.plan is None:
        return (f"the model has no plan: {model.why_no_plan}",)
    if not model.ours and model.architecture is Arch.PPC:
        return ("compiling for POWER replaces fences, and of this model it is not known that it minds",)
    target = TARGETS.get(model.mapped_like)
    return tuple(_Proof(model.plan, target is not None and target.branch).run())
