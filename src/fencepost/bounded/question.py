"""What a run must show to be a violation: the final condition and the ending, as code after all processes."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.bounded.builder import FALSE, TRUE, Builder, Label
from fencepost.bounded.locations import Cell
from fencepost.bounded.prepare import Straight
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.condition import (
    And,
    Compare,
    Condition,
    FinalRegister,
    Formula,
    Not,
    Observation,
    Or,
    Quantifier,
    Truth,
)
from fencepost.program.instructions import Instruction, Op
from fencepost.program.layout import lay_out
from fencepost.program.operands import Const, Operand, Reg, to_signed

_COMPARE = {"=": Op.EQ, "!=": Op.NE, "<": Op.SLT, "<=": Op.SLE, ">": Op.SGT, ">=": Op.SGE}
FinalValue = Callable[[int], Operand]


class Question:
    """`can_stop`: an assertion may fail in a run in which other processes have not fetched all of their code."""

    def __init__(self, straight: Straight) -> None:
        self.straight, self.program = straight, straight.program
        self.layout = lay_out(self.program)
        own = self.program.functions[: len(self.program.threads)]
        self.can_stop = any(isinstance(i, ins.Assert | ins.Fail) for f in own for i in f.code)

    def violated(self, b: Builder, register: Callable[[str, str], Operand], memory: FinalValue) -> Operand:
        """Whether the final state is what we look for: one that an `exists` names, or that the others exclude."""
        condition = self.program.condition
        if condition is None:
            return FALSE
        observed = {o.name: o for o in self.program.observations}
        values: dict[str, Operand] = {}

        def value(name: str) -> Operand:
            if name not in values:
                values[name] = self._reading(b, observed[name], register, memory)
            return values[name]

        return self._asked(b, condition, value)

    def _asked(self, b: Builder, condition: Condition, value: Callable[[str], Operand]) -> Operand:
        def constant(operand: Operand) -> Operand:
            assert not isinstance(operand, Reg), "a condition should compare with constants"
            return Const(to_signed(self.layout.value(operand)))

        found = _formula(b, condition.formula, value, constant)
        if condition.quantifier is Quantifier.FORALL:
            found = b.negate(found)
        if condition.filter is not None:
            found = b.both(found, _formula(b, condition.filter, value, constant))
        return found

    def _reading(
        self, b: Builder, o: Observation, register: Callable[[str, str], Operand], memory: FinalValue
    ) -> Operand:
        if isinstance(o.what, FinalRegister):
            value = register(o.what.thread, o.what.register)
        else:
            value = memory(self.layout.globals[o.what.object] + o.what.offset)
        if o.width == 64:
            return value
        return b.op(Op.SEXT if o.signed else Op.MOV, value, width=o.width)

    def fails_at_the_end(self, b: Builder, memory: FinalValue) -> Operand:
        """Whether an assertion of the ending fails on the final memory."""
        ending = self.straight.ending
        return FALSE if ending is None else _Ending(self.straight, b, memory).run()


class _Ending:
    """The code of `main` after its threads: nobody else runs, so it is ordinary sequential code."""

    def __init__(self, straight: Straight, b: Builder, memory: FinalValue) -> None:
        assert straight.ending is not None, "there should be an ending"
        self.builder, self.function, self.locations = b, straight.ending, straight.locations
        self.index = len(straight.program.threads)
        self.flowed = straight.ranges.threads[self.index]
        self.layout = straight.ranges.layout
        self.registers = [b.var(f"end.{name}") for name in self.function.registers]
        cells = {c.index: c for pc in self.flowed.before for c in self._cells(pc)}
        self.memory = {n: b.var(f"end.{c.name}", memory(c.address)) for n, c in cells.items()}
        self.failed = b.var("end.failed")
        self.labels = {pc: Label() for pc in self.flowed.before}
        self.over = Label()

    def _cells(self, pc: int) -> list[Cell]:
        known = (self.index, pc) in self.locations.targets
        return self.locations.of(self.index, pc) if known else []

    def run(self) -> Operand:
        b = self.builder
        for pc in sorted(self.flowed.before):
            b.place(self.labels[pc])
            if self._instruction(pc, self.function.code[pc]) and pc + 1 not in self.labels:
                b.jump(self.over)
        b.place(self.over)
        return self.failed

    def _go(self, pc: int) -> Label:
        return self.labels.get(pc, self.over)

    def _operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Reg):
            return self.registers[operand.index]
        return Const(to_signed(self.layout.value(operand)))

    def _instruction(self, pc: int, i: Instruction) -> bool:
        """Whether control falls through to the next instruction."""
        b = self.builder
        match i:
            case ins.Compute():
                b.compute_into(self.registers[i.dst.index], i.op, [self._operand(a) for a in i.args], i.width)
            case ins.Load() | ins.Store():
                self._access(pc, i)
            case ins.Fence():
                pass
            case ins.Jump():
                b.jump(self._go(i.target))
                return False
            case ins.Branch():
                b.branch(self._operand(i.condition), self._go(i.then), self._go(i.otherwise))
                return False
            case ins.Assume():
                self._unless(self._operand(i.condition), FALSE)
            case ins.Assert():
                self._unless(self._operand(i.condition), TRUE)
            case ins.Fail():
                b.set(self.failed, TRUE)
                b.jump(self.over)
                return False
            case ins.Return():
                b.jump(self.over)
                return False
            case _:
                raise UnsupportedError(f"{i.mnemonic} at {i.at} is not treated after the threads have been joined")
        return True

    def _unless(self, condition: Operand, failed: Operand) -> None:
        b, good, bad = self.builder, Label(), Label()
        b.branch(condition, good, bad)
        b.place(bad)
        b.set(self.failed, failed)
        b.jump(self.over)
        b.place(good)

    def _access(self, pc: int, i: ins.Load | ins.Store) -> None:
        b, address = self.builder, self._operand(i.address)
        cells = self._cells(pc)
        places = [TRUE if len(cells) == 1 else b.equal(address, Const(to_signed(c.address))) for c in cells]
        for cell, here in zip(cells, places, strict=True):
            if isinstance(i, ins.Load):
                target = self.registers[i.dst.index]
                b.set(target, b.select(here, self.memory[cell.index], target))
            else:
                stored = b.op(Op.MOV, self._operand(i.value), width=8 * i.size)
                b.set(self.memory[cell.index], b.select(here, stored, self.memory[cell.index]))


def _formula(
    b: Builder, formula: Formula, value: Callable[[str], Operand], constant: Callable[..., Operand]
) -> Operand:
    match formula:
        case Compare(left, op, right):
            other = value(right) if isinstance(right, str) else constant(right)
            return b.op(_COMPARE[op], value(left), other)
        case Not(inner):
            return b.negate(_formula(b, inner, value, constant))
        case And(parts):
            found: Operand = TRUE
            for part in parts:
                found = b.both(found, _formula(b, part, value, constant))
            return found
        case Or(parts):
            found = FALSE
            for part in parts:
                found = b.either(found, _formula(b, part, value, constant))
            return found
        case Truth(truth):
            return TRUE if truth else FALSE
