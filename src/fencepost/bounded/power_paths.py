"""What one process of the operational POWER machine has fetched: a path through its code, event by event.

The machine (`power_machine.py`) fetches speculatively: each conditional on a path carries the outcome that was guessed
for it, and the rule ComACI checks the guess. Everything here depends on the path alone: which event defines the
register that another one uses (≺data, ≺addr), which conditionals come before it (≺ctrl).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction
from fencepost.program.layout import Layout
from fencepost.program.operands import Operand, Reg, to_signed, to_unsigned
from fencepost.program.program import Function, Program
from fencepost.records import dataclass


class What(Enum):
    """The kinds of events. ACI: assume, assert and conditional instructions (the paper's aci)."""

    READ = "read"
    WRITE = "write"
    ASSIGN = "assign"
    ACI = "aci"
    SYNC = "sync"
    LWSYNC = "lwsync"
    ISYNC = "isync"
    EIEIO = "eieio"


_FENCES = {
    FenceKind.SYNC: What.SYNC,
    FenceKind.LWSYNC: What.LWSYNC,
    FenceKind.ISYNC: What.ISYNC,
    FenceKind.EIEIO: What.EIEIO,
}

#: The fences that are propagated to other processes.
SENT = frozenset({What.SYNC, What.LWSYNC, What.EIEIO})


class End(Enum):
    """How a path ends: cut off while it could go on, at the end of the code, in an assume, or in a failed assertion."""

    OPEN = "open"
    DONE = "done"
    BLOCKED = "blocked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Source:
    """Where an operand gets its value: from an event of the same path, or from nowhere (then `value` is it)."""

    event: int | None
    value: int = 0


@dataclass(frozen=True, slots=True)
class Fetched:
    """An event. `guess` is the outcome guessed for a conditional (0 or 1, for a switch the index of the target), the
    value chosen by a Choose, and whether a store-conditional succeeds (one that fails is an assign). `controls`: the
    conditionals before it. `reserve`: the load-reserve that a store-conditional belongs to."""

    pc: int
    what: What
    instruction: Instruction
    guess: int
    address: Source | None
    values: tuple[Source, ...]
    controls: tuple[int, ...]
    reserve: int | None = None


#: A path as data: the program counter of each event and the guess made for it.
Trail = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Path:
    """`next_pc` is where fetching goes on, None where it cannot."""

    events: tuple[Fetched, ...]
    end: End
    next_pc: int | None
    definer: tuple[Source, ...]  # of each register, at the end

    @property
    def failed(self) -> Instruction | None:
        return self.events[-1].instruction if self.end is End.FAILED else None


class Paths:
    """The paths of one process."""

    def __init__(self, program: Program, layout: Layout, process: int) -> None:
        thread = program.threads[process]
        self.layout = layout
        self.function: Function = program.function(thread.function)
        self.args = tuple(layout.value(a) for a in thread.args)
        self.path = lru_cache(maxsize=None)(self._path)

    def _path(self, trail: Trail) -> Path:
        if not trail:
            registers = len(self.function.registers)
            start = [Source(None, v) for v in self.args] + [Source(None)] * (registers - len(self.args))
            return self._open((), tuple(start), 0)
        before = self.path(trail[:-1])
        pc, guess = trail[-1]
        event = self._fetch(before, pc, guess)
        definer = list(before.definer)
        for register in _defined(event.instruction):
            definer[register.index] = Source(len(before.events))
        if isinstance(event.instruction, ins.StoreConditional):
            definer[event.instruction.dst.index] = Source(None, guess)
        events, definers = (*before.events, event), tuple(definer)
        match event.instruction:
            case ins.Assume() if not guess:
                return Path(events, End.BLOCKED, None, definers)
            case ins.Fail():
                return Path(events, End.FAILED, None, definers)
            case ins.Assert() if not guess:
                return Path(events, End.FAILED, None, definers)
            case ins.Branch(then=then, otherwise=otherwise):
                return self._open(events, definers, then if guess else otherwise)
            case ins.Switch(targets=targets, default=default):
                return self._open(events, definers, targets[guess] if guess < len(targets) else default)
            case _:
                return self._open(events, definers, pc + 1)

    def _open(self, events: tuple[Fetched, ...], definer: tuple[Source, ...], pc: int) -> Path:
        while isinstance(jump := self.function.code[pc], ins.Jump):
            pc = jump.target
        if isinstance(self.function.code[pc], ins.Return | ins.Exit):
            return Path(events, End.DONE, None, definer)
        return Path(events, End.OPEN, pc, definer)

    def _fetch(self, before: Path, pc: int, guess: int) -> Fetched:
        i = self.function.code[pc]

        def source(operand: Operand) -> Source:
            if isinstance(operand, Reg):
                return before.definer[operand.index]
            return Source(None, self.layout.value(operand))

        address, values = None, tuple[Source, ...]()
        match i:
            case ins.Load():
                what, address = What.READ, source(i.address)
            case ins.Store():
                what, address, values = What.WRITE, source(i.address), (source(i.value),)
            case ins.StoreConditional() if guess:
                what, address, values = What.WRITE, source(i.address), (source(i.value),)
            case ins.StoreConditional():
                what = What.ASSIGN
            case ins.Compute():
                what, values = What.ASSIGN, tuple(source(a) for a in i.args)
            case ins.Choose():
                what = What.ASSIGN
            case ins.Branch() | ins.Assume() | ins.Assert():
                what, values = What.ACI, (source(i.condition),)
            case ins.Switch():
                what, values = What.ACI, (source(i.value),)
            case ins.Fail():
                what = What.ACI
            case ins.Fence(kind=kind) if kind in _FENCES:
                what = _FENCES[kind]
            case _:
                raise UnsupportedError(f"the POWER machine has no rule for {i.mnemonic} at {i.at}")
        controls = tuple(n for n, e in enumerate(before.events) if e.what is What.ACI)
        reserve = _reservation(before.events) if isinstance(i, ins.StoreConditional) else None
        return Fetched(pc, what, i, guess, address, values, controls, reserve)

    def successors(self, trail: Trail) -> Iterator[Trail]:
        """The rule Fetch: every instruction that can come next, with every guess."""
        pc = self.path(trail).next_pc
        if pc is not None:
            for guess in self._guesses(self.function.code[pc]):
                yield (*trail, (pc, guess))

    def _guesses(self, i: Instruction) -> range:
        match i:
            case ins.Branch() | ins.Assume() | ins.Assert():
                return range(2)
            case ins.Switch(targets=targets):
                return range(len(targets) + 1)
            case ins.StoreConditional(may_fail=may_fail):
                return range(0 if may_fail else 1, 2)
            case ins.Choose(low=low, high=high) if not isinstance(low, Reg) and not isinstance(high, Reg):
                return range(to_signed(self.layout.value(low)), to_signed(self.layout.value(high)) + 1)
            case ins.Choose():
                raise UnsupportedError(f"the POWER machine needs constant bounds of a choice, at {i.at}")
        return range(1)

    def outcome(self, event: Fetched, value: int) -> int:
        """The guess that would have been right for a conditional whose operand has this value."""
        match event.instruction:
            case ins.Switch(cases=cases, targets=targets):
                found = [n for n, c in enumerate(cases) if not isinstance(c, Reg) and self.layout.value(c) == value]
                return found[0] if found else len(targets)
        return int(to_unsigned(value) != 0)


def _reservation(events: tuple[Fetched, ...]) -> int | None:
    """The load-reserve that is in force: the last one, unless a store-conditional has used it up."""
    for n in range(len(events) - 1, -1, -1):
        i = events[n].instruction
        if isinstance(i, ins.StoreConditional):
            return None
        if isinstance(i, ins.Load) and i.exclusive:
            return n
    return None


def _defined(i: Instruction) -> tuple[Reg, ...]:
    return (i.dst,) if isinstance(i, ins.Load | ins.Compute | ins.Choose) else ()
