"""TruSt for models that let events commit out of program order: POWER, ARMv8, RISC-V, ARMv7, IMM. Every consistent
execution exactly once. It is the algorithm of docs/how/power.md, written to be read; the fast one is
`native/explore/commit_engine*`, and a test holds the two equal: the same executions, the same dead ends.

    next      the second half of a read-modify-write; else what is missing before others of its thread (a hole);
              else what the first thread that can move does
    visit     every choice of that event, each in a graph of its own; the canonical one goes on
    write     its commit revisits the reads that are not before it. What was added after such a read and is not before
              the write is deleted; it must have been added in the canonical way
    ghosts    a graph that the model forbids goes on where what no revisit can change is allowed (`fixed`); where it
              ends forbidden it is a dead end

What is before an event is kept with it (`SplitGraph.prefix`) and never changes while the event is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import field, replace

from fencepost.execution.execution import Execution
from fencepost.program.instructions import AtomicBegin
from fencepost.program.interpret import Kind, Part
from fencepost.program.program import Program
from fencepost.records import dataclass
from fencepost.reference.axioms import Predicate
from fencepost.reference.graph import flags, names
from fencepost.reference.power import power
from fencepost.reference.split_choices import canonical, canonical_place, canonical_source
from fencepost.reference.split_graph import (
    COMMIT,
    OUTCOME,
    UPDATES,
    WHOLE,
    Node,
    Place,
    Split,
    SplitGraph,
    SplitThreads,
)
from fencepost.reference.split_rules import Needs, Rules, Target, surely_acquires


@dataclass
class Found:
    """What an exploration found. `seen` says how often each execution was found."""

    complete: list[Execution] = field(default_factory=list)
    seen: dict[tuple[object, ...], int] = field(default_factory=dict)
    blocked: int = 0
    dead_ends: int = 0

    @property
    def duplicates(self) -> int:
        return sum(self.seen.values()) - len(self.seen)


def explore(program: Program, model: str = "power", consistent: Predicate = power) -> Found:
    """`model`: whose rules say what an event needs. `consistent`: whether the model allows an execution, or a part."""
    search = CommitTrust(program, model, consistent)
    search.run()
    return search.found


class CommitTrust:
    def __init__(self, program: Program, model: str, consistent: Predicate) -> None:
        self.model, self.allowed = model, consistent
        self.threads = SplitThreads(program)
        self.rules = Rules(model, self.threads.machine)
        self.blocks = any(isinstance(i, AtomicBegin) for f in program.functions for i in f.code)
        self.found = Found()
        self.waiting: list[SplitGraph] = []

    def run(self) -> None:
        self.waiting.append(SplitGraph())
        while self.waiting:
            g: SplitGraph | None = self.waiting.pop()
            while g is not None:
                g = self.extend(g)

    # --- one graph

    def extend(self, g: SplitGraph) -> SplitGraph | None:
        """The graph with one more event, chosen canonically; the other choices wait. None where it ends."""
        places = [self.threads.place(g, t) for t in self.threads.of(g)]
        here = self.next(g, places)
        if here is None:
            self.complete(g, places)
            return None
        kind = here.action.kind
        if kind is Kind.READ:
            return self.add_read(g, here)
        if kind is Kind.WRITE:
            fails = here.action.conditional is not None and here.action.may_fail
            if fails and g.at(here.thread, here.slot) is None:
                return self.add_outcome(g, here)
            return self.add_write(g, here)
        return self.add_choice(g, here) if kind is Kind.CHOOSE else self.add_other(g, here)

    def next(self, g: SplitGraph, places: list[Place]) -> Place | None:
        able = [p for p in places if p.moves and self.may_join(p, places)]
        for p in able:
            there = g.at(p.thread, p.slot)
            if p.action.rmw and (there is None or there[2] == OUTCOME):
                return p
        holes = [p for p in able if has_hole(g, p.thread, p.slot)]
        return next(iter(holes or able), None)

    def may_join(self, p: Place, places: list[Place]) -> bool:
        if p.action.kind is not Kind.JOIN:
            return True
        child = next((q for q in places if q.thread == p.action.value), None)
        return child is not None and not child.halted and child.action.kind is Kind.END

    def complete(self, g: SplitGraph, places: list[Place]) -> None:
        if not self.consistent(g):
            self.found.dead_ends += 1
        elif all(p.action.kind is Kind.END and not p.halted for p in places):
            x = g.execution()
            self.found.complete.append(x)
            key = x.canonical()
            self.found.seen[key] = self.found.seen.get(key, 0) + 1
        # A thread that waits looks again: of the graphs that differ in what it saw in vain, one counts.
        elif all(g.rf[n] == g.co[e.action.address][-1] for n, e in g.events.items() if e.stuck):
            self.found.blocked += 1

    # --- adding events

    def needs(self, g: SplitGraph, here: Place, *, outcome: bool = False) -> Needs:
        return self.rules.of(g, Target(here.thread, here.slot, here.action, here.state, outcome))

    def row(self, g: SplitGraph, direct: set[Node]) -> frozenset[Node]:
        """Everything below these events, with them."""
        found = set(direct)
        for d in direct:
            found |= g.prefix[d]
        return frozenset(closed(g, found))

    def known(self, g: SplitGraph, here: Place) -> SplitGraph:
        """A copy with the initial write of the accessed location."""
        g, a = g.copy(), here.action
        g.initials.setdefault(a.address, (a.size, self.threads.machine.initial(a.address, a.size)))
        g.co.setdefault(a.address, [(-1, a.address, WHOLE)])
        return g

    def add_read(self, g: SplitGraph, here: Place) -> SplitGraph | None:
        g = self.known(g, here)
        needs, r = self.needs(g, here), (here.thread, here.slot, WHOLE)
        trial = g.copy()
        trial.events[r] = Split(here.action, here.state, mode=here.action.mode)
        best = canonical_source(trial, r, set(trial.events))
        kept = self.row(g, needs.always | needs.outside)
        for w in reversed(g.co[here.action.address]):
            value = self.threads.value(g, w, here.action.address, here.action.size)
            if w != best and self.threads.machine.satisfied(here.state, value):
                self.keep_if_possible(self.reading(g, here, w, needs))
            if keeps_order(g, w, r, kept):
                break
        sure = self.surely_fits(g, here.thread, here.slot)
        g = self.reading(g, here, best, needs)
        return g if sure or self.possible(g) else None

    def reading(self, g: SplitGraph, here: Place, w: Node, needs: Needs) -> SplitGraph:
        g, r = g.copy(), (here.thread, here.slot, WHOLE)
        e = Split(here.action, here.state, mode=here.action.mode, failed=here.action.part is Part.CAS)
        g.events[r] = e
        self.settle(g, r, w, needs)
        for n in g.slots(here.thread):  # a write that did not wait for its read
            a = g.events[n].action
            if not g.is_write(n) or n[1] <= r[1]:
                continue
            reserved = names(frozenset({a.conditional})) if a.conditional is not None else frozenset()
            if (a.rmw and n[1] == r[1] + 1) or r[:2] in reserved:
                self.pair_up(g, r, n)
        self.threads.place(g, here.thread)
        return g

    def pair_up(self, g: SplitGraph, r: Node, w: Node) -> None:
        g.events[w] = replace(g.events[w], pair=r)
        if g.events[w].action.rmw:
            g.events[r] = replace(g.events[r], failed=False)

    def settle(self, g: SplitGraph, r: Node, w: Node, needs: Needs) -> None:
        e, a = g.events[r], g.events[r].action
        value = self.threads.value(g, w, a.address, a.size)
        stuck = not self.threads.machine.satisfied(e.state, value)
        g.events[r] = e = replace(e, value=value, stuck=stuck)
        g.rf[r] = w
        own = w[0] == r[0] and w[1] < r[1]
        direct = needs.always | (set() if own else needs.outside)
        if w[0] >= 0:
            direct.add(w if own and not self.rules.waits_for_commit(g, w, e) else (*w[:2], COMMIT))
        g.prefix[r] = frozenset(with_riders(g, r, set(self.row(g, direct)), self.model))

    def add_write(self, g: SplitGraph, here: Place) -> SplitGraph | None:
        g, a = self.known(g, here), here.action
        needs, w = self.needs(g, here), (here.thread, here.slot, WHOLE)
        if w not in g.events:
            prefix = self.row(g, needs.always)
            g.events[w] = Split(a, here.state, a.value, a.mode)
            g.prefix[w] = prefix
            if (pair := self.read_of(g, here)) is not None:
                self.pair_up(g, pair, w)
        pair = g.events[w].pair
        before = self.row(g, needs.commit | {w} | ({pair} if pair is not None else set()))
        m = (here.thread, here.slot, COMMIT)
        g.events[m] = Split(a, here.state)
        g.prefix[m] = before
        sure = not a.rmw and a.conditional is None and self.surely_fits(g, here.thread, here.slot + 1)
        self.threads.place(g, here.thread)
        best = canonical_place(g, w, set(g.events))
        self.place_everywhere(g, w, best)
        self.revisit_all(g, w)
        g.co[a.address].insert(g.co[a.address].index(best) + 1, w)
        return g if sure or self.possible(g) else None

    def read_of(self, g: SplitGraph, here: Place) -> Node | None:
        a = here.action
        if a.rmw:
            return g.at(here.thread, here.slot - 1)
        if a.conditional is None:
            return None
        ((_, slot),) = names(frozenset({a.conditional}))
        return g.at(here.thread, slot)

    def place_everywhere(self, g: SplitGraph, w: Node, best: Node | None) -> None:
        """Every place of a write in coherence but one, each in a graph of its own. pre: it has none."""
        e = g.events[w]
        source = g.rf[e.pair] if e.action.rmw and e.pair is not None else None
        only = source if source is not None and g.committed(source) else None
        for before in reversed(g.co[e.action.address]):
            if before != best and only in (None, before):
                other = g.copy()
                order = other.co[e.action.address]
                order.insert(order.index(before) + 1, w)
                self.keep_if_possible(other)
            if keeps_order(g, before, w, g.prefix[*w[:2], COMMIT]):
                break

    def add_outcome(self, g: SplitGraph, here: Place) -> SplitGraph:
        needs, n = self.needs(g, here, outcome=True), (here.thread, here.slot, OUTCOME)
        for value in (1, 0):
            other = g.copy()
            other.events[n] = Split(here.action, here.state, value, here.action.mode)
            other.prefix[n] = self.row(g, needs.always)
            if value:
                self.waiting.append(other)
        return other

    def add_choice(self, g: SplitGraph, here: Place) -> SplitGraph:
        needs, n, a = self.needs(g, here), (here.thread, here.slot, WHOLE), here.action
        for value in range(a.high, a.value - 1, -1):
            other = g.copy()
            other.events[n] = Split(a, here.state, value & (1 << 64) - 1)
            other.prefix[n] = self.row(g, needs.always)
            if value != a.value:
                self.waiting.append(other)
        return other

    def add_other(self, g: SplitGraph, here: Place) -> SplitGraph | None:
        needs, n, a = self.needs(g, here), (here.thread, here.slot, WHOLE), here.action
        hole = has_hole(g, here.thread, here.slot)
        g = g.copy()
        value = 0
        if a.kind is Kind.SPAWN:
            value = self.threads.child(n)
            g.children[value] = n
        elif a.kind is Kind.JOIN:
            value = self.threads.place(g, a.value).action.value
        g.events[n] = Split(a, here.state, value)
        g.prefix[n] = self.row(g, needs.always)
        self.threads.place(g, here.thread)
        return g if not hole or self.possible(g) else None

    # --- what the model says

    def keep_if_possible(self, g: SplitGraph) -> None:
        if self.possible(g):
            self.waiting.append(g)

    def possible(self, g: SplitGraph) -> bool:
        """Whether a graph is an execution so far, or what makes it none may go."""
        g.fits = self.consistent(g)
        return g.fits or self.may_be_garbage(g)

    def consistent(self, g: SplitGraph, apart: AbstractSet[Node] = frozenset()) -> bool:
        """Also forbidden: two read-modify-writes that read the same write, though one may not have written yet. Of
        those that are apart only two that have written, and one that stays and has written."""
        updates = [n for n, e in g.events.items() if g.is_read(n) and e.action.part is Part.RMW]
        stay = [n for n in updates if n not in apart]
        written = [n for n in updates if has_written(g, n) and (n not in apart or updates_alone(g, n))]
        return not (twice(g, stay) or twice(g, written)) and self.allowed(g.execution())

    def surely_fits(self, g: SplitGraph, thread: int, slot: int) -> bool:
        """Whether the canonical choice for a slot of a thread is sure to be allowed."""
        if self.model == "weakest" or self.blocks or (self.model in ("imm", "armv7") and not g.fits):
            return False
        return not has_hole(g, thread, slot)

    def may_be_garbage(self, g: SplitGraph) -> bool:
        """Whether all that the model forbids in a graph might go by a later revisit. pre: the model forbids it."""
        stay, apart = self.fixed(g)
        updates = list(self.forced_too(g, stay, apart)) if self.model == "imm" else []
        gone = set(g.events) - stay
        if not gone:
            return False
        part = self.cut(g, gone)
        return all(_put_after_source(part, r) for r in updates) and self.consistent(part, apart)

    def fixed(self, g: SplitGraph) -> tuple[set[Node], set[Node]]:
        """What no revisit below a graph deletes or changes, and what among it a later access may stand for: what needs
        that may go."""
        perm, apart = set[Node](), set[Node]()
        changed = True
        while changed:
            changed = False
            before: set[Node] = set()
            for n in g.events:
                before.add(n)
                if n in perm or self.may_become_canonical(g, n, before | perm):
                    continue
                perm |= {n} | g.prefix[n]
                if self.loose(g, n):
                    apart.add(n)
                else:
                    apart -= g.prefix[n]
                perm, changed = closed(g, perm, apart), True
        keep = set(perm)
        for n in g.events:
            if g.is_read(n) and (n not in perm or n in apart):
                break
            keep |= {n} | g.prefix[n]
        return closed(g, keep, apart), apart

    def loose(self, g: SplitGraph, n: Node) -> bool:
        """Whether an event with another than the canonical choice may get it by an access to come, which does not need
        it."""
        e = g.events[n]
        if self.model not in ("imm", "armv7"):  # what comes may need only that it does not write
            if n[2] == COMMIT:
                pair = g.events[(*n[:2], WHOLE)].pair
                return pair is not None and g.compares(pair)
            return g.is_read(n) and g.compares(n) and not self.branches(g, n)
        if n[2] == COMMIT:
            plain = not e.action.rmw and e.action.conditional is None
            return plain if self.model == "armv7" else not e.action.mode.releases
        if not g.is_read(n) or self.branches(g, n):
            return False
        if self.model == "armv7":
            return True
        if e.action.part in (Part.RMW, Part.BLOCKING_CAS):
            return False
        if not surely_acquires(e):
            return True
        earlier = (d for d in g.slots(n[0]) if d[1] < n[1] and (g.is_write(d) or g.compares(d)))
        return any(g.events[d].action.address == e.action.address for d in earlier)  # what follows may not need it

    def may_be_allowed_later(self, g: SplitGraph, n: Node) -> bool:
        """Whether the model may allow the access to come where it forbids this one: what stands for a compare-exchange
        writes nothing, what stands for a read that acquires need not acquire, and what stands for a store need not wait
        for the same value."""
        a = g.events[n].action
        if not self.loose(g, n):
            return False
        if self.model == "armv7" and g.is_read(n) and takes_along(g, n):
            return True
        if g.is_read(n):
            return a.mode.acquires if self.model == "imm" else g.compares(n)
        pair = g.events[(*n[:2], WHOLE)].pair
        if a.rmw and (pair is None or g.compares(pair)):
            return True
        return any(pair is None or k != pair[1] for _, k in names(a.data_deps) | flags(a.data_deps))

    def branches(self, g: SplitGraph, r: Node) -> bool:
        """Whether a branch on what a read saw, or on how its compare-exchange came out, is before all else that its
        thread does from then on. So that needs the read."""
        slot = r[1] + (2 if g.events[r].action.part in UPDATES else 1)
        there, here = g.at(r[0], slot), self.threads.place(g, r[0])
        if there is None and here.slot != slot:
            return False
        deps = (here.action if there is None else g.events[there].action).control_deps
        return any(k == r[1] for _, k in names(deps) | flags(deps))

    def may_become_canonical(self, g: SplitGraph, n: Node, base: set[Node]) -> bool:
        if g.is_read(n) and (w := g.rf[n])[0] >= 0:
            base = base | ({w, (*w[:2], COMMIT)} & set(g.events))
        if canonical(g, n, base) or self.may_be_allowed_later(g, n):
            return True
        later = {m for m in g.events if m[0] == n[0] and m[1] > n[1] and m[2] != OUTCOME}
        return g.is_read(n) and canonical(g, n, base | later)

    def forced_too(self, g: SplitGraph, stay: set[Node], apart: set[Node]) -> Iterator[Node]:
        """IMM: reads between two accesses that stay and see the same write see it, too; and an update that stays has
        written right after what it read, where all that decides stays. Both are added to what stays."""
        apart = set(apart)
        for t in self.threads.of(g):
            for r in g.slots(t):
                if not g.is_read(r) or g.events[r].stuck:
                    continue
                if not ((r in stay and r not in apart) or _forced(g, r, stay, apart)):
                    continue
                stay.add(r)
                apart.discard(r)
                w = g.updating(r)
                if w is None or not g.committed(w) or (*w[:2], COMMIT) in stay:
                    continue
                if _commits(stay, g.rf[r]) and _decided(g, w, stay, apart):
                    stay |= {w, (*w[:2], COMMIT)}
                    yield r

    # --- revisits

    def cut(self, g: SplitGraph, gone: set[Node]) -> SplitGraph:
        g = g.without(gone)
        for t in self.threads.of(g):
            forget_comparisons(g, t, self.threads.place(g, t).slot)
        return g

    def revisit_all(self, g: SplitGraph, a: Node) -> None:
        """pre: the commit of a is the last event, and has no place in coherence."""
        m = (*a[:2], COMMIT)
        kept, address = g.prefix[m], g.events[a].action.address
        before = set(g.events) - {m}
        for n in [n for n in reversed(list(g.events)) if n != m]:
            if n not in kept:
                if not canonical(g, n, before | kept):
                    return
                earlier = n[0] == a[0] and n[1] < a[1]
                if g.is_read(n) and g.events[n].action.address == address and not earlier and _in_place(g, n):
                    self.revisit(g, a, n)
            before.discard(n)

    def revisit(self, g: SplitGraph, a: Node, r: Node) -> None:
        """The graphs in which r reads from a, without what was added after r and is not before a."""
        m, order = (*a[:2], COMMIT), list(g.events)
        after = set(order[order.index(r) + 1 :])
        g = self.cut(g, after - g.prefix[m] - {m})
        e = g.events[r]
        needs = self.rules.of(g, Target(r[0], r[1], e.action, e.state))
        self.settle(g, r, a, needs)
        forget_comparisons(g, r[0], r[1])
        self.threads.place(g, r[0])
        if not g.events[r].stuck:
            self.place_everywhere(g, a, None)
            return
        # A thread that waits in vain looks again: it need not see anything but the newest.
        g.co[e.action.address].append(a)
        self.keep_if_possible(g)


def has_hole(g: SplitGraph, thread: int, slot: int) -> bool:
    """Whether a thread has events from a slot on."""
    return any(n[0] == thread and n[1] >= slot and n[2] != COMMIT for n in g.events)


def keeps_order(g: SplitGraph, w: Node, n: Node, kept: AbstractSet[Node]) -> bool:
    """Whether coherence forbids what an event does to be older than w, by events that stay with it."""
    if w[0] == n[0] and w[1] < n[1] and (*w[:2], COMMIT) in kept:
        return True
    return any(r in kept and r[0] == n[0] and r[1] < n[1] and not g.events[r].stuck for r in g.readers(w))


def closed(g: SplitGraph, some: set[Node], apart: AbstractSet[Node] = frozenset()) -> set[Node]:
    """With the halves of read-modify-writes that need nothing else: who keeps a read keeps its write. Not those that
    need something of `apart`, but for the read of an update that hangs on nothing else."""
    some = set(some)
    changed = True
    while changed:
        changed = False
        for r in [r for r in some if g.is_read(r) and (r not in apart or updates_alone(g, r))]:
            w = g.updating(r)
            for half in (w, (*w[:2], COMMIT)) if w is not None else ():
                if half in g.prefix and half not in some and g.prefix[half] <= (some - apart) | {r}:
                    some.add(half)
                    changed = True
    return some


def has_written(g: SplitGraph, r: Node) -> bool:
    w = g.updating(r)
    return w is not None and g.committed(w)


def twice(g: SplitGraph, reads: list[Node]) -> bool:
    return len({g.rf[r] for r in reads}) < len(reads)


def updates_alone(g: SplitGraph, r: Node) -> bool:
    """Of a loose read (under ARMv7, for IMM has no such ones): whether it is that of an update that has written what
    hangs on nothing but what it reads."""
    if not g.is_read(r) or g.events[r].action.part not in (Part.RMW, Part.BLOCKING_CAS):
        return False
    w = g.at(r[0], r[1] + 1)
    if w is None or not g.committed(w):
        return False
    deps = g.events[w].action.data_deps
    return all(k == r[1] for _, k in names(deps) | flags(deps))


def takes_along(g: SplitGraph, r: Node) -> bool:
    """Whether a loose read needs what the store that may stand for it does not, and what may go with it: what an
    earlier write of its thread and location hangs on, or the late operand of an update that wrote what it sees."""
    address, source = g.events[r].action.address, g.rf[r]
    for d in g.slots(r[0]):
        a = g.events[d].action
        if (
            g.is_write(d)
            and d[1] < r[1]
            and a.address == address
            and (a.rmw or a.conditional is not None or a.data_deps)
        ):
            return True
    pair = g.events[source].pair if source[0] >= 0 else None
    if pair is None:
        return False
    return bool(g.prefix[*source[:2], COMMIT] - g.prefix[pair] - {source, pair})


def with_riders(g: SplitGraph, r: Node, needed: set[Node], model: str) -> set[Node]:
    """The write of a releasing update waits for all before it, and its read does not. But an earlier write of the
    thread that needs nothing the read does not need might as well come first: it is kept with the read, and so the
    update as a whole."""
    e = g.events[r]
    if model not in ("imm", "armv8", "riscv") or e.action.part not in UPDATES or not e.action.mode.releases:
        return needed
    if e.action.part is Part.CAS:  # a later access that sees the same may stand for it, and would not need them
        return needed
    for w in (w for w in g.slots(r[0]) if w[1] < r[1] and g.is_write(w)):
        m, a = (*w[:2], COMMIT), g.events[w].action
        if a.rmw or a.conditional is not None or m in needed or (g.prefix[w] | g.prefix[m]) - needed - {w}:
            continue
        needed = closed(g, needed | {w, m})
    return needed


def _in_place(g: SplitGraph, r: Node) -> bool:
    """Whether all that is po-before r was there before it. Else a revisit kept r for what it saw: it sees nothing
    else."""
    order = list(g.events)
    later = set(order[order.index(r) + 1 :])
    return not any(n[0] == r[0] and n[1] < r[1] for n in later)


def forget_comparisons(g: SplitGraph, thread: int, slot: int) -> None:
    """From here on a thread may come to other values to compare with."""
    for n in g.slots(thread):
        e = g.events[n]
        if n[1] >= slot and g.compares(n) and e.mode.acquires and not e.failure.acquires:
            g.events[n] = replace(e, mode=e.failure)


def _commits(some: set[Node], w: Node) -> bool:
    return w[0] < 0 or (*w[:2], COMMIT) in some


def _forced(g: SplitGraph, r: Node, stay: set[Node], apart: set[Node]) -> bool:
    source, address = g.rf[r], g.events[r].action.address
    if not _commits(stay, source):
        return False

    def sees(n: Node) -> bool:
        e = g.events[n]
        if n not in stay or n[2] != WHOLE or e.stuck or not (g.is_read(n) or g.is_write(n)):
            return False
        return e.action.address == address and (g.rf[n] if g.is_read(n) else n) == source

    slots = g.slots(r[0])
    earlier = source[0] < 0 or any(sees(n) and n not in apart for n in slots if n[1] < r[1])
    return earlier and any(sees(n) for n in slots if n[1] > r[1])


def _decided(g: SplitGraph, w: Node, stay: set[Node], apart: set[Node]) -> bool:
    """Whether all that decides if a write happens is there and stays."""
    slots = [g.at(w[0], k) for _, k in names(g.events[w].action.control_deps)]
    return all(n is not None and n in stay and n not in apart and g.is_read(n) for n in slots)


def _put_after_source(g: SplitGraph, r: Node) -> bool:
    """Puts the write of an update right after what it read; false where another update of it is there."""
    w, source, order = (r[0], r[1] + 1, WHOLE), g.rf[r], g.co[g.events[r].action.address]
    k = order.index(source) + 1
    after = order[k] if k < len(order) else None
    if after == w:
        return True
    pair = g.events[after].pair if after is not None else None
    if pair is not None and g.rf[pair] == source:
        return False
    order.remove(w)
    order.insert(order.index(source) + 1, w)
    return True
