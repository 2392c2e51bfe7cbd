"""An execution told to a person: one step after another, each with its thread, its source line, what it did, where a
read got its value and which newer value it missed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.interpret import Kind, Part
from fencepost.program.layout import HEAP, REGION_MASK, STACK
from fencepost.program.operands import Position
from fencepost.program.program import Arch
from fencepost.records import dataclass
from fencepost.verdict import Edge, Step, Witness
from fencepost.witness.case import Case, open_case
from fencepost.witness.explain import Explanation, explain, waits_for
from fencepost.witness.linearise import Unit, linearise
from fencepost.witness.names import MODES
from fencepost.witness.sources import Sources

#: Errors whose events are the fault; of others they are only the last thing that happened.
_FAULTY_EVENTS = frozenset({
    ErrorKind.RACE, ErrorKind.USE_AFTER_FREE, ErrorKind.DOUBLE_FREE, ErrorKind.INVALID_FREE, ErrorKind.OUT_OF_BOUNDS,
    ErrorKind.UNINITIALISED, ErrorKind.MISALIGNED,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moment:
    """One step. `kind` is `read`, `write`, `update` (a read-modify-write), `fence`, ..., `wait` for a thread that
    waits for ever, or `error`. `events` is empty for the last two. `because` is the event that a `wait` waits
    because of: who took the lock, who wrote last."""

    number: int
    thread: int
    kind: str
    text: str
    events: tuple[int, ...] = ()
    mode: str = ""
    detail: str = ""
    at: Position | None = None
    place: str = ""
    source: str = ""
    blamed: bool = False
    because: int = -1


@dataclass(frozen=True, slots=True)
class Column:
    """A thread of the story; `hidden` of its events had no part in the error and are left out."""

    thread: int
    name: str
    hidden: int


@dataclass(frozen=True, slots=True)
class Story:
    witness: Witness
    columns: tuple[Column, ...]
    moments: tuple[Moment, ...]
    initial: tuple[str, ...]  # `x = 0` for every location that the story touches, `main starts a and b`
    explanation: Explanation
    cycle: tuple[Edge, ...]
    run: tuple[tuple[Step, str], ...]  # each with its place
    output: tuple[str, ...]

    def number_of(self, event: int) -> int | None:
        return next((m.number for m in self.moments if event in m.events), None)


def tell(witness: Witness, sources: Sources | None = None, *, whole: bool = False) -> Story:
    """`whole` tells every event, not only what led to the error."""
    return _Teller(open_case(witness), sources or Sources(), whole).story()


class _Teller:
    def __init__(self, case: Case, sources: Sources, whole: bool) -> None:
        self.case, self.sources, self.names = case, sources, case.names
        self.told = case.told()
        if whole:
            skipped = (EventKind.INIT, EventKind.BEGIN, EventKind.END)
            self.told = frozenset(e.id for e in case.events if e.kind not in skipped)
        self.quiet = frozenset() if whole else self.quiet_threads()
        self.told = frozenset(e for e in self.told if case.events[e].thread not in self.quiet)
        self.units = linearise(case.relations, self.told)
        self.numbers = {e: n for n, unit in enumerate(self.units, 1) for e in unit}

    def quiet_threads(self) -> frozenset[int]:
        """Threads (main, mostly) that only start and join others: one line says it, a column would say no more."""
        error, kinds = self.case.witness.error, (EventKind.SPAWN, EventKind.JOIN)
        loud = {self.case.events[e].thread for e in self.told if self.case.events[e].kind not in kinds}
        if not self.case.waiting:
            loud.add(error.thread)
        loud |= {t for t, action in self.case.waiting.items() if action.kind is not Kind.JOIN}
        mute = {self.case.events[e].thread for e in self.told} - loud
        return frozenset(mute) if loud - {-1} else frozenset()

    def prelude(self) -> Iterable[str]:
        for t in sorted(self.quiet):
            started = [e for e in self.case.witness.execution.thread_events(t) if e.kind is EventKind.SPAWN]
            names = [self.names.thread(self.partner(e)) for e in started]
            listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
            yield f"{self.names.thread(t)} starts {listed}"

    def story(self) -> Story:
        moments = [self.moment(n, unit) for n, unit in enumerate(self.units, 1)]
        explanation = explain(self.case, self.numbers)
        for mark in [*self.waits(), *self.error()]:
            moments.append(replace(mark, number=len(moments) + 1))
        shown = {m.thread for m in moments if m.thread >= 0}
        output = self.case.replayed.output if self.case.replayed is not None else {}
        return Story(
            self.case.witness,
            tuple(self.column(t) for t in sorted(shown)),
            tuple(moments),
            (*self.initial(), *self.prelude()),
            explanation,
            self.case.cycle,
            tuple((step, self.names.place(step.at)) for step in self.case.witness.run),
            tuple(f"{self.names.thread(t)}: {line}" for t, lines in sorted(output.items()) for line in lines),
        )

    def column(self, thread: int) -> Column:
        skipped = (EventKind.BEGIN, EventKind.END)
        mine = [e for e in self.case.witness.execution.thread_events(thread) if e.kind not in skipped]
        return Column(thread, self.names.thread(thread), sum(1 for e in mine if e.id not in self.told))

    def initial(self) -> Iterable[str]:
        touched = {e.address for e in self.case.events if e.id in self.told and e.is_access}
        for e in self.case.events:
            dynamic = e.address & REGION_MASK in (HEAP, STACK) or e.address in self.case.lock_addresses
            if e.kind is EventKind.INIT and e.address in touched and not dynamic:
                yield f"{self.names.location(e.address)} = {self.names.value(e)}"

    # --- one step

    def moment(self, number: int, unit: Unit) -> Moment:
        events = [self.case.events[e] for e in unit]
        first = events[0]
        kind = "update" if len(events) == 2 else first.kind.value
        error = self.case.witness.error
        blamed = error.kind in _FAULTY_EVENTS and any(e in error.events for e in unit)
        return Moment(
            number, first.thread, kind, self.text(events), unit, self.mode(first), self.detail(events), first.at,
            self.names.place(first.at), self.sources.line(first.at), blamed,
        )  # fmt: skip

    def text(self, events: list[Event]) -> str:
        e = events[0]
        if len(events) == 2:
            return self.updates(events[0], events[1])
        match e.kind:
            case EventKind.READ:
                return f"reads {self.named(e)}"
            case EventKind.WRITE if e.address in self.case.lock_addresses and e.value == 0:
                return f"unlocks {self.names.location(e.address)}"
            case EventKind.WRITE:
                return f"writes {self.named(e)}"
            case EventKind.FENCE:
                return f"fence {e.fence.value if e.fence is not None else ''}".rstrip()
            case EventKind.MALLOC:
                return f"allocates {self.names.location(e.address)} ({e.size or e.value} bytes)"
            case EventKind.FREE:
                return f"frees {self.names.location(e.address)}"
            case EventKind.SPAWN | EventKind.JOIN:
                return f"{'starts' if e.kind is EventKind.SPAWN else 'joins'} {self.names.subject(self.partner(e))}"
            case EventKind.CHOOSE:
                return f"chooses {self.names.shown(e.value, 8, None)}"
            case _:
                return str(e.kind.value).replace("_", " ")

    def updates(self, read: Event, write: Event) -> str:
        action = self.case.replayed.actions.get(read.id) if self.case.replayed is not None else None
        location = self.names.location(read.address)
        if action is not None and action.part is Part.BLOCKING_CAS and action.lock:
            return f"locks {location}"
        return f"updates {location}: {self.names.value(read)} → {self.names.value(write)}"

    def partner(self, e: Event) -> int:
        """The thread that a SPAWN starts or a JOIN waits for."""
        for a, b in self.case.witness.execution.spawns:
            if e.id in (a, b):
                return self.case.events[b if e.id == a else a].thread
        return e.value

    def named(self, e: Event) -> str:
        return f"{self.names.location(e.address)} = {self.names.value(e)}"

    def mode(self, e: Event) -> str:
        """The memory order where the language has one to speak of."""
        if not e.is_access or e.address in self.case.lock_addresses:
            return ""
        quiet = {Arch.C11: (), Arch.FP: (Mode.RLX,)}.get(self.case.arch, (Mode.RLX, Mode.NA))
        return "" if e.mode in quiet else MODES[e.mode]

    def detail(self, events: list[Event]) -> str:
        read = events[0]
        source = self.case.witness.execution.reads_from.get(read.id)
        if not read.is_read or source is None:
            return ""
        if read.address in self.case.lock_addresses and self.case.events[source].kind is EventKind.INIT:
            return ""
        mine = self.numbers[read.id]
        told = [w for w in self.case.relations.missed(read.id) if self.numbers.get(w, mine) < mine]
        text = f"from {self.origin(source, mine)}"
        if told:
            newest = self.case.events[told[-1]]
            text += f", missed {self.names.value(newest)} of step {self.numbers[newest.id]}"
        return text

    def origin(self, source: int, mine: int) -> str:
        write = self.case.events[source]
        if write.kind is EventKind.INIT:
            return "the initial value"
        if source not in self.numbers:
            return f"{self.names.subject(write.thread)} ({self.names.place(write.at)})"
        number = self.numbers[source]
        return f"step {number}" if number < mine else f"step {number}, which comes later here"

    # --- how it ends

    def waits(self) -> Iterable[Moment]:
        for t, action in sorted(self.case.waiting.items()):
            if t in self.quiet:
                continue
            text = f"waits for {waits_for(self.case, t, action)}"
            because = self.case.witness.execution.coherence.get(action.address, (-1,))[-1]
            place, source = self.names.place(action.at), self.sources.line(action.at)
            yield Moment(0, t, "wait", text, (), "", "", action.at, place, source, True, because)

    def error(self) -> Iterable[Moment]:
        error = self.case.witness.error
        shown_already = error.kind is ErrorKind.RACE and len(error.events) == 2
        if self.case.waiting or self.case.witness.cycle or shown_already:
            return
        text = error.message or error.kind.value
        place, source = self.names.place(error.at), self.sources.line(error.at)
        yield Moment(0, error.thread, "error", text, (), "", "", error.at, place, source, True)
