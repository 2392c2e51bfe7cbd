"""What nobody can notice: counters of rounds, and the loops and branches that only count.

    for (unsigned wait = 1; !cas(&lock, 0, 1); wait *= 2) for (unsigned i = 0; i < wait; i++) ;

Each round of this loop leaves the thread in another state, so no round would be taken for waiting. But `wait` and `i`
go into nothing that anybody sees. Instructions that somebody may notice are *needed*, and so are what they use and the
branches that decide whether they come. The rest is left out: computations at once, a branch by a jump to where its ways
meet again. Loops that are left out must end, and checks of arithmetic that are left out must hold: so all states of the
counters are tried, which go on from numbers only. A counter with a sign that grows by little in each round of a loop
overflows after more rounds than anybody explores; that this was not looked at is noted. A branch stays where one of its
ways may never come to an end of the function.

Where dependencies order (hardware models), a branch may be one of them, and nothing is left out.
"""

from __future__ import annotations

from fencepost.program.arithmetic import ArithmeticFault, compute
from fencepost.program.instructions import Assert, Branch, Compute, ErrorKind, Instruction, Jump, Op, Switch
from fencepost.program.operands import Const, Operand, Position, Reg, to_signed, to_unsigned
from fencepost.program.passes.copies import MAY_FAIL
from fencepost.program.passes.flow import Flow, goes_back, joins, successors
from fencepost.program.passes.rewrite import defined, rebuild, used
from fencepost.program.passes.spin import observed_registers
from fencepost.program.passes.temporaries import apart
from fencepost.program.program import Function, Program
from fencepost.records import replace

_MOST_STEPS = 30_000
_LARGE = 400  # instructions: where the ways of branches meet is computed by sets
_LITTLE, _FAR = 16, 1 << 20
_INT = 32
_DIVIDES = frozenset({Op.UDIV, Op.UREM, Op.SDIV, Op.SREM})
_SUMS = frozenset({Op.ADD, Op.SUB})
_COPIES = frozenset({Op.MOV, Op.SEXT})
_TESTS = frozenset({Op.EQ, Op.NE, Op.SLT, Op.SLE, Op.SGT, Op.SGE, Op.ULE, Op.ULT})
_MIXES = frozenset({Op.XOR, Op.AND})  # a check is made of them; a counter could grow by much


def leave_out_idle(program: Program) -> Program:
    """The program without what only counts."""
    observed = observed_registers(program)
    notes: dict[Position, None] = {}
    functions = []
    for f in program.functions:
        left = _leave_out(f, observed.get(f.name, frozenset()), notes)
        functions.append(left)
    if all(a is b for a, b in zip(functions, program.functions, strict=True)):
        return program
    said = tuple(
        f"{at.file}:{at.line}: whether this counter overflows after many millions of rounds was not looked at"
        for at in notes
    )
    return replace(program, functions=tuple(functions), notes=(*program.notes, *said))


def _leave_out(function: Function, observed: frozenset[int], notes: dict[Position, None]) -> Function:
    if len(function.code) > _LARGE or not goes_back(function):
        return function
    names = frozenset(function.registers[r] for r in observed)
    idle = _Idle(apart(function, names), observed)
    if not idle.prove():
        return function
    for at in idle.unproved:
        if (place := function.code[at].at) is not None:
            notes[place] = None
    return idle.without()


