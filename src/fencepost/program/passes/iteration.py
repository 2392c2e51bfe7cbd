"""One iteration of a loop, followed symbolically: does it read one location, decide on what it read whether to go round
again, and leave everything else as it was? Then the loop only waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from fencepost.program.instructions import Assert, Branch, Cas, Compute, Instruction, Jump, Load, Op, Rmw
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.flow import Flow, Loop
from fencepost.program.passes.rewrite import defined
from fencepost.records import dataclass

NEGATED = {
    Op.EQ: Op.NE, Op.NE: Op.EQ, Op.ULT: Op.UGE, Op.UGE: Op.ULT, Op.UGT: Op.ULE, Op.ULE: Op.UGT,
    Op.SLT: Op.SGE, Op.SGE: Op.SLT, Op.SGT: Op.SLE, Op.SLE: Op.SGT,
}  # fmt: skip
_SWAPPED = {
    Op.EQ: Op.EQ, Op.NE: Op.NE, Op.ULT: Op.UGT, Op.UGT: Op.ULT, Op.ULE: Op.UGE, Op.UGE: Op.ULE,
    Op.SLT: Op.SGT, Op.SGT: Op.SLT, Op.SLE: Op.SGE, Op.SGE: Op.SLE,
}  # fmt: skip
_MAX_STEPS = 200


@dataclass(frozen=True, slots=True)
class At:
    """What a register held when the iteration began."""

    register: int


@dataclass(frozen=True, slots=True)
class Read:
    """The value that the access read, and-ed with `mask`; where `success`, whether a compare-exchange went through."""

    mask: int | None = None
    success: bool = False


SUCCESS = Read(success=True)


@dataclass(frozen=True, slots=True)
class Test:
    """left op right at `width` bits."""

    left: Read
    op: Op
    right: Value
    width: int

    @property
    def mask(self) -> int | None:
        return self.left.mask

    def negated(self) -> Test:
        return Test(self.left, NEGATED[self.op], self.right, self.width)


@dataclass(frozen=True, slots=True)
class Pure:
    """Anything else that was computed from values that do not depend on the access."""

    op: Op
    width: int
    args: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """What depends on the access in a way that we cannot express; never equal to another."""

    index: int


Value: TypeAlias = At | Read | Test | Pure | Unknown | Operand


@dataclass(frozen=True, slots=True)
class Iteration:
    """`access` is the index of the one access; the loop is left where `leaves` holds. `operand` is its right side,
    where it is a constant or a register that holds it when the access happens. `forgets`: what was read is not used
    after the loop."""

    access: int
    leaves: Test
    operand: Operand | None
    forgets: bool


def find_iteration(flow: Flow, loop: Loop, live: Mapping[int, int]) -> Iteration | None:
    """`live`: the registers that are used after the beginning of each block, as bits."""
    return _Walk(flow, loop, live).run()


class _Walk:
    def __init__(self, flow: Flow, loop: Loop, live: Mapping[int, int]) -> None:
        self.flow, self.loop, self.live = flow, loop, live
        self.code = flow.function.code
        self.inside = {n for b in loop.blocks for n in range(flow.blocks[b].first, flow.blocks[b].last + 1)}
        self.head = flow.blocks[loop.header].first
        self.access = -1
        self.at_access: dict[int, Value] = {}
        self.unknowns = 0
        self.at_head = self.numbers()

    def run(self) -> Iteration | None:
        stop = self.follow(self.head, dict(self.at_head), None)
        if stop is None or self.access < 0:
            return None
        index, env = stop
        branch = self.code[index]
        if not isinstance(branch, Branch):
            return None
        test = _as_test(self.value(branch.condition, env), self.size)
        if test is None:
            return None
        for goes_on, holds, side in ((branch.then, test, branch.otherwise), (branch.otherwise, test.negated(),
                                                                              branch.then)):  # fmt: skip
            leaves = holds.negated()
            if self.returns(goes_on, env, holds) and (left := self.exits(side, env, leaves)):
                return Iteration(self.access, leaves, self.holder(leaves.right), self.forgets(*left, leaves))
        return None

    def numbers(self) -> dict[int, Value]:
        """Registers that hold the same number whenever an iteration begins: what a compare-exchange expects is often
        set anew after it failed."""
        changed = {r.index for n in self.inside for r in defined(self.code[n])}
        known = ((r, self.flow.number_before(self.loop.header, r)) for r in changed if self.is_live(r))
        return {r: Const(number) for r, number in known if number is not None}

    def is_live(self, register: int) -> bool:
        """Whether it is used after the beginning of an iteration."""
        return bool(self.live[self.loop.header] >> register & 1)

    @property
    def size(self) -> int:
        return int(getattr(self.code[self.access], "size", 8))

    def follow(self, index: int, env: dict[int, Value], fact: Test | None) -> tuple[int, dict[int, Value]] | None:
        """Runs until a branch that the known fact does not decide, the header, or the outside; None where the loop does
        more than one access. `env` is changed."""
        for step in range(_MAX_STEPS):
            if index not in self.inside or (index == self.head and step):
                return index, env
            i = self.code[index]
            if isinstance(i, Jump):
                index = i.target
            elif isinstance(i, Branch):
                decided = _decide(_as_test(self.value(i.condition, env), self.size), fact)
                if decided is None:
                    return index, env
                index = i.then if decided else i.otherwise
            elif isinstance(i, Compute):
                env[i.dst.index] = self.compute(i, env)
                index += 1
            elif isinstance(i, Assert) and fact is None and self.decided_before(i, env):
                index += 1
            elif isinstance(i, Load | Cas | Rmw) and self.access < 0:
                self.reach(index, i, env)
                index += 1
            else:
                return None
        return None

    def decided_before(self, i: Assert, env: dict[int, Value]) -> bool:
        """Whether a check comes out the same in every iteration, whatever is read. It stands before the branch, so that
        the iteration which leaves makes it, too, and those that wait need not."""
        return i.check and not isinstance(self.value(i.condition, env), Read | Test | Unknown)

    def reach(self, index: int, i: Instruction, env: dict[int, Value]) -> None:
        self.access, self.at_access = index, dict(env)
        for register in defined(i):
            env[register.index] = Read()
        if isinstance(i, Cas) and i.success is not None:
            env[i.success.index] = SUCCESS

    def returns(self, index: int, env: dict[int, Value], fact: Test) -> bool:
        """Whether this side leads back to the header with every live register as it was."""
        env = dict(env)
        stop = self.follow(index, env, fact) if index != self.head else (index, env)
        if stop is None or stop[0] != self.head:
            return False
        changed = [r for r, v in env.items() if v != self.at_head.get(r, At(r)) and self.is_live(r)]
        return not changed

    def exits(self, index: int, env: dict[int, Value], fact: Test) -> tuple[int, dict[int, Value]] | None:
        """Where this side leaves the loop, and what registers hold then."""
        stop = self.follow(index, dict(env), fact)
        return stop if stop is not None and stop[0] not in self.inside else None

    def forgets(self, index: int, env: dict[int, Value], fact: Test) -> bool:
        """Whether no register that is used from there on says more about what was read than the fact."""
        live = self.live[self.flow.block_of(index)]
        read = [v for r, v in env.items() if live >> r & 1 and isinstance(v, Read | Test | Unknown)]
        return all(isinstance(v, Test) and _decide(v, fact) is not None for v in read)

    def holder(self, value: Value) -> Operand | None:
        """An operand that has this value when the access happens."""
        if isinstance(value, Const):
            return value
        if isinstance(value, At) and self.at_access.get(value.register, value) == value:
            return Reg(value.register)
        return next((Reg(r) for r, v in self.at_access.items() if v == value), None)

    # --- values

    def value(self, operand: Operand, env: dict[int, Value]) -> Value:
        return env.get(operand.index, At(operand.index)) if isinstance(operand, Reg) else operand

    def compute(self, i: Compute, env: dict[int, Value]) -> Value:
        args = tuple(self.value(a, env) for a in i.args)
        if not any(isinstance(a, Read | Test | Unknown) for a in args):
            return (
                args[0] if i.op is Op.MOV and (i.width == 64 or _fits(args[0], i.width)) else Pure(i.op, i.width, args)
            )
        found = self.derived(i.op, i.width, args)
        if found is None:
            self.unknowns += 1
            return Unknown(self.unknowns)
        return found

    def derived(self, op: Op, width: int, args: tuple[Value, ...]) -> Value | None:
        first, second = args[0], args[1] if len(args) > 1 else Const(0)
        if op in NEGATED:
            return self.compare(op, first, second, width)
        if isinstance(first, Read) and not first.success:
            if op is Op.MOV:
                return first if width >= 8 * self.size else _masked(first, (1 << width) - 1)
            if op is Op.AND and isinstance(second, Const):
                return _masked(first, second.value & ((1 << width) - 1))
            if op is Op.XOR and first.mask == 1 and second == Const(1):
                return Test(first, Op.EQ, Const(0), 8 * self.size)
            return None
        if op is Op.MOV or (op is Op.AND and second == Const(1)):
            return first if isinstance(first, Read | Test) else None
        test = _as_test(first, self.size)
        if op is Op.XOR and second in (Const(1), Const(-1)) and (width == 1 or second == Const(1)) and test:
            return test.negated()
        return None

    def compare(self, op: Op, first: Value, second: Value, width: int) -> Value | None:
        if not isinstance(first, Read | Test):
            first, second, op = second, first, _SWAPPED[op]
        if isinstance(first, Test) or first == SUCCESS:
            test = _as_test(first, self.size)
            if test is None or second not in (Const(0), Const(1)) or op not in (Op.EQ, Op.NE):
                return None
            return test if (op is Op.NE) == (second == Const(0)) else test.negated()
        if isinstance(first, Read) and not isinstance(second, Read | Test | Unknown):
            return Test(first, op, second, width)
        return None


def _fits(value: Value, width: int) -> bool:
    return isinstance(value, Const) and 0 <= value.value < 1 << width


def _masked(read: Read, mask: int) -> Read:
    return Read(mask if read.mask is None else read.mask & mask)


def _as_test(value: Value, size: int) -> Test | None:
    """A value in the place of a condition: nonzero is true."""
    if isinstance(value, Read):
        return Test(value, Op.NE, Const(0), 1 if value.success else 8 * size)
    return value if isinstance(value, Test) else None


def _decide(test: Test | None, fact: Test | None) -> bool | None:
    """Whether the test holds given the fact; None if the fact does not say. A compare-exchange succeeded or it did not;
    where it did, what it read is what it expected, but that we do not use."""
    if test is None or fact is None:
        return None
    if test == fact:
        return True
    return False if test == fact.negated() else None
