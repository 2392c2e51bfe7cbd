"""What a model demands, found out by asking it: the enumeration leaves out candidates only on these grounds.

A model keeps coherence if it rejects every small graph that breaks SC per location, for all modes of the accesses.
Two or three accesses of one location are enough to break it, so the list of shapes is complete.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from itertools import combinations_with_replacement, product

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.models.cat.small import INCOHERENT, OWN, Shape, incoherent
from fencepost.models.registry import Model
from fencepost.program.instructions import Mode

_READ_MODES = (Mode.NA, Mode.RLX, Mode.ACQ, Mode.SC)
_WRITE_MODES = (Mode.NA, Mode.RLX, Mode.REL, Mode.SC)


#: What our own models do not keep, in any variant; the rest they do. (A test asks them all.)
_OURS_DO_NOT = {
    "keeps_coherence": {"wrc11"},
    "keeps_dependencies": {"lkmm"},
    "keeps_compared": {"armv7", "armv8-2018", "bpf", "lkmm"},
}


def _asked(find_out: Callable[[Model], bool]) -> Callable[[Model], bool]:
    """Of our own models it is known; a user's is asked once."""

    @lru_cache(maxsize=64)
    def answer(model: Model) -> bool:
        if model.ours:
            return model.name not in _OURS_DO_NOT.get(find_out.__name__, ())
        return find_out(model)

    return wraps(find_out)(answer)


@_asked
def keeps_own_coherence(model: Model) -> bool:
    """Whether a thread alone always reads its own last write."""
    return all(_rejects(model, shape) for shape in OWN)


@_asked
def keeps_coherence(model: Model) -> bool:
    """SC per location."""
    return all(_rejects(model, shape) for shape in INCOHERENT)


@_asked
def keeps_dependencies(model: Model) -> bool:
    """Whether no write comes of itself, by dependencies in its thread and in another one, also where what it depends
    on went through memory of its thread."""
    ways = [(d,) for d in _DEPENDENCIES] + [(a, b) for a in _DEPENDENCIES[:2] for b in _DEPENDENCIES[:2]]
    return not any(_allows_circle(model, *circle) for circle in combinations_with_replacement(ways, 2))


@_asked
def keeps_compared(model: Model) -> bool:
    """Whether no write comes of what a compare-exchange wrote and decides itself that the exchange succeeds:
    `c := CAS(f, 1, 2); s := f; x := s - 1` against `a := x; f := a`."""
    return not any(_allows_circle(model, ("data_deps",), (_COMPARED, d)) for d in _DEPENDENCIES)


_DEPENDENCIES = ("address_deps", "data_deps", "control_deps")
_COMPARED = "control_picks"  # from what a compare-exchange reads to its write


def _allows_circle(model: Model, *ways: tuple[str, ...]) -> bool:
    return any(model.judge(_Circle(mode).made(ways), all_violations=False).consistent for mode in (Mode.NA, Mode.RLX))


class _Circle:
    """A thread for each way: it reads what the last one wrote; each dependency leads from there to a write, and a write
    that is not the last is read again for the next one."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.events: list[Event] = []
        self.reads_from: dict[int, int] = {}
        self.dependencies: dict[str, set[tuple[int, int]]] = {_COMPARED: set()}

    def made(self, ways: tuple[tuple[str, ...], ...]) -> Execution:
        for place in range(2 * len(ways)):  # one that each thread reads from outside, and one of its own
            self._add(-1, EventKind.INIT, place)
        ends = [self._thread(t, way, len(ways)) for t, way in enumerate(ways)]
        for t, (first, _) in enumerate(ends):
            self.reads_from[first] = ends[t - 1][1]
        compared = frozenset(self.dependencies[_COMPARED])
        coherence: dict[int, tuple[int, ...]] = {}
        for e in sorted((e for e in self.events if e.is_write), key=lambda e: e.thread):
            coherence[e.address] = (*coherence.get(e.address, ()), e.id)
        names = tuple(f"T{t}" for t in range(len(ways)))
        graph = Execution(tuple(self.events), self.reads_from, coherence, rmw=compared, threads=names)
        told = self.dependencies | {"control_deps": self.dependencies.get("control_deps", set()) | compared}
        return graph.depending(told)

    def _thread(self, t: int, way: tuple[str, ...], threads: int) -> tuple[int, int]:
        """Its first read and its last write."""
        first = read = self._add(t, EventKind.READ, t, rmw=way[0] == _COMPARED)
        for n, dependency in enumerate(way):
            compared, last = dependency == _COMPARED, n == len(way) - 1
            place = t if compared else (t + 1) % threads if last else threads + t
            write = self._add(t, EventKind.WRITE, place, rmw=compared)
            self.dependencies.setdefault(dependency, set()).add((read, write))
            if not last:
                read = self._add(t, EventKind.READ, place)
                self.reads_from[read] = write
        return first, write

    def _add(self, thread: int, kind: EventKind, place: int, *, rmw: bool = False) -> int:
        n, mode = len(self.events), Mode.NA if thread < 0 else Mode.RLX if rmw else self.mode
        self.events.append(Event(n, thread, n, kind, 0x1000 * (1 + place), 8, int(thread >= 0), mode, rmw=rmw))
        return n


def _rejects(model: Model, shape: Shape) -> bool:
    own, writes, _, _ = shape
    reads = [{"kind": EventKind.READ, "mode": mode} for mode in _READ_MODES]
    stores = [{"kind": EventKind.WRITE, "mode": mode} for mode in _WRITE_MODES]
    choices = [reads if kind == "R" else stores for kind in own] + [stores] * min(writes, 1)
    for looks in product(*choices):
        alike = looks + looks[-1:] * (len(own) + writes - len(looks))
        if model.judge(incoherent(shape, alike), all_violations=False).consistent:
            return False
    return True
