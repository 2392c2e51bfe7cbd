"""Witnesses for tests, one of each kind. The machine computes every value: a sample only says who moves and who reads
what, so that no sample can be an execution that its program does not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fencepost.execution.execution import Event, EventKind, Execution, Pair
from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.verdict import Answer, Edge, ErrorReport, Step, Verdict, Witness
from fencepost.witness.sources import Sources

PROGRAMS = Path(__file__).parent / "programs"


def program(name: str) -> Program:
    path = PROGRAMS / f"{name}.fpir"
    return read_program(path.read_text(), str(path))


def sources() -> Sources:
    return Sources({p.name: p.read_text() for p in PROGRAMS.iterdir() if p.suffix in (".c", ".fp")})


class Builder:
    """`run("0 0 1<1 1<0")`: thread 0 takes two steps, thread 1 reads the write number 1 in the coherence order of its
    location, then number 0 (the initial one). Without a number a read takes the coherence-last write."""

    def __init__(self, program: Program) -> None:
        self.program, self.machine = program, Machine(program)
        self.events: list[Event] = []
        self.reads_from: dict[int, int] = {}
        self.coherence: dict[int, list[int]] = {}
        self.rmw: set[Pair] = set()
        self.deps: dict[str, set[Pair]] = {"address": set(), "data": set(), "control": set()}
        self.spawns: set[Pair] = set()
        self.names = [t.name for t in program.threads]
        self.states: dict[int, ThreadState] = {i: self.machine.start(i) for i in range(len(program.threads))}
        self.results: dict[int, int] = {}
        self.ends: dict[int, int] = {}

    def run(self, script: str) -> Execution:
        for token in script.split():
            thread, _, choice = token.partition("<")
            self.step(int(thread), int(choice) if choice else -1)
        return self.execution()

    def execution(self) -> Execution:
        blocked = {}
        for t, state in self.states.items():
            action = self.machine.run(state)
            if action.kind not in (Kind.END, Kind.ERROR):
                blocked[t] = action.at
        return Execution(
            tuple(self.events), dict(self.reads_from), {a: tuple(w) for a, w in self.coherence.items()},
            frozenset(self.rmw), frozenset(self.deps["address"]), frozenset(self.deps["data"]),
            frozenset(self.deps["control"]), frozenset(self.spawns), tuple(self.names), {}, blocked,
        )  # fmt: skip

    def add(self, thread: int, kind: EventKind, **fields: object) -> Event:
        index = sum(1 for e in self.events if e.thread == thread)
        event = Event(len(self.events), thread, index, kind, **fields)  # type: ignore[arg-type]
        self.events.append(event)
        return event

    def writes(self, action: Action) -> list[int]:
        if action.address not in self.coherence:
            value = self.machine.initial(action.address, action.size)
            init = self.add(-1, EventKind.INIT, address=action.address, size=action.size, value=value)
            self.coherence[action.address] = [init.id]
        return self.coherence[action.address]

    def step(self, thread: int, choice: int) -> None:
        state = self.states[thread]
        action = self.machine.run(state)
        match action.kind:
            case Kind.READ:
                source = self.writes(action)[choice]
                value = self.events[source].value
                assert self.machine.satisfied(state, value), "the sample lets a thread go on that has to wait"
                exclusive = action.part is Part.EXCLUSIVE
                half = action.part in (Part.RMW, Part.BLOCKING_CAS)
                event = self.access(thread, EventKind.READ, action, value, half, exclusive)
                self.reads_from[event.id] = source
                self.machine.reply(state, value, event.id)
                if state.pending_write is not None:
                    self.step(thread, -1)
                    self.rmw.add((event.id, self.events[-1].id))
            case Kind.WRITE:
                order = self.writes(action)
                event = self.access(thread, EventKind.WRITE, action, action.value, action.rmw, False)
                order.append(event.id)
                self.machine.reply(state, 1, event.id)
            case Kind.FENCE:
                event = self.add(thread, EventKind.FENCE, fence=action.fence, at=action.at)
                self.machine.reply(state, 0, event.id)
            case Kind.MALLOC:
                event = self.add(thread, EventKind.MALLOC, size=action.value, at=action.at)
                self.machine.reply(state, 0, event.id)
                self.events[event.id] = replace(event, address=max(state.objects))
            case Kind.FREE:
                self.machine.reply(state, 0, self.add(thread, EventKind.FREE, address=action.address, at=action.at).id)
            case Kind.SPAWN:
                child = len(self.names)
                self.names.append(action.function)
                event = self.add(thread, EventKind.SPAWN, value=child, at=action.at)
                self.states[child] = self.machine.start_function(child, action.function, action.args)
                self.spawns.add((event.id, self.add(child, EventKind.BEGIN).id))
                self.machine.reply(state, child, event.id)
            case Kind.JOIN:
                event = self.add(thread, EventKind.JOIN, value=action.value, at=action.at)
                self.spawns.add((self.ends[action.value], event.id))
                self.machine.reply(state, self.results[action.value], event.id)
            case Kind.END:
                self.results[thread] = action.value
                self.ends[thread] = self.add(thread, EventKind.END, at=action.at).id
            case _:
                raise AssertionError(f"the sample goes on at {action.kind.value} {action.message}")

    def access(self, thread: int, kind: EventKind, action: Action, value: int, rmw: bool, exclusive: bool) -> Event:
        event = self.add(
            thread, kind, address=action.address, size=action.size, value=value, mode=action.mode, rmw=rmw,
            exclusive=exclusive, at=action.at,
        )  # fmt: skip
        for name in self.deps:
            self.deps[name] |= {(d, event.id) for d in getattr(action, f"{name}_deps")}
        return event


def _find(x: Execution, thread: int, index: int) -> int:
    return x.thread_events(thread)[index].id


def _witness(
    name: str, script: str, kind: ErrorKind, model: str, *, thread: int = -1, message: str = "",
    line: int = 0, blame: tuple[tuple[int, int], ...] = (),
) -> Witness:  # fmt: skip
    p = program(name)
    x = Builder(p).run(script)
    file = next(e.at.file for e in x.events if e.at is not None)
    at = Position(file, line, 5) if line else None
    events = tuple(_find(x, t, i) for t, i in blame)
    return Witness(x, ErrorReport(kind, message, at, thread, events), model, program=p)


def race() -> Witness:
    return _witness("race", "0 0 1 1", ErrorKind.RACE, "rc11", thread=1, line=13, blame=((0, 0), (1, 1)),
                    message="data race on message.parts[2]")  # fmt: skip


def assertion_rc11() -> Witness:
    return _witness("mp", "0 0 1 1<0", ErrorKind.ASSERTION, "rc11", thread=1, line=13, message="data == 42")


def assertion_power() -> Witness:
    return _witness("power", "0 0 0 1 1<0", ErrorKind.ASSERTION, "power", thread=1, line=13,
                    message="r1 != 1 || r2 == 1")  # fmt: skip


def deadlock() -> Witness:
    return _witness("deadlock", "0 0 0 1", ErrorKind.DEADLOCK, "rc11", message="every thread waits")


def use_after_free() -> Witness:
    return _witness("freed", "0 0 0 0 1 0 0", ErrorKind.USE_AFTER_FREE, "rc11", thread=1, line=10,
                    message="read of freed memory", blame=((0, 5),))  # fmt: skip


def lost_update() -> Witness:
    return _witness("lost", "0 1 0 1 1", ErrorKind.ASSERTION, "sc", thread=1, line=13, message="hits == 2")


def robustness() -> Witness:
    w = _witness("robust", "0 1 0<0 1<0", ErrorKind.NOT_ROBUST, "ra", message="not robust against ra")
    x = w.execution
    a, b, c, d = _find(x, 0, 0), _find(x, 0, 1), _find(x, 1, 0), _find(x, 1, 1)
    cycle = (Edge(a, b, "po"), Edge(b, c, "fr"), Edge(c, d, "po"), Edge(d, a, "fr"))
    run = (
        Step(0, "x := 1", Position("robust.fp", 5, 3), a),
        Step(0, "a := y = 0", Position("robust.fp", 6, 3), b),
        Step(1, "y := 1", Position("robust.fp", 10, 3), c),
        Step(1, "may read x = 0 here, which SC forbids", Position("robust.fp", 11, 3), d),
    )
    return replace(w, cycle=cycle, run=run)


def bounded() -> Witness:
    w = _witness("bounded", "0 0 1 1<0", ErrorKind.ASSERTION, "power", thread=1, line=11, message="r1 == 0 || r2 == 1")
    x = w.execution
    wx, wy, ry, rx = _find(x, 0, 0), _find(x, 0, 1), _find(x, 1, 0), _find(x, 1, 1)
    p = [Position("bounded.fp", line, 3) for line in (4, 5, 9, 10)]
    steps: list[tuple[int, int, str, Position, int]] = [
        (1, 0, "fetch write x := 1", p[0], wx), (1, 0, "fetch write y := 1", p[1], wy),
        (1, 0, "commit write y := 1", p[1], wy), (1, 0, "propagate write y := 1 to P1", p[1], wy),
        (2, 1, "fetch read y = 1", p[2], ry), (2, 1, "fetch read x = 0", p[3], rx),
        (2, 1, "commit read y = 1", p[2], ry), (2, 1, "commit read x = 0", p[3], rx),
        (3, 0, "commit write x := 1", p[0], wx), (3, 0, "propagate write x := 1 to P1", p[0], wx),
    ]  # fmt: skip
    run = tuple(Step(thread, f"context {k}: {text}", at, e) for k, thread, text, at, e in steps)
    return replace(w, run=run, notes=("3 contexts, loop bound 1",))


def liveness() -> Witness:
    return _witness("liveness", "0 0", ErrorKind.LIVENESS, "rc11", thread=1, line=11, message="waits forever")


SAMPLES: dict[str, Callable[[], Witness]] = {
    f.__name__: f
    for f in (
        race, assertion_rc11, assertion_power, deadlock, use_after_free, robustness, bounded, liveness, lost_update,
    )
}  # fmt: skip


def verdict(witness: Witness) -> Verdict:
    return Verdict(Answer.FAIL, witness.error.message, witness.model, 7, 1, 0.0125, (witness.error,), witness, (), {})


def large(steps: int = 100, threads: int = 4) -> Witness:
    """About 2 × `steps` events: threads that count a shared counter up in turn, and one that is surprised."""
    text = ['program "large" arch=c11', "global hits size=8 align=8 type=i64", "global seen size=8 align=8 type=i64"]
    each = steps // threads
    for t in range(threads):
        text.append(f"function worker{t}() registers(%r) {{")
        for _ in range(each):
            text += ["  %r = load &hits mode=acq", "  %r = compute (%r, 1) op=add", "  store &hits, %r mode=rel"]
        if t == threads - 1:
            text += ["  %r = load &seen mode=acq", '  assert %r message="seen"']
        text += ["  return _", "}"]
    text += [f"thread worker{t} = worker{t}()" for t in range(threads)]
    p = read_program("\n".join(text) + "\n")
    script = " ".join(f"{t} {t}" for _ in range(each) for t in range(threads)) + f" {threads - 1}"
    x = Builder(p).run(script)
    return Witness(x, ErrorReport(ErrorKind.ASSERTION, "seen", None, threads - 1), "rc11", program=p)
