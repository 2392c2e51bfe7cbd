"""Memory that threads take for themselves: stack, heap and thread-local objects.

A straight thread executes each of its instructions at most once, so whatever one of them allocates is an object that
can be there from the start: a global object of the straight program. Stack objects that no other thread is given become
registers where it is known which part of them each access is about; in other rooms they are not events either, and
dependencies run through them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from itertools import count

from fencepost.bounded.ranges import Ranges
from fencepost.program import instructions as ins
from fencepost.program.instructions import Instruction, Op
from fencepost.program.layout import PRIVATE, REGION_MASK, Layout
from fencepost.program.operands import Const, ConstantOperand, FunctionAddress, GlobalAddress, Reg, to_signed
from fencepost.program.passes.rewrite import Registers, rebuild, used
from fencepost.program.program import Function, Object, Program
from fencepost.records import dataclass


@dataclass(slots=True)
class Storage:
    """`given`: the thread-local objects of the program. `named`: the functions whose address is used. `made`: the
    objects that threads have taken so far; `private`: those of them that no other thread sees."""

    layout: Layout
    given: Mapping[str, Object]
    named: frozenset[str]
    made: dict[str, Object] = field(default_factory=dict)
    private: set[str] = field(default_factory=set)

    def allocate(self, i: ins.Alloca | ins.Malloc, size: int) -> GlobalAddress:
        stem = i.name or ("heap" if isinstance(i, ins.Malloc) else "stack")
        name = next(n for n in (f"{stem}#{k}" for k in count(1)) if n not in self.made)
        self.made[name] = Object(name, max(size, 1), i.align, type=i.type, at=i.at)
        if isinstance(i, ins.Alloca) and i.private:
            self.private.add(name)
        return GlobalAddress(name)

    def thread_local(self, name: str, thread: int) -> GlobalAddress:
        own = f"{name}#thread{thread}"
        if own not in self.made:
            self.made[own] = replace(self.given[name], name=own, thread_local=False)
            self.private.add(own)
        return GlobalAddress(own)

    def objects(self, program: Program) -> tuple[Object, ...]:
        """Those of the straight program: what threads make comes last, so that nothing else changes its address."""
        return tuple(self.without_functions(o) for o in (*program.objects, *self.made.values()))

    def without_functions(self, o: Object) -> Object:
        """The object with the addresses of functions as numbers: a straight program has other functions."""
        return replace(o, init=tuple(replace(i, value=self._number(i.value)) for i in o.init))

    def _number(self, value: ConstantOperand) -> ConstantOperand:
        return Const(self.layout.value(value)) if isinstance(value, FunctionAddress) else value


def storage_of(program: Program, layout: Layout) -> Storage:
    return Storage(layout, {o.name: o for o in program.objects if o.thread_local}, frozenset(_named(program)))


def _named(program: Program) -> Iterator[str]:
    for o in program.objects:
        yield from (init.value.name for init in o.init if isinstance(init.value, FunctionAddress))
    for f in program.functions:
        for i in f.code:
            operands = i.args if isinstance(i, ins.Call | ins.Spawn) else used(i)
            yield from (o.name for o in operands if isinstance(o, FunctionAddress))


Spot = tuple[int, int]  # address and size


def to_registers(program: Program, ranges: Ranges, private: set[str], fixed: frozenset[int]) -> Program | None:
    """The program with private memory in registers wherever one thread alone uses it and every access to it is known
    to be about it. None where there is nothing to do. The functions in `fixed` keep their instructions."""
    chosen = {n: spots for n, spots in _spots(ranges, private).items() if n not in fixed}
    if not chosen:
        return None
    functions = [_rewrite(f, n, ranges, chosen[n]) if n in chosen else f for n, f in enumerate(program.functions)]
    return replace(program, functions=tuple(functions))


def _spots(ranges: Ranges, private: set[str]) -> dict[int, set[Spot]]:
    """By thread: what can be a register."""
    users: dict[int, set[int]] = {}  # byte -> threads
    shapes: dict[int, set[Spot]] = {}  # byte -> what it is accessed as part of
    found: dict[int, set[Spot]] = {}
    unclear: set[int] = set()
    for thread, _, i, addresses in _accesses(ranges):
        for a in addresses:
            for byte in range(a, a + i.size):
                users.setdefault(byte, set()).add(thread)
                shapes.setdefault(byte, set()).add((a, i.size))
            if len(addresses) > 1 or isinstance(i, ins.StoreConditional) or (isinstance(i, ins.Load) and i.exclusive):
                unclear |= set(range(a, a + i.size))
            elif a & REGION_MASK == PRIVATE or ((o := ranges.layout.find(a)) and o[0].name in private):
                found.setdefault(thread, set()).add((a, i.size))
    for spots in found.values():
        spots -= {s for s in spots for byte in range(s[0], s[0] + s[1])
                  if byte in unclear or len(users[byte]) > 1 or len(shapes[byte]) > 1}  # fmt: skip
    return {thread: spots for thread, spots in found.items() if spots}


def _accesses(ranges: Ranges) -> Iterator[tuple[int, int, ins.Load | ins.Store | ins.StoreConditional, frozenset[int]]]:
    for thread, function in enumerate(ranges.functions):
        for pc in ranges.threads[thread].before:
            i = function.code[pc]
            if isinstance(i, ins.Load | ins.Store | ins.StoreConditional):
                yield thread, pc, i, ranges.addresses(thread, pc, i.address) or frozenset()


def _rewrite(function: Function, thread: int, ranges: Ranges, spots: set[Spot]) -> Function:
    registers = Registers(function)
    where = {spot: registers.fresh(f"memory.{spot[0]:x}") for spot in sorted(spots)}
    parts: dict[int, list[Instruction]] = {}
    for n, pc, i, addresses in _accesses(ranges):
        spot = (next(iter(addresses), 0), i.size)
        if n != thread or len(addresses) != 1 or spot not in where:
            continue
        if isinstance(i, ins.Load):
            parts[pc] = [ins.Compute(i.dst, (where[spot],), Op.MOV, at=i.at)]
        else:
            parts[pc] = [ins.Compute(where[spot], (i.value,), Op.MOV, 8 * i.size, at=i.at)]
    parts[0] = [*_start(where, ranges), *parts.get(0, [function.code[0]])]
    return rebuild(function, parts, registers)


def _start(where: dict[Spot, Reg], ranges: Ranges) -> Iterator[Instruction]:
    for (address, size), register in where.items():
        value = ranges.start_value(address, size)
        if value:
            yield ins.Compute(register, (Const(to_signed(value)),), Op.MOV)
