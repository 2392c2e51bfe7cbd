"""What `main` does after its first join, run on the memory that its threads leave: as code of the translation, and as
a plain run on what the POWER machine came to.

A join asks that its thread has ended; threads that are not joined yet may have stopped anywhere. That `main` sees the
final memory although some threads may still run is right where these leave alone what it looks at: `check_ending` makes
sure of it. Where `main` is a process until its first join, the ending is the whole of its code: up to the join it
is executed once more on the values that the process read, and its stores are not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fencepost.bounded.builder import FALSE, TRUE, Builder, Label
from fencepost.bounded.locations import Cell, forward
from fencepost.bounded.straight import Straight
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import Instruction, Op
from fencepost.program.operands import Const, Operand, Reg, to_signed, to_unsigned
from fencepost.records import dataclass
from fencepost.verdict import ErrorReport


@dataclass(frozen=True, slots=True)
class Left:
    """What the processes leave behind, in the translation: the final memory by address, whether each process has ended,
    what it returned, and what the loads and choices of `main` gave while it was a process, by instruction."""

    memory: Callable[[int], Operand]
    ended: list[Reg]
    returned: Mapping[int, Operand]
    saved: Mapping[int, Operand]


def fails_at_the_end(straight: Straight, b: Builder, left: Left) -> Operand:
    """Whether an assertion of the ending fails."""
    return FALSE if straight.ending is None else _Ending(straight, b, left).run()


class _Ending:
    """Ordinary sequential code, each instruction at its place of the function."""

    def __init__(self, straight: Straight, b: Builder, left: Left) -> None:
        assert straight.ending is not None, "there should be an ending"
        self.builder, self.function, self.left = b, straight.ending, left
        self.straight, self.locations = straight, straight.locations
        self.index = len(straight.program.threads)
        self.flowed = straight.ranges.threads[self.index]
        self.layout = straight.ranges.layout
        self.registers = [b.var(f"end.{name}") for name in self.function.registers]
        cells = {c.index: c for pc in self.flowed.before for c in self._cells(pc)}
        self.memory = {n: b.var(f"end.{c.name}", left.memory(c.address)) for n, c in cells.items()}
        self.failed = b.var("end.failed")
        self.passed: Operand = TRUE if straight.processes.main is None else b.var("end.passed")
        self.labels = {pc: Label() for pc in self.flowed.before}
        self.over = Label()

    def _cells(self, pc: int) -> list[Cell]:
        known = (self.index, pc) in self.locations.targets
        return self.locations.of(self.index, pc) if known else []

    def run(self) -> Operand:
        b, processes = self.builder, self.straight.processes
        for p in sorted(processes.joined | ({processes.main} if processes.main is not None else set())):
            self._require(self.left.ended[p])
        for pc in sorted(self.flowed.before):
            b.place(self.labels[pc])
            if self._instruction(pc, self.function.code[pc]) and pc + 1 not in self.labels:
                b.jump(self.over)
        b.place(self.over)
        return self.failed

    def _go(self, pc: int) -> Label:
        return self.labels.get(pc, self.over)

    def _operand(self, operand: Operand) -> Operand:
        if isinstance(operand, Reg):
            return self.registers[operand.index]
        return Const(to_signed(self.layout.value(operand)))

    def _instruction(self, pc: int, i: Instruction) -> bool:
        """Whether control falls through to the next instruction."""
        b = self.builder
        match i:
            case ins.Compute():
                b.compute_into(self.registers[i.dst.index], i.op, [self._operand(a) for a in i.args], i.width)
            case ins.Load():
                self._load(pc, i)
            case ins.Store() | ins.StoreConditional():
                self._store(pc, i)
            case ins.Join():
                self._join(pc, i)
            case ins.Fence():
                pass
            case ins.Choose():
                self._choose(pc, i)
            case ins.Jump():
                b.jump(self._go(i.target))
                return False
            case ins.Branch():
                b.branch(self._operand(i.condition), self._go(i.then), self._go(i.otherwise))
                return False
            case ins.Switch():
                for case, target in zip(i.cases, i.targets, strict=True):
                    other = Label()
                    b.branch(b.equal(self._operand(i.value), self._operand(case)), self._go(target), other)
                    b.place(other)
                b.jump(self._go(i.default))
                return False
            case ins.Assume():
                self._require(self._operand(i.condition))
            case ins.Assert():
                self._require(self._operand(i.condition), self.passed)
            case ins.Fail():
                b.set(self.failed, self.passed)
                b.jump(self.over)
                return False
            case ins.Return():
                b.jump(self.over)
                return False
            case _:
                raise UnsupportedError(f"{i.mnemonic} at {i.at} is not treated after the threads have been joined")
        return True

    def _require(self, condition: Operand, failed: Operand = FALSE) -> None:
        b, good, bad = self.builder, Label(), Label()
        b.branch(condition, good, bad)
        b.place(bad)
        b.set(self.failed, failed)
        b.jump(self.over)
        b.place(good)

    def _choose(self, pc: int, i: ins.Choose) -> None:
        low, high = self._operand(i.low), self._operand(i.high)
        assert isinstance(low, Const) and isinstance(high, Const), "the bounds of a choice should be constant"
        guess = self.builder.choose(low.value, high.value, f"choice.end.{pc}", "choice", self.index, pc)
        before = self.left.saved.get(pc, guess)
        self.builder.set(self.registers[i.dst.index], self.builder.select(self.passed, guess, before))

    def _places(self, pc: int, address: Operand) -> list[tuple[Cell, Operand]]:
        cells, b = self._cells(pc), self.builder
        if len(cells) == 1:
            return [(cells[0], TRUE)]
        return [(c, b.equal(self._operand(address), Const(to_signed(c.address)))) for c in cells]

    def _load(self, pc: int, i: ins.Load) -> None:
        b = self.builder
        found: Operand = FALSE
        for cell, here in self._places(pc, i.address):
            found = b.select(here, self.memory[cell.index], found)
        found = b.select(self.passed, found, self.left.saved.get(pc, found))
        b.set(self.registers[i.dst.index], found)

    def _store(self, pc: int, i: ins.Store | ins.StoreConditional) -> None:
        b = self.builder
        stored = b.op(Op.MOV, self._operand(i.value), width=8 * i.size)
        for cell, here in self._places(pc, i.address):
            changes = b.both(self.passed, here)
            b.set(self.memory[cell.index], b.select(changes, stored, self.memory[cell.index]))
        if isinstance(i, ins.StoreConditional):
            b.set(self.registers[i.dst.index], TRUE)

    def _join(self, pc: int, i: ins.Join) -> None:
        b, thread = self.builder, self._operand(i.thread)
        over: Operand = FALSE
        result: Operand = FALSE
        for p in joined_at(self.straight, pc, i):
            here = b.equal(thread, Const(p + 1))
            over = b.either(over, b.both(here, self.left.ended[p]))
            result = b.select(here, self.left.returned.get(p, FALSE), result)
        self._require(over)
        if isinstance(self.passed, Reg):
            b.set(self.passed, TRUE)
        if i.dst is not None:
            b.set(self.registers[i.dst.index], result)


def joined_at(straight: Straight, pc: int, i: ins.Join) -> list[int]:
    """The processes that a join of the ending may be about."""
    end, count = len(straight.program.threads), len(straight.program.threads)
    if straight.processes.main is not None:
        count -= 1
    threads = straight.ranges.addresses(end, pc, i.thread)
    if threads is None or not all(1 <= t <= count for t in threads):
        raise UnsupportedError(f"main at {i.at} joins something that is not known to be one of its threads")
    return sorted(t - 1 for t in threads)


# --- whether the final memory is what main sees


def check_ending(straight: Straight) -> None:
    """Raises UnsupportedError where `main`, after a join, looks at what a thread that still runs may change."""
    if straight.ending is None:
        return
    code, index = straight.ending.code, len(straight.program.threads)
    start = straight.processes.joined if straight.processes.main is None else None
    before: dict[int, frozenset[int] | None] = {0: start}
    for pc in sorted(straight.ranges.threads[index].before):
        i, joined = code[pc], before.get(pc)
        if isinstance(i, ins.Join):
            which = joined_at(straight, pc, i)
            joined = (joined or frozenset()) | (frozenset(which) if len(which) == 1 else frozenset())
        elif joined is not None and (index, pc) in straight.locations.targets:
            _check_access(straight, pc, i, joined)
        for target in forward(pc, i):
            there = before.get(target)
            before[target] = joined if there is None else there if joined is None else there & joined


def _check_access(straight: Straight, pc: int, i: Instruction, joined: frozenset[int]) -> None:
    running = {p for p in range(len(straight.program.threads)) if p != straight.processes.main} - joined
    touched, reads = straight.locations.targets[len(straight.program.threads), pc], isinstance(i, ins.Load)
    for p in sorted(running):
        if any(straight.locations.touches(p, a, n, writes=reads) for a, n in touched):
            name = straight.program.threads[p].name
            raise UnsupportedError(
                f"main at {i.at} accesses, after it has joined another thread, what thread {name} may still be using"
            )


# --- on what the machine came to


@dataclass(frozen=True, slots=True)
class Came:
    """As `Left`, for one run of the machine. `choices`: what the ending itself chose, by instruction."""

    memory: Callable[[int, int], int]
    ended: list[bool]
    returned: Mapping[int, int]
    saved: Mapping[int, int]
    choices: Mapping[int, int]


def run_ending(straight: Straight, came: Came) -> ErrorReport | None:
    """Executes the ending; what fails there."""
    if straight.ending is None:
        return None
    return _Run(straight, came).run()


class _Run:
    def __init__(self, straight: Straight, came: Came) -> None:
        assert straight.ending is not None, "there should be an ending"
        self.came, self.function, self.processes = came, straight.ending, straight.processes
        self.layout = straight.ranges.layout
        self.registers = [0] * len(self.function.registers)
        self.written: dict[int, int] = {}
        self.passed = self.processes.main is None

    def value(self, operand: Operand) -> int:
        return self.registers[operand.index] if isinstance(operand, Reg) else self.layout.value(operand)

    def run(self) -> ErrorReport | None:
        needed = self.processes.joined | ({self.processes.main} if self.processes.main is not None else set())
        pc = 0
        while all(self.came.ended[p] for p in needed):
            i = self.function.code[pc]
            if isinstance(i, ins.Fail) or (isinstance(i, ins.Assert) and not self.value(i.condition)):
                return ErrorReport(i.kind, i.message or "assertion failed", i.at) if self.passed else None
            after = self._step(pc, i)
            if after is None:
                return None
            pc = after
        return None

    def _step(self, pc: int, i: Instruction) -> int | None:
        """The next instruction; None where nothing more happens."""
        match i:
            case ins.Compute():
                self.registers[i.dst.index] = compute(i.op, i.width, tuple(self.value(a) for a in i.args))
            case ins.Load():
                self.registers[i.dst.index] = self._load(pc, i)
            case ins.Choose():
                given = self.came.choices if self.passed else self.came.saved
                self.registers[i.dst.index] = to_unsigned(given.get(pc, to_signed(self.value(i.low))))
            case ins.Store() | ins.StoreConditional():
                if self.passed:
                    self.written[self.value(i.address)] = to_unsigned(self.value(i.value), 8 * i.size)
                if isinstance(i, ins.StoreConditional):
                    self.registers[i.dst.index] = 1
            case ins.Join():
                p = self.value(i.thread) - 1
                if not self.came.ended[p]:
                    return None
                self.passed = True
                if i.dst is not None:
                    self.registers[i.dst.index] = self.came.returned.get(p, 0)
            case ins.Jump():
                return i.target
            case ins.Branch():
                return i.then if self.value(i.condition) else i.otherwise
            case ins.Switch():
                taken = [t for c, t in zip(i.cases, i.targets, strict=True) if self.value(c) == self.value(i.value)]
                return taken[0] if taken else i.default
            case ins.Assume() if not self.value(i.condition):
                return None
            case ins.Return():
                return None
        return pc + 1

    def _load(self, pc: int, i: ins.Load) -> int:
        if not self.passed:
            return self.came.saved.get(pc, 0)
        address = self.value(i.address)
        return self.written[address] if address in self.written else self.came.memory(address, i.size)
