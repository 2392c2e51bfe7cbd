"""An execution told to a person: one step after another, each with its thread, its source line, what it did, where a
read got its value and which newer value it missed."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.interpret import Kind
from fencepost.program.layout import HEAP, REGION_MASK, STACK
from fencepost.program.operands import Position
from fencepost.program.program import Arch
from fencepost.records import dataclass, replace
from fencepost.verdict import Edge, ErrorReport, Step, Witness
from fencepost.witness.callers import callers
from fencepost.witness.case import Case, open_case
from fencepost.witness.explain import Explanation, explain, waits_for
from fencepost.witness.faults import is_fault, thing
from fencepost.witness.linearise import linearise
from fencepost.witness.memory import Sight, sights
from fencepost.witness.names import MODES, listed
from fencepost.witness.operations import HIDDEN, told_as
from fencepost.witness.sites import Called, foreign, in_library
from fencepost.witness.sources import Sources, sources_of
from fencepost.witness.straight import Effort, effort
from fencepost.witness.titles import TITLES
from fencepost.witness.turns import Unit


@dataclass(frozen=True, slots=True)
class Moment:
    """One step. `kind` is `read`, `write`, `update` (a read-modify-write), `fence`, ..., `wait` for a thread that
    waits for ever, or `error`. `events` is empty for the last two. `because` is the event that a `wait` waits
    because of: who took the lock, who wrote last. `calls`: the calls that the thread is in, innermost first; `via` says
    so in words where the thread has come into another one."""

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
    calls: tuple[Called, ...] = ()
    via: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """A thread of the story; `hidden` of its events had no part in the error and are left out."""

    thread: int
    name: str
    hidden: int


@dataclass(frozen=True, slots=True)
class Story:
    witness: Witness
    error: ErrorReport  # the witness's own, with the names and the place that say most to a person
    columns: tuple[Column, ...]
    moments: tuple[Moment, ...]
    initial: tuple[str, ...]  # `x = 0` for every location that the story touches, `main starts a and b`
    explanation: Explanation
    cycle: tuple[Edge, ...]
    run: tuple[tuple[Step, str], ...]  # each with its place
    output: tuple[str, ...]
    memory: tuple[tuple[Sight, ...], ...] = ()  # after each step, what each column's thread may read at each place

    @property
    def notes(self) -> tuple[str, ...]:
        """What the analysis wants told; not whose context is which, which the run says."""
        return tuple(n for n in self.witness.notes if not n.startswith("context ") or not self.run)

    def number_of(self, event: int) -> int | None:
        return next((m.number for m in self.moments if event in m.events), None)


def tell(witness: Witness, sources: Sources | None = None, *, whole: bool = False) -> Story:
    """`whole` tells every event, not only what led to the error."""
    return _Teller(open_case(witness), sources or sources_of(witness), whole).story()


def effort_of(witness: Witness) -> tuple[Effort, Effort, int]:
    """How hard it is to follow what led to the error, and the whole story, which tells what was missed, too; and how
    many steps that has."""
    teller = _Teller(open_case(witness), Sources(), whole=False)
    relations, whole = teller.case.relations, teller.units
    told = effort(relations, whole)
    if told.weak or teller.told <= teller.case.led_here:
        return told, told, len(whole)
    led = linearise(relations, teller.told & teller.case.led_here)
    return effort(relations, led), told, len(whole)


class _Teller:
    def __init__(self, case: Case, sources: Sources, whole: bool) -> None:
        self.case, self.sources, self.names = case, sources, case.names
        self.told = case.told()
        if whole:
            skipped = (EventKind.INIT, EventKind.BEGIN, EventKind.END)
            self.told = frozenset(e.id for e in case.events if e.kind not in skipped)
        else:
            self.told -= self.unspoken()
        self.quiet = frozenset() if whole else self.quiet_threads()
        self.told = frozenset(e for e in self.told if case.events[e].thread not in self.quiet)
        self.units = linearise(case.relations, self.told)
        self.numbers = {e: n for n, unit in enumerate(self.units, 1) for e in unit}

    def unspoken(self) -> frozenset[int]:
        """Steps inside the operations of the thread library that say nothing, and what other libraries do with plain
        accesses and memory of their own: how std::thread hands its function over."""
        halves, events = dict(self.case.witness.execution.rmw), self.case.witness.execution.events
        placed = self.case.arch is Arch.C11 and any(e.at is not None for e in events)
        second = set(halves.values())
        found: set[int] = set()
        for e in self.told - self.case.essential - second:
            unit = [e, halves[e]] if e in halves else [e]
            plain = placed and events[e].is_access and events[e].mode is Mode.NA
            memory = placed and events[e].kind in (EventKind.MALLOC, EventKind.FREE) and foreign(self.case.events[e].at)
            if (
                memory
                or (plain and (foreign(events[e].at) or self.nameless(events[e])))
                or told_as(self.case, [self.case.events[i] for i in unit]) == HIDDEN
            ):
                found |= set(unit)
        return frozenset(found) - self.case.essential

    def nameless(self, e: Event) -> bool:
        """A place in memory of which nobody knows a type, which one thread wrote and another one only reads: how a
        library hands the captures of a lambda to the thread that runs it."""
        writers = {w.thread for w in self.case.events if w.is_write and w.address == e.address and w.thread >= 0}
        return self.names.nameless(e.address) and len(writers) == 1

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
            yield f"{self.names.thread(t)} starts {listed([self.names.thread(self.partner(e)) for e in started])}"

    def story(self) -> Story:
        moments = [self.moment(n, unit) for n, unit in enumerate(self.units, 1)]
        explanation = explain(self.case, self.numbers)
        for mark in [*self.waits(), *self.error()]:
            moments.append(replace(mark, number=len(moments) + 1))
        called = callers(((m.thread, m.calls, m.at) for m in moments), self.names.place)
        moments = [replace(m, via=via) if via else m for m, via in zip(moments, called, strict=True)]
        shown = {m.thread for m in moments if m.thread >= 0}
        threads = sorted(shown)
        output = self.case.replayed.output if self.case.replayed is not None else {}
        return Story(
            self.case.witness,
            self.told_error(),
            tuple(self.column(t) for t in threads),
            tuple(moments),
            (*self.initial(), *self.prelude()),
            explanation,
            self.case.cycle,
            tuple((self._told(step), self.names.place(step.at)) for step in self.case.witness.run),
            tuple(f"{self.names.thread(t)}: {line}" for t, texts in sorted(output.items())
                  for line in "".join(texts).splitlines()),
            sights(self.case, self.numbers, threads, len(moments)),
        )  # fmt: skip

    def _told(self, step: Step) -> Step:
        """A step with the name that the story gives to the thread that something goes to."""
        rest, to, name = step.text.rpartition(" to ")
        return replace(step, text=rest + to + self.names.static.get(name, name)) if to else step

    def told_error(self) -> ErrorReport:
        """Of a race the very place, of a deadlock where the first thread stands that waits for more than another one,
        of what a library runs into the call; of memory errors the name of what was touched."""
        error, waiting = self.case.witness.error, self.case.waiting
        if (named := thing(self.case)) is not None:
            error = replace(error, message=named)
        if error.kind is ErrorKind.RACE and len(error.events) == 2:
            raced = self.names.location(self.case.events[error.events[0]].address)
            return replace(error, message=f"data race on {raced}", at=self.case.events[error.events[-1]].at or error.at)
        real = [t for t, action in sorted(waiting.items()) if action.kind is not Kind.JOIN] or sorted(waiting)
        if real:
            return replace(error, at=self.case.waits_at(real[0]) or error.at)
        if in_library(error.at) and self.case.replayed is not None and error.thread in self.case.replayed.runs:
            return replace(error, at=self.case.replayed.runs[error.thread].shown or error.at)
        return error

    def column(self, thread: int) -> Column:
        skipped = (EventKind.BEGIN, EventKind.END)
        mine = [e for e in self.case.witness.execution.thread_events(thread) if e.kind not in skipped]
        return Column(thread, self.names.thread(thread), sum(1 for e in mine if e.id not in self.told))

    def initial(self) -> Iterable[str]:
        """The values that the story begins with: the initial ones, or what was written before there was a second
        thread; and where the heap objects in it come from."""
        touched = {e.address for e in self.case.events if e.id in self.told and e.is_access}
        touched -= {
            e.address for e in self.case.events
            if self.case.operation(e.id) and self.case.about(e.id) != e.address
        }  # fmt: skip
        before = {e.address: e for e in self.case.events if e.id in self.case.setup and e.is_write}
        for e in self.case.events:
            made = before.get(e.address, e)
            dynamic = e.address & REGION_MASK in (HEAP, STACK) and made is e
            if e.kind is EventKind.INIT and e.address in touched and not dynamic:
                yield f"{self.names.location(e.address)} = {self.names.value(made)}"
        freed = {e.address for e in self.case.events if e.id in self.told and e.kind is EventKind.FREE}
        yield from self.allocated(touched | freed)

    def allocated(self, touched: set[int]) -> Iterable[str]:
        told = {self.case.events[e].address for e in self.told if self.case.events[e].kind is EventKind.MALLOC}
        replayed = self.case.replayed
        if replayed is None:
            return
        for start, at in replayed.allocated.items():
            size = max(replayed.heap[start], 1)
            if start not in told and at is not None and any(start <= a < start + size for a in touched):
                (via,) = callers([(0, replayed.allocated_in.get(start, ()), at)], self.names.place)
                where = f"{self.names.place(at)}{' ' * bool(via)}{via}"
                yield f"{self.names.piece(start)} is the memory allocated at {where}"

    # --- one step

    def moment(self, number: int, unit: Unit) -> Moment:
        events = [self.case.events[e] for e in unit]
        first = events[0]
        kind = "update" if len(events) == 2 and first.is_access else first.kind.value
        blamed = any(is_fault(self.case, e) for e in events)
        at = first.at
        return Moment(
            number, first.thread, kind, self.text(events), unit, self.mode(first), self.detail(events), at,
            self.names.place(at), self.sources.excerpt(at), blamed, calls=self.case.calls(first.id),
        )  # fmt: skip

    def text(self, events: list[Event]) -> str:
        e = events[0]
        if e.kind in (EventKind.SPAWN, EventKind.JOIN):
            names = [self.names.subject(self.partner(e)) for e in events]
            return f"{'starts' if e.kind is EventKind.SPAWN else 'joins'} {listed(names)}"
        if told := told_as(self.case, events):
            return told
        if len(events) == 2:
            return self.updates(events[0], events[1])
        match e.kind:
            case EventKind.READ if self.unwritten(e):
                return f"reads {self.names.location(e.address)}"
            case EventKind.READ:
                return f"reads {self.named(e)}"
            case EventKind.WRITE:
                return f"writes {self.named(e)}"
            case EventKind.FENCE:
                return f"fence {e.fence.value if e.fence is not None else ''}".rstrip()
            case EventKind.MALLOC:
                return f"allocates {self.names.location(e.address)} ({e.size or e.value} bytes)"
            case EventKind.FREE:
                return f"frees {self.names.piece(e.address)}"
            case EventKind.CHOOSE:
                return f"chooses {self.names.shown(e.value, 8, None)}"
            case _:
                return str(e.kind.value).replace("_", " ")

    def unwritten(self, e: Event) -> bool:
        """A read whose value means nothing."""
        return self.case.witness.error.kind is ErrorKind.UNINITIALISED and is_fault(self.case, e)

    def updates(self, read: Event, write: Event) -> str:
        location = self.names.location(read.address)
        return f"updates {location}: {self.names.value(read)} → {self.names.value(write)}"

    def partner(self, e: Event) -> int:
        """The thread that a SPAWN starts or a JOIN waits for. One that does nothing is joined right from its SPAWN."""
        events = self.case.events
        pairs = [(events[a], events[b]) for a, b in self.case.witness.execution.spawns if e.id in (a, b)]
        if e.kind is EventKind.SPAWN:
            return next((b.thread for a, b in pairs if a is e and b.kind is not EventKind.JOIN), e.value)
        return next(
            (a.thread for a, b in pairs if b is e and a.kind is not EventKind.SPAWN),
            next((a.value for a, b in pairs if b is e and a.value != e.thread), e.value),
        )

    def named(self, e: Event) -> str:
        return f"{self.names.location(e.address)} = {self.names.value(e)}"

    def mode(self, e: Event) -> str:
        """The memory order where the language has one to speak of."""
        if not e.is_access or self.case.operation(e.id):
            return ""
        quiet = {Arch.C11: (), Arch.FP: (Mode.RLX,)}.get(self.case.arch, (Mode.RLX, Mode.NA))
        return "" if e.mode in quiet else MODES[e.mode]

    def detail(self, events: list[Event]) -> str:
        read = events[0]
        source = self.case.witness.execution.reads_from.get(read.id)
        if read.is_write and not self.case.operation(read.id):
            return self.took_effect(read)
        if not read.is_read or source is None:
            return ""
        if self.case.operation(read.id):
            return self.told_before(source)
        if self.unwritten(read):
            return "which holds nothing yet"
        mine = self.numbers[read.id]
        told = [w for w in self.case.relations.missed(read.id) if self.numbers.get(w, mine) < mine]
        text = f"from {self.origin(source, mine)}"
        if told:
            newest = self.case.events[told[-1]]
            text += f", missed {self.names.value(newest)} of step {self.numbers[newest.id]}"
        return text

    def took_effect(self, write: Event) -> str:
        """Of a store that others see later than the story tells it."""
        order = self.case.witness.execution.coherence.get(write.address, ())
        before = order[: order.index(write.id)] if write.id in order else ()
        later = [self.numbers[w] for w in before if self.numbers.get(w, 0) > self.numbers[write.id]]
        return f"takes effect after step {max(later)}" if later else ""

    def told_before(self, source: int) -> str:
        """Of an operation it matters only whom it follows: who unlocked, who signalled."""
        other = self.case.events[source].thread
        return f"after step {self.numbers[source]}" if source in self.numbers and other >= 0 else ""

    def origin(self, source: int, mine: int) -> str:
        write = self.case.events[source]
        if write.kind is EventKind.INIT:
            return "the initial value"
        if source not in self.numbers:
            place = f" ({self.names.place(write.at)})" if write.at is not None else ""
            return f"{self.names.subject(write.thread)}{place}"
        number = self.numbers[source]
        return f"step {number}" if number < mine else f"step {number}, which comes later here"

    # --- how it ends

    def waits(self) -> Iterable[Moment]:
        for t, action in sorted(self.case.waiting.items()):
            if t in self.quiet:
                continue
            text = f"waits for {waits_for(self.case, t, action)}"
            because = (self.case.relations.newest(action.address) or (-1,))[-1]
            at = self.case.waits_at(t)
            place, source = self.names.place(at), self.sources.excerpt(at)
            yield Moment(0, t, "wait", text, (), "", "", at, place, source, True, because, self.case.stopped_in(t))

    def error(self) -> Iterable[Moment]:
        error = self.case.witness.error
        both = (ErrorKind.RACE, ErrorKind.USE_AFTER_FREE)  # where both ends are steps of the story
        shown_already = error.kind in both and len(error.events) == 2 and set(error.events) <= self.numbers.keys()
        if self.case.waiting or self.case.witness.cycle or shown_already:
            return
        told = self.told_error()
        title = TITLES.get(error.kind, error.kind.value)
        text = told.message if told.message == error.message else f"{title}: {told.message}".removesuffix(": ")
        at = told.at
        place, source = self.names.place(at), self.sources.excerpt(at)
        calls = self.case.stopped_in(error.thread)
        yield Moment(0, error.thread, "error", text, (), "", "", at, place, source, True, calls=calls)
