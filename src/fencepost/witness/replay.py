"""Runs exactly one execution again on the plain machine, and looks whether it ends in the same error.

Reads are answered from `reads_from`, choices from the events; everything else the machine computes itself and must
agree with what the witness says. Threads need no schedule: who reads what is fixed, so each can run on its own (a join
waits for the thread it joins). What the machine cannot know (races, leaks, deadlocks) is judged by `errors.py`.
"""

from __future__ import annotations

from fencepost.errors import InternalError
from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.execution.memory import final_value
from fencepost.program.condition import FinalMemory, FinalRegister
from fencepost.program.instructions import Alloca, Instruction, Malloc, SpinHead
from fencepost.program.interpret import Action, Frame, Kind, Machine, Part, ThreadState
from fencepost.program.operands import Position, to_signed, to_unsigned
from fencepost.program.program import Program
from fencepost.records import dataclass, field
from fencepost.witness.names import Piece
from fencepost.witness.sites import Called, Shown, about, foreign, operation, stack, written_at


class ReplayError(InternalError):
    """The program does not do what the witness says."""


#: The event that an action becomes.
EVENT_KINDS = {
    Kind.READ: EventKind.READ, Kind.WRITE: EventKind.WRITE, Kind.FENCE: EventKind.FENCE,
    Kind.CHOOSE: EventKind.CHOOSE, Kind.MALLOC: EventKind.MALLOC, Kind.FREE: EventKind.FREE,
    Kind.SPAWN: EventKind.SPAWN, Kind.JOIN: EventKind.JOIN, Kind.ATOMIC_BEGIN: EventKind.ATOMIC_BEGIN,
    Kind.ATOMIC_END: EventKind.ATOMIC_END,
}  # fmt: skip
WAITING_PARTS = (Part.AWAIT, Part.BLOCKING_CAS)


@dataclass(slots=True)
class Run:
    """One thread of a replay. `stopped` is the action at which it stands when its events are used up: END, ERROR,
    BLOCK, or one that the witness leaves undone; `operation` and `shown` are the operation of the library that it is a
    part of and the place to show for it, `about` the place that it is about, where its steps access others; `calls` the
    calls that it stands in. `left` are events that the witness has after an ERROR."""

    state: ThreadState
    events: tuple[Event, ...]
    done: int = 0
    stopped: Action | None = None
    result: int = 0
    left: tuple[Event, ...] = ()
    operation: str = ""
    about: int | None = None
    shown: Position | None = None
    calls: tuple[Called, ...] = ()
    round: tuple[Event, ...] = ()  # its last one, where it stands behind one that changes nothing

    @property
    def finished(self) -> bool:
        return self.stopped is not None and self.stopped.kind is Kind.END

    @property
    def exited(self) -> bool:
        """Whether the thread ended the whole program."""
        return self.finished and self.stopped is not None and self.stopped.process


@dataclass(slots=True)
class Replay:
    """What happened. `pieces` are the stack objects by address, `output` what each thread printed."""

    runs: dict[int, Run] = field(default_factory=dict)
    pieces: dict[int, Piece] = field(default_factory=dict)
    heap: dict[int, int] = field(default_factory=dict)  # start -> size
    allocated: dict[int, Position | None] = field(default_factory=dict)  # start -> where
    allocated_in: dict[int, tuple[Called, ...]] = field(default_factory=dict)  # start -> in which calls
    spawned: dict[int, str] = field(default_factory=dict)  # thread -> the function it runs
    actions: dict[int, Action] = field(default_factory=dict)  # event -> what the machine did there
    blocks: dict[int, Malloc] = field(default_factory=dict)  # start -> the instruction that made it
    operations: dict[int, str] = field(default_factory=dict)  # event -> the operation of the library it belongs to
    about: dict[int, int] = field(default_factory=dict)  # event -> the place that its operation is about
    written: dict[int, Position | None] = field(default_factory=dict)  # event -> its place in the program's own files
    called: dict[int, str] = field(default_factory=dict)  # thread that a library runs -> the program's function in it
    shown: dict[int, Position | None] = field(default_factory=dict)  # event -> the place that tells a person most
    calls: dict[int, tuple[Called, ...]] = field(default_factory=dict)  # event -> the calls that it happens in
    outcome: dict[str, int] = field(default_factory=dict)

    @property
    def output(self) -> dict[int, tuple[str, ...]]:
        return {t: run.state.output for t, run in self.runs.items() if run.state.output}

    @property
    def complete(self) -> bool:
        return all(run.finished for run in self.runs.values()) or self.exited

    @property
    def exited(self) -> bool:
        """Whether some thread ended the whole program: then nobody waits any more."""
        return any(run.exited for run in self.runs.values())

    def waiting(self) -> dict[int, Action]:
        """The threads that have not ended, with the action that they are stuck at."""
        return {t: r.stopped for t, r in self.runs.items() if r.stopped is not None and not r.finished}


