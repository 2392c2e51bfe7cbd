"""Robustness against RC11 by an SC memory with a monitor: the slow twin of native/states/rc11.cpp, whose head explains
the rules.

Here a view says for each location the lowest place in its order of writes that may still be used: an old write is
usable from there on. Joining views takes the higher place. Nothing is folded into anything else, no component is left
out, and what a program does not need is kept all the same. `_key` turns places into sets of values, so that programs
with loops have finitely many states.

Names of a record's parts: cur, cur_w (seen; of that, written); f (behind the SC fences that happen before), e (behind
what the next SC fence will follow), h (behind SC accesses that are followed on another location), l (per location:
behind its SC accesses that happen before). f, e, h and l come as pairs: what an SC fence looks at (all accesses) and
what an SC access does (writes).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from fencepost.errors import UnsupportedError
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.interpret import Action, Kind
from fencepost.program.program import Program
from fencepost.program.transitions import Transitions
from fencepost.records import dataclass

View = tuple[int, ...]
Pair = tuple[View, View]  # for SC fences; for SC accesses


def join(*views: View) -> View:
    return tuple(map(max, zip(*views, strict=True)))


def both(*pairs: Pair) -> Pair:
    return join(*(p[0] for p in pairs)), join(*(p[1] for p in pairs))


def raised(view: View, x: int, place: int) -> View:
    return (*view[:x], max(view[x], place), *view[x + 1 :])


@dataclass(frozen=True, slots=True)
class Record:
    """What travels along happens-before."""

    cur: View
    cur_w: View
    f: Pair
    e: Pair
    h: Pair
    l: tuple[Pair, ...]  # noqa: E741 # the name it has in the native monitor

    def __or__(self, other: Record) -> Record:
        return Record(join(self.cur, other.cur), join(self.cur_w, other.cur_w), both(self.f, other.f),
                      both(self.e, other.e), both(self.h, other.h),
                      tuple(both(a, b) for a, b in zip(self.l, other.l, strict=True)))  # fmt: skip


@dataclass(slots=True)
class OfThread:
    """`acq`: messages that wait for an acquire fence; `rel_f`, `rel_x`: the record at the last release fence, at the
    last releasing write of each location. `pb`: behind its own SC accesses, per location; `hm`: h at its last event on
    another location. `aware`: the locations whose last write reaches it by hbSC."""

    cur: Record
    acq: Record
    rel_f: Record
    rel_x: list[Record]
    pb: list[Pair]
    hm: list[Pair]
    aware: frozenset[int]

    def copy(self) -> OfThread:
        return replace(self, rel_x=list(self.rel_x), pb=list(self.pb), hm=list(self.hm))


@dataclass(slots=True)
class OfLocation:
    """`writes`: value and whether an RMW wrote it, in their order. `msg`: what the last write releases. `ws`, `ro`,
    `rc`: f at its writes, at readers of older ones, at readers of the last. `asc`: behind its SC accesses. The rest is
    Rocker's MSC and WSC."""

    writes: list[tuple[int, bool]]
    msg: Record
    ws: Pair
    ro: Pair
    rc: Pair
    asc: Pair
    m_sc: frozenset[int]
    w_sc: frozenset[int]

    def copy(self) -> OfLocation:
        return replace(self, writes=list(self.writes))


