"""Loops that look so many times before they do something else: `for (n = 1024; --n >= 0;) if (load(x) > 0) return;`.

A round that reads one location and goes on leaves everything but the counter as it was. So a way out after many rounds
is there after one: the rounds before the last can be left out (every model here only loses order when a read goes), and
where the last one is there, as many as are wanted can be put before it that read the same write. So the counter starts
with what it holds before its last round. Few rounds stay as they are: they are somebody's example.

    for (n = 10000; n--;) { k = load(x); if (k > 0 && compare_exchange_strong(&x, k, k - 1)) return; }

Here a round that sees a chance also tries, and leaves where it succeeds. A round that only looked can be done again, as
often as is wanted; one that failed to exchange cannot, since what it read has changed. So a round that only looked
sets the counter to where it ends, and the others count as before. Nothing is lost: rounds that end in nothing have only
read, so they go before a way out in the middle of a round, and where the counter runs out, all go but one that only
looked, if there is one. Nothing is new: that one can be put in again until the counter has run out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fencepost.program.arithmetic import compute
from fencepost.program.instructions import (
    Assert,
    Branch,
    Call,
    Cas,
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
from fencepost.program.passes.flat import Flattener, in_loops
from fencepost.program.passes.flow import Flow, Loop, goes_back, successors
from fencepost.program.passes.retry import success_leaves
from fencepost.program.passes.rewrite import Registers, defined, expand, inside, map_functions, used
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
    readers, flattener, exchanging = _Readers(program.functions), Flattener(program), _exchanging(program)

    def change(f: Function) -> Function:
        if not goes_back(f):
            return f
        seen = sum(1 << r for r in observed.get(f.name, frozenset()))
        looking = _shorten(f, seen, readers)
        return _shorten_tries(looking, seen, flattener) if f.name in exchanging else looking

    return map_functions(program, change)


def _exchanging(program: Program) -> frozenset[str]:
    """The functions that come to a strong compare-exchange, by themselves or by direct calls: no other one has a round
    that tries, and to put calls in place takes long."""
    callers: dict[str, list[str]] = {}
    for f in program.functions:
        for i in f.code:
            if isinstance(i, Call) and isinstance(i.callee, FunctionAddress):
                callers.setdefault(i.callee.name, []).append(f.name)
    todo = [f.name for f in program.functions if any(isinstance(i, Cas) and not i.weak for i in f.code)]
    found = set(todo)
    while todo:
        fresh = set(callers.get(todo.pop(), ())) - found
        found |= fresh
        todo += fresh
    return frozenset(found)


class _Readers:
    """How many reads a call of a function makes at most, where it does nothing else."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self.functions = {f.name: f for f in functions}
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


def _shorten(function: Function, observed: int, readers: _Readers) -> Function:
    flow = Flow(function)
    live = flow.live(observed)
    code = list(function.code)
    for loop in _innermost(flow):
        if (found := _Patience(flow, loop, live, readers).start()) is not None:
            code[found[0]] = found[1]
    return function if code == list(function.code) else replace(function, code=tuple(code))


def _innermost(flow: Flow) -> list[Loop]:
    loops = flow.loops()
    return [a for a in loops if a.regular and not any(b.header in a.blocks and b is not a for b in loops)]


