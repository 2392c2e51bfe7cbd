"""A whole execution as a SplitGraph, with what its events need: for what commit-before must be, whatever the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.program.interpret import Kind, Part
from fencepost.program.program import Program
from fencepost.reference.graph import names
from fencepost.reference.split_graph import COMMIT, OUTCOME, WHOLE, Node, Place, Split, SplitGraph, SplitThreads
from fencepost.reference.split_rules import Rules, Target
from fencepost.reference.trust_cb import closed, forget_comparisons

_FRAME = (EventKind.BEGIN, EventKind.END)


class Whole:
    """pre: the execution is one of the program, and no thread waits."""

    def __init__(self, program: Program, rules: str, x: Execution) -> None:
        self.execution = x
        self.threads = SplitThreads(program)
        self.rules = Rules(rules, self.threads.machine)
        self.names = {e.id: (-1, e.address, WHOLE) for e in x.events if e.kind is EventKind.INIT}
        self.graph = SplitGraph()
        for e in x.events:
            if e.kind is EventKind.INIT:
                self.graph.initials[e.address] = e.size, e.value
        for t in range(self.threads.count):
            self._walk(t)
        for e in x.events:
            if e.is_read:
                self.graph.rf[self.names[e.id]] = self.names[x.reads_from[e.id]]
        self.graph.co = {a: [self.names[w] for w in ws] for a, ws in x.coherence.items()}
        self.direct = {n: self._needs(n) for n in self.graph.events}
        if self.cycle() is None:
            self.graph.prefix = {n: frozenset(self.below(n)) for n in self.graph.events}

    def _walk(self, thread: int) -> None:
        """Lets a thread do what it did."""
        g = self.graph
        for e in (e for e in self.execution.thread_events(thread) if e.kind not in _FRAME):
            here = self.threads.place(g, thread)
            while here.action.conditional is not None and not e.is_write:  # a store-conditional that failed
                g.events[thread, here.slot, OUTCOME] = Split(here.action, here.state, 0, here.action.mode)
                here = self.threads.place(g, thread)
            self._add(here, e)

    def _add(self, here: Place, e: Event) -> None:
        g, n = self.graph, (here.thread, here.slot, WHOLE)
        self.names[e.id] = n
        failed = here.action.part is Part.CAS and not e.rmw
        g.events[n] = Split(here.action, here.state, e.value, e.mode, failed=e.is_read and failed)
        if not e.is_write:
            return
        a = here.action
        g.events[here.thread, here.slot, COMMIT] = Split(a, here.state)
        if a.conditional is not None and a.may_fail:
            g.events[here.thread, here.slot, OUTCOME] = Split(a, here.state, 1, a.mode)
        if a.rmw:
            g.events[n] = replace(g.events[n], pair=(here.thread, here.slot - 1, WHOLE))
        elif a.conditional is not None:
            ((_, slot),) = names(frozenset({a.conditional}))
            g.events[n] = replace(g.events[n], pair=(here.thread, slot, WHOLE))

    def _needs(self, n: Node) -> set[Node]:
        g, e = self.graph, self.graph.events[n]
        needs = self.rules.of(g, Target(n[0], n[1], e.action, e.state, n[2] == OUTCOME))
        if n[2] == COMMIT:
            w = (*n[:2], WHOLE)
            pair = g.events[w].pair
            return needs.commit | {w} | ({pair} if pair is not None else set())
        if e.action.kind is not Kind.READ:
            return needs.always
        source = g.rf[n]
        own = source[0] == n[0] and source[1] < n[1]
        found = needs.always | (set() if own else needs.outside)
        if source[0] >= 0:
            waits = not own or self.rules.waits_for_commit(g, source, e)
            found.add((*source[:2], COMMIT) if waits else source)
        return found

    def below(self, n: Node) -> set[Node]:
        """What is before an event."""
        found, todo = set[Node](), list(self.direct[n])
        while todo:
            d = todo.pop()
            if d not in found:
                found.add(d)
                todo += self.direct[d]
        return found

    @cached_property
    def _cyclic(self) -> Node | None:
        return next((n for n in self.graph.events if n in self.below(n)), None)

    def cycle(self) -> Node | None:
        """An event that is before itself."""
        return self._cyclic

    def label(self, n: Node) -> object:
        """What an event is, and what was chosen for it; None where it is not there."""
        e = self.graph.events.get(n)
        return None if e is None else (e.action.kind, e.action.address, e.value, self.graph.rf.get(n))

    def parts(self) -> Iterator[SplitGraph]:
        """All that is left where events at the end of the order are taken out, the whole first. pre: no cycle."""
        g = self.graph
        todo, seen = [frozenset(g.events)], set[frozenset[Node]]()
        while todo:
            kept = todo.pop()
            if kept in seen:
                continue
            seen.add(kept)
            yield self._part(kept)
            needed = set[Node]().union(*(g.prefix[n] for n in kept))
            for n in kept - needed:
                rest = set(kept) - {n}
                if closed(g, rest) == rest:
                    todo.append(frozenset(rest))
                # the halves of an update go together where the write needs nothing else
                elif n[2] == COMMIT or g.is_write(n):
                    smaller = rest - {(n[0], n[1], WHOLE), (n[0], n[1] - 1, WHOLE)}
                    if closed(g, smaller) == smaller and not any(g.prefix[m] - smaller for m in smaller):
                        todo.append(frozenset(smaller))

    def _part(self, kept: frozenset[Node]) -> SplitGraph:
        part = self.graph.without(set(self.graph.events) - kept)
        for t in range(self.threads.count):
            forget_comparisons(part, t, self.threads.place(part, t).slot)
        return part
