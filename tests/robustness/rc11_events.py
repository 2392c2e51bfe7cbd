"""The rules of RC11's monitor, one event at a time: along random runs of SC, every access that a thread could do next
is put behind every older write of its location, and the `.cat` file judges the graph. The monitor must say the same.

Whole programs hide errors here, since the same bad graph is found from another of its events.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.models.registry import find
from fencepost.program.instructions import FenceKind, Mode
from fencepost.records import dataclass

#: A step: R, W, U (an RMW) with a location and a mode, or F with the kind of a fence.
Step = tuple[str, int, Mode | FenceKind]
_MODES = {
    "R": (Mode.RLX, Mode.ACQ, Mode.SC), "W": (Mode.RLX, Mode.REL, Mode.SC), "U": (Mode.RLX, Mode.ACQ_REL, Mode.SC),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """After `run` (thread, step) thread `t` does `step` behind the write at `place`; `allowed`: what the model says."""

    run: tuple[tuple[int, Step], ...]
    t: int
    step: Step
    place: int
    allowed: bool


class Run:
    """The execution graph of a run of SC."""

    def __init__(self, locations: int) -> None:
        self.events = [Event(x, -1, x, EventKind.INIT, 16 + 8 * x, 8, 0) for x in range(locations)]
        self.coherence = {16 + 8 * x: [x] for x in range(locations)}
        self.reads_from: dict[int, int] = {}
        self.rmw: set[tuple[int, int]] = set()

    def copy(self) -> Run:
        other = Run(0)
        other.events, other.reads_from, other.rmw = list(self.events), dict(self.reads_from), set(self.rmw)
        other.coherence = {a: list(w) for a, w in self.coherence.items()}
        return other

    def add(self, t: int, step: Step, place: int = -1) -> None:
        kind, x, mode = step
        if isinstance(mode, FenceKind):
            self._event(t, EventKind.FENCE, 0, 0, Mode.NA, mode)
            return
        order = self.coherence[16 + 8 * x]
        behind = order[place]
        if kind != "W":
            self.reads_from[self._event(t, EventKind.READ, x, self.events[behind].value, mode, None, kind == "U")] = (
                behind
            )
        if kind != "R":
            number = self._event(t, EventKind.WRITE, x, len(self.events), mode, None, kind == "U")
            order.insert(order.index(behind) + 1, number)
            if kind == "U":
                self.rmw.add((number - 1, number))

    def _event(
        self, t: int, kind: EventKind, x: int, value: int, mode: Mode, fence: FenceKind | None, rmw: bool = False
    ) -> int:
        number, fenced = len(self.events), kind is EventKind.FENCE
        index = sum(e.thread == t for e in self.events)
        address, size = (0, 0) if fenced else (16 + 8 * x, 8)
        self.events.append(Event(number, t, index, kind, address, size, value, mode, fence, rmw))
        return number

    def execution(self) -> Execution:
        coherence = {a: tuple(w) for a, w in self.coherence.items()}
        threads = tuple(f"T{t}" for t in range(1 + max((e.thread for e in self.events), default=0)))
        return Execution(tuple(self.events), dict(self.reads_from), coherence, frozenset(self.rmw), threads=threads)


def trials(threads: list[list[Step]], locations: int, model: str, random: Random) -> Iterator[Trial]:
    """What one random run of these threads meets."""
    run, done, at = Run(locations), list[tuple[int, Step]](), [0] * len(threads)
    while any(at[t] < len(threads[t]) for t in range(len(threads))):
        for t, steps in enumerate(threads):
            if at[t] < len(steps) and not isinstance(steps[at[t]][2], FenceKind):
                yield from places(run, tuple(done), t, steps[at[t]], model)
        t = random.choice([t for t in range(len(threads)) if at[t] < len(threads[t])])
        run.add(t, threads[t][at[t]])
        done.append((t, threads[t][at[t]]))
        at[t] += 1


def places(run: Run, done: tuple[tuple[int, Step], ...], t: int, step: Step, model: str) -> Iterator[Trial]:
    order = run.coherence[16 + 8 * step[1]]
    for place in range(len(order) - 1):
        taken = any((r, order[place + 1]) in run.rmw for r, w in run.reads_from.items() if w == order[place])
        if step[0] != "R" and taken:
            continue  # atomicity, which is no business of views
        graph = run.copy()
        graph.add(t, step, place)
        yield Trial(done, t, step, place, find(model).judge(graph.execution(), all_violations=False).consistent)


def monitored(reference: Any, trial: Trial, threads: int, locations: int) -> bool:
    """What the monitor of a module like reference/scm_rc11.py says."""
    m = reference.Monitor.start(threads, [0] * locations)
    for t, (kind, x, mode) in trial.run:
        if isinstance(mode, FenceKind):
            m.fence(t, mode)
            continue
        if kind != "W":
            m.read(t, x, mode)
        if kind != "R":
            m.write(t, x, mode, 0, rmw=kind == "U")
    _, x, mode = trial.step
    lowest: int = m.lowest(trial.t, x, mode)
    return trial.place >= lowest


def random_threads(random: Random, locations: int) -> list[list[Step]]:
    count = random.choice((2, 3, 3, 4))
    return [[_step(random, locations) for _ in range(random.randint(2, 4))] for _ in range(count)]


def _step(random: Random, locations: int) -> Step:
    kind = random.choices("RWUF", (5, 5, 1, 3))[0]
    if kind == "F":
        return "F", 0, random.choice((FenceKind.SC, FenceKind.SC, FenceKind.SC, FenceKind.ACQ, FenceKind.REL))
    return kind, random.randrange(locations), random.choice(_MODES[kind])
