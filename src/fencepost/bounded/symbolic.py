"""A translated program as one formula: registers are values, branches are guards, ways that meet are merged.

Jumps go forward, so one pass over the code is enough. Assumptions become requirements under their guard. The result is
satisfiable together with `failure` exactly when the program has a run that reaches its `fail`.
"""

from __future__ import annotations

from dataclasses import field

from fencepost.bounded.terms import Solver, Term
from fencepost.bounded.values import Value, Values
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.instructions import Instruction, Op
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.rewrite import used
from fencepost.program.program import Program
from fencepost.records import dataclass

Guard = Term | bool
Environment = dict[int, Value]


@dataclass(slots=True)
class Chosen:
    """A guess: its value, and whether the run makes it."""

    value: Value
    guard: Guard


@dataclass(slots=True)
class Formula:
    failure: Guard = False
    choices: dict[int, Chosen] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of the two ways out of a branch. `whole`: the way into the branch was a whole side of the one before."""

    branch: int
    guard: Guard
    condition: Guard
    taken: bool
    whole: bool


@dataclass(slots=True, eq=False)
class _Way:
    """A way to an instruction: its guard, the registers on it, and the branches that it came through. `whole`: it is
    everything that took its last branch that way, so that meeting the other side gives the guard of the branch."""

    guard: Guard
    registers: Environment
    sides: tuple[_Side, ...] = ()
    whole: bool = True


class Symbolic:
    def __init__(self, program: Program, solver: Solver) -> None:
        self.code = program.functions[0].code
        self.names = program.functions[0].registers
        self.solver, self.values = solver, Values(solver)
        self.formula = Formula()
        self.ways: dict[int, list[_Way]] = {0: [_Way(True, {})]}
        self.branches = 0
        self.last_uses = _last_uses(self.code)

    def run(self) -> Formula:
        for pc, i in enumerate(self.code):
            if pc in self.ways:
                way = self._merge(self.ways.pop(pc))
                if way.guard is not False:
                    self._step(pc, i, way)
        return self.formula

    # --- merging

    def _merge(self, ways: list[_Way]) -> _Way:
        """Joins the ways that meet here, those that parted last first."""
        if len(ways) == 1:
            return ways[0]
        ways.sort(key=lambda way: [(side.branch, side.taken) for side in way.sides])
        stack: list[_Way] = []
        for way in ways:
            while len(stack) > 1 and _shared(stack[-2], stack[-1]) >= _shared(stack[-1], way):
                last = stack.pop()
                stack[-1] = self._join(stack[-1], last)
            stack.append(way)
        while len(stack) > 1:
            last = stack.pop()
            stack[-1] = self._join(stack[-1], last)
        return stack[0]

    def _join(self, a: _Way, b: _Way) -> _Way:
        shared = _shared(a, b)
        condition, yes, no = a.guard, a, b
        parted = shared < min(len(a.sides), len(b.sides))
        if parted and a.sides[shared].branch == b.sides[shared].branch:
            condition = a.sides[shared].condition
            yes, no = (a, b) if a.sides[shared].taken else (b, a)
        registers = self._mix(condition, yes.registers, no.registers)
        if parted and a.whole and b.whole and len(a.sides) == len(b.sides) == shared + 1:
            side = a.sides[shared]
            if side.branch == b.sides[shared].branch:
                return _Way(side.guard, registers, a.sides[:shared], side.whole)
        return _Way(self.values.either(a.guard, b.guard), registers, a.sides[:shared], False)

    def _mix(self, condition: Guard, yes: Environment, no: Environment) -> Environment:
        if yes is no:
            return yes
        mixed = dict(yes)
        for index in yes.keys() | no.keys():
            a, b = yes.get(index, self.values.false), no.get(index, self.values.false)
            if a is not b:
                mixed[index] = self.values.select(condition, a, b)
        return mixed

    def _flow(self, target: int, way: _Way) -> None:
        if way.guard is not False:
            self.ways.setdefault(target, []).append(way)

    # --- instructions

    def _operand(self, way: _Way, operand: Operand) -> Value:
        match operand:
            case Reg(index):
                return way.registers.get(index, self.values.false)
            case Const(number):
                return self.values.known(number)
        raise AssertionError("a translated program should have registers and constants only")

    def _step(self, pc: int, i: Instruction, way: _Way) -> None:
        match i:
            case ins.Compute():
                args = [self._operand(way, a) for a in i.args]
                if i.op in (Op.UDIV, Op.UREM, Op.SDIV, Op.SREM):
                    self._require(way.guard, self.values.boolean(args[1]))
                try:
                    way.registers[i.dst.index] = self.values.compute(i.op, i.width, args)
                except NotImplementedError as what:
                    raise UnsupportedError(f"{what} at {i.at} has no bit-vector encoding") from None
            case ins.Choose():
                self._choose(pc, i, way)
            case ins.Assume():
                self._require(way.guard, self.values.boolean(self._operand(way, i.condition)))
            case ins.Jump():
                self._flow(i.target, way)
                return
            case ins.Branch():
                self._branch(pc, i, way)
                return
            case ins.Fail():
                self.formula.failure = self.values.either(self.formula.failure, way.guard)
                return
            case ins.Return():
                return
            case _:
                raise UnsupportedError(f"{i.mnemonic} does not belong into a translated program")
        self._flow(pc + 1, way)

    def _require(self, guard: Guard, condition: Guard) -> None:
        term = self.values.either(self.values.negate(guard), condition)
        if term is False:
            self.solver.require(self.solver.apply("not", self.solver.apply("=", *[self.solver.number(0, 1)] * 2)))
        elif term is not True:
            self.solver.require(term)

    def _choose(self, pc: int, i: ins.Choose, way: _Way) -> None:
        low, high = self._operand(way, i.low).number, self._operand(way, i.high).number
        assert low is not None and high is not None, "the bounds of a guess should be constant"
        value = self.values.fresh(f"{self.names[i.dst.index]}@{pc}", low, high)
        for bound in self.values.within(value):
            self.solver.require(bound)
        way.registers[i.dst.index] = value
        self.formula.choices[pc] = Chosen(value, way.guard)

    def _branch(self, pc: int, i: ins.Branch, way: _Way) -> None:
        condition = self.values.boolean(self._operand(way, i.condition))
        if isinstance(condition, bool):
            self._flow(i.then if condition else i.otherwise, way)
            return
        self.branches += 1
        live = {r: v for r, v in way.registers.items() if self.last_uses.get(r, -1) > pc}
        guard = way.guard
        for taken, target in ((True, i.then), (False, i.otherwise)):
            side = _Side(self.branches, guard, condition, taken, way.whole)
            met = self.values.both(guard, condition if taken else self.values.negate(condition))
            self._flow(target, _Way(met, dict(live), (*way.sides, side)))


def _shared(a: _Way, b: _Way) -> int:
    """How many branches both came through on the same side."""
    for n, (x, y) in enumerate(zip(a.sides, b.sides, strict=False)):
        if x is not y:
            return n
    return min(len(a.sides), len(b.sides))


def _last_uses(code: tuple[Instruction, ...]) -> dict[int, int]:
    """The last instruction that reads each register: jumps go forward, so nobody reads it after that."""
    return {o.index: pc for pc, i in enumerate(code) for o in used(i) if isinstance(o, Reg)}
