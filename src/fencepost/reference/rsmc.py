"""RSMC: stateless model checking for POWER (Abdulla, Atig, Jonsson, Leonardsson, CAV 2016), line by line after Fig. 7.

A state σ has fetched events F and committed events E. Threads are fetched as far as their branches are decided; a
fetched access is committed with a parameter (a load: the store it reads from; a store: its place in coherence, 0
first) once everything commit-before it is committed and the memory model allows it. `cb0` and `cb_power` are §2's
commit-before functions; `cb_power` has eieio too. Read-modify-writes are pairs: the paper has none, and with them
events may have no parameter (two pairs that read the same store), which only costs blocked runs.

The paper does not say when Q[e] is emptied: its run templates continue P[e], so here line 10 of Explore empties it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fencepost.errors import UnsupportedError
from fencepost.program.instructions import FenceKind
from fencepost.program.interpret import Action, Kind, Part
from fencepost.program.program import Program
from fencepost.reference.axioms import Predicate
from fencepost.reference.graph import Exploration, Graph, Name, Step, Threads, names, number
from fencepost.reference.power import power

ANY = -1  # the pseudo-parameter *
Parameter = Name | int
Run = tuple[tuple[Name, Parameter], ...]


@dataclass(frozen=True)
class State:
    """σ: the committed accesses (and the fences among what is fetched) as a graph, and the fetched accesses and fences,
    each with its thread waiting for it."""

    graph: Graph
    fetched: dict[Name, Step] = field(default_factory=dict)

    def committed(self, e: Name) -> bool:
        return e in self.graph

    def known(self, deps: frozenset[int]) -> bool:
        return all(d in self.graph for d in names(deps))

    def address(self, e: Name) -> int | None:
        """address_σ(e); None where it is not known yet."""
        action = self.fetched[e].action
        return action.address if self.known(action.address_deps) else None


CommitBefore = Callable[[State], set[tuple[Name, Name]]]


def cb0(state: State) -> set[tuple[Name, Name]]:
    """(addr ∪ data ∪ ctrl ∪ rf), not yet closed: the weakest reasonable one."""
    pairs = {(w, r) for r, w in state.graph.rf.items() if w[0] >= 0}
    for e, step in state.fetched.items():
        a = step.action
        pairs |= {(d, e) for d in names(a.address_deps | a.data_deps | a.control_deps)}
    return pairs


def cb_power(state: State) -> set[tuple[Name, Name]]:
    """cb0 with addr;po, po-loc, sync and lwsync, not yet closed. Valid (Theorem 2) and deadlock free (Theorem 3)."""
    pairs = cb0(state)
    for e, later in state.fetched.items():
        for d, earlier in state.fetched.items():
            if d[0] != e[0] or d >= e or Kind.FENCE in (earlier.action.kind, later.action.kind):
                continue
            pairs |= {(source, e) for source in names(earlier.action.address_deps)}
            same = state.address(d) is not None and state.address(d) == state.address(e)
            if same or any(_fenced(kind, earlier.action, later.action) for kind in _between(state, d, e)):
                pairs.add((d, e))
    return pairs


def _between(state: State, d: Name, e: Name) -> Iterator[FenceKind]:
    for f, step in state.fetched.items():
        if f[0] == d[0] and d < f < e and step.action.fence is not None:
            yield step.action.fence


def _fenced(kind: FenceKind, d: Action, e: Action) -> bool:
    if kind is FenceKind.LWSYNC:
        return not (d.kind is Kind.WRITE and e.kind is Kind.READ)
    if kind is FenceKind.EIEIO:
        return d.kind is Kind.WRITE and e.kind is Kind.WRITE
    return kind is FenceKind.SYNC


def closure(pairs: set[tuple[Name, Name]]) -> dict[Name, set[Name]]:
    """event -> everything before it, transitively."""
    direct: dict[Name, set[Name]] = {}
    for a, b in pairs:
        direct.setdefault(b, set()).add(a)
    found: dict[Name, set[Name]] = {}
    for e in direct:
        todo = [e]
        seen: set[Name] = set()
        while todo:
            new = direct.get(todo.pop(), set()) - seen
            seen |= new
            todo += new
        found[e] = seen
    return found


class Model:
    """The execution model derived from axioms M and a commit-before function (§2)."""

    def __init__(self, program: Program, cb: CommitBefore, consistent: Predicate = power) -> None:
        self.threads = Threads(program)
        self.cb, self.consistent = cb, consistent

    def initial(self) -> State:
        return self.fetch(Graph({}))

    def fetch(self, graph: Graph) -> State:
        """FLB(max): fetches every thread up to a branch that depends on a load that is not committed."""
        fetched: dict[Name, Step] = {}
        for thread in range(len(self.threads.program.threads)):
            for step in self._fetch_thread(graph, thread):
                fetched[step.name] = step
                if step.action.kind is Kind.FENCE and step.name not in graph:
                    after = self.threads.add_other(graph, step)
                    assert after is not None, "a fence should always be possible"
                    graph = after
                elif step.action.kind in (Kind.READ, Kind.WRITE) and self._is_known(graph, step.action):
                    graph = self.threads.ensure_location(graph, step.action)
        return State(graph, fetched)

    def _is_known(self, graph: Graph, action: Action) -> bool:
        return all(d in graph for d in names(action.address_deps))

    def _fetch_thread(self, graph: Graph, thread: int) -> Iterator[Step]:
        """A load that is not committed gives 0 for now; its dependencies say what is not to be believed."""
        machine, state, index = self.threads.machine, self.threads.machine.start(thread), 0
        while True:
            action = machine.run(state)
            name = (thread, index)
            if action.kind in (Kind.END, Kind.BLOCK, Kind.ERROR):
                return
            if action.kind not in (Kind.READ, Kind.WRITE, Kind.FENCE) or action.part in (Part.CAS, Part.EXCLUSIVE):
                raise UnsupportedError(f"{action.at}: RSMC has loads, stores, fences and read-modify-writes only")
            if any(d not in graph for d in names(action.control_deps)):
                return
            yield Step(name, action, state.clone())
            if name in graph and graph.labels[name].stuck:
                return
            value = graph.labels[graph.rf[name]].value if name in graph.rf else 0
            machine.reply(state, value, number(name))
            index += 1

    def enabled(self, state: State) -> list[Name]:
        before = closure(self.cb(state))
        return [
            e
            for e, step in sorted(state.fetched.items())
            if step.action.kind is not Kind.FENCE and not state.committed(e)
            and all(d in state.graph for d in before.get(e, ()))
        ]  # fmt: skip

    def commits(self, state: State, e: Name) -> list[tuple[Parameter, State]]:
        """Every parameter that M allows, with the state it leads to (rules LD and ST)."""
        found: list[tuple[Parameter, State]] = []
        step = state.fetched[e]
        if step.action.kind is Kind.READ:
            for w in state.graph.writes(step.action.address):
                found += self._allowed(w, self.threads.add_read(state.graph, step, w))
            return found
        graph = self.threads.add_write(state.graph, step)
        order = state.graph.co[step.action.address]
        for n, after in enumerate(order):
            if e not in graph.pairs or graph.rf[graph.pairs[e]] == after:
                found += self._allowed(n, graph.place(e, after))
        return found

    def _allowed(self, p: Parameter, graph: Graph) -> list[tuple[Parameter, State]]:
        return [(p, self.fetch(graph))] if self.consistent(graph.execution()) else []

    def ended(self, state: State) -> bool:
        """Whether every thread ended: the trace is complete."""
        return all(self._thread_ended(state, t) for t in range(len(self.threads.program.threads)))

    def _thread_ended(self, state: State, thread: int) -> bool:
        if any(not state.committed(e) for e in state.fetched if e[0] == thread):
            return False
        step = self.threads.step(state.graph, thread)
        return step is not None and step.action.kind is Kind.END


def explore(program: Program, cb: CommitBefore = cb_power, consistent: Predicate = power) -> Exploration:
    """Every trace; `blocked` holds the runs that ended before."""
    search = Rsmc(Model(program, cb, consistent))
    search.explore((), search.model.initial())
    return search.found


class Rsmc:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.found = Exploration()
        self.P: dict[Name, Run] = {}
        self.Q: dict[Name, list[Run]] = {}

    def explore(self, tau: Run, sigma: State) -> None:
        enabled = self.model.enabled(sigma)  # lines 1, 2; a state is always fetched as far as possible
        if not enabled:
            self.report(sigma)
            return
        e = enabled[-1]  # any will do; the last one shows the deadlock of Fig. 5
        if sigma.fetched[e].action.kind is Kind.WRITE:  # line 3
            successors = self.model.commits(sigma, e)  # line 4
            for n, after in successors:  # line 5
                self.explore((*tau, (e, n)), after)  # line 6
            self.detect_race(tau, sigma, e)  # line 8
            if not successors:
                self.report(sigma)
            return
        self.P[e], self.Q[e] = tau, []  # line 10
        successors = self.model.commits(sigma, e)  # line 11
        for w, after in successors:  # line 12
            self.explore((*tau, (e, w)), after)  # line 13
        explored: list[Run] = []  # line 15
        while rest := [t for t in self.Q[e] if t not in explored]:  # line 16
            explored.append(rest[0])  # line 17
            templates, prefix = self.Q[e], self.P[e]
            self.traverse(tau, sigma, rest[0])  # line 18
            self.Q[e], self.P[e] = templates, prefix

    def detect_race(self, tau: Run, sigma: State, e: Name) -> None:
        before = closure(self.model.cb(sigma)).get(e, set())
        for load, _ in tau:  # line 1
            is_load = sigma.fetched[load].action.kind is Kind.READ
            if not is_load or load in before or sigma.address(load) != sigma.address(e):
                continue
            if tau[: len(self.P[load])] != self.P[load]:
                continue  # Traverse committed it, and Explore has no call for it in this run: whoever explores it sees
            postfix = tau[len(self.P[load]) :]  # line 2
            kept = self.normalize(self.P[load], self.cut(self.P[load], postfix, before, sigma), sigma)  # line 3
            template = (*kept, (e, ANY), (load, e))  # line 4
            if template not in self.Q[load]:
                self.Q[load].append(template)  # line 5

    def cut(self, prefix: Run, tau: Run, before: set[Name], sigma: State) -> Run:
        """Appendix A.2: the events before e, with the places of stores as if the others had never been. The paper
        subtracts the places of removed stores, but those were counted at other times, when fewer stores were there:
        here they are inserted again, and the kept ones counted."""
        kept: list[tuple[Name, Parameter]] = []
        stores: dict[int | None, list[bool]] = {}  # in coherence order: whether each is kept
        for k, (e, p) in enumerate((*prefix, *tau)):
            keeps = k < len(prefix) or e in before
            if isinstance(p, int):
                here = stores.setdefault(sigma.address(e), [])
                here.insert(p, keeps)
                p = sum(here[:p])
            if keeps and k >= len(prefix):
                kept.append((e, p))
        return tuple(kept)

    def normalize(self, prefix: Run, tau: Run, sigma: State) -> Run:
        """The same events in a fixed order that respects cb; the places of stores follow."""
        order = self._places((*prefix, *tau), sigma)
        before = closure(self.model.cb(sigma))
        done: list[tuple[Name, Parameter]] = list(prefix)
        rest = dict(tau)
        while rest:
            e = min(e for e in rest if not before.get(e, set()) & rest.keys())
            p = rest.pop(e)
            if isinstance(p, int):
                here = order[sigma.address(e)]
                placed = [d for d, q in done if isinstance(q, int) and d in here]
                p = sum(1 for d in placed if here.index(d) < here.index(e))
            done.append((e, p))
        return tuple(done[len(prefix) :])

    def _places(self, tau: Run, sigma: State) -> dict[int | None, list[Name]]:
        order: dict[int | None, list[Name]] = {}
        for e, p in tau:
            if isinstance(p, int):
                order.setdefault(sigma.address(e), []).insert(p, e)
        return order

    def traverse(self, tau: Run, sigma: State, template: Run) -> None:
        if not template:  # line 1
            self.explore(tau, sigma)  # line 2
            return
        (e, p), rest = template[0], template[1:]  # line 5
        successors = self.model.commits(sigma, e)
        if p != ANY:  # line 11
            successors = [(q, after) for q, after in successors if q == p]
        for n, after in successors:  # lines 7 to 12
            self.traverse((*tau, (e, n)), after, rest)
        if not successors:  # line 14
            self.report(sigma)

    def report(self, sigma: State) -> None:
        complete = self.model.ended(sigma)
        self.found.report(self.model.threads.finish(sigma.graph), blocked=not complete)


def deadlocks(program: Program, cb: CommitBefore, consistent: Predicate = power) -> list[tuple[Run, Name]]:
    """Runs, in any order of committing, that reach an enabled access without a parameter."""
    model = Model(program, cb, consistent)
    todo: list[tuple[Run, State]] = [((), model.initial())]
    seen, found = set(), []
    while todo:
        tau, sigma = todo.pop()
        key = sigma.graph.execution().canonical()
        if key in seen:
            continue
        seen.add(key)
        for e in model.enabled(sigma):
            successors = model.commits(sigma, e)
            if not successors:
                found.append((tau, e))
            todo += [((*tau, (e, p)), after) for p, after in successors]
    return found
