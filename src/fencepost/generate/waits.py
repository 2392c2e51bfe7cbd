"""Random programs full of waits, built along a hidden run, so that every wait can be served.

    program = waiting_program(seed)        # awaits, blocking compare-exchanges, locks and semaphores in every place
    program = spelled_out(program)         # the same with every wait as a read and an assume

Waits that are put together at random are nearly never served all, and what goes wrong among them stays unseen. Here
the program is written down while it runs: a thread that is drawn does its next statement at once, on the memory that
the others have left, and waits only for what is true at that moment. That run is one of the program's executions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from random import Random

from fencepost.generate.random_programs import WORD_SIZE
from fencepost.program.condition import FinalMemory, FinalRegister, Observation
from fencepost.program.instructions import (
    Assume,
    Await,
    BlockingCas,
    Cas,
    Compute,
    Fence,
    FenceKind,
    Instruction,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
    Store,
    Sync,
    SyncOp,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.passes.rewrite import Registers, expand, map_functions
from fencepost.program.passes.synchronisation import lower_synchronisation
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.program.validate import validate
from fencepost.records import dataclass

_READS, _WRITES = (Mode.RLX, Mode.ACQ, Mode.SC), (Mode.RLX, Mode.REL, Mode.SC)
_UPDATES = (Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL, Mode.SC)
_LOCK, _SEMAPHORE = "lock", "semaphore"
_VALUES = 2


@dataclass(slots=True)
class _Thread:
    name: str
    code: list[Instruction] = field(default_factory=list)
    registers: list[str] = field(default_factory=list)

    def register(self) -> Reg:
        self.registers.append(f"r{len(self.registers)}")
        return Reg(len(self.registers) - 1)

    def function(self) -> Function:
        return Function(self.name, tuple(self.registers), 0, (*self.code, Return()))


def waiting_program(seed: int | Random, *, size: int = 12, library: bool = False) -> Program:
    """One program of up to so many statements in two to four threads. `library`: also a lock and a semaphore."""
    random = Random(seed) if isinstance(seed, int) else seed
    return _Run(random, size, library).program(f"waits-{seed}" if isinstance(seed, int) else "waits")


class _Run:
    """The hidden run: what every location holds now, and who has the lock."""

    def __init__(self, random: Random, size: int, library: bool) -> None:
        self.random, self.size, self.library = random, size, library
        self.memory = dict.fromkeys("xyz"[: random.randint(2, 3)], 0)
        self.threads = [_Thread(f"P{n}") for n in range(random.randint(2, 4))]
        self.holder: _Thread | None = None
        self.units = 0  # of the semaphore

    def program(self, name: str) -> Program:
        for _ in range(self.random.randint(len(self.threads) + 1, max(self.size, len(self.threads) + 1))):
            self._step(self.random.choice(self.threads))
        if self.holder is not None:
            self._unlock(self.holder)
        objects = tuple(Object(x, WORD_SIZE) for x in (*self.memory, *((_LOCK, _SEMAPHORE) if self.library else ())))
        seen = [Observation(f"{t.name}:{r}", FinalRegister(t.name, r)) for t in self.threads for r in t.registers]
        memory = [Observation(x, FinalMemory(x)) for x in self.memory]
        threads = tuple(Thread(t.name, t.name) for t in self.threads)
        functions = tuple(t.function() for t in self.threads)
        return validate(Program(name, Arch.C11, objects, functions, threads, (*seen, *memory)))

    def _step(self, thread: _Thread) -> None:
        kinds: list[tuple[Callable[[_Thread], None], int]] = [
            (self._load, 5), (self._store, 6), (self._rmw, 1), (self._cas, 1), (self._fence, 1), (self._await, 9),
            (self._blocking_cas, 1),
        ]  # fmt: skip
        if self.library:
            kinds += [(self._take_or_give, 3), (self._post_or_wait, 3)]
        self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0](thread)

    def _place(self) -> tuple[str, GlobalAddress]:
        name = self.random.choice(list(self.memory))
        return name, GlobalAddress(name)

    def _value(self) -> int:
        return self.random.randint(0, _VALUES)

    # --- statements: each is written down and done

    def _load(self, t: _Thread) -> None:
        t.code.append(Load(t.register(), self._place()[1], WORD_SIZE, self.random.choice(_READS)))

    def _store(self, t: _Thread) -> None:
        name, address = self._place()
        self.memory[name] = (self.memory[name] + self.random.randint(1, _VALUES)) % (_VALUES + 1)
        t.code.append(Store(address, Const(self.memory[name]), WORD_SIZE, self.random.choice(_WRITES)))

    def _rmw(self, t: _Thread) -> None:
        name, address = self._place()
        op, by = self.random.choice((RmwOp.XCHG, RmwOp.ADD)), self._value()
        self.memory[name] = by if op is RmwOp.XCHG else self.memory[name] + by
        t.code.append(Rmw(t.register(), address, Const(by), op, WORD_SIZE, self.random.choice(_UPDATES)))

    def _cas(self, t: _Thread) -> None:
        name, address = self._place()
        expected, desired = Const(self._value()), Const(self._value())
        if self.memory[name] == expected.value:
            self.memory[name] = desired.value
        mode, old, success = self.random.choice(_UPDATES), t.register(), t.register()
        t.code.append(Cas(old, success, address, expected, desired, WORD_SIZE, mode, Mode.RLX))

    def _fence(self, t: _Thread) -> None:
        t.code.append(Fence(self.random.choice((FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC))))

    def _await(self, t: _Thread) -> None:
        """For the value that is there, or for any other than one that is not; mostly for what somebody wrote."""
        written = [x for x, value in self.memory.items() if value]
        name = self.random.choice(written) if written and self.random.random() < 0.9 else self._place()[0]
        now, other, address = self.memory[name], self._value(), GlobalAddress(name)
        op, operand = (Op.EQ, now) if other == now or self.random.random() < 0.6 else (Op.NE, other)
        t.code.append(Await(t.register(), address, Const(operand), None, op, WORD_SIZE, self.random.choice(_READS)))

    def _blocking_cas(self, t: _Thread) -> None:
        name, address = self._place()
        now, self.memory[name] = self.memory[name], self._value()
        mode = self.random.choice(_UPDATES)
        t.code.append(BlockingCas(address, Const(now), Const(self.memory[name]), WORD_SIZE, mode))

    def _take_or_give(self, t: _Thread) -> None:
        if self.holder is None:
            self.holder = t
            t.code.append(Sync(None, (GlobalAddress(_LOCK),), SyncOp.MUTEX_LOCK))
        elif self.holder is t:
            self._unlock(t)

    def _unlock(self, t: _Thread) -> None:
        self.holder = None
        t.code.append(Sync(None, (GlobalAddress(_LOCK),), SyncOp.MUTEX_UNLOCK))

    def _post_or_wait(self, t: _Thread) -> None:
        post = self.units == 0 or self.random.random() < 0.4
        self.units += 1 if post else -1
        t.code.append(Sync(None, (GlobalAddress(_SEMAPHORE),), SyncOp.SEM_POST if post else SyncOp.SEM_WAIT))


def spelled_out(program: Program) -> Program:
    """The program with every wait as a read and an assume, which has the same complete executions."""
    return map_functions(lower_synchronisation(program), lambda f: expand(f, _spell))


def _spell(i: Instruction, registers: Registers) -> Sequence[Instruction]:
    if isinstance(i, Await):
        value: Operand = i.dst if i.dst is not None else registers.fresh("value")
        assert isinstance(value, Reg)
        holds, looked_at = registers.fresh("holds"), registers.fresh("looked_at")
        masked = Compute(looked_at, (value, i.mask if i.mask is not None else Const(-1)), Op.AND, at=i.at)
        test = Compute(holds, (looked_at, i.operand), i.op, 8 * i.size, at=i.at)
        return (Load(value, i.address, i.size, i.mode, at=i.at), masked, test, Assume(holds, at=i.at))
    if isinstance(i, BlockingCas):
        done = registers.fresh("done")
        failure = i.mode if i.mode in (Mode.RLX, Mode.ACQ, Mode.SC) else Mode.RLX
        tried = Cas(None, done, i.address, i.expected, i.desired, i.size, i.mode, failure, at=i.at)
        return (tried, Assume(done, at=i.at))
    return (i,)