@dataclass(slots=True)
class Monitor:
    threads: list[OfThread]
    locations: list[OfLocation]
    cpp20: bool = False

    @classmethod
    def start(cls, threads: int, initial: list[int], *, cpp20: bool = False) -> Monitor:
        n = len(initial)
        zero: View = (0,) * n
        pair, everything = (zero, zero), frozenset(range(n))
        nothing = Record(zero, zero, pair, pair, pair, (pair,) * n)
        return cls(
            [OfThread(nothing, nothing, nothing, [nothing] * n, [pair] * n, [pair] * n, everything)
             for _ in range(threads)],
            [OfLocation([(v, False)], nothing, pair, pair, pair, pair, frozenset({x}), frozenset({x}))
             for x, v in enumerate(initial)],
            cpp20,
        )  # fmt: skip

    def copy(self) -> Monitor:
        return Monitor([t.copy() for t in self.threads], [x.copy() for x in self.locations], self.cpp20)

    @property
    def nothing(self) -> Pair:
        zero: View = (0,) * len(self.locations)
        return zero, zero

    @property
    def nothing_known(self) -> Record:
        pair = self.nothing
        return Record(pair[0], pair[0], pair, pair, pair, (pair,) * len(self.locations))

    # --- judging

    def lowest(self, t: int, x: int, mode: Mode) -> int:
        """From which place on a label of thread t may still use the writes of x, as far as coherence and psc say."""
        me = self.threads[t]
        limit = max(me.cur.cur[x], me.cur.f[0][x])
        if mode is Mode.SC:
            limit = max(limit, both(*me.pb)[1][x])
            limit = max(limit, me.hm[x][1][x])
            limit = max(limit, me.cur.l[x][1][x])
        return limit

    # --- steps

    def read(self, t: int, x: int, mode: Mode) -> None:
        me, place = self.threads[t], self.locations[x]
        if mode is not Mode.NA:
            me.acq |= place.msg
            if mode.acquires:
                me.cur |= place.msg
        self._access(t, x, mode, write=False)
        place.m_sc, me.aware = place.m_sc | me.aware, me.aware | place.w_sc

    def write(self, t: int, x: int, mode: Mode, value: int, *, rmw: bool) -> None:
        place, me = self.locations[x], self.threads[t]
        place.writes.append((value, rmw))
        self._access(t, x, mode, write=True)
        if mode.releases:
            released = me.cur
            if not self.cpp20:
                me.rel_x[x] = me.cur
        elif mode is Mode.NA:
            released = self.nothing_known
        else:
            released = me.rel_f | me.rel_x[x]
        place.msg = released | place.msg if rmw else released
        seen = place.m_sc | me.aware | {x}
        for other in self.threads:
            other.aware = seen if other is me else other.aware - {x}
        for other_place in self.locations:
            other_place.m_sc = seen if other_place is place else other_place.m_sc - {x}
            other_place.w_sc = seen if other_place is place else other_place.w_sc - {x}

    def _access(self, t: int, x: int, mode: Mode, *, write: bool) -> None:
        me, place, k = self.threads[t], self.locations[x], self.threads[t].cur
        last = len(place.writes) - 1
        before = both(*me.pb)
        elsewhere = both(self.nothing, *(p for z, p in enumerate(me.pb) if z != x))
        node = self.nothing
        if mode is Mode.SC:
            node = both(k.f, before, me.hm[x], k.l[x])
            if write:
                node = both(node, place.asc, place.ws, place.ro, place.rc)
                node = raised(node[0], x, last), raised(node[1], x, last)
        e = both(k.e, before, me.hm[x], k.l[x], place.ws, place.ro)
        if write:
            e = both(e, place.asc, place.rc)
        h = both(k.h, elsewhere)
        for z in range(len(me.hm)):
            if z != x:
                me.hm[z] = h
        if write:
            place.ro, place.rc = both(place.ro, place.rc), self.nothing
            place.ws = both(place.ws, k.f)
        else:
            place.rc = both(place.rc, k.f)
        behind = tuple(both(p, node) if z == x and mode is Mode.SC else p for z, p in enumerate(k.l))
        if mode is Mode.SC:
            place.asc, me.pb[x] = both(place.asc, node), both(me.pb[x], node)
        cur_w = raised(k.cur_w, x, last) if write else k.cur_w
        me.cur = Record(raised(k.cur, x, last), cur_w, k.f, e, h, behind)

    def fence(self, t: int, kind: FenceKind) -> None:
        me = self.threads[t]
        if kind is not FenceKind.REL:
            me.cur |= me.acq
        if kind is FenceKind.SC:
            k = me.cur
            f = both(k.f, k.e, both(*me.pb), (k.cur, k.cur_w))
            me.cur = replace(k, f=f)
        self.event(t)
        if kind is not FenceKind.ACQ:
            me.rel_f = me.cur

    def event(self, t: int) -> None:
        """An event without a location: a choice, the start of a thread, an access of the thread's own memory."""
        me = self.threads[t]
        before = both(*me.pb)
        me.cur = replace(me.cur, h=both(me.cur.h, before), e=both(me.cur.e, before))
        me.hm = [me.cur.h] * len(me.hm)

    def spawn(self, parent: int, child: int) -> None:
        """Thread creation is sequenced before; acquire and release fences and release sequences need program order."""
        self.event(parent)
        me, nothing = self.threads[parent].copy(), self.nothing_known
        me.acq = me.rel_f = nothing
        me.rel_x = [nothing] * len(me.rel_x)
        self.threads[child] = me

    def join(self, t: int, child: int) -> None:
        me, other = self.threads[t], self.threads[child]
        me.cur |= other.cur
        me.aware |= other.aware
        me.pb = [both(a, b) for a, b in zip(me.pb, other.pb, strict=True)]
        self.event(t)


