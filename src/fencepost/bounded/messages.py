"""Release/acquire and RC11 to a sequential program with guesses: messages and views instead of contexts.

A store is a *message*: its value, its place in the coherence order of its cell, and what a reader learns from it, the
*view*: how far it is in the coherence order of each other cell. A process has a view of its own; it reads nothing older
and writes nothing before it. (J. Kang et al., A promising semantics for relaxed-memory concurrency, POPL 2017, without
promises; O. Lahav et al., Taming release-acquire consistency, POPL 2016.) All messages of a run are guessed in front,
so the processes can be simulated one after the other, each on what it reads; every store says which message it is, and
in the end each message that was guessed has been written. There is no bound but that of the loops.

What a process knows:

- `seen`: its view. An acquiring load adds the view of the message to it, a releasing store gives it to its message;
- `learnt`: what relaxed loads found, which an acquire fence adds to the view;
- `fenced`: the view at the last release fence, which relaxed stores give to their messages;
- `released`: the view at the last releasing store to a cell, which goes on with relaxed stores to it (the release
  sequence of RC11); the message of a read-modify-write goes on with that of the message that it read.

A seq-cst fence is an update of a place of its own. Under RA every atomic access acquires and releases. Loads and
stores that do not are numbered (`clock`), so that no value comes from its own future; where all synchronise the views
see to that. Seq-cst accesses of RC11 have no place in this machine, and are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard

from fencepost.bounded.builder import FALSE, TRUE, Builder
from fencepost.bounded.locations import Cell
from fencepost.bounded.ranges import of
from fencepost.bounded.straight import Straight
from fencepost.bounded.walk import Shared, Walk
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Mode, Op
from fencepost.program.operands import Const, Operand, Reg, to_signed
from fencepost.program.program import Program, Thread
from fencepost.records import dataclass

RA, RC11, CPP20 = "ra", "rc11", "rc11-cpp20"
MODELS = (RA, RC11, CPP20)
_ACQUIRE_FENCES = frozenset({FenceKind.ACQ, FenceKind.ACQ_REL, FenceKind.SC})
_RELEASE_FENCES = frozenset({FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC})

View = dict[int, Operand]  # by cell: a place in its coherence order; 0 is the initial write


@dataclass(slots=True)
class Message:
    """A store that may happen: whether it does, whose it is, its value, its view and when it comes (1, 2, ...).
    `written`: set by the store that it is."""

    used: Operand
    owner: Operand
    value: Operand
    view: View
    clock: Operand
    written: Reg


@dataclass(frozen=True, slots=True)
class Told:
    """The translated program. `choices`: what each Choose guesses; `values` and `places`: the access that an
    instruction leaves the value that was read, or the place in coherence order, in a register for."""

    program: Program
    choices: dict[int, tuple[object, ...]]
    values: dict[int, tuple[int, int]]
    places: dict[int, tuple[int, int]]


def tell(straight: Straight, model: str, *, completion: bool = False) -> Told:
    """The translation. `completion`: it asks for a run in which every thread ends instead of a violation."""
    return _Messages(straight, model).run(completion)


class _Messages(Shared):
    def __init__(self, straight: Straight, model: str) -> None:
        super().__init__(straight)
        self.model = model
        self.places: dict[int, tuple[int, int]] = {}
        self.fences = self._fences()
        self.cells = [c for c in (*self.locations.cells, self.fences) if c.total]
        self.told = [c for c in self.cells if len(self._users(c)) > 1]
        self.timed = any(self._is_weak(i) for p in range(self.count) for i in self._reachable(p))
        self.messages: dict[int, list[Message]] = {}

    def run(self, completion: bool) -> Told:
        for cell in self.cells:
            self._guess(cell)
        self.open_processes()
        processes = [_Process(self, p) for p in range(self.count)]
        for process in processes:
            process.run()
        b = self.builder
        for messages in self.messages.values():
            for m in messages:
                b.assume(b.equal(m.used, m.written))
        names = [t.name for t in self.program.threads]

        def register(thread: str, name: str) -> Operand:
            process = processes[names.index(thread)]
            return process.registers[process.function.registers.index(name)]

        self.ask(register, self.final, completion)
        function = b.finish("main")
        program = replace(
            self.program, functions=(function,), threads=(Thread("main", "main"),), observations=(), condition=None
        )
        return Told(program, b.choices, self.results, self.places)

    # --- what there is

    def _reachable(self, p: int) -> list[ins.Instruction]:
        code = self.program.function(self.program.threads[p].function).code
        return [code[pc] for pc in self.locations.ranges.threads[p].before]

    def _fences(self) -> Cell:
        """Where seq-cst fences are updates."""
        counts = tuple(
            sum(isinstance(i, ins.Fence) and i.kind is FenceKind.SC for i in self._reachable(p))
            for p in range(self.count)
        )
        return Cell(len(self.locations.cells), "fences", -1, 8, 0, of(0), counts, True)

    def _users(self, cell: Cell) -> set[int]:
        if cell is self.fences:
            return set(cell.writers)
        locations = self.locations
        threads = range(self.count)
        return {p for p in threads if locations.touches(p, cell.address, cell.size, writes=False)}

    def _is_weak(self, i: ins.Instruction) -> bool:
        """Whether it may be half of a read that tells its process less than all that came before the store."""
        return (isinstance(i, ins.Load) and not self.acquires(i.mode)) or (
            isinstance(i, ins.Store | ins.StoreConditional) and not self.releases(i.mode)
        )

    def acquires(self, mode: Mode) -> bool:
        return mode is not Mode.NA if self.model == RA else mode.acquires

    def releases(self, mode: Mode) -> bool:
        return mode is not Mode.NA if self.model == RA else mode.releases

    def _guess(self, cell: Cell) -> None:
        """The messages of a cell in coherence order, the first of them used."""
        b, found = self.builder, list[Message]()
        steps = sum(c.total for c in self.cells)
        for n in range(1, cell.total + 1):
            name = f"{cell.name}.{n}"
            used = b.choose(0, 1, f"used.{name}", "message")
            if found:
                b.assume(b.at_least(found[-1].used, used))
            owner = b.choose(0, len(cell.writers) - 1, f"owner.{name}", "message")
            value = b.choose(cell.values.low, cell.values.high, f"value.{name}", "message")
            view = {
                d.index: b.choose(0, d.total, f"view.{name}.{d.name}", "message")
                for d in self.told
                if d is not cell and cell in self.told
            }
            clock = b.choose(1, steps, f"clock.{name}", "message") if self.timed else FALSE
            found.append(Message(used, owner, value, view, clock, b.var(f"written.{name}")))
        self.messages[cell.index] = found

    def final(self, address: int) -> Operand:
        """What memory holds in the end: the last message."""
        cell = self.locations.by_address[address]
        value: Operand = Const(to_signed(cell.initial))
        for m in self.messages.get(cell.index, ()):
            value = self.builder.select(m.used, m.value, value)
        return value


def pick(b: Builder, place: Operand, options: Sequence[Operand]) -> Operand:
    """options[place]: the initial write's comes first."""
    return b.pick(Const(place.value + 1) if isinstance(place, Const) else b.op(Op.ADD, place, Const(1)), options)


