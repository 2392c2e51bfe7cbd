"""AArch64: loads and stores of every size, exclusives, LSE atomics, acquire and release, barriers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from fencepost.frontends.assembly.code import ZERO, constant
from fencepost.frontends.assembly.dialect import Dialect, RegisterName, compare, decide
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Cas, Fence, FenceKind, Mode, Op, Return, Rmw, RmwOp, Tag
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch

_SIZE = {"B": 1, "H": 2}
_LOAD = re.compile(r"LD(?P<order>A|AP|AX|X|LA|)(?P<unscaled>U?)R(?P<sign>S?)(?P<size>[BHW]?)\Z")
_STORE = re.compile(r"ST(?P<order>L|LL|)(?P<unscaled>U?)R(?P<size>[BH]?)\Z")
_CONDITIONAL = re.compile(r"ST(?P<order>L?)XR(?P<size>[BH]?)\Z")
_PAIR = re.compile(r"(?P<kind>LD|ST)(?P<order>N|IA|IL|)P?P(?P<sign>(?:SW)?)\Z")
_EXCLUSIVE_PAIR = re.compile(r"(?P<kind>LD|ST)(?P<order>[AL]?)XP\Z")
_SWAP_PAIR = re.compile(r"CASP(?P<order>A?L?)\Z")
_HINTS = ("NOP", "YIELD", "WFE", "WFI", "SEV", "SEVL", "PRFM")
_ATOMIC = re.compile(
    r"(?P<kind>LD|ST)(?P<op>ADD|CLR|EOR|SET|SMAX|SMIN|UMAX|UMIN)(?P<order>A?L?)(?P<size>[BH]?)\Z"
)  # fmt: skip
_SWAP = re.compile(r"(?P<kind>SWP|CAS)(?P<order>A?L?)(?P<size>[BH]?)\Z")
_ATOMIC_OP = {"ADD": RmwOp.ADD, "CLR": RmwOp.AND, "EOR": RmwOp.XOR, "SET": RmwOp.OR, "SMAX": RmwOp.MAX,
              "SMIN": RmwOp.MIN, "UMAX": RmwOp.UMAX, "UMIN": RmwOp.UMIN}  # fmt: skip
_LOAD_MODE = {"": Mode.RLX, "X": Mode.RLX, "A": Mode.ACQ, "LA": Mode.ACQ, "AX": Mode.ACQ,
              "AP": Mode.ACQ_PC}  # fmt: skip
_RMW_MODE = {"": Mode.RLX, "A": Mode.ACQ, "L": Mode.REL, "AL": Mode.ACQ_REL}
_ALU = {"ADD": Op.ADD, "SUB": Op.SUB, "EOR": Op.XOR, "AND": Op.AND, "ORR": Op.OR, "LSL": Op.SHL, "LSR": Op.LSHR,
        "ASR": Op.ASHR, "MUL": Op.MUL, "UDIV": Op.UDIV, "SDIV": Op.SDIV}  # fmt: skip
_INVERTED = {"BIC": Op.AND, "EON": Op.XOR, "ORN": Op.OR}
_FLAGGED = {"ADDS": "ADD", "SUBS": "SUB", "ANDS": "AND", "BICS": "BIC"}
_CONDITION = {"EQ": Op.EQ, "NE": Op.NE, "LT": Op.SLT, "LE": Op.SLE, "GT": Op.SGT, "GE": Op.SGE, "HS": Op.UGE,
              "CS": Op.UGE, "LO": Op.ULT, "CC": Op.ULT, "HI": Op.UGT, "LS": Op.ULE}  # fmt: skip
_NEGATED = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.SLT: Op.SGE, Op.SGE: Op.SLT, Op.SLE: Op.SGT, Op.SGT: Op.SLE,
            Op.UGE: Op.ULT, Op.ULT: Op.UGE, Op.UGT: Op.ULE, Op.ULE: Op.UGT}  # fmt: skip
_CHANGES = {"CINC": "CSINC", "CINV": "CSINV", "CNEG": "CSNEG"}  # one source, changed where the condition holds
_SELECT = ("CSEL", "CSINC", "CSINV", "CSNEG")
_EXTEND = {"SXTW": (32, True), "UXTW": (32, False), "SXTB": (8, True), "UXTB": (8, False), "SXTH": (16, True),
           "UXTH": (16, False), "SXTX": (64, True), "UXTX": (64, False)}  # fmt: skip
_SHIFT = {"LSL": Op.SHL, "LSR": Op.LSHR, "ASR": Op.ASHR}
_BARRIER = {"SY": "SY", "ISH": "SY", "OSH": "SY", "NSH": "SY", "LD": "LD", "ISHLD": "LD", "OSHLD": "LD", "NSHLD": "LD",
            "ST": "ST", "ISHST": "ST", "OSHST": "ST", "NSHST": "ST"}  # fmt: skip
_REGISTER = re.compile(r"([XW])(\d|[12]\d|30|ZR)\Z")
_FLAGS = "flags"
_ZERO_REGISTER = "XZR"


class AArch64(Dialect):
    arch: ClassVar[Arch] = Arch.AARCH64

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        name = {"LR": "X30", "FP": "X29"}.get(name.upper(), name.upper())
        if name == "SP":
            return RegisterName(name, 64)
        m = _REGISTER.match(name)
        return RegisterName(f"X{m[2]}", 64 if m[1] == "X" else 32) if m else None

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        name = mnemonic.text.upper()
        if (m := _LOAD.match(name)) and _load_exists(m):
            self._load(m, t)
        elif (m := _STORE.match(name)) and _store_exists(m):
            self._store(m, t)
        elif m := _CONDITIONAL.match(name):
            self._conditional(m, t)
        elif (m := _PAIR.match(name)) and _pair_exists(m, name):
            self._pair(m, t)
        elif m := _EXCLUSIVE_PAIR.match(name):
            self._exclusive_pair(mnemonic, m, t)
        elif m := _SWAP_PAIR.match(name):
            self._swap_pair(mnemonic, m, t)
        elif m := _SWAP.match(name):
            self._swap(m, t)
        elif m := _ATOMIC.match(name):
            self._atomic(m, t)
        elif name in ("DMB", "DSB"):
            self._barrier(name, t)
        elif name == "ISB":
            t.accept("SY")
            self.code.add(Fence(FenceKind.ISB))
        else:
            self._control(mnemonic, name, t)

    # --- operands

    def _source(self, t: Tokens) -> tuple[Operand, int]:
        """A register to read and its width; the zero register is a constant."""
        r = self.named(t)
        return (ZERO if r.name == _ZERO_REGISTER else self.code.register(r.name)), r.width

    def _next_source(self, t: Tokens) -> tuple[Operand, int]:
        self.comma(t)
        return self._source(t)

    def _target(self, t: Tokens) -> tuple[Reg, int]:
        r = self.named(t)
        return (self.code.scratch() if r.name == _ZERO_REGISTER else self.code.register(r.name)), r.width

    def _number(self, t: Tokens) -> int:
        t.accept("#")
        return t.number()

    def _flexible(self, t: Tokens, width: int) -> Operand:
        """The last operand of arithmetic: `#1`, `#1,LSL #12`, `X2`, `X2,LSL #3`, `W2,SXTW #2`."""
        value: Operand
        if t.at("#", "-") or t.token.kind == "number":
            value = constant(self._number(t))
        else:
            value, width = self._source(t)
        return self._modified(t, value, width) if t.accept(",") else value

    def _modified(self, t: Tokens, value: Operand, width: int) -> Operand:
        token = t.name("a shift such as LSL #2, or an extension such as SXTW")
        how = token.text.upper()
        if how in _SHIFT:
            return self.code.compute(_SHIFT[how], value, Const(self._number(t)), width=width)
        if how not in _EXTEND:
            t.fail("a shift such as LSL #2, or an extension such as SXTW", token=token)
        bits, signed = _EXTEND[how]
        value = self.code.compute(Op.SEXT if signed else Op.MOV, value, width=bits)
        shift = self._number(t) if t.at("#") or t.token.kind == "number" else 0
        return self.code.compute(Op.SHL, value, Const(shift), dst=value) if shift else value

    def _accessed(self, t: Tokens, access: Callable[[Operand], None]) -> None:
        """Reads `[X1]`, `[X1,#4]`, `[X1,W2,SXTW]`, `[X1,#4]!` or `[X1],#4`, runs the access, writes back."""
        t.expect("[")
        base, _ = self._source(t)
        offset: Operand = ZERO
        if t.accept(","):
            offset = self._flexible(t, 64)
        t.expect("]")
        if t.accept("!") and isinstance(base, Reg):
            self.code.compute(Op.ADD, base, offset, dst=base)
            access(base)
            return
        access(self.code.offset(base, offset))
        if t.accept(",") and isinstance(base, Reg):
            self.code.compute(Op.ADD, base, constant(self._number(t)), dst=base)

    # --- memory

    def _load(self, m: re.Match[str], t: Tokens) -> None:
        dst, width = self._target(t)
        self.comma(t)
        if t.accept("="):
            self.code.move(dst, self.code.location(t.name("a location")))
            return
        size = 4 if m["size"] == "W" else _size(m["size"], width)
        mode, exclusive = _LOAD_MODE[m["order"]], m["order"].endswith("X")
        signed = width if m["sign"] else 0
        self._accessed(t, lambda a: self.code.load(dst, a, size, mode=mode, exclusive=exclusive, signed=signed))

    def _store(self, m: re.Match[str], t: Tokens) -> None:
        value, width = self._source(t)
        self.comma(t)
        size, mode = _size(m["size"], width), Mode.REL if m["order"] else Mode.RLX
        self._accessed(t, lambda a: self.code.store(a, value, size, mode))

    def _conditional(self, m: re.Match[str], t: Tokens) -> None:
        status, _ = self._target(t)
        value, width = self._next_source(t)
        self.comma(t)
        size, mode = _size(m["size"], width), Mode.REL if m["order"] else Mode.RLX

        def store(address: Operand) -> None:
            self.code.move(status, self.code.store_conditional(address, value, size, mode))

        self._accessed(t, store)

    def _pair(self, m: re.Match[str], t: Tokens) -> None:
        """Two accesses side by side, each single-copy atomic by itself. Those of LDIAPP and STILP acquire and release,
        and the first of them comes first."""
        mode = {"IA": Mode.ACQ_PC, "IL": Mode.REL}.get(m["order"], Mode.RLX)
        if m["kind"] == "LD":
            targets = [self._target(t)]
            self.comma(t)
            targets.append(self._target(t))
            size = 4 if m["sign"] else targets[0][1] // 8
            signed = 64 if m["sign"] else 0

            def access(address: Operand) -> None:
                second = self.code.offset(address, Const(size))  # first: a target may be the base
                self.code.load(targets[0][0], address, size, mode=mode, signed=signed)
                self.code.load(targets[1][0], second, size, mode=mode, signed=signed)
        else:
            values = [self._source(t), self._next_source(t)]
            size = values[0][1] // 8

            def access(address: Operand) -> None:
                self.code.store(address, values[0][0], size, mode)
                self.code.store(self.code.offset(address, Const(size)), values[1][0], size, mode)

        self.comma(t)
        self._accessed(t, access)

    # Two words side by side that are accessed at once: one access of 8 bytes. Two double words would be 16.

    def _words(self, mnemonic: Token, t: Tokens, first: RegisterName) -> None:
        if first.width != 32:
            t.source.fail(mnemonic.offset, f"unsupported instruction '{mnemonic.text}' of 16 bytes", "W registers")

    def _joined(self, low: Operand, high: Operand) -> Operand:
        upper = self.code.compute(Op.SHL, high, Const(32))
        return self.code.compute(Op.OR, self.code.compute(Op.MOV, low, width=32), upper, dst=upper)

    def _split(self, whole: Reg, low: str, high: str) -> None:
        """Both halves of what was read; the zero register takes nothing."""
        if low != _ZERO_REGISTER:
            self.code.move(self.code.register(low), whole, 32)
        if high != _ZERO_REGISTER:
            self.code.compute(Op.LSHR, whole, Const(32), dst=self.code.register(high))

    def _exclusive_pair(self, mnemonic: Token, m: re.Match[str], t: Tokens) -> None:
        if (m["kind"] == "LD") != (m["order"] in ("", "A")) and m["order"]:
            self.unknown(mnemonic, t)
        if m["kind"] == "LD":
            first = self.named(t)
            self.comma(t)
            second = self.named(t)
            self._words(mnemonic, t, first)
            self.comma(t)
            whole, mode = self.code.scratch(), Mode.ACQ if m["order"] else Mode.RLX
            self._accessed(t, lambda a: self.code.load(whole, a, 8, mode=mode, exclusive=True))
            self._split(whole, first.name, second.name)
            return
        status, _ = self._target(t)
        self.comma(t)
        self._words(mnemonic, t, self.naming(t.token.text) or RegisterName("", 32))
        low, _ = self._source(t)
        value = self._joined(low, self._next_source(t)[0])
        self.comma(t)
        release = Mode.REL if m["order"] else Mode.RLX
        self._accessed(t, lambda a: self.code.move(status, self.code.store_conditional(a, value, 8, release)))

    def _swap_pair(self, mnemonic: Token, m: re.Match[str], t: Tokens) -> None:
        names = [self.named(t)]
        for _ in range(3):
            self.comma(t)
            names.append(self.named(t))
        self._words(mnemonic, t, names[0])
        self.comma(t)
        values = [ZERO if n.name == _ZERO_REGISTER else self.code.register(n.name) for n in names]
        expected, desired = self._joined(values[0], values[1]), self._joined(values[2], values[3])
        old = self.code.scratch()
        self._accessed(t, lambda a: self._swapped(old, a, expected, desired, 8, _RMW_MODE[m["order"]]))
        self._split(old, names[0].name, names[1].name)

    def _atomic(self, m: re.Match[str], t: Tokens) -> None:
        value, width = self._source(t)
        dst = None
        if m["kind"] == "LD":
            self.comma(t)
            dst = self._old(t)
        self.comma(t)
        size = _size(m["size"], width)
        if m["op"] == "CLR":
            value = self.code.compute(Op.XOR, value, Const(-1))
        mode = _without_target(_RMW_MODE[m["order"]], dst)
        self._accessed(t, lambda a: self.code.add(Rmw(dst, a, value, _ATOMIC_OP[m["op"]], size, mode, _tag(dst))))

    def _old(self, t: Tokens) -> Reg | None:
        name = self.named(t).name
        return None if name == _ZERO_REGISTER else self.code.register(name)

    def _swap(self, m: re.Match[str], t: Tokens) -> None:
        if m["kind"] == "CAS":
            self._compare_and_swap(m, t)
            return
        value, width = self._source(t)
        self.comma(t)
        dst = self._old(t)
        self.comma(t)
        mode, size = _without_target(_RMW_MODE[m["order"]], dst), _size(m["size"], width)
        self._accessed(t, lambda a: self.code.add(Rmw(dst, a, value, RmwOp.XCHG, size, mode, _tag(dst))))

    def _compare_and_swap(self, m: re.Match[str], t: Tokens) -> None:
        expected = self.named(t)
        desired, width = self._next_source(t)
        self.comma(t)
        zero = expected.name == _ZERO_REGISTER
        old = None if zero else self.code.register(expected.name)
        mode, size = _without_target(_RMW_MODE[m["order"]], old), _size(m["size"], width)
        self._accessed(t, lambda a: self._swapped(old, a, old or ZERO, desired, size, mode))

    def _swapped(
        self, old: Reg | None, address: Operand, expected: Operand, desired: Operand, size: int, mode: Mode
    ) -> None:
        """In either of the two ways that the architecture leaves open."""
        failure = Mode.ACQ if mode.acquires else Mode.RLX
        cas = Cas(old, None, address, expected, desired, size, mode, failure, tag=_tag(old))
        self.code.either(cas, replace(cas, alternative=True))

    def _barrier(self, name: str, t: Tokens) -> None:
        token = t.name("SY, LD, ST or one of their domains")
        kind = _BARRIER.get(token.text.upper())
        if kind is None:
            t.fail(", ".join(_BARRIER), token=token)
        self.code.add(Fence(FenceKind[f"{name}_{kind}"]))

    # --- control

    def _control(self, mnemonic: Token, name: str, t: Tokens) -> None:
        if name in ("B", "B.AL", "BAL"):
            self.code.jump(t.name("a label"))
        elif (name.startswith("B.") and name[2:] in _CONDITION) or (name[:1] == "B" and name[1:] in _CONDITION):
            self.code.branch(decide(self.code, _FLAGS, _CONDITION[name.removeprefix("B").removeprefix(".")]),
                             t.name("a label"))  # fmt: skip
        elif name in ("CBZ", "CBNZ"):
            value, width = self._source(t)
            self.comma(t)
            test = self.code.compute(Op.EQ if name == "CBZ" else Op.NE, value, ZERO, width=width)
            self.code.branch(test, t.name("a label"))
        elif name in ("TBZ", "TBNZ"):
            self._test_bit(name, t)
        elif name == "RET":
            self.code.add(Return())
        elif name in _HINTS:
            while not t.done:
                t.next()
        else:
            self._arithmetic(mnemonic, name, t)

    def _test_bit(self, name: str, t: Tokens) -> None:
        value, _ = self._source(t)
        self.comma(t)
        bit = self.code.compute(Op.AND, value, constant(1 << (self._number(t) & 63)))
        self.comma(t)
        test = self.code.compute(Op.EQ if name == "TBZ" else Op.NE, bit, ZERO)
        self.code.branch(test, t.name("a label"))

    # --- registers

    def _arithmetic(self, mnemonic: Token, name: str, t: Tokens) -> None:
        plain = _FLAGGED.get(name, name)
        if plain in _ALU or plain in _INVERTED:
            self._three(plain, t, flags=name in _FLAGGED)
        elif name in ("MOV", "MVN", "NEG", "MOVZ", "MOVN", "MOVK"):
            self._move(name, t)
        elif name in ("CMP", "CMN", "TST"):
            self._compare(name, t)
        elif name in _SELECT or name in ("CSET", "CSETM", *_CHANGES):
            self._select(name, t)
        elif name in ("UBFX", "SBFX", "UBFM", "SBFM"):
            self._extract(name, t)
        elif name in ("MADD", "MSUB"):
            self._multiply_add(name, t)
        elif name == "ROR":
            self._rotate(t)
        elif name in _EXTEND:
            dst, width = self._target(t)
            bits, signed = _EXTEND[name]
            self.code.compute(Op.SEXT if signed else Op.MOV, self._next_source(t)[0], width=bits, dst=dst)
            self.code.move(dst, dst, width)
        else:
            self.unknown(mnemonic, t)

    def _extract(self, name: str, t: Tokens) -> None:
        dst, width = self._target(t)
        source, _ = self._next_source(t)
        self.comma(t)
        low = self._number(t)
        self.comma(t)
        bits, left = self._number(t), 0
        if name.endswith("M"):  # the last bit, and not how many; a first bit behind it moves them up
            low, bits, left = (low, bits - low + 1, 0) if bits >= low else (0, bits + 1, width - low)
        shifted = self.code.compute(Op.LSHR, source, Const(low), width=width)
        up = self.code.compute(Op.SHL, shifted, Const(width - bits), width=width)
        down = Op.LSHR if name.startswith("U") else Op.ASHR
        self.code.compute(down, up, Const(width - bits - left), width=width, dst=dst)

    def _multiply_add(self, name: str, t: Tokens) -> None:
        dst, width = self._target(t)
        a, b, c = (self._next_source(t)[0] for _ in range(3))
        product = self.code.compute(Op.MUL, a, b, width=width)
        self.code.compute(Op.ADD if name == "MADD" else Op.SUB, c, product, width=width, dst=dst)

    def _rotate(self, t: Tokens) -> None:
        dst, width = self._target(t)
        value, _ = self._next_source(t)
        self.comma(t)
        right = self.code.compute(Op.AND, self._flexible(t, width), Const(width - 1))
        left = self.code.compute(Op.AND, self.code.compute(Op.SUB, ZERO, right), Const(width - 1))
        low = self.code.compute(Op.LSHR, self.code.compute(Op.MOV, value, width=width), right, width=width)
        self.code.compute(Op.OR, low, self.code.compute(Op.SHL, value, left, width=width), width=width, dst=dst)

    def _three(self, name: str, t: Tokens, *, flags: bool) -> None:
        dst, width = self._target(t)
        a, _ = self._next_source(t)
        self.comma(t)
        b = self._flexible(t, width)
        if name in _INVERTED:
            b = self.code.compute(Op.XOR, b, Const(-1))
        elif name in ("LSL", "LSR", "ASR"):
            b = self.code.compute(Op.AND, b, Const(width - 1))
        if flags:
            self._set_flags(name, a, b, width)
        self.code.compute(_INVERTED.get(name) or _ALU[name], a, b, width=width, dst=dst)

    def _set_flags(self, name: str, a: Operand, b: Operand, width: int) -> None:
        """Comparing a with b for a - b, with -b for a + b, the result with 0 for logic."""
        if name == "SUB":
            compare(self.code, _FLAGS, width, a, b)
        elif name == "ADD":
            compare(self.code, _FLAGS, width, a, self.code.compute(Op.SUB, ZERO, b, width=width))
        else:
            compare(self.code, _FLAGS, width, self.code.compute(Op.AND, a, b, width=width), ZERO)

    def _compare(self, name: str, t: Tokens) -> None:
        a, width = self._source(t)
        self.comma(t)
        self._set_flags({"CMP": "SUB", "CMN": "ADD", "TST": "AND"}[name], a, self._flexible(t, width), width)

    def _move(self, name: str, t: Tokens) -> None:
        dst, width = self._target(t)
        self.comma(t)
        if name in ("MOVZ", "MOVN", "MOVK"):
            self._wide(name, dst, width, t)
            return
        value = self._flexible(t, width)
        match name:
            case "MOV":
                self.code.move(dst, value, width)
            case "MVN":
                self.code.compute(Op.XOR, value, Const(-1), width=width, dst=dst)
            case "NEG":
                self.code.compute(Op.SUB, ZERO, value, width=width, dst=dst)

    def _wide(self, name: str, dst: Reg, width: int, t: Tokens) -> None:
        value, shift = self._number(t), 0
        if t.accept(","):
            if not t.accept("LSL", "lsl"):
                t.fail("LSL")
            shift = self._number(t)
        if name == "MOVK":
            kept = self.code.compute(Op.AND, dst, constant(~(0xFFFF << shift)), width=width)
            self.code.compute(Op.OR, kept, constant(value << shift), width=width, dst=dst)
        else:
            number = ~(value << shift) if name == "MOVN" else value << shift
            self.code.move(dst, constant(number), width)

    def _select(self, name: str, t: Tokens) -> None:
        dst, width = self._target(t)
        sources = [
            self._next_source(t)[0] for _ in range({"CSET": 0, "CSETM": 0}.get(name, 1 if name in _CHANGES else 2))
        ]
        self.comma(t)
        token = t.name("a condition such as EQ")
        if token.text.upper() not in _CONDITION:
            t.fail(", ".join(_CONDITION), token=token)
        taken = decide(self.code, _FLAGS, _CONDITION[token.text.upper()])
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


def _size(suffix: str, width: int) -> int:
    return _SIZE.get(suffix, width // 8)


def _load_exists(m: re.Match[str]) -> bool:
    """LDRSW and LDURSW exist, LDRW and LDARSB do not; acquire and exclusive forms have no unscaled twin but LDAPUR."""
    if m["size"] == "W" or m["sign"]:
        return bool(m["sign"]) and bool(m["size"]) and m["order"] in ("", "AP")
    return not m["unscaled"] or m["order"] in ("", "AP")


def _pair_exists(m: re.Match[str], name: str) -> bool:
    return not m["order"] or m["order"] == "N" or name in ("LDIAPP", "STILP")


def _store_exists(m: re.Match[str]) -> bool:
    return m["order"] != "LL" or not m["unscaled"]


def _tag(dst: Reg | None) -> Tag:
    return Tag.NORETURN if dst is None else Tag.NONE


def _without_target(mode: Mode, dst: Reg | None) -> Mode:
    """An atomic whose result goes to the zero register does not acquire."""
    if dst is not None:
        return mode
    return {Mode.ACQ: Mode.RLX, Mode.ACQ_REL: Mode.REL}.get(mode, mode)
