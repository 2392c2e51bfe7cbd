"""Plain TruSt (Truly Stateless, Optimal Dynamic Partial Order Reduction, POPL 2022), for models in which po ∪ rf is
acyclic. Every consistent graph is visited exactly once.

    visit(G):
      if G is not consistent: return
      a := next event of the first thread that can move        (an RMW's write follows its read at once)
      none            → G is a complete execution (or a blocked one, if some thread waits): report it
      a is an error   → report it
      a is a read     → for every same-location write w in G: visit(G + a reading from w)
      a is a write    → place(G + a, a)
                        for every same-location read r in G with (r,a) ∉ porf:
                           Del := { e | r < e and (e,a) ∉ porf, e ≠ a }
                           if maximal(e) for all e ∈ Del ∪ {r}:
                              place((G + a) \\ Del with rf(r) := a, a)
      otherwise       → visit(G + a)

    place(G, a): for every position of a in the coherence order of its location: visit(G with a there)
                 (the write of an RMW has one position: right after what its read reads from)

    maximal(e), for the candidate write a:
      Prev := { d | d ≤ e or (d,a) ∈ porf } \\ {a}
      if some read in Prev reads from e: no
      w := rf(e) if e is a read, else e              (fences and other events: yes)
      yes iff w ∈ Prev and no d ∈ Prev is coherence-after w

An await that reads a value that does not satisfy it is an event too, and its thread goes no further; a later write may
revisit it. Such executions are blocked, never complete. WRC11 has no coherence order: see `Without coherence` below.

Without coherence: a write has no position, and is maximal if no read in Prev reads from it. The canonical write of a
read is the least (by name) of those that are mo_weak-maximal in Prev. Reading it is always consistent, as reading
the coherence-last write is elsewhere: nothing goes out of the new read (it is last in its thread, and no write is
mo_weak-after what it reads), and no read-modify-write can have taken that write, since its own would be mo_weak-later.
A write in the read's porf-prefix would not do: psc may forbid it (store buffering), and so may atomicity.
"""

from __future__ import annotations

from dataclasses import replace

from fencepost.execution.execution import EventKind
from fencepost.program.interpret import Action, Kind
from fencepost.program.program import Program
from fencepost.reference.axioms import MODELS, RC11, Predicate
from fencepost.reference.graph import Exploration, Graph, Name, Step, Threads

C11_MODELS = ("rc11", "rc11-cpp20", "wrc11")


def explore(program: Program, model: str) -> Exploration:
    """Every execution of a program under one of the models of `reference/axioms.py`."""
    search = Trust(program, MODELS[model], coherence=model != "wrc11")
    search.visit(Graph({}))
    return search.found


