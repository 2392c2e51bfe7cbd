"""PowerPC."""

from __future__ import annotations

import re
from typing import ClassVar

from fencepost.frontends.assembly.code import ZERO, Code, constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName, compare, decide
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Fence, FenceKind, Op, Return
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_SIZE = {"b": 1, "h": 2, "w": 4, "d": 8}
_MEMORY = re.compile(r"(?P<kind>l|st)(?P<size>[bhwd])(?P<sign>[za]?)(?P<update>u?)(?P<indexed>x?)\Z")
_RESERVE = re.compile(r"l([bhwd])arx\Z")
_CONDITIONAL = re.compile(r"st([bhwd])cx\.\Z")
_FIELDS = tuple("01234567")
_COMPARE = re.compile(r"cmp(?P<logical>l?)(?P<size>[wd])(?P<immediate>i?)\Z")
_ALU = {"add": Op.ADD, "and": Op.AND, "or": Op.OR, "xor": Op.XOR, "mulld": Op.MUL, "sub": Op.SUB, "subf": Op.SUB,
        "sld": Op.SHL, "srd": Op.LSHR, "srad": Op.ASHR}  # fmt: skip
_ALU_32 = {"mullw": Op.MUL, "divw": Op.SDIV, "divwu": Op.UDIV, "slw": Op.SHL, "srw": Op.LSHR, "sraw": Op.ASHR}
_EXTEND = {"extsb": 8, "extsh": 16, "extsw": 32}
_NEGATED = {"nand": Op.AND, "nor": Op.OR, "eqv": Op.XOR}
_IMMEDIATE = {"addi": Op.ADD, "subi": Op.SUB, "ori": Op.OR, "xori": Op.XOR, "andi.": Op.AND, "mulli": Op.MUL,
              "addic": Op.ADD, "addic.": Op.ADD,
              "sldi": Op.SHL, "srdi": Op.LSHR, "sradi": Op.ASHR}  # fmt: skip
_IMMEDIATE_32 = {"slwi": Op.SHL, "srwi": Op.LSHR, "srawi": Op.ASHR}
_BRANCH = {"beq": Op.EQ, "bne": Op.NE, "blt": Op.SLT, "bgt": Op.SGT, "ble": Op.SLE, "bge": Op.SGE, "bnl": Op.SGE,
           "bng": Op.SLE}  # fmt: skip
_FENCE = {"sync": FenceKind.SYNC, "hwsync": FenceKind.SYNC, "lwsync": FenceKind.LWSYNC, "isync": FenceKind.ISYNC,
          "eieio": FenceKind.EIEIO}  # fmt: skip
_REGISTER = re.compile(r"r(\d|[12]\d|3[01])\Z", re.IGNORECASE)
_CONDITION = re.compile(r"cr[0-7]\Z")


