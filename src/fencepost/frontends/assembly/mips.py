"""MIPS of 64 bits: loads, stores, ll and sc, sync, arithmetic, branches without delay slots, as in litmus tests."""

from __future__ import annotations

import re
from typing import ClassVar

from fencepost.frontends.assembly.code import ZERO, constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Fence, FenceKind, Op, Return
from fencepost.program.operands import Const, Operand, Reg, to_signed
from fencepost.program.program import Arch

_SIZE = {"b": 1, "h": 2, "w": 4, "d": 8}
_MEMORY = re.compile(r"(?P<kind>[ls])(?P<size>[bhwd])(?P<unsigned>u?)\Z")
_LINKED = {"ll": 4, "lld": 8}
_CONDITIONAL = {"sc": 4, "scd": 8}
#: By the name without `i` and `u`: the operation, and whether it is one of 32 bits.
_ALU = {"add": (Op.ADD, True), "sub": (Op.SUB, True), "dadd": (Op.ADD, False), "dsub": (Op.SUB, False),
        "and": (Op.AND, False), "or": (Op.OR, False), "xor": (Op.XOR, False), "slt": (Op.SLT, False),
        "sll": (Op.SHL, True), "srl": (Op.LSHR, True), "sra": (Op.ASHR, True), "dsll": (Op.SHL, False),
        "dsrl": (Op.LSHR, False), "dsra": (Op.ASHR, False), "mul": (Op.MUL, True)}  # fmt: skip
_BRANCH = {"beq": Op.EQ, "bne": Op.NE}
_BRANCH_ZERO = {"beqz": Op.EQ, "bnez": Op.NE, "blez": Op.SLE, "bgtz": Op.SGT, "bltz": Op.SLT, "bgez": Op.SGE}
_NAMES = (
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "t4", "t5", "t6", "t7", "s0", "s1", "s2",
    "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
)  # fmt: skip
_OTHER = {"t0": 8, "t1": 9, "t2": 10, "t3": 11, "s8": 30}
_ZERO_REGISTER = "$0"


