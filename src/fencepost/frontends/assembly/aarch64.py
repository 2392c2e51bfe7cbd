"""AArch64: loads and stores of every size, exclusives, LSE atomics, acquire and release, barriers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from fencepost.frontends.assembly.aarch64_registers import ZERO_REGISTER, Registers
from fencepost.frontends.assembly.code import ZERO, constant
from fencepost.frontends.assembly.dialect import RegisterName
from fencepost.frontends.assembly.flags import CONDITIONS
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Cas, Fence, FenceKind, Mode, Op, Return, Rmw, RmwOp, Tag
from fencepost.program.operands import Const, Operand, Reg

_SIZE = {"B": 1, "H": 2}
_LOAD = re.compile(r"LD(?P<order>A|AP|AX|X|LA|)(?P<unscaled>U?)R(?P<sign>S?)(?P<size>[BHW]?)\Z")
_STORE = re.compile(r"ST(?P<order>L|LL|)(?P<unscaled>U?)R(?P<size>[BH]?)\Z")
_CONDITIONAL = re.compile(r"ST(?P<order>L?)XR(?P<size>[BH]?)\Z")
_PAIR = re.compile(r"(?P<kind>LD|ST)(?P<order>N|IA|IL|)P?P(?P<sign>(?:SW)?)\Z")
_EXCLUSIVE_PAIR = re.compile(r"(?P<kind>LD|ST)(?P<order>[AL]?)XP\Z")
_SWAP_PAIR = re.compile(r"CASP(?P<order>A?L?)\Z")
_HINTS = ("NOP", "YIELD", "WFE", "WFI", "SEV", "SEVL", "PRFM", "BTI", "HINT", "CSDB", "SSBB", "PSSBB")
_ATOMIC = re.compile(
    r"(?P<kind>LD|ST)(?P<op>ADD|CLR|EOR|SET|SMAX|SMIN|UMAX|UMIN)(?P<order>A?L?)(?P<size>[BH]?)\Z"
)  # fmt: skip
_SWAP = re.compile(r"(?P<kind>SWP|CAS)(?P<order>A?L?)(?P<size>[BH]?)\Z")
_ATOMIC_OP = {"ADD": RmwOp.ADD, "CLR": RmwOp.AND, "EOR": RmwOp.XOR, "SET": RmwOp.OR, "SMAX": RmwOp.MAX,
              "SMIN": RmwOp.MIN, "UMAX": RmwOp.UMAX, "UMIN": RmwOp.UMIN}  # fmt: skip
_LOAD_MODE = {"": Mode.RLX, "X": Mode.RLX, "A": Mode.ACQ, "LA": Mode.ACQ, "AX": Mode.ACQ,
              "AP": Mode.ACQ_PC}  # fmt: skip
_RMW_MODE = {"": Mode.RLX, "A": Mode.ACQ, "L": Mode.REL, "AL": Mode.ACQ_REL}
_BARRIER = {"SY": "SY", "ISH": "SY", "OSH": "SY", "NSH": "SY", "LD": "LD", "ISHLD": "LD", "OSHLD": "LD", "NSHLD": "LD",
            "ST": "ST", "ISHST": "ST", "OSHST": "ST", "NSHST": "ST"}  # fmt: skip


class AArch64(Registers):
    """Memory and control; what works on registers is in aarch64_registers."""

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

    def _accessed(self, t: Tokens, access: Callable[[Operand], None]) -> None:
        """Reads `[X1]`, `[X1,#4]`, `[X1,W2,SXTW]`, `[X1,#4]!` or `[X1],#4`, runs the access, writes back."""
        t.expect("[")
        base, _ = self.source(t)
        offset: Operand = ZERO
        if t.accept(","):
            offset = self.flexible(t, 64)
        t.expect("]")
        if t.accept("!") and isinstance(base, Reg):
            self.code.compute(Op.ADD, base, offset, dst=base)
            access(base)
            return
        access(self.code.offset(base, offset))
        if t.accept(",") and isinstance(base, Reg):
            self.code.compute(Op.ADD, base, constant(self.number(t)), dst=base)

    # --- memory

    def _load(self, m: re.Match[str], t: Tokens) -> None:
        dst, width = self.target(t)
        self.comma(t)
        if t.accept("="):
            self.code.move(dst, self.code.location(t.name("a location")))
            return
        size = 4 if m["size"] == "W" else _size(m["size"], width)
        mode, exclusive = _LOAD_MODE[m["order"]], m["order"].endswith("X")
        signed = width if m["sign"] else 0
        self._accessed(t, lambda a: self.code.load(dst, a, size, mode=mode, exclusive=exclusive, signed=signed))

    def _store(self, m: re.Match[str], t: Tokens) -> None:
        value, width = self.source(t)
        self.comma(t)
        size, mode = _size(m["size"], width), Mode.REL if m["order"] else Mode.RLX
        self._accessed(t, lambda a: self.code.store(a, value, size, mode))

    def _conditional(self, m: re.Match[str], t: Tokens) -> None:
        status, _ = self.target(t)
        value, width = self.next_source(t)
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
            targets = [self.target(t)]
            self.comma(t)
            targets.append(self.target(t))
            size = 4 if m["sign"] else targets[0][1] // 8
            signed = 64 if m["sign"] else 0

            def access(address: Operand) -> None:
                second = self.code.offset(address, Const(size))  # first: a target may be the base
                self.code.load(targets[0][0], address, size, mode=mode, signed=signed)
                self.code.load(targets[1][0], second, size, mode=mode, signed=signed)
        else:
            values = [self.source(t), self.next_source(t)]
            size = values[0][1] // 8
            first, second = (1, 0) if m["order"] == "IL" and t.list[-2].text == "!" else (0, 1)  # as a stack grows

            def access(address: Operand) -> None:
                places = (address, self.code.offset(address, Const(size)))
                self.code.store(places[first], values[first][0], size, mode)
                self.code.store(places[second], values[second][0], size, mode)

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
        if low != ZERO_REGISTER:
            self.code.move(self.code.register(low), whole, 32)
        if high != ZERO_REGISTER:
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
        status, _ = self.target(t)
        self.comma(t)
        self._words(mnemonic, t, self.naming(t.token.text) or RegisterName("", 32))
        low, _ = self.source(t)
        value = self._joined(low, self.next_source(t)[0])
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
        values = [ZERO if n.name == ZERO_REGISTER else self.code.register(n.name) for n in names]
        expected, desired = self._joined(values[0], values[1]), self._joined(values[2], values[3])
        old = self.code.scratch()
        self._accessed(t, lambda a: self._swapped(old, a, expected, desired, 8, _RMW_MODE[m["order"]]))
        self._split(old, names[0].name, names[1].name)

    def _atomic(self, m: re.Match[str], t: Tokens) -> None:
        value, width = self.source(t)
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
        return None if name == ZERO_REGISTER else self.code.register(name)

    def _swap(self, m: re.Match[str], t: Tokens) -> None:
        if m["kind"] == "CAS":
            self._compare_and_swap(m, t)
            return
        value, width = self.source(t)
        self.comma(t)
        dst = self._old(t)
        self.comma(t)
        mode, size = _without_target(_RMW_MODE[m["order"]], dst), _size(m["size"], width)
        self._accessed(t, lambda a: self.code.add(Rmw(dst, a, value, RmwOp.XCHG, size, mode, _tag(dst))))

    def _compare_and_swap(self, m: re.Match[str], t: Tokens) -> None:
        expected = self.named(t)
        desired, width = self.next_source(t)
        self.comma(t)
        zero = expected.name == ZERO_REGISTER
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
            self.code.jump(self.label(t))
        elif name[:1] == "B" and (condition := name[1:].removeprefix(".")) in CONDITIONS:
            self.code.branch(self.flags.decide(condition), self.label(t))
        elif name in ("CBZ", "CBNZ"):
            value, width = self.source(t)
            self.comma(t)
            test = self.code.compute(Op.EQ if name == "CBZ" else Op.NE, value, ZERO, width=width)
            self.code.branch(test, self.label(t))
        elif name in ("TBZ", "TBNZ"):
            self._test_bit(name, t)
        elif name == "RET":
            self.code.add(Return())
        elif name in _HINTS:
            while not t.done:
                t.next()
        else:
            self.arithmetic(mnemonic, name, t)

    def _test_bit(self, name: str, t: Tokens) -> None:
        value, _ = self.source(t)
        self.comma(t)
        bit = self.code.compute(Op.AND, value, constant(1 << (self.number(t) & 63)))
        self.comma(t)
        test = self.code.compute(Op.EQ if name == "TBZ" else Op.NE, bit, ZERO)
        self.code.branch(test, self.label(t))


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
