"""TruSt for models that allow cycles of po ∪ rf: POWER, ARMv8, RISC-V. Every consistent execution exactly once.

It is `trust.visit`, word for word, with *commit-before* in the place of porf, on graphs that may have *holes*.

**Commit-before.** cb = (rf ∪ spawns ∪ before)+, where before(e) are events of e's own thread, po-before e:

    dependencies    addr, data and ctrl of e; what a CAS, a blocking CAS or an await compares with
                    (those of an await or a blocking CAS go on as ctrl: both are loops)
    addr;po         what the address of any access po-before e depends on
    po-loc          every access to the same address; a store-conditional that failed counts as the write it may be
    fences          f before e, where f is a fence po-before e whose second set has e's kind (R or W);
                    e before f, where f is a fence po-after e whose first set has e's kind; and everything
                    after an instruction barrier (isync, isb, fence.i), which itself only has ctrl and addr;po
    modes           after an acquire read; before a release write; release before acquire (not before LDAPR);
                    RISC-V, where both halves of an AMO are annotated: before a releasing read, after an acquiring write
    system          spawn, join, begin, end: as a full fence. A CHOOSE comes before everything po-after it
    flag            what depends on the success of a store-conditional comes after that store-conditional
    RMW             whatever comes after the read of a read-modify-write instruction comes after its write

before(e) is computed once, when e is added (then everything po-before e is there), and kept with e. It must have two
properties. *Validity*: cb is acyclic in every consistent execution. A cycle enters a thread by rf into a read and
leaves it by rf from a write, so only the pairs R×W of before+ matter; those are in the global order of each model.
That is why whole fences, W→R pairs of lwsync, ctrl and addr;po to reads, and po-loc are all harmless. *Enough*:
before contains every po-part of the model's orders (ppo and fences of POWER, the po-parts of ob for ARMv8, of ppo for
RISC-V). Therefore an event that is missing in a cb-closed graph is a sink in every relation of the model: read from
the coherence-last write, or placed last in coherence, it never makes the graph inconsistent. Exactly-once rests on
that.

**Holes.** `visit`, `place`, Del, Prev and `maximal` are those of TruSt with cb:

    a write a revisits a read r of its location with (r,a) ∉ cb
    Del  := { e | r < e, (e,a) ∉ cb, e ≠ a }
    Prev(e) := { d | d ≤ e or (d,a) ∈ cb } \\ {a}

`<` is the order of adding. A revisit keeps it for all that is kept, r in its old place, a last; an event that fills a
hole is added like any other, and is therefore last. Del is not closed under po: what is kept may be po-after what is
deleted, and po-after r. It does not change: all branches before it are in its prefix (ctrl), so the thread takes the
same path and each kept event stands again at its po index; all addresses before it are in its prefix (addr;po), so no
missing event can come to its location; its own address and value are in its prefix. (`_again` asserts that.) A
maximal e is never read by a kept event, so whoever reads from Del forbids the revisit, as in TruSt.

The next event is the first missing one of the first thread that can move, but the write of a read-modify-write comes
first. Local states after a hole are void: a thread is run again from the first missing event on and passes the kept
events with the values they have (a snapshot per event serves up to the first hole). The label of a revisited read is
made from the thread as it was when the read was first added (`Label.origin`): everything before it that it compares
with is in its prefix, while what else is po-before it may be missing now.

A compare-exchange always takes two po indices: where it fails, the second is an event that is not shown. Otherwise
whatever follows would change its index when the compare-exchange is in a hole and comes out differently.

Consistency is checked on the graph as it is; a relation through a missing event (addr;po through a hole) is seen
later.

**Canonical choices**, so that a deleted event has one way to have been added:

    read                    reads the coherence-last write of Prev
    write                   coherence-last in Prev
    CHOOSE                  the least value
    store-conditional       that may fail: failing, always possible. One that succeeded is never maximal
    write of an RMW         its place is fixed by its read, so it is no sink. With the RMW rule above it is deleted only
                            together with its read, which must read the coherence-last write: then it is last, too

The RMW rule is valid unless the written value depends on a read d (or the like) that the RMW's read does not need
(`late operand`: x.fetch_add(d)): the model lets something depend on the read, be seen elsewhere and feed d. Only
there the write is exempt from the rule and gets a canonical alternative, the *phantom*: the thread goes on without
the write; such a graph is explored for its revisits, which delete the phantom, and is no execution itself. Without it
such executions are lost: 2 of 8 for  d=y; e=xchg(x,d); z=e || y=f(z) || x=2.

What is left out, because cb is stronger than the model there: a value that depends on the *success* of a
store-conditional whose data feeds back from it; and, on ARMv8 and RISC-V, a read that sees its own thread's write by
forwarding before what that write waits for (r=x; y=r; y=1; e=y; u=e || x=u: POWER forbids r=1 by po-loc, ARMv8 allows
it; a release write instead of the first write to y does the same). An engine must notice both and enumerate instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fencepost.execution.execution import EventKind
from fencepost.program import instructions as ins
from fencepost.program.dependencies import NO_DEPS, Deps
from fencepost.program.fences import INSTRUCTION_BARRIERS, ORDERS
from fencepost.program.instructions import Mode
from fencepost.program.interpret import Kind, Part, ThreadState
from fencepost.program.program import Arch, Program
from fencepost.reference.axioms import Predicate
from fencepost.reference.graph import FLAG, Exploration, Graph, Label, Name, Step, Threads, flags, names, number
from fencepost.reference.power import power
from fencepost.reference.trust import Trust


def explore(program: Program, consistent: Predicate = power) -> Exploration:
    search = CommitTrust(program, consistent)
    search.visit(Graph({}))
    return search.found


SYSTEM = (EventKind.SPAWN, EventKind.BEGIN, EventKind.JOIN, EventKind.END)


class HoleyThreads(Threads):
    """Threads of graphs with holes: an event may be there while po-earlier ones are missing."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.both_halves = program.arch is Arch.RISCV

    def step(self, graph: Graph, thread: int) -> Step | None:
        """Runs a thread from its start, as far as the graph knows it, up to the first missing event."""
        begin = graph.labels.get((thread, 0))
        if begin is not None and begin.kind is EventKind.BEGIN:
            assert begin.origin is not None
            state, index = begin.origin.state.clone(), 1
        else:
            state, index = self.machine.start(thread), 0
        while True:
            action = self.machine.run(state)
            name = (thread, index)
            label = graph.labels.get(name)
            if label is None:
                return Step(name, action, state)
            if label.stuck:
                return None
            self._again(graph, state, name, label)
            index += 2 if self.failed_cas(label) else 1

    def _again(self, graph: Graph, state: ThreadState, name: Name, label: Label) -> None:
        """Lets a thread pass an event that is in the graph; what it does must be what it did."""
        action = state.pending
        assert action is not None
        frame = state.frames[-1]
        i = frame.function.code[frame.pc]
        if action.kind is Kind.READ:
            assert label.is_read and label.address == action.address, "a kept read should not change"
            self.machine.reply(state, graph.labels[graph.rf[name]].value, number(name))
        elif action.kind is Kind.WRITE:
            if label.is_write:
                same = (label.address, label.value) == (action.address, action.value)
                assert same, "a kept write should not change"
            self.machine.reply(state, int(label.is_write), -1)
        else:
            self.machine.reply(state, label.value, number(name))
        if isinstance(i, ins.StoreConditional):
            frame.deps[i.dst.index] = frozenset({FLAG + number(name)})

    # --- adding events, with what they need committed first

    def add_read(self, graph: Graph, step: Step, write: Name) -> Graph:
        graph = self._seal(super().add_read(graph, step, write), step)
        if not self.failed_cas(graph.labels[step.name]):
            return graph
        half = replace(step, name=(step.name[0], step.name[1] + 1))
        return self._seal(graph.with_event(half.name, self.absent(step), None), half)

    def failed_cas(self, label: Label) -> bool:
        """A compare-exchange that fails keeps the po index of its write, so that those behind it do not move."""
        return label.is_read and not label.rmw and label.origin is not None and label.origin.action.part is Part.CAS

    def add_write(self, graph: Graph, step: Step) -> Graph:
        return self._seal(super().add_write(graph, step), step)

    def add_phantom(self, graph: Graph, step: Step) -> Graph:
        graph = self.add_failure(graph, step)
        label = replace(graph.labels[step.name], phantom=True)
        return replace(graph, labels={**graph.labels, step.name: label})

    def add_failure(self, graph: Graph, step: Step) -> Graph:
        return self._seal(super().add_failure(graph, step), step)

    def add_choice(self, graph: Graph, step: Step, value: int) -> Graph:
        return self._seal(super().add_choice(graph, step, value), step)

    def add_other(self, graph: Graph, step: Step) -> Graph | None:
        after = super().add_other(graph, step)
        return self._seal(after, step) if after is not None else None

    def add_end(self, graph: Graph, step: Step) -> Graph:
        return self._seal(super().add_end(graph, step), step)

    def _seal(self, graph: Graph, step: Step) -> Graph:
        label = graph.labels[step.name]
        if label.origin is not None:
            return graph
        label = replace(label, origin=step, before=frozenset(self._before(graph, step, label)))
        return replace(graph, labels={**graph.labels, step.name: label})

    def _before(self, graph: Graph, step: Step, label: Label) -> Iterator[Name]:
        for n in set(self._needs(graph, step, label)):
            yield n
            half = (n[0], n[1] + 1)
            if half != step.name and self._is_half(graph, half):
                yield half

    def _is_half(self, graph: Graph, n: Name) -> bool:
        """The second half of a read-modify-write that comes before all that its read comes before."""
        read = graph.labels.get((n[0], n[1] - 1))
        if n not in graph or read is None:
            return False
        return self.failed_cas(read) or (n in graph.pairs and not graph.labels[n].optional)

    def _needs(self, graph: Graph, step: Step, label: Label) -> Iterator[Name]:
        a = step.action
        deps = a.address_deps | a.data_deps | a.control_deps | self._compared(step.state)
        yield from names(deps)
        yield from flags(deps)
        earlier = [n for n in graph.of_thread(step.name[0]) if n < step.name]
        for n in earlier:
            e = graph.labels[n]
            yield from e.address_deps
            assert e.origin is not None or e.kind is EventKind.BEGIN
            if e.origin is not None:
                yield from flags(e.origin.action.address_deps)
            before = committed_before(e, label, both_halves=self.both_halves)
            if before or (self.both_halves and annotated(e, label, a.mode)):
                yield n

    def _compared(self, state: ThreadState) -> Deps:
        frame = state.frames[-1]
        i = frame.function.code[frame.pc]
        match i:
            case ins.Cas() | ins.BlockingCas():
                return self.machine.deps(frame, i.expected)
            case ins.Await():
                return self.machine.deps(frame, i.operand, i.mask)
        return NO_DEPS


