"""Use after free under the kernel's model: memory is written, by plain stores, when it is freed.

What another thread still does to the memory is then a data race, by the model's own rules, unless it comes before: by
a grace period, a lock, or a count of references. What comes after reads or overwrites one of these stores. Which
bytes they write is seen from what all the threads do to the block, whatever they read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

from fencepost.enumerate.traces import Keeps, ThreadRunner
from fencepost.errors import UnsupportedError
from fencepost.execution.execution import EventKind, Execution
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Instruction, Mode, Op
from fencepost.program.operands import Const, Position
from fencepost.program.passes.rewrite import Registers, expand, inside, map_functions
from fencepost.program.program import Arch, Program
from fencepost.records import dataclass
from fencepost.verdict import ErrorReport

Piece = tuple[int, int]  # offset in the block, size


@dataclass(frozen=True, slots=True)
class Frees:
    """A program whose frees write what they free. `places`: those of its frees, `seen`: whether they do write."""

    program: Program
    places: frozenset[Position | None] = frozenset()
    seen: bool = False

    def used(self, execution: Execution) -> ErrorReport | None:
        """What came after a free of the same memory."""
        if not self.seen:
            return None
        last = {e.id for e in execution.events if e.is_write and e.mode is Mode.NA and e.at in self.places}
        after = {read: write for read, write in execution.reads_from.items() if write in last}
        for writes in execution.coherence.values():
            after |= {later: w for i, w in enumerate(writes) if w in last for later in writes[i + 1 :]}
        for event, free in sorted(after.items()):
            use = execution.events[event]
            if event in last:
                return ErrorReport(ErrorKind.DOUBLE_FREE, "memory is freed twice", use.at, use.thread, (free, event))
            message = f"access to memory that was freed at {execution.events[free].at}"
            return ErrorReport(ErrorKind.USE_AFTER_FREE, message, use.at, use.thread, (free, event))
        return None


def writing_frees(program: Program, keeps: Keeps, max_events: int, deadline: float | None) -> Frees:
    """The program with its frees writing; as it is where it is not the kernel's or frees nothing."""
    frees = [i for f in program.functions for i in f.code if isinstance(i, ins.Free)]
    if program.arch is not Arch.LKMM or not frees:
        return Frees(program)
    runner = ThreadRunner(program, keeps, max_events, deadline)
    runner.run()
    pieces = _pieces(runner)
    for place, found in pieces.items():
        ordered = sorted(found)
        if any(b[0] < a[0] + a[1] for a, b in pairwise(ordered)):
            message = f"{place}: the blocks that are freed here are accessed in pieces of different sizes"
            raise UnsupportedError(f"{message}: enumeration cannot look for use after free")
    wrote = map_functions(program, lambda f: expand(f, partial(_writing, pieces)))
    return Frees(wrote, frozenset(i.at for i in frees), seen=True)


def _pieces(runner: ThreadRunner) -> dict[Position | None, set[Piece]]:
    """By the place of a free: the parts of its blocks that any thread accesses."""
    steps = {s for traces in runner.traces.values() for t in traces for s in t.steps}
    locations = {s.location for s in steps if s.kind in (EventKind.READ, EventKind.WRITE)}
    found: dict[Position | None, set[Piece]] = {}
    for start, place in {(s.address, s.at) for s in steps if s.kind is EventKind.FREE and s.address}:
        end = start + runner.blocks.get(start, 0)
        found.setdefault(place, set()).update((at - start, size) for at, size in locations if start <= at < end)
    return found


def _writing(
    pieces: dict[Position | None, set[Piece]], instruction: Instruction, registers: Registers
) -> Sequence[Instruction]:
    if not isinstance(instruction, ins.Free):
        return (instruction,)
    stores = list(_stores(instruction, sorted(pieces.get(instruction.at, ())), registers))
    skip = ins.Branch(instruction.address, inside(1), inside(1 + len(stores)), at=instruction.at)
    return (skip, *stores, instruction)


def _stores(free: ins.Free, pieces: Sequence[Piece], registers: Registers) -> Iterator[Instruction]:
    for offset, size in pieces:
        place = registers.fresh("freed")
        yield ins.Compute(place, (free.address, Const(offset)), Op.ADD, at=free.at)
        yield ins.Store(place, Const(0), size, Mode.NA, at=free.at)
