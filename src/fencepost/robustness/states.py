"""State robustness: can release/acquire bring the program into a state (program counters, registers) that SC cannot?
Registers count while they may still be read, and at the end of their thread.

Explores the RA machine of Figure 3 explicitly. Timestamps are places in the list of a location's messages: a write goes
into any gap above its thread's view, except the gap between a message and the RMW that reads it (t and t + 1 in the
paper). Messages below every thread's view can neither be read nor written behind any more and are forgotten, so many
programs with loops have finitely many states; where a location still collects more than `--messages`, we give up on
that branch, and the answer is at best UNKNOWN. (The problem itself is undecidable.)
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import field, replace

from fencepost._core import LabelKind
from fencepost.errors import UnsupportedError
from fencepost.execution.execution import EventKind
from fencepost.options import RobustOptions
from fencepost.prepare.encoded import Prepared
from fencepost.program.instructions import ErrorKind, FenceKind
from fencepost.program.interpret import Action, Kind, Part
from fencepost.program.operands import to_signed
from fencepost.program.program import Program
from fencepost.program.transitions import Transitions
from fencepost.records import dataclass
from fencepost.robustness.graph import Graph, Label, hb_sc_cycle
from fencepost.robustness.live import Forgetting, is_named
from fencepost.robustness.prepare import prepare
from fencepost.robustness.witness import describe
from fencepost.verdict import Answer, ErrorReport, Step, Verdict, Witness

View = tuple[int, ...]  # per location: a place in its list of messages
_SC_LIMIT = 2_000_000


@dataclass(frozen=True, slots=True)
class Message:
    """`glued`: written by an RMW that read the message just below. `event` is only for the witness."""

    value: int
    view: View
    glued: bool = False
    event: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class RaState:
    threads: tuple[int, ...]
    views: tuple[View, ...]
    memory: tuple[tuple[Message, ...], ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A step of a thread: the message it reads or writes behind, by its place, and the value it read or chose."""

    thread: int
    place: int
    value: int


