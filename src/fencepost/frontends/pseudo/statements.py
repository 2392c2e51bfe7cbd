"""Statements to instructions: the body of one thread or function."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.frontends.pseudo import builtins
from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.code import Code
from fencepost.frontends.pseudo.expressions import STORE_MODES, Expressions
from fencepost.frontends.pseudo.scope import Scope, mistake
from fencepost.program import instructions as ins
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand, Position, Reg
from fencepost.program.program import Function
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class _Loop:
    again: int
    after: int
    in_atomic: bool


def lower_function(scope: Scope, name: str, parameters: tuple[s.Label, ...], body: s.Block, at: Position) -> Function:
    """The Function of a body. A name that is assigned and is nothing else is a register, in the whole body."""
    code = Code()
    for parameter in parameters:
        _new_register(scope, code, parameter.name, parameter.at, twice=False)
    for register, place in _assigned(body):
        if register not in scope.variables:
            _new_register(scope, code, register, place)
    _Body(scope, code).function(body)
    return Function(name, tuple(code.registers), len(parameters), code.finish(), at=at)


def _new_register(scope: Scope, code: Code, name: str, at: Position, *, twice: bool = True) -> None:
    if name in scope.declared:
        what = "a constant" if name in scope.constants else "declared outside"
        raise mistake(f"{name} is {what} and cannot be a register here", at,
                      hint=f"its declaration is at {scope.declared[name]}")  # fmt: skip
    if not twice and name in code.registers:
        raise mistake(f"{name} is a parameter already", at)
    code.register(name)


def _assigned(block: s.Block) -> Iterator[tuple[str, Position]]:
    """Every plain name that is assigned somewhere inside."""
    for statement in block.statements:
        match statement:
            case s.Assign(targets=targets):
                for target in targets:
                    if isinstance(target.place, s.Name) and target.place.name != "_" and target.mode is None:
                        yield target.place.name, target.at
            case s.Locals(names=names):
                yield from ((n.name, n.at) for n in names)
            case s.If(cases=cases, otherwise=otherwise):
                for _, inner in cases:
                    yield from _assigned(inner)
                if otherwise is not None:
                    yield from _assigned(otherwise)
            case s.For(name=name, body=inner):
                yield name, statement.at
                yield from _assigned(inner)
            case s.While(body=inner) | s.Atomic(body=inner):
                yield from _assigned(inner)


class _Body:
    def __init__(self, scope: Scope, code: Code) -> None:
        self.scope, self.code = scope, code
        self.expressions = Expressions(scope, code, list(code.registers), builtins.VALUES, builtins.ACTIONS)
        self.loops: list[_Loop] = []
        self.atomic: Position | None = None
        self.labels: dict[str, tuple[int, Position | None]] = {}  # the label, and the atomic block it stands in

    def function(self, body: s.Block) -> None:
        for label, atomic in _labels(body, None):
            if label.name in self.labels:
                raise mistake(f"label {label.name} is placed twice", label.at)
            self.labels[label.name] = (self.code.label(), atomic)
        self.block(body)
        self.code.emit(ins.Return(at=body.end))

    def block(self, block: s.Block) -> None:
        for statement in block.statements:
            self.code.new_statement()
            self.statement(statement)

    def statement(self, statement: s.Statement) -> None:
        match statement:
            case s.Label(name=name):
                self.code.place(self.labels[name][0])
            case s.Assign():
                self.assign(statement)
            case s.Locals(names=names):
                for local in names:
                    initial = local.value or s.Number(local.at, 1, 0)
                    self.expressions.value(initial, self.code.register(local.name))
            case s.CallStatement(call=call):
                self.call(call)
            case s.FenceStatement(kind=kind):
                self.code.emit(ins.Fence(kind, at=statement.at))
            case s.If():
                self.conditional(statement)
            case s.IfGoto(condition=condition, label=label):
                self.branch(condition, self.destination(label), statement.at)
            case s.While():
                self.loop(statement)
            case s.For():
                self.counted(statement)
            case s.Atomic():
                self.atomic_block(statement)
            case s.Goto(label=label):
                self.code.emit(ins.Jump(self.destination(label), at=statement.at))
            case s.Return(value=value):
                self.leave_atomic("return", statement.at, False)
                result = None if value is None else self.expressions.value(value)
                self.code.emit(ins.Return(result, at=statement.at))
            case s.Break() | s.Continue():
                self.leave_loop(statement)
            case s.Skip():
                pass

    # --- assignments and calls

    def assign(self, statement: s.Assign) -> None:
        if len(statement.targets) > 1:
            self.assign_pair(statement)
            return
        target = statement.targets[0]
        register = self.register(target)
        if register is not None:
            self.expressions.value(statement.value, register)
        elif isinstance(target.place, s.Name) and target.place.name == "_":
            self.expressions.value(statement.value)
        else:
            value = self.expressions.value(statement.value)
            address, mode = self.expressions.access(target, STORE_MODES, "a store")
            self.code.emit(ins.Store(address, value, mode=mode, at=statement.at))

    def assign_pair(self, statement: s.Assign) -> None:
        """old, success := CAS(...)"""
        value = statement.value
        if len(statement.targets) > 2 or not isinstance(value, s.Call) or value.name not in ("CAS", "WCAS"):
            raise mistake("only a CAS has two results", statement.at, expected="old, success := CAS(...)")
        registers: list[Reg | None] = []
        for target in statement.targets:
            register = self.register(target)
            if register is None and not (isinstance(target.place, s.Name) and target.place.name == "_"):
                raise mistake("the results of a CAS go into registers", target.at, expected="a register or '_'")
            registers.append(register)
        builtins.compare_exchange(self.expressions, value, registers[0], registers[1])

    def register(self, target: s.Access) -> Reg | None:
        """The register that a target names, if it names one."""
        if not isinstance(target.place, s.Name) or not self.expressions.is_register(target.place.name):
            return None
        if target.mode is not None:
            raise mistake(f"{target.place.name} is a register, and registers have no mode", target.at)
        return self.code.register(target.place.name)

    def call(self, call: s.Call) -> None:
        if call.name in builtins.ACTIONS:
            builtins.ACTIONS[call.name](self.expressions, call)
        elif call.name in ("CAS", "WCAS"):
            builtins.compare_exchange(self.expressions, call, None, None)
        else:
            self.expressions.operation(call, None)

    # --- control

    def branch(self, condition: s.Expression, then: int, at: Position) -> None:
        """Goes to `then` where the condition holds and on to the next instruction where it does not."""
        value = self.expressions.value(condition)
        if isinstance(value, Const):
            if value.value:
                self.code.emit(ins.Jump(then, at=at))
            return
        after = self.code.label()
        self.code.emit(ins.Branch(value, then, after, at=at))
        self.code.place(after)

    def unless(self, condition: s.Expression, away: int, at: Position) -> None:
        """Goes to `away` where the condition does not hold."""
        value: Operand = self.expressions.value(condition)
        if isinstance(value, Const):
            if not value.value:
                self.code.emit(ins.Jump(away, at=at))
            return
        inside = self.code.label()
        self.code.emit(ins.Branch(value, inside, away, at=at))
        self.code.place(inside)

    def conditional(self, statement: s.If) -> None:
        end = self.code.label()
        last = len(statement.cases) - 1
        for index, (condition, body) in enumerate(statement.cases):
            following = self.code.label()
            self.code.new_statement()
            self.unless(condition, following, condition.at)
            self.block(body)
            if index < last or statement.otherwise is not None:
                self.code.emit(ins.Jump(end, at=body.end))
            self.code.place(following)
        if statement.otherwise is not None:
            self.block(statement.otherwise)
        self.code.place(end)

    def loop(self, statement: s.While) -> None:
        loop = self.enter_loop()
        self.code.place(loop.again)
        self.unless(statement.condition, loop.after, statement.at)
        self.block(statement.body)
        self.code.emit(ins.Jump(loop.again, at=statement.at))
        self.leave(loop)

    def counted(self, statement: s.For) -> None:
        """Both ends are evaluated once, before the first round."""
        counter, head = self.code.register(statement.name), self.code.label()
        low, high = self.expressions.value(statement.range.low), self.expressions.value(statement.range.high)
        if isinstance(high, Reg):
            high = self.expressions.compute(Op.MOV, (high,), statement.at, self.code.lasting())
        self.expressions.compute(Op.MOV, (low,), statement.at, counter)
        loop, inside = self.enter_loop(), self.code.label()
        self.code.place(head)
        self.code.new_statement()
        more = self.expressions.compute(Op.SLE, (counter, high), statement.at)
        self.code.emit(ins.Branch(more, inside, loop.after, at=statement.at))
        self.code.place(inside)
        self.block(statement.body)
        self.code.place(loop.again)
        self.expressions.compute(Op.ADD, (counter, Const(1)), statement.at, counter)
        self.code.emit(ins.Jump(head, at=statement.at))
        self.leave(loop)

    def enter_loop(self) -> _Loop:
        loop = _Loop(self.code.label(), self.code.label(), self.atomic is not None)
        self.loops.append(loop)
        return loop

    def leave(self, loop: _Loop) -> None:
        self.code.place(loop.after)
        self.loops.pop()

    def leave_loop(self, statement: s.Break | s.Continue) -> None:
        word = "break" if isinstance(statement, s.Break) else "continue"
        if not self.loops:
            raise mistake(f"{word} stands in no loop", statement.at)
        loop = self.loops[-1]
        self.leave_atomic(word, statement.at, loop.in_atomic)
        target = loop.after if isinstance(statement, s.Break) else loop.again
        self.code.emit(ins.Jump(target, at=statement.at))

    def leave_atomic(self, word: str, at: Position, stays: bool) -> None:
        if self.atomic is not None and not stays:
            raise mistake(f"{word} cannot leave an atomic block", at, hint=f"the block starts at {self.atomic}")

    def destination(self, label: s.Label) -> int:
        if label.name not in self.labels:
            known = ", ".join(self.labels) or "none"
            raise mistake(f"there is no label {label.name} here", label.at, hint=f"labels of this body: {known}")
        target, atomic = self.labels[label.name]
        if atomic != self.atomic:
            raise mistake("goto cannot enter or leave an atomic block", label.at)
        return target

    def atomic_block(self, statement: s.Atomic) -> None:
        if self.atomic is not None:
            raise mistake("atomic blocks do not nest", statement.at, hint=f"the outer one starts at {self.atomic}")
        self.atomic = statement.at
        self.code.emit(ins.AtomicBegin(at=statement.at))
        self.block(statement.body)
        self.code.emit(ins.AtomicEnd(at=statement.body.end))
        self.atomic = None


def _labels(block: s.Block, atomic: Position | None) -> Iterator[tuple[s.Label, Position | None]]:
    """Every label inside, with the atomic block around it."""
    for statement in block.statements:
        match statement:
            case s.Label():
                yield statement, atomic
            case s.If(cases=cases, otherwise=otherwise):
                for _, inner in cases:
                    yield from _labels(inner, atomic)
                if otherwise is not None:
                    yield from _labels(otherwise, atomic)
            case s.While(body=inner) | s.For(body=inner):
                yield from _labels(inner, atomic)
            case s.Atomic(body=inner):
                yield from _labels(inner, statement.at)
