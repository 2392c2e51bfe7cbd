"""Which values memory can hold at all, whatever the branches of the program decide.

Under the Linux kernel's model a branch may be decided by what comes of it: a plain write under an `if` can be seen
before it is known that it happens. Running the threads with what they are known to write never gets there, so what they
could write is computed without looking at branches: for each register and location the set of all its values, or no set
(`None`) where there are too many. What is in no set is in no execution.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import pairwise, product

from fencepost.program.arithmetic import ArithmeticFault, compute, update
from fencepost.program.instructions import (
    Alloca,
    Await,
    BlockingCas,
    Call,
    Cas,
    Choose,
    Compute,
    Instruction,
    Join,
    Load,
    Malloc,
    Op,
    Return,
    Rmw,
    RmwOp,
    Spawn,
    Store,
    StoreConditional,
    ThreadLocalAddress,
)
from fencepost.program.layout import FUNCTIONS, GAP
from fencepost.program.memory import Memory
from fencepost.program.operands import WORD, Operand, Reg, to_unsigned
from fencepost.program.passes.copies import MAY_FAIL
from fencepost.program.passes.flow import reachable, successors
from fencepost.program.passes.nondet import COMPARISONS
from fencepost.program.passes.rewrite import defined
from fencepost.program.program import Function

Location = tuple[int, int]  # address, size
Place = tuple[str, int]  # an instruction: its function, and its number there
Values = set[int] | None  # None: any
_MOST = 32  # values of a register or a location: beyond, it may hold any
#: An address in memory that is not global: of the stack, of the heap, of the thread. No number of 64 bits.
_ELSEWHERE = 1 << WORD
_OURS = "fencepost."  # so begin the names of objects that no program can name
ELSEWHERE: Location = (_ELSEWHERE, 0)


class Foreseen:
    """`values`: of each global location. `known` is false where addresses are not: then nothing is said."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.program = memory, memory.program
        self.registers: dict[tuple[str, int], Values] = {}
        self.values: dict[Location, Values] = {ELSEWHERE: None}
        self.results: dict[str, Values] = {}
        self.place: Place = ("", 0)  # of the instruction that is looked at
        self.reads: defaultdict[Place, set[Location]] = defaultdict(set)
        self.writes: defaultdict[Place, set[Location]] = defaultdict(set)
        self.calls: defaultdict[Place, set[str]] = defaultdict(set)
        self.spawns: defaultdict[Place, set[str]] = defaultdict(set)
        self.known = True
        self.changed = True
        self.tables = self._tables()
        for thread in self.program.threads:
            for index, argument in enumerate(thread.args):
                self._add((thread.function, index), {to_unsigned(memory.layout.value(argument))})
        while self.changed and self.known:
            self.changed = False
            for f in self.program.functions:
                for n, i in enumerate(f.code):
                    self.place = f.name, n
                    self._step(f.name, i)
        self.known = self.known and not self._overlapping()

    def at(self, location: Location) -> frozenset[int]:
        """The values that a location can hold; nothing where that is not known."""
        return frozenset(self.values.get(location) or ()) - {_ELSEWHERE} if self.known else frozenset()

    def is_open(self, location: Location) -> bool:
        """Whether it may hold more than `at` says."""
        held = self.values.get(location, set())
        return not self.known or held is None or _ELSEWHERE in held

    def feeds(self) -> dict[str, set[tuple[Location, Location]]]:
        """What a thread may read before what it may write, by the function that it starts with. What a function reads
        and writes is done where it is called, as far as its callers are concerned."""
        shared = self._is_shared()
        by_function = {f.name: self._fed_in(f) for f in self.program.functions}
        found = {}
        for root in {t.function for t in self.program.threads}.union(*self.spawns.values()):
            pairs = set().union(*(by_function[name] for name in self.run_by(root)))
            found[root] = pairs if shared else {(a, b) for a, b in pairs if ELSEWHERE not in (a, b)}
        return found

    def _fed_in(self, f: Function) -> set[tuple[Location, Location]]:
        read = [self._at_or_below((f.name, n), self.reads) for n in range(len(f.code))]
        written = [self._at_or_below((f.name, n), self.writes) for n in range(len(f.code))]
        found: set[tuple[Location, Location]] = set()
        for n, first in enumerate(read):
            for later in reachable(f, successors(n, f.code[n])) if first else ():
                found |= set(product(first, written[later]))
        return found

    def is_many(self, root: str) -> bool:
        """Whether more than one thread may start with a function."""
        places = [place for place, names in self.spawns.items() if root in names]
        first = [t.function for t in self.program.threads].count(root)
        return first + len(places) > 1 or not all(map(self._once, places))

    def _once(self, place: Place) -> bool:
        """Whether an instruction is run at most once: in no loop, and in a function that is."""
        seen = set[str]()
        while True:
            name, n = place
            code = self.program.function(name)
            if name in seen or n in reachable(code, successors(n, code.code[n])):
                return False
            seen.add(name)
            above = [p for known in (self.calls, self.spawns) for p, names in known.items() if name in names]
            if name in {t.function for t in self.program.threads}:
                return not above and len(self.program.threads) == 1
            if len(above) != 1:
                return False
            place = above[0]

    def _is_shared(self) -> bool:
        """Whether another thread may see memory that is not global. What goes through a thread's own is no feed: the
        thread reads before it writes in any case."""
        code = [i for f in self.program.functions for i in f.code]
        return any(
            isinstance(i, Malloc) or (isinstance(i, Alloca) and not i.private)
            or (isinstance(i, ThreadLocalAddress) and not i.object.startswith(_OURS))
            for i in code
        )  # fmt: skip

    def _at_or_below(self, place: Place, accesses: Mapping[Place, set[Location]]) -> set[Location]:
        """What is accessed at an instruction, or by the functions that it calls."""
        found = set(accesses.get(place, ()))
        for name in self._called_below(self.calls.get(place, set())):
            found = found.union(*(accesses.get((name, n), ()) for n in range(len(self.program.function(name).code))))
        return found

    def run_by(self, root: str) -> set[str]:
        """The functions that a thread runs which starts with this one."""
        return self._called_below({root})

    def _called_below(self, names: set[str]) -> set[str]:
        """These functions, and all that they call."""
        reached = set(names)
        todo = list(names)
        while todo:
            name = todo.pop()
            for n in range(len(self.program.function(name).code)):
                fresh = self.calls.get((name, n), set()) - reached
                reached |= fresh
                todo += fresh
        return reached

    # --- sets

    def _of(self, f: str, operand: Operand) -> Values:
        if isinstance(operand, Reg):
            return self.registers.get((f, operand.index), set())
        return {to_unsigned(self.memory.layout.value(operand))}

    def _grown(self, known: Values, values: Values) -> Values:
        if known is None or values is None:
            grown: Values = None
        else:
            grown = known | values if len(known | values) <= _MOST else None
        self.changed |= grown != known
        return grown

    def _add(self, register: tuple[str, int], values: Values) -> None:
        self.registers[register] = self._grown(self.registers.get(register, set()), values)

    def _define(self, f: str, dst: Reg | None, values: Values) -> None:
        if dst is not None:
            self._add((f, dst.index), values)

    # --- memory

    def _places(self, f: str, address: Operand, size: int) -> list[Location]:
        found = self._of(f, address)
        if found is None:
            self.known = False
            return []
        elsewhere = [ELSEWHERE] if _ELSEWHERE in found else []
        inside = sorted(found - {_ELSEWHERE})
        return elsewhere + [(a, size) for a in inside if self.memory.fault(a, size, writes=False) is None]

    def _held(self, place: Location) -> Values:
        if place == ELSEWHERE:
            return None
        return self.values.setdefault(place, {self.memory.initial(*place)})

    def _read(self, f: str, dst: Reg | None, address: Operand, size: int) -> None:
        for place in self._places(f, address, size):
            self.reads[self.place].add(place)
            self._define(f, dst, self._held(place))

    def _write(self, f: str, address: Operand, size: int, value: Callable[[Values], Values]) -> None:
        for place in self._places(f, address, size):
            self.writes[self.place].add(place)
            if place != ELSEWHERE:
                held = self._held(place)
                self.values[place] = self._grown(held, _cut(value(held), size))

    def _overlapping(self) -> bool:
        ordered = sorted(p for p in self.values if p != ELSEWHERE)
        return any(b < a + size for (a, size), (b, _) in pairwise(ordered))

    # --- instructions

    def _step(self, f: str, i: Instruction) -> None:
        match i:
            case Compute():
                self._define(f, i.dst, self._computed(f, i))
            case Load() | Await():
                self._read(f, i.dst, i.address, i.size)
            case Store():
                self._write(f, i.address, i.size, lambda _: self._of(f, i.value))
            case StoreConditional():
                self._write(f, i.address, i.size, lambda _: self._of(f, i.value))
                self._define(f, i.dst, {0, 1})
            case Rmw():
                self._read(f, i.dst, i.address, i.size)
                self._write(f, i.address, i.size, lambda old: _updated(i, old, self._of(f, i.value)))
            case Cas():
                self._read(f, i.old, i.address, i.size)
                self._write(f, i.address, i.size, lambda _: self._of(f, i.desired))
                self._define(f, i.success, {0, 1})
            case BlockingCas():
                self._read(f, None, i.address, i.size)
                self._write(f, i.address, i.size, lambda _: self._of(f, i.desired))
            case Choose():
                self._define(f, i.dst, _range(self._of(f, i.low), self._of(f, i.high)))
            case Alloca() | Malloc() | ThreadLocalAddress():
                self._define(f, i.dst, {_ELSEWHERE})
            case _:
                self._flow(f, i)

    def _flow(self, f: str, i: Instruction) -> None:
        match i:
            case Call():
                for callee in self._called(f, i.callee, i.args):
                    self.calls[self.place].add(callee)
                    self._define(f, i.dst, self.results.get(callee, set()))
            case Spawn():
                self.spawns[self.place].update(self._called(f, i.function, i.args))
                self._define(f, i.dst, None)
            case Return() if i.value is not None:
                self.results[f] = self._grown(self.results.get(f, set()), self._of(f, i.value))
            case Join():
                self._define(f, i.dst, None)
            case _:
                for register in defined(i):
                    self._define(f, register, None)

    def _called(self, f: str, function: Operand, args: tuple[Operand, ...]) -> list[str]:
        found = self._of(f, function)
        numbers = [(a - FUNCTIONS) // GAP for a in found or ()]
        if found is None or not all(0 <= n < len(self.program.functions) for n in numbers):
            self.known = False
            return []
        names = [self.program.functions[n].name for n in numbers]
        for name in names:
            for index, argument in enumerate(args):
                self._add((name, index), self._of(f, argument))
        return names

    def _tables(self) -> set[tuple[str, int]]:
        """The registers that hold nothing but addresses of our own tables: each index into them is checked."""
        found, others = set[tuple[str, int]](), set[tuple[str, int]]()
        for f in self.program.functions:
            for i in f.code:
                ours = isinstance(i, ThreadLocalAddress) and i.object.startswith(_OURS)
                (found if ours else others).update((f.name, r.index) for r in defined(i))
        return found - others

    def _computed(self, f: str, i: Compute) -> Values:
        if i.op is Op.ADD and any(isinstance(a, Reg) and (f, a.index) in self.tables for a in i.args):
            return {_ELSEWHERE}
        args = [self._of(f, a) for a in i.args]
        if any(a is not None and _ELSEWHERE in a for a in args):
            return _moved(i, args)
        if len(i.args) == 2 and i.args[0] == i.args[1] and args[0] is not None:  # `r ^ r` is 0
            return {to_unsigned(compute(i.op, i.width, (a, a))) for a in args[0]} if i.op not in MAY_FAIL else None
        if i.op is Op.UREM and args[0] is None and args[1] and max(args[1]) <= _MOST:  # an index into a ring
            return set(range(max(args[1])))
        if i.op is Op.AND and None in args and any(args):  # what is left of anything under a mask
            return _under(*(a for a in args if a))
        return _combined(lambda a: _result(i, a), *args)


def _result(i: Compute, args: tuple[int, ...]) -> int | None:
    """None where the thread ends in an error."""
    try:
        return compute(i.op, i.width, args)
    except ArithmeticFault:
        return None


def _moved(i: Compute, args: list[Values]) -> Values:
    """What comes of an address elsewhere: it stays there as long as a number that is known moves it."""
    if i.op is Op.MOV and i.width == WORD:
        return args[0]
    at = next(k for k, a in enumerate(args) if a is not None and _ELSEWHERE in a)
    is_moved = i.op is Op.ADD or (i.op is Op.SUB and at == 0)
    if len(args) != 2 or i.width != WORD or not is_moved:
        return {0, 1} if i.op in COMPARISONS else None
    without = [None if a is None else a - {_ELSEWHERE} if k == at else a for k, a in enumerate(args)]
    rest = _combined(lambda a: compute(i.op, i.width, a), *without)
    return None if rest is None else rest | {_ELSEWHERE} if args[1 - at] else set()


def _updated(i: Rmw, old: Values, value: Values) -> Values:
    if i.op is RmwOp.XCHG:
        return value
    return _combined(lambda a: update(i.op, i.size, *a), old, value)


def _cut(values: Values, size: int) -> Values:
    """As much of each as is stored; of an address elsewhere the whole, or nobody knows what."""
    if values is not None and _ELSEWHERE in values:
        return values if 8 * size == WORD else None
    return None if values is None else {v & ((1 << 8 * size) - 1) for v in values}


def _combined(result: Callable[[tuple[int, ...]], int | None], *sets: Values) -> Values:
    """The results over all combinations of values."""
    total = 1
    known: list[set[int]] = []
    for values in sets:
        if values is None or _ELSEWHERE in values:
            return None
        total *= len(values)
        known.append(values)
    found = map(result, product(*known)) if total <= _MOST * _MOST else None
    return None if found is None else {to_unsigned(value) for value in found if value is not None}


def _under(masks: set[int]) -> Values:
    """All numbers whose bits are bits of one of the masks."""
    if max(masks) >= _MOST:
        return None
    return {n for n in range(max(masks) + 1) if any(n & ~mask == 0 for mask in masks)}


def _range(low: Values, high: Values) -> Values:
    if any(v is not None and _ELSEWHERE in v for v in (low, high)):
        return None
    if low is None or high is None or not low or not high or max(high) - min(low) >= _MOST:
        return None if low is None or high is None or (low and high) else set()
    return set(range(min(low), max(high) + 1))