class _Idle:
    """What of a function is needed. `checks`: checks that are left out if they hold."""

    def __init__(self, function: Function, observed: frozenset[int]) -> None:
        self.function, self.code, self.observed = function, function.code, observed
        self.closed = _closed(function)
        self.joins = joins(function)
        self.regions = {b: self._region(b, to) for b, to in self.joins.items()}
        self.ends = self._ends()
        self.checks = {
            n for n, i in enumerate(self.code) if isinstance(i, Assert) and i.check and self._is_closed(i.condition)
        }
        self.proved: set[int] = set()  # checks
        self.unproved: set[int] = set()
        self.kept: set[int] = set()  # branches that are needed whatever they decide
        self.registers: set[int] = set()
        self.branches: set[int] = set()

    def _is_closed(self, o: Operand) -> bool:
        return isinstance(o, Const) or (isinstance(o, Reg) and o.index in self.closed)

    def _region(self, branch: int, to: int) -> frozenset[int]:
        found: set[int] = set()
        todo = list(successors(branch, self.code[branch]))
        while todo:
            n = todo.pop()
            if n != to and n not in found and n < len(self.code):
                found.add(n)
                todo += successors(n, self.code[n])
        return frozenset(found)

    def _ends(self) -> frozenset[int]:
        """The branches whose ways all come to an end of the function: of others nobody knows where they meet."""
        before: dict[int, list[int]] = {}
        for n, i in enumerate(self.code):
            for m in successors(n, i):
                before.setdefault(m, []).append(n)
        todo = [n for n, i in enumerate(self.code) if not successors(n, i)] + [len(self.code)]
        ending: set[int] = set()
        while todo:
            n = todo.pop()
            if n not in ending:
                ending.add(n)
                todo += before.get(n, [])
        return frozenset(b for b, region in self.regions.items() if b in ending and region <= ending)

    # --- what is needed

    def _is_noticed(self, n: int) -> bool:
        i = self.code[n]
        if isinstance(i, Compute):
            return i.dst.index in self.registers or (i.op in MAY_FAIL and not _divides_by_number(i))
        if isinstance(i, Branch | Switch):
            return n in self.branches
        return not isinstance(i, Jump) and n not in self.checks

    def mark(self) -> None:
        """Finds the needed registers and branches."""
        self.registers, self.branches = set(self.observed), set(self.kept)
        count = -1
        while count != len(self.registers) + len(self.branches):
            count = len(self.registers) + len(self.branches)
            noticed = {n for n in range(len(self.code)) if self._is_noticed(n)}
            for n in noticed:
                self.registers |= {o.index for o in used(self.code[n]) if isinstance(o, Reg)}
            for n, i in enumerate(self.code):
                if isinstance(i, Branch | Switch) and (n not in self.ends or self.regions[n] & noticed):
                    self.branches.add(n)

    def idle_branches(self) -> list[int]:
        return [n for n, i in enumerate(self.code) if isinstance(i, Branch | Switch) and n not in self.branches]

    def prove(self) -> bool:
        """Whether anything is left out. What cannot be is needed."""
        while True:
            self.mark()
            idle = [n for n, i in enumerate(self.code) if isinstance(i, Branch | Switch) and n not in self.branches]
            if not idle and not self._counts():
                return False
            turning = {b for b in idle if b in self.regions[b]}
            if guessed := {b for b in turning if not all(self.is_decided(n) for n in self.regions[b])}:
                self.kept |= guessed
                continue
            tried = self.checks - self.proved - self.unproved
            if not turning and not tried:
                return True
            states = _States(self, self._cone(turning | tried), turning, tried)
            if states.failed:
                self.kept |= states.failed & turning
                self.checks -= states.failed
            elif states.whole:
                return True
            elif tried:
                self._try_alone(tried)
            else:
                self.kept |= turning

    def _try_alone(self, checks: set[int]) -> None:
        for n in checks:
            states = _States(self, self._cone({n}), set(), {n})
            if states.whole and not states.failed:
                self.proved.add(n)
            elif not states.failed and self._grows_little(n):
                self.unproved.add(n)
            else:
                self.checks.discard(n)

    def _counts(self) -> bool:
        """Whether there is a counter that only counts."""
        after: dict[int, set[int]] = {}
        for i in self.code:
            if isinstance(i, Compute) and i.dst.index not in self.registers:
                after.setdefault(i.dst.index, set()).update(o.index for o in i.args if isinstance(o, Reg))
        while ends := {r for r, feeds in after.items() if not feeds & after.keys()}:
            for r in ends:
                del after[r]
        return bool(after)

    def is_decided(self, n: int) -> bool:
        """Whether numbers alone say which way it goes."""
        i = self.code[n]
        return not isinstance(i, Branch | Switch) or all(self._is_closed(o) for o in used(i))

    def _cone(self, ends: set[int]) -> frozenset[int]:
        """The registers that these instructions are computed from, and the branches that numbers decide."""
        decided = {n for n, i in enumerate(self.code) if isinstance(i, Branch) and self.is_decided(n)}
        found = {o.index for n in ends | decided for o in used(self.code[n]) if isinstance(o, Reg)}
        count = -1
        while count != len(found):
            count = len(found)
            for i in self.code:
                if isinstance(i, Compute) and i.dst.index in found:
                    found |= {o.index for o in i.args if isinstance(o, Reg)}
        return frozenset(found)

    def _grows_little(self, check: int) -> bool:
        """Whether it is the overflow of an `int` or a larger type that is computed from numbers near to zero, by sums
        that add little each: only many sums come to where it overflows."""
        i = self.code[check]
        cone = {o.index for o in used(i) if isinstance(o, Reg)}
        count = -1
        while count != len(cone):
            count = len(cone)
            made = [i for i in self.code if isinstance(i, Compute) and i.dst.index in cone]
            cone |= {o.index for i in made for o in i.args if isinstance(o, Reg)}
        mixed = {i.dst.index for i in made if i.op in _MIXES and i.width > 1}
        return getattr(i, "kind", None) is ErrorKind.OVERFLOW and all(self._adds_little(i, mixed) for i in made)

    @staticmethod
    def _adds_little(i: Compute, mixed: set[int]) -> bool:
        numbers = [abs(to_signed(to_unsigned(o.value), 64)) for o in i.args if isinstance(o, Const)]
        plain = not any(isinstance(o, Reg) and o.index in mixed for o in i.args)
        if i.op in _SUMS:
            return plain and i.width >= _INT and len(numbers) > 0 and max(numbers) <= _LITTLE
        if i.op in _COPIES:
            return plain and i.width >= _INT and max(numbers, default=0) <= _FAR
        return i.op in _TESTS or i.op in _MIXES

    # --- without it

    def without(self) -> Function:
        parts: dict[int, list[Instruction]] = {}
        for n, i in enumerate(self.code):
            if isinstance(i, Branch | Switch) and n not in self.branches:
                parts[n] = [Jump(self.joins[n], at=i.at)]
            elif (isinstance(i, Compute) and not self._is_noticed(n)) or n in self.checks:
                parts[n] = []
        return rebuild(self.function, parts)


