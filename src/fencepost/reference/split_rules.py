"""What an event of a SplitGraph needs, directly and in its own thread, under each model that lets events commit out of
program order: the table of docs/how/power.md. `native/models/commit_rules.hpp` is the fast one."""

from __future__ import annotations

from dataclasses import field

from fencepost.program import instructions as ins
from fencepost.program.dependencies import Deps
from fencepost.program.fences import ALL, INSTRUCTION_BARRIERS, ORDERS, RR, RW, Orders
from fencepost.program.instructions import FenceKind, Mode, Tag
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.records import dataclass
from fencepost.reference.graph import flags, names
from fencepost.reference.split_graph import OUTCOME, Node, Split, SplitGraph

#: The models with rules of their own.
MODELS = ("power", "armv8", "riscv", "armv7", "imm")
_SYSTEM = (Kind.SPAWN, Kind.JOIN, Kind.FREE)


@dataclass
class Needs:
    always: set[Node] = field(default_factory=set)  # a read, the data of a write, every other event
    commit: set[Node] = field(default_factory=set)  # a write: its commit, besides
    outside: set[Node] = field(default_factory=set)  # a read that sees no write of its own thread, besides


@dataclass(frozen=True, slots=True)
class Target:
    """The event that needs something: what its thread is about to do."""

    thread: int
    slot: int
    action: Action
    state: ThreadState
    outcome: bool = False  # whether a store-conditional succeeds

    @property
    def is_read(self) -> bool:
        return self.action.kind is Kind.READ

    @property
    def is_write(self) -> bool:
        return self.action.kind is Kind.WRITE and not self.outcome

    @property
    def is_access(self) -> bool:
        return self.is_read or self.is_write


