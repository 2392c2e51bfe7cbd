"""RISC-V: RV32 and RV64 integer instructions, A extension, fences."""

from __future__ import annotations

import re
from typing import ClassVar

from fencepost.frontends.assembly.code import ZERO, constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Fence, FenceKind, Mode, Op, Return, Rmw, RmwOp
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_SIZE = {"b": 1, "h": 2, "w": 4, "d": 8}
_ORDER = r"(?P<order>(?:\.aq|\.rl|\.aqrl)*)\Z"
# a load has no release without an acquire, a store no acquire without a release
_LOAD = re.compile(r"l(?P<size>[bhwd])(?P<unsigned>u?)(?P<order>\.aq(?:rl|\.rl)?)?\Z")
_STORE = re.compile(r"s(?P<size>[bhwd])(?P<order>\.rl|\.aq(?:rl|\.rl))?\Z")
_RESERVE = re.compile(r"lr\.(?P<size>[wd])" + _ORDER)
_CONDITIONAL = re.compile(r"sc\.(?P<size>[wd])" + _ORDER)
_AMO = re.compile(r"amo(?P<op>swap|add|and|or|xor|maxu?|minu?)\.(?P<size>[wd])" + _ORDER)
_AMO_OP = {"swap": RmwOp.XCHG, "add": RmwOp.ADD, "and": RmwOp.AND, "or": RmwOp.OR, "xor": RmwOp.XOR, "max": RmwOp.MAX,
           "min": RmwOp.MIN, "maxu": RmwOp.UMAX, "minu": RmwOp.UMIN}  # fmt: skip
_ALU = {"add": Op.ADD, "sub": Op.SUB, "and": Op.AND, "or": Op.OR, "xor": Op.XOR, "sll": Op.SHL, "srl": Op.LSHR,
        "sra": Op.ASHR, "slt": Op.SLT, "sltu": Op.ULT, "mul": Op.MUL, "div": Op.SDIV, "rem": Op.SREM,
        "divu": Op.UDIV, "remu": Op.UREM}  # fmt: skip
_WORD = ("add", "sub", "sll", "srl", "sra", "mul")
_BRANCH = {"beq": Op.EQ, "bne": Op.NE, "blt": Op.SLT, "bge": Op.SGE, "bltu": Op.ULT, "bgeu": Op.UGE, "bgt": Op.SGT,
           "ble": Op.SLE, "bgtu": Op.UGT, "bleu": Op.ULE}  # fmt: skip
_BRANCH_ZERO = {"beqz": Op.EQ, "bnez": Op.NE, "bltz": Op.SLT, "bgez": Op.SGE, "bgtz": Op.SGT, "blez": Op.SLE}
_UNARY = {"mv": (Op.MOV,), "neg": (Op.SUB, 0), "not": (Op.XOR, -1), "seqz": (Op.EQ, 0), "snez": (Op.NE, 0),
          "sext.w": (Op.SEXT,), "sltz": (Op.SLT, 0), "sgtz": (Op.SGT, 0), "zext.b": (Op.AND, 0xFF),
          "zext.h": (Op.AND, 0xFFFF), "zext.w": (Op.AND, 0xFFFFFFFF)}  # fmt: skip
_SETS = {"r": "R", "w": "W", "rw": "RW"}
_ABI = {"zero": 0, "ra": 1, "sp": 2, "gp": 3, "tp": 4, "fp": 8, **{f"t{i}": 5 + i for i in range(3)},
        **{f"t{i}": 25 + i for i in range(3, 7)}, "s0": 8, "s1": 9, **{f"s{i}": 16 + i for i in range(2, 12)},
        **{f"a{i}": 10 + i for i in range(8)}}  # fmt: skip
_NUMBERED = re.compile(r"x(\d|[12]\d|3[01])\Z")