# --- programs


@dataclass(frozen=True, slots=True)
class Result:
    robust: bool
    states: int


@dataclass(slots=True)
class _State:
    threads: tuple[int, ...]  # local states; -1: not started
    monitor: Monitor


def check(program: Program, *, cpp20: bool = False, threads: int = 5, limit: int = 200_000) -> Result:
    """Breadth first over the states of SC with the monitor. Races are nobody's business here."""
    transitions = Transitions(program)
    addresses, initial = _locations(transitions, threads)
    first = _State(
        tuple(transitions.start(t) if t < len(program.threads) else -1 for t in range(threads)),
        Monitor.start(threads, initial, cpp20=cpp20),
    )
    seen, queue = {_key(first)}, deque([first])
    while queue:
        state = queue.popleft()
        if any(_diverges(transitions, state, t, addresses) for t in range(threads)):
            return Result(False, len(seen))
        for following in _steps(transitions, state, addresses):
            key = _key(following)
            if key not in seen:
                seen.add(key)
                queue.append(following)
        if len(seen) > limit:
            raise UnsupportedError(f"more than {limit} states")
    return Result(True, len(seen))


def _diverges(transitions: Transitions, state: _State, t: int, addresses: dict[int, int]) -> bool:
    number, m = state.threads[t], state.monitor
    action = transitions.action(number) if number >= 0 else None
    if (
        action is None
        or action.kind not in (Kind.READ, Kind.WRITE)
        or addresses[action.address] not in m.threads[t].aware
    ):
        return False
    x = addresses[action.address]
    writes = m.locations[x].writes
    for place, (value, _) in enumerate(writes[:-1]):
        if action.kind is Kind.READ and not transitions.allows(number, value):
            continue
        written = action.kind is Kind.WRITE or transitions.after(number, value)[0] is not None
        mode = _mode(transitions, number, value)
        if place >= m.lowest(t, x, mode) and not (written and writes[place + 1][1]):
            return True
    return False


def _steps(transitions: Transitions, state: _State, addresses: dict[int, int]) -> Iterator[_State]:
    for t, number in enumerate(state.threads):
        action = transitions.action(number) if number >= 0 else None
        for value in _values(transitions, state, number, addresses) if action is not None else ():
            assert action is not None
            m, threads = state.monitor.copy(), list(state.threads)
            written, threads[t] = transitions.after(number, value)
            if action.kind is Kind.SPAWN:
                threads[value] = transitions.spawned(number, value)
            _apply(m, t, action, _mode(transitions, number, value), addresses.get(action.address, -1), value, written)
            yield _State(tuple(threads), m)


def _mode(transitions: Transitions, number: int, value: int) -> Mode:
    """The mode of a label; that of a compare-exchange depends on what it reads."""
    local = transitions.states[number]
    return transitions.machine.read_mode(local.state, value) if local.action.kind is Kind.READ else local.action.mode


def _apply(m: Monitor, t: int, action: Action, mode: Mode, x: int, value: int, written: int | None) -> None:
    if action.kind is Kind.READ:
        m.read(t, x, mode)
        if written is not None:
            m.write(t, x, action.mode, written, rmw=True)
    elif action.kind is Kind.WRITE:
        m.write(t, x, action.mode, written or 0, rmw=False)
    elif action.kind is Kind.FENCE:
        assert action.fence is not None
        m.fence(t, action.fence)
    elif action.kind is Kind.SPAWN:
        m.spawn(t, value)
    elif action.kind is Kind.JOIN:
        m.join(t, action.value)
    else:
        m.event(t)


