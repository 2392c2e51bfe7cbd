"""The processes of a program whose `main` starts threads: what runs before them, beside them and after them.

What `main` does before it starts threads happens once and for all: it is executed here, and its memory is where the
processes begin. It goes on being executed here while threads run as long as it keeps to memory that they leave alone;
whether they do is not known yet, so these accesses are noted and checked later (`prepare.py`). Where `main` does share
memory with running threads it is a process like them from there on. What it does after its first join is the *ending*,
run on the final memory, where each thread that was joined has ended.
"""

from __future__ import annotations

from dataclasses import field

from fencepost.bounded.straighten import ENDING, MAIN, Start
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.interpret import Action, Kind, Machine, ThreadState
from fencepost.program.layout import REGION_MASK, STACK, initial_bytes
from fencepost.program.operands import Operand, Position, Reg
from fencepost.program.passes.rewrite import used
from fencepost.program.program import Program
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """An access of `main` while the first `running` threads ran, executed as if they left that memory alone."""

    address: int
    size: int
    writes: bool
    running: int
    at: Position | None


@dataclass(frozen=True, slots=True)
class Processes:
    """`memory` is the initial memory, byte by byte where it is not zero; `objects` the stack and heap objects that
    exist then, by address. `ending`: where `main` goes on after everything, and `joined` the processes that it has
    joined by then. `main`: its number, where it is a process."""

    starts: tuple[Start, ...]
    memory: dict[int, int]
    objects: dict[int, int] = field(default_factory=dict)
    ending: Start | None = None
    joined: frozenset[int] = frozenset()
    main: int | None = None
    notes: tuple[Note, ...] = ()


