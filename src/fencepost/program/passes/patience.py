"""Loops that look so many times before they do something else: `for (n = 1024; --n >= 0;) if (load(x) > 0) return;`.

A round that reads one location and goes on leaves everything but the counter as it was. So a way out after many rounds
is there after one: the rounds before the last can be left out (every model here only loses order when a read goes), and
where the last one is there, as many as are wanted can be put before it that read the same write. So the counter starts
with what it holds before its last round. Few rounds stay as they are: they are somebody's example.
"""

from __future__ import annotations

from fencepost.program.arithmetic import compute
from fencepost.program.instructions import (
    Assert,
    Branch,
    Call,
    Compute,
    Fail,
    Instruction,
    Jump,
    Load,
    Mode,
    Op,
    Return,
    Switch,
)
from fencepost.program.operands import Const, FunctionAddress, Operand, Reg, to_unsigned
from fencepost.program.passes.flow import Flow, Loop, goes_back, successors
from fencepost.program.passes.rewrite import defined, map_functions, used
from fencepost.program.passes.spin import observed_registers
from fencepost.program.program import Function, Program
from fencepost.records import replace

#: Models for which the argument is made. Where dependencies order, a read that is left out may be one of them.
MODELS = frozenset({"sc", "tso", "pso", "ra", "rc11", "rc11-cpp20", "wrc11"})
_FEW, _MANY = 8, 100_000
_STEPS = (Compute, Jump, Branch, Switch, Assert)


def shorten_patience(program: Program) -> Program:
    """The program with counters of such loops that start right before their last round."""
    observed = observed_registers(program)
    readers = _Readers(program)
    return map_functions(program, lambda f: _shorten(f, observed.get(f.name, frozenset()), readers))


class _Readers:
    """How many reads a call of a function makes at most, where it does nothing else."""

    def __init__(self, program: Program) -> None:
        self.functions = {f.name: f for f in program.functions}
        self.known: dict[str, int | None] = {}

    def reads(self, i: Instruction) -> int | None:
        """Of one instruction; None where it may do more."""
        if isinstance(i, Load):
            return 1 if i.mode is not Mode.NA and not i.exclusive else None
        if isinstance(i, Call):
            return self.of(i.callee.name) if isinstance(i.callee, FunctionAddress) else None
        return 0 if isinstance(i, (*_STEPS, Return, Fail)) else None

    def of(self, name: str) -> int | None:
        if name not in self.known:
            self.known[name] = None  # one that calls itself
            function = self.functions.get(name)
            self.known[name] = self._of(function) if function is not None and not goes_back(function) else None
        return self.known[name]

    def _of(self, function: Function) -> int | None:
        most = [0] * (len(function.code) + 1)
        for index in range(len(function.code) - 1, -1, -1):
            own = self.reads(function.code[index])
            if own is None:
                return None
            most[index] = own + max((most[n] for n in successors(index, function.code[index])), default=0)
        return most[0]


def _shorten(function: Function, observed: frozenset[int], readers: _Readers) -> Function:
    if not goes_back(function):
        return function
    flow = Flow(function)
    live = flow.live(sum(1 << r for r in observed))
    loops = flow.loops()
    code = list(function.code)
    for loop in loops:
        inner = any(other.header in loop.blocks and other.header != loop.header for other in loops)
        if loop.regular and not inner and (found := _Patience(flow, loop, live, readers).start()) is not None:
            code[found[0]] = found[1]
    return function if code == list(function.code) else replace(function, code=tuple(code))


