"""The reason of an error in one sentence, and what would have prevented it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import Await, BlockingCas, ErrorKind, Mode, Op
from fencepost.program.interpret import Action, Frame, Kind
from fencepost.program.layout import MAX_THREADS, REGION_MASK, STACK, THREAD_SHIFT
from fencepost.program.operands import Const, Operand, Position, Reg, to_signed, to_unsigned
from fencepost.program.passes.synchronisation import DESTROYED_MUTEX
from fencepost.records import dataclass
from fencepost.verdict import Edge
from fencepost.witness.case import Case
from fencepost.witness.faults import lost, sentence, standing
from fencepost.witness.names import listed
from fencepost.witness.operations import never_comes, waits_at
from fencepost.witness.patterns import aba, handed_over, known_as
from fencepost.witness.protocols import (
    Torn,
    Unchecked,
    asked_before,
    changed_asleep,
    locked_by_one,
    signalled_nobody,
    signalled_too_early,
    split_asked,
    split_update,
    taken,
    torn,
    unchecked_wait,
    woke_another,
)
from fencepost.witness.remedy import Remedy, remedies
from fencepost.witness.replay import WAITING_PARTS
from fencepost.witness.rounds import go_round
from fencepost.witness.sites import in_library
from fencepost.witness.titles import TITLES


@dataclass(frozen=True, slots=True)
class Explanation:
    title: str
    reason: str
    remedies: tuple[Remedy, ...] = ()
    known: str = ""  # the name under which such bugs are known


def explain(case: Case, numbers: Mapping[int, int]) -> Explanation:
    """`numbers` are the steps of the story: "had stored" is said only of what was told before."""
    return _Explainer(case, numbers).explain()


def waits_for(case: Case, thread: int, action: Action) -> str:
    """What a thread that cannot go on is waiting for."""
    location = case.names.location(action.address) if action.address else ""
    if action.kind is Kind.JOIN:
        return f"{case.names.subject(action.value)} to end"
    if inside := waits_at(case, thread, location):
        return inside
    if action.lock:
        return f"the lock {location}"
    if action.kind is Kind.READ:
        return _wanted(case, thread, location)
    if action.message and action.message != "spin":
        return action.message
    looked = [case.names.location(a) for a in looked_at(case, thread)] if action.kind is Kind.BLOCK else []
    return f"{' or '.join(looked) or 'something'} to change"


def looked_at(case: Case, thread: int) -> list[int]:
    """The places that a thread which goes round a loop for ever looks at: not its own variables."""
    program, replayed = case.witness.program, case.replayed
    if program is None or replayed is None:
        return []
    looked = go_round(program, case.witness.execution, case.relations, replayed.runs[thread].state).looked
    others = {e.address for e in case.events if e.thread not in (-1, thread)}
    atomic = {e.address for e in case.witness.execution.thread_events(thread) if e.is_read and e.mode is not Mode.NA}
    return sorted(looked & (others | atomic))


_SYMBOLS = {Op.EQ: "==", Op.NE: "!=", Op.ULT: "<", Op.ULE: "<=", Op.UGT: ">", Op.UGE: ">=", Op.SLT: "<",
            Op.SLE: "<=", Op.SGT: ">", Op.SGE: ">="}  # fmt: skip


def _wanted(case: Case, thread: int, location: str) -> str:
    """What the await (or blocking exchange) that a thread stands at wants of a place: `x == 1`, `x & 6 != 0`."""
    assert case.replayed is not None
    frame = case.replayed.runs[thread].state.frames[-1]
    i = frame.function.code[frame.pc]
    if not isinstance(i, Await | BlockingCas):
        return f"{location} to change"
    value = _held(frame, i.operand if isinstance(i, Await) else i.expected)
    if value is None:
        return f"{location} to change"
    if isinstance(i, BlockingCas):
        return f"{location} == {value}"
    mask = _held(frame, i.mask)
    whole = mask is None or (mask, i.size) == (1, 1) or to_unsigned(mask, 8 * i.size) == to_unsigned(-1, 8 * i.size)
    return f"{location if whole else f'{location} & {mask}'} {_SYMBOLS.get(i.op, '==')} {value}"


def _held(frame: Frame, operand: Operand | None) -> int | None:
    match operand:
        case Reg(index):
            return to_signed(frame.values[index])
        case Const(value):
            return value
        case _:
            return None


class _Explainer:
    def __init__(self, case: Case, numbers: Mapping[int, int]) -> None:
        self.case, self.numbers = case, numbers
        self.names, self.error = case.names, case.witness.error
        self.x = case.witness.execution

    def explain(self) -> Explanation:
        reasons: dict[ErrorKind, Callable[[], str]] = {
            ErrorKind.RACE: self.race, ErrorKind.DEADLOCK: self.waiting, ErrorKind.LIVENESS: self.waiting,
            ErrorKind.USE_AFTER_FREE: self.freed, ErrorKind.DOUBLE_FREE: self.freed, ErrorKind.LEAK: self.leak,
        }  # fmt: skip
        title = TITLES.get(self.error.kind, self.error.kind.value.replace("-", " "))
        if self.case.witness.cycle:
            reason = self.values()
        else:
            reason = reasons.get(self.error.kind, self.fault)()
        return Explanation(title, reason, remedies(self.case), known_as(self.case))

    # --- words

    def who(self, e: Event) -> str:
        return self.names.subject(e.thread)

    def place(self, e: Event) -> str:
        return f" ({self.names.place(e.at)})" if e.at is not None else ""

    def access(self, e: Event) -> str:
        """`the store to x`, `the load of y`."""
        location = self.names.location(e.address)
        return f"the store to {location}" if e.is_write else f"the load of {location}"

    # --- values that should not have been: assertions and what follows from wrong values

    def fault(self) -> str:
        """What is wrong, where it can be said; and how the values came about, where that says more."""
        wrong = sentence(self.case)
        if wrong and not self.case.cycle and self.error.kind is not ErrorKind.OUT_OF_BOUNDS:
            return wrong
        reason = self.values()
        return f"{wrong}. {reason[:1].upper()}{reason[1:]}" if wrong else reason

    def values(self) -> str:
        if not self.case.cycle:
            return self.taking_turns()
        return self.reordering()

    def reordering(self) -> str:
        """What happened that taking turns cannot give: stale reads, else early ones, else stores in opposite orders."""
        cycle = self.case.cycle
        clauses = [c for c in (self.stale(e) for e in cycle if e.name == "fr") if c]
        early = [c for c in (self.early(e) for e in cycle if e.name == "rf") if c]
        if clauses:
            tail = "nothing orders the store before the read"
            return f"{clauses[0]}: {tail}" if len(clauses) == 1 else f"{' and '.join(clauses)}: {tail}s"
        if early:
            return f"{' and '.join(early)}: nothing keeps the load before the store that follows it"
        overtaken = [c for c in (self.overtaken(e) for e in cycle if e.name == "co") if c]
        if len(overtaken) == 1 and sum(e.name == "co" for e in cycle) == 1:
            return overtaken[0]
        stores = sorted({self.names.location(self.case.events[e.source].address) for e in cycle if e.name == "co"})
        return f"the stores to {' and '.join(stores)} took effect in opposite orders: nothing keeps them in order"

    def stale(self, edge: Edge) -> str:
        """A read that missed a newer value which the story has told already."""
        read, missed = self.case.events[edge.source], self.case.events[edge.target]
        if self.numbers.get(missed.id, 1 << 30) > self.numbers.get(read.id, 0):
            return ""
        origin = self.origin(self.case.events[self.x.reads_from[read.id]])
        location = self.names.location(read.address)
        return (
            f"{self.who(read)} read {location} = {self.names.value(read)} {origin} although {self.who(missed)} had "
            f"stored {self.names.value(missed)}{self.place(missed)}"
        )

    def origin(self, write: Event) -> str:
        if write.kind is EventKind.INIT:
            return "from the initial value"
        return f"from the store of {self.who(write)}{self.place(write)}"

    def early(self, edge: Edge) -> str:
        """A read that saw a store before its turn: possible on hardware that lets stores overtake loads."""
        write, read = self.case.events[edge.source], self.case.events[edge.target]
        if self.numbers.get(write.id, 0) < self.numbers.get(read.id, 0):
            return ""
        location = self.names.location(read.address)
        return (
            f"{self.who(read)} read {location} = {self.names.value(read)} before {self.who(write)} had reached the "
            f"store that makes it{self.place(write)}"
        )

    def overtaken(self, edge: Edge) -> str:
        """A store that took effect after another one although something that its thread did later was seen before."""
        late, early = self.case.events[edge.target], self.case.events[edge.source]
        seen = [self.case.events[e.source] for e in self.case.cycle if e.name == "rf"]
        later = [w for w in seen if w.thread == late.thread and w.index > late.index]
        location = self.names.location(late.address)
        text = (
            f"{self.who(late)} stored {location} = {self.names.value(late)}{self.place(late)}, and it took effect only "
            f"after the {self.names.value(early)} of {self.who(early)}{self.place(early)}"
        )
        if not later:
            return f"{text}: nothing orders the two stores"
        w = later[0]
        location = self.names.location(w.address)
        return (
            f"{text}, although {location} = {self.names.value(w)}{self.place(w)}, which {self.who(w)} stored later, "
            f"had been seen by then: nothing keeps the two stores of {self.who(w)} in order"
        )

    def taking_turns(self) -> str:
        if (wait := unchecked_wait(self.case)) is not None:
            return self.not_tested_again(wait)
        if (split := split_update(self.case)) is not None:
            return self.lost_between(*split)
        if (found := aba(self.case)) is not None:
            return self.came_back(*found)
        if self.error.kind is ErrorKind.ASSERTION and (apart := torn(self.case)) is not None:
            return self.read_apart(apart)
        if self.error.thread < 0 and self.x.outcome:
            final = ", ".join(f"{name} = {value}" for name, value in self.x.outcome.items())
            return f"the threads, taking turns in this order, end with {final}"
        seen = self.last_read()
        if seen is None and self.error.thread < 0:
            return "what follows the threads finds it in the memory that they leave"
        if seen is None:
            return f"{self.names.subject(self.error.thread)} runs into it on its own"
        if self.case.relations.unordered:
            return seen  # without an order of writes nobody can say whether taking turns is enough
        return f"no reordering is needed: with the threads taking turns in this order, {seen}"

    def lost_between(self, read: Event, other: Event, write: Event) -> str:
        location = self.names.location(read.address)
        return (
            f"{self.who(read)} read {location} = {self.names.value(read)}{self.place(read)} and stored "
            f"{self.names.value(write)}{self.place(write)}, and in between {self.who(other)} had stored "
            f"{self.names.value(other)}{self.place(other)}, which was lost"
        )

    def not_tested_again(self, found: Unchecked) -> str:
        location = self.names.location(found.test.address)
        return (
            f"{self.who(found.test)} waited because {location} was {self.names.value(found.test)}"
            f"{self.place(found.test)} and was woken, but {self.who(found.changed)} had made it "
            f"{self.names.value(found.changed)} again{self.place(found.changed)} before it held the mutex: it does not "
            "test the condition again after the wait"
        )

    def read_apart(self, found: Torn) -> str:
        new, old, missed = found.new, found.old, found.missed
        return (
            f"{self.who(new)} read {self.names.location(new.address)} = {self.names.value(new)}{self.place(new)} of "
            f"{self.who(missed)}, but {self.names.location(old.address)} = {self.names.value(old)}{self.place(old)} "
            f"from before its store of {self.names.value(missed)}{self.place(missed)}: the threads only take turns, "
            "and nothing holds the two reads together"
        )

    def came_back(self, read: Event, other: Event, exchange: Event) -> str:
        """A compare-exchange that did not notice what others had done in between."""
        location = self.names.location(read.address)
        return (
            f"{self.who(read)} read {location} = {self.names.value(read)}{self.place(read)}; {self.who(other)} changed "
            f"it to {self.names.value(other)}{self.place(other)} and it became {self.names.value(exchange)} again, so "
            f"the compare-exchange of {self.who(exchange)}{self.place(exchange)} succeeded as if nothing had happened"
        )

    def last_read(self) -> str | None:
        mine = [e for e in self.x.thread_events(self.error.thread) if e.is_read and e.id in self.x.reads_from]
        foreign = [e for e in mine if self.case.events[self.x.reads_from[e.id]].thread != e.thread]
        if not foreign:
            return None
        read = foreign[-1]
        write = self.case.events[self.x.reads_from[read.id]]
        text = f"{self.who(read)} read {self.names.location(read.address)} = {self.names.value(read)}"
        return f"{text} {self.origin(write)}{self.unread_before(read, write)}"

    def unread_before(self, read: Event, write: Event) -> str:
        """Of a store over another one of the same thread that nobody had read."""
        order = self.x.coherence.get(write.address, ())
        before = order[order.index(write.id) - 1] if write.id in order[1:] else -1
        if before < 0 or write.thread in (-1, read.thread) or before in self.x.reads_from.values():
            return ""
        lost = self.case.events[before]
        if lost.thread != write.thread or lost.value == write.value or before not in self.numbers:
            return ""
        return f", which had written over {self.names.value(lost)}{self.place(lost)} before anybody read that"

    # --- races

    def race(self) -> str:
        if len(self.error.events) != 2:
            return self.error.message or "two accesses are not ordered"
        a, b = sorted((self.case.events[e] for e in self.error.events), key=lambda e: self.numbers.get(e.id, 0))
        location = self.names.location(a.address)
        verbs = [f"{'writes' if e.is_write else 'reads'}" for e in (a, b)]
        text = (
            f"{self.who(a)} {verbs[0]} {location}{self.place(a)} and {self.who(b)} {verbs[1]} it{self.place(b)}: "
            "nothing orders the two, and not both are atomic"
        )
        met = handed_over(self.case)  # there one thread had come after the other
        if (
            met is None
            and (one := locked_by_one(self.case)) is not None
            and (lock := taken(self.case, one[0])) is not None
        ):
            holds = f"{self.who(one[0])} holds {self.names.location(lock.address)}{self.place(lock)}"
            return f"{text}. {holds[:1].upper()}{holds[1:]}, {self.who(one[1])} holds no lock there"
        asked = [self.names.location(p) for p in asked_before(self.case)]
        if not asked or met:
            return text
        return f"{text}. Both came there through {listed(asked)}: if that is a lock, it let both in{self.let_in()}"

    def let_in(self) -> str:
        """How a lock could let two threads in."""
        if not self.case.cycle and self.case.relations.unordered:
            return ""
        if not self.case.cycle:
            split = split_asked(self.case)
            how = f": {self.lost_between(*split)}" if split is not None else ""
            return f", with the threads only taking turns{how}"
        return f". It takes weak memory to get there: {self.reordering()}"

    # --- waiting

    def waiting(self) -> str:
        waiting = self.case.waiting
        if not waiting:
            return self.error.message or "threads wait for each other"
        real = {t: a for t, a in waiting.items() if a.kind is not Kind.JOIN} or waiting
        clauses = [self.waits(t, action) for t, action in sorted(real.items())]
        if self.case.cycle:
            return f"{'; '.join(clauses)}. It takes weak memory to get there: {self.reordering()}"
        return "; ".join(clauses)

    def waits(self, thread: int, action: Action) -> str:
        newest = self.case.relations.newest(action.address)
        last = self.case.events[newest[-1]] if newest else None
        if action.kind is Kind.BLOCK and action.spin is not None and not action.alone:
            return self.goes_round(thread, action.spin)
        text = f"{self.names.subject(thread)} waits for {waits_for(self.case, thread, action)}"
        at = self.case.waits_at(thread)
        if at is not None:
            text += f" ({self.names.place(at)})"
        if never := never_comes(self.case, thread):
            return f"{text}, but {never}{self.too_early() or self.woken_instead(thread) or self.changed_since(thread)}"
        if action.lock and last is not None and last.thread >= 0:
            did = "destroyed" if last.value == DESTROYED_MUTEX else "holds"
            if last.thread == thread:
                return f"{text}, which it {did} itself{self.place(last)}"
            return f"{text}, which {self.who(last)} {did}{self.place(last)}"
        if action.kind is Kind.READ and not action.lock:
            value = self.names.value(last) if last is not None else "its initial value"
            writer = f" since {self.who(last)}{self.place(last)}" if last is not None and last.thread >= 0 else ""
            if loops := self.loops_that_write(thread, action.address):
                return f"{text}, but it is {value}{writer} when it looks, and only {_going_round(loops)} there"
            return f"{text}, but it is {value}{writer} and nobody is left to change it{self.granted(thread)}"
        return text

    def granted(self, thread: int) -> str:
        """What the thread waits for was there, and somebody stored over it."""
        given = self.case.granted(thread)
        if given is None:
            return ""
        return (
            f": {self.who(given)} had stored {self.names.value(given)}{self.place(given)}, and that was written over"
            " before anybody looked"
        )

    def goes_round(self, thread: int, loop: Position) -> str:
        """Of a thread that waits by looking again and again: what it finds, and who wrote that."""
        at = self.case.waits_at(thread) if in_library(loop) else loop
        text = f"{self.names.subject(thread)} goes round the loop{self.at(at)} for ever"
        looked = looked_at(self.case, thread)
        if not looked or any(self.loops_that_write(thread, a) for a in looked):
            return f"{text}: it reads the newest values"
        return f"{text}: it finds {listed([self.found(a) for a in looked])}, and nobody is left to change that"

    def found(self, address: int) -> str:
        """What is at a place in the end, and since when."""
        location, newest = self.names.location(address), self.case.relations.newest(address)
        last = self.case.events[newest[-1]] if newest else None
        if last is None:
            return location
        since = f" since {self.who(last)}{self.place(last)}" if last.thread >= 0 else ""
        return f"{location} = {self.names.value(last)}{since}"

    def at(self, at: Position | None) -> str:
        return f" at {self.names.place(at)}" if at is not None else ""

    def loops_that_write(self, waits: int, address: int) -> list[str]:
        """Where loops stand that go round for ever and write to a place, by the way or for a moment."""
        program, replayed = self.case.witness.program, self.case.replayed
        if program is None or replayed is None:
            return []
        found: dict[str, None] = {}
        for thread, action in self.case.waiting.items():
            loop = action.spin if action.kind is Kind.BLOCK and not action.alone else action.at
            reads = action.kind is Kind.READ and action.part not in WAITING_PARTS
            if thread == waits or loop is None or not (reads or action.kind is Kind.BLOCK):
                continue
            state = replayed.runs[thread].state
            if address in go_round(program, self.case.witness.execution, self.case.relations, state).written:
                found[self.names.place(loop)] = None
        return list(found)

    def changed_since(self, thread: int) -> str:
        """Of a futex: who changed the word after the thread had gone to sleep."""
        last = changed_asleep(self.case, thread)
        if last is None:
            return ""
        value = f"{self.names.location(last.address)} is {self.names.value(last)}"
        return f": {value} since {self.who(last)}{self.place(last)}, and nobody was woken for it"

    def woken_instead(self, thread: int) -> str:
        found = woke_another(self.case, thread)
        if found is None:
            return ""
        signal, woken = found
        return (
            f": the signal of {self.who(signal)}{self.place(signal)} wakes one thread, and that was"
            f" {self.names.subject(woken)}"
        )

    def too_early(self) -> str:
        found = signalled_too_early(self.case)
        if found is None:
            idle = signalled_nobody(self.case)
            return f": {self.who(idle)} had signalled{self.place(idle)} while nobody waited" if idle is not None else ""
        signal, write = found
        return (
            f": {self.who(signal)} had signalled{self.place(signal)} before it stored"
            f" {self.names.location(write.address)} = {self.names.value(write)}{self.place(write)}"
        )

    # --- dynamic memory

    def freed(self) -> str:
        blamed = [self.case.events[i] for i in self.error.events]
        frees = [e for e in blamed if e.kind is EventKind.FREE]
        if not frees:
            return self.outlived(blamed) or self.error.message or "the memory was freed"
        if self.error.kind is ErrorKind.DOUBLE_FREE:
            return self.freed_twice(frees)
        access = next((self.touch(e) for e in blamed if e.is_access), None) or self.touch_to_come()
        if access is None:
            return self.error.message
        who, what, number = access
        free = frees[0]
        had = "had freed" if self.numbers.get(free.id, 0) < number else "frees"
        return (
            f"{who} {what}, which {self.who(free)} {had}{self.place(free)}: nothing makes the free wait for the access"
            f"{self.got_there()}"
        )

    def got_there(self) -> str:
        """How two threads could come to where they are, where turns do not do it."""
        if not self.case.cycle or self.case.relations.unordered:
            return ""
        return f". It takes weak memory to get there: {self.reordering()}"

    def outlived(self, blamed: list[Event]) -> str:
        """Of a local variable of a thread that others access."""
        touched = next((e for e in blamed if e.is_access and e.address & REGION_MASK == STACK), None)
        if touched is None:
            return ""
        owner, (who, what, _) = touched.address >> THREAD_SHIFT & MAX_THREADS - 1, self.touch(touched)
        return (
            f"{who} {what}, a local variable of {self.names.subject(owner)}: nothing makes the end of that thread wait"
            f" for the access{self.got_there()}"
        )

    def freed_twice(self, frees: list[Event]) -> str:
        first, action = frees[0], standing(self.case)
        again = frees[1].at if len(frees) > 1 else action.at if action is not None else self.error.at
        where = f" ({self.names.place(again)})" if again is not None else ""
        who = self.who(frees[1]) if len(frees) > 1 else self.names.subject(self.error.thread)
        text = f"{who} frees {self.names.piece(first.address)}{where}"
        return f"{text}, which {self.who(first)} had freed already{self.place(first)}"

    def touch(self, e: Event) -> tuple[str, str, int]:
        """Who accesses what, and at which step: an access that is in the graph."""
        what = f"{'writes' if e.is_write else 'reads'} {self.names.location(e.address)}{self.place(e)}"
        return self.who(e), what, self.numbers.get(e.id, 0)

    def touch_to_come(self) -> tuple[str, str, int] | None:
        """The same of the access that the thread stands before."""
        action = standing(self.case)
        if action is None:
            return None
        verb, place = "writes" if action.kind is Kind.WRITE else "reads", self.names.place(action.at)
        what = f"{verb} {self.names.location(action.address)} ({place})"
        return self.names.subject(self.error.thread), what, len(self.numbers) + 1

    def leak(self) -> str:
        made = [self.names.piece(start) + (f" ({self.names.place(at)})" if at else "")
                for start, at in lost(self.case).items()]  # fmt: skip
        return f"never freed: {', '.join(made)}" if made else self.error.message


def _going_round(loops: list[str]) -> str:
    if len(loops) == 1:
        return f"the loop at {loops[0]}, which goes round for ever, writes"
    return f"the loops at {listed(loops)}, which go round for ever, write"
