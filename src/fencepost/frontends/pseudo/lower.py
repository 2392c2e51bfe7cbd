"""A whole file to a Program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from fencepost.errors import InputError, UsageError
from fencepost.frontends.pseudo import builtins
from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.conditions import Questions
from fencepost.frontends.pseudo.scope import CELL, Scope, Variable, mistake
from fencepost.frontends.pseudo.statements import lower_function
from fencepost.program.condition import Condition
from fencepost.program.datatypes import INT64, Array
from fencepost.program.operands import Const
from fencepost.program.program import Arch, Function, Init, Object, Program, Thread
from fencepost.program.validate import validate

MAX_ELEMENTS = 1 << 16
MAX_THREADS = 1000
MUTEX_SIZE = 40  # a pthread_mutex_t of the usual ABI: what the lowering of lock and unlock works on


def lower(items: tuple[s.Item, ...], file: str, defines: Mapping[str, int]) -> Program:
    """`defines` replaces the values of constants that the file declares."""
    scope = Scope()
    _constants(scope, [i for i in items if isinstance(i, s.Constant)], defines)
    objects = _variables(scope, [i for i in items if isinstance(i, s.Variables)])
    bodies = [i for i in items if isinstance(i, s.FunctionItem | s.ThreadItem)]
    _declare_bodies(scope, bodies)
    functions: list[Function] = []
    threads: list[Thread] = []
    for item in bodies:
        functions.append(_function(scope, item))
        if isinstance(item, s.ThreadItem):
            threads += _threads(scope, item)
    if not threads:
        raise InputError("the file declares no thread", file=file, line=1, column=1, expected="thread NAME { ... }")
    _distinct(threads, bodies)
    registers = {f.name: f.registers for f in functions}
    questions = Questions(scope, {t.name: registers[t.function] for t in threads})
    condition = _questions(questions, items)
    name = PurePath(file).stem.strip("<>") or "program"
    observations = tuple(questions.observations.values())
    return validate(Program(name, Arch.FP, objects, tuple(functions), tuple(threads), observations, condition))


def _constants(scope: Scope, items: list[s.Constant], defines: Mapping[str, int]) -> None:
    for item in items:
        scope.declare(item.name, item.at)
        value = scope.constant(item.value, "the value of a constant")
        scope.constants[item.name] = defines.get(item.name, value)
    unknown = [name for name in defines if name not in scope.constants]
    if unknown:
        known = ", ".join(scope.constants) or "none"
        raise UsageError(f"-D{unknown[0]}: the program has no constant {unknown[0]}; its constants: {known}")


def _variables(scope: Scope, items: list[s.Variables]) -> tuple[Object, ...]:
    declared = [(item.kind, d) for item in items for d in item.declarators]
    for kind, d in declared:  # all names first: initial values may be addresses
        scope.declare(d.name, d.at)
        scope.variables[d.name] = Variable(d.name, kind, _count(scope, d, kind), d.at)
    return tuple(_object(scope, d, scope.variables[d.name]) for _, d in declared)


def _count(scope: Scope, d: s.Declarator, kind: str) -> int | None:
    if kind == "mutex" and (d.count is not None or d.initial):
        raise mistake("a mutex has no elements and no initial value", d.at, expected=f"mutex {d.name}")
    if d.count is None:
        return None
    count = scope.constant(d.count, "the length of an array")
    if not 1 <= count <= MAX_ELEMENTS:
        raise mistake(f"{d.name} cannot have {count} elements", d.count.at, expected=f"1 to {MAX_ELEMENTS}")
    return count


def _object(scope: Scope, d: s.Declarator, variable: Variable) -> Object:
    if variable.kind == "mutex":
        return Object(d.name, MUTEX_SIZE, at=d.at)
    count = variable.count
    if d.listed and count is None:
        raise mistake(f"{d.name} is not an array", d.at, expected=f"{d.name}[{len(d.initial)}] = [...]")
    if count is not None and len(d.initial) > count:
        raise mistake(f"{d.name} has {count} element(s) and {len(d.initial)} initial values", d.at)
    values = [scope.initial(e) for e in d.initial]
    if count is not None and values and not d.listed:
        values *= count  # one value stands for all
    init = tuple(Init(CELL * i, CELL, v) for i, v in enumerate(values) if v != Const(0))
    type_ = INT64 if count is None else Array(INT64, count)
    return Object(d.name, CELL * (count or 1), CELL, init, type=type_, at=d.at)


def _declare_bodies(scope: Scope, bodies: Iterable[s.FunctionItem | s.ThreadItem]) -> None:
    for item in bodies:
        scope.declare(item.name, item.at)
        if isinstance(item, s.FunctionItem):
            if item.name in builtins.NAMES:
                raise mistake(f"{item.name} is built in", item.at, expected="another name")
            scope.functions[item.name] = len(item.parameters)


def _function(scope: Scope, item: s.FunctionItem | s.ThreadItem) -> Function:
    if isinstance(item, s.FunctionItem):
        return lower_function(scope, item.name, item.parameters, item.body, item.at)
    parameters = () if item.parameter is None else (item.parameter,)
    return lower_function(scope, item.name, parameters, item.body, item.at)


def _threads(scope: Scope, item: s.ThreadItem) -> list[Thread]:
    if item.range is None:
        return [Thread(item.name, item.name)]
    low = scope.constant(item.range.low, "the first number of threads")
    high = scope.constant(item.range.high, "the last number of threads")
    if low < 0 or high - low >= MAX_THREADS:
        raise mistake(f"threads cannot be numbered {low}..{high}", item.range.at,
                      expected=f"numbers from 0 on, at most {MAX_THREADS} of them")  # fmt: skip
    return [Thread(f"{item.name}{number}", item.name, (Const(number),)) for number in range(low, high + 1)]


def _distinct(threads: list[Thread], bodies: list[s.FunctionItem | s.ThreadItem]) -> None:
    seen: dict[str, str] = {}
    for thread in threads:
        if thread.name in seen:
            item = next(b for b in bodies if b.name == thread.function)
            raise mistake(f"there are two threads {thread.name}", item.at)
        seen[thread.name] = thread.function


def _questions(questions: Questions, items: tuple[s.Item, ...]) -> Condition | None:
    for item in items:
        if isinstance(item, s.Observe):
            for what in item.what:
                questions.observe(what)
    filters = [i for i in items if isinstance(i, s.FilterItem)]
    conditions = [i for i in items if isinstance(i, s.ConditionItem)]
    for at in [i.at for i in filters[1:]] + [i.at for i in conditions[1:]]:
        raise mistake("a file asks one question", at, expected="one condition and at most one filter")
    if filters and not conditions:
        raise mistake("a filter needs a condition", filters[0].at, expected="exists, forall or ~exists")
    return questions.condition(conditions[0], filters[0] if filters else None) if conditions else None
