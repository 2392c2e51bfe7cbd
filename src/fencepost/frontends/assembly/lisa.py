"""LISA, herd's own assembly, with the annotations of the Linux kernel: `r[once] r1 x`, `w[release] x 1`, `f[mb]`."""

from __future__ import annotations

import re
from typing import ClassVar, TypeVar

from fencepost.frontends.assembly.code import constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Fence, FenceKind, Mode, Op
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_Meaning = TypeVar("_Meaning")
_REGISTER = re.compile(r"r\d+\Z", re.IGNORECASE)
_READ = {"": Mode.RLX, "once": Mode.RLX, "acquire": Mode.ACQ, "deref": Mode.RLX, "lderef": Mode.RLX}
_WRITE = {"": Mode.RLX, "once": Mode.RLX, "release": Mode.REL, "assign": Mode.REL}
_FENCE = {"mb": FenceKind.MB, "rmb": FenceKind.RMB, "wmb": FenceKind.WMB, "barrier": FenceKind.BARRIER,
          "rb_dep": FenceKind.BARRIER, "rcu_read_lock": FenceKind.RCU_LOCK, "rcu_read_unlock": FenceKind.RCU_UNLOCK,
          "sync": FenceKind.SYNC_RCU, "synchronize_rcu": FenceKind.SYNC_RCU}  # fmt: skip
_OPERATION = {"add": Op.ADD, "xor": Op.XOR, "and": Op.AND, "or": Op.OR, "eq": Op.EQ, "neq": Op.NE, "ne": Op.NE,
              "lt": Op.SLT, "gt": Op.SGT, "le": Op.SLE, "ge": Op.SGE}  # fmt: skip


class LISA(Dialect):
    """Judged by lkmm. An access without an annotation is one that is marked `once`."""

    arch: ClassVar[Arch] = Arch.LKMM

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        return RegisterName(name.lower(), shown=name.lower()) if _REGISTER.match(name) else None

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        match mnemonic.text.lower():
            case "r":
                mode = self._annotation(t, _READ)
                dst = self.reg(t)
                self.code.load(dst, self._place(t), 4, mode=mode)
            case "w":
                mode = self._annotation(t, _WRITE)
                address = self._place(t)
                self.code.store(address, self._operand(t), 4, mode)
            case "f":
                self.code.add(Fence(self._annotation(t, _FENCE)))
            case "mov":
                dst = self.reg(t)
                t.accept(",")
                self._computed(dst, t)
            case "b":
                self._branch(t)
            case _:
                self.unknown(mnemonic, t)

    def _annotation(self, t: Tokens, known: dict[str, _Meaning]) -> _Meaning:
        """`[once]`; only what the Linux kernel's model knows."""
        t.expect("[")
        token = t.token
        word = "" if t.at("]") else t.name("an annotation").text.replace("-", "_")
        while t.accept("-"):
            word += "_" + t.name("an annotation").text
        if word not in known:
            t.fail("an annotation of the Linux kernel: " + ", ".join(k for k in known if k), token=token)
        t.expect("]")
        return known[word]

    def _operand(self, t: Tokens) -> Operand:
        if t.token.kind == "number" or t.at("-"):
            return constant(t.number())
        if self.naming(t.token.text) is not None:
            return self.reg(t)
        return self.code.location(t.name("a register, a number or a location"))

    def _place(self, t: Tokens) -> Operand:
        """`x`, `r1`, `x+r1`, `x[r1]`: elements are words."""
        base = self._operand(t)
        if t.accept("+"):
            return self.code.compute(Op.ADD, base, self._scaled(t))
        if t.accept("["):
            place = self.code.compute(Op.ADD, base, self._scaled(t))
            t.expect("]")
            return place
        return base

    def _scaled(self, t: Tokens) -> Operand:
        return self.code.compute(Op.MUL, self._operand(t), Const(4))

    def _computed(self, dst: Reg, t: Tokens) -> None:
        """`mov r1 (add r2 1)`, `mov r1 2`."""
        if not t.accept("("):
            self.code.move(dst, self._operand(t))
            return
        token = t.name("an operation such as add")
        if token.text not in _OPERATION:
            t.fail(", ".join(_OPERATION), token=token)
        left = self._operand(t)
        t.accept(",")
        self.code.compute(_OPERATION[token.text], left, self._operand(t), dst=dst)
        t.expect(")")

    def _branch(self, t: Tokens) -> None:
        """`b[] r1 L`, `b[] L`, `b[eq] r1, 0 L`."""
        t.expect("[")
        word = "" if t.at("]") else t.name("a comparison").text
        t.expect("]")
        if word:
            if word not in _OPERATION:
                t.fail(", ".join(_OPERATION))
            left = self._operand(t)
            t.accept(",")
            test: Operand = self.code.compute(_OPERATION[word], left, self._operand(t))
            t.accept(",")
            self.code.branch(test, self.label(t))
        elif self.naming(t.token.text) is not None:
            test = self.reg(t)
            t.accept(",")
            self.code.branch(test, self.label(t))
        else:
            self.code.jump(self.label(t))
