"""Expressions to instructions. Operands are evaluated left to right, and only the last instruction of an expression
writes the register it is for: `r := x` is one load, and nothing depends on more than what was written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from fencepost.errors import InputError
from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.code import Code
from fencepost.frontends.pseudo.scope import CELL, OPERATORS, Scope, Variable, mistake
from fencepost.program import instructions as ins
from fencepost.program.instructions import Mode, Op
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Operand, Position, Reg

_LOGICAL = ("&&", "||")
_TRUTH_VALUED = ("==", "!=", "<", "<=", ">", ">=", *_LOGICAL)
LOAD_MODES = (Mode.NA, Mode.RLX, Mode.ACQ_PC, Mode.ACQ, Mode.SC)
STORE_MODES = (Mode.NA, Mode.RLX, Mode.REL, Mode.SC)
UPDATE_MODES = (Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL, Mode.SC)


class Expressions:
    """The expressions of one function. `named` are its registers that the user named; `values` are the operations that
    look like calls, `actions` the names of those that give no value."""

    def __init__(
        self, scope: Scope, code: Code, named: list[str], values: Mapping[str, Lowering], actions: Collection[str]
    ) -> None:
        self.scope, self.code, self.named = scope, code, named
        self._values, self._actions = values, actions

    def value(self, e: s.Expression, dst: Reg | None = None) -> Operand:
        """An operand that holds `e`. With `dst`, exactly that register, written by the last instruction emitted."""
        constant = self.scope.fold(e)
        if constant is not None:
            return self._moved(constant, dst, e.at)
        match e:
            case s.Access():
                return self._read(e, dst)
            case s.AddressOf(place=place):
                address, _ = self.address(place)
                return self._moved(address, dst, e.at)
            case s.Unary():
                return self._unary(e, dst)
            case s.Binary(op=op) if op in _LOGICAL:
                return self._logical(e, dst)
            case s.Binary(op=op):
                return self.compute(OPERATORS[op], (self.value(e.left), self.value(e.right)), e.at, dst)
            case s.Call():
                return self._call(e, dst)
            case s.Spawn():
                return self._spawn(e, dst)
        raise AssertionError(f"{type(e).__name__} should have a meaning here")

    def compute(self, op: Op, args: tuple[Operand, ...], at: Position, dst: Reg | None = None) -> Reg:
        target = self.result(dst)
        self.code.emit(ins.Compute(target, args, op, at=at))
        return target

    def result(self, dst: Reg | None) -> Reg:
        return self.code.temporary() if dst is None else dst

    def _moved(self, operand: Operand, dst: Reg | None, at: Position) -> Operand:
        return operand if dst is None else self.compute(Op.MOV, (operand,), at, dst)

    # --- places

    def is_register(self, name: str) -> bool:
        return name in self.code.registers

    def _read(self, e: s.Access, dst: Reg | None) -> Operand:
        if isinstance(e.place, s.Name) and self.is_register(e.place.name):
            if e.mode is not None:
                raise mistake(f"{e.place.name} is a register, and registers have no mode", e.at)
            return self._moved(self.code.register(e.place.name), dst, e.at)
        address, mode = self.access(e, LOAD_MODES, "a load")
        target = self.result(dst)
        self.code.emit(ins.Load(target, address, mode=mode, at=e.at))
        return target

    def access(self, e: s.Access, possible: tuple[Mode, ...], what: str) -> tuple[Operand, Mode]:
        """The address and the mode of an access to shared memory, which must be one of the possible modes."""
        address, variable = self.address(e.place)
        mode = e.mode or (variable.mode if variable is not None else Mode.RLX)
        if variable is not None and variable.kind == "na" and (mode is not Mode.NA or Mode.NA not in possible):
            why = (
                f"it cannot be accessed as {mode.value}" if mode is not Mode.NA else f"{what} needs an atomic variable"
            )
            raise mistake(f"{variable.name} is non-atomic: {why}", e.at,
                          hint=f"declare it with 'var {variable.name}' to access it atomically")  # fmt: skip
        if mode not in possible:
            expected = ", ".join(m.value for m in possible)
            raise mistake(f"{what} cannot be {mode.value}", e.at, expected=f"one of {expected}")
        return address, mode

    def address(self, place: s.Place) -> tuple[Operand, Variable | None]:
        """Where a place of shared memory is, and the variable if it was named."""
        match place:
            case s.Name(name=name):
                return GlobalAddress(name), self.variable(place)
            case s.Index(name=name) if self.is_register(name):
                return self._element(self.code.register(name), place), None
            case s.Index():
                return self._array_element(place)
            case s.Dereference(address=inner):
                return self.value(inner), None
            case s.ThreadRegister():
                raise mistake("registers of threads can only be named in conditions and 'observe'", place.at)

    def variable(self, place: s.Name) -> Variable:
        """The shared variable (no array, no mutex) that a name stands for."""
        variable = self._shared(place)
        if variable.count is not None:
            raise mistake(f"{place.name} is an array", place.at, expected=f"{place.name}[i] or &{place.name}[i]")
        if variable.kind == "mutex":
            raise mistake(f"{place.name} is a mutex", place.at, expected="lock, unlock or trylock")
        return variable

    def _shared(self, place: s.Name | s.Index) -> Variable:
        name = place.name
        if name in self.scope.variables:
            return self.scope.variables[name]
        if name in self.scope.constants:
            raise mistake(f"{name} is a constant, not a variable", place.at)
        if self.is_register(name):
            raise mistake(f"{name} is a register, not a shared variable", place.at,
                          hint=f"[{name}] is the memory that {name} points to")  # fmt: skip
        if name in self.scope.functions:
            raise mistake(f"{name} is a function", place.at, expected=f"{name}(...)")
        raise self.scope.unknown(name, place.at, self.named)

    def _array_element(self, place: s.Index) -> tuple[Operand, Variable]:
        variable = self._shared(place)
        if variable.count is None:
            raise mistake(f"{place.name} is not an array", place.at)
        constant = self.scope.fold(place.index)
        if isinstance(constant, Const):
            return GlobalAddress(place.name, self.scope.element(place, constant.value)), variable
        return self._element(GlobalAddress(place.name), place), variable

    def _element(self, base: Operand, place: s.Index) -> Operand:
        offset = self.compute(Op.MUL, (self.value(place.index), Const(CELL)), place.at)
        return self.compute(Op.ADD, (base, offset), place.at)

    # --- operators

    def _unary(self, e: s.Unary, dst: Reg | None) -> Operand:
        if e.op == "+":
            return self.value(e.inner, dst)
        inner = self.value(e.inner)
        match e.op:
            case "-":
                return self.compute(Op.SUB, (Const(0), inner), e.at, dst)
            case "~":
                return self.compute(Op.XOR, (inner, Const(-1)), e.at, dst)
            case _:
                return self.compute(Op.EQ, (inner, Const(0)), e.at, dst)

    def _logical(self, e: s.Binary, dst: Reg | None) -> Operand:
        """Where the right side cannot be noticed, both sides are computed; else it runs only if it is needed."""
        left = self.truth(e.left)
        if not noticeable(e.right, self):
            right = self.truth(e.right)
            return self.compute(Op.AND if e.op == "&&" else Op.OR, (left, right), e.at, dst)
        result, more, done = self.code.temporary(), self.code.label(), self.code.label()
        self.compute(Op.MOV, (left,), e.at, result)
        then, otherwise = (more, done) if e.op == "&&" else (done, more)
        self.code.emit(ins.Branch(left, then, otherwise, at=e.at))
        self.code.place(more)
        self.compute(Op.MOV, (self.truth(e.right),), e.at, result)
        self.code.place(done)
        return self._moved(result, dst, e.at)

    def truth(self, e: s.Expression) -> Operand:
        """`e` as 0 or 1."""
        value = self.value(e)
        if isinstance(value, Const):
            return Const(int(bool(value.value)))
        if (isinstance(e, s.Binary) and e.op in _TRUTH_VALUED) or (isinstance(e, s.Unary) and e.op == "!"):
            return value
        return self.compute(Op.NE, (value, Const(0)), e.at)

    # --- calls

    def _call(self, e: s.Call, dst: Reg | None) -> Operand:
        if e.name in self._actions:
            raise mistake(f"{e.name} has no value", e.at)
        target = self.result(dst)
        self.operation(e, target)
        return target

    def operation(self, e: s.Call, dst: Reg | None) -> None:
        """An operation that looks like a call and gives a value, or a call."""
        self._values.get(e.name, Expressions.call)(self, e, dst)

    def call(self, e: s.Call, dst: Reg | None) -> None:
        """A call of one of the program's own functions."""
        function = self._function(e.name, len(e.args), e.at)
        args = tuple(self.value(self.expression(a)) for a in e.args)
        self.code.emit(ins.Call(dst, function, args, at=e.at))

    def expression(self, argument: s.Argument) -> s.Expression:
        if isinstance(argument, s.Range | s.Text):
            raise mistake("this argument must be an expression", argument.at)
        return argument

    def _spawn(self, e: s.Spawn, dst: Reg | None) -> Operand:
        function = self._function(e.name, len(e.args), e.at)
        args = tuple(self.value(a) for a in e.args)
        target = self.result(dst)
        self.code.emit(ins.Spawn(target, function, args, at=e.at))
        return target

    def _function(self, name: str, given: int, at: Position) -> FunctionAddress:
        count = self.scope.functions.get(name)
        if count is None:
            raise self._no_function(name, at)
        if count != given:
            raise mistake(f"{name} takes {count} argument(s) and got {given}", at)
        return FunctionAddress(name)

    def _no_function(self, name: str, at: Position) -> InputError:
        from difflib import get_close_matches

        if name in self.scope.declared:
            return mistake(f"{name} is no function", at, hint=f"its declaration is at {self.scope.declared[name]}")
        known = {k.lower(): k for k in [*self._values, *self._actions, *self.scope.functions]}
        near = get_close_matches(name.lower(), sorted(known), 1)
        return mistake(f"there is no function {name}", at, hint=f"did you mean {known[near[0]]}?" if near else "")


#: What an operation that looks like a call becomes; its result goes into the register (None: nobody wants it).
Lowering = Callable[[Expressions, s.Call, Reg | None], None]


def noticeable(e: s.Argument | s.Place, within: Expressions) -> bool:
    """Whether it matters that `e` runs at all: it touches shared memory, calls something, or may divide by zero."""
    match e:
        case s.Name(name=name):
            return not within.is_register(name) and name not in within.scope.constants
        case s.Access(place=place):
            return noticeable(place, within)
        case s.AddressOf(place=s.Index(index=index)):
            return noticeable(index, within)
        case s.AddressOf(place=s.Dereference(address=address)):
            return noticeable(address, within)
        case s.Number() | s.Text() | s.AddressOf():
            return False
        case s.Unary(inner=inner):
            return noticeable(inner, within)
        case s.Binary(op=op, left=left, right=right):
            return op in "/%" or noticeable(left, within) or noticeable(right, within)
    return True