class PPC(Dialect):
    arch: ClassVar[Arch] = Arch.PPC

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        #: Value and address of the last store-conditional, how long the code was behind it, and with how many labels.
        self.stored: tuple[Operand, Operand, int, int] = (ZERO, ZERO, -1, 0)

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        return RegisterName(name.lower(), shown=name.lower()) if _REGISTER.match(name) else None

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        name = mnemonic.text.lower()
        if name in _FENCE:
            self.code.add(Fence(_FENCE[name]))
            if name == "sync" and t.token.kind == "number":
                t.number()  # which sync: all are at most as strong
        elif (m := _MEMORY.match(name)) and (m["kind"] == "st") <= (m["sign"] == "") and _loads(m):
            self._access(m, t)
        elif m := _RESERVE.match(name):
            dst = self.reg(t)
            self.code.load(dst, self._indexed(t), _SIZE[m[1]], exclusive=True)
        elif m := _CONDITIONAL.match(name):
            self._conditional(_SIZE[m[1]], t)
        elif m := _COMPARE.match(name):
            self._compare(m, t)
        elif name in _BRANCH:
            t.accept("+", "-")  # a hint for the branch predictor
            field = self._field(t)
            taken, label = self._decided(field, _BRANCH[name]), self.label(t)
            self.code.branch(self._tested(taken, label) if field == "cr0" else taken, label)
        elif name == "b":
            self.code.jump(self.label(t))
        elif name == "blr":
            self.code.add(Return())
        elif name != "nop":
            self._arithmetic(mnemonic, name, t)

    def _arithmetic(self, mnemonic: Token, name: str, t: Tokens) -> None:
        plain = name.removesuffix(".")
        if plain in ("li", "lis", "mr", "neg", "not", *_EXTEND):
            self._unary(plain, t)
        elif plain in _ALU or plain in _ALU_32 or plain in _NEGATED:
            self._three(plain, t)
        elif plain in ("rlwinm", "rlwimi", "clrldi", "clrlwi"):
            self._mask(plain, t)
        elif plain == "la":
            dst = self.reg(t)
            self.code.move(dst, self._displaced(t))
        elif name in _IMMEDIATE or plain in _IMMEDIATE_32 or name in ("addis", "oris", "xoris"):
            self._immediate(name, t)
        else:
            self.unknown(mnemonic, t)
        if name.endswith("."):
            compare(self.code, "cr0", 64, self.code.instructions[-1].dst, ZERO)  # type: ignore[attr-defined]

    # --- memory

    def _access(self, m: re.Match[str], t: Tokens) -> None:
        value, size = self.reg(t), _SIZE[m["size"]]
        base = t.list[t.index + 1 :]
        address = self._indexed(t) if m["indexed"] else self._displaced(t)
        if m["update"]:
            self._update(m, base, address, t)
        if m["kind"] == "l":
            self.code.load(value, address, size, signed=64 if m["sign"] == "a" else 0)
        else:
            self.code.store(address, value, size)

    def _update(self, m: re.Match[str], operands: list[Token], address: Operand, t: Tokens) -> None:
        """`lwzu r5,4(r1)`, `stwux r5,r1,r2`: r1 becomes the address."""
        at = 0 if m["indexed"] else next(i for i, k in enumerate(operands) if k.text == "(") + 1
        found = self.naming(operands[at].text)
        if found is None:
            t.fail("a register to update", token=operands[at])
        self.code.move(self.code.register(found.name), address)

    def _displaced(self, t: Tokens) -> Operand:
        """`,8(r2)`"""
        self.comma(t)
        offset = t.number("an offset such as 0(r2)") if not t.at("(") else 0
        t.expect("(")
        base = self.reg(t)
        t.expect(")")
        return self.code.offset(base, Const(offset))

    def _indexed(self, t: Tokens) -> Operand:
        """`,r2,r3`; in these forms `0` and `r0` as the base both mean nothing is added"""
        self.comma(t)
        base: Operand
        if t.token.kind == "number":
            base = Const(t.number())
        else:
            name = self.named(t).name
            base = ZERO if name == "r0" else self.code.register(name)
        self.comma(t)
        index = self.reg(t)
        return index if base == ZERO else self.code.compute(Op.ADD, base, index)

    def _conditional(self, size: int, t: Tokens) -> None:
        value, address = self.reg(t), self._indexed(t)
        failed = self.code.store_conditional(address, value, size)
        compare(self.code, "cr0", 64, failed, ZERO)
        self.stored = (value, address, len(self.code.instructions), len(self.code.labels))

    def _decided(self, field: str, op: Op) -> Reg:
        """Where nothing was compared yet, all bits of the field are clear: neither less nor greater nor equal."""
        if f"{field}.a" in self.code.registers or self.code.labels:
            return decide(self.code, field, op)
        return self.code.compute(Op.MOV, Const(int(op in (Op.NE, Op.SLE, Op.SGE))))

    def _tested(self, taken: Reg, label: Token) -> Reg:
        """A branch right behind a store-conditional depends on what is stored and where, as in herd. One that goes back
        only tries again: what follows the last round comes after a success."""
        value, address, place, labels = self.stored
        if (place, labels) != (
            len(self.code.instructions) - 1,
            len(self.code.labels),
        ) or label.text in self.code.labels:
            return taken
        sources = self.code.compute(Op.AND, self.code.compute(Op.XOR, value, address), ZERO)
        return self.code.compute(Op.OR, taken, sources)

    # --- registers

    def _unary(self, name: str, t: Tokens) -> None:
        dst = self.reg(t)
        self.comma(t)
        if name in ("li", "lis"):
            self.code.move(dst, constant(t.number() << (16 if name == "lis" else 0)))
            return
        source = self.reg(t)
        match name:
            case "mr":
                self.code.move(dst, source)
            case "neg":
                self.code.compute(Op.SUB, ZERO, source, dst=dst)
            case "not":
                self.code.compute(Op.XOR, source, Const(-1), dst=dst)
            case _:
                self.code.compute(Op.SEXT, source, width=_EXTEND[name], dst=dst)

    def _three(self, name: str, t: Tokens) -> None:
        dst = self.reg(t)
        self.comma(t)
        a = self.reg(t)
        self.comma(t)
        b = self.reg(t)
        if name == "subf":
            a, b = b, a
        if name in _NEGATED:
            self.code.compute(_NEGATED[name], a, b, dst=dst)
            self.code.compute(Op.XOR, dst, Const(-1), dst=dst)
        elif name in _ALU_32:
            self.code.compute(_ALU_32[name], a, b, width=32, dst=dst)
        else:
            self.code.compute(_ALU[name], a, b, dst=dst)

    def _immediate(self, name: str, t: Tokens) -> None:
        dst = self.reg(t)
        self.comma(t)
        source = self.reg(t)
        self.comma(t)
        value = t.number()
        if name in ("addis", "oris", "xoris"):
            name, value = name[:-1], value << 16
        if name.removesuffix(".") in _IMMEDIATE_32:
            self.code.compute(_IMMEDIATE_32[name.removesuffix(".")], source, constant(value), width=32, dst=dst)
        else:
            self.code.compute(_IMMEDIATE[name], source, constant(value), dst=dst)

    def _mask(self, name: str, t: Tokens) -> None:
        """`rlwinm rA,rS,SH,MB,ME`: the low word rotated left by SH, of which bits MB to ME stay, counted from the left
        and around the end; `rlwimi` keeps the others of rA. `clrlwi` and `clrldi` clear on the left."""
        dst = self.reg(t)
        self.comma(t)
        source = self.reg(t)
        numbers = []
        while t.accept(","):
            numbers.append(t.number())
        rotates = name in ("rlwinm", "rlwimi")
        if len(numbers) != (3 if rotates else 1):
            t.fail("a shift and the first and last bit of a mask" if rotates else "a number of bits")
        if not rotates:
            kept = (64 if name == "clrldi" else 32) - numbers[0]
            self.code.compute(Op.AND, source, constant((1 << max(kept, 0)) - 1), dst=dst)
            return
        shift, first, last = (n & 31 for n in numbers)
        mask = sum(
            1 << 31 - bit
            for bit in range(32)
            if (first <= bit <= last if first <= last else bit >= first or bit <= last)
        )
        rotated: Operand = source
        if shift:
            left = self.code.compute(Op.SHL, source, Const(shift), width=32)
            low = self.code.compute(Op.LSHR, self.code.compute(Op.MOV, source, width=32), Const(32 - shift), width=32)
            rotated = self.code.compute(Op.OR, left, low)
        if name == "rlwimi":
            rest = self.code.compute(Op.AND, dst, constant(~mask))
            self.code.compute(Op.OR, self.code.compute(Op.AND, rotated, constant(mask)), rest, dst=dst)
        else:
            self.code.compute(Op.AND, rotated, constant(mask), dst=dst)

    # --- conditions

    def _field(self, t: Tokens) -> str:
        """`cr3,` or `3,` where it is written, else cr0."""
        numbered = t.token.kind == "number" and t.token.text in _FIELDS
        if not numbered and not (t.token.kind == "name" and _CONDITION.match(t.token.text)):
            return "cr0"
        field = t.next().text
        self.comma(t)
        return f"cr{field}" if numbered else field

    def _compare(self, m: re.Match[str], t: Tokens) -> None:
        field = self._field(t)
        left = self.reg(t)
        self.comma(t)
        right: Operand = constant(t.number()) if m["immediate"] else self.reg(t)
        compare(self.code, field, 32 if m["size"] == "w" else 64, left, right, signed=not m["logical"])


def _loads(m: re.Match[str]) -> bool:
    """lbz lhz lwz ld, lha lwa, stb sth stw std exist; lbd and friends do not."""
    size, sign = m["size"], m["sign"]
    return m["kind"] == "st" or (sign == "" if size == "d" else sign == "z" or (sign == "a" and size != "b"))
