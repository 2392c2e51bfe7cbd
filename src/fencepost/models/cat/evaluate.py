"""The plain evaluator: walks the tree of a resolved model over the primitives of one execution.

It is the judge of every faster evaluator, so it does nothing clever: definitions are evaluated when first needed,
recursion is iterated from empty until nothing changes, in the order written.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias

from fencepost.errors import InputError
from fencepost.execution import relations as rel
from fencepost.execution.relations import Rows
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.base import RELATIONS, SETS, Structure
from fencepost.models.cat.values import Builtin, Closure, Items, Nothing, spread
from fencepost.program.operands import Position

MAX_ROUNDS = 10_000
MAX_CALLS = 60
MAX_LINEARISATIONS = 100_000

#: A set, a relation, a tag, a set of values; tuples of the language are Items, since Python's are relations here.
Value: TypeAlias = "int | Rows | str | frozenset[object] | Nothing | Items[Value] | Closure[Value] | Builtin"
EMPTY = Nothing()


class Evaluator:
    """The definitions of a model over one structure. `globals` holds what has been evaluated so far."""

    def __init__(self, definitions: dict[str, cat.Let | cat.Enum], structure: Structure) -> None:
        self.definitions, self.structure = definitions, structure
        self.globals: dict[str, Value] = {}
        self.depth = 0

    # --- values by kind

    def set(self, value: Value) -> int:
        if isinstance(value, int):
            return value
        assert value is EMPTY, "the type checker should have refused it"
        return 0

    def rows(self, value: Value) -> Rows:
        if isinstance(value, tuple):
            return value
        assert value is EMPTY, "the type checker should have refused it"
        return (0,) * self.structure.n

    def elements(self, value: Value) -> list[Value]:
        """The elements of a set of values, in an order that does not depend on the run."""
        if value is EMPTY:
            return []
        assert isinstance(value, frozenset), "the type checker should have refused it"
        return sorted(value, key=repr)  # type: ignore[arg-type]  # it only ever holds Values

    # --- expressions

    def value(self, e: cat.Expression, local: dict[str, Value]) -> Value:
        match e:
            case cat.Name(name):
                return local[name] if name in local else self.global_value(name)
            case cat.Base(name):
                return self.base(name)
            case cat.Binary():
                return self.binary(e, local)
            case cat.Unary():
                return self.unary(e, local)
            case cat.Empty():
                return EMPTY
            case cat.Universe():
                return self.structure.full
            case cat.Apply():
                return self.apply(e, local)
            case cat.Tag(name):
                return name
            case cat.Tuple(items):
                return Items(tuple(self.value(i, local) for i in items))
            case cat.ValueSet(items):
                return frozenset(self.value(i, local) for i in items)
            case cat.Fun():
                return Closure(e, local)
            case cat.LetIn():
                return self.value(e.body, self.extend(e.bindings, e.recursive, local))
            case cat.Match():
                return self.match(e, local)
            case cat.Try() | cat.If():
                raise AssertionError("the resolver should have decided it")

    def base(self, name: str) -> Value:
        if name in RELATIONS:
            return self.structure.relation(name)
        if name in SETS:
            return self.structure.set(name)
        return Builtin(name)

    def global_value(self, name: str) -> Value:
        if name not in self.globals:
            definition = self.definitions[name]
            if isinstance(definition, cat.Enum):
                self.globals[name] = frozenset(definition.tags)
            elif definition.recursive:
                self.fixpoint(definition.bindings, {}, self.globals)
            else:
                for b in definition.bindings:
                    self.globals.update(spread(b, self.value(b.value, {})))
        return self.globals[name]

    def extend(self, bindings: tuple[cat.Binding, ...], recursive: bool, local: dict[str, Value]) -> dict[str, Value]:
        inner = dict(local)
        if recursive:
            self.fixpoint(bindings, inner, inner)
        else:
            for b in bindings:
                inner.update(spread(b, self.value(b.value, local)))
        return inner

    def fixpoint(self, bindings: tuple[cat.Binding, ...], local: dict[str, Value], into: dict[str, Value]) -> None:
        """Functions are bound as they are; the rest starts empty and is evaluated in order until nothing changes."""
        iterated = [b for b in bindings if not isinstance(b.value, cat.Fun)]
        for b in bindings:
            if isinstance(b.value, cat.Fun):
                into[b.names[0]] = Closure(b.value, local)
        for b in iterated:
            into.update(dict.fromkeys(b.names, EMPTY))
        for _ in range(MAX_ROUNDS):
            changed = False
            for b in iterated:
                new = spread(b, self.value(b.value, local))
                changed = changed or any(into[name] != value for name, value in new.items())
                into.update(new)
            if not changed:
                return
        raise _error(bindings[0].at, "let rec that does not settle", "a definition that only grows")

    def unary(self, e: cat.Unary, local: dict[str, Value]) -> Value:
        inner = self.value(e.inner, local)
        if e.op == "[]":
            return rel.identity(self.set(inner), self.structure.n)
        if e.op == "~":
            return self.structure.full & ~inner if isinstance(inner, int) else rel.complement(self.rows(inner))
        rows = self.rows(inner)
        if e.op == "+":
            return rel.closure(rows)
        if e.op == "*":
            return rel.reflexive(rel.closure(rows))
        return rel.reflexive(rows) if e.op == "?" else rel.inverse(rows)

    def binary(self, e: cat.Binary, local: dict[str, Value]) -> Value:
        left, right = self.value(e.left, local), self.value(e.right, local)
        if e.op == ";":
            return rel.sequence(self.rows(left), self.rows(right))
        if e.op == "*":
            return rel.product(self.set(left), self.set(right), self.structure.n)
        if e.op == "++":
            return frozenset([left, *self.elements(right)])
        if left is EMPTY or right is EMPTY:
            return self.with_nothing(e.op, left, right)
        if isinstance(left, tuple):
            operation = {"|": rel.union, "&": rel.intersection, "\\": rel.difference}[e.op]
            return operation(left, self.rows(right))
        if isinstance(left, int):
            other = self.set(right)
            return left | other if e.op == "|" else left & other if e.op == "&" else left & ~other
        return self.on_value_sets(e.op, left, right)

    def on_value_sets(self, op: str, left: Value, right: Value) -> Value:
        assert isinstance(left, frozenset) and isinstance(right, frozenset), "the type checker should have refused it"
        return left | right if op == "|" else left & right if op == "&" else left - right

    def with_nothing(self, op: str, left: Value, right: Value) -> Value:
        if op == "|":
            return right if left is EMPTY else left
        return left if op == "\\" and left is not EMPTY else EMPTY

    def apply(self, e: cat.Apply, local: dict[str, Value]) -> Value:
        function = self.value(e.function, local)
        args = [self.value(a, local) for a in e.args]
        if isinstance(function, Builtin):
            return self.builtin(function.name, args, e.at)
        assert isinstance(function, Closure), "the type checker should have refused it"
        return self.call(function, args)

    def call(self, function: Closure[Value], args: list[Value]) -> Value:
        self.depth += 1
        if self.depth > MAX_CALLS:
            raise _error(function.fun.at, "a function that calls itself without end", "a recursion on smaller sets")
        result = self.value(function.fun.body, function.scope(args))
        self.depth -= 1
        return result

    def match(self, e: cat.Match, local: dict[str, Value]) -> Value:
        subject = self.value(e.subject, local)
        for c in e.clauses:
            match c.pattern:
                case cat.Tag(name):
                    if subject == name:
                        return self.value(c.body, local)
                case cat.Empty():
                    if subject is EMPTY or not subject:
                        return self.value(c.body, local)
                case (str(head), str(tail)):
                    elements = self.elements(subject)
                    if elements:
                        inner = {**local, head: elements[0], tail: frozenset(elements[1:])}
                        return self.value(c.body, inner)
                case _:
                    return self.value(c.body, local)
        raise _error(e.at, "no clause of this match fits", "a clause for every value, or || _ -> ...")

    # --- functions that are not cat

    def builtin(self, name: str, args: list[Value], at: Position) -> Value:
        if name == "domain":
            return rel.domain(self.rows(args[0]))
        if name in ("classes-loc", "partition"):
            members = self.set(args[0])
            return frozenset(row & members for row in self.structure.relation("loc") if row & members)
        if name == "classes":
            return frozenset(row for row in self.rows(args[0]) if row)
        orders = list(islice(linearisations(self.set(args[0]), self.rows(args[1])), MAX_LINEARISATIONS + 1))
        if len(orders) > MAX_LINEARISATIONS:
            raise _error(at, f"more than {MAX_LINEARISATIONS} linearisations", "a smaller set")
        return frozenset(orders)


def linearisations(members: int, order: Rows) -> Iterator[Rows]:
    """Every total order of the members that contains the given order; none where that has a cycle."""
    n = len(order)
    before = rel.inverse(rel.closure(order))

    def extend(left: int, chosen: list[int]) -> Iterator[Rows]:
        if not left:
            rows = [0] * n
            later = 0
            for event in reversed(chosen):
                rows[event] = later
                later |= 1 << event
            yield tuple(rows)
        for event in rel.bits(left):
            if not before[event] & left:
                yield from extend(left & ~(1 << event), [*chosen, event])

    yield from extend(members, [])


def _error(at: Position, message: str, expected: str) -> InputError:
    return InputError(message, file=at.file, line=at.line, column=at.column, expected=expected)
