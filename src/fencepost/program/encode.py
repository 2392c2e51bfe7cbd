"""The compact encoding of a Program that the native core takes in one call: one array of 64-bit words, and strings.

`native/vm/decode.cpp` is its reader. Enumerations are numbered in the order of their definition here; the core
exports its own lists and a test holds the two equal.
"""

from __future__ import annotations

from array import array
from enum import Enum
from typing import Any

from fencepost.program import instructions as ins
from fencepost.program.condition import FinalRegister, Observable
from fencepost.program.instructions import INSTRUCTIONS, Instruction, Role, roles
from fencepost.program.layout import Layout, initial_bytes, lay_out
from fencepost.program.operands import ConstantOperand, Operand, Position, Reg
from fencepost.program.program import Arch, Object, Program
from fencepost.records import dataclass

MAGIC = 0x46454E4345  # "FENCE"
RECORD = 18
NO_REGISTER = -1
NO_OPERAND = -(1 << 62)
FLAGS = ("exclusive", "weak", "may_fail", "lock", "private", "zeroed", "process", "spin", "undoes", "copies", "check",
         "alternative", "picks", "noreturn", "barrier", "forgets", "unset",
         "by_new", "array", "ends")  # fmt: skip
_NUMBER: dict[type[Enum], dict[Any, int]] = {
    kind: {member: i for i, member in enumerate(kind)}
    for kind in (ins.Mode, ins.FenceKind, ins.Op, ins.RmwOp, ins.ErrorKind, ins.SyncOp)
}
_OPCODE = {kind: i for i, kind in enumerate(INSTRUCTIONS.values())}
#: The flags that instructions of a class may have, with their bits.
_FLAGS_OF = {kind: [(bit, n) for bit, n in enumerate(FLAGS) if hasattr(kind, n)] for kind in INSTRUCTIONS.values()}
#: The fields of a class that hold operands or targets.
_ROLES_OF: dict[type[Instruction], list[tuple[str, Role]]] = {
    kind: [(f.name, f.metadata["role"]) for f in roles(kind) if f.metadata["role"] is not Role.ATTRIBUTE]
    for kind in INSTRUCTIONS.values()
}


def _first_field(*names: str) -> dict[type[Instruction], str]:
    """By class, the first of these fields that it has."""
    found = {kind: next((n for n in names if hasattr(kind, n)), "") for kind in INSTRUCTIONS.values()}
    return {kind: name for kind, name in found.items() if name}


_SUBCODE_OF = _first_field("op", "kind", "loop")
_TEXT_OF = _first_field("message", "format", "name")
_NORETURN, _PICKS = (1 << FLAGS.index(name) for name in ("noreturn", "picks"))


@dataclass(frozen=True, slots=True)
class Encoded:
    """`words` and `strings` go to the core; `positions` and `layout` stay here to name what comes back."""

    words: bytes
    strings: list[str]
    positions: list[Position | None]
    layout: Layout


def encode(program: Program) -> Encoded:
    return _Encoder(program).encode()