class RaMachine:
    """The transitions of Figure 3 for one program. Locations are added as they are met."""

    def __init__(self, transitions: Transitions, known: frozenset[tuple[int, ...]], limit: int) -> None:
        self.transitions = transitions
        self.count = len(transitions.program.threads)
        self.limit, self.bounded = limit, False
        self.addresses, self.sizes = _locations(transitions, known)
        self.index = {a: i for i, a in enumerate(self.addresses)}

    def initial(self) -> RaState:
        start: View = (0,) * len(self.addresses)
        memory = tuple(
            (Message(self.transitions.machine.initial(a, s), start),)
            for a, s in zip(self.addresses, self.sizes, strict=True)
        )
        return RaState(tuple(self.transitions.start(t) for t in range(self.count)), (start,) * self.count, memory)

    def moves(self, s: RaState) -> Iterator[Move]:
        for t, number in enumerate(s.threads):
            action = self.transitions.action(number)
            if action.kind in (Kind.END, Kind.ERROR, Kind.BLOCK):
                continue
            if action.kind is Kind.CHOOSE:
                yield from (Move(t, 0, v) for v in range(action.value, action.high + 1))
            elif action.kind in (Kind.READ, Kind.WRITE):
                yield from self._accesses(s, t, number, action)
            elif action.kind is Kind.JOIN:
                yield from (Move(t, 0, v) for v in _joined(self.transitions, s.threads, action))
            else:
                yield Move(t, 0, 0)

    def _accesses(self, s: RaState, t: int, number: int, action: Action) -> Iterator[Move]:
        x = self.index.get(action.address)
        if x is None:
            raise UnsupportedError(f"{action.at}: an address that SC never reaches; --state needs a program without it")
        messages = s.memory[x]
        for place in range(s.views[t][x], len(messages)):
            value = messages[place].value
            if action.kind is Kind.READ and not self.transitions.allows(number, value):
                continue
            written = self.transitions.after(number, value)[0]
            if written is not None:
                if place + 1 < len(messages) and messages[place + 1].glued:
                    continue  # another RMW reads this message
                if len(messages) >= self.limit:
                    self.bounded = True
                    continue
            yield Move(t, place, value)

    def step(self, s: RaState, move: Move, event: int = -1) -> RaState:
        t, number = move.thread, s.threads[move.thread]
        action = self.transitions.action(number)
        written, threads = _advance(self.transitions, s.threads, t, move.value)
        if action.kind is Kind.SPAWN:
            return RaState(threads, (*s.views, s.views[t]), s.memory)
        if action.kind is Kind.JOIN:
            view = _join(s.views[t], s.views[action.value])
            return self._forget(RaState(threads, _put(s.views, t, view), s.memory))
        if action.kind not in (Kind.READ, Kind.WRITE):
            return replace(s, threads=threads)
        x, view, memory, views = self.index[action.address], s.views[t], s.memory, s.views
        if action.kind is Kind.READ:
            view = _join(_put(view, x, max(view[x], move.place)), memory[x][move.place].view)
        if written is not None:
            place = move.place + 1
            memory, views = _open(memory, views, x, place)
            view = _put(_shift(view, x, place), x, place)
            message = Message(written, view, action.kind is Kind.READ, event)
            memory = _put(memory, x, (*memory[x][:place], message, *memory[x][place + 1 :]))
        return self._forget(RaState(threads, _put(views, t, view), memory))

    def _forget(self, s: RaState) -> RaState:
        """Drops what no living thread can read or write behind any more. One that may be joined lives on."""
        alive = [
            self.transitions.action(n).kind not in (Kind.END, Kind.ERROR, Kind.BLOCK) or t >= self.count
            for t, n in enumerate(s.threads)
        ]
        living = [v for v, a in zip(s.views, alive, strict=True) if a]
        lowest = tuple(min((v[x] for v in living), default=len(s.memory[x]) - 1) for x in range(len(self.addresses)))
        if not any(lowest) and all(alive):
            return s

        def rebase(view: View) -> View:
            return tuple(max(0, p - low) for p, low in zip(view, lowest, strict=True))

        memory = tuple(
            tuple(replace(m, view=rebase(m.view), glued=m.glued and i > 0) for i, m in enumerate(messages[low:]))
            for messages, low in zip(s.memory, lowest, strict=True)
        )
        views = tuple(rebase(v) if a else rebase(lowest) for v, a in zip(s.views, alive, strict=True))
        return RaState(s.threads, views, memory)


def check_state_robustness(program: Program, options: RobustOptions) -> Verdict:
    """Compares the program states that RA reaches with those of SC."""
    if options.against != "ra":
        raise UnsupportedError(f"--state explores the machine of release/acquire; there is none for {options.against}")
    started = time.perf_counter()
    prepared = prepare(program, "ra", options)
    transitions = Transitions(prepared.program, Forgetting())
    deadline = None if options.time_limit is None else started + options.time_limit
    known = _sc_states(transitions, deadline)
    if known is None:
        return _verdict(
            Answer.UNKNOWN, f"no answer within {options.time_limit} s: SC alone takes longer", 0, 0, started
        )
    machine = RaMachine(transitions, known, options.messages)
    first = machine.initial()
    parents: dict[RaState, tuple[RaState, Move] | None] = {first: None}
    queue = deque([first])
    limit = options.max_states or _SC_LIMIT
    reason = ""
    while queue and not reason:
        state = queue.popleft()
        for move in machine.moves(state):
            following = machine.step(state, move)
            if following in parents:
                continue
            parents[following] = (state, move)
            if following.threads not in known:
                witness = _witness(machine, prepared, parents, following)
                return _verdict(Answer.FAIL, witness.notes[0], len(parents), len(known), started, witness)
            queue.append(following)
        if len(parents) > limit:
            reason = f"more than {limit} states of the RA machine (--max-states)"
        elif deadline is not None and time.perf_counter() > deadline:
            reason = f"no answer within {options.time_limit} s"
    if not reason and machine.bounded:
        reason = (
            f"a location collects more than {options.messages} messages that some thread may still see (--messages)"
        )
    if reason:
        return _verdict(Answer.UNKNOWN, reason, len(parents), len(known), started)
    text = f"state robust against ra: it reaches the {len(known)} program states of SC and no other"
    return _verdict(Answer.PASS, text, len(parents), len(known), started)


