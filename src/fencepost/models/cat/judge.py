"""Does an execution satisfy a model? The answer with its reasons."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from fencepost.execution import relations as rel
from fencepost.execution.execution import Execution
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.base import Structure, structure_of
from fencepost.models.cat.evaluate import Evaluator, Value
from fencepost.models.cat.resolve import Resolved, resolve
from fencepost.models.cat.types import check_types
from fencepost.program.operands import Position
from fencepost.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Prepared:
    """A model that is ready to judge: read, resolved and checked once."""

    title: str
    statements: tuple[cat.Statement, ...]
    definitions: dict[str, cat.Let | cat.Enum]
    procedures: dict[str, cat.Procedure]
    origin: dict[str, str]
    declared: str = ""  # the architecture, where the file begins with its name


@dataclass(frozen=True, slots=True)
class Violation:
    """A constraint that does not hold. `pairs` are the pairs that break it: a shortest cycle, the reflexive pairs, or
    what should have been empty (for a set: each member with itself). `local` holds what its names stand for where they
    are not definitions of the model: parameters, elements of a loop, choices."""

    name: str
    kind: str
    at: Position
    pairs: tuple[tuple[int, int], ...] = ()
    check: cat.Check | None = field(default=None, repr=False)
    local: Mapping[str, Value] = field(default_factory=dict, repr=False, hash=False)


@dataclass(frozen=True, slots=True)
class Judgement:
    consistent: bool
    violated: tuple[Violation, ...] = ()
    flags: tuple[Violation, ...] = ()


def prepare(text: str, file: str, variants: frozenset[str] = frozenset()) -> Prepared:
    """Reads a model with its includes. Raises InputError with a place for anything that is wrong with it."""
    return prepare_resolved(resolve(text, file, variants))


def prepare_resolved(resolved: Resolved) -> Prepared:
    check_types(resolved)
    definitions: dict[str, cat.Let | cat.Enum] = {}
    for s in resolved.statements:
        if isinstance(s, cat.Let):
            definitions.update({name: s for b in s.bindings for name in b.names})
        elif isinstance(s, cat.Enum):
            definitions[s.name] = s
    procedures = {s.name: s for s in resolved.statements if isinstance(s, cat.Procedure)}
    kept = tuple(s for s in resolved.statements if isinstance(s, cat.Check | cat.ForAll | cat.Call | cat.With))
    return Prepared(resolved.title, kept, definitions, procedures, resolved.origin, resolved.declared)


def judge(model: Prepared, execution: Execution, *, all_violations: bool = True) -> Judgement:
    """Judges one execution. With `all_violations` off it stops at the first constraint that fails."""
    return judge_structure(model, structure_of(execution), all_violations=all_violations)


def judge_structure(model: Prepared, structure: Structure, *, all_violations: bool = True) -> Judgement:
    return _Run(model, structure, all_violations).judge(model.statements, {})


class _Run:
    """One judgement. `with x from S` asks for some choice of x under which the rest holds."""

    def __init__(self, model: Prepared, structure: Structure, all_violations: bool) -> None:
        self.model, self.all_violations = model, all_violations
        self.evaluator = Evaluator(model.definitions, structure)
        self.violated: list[Violation] = []
        self.flags: list[Violation] = []
        self.chosen: dict[str, Value] = {}

    def judge(self, statements: tuple[cat.Statement, ...], local: dict[str, Value]) -> Judgement:
        for i, s in enumerate(statements):
            if isinstance(s, cat.With):
                return self.choices(s, statements[i + 1 :])
            self.statement(s, local)
            if self.violated and not self.all_violations:
                break
        return Judgement(not self.violated, tuple(self.violated), tuple(self.flags))

    def choices(self, s: cat.With, rest: tuple[cat.Statement, ...]) -> Judgement:
        values = self.evaluator.elements(self.evaluator.value(s.values, {}))
        last = Judgement(False, (*self.violated, Violation(self.model.origin[s.name], "with", s.at)), tuple(self.flags))
        for value in values:
            other = _Run(self.model, self.evaluator.structure, self.all_violations)
            other.violated, other.flags = list(self.violated), list(self.flags)
            other.chosen = {**self.chosen, s.name: value}
            other.evaluator.globals.update(other.chosen)
            last = other.judge(rest, {})
            if last.consistent:
                return last
        return last

    def statement(self, s: cat.Statement, local: dict[str, Value]) -> None:
        match s:
            case cat.Check():
                self.check(s, local)
            case cat.Let():
                local.update(self.evaluator.extend(s.bindings, s.recursive, local))
            case cat.ForAll():
                for value in self.evaluator.elements(self.evaluator.value(s.values, local)):
                    self.block(s.body, {**local, s.variable: value})
            case cat.Call():
                procedure = self.model.procedures[s.procedure]
                args = [self.evaluator.value(a, local) for a in s.args]
                self.block(procedure.body, dict(zip(procedure.params, args, strict=True)))
            case _:
                pass

    def block(self, body: tuple[cat.Statement, ...], local: dict[str, Value]) -> None:
        for s in body:
            self.statement(s, local)

    def check(self, s: cat.Check, local: dict[str, Value]) -> None:
        value = self.evaluator.value(s.value, local)
        rows = self.as_relation(value)
        holds = {"acyclic": rel.is_acyclic, "irreflexive": rel.is_irreflexive, "empty": _is_empty}[s.kind](rows)
        failed = holds == s.negated
        if s.role == "flag":
            failed = not failed  # a flag is raised where its condition holds
        if not failed:
            return
        name, known = s.name or f"{s.kind}@{s.at.line}", {**self.chosen, **local}
        violation = Violation(name, s.kind, s.at, self.evidence(s, rows), s, known)
        (self.violated if s.role == "require" else self.flags).append(violation)

    def as_relation(self, value: Value) -> rel.Rows:
        if isinstance(value, int):
            return rel.identity(value, self.evaluator.structure.n)
        return self.evaluator.rows(value)

    def evidence(self, s: cat.Check, rows: rel.Rows) -> tuple[tuple[int, int], ...]:
        if s.kind == "acyclic":
            cycle = rel.shortest_cycle(rows) or []
            return tuple(itertools.pairwise(cycle))
        if s.kind == "irreflexive":
            return tuple((a, b) for a, b in rel.pairs(rows) if a == b)
        return tuple(rel.pairs(rows))


def _is_empty(rows: rel.Rows) -> bool:
    return not any(rows)
