"""One process of the translation: its straight code, every access and fence replaced by its translation.

Algorithms 6 to 14 of the paper; `translate.py` says what differs, and puts the processes together.
"""

from __future__ import annotations

from fencepost.bounded.builder import FALSE, TRUE, Builder
from fencepost.bounded.locations import Access, Cell
from fencepost.bounded.straight import Straight
from fencepost.bounded.views import Schedule, Views, set_view, stamps_of
from fencepost.bounded.walk import Shared, Walk
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction, Op
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.rewrite import used
from fencepost.records import dataclass

NEVER = 0


@dataclass(frozen=True, slots=True)
class When:
    """The contexts in which a value is there: initialised, and committed."""

    init: Operand
    commit: Operand


@dataclass(slots=True)
class Number:
    """A context kept along a process. In a process that is active only once it is always 1 and costs nothing."""

    builder: Builder
    register: Reg | None
    first: Operand

    @property
    def now(self) -> Operand:
        return self.first if self.register is None else self.register

    def set(self, value: Operand) -> None:
        if self.register is not None:
            self.builder.set(self.register, value)

    def raise_to(self, *values: Operand) -> None:
        if self.register is not None:
            self.set(self.builder.largest(self.register, *values))


class Whole(Shared):
    """What the processes of one translation share."""

    def __init__(self, straight: Straight, contexts: int, schedule: Schedule | None) -> None:
        super().__init__(straight)
        self.overtaking = True
        self.schedule, self.contexts = schedule, contexts
        stamps = [stamps_of(c) for c in self.locations.cells]
        self.views = Views(self.builder, self.count, contexts, schedule, stamps)
        self.active: list[Operand] = []
        self.final_stamp: dict[int, Operand] = {}
        self.seen_syncs: dict[tuple[int, int, int], Operand] = {}
        self.owners: dict[int, list[Operand]] = {}