@dataclass(frozen=True, slots=True)
class _Visit:
    """A thread comes to the head of a loop: how many events it has made, and all that another round depends on."""

    loop: SpinHead
    done: int
    state: tuple[object, ...]


class _Recorder(Machine):
    """The plain machine, remembering what the source calls its stack objects, and how threads come round."""

    def __init__(self, program: Program, pieces: dict[int, Piece]) -> None:
        super().__init__(program)
        self.pieces = pieces
        self.visits: dict[int, list[_Visit]] = {}
        self.done = 0

    def _spins(self, state: ThreadState, frame: Frame, i: SpinHead) -> bool:
        same = super()._spins(state, frame, i)
        registers, private, _, sums = frame.spins[i.loop]
        visit = _Visit(i, self.done, (len(state.frames), registers, private, sums))
        self.visits.setdefault(state.thread, []).append(visit)
        return same

    def alloca(self, state: ThreadState, frame: Frame, i: Alloca) -> None:
        super().alloca(state, frame, i)
        address = frame.values[i.dst.index]
        self.pieces[address] = Piece(address, self.value(frame, i.size), i.name or "stack", i.type, state.thread)


def replay(program: Program, execution: Execution) -> Replay:
    """Raises ReplayError where the program and the execution part ways."""
    return _Replayer(program, execution).run()


