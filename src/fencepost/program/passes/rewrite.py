"""Replacing instructions of a function by sequences, with the jumps kept right; and what else passes need to do to
instructions without knowing them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from fencepost.program.instructions import INSTRUCTIONS, Compute, Instruction, Jump, Op, Return, Role, roles
from fencepost.program.operands import Const, Operand, Position, Reg
from fencepost.program.program import Function, Program
from fencepost.records import replace


def inside(offset: int) -> int:
    """A jump target inside an expansion: the instruction at `offset` of it (its length is what comes after it)."""
    return -1 - offset


class Registers:
    """The registers of a function while a pass adds some of its own."""

    def __init__(self, function: Function) -> None:
        self.names = list(function.registers)
        self._taken = set(self.names)

    def fresh(self, stem: str) -> Reg:
        """A new register named after `stem`, different from all others."""
        name, count = stem, 1
        while name in self._taken:
            name = f"{stem}'{count if count > 1 else ''}"
            count += 1
        self._taken.add(name)
        self.names.append(name)
        return Reg(len(self.names) - 1)


Expansion = Callable[[Instruction, Registers], Sequence[Instruction]]


def expand(function: Function, expansion: Expansion) -> Function:
    """The function with every instruction replaced by its expansion. Non-negative targets in an expansion are the
    old ones; `inside` makes targets within the expansion. Whoever jumped to an instruction jumps to the first of
    its expansion, or to what follows where it is empty."""
    registers = Registers(function)
    parts = {index: expansion(i, registers) for index, i in enumerate(function.code)}
    return rebuild(function, parts, registers)


def rebuild(
    function: Function,
    parts: Mapping[int, Sequence[Instruction]],
    registers: Registers | None = None,
    entry: Callable[[int, int], int] = lambda source, target: 0,
) -> Function:
    """As `expand`, for the instructions in `parts` only. A jump from old instruction `source` to old instruction
    `target` lands entry(source, target) instructions into the expansion of `target`."""
    sizes = (len(parts[i]) if i in parts else 1 for i in range(len(function.code)))
    starts = [0, *accumulate(sizes)]
    code: list[Instruction] = []
    for index, instruction in enumerate(function.code):

        def place(target: int, source: int = index) -> int:
            return starts[target] + entry(source, target) if target >= 0 else starts[source] - 1 - target

        code += [retarget(i, place) for i in parts.get(index, (instruction,))]
    names = function.registers if registers is None else tuple(registers.names)
    return replace(function, registers=names, code=tuple(code))


def inline(
    body: Function,
    args: Sequence[Operand],
    result: Reg | None,
    registers: Registers,
    at: Position | None = None,
    read_first: int = -1,
) -> list[Instruction]:
    """The expansion that runs `body` in place of a call: its registers become fresh ones, a return becomes a move to
    `result` and a jump behind the expansion. With `at`, everything inside stands at that position. `read_first`: the
    registers, as bits, that may be read before they are written, and so begin as 0."""
    own = [registers.fresh(f"{body.name}.{name}") for name in body.registers]
    zero = [n for n in range(body.parameters, len(own)) if read_first >> n & 1]
    given = [*enumerate(args[: body.parameters]), *((n, Const(0)) for n in zero)]
    code: list[Instruction] = [Compute(own[n], (v,), Op.MOV, at=at) for n, v in given]
    returned = result if result is not None else registers.fresh(f"{body.name}.unused")
    shapes = [2 if isinstance(i, Return) else 1 for i in body.code]
    starts = [len(code), *accumulate(shapes, initial=len(code))][1:]
    for instruction in body.code:
        place = at or instruction.at
        moved = map_operands(instruction, lambda o: own[o.index] if isinstance(o, Reg) else o)
        if isinstance(moved, Return):
            code.append(Compute(returned, (moved.value or Const(0),), Op.MOV, at=place))
            code.append(Jump(inside(starts[-1]), at=place))
        else:
            code.append(replace(retarget(moved, lambda t: inside(starts[t])), at=place))
    return code


_FIELDS: dict[type[Instruction], tuple[tuple[str, Role], ...]] = {
    kind: tuple((f.name, f.metadata["role"]) for f in roles(kind) if f.metadata["role"] is not Role.ATTRIBUTE)
    for kind in INSTRUCTIONS.values()
}


def retarget(instruction: Instruction, new: Callable[[int], int]) -> Instruction:
    """The instruction with every jump target replaced."""
    changes: dict[str, Any] = {}
    for name, role in _FIELDS[type(instruction)]:
        if role is Role.TARGET:
            changes[name] = new(getattr(instruction, name))
        elif role is Role.TARGETS:
            changes[name] = tuple(new(t) for t in getattr(instruction, name))
    return replace(instruction, **changes) if changes else instruction


def map_operands(instruction: Instruction, new: Callable[[Operand], Operand]) -> Instruction:
    """The instruction with every operand replaced, the registers that it defines included."""
    return _map(instruction, new, (Role.USE, Role.USES, Role.DEFINE))


def map_used(instruction: Instruction, new: Callable[[Operand], Operand]) -> Instruction:
    """The instruction with every operand that it reads replaced; the very same one where none changed."""
    return _map(instruction, new, (Role.USE, Role.USES))


def map_defined(instruction: Instruction, new: Callable[[Operand], Operand]) -> Instruction:
    """The instruction with every register that it defines replaced."""
    return _map(instruction, new, (Role.DEFINE,))


def _map(instruction: Instruction, new: Callable[[Operand], Operand], affected: tuple[Role, ...]) -> Instruction:
    changes: dict[str, Any] = {}
    for name, role in _FIELDS[type(instruction)]:
        value = getattr(instruction, name)
        if value is None or role not in affected:
            continue
        changed: Any = tuple(new(o) for o in value) if role is Role.USES else new(value)
        if changed != value:
            changes[name] = changed
    return replace(instruction, **changes) if changes else instruction


def defined(instruction: Instruction) -> tuple[Reg, ...]:
    """The registers that an instruction writes."""
    values = (getattr(instruction, n) for n, r in _FIELDS[type(instruction)] if r is Role.DEFINE)
    return tuple(v for v in values if v is not None)


def used(instruction: Instruction) -> tuple[Operand, ...]:
    """The operands that an instruction reads."""
    found: list[Operand] = []
    for name, role in _FIELDS[type(instruction)]:
        value = getattr(instruction, name)
        if role is Role.USES:
            found += value
        elif role is Role.USE and value is not None:
            found.append(value)
    return tuple(found)


def map_functions(program: Program, change: Callable[[Function], Function]) -> Program:
    """The program with every function changed; the very same program where no function was."""
    functions = tuple(change(f) for f in program.functions)
    same = all(a is b for a, b in zip(functions, program.functions, strict=True))
    return program if same else replace(program, functions=functions)
