"""Is every operator given what it works on? A set, a relation, a function, a tuple, a tag, or a set of such values.

The checker runs the model on types instead of values. Functions are checked on their own with parameters of unknown
type, and again at each call with the types given, since `let both(a, b) = a & b` works on sets and on relations.
"""

from __future__ import annotations

from typing import TypeAlias

from fencepost.errors import InputError
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.base import RELATIONS, SETS
from fencepost.models.cat.resolve import Resolved
from fencepost.program.operands import Position
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Plain:
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Values:
    element: Type

    def __str__(self) -> str:
        return f"a set of values, each {self.element}"


@dataclass(frozen=True, slots=True)
class Product:
    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"a tuple of {len(self.items)}"


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    fun: cat.Fun
    env: dict[str, Type]

    def __str__(self) -> str:
        return "a function"


@dataclass(frozen=True, slots=True)
class Builtin:
    name: str

    def __str__(self) -> str:
        return "a function"


Type: TypeAlias = Plain | Values | Product | Function | Builtin
SET, RELATION, TAG, ANY = Plain("a set"), Plain("a relation"), Plain("a tag"), Plain("anything")

_BUILTIN_TYPES: dict[str, tuple[tuple[Type, ...], Type]] = {
    "domain": ((RELATION,), SET),
    "linearisations": ((SET, RELATION), Values(RELATION)),
    "classes": ((RELATION,), Values(SET)),
    "classes-loc": ((SET,), Values(SET)),
    "partition": ((SET,), Values(SET)),
}
_HINTS = {
    (SET, RELATION): "[S] makes the identity relation of a set, S * S the relation of all its pairs",
    (RELATION, SET): "domain(r) and range(r) are the sets of a relation",
}


def check_types(model: Resolved) -> None:
    """Raises InputError at the first operand of a wrong kind."""
    _Checker().statements(model.statements, {})