class Rules:
    """The rules of a model; "weakest": what every model has."""

    def __init__(self, model: str, machine: Machine) -> None:
        self.model, self.machine = model, machine

    def of(self, g: SplitGraph, f: Target) -> Needs:
        """pre: everything po-before it is there and committed."""
        n = Needs()
        self._own(g, f, n.always)
        if f.is_write:
            self._need(g, f.thread, f.action.control_deps, n.commit)
        for d in (d for d in g.slots(f.thread) if d[1] < f.slot):
            action = g.events[d].action
            self._need(g, f.thread, action.address_deps, n.always)  # so that slots and locations are known
            if action.kind in _SYSTEM or f.action.kind in _SYSTEM:
                n.always |= all_of(g, d)
            elif self.model != "weakest" and not f.outcome:
                self._relate(g, d, f, n)
        return n

    def waits_for_commit(self, g: SplitGraph, w: Node, read: Split) -> bool:
        """Where a read sees a write of its own thread: whether that must be committed."""
        a = g.events[w].action
        if g.events[w].pair is None and not a.rmw and a.conditional is None:
            return False
        return self.model == "riscv" or (self.model == "armv8" and surely_acquires(read))

    def _need(self, g: SplitGraph, thread: int, deps: Deps, out: set[Node]) -> None:
        for _, slot in names(deps):
            if (e := g.at(thread, slot)) is not None:
                out.add(g.whole(e))
        for _, slot in flags(deps):
            if (e := g.at(thread, slot)) is not None:
                out.add(g.outcome(e) or g.whole(e))

    def _own(self, g: SplitGraph, f: Target, out: set[Node]) -> None:
        a = f.action
        self._need(g, f.thread, a.address_deps, out)
        self._need(g, f.thread, a.control_deps, out)
        if not f.outcome:
            self._need(g, f.thread, a.data_deps, out)
        self._need(g, f.thread, self.compared(a, f.state), out)  # whether it is served
        if f.outcome and a.conditional is not None:  # whether it is a pair
            ((_, reserve),) = names(frozenset({a.conditional}))
            if (r := g.at(f.thread, reserve)) is not None:
                self._need(g, f.thread, g.events[r].action.address_deps, out)
        if f.is_write and (f.thread, f.slot, OUTCOME) in g.events:
            out.add((f.thread, f.slot, OUTCOME))
        if f.thread in g.children:
            out.add(g.children[f.thread])
        if a.kind is Kind.JOIN:
            for d in g.slots(a.value):
                out |= all_of(g, d)

    def compared(self, a: Action, state: ThreadState) -> Deps:
        """What decides whether a wait ends, besides what it reads."""
        frame, i = state.frames[-1], state.instruction()
        if a.kind is not Kind.READ:
            return frozenset()
        if isinstance(i, ins.BlockingCas):
            return self.machine.deps(frame, i.expected)
        return self.machine.deps(frame, i.operand, i.mask) if isinstance(i, ins.Await) else frozenset()

    # --- one event of the thread, and one after it

    def _relate(self, g: SplitGraph, d: Node, f: Target, n: Needs) -> None:
        if _may_be_missing(g, d):
            return None
        a = g.events[d].action
        if a.kind is Kind.FENCE:
            return self._after_fence(d, a.fence, f, n)
        if a.kind in (Kind.ATOMIC_BEGIN, Kind.ATOMIC_END):  # it needs no more than what f needs anyway
            n.always.add(d)
            return None
        cas, reads, writes = _of_compare_exchange(g, d), a.kind is Kind.READ, a.kind is Kind.WRITE
        if f.action.kind is Kind.FENCE:
            if self._precedes_fence(f.action.fence, a, cas=cas):
                n.always |= all_of(g, d)
            return None
        if not f.is_access or not (reads or writes):
            return None
        self._by_mode(g, d, f, n, cas=cas)
        if a.address == f.action.address:
            self._by_location(g, d, f, n, cas=cas)
        return None

    def _orders(self, kind: FenceKind | None) -> Orders:
        return ALL if self.model == "imm" else ORDERS.get(kind, frozenset()) if kind else frozenset()

    def _precedes_fence(self, kind: FenceKind | None, a: Action, *, cas: bool) -> bool:
        if kind in INSTRUCTION_BARRIERS:
            return False
        firsts = {pair[0] for pair in self._orders(kind)}
        if a.kind is Kind.READ:  # a barrier for loads does not wait for an atomic update whose result goes nowhere
            return "r" in firsts and not (self.model == "armv8" and a.tag is Tag.NORETURN and "w" not in firsts)
        return a.kind is Kind.WRITE and "w" in firsts and not (cas and "r" not in firsts)

    def _after_fence(self, d: Node, kind: FenceKind | None, f: Target, n: Needs) -> None:
        if kind in INSTRUCTION_BARRIERS:  # it needs no more than what f needs anyway
            n.always.add(d)
            return
        orders = self._orders(kind)
        seconds = {pair[1] for pair in orders}
        if f.is_read and "r" in seconds:
            n.always.add(d)
        if f.is_write and "w" in seconds:
            (n.always if {RR, RW} <= orders else n.commit).add(d)

    def _by_mode(self, g: SplitGraph, d: Node, f: Target, n: Needs, *, cas: bool) -> None:
        if self.model in ("power", "armv7"):  # which know no modes
            return
        e, a = g.events[d], g.events[d].action
        reads, writes = g.is_read(d), a.kind is Kind.WRITE  # or would, were it no failure
        acquires = reads and surely_acquires(e)
        if acquires and not (self.model == "imm" and self._may_be_forwarded(g, d, f)):
            n.always.add(d)
        if f.is_write and f.action.mode.releases:
            n.commit |= all_of(g, d)
        sure = f.is_read and _surely_acquires(f.action, f.state)
        if self.model == "riscv":  # both halves of an annotated AMO are annotated
            pair = g.events[e.pair] if g.is_write(d) and a.rmw and e.pair is not None else None
            if pair is not None and pair.action.part is Part.RMW and e.mode.acquires:
                n.always |= all_of(g, d)
            if f.is_read and f.action.part is Part.RMW and f.action.mode.releases:
                n.always |= all_of(g, d)
        sure &= f.action.mode is not Mode.ACQ_PC
        if self.model == "armv8" and writes and not cas and e.mode.releases and sure:
            n.always |= all_of(g, d)
        if self.model == "imm" and reads and a.part in (Part.RMW, Part.BLOCKING_CAS):
            n.always.add(d)

    def _by_location(self, g: SplitGraph, d: Node, f: Target, n: Needs, *, cas: bool) -> None:
        every = all_of(g, d)
        match self.model:
            case "power":
                n.always |= every
            case "armv8" | "riscv":
                (n.commit if f.is_write else n.outside).update(every)
            case "armv7" if f.is_read:
                n.outside |= every
            case "imm" if g.events[d].action.kind is Kind.WRITE and not cas:
                if f.is_read:
                    n.outside |= every
                if f.is_write and g.events[d].mode.releases:
                    n.commit |= every

    # --- IMM: an acquiring read that may see a write of its own thread orders less

    def _may_be_forwarded(self, g: SplitGraph, r: Node, f: Target) -> bool:
        """Whether an acquiring read may see a write of its own thread whose value depends on what f need not wait for.
        A compare-exchange may come out otherwise, unless f waits for all that decides."""
        for d in (d for d in g.slots(r[0]) if d[1] < r[1]):
            e = g.events[d]
            if e.action.kind not in (Kind.READ, Kind.WRITE) or e.action.address != g.events[r].action.address:
                continue
            if g.is_write(d) and not self._awaited(g, e.action.data_deps, f):
                return True
            if g.compares(d):
                i = e.state.instruction()
                assert isinstance(i, ins.Cas), "what compares should be a compare-exchange"
                expected = self.machine.deps(e.state.frames[-1], i.expected)
                if not (_controls(d[1], f) and self._awaited(g, expected, f)):
                    return True
        return False

    def _awaited(self, g: SplitGraph, deps: Deps, f: Target) -> bool:
        return all(self._is_awaited(g, slot, f) for _, slot in names(deps) | flags(deps))

    def _is_awaited(self, g: SplitGraph, slot: int, f: Target) -> bool:
        if _controls(slot, f):
            return True
        d = g.at(f.thread, slot)
        if d is None or not g.is_read(d) or not surely_acquires(g.events[d]):
            return False
        return not self._may_be_forwarded(g, d, f)


