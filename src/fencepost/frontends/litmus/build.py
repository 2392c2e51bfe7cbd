"""Puts a Program together from what a dialect read: sizes of locations, observations, the condition."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.frontends.assembly.dialect import RegisterName
from fencepost.frontends.litmus.big_endian import turn_accesses, turned
from fencepost.frontends.litmus.frame import Frame
from fencepost.frontends.litmus.question import Observed, Question
from fencepost.frontends.litmus.state import INT, POINTER, Location, State
from fencepost.frontends.scan import Source, Token
from fencepost.program.condition import (
    And,
    Compare,
    Condition,
    FinalMemory,
    FinalRegister,
    Formula,
    Not,
    Observation,
    Or,
    Quantifier,
    Truth,
    comparisons,
    renamed,
)
from fencepost.program.datatypes import Array, Scalar
from fencepost.program.instructions import Load
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, Reg, to_signed, to_unsigned
from fencepost.program.passes.points_to import Piece, PointsTo, overlaps
from fencepost.program.program import Arch, Function, Init, Object, Program, Thread
from fencepost.program.validate import validate
from fencepost.records import replace

#: How a dialect reads the name of a register of a thread; None where it is no register.
Naming = Callable[[int, Token], RegisterName | None]


def build(
    frame: Frame, arch: Arch, state: State, question: Question, functions: list[Function],
    arguments: dict[str, dict[str, ConstantOperand]], naming: Naming, types: dict[tuple[int, str], Scalar],
) -> Program:  # fmt: skip
    """`types` gives the declared type of registers, by thread and name, where there is one."""
    return _Builder(frame, arch, state, question, functions, arguments, naming, types).program()


class _Builder:
    def __init__(
        self, frame: Frame, arch: Arch, state: State, question: Question, functions: list[Function],
        arguments: dict[str, dict[str, ConstantOperand]], naming: Naming, types: dict[tuple[int, str], Scalar],
    ) -> None:  # fmt: skip
        self.frame, self.arch, self.state, self.question = frame, arch, state, question
        self.functions = {f.name: f for f in functions}
        self.arguments, self.naming, self.types = arguments, naming, types
        self.source: Source = frame.source
        self.memory = {x.name: x.values for x in state.locations.values()}
        self.points = PointsTo(functions, arguments, self.memory)
        self.accesses = self.points.accesses()
        self.scalars = {x.name: self._scalar(x) for x in state.locations.values()}
        self.place: Callable[[int, int], int] = lambda offset, _: offset
        if arch is Arch.PPC and any(overlaps(self._pieces(x)) for x in state.locations.values()):
            self._turn()

    def _pieces(self, location: Location) -> set[Piece]:
        size = self.scalars[location.name].size
        return {(k * size, size) for k in range(location.count)} | self.accesses.get(location.name, set())

    def _turn(self) -> None:
        """See big_endian.py."""
        self.place = turned
        self.functions = {name: turn_accesses(f) for name, f in self.functions.items()}
        self.points = PointsTo(self.functions.values(), self.arguments, self.memory)
        self.accesses = self.points.accesses()

    def program(self) -> Program:
        self._rename()
        observations = self._observations()
        condition = self._condition({o.name: o for o in observations})
        return validate(
            Program(
                self.frame.name,
                self.arch,
                tuple(self._object(x) for x in self.state.locations.values()),
                tuple(self.functions.values()),
                tuple(Thread(n, n, tuple(self.arguments[n].values())) for n in self.functions),
                tuple(observations),
                condition,
            )
        )

    # --- memory

    def _scalar(self, location: Location) -> Scalar:
        """What the test declares; else an int, or more where an access or an address needs it."""
        if location.scalar is not None and location.scalar.size:
            return location.scalar
        if self.points.memory.get(location.name):
            return POINTER
        size = max((size for _, size in self.accesses.get(location.name, ())), default=INT.size)
        if location.count > 1 or self._is_short_int(location):
            return Scalar("i", size)
        return Scalar("i", max(size, INT.size))

    def _is_short_int(self, location: Location) -> bool:
        """An int of which only the first bytes are accessed and the others stay 0: those need not be looked at. (On a
        big-endian machine they are the upper bytes, but a test that knows no other size means the value.)"""
        pieces = self.accesses.get(location.name, set())
        size = max((size for _, size in pieces), default=INT.size)
        if (location.scalar is not None and location.scalar.size) or location.count > 1 or size >= INT.size:
            return False
        small = all(isinstance(v, Const) and 0 <= v.value < 1 << 8 * size for v in location.values)
        return small and pieces == {(0, size)}

    def _object(self, location: Location) -> Object:
        """Never smaller than a word, so that an access of any size at its start is inside."""
        scalar = self.scalars[location.name]
        reach = max((o + s for o, s in self.accesses.get(location.name, ())), default=0)
        size = max(8, scalar.size * location.count, reach)
        inits = tuple(
            Init(self.place(k * scalar.size, scalar.size), scalar.size, value)
            for k, value in enumerate(location.values)
            if value != Const(0)
        )  # fmt: skip
        type_ = Array(scalar, location.count) if location.count > 1 else scalar
        return Object(location.name, -(-size // 8) * 8, 8, inits, type=type_, at=self.source.at(location.offset))

    # --- observations

    def _observations(self) -> list[Observation]:
        wide = self._wide()
        found = [self._observation(name, what, name in wide) for name, what in self.question.observed.items()]
        width = {o.name: o.width for o in found}
        for formula in (self.question.formula, self.question.filter):
            for c in comparisons(formula) if formula is not None else ():
                if isinstance(c.right, str):
                    width[c.left] = width[c.right] = max(width[c.left], width[c.right])
        return [replace(o, width=width[o.name], whole=self._whole(self.question.observed[o.name])) for o in found]

    def _rename(self) -> None:
        """Registers go by the name that the dialect shows: `a0` is x10."""
        new: dict[str, str] = {}
        for name, what in self.question.observed.items():
            register = self.naming(what.thread, what.token) if what.thread is not None else None
            if register is not None and register.shown:
                new[name] = f"{what.thread}:{register.shown}"
        q = self.question
        q.observed = {new.get(name, name): what for name, what in q.observed.items()}
        q.formula = renamed(q.formula, new) if q.formula is not None else None
        q.filter = renamed(q.filter, new) if q.filter is not None else None
        q.hidden = frozenset(new.get(name, name) for name in q.hidden)

    def _whole(self, what: Observed) -> bool:
        return what.thread is None and what.element is not None and what.token.text in self.question.wholes

    def _wide(self) -> set[str]:
        """Registers compared with an address or with a number that needs more than 32 bits."""
        found = set()
        for formula in (self.question.formula, self.question.filter):
            for c in comparisons(formula) if formula is not None else ():
                match c.right:
                    case GlobalAddress():
                        found.add(c.left)
                    case Const(value) if not -(1 << 31) <= value < 1 << 32:
                        found.add(c.left)
        return found

    def _observation(self, name: str, what: Observed, wide: bool) -> Observation:
        if what.thread is None:
            return self._memory_observation(name, what)
        function = f"P{what.thread}"
        if function not in self.functions:
            threads = ", ".join(self.functions)
            self.source.fail(what.token.offset, f"found register '{name}' of a thread that does not exist", threads)
        register = self.naming(what.thread, what.token)
        if register is None:
            self.source.fail(what.token.offset, f"found '{what.token.text}'", self._registers(function))
        f = self.functions[function]
        if register.name not in f.registers:
            f = Function(f.name, (*f.registers, register.name), f.parameters, f.code, f.variadic, f.at)
            self.functions[function] = f
        width, signed = self._register_width(f, what, register, wide)
        return Observation(name, FinalRegister(function, register.name), width, signed)

    def _registers(self, function: str) -> str:
        return f"a variable of {function}" if self.arch in (Arch.C11, Arch.LKMM) else f"a register of {self.arch.name}"

    def _register_width(self, f: Function, what: Observed, register: RegisterName, wide: bool) -> tuple[int, bool]:
        """Registers are read as C's int unless the test says otherwise or they hold more."""
        assert what.thread is not None, "a register should belong to a thread"
        scalar = what.scalar or self.types.get((what.thread, register.name))
        if scalar is not None and scalar.size:
            return 8 * scalar.size, scalar.kind != "u"
        index = f.registers.index(register.name)
        wide |= bool(self.points.places(f.name, Reg(index)))
        wide |= any(isinstance(i, Load) and i.dst.index == index and i.size == 8 for i in f.code)
        return (min(64 if wide else 32, register.width), True)

    def _memory_observation(self, name: str, what: Observed) -> Observation:
        scalar = self.scalars[what.token.text]
        offset = (what.element or 0) * scalar.size
        limit = self._object(self.state.locations[what.token.text]).size
        if not 0 <= offset < limit:
            self.source.fail(what.token.offset, f"found '{name}', outside the location", "an element that exists")
        seen = FinalMemory(what.token.text, self.place(offset, scalar.size), scalar.size)
        if self._is_short_int(self.state.locations[what.token.text]):
            return Observation(name, seen, 8 * INT.size)
        return Observation(name, seen, 8 * scalar.size, scalar.kind != "u")

    # --- the condition

    def _condition(self, observations: dict[str, Observation]) -> Condition | None:
        q = self.question
        if q.quantifier is None or q.formula is None:
            return Condition(Quantifier.FORALL, Truth(True)) if q.observed else None
        wanted = _settle(q.filter, observations) if q.filter is not None else None
        return Condition(q.quantifier, _settle(q.formula, observations), wanted, q.hidden)


def _settle(formula: Formula, observations: dict[str, Observation]) -> Formula:
    """Constants get the width and the sign of what they are compared with, so that -1 equals 0xffffffff in an int."""
    match formula:
        case Compare(left, op, Const(value)):
            o = observations[left]
            read = to_signed if o.signed else to_unsigned
            return Compare(left, op, Const(read(value, o.width)))
        case Not(inner):
            return Not(_settle(inner, observations))
        case And(parts):
            return And(tuple(_settle(p, observations) for p in parts))
        case Or(parts):
            return Or(tuple(_settle(p, observations) for p in parts))
    return formula
