"""Random programs in which a later store of a thread is seen before what comes before it to the same place: an update,
a load or a compare-exchange that the store need not wait for. Two threads access a place so, and announce something in
between. Two more threads carry the announcements, and what came of the accesses, to loads of a thread that is explored
first, so that two revisits follow each other: what the first has kept is the past of the second."""

from __future__ import annotations

from random import Random

from buffering import ARCHES, FENCES, WITH_MODES, ThreadMaker

from fencepost.program.condition import FinalMemory, FinalRegister, Observation
from fencepost.program.instructions import Cas, Fence, Load, Mode, Return, Rmw, RmwOp, Store
from fencepost.program.operands import Const, GlobalAddress, Operand
from fencepost.program.program import Function, Object, Program, Thread
from fencepost.program.validate import validate

_OPS = (RmwOp.XCHG, RmwOp.XCHG, RmwOp.ADD, RmwOp.MAX, RmwOp.OR)
_PLACES = ("x", "y", "z0", "z1", "g", "h", "u")


def overtaking_program(seed: int, model: str) -> Program:
    random = Random(f"overtaking {seed}")
    makers = [_OvertakingMaker(random, model, k) for k in range(6)]
    first, looks, one, other, carrier, second = makers
    if random.random() < 0.8:
        first.store("x", Const(7))
    for k in range(2):
        looks.load(f"z{k}")
    one.overtakes("g", announces_last=False)
    other.overtakes("h", announces_last=True)
    carrier.carries(("g", "h"), "z0")
    second.carries(("x", "u"), "z1")
    if random.random() < 0.3:
        random.shuffle(makers)
    used = [m for m in makers if m.code]
    functions = tuple(Function(f"P{m.index}", tuple(m.names), 0, (*m.code, Return())) for m in used)
    seen = [Observation(f"{m.index}:{r}", FinalRegister(f"P{m.index}", r)) for m in used for r in m.observed]
    seen.append(Observation("x", FinalMemory("x")))
    threads = tuple(Thread(f.name, f.name) for f in functions)
    objects = tuple(Object(x, 8) for x in _PLACES)
    return validate(Program(f"overtaking-{seed}", ARCHES[model], objects, functions, threads, tuple(seen)))


class _OvertakingMaker(ThreadMaker):
    def __init__(self, random: Random, model: str, index: int) -> None:
        super().__init__(random, model, list(_PLACES), index)

    def store(self, name: str, value: Operand) -> None:
        mode = Mode.REL if self.model in WITH_MODES and self.random.random() < 0.1 else Mode.RLX
        self.code.append(Store(GlobalAddress(name), value, 8, mode))

    def load(self, name: str) -> None:
        self.read.append(self._register())
        self.code.append(Load(self.read[-1], GlobalAddress(name), 8, self.modes.load()))

    def overtakes(self, announced: str, *, announces_last: bool) -> None:
        r = self.random
        if r.random() < 0.5:
            self.load("y")
        self._access(overtaken=True)
        self._maybe_fence()
        if r.random() < 0.8:
            self.store(announced, Const(1))
        if announces_last and r.random() < 0.7:
            self.store("u", self._depending(self.read[-1], Const(1)))
        if not announces_last or r.random() < 0.4:
            self._access(overtaken=False)

    def carries(self, names: tuple[str, ...], to: str) -> None:
        """What the threads did, to another one."""
        for name in names:
            if self.random.random() < 0.9:
                self.load(name)
        total: Operand = Const(1)
        for one in self.read:
            total = self._depending(one, total)
        self._maybe_fence()
        self.store(to, total)

    def _maybe_fence(self) -> None:
        if self.random.random() < 0.08:
            self.code.append(Fence(self.random.choice(FENCES[self.model])))

    def _some(self) -> Operand:
        if self.read and self.random.random() < 0.5:
            return self.read[-1]
        return Const(self.random.choice((1, 5)))

    def _access(self, *, overtaken: bool) -> None:
        what, x = self.random.randrange(10), GlobalAddress("x")
        if not overtaken and what < 6:
            self.store("x", Const(5))
        elif what < 5:
            value, old = self._some(), self._register()
            self.code.append(Rmw(old, x, value, self.random.choice(_OPS), 8, self.modes.update()))
            self.read.append(old)
        elif what < 7:
            expected, desired = self.random.choice((Const(0), Const(7))), self._some()
            old, success = self._register(), self._register()
            self.code.append(Cas(old, success, x, expected, desired, 8, self.modes.update(), Mode.RLX))
            self.read.append(self.random.choice((old, success)))
        elif what < 9 or self.model == "imm":
            self.load("x")
        else:
            self._exclusives("x")