def _shorten_tries(function: Function, observed: int, flattener: Flattener) -> Function:
    """The function in which rounds that look and do not try end their loops. It is decided on the function with its
    calls in place; the branch after which a round can not try any more must be the function's own."""
    within = in_loops(function)
    if not any(isinstance(function.code[n], Cas | Call) for n in within):
        return function
    flat = flattener.loops_of(function)
    flow = Flow(flat.function)
    live = flow.live(observed)
    sides: dict[int, tuple[int, int, int]] = {}  # of a branch: which way, the counter, what it becomes
    for loop in _innermost(flow):
        if (found := _Tries(flow, loop, live).ends()) is not None:
            branch, side, counter, value = found
            at = flat.came_from[branch]
            if counter < len(function.registers) and flat.came_from.count(at) == 1 and at in within:
                sides[at] = (side, counter, value)
    if not sides:
        return function
    numbers = {id(i): n for n, i in enumerate(function.code)}

    def change(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        if (found := sides.get(numbers[id(i)])) is None:
            return (i,)
        assert isinstance(i, Branch), "a round tries or does not where it branches"
        side, counter, value = found
        end = Compute(Reg(counter), (Const(value),), Op.MOV, at=i.at)
        target = (i.then, i.otherwise)[side]
        there = replace(i, then=inside(1)) if side == 0 else replace(i, otherwise=inside(1))
        return (there, end, Jump(target, at=i.at))

    return expand(function, change)


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
        if not self._only_looks() or (found := self._counter()) is None:
            return None
        counter, chain = found
        if (first := self._first(counter)) is None:
            return None
        begin = self.code[first]
        assert isinstance(begin, Compute), "a counter begins with a constant"
        last = self._before_the_last(counter, chain, self._begins_with(first))
        return None if last is None else (first, replace(begin, args=(Const(last),)))

    def _counter(self) -> tuple[int, list[int]] | None:
        """The one register that is different when a round begins again, and what is made of it."""
        changed = {
            r.index for n in self.order for r in defined(self.code[n]) if self.live[self.loop.header] >> r.index & 1
        }
        if len(changed) != 1:
            return None
        counter = changed.pop()
        chain = self._chain(counter)
        return None if chain is None else (counter, chain)

    def _begins_with(self, first: int) -> int:
        begin = self.code[first]
        assert isinstance(begin, Compute) and isinstance(begin.args[0], Const), "a counter begins with a constant"
        return to_unsigned(begin.args[0].value)

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


class _Tries(_Patience):
    """One loop, with the calls in it in place, whose rounds look and may try."""

    def __init__(self, flow: Flow, loop: Loop, live: dict[int, int]) -> None:
        super().__init__(flow, loop, live, _Readers(()))
        self.exchanges = [n for n in self.order if isinstance(self.code[n], Cas)]

    def ends(self) -> tuple[int, int, int, int] | None:
        """The branch after which a round tries no more, which of its ways, the counter, and what it becomes there."""
        if not self.exchanges or not self._looks_and_tries() or (found := self._counter()) is None:
            return None
        counter, chain = found
        edges = self._edges()
        if len(edges) != 1:
            return None
        branch, side = edges[0]
        target = (self.code[branch].then, self.code[branch].otherwise)[side]  # type: ignore[attr-defined]
        before = [n for n in chain if self.flow.dominates(self.flow.block_of(n), self.flow.block_of(branch))]
        derived = {i.dst.index for n in chain if isinstance(i := self.code[n], Compute)} - {counter}
        if self._reads_before(branch) != 1 or self._read_on(target, derived):
            return None
        if self._shows_which(chain, counter):
            return None
        first = self._first(counter)
        begin = self._near_the_end(counter, chain) if first is None else self._begins_with(first)
        value = None if begin is None else self._in_the_last(counter, chain, len(before), begin)
        return None if value is None else (branch, side, counter, value)

    def _looks_and_tries(self) -> bool:
        """Whether rounds do nothing else, and leave where they have exchanged something."""
        for n in self.order:
            i = self.code[n]
            atomic = isinstance(i, Load) and i.mode is not Mode.NA and not i.exclusive
            strong = isinstance(i, Cas) and not i.weak
            if not (atomic or strong or isinstance(i, (*_STEPS, Fail))):
                return False
        live = self.live[self.loop.header]
        return all(success_leaves(self.flow, self.loop, n, live) for n in self.exchanges)

    def _after(self, starts: Iterable[int]) -> set[int]:
        """What a round can come to from here."""
        found: set[int] = set()
        todo = list(starts)
        while todo:
            n = todo.pop()
            if n not in found and n in self.inside:
                found.add(n)
                todo += [s for s in successors(n, self.code[n]) if s != self.head]
        return found

    def _edges(self) -> list[tuple[int, int]]:
        """The branches of rounds that have not tried, with the way on which they will not."""
        tried = self._after(self.exchanges)
        may = {n for n in self.order if self._after([n]) & set(self.exchanges)}
        found = []
        for n in may - tried:
            for side, s in enumerate(successors(n, self.code[n])):
                if s == self.head or (s in self.inside and s not in may):
                    found.append((n, side) if isinstance(self.code[n], Branch) else (n, -1))
        ways = found if all(side >= 0 for _, side in found) else []
        return ways if all(self._quiet(n, side) for n, side in ways) else []

    def _quiet(self, branch: int, side: int) -> bool:
        """Whether a round reads nothing on this way until it begins again."""
        start = successors(branch, self.code[branch])[side]
        rest = self._after([start]) if start != self.head else set()
        return not any(isinstance(self.code[n], Load | Cas) for n in rest)

    def _reads_before(self, branch: int) -> int:
        """The most reads of a round up to here; more than one where that is not seen."""
        most: dict[int, int] = {self.head: 0}
        for n in self.order:
            if n in most:
                here = most[n] + isinstance(self.code[n], Load | Cas)
                for s in successors(n, self.code[n]):
                    if s in self.inside and s != self.head:
                        most[s] = max(most.get(s, 0), here)
        return most.get(branch, 2)

    def _read_on(self, start: int, registers: set[int]) -> bool:
        """Whether one of these is read behind this place before it is made anew."""
        live = self.live[self.flow.block_of(start)]
        return any(live >> r & 1 for r in registers)

    def _shows_which(self, chain: list[int], counter: int) -> bool:
        """Whether it shows behind the loop which round was the last: one that tried may be left out for another."""
        ends = next(n for n in chain if isinstance(self.code[n], Branch))
        outside = [s for s in successors(ends, self.code[ends]) if s not in self.inside]
        made = {r.index for n in self.order for r in defined(self.code[n])} - {counter}
        return any(self._read_on(s, made) for s in outside)

    def _near_the_end(self, counter: int, chain: list[int]) -> int | None:
        """Some rounds before the last one, where the counter goes down by one in each and the loop ends below a number:
        it comes there wherever it begins."""
        made = [i for n in chain if isinstance(i := self.code[n], Compute)]
        down = {i.dst for i in made if i.op is Op.SUB and i.args == (Reg(counter), Const(1))}
        moved = [i for i in made if i.dst.index == counter]
        if len(moved) != 1 or not down & {moved[0].dst, *(moved[0].args if moved[0].op is Op.MOV else ())}:
            return None
        ends = next(i for n in chain if isinstance(i := self.code[n], Branch))
        test = [i for i in made if i.dst == ends.condition]
        if len(test) != 1 or test[0].op not in (Op.SGE, Op.SGT) or ends.otherwise in self.inside:
            return None
        held, limit = test[0].args
        goes_down = held in {*down, Reg(counter)}
        return limit.value + 2 * _FEW if goes_down and isinstance(limit, Const) and limit.value >= 0 else None

    def _in_the_last(self, counter: int, chain: list[int], made: int, value: int) -> int | None:
        """What the counter holds in the last round that comes so far, when so much of the chain is done."""
        there = None
        ends_later = not any(isinstance(self.code[n], Branch) for n in chain[:made])
        for count in range(_MANY):
            after = self._round(counter, chain, value)
            if after is None:
                return None
            if after[1]:
                last = self._partly(counter, chain[:made], value) if ends_later else there
                return last if count >= _FEW else None
            there = self._partly(counter, chain[:made], value)
            value = after[0]
        return None

    def _partly(self, counter: int, chain: list[int], value: int) -> int | None:
        found = self._round(counter, chain, value)
        return None if found is None else found[0]