def _verdict(
    answer: Answer, reason: str, states: int, sc: int, started: float, witness: Witness | None = None
) -> Verdict:
    robust = {Answer.PASS: True, Answer.FAIL: False, Answer.UNKNOWN: None}[answer]
    extra = {"robust": robust, "against": "ra", "notion": "state", "states": states, "program_states_under_sc": sc}
    errors = (witness.error,) if witness is not None else ()
    return Verdict(answer, reason, "ra", 0, 0, time.perf_counter() - started, errors, witness, extra=extra)


# --- SC


def _locations(transitions: Transitions, known: frozenset[tuple[int, ...]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Every location that SC touches; a location that only RA reaches is refused when it is met."""
    found: dict[int, int] = {}
    for threads in known:
        for number in threads:
            action = transitions.action(number)
            if action.kind in (Kind.READ, Kind.WRITE):
                found.setdefault(action.address, action.size)
    addresses = tuple(sorted(found))
    return addresses, tuple(found[a] for a in addresses)


def _sc_states(transitions: Transitions, deadline: float | None) -> frozenset[tuple[int, ...]] | None:
    """The program states (one local state per thread) that are reachable under SC; None where time runs out."""
    first = tuple(transitions.start(t) for t in range(len(transitions.program.threads)))
    initial: tuple[tuple[int, ...], frozenset[tuple[int, int]]] = (first, frozenset())
    seen, todo = {initial}, [initial]
    while todo:
        if deadline is not None and time.perf_counter() > deadline:
            return None
        threads, content = todo.pop()
        memory = dict(content)
        for t, number in enumerate(threads):
            action = transitions.action(number)
            _refuse(action)
            for value in _sc_values(transitions, threads, number, memory):
                written, following = _advance(transitions, threads, t, value)
                after = content if written is None else frozenset((memory | {action.address: written}).items())
                state = (following, after)
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
        if len(seen) > _SC_LIMIT:
            raise UnsupportedError(f"--state is for small programs: this one has more than {_SC_LIMIT} states under SC")
    return frozenset(threads for threads, _ in seen)


def _sc_values(
    transitions: Transitions, threads: tuple[int, ...], number: int, memory: dict[int, int]
) -> range | tuple[int, ...]:
    action = transitions.action(number)
    if action.kind is Kind.JOIN:
        return _joined(transitions, threads, action)
    if action.kind in (Kind.END, Kind.ERROR, Kind.BLOCK):
        return ()
    if action.kind is Kind.CHOOSE:
        return range(action.value, action.high + 1)
    if action.kind is not Kind.READ:
        return (0,)
    value = memory.get(action.address)
    if value is None:
        value = transitions.machine.initial(action.address, action.size)
    return (value,) if transitions.allows(number, value) else ()


def _advance(
    transitions: Transitions, threads: tuple[int, ...], t: int, value: int
) -> tuple[int | None, tuple[int, ...]]:
    """What thread t writes, if it writes, and where all threads stand then. A new thread comes last."""
    number = threads[t]
    if transitions.action(number).kind is Kind.SPAWN:
        child = transitions.spawned(number, len(threads))
        return None, (*_put(threads, t, transitions.after(number, len(threads))[1]), child)
    written, following = transitions.after(number, value)
    return written, _put(threads, t, following)


def _joined(transitions: Transitions, threads: tuple[int, ...], action: Action) -> tuple[int, ...]:
    """What a join receives; nothing while the thread runs, or where it has ended the whole program."""
    if action.value >= len(threads):
        return ()
    end = transitions.action(threads[action.value])
    return (end.value,) if end.kind is Kind.END and not end.process else ()


def _refuse(action: Action) -> None:
    known = (
        Kind.READ, Kind.WRITE, Kind.CHOOSE, Kind.BLOCK, Kind.ERROR, Kind.END, Kind.SPAWN, Kind.JOIN,
    )  # fmt: skip
    if action.kind not in known or action.part is Part.EXCLUSIVE or action.conditional is not None:
        raise UnsupportedError(f"{action.at}: --state cannot treat {action.kind.value}")


# --- views


def _put(row: tuple, index: int, value: object) -> tuple:  # type: ignore[type-arg] # rows of anything
    return (*row[:index], value, *row[index + 1 :])


def _join(a: View, b: View) -> View:
    return tuple(max(p, q) for p, q in zip(a, b, strict=True))


def _shift(view: View, x: int, place: int) -> View:
    return _put(view, x, view[x] + 1) if view[x] >= place else view


def _open(
    memory: tuple[tuple[Message, ...], ...], views: tuple[View, ...], x: int, place: int
) -> tuple[tuple[tuple[Message, ...], ...], tuple[View, ...]]:
    """Makes room for a message of location x at a place: whoever looks at or above it looks one higher."""
    moved = tuple(tuple(replace(m, view=_shift(m.view, x, place)) for m in messages) for messages in memory)
    gap = Message(0, ())
    return _put(moved, x, (*moved[x][:place], gap, *moved[x][place:])), tuple(_shift(v, x, place) for v in views)


# --- the witness


def _witness(
    machine: RaMachine, prepared: Prepared, parents: dict[RaState, tuple[RaState, Move] | None], last: RaState
) -> Witness:
    """Runs the machine once more along the path, this time naming each message by its event."""
    moves, at = [], last
    while (parent := parents[at]) is not None:
        at, move = parent
        moves.append(move)
    graph = Graph.begin(prepared, zip(machine.addresses, machine.sizes, strict=True))
    state = machine.initial()
    state = replace(state, memory=tuple(
        tuple(replace(m, event=graph.coherence[a][0]) for m in messages)
        for a, messages in zip(machine.addresses, state.memory, strict=True)
    ))  # fmt: skip
    steps = []
    for move in reversed(moves):
        label, behind = _label(machine, state, move)
        event = graph.add(label, behind)
        state = machine.step(state, move, event)
        steps.append(Step(move.thread, describe(label, prepared), label.at, event))
    x = graph.execution()
    where = ", ".join(_standing(machine, x.threads[t], n) for t, n in enumerate(last.threads))
    note = f"a state that SC never reaches: {where}"
    error = ErrorReport(ErrorKind.NOT_ROBUST, "not robust against ra: a new program state", steps[-1].at,
                        steps[-1].thread, (len(x.events) - 1,))  # fmt: skip
    return Witness(x, error, "ra", hb_sc_cycle(x), tuple(steps), (note,), prepared.program)


def _label(machine: RaMachine, state: RaState, move: Move) -> tuple[Label, int | None]:
    """What a move does, and the event behind which it takes its place."""
    number = state.threads[move.thread]
    action = machine.transitions.action(number)
    if action.kind in (Kind.SPAWN, Kind.JOIN):
        spawns = action.kind is Kind.SPAWN
        other = len(state.threads) if spawns else action.value
        label = _plain_label(move.thread, action, EventKind.SPAWN if spawns else EventKind.JOIN, 0, None)
        return replace(label, other=other), None
    written = machine.transitions.after(number, move.value)[0]
    if action.kind is Kind.CHOOSE:
        return _plain_label(move.thread, action, EventKind.CHOOSE, move.value, None), None
    event = EventKind.READ if action.kind is Kind.READ else EventKind.WRITE
    message = state.memory[machine.index[action.address]][move.place]
    return _plain_label(move.thread, action, event, message.value, written), message.event


def _plain_label(thread: int, action: Action, event: EventKind, read: int, written: int | None) -> Label:
    kind = LabelKind.AWAIT if action.part is Part.AWAIT else LabelKind.READ
    return Label(thread, kind, event, action.address, action.size, action.mode, action.mode, FenceKind.SC,
                 event is EventKind.READ, written is not None, read, written or 0, 0, action.at)  # fmt: skip


def _standing(machine: RaMachine, name: str, number: int) -> str:
    """`left at line 3 with r = 0`."""
    local = machine.transitions.states[number]
    frame = local.state.frames[-1]
    at = "the end" if local.action.kind is Kind.END else f"line {local.action.at.line}" if local.action.at else "?"
    values = [f"{r} = {to_signed(v)}" for r, v in zip(frame.function.registers, frame.values, strict=True)
              if is_named(r)]  # fmt: skip
    return f"{name} at {at}" + (f" with {', '.join(values)}" if values else "")
