"""Context-bounded POWER to a sequential program with guesses: Fig. 10 and Algorithms 6 to 15, event by event.

`translate` makes one function: for each process in turn its straight code, every access and fence replaced by its
translation, and at the end the comparison of all guesses. A run of it that violates no assumption is a complete run of
the POWER machine (`bounded/power_machine.py`) with at most K contexts, and the other way round; reaching its `fail`
means that an assertion failed or that the final condition is violated.

What differs from the paper, and why (docs/how/bounded.md has the arguments):

- only what must be guessed is guessed: the context where a read is initialised, where a write is committed, where
  writes and fences reach others. Everything else happens as early as it can: being early only ever enables more;
- contexts are numbered per process (its first, its second, ...), since only those of the same process are compared;
- coherence stamps (`views.py`) are numbers instead of vectors of contexts;
- commits wait until the addresses of earlier accesses are known, and reads until those of earlier writes are (ComCnd
  and CW of the paper, which its algorithms leave out); conditionals wait for what they depend on; a read of an own
  uncommitted write is compared with earlier reads like any other.
"""

from __future__ import annotations

from dataclasses import replace

from fencepost.bounded.builder import FALSE, TRUE, Label
from fencepost.bounded.process import Process, Whole
from fencepost.bounded.straight import Straight
from fencepost.bounded.views import Schedule, stamps_of
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind
from fencepost.program.operands import Operand
from fencepost.program.program import Program, Thread
from fencepost.records import dataclass


@dataclass(slots=True)
class Translated:
    """`choices` says what each Choose of the program guesses, by its index in the code; `results` which load or store
    an instruction leaves something in a register for: the value read, or the coherence stamp of the write."""

    program: Program
    choices: dict[int, tuple[object, ...]]
    results: dict[int, tuple[int, int]]
    schedule: Schedule | None


def translate(
    straight: Straight,
    contexts: int,
    schedule: Schedule | None = None,
    *,
    overtaking: bool = True,
    completion: bool = False,
) -> Translated:
    """The translation for at most `contexts` contexts, or for exactly the given schedule. `overtaking` is a rule of the
    paper's machine. `completion`: it asks for a run in which every thread ends instead."""
    translator = _Translator(straight, contexts, schedule)
    translator.overtaking = overtaking
    translator.completion = completion
    return translator.run()


class _Translator(Whole):
    def __init__(self, straight: Straight, contexts: int, schedule: Schedule | None) -> None:
        super().__init__(straight, contexts, schedule)
        self.processes: dict[int, Process] = {}
        self.completion = False

    def run(self) -> Translated:
        b = self.builder
        self._open_schedule()
        self._final_stamps()
        self._positions()
        self._foreign_syncs()
        self.open_processes()
        for p in range(self.count):
            self._process(p)
            self.views.simulated.add(p)
        self._verify()
        self.ask(self._register, self._memory, self.completion)
        function = b.finish("main")
        program = replace(
            self.program, functions=(function,), threads=(Thread("main", "main"),), observations=(), condition=None
        )
        return Translated(program, b.choices, self.results, self.schedule)

    # --- initProc

    def _open_schedule(self) -> None:
        if self.schedule is None:
            b = self.builder
            for k in range(1, self.contexts + 1):
                self.active.append(b.choose(0, self.count - 1, f"active.{k}", "active", k))
            self.views.start(None, self.locations.cells)

    def _final_stamps(self) -> None:
        """What everybody has seen of each cell in the end: a complete run leaves no two opinions."""
        for cell in self.locations.cells:
            if cell.total > 1:
                largest = stamps_of(cell).largest
                self.final_stamp[cell.index] = self.builder.choose(0, largest, f"final.{cell.name}", "view")

    def _positions(self) -> None:
        """Whose the write at each position in coherence order is, for cells with read-modify-writes."""
        for cell in self.locations.cells:
            if cell.exclusive:
                for n in range(1, cell.total + 1):
                    owner = self.builder.choose(0, self.count - 1, f"owner.{cell.name}.{n}", "view")
                    self.owners.setdefault(cell.index, []).append(owner)

    def _foreign_syncs(self) -> None:
        """seen_syncs[q, r, k]: the last context in which a fence of somebody else that reached q in context k reaches
        r. It may be guessed too late, which only forbids more, but never too early."""
        if not any(isinstance(i, ins.Fence) and i.kind is not FenceKind.ISYNC
                   for f in self.program.functions for i in f.code):  # fmt: skip
            return
        for q in range(self.count):
            for r in range(self.count):
                for k in range(1, self.contexts + 1):
                    if q != r and self._may_be_active(k, {q, r}):
                        guess = self.builder.choose(0, self.contexts, f"syncs.{q}.{r}.{k}", "view")
                        self.seen_syncs[q, r, k] = guess

    def _may_be_active(self, k: int, excluded: set[int]) -> bool:
        if self.schedule is None:
            return self.count > len(excluded)
        p = self.schedule[k - 1]
        return p not in excluded and self._has_sync(p)

    def _has_sync(self, p: int) -> bool:
        code = self.program.function(self.program.threads[p].function).code
        return any(isinstance(i, ins.Fence) and i.kind is not FenceKind.ISYNC for i in code)

    # --- the processes

    def _process(self, p: int) -> None:
        b = self.builder
        mine = [k for k in range(1, self.contexts + 1) if self.schedule is None or self.schedule[k - 1] == p]
        if not mine:
            if self._empty(p):
                b.set(self.ended[p], TRUE)
            return
        skip = Label()
        if self.schedule is None:
            go = Label()
            b.branch(b.choose(0, 1, f"runs.{p}", "runs", p), go, skip)
            b.place(go)
        else:
            self.views.start(p, self.locations.cells)
        process = self.processes[p] = Process(self, p, mine)
        process.run()
        if self.schedule is None:
            # An empty process has ended without being active.
            over = Label()
            b.jump(over)
            b.place(skip)
            if self._empty(p):
                b.set(self.ended[p], TRUE)
            b.place(over)

    def _empty(self, p: int) -> bool:
        code = self.program.function(self.program.threads[p].function).code
        pc = 0
        while isinstance(jump := code[pc], ins.Jump):
            pc = jump.target
        return isinstance(code[pc], ins.Return)

    # --- verProc

    def _verify(self) -> None:
        b = self.builder
        self.views.verify()
        for cell in self.locations.cells:
            if cell.total == 0:
                continue
            final = self.final_stamp.get(cell.index)
            for q in range(self.count):
                stamp = self.views.end(q, cell).stamp
                final = stamp if final is None else final
                b.assume(b.equal(stamp, final))

    def _register(self, thread: str, register: str) -> Operand:
        p = [t.name for t in self.program.threads].index(thread)
        if p not in self.processes:
            return FALSE
        names = self.program.function(self.program.threads[p].function).registers
        return self.processes[p].registers[names.index(register)]

    def _memory(self, address: int) -> Operand:
        return self.views.end(0, self.locations.by_address[address]).value