def all_of(g: SplitGraph, d: Node) -> set[Node]:
    """An event with all its parts."""
    outcome = g.outcome(d)
    return {g.whole(d)} | ({outcome} if outcome is not None else set())


def surely_acquires(e: Split) -> bool:
    """However a compare-exchange comes out."""
    return _surely_acquires(e.action, e.state)


def _surely_acquires(a: Action, state: ThreadState) -> bool:
    i = state.instruction()
    return a.mode.acquires and (not isinstance(i, ins.Cas) or i.failure.acquires)


def _controls(slot: int, f: Target) -> bool:
    return any(k == slot for _, k in names(f.action.control_deps))


def _of_compare_exchange(g: SplitGraph, d: Node) -> bool:
    e = g.events[d]
    return g.is_write(d) and e.action.rmw and e.pair is not None and g.compares(e.pair)


def _may_be_missing(g: SplitGraph, d: Node) -> bool:
    """The write of a compare-exchange need not be there in another execution; where its read is known, it is if
    nothing else decides."""
    if not _of_compare_exchange(g, d):
        return False
    pair = g.events[d].pair
    assert pair is not None, "a compare-exchange should have read"
    decides = g.events[d].action.control_deps
    reads = g.events[pair].action.control_deps
    known = {slot for _, slot in names(reads) | flags(reads)}
    return any(slot != pair[1] and slot not in known for _, slot in names(decides) | flags(decides))