def find_processes(program: Program, shares_at: int | None = None) -> Processes:
    """Who runs. `shares_at`: the number of the noted access from which on `main` is a process. Raises UnsupportedError
    where `main` does something that has no place in this."""
    machine = Machine(program)
    if not any(isinstance(i, ins.Spawn) for f in program.functions for i in f.code):
        return Processes(tuple(_static(machine, n) for n in range(len(program.threads))), dict(machine.memory))
    if len(program.threads) != 1:
        raise UnsupportedError("threads that start threads are treated only where there is one thread to begin with")
    return _Main(machine, shares_at).run()


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

    def __init__(self, machine: Machine, shares_at: int | None) -> None:
        self.machine, self.state, self.shares_at = machine, machine.start(0), shares_at
        self.memory = initial_bytes(machine.program, machine.layout)
        self.starts: list[Start] = []
        self.given: set[int] = set()  # the stack objects that threads were given
        self.joined: set[int] = set()
        self.notes: list[Note] = []

    def run(self) -> Processes:
        ending, main = None, None
        while (action := self.machine.run(self.state)).kind is not Kind.END:
            if self._is_process(action):
                main = len(self.starts)
                self.starts.append(Start(MAIN, _frames(self.state)))
                ending = Start(ENDING, _frames(self.state))
                break
            if self._ends_here(action):
                ending = Start(ENDING, _frames(self.state))
                break
            self._answer(action)
        if not self.starts:
            raise UnsupportedError("main ends without having started a thread")
        memory = self.memory | {a: byte for a, (byte, _) in self.state.private.items()}
        objects = _stretches(sorted(self.state.private)) | self.state.objects
        joined = frozenset(n - 1 for n in self.joined)
        return Processes(tuple(self.starts), memory, objects, ending, joined, main, tuple(self.notes))

    def _is_process(self, action: Action) -> bool:
        """Whether `main` does something that its running threads can notice, or that depends on them."""
        if not self.starts or self.joined or action.kind in (Kind.SPAWN, Kind.JOIN, Kind.MALLOC, Kind.FREE, Kind.FENCE):
            return False
        if action.kind not in (Kind.READ, Kind.WRITE):
            return True
        if self._own(action.address):
            return False
        waits = action.kind is Kind.READ and not self.machine.satisfied(self.state, self._value(action))
        return waits or self.shares_at == len(self.notes)

    def _ends_here(self, action: Action) -> bool:
        """The first look, after a join, at what threads may have left; also at what one of them returned."""
        if action.kind is Kind.JOIN:
            return not self._constant_result(action)
        accesses = action.kind in (Kind.READ, Kind.WRITE)
        harmless = action.kind in (Kind.JOIN, Kind.SPAWN, Kind.MALLOC, Kind.FREE, Kind.FENCE)
        return bool(self.joined) and not harmless and not (accesses and self._own(action.address))

    def _own(self, address: int) -> bool:
        """Memory of main's stack that no thread was given."""
        if address & REGION_MASK != STACK:
            return False
        return not any(a <= address < a + size for a, size in self.state.objects.items() if a in self.given)

    def _answer(self, action: Action) -> None:
        machine, state = self.machine, self.state
        match action.kind:
            case Kind.READ | Kind.WRITE:
                if self.starts and not self._own(action.address):
                    writes = action.kind is Kind.WRITE
                    self.notes.append(Note(action.address, action.size, writes, len(self.starts), action.at))
                self._access(action)
            case Kind.SPAWN:
                if self.joined:
                    self._refuse(action, "starts a thread after it has joined another")
                self._spawn(action)
            case Kind.JOIN:
                self.joined.add(action.value)
                machine.reply(state, self._result(action))
            case Kind.FENCE | Kind.MALLOC | Kind.FREE:
                machine.reply(state)
            case _:
                self._refuse(action, f"cannot be executed before its threads start ({action.kind.value})")

    def _value(self, action: Action) -> int:
        return sum(self.memory.get(action.address + n, 0) << 8 * n for n in range(action.size))

    def _access(self, action: Action) -> None:
        machine, state = self.machine, self.state
        if action.kind is Kind.WRITE:
            for n, byte in enumerate(action.value.to_bytes(action.size, "little")):
                self.memory[action.address + n] = byte
            machine.reply(state, 1)
            return
        if not machine.satisfied(state, self._value(action)):
            self._refuse(action, "waits for something before it has started a thread")
        machine.reply(state, self._value(action))

    def _spawn(self, action: Action) -> None:
        index = len(self.starts) + 1
        fresh = self.machine.start_function(index, action.function, action.args)
        count = sum(s.frames[0][0] == action.function for s in self.starts)
        name = f"{action.function}" + (f".{count + 1}" if count else "")
        self.starts.append(Start(name, _frames(fresh), index))
        for start, size in self.state.objects.items():
            if any(start <= a < start + size for a in action.args):
                self.given.add(start)
        self.machine.reply(self.state, index)

    def _constant_result(self, action: Action) -> bool:
        """Whether what a thread returns is always the same, or nobody looks at it."""
        if not 1 <= action.value <= len(self.starts):
            self._refuse(action, "joins something that is not one of its threads")
        frame = self.state.frames[-1]
        i = frame.function.code[frame.pc]
        assert isinstance(i, ins.Join), "a join should come from a join"
        if i.dst is None or not any(i.dst in used(other) for other in frame.function.code):
            return True
        returned = self._returned(action)
        return len(returned) == 1 and not isinstance(returned[0], Reg)

    def _returned(self, action: Action) -> list[Operand | None]:
        function = self.machine.program.function(self.starts[action.value - 1].frames[0][0])
        return list({i.value for i in function.code if isinstance(i, ins.Return)})

    def _result(self, action: Action) -> int:
        returned = self._returned(action)
        value = returned[0] if len(returned) == 1 else None
        return 0 if value is None or isinstance(value, Reg) else self.machine.layout.value(value)

    def _refuse(self, action: Action, what: str) -> None:
        place = f" at {action.at}" if action.at is not None else ""
        raise UnsupportedError(f"main{place} {what}: context-bounded checking has no place for that")
