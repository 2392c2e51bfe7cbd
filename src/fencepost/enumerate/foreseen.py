"""Which values memory can hold at all, whatever the branches of the program decide.

Under the Linux kernel's model a branch may be decided by what comes of it: a plain write under an `if` can be seen
before it is known that it happens. Running the threads with what they are known to write never gets there, so what they
could write is computed without looking at branches: for each register and location the set of all its values, or no set
(`None`) where there are too many. What is in no set is in no execution.

An address that is no number here is one of a site, the instruction that makes the object: all objects of a site are
one, so what is known of it is what any of them may hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
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
from fencepost.program.operands import WORD, Const, Operand, Reg, to_unsigned
from fencepost.program.passes.copies import MAY_FAIL
from fencepost.program.passes.flow import reachable, successors
from fencepost.program.passes.nondet import COMPARISONS
from fencepost.program.passes.rewrite import defined

Location = tuple[int, int]  # address, size
Place = tuple[str, int]  # an instruction: its function, and its number there
Values = set[int] | None  # None: any
_MOST = 32  # values of a register or a location: beyond, it may hold any
#: An address in memory that is not global and of no site: of the thread. No number of 64 bits; nor are the addresses of
#: sites, which have the number of the site above the 64 bits of what has been added.
_ELSEWHERE = 1 << WORD
OURS = "fencepost."  # so begin the names of objects that no program can name
ELSEWHERE: Location = (_ELSEWHERE, 0)
#: Where threads leave what they return, as if it were memory: joins read it. (`Foreseen.handed`: what they start with.)
RESULT: Location = (-1, 0)


class Foreseen:
    """`values`: of each global location. `known` is false where addresses are not: then nothing is said."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.program = memory, memory.program
        self.sites: dict[Place, int] = {}  # what makes an object, or a thread; and the address
        self.private: set[int] = set()  # the sites that no other thread ever sees
        self.sizes: dict[int, int | None] = {}  # of the objects of a site, by its address
        self.blurred: set[int] = set()  # the sites of which pieces overlap: taken for ELSEWHERE
        self.tables = self._tables()
        self.known = True
        while True:
            self._compute()
            fresh = {site for site in self._overlapping() if site} - self.blurred
            if not fresh:
                break
            self.blurred |= fresh
        self.known = self.known and not self._overlapping()

    def _compute(self) -> None:
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
        for thread in self.program.threads:
            for index, argument in enumerate(thread.args):
                self._add((thread.function, index), {to_unsigned(self.memory.layout.value(argument))})
        while self.changed and self.known:
            self.changed = False
            for name in self.roots():
                self.reads[name, 0].add(self.handed(name))
            for f in self.program.functions:
                for n, i in enumerate(f.code):
                    self.place = f.name, n
                    self._step(f.name, i)

    def at(self, location: Location) -> frozenset[int]:
        """The values that a location can hold; nothing where that is not known."""
        held = self.values.get(location) if self.known else None
        return frozenset(v for v in held or () if not v >> WORD)

    def is_open(self, location: Location) -> bool:
        """Whether it may hold more than `at` says."""
        held = self.values.get(location, set())
        return not self.known or location[0] >> WORD != 0 or held is None or _is_address(held)

    def locations(self, address: int, size: int) -> set[Location]:
        """Those of sites that stand for a piece of memory that the machine has made."""
        made = self.memory.made
        start = max((a for a in made if a <= address), default=None)
        if start is None or address + size > start + made[start].size:
            return {ELSEWHERE}
        sites = [self.sites[place] for place in made[start].places if place in self.sites]
        return {ELSEWHERE if site in self.blurred else (site + address - start, size) for site in sites}

    def is_private(self, location: Location) -> bool:
        """Whether no thread but its own ever sees it."""
        return location[0] >> WORD << WORD in self.private

    def is_one(self, location: Location) -> bool:
        """Whether it stands for one piece of memory only."""
        if not location[0] >> WORD:
            return True
        site = location[0] >> WORD << WORD
        return site != _ELSEWHERE and any(s == site and self.once(place) for place, s in self.sites.items())

    def handed(self, root: str) -> Location:
        """Where a thread that starts with this function finds its arguments, as if it were memory."""
        return -2 - self.program.functions.index(self.program.function(root)), 0

    def roots(self) -> set[str]:
        """The functions that threads start with."""
        return {t.function for t in self.program.threads}.union(*self.spawns.values())

    def is_many(self, root: str) -> bool:
        """Whether more than one thread may start with a function."""
        places = [place for place, names in self.spawns.items() if root in names]
        first = [t.function for t in self.program.threads].count(root)
        return first + len(places) > 1 or not all(map(self.once, places))

    def once(self, place: Place) -> bool:
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

    def run_by(self, root: str) -> set[str]:
        """The functions that a thread runs which starts with this one."""
        return self.called_below({root})

    def called_below(self, names: set[str]) -> set[str]:
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

    def of(self, f: str, operand: Operand) -> Values:
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
        found = self.of(f, address)
        if found is None:
            self.known = False
            return []
        blurred = {a for a in found if a >> WORD << WORD in self.blurred}
        elsewhere = [ELSEWHERE] if blurred or _ELSEWHERE in found else []
        inside = sorted(found - {_ELSEWHERE} - blurred)
        return elsewhere + [(a, size) for a in inside if self._is_inside(a, size)]

    def _is_inside(self, address: int, size: int) -> bool:
        if not address >> WORD:
            return self.memory.fault(address, size, writes=False) is None
        at = address & _ELSEWHERE - 1
        whole = self.sizes[address - at]
        return at + size <= (1 << WORD - 1 if whole is None else whole)

    def _held(self, place: Location) -> Values:
        if place == ELSEWHERE:
            return None
        return self.values.setdefault(place, {0 if place[0] >> WORD else self.memory.initial(*place)})

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

    def _overlapping(self) -> set[int]:
        """The sites of pieces of memory that overlap; 0 for global ones."""
        ordered = sorted(p for p in self.values if p != ELSEWHERE)
        return {a >> WORD << WORD for (a, size), (b, _) in pairwise(ordered) if b < a + size}

    # --- instructions

    def _step(self, f: str, i: Instruction) -> None:
        match i:
            case Compute():
                self._define(f, i.dst, self._computed(f, i))
            case Load() | Await():
                self._read(f, i.dst, i.address, i.size)
            case Store():
                self._write(f, i.address, i.size, lambda _: self.of(f, i.value))
            case StoreConditional():
                self._write(f, i.address, i.size, lambda _: self.of(f, i.value))
                self._define(f, i.dst, {0, 1})
            case Rmw():
                self._read(f, i.dst, i.address, i.size)
                self._write(f, i.address, i.size, lambda old: _updated(i, old, self.of(f, i.value)))
            case Cas():
                self._read(f, i.old, i.address, i.size)
                self._write(f, i.address, i.size, lambda _: self.of(f, i.desired))
                self._define(f, i.success, {0, 1})
            case BlockingCas():
                self._read(f, None, i.address, i.size)
                self._write(f, i.address, i.size, lambda _: self.of(f, i.desired))
            case Choose():
                self._define(f, i.dst, _range(self.of(f, i.low), self.of(f, i.high)))
            case Alloca() | Malloc():
                self._define(f, i.dst, {self._site(i.size)})
                if isinstance(i, Alloca) and i.private:
                    self.private.add(self.sites[self.place])
            case ThreadLocalAddress():
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
                if any(isinstance(a, Reg) for a in i.args):
                    self.writes[self.place] |= {self.handed(name) for name in self.spawns[self.place]}
                self._define(f, i.dst, {self._site(Const(0))})
            case Return() if i.value is not None:
                if f in self.roots() and isinstance(i.value, Reg):
                    self.writes[self.place].add(RESULT)
                self.results[f] = self._grown(self.results.get(f, set()), self.of(f, i.value))
            case Join():
                self.reads[self.place].add(RESULT)
                self._define(f, i.dst, None)
            case _:
                for register in defined(i):
                    self._define(f, register, None)

    def _called(self, f: str, function: Operand, args: tuple[Operand, ...]) -> list[str]:
        found = self.of(f, function)
        numbers = [(a - FUNCTIONS) // GAP for a in found or ()]
        if found is None or not all(0 <= n < len(self.program.functions) for n in numbers):
            self.known = False
            return []
        names = [self.program.functions[n].name for n in numbers]
        for name in names:
            for index, argument in enumerate(args):
                self._add((name, index), self.of(f, argument))
        return names

    def _site(self, size: Operand) -> int:
        """The address of this instruction as a site."""
        known = self.sites.get(self.place)
        if known is None:
            known = self.sites[self.place] = (len(self.sites) + 2) << WORD
            self.sizes[known] = size.value if isinstance(size, Const) else None
        return known

    def _tables(self) -> set[tuple[str, int]]:
        """The registers that hold nothing but addresses of our own tables: each index into them is checked."""
        found, others = set[tuple[str, int]](), set[tuple[str, int]]()
        for f in self.program.functions:
            for i in f.code:
                ours = isinstance(i, ThreadLocalAddress) and i.object.startswith(OURS)
                (found if ours else others).update((f.name, r.index) for r in defined(i))
        return found - others

    def _computed(self, f: str, i: Compute) -> Values:
        if i.op is Op.ADD and any(isinstance(a, Reg) and (f, a.index) in self.tables for a in i.args):
            return {_ELSEWHERE}
        args = [self.of(f, a) for a in i.args]
        if any(a is not None and _is_address(a) for a in args):
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


def _is_address(values: set[int]) -> bool:
    return any(v >> WORD for v in values)


def _moved(i: Compute, args: list[Values]) -> Values:
    """What comes of addresses of sites: they stay there as long as a number that is known moves them."""
    if i.op is Op.MOV and i.width == WORD:
        return args[0]
    if len(args) != 2 or i.width != WORD or i.op not in (Op.ADD, Op.SUB):
        return {0, 1} if i.op in COMPARISONS else None
    found = set[int]()
    for a, b in product(*((None,) if values is None else values for values in args)):
        result = _shifted(i.op, a, b)
        if result is None:
            return None
        found.add(result)
    return found if len(found) <= _MOST else None


def _shifted(op: Op, a: int | None, b: int | None) -> int | None:
    """The sum or the difference; None where it may be any number."""
    if a is None or b is None or (b >> WORD and (a >> WORD or op is Op.SUB)):
        return None
    if _ELSEWHERE in (a, b):
        return _ELSEWHERE
    site = (a | b) >> WORD << WORD
    return site | to_unsigned(a + b if op is Op.ADD else a - b)


def _updated(i: Rmw, old: Values, value: Values) -> Values:
    if i.op is RmwOp.XCHG:
        return value
    return _combined(lambda a: update(i.op, i.size, *a), old, value)


def _cut(values: Values, size: int) -> Values:
    """As much of each as is stored; of an address elsewhere the whole, or nobody knows what."""
    if values is not None and _is_address(values):
        return values if 8 * size == WORD else None
    return None if values is None else {v & ((1 << 8 * size) - 1) for v in values}


def _combined(result: Callable[[tuple[int, ...]], int | None], *sets: Values) -> Values:
    """The results over all combinations of values."""
    total = 1
    known: list[set[int]] = []
    for values in sets:
        if values is None or _is_address(values):
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
    if any(v is not None and _is_address(v) for v in (low, high)):
        return None
    if low is None or high is None or not low or not high or max(high) - min(low) >= _MOST:
        return None if low is None or high is None or (low and high) else set()
    return set(range(min(low), max(high) + 1))
