"""The condition flags of ARM: N, Z, C and V, kept so that any condition is decided by one or two operations.

Three registers hold them: `r` the result, as a signed number of 64 bits (N and Z), `c` the carry, and `l` whether the
left operand was less than the right one (N differs from V). All keep the dependencies of what set them.
"""

from __future__ import annotations

from fencepost.frontends.assembly.code import ZERO, Code
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand, Reg

#: What each condition asks: of the result against 0, or of the other two.
_OF_RESULT = {"EQ": Op.EQ, "NE": Op.NE, "MI": Op.SLT, "PL": Op.SGE}
_OF_BIT = {"CS": ("c", Op.NE), "HS": ("c", Op.NE), "CC": ("c", Op.EQ), "LO": ("c", Op.EQ),
           "LT": ("l", Op.NE), "GE": ("l", Op.EQ)}  # fmt: skip
_WITHOUT_ZERO = {"HI": ("c", Op.NE), "GT": ("l", Op.EQ)}  # and the result is not 0
_OR_ZERO = {"LS": ("c", Op.EQ), "LE": ("l", Op.NE)}
_OF_OVERFLOW = {"VS": Op.NE, "VC": Op.EQ}
CONDITIONS = (*_OF_RESULT, *_OF_BIT, *_WITHOUT_ZERO, *_OR_ZERO, *_OF_OVERFLOW)


class Flags:
    """The flags of one thread."""

    def __init__(self, code: Code) -> None:
        self.code = code

    def _part(self, name: str) -> Reg:
        return self.code.register(f"flags.{name}")

    def _result(self, value: Operand, width: int) -> Reg:
        return self.code.compute(Op.SEXT, value, width=width, dst=self._part("r"))

    def subtracted(self, a: Operand, b: Operand, width: int) -> None:
        """Of a - b."""
        result = self.code.compute(Op.SUB, a, b, width=width)
        self.code.compute(Op.UGE, a, b, width=width, dst=self._part("c"))
        self.code.compute(Op.SLT, a, b, width=width, dst=self._part("l"))
        self._result(result, width)

    def added(self, a: Operand, b: Operand, width: int) -> None:
        """Of a + b: the sum overflows where its sign is that of neither operand."""
        total = self.code.compute(Op.ADD, a, b, width=width)
        self.code.compute(Op.ULT, total, a, width=width, dst=self._part("c"))
        changed = self.code.compute(Op.AND, self.code.compute(Op.XOR, a, total), self.code.compute(Op.XOR, b, total))
        overflow = self.code.compute(Op.SLT, changed, ZERO, width=width)
        negative = self.code.compute(Op.SLT, total, ZERO, width=width)
        self.code.compute(Op.XOR, overflow, negative, dst=self._part("l"))
        self._result(total, width)

    def of(self, result: Operand, width: int) -> None:
        """Of a result of logic: no carry, no overflow."""
        kept = self._result(result, width)
        self.code.compute(Op.AND, kept, ZERO, dst=self._part("c"))
        self.code.compute(Op.SLT, kept, ZERO, dst=self._part("l"))

    def decide(self, condition: str) -> Reg:
        """A register that is not 0 where the condition holds; pre: it is one of CONDITIONS."""
        compute, result = self.code.compute, self._part("r")
        if condition in _OF_RESULT:
            return compute(_OF_RESULT[condition], result, ZERO)
        if condition in _OF_BIT:
            bit, op = _OF_BIT[condition]
            return compute(op, self._part(bit), ZERO)
        if condition in _OF_OVERFLOW:
            return compute(_OF_OVERFLOW[condition], self._part("l"), compute(Op.SLT, result, ZERO))
        bit, op = (_WITHOUT_ZERO | _OR_ZERO)[condition]
        asked = compute(op, self._part(bit), ZERO)
        if condition in _WITHOUT_ZERO:
            return compute(Op.AND, asked, compute(Op.NE, result, ZERO))
        return compute(Op.OR, asked, compute(Op.EQ, result, ZERO))

    def packed(self) -> Reg:
        """NZCV, where the system register has them."""
        found: Operand = ZERO
        for place, condition in ((31, "MI"), (30, "EQ"), (29, "CS"), (28, "VS")):
            bit = self.code.compute(Op.SHL, self.decide(condition), Const(place))
            found = self.code.compute(Op.OR, found, bit)
        assert isinstance(found, Reg), "four flags should have been put together"
        return found
