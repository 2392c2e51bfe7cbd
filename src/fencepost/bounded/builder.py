"""Writes the one function of a translated program: registers, folded operations, forward jumps, named guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from fencepost.program import instructions as ins
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import ErrorKind, Instruction, Op
from fencepost.program.operands import Const, Operand, Position, Reg, to_signed, to_unsigned
from fencepost.program.program import Function
from fencepost.records import dataclass

TRUE, FALSE = Const(1), Const(0)


@dataclass(slots=True, eq=False)
class Label:
    at: int | None = None


@dataclass(slots=True)
class Builder:
    """`choices` names each Choose by what it guesses; the witness reads the model through these names."""

    names: list[str] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    code: list[tuple[Instruction, tuple[Label, ...]]] = field(default_factory=list)
    choices: dict[int, tuple[object, ...]] = field(default_factory=dict)
    position: Position | None = None

    def var(self, name: str, value: Operand | None = None) -> Reg:
        """A new register; without a value it starts as zero."""
        count = self.taken[name] = self.taken.get(name, 0) + 1
        self.names.append(name if count == 1 else f"{name}'{count}")
        register = Reg(len(self.names) - 1)
        if value is not None and value != FALSE:
            self.set(register, value)
        return register

    def _add(self, instruction: Instruction, *labels: Label) -> None:
        self.code.append((instruction, labels))

    def set(self, register: Reg, value: Operand) -> None:
        if register != value:
            self._add(ins.Compute(register, (value,), Op.MOV, at=self.position))

    def op(self, op: Op, *args: Operand, width: int = 64) -> Operand:
        """The value of an operation, folded where it is constant."""
        if all(isinstance(a, Const) for a in args):
            values = tuple(to_unsigned(a.value) for a in args if isinstance(a, Const))
            return Const(to_signed(compute(op, width, values)))
        register = self.var(f"t{len(self.names)}")
        self._add(ins.Compute(register, args, op, width, at=self.position))
        return register

    def compute_into(self, register: Reg, op: Op, args: Sequence[Operand], width: int) -> None:
        self._add(ins.Compute(register, tuple(args), op, width, at=self.position))

    # --- logic; numbers compared here are small and not negative

    def equal(self, a: Operand, b: Operand) -> Operand:
        return TRUE if a == b else self.op(Op.EQ, a, b)

    def less(self, a: Operand, b: Operand) -> Operand:
        return FALSE if a == b else self.op(Op.ULT, a, b)

    def at_least(self, a: Operand, b: Operand) -> Operand:
        return TRUE if a == b or b == FALSE else self.op(Op.UGE, a, b)

    def either(self, a: Operand, b: Operand) -> Operand:
        if TRUE in (a, b):
            return TRUE
        if FALSE in (a, b):
            return b if a == FALSE else a
        return self.op(Op.OR, a, b)

    def both(self, a: Operand, b: Operand) -> Operand:
        if FALSE in (a, b):
            return FALSE
        if TRUE in (a, b):
            return b if a == TRUE else a
        return self.op(Op.AND, a, b)

    def negate(self, a: Operand) -> Operand:
        return self.op(Op.EQ, a, FALSE)

    def select(self, condition: Operand, yes: Operand, no: Operand) -> Operand:
        if yes == no or condition == FALSE:
            return no
        if isinstance(condition, Const):
            return yes
        return self.op(Op.SELECT, condition, yes, no)

    def largest(self, *values: Operand) -> Operand:
        least = max((v.value for v in values if isinstance(v, Const)), default=0)
        found: Operand = Const(least)
        for v in dict.fromkeys(values):
            if not isinstance(v, Const):
                found = v if found == FALSE else self.select(self.less(found, v), v, found)
        return found

    def pick(self, index: Operand, options: Sequence[Operand]) -> Operand:
        """options[index - 1]: the index counts from 1."""
        if isinstance(index, Const):
            return options[index.value - 1]
        found = options[0]
        for n, option in enumerate(options[1:], start=2):
            found = self.select(self.equal(index, Const(n)), option, found)
        return found

    # --- guesses, assumptions, control

    def choose(self, low: int, high: int, name: str, *what: object) -> Operand:
        """A guess in low..high; `what` identifies it for the witness."""
        if low == high:
            return Const(low)
        register = self.var(name)
        self.choices[len(self.code)] = what
        self._add(ins.Choose(register, Const(low), Const(high), at=self.position))
        return register

    def assume(self, condition: Operand) -> None:
        if not isinstance(condition, Const) or condition.value == 0:
            self._add(ins.Assume(condition, at=self.position))

    def jump(self, label: Label) -> None:
        self._add(ins.Jump(0, at=self.position), label)

    def branch(self, condition: Operand, then: Label, otherwise: Label) -> None:
        if isinstance(condition, Const):
            self.jump(then if condition.value else otherwise)
        else:
            self._add(ins.Branch(condition, 0, 0, at=self.position), then, otherwise)

    def place(self, label: Label) -> None:
        label.at = len(self.code)

    def fail(self, message: str) -> None:
        self._add(ins.Fail(ErrorKind.ASSERTION, message))

    def finish(self, name: str) -> Function:
        self._add(ins.Return())
        code = tuple(_aim(i, [_index(label) for label in labels]) for i, labels in self.code)
        return Function(name, tuple(self.names), 0, code)


def _index(label: Label) -> int:
    assert label.at is not None, "every label should be placed"
    return label.at


def _aim(i: Instruction, targets: list[int]) -> Instruction:
    if isinstance(i, ins.Jump):
        return replace(i, target=targets[0])
    if isinstance(i, ins.Branch):
        return replace(i, then=targets[0], otherwise=targets[1])
    return i
