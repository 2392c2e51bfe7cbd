"""Where things live: the same object has the same address in every execution and in both machines.

0x0000_0001_0000 ...            global variables, 16 bytes or more apart, so that a small overrun hits no neighbour
0x0800_0000_0000 ...            global constants, each in pages of its own: the length of a text, such as the path in
                                __FILE__, moves nothing
0x1000_0000_0000 | t << 32      shared stack memory of thread t, never reused
0x2000_0000_0000 | t << 32      heap memory allocated by thread t, never reused
0x3000_0000_0000 | t << 32      private stack memory of thread t
0x4000_0000_0000 | t << 32      thread-local objects of thread t
0x7000_0000_0000 + 16 * f       functions
"""

from __future__ import annotations

from bisect import bisect_right

from fencepost.program.condition import comparisons
from fencepost.program.operands import Const, ConstantOperand, FunctionAddress, GlobalAddress, to_unsigned
from fencepost.program.program import Object, Program
from fencepost.records import dataclass

GLOBALS = 0x1_0000
NEAR_NULL = GLOBALS // 2  # below it an address is a null pointer and an offset; above it, a[-1] of the first object
CONSTANTS = 0x0800_0000_0000
STACK = 0x1000_0000_0000
HEAP = 0x2000_0000_0000
PRIVATE = 0x3000_0000_0000
THREAD_LOCAL = 0x4000_0000_0000
FUNCTIONS = 0x7000_0000_0000
REGION_MASK = 0x7000_0000_0000
THREAD_SHIFT = 32
MAX_THREADS = 4096
GAP = 16
PAGE = 4096  # as long as a path may be


@dataclass(frozen=True, slots=True)
class Layout:
    """Addresses of the objects and functions of one program."""

    globals: dict[str, int]
    thread_locals: dict[str, int]
    functions: dict[str, int]
    starts: tuple[int, ...]
    objects: tuple[Object, ...]

    def value(self, operand: ConstantOperand) -> int:
        """The 64 bits that a constant operand denotes."""
        match operand:
            case Const(value):
                return to_unsigned(value)
            case GlobalAddress(name, offset):
                return to_unsigned(self.globals[name] + offset)
            case FunctionAddress(name):
                return self.functions[name]

    def find(self, address: int) -> tuple[Object, int] | None:
        """The global object that holds this address, and the offset inside it."""
        index = bisect_right(self.starts, address) - 1
        if index < 0:
            return None
        offset = address - self.starts[index]
        return (self.objects[index], offset) if offset < self.objects[index].size else None


def condition_constants(program: Program, layout: Layout) -> dict[ConstantOperand, int]:
    """The number of every constant in the program's condition: addresses are known only once things have a place."""
    if program.condition is None:
        return {}
    formulas = [f for f in (program.condition.formula, program.condition.filter) if f is not None]
    found = {c.right for f in formulas for c in comparisons(f) if not isinstance(c.right, str)}
    return {o: o.value if isinstance(o, Const) else layout.value(o) for o in found}


def lay_out(program: Program) -> Layout:
    """Assigns addresses, in the order of declaration."""
    variables = [o for o in program.objects if not o.thread_local and not o.constant]
    constants = [o for o in program.objects if not o.thread_local and o.constant]
    local = [o for o in program.objects if o.thread_local]
    shared, local_at = variables + constants, _assign(local, THREAD_LOCAL)
    shared_at = _assign(variables, GLOBALS) + _assign(constants, CONSTANTS, PAGE)
    return Layout(
        {o.name: a for o, a in zip(shared, shared_at, strict=True)},
        {o.name: a for o, a in zip(local, local_at, strict=True)},
        {f.name: FUNCTIONS + GAP * i for i, f in enumerate(program.functions)},
        tuple(shared_at),
        tuple(shared),
    )


def _assign(objects: list[Object], start: int, unit: int = GAP) -> list[int]:
    """Each begins at a multiple of its own alignment, and the next thing at a multiple of `unit` and GAP behind it."""
    addresses: list[int] = []
    for o in objects:
        start = _rounded(start, max(o.align, 1))
        addresses.append(start)
        start = _rounded(start + o.size, GAP) + GAP
        start = _rounded(start, unit)
    return addresses


def _rounded(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def initial_bytes(program: Program, layout: Layout, *, thread_local: bool = False) -> dict[int, int]:
    """address -> byte for every byte that does not start as zero."""
    where = layout.thread_locals if thread_local else layout.globals
    content: dict[int, int] = {}
    for o in program.objects:
        if o.thread_local == thread_local:
            for init in o.init:
                value = to_unsigned(layout.value(init.value), 8 * init.size)
                for i, byte in enumerate(value.to_bytes(init.size, "little")):
                    content[where[o.name] + init.offset + i] = byte
    return {address: byte for address, byte in content.items() if byte}
