"""The copies of memory that a translated program works on: what each process has seen of each cell, context by context.

For a process q, a cell x and a context k there are two numbers: the coherence stamp of the last write to x that has
reached q (the paper's α), and its value (the paper's μ). Only the process that is active in context k changes the
copies of context k, so the processes can be simulated one after the other, each through all its contexts, as soon as
the copies that it starts from are guessed. What was guessed is compared at the end.

A *fixed* schedule says who is active in each context. Then only contexts whose process can write x need copies of x,
and the copies of a process that was simulated before need no guess. Without one, `active` is guessed too.
"""

from __future__ import annotations

from dataclasses import field

from fencepost.bounded.builder import Builder
from fencepost.bounded.locations import Cell
from fencepost.program.operands import Const, Operand, Reg, to_signed
from fencepost.records import dataclass

Schedule = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stamps:
    """How the writes to one cell are numbered in coherence order: 0 is the initial write; a later write has a larger
    stamp; stamps of different processes differ in their low `shift` bits. Where read-modify-writes must follow what
    they read immediately, stamps are positions in coherence order instead, and it is guessed whose each one is."""

    cell: Cell
    shift: int

    @property
    def largest(self) -> int:
        return (self.cell.total << self.shift) + (1 << self.shift) - 1 if self.cell.total else 0

    def owner(self, process: int) -> int:
        return self.cell.writers.index(process)


def stamps_of(cell: Cell) -> Stamps:
    if cell.exclusive:
        return Stamps(cell, 0)
    return Stamps(cell, (len(cell.writers) - 1).bit_length() if cell.writers else 0)


@dataclass(slots=True)
class View:
    """The two numbers of one process, cell and context."""

    stamp: Operand
    value: Operand


@dataclass(slots=True)
class Views:
    builder: Builder
    processes: int
    contexts: int
    schedule: Schedule | None
    stamps: list[Stamps]
    running: dict[tuple[int, int, int], View] = field(default_factory=dict)  # process, cell, context
    guessed: dict[tuple[int, int, int], View] = field(default_factory=dict)
    started: dict[tuple[int, int, int], View] = field(default_factory=dict)
    simulated: set[int] = field(default_factory=set)

    def initial(self, cell: Cell) -> View:
        return View(Const(0), Const(to_signed(cell.initial)))

    def guess(self, q: int, cell: Cell, k: int, what: str) -> View:
        """A guessed view; a cell that nobody has written has its initial one."""
        largest = self.stamps[cell.index].largest
        if largest == 0:
            return self.initial(cell)
        name = f"{what}.{q}.{cell.name}.{k}"
        stamp = self.builder.choose(0, largest, f"stamp.{name}", "view")
        value = self.builder.choose(cell.values.low, cell.values.high, f"value.{name}", "view")
        return View(stamp, value)

    # --- contexts in which a cell can change

    def epochs(self, cell: Cell) -> list[int]:
        if self.schedule is None:
            return list(range(1, self.contexts + 1)) if cell.writers else []
        return [k for k, p in enumerate(self.schedule, start=1) if p in cell.writers]

    def epoch(self, cell: Cell, k: int) -> int | None:
        """The last context up to k in which the cell can change."""
        return max((e for e in self.epochs(cell) if e <= k), default=None)

    def start(self, p: int | None, cells: list[Cell]) -> None:
        """Makes the running views of every context of process p (of all contexts where the schedule is open)."""
        for cell in cells:
            for k in self.epochs(cell):
                if p is None or (self.schedule is not None and self.schedule[k - 1] == p):
                    for q in range(self.processes):
                        self._start(q, cell, k)

    def _start(self, q: int, cell: Cell, k: int) -> None:
        before = self.epoch(cell, k - 1)
        if before is None:
            view = self.initial(cell)
        elif self.schedule is not None and self.schedule[before - 1] in self.simulated:
            view = self.running[q, cell.index, before]
        elif (q, cell.index, before) in self.guessed:
            view = self.guessed[q, cell.index, before]
        else:
            view = self.guessed[q, cell.index, before] = self.guess(q, cell, before, "after")
        name = f"{q}.{cell.name}.{k}"
        self.running[q, cell.index, k] = View(
            self.builder.var(f"stamp.{name}", view.stamp), self.builder.var(f"value.{name}", view.value)
        )
        self.started[q, cell.index, k] = view

    def at(self, p: int, q: int, cell: Cell, k: int) -> View:
        """What process p, simulated now and active in context k, finds as the view of q."""
        e = self.epoch(cell, k)
        if e is None:
            return self.initial(cell)
        if self.schedule is None or self.schedule[e - 1] == p or self.schedule[e - 1] in self.simulated:
            return self.running[q, cell.index, e]
        key = (q, cell.index, e)
        if key not in self.guessed:
            self.guessed[key] = self.guess(q, cell, e, "after")
        return self.guessed[key]

    def end(self, q: int, cell: Cell) -> View:
        """The view of q when everything is over."""
        e = self.epoch(cell, self.contexts)
        return self.initial(cell) if e is None else self.running[q, cell.index, e]

    def verify(self) -> None:
        """The paper's verProc: what was guessed about the end of a context is what it came to."""
        for key, view in self.guessed.items():
            came = self.running[key]
            self.builder.assume(self.builder.equal(view.stamp, came.stamp))
            self.builder.assume(self.builder.equal(view.value, came.value))


def set_view(builder: Builder, view: View, when: Operand, stamp: Operand, value: Operand) -> None:
    """Replaces a running view where `when` holds."""
    assert isinstance(view.stamp, Reg) and isinstance(view.value, Reg), "only running views should change"
    builder.set(view.stamp, builder.select(when, stamp, view.stamp))
    builder.set(view.value, builder.select(when, value, view.value))
