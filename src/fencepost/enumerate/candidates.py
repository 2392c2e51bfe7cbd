"""A candidate: the chosen traces as a graph. What depends only on the traces is computed once for all of its graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from fencepost.enumerate.combine import Chosen
from fencepost.enumerate.locations import Access, Solution
from fencepost.enumerate.traces import INITIAL, Ending, Location, Step, ThreadRunner, Trace
from fencepost.execution.execution import DEPENDENCIES, Event, EventKind, Execution, Pair
from fencepost.execution.memory import final_value
from fencepost.execution.relations import relation, total_orders
from fencepost.models.cat.base import Structure
from fencepost.models.cat.plan import PlanResult, PlanRun
from fencepost.models.registry import Model
from fencepost.program.condition import FinalMemory, FinalRegister
from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Position, to_signed, to_unsigned
from fencepost.program.program import Program
from fencepost.verdict import ErrorReport

Flags = tuple[tuple[str, tuple[Pair, ...]], ...]
WAIT_FOR_EVER = "threads wait for what nobody will do"
SPINS_FOR_EVER = "the loop spins for ever: nobody is left to end it"


class Frame:
    """The events of one combination of traces, initial writes first, and everything but rf and co. `like`: a frame
    whose traces differ from these at most in the values read and written: what does not depend on them is shared."""

    first: Frame
    locations: list[Location]
    ids: dict[tuple[int, int], int]

    def __init__(self, program: Program, runner: ThreadRunner, chosen: Chosen, like: Frame | None = None) -> None:
        self.program, self.runner, self.chosen = program, runner, chosen
        self.first = like.first if like is not None else self
        self._run: PlanRun | None = None
        if like is not None:
            self.locations, self.ids = like.locations, like.ids
            return
        self.locations = sorted(
            {s.location for t in chosen.values() for s in t.steps if s.kind in (EventKind.READ, EventKind.WRITE)}
        )
        places = ((thread, index) for thread, trace in sorted(chosen.items()) for index in range(len(trace.steps)))
        self.ids = {place: number for number, place in enumerate(places, len(self.locations))}

    @cached_property
    def events(self) -> tuple[Event, ...]:
        return tuple(self._events())

    def _events(self) -> Iterator[Event]:
        number = 0
        for address, size in self.locations:
            value = self.runner.machine.initial(address, size)
            yield Event(number, INITIAL, 0, EventKind.INIT, address, size, value)
            number += 1
        for thread, trace in sorted(self.chosen.items()):
            for index, s in enumerate(trace.steps):
                address = 0 if s.kind is EventKind.JOIN else s.address
                yield Event(
                    number, thread, index, s.kind, address, s.size, s.value, s.mode, s.fence, s.rmw, s.exclusive, s.at,
                    s.tag,
                )  # fmt: skip
                number += 1

    def steps(self) -> Iterator[tuple[int, int, Step]]:
        """Every step with its event number and its thread."""
        for thread, trace in sorted(self.chosen.items()):
            for index, step in enumerate(trace.steps):
                yield self.ids[thread, index], thread, step

    @cached_property
    def rmw(self) -> frozenset[Pair]:
        if self.first is not self:
            return self.first.rmw
        return frozenset((self.ids[t, s.pair], i) for i, t, s in self.steps() if s.pair is not None)

    @cached_property
    def dependencies(self) -> dict[str, frozenset[Pair]]:
        """By the name that Step and Execution have for them."""
        if self.first is not self:
            return self.first.dependencies
        found: dict[str, set[Pair]] = {name: set() for name in DEPENDENCIES}
        for i, thread, s in self.steps():
            for name, pairs in found.items():
                pairs.update((self.ids[thread, d], i) for d in getattr(s, name))
        return {name: frozenset(pairs) for name, pairs in found.items()}

    @cached_property
    def spawns(self) -> frozenset[Pair]:
        pairs = set()
        for i, _, s in self.steps():
            if s.kind is EventKind.SPAWN:
                pairs.add((i, self.ids[s.value, 0]))
            elif s.kind is EventKind.JOIN:
                pairs.add((self.ids[s.address, len(self.chosen[s.address].steps) - 1], i))
        return frozenset(pairs)

    @cached_property
    def structure(self) -> Structure:
        """Primitives that all graphs of this frame share."""
        if self.first is not self:
            return self.first.structure
        n = len(self.events)
        given = {name: self.dependencies[kept] for kept, name in DEPENDENCIES.items()}
        given |= {"rmw": self.rmw, "spawn": self.spawns}
        return Structure(self.events, {name: relation(pairs, n) for name, pairs in given.items()})

    def plan_run(self, model: Model) -> PlanRun | None:
        """The model's plan with everything evaluated that does not depend on rf and co."""
        if self._run is None and model.plan is not None:
            self._run = PlanRun(model.plan, self.structure)
        return self._run

    @cached_property
    def layout(self) -> dict[Location, tuple[list[int], list[tuple[int, int, bool, int | None]]]]:
        """For each location: the event numbers of its accesses, in the order of threads and program order; and thread,
        index, whether it writes, and the number of the read half where there is one, the initial write left out."""
        if self.first is not self:
            return self.first.layout
        found: dict[Location, tuple[list[int], list[tuple[int, int, bool, int | None]]]] = {
            location: ([number], []) for number, location in enumerate(self.locations)
        }
        numbers: dict[int, int] = {}
        for (thread, index), i in self.ids.items():
            s = self.chosen[thread].steps[index]
            if s.kind in (EventKind.READ, EventKind.WRITE):
                ids, places = found[s.location]
                numbers[i] = len(ids)
                pair = numbers[self.ids[thread, s.pair]] if s.pair is not None else None
                ids.append(i)
                places.append((thread, index, s.kind is EventKind.WRITE, pair))
        return found

    @cached_property
    def touching(self) -> list[tuple[Location, tuple[int, ...]]]:
        """The locations, each with the threads that access it."""
        if self.first is not self:
            return self.first.touching
        places = ((x, self.layout[x][1]) for x in self.locations)
        return [(x, tuple(sorted({thread for thread, _, _, _ in accesses}))) for x, accesses in places]

    def accesses(self, location: Location) -> tuple[list[int], tuple[Access, ...]]:
        """The accesses of a location: event numbers, and what they are."""
        ids, places = self.layout[location]
        initial = Access(INITIAL, True, self.runner.machine.initial(*location))
        chosen = self.chosen
        return ids, (initial, *[Access(t, write, chosen[t].steps[i].value, pair) for t, i, write, pair in places])

    def errors(self) -> tuple[ErrorReport, ...]:
        return tuple(
            ErrorReport(t.error or ErrorKind.UNSUPPORTED, t.message, t.at, thread)
            for thread, t in sorted(self.chosen.items())
            if t.ending in (Ending.ERROR, Ending.BOUND)
        )

    def stalled(self) -> ErrorReport | None:
        """Threads that only wait are a deadlock, or a violation of liveness where a loop of theirs spins. An assume
        that failed explains itself, and so does a spin that may have read old values."""
        waiting = {n: t for n, t in sorted(self.chosen.items()) if t.ending is not Ending.END}
        if {t.ending for t in waiting.values()} != {Ending.WAITING}:
            return None
        for thread, t in waiting.items():
            if t.spin is not None:
                return ErrorReport(ErrorKind.LIVENESS, SPINS_FOR_EVER, t.spin, thread)
        thread, t = next(iter(waiting.items()))
        return ErrorReport(ErrorKind.DEADLOCK, WAIT_FOR_EVER, t.at, thread)

    def assumed(self) -> frozenset[Position | None]:
        """The places of the assumptions that failed."""
        return frozenset(t.at for t in self.chosen.values() if t.ending is Ending.BLOCKED and t.spin is None)

    def blocked(self) -> dict[int, Position | None]:
        stuck = (Ending.BLOCKED, Ending.WAITING)
        return {thread: t.at for thread, t in sorted(self.chosen.items()) if t.ending in stuck}

    @cached_property
    def thread_names(self) -> tuple[str, ...]:
        return tuple(self.runner.names[t] for t in range(max(self.runner.names, default=-1) + 1))

    def final_register(self, what: FinalRegister) -> int:
        thread, register = self.first.register_places[what]
        return self.chosen[thread].registers[register]

    @cached_property
    def memory_places(self) -> dict[FinalMemory, tuple[int, int, list[Location]]]:
        """Of each piece of memory that is observed: where it is, how it begins, the locations that it is made of."""
        machine = self.runner.machine
        found = {}
        for what in (o.what for o in self.program.observations if isinstance(o.what, FinalMemory)):
            start = machine.layout.globals[what.object] + what.offset
            pieces = [(a, size) for a, size in self.locations if a < start + what.size and start < a + size]
            found[what] = start, machine.initial(start, what.size), pieces
        return found

    def value(self, event: int) -> int:
        """What an access reads or writes, without making all the events."""
        if event < len(self.locations):
            return self.runner.machine.initial(*self.locations[event])
        thread, index = self.first.places[event - len(self.locations)]
        return self.chosen[thread].steps[index].value

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Thread and index of each event that is no initial write."""
        return list(self.ids)

    @cached_property
    def register_places(self) -> dict[FinalRegister, tuple[int, int]]:
        """Thread and number of each register that is observed."""
        names = {t.name: i for i, t in enumerate(self.program.threads)}
        found = {}
        for what in (o.what for o in self.program.observations if isinstance(o.what, FinalRegister)):
            thread = names[what.thread]
            function = self.program.function(self.program.threads[thread].function)
            found[what] = thread, function.registers.index(what.register)
        return found


class Candidate:
    """One graph: a frame with reads-from and coherence. `ordered` is false where the model has no coherence order."""

    def __init__(self, frame: Frame, parts: tuple[tuple[list[int], Solution], ...], ordered: bool) -> None:
        self.frame, self.ordered = frame, ordered
        self._judged: PlanResult | None = None
        self.raised: Flags | None = None  # the flags, where somebody else has judged it
        self.reads_from = {ids[r]: ids[w] for ids, solution in parts for r, w in solution.sources}
        self.coherence = {
            frame.locations[k][0]: tuple(ids[w] for w in solution.order) for k, (ids, solution) in enumerate(parts)
        }

    @cached_property
    def structure(self) -> Structure:
        shared, n = self.frame.structure, len(self.frame.events)
        for name in ("po", "loc", "int", "atomic"):
            shared.relation(name)
        own = {
            "rf": relation(((w, r) for r, w in self.reads_from.items()), n),
            "co": total_orders(self.coherence.values(), n),
        }
        structure = Structure(self.frame.events, {**shared.relations, **own})
        shared.set("R")
        structure.sets = shared.sets
        return structure

    def consistent(self, model: Model) -> bool:
        """By the plan where the model has one: the tree evaluator says the same, more slowly."""
        if self.frame.plan_run(model) is None:
            return model.judge_structure(self.structure).consistent
        return not self._result(model).failed

    def flags(self, model: Model) -> Flags:
        """The flags that the model raises here, each with its pairs of events."""
        if self.raised is not None:
            return self.raised
        if self.frame.plan_run(model) is not None and not self._result(model).flags:
            return ()
        return tuple((f.name, f.pairs) for f in model.judge_structure(self.structure).flags)

    def _result(self, model: Model) -> PlanResult:
        if self._judged is None:
            run = self.frame.plan_run(model)
            assert run is not None, "only a model with a plan should be asked"
            self._judged = run.judge(self.structure)
        return self._judged

    def execution(self) -> Execution:
        frame = self.frame
        return Execution(
            frame.events, self.reads_from, self.coherence, frame.rmw, spawns=frame.spawns, threads=frame.thread_names,
            outcome=self.outcome(), blocked=frame.blocked(),
        ).depending(frame.dependencies)  # fmt: skip

    def outcome(self) -> dict[str, int]:
        found = {}
        for o in self.frame.program.observations:
            value = (
                self.frame.final_register(o.what) if isinstance(o.what, FinalRegister) else self.final_memory(o.what)
            )
            found[o.name] = to_signed(value, o.width) if o.signed else to_unsigned(value, o.width)
        return found

    def final_memory(self, what: FinalMemory) -> int:
        address, initial, pieces = self.frame.first.memory_places[what]
        last = ((start, size, self.frame.value(self.last_write(start))) for start, size in pieces)
        return final_value(address, what.size, initial, last)

    def last_write(self, address: int) -> int:
        """Without a coherence order: a write that no other write is known to follow, the last thread's first."""
        if self.ordered:
            return self.coherence[address][-1]
        writes = [e for e in self.frame.events if e.is_write and e.address == address]
        return max(writes, key=lambda e: (self._depth(e.id), e.thread, e.index)).id

    def _depth(self, write: int) -> int:
        """How many writes of its location must be there before it: in program order, reads-from, starts and ends."""
        before: dict[int, set[int]] = {}
        for name in ("po", "rf", "spawn"):
            for a, row in enumerate(self.structure.relation(name)):
                for b in range(self.structure.n):
                    if row >> b & 1:
                        before.setdefault(b, set()).add(a)
        reached, todo = {write}, [write]
        while todo:
            fresh = before.get(todo.pop(), set()) - reached
            reached |= fresh
            todo += fresh
        events = self.frame.events
        here = (events[i] for i in reached if events[i].kind is EventKind.WRITE)
        return sum(e.address == events[write].address for e in here)

    # --- blocked executions

    def sees_abandoned(self) -> bool:
        """Whether somebody reads from a block that a failed assume has ended: such a block never took place."""
        given_up = {
            self.frame.ids[thread, index]
            for thread, trace in self.frame.chosen.items()
            if trace.ending is Ending.BLOCKED and trace.spin is None
            for index in trace.last_block()
        }
        if not given_up:
            return False
        events = self.frame.events
        return any(w in given_up and events[r].thread != events[w].thread for r, w in self.reads_from.items())

    def can_go_on(self, model: Model) -> bool:
        """Whether some waiting thread would go on: then this graph is only a prefix. A thread that waits looks again
        and again, so in the end it sees the coherence-last write; without a coherence order, any that it may read."""
        return any(
            trace.ending is Ending.WAITING and self._served(thread, trace, model)
            for thread, trace in self.frame.chosen.items()
        )

    def _served(self, thread: int, trace: Trace, model: Model) -> bool:
        waits = trace.waits
        if waits is None or not waits.action.size:
            return False
        location = (waits.action.address, waits.action.size)
        if self.ordered and location in self.frame.locations:
            order = self.coherence[location[0]]
            seen = self._newest(thread, trace, order, model) if trace.last_block() else order[-1]
            return self.frame.events[seen].value in waits.serve
        for write in [e for e in self.frame.events if e.is_write and (e.address, e.size) == location]:
            if write.value in waits.serve and self._extended(thread, trace, write.id, model):
                return True
        initial = self.frame.runner.machine.initial(*location)
        return location not in self.frame.locations and initial in waits.serve

    def _newest(self, thread: int, trace: Trace, order: tuple[int, ...], model: Model) -> int:
        """What a thread sees that waits inside an atomic block: nothing that comes after the block."""
        return next((w for w in reversed(order) if self._extended(thread, trace, w, model)), order[0])

    def _extended(self, thread: int, trace: Trace, source: int, model: Model) -> bool:
        """Whether the graph with the waiting read (and the write of a blocking CAS) added is consistent."""
        waits = trace.waits
        assert waits is not None, "only a waiting trace should be extended"
        action, value = waits.action, self.frame.events[source].value
        written = waits.serve.get(value)
        read = Step(
            EventKind.READ, action.address, action.size, value, action.mode, rmw=written is not None,
            at=action.at, address_deps=action.address_deps, control_deps=action.control_deps,
        )  # fmt: skip
        steps = [*trace.steps, read]
        if written is not None:
            steps.append(
                Step(
                    EventKind.WRITE,
                    action.address,
                    action.size,
                    written,
                    action.mode,
                    rmw=True,
                    at=action.at,
                    address_deps=action.address_deps,
                    control_deps=action.control_deps | {len(trace.steps)},
                    pair=len(trace.steps),
                )
            )
        longer = Trace(tuple(steps), Ending.BLOCKED, trace.registers)
        frame = Frame(self.frame.program, self.frame.runner, {**self.frame.chosen, thread: longer})
        return self._transfer(frame, thread, len(trace.steps), source, written is not None).consistent(model)

    def _transfer(self, frame: Frame, thread: int, index: int, source: int, writes: bool) -> Candidate:
        def moved(event: int) -> int:
            e = self.frame.events[event]
            return event if e.thread == INITIAL else frame.ids[e.thread, e.index]

        other = Candidate(frame, (), self.ordered)
        other.reads_from = {moved(r): moved(w) for r, w in self.reads_from.items()}
        other.reads_from[frame.ids[thread, index]] = moved(source)
        other.coherence = {a: tuple(map(moved, order)) for a, order in self.coherence.items()}
        if writes and self.ordered:
            address = self.frame.events[source].address
            order = list(other.coherence[address])
            order.insert(order.index(moved(source)) + 1, frame.ids[thread, index + 1])
            other.coherence[address] = tuple(order)
        return other
