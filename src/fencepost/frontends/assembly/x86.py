"""x86, 32 and 64 bits. Both operand orders: `MOV [x],$1` (Intel's, as herd's X86) and `movl $1,(x)` (AT&T's)."""

from __future__ import annotations

import re
from typing import ClassVar, TypeAlias

from fencepost.frontends.assembly.code import ZERO, constant
from fencepost.frontends.assembly.counting import leading_zeros, population, trailing_zeros
from fencepost.frontends.assembly.dialect import Dialect, RegisterName
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import (
    AtomicBegin,
    AtomicEnd,
    Cas,
    Choose,
    Fence,
    FenceKind,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.program import Arch
from fencepost.records import dataclass

_LEGACY = re.compile(r"(?P<wide>[RE]?)(?P<base>[ABCD]X|SI|DI|BP|SP)\Z|(?P<byte>[ABCD])L\Z")
_NEW = re.compile(r"(?P<base>R(?:[89]|1[0-5]))(?P<size>[DWB]?)\Z")
_SUFFIX = {"B": 1, "W": 2, "L": 4, "Q": 8}
_POINTED = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8}
_FENCE = {"MFENCE": FenceKind.MFENCE, "LFENCE": FenceKind.LFENCE, "SFENCE": FenceKind.SFENCE}
_ALU = {"ADD": Op.ADD, "SUB": Op.SUB, "AND": Op.AND, "OR": Op.OR, "XOR": Op.XOR, "IMUL": Op.MUL, "SHL": Op.SHL,
        "SHR": Op.LSHR, "SAR": Op.ASHR}  # fmt: skip
_LOCKED = {"ADD": RmwOp.ADD, "SUB": RmwOp.SUB, "AND": RmwOp.AND, "OR": RmwOp.OR, "XOR": RmwOp.XOR}
_ONE_OPERAND = {"INC": (Op.ADD, 1), "DEC": (Op.SUB, 1), "NOT": (Op.XOR, -1), "NEG": (Op.SUB, 0)}
_EXTENSION = re.compile(r"MOV(?P<sign>[SZ])(?:XD?|(?P<from>[BWL])(?P<to>[WLQ]))\Z")
#: Conditions that hold where another one does not.
_OPPOSITE = {"NE": "E", "NZ": "E", "NS": "S", "GE": "L", "NL": "L", "G": "LE", "NLE": "LE", "AE": "B", "NB": "B",
             "NC": "B", "A": "BE", "NBE": "BE"}  # fmt: skip
_CONDITIONS = frozenset({"E", "Z", "S", "L", "NGE", "LE", "NG", "B", "C", "NAE", "BE", "NA", *_OPPOSITE})
_SCANS = frozenset({"BSR", "BSF", "LZCNT", "TZCNT", "POPCNT"})
_BIT_TESTS = {"BT": None, "BTS": RmwOp.OR, "BTR": RmwOp.AND, "BTC": RmwOp.XOR}
_CLOCKS = {"RDTSC": ("AX", "DX"), "RDTSCP": ("AX", "DX", "CX")}
_TWO_OPERANDS = {*_ALU, *_SCANS, *_BIT_TESTS, "MOV", "XCHG", "CMP", "TEST", "XADD", "CMPXCHG", "LEA"}
_KNOWN = {*_TWO_OPERANDS, *_ONE_OPERAND}
_LOCKABLE = {*_LOCKED, *_ONE_OPERAND, "BTS", "BTR", "BTC", "XADD", "CMPXCHG", "XCHG"}


@dataclass(frozen=True, slots=True)
class Immediate:
    value: Operand


@dataclass(frozen=True, slots=True)
class Memory:
    address: Operand
    size: int | None


@dataclass(frozen=True, slots=True)
class Register:
    reg: Reg
    size: int


Argument: TypeAlias = Immediate | Memory | Register


