"""The transition system of each thread: its states by number, the label each of them offers, where each value leads.

A thread that runs alone is a deterministic machine driven by the values it reads, so a local state is worth computing
once: after that a step is a look-up. Explicit-state searches keep a number per thread instead of its registers.
A read-modify-write is one label here, as in the literature: `after` gives what it writes together with the next state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from fencepost.program.interpret import Action, Kind, Machine, Part, ThreadState
from fencepost.program.program import Program
from fencepost.records import dataclass

#: What of a thread's state can still matter: its frames, its private memory, what it allocated.
Key = tuple[object, ...]


@dataclass(slots=True)
class LocalState:
    """A thread between two labels: `action` is the label it offers next."""

    thread: int
    state: ThreadState
    action: Action
    after: dict[int, tuple[int | None, int]] = field(default_factory=dict)


class Transitions:
    """The local states of all threads of a program, made on demand. `forget` may clear what of a state does not count:
    states that differ in nothing else are one."""

    def __init__(self, program: Program, forget: Callable[[ThreadState], None] | None = None) -> None:
        self.program = program
        self._forget = forget
        self.machine = Machine(program)
        self.states: list[LocalState] = []
        self._numbers: dict[Key, int] = {}

    def start(self, thread: int) -> int:
        """The state of a static thread before its first label."""
        return self._intern(self.machine.start(thread))

    def spawned(self, number: int, thread: int) -> int:
        """The first state of the thread that the SPAWN offered in state `number` starts, as thread number `thread`."""
        action = self.states[number].action
        return self._intern(self.machine.start_function(thread, action.function, action.args))

    def action(self, number: int) -> Action:
        return self.states[number].action

    def registers(self, number: int) -> tuple[object, ...]:
        """Where the thread stands and what its registers and its private memory hold."""
        return _key(self.states[number].state)

    def allows(self, number: int, value: int) -> bool:
        """Whether the READ offered in this state may read `value`: only waiting reads refuse."""
        local = self.states[number]
        return self.machine.satisfied(local.state, value)

    def told_apart(self, number: int) -> frozenset[int] | None:
        """The values that the READ of this state treats unlike the rest, which it all treats alike; None: any."""
        local = self.states[number]
        return self.machine.told_apart(local.state)

    def after(self, number: int, value: int = 0) -> tuple[int | None, int]:
        """What is written (None where nothing is) and the next state, once the label of this state received `value`."""
        local = self.states[number]
        known = local.after.get(value)
        if known is None:
            known = local.after[value] = self._step(local, value)
        return known

    def _step(self, local: LocalState, value: int) -> tuple[int | None, int]:
        state, written = local.state.clone(), None
        if local.action.kind is Kind.WRITE:
            written = local.action.value
        self.machine.reply(state, value)
        if state.pending_write is not None:
            written = self.machine.run(state).value
            self.machine.reply(state)
        return written, self._intern(state)

    def _intern(self, state: ThreadState) -> int:
        for frame in state.frames:
            frame.spins = {}  # a cycle of states is harmless here, so a spin need not block
        action = self.machine.run(state)
        if self._forget is not None:
            self._forget(state)
        joinable = action.kind is Kind.END and state.thread >= len(self.program.threads)
        key = (state.thread, *_key(state), action.kind, action.value if joinable else 0)
        number = self._numbers.setdefault(key, len(self.states))
        if number == len(self.states):
            self.states.append(LocalState(state.thread, state, action))
        return number


def _key(state: ThreadState) -> Key:
    frames = tuple((f.function.name, f.pc, tuple(f.values), tuple(sorted(f.unset.items()))) for f in state.frames)
    private = tuple(sorted((address, byte) for address, (byte, _) in state.private.items()))
    own = private, tuple(sorted(state.unset.items())), Machine.ended(state)
    return frames, own, tuple(sorted(state.tops.items())), state.reservation


def updates(action: Action) -> bool:
    """Whether a READ belongs to an instruction that may write as well."""
    return action.part in (Part.RMW, Part.CAS, Part.BLOCKING_CAS)
