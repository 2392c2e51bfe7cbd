"""Why a constraint fails: its cycle, every edge named and taken apart down to what everybody knows.

An edge of `hb` is not an explanation; `rfe`, then `sync`, then `fre` is. Definitions are unfolded until a relation of
the execution or a name of the field (`fr`, `po-loc`, `ctrlisync` ...) is reached. A pair of a recursive definition is
unfolded along the round in which it first appears, so that the unfolding ends.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace

from fencepost.execution import relations as rel
from fencepost.execution.execution import Event
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.base import Structure
from fencepost.models.cat.evaluate import Evaluator, Value
from fencepost.models.cat.judge import Prepared, Violation
from fencepost.models.cat.values import Closure
from fencepost.records import dataclass

#: Names at which unfolding stops: what the field reads without a definition.
LEAVES = frozenset({
    "po", "fr", "rfe", "rfi", "coe", "coi", "fre", "fri", "po-loc", "addr", "data", "ctrl", "amo", "lxsx", "threads",
    "sync", "lwsync", "isync", "eieio", "mfence", "sfence", "lfence", "dmb", "dsb", "isb", "ctrlisync", "ctrlisb",
    "ctrlfencei", "any-addr", "any-data", "any-ctrl",
})  # fmt: skip
_SAID_AS = {"any-addr": "addr", "any-data": "data", "any-ctrl": "ctrl", "spawn": "spawn", "threads": "spawn/join"}
_FENCE_FUNCTIONS = ("fencerel", "ctrlcfence")
_SIDE_CONDITIONS = ("int", "ext", "loc", "unv")


@dataclass(frozen=True, slots=True)
class NamedEdge:
    """`within`: the definitions that it is part of, outermost first."""

    source: int
    target: int
    name: str
    within: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Where:
    """The meaning of local names: their values, and the expressions behind them so that they can be unfolded."""

    values: dict[str, Value]
    sources: dict[str, tuple[cat.Expression, Where]]
    rounds: dict[str, int]  # of recursive names: the round whose value counts here


_TOP = Where({}, {}, {})


def explain_violation(model: Prepared, structure: Structure, violation: Violation) -> tuple[NamedEdge, ...]:
    """The edges that break the constraint, in order: a cycle, or the path behind a pair that should not be."""
    if violation.check is None or not violation.pairs:
        return ()
    explainer = _Explainer(model, structure, violation.local)
    pairs = violation.pairs if violation.kind == "acyclic" else violation.pairs[:1]
    edges: list[NamedEdge] = []
    where = Where(dict(violation.local), {}, {})
    for a, b in pairs:
        edges += explainer.path(violation.check.value, where, a, b, ())
    return tuple(edges)


class _Explainer:
    def __init__(self, model: Prepared, structure: Structure, known: Mapping[str, Value]) -> None:
        self.model, self.structure = model, structure
        self.evaluator = Evaluator(model.definitions, structure)
        self.evaluator.globals.update(known)
        self.history: dict[str, list[rel.Rows]] = {}

    def rows(self, e: cat.Expression, where: Where) -> rel.Rows:
        value = self.evaluator.value(e, where.values)
        if isinstance(value, int):
            return rel.identity(value, self.structure.n)
        return value if isinstance(value, tuple) else (0,) * self.structure.n

    def has(self, e: cat.Expression, where: Where, a: int, b: int) -> bool:
        return bool(self.rows(e, where)[a] >> b & 1)

    # --- paths

    def path(self, e: cat.Expression, where: Where, a: int, b: int, within: tuple[str, ...]) -> list[NamedEdge]:
        """Edges from a to b that show that the pair is in the relation. None for a pair of an event with itself that
        only an identity put there."""
        match e:
            case cat.Name(name):
                return self.named(name, where, a, b, within)
            case cat.Base(name):
                return [NamedEdge(a, b, _SAID_AS.get(name, name), within)]
            case cat.Binary("|"):
                sides = [s for s in (e.left, e.right) if self.has(s, where, a, b)]
                return min((self.path(s, where, a, b, within) for s in sides), key=len)
            case cat.Binary("&"):
                return self.path(self.telling_side(e), where, a, b, within)
            case cat.Binary("\\"):
                return self.path(e.left, where, a, b, within)
            case cat.Binary(";"):
                return self.sequence(e, where, a, b, within)
            case cat.Unary("+" | "*"):
                return self.steps(e, where, a, b, within)
            case cat.Unary("?"):
                return [] if a == b else self.path(e.inner, where, a, b, within)
            case cat.Unary("^-1"):
                return [_turned(edge) for edge in reversed(self.path(e.inner, where, b, a, within))]
            case cat.Unary("[]"):
                return []
            case cat.LetIn():
                return self.path(e.body, self.local(e, where), a, b, within)
            case cat.Apply():
                return self.call(e, where, a, b, within)
            case _:
                return [NamedEdge(a, b, self.said(e), within)] if a != b else []

    def named(self, name: str, where: Where, a: int, b: int, within: tuple[str, ...]) -> list[NamedEdge]:
        if name in where.rounds:
            return self.recursive(name, where, a, b, within)
        if name in where.sources:
            expression, outer = where.sources[name]
            return self.path(expression, outer, a, b, within)
        shown = self.model.origin.get(name, name)
        if shown in LEAVES or name not in self.model.definitions:
            return [NamedEdge(a, b, _SAID_AS.get(shown, shown), within)]
        definition = self.model.definitions[name]
        inside = (*within, shown)
        if isinstance(definition, cat.Let) and definition.recursive:
            self.iterate(definition)
            rounds = {b.names[0]: len(self.history[b.names[0]]) - 1 for b in definition.bindings}
            return self.recursive(name, Where({}, {}, rounds), a, b, inside)
        expression = self.binding(definition, name).value
        return self.path(expression, _TOP, a, b, inside)

    def binding(self, definition: cat.Let | cat.Enum, name: str) -> cat.Binding:
        assert isinstance(definition, cat.Let), "an enumeration should not stand in a relation"
        return next(b for b in definition.bindings if name in b.names)

    def iterate(self, definition: cat.Let) -> None:
        """The rounds of a recursive definition, all of its names at once in each."""
        names = [b.names[0] for b in definition.bindings]
        if names[0] in self.history:
            return
        empty = (0,) * self.structure.n
        rounds = [dict.fromkeys(names, empty)]
        while len(rounds) < 2 or rounds[-1] != rounds[-2]:
            now: dict[str, Value] = dict(rounds[-1])
            where = Where(now, {}, {})
            rounds.append({b.names[0]: self.rows(b.value, where) for b in definition.bindings})
        for name in names:
            self.history[name] = [r[name] for r in rounds]

    def recursive(self, name: str, where: Where, a: int, b: int, within: tuple[str, ...]) -> list[NamedEdge]:
        history = self.history[name]
        first = next(k for k in range(where.rounds[name] + 1) if history[k][a] >> b & 1)
        definition = self.model.definitions[name]
        assert isinstance(definition, cat.Let), "only a let should be recursive"
        names = [x.names[0] for x in definition.bindings]
        earlier: dict[str, Value] = {n: self.history[n][first - 1] for n in names}
        inner = Where(earlier, {}, dict.fromkeys(names, first - 1))
        return self.path(self.binding(definition, name).value, inner, a, b, within)

    def telling_side(self, e: cat.Binary) -> cat.Expression:
        """Of `r & s` the side that says more than where the events are."""
        return e.right if self.is_side_condition(e.left) else e.left

    def is_side_condition(self, e: cat.Expression) -> bool:
        if isinstance(e, cat.Binary):
            return e.op == "*" or (self.is_side_condition(e.left) and self.is_side_condition(e.right))
        if isinstance(e, cat.Unary):
            return e.op == "~"
        name = self.model.origin.get(e.name, e.name) if isinstance(e, cat.Name) else getattr(e, "name", "")
        return name in _SIDE_CONDITIONS

    def sequence(self, e: cat.Binary, where: Where, a: int, b: int, within: tuple[str, ...]) -> list[NamedEdge]:
        left, right = self.rows(e.left, where), rel.inverse(self.rows(e.right, where))
        middles = left[a] & right[b]
        best: list[NamedEdge] | None = None
        for middle in rel.bits(middles):
            found = self.path(e.left, where, a, middle, within) + self.path(e.right, where, middle, b, within)
            if best is None or len(found) < len(best):
                best = found
        assert best is not None, "a pair of a sequence should have a middle"
        return best

    def steps(self, e: cat.Unary, where: Where, a: int, b: int, within: tuple[str, ...]) -> list[NamedEdge]:
        if e.op == "*" and a == b:
            return []
        events = rel.shortest_path(self.rows(e.inner, where), a, b)
        assert events is not None, "a pair of a closure should have a path"
        edges: list[NamedEdge] = []
        for source, target in itertools.pairwise(events):
            edges += self.path(e.inner, where, source, target, within)
        return edges

    def local(self, e: cat.LetIn, where: Where) -> Where:
        values = self.evaluator.extend(e.bindings, e.recursive, where.values)
        sources = dict(where.sources)
        if not e.recursive:
            sources.update({b.names[0]: (b.value, where) for b in e.bindings if len(b.names) == 1})
        return Where(values, sources, where.rounds)

    def call(self, e: cat.Apply, where: Where, a: int, b: int, within: tuple[str, ...]) -> list[NamedEdge]:
        name = self.model.origin.get(e.function.name, "") if isinstance(e.function, cat.Name) else ""
        if name in _FENCE_FUNCTIONS:
            return [NamedEdge(a, b, self.fence_name(name, e, where, a, b), within)]
        function = self.evaluator.value(e.function, where.values)
        if not isinstance(function, Closure) or len(function.fun.params) != len(e.args):
            return [NamedEdge(a, b, name or self.said(e), within)]
        args = {p: self.evaluator.value(x, where.values) for p, x in zip(function.fun.params, e.args, strict=True)}
        sources = {p: (x, where) for p, x in zip(function.fun.params, e.args, strict=True)}
        inner = Where({**function.env, **args}, sources, where.rounds)
        return self.path(function.fun.body, inner, a, b, within)

    def fence_name(self, name: str, e: cat.Apply, where: Where, a: int, b: int) -> str:
        """The kind of the fence that stands between the two."""
        chosen = self.evaluator.value(e.args[0], where.values)
        kinds = chosen if isinstance(chosen, int) else 0
        po = self.structure.relation("po")
        between = [k for k in rel.bits(po[a] & kinds) if po[k] >> b & 1]
        fences = [event_fence(self.structure.events[k]) for k in between]
        return ("ctrl+" if name == "ctrlcfence" else "") + (fences[0] if fences else "fence")

    def said(self, e: cat.Expression) -> str:
        """A short name for what cannot be unfolded."""
        match e:
            case cat.Name(name) | cat.Base(name):
                return self.model.origin.get(name, name)
            case cat.Binary("*"):
                return "init" if "IW" in (self.said(e.left), self.said(e.right)) else "order"
            case _:
                return "order"


def event_fence(e: Event) -> str:
    """How a fence is called: `sync`, or `fence sc` for those of C11."""
    if e.fence is None:
        return "fence"
    value = e.fence.value
    return f"fence {value}" if value in ("acq", "rel", "acq_rel", "sc") else value


def _turned(edge: NamedEdge) -> NamedEdge:
    name = edge.name.removesuffix("^-1") if edge.name.endswith("^-1") else f"{edge.name}^-1"
    return replace(edge, source=edge.target, target=edge.source, name=name)