class MIPS(Dialect):
    arch: ClassVar[Arch] = Arch.MIPS

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        number = int(name) if name.isdigit() else _OTHER.get(name, _NAMES.index(name) if name in _NAMES else 32)
        return RegisterName(f"${number}", shown=f"${number}") if number < 32 else None

    def named(self, t: Tokens, expected: str = "a register") -> RegisterName:
        """`$2`, `$v0`, `v0`, or `%x0`."""
        if t.accept("$"):
            found = self.naming(t.token.text)
            if found is None:
                t.fail(expected)
            t.next()
            return found
        return super().named(t, expected)

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        name = mnemonic.text.lower()
        if (m := _MEMORY.match(name)) and not (m["unsigned"] and (m["kind"] == "s" or m["size"] == "d")):
            self._access(m, t)
        elif name in _LINKED:
            dst = self._target(t)
            self.code.load(dst, self._memory(t), _LINKED[name], exclusive=True, signed=64)
        elif name in _CONDITIONAL:
            self._conditional(_CONDITIONAL[name], t)
        elif name == "sync":
            t.index = len(t.list) - 1  # which sync: all are at most as strong
            self.code.add(Fence(FenceKind.SYNC))
        elif name in _BRANCH or name in _BRANCH_ZERO:
            a = self._source(t)
            b = self._next_source(t) if name in _BRANCH else ZERO
            self.comma(t)
            self.code.branch(self.code.compute((_BRANCH | _BRANCH_ZERO)[name], a, b), self.label(t))
        elif name in ("b", "j"):
            self.code.jump(self.label(t))
        elif name == "jr" and self.named(t).name == "$31":
            self.code.add(Return())
        elif name != "nop":
            self._arithmetic(mnemonic, name, t)

    # --- operands

    def _target(self, t: Tokens) -> Reg:
        name = self.named(t).name
        return self.code.scratch() if name == _ZERO_REGISTER else self.code.register(name)

    def _source(self, t: Tokens) -> Operand:
        name = self.named(t).name
        return ZERO if name == _ZERO_REGISTER else self.code.register(name)

    def _next_source(self, t: Tokens) -> Operand:
        self.comma(t)
        return self._source(t)

    def _memory(self, t: Tokens) -> Operand:
        """`,8($4)`, `,($4)`"""
        self.comma(t)
        offset = 0 if t.at("(") else t.number("an offset such as 0($4)")
        t.expect("(")
        base = self._source(t)
        t.expect(")")
        return self.code.offset(base, Const(offset))

    # --- instructions

    def _access(self, m: re.Match[str], t: Tokens) -> None:
        size = _SIZE[m["size"]]
        if m["kind"] == "l":
            dst = self._target(t)
            self.code.load(dst, self._memory(t), size, signed=0 if m["unsigned"] else 64)
        else:
            value = self._source(t)
            self.code.store(self._memory(t), value, size)

    def _conditional(self, size: int, t: Tokens) -> None:
        """The register of the value becomes 1 where it was written, 0 where not."""
        value = self._target(t)
        address = self._memory(t)
        failed = self.code.store_conditional(address, value, size)
        self.code.compute(Op.XOR, failed, Const(1), dst=value)

    def _arithmetic(self, mnemonic: Token, name: str, t: Tokens) -> None:
        immediate, plain = _immediate(name)
        if plain in _ALU:
            self._three(plain, t, immediate=immediate, unsigned=name in ("sltu", "sltiu"))
        elif name == "nor":
            self._nor(t)
        elif name in ("li", "lui", "move", "not", "neg", "dext"):
            self._simple(name, t)
        else:
            self.unknown(mnemonic, t)

    def _nor(self, t: Tokens) -> None:
        dst, a = self._target(t), self._next_source(t)
        either = self.code.compute(Op.OR, a, self._next_source(t))
        self.code.compute(Op.XOR, either, Const(-1), dst=dst)

    def _three(self, name: str, t: Tokens, *, immediate: bool, unsigned: bool) -> None:
        op, word = _ALU[name]
        dst, a = self._target(t), self._next_source(t)
        self.comma(t)
        b: Operand
        if immediate or t.token.kind == "number" or t.at("-"):
            value = t.number()
            b = constant(to_signed(value, 16) if op in (Op.ADD, Op.SLT) else value)
        else:
            b = self._source(t)
        if op in (Op.SHL, Op.LSHR, Op.ASHR):
            b = self.code.compute(Op.AND, b, Const(31 if word else 63))
        self.code.compute(Op.ULT if unsigned else op, a, b, width=32 if word else 64, dst=dst)
        if word:
            self.code.compute(Op.SEXT, dst, width=32, dst=dst)

    def _simple(self, name: str, t: Tokens) -> None:
        dst = self._target(t)
        self.comma(t)
        if name == "li":
            self.code.move(dst, constant(t.number()))
        elif name == "lui":
            self.code.compute(Op.SEXT, constant(t.number() << 16), width=32, dst=dst)
        elif name == "dext":
            source = self._source(t)
            self.comma(t)
            low = t.number()
            self.comma(t)
            shifted = self.code.compute(Op.LSHR, source, Const(low))
            self.code.compute(Op.AND, shifted, constant((1 << t.number()) - 1), dst=dst)
        else:
            source = self._source(t)
            if name == "move":
                self.code.move(dst, source)
            elif name == "not":
                self.code.compute(Op.XOR, source, Const(-1), dst=dst)
            else:
                self.code.compute(Op.SUB, ZERO, source, dst=dst)


def _immediate(name: str) -> tuple[bool, str]:
    """addiu is add with a number, sltu is slt on numbers without a sign, addu is add."""
    plain = name
    if plain.endswith("u"):
        plain = plain[:-1]
    if plain.endswith("i") and plain[:-1] in _ALU:
        return True, plain[:-1]
    return False, plain