def committed_before(e: Label, f: Label, *, both_halves: bool = False) -> bool:
    """Whether e, po-before f, must be committed before f whatever the dependencies say. `both_halves`: on RISC-V, where
    release and acquire of plain stores and loads are RCpc."""
    if e.kind in SYSTEM or f.kind in SYSTEM or (e.kind is EventKind.CHOOSE and not e.hidden):
        return True
    first, second = letter(e), letter(f)
    if e.fence in INSTRUCTION_BARRIERS:
        return True
    if f.fence is not None:
        return any(first == pair[0] for pair in ORDERS.get(f.fence, ()))
    if e.fence is not None:
        return any(second == pair[1] for pair in ORDERS.get(e.fence, ()))
    if not (first and second):
        return False
    if e.address == f.address or (first == "r" and e.mode.acquires) or (second == "w" and f.mode.releases):
        return True
    if both_halves and not ((e.rmw or e.exclusive) and (f.rmw or f.exclusive)):
        return False
    return first == "w" and e.mode.releases and second == "r" and f.mode.acquires and f.mode is not Mode.ACQ_PC


def annotated(e: Label, f: Label, mode: Mode) -> bool:
    """RISC-V annotates both halves of a read-modify-write: its read releases, too, and its write acquires. `mode` is
    that of the instruction of f: whether a compare-exchange fails is not known before it is committed."""
    return (letter(e) != "" and letter(f) == "r" and mode.releases) or (letter(e) == "w" and e.mode.acquires)


