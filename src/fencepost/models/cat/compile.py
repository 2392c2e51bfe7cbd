"""From a prepared model to a relation plan: functions are unfolded, equal operations shared, unused ones never made.

What has no fixed number of operations (choosing with `with ... from`, loops over classes of events, recursive
functions on sets of values) has no plan; such a model is evaluated on its tree.
"""

from __future__ import annotations

from typing import TypeAlias

from fencepost.errors import UnsupportedError
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.base import RELATIONS, SETS, VARYING
from fencepost.models.cat.judge import Prepared
from fencepost.models.cat.plan import ACYCLIC, EMPTY, EMPTY_SET_CHECK, IRREFLEXIVE, Op, Plan, PlanCheck
from fencepost.models.cat.recursion import sets_among, settles
from fencepost.models.cat.values import Builtin, Closure, Items, Nothing, spread
from fencepost.program.operands import Position
from fencepost.records import dataclass

MAX_DEPTH = 60


@dataclass(frozen=True, slots=True)
class SetRegister:
    index: int


@dataclass(frozen=True, slots=True)
class RelationRegister:
    index: int


@dataclass(frozen=True, slots=True)
class Values:
    """A set of values that is known when compiling."""

    items: tuple[Symbol, ...]


Symbol: TypeAlias = (
    "SetRegister | RelationRegister | Nothing | Items[Symbol] | Values | Closure[Symbol] | Builtin | str"
)
Operation = tuple[int, int, int, int]
_SET_OPS = {"|": Op.SET_UNION, "&": Op.SET_INTERSECTION, "\\": Op.SET_DIFFERENCE}
_RELATION_OPS = {"|": Op.UNION, "&": Op.INTERSECTION, "\\": Op.DIFFERENCE}
_POSTFIX = {"+": Op.PLUS, "*": Op.STAR, "?": Op.OPTIONAL, "^-1": Op.INVERSE}
_COMMUTE = (Op.UNION, Op.INTERSECTION, Op.SET_UNION, Op.SET_INTERSECTION)


class NoPlanError(UnsupportedError):
    """The model has no plan; the message says what stands in the way and where."""


def compile_plan(model: Prepared) -> Plan:
    """The plan of a model. Raises NoPlanError where it has none."""
    compiler = _Compiler(model)
    for s in model.statements:
        compiler.statement(s, {})
    return compiler.plan()


