"""A program whose `main` only starts threads, as one whose threads exist from the start: what the Promela export takes.

What `main` does before its first thread happens once: it is executed here, and its memory is where the threads begin.
Between the first start and the last join it may only touch memory of its own; after the last join it is alone and knows
everything, so nothing there can diverge, and it is left out.
"""

from __future__ import annotations

from dataclasses import replace

from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.interpret import MOST_ACTIONS, Action, Kind, Machine
from fencepost.program.layout import initial_bytes
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress
from fencepost.program.program import Init, Object, Program, Thread

_HARMLESS = (Kind.FENCE, Kind.FREE)


def with_static_threads(program: Program) -> Program:
    """Raises UnsupportedError, with the place, where `main` does more than that."""
    if not any(isinstance(i, ins.Spawn) for f in program.functions for i in f.code):
        return program
    if len(program.threads) != 1:
        raise UnsupportedError("the Promela export takes threads that one thread starts, or none that are started")
    return _Main(program).run()


class _Main:
    """Runs `main` on its own memory."""

    def __init__(self, program: Program) -> None:
        self.program, self.machine = program, Machine(program)
        self.state = self.machine.start(0)
        self.memory = initial_bytes(program, self.machine.layout)
        self.threads: list[Thread] = []
        self.joined: set[int] = set()

    def run(self) -> Program:
        actions = 0
        while (action := self.machine.run(self.state)).kind is not Kind.END:
            actions += 1
            if actions > MOST_ACTIONS:
                raise UnsupportedError(f"{action.at}: main does more than {MOST_ACTIONS} things before its threads run")
            if self.threads and len(self.joined) == len(self.threads):
                break
            self._answer(action)
        if not self.threads:
            raise UnsupportedError("main ends without having started a thread")
        objects = tuple(o if o.thread_local or o.constant else self._with_content(o) for o in self.program.objects)
        reached = _called(self.program, [t.function for t in self.threads])
        functions = tuple(f for f in self.program.functions if f.name in reached)
        return replace(self.program, objects=objects, functions=functions, threads=tuple(self.threads))

    def _answer(self, action: Action) -> None:
        value = 0
        match action.kind:
            case Kind.READ | Kind.WRITE if not self.threads:
                value = self._access(action)
            case Kind.SPAWN if not self.joined:
                value = self._spawn(action)
            case Kind.JOIN if 1 <= action.value <= len(self.threads):
                self.joined.add(action.value)
            case kind if kind not in _HARMLESS:
                what = "does more than to start threads and to join them"
                raise UnsupportedError(f"{action.at}: main {what} while they run: the Promela export has no such main")
        self.machine.reply(self.state, value)

    def _access(self, action: Action) -> int:
        if action.kind is Kind.WRITE:
            for n, byte in enumerate(action.value.to_bytes(action.size, "little")):
                self.memory[action.address + n] = byte
            return 1
        value = sum(self.memory.get(action.address + n, 0) << 8 * n for n in range(action.size))
        if not self.machine.satisfied(self.state, value):
            raise UnsupportedError(f"{action.at}: main waits before it has started a thread")
        return value

    def _spawn(self, action: Action) -> int:
        count = sum(t.function == action.function for t in self.threads)
        name = action.function + (f".{count + 1}" if count else "")
        self.threads.append(Thread(name, action.function, tuple(self._operand(a) for a in action.args)))
        return len(self.threads)

    def _operand(self, value: int) -> ConstantOperand:
        """A number, or the address of an object."""
        for o in self.program.objects:
            start = self.machine.layout.globals.get(o.name)
            if start is not None and start <= value < start + max(1, o.size):
                return GlobalAddress(o.name, value - start)
        return Const(value)

    def _with_content(self, o: Object) -> Object:
        """With what `main` left in it. Bytes that hold an address stay as they were: nobody may have changed them."""
        start = self.machine.layout.globals[o.name]
        kept = [i for i in o.init if not isinstance(i.value, Const)]
        held = {i.offset + n for i in kept for n in range(i.size)}
        before = initial_bytes(self.program, self.machine.layout)
        if any(self.memory.get(start + n, 0) != before.get(start + n, 0) for n in held):
            raise UnsupportedError(f"main changes the address that {o.name} holds: the Promela export cannot follow it")
        bytes_ = [Init(n, 1, Const(b)) for n in range(o.size) if n not in held and (b := self.memory.get(start + n, 0))]
        return replace(o, init=(*kept, *bytes_))


def _called(program: Program, roots: list[str]) -> set[str]:
    """The functions that threads may run."""
    found: set[str] = set()
    while roots:
        name = roots.pop()
        if name not in found:
            found.add(name)
            callees = (i.callee for i in program.function(name).code if isinstance(i, ins.Call))
            roots += [
                c.name for c in callees if hasattr(c, "name") and any(f.name == c.name for f in program.functions)
            ]
    return found