def _stores(i: ins.Instruction) -> TypeGuard[ins.Store | ins.StoreConditional]:
    return isinstance(i, ins.Store | ins.StoreConditional)


class _Process(Walk):
    shared: _Messages

    def __init__(self, whole: _Messages, p: int) -> None:
        super().__init__(whole, p)
        self.whole, b = whole, self.builder
        own = {c.index for pc in self.flowed.before for c in self._cells_at(pc)}
        known = {c.index for c in whole.told} | {c.index for c in whole.cells if c.index in own}
        self.seen: dict[int, Reg] = {n: b.var(f"seen.{p}.{n}") for n in sorted(known)}
        self.told = [c.index for c in whole.told]
        fences = {i.kind for i in self.reachable if isinstance(i, ins.Fence)}
        self.learnt = self._knowledge("learnt") if fences & _ACQUIRE_FENCES else None
        self.fenced = self._knowledge("fenced") if fences & _RELEASE_FENCES else None
        self.released: dict[int, dict[int, Reg]] = {}
        self.reserved: dict[int, Reg] = {}
        self.clock = b.var(f"clock.{p}") if whole.timed else None
        if whole.model != CPP20 and any(_stores(i) and not whole.releases(i.mode) for i in self.reachable):
            self.released = {n: self._knowledge(f"released.{n}") for n in sorted(self._releasing())}
        if any(isinstance(i, ins.StoreConditional) for i in self.reachable):
            self.reserved = self._knowledge("reservedview")

    def _releasing(self) -> set[int]:
        """The cells that it writes by releasing stores, and that others read."""
        code = self.function.code
        stores = (pc for pc in self.flowed.before if _stores(i := code[pc]) and self.whole.releases(i.mode))
        return {c.index for pc in stores for c in self._cells_at(pc)} & set(self.told)

    def _knowledge(self, name: str) -> dict[int, Reg]:
        return {n: self.builder.var(f"{name}.{self.p}.{n}") for n in self.told}

    # --- reading

    def _read(self, pc: int, i: ins.Load, cell: Cell) -> None:
        self._refuse_sc(i)
        b, messages = self.builder, self.whole.messages.get(cell.index, [])
        place = self._look(pc, cell)
        view = self._view_at(cell, place)
        self._learn(view, cell, place, acquires=self.whole.acquires(i.mode), atomic=i.mode is not Mode.NA)
        self._reserve(i, cell, place)
        if i.exclusive and cell.exclusive:
            for n in self.reserved:
                b.set(self.reserved[n], view.get(n, place if n == cell.index else FALSE))
        self._note(pc, place)
        value = pick(b, place, [Const(to_signed(cell.initial)), *(m.value for m in messages)])
        self.shared.results[len(b.code)] = (self.p, pc)
        b.set(self.registers[i.dst.index], value)

    def _look(self, pc: int, cell: Cell) -> Operand:
        """The place in coherence order that is read: of a message that is there, and not older than what is known."""
        b, messages = self.builder, self.whole.messages.get(cell.index, [])
        if not messages:
            return FALSE
        if cell.writers == (self.p,):
            return self.seen[cell.index]
        place = b.choose(0, len(messages), f"reads.{self.p}.{pc}.{cell.index}", "place", self.p, pc)
        b.assume(b.at_least(place, self.seen[cell.index]))
        b.assume(pick(b, place, [TRUE, *(m.used for m in messages)]))
        return place

    def _view_at(self, cell: Cell, place: Operand) -> View:
        """What the message there tells of other cells; one's own message tells nothing new."""
        messages = self.whole.messages.get(cell.index, [])
        if not messages or cell.writers == (self.p,):
            return {}
        return {n: pick(self.builder, place, [FALSE, *(m.view[n] for m in messages)]) for n in messages[0].view}

    def _learn(self, view: View, cell: Cell, place: Operand, *, acquires: bool, atomic: bool) -> None:
        b, messages = self.builder, self.whole.messages.get(cell.index, [])
        if messages and cell.writers != (self.p,):
            b.set(self.seen[cell.index], place)
            if self.clock is not None:
                clock = pick(b, place, [FALSE, *(m.clock for m in messages)])
                b.set(self.clock, b.largest(self.clock, clock))
        for n, there in view.items():
            if acquires:
                self._raise(self.seen[n], there)
            if atomic and self.learnt is not None:
                self._raise(self.learnt[n], there)

    def _raise(self, known: Reg, *values: Operand) -> None:
        self.builder.set(known, self.builder.largest(known, *values))

    # --- writing

    def _write(self, pc: int, i: ins.Store | ins.StoreConditional, cell: Cell) -> None:
        self._refuse_sc(i)
        b = self.builder
        updates = isinstance(i, ins.StoreConditional)
        if updates and self.whole.acquires(i.mode):
            for n, there in self.reserved.items():
                self._raise(self.seen[n], there)
        place = self._place(pc, cell, after=self.reserved_stamp if updates else None)
        self._put(cell, place, self._stored(i, cell), self._given(i, cell))
        if self.whole.releases(i.mode) and cell.index in self.released:
            for n in self.told:
                b.set(self.released[cell.index][n], self.seen[n])
        self._note(pc, place)

    def _place(self, pc: int, cell: Cell, after: Operand | None) -> Operand:
        """Where a store comes in coherence order: an update right after what it read."""
        b, seen = self.builder, self.seen[cell.index]
        if after is not None:
            place: Operand = b.op(Op.ADD, after, Const(1))
            b.assume(b.at_least(Const(cell.total), place))
        elif cell.writers == (self.p,):
            return b.op(Op.ADD, seen, Const(1))
        else:
            place = b.choose(1, cell.total, f"writes.{self.p}.{pc}.{cell.index}", "place", self.p, pc)
        b.assume(b.less(seen, place))
        return place

    def _given(self, i: ins.Store | ins.StoreConditional, cell: Cell) -> Callable[[int], Operand]:
        """What the message of this store tells of another cell."""
        if self.whole.releases(i.mode):
            sources: list[dict[int, Reg]] = [self.seen]
        elif i.mode is Mode.NA:
            sources = []
        else:
            sources = [k for k in (self.fenced, self.released.get(cell.index)) if k is not None]
        if isinstance(i, ins.StoreConditional):
            sources.append(self.reserved)
        return lambda n: self.builder.largest(FALSE, *(known[n] for known in sources))

    def _put(self, cell: Cell, place: Operand, value: Operand, given: Callable[[int], Operand]) -> None:
        b, messages = self.builder, self.whole.messages[cell.index]
        if len(cell.writers) > 1:
            owner = b.pick(place, [m.owner for m in messages])
            b.assume(b.equal(owner, Const(cell.writers.index(self.p))))
        b.assume(b.equal(b.pick(place, [m.value for m in messages]), value))
        for n in messages[0].view:
            b.assume(b.equal(b.pick(place, [m.view[n] for m in messages]), given(n)))
        if self.clock is not None:
            b.set(self.clock, b.op(Op.ADD, self.clock, Const(1)))
            b.assume(b.equal(b.pick(place, [m.clock for m in messages]), self.clock))
        for n, m in enumerate(messages, start=1):
            b.set(m.written, b.either(m.written, b.equal(place, Const(n))))
        b.set(self.seen[cell.index], place)

    def _note(self, pc: int, place: Operand) -> None:
        """Marks the place for the witness."""
        self.whole.places[len(self.builder.code)] = (self.p, pc)
        self.builder.set(self.builder.var(f"place.{self.p}.{pc}"), place)

    def _refuse_sc(self, i: ins.Load | ins.Store | ins.StoreConditional) -> None:
        if self.whole.model != RA and i.mode is Mode.SC:
            raise UnsupportedError(
                f"the seq-cst access at {i.at} has no place in the bounded search under {self.whole.model};"
                " `fencepost check` explores it"
            )

    def _assigned(self, register: Reg, *operands: Operand) -> None:
        """Dependencies order nothing here."""

    def _control(self, condition: Operand) -> None:
        """Nor do conditionals."""

    # --- fences

    def _fence(self, pc: int, i: ins.Fence) -> None:
        if i.kind in _ACQUIRE_FENCES and self.learnt is not None:
            for n in self.told:
                self._raise(self.seen[n], self.learnt[n])
        if i.kind is FenceKind.SC and self.whole.fences in self.whole.told:
            self._may_stop(pc)
            self._update_fences(pc)
        if i.kind in _RELEASE_FENCES and self.fenced is not None:
            for n in self.told:
                self.builder.set(self.fenced[n], self.seen[n])

    def _update_fences(self, pc: int) -> None:
        cell = self.whole.fences
        read = self._look(pc, cell)
        self._learn(self._view_at(cell, read), cell, read, acquires=True, atomic=True)
        self._put(cell, self._place(pc, cell, after=read), FALSE, lambda n: self.seen[n])
        self._note(pc, self.seen[cell.index])