class _Replayer:
    def __init__(self, program: Program, execution: Execution) -> None:
        self.program, self.execution = program, execution
        self.result = Replay()
        self.machine = _Recorder(program, self.result.pieces)
        self.events = execution.events
        self.children = {a: b for a, b in execution.spawns if self.events[a].kind is EventKind.SPAWN}
        self.shown = Shown()
        self.allocation_events = any(e.kind is EventKind.MALLOC for e in self.events)

    def run(self) -> Replay:
        _check_shape(self.execution)
        for index in range(len(self.program.threads)):
            self._start(index, self.machine.start(index))
        moved = True
        while moved:
            moved = any(self._advance(run) for run in list(self.result.runs.values()))
        self._check_all_done()
        if self.result.complete:
            self.result.outcome = self._outcome()
        return self.result

    def _check_all_done(self) -> None:
        runs = self.result.runs
        for e in self.events:
            if e.thread >= 0 and e.thread not in runs:
                raise ReplayError(f"thread {e.thread} has events, but nothing in the replay starts it")
        for thread, run in runs.items():
            if run.stopped is None:
                raise ReplayError(
                    f"thread {thread} joins a thread that has not ended (event {run.events[run.done].id})"
                )

    def _start(self, thread: int, state: ThreadState) -> None:
        self.result.runs[thread] = Run(state, self.execution.thread_events(thread))

    def _advance(self, run: Run) -> bool:
        """Runs a thread until it stops or has to wait for another one; whether anything moved."""
        moved = False
        while run.stopped is None:
            if self._framed(run):
                moved = True
                continue
            self.machine.done = run.done
            action = self.machine.run(run.state)
            while action.kind is Kind.BLOCK and action.spin is not None and run.done < len(run.events):
                action = self.machine.run_past(run.state)
            if action.kind is Kind.MALLOC and not self.allocation_events:
                self._allocate(run, action)
                moved = True
                continue
            if run.done == len(run.events) and action.conditional is not None and action.may_fail:
                self.machine.reply(run.state, 0)  # it failed, or the thread did not get there: neither leaves an event
                continue
            if run.done == len(run.events) or action.kind is Kind.ERROR:
                run.round = self._round(run)
                run.stopped, run.result, run.left = action, action.value, run.events[run.done :]
                run.operation = operation(run.state.frames[-1]) if run.state.frames else ""
                run.about = about(run.state.frames[-1]) if run.state.frames else None
                run.shown = self.shown(run.state.frames, action.at)
                run.calls = stack(run.state.frames, action.at)
                return True
            if action.kind is Kind.END and run.events[run.done].kind is EventKind.END:
                run.done, run.result = run.done + 1, action.value
                if run.done < len(run.events):
                    raise self._differs(run, action, run.events[run.done])
                run.stopped = action
                return True
            if not self._answer(run, action, run.events[run.done]):
                return moved
            moved = True
        return moved

    def _round(self, run: Run) -> tuple[Event, ...]:
        """The last events of a thread that has come round a loop as it was before: it has read, taken back what it
        added, and stored what it knew to be there. Nothing where it has not."""
        visits = self.machine.visits.get(run.state.thread, [])
        last = visits[-1] if visits else None
        if last is None or last.done != len(run.events):
            return ()
        earlier = next((v for v in reversed(visits) if v.loop is last.loop and v.done < last.done), None)
        if earlier is None or earlier.state != last.state:
            return ()
        quiet = all(_changes_nothing(run.events, n) for n in range(earlier.done, last.done))
        return run.events[earlier.done :] if quiet else ()

    def _framed(self, run: Run) -> bool:
        """BEGIN is an event of the graph that the machine has no action for."""
        if run.done < len(run.events) and run.events[run.done].kind is EventKind.BEGIN:
            run.done += 1
            return True
        return False

    def _answer(self, run: Run, action: Action, event: Event) -> bool:
        """Answers an action as the witness says; false where the answer is not known yet."""
        if action.conditional is not None and not (event.is_write and event.exclusive and event.at == action.at):
            self.machine.reply(run.state, 0)  # a store-conditional that failed leaves no event
            return True
        self._compare(run, action, event)
        self._locate(run, action, event)
        value = 0
        match action.kind:
            case Kind.READ:
                value = self._read(run, action, event)
            case Kind.WRITE if action.conditional is not None:
                value = 1
            case Kind.CHOOSE:
                value = self._chosen(action, event)
            case Kind.SPAWN:
                value = self._spawned(action, event)
            case Kind.JOIN:
                child = self.result.runs.get(action.value)
                if child is None or not child.finished or child.exited:
                    return False
                value = child.result
        block = _instruction(run)
        self.machine.reply(run.state, value, event.id)
        self.result.actions[event.id] = action
        run.done += 1
        if action.kind is Kind.MALLOC:
            if event.address not in run.state.objects:
                raise ReplayError(f"event {event.id} allocates {event.address:#x}, the machine another address")
            self._made(run, event.address, action, block)
        return True

    def _locate(self, run: Run, action: Action, event: Event) -> None:
        """The second half of a read-modify-write is told with the first."""
        frames, result = run.state.frames, self.result
        place = about(frames[-1])
        if place is not None:
            result.about[event.id] = place
        if not action.rmw or place is not None:
            result.operations[event.id] = operation(frames[-1])
        thread = run.state.thread
        if thread in result.spawned and foreign(frames[0].function.at) and thread not in result.called:
            own = next((f.function.name for f in frames if not foreign(f.function.at)), "")
            if own:
                result.called[thread] = own
        result.written[event.id] = written_at(frames, action.at)
        result.shown[event.id] = self.shown(frames, action.at)
        result.calls[event.id] = stack(frames, action.at)

    def _compare(self, run: Run, action: Action, event: Event) -> None:
        same = EVENT_KINDS.get(action.kind) is event.kind
        if same and action.kind in (Kind.READ, Kind.WRITE):
            failed_cas = action.part is Part.CAS and not event.rmw  # its event has the mode for that case
            mode = action.mode is event.mode or (failed_cas and action.kind is Kind.READ)
            same = (action.address, action.size) == (event.address, event.size) and mode
        if same and action.kind is Kind.WRITE:
            same = action.value == to_unsigned(event.value, 8 * event.size)
        if same and action.kind is Kind.FREE:
            same = action.address == event.address
        if not same or (action.kind is Kind.FENCE and action.fence is not event.fence):
            raise self._differs(run, action, event)

    def _read(self, run: Run, action: Action, event: Event) -> int:
        source = self.execution.reads_from.get(event.id)
        if source is None:
            raise ReplayError(f"event {event.id} reads from nowhere")
        write = self.events[source]
        if (write.address, write.size) != (event.address, event.size):
            raise ReplayError(f"event {event.id} reads from event {source}, which writes another location")
        value = to_unsigned(write.value, 8 * write.size)
        if value != to_unsigned(event.value, 8 * event.size):
            raise ReplayError(f"event {event.id} reads {event.value}, but event {source} writes {write.value}")
        if action.part in WAITING_PARTS and not self.machine.satisfied(run.state, value):
            raise ReplayError(f"event {event.id} goes on with {value}, a value that it has to wait at")
        return value

    def _chosen(self, action: Action, event: Event) -> int:
        if not action.value <= to_signed(event.value) <= action.high:
            raise ReplayError(f"event {event.id} chooses {event.value}, outside {action.value}..{action.high}")
        return to_unsigned(event.value)

    def _spawned(self, action: Action, event: Event) -> int:
        child = self.children.get(event.id)
        joins = child is not None and self.events[child].kind is EventKind.JOIN  # of a thread that did nothing
        thread = self.events[child].thread if child is not None and not joins else event.value
        if thread in self.result.runs:
            raise ReplayError(f"event {event.id} starts thread {thread} a second time")
        self._start(thread, self.machine.start_function(thread, action.function, action.args))
        self.result.spawned[thread] = action.function
        return thread

    def _allocate(self, run: Run, action: Action) -> None:
        """Engines need not make an event of an allocation: nobody else can notice it."""
        before, block = set(run.state.objects), _instruction(run)
        self.machine.reply(run.state)
        (address,) = set(run.state.objects) - before
        self._made(run, address, action, block)

    def _made(self, run: Run, address: int, action: Action, block: Instruction) -> None:
        self.result.heap[address] = action.value
        self.result.allocated[address] = self.shown(run.state.frames, action.at)
        self.result.allocated_in[address] = stack(run.state.frames, action.at)
        if isinstance(block, Malloc):
            self.result.blocks[address] = block

    def _differs(self, run: Run, action: Action, event: Event) -> ReplayError:
        where = f" at {action.at}" if action.at is not None else ""
        wanted = f"{event.kind.value} of {event.size} bytes at {event.address:#x}, value {event.value}"
        got = f"{action.kind.value} of {action.size} bytes at {action.address:#x}, value {action.value}"
        thread = run.state.thread
        does = f"{got}{where} {action.message}".rstrip()
        return ReplayError(f"thread {thread} should do event {event.id} ({wanted}) and does {does}")

    def _outcome(self) -> dict[str, int]:
        """The observed values; of memory the coherence-last ones."""
        names = {t.name: i for i, t in enumerate(self.program.threads)}
        values: dict[str, int] = {}
        for o in self.program.observations:
            match o.what:
                case FinalRegister(thread, register):
                    function = self.program.function(self.program.threads[names[thread]].function)
                    raw = self.result.runs[names[thread]].state.final[function.registers.index(register)]
                case FinalMemory(name, offset, size):
                    raw = self._final_memory(self.machine.layout.globals[name] + offset, size)
            values[o.name] = to_signed(raw, o.width) if o.signed else to_unsigned(raw, o.width)
        return values

    def _final_memory(self, address: int, size: int) -> int:
        last = [self.events[order[-1]] for order in self.execution.coherence.values() if order]
        initial = self.machine.initial(address, size)
        return final_value(address, size, initial, ((e.address, e.size, e.value) for e in last))