def _divides_by_number(i: Compute) -> bool:
    by = i.args[1] if i.op in _DIVIDES else None
    return isinstance(by, Const) and to_signed(to_unsigned(by.value, i.width), i.width) not in (0, -1)


def _closed(function: Function) -> frozenset[int]:
    """Registers whose values come from numbers only."""
    found = set(range(function.parameters, len(function.registers)))
    count = -1
    while count != len(found):
        count = len(found)
        for i in function.code:
            open_ = not isinstance(i, Compute) or not all(
                isinstance(o, Const) or (isinstance(o, Reg) and o.index in found) for o in i.args
            )
            if open_:
                found -= {r.index for r in defined(i)}
    return frozenset(found)


_State = tuple[int, tuple[int, ...]]


class _States:
    """All states of the counters of a function: the first instruction of a block, and what they hold there. What
    numbers do not decide may go any way. `failed`: the checks that fail and the branches that go round for ever.
    `whole`: False where there are too many states to go through; then only checks that fail are found."""

    def __init__(self, idle: _Idle, relevant: frozenset[int], turning: set[int], checks: set[int]) -> None:
        self.idle, self.code, self.relevant, self.checks = idle, idle.code, relevant, checks
        flow = Flow(idle.function)
        live = flow.live()
        self.live = {flow.blocks[n].first: [r for r in sorted(relevant) if live[n] >> r & 1] for n in flow.order}
        self.steps = 0
        self.failed: set[int] = set()
        after = self._all()
        self.whole = after is not None
        if after is not None:
            self.failed |= {b for b in turning if self._turns(idle.regions[b], after)}

    def _all(self) -> dict[_State, list[_State]] | None:
        """Which states follow each."""
        after: dict[_State, list[_State]] = {}
        todo: list[_State] = [(0, (0,) * len(self.live[0]))]
        while todo:
            state = todo.pop()
            if state in after:
                continue
            after[state] = self._run(state)
            todo += after[state]
            if self.steps > _MOST_STEPS:
                return None
        return after

    def _run(self, state: _State) -> list[_State]:
        """Goes on to the beginnings of the next blocks, and finds checks that fail."""
        n = state[0]
        held = dict(zip(self.live[n], state[1], strict=True))
        while True:
            self.steps += 1
            i = self.code[n]
            if isinstance(i, Compute) and i.dst.index in self.relevant:
                try:
                    held[i.dst.index] = compute(i.op, i.width, tuple(_value(o, held) for o in i.args))
                except ArithmeticFault:
                    return []
            elif isinstance(i, Assert) and n in self.checks and not _value(i.condition, held):
                self.failed.add(n)
            after = [m for m in self._after(n, i, held) if m < len(self.code)]
            if len(after) != 1 or after[0] in self.live:
                return [(m, tuple(held.get(r, 0) for r in self.live[m])) for m in after]
            n = after[0]

    def _after(self, n: int, i: Instruction, held: dict[int, int]) -> list[int]:
        if isinstance(i, Branch) and self.idle.is_decided(n):
            return [i.then if _value(i.condition, held) else i.otherwise]
        return list(successors(n, i))

    @staticmethod
    def _turns(region: frozenset[int], after: dict[_State, list[_State]]) -> bool:
        """Whether a way through the states stays in a region for ever."""
        inside = {s: {m for m in following if m[0] in region} for s, following in after.items() if s[0] in region}
        while ends := [s for s, following in inside.items() if not following & inside.keys()]:
            for s in ends:
                del inside[s]
        return bool(inside)


def _value(o: Operand, held: dict[int, int]) -> int:
    return to_unsigned(o.value) if isinstance(o, Const) else held.get(o.index, 0) if isinstance(o, Reg) else 0
