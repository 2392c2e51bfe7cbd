"""Robustness against release/acquire by the SCM of Lahav and Margalit (PLDI 2019), as the paper writes it.

SCM is sequential consistency with monitors. Each of its states stands for the execution graph G of the run so far and
remembers what decides whether release/acquire could diverge from G with one more event:

    M           the value of the mo-maximal write wmax of each location
    VSC MSC WSC which wmax have an hbSC path to a thread, to an access of a location, to its wmax       (Figure 5)
    V W         values of older writes that a thread (that wmax's thread, when it wrote) may still read (Figure 6)
    VRMW WRMW   the same without the writes that an RMW reads from: nothing may be put right behind them

Theorem 5.3 judges every label that a thread offers, whether or not SC memory would let it happen.
With `critical`, values that no label distinguishes are folded into one (§5.1): the sets hold `OTHER` for them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TypeVar

from fencepost.errors import UnsupportedError
from fencepost.program.instructions import ErrorKind, FenceKind, Mode
from fencepost.program.interpret import Action, Kind, Part
from fencepost.program.program import Program
from fencepost.program.transitions import Transitions, updates
from fencepost.records import dataclass

OTHER = -1  # every value that is not critical for its location
FENCE_LOCATION = 0  # an SC fence is an RMW of a location that nobody else uses (Example 3.6)
FULL_FENCES = frozenset({
    FenceKind.SC, FenceKind.SYNC, FenceKind.MFENCE, FenceKind.DMB_SY, FenceKind.DSB_SY, FenceKind.FENCE_RW_RW,
})  # fmt: skip

T = TypeVar("T")
Locations = frozenset[int]
Values = frozenset[int]


@dataclass(frozen=True, slots=True)
class Monitor:
    """I of the paper. Threads and locations are indices; `m` holds values, everything else holds sets."""

    m: tuple[int, ...]
    v_sc: tuple[Locations, ...]
    m_sc: tuple[Locations, ...]
    w_sc: tuple[Locations, ...]
    v: tuple[tuple[Values, ...], ...]
    w: tuple[tuple[Values, ...], ...]
    v_rmw: tuple[tuple[Values, ...], ...]
    w_rmw: tuple[tuple[Values, ...], ...]


@dataclass(frozen=True, slots=True)
class State:
    threads: tuple[int, ...]
    monitor: Monitor


@dataclass(frozen=True, slots=True)
class Violation:
    """`trace` lists (thread, action, value) of the run; the label of `thread` could then use an old write of value
    `stale`. A race has the other thread in `other`; an error found along the way has its kind."""

    thread: int
    action: Action
    stale: int
    trace: tuple[tuple[int, Action, int], ...]
    other: int = -1
    error: ErrorKind | None = None


@dataclass(frozen=True, slots=True)
class Result:
    robust: bool
    states: int
    violation: Violation | None = None
    errors: tuple[Violation, ...] = ()


class Scm:
    """The transitions of SCM for one program. `locations` are the addresses that it ever touches under SC."""

    def __init__(self, program: Program, *, critical: bool = True) -> None:
        self.transitions = Transitions(program)
        self.threads = range(len(program.threads))
        found = survey(self.transitions)
        self.non_atomic = found.non_atomic - found.atomic
        self.addresses = sorted(found.atomic | found.non_atomic)
        self.index = {address: i for i, address in enumerate(self.addresses)}
        self.sizes = found.sizes
        self.critical = found.critical if critical else None

    def initial(self) -> State:
        everything = frozenset(range(len(self.addresses)))
        own = tuple(frozenset({x}) for x in everything)
        nothing = tuple(frozenset[int]() for _ in everything)
        memory = tuple(self.transitions.machine.initial(a, self.sizes.get(a, 8)) if a else 0 for a in self.addresses)
        per_thread, per_location = (nothing,) * len(self.threads), (nothing,) * len(everything)
        monitor = Monitor(memory, (everything,) * len(self.threads), own, own,
                          per_thread, per_location, per_thread, per_location)  # fmt: skip
        return State(tuple(self.transitions.start(t) for t in self.threads), monitor)

    def abstract(self, x: int, value: int) -> int:
        """The value as the sets of Figure 6 hold it: itself where it is critical for x, else OTHER."""
        known = None if self.critical is None else self.critical[self.addresses[x]]
        return value if known is None or value in known else OTHER

    def after(self, i: Monitor, t: int, x: int, read: bool, written: int | None) -> Monitor:
        """The SCM step of thread t: a read, a write (`written` and not `read`) or an RMW (both) of location x."""
        if self.addresses[x] in self.non_atomic:
            return i if written is None else replace(i, m=_put(i.m, x, written))
        return self._read(i, t, x) if written is None else self._write(i, t, x, read, written)

    def _read(self, i: Monitor, t: int, x: int) -> Monitor:
        return replace(
            i,
            v_sc=_put(i.v_sc, t, i.v_sc[t] | i.w_sc[x]),
            m_sc=_put(i.m_sc, x, i.m_sc[x] | i.v_sc[t]),
            v=_put(i.v, t, _meet(i.v[t], i.w[x])),
            v_rmw=_put(i.v_rmw, t, _meet(i.v_rmw[t], i.w_rmw[x])),
        )

    def _write(self, i: Monitor, t: int, x: int, read: bool, written: int) -> Monitor:
        old = frozenset({self.abstract(x, i.m[x])})
        seen = i.m_sc[x] | i.v_sc[t]
        v = _meet(i.v[t], i.w[x]) if read else i.v[t]
        v_rmw = _meet(i.v_rmw[t], i.w_rmw[x]) if read else i.v_rmw[t]
        v, v_rmw = _put(v, x, frozenset()), _put(v_rmw, x, frozenset())
        add_rmw = frozenset[int]() if read else old  # an RMW reads from it, so it is no predecessor any more
        return Monitor(
            m=_put(i.m, x, written),
            v_sc=tuple(i.v_sc[t] | i.m_sc[x] if p == t else s - {x} for p, s in enumerate(i.v_sc)),
            m_sc=tuple(seen if y == x else s - {x} for y, s in enumerate(i.m_sc)),
            w_sc=tuple(seen if y == x else s - {x} for y, s in enumerate(i.w_sc)),
            v=tuple(v if p == t else _put(s, x, s[x] | old) for p, s in enumerate(i.v)),
            w=tuple(v if z == x else _put(s, x, s[x] | old) for z, s in enumerate(i.w)),
            v_rmw=tuple(v_rmw if p == t else _put(s, x, s[x] | add_rmw) for p, s in enumerate(i.v_rmw)),
            w_rmw=tuple(v_rmw if z == x else _put(s, x, s[x] | add_rmw) for z, s in enumerate(i.w_rmw)),
        )

    # --- Theorem 5.3 and Definition 6.1

    def divergence(self, state: State, t: int) -> int | None:
        """A value whose old write the next label of t could use under RA though SC forbids the graph, or None."""
        action, i = self.transitions.action(state.threads[t]), state.monitor
        if location(action) is None or action.address in self.non_atomic:
            return None
        x = self.index[location(action) or 0]
        if x not in i.v_sc[t]:
            return None
        if action.kind is Kind.WRITE:
            return next(iter(sorted(i.v_rmw[t][x])), None)
        if action.kind is Kind.FENCE:
            return None  # only RMWs write that location, so all but the last of its writes are read by one
        read = (v for v in sorted(i.v[t][x]) if self._offers(state.threads[t], v, rmw=False))
        update = (v for v in sorted(i.v_rmw[t][x]) if self._offers(state.threads[t], v, rmw=True))
        return next(read, next(update, None))

    def _offers(self, number: int, value: int, *, rmw: bool) -> bool:
        """Whether the READ of this local state is, for this value, a label of type R (of type RMW where `rmw`)."""
        action = self.transitions.action(number)
        if action.part is Part.LOAD or action.part is Part.RMW:
            return rmw == (action.part is Part.RMW)
        if value == OTHER:  # not critical: no CAS or await tells it from other values that are not
            value = self._some_other_value(action.address)
        if not self.transitions.allows(number, value):
            return False
        return rmw == (self.transitions.after(number, value)[0] is not None)

    def _some_other_value(self, address: int) -> int:
        known = (self.critical or {})[address] or frozenset()
        return next(v for v in range(len(known) + 1) if v not in known)

    def racy(self, state: State) -> tuple[int, int] | None:
        """Two threads whose next labels touch one location, one of them writes, and one is not atomic."""
        for t in self.threads:
            for p in self.threads[t + 1 :]:
                a, b = (self.transitions.action(state.threads[k]) for k in (t, p))
                if (
                    location(a) is not None
                    and location(a) == location(b)
                    and (_may_write(a) or _may_write(b))
                    and (a.mode is Mode.NA or b.mode is Mode.NA)
                    and Kind.FENCE not in (a.kind, b.kind)
                ):
                    return t, p
        return None

    def steps(self, state: State) -> Iterator[tuple[int, Action, int, State]]:
        """Every SC step: the thread, its label, the value it read or chose, and the state that follows."""
        for t in self.threads:
            number = state.threads[t]
            action = self.transitions.action(number)
            x = location(action)
            for value in sc_values(self.transitions, number, dict(zip(self.addresses, state.monitor.m, strict=True))):
                written, following = self.transitions.after(number, value)
                monitor = state.monitor
                if x is not None:
                    fence = action.kind is Kind.FENCE
                    read = fence or action.kind is Kind.READ
                    monitor = self.after(monitor, t, self.index[x], read, 0 if fence else written)
                yield t, action, value, State(_put(state.threads, t, following), monitor)


def check(program: Program, *, critical: bool = True, limit: int = 10_000_000) -> Result:
    """Breadth first, so the first violation has a shortest trace. Raises where more than `limit` states are met."""
    scm = Scm(program, critical=critical)
    first = scm.initial()
    parents: dict[State, tuple[State, int, Action, int] | None] = {first: None}
    queue = deque([first])
    errors: list[Violation] = []

    def trace(state: State) -> tuple[tuple[int, Action, int], ...]:
        steps = []
        while (parent := parents[state]) is not None:
            state = parent[0]
            steps.append(parent[1:])
        return tuple(reversed(steps))

    while queue:
        state = queue.popleft()
        race = scm.racy(state)
        if race is not None:
            action = scm.transitions.action(state.threads[race[0]])
            return Result(False, len(parents), Violation(race[0], action, OTHER, trace(state), race[1], ErrorKind.RACE))
        for t in scm.threads:
            stale = scm.divergence(state, t)
            action = scm.transitions.action(state.threads[t])
            if stale is not None:
                return Result(False, len(parents), Violation(t, action, stale, trace(state)), tuple(errors))
        for t, action, value, following in scm.steps(state):
            if following not in parents:
                parents[following] = (state, t, action, value)
                queue.append(following)
                reached = scm.transitions.action(following.threads[t])
                if reached.kind is Kind.ERROR:
                    errors.append(Violation(t, reached, OTHER, trace(following), error=reached.error))
        if len(parents) > limit:
            raise UnsupportedError(f"more than {limit} states")
    return Result(True, len(parents), None, tuple(errors))


@dataclass(slots=True)
class Survey:
    """What a program does under SC: which addresses it touches and how, and which of their values are critical
    (Definition 5.5; None: all of them)."""

    atomic: set[int] = field(default_factory=set)
    non_atomic: set[int] = field(default_factory=set)
    sizes: dict[int, int] = field(default_factory=dict)
    critical: dict[int, frozenset[int] | None] = field(default_factory=dict)

    def note(self, transitions: Transitions, number: int) -> None:
        action = transitions.action(number)
        x = location(action)
        if x is None:
            return
        if self.sizes.setdefault(x, action.size) != action.size:
            raise UnsupportedError(f"{action.at}: accesses of different sizes to one location")
        (self.non_atomic if action.mode is Mode.NA and x else self.atomic).add(x)
        known = self.critical.setdefault(x, frozenset())
        if known is not None and action.kind is Kind.READ:
            apart = transitions.told_apart(number)
            self.critical[x] = None if apart is None else known | apart


def survey(transitions: Transitions) -> Survey:
    """Visits every state that the program has under SC, without monitors."""
    found = Survey()
    first = tuple(transitions.start(t) for t in range(len(transitions.program.threads)))
    initial: tuple[tuple[int, ...], frozenset[tuple[int, int]]] = (first, frozenset())
    seen, todo = {initial}, [initial]
    while todo:
        threads, memory = todo.pop()
        values = dict(memory)
        for t, number in enumerate(threads):
            action = transitions.action(number)
            refuse(action)
            found.note(transitions, number)
            for value in sc_values(transitions, number, values):
                written, following = transitions.after(number, value)
                after = values if written is None else values | {action.address: written}
                state = _put(threads, t, following), frozenset(after.items())
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
    return found


def sc_values(transitions: Transitions, number: int, memory: Mapping[int, int]) -> Iterable[int]:
    """With which values the label of a local state can happen under SC: none where it waits or the thread is over."""
    action = transitions.action(number)
    if action.kind in (Kind.BLOCK, Kind.ERROR, Kind.END):
        return ()
    if action.kind is Kind.CHOOSE:
        return range(action.value, action.high + 1)
    if action.kind is Kind.READ:
        value = memory.get(action.address)
        if value is None:
            value = transitions.machine.initial(action.address, action.size)
        return (value,) if transitions.allows(number, value) else ()
    return (0,)


def refuse(action: Action) -> None:
    """Raises for what the language of the paper (Figure 1) has no counterpart of."""
    if action.kind not in (Kind.READ, Kind.WRITE, Kind.FENCE, Kind.CHOOSE, Kind.BLOCK, Kind.ERROR, Kind.END):
        raise UnsupportedError(f"{action.at}: {action.kind.value} is not in the language of the reference")
    if action.part is Part.EXCLUSIVE or action.conditional is not None:
        raise UnsupportedError(f"{action.at}: exclusive accesses have no meaning under release/acquire")


def location(action: Action) -> int | None:
    """The address that a label is about; None where it is none of memory's business."""
    if action.kind in (Kind.READ, Kind.WRITE):
        return action.address
    if action.kind is Kind.FENCE and action.fence in FULL_FENCES:
        return FENCE_LOCATION
    return None


def _may_write(action: Action) -> bool:
    return action.kind is Kind.WRITE or updates(action)


def _put(row: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    return (*row[:index], value, *row[index + 1 :])


def _meet(a: tuple[Values, ...], b: tuple[Values, ...]) -> tuple[Values, ...]:
    return tuple(p & q for p, q in zip(a, b, strict=True))
