"""The processes of a program whose `main` starts threads: what runs before them, beside them and after them.

What `main` does before it starts threads happens once and for all: it is executed here, and its memory is where the
processes begin. What it does after it has joined them all reads memory as it is in the end: that part is the *ending*,
run on the final state. Where `main` looks at shared memory while its threads run, it is a process like them from
there on, and nothing it does after a join may fail.
"""

from __future__ import annotations

from dataclasses import field

from fencepost.bounded.straighten import MAIN, Start
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.interpret import Action, Kind, Machine, ThreadState
from fencepost.program.layout import REGION_MASK, STACK, initial_bytes
from fencepost.program.operands import Reg
from fencepost.program.passes.rewrite import used
from fencepost.program.program import Program
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Processes:
    """`memory` is the initial memory, byte by byte where it is not zero; `objects` the stack and heap objects that
    exist then, by address. `ending`: where `main` goes on after everything."""

    starts: tuple[Start, ...]
    memory: dict[int, int]
    objects: dict[int, int] = field(default_factory=dict)
    ending: Start | None = None


def find_processes(program: Program) -> Processes:
    """Who runs. Raises UnsupportedError where `main` does more beside its threads than start and join them."""
    machine = Machine(program)
    if not any(isinstance(i, ins.Spawn) for f in program.functions for i in f.code):
        return Processes(tuple(_static(machine, n) for n in range(len(program.threads))), dict(machine.memory))
    if len(program.threads) != 1:
        raise UnsupportedError("threads that start threads are treated only where there is one thread to begin with")
    return _Main(machine).run()


def _static(machine: Machine, index: int) -> Start:
    state = machine.start(index)
    return Start(machine.program.threads[index].name, _frames(state), index)


def _frames(state: ThreadState) -> tuple[tuple[str, int, tuple[int, ...], Reg | None], ...]:
    return tuple((f.function.name, f.pc, tuple(f.values), f.result) for f in state.frames)


def _stretches(addresses: list[int]) -> dict[int, int]:
    """Neighbouring bytes together: start and length."""
    found: dict[int, int] = {}
    start = None
    for a in addresses:
        if start is None or a != start + found[start]:
            start = a
            found[start] = 0
        found[start] += 1
    return found


class _Main:
    """Runs `main` on its own memory."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.state = machine, machine.start(0)
        self.memory = initial_bytes(machine.program, machine.layout)
        self.starts: list[Start] = []
        self.shared: set[int] = set()  # what the threads were given
        self.joined: set[int] = set()
        self.before: dict[int, int] = {}

    def run(self) -> Processes:
        ending: Start | None = None
        while (action := self.machine.run(self.state)).kind is not Kind.END:
            if self._shares(action):
                self.starts.append(Start(MAIN, _frames(self.state)))
                break
            if self._ends_here(action):
                ending = Start("ending", _frames(self.state))
                break
            self._answer(action)
        if not self.starts:
            raise UnsupportedError("main ends without having started a thread")
        memory = self.before | {a: byte for a, (byte, _) in self.state.private.items()}
        objects = _stretches(sorted(self.state.private)) | self.state.objects
        return Processes(tuple(self.starts), memory, objects, ending)

    def _shares(self, action: Action) -> bool:
        """The first look at shared memory while all threads run."""
        accesses = action.kind in (Kind.READ, Kind.WRITE) and not self._own(action.address)
        return bool(self.starts) and not self.joined and accesses

    def _ends_here(self, action: Action) -> bool:
        """The first look at shared memory after all threads have been joined."""
        everything = self.starts and len(self.joined) == len(self.starts)
        return bool(everything and action.kind in (Kind.READ, Kind.WRITE) and not self._own(action.address))

    def _own(self, address: int) -> bool:
        """Memory of main's stack that no thread was given."""
        if address & REGION_MASK != STACK:
            return False
        return not any(a <= address < a + size for a, size in self.state.objects.items() if a in self.shared)

    def _answer(self, action: Action) -> None:
        machine, state = self.machine, self.state
        match action.kind:
            case Kind.READ | Kind.WRITE:
                if self.starts and not self._own(action.address):
                    self._refuse(action, "accesses shared memory while some of its threads run and others do not")
                self._access(action)
            case Kind.SPAWN:
                if self.joined:
                    self._refuse(action, "starts a thread after it has joined another")
                self._spawn(action)
            case Kind.JOIN:
                self._join(action)
            case Kind.FENCE | Kind.MALLOC | Kind.FREE:
                machine.reply(state)
            case _:
                self._refuse(action, f"cannot be executed before its threads start ({action.kind.value})")

    def _access(self, action: Action) -> None:
        machine, state = self.machine, self.state
        if action.kind is Kind.WRITE:
            for n, byte in enumerate(action.value.to_bytes(action.size, "little")):
                self.memory[action.address + n] = byte
            machine.reply(state, 1)
            return
        value = sum(self.memory.get(action.address + n, 0) << 8 * n for n in range(action.size))
        if not machine.satisfied(state, value):
            self._refuse(action, "waits for something before it has started a thread")
        machine.reply(state, value)

    def _spawn(self, action: Action) -> None:
        if not self.starts:
            self.before = dict(self.memory)
        index = len(self.starts) + 1
        fresh = self.machine.start_function(index, action.function, action.args)
        count = sum(s.frames[0][0] == action.function for s in self.starts)
        name = f"{action.function}" + (f".{count + 1}" if count else "")
        self.starts.append(Start(name, _frames(fresh), index))
        for start, size in self.state.objects.items():
            if any(start <= a < start + size for a in action.args):
                self.shared.add(start)
        self.machine.reply(self.state, index)

    def _join(self, action: Action) -> None:
        frame = self.state.frames[-1]
        i = frame.function.code[frame.pc]
        assert isinstance(i, ins.Join), "a join should come from a join"
        if not 1 <= action.value <= len(self.starts):
            self._refuse(action, "joins something that is not one of its threads")
        self.joined.add(action.value)
        self.machine.reply(self.state, self._result(action, i))

    def _result(self, action: Action, i: ins.Join) -> int:
        """What a thread returns, where it always returns the same; nothing where nobody looks at it."""
        frame = self.state.frames[-1]
        if i.dst is None or not any(i.dst in used(other) for other in frame.function.code):
            return 0
        function = self.machine.program.function(self.starts[action.value - 1].frames[0][0])
        values = {other.value for other in function.code if isinstance(other, ins.Return)}
        value = values.pop() if len(values) == 1 else Reg(0)
        if isinstance(value, Reg):
            self._refuse(action, f"receives what {function.name} returns, which is not constant")
            return 0
        return 0 if value is None else self.machine.layout.value(value)

    def _refuse(self, action: Action, what: str) -> None:
        place = f" at {action.at}" if action.at is not None else ""
        raise UnsupportedError(f"main{place} {what}: context-bounded checking has no place for that")
