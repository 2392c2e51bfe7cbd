"""The cells of shared memory that a straight program uses, who writes each, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from fencepost.bounded.ranges import Range, Ranges, of
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.condition import FinalMemory
from fencepost.program.datatypes import path_at
from fencepost.program.instructions import Instruction
from fencepost.program.operands import Operand
from fencepost.program.program import Function
from fencepost.program.symbols import demangled
from fencepost.records import dataclass

Access = ins.Load | ins.Store | ins.StoreConditional
MAX_TARGETS = 32


@dataclass(frozen=True, slots=True)
class Cell:
    """`writes` counts the stores to it that one run can contain, by thread. `exclusive`: a read-modify-write or a
    store-conditional may write it."""

    index: int
    name: str
    address: int
    size: int
    initial: int
    values: Range
    writes: tuple[int, ...]
    exclusive: bool

    @property
    def total(self) -> int:
        return sum(self.writes)

    @property
    def writers(self) -> tuple[int, ...]:
        return tuple(p for p, n in enumerate(self.writes) if n)


class Locations:
    """Knows, for every access, the cells that it can be about."""

    def __init__(self, ranges: Ranges, objects: Mapping[int, int]) -> None:
        self.ranges, self.objects = ranges, objects
        self.targets: dict[tuple[int, int], tuple[tuple[int, int], ...]] = {}
        for thread, function in enumerate(ranges.functions):
            for pc in ranges.threads[thread].before:
                i = function.code[pc]
                if isinstance(i, Access):
                    self.targets[thread, pc] = self._targets(thread, pc, i, i.address)
        found = {t: 0 for targets in self.targets.values() for t in targets}
        for o in ranges.program.observations:
            if isinstance(o.what, FinalMemory):
                found.setdefault((ranges.layout.globals[o.what.object] + o.what.offset, o.what.size), 0)
        self.cells = self._cells(sorted(found))
        self.by_address = {c.address: c for c in self.cells}

    def touches(self, thread: int, address: int, size: int, *, writes: bool) -> bool:
        """Whether a thread may access this memory; with `writes`, whether it may write there."""
        code = self.ranges.functions[thread].code
        return any(
            t == thread and not (writes and isinstance(code[pc], ins.Load)) and a < address + size and address < a + n
            for (t, pc), targets in self.targets.items()
            for a, n in targets
        )

    def of(self, thread: int, pc: int) -> list[Cell]:
        return [self.by_address[a] for a, _ in self.targets[thread, pc]]

    def _targets(self, thread: int, pc: int, i: Access, operand: Operand) -> tuple[tuple[int, int], ...]:
        addresses = self.ranges.addresses(thread, pc, operand)
        if addresses is None or len(addresses) > MAX_TARGETS:
            raise UnsupportedError(f"the address accessed at {i.at} can be any of too many")
        for a in addresses:
            self._check(a, i)
        return tuple((a, i.size) for a in sorted(addresses))

    def _check(self, address: int, i: Access) -> None:
        found = self.ranges.layout.find(address)
        inside = found is not None and found[1] + i.size <= found[0].size
        inside = inside or any(a <= address and address + i.size <= a + n for a, n in self.objects.items())
        if not inside or address % i.size:
            raise UnsupportedError(
                f"the access at {i.at} may go to address {address:#x}, which is not inside an object; "
                "`fencepost check` finds such errors"
            )

    def _cells(self, found: list[tuple[int, int]]) -> list[Cell]:
        for (a, n), (b, _) in pairwise(found):
            if a + n > b:
                raise UnsupportedError(f"{demangled(self._name(b))} is accessed in pieces of different sizes")
        counts = [_count(self.ranges, t, self.targets) for t in range(len(self.ranges.program.threads))]
        special = {
            a
            for (t, pc), targets in self.targets.items()
            for a, _ in targets
            if isinstance(self.ranges.functions[t].code[pc], ins.StoreConditional)
        }
        return [
            Cell(
                n, self._name(a), a, size, self.ranges.start_value(a, size),
                self.ranges.memory.get((a, size)) or of(self.ranges.start_value(a, size)),
                tuple(c.get(a, 0) for c in counts), a in special,
            )
            for n, (a, size) in enumerate(found)
        ]  # fmt: skip

    def _name(self, address: int) -> str:
        found = self.ranges.layout.find(address)
        if found is None:
            return f"{address:#x}"
        o, offset = found
        if o.type is None:
            return o.name + (f"[{offset}]" if offset else "")
        return o.name + path_at(o.type, offset)[0]


def _count(ranges: Ranges, thread: int, targets: dict[tuple[int, int], tuple[tuple[int, int], ...]]) -> dict[int, int]:
    """The most stores to each address on one way through the thread."""
    function: Function = ranges.functions[thread]
    reach: dict[int, dict[int, int]] = {}
    for pc in range(len(function.code) - 1, -1, -1):
        i: Instruction = function.code[pc]
        after: dict[int, int] = {}
        for target in forward(pc, i):
            for a, n in reach.get(target, {}).items():
                after[a] = max(after.get(a, 0), n)
        if isinstance(i, ins.Store | ins.StoreConditional):
            for a, _ in targets.get((thread, pc), ()):
                after[a] = after.get(a, 0) + 1
        reach[pc] = after
    return reach.get(0, {})


def forward(pc: int, i: Instruction) -> tuple[int, ...]:
    match i:
        case ins.Jump(target=target):
            return (target,)
        case ins.Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case ins.Switch(targets=targets, default=default):
            return (*targets, default)
        case ins.Return() | ins.Fail():
            return ()
    return (pc + 1,)