def _changes_nothing(events: tuple[Event, ...], number: int) -> bool:
    """Whether an event of a thread reads, is part of an update, or stores what the thread knew to be there."""
    e = events[number]
    if e.kind is not EventKind.WRITE or e.rmw:
        return e.is_read or e.rmw or e.kind is EventKind.FENCE
    known = next((k for k in reversed(events[:number]) if k.is_access and k.same_place(e)), None)
    return known is not None and (known.address, known.size, known.value) == (e.address, e.size, e.value)


def _instruction(run: Run) -> Instruction:
    frame = run.state.frames[-1]
    return frame.function.code[frame.pc]


def _check_shape(execution: Execution) -> None:
    """The part of being a graph that the machine does not look at."""
    for index, e in enumerate(execution.events):
        if e.id != index:
            raise ReplayError(f"event number {index} says that it is number {e.id}")
    for read, write in execution.reads_from.items():
        if not execution.events[read].is_read or not execution.events[write].is_write:
            raise ReplayError(f"event {read} cannot read from event {write}")
    for address, order in execution.coherence.items():
        if len(set(order)) != len(order) or any(
            not execution.events[w].is_write or execution.events[w].address != address for w in order
        ):
            raise ReplayError(f"the coherence order of {address:#x} is not an order of its writes")
    for e in execution.events:
        order = execution.coherence.get(e.address, ())
        ordered = any(execution.events[w].kind is EventKind.WRITE for w in order)  # else the model has no coherence
        if e.kind is EventKind.WRITE and e.id not in order and ordered:
            raise ReplayError(f"write {e.id} is missing in the coherence order of {e.address:#x}")