class _Patience:
    """One loop. `start` is its counter's new beginning."""

    def __init__(self, flow: Flow, loop: Loop, live: dict[int, int], readers: _Readers) -> None:
        self.flow, self.loop, self.live, self.readers = flow, loop, live, readers
        self.code = flow.function.code
        self.order = [n for b in flow.order if b in loop.blocks for n in self._block(b)]
        self.inside = set(self.order)
        self.head = flow.blocks[loop.header].first

    def _block(self, block: int) -> range:
        return range(self.flow.blocks[block].first, self.flow.blocks[block].last + 1)

    def start(self) -> tuple[int, Instruction] | None:
        if not self._only_looks():
            return None
        changed = {
            r.index for n in self.order for r in defined(self.code[n]) if self.live[self.loop.header] >> r.index & 1
        }
        if len(changed) != 1:
            return None
        counter = changed.pop()
        chain = self._chain(counter)
        first = self._first(counter)
        if chain is None or first is None:
            return None
        begin = self.code[first]
        assert isinstance(begin, Compute) and isinstance(begin.args[0], Const), "a counter begins with a constant"
        last = self._before_the_last(counter, chain, to_unsigned(begin.args[0].value))
        return None if last is None else (first, replace(begin, args=(Const(last),)))

    def _only_looks(self) -> bool:
        """Whether a round reads at most once and does nothing else, and what it reads may end the loop."""
        most: dict[int, int] = {}
        for index in reversed(self.order):
            i = self.code[index]
            own = self.readers.reads(i)
            after = [n for n in successors(index, i) if n in self.inside and n != self.head]
            if own is None or isinstance(i, Return | Fail) or any(n not in most for n in after):
                return False
            most[index] = own + max((most[n] for n in after), default=0)
        exits = [n for n in self.order if any(s not in self.inside for s in successors(n, self.code[n]))]
        return most[self.head] == 1 and len(exits) > 1

    def _chain(self, counter: int) -> list[int] | None:
        """What is computed from the counter and nothing else, in order, with the checks and the one branch that look at
        it; None where it shows elsewhere, or not in each round."""
        derived: set[int] = set()
        grown, chain = {counter}, list[int]()
        while grown != derived:
            derived = grown
            chain = [n for n in self.order if self._uses(n, derived)]
            grown = derived | {i.dst.index for n in chain if isinstance(i := self.code[n], Compute)}
        kinds = [type(self.code[n]) for n in chain]
        checks = all(i.check for n in chain if isinstance(i := self.code[n], Assert))
        if not checks or kinds.count(Branch) != 1 or not set(kinds) <= {Compute, Assert, Branch}:
            return None
        made = [r.index for n in self.order for r in defined(self.code[n])]
        if any(made.count(r) != 1 for r in derived) or not all(self._closed(n, derived) for n in chain):
            return None
        ends = [self.flow.block_of(n) for n in self.loop.back]
        if not all(self.flow.dominates(self.flow.block_of(n), end) for n in chain for end in ends):
            return None
        return None if self._shows(derived) else chain

    def _uses(self, n: int, registers: set[int]) -> bool:
        return any(isinstance(o, Reg) and o.index in registers for o in used(self.code[n]))

    def _closed(self, n: int, derived: set[int]) -> bool:
        return all(isinstance(o, Const) or (isinstance(o, Reg) and o.index in derived) for o in used(self.code[n]))

    def _shows(self, derived: set[int]) -> bool:
        """Whether one of these registers is read behind the loop."""
        bits = sum(1 << r for r in derived)
        behind = {s for n in self.order for s in successors(n, self.code[n]) if s not in self.inside}
        return any(self.live[self.flow.block_of(s)] & bits for s in behind)

    def _first(self, counter: int) -> int | None:
        """Where the counter begins: a constant, on the only way to the loop, and used nowhere but in it."""
        outside = [n for n in range(len(self.code)) if n not in self.inside]
        begins = [n for n in outside if any(r.index == counter for r in defined(self.code[n]))]
        if len(begins) != 1 or any(self._uses(n, {counter}) for n in outside):
            return None
        i = self.code[begins[0]]
        if not isinstance(i, Compute) or i.op is not Op.MOV or i.width != 64 or not isinstance(i.args[0], Const):
            return None
        before = [b for b in self.flow.before[self.loop.header] if b not in self.loop.blocks]
        for _ in self.flow.order:
            if len(before) != 1:
                return None
            if begins[0] in self._block(before[0]):
                return begins[0]
            before = self.flow.before[before[0]]
        return None

    def _before_the_last(self, counter: int, chain: list[int], value: int) -> int | None:
        """What the counter holds before its last round that goes on; None where there are few or too many."""
        previous = value
        for count in range(_MANY):
            after = self._round(counter, chain, value)
            if after is None:
                return None
            if after[1]:
                return previous if count >= _FEW else None
            previous, value = value, after[0]
        return None

    def _round(self, counter: int, chain: list[int], value: int) -> tuple[int, bool] | None:
        """The counter after a round, and whether it left the loop; None where a check fails."""
        held = {counter: value}

        def of(o: Operand) -> int:
            return held[o.index] if isinstance(o, Reg) else to_unsigned(o.value if isinstance(o, Const) else 0)

        for n in chain:
            i = self.code[n]
            if isinstance(i, Compute):
                held[i.dst.index] = compute(i.op, i.width, tuple(of(a) for a in i.args))
            elif isinstance(i, Assert) and not of(i.condition):
                return None
            elif isinstance(i, Branch) and (i.then if of(i.condition) else i.otherwise) not in self.inside:
                return held[counter], True
        return held[counter], False