def _values(transitions: Transitions, state: _State, number: int, addresses: dict[int, int]) -> range | tuple[int, ...]:
    """With which values the label can happen under SC; a spawn gets the number of the new thread."""
    action = transitions.action(number)
    if action.kind is Kind.SPAWN:
        return (state.threads.index(-1),)
    if action.kind is Kind.JOIN:
        ended = transitions.action(state.threads[action.value])
        return (ended.value,) if ended.kind is Kind.END and not ended.process else ()
    if action.kind is Kind.CHOOSE:
        return range(action.value, action.high + 1)
    if action.kind in (Kind.BLOCK, Kind.ERROR, Kind.END):
        return ()
    if action.kind is not Kind.READ:
        return (0,)
    value = state.monitor.locations[addresses[action.address]].writes[-1][0]
    return (value,) if transitions.allows(number, value) else ()


def _locations(transitions: Transitions, threads: int) -> tuple[dict[int, int], list[int]]:
    """Every address that some run of SC touches, and its initial value."""
    found: dict[int, int] = {}
    program = transitions.program
    first = tuple(transitions.start(t) if t < len(program.threads) else -1 for t in range(threads))
    seen, todo = {(first, frozenset[tuple[int, int]]())}, [(first, frozenset[tuple[int, int]]())]
    while todo:
        numbers, content = todo.pop()
        for number in numbers:
            action = transitions.action(number) if number >= 0 else None
            if action is not None and action.kind in (Kind.READ, Kind.WRITE):
                found.setdefault(action.address, transitions.machine.initial(action.address, action.size))
        memory = {**found, **dict(content)}
        for t, number in enumerate(numbers):
            if number < 0:
                continue
            action = transitions.action(number)
            for value in _plain_values(transitions, numbers, number, memory):
                following = list(numbers)
                written, following[t] = transitions.after(number, value)
                if action.kind is Kind.SPAWN:
                    following[value] = transitions.spawned(number, value)
                after = dict(content) | ({} if written is None else {action.address: written})
                state = tuple(following), frozenset(after.items())
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
    order = {address: x for x, address in enumerate(sorted(found))}
    return order, [found[a] for a in sorted(found)]


def _plain_values(
    transitions: Transitions, numbers: tuple[int, ...], number: int, memory: dict[int, int]
) -> range | tuple[int, ...]:
    action = transitions.action(number)
    if action.kind is Kind.READ:
        value = memory[action.address]
        return (value,) if transitions.allows(number, value) else ()
    empty = Monitor([], [])
    return _values(transitions, _State(numbers, empty), number, {})


def _key(state: _State) -> object:
    """The state with each view as the values that may still be used, and those behind which a write still fits."""
    m = state.monitor
    sets: dict[View, object] = {}

    def of(view: View) -> object:
        if view not in sets:
            sets[view] = tuple(
                (frozenset(v for v, _ in w[view[x] : -1]),
                 frozenset(w[j][0] for j in range(view[x], len(w) - 1) if not w[j + 1][1]))
                for x, w in enumerate(place.writes for place in m.locations)
            )  # fmt: skip
        return sets[view]

    def pair(p: Pair) -> object:
        return of(p[0]), of(p[1])

    def record(r: Record) -> object:
        return of(r.cur), of(r.cur_w), pair(r.f), pair(r.e), pair(r.h), tuple(map(pair, r.l))

    threads = tuple(
        (record(t.cur), record(t.acq), record(t.rel_f), tuple(map(record, t.rel_x)), tuple(map(pair, t.pb)),
         tuple(map(pair, t.hm)), t.aware) if state.threads[n] >= 0 else ()
        for n, t in enumerate(m.threads)
    )  # fmt: skip
    locations = tuple(
        (p.writes[-1][0], record(p.msg), pair(p.ws), pair(p.ro), pair(p.rc), pair(p.asc), p.m_sc, p.w_sc)
        for p in m.locations
    )
    return state.threads, threads, locations
