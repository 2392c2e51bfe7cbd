"""ARM of 32 bits (AArch32, ARMv7): conditional execution, loads and stores, exclusives, LDA and STL, barriers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from fencepost.frontends.assembly.code import ZERO, Code, constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.assembly.flags import CONDITIONS, Flags
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Fence, FenceKind, Mode, Op, Return
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_WORD = 32
_SIZE = {"": 4, "B": 1, "H": 2}
_LOAD = re.compile(r"LD(?P<order>R|A)(?P<exclusive>(?:EX)?)(?P<sign>S?)(?P<size>[BH]?)\Z")
_STORE = re.compile(r"ST(?P<order>R|L)(?P<size>[BH]?)\Z")
_CONDITIONAL = re.compile(r"ST(?P<order>R|L)EX(?P<size>[BH]?)\Z")
_ALU = {"ADD": Op.ADD, "SUB": Op.SUB, "RSB": Op.SUB, "EOR": Op.XOR, "AND": Op.AND, "ORR": Op.OR, "BIC": Op.AND,
        "MUL": Op.MUL, "LSL": Op.SHL, "LSR": Op.LSHR, "ASR": Op.ASHR}  # fmt: skip
_SHIFT = {"LSL": Op.SHL, "LSR": Op.LSHR, "ASR": Op.ASHR}
_COMPARE = ("CMP", "CMN", "TST", "TEQ")
_MOVE = ("MOV", "MVN", "MOVW", "MOVT")
_EXTEND = {"UXTB": (8, False), "UXTH": (16, False), "SXTB": (8, True), "SXTH": (16, True)}
_BARRIER = {"": "SY", "SY": "SY", "ISH": "SY", "OSH": "SY", "NSH": "SY", "UN": "SY", "ST": "ST", "ISHST": "ST",
            "OSHST": "ST", "NSHST": "ST", "UNST": "ST", "LD": "LD", "ISHLD": "LD", "OSHLD": "LD"}  # fmt: skip
_MULTIPLE = {"LDM": 0, "LDMIA": 0, "LDMIB": 4}
_NAMED = {"FP": "R11", "IP": "R12", "SP": "R13", "LR": "R14", "PC": "R15"}
_HINTS = ("NOP", "YIELD", "WFE", "WFI", "SEV", "PLD")
_REGISTER = re.compile(r"R(\d|1[0-5])\Z")


class ARM(Dialect):
    arch: ClassVar[Arch] = Arch.ARM

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.flags = Flags(code)

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        name = _NAMED.get(name.upper(), name.upper())
        return RegisterName(name, _WORD, name) if _REGISTER.match(name) else None

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        name, condition = _unconditional(mnemonic.text.upper())
        if name == "B" and condition:
            self.code.branch(self.flags.decide(condition), self.label(t))
            return
        end = self.code.fresh_label()
        if condition:
            self.code.branch_unless(self.flags.decide(condition), end)
        self._plain(mnemonic, name, t)
        if condition:
            self.code.label(end)

    def _plain(self, mnemonic: Token, name: str, t: Tokens) -> None:
        if (m := _LOAD.match(name)) and not (m["sign"] and (m["exclusive"] or not m["size"])):
            self._load(m, t)
        elif m := _STORE.match(name):
            self._store(m, t)
        elif m := _CONDITIONAL.match(name):
            self._conditional(m, t)
        elif name in ("LDRD", "STRD"):
            self._double(name, t)
        elif name in _MULTIPLE:
            self._multiple(_MULTIPLE[name], t)
        elif name in ("DMB", "DSB"):
            kind = _BARRIER.get("" if t.done else t.next().text.upper())
            if kind is None:
                t.fail(", ".join(b for b in _BARRIER if b), token=t.list[t.index - 1])
            self.code.add(Fence(FenceKind[f"{name}_{kind}"]))
        elif name == "ISB":
            t.accept("SY")
            self.code.add(Fence(FenceKind.ISB))
        elif name in ("CBZ", "CBNZ"):
            value = self.reg(t)
            self.comma(t)
            self.code.branch(
                self.code.compute(Op.EQ if name == "CBZ" else Op.NE, value, ZERO, width=_WORD), self.label(t)
            )
        elif name == "B":
            self.code.jump(self.label(t))
        elif name == "BX" and self.naming(t.token.text) == self.naming("LR"):
            t.next()
            self.code.add(Return())
        elif name in _HINTS:
            t.index = len(t.list) - 1
        else:
            self._arithmetic(mnemonic, name, t)

    # --- operands

    def _number(self, t: Tokens) -> int:
        t.accept("#")
        return t.number()

    def _flexible(self, t: Tokens) -> Operand:
        """`#1`, `R2`, `R2,LSL #2`."""
        if t.at("#", "-") or t.token.kind == "number":
            return constant(self._number(t))
        value: Operand = self.reg(t)
        if t.accept(","):
            token = t.name("a shift such as LSL #2")
            if token.text.upper() not in _SHIFT:
                t.fail("a shift such as LSL #2", token=token)
            value = self.code.compute(_SHIFT[token.text.upper()], value, Const(self._number(t)), width=_WORD)
        return value

    def _accessed(self, t: Tokens, access: Callable[[Operand], None]) -> None:
        """`[R1]`, `[R1,#4]`, `[R1,R2,LSL #2]`, `[R1,#4]!`, `[R1],#4`, or `R1` as old tests write it: runs the access,
        writes back."""
        if t.token.kind == "name":
            access(self.reg(t))
            return
        t.expect("[")
        base, offset = self.reg(t), ZERO if not t.accept(",") else self._flexible(t)
        t.expect("]")
        if t.accept("!"):
            self.code.compute(Op.ADD, base, offset, dst=base)
            offset = ZERO
        access(self.code.offset(base, offset))
        if t.accept(","):
            self.code.compute(Op.ADD, base, self._flexible(t), dst=base)

    # --- memory

    def _load(self, m: re.Match[str], t: Tokens) -> None:
        dst = self.reg(t)
        self.comma(t)
        mode, exclusive = Mode.ACQ if m["order"] == "A" else Mode.RLX, bool(m["exclusive"])
        size, signed = _SIZE[m["size"]], _WORD if m["sign"] else 0
        self._accessed(t, lambda a: self.code.load(dst, a, size, mode=mode, exclusive=exclusive, signed=signed))

    def _store(self, m: re.Match[str], t: Tokens) -> None:
        value = self.reg(t)
        self.comma(t)
        self._accessed(t, lambda a: self.code.store(a, value, _SIZE[m["size"]], _released(m)))

    def _conditional(self, m: re.Match[str], t: Tokens) -> None:
        status = self.reg(t)
        self.comma(t)
        value, size = self.reg(t), _SIZE[m["size"]]
        self.comma(t)

        def store(address: Operand) -> None:
            self.code.move(status, self.code.store_conditional(address, value, size, _released(m)))

        self._accessed(t, store)

    def _double(self, name: str, t: Tokens) -> None:
        """Two words side by side; the second register may be left out: it is the next one."""
        token = t.token
        first = self.named(t)
        self.comma(t)
        if t.at("["):
            second = self.code.register(f"R{int(first.name[1:]) + 1}")
        else:
            second = self.reg(t)
            self.comma(t)
        if int(first.name[1:]) % 2:
            t.fail("a register with an even number", token=token)
        registers = (self.code.register(first.name), second)

        def access(address: Operand) -> None:
            places = (address, self.code.offset(address, Const(4)))
            for register, place in zip(registers, places, strict=True):
                if name == "LDRD":
                    self.code.load(register, place, 4)
                else:
                    self.code.store(place, register, 4)

        self._accessed(t, access)

    def _multiple(self, start: int, t: Tokens) -> None:
        """`LDM R0,{R1,R2}`: registers from one word after the other; `LDMIB` begins at the second word."""
        base = self.reg(t)
        update = t.accept("!")
        self.comma(t)
        t.expect("{")
        targets: list[Reg] = []
        t.separated(lambda: targets.append(self.reg(t)), ",", "}")
        t.expect("}")
        places = [self.code.offset(base, Const(start + 4 * k)) for k in range(len(targets))]
        if update:
            self.code.compute(Op.ADD, base, Const(4 * len(targets)), dst=base)
        for target, place in zip(targets, places, strict=True):
            self.code.load(target, place, 4)

    # --- registers

    def _arithmetic(self, mnemonic: Token, name: str, t: Tokens) -> None:
        flags = name not in _ALU and name not in _MOVE and name.endswith("S") and name not in _COMPARE
        plain = name.removesuffix("S") if flags else name
        if plain in _ALU:
            self._three(plain, t, flags=flags)
        elif plain in _MOVE:
            self._move(plain, t, flags=flags)
        elif plain in _COMPARE:
            left = self.reg(t)
            self.comma(t)
            self._set_flags({"CMP": "SUB", "CMN": "ADD", "TST": "AND", "TEQ": "EOR"}[plain], left, self._flexible(t))
        elif plain in _EXTEND:
            dst = self.reg(t)
            self.comma(t)
            bits, signed = _EXTEND[plain]
            self.code.compute(Op.SEXT if signed else Op.MOV, self.reg(t), width=bits, dst=dst)
            self.code.move(dst, dst, _WORD)
        else:
            self.unknown(mnemonic, t)

    def _set_flags(self, name: str, a: Operand, b: Operand) -> None:
        if name == "SUB":
            self.flags.subtracted(a, b, _WORD)
        elif name == "ADD":
            self.flags.added(a, b, _WORD)
        else:
            self.flags.of(self.code.compute(_ALU[name], a, b, width=_WORD), _WORD)

    def _three(self, name: str, t: Tokens, *, flags: bool) -> None:
        dst = self.reg(t)
        self.comma(t)
        a: Operand
        if t.at("#"):  # ADD R1,#1
            a, b = dst, self._flexible(t)
        else:
            a = self.reg(t)
            b = self._flexible(t) if t.accept(",") else a
        if name == "RSB":
            a, b = b, a
        elif name == "BIC":
            b = self.code.compute(Op.XOR, b, Const(-1))
        if flags:
            self._set_flags("SUB" if name == "RSB" else name, a, b)
        self.code.compute(_ALU[name], a, b, width=_WORD, dst=dst)

    def _move(self, name: str, t: Tokens, *, flags: bool) -> None:
        dst = self.reg(t)
        self.comma(t)
        value = self._flexible(t)
        if name == "MVN":
            value = self.code.compute(Op.XOR, value, Const(-1))
        elif name == "MOVT":
            low = self.code.compute(Op.AND, dst, Const(0xFFFF))
            value = self.code.compute(Op.OR, low, self.code.compute(Op.SHL, value, Const(16), width=_WORD))
        self.code.move(dst, value, _WORD)
        if flags:
            self.flags.of(dst, _WORD)


def _released(m: re.Match[str]) -> Mode:
    return Mode.REL if m["order"] == "L" else Mode.RLX


def _unconditional(name: str) -> tuple[str, str]:
    """An instruction without its condition, and the condition: `MOVNE` is MOV under NE, `BLS` is B under LS."""
    plain, condition = name[:-2], name[-2:]
    if condition == "AL" and plain:
        return plain, ""
    known = plain in _ALU or plain in _MOVE or plain in _COMPARE or plain in ("B", "DMB", "DSB", "ISB", "LDRD", "STRD")
    known = known or bool(_LOAD.match(plain) or _STORE.match(plain) or _CONDITIONAL.match(plain))
    known = known or (plain.endswith("S") and plain[:-1] in (*_ALU, *_MOVE))
    return (plain, condition) if known and condition in CONDITIONS else (name, "")
