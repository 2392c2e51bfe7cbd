"""Random programs in the shape of load buffering: each thread reads its location, does something in between that may
be forwarded, updated, compared or fenced, and writes the next thread's location. The values that a thread writes often
depend on what it read, so cycles of program order and reads-from are near: what a commit-before order may lose."""

from __future__ import annotations

from random import Random

from fencepost.program.condition import FinalRegister, Observation
from fencepost.program.instructions import (
    Branch,
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
    StoreConditional,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.program.validate import validate

ARCHES = {
    "power": Arch.PPC,
    "armv7": Arch.AARCH64,
    "armv8": Arch.AARCH64,
    "riscv": Arch.RISCV,
    "imm": Arch.C11,
}
FENCES = {
    "power": (FenceKind.LWSYNC, FenceKind.SYNC, FenceKind.EIEIO, FenceKind.ISYNC),
    "armv7": (FenceKind.DMB_SY, FenceKind.DMB_ST, FenceKind.ISB),
    "armv8": (FenceKind.DMB_SY, FenceKind.DMB_LD, FenceKind.DMB_ST, FenceKind.ISB),
    "riscv": (
        FenceKind.FENCE_RW_RW,
        FenceKind.FENCE_R_RW,
        FenceKind.FENCE_W_W,
        FenceKind.FENCE_R_R,
        FenceKind.FENCE_TSO,
        FenceKind.FENCE_W_R,
    ),
    "imm": (FenceKind.ACQ, FenceKind.REL, FenceKind.SC),
}
WITH_MODES = ("armv8", "riscv", "imm")


def buffering_program(seed: int, model: str) -> Program:
    return _Maker(Random(seed), model).program(f"buffering-{seed}")


class Modes:
    """Modes that the model knows, relaxed for the most part."""

    def __init__(self, random: Random, model: str) -> None:
        self.random, self.known = random, model in WITH_MODES
        self.extra = (Mode.SC,) if model == "imm" else ()
        self.loads = (Mode.ACQ, *((Mode.ACQ_PC,) if model == "armv8" else ()), *self.extra)

    def load(self) -> Mode:
        return self.random.choice(self.loads) if self.known and self.random.random() < 0.12 else Mode.RLX

    def store(self, often: float = 0.15) -> Mode:
        if self.known and self.random.random() < often:
            return self.random.choice((Mode.REL, *self.extra))
        return Mode.RLX

    def update(self) -> Mode:
        modes = (Mode.RLX, Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL, *self.extra)
        return self.random.choice(modes) if self.known else Mode.RLX


class _Maker:
    def __init__(self, random: Random, model: str) -> None:
        self.random, self.model = random, model
        self.locations = ["x", "y", "z"][: random.choice((2, 2, 3))]

    def program(self, name: str) -> Program:
        n = len(self.locations)
        makers = [ThreadMaker(self.random, self.model, self.locations, i) for i in range(n)]
        functions = [m.function() for m in makers]
        if self.random.random() < 0.35:
            functions.append(self._writer(n))
        threads = tuple(Thread(f.name, f.name) for f in functions)
        seen = tuple(
            Observation(f"{i}:{r}", FinalRegister(f"P{i}", r)) for i, m in enumerate(makers) for r in m.observed
        )
        objects = tuple(Object(o, 8) for o in (*self.locations, "f", "g"))
        return validate(Program(name, ARCHES[self.model], objects, tuple(functions), threads, seen))

    def _writer(self, index: int) -> Function:
        modes, r = Modes(self.random, self.model), self.random
        code: list[Instruction] = [
            Store(GlobalAddress(r.choice((*self.locations, "f"))), Const(2), 8, modes.store()),
        ]
        if r.random() < 0.3:
            code.append(Store(GlobalAddress(r.choice(self.locations)), Const(1), 8, modes.store()))
        return Function(f"P{index}", (), 0, (*code, Return()))


class ThreadMaker:
    def __init__(self, random: Random, model: str, locations: list[str], index: int) -> None:
        self.random, self.model, self.index = random, model, index
        self.modes = Modes(random, model)
        self.all = [*locations, "f", "g"]
        self.own, self.next = locations[index], locations[(index + 1) % len(locations)]
        self.few = len(locations) == 2
        self.code: list[Instruction] = []
        self.names: list[str] = []
        self.observed: list[str] = []
        self.read: list[Reg] = []  # what may be depended on

    def function(self) -> Function:
        r = self.random
        self._load(self.own)
        for _ in range(r.choice((0, 1, 1, 2)) if self.few else r.choice((0, 0, 1))):
            self._between(r.choice(("f", "f", self.own, self.next)))
        if r.random() < 0.15:
            self.code.append(Fence(r.choice(FENCES[self.model])))
        self.code.append(Store(self._address(self.next), self._value(), 8, self.modes.store()))
        if r.random() < 0.15:
            self._load(r.choice(self.all))
        return Function(f"P{self.index}", tuple(self.names), 0, (*self.code, Return()))

    def _register(self, *, observed: bool = True) -> Reg:
        self.names.append(f"r{len(self.names)}")
        if observed:
            self.observed.append(self.names[-1])
        return Reg(len(self.names) - 1)

    def _depending(self, on: Reg, what: Operand) -> Reg:
        """`what`, by a syntactic dependency on a register."""
        zero, sum_ = self._register(observed=False), self._register(observed=False)
        self.code += [Compute(zero, (on, on), Op.XOR), Compute(sum_, (zero, what), Op.ADD)]
        return sum_

    def _address(self, name: str) -> Operand:
        plain = GlobalAddress(name)
        return plain if not self.read or self.random.random() < 0.75 else self._depending(self.read[-1], plain)

    def _value(self) -> Operand:
        chance = self.random.random()
        if chance < 0.4 or not self.read:
            return Const(self.random.choice((1, 1, 2)))
        on = self.random.choice(self.read)
        return on if chance < 0.7 else self._depending(on, Const(1))

    def _load(self, name: str) -> None:
        address = self._address(name)
        self.read.append(self._register())
        self.code.append(Load(self.read[-1], address, 8, self.modes.load()))

    def _between(self, name: str) -> None:
        what = self.random.randrange(11)
        if what == 0:
            self._load(self.own)
        elif what in (1, 2):
            if self.random.random() < 0.5:
                self._store(name)
            self.code.append(Store(self._address(name), self._value(), 8, self.modes.store(0.3)))
            self._load(name)
        elif what == 3:
            self.code.append(Fence(self.random.choice(FENCES[self.model])))
        elif what == 4:
            self._store(name)
        elif what in (5, 6):
            self._update(name, stored=what == 5)
        elif what in (7, 8):
            self._compare_exchange(name)
        elif what == 9 and self.model != "imm":
            self._exclusives(name)
        elif what == 10:
            self._branch(name)

    def _store(self, name: str) -> None:
        self.code.append(Store(self._address(name), self._value(), 8, self.modes.store()))

    def _update(self, name: str, *, stored: bool) -> None:
        if stored and self.random.random() < 0.5:
            self._store(name)
        value, op = self._value(), self.random.choice((RmwOp.XCHG, RmwOp.ADD))
        self.read.append(self._register())
        self.code.append(Rmw(self.read[-1], GlobalAddress(name), value, op, 8, self.modes.update()))

    def _compare_exchange(self, name: str) -> None:
        mode = self.modes.update()
        failure = Mode.ACQ if mode.acquires and self.random.random() < 0.5 else Mode.RLX
        expected = self.random.choice((Const(0), Const(1), self._value(), self.read[-1]))
        desired = self._value()
        old, success = self._register(), self._register()
        self.code.append(Cas(old, success, GlobalAddress(name), expected, desired, 8, mode, failure))
        self.read.append(self.random.choice((old, success)))

    def _exclusives(self, name: str) -> None:
        old = self._register()
        self.code.append(Load(old, GlobalAddress(name), 8, self.modes.load(), True))
        value, success = self._value(), self._register()
        self.code.append(StoreConditional(success, GlobalAddress(name), value, 8, self.modes.store()))
        self.read.append(self.random.choice((old, success)))

    def _branch(self, name: str) -> None:
        is_one, at = self._register(observed=False), len(self.code) + 1
        self.code.append(Compute(is_one, (self.read[-1], Const(1)), Op.EQ))
        self.code.append(Branch(is_one, at + 1, at + 2))
        self.code.append(Store(GlobalAddress(name), Const(self.random.choice((1, 1, 2))), 8, self.modes.store()))
