"""Every consistent graph by brute force: add any thread's next event, read any write, try any place in coherence, and
remember the graphs already seen. Complete for models with acyclic po ∪ rf, because their consistency is closed under
prefixes. It shares the threads with TruSt, but nothing of its revisiting, and judges it."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.program.interpret import Kind
from fencepost.program.program import Program
from fencepost.reference.axioms import MODELS
from fencepost.reference.graph import Exploration, Graph, Step
from fencepost.reference.trust import Trust


def explore(program: Program, model: str) -> Exploration:
    search = Naive(program, MODELS[model], coherence=model != "wrc11")
    search.search(Graph({}))
    return search.found


class Naive(Trust):
    def search(self, start: Graph) -> None:
        todo, seen = [start], set()
        while todo:
            graph = todo.pop()
            x = graph.execution()
            key = (x.canonical(), tuple(sorted(graph.labels)))
            if key in seen or not self.consistent(x):
                continue
            seen.add(key)
            steps = self.movable(graph)
            if not steps:
                self.complete(graph)
            for step in steps:
                todo += self.successors(graph, step)

    def successors(self, graph: Graph, step: Step) -> Iterator[Graph]:
        threads, action = self.threads, step.action
        if action.kind in (Kind.READ, Kind.WRITE):
            graph = threads.ensure_location(graph, action)
        match action.kind:
            case Kind.READ:
                yield from (threads.add_read(graph, step, w) for w in graph.writes(action.address))
            case Kind.WRITE:
                if action.conditional is not None and action.may_fail:
                    yield threads.add_failure(graph, step)
                added = threads.add_write(graph, step)
                yield from (added.place(step.name, w) for w in graph.co[action.address]) if self.coherence else [added]
            case Kind.CHOOSE:
                yield from (threads.add_choice(graph, step, v) for v in range(action.value, action.high + 1))
            case Kind.ERROR:
                self.error(graph, action)
            case Kind.END:
                yield threads.add_end(graph, step)
            case _:
                after = threads.add_other(graph, step)
                assert after is not None, "movable should only give steps that can be taken"
                yield after