class _Compiler:
    def __init__(self, model: Prepared) -> None:
        self.model = model
        self.buffers: list[list[Operation]] = [[]]  # the plan, then the bodies of the loops that are open
        self.level: list[int] = []  # by register: the loop it depends on
        self.varying: list[bool] = []
        self.made: dict[tuple[int, int, int], int] = {}
        self.operation_of: dict[int, tuple[int, int, int]] = {}
        self.globals: dict[str, Symbol] = {}
        self.checks: list[PlanCheck] = []
        self.depth = 0

    def plan(self) -> Plan:
        static, rest = self.split(self.buffers[0])
        return Plan((*static, *rest), len(self.level), tuple(self.checks), len(static))

    def split(self, operations: list[Operation]) -> tuple[list[Operation], list[Operation]]:
        """What does not depend on rf or co goes first. Loops and checks stay together and in order."""
        static: list[Operation] = []
        rest: list[Operation] = []
        inside = 0
        for operation in operations:
            op, dst, _, _ = operation
            if op in (Op.LOOP, Op.END_LOOP):
                inside += 1 if op == Op.LOOP else -1
                rest.append(operation)
            elif inside or op in (Op.CHECK, Op.ASSIGN, Op.VARIABLE, Op.SET_VARIABLE) or self.varying[dst]:
                rest.append(operation)
            else:
                static.append(operation)
        return static, rest

    # --- operations

    def emit(self, op: Op, a: int = 0, b: int = 0, operands: tuple[int, ...] = (), varying: bool = False) -> int:
        """The register of an operation, made once. It goes to the innermost loop that it depends on."""
        if op in _COMMUTE and a > b:
            a, b = b, a
        key = (int(op), a, b)
        if key in self.made:
            return self.made[key]
        level = max((self.level[o] for o in operands), default=0)
        register = self.new_register(level, varying or any(self.varying[o] for o in operands))
        self.buffers[level].append((int(op), register, a, b))
        self.made[key] = register
        self.operation_of[register] = key
        return register

    def new_register(self, level: int, varying: bool) -> int:
        self.level.append(level)
        self.varying.append(varying)
        return len(self.level) - 1

    def unary(self, op: Op, a: int) -> int:
        return self.emit(op, a, operands=(a,))

    def binary(self, op: Op, a: int, b: int) -> int:
        if op is Op.SEQUENCE:
            return self.sequence(a, b)
        if op is Op.INTERSECTION:
            return self.intersection(a, b)
        return self.emit(op, a, b, operands=(a, b))

    def sequence(self, a: int, b: int) -> int:
        """`[S] ; r` only keeps rows of r: no composition is needed."""
        first, second = self.operation_of.get(a), self.operation_of.get(b)
        if first is not None and first[0] == Op.IDENTITY:
            return self.emit(Op.FROM, first[1], b, operands=(first[1], b))
        if second is not None and second[0] == Op.IDENTITY:
            return self.emit(Op.TO, a, second[1], operands=(a, second[1]))
        return self.emit(Op.SEQUENCE, a, b, operands=(a, b))

    def intersection(self, a: int, b: int) -> int:
        """`r & (S * T)` too."""
        for product, other in ((a, b), (b, a)):
            made = self.operation_of.get(product)
            if made is not None and made[0] == Op.PRODUCT:
                rows = self.emit(Op.FROM, made[1], other, operands=(made[1], other))
                return self.emit(Op.TO, rows, made[2], operands=(rows, made[2]))
        return self.emit(Op.INTERSECTION, a, b, operands=(a, b))

    def set_of(self, value: Symbol) -> int:
        return value.index if isinstance(value, SetRegister) else self.emit(Op.EMPTY_SET)

    def relation_of(self, value: Symbol) -> int:
        return value.index if isinstance(value, RelationRegister) else self.emit(Op.EMPTY_RELATION)

    # --- statements

    def statement(self, s: cat.Statement, local: dict[str, Symbol]) -> None:
        match s:
            case cat.Check():
                self.check(s, local)
            case cat.Let():
                local.update(self.bind(s.bindings, s.recursive, local))
            case cat.ForAll():
                values = self.value(s.values, local)
                if not isinstance(values, Values | Nothing):
                    raise self.refuse("a loop over sets that depend on the execution", s.at)
                for item in values.items if isinstance(values, Values) else ():
                    self.block(s.body, {**local, s.variable: item})
            case cat.Call():
                procedure = self.model.procedures[s.procedure]
                args = [self.value(a, local) for a in s.args]
                self.block(procedure.body, dict(zip(procedure.params, args, strict=True)))
            case cat.With():
                raise self.refuse("a choice (with ... from)", s.at)
            case _:
                pass

    def block(self, body: tuple[cat.Statement, ...], local: dict[str, Symbol]) -> None:
        self.deeper(body[0].at if body else None)
        for s in body:
            self.statement(s, local)
        self.depth -= 1

    def deeper(self, at: Position | None) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refuse("recursion that does not end without values", at)

    def check(self, s: cat.Check, local: dict[str, Symbol]) -> None:
        value = self.value(s.value, local)
        if s.kind == "empty" and isinstance(value, SetRegister):
            kind, register = EMPTY_SET_CHECK, value.index
        else:
            kind, register = (
                {"acyclic": ACYCLIC, "irreflexive": IRREFLEXIVE, "empty": EMPTY}[s.kind],
                self.relation_of(value),
            )
        name = s.name or f"{s.kind}@{s.at.line}"
        # `undefined_unless c` raises its flag where c does not hold
        flag, negated = s.role != "require", s.negated != (s.role == "undefined")
        self.buffers[0].append((int(Op.CHECK), 0, len(self.checks), register))
        self.checks.append(PlanCheck(name, kind, negated, flag, s.at))

    # --- expressions

    def value(self, e: cat.Expression, local: dict[str, Symbol]) -> Symbol:
        match e:
            case cat.Name(name):
                return local[name] if name in local else self.global_value(name)
            case cat.Base(name):
                return self.base(name)
            case cat.Universe():
                return SetRegister(self.emit(Op.ALL_EVENTS))
            case cat.Empty():
                return Nothing()
            case cat.Unary():
                return self.unary_value(e, local)
            case cat.Binary():
                return self.binary_value(e, local)
            case cat.Apply():
                return self.apply(e, local)
            case cat.Tag(name):
                return name
            case cat.Tuple(items):
                return Items(tuple(self.value(i, local) for i in items))
            case cat.ValueSet(items):
                return Values(tuple(dict.fromkeys(self.value(i, local) for i in items)))
            case cat.Fun():
                return Closure(e, local)
            case cat.LetIn():
                return self.value(e.body, {**local, **self.bind(e.bindings, e.recursive, local)})
            case cat.Match():
                return self.match(e, local)
            case cat.Try() | cat.If():
                raise AssertionError("the resolver should have decided it")

    def base(self, name: str) -> Symbol:
        if name in RELATIONS:
            return RelationRegister(self.emit(Op.BASE_RELATION, RELATIONS.index(name), varying=name in VARYING))
        if name in SETS:
            return SetRegister(self.emit(Op.BASE_SET, SETS.index(name)))
        return Builtin(name)

    def global_value(self, name: str) -> Symbol:
        if name not in self.globals:
            definition = self.model.definitions[name]
            if isinstance(definition, cat.Enum):
                self.globals[name] = Values(definition.tags)
            else:
                self.globals.update(self.bind(definition.bindings, definition.recursive, {}))
        return self.globals[name]

    def unary_value(self, e: cat.Unary, local: dict[str, Symbol]) -> Symbol:
        inner = self.value(e.inner, local)
        if e.op == "[]":
            return RelationRegister(self.unary(Op.IDENTITY, self.set_of(inner)))
        if e.op == "~" and isinstance(inner, SetRegister):
            return SetRegister(self.unary(Op.SET_COMPLEMENT, inner.index))
        op = Op.COMPLEMENT if e.op == "~" else _POSTFIX[e.op]
        return RelationRegister(self.unary(op, self.relation_of(inner)))

    def binary_value(self, e: cat.Binary, local: dict[str, Symbol]) -> Symbol:
        left, right = self.value(e.left, local), self.value(e.right, local)
        if e.op == ";":
            return RelationRegister(self.binary(Op.SEQUENCE, self.relation_of(left), self.relation_of(right)))
        if e.op == "*":
            return RelationRegister(self.binary(Op.PRODUCT, self.set_of(left), self.set_of(right)))
        if e.op == "++":
            rest = right.items if isinstance(right, Values) else ()
            return Values(tuple(dict.fromkeys((left, *rest))))
        if isinstance(left, Nothing) or isinstance(right, Nothing):
            return self.with_nothing(e.op, left, right)
        if isinstance(left, SetRegister):
            return SetRegister(self.binary(_SET_OPS[e.op], left.index, self.set_of(right)))
        if isinstance(left, Values) and isinstance(right, Values):
            return self.value_sets(e.op, left, right)
        return RelationRegister(self.binary(_RELATION_OPS[e.op], self.relation_of(left), self.relation_of(right)))

    def with_nothing(self, op: str, left: Symbol, right: Symbol) -> Symbol:
        if op == "|":
            return right if isinstance(left, Nothing) else left
        return left if op == "\\" else Nothing()

    def value_sets(self, op: str, left: Values, right: Values) -> Values:
        if op == "|":
            return Values(tuple(dict.fromkeys((*left.items, *right.items))))
        return Values(tuple(i for i in left.items if (i in right.items) == (op == "&")))

    def apply(self, e: cat.Apply, local: dict[str, Symbol]) -> Symbol:
        function = self.value(e.function, local)
        args = [self.value(a, local) for a in e.args]
        if isinstance(function, Builtin):
            if function.name == "domain":
                return SetRegister(self.domain(self.relation_of(args[0])))
            raise self.refuse(function.name, e.at)
        assert isinstance(function, Closure), "the type checker should have refused it"
        self.deeper(e.at)
        result = self.value(function.fun.body, function.scope(args))
        self.depth -= 1
        return result

    def domain(self, relation: int) -> int:
        made = self.operation_of.get(relation)
        if made is not None and made[0] == Op.INVERSE:
            return self.unary(Op.RANGE, made[1])
        return self.unary(Op.DOMAIN, relation)

    def match(self, e: cat.Match, local: dict[str, Symbol]) -> Symbol:
        subject = self.value(e.subject, local)
        items = subject.items if isinstance(subject, Values) else ()
        for c in e.clauses:
            if isinstance(c.pattern, tuple):
                if items:
                    inner = {**local, c.pattern[0]: items[0], c.pattern[1]: Values(items[1:])}
                    return self.value(c.body, inner)
            elif isinstance(c.pattern, cat.Tag):
                if subject == c.pattern.name:
                    return self.value(c.body, local)
            elif isinstance(c.pattern, cat.Universe) or not items:
                return self.value(c.body, local)
        raise self.refuse("a match without a clause that fits", e.at)

    # --- definitions

    def bind(self, bindings: tuple[cat.Binding, ...], recursive: bool, local: dict[str, Symbol]) -> dict[str, Symbol]:
        if not recursive:
            found: dict[str, Symbol] = {}
            for b in bindings:
                found.update(spread(b, self.value(b.value, local)))
            return found
        iterated = tuple(b for b in bindings if not isinstance(b.value, cat.Fun))
        scope = dict(local)
        for b in bindings:
            if isinstance(b.value, cat.Fun):
                scope[b.names[0]] = Closure(b.value, scope)
        if iterated:
            self.loop(iterated, scope)
        return {name: scope[name] for b in bindings for name in b.names}

    def loop(self, bindings: tuple[cat.Binding, ...], scope: dict[str, Symbol]) -> None:
        """The variables, then the body until nothing changes."""
        if not settles(bindings, lambda e: self.function_of(e, scope)):
            raise self.refuse("a recursive definition that may never settle", bindings[0].at)
        sets = sets_among(bindings, lambda e: self.is_set(e, scope))
        outer = len(self.buffers) - 1
        level = outer + 1
        variables = {}
        for b in bindings:
            if len(b.names) != 1:
                raise self.refuse("a recursive definition of a tuple", b.at)
            register = self.new_register(level, True)
            is_set = b.names[0] in sets
            self.buffers[outer].append((int(Op.SET_VARIABLE if is_set else Op.VARIABLE), register, 0, 0))
            variables[b.names[0]] = register
            scope[b.names[0]] = SetRegister(register) if is_set else RelationRegister(register)
        self.buffers.append([])
        for b in bindings:
            value = self.value(b.value, scope)
            if not isinstance(value, Nothing | (SetRegister if b.names[0] in sets else RelationRegister)):
                raise self.refuse("a recursive definition of this kind", b.at)
            new = self.set_of(value) if b.names[0] in sets else self.relation_of(value)
            self.buffers[level].append((int(Op.ASSIGN), 0, variables[b.names[0]], new))
        body = self.buffers.pop()
        self.buffers[outer] += [(int(Op.LOOP), 0, 0, 0), *body, (int(Op.END_LOOP), 0, len(body) + 1, 0)]
        self.level = [min(known, outer) for known in self.level]

    def function_of(self, e: cat.Expression, scope: dict[str, Symbol]) -> cat.Fun | None:
        found = self.value(e, scope) if isinstance(e, cat.Name) else None
        return found.fun if isinstance(found, Closure) else None

    def is_set(self, e: cat.Expression, scope: dict[str, Symbol]) -> bool | None:
        found = self.value(e, scope)
        return None if isinstance(found, Nothing) else isinstance(found, SetRegister)

    def refuse(self, what: str, at: Position | None) -> NoPlanError:
        return NoPlanError(f"{at}: {what} has no plan")
