"""Random programs in which a later access of a thread may stand for an earlier one of its place: chains of threads, as
in buffering.py, whose steps come in pairs. A load, a compare-exchange, an exclusive or a store of what was read comes
before an access to the same place that hangs on less; updates of every kind and mode come between dependent loads."""

from __future__ import annotations

from random import Random

from buffering import ARCHES, FENCES, ThreadMaker

from fencepost.program.condition import FinalMemory, FinalRegister, Observation
from fencepost.program.instructions import (
    Assume,
    AtomicBegin,
    AtomicEnd,
    Await,
    BlockingCas,
    Cas,
    Compute,
    Fence,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
)
from fencepost.program.operands import Const, GlobalAddress, Operand
from fencepost.program.program import Function, Object, Program, Thread
from fencepost.program.validate import validate

_BITWISE = (RmwOp.XCHG, RmwOp.ADD, RmwOp.AND, RmwOp.OR, RmwOp.XOR)
_OPS = (*_BITWISE, RmwOp.MAX, RmwOp.MIN, RmwOp.UMAX, RmwOp.UMIN)


def standing_program(seed: int, model: str, kind: str = "stands") -> Program:
    """`kind`: "stands"; "turns", with waits and assumptions; "groups", with atomic blocks; "parts", of what can be
    taken apart."""
    random = Random(f"standing {seed}")
    count = random.choice((3, 3, 4))
    locations = ["x", "y", "z"][: random.choice((1, 2, 2, 3))]
    budget = [1] * count
    for _ in range(random.choice((3, 4, 4, 5)) - (count == 4)):
        budget[random.randrange(count)] += 1
    makers = [_StandingMaker(random, model, locations, i, kind) for i in range(count)]
    functions = [m.steps(share) for m, share in zip(makers, budget, strict=True)]
    seen = [Observation(f"{i}:{r}", FinalRegister(f"P{i}", r)) for i, m in enumerate(makers) for r in m.observed]
    seen += [Observation(x, FinalMemory(x)) for x in locations]
    threads = tuple(Thread(f.name, f.name) for f in functions)
    objects = tuple(Object(x, 8) for x in locations)
    return validate(Program(f"standing-{seed}", ARCHES[model], objects, tuple(functions), threads, tuple(seen)))


class _StandingMaker(ThreadMaker):
    def __init__(self, random: Random, model: str, locations: list[str], index: int, kind: str) -> None:
        super().__init__(random, model, locations * 4, index)
        self.all, self.kind = locations, kind
        self.ops = _BITWISE if kind == "parts" else _OPS
        if self.kind != "turns" and self.index > 0 and random.random() < 0.35:
            self.next = self.own

    def steps(self, share: int) -> Function:
        r = self.random
        while share > 0:
            share -= self._step(r.choice(self.all), share)
        return Function(f"P{self.index}", tuple(self.names), 0, (*self.code, Return()))

    def _step(self, name: str, share: int) -> int:
        """One or two accesses; how many of them."""
        r = self.random
        if self.code and r.random() < 0.15:
            self.code.append(Fence(r.choice(FENCES[self.model])))
        if self.kind == "turns" and r.random() < 0.3:
            return self._wait(name)
        if share == 1 or r.random() < 0.3:
            return self._one(name)
        block = self.kind == "groups" and r.random() < 0.4
        if block:
            self.code.append(AtomicBegin())
        used = self._one(name)
        if not block and r.random() < 0.3:
            used += self._one(r.choice(self.all))
        used += self._one(name if r.random() < 0.75 else r.choice(self.all))
        if block:
            self.code.append(AtomicEnd())
        return used

    def _one(self, name: str) -> int:
        what = self.random.randrange(12)
        if what < 3:
            self._load(name)
        elif what < 6:
            self._store(name)
        elif what == 6:
            self.code.append(Store(GlobalAddress(name), Const(self.random.choice((1, 2, 3))), 8, self.modes.store()))
        elif what < 9:
            self._any_update(name)
        elif what == 9 and self.model != "imm":
            return self._failing(name)
        elif what == 10 and self.read and self.kind != "groups":
            self._branch(name)
        elif self.kind == "parts":
            self._any_update(name)
        else:
            self._any_compare(name)
        return 1

    def _value(self) -> Operand:
        if not self.read or self.random.random() < 0.4:
            return Const(self.random.choice((0, 1, 1, 2)))
        return super()._value()

    def _any_update(self, name: str) -> None:
        address, value = self._address(name), self._value()
        self.read.append(self._register())
        self.code.append(Rmw(self.read[-1], address, value, self.random.choice(self.ops), 8, self.modes.update()))

    def _any_compare(self, name: str) -> None:
        """One that may come out either way."""
        mode, address = self.modes.update(), self._address(name)
        failure = Mode.ACQ if mode.acquires and self.random.random() < 0.5 else Mode.RLX
        expected: Operand = self.random.choice((Const(0), Const(0), Const(1), *self.read[-1:]))
        desired = self._value()
        old, success = self._register(), self._register()
        self.code.append(Cas(old, success, address, expected, desired, 8, mode, failure))
        self.read.append(self.random.choice((old, success)))

    def _failing(self, name: str) -> int:
        """An exclusive pair, in which now and then the thread itself has stored."""
        address, old = self._address(name), self._register()
        self.code.append(Load(old, address, 8, self.modes.load(), True))
        if self.random.random() < 0.3:
            self.read.append(old)
        if self.random.random() < 0.2:
            self._store(self.random.choice(self.all))
        value, success = self._value(), self._register()
        self.code.append(StoreConditional(success, address, value, 8, self.modes.store()))
        self.read.append(self.random.choice((old, success)))
        return 2

    def _wait(self, name: str) -> int:
        what, at = self.random.randrange(4), GlobalAddress(name)
        if what == 0:
            self.code.append(BlockingCas(at, Const(self.random.choice((0, 1))), Const(2), 8, self.modes.update()))
        elif what == 1 and self.read:
            self._assume()
        else:
            operand: Operand = self.random.choice((Const(0), Const(1), *self.read[-1:]))
            self.read.append(self._register())
            op = self.random.choice((Op.EQ, Op.NE))
            self.code.append(Await(self.read[-1], at, operand, None, op, 8, self.modes.load()))
        return 1

    def _assume(self) -> None:
        test = self._register(observed=False)
        self.code.append(Compute(test, (self.read[-1], Const(self.random.choice((0, 1)))), Op.NE))
        self.code.append(Assume(test))
