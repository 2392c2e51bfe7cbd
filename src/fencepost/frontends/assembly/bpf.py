"""eBPF, as its assembler writes it: `r1 = *(u32 *)(r2 + 0)`, `lock *(u64 *)(r2 + 0) += r3`, `if r1 == 1 goto L`."""

from __future__ import annotations

import re
from typing import ClassVar, NoReturn

from fencepost.frontends.assembly.code import constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Cas, Mode, Op, Return, Rmw, RmwOp
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_REGISTER = re.compile(r"r(\d|10)\Z", re.IGNORECASE)
_TYPE = re.compile(r"(?P<sign>[us])(?P<bits>8|16|32|64)\Z")
_FETCH = {"atomic_fetch_add": RmwOp.ADD, "atomic_fetch_or": RmwOp.OR, "atomic_fetch_and": RmwOp.AND,
          "atomic_fetch_xor": RmwOp.XOR}  # fmt: skip
_SIZED = re.compile(r"(?P<op>xchg|cmpxchg)_(?P<bits>32|64)\Z")
_ASSIGN = {"+=": Op.ADD, "-=": Op.SUB, "*=": Op.MUL, "&=": Op.AND, "|=": Op.OR, "^=": Op.XOR, "<<=": Op.SHL,
           ">>=": Op.LSHR}  # fmt: skip
_LOCKED = {"+=": RmwOp.ADD, "&=": RmwOp.AND, "|=": RmwOp.OR, "^=": RmwOp.XOR}
_COMPARE = {"==": Op.EQ, "!=": Op.NE, "<": Op.ULT, "<=": Op.ULE, ">": Op.UGT, ">=": Op.UGE}


class BPF(Dialect):
    arch: ClassVar[Arch] = Arch.BPF
    bytes: ClassVar[int] = 8

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        return RegisterName(name.lower(), shown=name.lower()) if _REGISTER.match(name) else None

    def statement(self, t: Tokens) -> None:
        """An instruction begins with what it changes, not with a mnemonic."""
        if t.at("*"):
            self._store(t)
        elif self.naming(t.token.text) is not None:
            self._assignment(t)
        else:
            self.instruction(t.name("an instruction"), t)

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        match mnemonic.text:
            case "store_release":
                size, address = self._argument(t)
                self.comma(t)
                self.code.store(address, self._operand(t), size, Mode.REL)
                t.expect(")")
            case "lock":
                self._locked(mnemonic, t)
            case "if":
                left = self.reg(t)
                if t.token.text not in _COMPARE:
                    t.fail("a comparison such as ==")
                test = self.code.compute(_COMPARE[t.next().text], left, self._operand(t))
                t.expect("goto")
                self.code.branch(test, self.label(t))
            case "goto":
                self.code.jump(self.label(t))
            case "exit":
                self.code.add(Return())
            case _:
                self.unknown(mnemonic, t)

    # --- operands

    def _operand(self, t: Tokens) -> Operand:
        if t.token.kind == "number" or t.at("-"):
            return constant(t.number())
        return self.reg(t)

    def _type(self, t: Tokens) -> int:
        """`u32`: its size in bytes."""
        token = t.name("a type such as u32")
        m = _TYPE.match(token.text)
        if m is None:
            t.fail("a type such as u32", token=token)
        return int(m["bits"]) // 8

    def _place(self, t: Tokens) -> Operand:
        """`r2 + 0`"""
        base = self.reg(t)
        if not t.at("+", "-"):
            return base
        return self.code.offset(base, Const(t.number()))

    def _cast(self, t: Tokens) -> tuple[int, Operand]:
        """`(u32 *)(r2 + 0)`"""
        t.expect("(")
        size = self._type(t)
        t.expect("*")
        t.expect(")")
        t.expect("(")
        address = self._place(t)
        t.expect(")")
        return size, address

    def _argument(self, t: Tokens) -> tuple[int, Operand]:
        t.expect("(")
        return self._cast(t)

    # --- instructions

    def _store(self, t: Tokens) -> None:
        t.expect("*")
        size, address = self._cast(t)
        t.expect("=")
        self.code.store(address, self._operand(t), size)

    def _locked(self, mnemonic: Token, t: Tokens) -> None:
        """An atomic without a result orders nothing."""
        t.expect("*")
        size, address = self._cast(t)
        if t.token.text not in _LOCKED:
            self.unknown(mnemonic, t)
        op = _LOCKED[t.next().text]
        self.code.add(Rmw(None, address, self.reg(t), op, size, Mode.RLX))

    def _assignment(self, t: Tokens) -> None:
        dst = self.reg(t)
        if t.token.text in _ASSIGN:
            op = _ASSIGN[t.next().text]
            self.code.compute(op, dst, self._operand(t), dst=dst)
            return
        t.expect("=")
        if t.accept("*"):
            size, address = self._cast(t)
            self.code.load(dst, address, size)
        elif t.token.kind == "name" and self.naming(t.token.text) is None:
            self._result(t.next(), dst, t)
        else:
            self.code.move(dst, self._operand(t))

    def _result(self, token: Token, dst: Reg, t: Tokens) -> None:
        """What a call gives back. Atomics with a result order everything; a comparison that fails, nothing."""
        if token.text == "load_acquire":
            size, address = self._argument(t)
            self.code.load(dst, address, size, mode=Mode.ACQ)
        elif token.text in _FETCH:
            size, address = self._argument(t)
            self.comma(t)
            self.code.add(Rmw(dst, address, self.reg(t), _FETCH[token.text], size, Mode.SC))
        elif m := _SIZED.match(token.text):
            self._exchange(m, dst, t)
        else:
            self._no_call(token, t)
        t.expect(")")

    def _exchange(self, m: re.Match[str], dst: Reg, t: Tokens) -> None:
        t.expect("(")
        address, size = self._place(t), int(m["bits"]) // 8
        self.comma(t)
        first = self.reg(t)
        if m["op"] == "xchg":
            self.code.add(Rmw(dst, address, first, RmwOp.XCHG, size, Mode.SC))
            return
        self.comma(t)
        self.code.add(Cas(dst, None, address, first, self.reg(t), size, Mode.SC, Mode.RLX))

    def _no_call(self, token: Token, t: Tokens) -> NoReturn:
        known = "load_acquire, xchg_64, cmpxchg_64, " + ", ".join(_FETCH)
        t.source.fail(token.offset, f"found '{token.text}'", known)