class X86(Dialect):
    arch: ClassVar[Arch] = Arch.X86
    bytes: ClassVar[int] = 0
    wide: ClassVar[bool] = False

    @classmethod
    def naming(cls, name: str) -> RegisterName | None:
        name = name.upper()
        prefix = "R" if cls.wide else "E"
        if m := _LEGACY.match(name):
            if m["byte"]:
                return RegisterName(f"{prefix}{m['byte']}X", 8)
            shown = name.lower() if m["wide"] == "R" else ""
            return RegisterName(prefix + m["base"], {"R": 64, "E": 32, "": 16}[m["wide"]], shown)
        if m := _NEW.match(name):
            shown = "" if m["size"] else name.lower()
            return RegisterName(m["base"], {"": 64, "D": 32, "W": 16, "B": 8}[m["size"]], shown)
        return None

    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        name = mnemonic.text.upper()
        locked = name == "LOCK"
        if locked:
            t.accept(";")
            mnemonic = t.name("an instruction after lock")
            name = mnemonic.text.upper()
        if name in _FENCE:
            self.code.add(Fence(_FENCE[name]))
        elif name == "CMPXCHG16B":
            self._exchange_pair(self._argument(t), locked, mnemonic, t)
        elif name in _CLOCKS:
            for base in _CLOCKS[name]:  # nobody knows the time
                register = self.code.register(("R" if self.wide else "E") + base)
                self.code.add(Choose(register, ZERO, Const((1 << 32) - 1), True))
        elif name == "JMP":
            self.code.jump(self.label(t))
        elif name == "RET":
            self.code.add(Return())
        elif name.startswith("J") and (taken := self.condition(name[1:])) is not None:
            self.code.branch(taken, self.label(t))
        elif name.startswith("SET") and (found := self.condition(name[3:])) is not None:
            self._write(self._argument(t), found, 1)
        elif m := _EXTENSION.match(name):
            self._extend(m, t)
        elif name.startswith("CMOV") and (taken := self.condition(name[4:])) is not None:
            self._conditional_move(taken, t)
        elif name in ("NOPL", "NOPW"):
            t.index = len(t.list) - 1  # the operand is not accessed
        elif name not in ("NOP", "PAUSE", "ENDBR32", "ENDBR64"):
            self._operate(mnemonic, name, locked, t)

    # --- operands

    def _arguments(self, t: Tokens, suffixed: bool) -> list[Argument]:
        """In Intel's order, destination first."""
        att = any(k.text in ("%", "(") for k in t.list[t.index :])
        att |= suffixed and t.at("$")  # a number cannot be the destination
        att |= self.wide and suffixed and not any(k.text == "[" for k in t.list[t.index :])
        found = [self._argument(t)]
        while t.accept(","):
            found.append(self._argument(t))
        return found[::-1] if att else found

    def _argument(self, t: Tokens) -> Argument:
        if t.accept("$"):
            return Immediate(self.code.location(t.next()) if t.token.kind == "name" else constant(t.number()))
        if t.accept("["):
            return self._bracketed(t, None)
        if t.token.kind == "name" and t.token.text.upper() in _POINTED:
            size = _POINTED[t.next().text.upper()]
            t.accept("ptr", "PTR")
            t.expect("[")
            return self._bracketed(t, size)
        if t.token.kind == "number" or t.at("-", "+", "("):
            offset = 0 if t.at("(") else t.number()
            return self._displaced(t, Const(offset)) if t.at("(") else Immediate(constant(offset))
        t.accept("%")
        token = t.name("a register, a number or a location")
        register = self.naming(token.text)
        if register is not None:
            return Register(self.code.register(register.name), register.width // 8)
        where = self.code.location(token)
        return self._displaced(t, where) if t.at("(") else Memory(where, self._declared(where))

    def _declared(self, where: Operand) -> int | None:
        if not isinstance(where, GlobalAddress):
            return None
        scalar = self.code.state.locations[where.name].scalar
        return scalar.size if scalar else None

    def _bracketed(self, t: Tokens, size: int | None) -> Memory:
        """`[x]`, `[EAX]`, `[EAX+ECX*4+8]`, after the bracket."""
        address: Operand | None = None
        while True:
            part = self._part(t)
            address = part if address is None else self._sum(address, part)
            if not t.at("+", "-"):
                break
            if t.at("+"):
                t.next()
        t.expect("]")
        return Memory(address, size or self._declared(address))

    def _part(self, t: Tokens) -> Operand:
        if t.token.kind == "number" or t.at("-"):
            return Const(t.number())
        t.accept("%")
        token = t.name("a register, a number or a location")
        register = self.naming(token.text)
        if register is None:
            return self.code.location(token)
        reg = self.code.register(register.name)
        return self.code.compute(Op.MUL, reg, Const(t.number("a factor"))) if t.accept("*") else reg

    def _sum(self, a: Operand, b: Operand) -> Operand:
        if isinstance(a, GlobalAddress) and isinstance(b, Const):
            return GlobalAddress(a.name, a.offset + b.value)
        return self.code.offset(a, b)

    def _displaced(self, t: Tokens, base: Operand) -> Memory:
        """`4(%rax)`, `(x)`, `x(%rip)`, `(%rax,%rcx,4)`, at the parenthesis."""
        t.expect("(")
        address = base
        if t.at("%") and t.peek().text.lower() == "rip":
            t.next(), t.next()
        elif not t.at(","):
            address = self._sum(self._part(t), base)
        if t.accept(","):
            index = self._part(t)
            if t.accept(","):
                index = self.code.compute(Op.MUL, index, Const(t.number("1, 2, 4 or 8")))
            address = self.code.offset(address, index)
        t.expect(")")
        return Memory(address, self._declared(address))

    # --- reading and writing operands

    def _size(self, suffix: int | None, arguments: list[Argument]) -> int:
        """The suffix says it, else a register, else the type of the location, else an int."""
        registers = [a.size for a in arguments if isinstance(a, Register)]
        memory = [a.size for a in arguments if isinstance(a, Memory) and a.size]
        return suffix or next(iter(registers), None) or next(iter(memory), None) or 4

    def _read(self, argument: Argument, size: int) -> Operand:
        match argument:
            case Immediate(value):
                return value
            case Register(reg):
                return reg
            case Memory(address):
                dst = self.code.scratch()
                self.code.load(dst, address, size)
                return dst

    def _write(self, argument: Argument, value: Operand, size: int) -> None:
        match argument:
            case Memory(address):
                self.code.store(address, value, size)
            case Register(reg):
                self._set(reg, value, size)
            case Immediate():
                at = self.code.at
                assert at is not None, "an instruction should have a place"
                offset = self.code.source.starts[at.line - 1] + at.column - 1
                self.code.source.fail(offset, "found a number as the destination", "a register or memory")

    def _set(self, reg: Reg, value: Operand, size: int) -> None:
        """Writing 32 bits clears the upper half; writing 8 or 16 keeps the rest."""
        if size >= 4:
            self.code.move(reg, value, 8 * size)
            return
        low = self.code.compute(Op.MOV, value, width=8 * size)
        high = self.code.compute(Op.AND, reg, constant(-(1 << 8 * size)))
        self.code.compute(Op.OR, high, low, dst=reg)

    # --- instructions

    def _operate(self, mnemonic: Token, name: str, locked: bool, t: Tokens) -> None:
        suffix = None
        if name not in _KNOWN and name[:-1] in _KNOWN and name[-1] in _SUFFIX:
            name, suffix = name[:-1], _SUFFIX[name[-1]]
        if name not in _KNOWN or (locked and name not in _LOCKABLE):
            self.unknown(mnemonic, t)
        arguments = self._arguments(t, suffix is not None)
        wanted = 1 if name in _ONE_OPERAND else 2
        if len(arguments) != wanted:
            t.fail(f"{wanted} operand(s)")
        size = self._size(suffix, arguments)
        if name in _ONE_OPERAND:
            op, value = _ONE_OPERAND[name]
            if name == "NEG":
                self._negate(mnemonic, arguments[0], size, locked, t)
                return
            self._alu(op, arguments[0], Const(value), size, locked, carries=name == "NOT")
        else:
            self._two(name, arguments[0], arguments[1], size, locked)

    def _negate(self, mnemonic: Token, dst: Argument, size: int, locked: bool, t: Tokens) -> None:
        if locked:
            self.unknown(mnemonic, t)
        old = self._read(dst, size)
        result = self.code.compute(Op.SUB, ZERO, old, width=8 * size)
        self._flags(Op.SUB, ZERO, old, result, 8 * size)
        self._write(dst, result, size)

    def _extend(self, m: re.Match[str], t: Tokens) -> None:
        """`movzx eax,byte ptr [x]`, `movsbl (x),%eax`: a smaller source, extended."""
        arguments = self._arguments(t, m["from"] is not None)
        if len(arguments) != 2:
            t.fail("2 operands")
        dst, src = arguments
        small = _SUFFIX[m["from"]] if m["from"] else self._size(None, [src])
        value = self._read(src, small)
        extended = self.code.compute(Op.SEXT if m["sign"] == "S" else Op.MOV, value, width=8 * small)
        self._write(dst, extended, _SUFFIX[m["to"]] if m["to"] else self._size(None, [dst]))

    def _two(self, name: str, dst: Argument, src: Argument, size: int, locked: bool) -> None:
        match name:
            case "MOV":
                self._write(dst, self._read(src, size), size)
            case "LEA":
                assert isinstance(src, Memory), "lea should name memory"
                self._write(dst, src.address, size)
            case "CMP":
                self._compare(self._read(dst, size), self._read(src, size), 8 * size)
            case "TEST":
                result = self.code.compute(Op.AND, self._read(dst, size), self._read(src, size), width=8 * size)
                self._flags(Op.AND, result, ZERO, result, 8 * size)
            case "XCHG":
                self._exchange(dst, src, size)
            case "XADD":
                self._exchange_add(dst, src, size, locked)
            case "CMPXCHG":
                self._compare_exchange(dst, src, size, locked)
            case _ if name in _SCANS:
                self._scan(name, dst, self._read(src, size), size)
            case _ if name in _BIT_TESTS:
                self._test_bit(_BIT_TESTS[name], dst, src, size, locked)
            case _:
                self._alu(_ALU[name], dst, self._read(src, size), size, locked)

    def _alu(self, op: Op, dst: Argument, value: Operand, size: int, locked: bool, *, carries: bool = True) -> None:
        width = 8 * size
        if isinstance(dst, Memory) and locked:
            old = self.code.scratch()
            self.code.add(Rmw(old, dst.address, value, RmwOp[op.name], size, Mode.SC))
        else:
            old_operand = self._read(dst, size)
            result = self.code.compute(op, old_operand, value, width=width)
            self._flags(op, old_operand, value, result, width, carries=carries)
            self._write(dst, result, size)
            return
        result = self.code.compute(op, old, value, width=width)
        self._flags(op, old, value, result, width, carries=carries)

    def _scan(self, name: str, dst: Argument, value: Operand, size: int) -> None:
        """BSR and BSF leave their destination where there is no bit; the others count all bits then."""
        code, width = self.code, 8 * size
        value = code.compute(Op.MOV, value, width=width)
        none = code.compute(Op.EQ, value, ZERO)
        if name == "POPCNT":
            found = population(code, value)
        elif name in ("BSF", "TZCNT"):
            found = trailing_zeros(code, value, width)
        else:
            found = leading_zeros(code, value, width)
        if name in ("BSR", "BSF"):
            at = found if name == "BSF" else code.compute(Op.SUB, Const(width - 1), found, width=width)
            found = code.compute(Op.SELECT, none, self._read(dst, size), at, width=width)
        tested = found if name in ("LZCNT", "TZCNT") else value
        self._flags(Op.AND, tested, ZERO, tested, width)
        if name in ("LZCNT", "TZCNT"):
            code.move(code.register("flags.carry"), none)
        self._write(dst, found, size)

    def _test_bit(self, change: RmwOp | None, dst: Argument, src: Argument, size: int, locked: bool) -> None:
        """The bit goes into the carry. A register may name a bit beyond the operand in memory."""
        code, width = self.code, 8 * size
        number = self._read(src, size)
        if isinstance(dst, Memory) and isinstance(src, Register):
            words = code.compute(Op.ASHR, code.compute(Op.SEXT, number, width=width), Const(width.bit_length() - 1))
            dst = Memory(code.offset(dst.address, code.compute(Op.MUL, words, Const(size))), size)
        number = code.compute(Op.AND, number, Const(width - 1))
        bit = code.compute(Op.SHL, Const(1), number)
        mask = code.compute(Op.XOR, bit, Const(-1)) if change is RmwOp.AND else bit
        if isinstance(dst, Memory) and locked and change is not None:
            old: Operand = code.scratch()
            assert isinstance(old, Reg), "a scratch is a register"
            code.add(Rmw(old, dst.address, mask, change, size, Mode.SC))
        else:
            old = code.compute(Op.MOV, self._read(dst, size), width=width)
            if change is not None:
                self._write(dst, code.compute(Op[change.name], old, mask, width=width), size)
        carry = code.compute(Op.AND, code.compute(Op.LSHR, old, number), Const(1))
        code.move(code.register("flags.carry"), carry)

    # Four registers keep what the flags say: the result, two numbers whose order is that of less and greater, and the
    # carry. All of them keep the dependencies of what was computed.

    def _flags(
        self, op: Op, old: Operand, value: Operand, result: Operand, width: int, *, carries: bool = True
    ) -> None:
        code = self.code
        carry: Operand = ZERO
        left: Operand = result
        right: Operand = ZERO
        if op is Op.SUB:
            left, right = old, value
            carry = code.compute(Op.ULT, old, value, width=width)
        elif op is Op.ADD:
            left = old
            right = code.compute(Op.SUB, ZERO, code.compute(Op.SEXT, value, width=width))
            carry = code.compute(Op.ULT, result, value, width=width)
        code.compute(Op.SEXT, result, width=width, dst=code.register("flags.result"))
        code.compute(Op.SEXT, left, width=width, dst=code.register("flags.left"))
        if op is Op.ADD:
            code.move(code.register("flags.right"), right)
        else:
            code.compute(Op.SEXT, right, width=width, dst=code.register("flags.right"))
        if carries:
            code.move(code.register("flags.carry"), carry)

    def _compare(self, a: Operand, b: Operand, width: int) -> None:
        self._flags(Op.SUB, a, b, self.code.compute(Op.SUB, a, b, width=width), width)

    def condition(self, name: str) -> Reg | None:
        """Whether a condition such as NE or LE holds; None where there is none of that name."""
        return self._holds(name) if name in _CONDITIONS else None

    def _holds(self, name: str) -> Reg:
        code = self.code
        if name in _OPPOSITE:
            return code.compute(Op.XOR, self._holds(_OPPOSITE[name]), Const(1))
        match name:
            case "E" | "Z":
                return code.compute(Op.EQ, code.register("flags.result"), ZERO)
            case "S":
                return code.compute(Op.SLT, code.register("flags.result"), ZERO)
            case "L" | "NGE":
                return code.compute(Op.SLT, code.register("flags.left"), code.register("flags.right"))
            case "LE" | "NG":
                return code.compute(Op.OR, self._holds("L"), self._holds("E"))
            case "BE" | "NA":
                return code.compute(Op.OR, self._holds("B"), self._holds("E"))
        return code.compute(Op.MOV, code.register("flags.carry"))

    def _exchange(self, a: Argument, b: Argument, size: int) -> None:
        """With memory it is always atomic, with or without the prefix."""
        if isinstance(b, Memory):
            a, b = b, a
        new = self.code.compute(Op.MOV, self._read(b, size))
        if isinstance(a, Memory):
            old = self.code.scratch()
            self.code.add(Rmw(old, a.address, new, RmwOp.XCHG, size, Mode.SC))
        else:
            old = self.code.compute(Op.MOV, self._read(a, size))
            self._write(a, new, size)
        self._write(b, old, size)

    def _exchange_add(self, dst: Argument, src: Argument, size: int, locked: bool) -> None:
        if isinstance(src, Memory):
            dst, src = src, dst  # as in herd's tests: there is no such instruction with memory for a source
        value = self._read(src, size)
        if isinstance(dst, Memory) and locked:
            old = self.code.scratch()
            self.code.add(Rmw(old, dst.address, value, RmwOp.ADD, size, Mode.SC))
            result = self.code.compute(Op.ADD, old, value, width=8 * size)
        else:
            old = self.code.compute(Op.MOV, self._read(dst, size))
            result = self.code.compute(Op.ADD, old, value, width=8 * size)
            self._write(dst, result, size)
        self._flags(Op.ADD, old, value, result, 8 * size)
        self._write(src, old, size)

    def _compare_exchange(self, dst: Argument, src: Argument, size: int, locked: bool) -> None:
        """Compares the accumulator with the destination; without `lock` it is two accesses, not one."""
        if isinstance(src, Memory):
            dst, src = src, dst  # herd writes `cmpxchg (%rsi),%ebx`: there is no instruction with memory for a source
        accumulator = self.code.register("RAX" if self.wide else "EAX")
        desired = self._read(src, size)
        if isinstance(dst, Memory) and locked:
            old = self.code.scratch()
            self.code.add(Fence(FenceKind.MFENCE))  # it drains the buffer also where it fails and writes nothing
            self.code.add(Cas(old, None, dst.address, accumulator, desired, size, Mode.SC, Mode.SC))
            self._compare(accumulator, old, 8 * size)
        else:
            old = self.code.compute(Op.MOV, self._read(dst, size))
            self._compare(accumulator, old, 8 * size)
            equal = self._holds("E")
            self._write(dst, self.code.compute(Op.SELECT, equal, desired, old, width=8 * size), size)
        self._set(accumulator, old, size)

    def _exchange_pair(self, dst: Argument, locked: bool, mnemonic: Token, t: Tokens) -> None:
        """Sixteen bytes are two locations here. With `lock` nobody sees one of them without the other: a block, between
        two fences, since the buffer is drained before it and after it."""
        if not isinstance(dst, Memory) or not locked or not self.wide:
            self.unknown(mnemonic, t)
        code = self.code
        halves = [dst.address, code.offset(dst.address, Const(8))]
        expected, desired = ([code.register(r) for r in rs] for rs in (("RAX", "RDX"), ("RBX", "RCX")))
        end = code.fresh_label()
        code.add(Fence(FenceKind.MFENCE))
        code.add(AtomicBegin(wide=Mode.SC))
        old = [code.scratch(), code.scratch()]
        for half, register in zip(halves, old, strict=True):
            code.load(register, half, 8)
        same = [code.compute(Op.EQ, o, e) for o, e in zip(old, expected, strict=True)]
        equal = code.compute(Op.AND, *same)
        code.branch_unless(equal, end)
        for half, register in zip(halves, desired, strict=True):
            code.store(half, register, 8)
        code.label(end)
        code.add(AtomicEnd())
        code.add(Fence(FenceKind.MFENCE))
        for register, found in zip(expected, old, strict=True):
            code.move(register, found)
        code.compute(Op.XOR, equal, Const(1), dst=code.register("flags.result"))  # of all flags only this one changes

    def _conditional_move(self, taken: Reg, t: Tokens) -> None:
        arguments = self._arguments(t, False)
        if len(arguments) != 2:
            t.fail("2 operands")
        size = self._size(None, arguments)
        dst, src = self._read(arguments[0], size), self._read(arguments[1], size)
        self._write(arguments[0], self.code.compute(Op.SELECT, taken, src, dst, width=8 * size), size)


class X86_64(X86):  # noqa: N801 - the name of the architecture
    wide: ClassVar[bool] = True