class RISCV(Dialect):
    arch: ClassVar[Arch] = Arch.RISCV

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        name = name.lower()
        if name in _ABI:
            return RegisterName(f"x{_ABI[name]}", shown=f"x{_ABI[name]}")
        return RegisterName(name) if _NUMBERED.match(name) else None

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        name = mnemonic.text.lower()
        if name == "fence":
            self._fence(t)
        elif name in ("fence.tso", "fence.i"):
            self.code.add(Fence(FenceKind(name)))
            if name == "fence.tso" and not t.done:
                self._set(t)
                self.comma(t)
                self._set(t)
        elif m := _LOAD.match(name):
            dst = self._target(t)
            signed = 0 if m["unsigned"] else 64
            self.code.load(dst, self._memory(t), _SIZE[m["size"]], mode=_mode(m["order"]), signed=signed)
        elif m := _STORE.match(name):
            value = self._source(t)
            self.code.store(self._memory(t), value, _SIZE[m["size"]], _mode(m["order"]))
        elif m := _RESERVE.match(name):
            dst = self._target(t)
            mode = _promised(_mode(m["order"]), Mode.REL)
            self.code.load(dst, self._memory(t), _SIZE[m["size"]], mode=mode, exclusive=True, signed=64)
        elif m := _CONDITIONAL.match(name):
            dst, value = self._target(t), self._next_source(t)
            mode = _promised(_mode(m["order"]), Mode.ACQ)
            failed = self.code.store_conditional(self._memory(t), value, _SIZE[m["size"]], mode)
            self.code.move(dst, failed)
        elif m := _AMO.match(name):
            self._amo(m, t)
        else:
            self._rest(mnemonic, name, t)

    def _rest(self, mnemonic: Token, name: str, t: Tokens) -> None:
        word = name.endswith("w") and name.removesuffix("w").removesuffix("i") in _WORD
        plain = name.removesuffix("w") if word else name
        if name in _BRANCH:
            a, b = self._source(t), self._next_source(t)
            self.comma(t)
            self.code.branch(self.code.compute(_BRANCH[name], a, b), self.label(t))
        elif name in _BRANCH_ZERO:
            a = self._source(t)
            self.comma(t)
            self.code.branch(self.code.compute(_BRANCH_ZERO[name], a, ZERO), self.label(t))
        elif name in ("j", "jal"):
            if name == "jal" and self.naming(t.token.text) is not None:
                self._target(t)
                self.comma(t)
            self.code.jump(self.label(t))
        elif name == "ret":
            self.code.add(Return())
        elif plain in _ALU:
            self._three(_ALU[plain], t, word, immediate=False)
        elif _immediate(plain) in _ALU:
            self._three(_ALU[_immediate(plain)], t, word, immediate=True)
        elif name in ("li", "lui", "la"):
            self._constant(name, t)
        elif name in _UNARY:
            self._unary(name, t)
        elif name != "nop":
            self.unknown(mnemonic, t)

    # --- operands

    def _target(self, t: Tokens) -> Reg:
        """Where a result goes; x0 takes nothing, so its results go to a register that nobody reads."""
        name = self.named(t).name
        return self.code.scratch() if name == "x0" else self.code.register(name)

    def _source(self, t: Tokens) -> Operand:
        name = self.named(t).name
        return ZERO if name == "x0" else self.code.register(name)

    def _next_source(self, t: Tokens) -> Operand:
        self.comma(t)
        return self._source(t)

    def _memory(self, t: Tokens) -> Operand:
        """`,8(x5)`, `,(x5)`"""
        self.comma(t)
        offset = 0 if t.at("(") else t.number("an offset such as 0(x5)")
        t.expect("(")
        base = self._source(t)
        t.expect(")")
        return self.code.offset(base, Const(offset))

    # --- instructions

    def _fence(self, t: Tokens) -> None:
        """`fence` alone orders everything; i and o (devices) order nothing that a test can see."""
        if t.done:
            self.code.add(Fence(FenceKind.FENCE_RW_RW))
            return
        before = self._set(t)
        self.comma(t)
        after = self._set(t)
        if before and after:
            self.code.add(Fence(FenceKind[f"FENCE_{_SETS[before]}_{_SETS[after]}"]))

    def _set(self, t: Tokens) -> str:
        token = t.name("a set such as rw")
        if not set(token.text.lower()) <= set("iorw"):
            t.fail("a set such as r, w or rw", token=token)
        return "".join(c for c in "rw" if c in token.text.lower())

    def _amo(self, m: re.Match[str], t: Tokens) -> None:
        written = self.named(t).name
        dst = None if written == "x0" else self.code.register(written)
        value = self._next_source(t)
        size = _SIZE[m["size"]]
        self.code.add(Rmw(dst, self._memory(t), value, _AMO_OP[m["op"]], size, _mode(m["order"])))
        if dst is not None and size < 8:
            self.code.compute(Op.SEXT, dst, width=8 * size, dst=dst)

    def _three(self, op: Op, t: Tokens, word: bool, *, immediate: bool) -> None:
        dst, a = self._target(t), self._next_source(t)
        self.comma(t)
        b: Operand = constant(t.number()) if immediate else self._source(t)
        if op in (Op.SHL, Op.LSHR, Op.ASHR) and not immediate:
            b = self.code.compute(Op.AND, b, Const(31 if word else 63))
        self.code.compute(op, a, b, width=32 if word else 64, dst=dst)
        if word:
            self.code.compute(Op.SEXT, dst, width=32, dst=dst)

    def _constant(self, name: str, t: Tokens) -> None:
        dst = self._target(t)
        self.comma(t)
        if name == "la":
            self.code.move(dst, self.code.location(t.name("a location")))
        else:
            self.code.move(dst, constant(t.number() << (12 if name == "lui" else 0)))

    def _unary(self, name: str, t: Tokens) -> None:
        dst, a = self._target(t), self._next_source(t)
        op, *rest = _UNARY[name]
        assert isinstance(op, Op), "the table should start with the operation"
        if not rest:
            self.code.compute(op, a, dst=dst, width=32 if op is Op.SEXT else 64)
        elif op is Op.SUB:
            self.code.compute(op, ZERO, a, dst=dst)
        else:
            self.code.compute(op, a, Const(int(str(rest[0]))), dst=dst)


def _immediate(name: str) -> str:
    """addi -> add, sltiu -> sltu."""
    return "sltu" if name == "sltiu" else name[:-1] if name.endswith("i") and name != "subi" else ""


def _promised(mode: Mode, empty: Mode) -> Mode:
    """An `lr` that only releases and an `sc` that only acquires promise nothing (the manual, chapter on LR and SC)."""
    return Mode.RLX if mode is empty else mode


def _mode(order: str | None) -> Mode:
    """The annotation `.aq`, `.rl` or both (`.aq.rl`, `.aqrl`)."""
    if order is None:
        return Mode.RLX
    if "aq" in order and "rl" in order:
        return Mode.SC
    return Mode.ACQ if "aq" in order else Mode.REL if order else Mode.RLX
