"""Random programs whose threads crowd at one place: loads, stores and updates of it, whose values often hang on
nothing, amid stores and loads of flags, whose values often hang on what was read. So stores may overtake loads and
updates of their place in several threads at once, and what was overtaken goes or stays by revisits in any order."""

from __future__ import annotations

from random import Random

from buffering import ARCHES, FENCES, ThreadMaker

from fencepost.program.condition import FinalMemory, FinalRegister, Observation
from fencepost.program.instructions import Cas, Fence, Load, Mode, Return, Rmw, RmwOp, Store
from fencepost.program.operands import Const, GlobalAddress, Operand
from fencepost.program.program import Function, Object, Program, Thread
from fencepost.program.validate import validate

_FLAGS = ("g", "h")
_PLACES = ("x", "y", *_FLAGS)
#: Threads, accesses in all, and how often one of x or y is an update.
_FORMS = ((3, 9, 0.12), (4, 10, 0.08), (4, 11, 0.0), (5, 10, 0.06))


def crowding_program(seed: int, model: str) -> Program:
    random = Random(f"crowding {seed}")
    threads, accesses, updates = _FORMS[seed % len(_FORMS)]
    makers = [_CrowdingMaker(random, model, k) for k in range(threads)]
    lengths = [2] * threads
    for _ in range(accesses - sum(lengths)):
        lengths[random.randrange(threads)] += 1
    functions = [m.accesses(length, updates) for m, length in zip(makers, lengths, strict=True)]
    seen = [Observation(f"{m.index}:{r}", FinalRegister(f"P{m.index}", r)) for m in makers for r in m.observed]
    seen.append(Observation("x", FinalMemory("x")))
    objects = tuple(Object(x, 8) for x in _PLACES)
    started = tuple(Thread(f.name, f.name) for f in functions)
    return validate(Program(f"crowding-{seed}", ARCHES[model], objects, tuple(functions), started, tuple(seen)))


class _CrowdingMaker(ThreadMaker):
    def __init__(self, random: Random, model: str, index: int) -> None:
        super().__init__(random, model, list(_PLACES) * 2, index)

    def accesses(self, length: int, updates: float) -> Function:
        r = self.random
        for _ in range(length):
            if r.random() < 0.1:
                self.code.append(Fence(r.choice(FENCES[self.model])))
            place, what = "x" if r.random() < 0.8 else "y", r.random()
            if what < 0.24:
                self._read(place)
            elif what < 0.24 + updates:
                self._any_update(place)
            elif what < 0.55:
                self.code.append(Store(self._at(place), self._some(), 8, self.modes.store()))
            elif what < 0.78:
                self.code.append(Store(GlobalAddress(r.choice(_FLAGS)), self._announced(), 8, self.modes.store()))
            else:
                self._read(r.choice(_FLAGS))
        return Function(f"P{self.index}", tuple(self.names), 0, (*self.code, Return()))

    def _at(self, name: str) -> Operand:
        plain = GlobalAddress(name)
        return self._depending(self.read[-1], plain) if self.read and self.random.random() < 0.12 else plain

    def _some(self) -> Operand:
        return self.read[-1] if self.read and self.random.random() < 0.25 else Const(self.random.choice((5, 7)))

    def _announced(self) -> Operand:
        if not self.read or self.random.random() < 0.4:
            return Const(1)
        return self._depending(self.read[-1], Const(1)) if self.random.random() < 0.7 else self.read[-1]

    def _read(self, name: str) -> None:
        address = self._at(name)
        self.read.append(self._register())
        self.code.append(Load(self.read[-1], address, 8, self.modes.load()))

    def _any_update(self, name: str) -> None:
        what, at = self.random.random(), GlobalAddress(name)
        if what < 0.6:
            value, op = self._some(), self.random.choice((RmwOp.XCHG, RmwOp.ADD))
            self.read.append(self._register())
            self.code.append(Rmw(self.read[-1], at, value, op, 8, self.modes.update()))
        elif what < 0.85 or self.model == "imm":
            desired, expected = self._some(), self.random.choice((Const(0), Const(7)))
            old, success = self._register(), self._register()
            self.code.append(Cas(old, success, at, expected, desired, 8, self.modes.update(), Mode.RLX))
            self.read.append(self.random.choice((old, success)))
        else:
            self._exclusives(name)
