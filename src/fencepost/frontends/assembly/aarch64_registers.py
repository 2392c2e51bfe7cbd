"""AArch64's registers and what computes on them: operands, arithmetic, conditional selects."""

from __future__ import annotations

import re
from typing import ClassVar, NoReturn

from fencepost.frontends.assembly.beyond import NO_CODE, instruction_beyond, register_beyond
from fencepost.frontends.assembly.code import ZERO, Code, constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.assembly.flags import CONDITIONS, Flags
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_ALU = {"ADD": Op.ADD, "SUB": Op.SUB, "EOR": Op.XOR, "AND": Op.AND, "ORR": Op.OR, "LSL": Op.SHL, "LSR": Op.LSHR,
        "ASR": Op.ASHR, "MUL": Op.MUL, "UDIV": Op.UDIV, "SDIV": Op.SDIV}  # fmt: skip
_INVERTED = {"BIC": Op.AND, "EON": Op.XOR, "ORN": Op.OR}
_FLAGGED = {"ADDS": "ADD", "SUBS": "SUB", "ANDS": "AND", "BICS": "BIC"}
_CHANGES = {"CINC": "CSINC", "CINV": "CSINV", "CNEG": "CSNEG"}  # one source, changed where the condition holds
_SELECT = ("CSEL", "CSINC", "CSINV", "CSNEG")
_EXTEND = {"SXTW": (32, True), "UXTW": (32, False), "SXTB": (8, True), "UXTB": (8, False), "SXTH": (16, True),
           "UXTH": (16, False), "SXTX": (64, True), "UXTX": (64, False)}  # fmt: skip
_SHIFT = {"LSL": Op.SHL, "LSR": Op.LSHR, "ASR": Op.ASHR}
_REGISTER = re.compile(r"([XW])(\d|[12]\d|30|ZR)\Z")
_VARIABLE = {"LSLV": "LSL", "LSRV": "LSR", "ASRV": "ASR", "RORV": "ROR"}  # by a register, under their other names
_LONG = re.compile(r"(?P<sign>[SU])M(?P<op>ADD|SUB|NEG|UL)L\Z")
_REVERSED = {"REV": 0, "REV16": 16, "REV32": 32, "REV64": 64}  # bytes, in groups of so many bits
ZERO_REGISTER = "XZR"