class _Checker:
    def __init__(self) -> None:
        self.env: dict[str, Type] = {}
        self.procedures: dict[str, cat.Procedure] = {}
        self.active: list[tuple[int, tuple[str, ...]]] = []

    # --- statements

    def statements(self, statements: tuple[cat.Statement, ...], local: dict[str, Type]) -> None:
        for s in statements:
            self.statement(s, local)

    def statement(self, s: cat.Statement, local: dict[str, Type]) -> None:
        match s:
            case cat.Let():
                self.bind(s.bindings, s.recursive, local, local or self.env)
            case cat.Check():
                found = self.type_of(s.value, local)
                if s.kind == "empty":
                    self.need(found, (SET, RELATION), s.value.at, "empty")
                else:
                    self.need(found, (RELATION,), s.value.at, s.kind)
            case cat.Show():
                for _, value in s.values:
                    self.type_of(value, local)
            case cat.With():
                self.env[s.name] = self.element(s.values, local, "with ... from")
            case cat.Enum():
                self.env[s.name] = Values(TAG)
            case cat.ForAll():
                element = self.element(s.values, local, "forall")
                self.statements(s.body, {**local, s.variable: element})
            case cat.Procedure():
                self.procedures[s.name] = s
            case cat.Call():
                self.call(s, local)
            case _:
                pass

    def call(self, s: cat.Call, local: dict[str, Type]) -> None:
        procedure = self.procedures[s.procedure]
        args = tuple(self.type_of(a, local) for a in s.args)
        if len(args) != len(procedure.params):
            raise _error(s.at, f"{len(args)} argument(s) for a procedure", f"{len(procedure.params)} of them")
        key = (id(procedure), tuple(map(str, args)))
        if key not in self.active:
            self.active.append(key)
            self.statements(procedure.body, dict(zip(procedure.params, args, strict=True)))
            self.active.pop()

    def element(self, e: cat.Expression, local: dict[str, Type], context: str) -> Type:
        found = self.type_of(e, local)
        if isinstance(found, Values):
            return found.element
        if found is ANY:
            return ANY
        raise _error(e.at, f"{context} over {found}", "a set of values such as classes-loc(W)")

    def bind(
        self, bindings: tuple[cat.Binding, ...], recursive: bool, local: dict[str, Type], into: dict[str, Type]
    ) -> None:
        if recursive:
            for b in bindings:
                into.update(dict.fromkeys(b.names, ANY))
        rounds = 2 if recursive else 1
        for _ in range(rounds):
            for b in bindings:
                scope = {**local, **into} if into is not self.env else local
                found = self.type_of(b.value, scope)
                if isinstance(found, Function):
                    self.alone(found)
                into.update(self.spread(b, found))

    def alone(self, function: Function) -> None:
        self.apply_function(function, tuple(ANY for _ in function.fun.params), function.fun.at)

    def spread(self, b: cat.Binding, found: Type) -> dict[str, Type]:
        if len(b.names) == 1:
            return {b.names[0]: found}
        if isinstance(found, Product) and len(found.items) == len(b.names):
            return dict(zip(b.names, found.items, strict=True))
        if found is ANY:
            return dict.fromkeys(b.names, ANY)
        raise _error(b.at, f"{len(b.names)} names for {found}", f"a tuple of {len(b.names)}")

    # --- expressions

    def type_of(self, e: cat.Expression, local: dict[str, Type]) -> Type:
        match e:
            case cat.Name(name):
                return local[name] if name in local else self.env.get(name, ANY)
            case cat.Base(name):
                return SET if name in SETS else RELATION if name in RELATIONS else Builtin(name)
            case cat.Tag():
                return TAG
            case cat.Empty():
                return ANY
            case cat.Universe():
                return SET
            case cat.Unary():
                return self.unary(e, local)
            case cat.Binary():
                return self.binary(e, local)
            case cat.Apply():
                return self.apply(e, local)
            case cat.Tuple(items):
                return Product(tuple(self.type_of(i, local) for i in items))
            case cat.ValueSet(items):
                return Values(self.join_all([(self.type_of(i, local), i.at) for i in items]))
            case cat.Fun():
                return Function(e, local)
            case cat.LetIn():
                inner = dict(local)
                self.bind(e.bindings, e.recursive, inner, inner)
                return self.type_of(e.body, inner)
            case cat.Match():
                return self.match(e, local)
            case cat.Try() | cat.If():
                raise AssertionError("the resolver should have decided it")

    def unary(self, e: cat.Unary, local: dict[str, Type]) -> Type:
        found = self.type_of(e.inner, local)
        if e.op == "[]":
            self.need(found, (SET,), e.inner.at, "[ ]")
            return RELATION
        if e.op == "~":
            return self.need(found, (SET, RELATION), e.inner.at, "~")
        return self.need(found, (RELATION,), e.inner.at, f"the postfix {e.op}")

    def binary(self, e: cat.Binary, local: dict[str, Type]) -> Type:
        if e.op in (";", "*"):
            wanted, context = (RELATION, "the sequence ;") if e.op == ";" else (SET, "the product *")
            for side in (e.left, e.right):
                self.need(self.type_of(side, local), (wanted,), side.at, context)
            return RELATION
        left, right = self.type_of(e.left, local), self.type_of(e.right, local)
        if e.op == "++":
            return self.add(left, right, e)
        if isinstance(left, Values) or isinstance(right, Values):
            return self.join(left, right, e.at)
        left = self.need(left, (SET, RELATION), e.left.at, f"the operator {e.op}")
        right = self.need(right, (SET, RELATION), e.right.at, f"the operator {e.op}")
        return self.join(left, right, e.at)

    def add(self, left: Type, right: Type, e: cat.Binary) -> Type:
        if right is ANY:
            return Values(left)
        if not isinstance(right, Values):
            raise _error(e.right.at, f"++ on {right}", "a set of values", "union of sets and relations is written |")
        return Values(self.join(left, right.element, e.at))

    def apply(self, e: cat.Apply, local: dict[str, Type]) -> Type:
        function = self.type_of(e.function, local)
        args = tuple(self.type_of(a, local) for a in e.args)
        if isinstance(function, Builtin):
            params, result = _BUILTIN_TYPES[function.name]
            self.arity(len(args), len(params), e)
            for given, wanted, a in zip(args, params, e.args, strict=True):
                self.need(given, (wanted,), a.at, function.name)
            return result
        if isinstance(function, Function):
            return self.apply_function(function, self.fit(function.fun, args, e), e.at)
        if function is ANY:
            return ANY
        name = e.function.name.partition("#")[0] if isinstance(e.function, cat.Name | cat.Base) else "it"
        hint = "an operator may be missing between the two: union is |, sequence is ;"
        raise _error(e.at, f"'{name}' is {function} and is applied to something", "a function", hint)

    def fit(self, fun: cat.Fun, args: tuple[Type, ...], e: cat.Apply) -> tuple[Type, ...]:
        if len(fun.params) == 1 and len(args) > 1:
            return (Product(args),)
        if len(args) == 1 and len(fun.params) > 1:
            if isinstance(args[0], Product):
                args = args[0].items
            elif args[0] is ANY:
                return (ANY,) * len(fun.params)
        self.arity(len(args), len(fun.params), e)
        return args

    def arity(self, given: int, wanted: int, e: cat.Apply) -> None:
        if given != wanted:
            raise _error(e.at, f"{given} argument(s) in a call", f"{wanted} argument(s)")

    def apply_function(self, function: Function, args: tuple[Type, ...], at: Position) -> Type:
        key = (id(function.fun), tuple(map(str, args)))
        if key in self.active or len(self.active) > 60:
            return ANY
        self.active.append(key)
        try:
            return self.type_of(
                function.fun.body, {**function.env, **dict(zip(function.fun.params, args, strict=True))}
            )
        finally:
            self.active.pop()

    def match(self, e: cat.Match, local: dict[str, Type]) -> Type:
        subject = self.type_of(e.subject, local)
        element = subject.element if isinstance(subject, Values) else ANY
        results = []
        for c in e.clauses:
            inner = local
            if isinstance(c.pattern, tuple):
                rest = subject if isinstance(subject, Values) else ANY
                inner = {**local, c.pattern[0]: element, c.pattern[1]: rest}
            results.append((self.type_of(c.body, inner), c.at))
        return self.join_all(results)

    # --- comparing

    def need(self, found: Type, wanted: tuple[Type, ...], at: Position, context: str) -> Type:
        if found is ANY:
            return wanted[0] if len(wanted) == 1 else ANY
        if found in wanted:
            return found
        hint = _HINTS.get((found, wanted[0]), "") if isinstance(found, Plain) and isinstance(wanted[0], Plain) else ""
        expected = " or ".join(str(w) for w in wanted)
        raise _error(at, f"{context} is given {found}", expected, hint)

    def join_all(self, found: list[tuple[Type, Position]]) -> Type:
        result: Type = ANY
        for t, at in found:
            result = self.join(result, t, at)
        return result

    def join(self, a: Type, b: Type, at: Position) -> Type:
        if a is ANY or a == b:
            return b
        if b is ANY:
            return a
        if isinstance(a, Values) and isinstance(b, Values):
            return Values(self.join(a.element, b.element, at))
        if isinstance(a, Function | Builtin | Product) or isinstance(b, Function | Builtin | Product):
            return ANY
        hint = _HINTS[(SET, RELATION)] if {a, b} == {SET, RELATION} else ""
        raise _error(at, f"{a} on the left and {b} on the right", "two sets or two relations", hint)


def _error(at: Position, message: str, expected: str, hint: str = "") -> InputError:
    return InputError(message, file=at.file, line=at.line, column=at.column, expected=expected, hint=hint)
