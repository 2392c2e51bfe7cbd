"""x86 instructions in inline assembly, in AT&T's order: `op source, destination`. An access of assembly is one that no
compiler splits or repeats: a relaxed one. What the bus locks is sequentially consistent."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import ONE, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.inline import Place, Template, place_of
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import Mode, Op, RmwOp
from fencepost.program.operands import Operand, Reg

_BITS = {"b": 8, "w": 16, "l": 32, "q": 64}
_UPDATES = {"add": RmwOp.ADD, "sub": RmwOp.SUB, "and": RmwOp.AND, "or": RmwOp.OR, "xor": RmwOp.XOR}
_OPS = {"add": Op.ADD, "sub": Op.SUB, "and": Op.AND, "or": Op.OR, "xor": Op.XOR}
_STEPS = {"inc": RmwOp.ADD, "dec": RmwOp.SUB}
_FORM = re.compile(r"(mov|xchg|xadd|cmpxchg|add|sub|and|or|xor|inc|dec)([bwlq]?)\Z")
_ZERO_FLAG = {"setz": True, "sete": True, "setnz": False, "setne": False}


class X86:
    """Runs through the instructions of one template. `zero` is the zero flag, where a compare-exchange has set it."""

    def __init__(self, b: Body, template: Template) -> None:
        self.b, self.template = b, template
        self.zero: Reg | None = None

    def run(self, line: str, *, locked: bool) -> bool:
        """Translates one instruction; False where it is not known."""
        word, _, rest = line.partition(" ")
        operands = [o.strip() for o in rest.split(",")] if rest else []
        if word in _ZERO_FLAG and self.zero is not None and len(operands) == 1:
            value = self.zero if _ZERO_FLAG[word] else self.b.compute(Op.XOR, self.zero, ONE)
            return self._write(self._place(operands[0]), value, 8)
        found = _FORM.match(word)
        if found is None:
            return False
        name, suffix = found.groups()
        if name in _STEPS:
            return len(operands) == 1 and self._update(_STEPS[name], ONE, operands[0], suffix, locked=locked)
        if len(operands) != 2:
            return False
        source, target = operands
        if name in _UPDATES:
            place = self._place(target)
            bits = self._bits(suffix, place)
            if place is not None and place.address is None and place.value in self.template.written and not locked:
                assert place.value is not None, "what is written is a register"
                result = self.b.compute(_OPS[name], place.value, self._read(source, bits), width=bits)
                return self._write(place, result, bits)
            return self._update(_UPDATES[name], self._read(source, bits), target, suffix, locked=locked)
        return self._two(name, suffix, source, target, locked=locked)

    def _two(self, name: str, suffix: str, source: str, target: str, *, locked: bool) -> bool:
        to, other = self._place(target), self._place(source)
        if name == "mov":
            bits = self._bits(suffix, to, other)
            return self._write(to, self._read(source, bits), bits)
        if name == "xchg" and to is not None and to.address is None:
            to, other = other, to
        if to is None or to.address is None:
            return False
        bits = self._bits(suffix, to, other)
        if name == "cmpxchg":
            return self._compare_exchange(to.address, source, bits, locked=locked)
        if other is None or other.value not in self.template.written or (name == "xadd" and not locked):
            return False
        assert other.value is not None, "what is written is a register"
        old = self.b.fresh("old")
        op = RmwOp.XCHG if name == "xchg" else RmwOp.ADD
        self.b.emit(ins.Rmw(old, to.address, other.value, op, bits // 8, Mode.SC))
        self.b.move(other.value, old)
        return True

    def _compare_exchange(self, address: Operand, source: str, bits: int, *, locked: bool) -> bool:
        held = self.template.named("ax")
        if held is None or held.value is None or held.value not in self.template.written or not locked:
            return False
        old, self.zero = self.b.fresh("old"), self.b.fresh("zero flag")
        desired = self._read(source, bits)
        self.b.emit(ins.Cas(old, self.zero, address, held.value, desired, bits // 8, Mode.SC, Mode.SC))
        self.b.move(held.value, old)
        return True

    def _update(self, op: RmwOp, value: Operand, target: str, suffix: str, *, locked: bool) -> bool:
        place = self._place(target)
        if place is None or place.address is None or not locked:
            return False
        bits = self._bits(suffix, place)
        self.b.emit(ins.Rmw(None, place.address, value, op, bits // 8, Mode.SC))
        self.zero = None
        return True

    # --- operands

    def _place(self, text: str) -> Place | None:
        return place_of(self.template, text)

    def _bits(self, suffix: str, *places: Place | None) -> int:
        return _BITS[suffix] if suffix else next((p.bits for p in places if p is not None), 64)

    def _read(self, text: str, bits: int) -> Operand:
        if (literal := re.fullmatch(r"\$\$(-?\w+)", text)) is not None:
            return number(int(literal.group(1), 0), bits)
        place = self._place(text)
        if place is None:
            raise Unsupported(f'the operand "{text}" of inline assembly')
        if place.address is None:
            if place.value is None or place.value not in self.template.written:
                raise Unsupported(f'the operand "{text}" of inline assembly, which has no value')
            return self.b.truncate(place.value, bits)
        found = self.b.fresh("asm")
        self.b.emit(ins.Load(found, place.address, bits // 8, Mode.RLX))
        return found

    def _write(self, place: Place | None, value: Operand, bits: int) -> bool:
        if place is None:
            return False
        if place.address is not None:
            self.b.emit(ins.Store(place.address, value, bits // 8, Mode.RLX))
        elif place.value is not None:
            self.b.move(place.value, self.b.truncate(value, bits))
            self.template.written.add(place.value)
        return True