class Registers(Dialect):
    """What an instruction does to registers; loads, stores and branches are in aarch64."""

    arch: ClassVar[Arch] = Arch.AARCH64

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.flags = Flags(code)

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        name = {"LR": "X30", "FP": "X29"}.get(name.upper(), name.upper())
        if name == "SP":
            return RegisterName(name, 64)
        m = _REGISTER.match(name)
        return RegisterName(f"X{m[2]}", 64 if m[1] == "X" else 32) if m else None

    # --- operands

    def source(self, t: Tokens) -> tuple[Operand, int]:
        """A register to read and its width; the zero register is a constant."""
        r = self.named(t)
        return (ZERO if r.name == ZERO_REGISTER else self.code.register(r.name)), r.width

    def next_source(self, t: Tokens) -> tuple[Operand, int]:
        self.comma(t)
        return self.source(t)

    def target(self, t: Tokens) -> tuple[Reg, int]:
        r = self.named(t)
        return (self.code.scratch() if r.name == ZERO_REGISTER else self.code.register(r.name)), r.width

    def unknown(self, mnemonic: Token, t: Tokens) -> NoReturn:
        if beyond := instruction_beyond(mnemonic.text):
            t.source.fail(
                mnemonic.offset, f"unsupported instruction '{mnemonic.text}': Fencepost does not treat {beyond}"
            )
        super().unknown(mnemonic, t)

    def named(self, t: Tokens, expected: str = "a register") -> RegisterName:
        if t.at("X", "W", "x", "w") and t.peek().text == "%":
            return self._chosen(t)
        if t.token.kind == "name" and (beyond := register_beyond(t.token.text)):
            t.source.fail(t.token.offset, f"unsupported register '{t.token.text}': Fencepost does not treat {beyond}")
        return super().named(t, expected)

    def _chosen(self, t: Tokens) -> RegisterName:
        """`X%p`, `W%p`: a register that herd chooses, with its width."""
        width = 64 if t.next().text in "Xx" else 32
        t.expect("%")
        return RegisterName(f"%{t.name('the name of a register').text}", width)

    def number(self, t: Tokens) -> int:
        t.accept("#")
        return t.number()

    def flexible(self, t: Tokens, width: int) -> Operand:
        """The last operand of arithmetic: `#1`, `#1,LSL #12`, `X2`, `X2,LSL #3`, `W2,SXTW #2`."""
        value: Operand
        if t.at("#", "-") or t.token.kind == "number":
            value = constant(self.number(t))
        else:
            value, width = self.source(t)
        return self._modified(t, value, width) if t.accept(",") else value

    def _modified(self, t: Tokens, value: Operand, width: int) -> Operand:
        token = t.name("a shift such as LSL #2, or an extension such as SXTW")
        how = token.text.upper()
        if how == "ROR":
            return self._rotated(value, Const(self.number(t)), width)
        if how in _SHIFT:
            return self.code.compute(_SHIFT[how], value, Const(self.number(t)), width=width)
        if how not in _EXTEND:
            t.fail("a shift such as LSL #2, or an extension such as SXTW", token=token)
        bits, signed = _EXTEND[how]
        value = self.code.compute(Op.SEXT if signed else Op.MOV, value, width=bits)
        shift = self.number(t) if t.at("#") or t.token.kind == "number" else 0
        return self.code.compute(Op.SHL, value, Const(shift), dst=value) if shift else value

    # --- registers

    def arithmetic(self, mnemonic: Token, name: str, t: Tokens) -> None:
        name = _VARIABLE.get(name, name)
        plain = _FLAGGED.get(name, name)
        if plain in _ALU or plain in _INVERTED:
            self._three(plain, t, flags=name in _FLAGGED)
        elif name in ("MOV", "MVN", "NEG", "NEGS", "MOVZ", "MOVN", "MOVK"):
            self._move(name, t)
        elif name in ("CMP", "CMN", "TST"):
            self._compare(name, t)
        elif name in _SELECT or name in ("CSET", "CSETM", *_CHANGES):
            self._select(name, t)
        elif name in ("UBFX", "SBFX", "UBFM", "SBFM"):
            self._extract(name, t)
        elif name in ("MADD", "MSUB", "MNEG"):
            self._multiply_add(name, t)
        elif m := _LONG.match(name):
            self._multiply_long(m, t)
        elif name in ("ABS", "RBIT", "CLZ") or name in _REVERSED:
            self._unary(name, t)
        elif name == "ADR":
            self._address(t)
        elif name == "MRS" and t.list[-2].text.upper() == "NZCV":
            dst, _ = self.target(t)
            self.comma(t)
            t.next()
            self.code.move(dst, self.flags.packed())
        elif name == "ROR":
            self._rotate(t)
        elif name == "EXTR":
            self._window(t)
        elif name in _EXTEND:
            dst, width = self.target(t)
            bits, signed = _EXTEND[name]
            self.code.compute(Op.SEXT if signed else Op.MOV, self.next_source(t)[0], width=bits, dst=dst)
            self.code.move(dst, dst, width)
        else:
            self.unknown(mnemonic, t)

    def _extract(self, name: str, t: Tokens) -> None:
        dst, width = self.target(t)
        source, _ = self.next_source(t)
        self.comma(t)
        low = self.number(t)
        self.comma(t)
        bits, left = self.number(t), 0
        if name.endswith("M"):  # the last bit, and not how many; a first bit behind it moves them up
            low, bits, left = (low, bits - low + 1, 0) if bits >= low else (0, bits + 1, width - low)
        shifted = self.code.compute(Op.LSHR, source, Const(low), width=width)
        up = self.code.compute(Op.SHL, shifted, Const(width - bits), width=width)
        down = Op.LSHR if name.startswith("U") else Op.ASHR
        self.code.compute(down, up, Const(width - bits - left), width=width, dst=dst)

    def _multiply_add(self, name: str, t: Tokens) -> None:
        dst, width = self.target(t)
        a, b = (self.next_source(t)[0] for _ in range(2))
        c = ZERO if name == "MNEG" else self.next_source(t)[0]
        product = self.code.compute(Op.MUL, a, b, width=width)
        self.code.compute(Op.ADD if name == "MADD" else Op.SUB, c, product, width=width, dst=dst)

    def _multiply_long(self, m: re.Match[str], t: Tokens) -> None:
        """Two words give a double word, which may be added to another or subtracted from it."""
        dst, _ = self.target(t)
        extend = Op.SEXT if m["sign"] == "S" else Op.MOV
        a, b = (self.code.compute(extend, self.next_source(t)[0], width=32) for _ in range(2))
        product = self.code.compute(Op.MUL, a, b)
        c: Operand = self.next_source(t)[0] if m["op"] in ("ADD", "SUB") else ZERO
        self.code.compute(Op.SUB if m["op"] in ("SUB", "NEG") else Op.ADD, c, product, dst=dst)

    def _unary(self, name: str, t: Tokens) -> None:
        dst, width = self.target(t)
        value, _ = self.next_source(t)
        if name == "ABS":
            negative = self.code.compute(Op.SLT, value, ZERO, width=width)
            turned = self.code.compute(Op.SUB, ZERO, value, width=width)
            self.code.compute(Op.SELECT, negative, turned, value, width=width, dst=dst)
        elif name == "CLZ":
            self._leading_zeros(dst, value, width)
        else:
            group = width if name == "RBIT" else _REVERSED[name] or width
            self._reversed(dst, value, width, group, 1 if name == "RBIT" else 8)

    def _leading_zeros(self, dst: Reg, value: Operand, width: int) -> None:
        found: Operand = Const(width)
        for bit in range(width):
            there = self.code.compute(Op.AND, value, constant(1 << bit), width=width)
            found = self.code.compute(Op.SELECT, there, Const(width - 1 - bit), found)
        self.code.move(dst, found)

    def _reversed(self, dst: Reg, value: Operand, width: int, group: int, unit: int) -> None:
        """Units of so many bits, turned around in each group of so many: halves change places, then their halves."""
        value, size = self.code.compute(Op.MOV, value, width=width), group // 2
        while size >= unit:
            low = sum(((1 << size) - 1) << k for k in range(0, width, 2 * size))
            up = self.code.compute(Op.SHL, self.code.compute(Op.AND, value, constant(low)), Const(size))
            down = self.code.compute(Op.AND, self.code.compute(Op.LSHR, value, Const(size)), constant(low))
            value = self.code.compute(Op.OR, up, down)
            size //= 2
        self.code.move(dst, value, width)

    def _address(self, t: Tokens) -> None:
        """`ADR X0,x`: the address of a location. That of an instruction is no value that we know."""
        dst, _ = self.target(t)
        self.comma(t)
        token = t.name("a location")
        if token.text not in self.code.state.locations:
            t.source.fail(token.offset, f"found '{token.text}', {NO_CODE}", "a location of the initial state")
        self.code.move(dst, self.code.location(token))

    def _rotated(self, value: Operand, right: Operand, width: int) -> Operand:
        right = self.code.compute(Op.AND, right, Const(width - 1))
        left = self.code.compute(Op.AND, self.code.compute(Op.SUB, ZERO, right), Const(width - 1))
        low = self.code.compute(Op.LSHR, self.code.compute(Op.MOV, value, width=width), right, width=width)
        return self.code.compute(Op.OR, low, self.code.compute(Op.SHL, value, left, width=width), width=width)

    def _rotate(self, t: Tokens) -> None:
        dst, width = self.target(t)
        value, _ = self.next_source(t)
        self.comma(t)
        self.code.move(dst, self._rotated(value, self.flexible(t, width), width), width)

    def _window(self, t: Tokens) -> None:
        """`EXTR X0,X1,X2,#8`: as many bits as a register has, out of two of them side by side."""
        dst, width = self.target(t)
        high, low = (self.next_source(t)[0] for _ in range(2))
        self.comma(t)
        first = self.number(t) & (width - 1)
        down = self.code.compute(Op.LSHR, low, Const(first), width=width)
        if first:
            up = self.code.compute(Op.SHL, high, Const(width - first), width=width)
            down = self.code.compute(Op.OR, up, down, width=width)
        self.code.move(dst, down, width)

    def _three(self, name: str, t: Tokens, *, flags: bool) -> None:
        dst, width = self.target(t)
        a, _ = self.next_source(t)
        self.comma(t)
        b = self.flexible(t, width)
        if name in _INVERTED:
            b = self.code.compute(Op.XOR, b, Const(-1))
        elif name in ("LSL", "LSR", "ASR"):
            b = self.code.compute(Op.AND, b, Const(width - 1))
        if flags:
            self._set_flags(name, a, b, width)
        self.code.compute(_INVERTED.get(name) or _ALU[name], a, b, width=width, dst=dst)

    def _set_flags(self, name: str, a: Operand, b: Operand, width: int) -> None:
        """Of a - b, of a + b, or of the two combined by logic."""
        if name == "SUB":
            self.flags.subtracted(a, b, width)
        elif name == "ADD":
            self.flags.added(a, b, width)
        else:
            self.flags.of(self.code.compute(Op.AND, a, b, width=width), width)

    def _compare(self, name: str, t: Tokens) -> None:
        a, width = self.source(t)
        self.comma(t)
        self._set_flags({"CMP": "SUB", "CMN": "ADD", "TST": "AND"}[name], a, self.flexible(t, width), width)

    def _move(self, name: str, t: Tokens) -> None:
        dst, width = self.target(t)
        self.comma(t)
        if name in ("MOVZ", "MOVN", "MOVK"):
            self._wide(name, dst, width, t)
            return
        value = self.flexible(t, width)
        match name:
            case "MOV":
                self.code.move(dst, value, width)
            case "MVN":
                self.code.compute(Op.XOR, value, Const(-1), width=width, dst=dst)
            case "NEG" | "NEGS":
                if name == "NEGS":
                    self.flags.subtracted(ZERO, value, width)
                self.code.compute(Op.SUB, ZERO, value, width=width, dst=dst)

    def _wide(self, name: str, dst: Reg, width: int, t: Tokens) -> None:
        value, shift = self.number(t), 0
        if t.accept(","):
            if not t.accept("LSL", "lsl"):
                t.fail("LSL")
            shift = self.number(t)
        if name == "MOVK":
            kept = self.code.compute(Op.AND, dst, constant(~(0xFFFF << shift)), width=width)
            self.code.compute(Op.OR, kept, constant(value << shift), width=width, dst=dst)
        else:
            number = ~(value << shift) if name == "MOVN" else value << shift
            self.code.move(dst, constant(number), width)

    def _select(self, name: str, t: Tokens) -> None:
        dst, width = self.target(t)
        sources = [
            self.next_source(t)[0] for _ in range({"CSET": 0, "CSETM": 0}.get(name, 1 if name in _CHANGES else 2))
        ]
        self.comma(t)
        token = t.name("a condition such as EQ")
        if token.text.upper() not in CONDITIONS:
            t.fail(", ".join(CONDITIONS), token=token)
        taken = self.flags.decide(token.text.upper())
        then, otherwise = self._alternatives(name, sources, width)
        self.code.compute(Op.SELECT, taken, then, otherwise, width=width, dst=dst)

    def _alternatives(self, name: str, sources: list[Operand], width: int) -> tuple[Operand, Operand]:
        match name:
            case "CSET" | "CSETM":
                return Const(1 if name == "CSET" else -1), ZERO
        if name in _CHANGES:
            return self._changed(_CHANGES[name], sources[0], width), sources[0]
        return sources[0], self._changed(name, sources[1], width)

    def _changed(self, name: str, value: Operand, width: int) -> Operand:
        """What the other operand of a conditional select goes through when the condition fails."""
        match name:
            case "CSINC":
                return self.code.compute(Op.ADD, value, Const(1), width=width)
            case "CSINV":
                return self.code.compute(Op.XOR, value, Const(-1), width=width)
            case "CSNEG":
                return self.code.compute(Op.SUB, ZERO, value, width=width)
        return value