class Process(Walk):
    """The translation of one process. Contexts are numbered 1.. among those where it may be active (`mine`)."""

    def __init__(self, whole: Whole, p: int, mine: list[int]) -> None:
        super().__init__(whole, p)
        self.whole, self.mine, b = whole, mine, whole.builder
        self.first: Operand = Const(1)
        if whole.schedule is None:
            self.first = b.choose(1, len(mine), f"first.{p}", "first", p)
            self._must_be_active(self.first)
        kinds = {i.kind for i in self.reachable if isinstance(i, ins.Fence)}
        computed = any(isinstance(i, Access) and isinstance(i.address, Reg) for i in self.reachable)
        used = {o.index for i in self.reachable for o in _registers(i)}
        self.when = [
            (self._number(f"init.{p}.{n}"), self._number(f"commit.{p}.{n}")) if r in used else None
            for r, n in enumerate(self.function.registers)
        ]
        cells = whole.locations.cells
        touched = {c.index for pc in self.flowed.before for c in self._cells_at(pc)}
        self.init_w, self.commit_w, self.commit_r = (
            {c.index: self._number(f"{what}.{p}.{c.name}") for c in cells if c.index in touched}
            for what in ("initW", "commitW", "commitR")
        )
        self.own_value = {c.index: b.var(f"own.{p}.{c.name}") for c in cells if c.writes[p] and self.many}
        stamped = self.many or FenceKind.EIEIO in kinds
        self.own_stamp = {c.index: b.var(f"ownstamp.{p}.{c.name}") for c in cells if c.writes[p] and stamped}
        self.read_stamp = {c.index: b.var(f"readstamp.{p}.{c.name}") for c in cells if c.index in touched and self.many}
        self.control = self._number(f"ctrl.{p}")
        self.ack = self._number(f"ack.{p}", FenceKind.SYNC in kinds)
        self.lwsync = self._number(f"lwsync.{p}", FenceKind.LWSYNC in kinds)
        self.isync = self._number(f"isync.{p}", FenceKind.ISYNC in kinds)
        self.eieio = self._number(f"eieio.{p}", FenceKind.EIEIO in kinds)
        self.writes = self._number(f"writes.{p}", FenceKind.EIEIO in kinds)
        self.accesses = self._number(f"accesses.{p}", bool(kinds - {FenceKind.ISYNC}))
        self.address_commit = self._number(f"addresses.{p}", FenceKind.ISYNC in kinds and computed)
        self.address_known = self._number(f"known.{p}", computed)
        self.write_known = self._number(f"knownW.{p}", computed)
        self.sync_reached = {q: b.var(f"reached.{p}.{q}") for q in self.others} if kinds - {FenceKind.ISYNC} else {}

    @property
    def many(self) -> bool:
        return len(self.mine) > 1

    @property
    def others(self) -> list[int]:
        return [q for q in range(self.whole.count) if q != self.p]

    def _number(self, name: str, wanted: bool = True) -> Number:
        if not self.many or not wanted:
            return Number(self.builder, None, self.first)
        return Number(self.builder, self.builder.var(name, self.first), self.first)

    def _must_be_active(self, context: Operand, unless: Operand = FALSE) -> None:
        if self.whole.schedule is None:
            b = self.builder
            chosen = b.pick(context, self.whole.active)
            b.assume(b.either(unless, b.equal(chosen, Const(self.p))))

    def _context(self, name: str, pc: int, *what: object, least: Operand, never: bool = False) -> Operand:
        """A guess of one of the contexts of this process, not before `least`."""
        b = self.builder
        low = NEVER if never else 1
        guess = b.choose(low, len(self.mine), f"{name}.{self.p}.{pc}", name, self.p, pc, *what)
        skipped = b.equal(guess, Const(NEVER)) if never else FALSE
        b.assume(b.either(skipped, b.at_least(guess, least)))
        if not isinstance(guess, Const):
            self._must_be_active(b.select(skipped, self.first, guess))
        return guess

    # --- the code

    def run(self) -> None:
        self._foresee()
        super().run()

    def _foresee(self) -> None:
        """Guesses, before the code, what other processes will have made of the cells that this one looks at."""
        fences = bool(self.sync_reached)
        for cell in self.whole.locations.cells:
            if fences or cell.index in self.commit_r:
                for k in self.mine:
                    for q in range(self.whole.count) if fences else (self.p,):
                        self.whole.views.at(self.p, q, cell, k)

    def _when(self, *operands: Operand) -> When:
        known = [self.when[o.index] for o in operands if isinstance(o, Reg)]
        pairs = [w for w in known if w is not None]
        b = self.builder
        init = b.largest(self.first, *(i.now for i, _ in pairs))
        return When(init, b.largest(self.first, *(c.now for _, c in pairs)))

    def _fences(self) -> tuple[Operand, Operand, Operand]:
        """AllSyncCnd."""
        return self.ack.now, self.lwsync.now, self.isync.now

    def _assigned(self, register: Reg, *operands: Operand) -> None:
        pair = self.when[register.index]
        if pair is None or not self.many:
            return
        when, b = self._when(*operands), self.builder
        init = b.largest(when.init, *self._fences())
        commit = b.largest(init, when.commit, self.control.now)
        pair[0].set(init)
        pair[1].set(commit)

    def _control(self, condition: Operand) -> None:
        """ComACI: a conditional commits after what it depends on, after earlier ones and after fences."""
        if self.many:
            self.control.raise_to(self._when(condition).commit, *self._fences())

    # --- accesses

    def _access(self, pc: int, i: Access) -> None:
        when = self._when(i.address)  # before a load can overwrite the register that its address came from
        super()._access(pc, i)
        if isinstance(i.address, Reg):
            self.address_commit.raise_to(when.commit)
            self.address_known.raise_to(when.init)
            if not isinstance(i, ins.Load):
                self.write_known.raise_to(when.init)

    def _stamps(self, q: int, cell: Cell) -> list[Operand]:
        return [self.whole.views.at(self.p, q, cell, k).stamp for k in self.mine]

    def _read(self, pc: int, i: ins.Load, cell: Cell) -> None:
        """Algorithms 9 and 10."""
        b, x, address = self.builder, cell.index, self._when(i.address)
        least = b.largest(address.init, *self._fences(), self.init_w[x].now, self.write_known.now)
        init = self._context("read", pc, cell.index, least=least)
        seen = b.pick(init, [self.whole.views.at(self.p, self.p, cell, k).value for k in self.mine])
        stamp = b.pick(init, self._stamps(self.p, cell))
        if self.many and x in self.own_value:
            local = b.less(init, self.commit_w[x].now)
            seen = b.select(local, self.own_value[x], seen)
            stamp = b.select(local, self.own_stamp[x], stamp)
        self._reserve(i, cell, stamp)
        if self.many:
            if stamp != FALSE:
                b.assume(b.at_least(stamp, self.read_stamp[x]))
                b.set(self.read_stamp[x], stamp)
            commit = b.largest(
                init, address.commit, self.control.now, self.commit_r[x].now, self.commit_w[x].now,
                self.address_known.now,
            )  # fmt: skip
            self.commit_r[x].set(commit)
            self.accesses.raise_to(commit)
            pair = self.when[i.dst.index]
            if pair is not None:
                pair[0].set(init)
                pair[1].set(commit)
        self.whole.results[len(b.code)] = (self.p, pc)
        b.set(self.registers[i.dst.index], seen)

    def _write(self, pc: int, i: ins.Store | ins.StoreConditional, cell: Cell) -> None:
        """Algorithms 7 and 8."""
        b, x, views = self.builder, cell.index, self.whole.views
        value = self._stored(i, cell)
        needs = self._when(i.address, i.value)
        init = b.largest(needs.init, *self._fences())
        least = b.largest(
            init, needs.commit, self.control.now, self.commit_r[x].now, self.commit_w[x].now, self.address_known.now,
            self.eieio.now,
        )  # fmt: skip
        commit = self._context("commit", pc, x, least=least)
        lower = b.pick(commit, self._stamps(self.p, cell))
        reaches: dict[int, Operand] = {}
        for q in self.others:
            reach = self._propagation(pc, cell, q, commit)
            before = b.pick(reach, self._stamps(q, cell))
            lower = b.largest(lower, b.select(b.equal(reach, Const(NEVER)), FALSE, before))
            reaches[q] = reach
        given = self._stamp(pc, i, cell, lower)
        self.whole.results[len(b.code)] = (self.p, pc)
        stamp = b.var(f"stamp.{self.p}.{pc}", given)
        for q in self.others:
            if cell.total > 1:
                overtaken = b.less(stamp, self.whole.final_stamp[x])
                b.assume(b.either(b.op(Op.NE, reaches[q], Const(NEVER)), overtaken))
        if not self.whole.overtaking:
            self._brings_fences(cell, stamp, commit)
        for n, k in enumerate(self.mine, start=1):
            set_view(b, views.running[self.p, x, k], b.equal(commit, Const(n)), stamp, value)
            for q in self.others:
                set_view(b, views.running[q, x, k], b.equal(reaches[q], Const(n)), stamp, value)
        if self.many:
            self.init_w[x].set(init)
            self.commit_w[x].set(commit)
            self.accesses.raise_to(commit)
            self.writes.raise_to(commit)
            b.set(self.own_value[x], value)
        if x in self.own_stamp:
            b.set(self.own_stamp[x], stamp)

    def _brings_fences(self, cell: Cell, stamp: Operand, commit: Operand) -> None:
        """What the paper does not ask: where another process lets q see a write that overtakes this one, the fences
        that this one is behind have reached q."""
        b = self.builder
        if cell.total <= 1:
            return  # nothing overtakes it
        for q in self.others:
            own = self._global(self.sync_reached[q]) if self.sync_reached else FALSE
            fences = b.largest(
                b.select(b.equal(self.sync_reached.get(q, FALSE), FALSE), FALSE, own), self._foreign(q, commit)
            )
            if fences == FALSE:
                continue
            for k in range(1, self.whole.contexts + 1):
                mine = self._is_mine(k)
                if mine != TRUE:
                    seen = b.at_least(self._seen_after(q, cell, k), stamp)
                    b.assume(b.either(mine, b.either(b.negate(seen), b.at_least(Const(k), fences))))

    def _is_mine(self, k: int) -> Operand:
        if self.whole.schedule is None:
            return self.builder.equal(self.whole.active[k - 1], Const(self.p))
        return TRUE if k in self.mine else FALSE

    def _seen_after(self, q: int, cell: Cell, k: int) -> Operand:
        """The stamp of what q has seen of a cell when context k, of another process, is over."""
        views = self.whole.views
        if self.whole.schedule is not None:
            return views.at(self.p, q, cell, k).stamp
        later = views.guessed.get((q, cell.index, k))
        return self.whole.final_stamp[cell.index] if later is None else later.stamp

    def _propagation(self, pc: int, cell: Cell, q: int, commit: Operand) -> Operand:
        """PropWrite: where the write reaches q, after every fence that this process had seen has reached q."""
        b = self.builder
        after: Operand = commit
        if self.sync_reached:
            after = b.largest(after, self.sync_reached[q])
        reach = self._context("propagate", pc, cell.index, q, least=after, never=cell.total > 1)
        foreign = self._foreign(q, commit)
        if foreign != FALSE:
            late = b.at_least(self._global(reach), foreign)
            b.assume(b.either(b.equal(reach, Const(NEVER)), late))
        return reach

    def _global(self, context: Operand) -> Operand:
        return self.builder.pick(context, [Const(k) for k in self.mine])

    def _foreign(self, r: int, context: Operand) -> Operand:
        """The last context in which a fence of a third process that has reached us by now reaches r."""
        b, known = self.builder, self.whole.seen_syncs
        found: list[Operand] = []
        for own in self.mine:
            found.append(b.largest(FALSE, *(g for (q, s, k), g in known.items() if (q, s) == (self.p, r) and k <= own)))
        return b.pick(context, found)

    def _stamp(self, pc: int, i: ins.Store | ins.StoreConditional, cell: Cell, lower: Operand) -> Operand:
        """The least stamp of this process above all that the write must come after; where positions are guessed, one
        of this process, for a store-conditional the one after what its load-reserve read."""
        b, stamps = self.builder, stamps_of(cell)
        if cell.exclusive:
            if isinstance(i, ins.Store):
                position = b.choose(1, cell.total, f"position.{self.p}.{pc}", "view")
            else:
                position = b.op(Op.ADD, self.reserved_stamp, Const(1))
            b.assume(b.less(lower, position))
            b.assume(b.equal(b.pick(position, self.whole.owners[cell.index]), Const(self.p)))
            return position
        if stamps.shift == 0:
            return b.op(Op.ADD, lower, Const(1))
        above = b.op(Op.ADD, b.op(Op.LSHR, lower, Const(stamps.shift)), Const(1))
        return b.op(Op.OR, b.op(Op.SHL, above, Const(stamps.shift)), Const(stamps.owner(self.p)))

    # --- fences

    def _fence(self, pc: int, i: ins.Fence) -> None:
        if i.kind is FenceKind.ISYNC:
            self.isync.raise_to(self.control.now, *self._fences(), self.address_commit.now)
            return
        self._may_stop(pc)
        b, light = self.builder, i.kind is FenceKind.EIEIO
        commit = b.largest(self.control.now, *self._fences(), self.writes.now if light else self.accesses.now)
        reaches = {q: self._context("fence", pc, q, least=commit) for q in self.others}
        for cell in self.whole.locations.cells:
            if cell.writes[self.p] if light else cell.total:
                seen = self.own_stamp[cell.index] if light else b.pick(commit, self._stamps(self.p, cell))
                for q in self.others:
                    b.assume(b.at_least(b.pick(reaches[q], self._stamps(q, cell)), seen))
        for q in self.others:
            b.set(self.sync_reached[q], b.largest(self.sync_reached[q], reaches[q]))
        self._tell_others(reaches)
        if i.kind is FenceKind.SYNC:
            self.ack.raise_to(*reaches.values())
        else:
            (self.eieio if light else self.lwsync).raise_to(commit)

    def _tell_others(self, reaches: dict[int, Operand]) -> None:
        b = self.builder
        for (q, r, k), guess in self.whole.seen_syncs.items():
            if q in reaches and r in reaches and k in self.mine:
                elsewhere = b.op(Op.NE, reaches[q], Const(self.mine.index(k) + 1))
                b.assume(b.either(elsewhere, b.at_least(guess, self._global(reaches[r]))))


def _registers(i: Instruction) -> list[Reg]:
    return [o for o in used(i) if isinstance(o, Reg)]
