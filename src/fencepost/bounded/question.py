"""What a run must show to be a violation: the final condition, as code after all processes."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.bounded.builder import FALSE, TRUE, Builder
from fencepost.bounded.straight import Straight
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
from fencepost.program.instructions import Op
from fencepost.program.layout import lay_out
from fencepost.program.operands import Const, Operand, Reg, to_signed

_COMPARE = {"=": Op.EQ, "!=": Op.NE, "<": Op.SLT, "<=": Op.SLE, ">": Op.SGT, ">=": Op.SGE}
FinalValue = Callable[[int], Operand]


class Question:
    """`can_stop`: an assertion may fail in a run in which other processes have not fetched all of their code."""

    def __init__(self, straight: Straight) -> None:
        self.straight, self.program = straight, straight.program
        self.layout = lay_out(self.program)
        own = list(self.program.functions[: len(self.program.threads)])
        if straight.ending is not None and straight.processes.joined != frozenset(range(len(own))):
            own.append(straight.ending)
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
