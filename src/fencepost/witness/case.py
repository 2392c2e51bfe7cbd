"""Everything about one witness that its story and its explanation look at, computed once."""

from __future__ import annotations

from functools import cached_property

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import ErrorKind, Mode
from fencepost.program.interpret import Action, Kind, Machine
from fencepost.program.operands import Position
from fencepost.program.program import Arch
from fencepost.records import dataclass, replace
from fencepost.verdict import Edge, Witness
from fencepost.witness.cycles import shortest_cycle
from fencepost.witness.names import Names, heap_pieces
from fencepost.witness.relations import Relations
from fencepost.witness.replay import Replay, ReplayError, replay
from fencepost.witness.sites import Called

_UNTOLD = (EventKind.INIT, EventKind.BEGIN, EventKind.END)
_WAITS = (ErrorKind.DEADLOCK, ErrorKind.LIVENESS)


@dataclass(frozen=True)
class Case:
    """`replayed` is None where the witness carries no program or an analysis shows a graph that no run ends in; names
    and reasons then say less. Whether a witness is *right* is decided in `confirm.py`, not here."""

    witness: Witness
    relations: Relations
    names: Names
    replayed: Replay | None

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events, each at the line that tells a person most: the inside of a library, and of a function that only
        wraps an access, is shown where it is called."""
        events = self.witness.execution.events
        if self.replayed is None:
            return events
        shown = self.replayed.shown
        return tuple(replace(e, at=shown[e.id]) if shown.get(e.id, e.at) != e.at else e for e in events)

    def written_at(self, event: int) -> Position | None:
        """The line of the program itself that an access stands in: where to change it."""
        at = self.events[event].at
        return self.replayed.written.get(event, at) if self.replayed is not None else at

    def calls(self, event: int) -> tuple[Called, ...]:
        """The calls that an event happens in, innermost first."""
        return self.replayed.calls.get(event, ()) if self.replayed is not None else ()

    def stopped_in(self, thread: int) -> tuple[Called, ...]:
        """The calls in which a thread waits, or ran into the error."""
        run = self.replayed.runs.get(thread) if self.replayed is not None else None
        return run.calls if run is not None else ()

    def operation(self, event: int) -> str:
        """The operation of the thread library (`mutex_lock`, `cond_wait`, ...) that an event is a part of."""
        return self.replayed.operations.get(event, "") if self.replayed is not None else ""

    def about(self, event: int) -> int | None:
        """The place that an operation is about, where its steps access others: the word of a futex."""
        return self.replayed.about.get(event) if self.replayed is not None else None

    @property
    def arch(self) -> Arch:
        return self.witness.program.arch if self.witness.program is not None else Arch.C11

    @property
    def error_is_order(self) -> bool:
        """Races and waiting are explained by the events themselves, not by values."""
        return self.witness.error.kind in (ErrorKind.RACE, *_WAITS)

    @cached_property
    def waiting(self) -> dict[int, Action]:
        """Threads that wait for ever, with what they wait at; only where waiting is the error."""
        if self.replayed is None or self.witness.error.kind not in _WAITS:
            return {}
        return self.replayed.waiting()

    def waits_at(self, thread: int) -> Position | None:
        """The place to show for a thread that waits."""
        run = self.replayed.runs[thread] if self.replayed is not None else None
        return run.shown if run is not None else None

    @cached_property
    def led_here(self) -> frozenset[int]:
        """Without these events there would be no error."""
        return self.relations.causal_past(self._roots()) or frozenset(e.id for e in self.events)

    @cached_property
    def past(self) -> frozenset[int]:
        """The events that the story tells: what led to the error and, where that is no reason by itself, the newer
        values that its thread missed."""
        past = self.led_here
        if self.witness.cycle or self.error_is_order or shortest_cycle(self.relations, past):
            return frozenset(e for e in past if self.events[e].kind not in _UNTOLD)
        late = {w for e in past if self._concerns(e) for w in self.relations.missed(e)[:1]}
        halves = {a for a, b in self.witness.execution.rmw if b in late}
        return frozenset(e for e in past | late | halves if self.events[e].kind not in _UNTOLD)

    def _roots(self) -> list[int]:
        error, x = self.witness.error, self.witness.execution
        roots = [*error.events, *(e.source for e in self.witness.cycle)]
        if error.kind is ErrorKind.RACE and len(roots) == 2:
            return roots
        threads = {error.thread} if error.kind not in _WAITS else {*self.waiting, *x.blocked, error.thread}
        for t in threads:
            roots += [e.id for e in x.thread_events(t)[-1:]]
        for t, action in self.waiting.items():
            newest = self.relations.newest(action.address)
            roots += newest
            if (granted := self.granted(t)) is not None:
                roots.append(granted.id)
            if all(self.events[e].thread in (-1, t) for e in newest):
                roots += self._passed_by(t)
        return roots

    def granted(self, thread: int) -> Event | None:
        """The last store of what a thread waits for, by another thread, where something was stored over it."""
        action, program = self.waiting[thread], self.witness.program
        if self.replayed is None or program is None or action.kind is not Kind.READ or action.lock:
            return None
        run, machine = self.replayed.runs[thread], Machine(program)
        order = [self.events[w] for w in self.witness.execution.coherence.get(action.address, ())]
        if run.operation or any(e.size != action.size for e in order):
            return None
        found = [e for e in order[:-1] if e.thread not in (-1, thread) and machine.satisfied(run.state, e.value)]
        return found[-1] if found else None

    def _passed_by(self, thread: int) -> list[int]:
        """Where nobody else has touched what a thread waits for: what others did to the places that it has looked at.
        Somebody there should have gone on to end the wait."""
        x = self.witness.execution
        looked = {e.address for e in x.thread_events(thread) if e.is_read and e.mode is not Mode.NA}
        lines = [x.thread_events(t) for t in self.relations.threads if t not in (-1, thread)]
        return [e.id for line in lines for e in [e for e in line if e.is_access and e.address in looked][-1:]]

    def _concerns(self, event: int) -> bool:
        e, error = self.events[event], self.witness.error
        return e.is_read and (e.thread == error.thread or event in error.events)

    @cached_property
    def cycle(self) -> tuple[Edge, ...]:
        """Why the execution is not sequentially consistent: what the analysis says, else a shortest cycle among the
        events of the story, else anywhere; () where it is."""
        return self.witness.cycle or shortest_cycle(self.relations, self.past) or shortest_cycle(self.relations)

    @cached_property
    def essential(self) -> frozenset[int]:
        """What must be told whatever else is left out: the fault, and the cycle that is the reason."""
        on_cycle = {e for edge in self.cycle for e in (edge.source, edge.target)}
        inside = (EventKind.ATOMIC_BEGIN, EventKind.ATOMIC_END)
        own = (e for e in self.witness.error.events if self.events[e].kind not in inside or not self.operation(e))
        return frozenset({*own, *on_cycle})

    @cached_property
    def setup(self) -> frozenset[int]:
        """What a thread does before it starts the first other one: the state in which the story begins."""
        found: set[int] = set()
        for t in self.relations.threads:
            line = self.witness.execution.thread_events(t)
            first = next((e.index for e in line if e.kind is EventKind.SPAWN), 0)
            found |= {e.id for e in line if e.index < first}
        alone = {e.thread for e in self.events if e.thread >= 0} <= {self.witness.error.thread}
        return frozenset() if alone else frozenset(found - self.essential)

    @cached_property
    def private(self) -> frozenset[int]:
        """Accesses to places that nobody else touches, by threads that the error is not in: they explain nothing."""
        users: dict[int, set[int]] = {}
        for e in self.events:
            if e.is_access and e.thread >= 0:
                users.setdefault(e.address, set()).add(e.thread)
        for t, action in self.waiting.items():
            users.setdefault(action.address, set()).add(t)
        concerned = {self.witness.error.thread, *self.waiting}
        alone = {a for a, threads in users.items() if len(threads) == 1 and not threads & concerned}
        quiet = self.witness.error.thread >= 0 or bool(self.waiting)
        return frozenset(e.id for e in self.events if quiet and e.is_access and e.address in alone) - self.essential

    @cached_property
    def unread(self) -> frozenset[int]:
        """Stores of the story that nothing in it reads or misses: they come before what matters, and say nothing. Only
        of errors that end a story by themselves: a final state is made of stores, and so is what a thread waits for."""
        error = self.witness.error
        if error.thread < 0 or error.kind not in (ErrorKind.RACE, ErrorKind.ASSERTION):
            return frozenset()
        halves = {e for pair in self.witness.execution.rmw for e in pair}
        known = {self.events[e].address for e in self.past if self.events[e].is_read}
        known |= {self.events[e].address for e in self.essential}
        return frozenset(
            e for e in self.past - self.essential - halves
            if self.events[e].is_write and self.events[e].address not in known
        )  # fmt: skip

    def told(self) -> frozenset[int]:
        """The past together with the cycle that explains it; of a read-modify-write both halves."""
        told = self.past - self.setup - self.private - self.unread | self.essential
        halves = frozenset(e for pair in self.witness.execution.rmw if told & set(pair) for e in pair)
        return frozenset(e for e in told | halves if self.events[e].kind not in _UNTOLD)


def open_case(witness: Witness) -> Case:
    replayed: Replay | None = None
    if witness.program is not None:
        try:
            replayed = replay(witness.program, witness.execution)
        except ReplayError:
            replayed = None
    names = Names(witness.program, witness.execution)
    if replayed is not None:
        pieces = replayed.pieces | heap_pieces(replayed.heap, replayed.blocks)
        names = Names(witness.program, witness.execution, pieces, replayed.spawned | replayed.called)
        names.files |= {at.file for at in replayed.shown.values() if at is not None}
    return Case(witness, Relations(witness.execution), names, replayed)