class _Encoder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = lay_out(program)
        self.strings: dict[str, int] = {"": 0}  # the core takes string 0 for none
        self.positions: dict[Position | None, int] = {None: 0}
        self.constants: dict[int, int] = {}
        self.extra: list[int] = []
        self.function_index = {f.name: i for i, f in enumerate(program.functions)}

    def encode(self) -> Encoded:
        p = self.program
        functions: list[int] = []
        code: list[int] = []
        for f in p.functions:
            start = len(code) // RECORD
            for instruction in f.code:
                code += self.instruction(instruction)
            functions += [
                self.string(f.name), len(f.registers), f.parameters, start, len(f.code), int(f.variadic),
                self.position(f.at),
            ]  # fmt: skip
        objects = [word for o in sorted(p.objects, key=self.address) for word in self.object(o)]
        threads = [word for t in p.threads for word in (
            self.string(t.name), self.function_index[t.function], len(self.extra), self.push_args(t.args),
        )]  # fmt: skip
        observations = [word for o in p.observations for word in self.observation(o.what)]
        init = _flat(initial_bytes(p, self.layout))
        local = _flat(initial_bytes(p, self.layout, thread_local=True))
        sections = (objects, functions, threads, observations, init, local, list(self.constants), self.extra, code,
                    sorted(p.cuts))  # fmt: skip
        words = array("q", [MAGIC, len(sections)])
        for section in sections:
            words.append(len(section))
            words.extend(_fitting(section))
        return Encoded(words.tobytes(), list(self.strings), list(self.positions), self.layout)

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def position(self, at: Position | None) -> int:
        return self.positions.setdefault(at, len(self.positions))

    def address(self, o: Object) -> int:
        return (self.layout.thread_locals if o.thread_local else self.layout.globals)[o.name]

    def object(self, o: Object) -> list[int]:
        return [self.string(o.name), self.address(o), o.size, int(o.thread_local), int(o.constant)]

    def observation(self, what: Observable) -> list[int]:
        if isinstance(what, FinalRegister):
            index = next(i for i, t in enumerate(self.program.threads) if t.name == what.thread)
            function = self.program.function(self.program.threads[index].function)
            return [0, index, function.registers.index(what.register)]
        return [1, self.layout.globals[what.object] + what.offset, what.size]

    def push_args(self, args: tuple[ConstantOperand, ...]) -> int:
        self.extra += [self.operand(a) for a in args]
        return len(args)

    def operand(self, operand: Operand | None) -> int:
        """Registers as their index, constants as the complement of their index in the pool."""
        if operand is None:
            return NO_OPERAND
        if isinstance(operand, Reg):
            return operand.index
        return ~self.constants.setdefault(self.layout.value(operand), len(self.constants))

    def instruction(self, i: Instruction) -> list[int]:
        """opcode, dst, dst2, width or size, subcode, mode, failure mode, flags, 4 operands, extra start and count,
        2 targets, string, position. A wait that was a loop has the position of that in the place of the string."""
        defined = [NO_REGISTER, NO_REGISTER]
        uses = [NO_OPERAND] * 4
        targets = [0, 0]
        lists: list[int] = []
        defines = used = jumps = 0
        for name, role in _ROLES_OF[type(i)]:
            value = getattr(i, name)
            if role is Role.DEFINE:
                defined[defines] = NO_REGISTER if value is None else value.index
                defines += 1
            elif role is Role.USE:
                uses[used] = self.operand(value)
                used += 1
            elif role is Role.TARGET:
                targets[jumps] = value
                jumps += 1
            elif role is Role.USES:
                lists += [self.operand(o) for o in value]
            elif role is Role.TARGETS:
                lists += value
        start = len(self.extra)
        self.extra += lists
        return [
            _OPCODE[type(i)], *defined, self.size(i), self.subcode(i), self.number(getattr(i, "mode", None)),
            self.number(getattr(i, "failure", None)), self.flags(i), *uses, start, len(lists), *targets,
            self.text(i), self.position(i.at),
        ]  # fmt: skip

    def size(self, i: Instruction) -> int:
        if isinstance(i, ins.Alloca | ins.Malloc):
            return i.align
        value = getattr(i, "width", getattr(i, "size", 0))
        return value if isinstance(value, int) else 0

    def subcode(self, i: Instruction) -> int:
        if isinstance(i, ins.ThreadLocalAddress):
            return self.layout.thread_locals[i.object]
        value = getattr(i, _SUBCODE_OF.get(type(i), ""), 0)
        return value if isinstance(value, int) else self.number(value)

    def number(self, member: Enum | None) -> int:
        return 0 if member is None else _NUMBER[type(member)][member]

    def flags(self, i: Instruction) -> int:
        held = sum([1 << bit for bit, name in _FLAGS_OF[type(i)] if getattr(i, name)])
        if getattr(i, "tag", None) is ins.Tag.NORETURN:
            held |= _NORETURN
        if self.program.arch is Arch.AARCH64 and (isinstance(i, ins.Cas) or getattr(i, "op", None) is ins.Op.SELECT):
            held |= _PICKS
        return held

    def text(self, i: Instruction) -> int:
        if (loop := getattr(i, "spin", None)) is not None:
            return self.position(loop)
        return self.string(getattr(i, _TEXT_OF.get(type(i), ""), ""))


def _flat(content: dict[int, int]) -> list[int]:
    return [word for address, byte in sorted(content.items()) for word in (address, byte)]


def _fitting(section: list[int]) -> array[int]:
    """The words as 64 bits with a sign; few sections have one that does not fit as it is."""
    try:
        return array("q", section)
    except OverflowError:
        return array("q", [word - (1 << 64) if word >= 1 << 63 else word for word in section])


def enumerations() -> dict[str, list[str]]:
    """The names behind the numbers, in order, for the test that compares them with the core's."""
    found = {kind.__name__: [str(m.value) for m in kind] for kind in _NUMBER}
    return found | {"Opcode": list(INSTRUCTIONS), "Flag": list(FLAGS)}