class Trust:
    def __init__(self, program: Program, consistent: Predicate, *, coherence: bool = True) -> None:
        self.threads = Threads(program)
        self.consistent = consistent
        self.coherence = coherence
        self.found = Exploration()

    def visit(self, graph: Graph) -> None:
        if not self.consistent(graph.execution()):
            return
        step = self.next(graph)
        if step is None:
            self.complete(graph)
            return
        if step.action.kind in (Kind.READ, Kind.WRITE):
            graph = self.threads.ensure_location(graph, step.action)
        match step.action.kind:
            case Kind.READ:
                for w in graph.writes(step.action.address):
                    self.visit(self.threads.add_read(graph, step, w))
            case Kind.WRITE:
                if step.action.conditional is not None and step.action.may_fail:
                    self.visit(self.threads.add_failure(graph, step))
                self.write(self.threads.add_write(graph, step), step.name)
            case Kind.CHOOSE:
                for value in range(step.action.value, step.action.high + 1):
                    self.visit(self.threads.add_choice(graph, step, value))
            case Kind.ERROR:
                self.error(graph, step.action)
            case Kind.END:
                self.visit(self.threads.add_end(graph, step))
            case _:
                after = self.threads.add_other(graph, step)
                assert after is not None, "next should only give steps that can be taken"
                self.visit(after)

    def next(self, graph: Graph) -> Step | None:
        """The first thread that can move; but the write of a read-modify-write comes before anything else."""
        movable = self.movable(graph)
        halves = [s for s in movable if s.action.kind is Kind.WRITE and s.action.rmw]
        return next(iter(halves or movable), None)

    def movable(self, graph: Graph) -> list[Step]:
        steps = (self.threads.step(graph, t) for t in range(self.threads.count(graph)))
        return [s for s in steps if s is not None and self.can_move(graph, s)]

    def can_move(self, graph: Graph, step: Step) -> bool:
        match step.action.kind:
            case Kind.BLOCK:
                return False
            case Kind.END:  # only spawned threads have an END event
                last = (step.name[0], step.name[1] - 1)
                spawned = (step.name[0], 0) in graph and graph.labels[step.name[0], 0].kind is EventKind.BEGIN
                return spawned and graph.labels[last].kind is not EventKind.END
            case Kind.JOIN:
                return self.threads.add_other(graph, step) is not None
        return True

    def write(self, graph: Graph, a: Name) -> None:
        before = self.prefix(graph, a)
        self.place(graph, a)
        order = {n: i for i, n in enumerate(graph.labels)}
        for r in graph.reads(graph.labels[a].address):
            if r in before:
                continue
            gone = {e for e in graph.labels if order[r] < order[e] and e not in before and e != a}
            if all(self.maximal(graph, e, a, before, order) for e in gone | {r}):
                self.place(self.revisit(graph.without(gone), r, a), a)

    def prefix(self, graph: Graph, a: Name) -> set[Name]:
        return graph.prefix(a)

    def revisit(self, graph: Graph, r: Name, a: Name) -> Graph:
        """The graph in which r reads from a; r keeps its place in `<`."""
        order = list(graph.labels)
        last = (r[0], r[1] - 1) if r[1] else None
        step = self.threads.step_after(graph, r[0], last)
        assert step is not None, "a read that is in the graph should be reachable"
        graph = self.threads.add_read(graph, step, a)
        return replace(graph, labels={n: graph.labels[n] for n in order})

    def place(self, graph: Graph, a: Name) -> None:
        for placed in self.placements(graph, a):
            self.visit(placed)

    def placements(self, graph: Graph, a: Name) -> list[Graph]:
        if not self.coherence:
            return [graph]
        if a in graph.pairs:
            return [graph.place(a, graph.rf[graph.pairs[a]])]
        return [graph.place(a, w) for w in graph.co[graph.labels[a].address] if w != a]

    def maximal(self, graph: Graph, e: Name, a: Name, before: set[Name], order: dict[Name, int]) -> bool:
        previous = ({d for d in graph.labels if order[d] <= order[e]} | before) - {a}
        label = graph.labels[e]
        if label.kind is EventKind.CHOOSE:
            return label.value == label.low
        if label.optional:
            return False
        if not (label.is_read or label.is_write):
            return True
        if any(graph.rf.get(d) == e for d in previous):
            return False
        if not self.coherence:
            return label.is_write or graph.rf[e] == self.canonical(graph, e, previous)
        w = graph.rf[e] if label.is_read else e
        order_here = graph.co[label.address]
        return w in previous and not any(d in previous for d in order_here[order_here.index(w) + 1 :])

    def canonical(self, graph: Graph, r: Name, previous: set[Name]) -> Name:
        """The write that r reads in the one graph from which it is revisited, where there is no coherence order."""
        kept = graph.without(set(graph.labels) - (previous - {r}))
        names = [n for n in sorted(kept.labels) if not kept.labels[n].hidden]
        later = RC11(kept.execution()).weak_mo()
        here = kept.writes(graph.labels[r].address)
        return min(w for w in here if not later.rows[names.index(w)])

    def complete(self, graph: Graph) -> None:
        blocked = any(
            s is None or s.action.kind in (Kind.BLOCK, Kind.JOIN)
            for s in (self.threads.step(graph, t) for t in range(self.threads.count(graph)))
        )
        self.found.report(self.threads.finish(graph), blocked=blocked)

    def error(self, graph: Graph, action: Action) -> None:
        assert action.error is not None, "an ERROR should say which"
        self.found.errors.append((action.error, action.message, self.threads.finish(graph)))


def races(found: Exploration) -> int:
    """How many executions have a data race (C11 models)."""
    return sum(1 for x in found.complete + found.blocked if RC11(x).races())