def letter(e: Label) -> str:
    """r for reads; w for writes and for store-conditionals that failed, which might have been writes."""
    return "r" if e.is_read else "w" if e.is_write or e.hidden else ""


class CommitTrust(Trust):
    def __init__(self, program: Program, consistent: Predicate) -> None:
        super().__init__(program, consistent)
        self.threads: HoleyThreads = HoleyThreads(program)

    def write(self, graph: Graph, a: Name) -> None:
        label = graph.labels[a]
        if label.rmw and not label.exclusive and self.late_operand(graph, a):
            assert label.origin is not None
            self.visit(self.threads.add_phantom(graph.without({a}), label.origin))
            graph = replace(graph, labels={**graph.labels, a: replace(label, optional=True)})
        super().write(graph, a)

    def late_operand(self, graph: Graph, a: Name) -> bool:
        """Whether the write of a read-modify-write needs something in its thread that its read does not need."""
        todo, found = [graph.pairs[a]], {graph.pairs[a]}
        while todo:
            new = graph.labels[todo.pop()].before - found
            found |= new
            todo += new
        return not graph.labels[a].before <= found

    def complete(self, graph: Graph) -> None:
        if not any(e.phantom for e in graph.labels.values()):
            super().complete(graph)

    def prefix(self, graph: Graph, a: Name) -> set[Name]:
        found: set[Name] = set()
        todo = list(self._direct(graph, a))
        while todo:
            n = todo.pop()
            if n not in found:
                found.add(n)
                todo += self._direct(graph, n)
        return found | {n for n in graph.labels if n[0] < 0}

    def _direct(self, graph: Graph, n: Name) -> Iterator[Name]:
        yield from graph.labels[n].before
        if n in graph.rf:
            yield graph.rf[n]
        yield from (a for a, b in graph.spawns if b == n)

    def revisit(self, graph: Graph, r: Name, a: Name) -> Graph:
        order = list(graph.labels)
        old = graph.labels[r]
        assert old.origin is not None
        graph = self.threads.add_read(graph, old.origin, a)
        label = replace(graph.labels[r], before=old.before)
        labels = {n: label if n == r else graph.labels[n] for n in order}
        return replace(graph, labels={**labels, **{n: e for n, e in graph.labels.items() if n not in labels}})
