"""RCMC: Algorithms 1 to 5 of "Effective Stateless Model Checking for C/C++ Concurrency" (POPL 2018), line by line.

A configuration is a graph G with a set T of reads that may still be revisited. Optimal without read-modify-writes and
SC accesses; with them some executions are found more than once (§4.6), which `Exploration.duplicates` counts. For WRC11
(§5) mo is mo_weak and VISITWRITE only revisits.

One line cannot stand as printed: line 7 of Algorithm 2 chooses w0 among what line 6 left, which may have no write in
the prefix of r (four increments: the initial write is taken by one that is not revisitable). We choose w0 among what
line 3 left; lines 8 and 9 then leave the writes that are taken, as the text says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain, combinations, pairwise

from fencepost.errors import UnsupportedError
from fencepost.program.interpret import Kind, Part
from fencepost.program.program import Program
from fencepost.reference.axioms import RC11
from fencepost.reference.graph import Exploration, Graph, Name, Step
from fencepost.reference.relations import Relation, bits
from fencepost.reference.trust import Trust

Reads = frozenset[Name]


def explore(program: Program, model: str = "rc11") -> Exploration:
    """Every execution under rc11, rc11-cpp20 or wrc11."""
    search = Rcmc(program, cpp20=model == "rc11-cpp20", weak=model == "wrc11")
    search.visit_configuration(Graph({}), frozenset())
    return search.found


class View:
    """The relations of a graph, on names."""

    def __init__(self, graph: Graph, *, cpp20: bool, weak: bool) -> None:
        self.names = sorted(graph.labels)
        self.ids = {n: i for i, n in enumerate(self.names)}
        self.model = RC11(graph.execution(), cpp20=cpp20)
        self.weak = weak
        f = self.model.f
        self.rf, self.rmw, self.sb, self.hb, self.sbrf = f.rf, f.rmw, f.po | f.spawns, self.model.hb, f.porf
        self.exclusive = frozenset(n for n, e in graph.labels.items() if e.is_read and e.rmw)

    @cached_property
    def mo(self) -> Relation:
        return self.model.weak_mo() if self.weak else self.model.f.co

    @cached_property
    def seen_later(self) -> Relation:
        """mo; rf?; hb"""
        return self.mo >> self.rf.optional() >> self.hb

    def only(self, names: Iterable[Name]) -> Relation:
        """[names]"""
        return self.model.f.identity(sum(1 << self.ids[n] for n in set(names)))

    def domain(self, r: Relation) -> set[Name]:
        return {self.names[i] for i in bits(r.domain())}

    def codomain(self, r: Relation) -> set[Name]:
        return {self.names[i] for i in bits(r.codomain())}


class Rcmc(Trust):
    def __init__(self, program: Program, *, cpp20: bool, weak: bool) -> None:
        super().__init__(program, lambda _: True, coherence=not weak)
        self.cpp20, self.weak = cpp20, weak

    def view(self, graph: Graph) -> View:
        return View(graph, cpp20=self.cpp20, weak=self.weak)

    # --- Algorithm 1

    def visit_configuration(self, graph: Graph, revisitable: Reads) -> None:
        step = self.next_p(graph, revisitable)  # line 2
        if step is None:  # line 9, for every execution and not only for erroneous ones
            view = self.view(graph)
            if view.model.psc(view.mo).acyclic:
                self.complete(graph)
            return
        if step.action.kind in (Kind.READ, Kind.WRITE):
            graph = self.threads.ensure_location(graph, step.action)
        match step.action.kind:  # lines 4 to 8
            case Kind.READ:
                self.visit_read(graph, revisitable, step)
            case Kind.WRITE:
                self.visit_write(self.threads.add_write(graph, step), revisitable, step.name)
            case Kind.ERROR:
                self.error(graph, step.action)
            case Kind.CHOOSE:
                raise UnsupportedError(f"{step.action.at}: RCMC takes deterministic programs")
            case Kind.END:
                self.visit_configuration(self.threads.add_end(graph, step), revisitable)
            case _:
                after = self.threads.add_other(graph, step)
                assert after is not None, "next should only give steps that can be taken"
                self.visit_configuration(after, revisitable)

    def next_p(self, graph: Graph, revisitable: Reads) -> Step | None:
        """Pending read-modify-writes first; of two, the one whose read is not revisitable."""
        movable = self.movable(graph)
        pending = [s for s in movable if s.action.kind is Kind.WRITE and s.action.rmw]
        fixed = [s for s in pending if (s.name[0], s.name[1] - 1) not in revisitable]
        return next(iter(fixed or pending or movable), None)

    # --- Algorithm 2

    def visit_read(self, graph: Graph, revisitable: Reads, step: Step) -> None:
        r = step.name
        if step.action.part is Part.EXCLUSIVE:
            raise UnsupportedError(f"{step.action.at}: RCMC has no load-reserve")
        first = self.threads.add_read(graph, step, graph.writes(step.action.address)[0])
        view = self.view(replace(first, rf=graph.rf))  # G with r, which reads from nothing yet
        writes = set(graph.writes(step.action.address))  # line 2
        writes -= view.domain(view.seen_later >> view.only([r]))  # line 3
        exclusive = {w for w in writes if self.reads_exclusively(graph, step, w)}  # line 4: A1
        others = view.exclusive - {r}
        taken = view.domain(view.rf >> view.only(others - revisitable))  # line 5: A2
        taken |= view.domain(view.rf >> view.only(others & revisitable) >> view.sbrf >> view.only([r]))
        coherent = set(writes)
        writes -= exclusive & taken  # line 6
        w0 = max(coherent & view.domain(view.sbrf >> view.only([r])))  # line 7
        next_write = view.rf >> view.rmw
        while self.reads_exclusively(graph, step, w0) and view.codomain(view.only([w0]) >> next_write):  # line 8
            (w0,) = view.codomain(view.only([w0]) >> next_write)  # line 9
        self.visit_configuration(self.threads.add_read(graph, step, w0), revisitable | {r})  # line 10
        for w in sorted(writes - {w0}):  # line 11
            fixed = view.domain(view.sbrf >> view.only([r, w]))
            self.visit_configuration(self.threads.add_read(graph, step, w), revisitable - fixed)

    def reads_exclusively(self, graph: Graph, step: Step, w: Name) -> bool:
        """val(w) ∈ exvals(r)"""
        return self.threads.add_read(graph, step, w).labels[step.name].rmw

    # --- Algorithm 3

    def visit_write(self, graph: Graph, revisitable: Reads, w: Name) -> None:
        if self.weak:  # §5: no other work
            self.revisit_reads(graph, revisitable, w)
            return
        if w in graph.pairs:  # lines 2, 3
            self.revisit_reads(graph.place(w, graph.rf[graph.pairs[w]]), revisitable, w)
            return
        view = self.view(graph)
        order = graph.co[graph.labels[w].address]
        self.revisit_reads(graph.place(w, order[-1]), revisitable, w)  # lines 5, 6
        refused = view.domain(view.rf >> view.only(view.exclusive)) | view.domain(view.seen_later >> view.only([w]))
        for place, after in pairwise(order):  # line 7
            if place not in refused:
                fixed = view.domain(view.sbrf >> view.only([w, after]))
                self.revisit_reads(graph.place(w, place), revisitable - fixed, w)  # line 8

    # --- Algorithm 5 (Algorithm 4 is its case without K_must)

    def revisit_reads(self, graph: Graph, revisitable: Reads, w: Name) -> None:
        view = self.view(graph)
        only, sbrf = view.only, view.sbrf
        reads = revisitable & frozenset(graph.reads(graph.labels[w].address))  # line 2
        reads -= view.domain(sbrf >> only([w]))  # line 3
        late = only([w]) >> view.mo >> view.rf.optional() >> view.hb.optional() >> view.sb
        reads -= view.codomain(late)  # line 4
        must = self.must_revisit(graph, view, w)  # line 5
        reads -= view.codomain(only(must) >> sbrf.optional())  # line 6
        for k1 in self.independent_subsets(graph, view, sorted(reads), w):  # line 7
            k = k1 | (must - view.codomain(only(k1) >> sbrf))  # line 8
            smaller = graph.without(view.codomain(only(k) >> sbrf))  # line 9
            for r in sorted(k):
                smaller = self.revisit(smaller, r, w)  # line 10
            kept = self.view(smaller)
            fixed = kept.domain(kept.sbrf.optional() >> kept.only(k1))
            self.visit_configuration(smaller, frozenset(n for n in revisitable if n in smaller) - fixed)  # 11, 12

    def must_revisit(self, graph: Graph, view: View, w: Name) -> frozenset[Name]:
        """The other exclusive read of what the read-modify-write of w reads: keeping it would break atomicity."""
        if w not in graph.pairs:
            return frozenset()
        own = graph.pairs[w]
        return frozenset(r for r in view.exclusive if r != own and graph.rf[r] == graph.rf[own])

    def independent_subsets(self, graph: Graph, view: View, reads: list[Name], w: Name) -> Iterator[frozenset[Name]]:
        for k in chain.from_iterable(combinations(reads, n) for n in range(len(reads) + 1)):
            exclusive = [r for r in k if self.becomes_exclusive(graph, r, w)]
            if len(exclusive) <= 1 and not view.only(k) >> view.sbrf >> view.only(k):
                yield frozenset(k)

    def becomes_exclusive(self, graph: Graph, r: Name, w: Name) -> bool:
        step = self.threads.step_after(graph, r[0], (r[0], r[1] - 1) if r[1] else None)
        assert step is not None, "a read that is in the graph should be reachable"
        return self.reads_exclusively(graph, step, w)
