"""What values registers and cells of a straight program can hold: small sets, else intervals.

It decides which cells an access can touch, prunes what constants make unreachable, and lets the encoding use narrow
bit-vectors. Sound because each store of a straight program runs at most once: after as many rounds over memory as
there are stores every chain of values has been followed, whether or not the sets have stopped growing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from itertools import product

from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.arithmetic import ArithmeticFault, compute
from fencepost.program.instructions import COMPARISONS, Op
from fencepost.program.layout import Layout
from fencepost.program.operands import WORD, Operand, Reg, to_signed, to_unsigned
from fencepost.program.printer import jump_targets
from fencepost.program.program import Function, Program
from fencepost.records import dataclass

LARGEST_SET = 40
MAX_ROUNDS = 64


@dataclass(frozen=True, slots=True)
class Range:
    """`values` lists every possible value, if there are few; low..high encloses them. All are signed readings."""

    low: int
    high: int
    values: frozenset[int] | None = None

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None

    def bounded(self, width: int) -> bool:
        """Whether a register of `width` bits holds every value as it is."""
        return width == WORD or (self.low >= 0 and self.high < 1 << width)


def of(*values: int) -> Range:
    signed = frozenset(to_signed(v) for v in values)
    return Range(min(signed), max(signed), signed if len(signed) <= LARGEST_SET else None)


EVERYTHING = Range(-(1 << 63), (1 << 63) - 1)
TRUTH = of(0, 1)


def unsigned(width: int) -> Range:
    return EVERYTHING if width >= WORD else Range(0, (1 << width) - 1)


def join(a: Range, b: Range) -> Range:
    if a is b:
        return a
    low, high = min(a.low, b.low), max(a.high, b.high)
    if a.values is None or b.values is None:
        return Range(low, high)
    both = a.values | b.values
    return Range(low, high, both if len(both) <= LARGEST_SET else None)


def apply(op: Op, width: int, args: tuple[Range, ...]) -> Range:
    """The values that an operation can give. Faults give none."""
    sets = [a.values for a in args]
    known = [s for s in sets if s is not None]
    size = 1
    for s in known:
        size *= len(s)
    if len(known) == len(sets) and size <= LARGEST_SET**2:
        found = set()
        for combination in product(*known):
            try:
                found.add(compute(op, width, tuple(to_unsigned(v) for v in combination)))
            except ArithmeticFault:
                continue
        return of(*found) if found else unsigned(width)
    return _intervals(op, width, args)


def _intervals(op: Op, width: int, args: tuple[Range, ...]) -> Range:
    if op in COMPARISONS:
        return TRUTH
    exact: Range | None = None
    if all(a.bounded(width) for a in args):
        exact = _exact(op, args)
    if exact is not None and exact.bounded(width) and EVERYTHING.low <= exact.low <= exact.high <= EVERYTHING.high:
        return exact
    return EVERYTHING if op is Op.SEXT else unsigned(width)


def _exact(op: Op, args: tuple[Range, ...]) -> Range | None:
    """The interval of the mathematical result, before it wraps."""
    a, b = args[0], args[-1]
    nonnegative = all(r.low >= 0 for r in args)
    match op:
        case Op.MOV:
            return a
        case Op.ADD:
            return Range(a.low + b.low, a.high + b.high)
        case Op.SUB:
            return Range(a.low - b.high, a.high - b.low)
        case Op.MUL:
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return Range(min(corners), max(corners))
        case Op.SELECT:
            return join(args[1], args[2])
        case Op.AND if nonnegative:
            return Range(0, min(a.high, b.high))
        case Op.OR | Op.XOR if nonnegative:
            return Range(0, (1 << max(a.high, b.high).bit_length()) - 1)
        case Op.LSHR | Op.UDIV if nonnegative:
            return Range(0, a.high)
        case Op.UREM if nonnegative and b.low > 0:
            return Range(0, b.high - 1)
    return None


NEAR = 12  # so many instructions before a branch are looked at for what it is about
Keep = Callable[[int], bool]
Registers = dict[int, Range]  # registers that are not in it are zero
ZERO = of(0)


@dataclass(slots=True)
class Flowed:
    """Of one thread: the ranges of the registers before each reachable instruction."""

    before: dict[int, Registers] = field(default_factory=dict)

    def operand(self, pc: int, operand: Operand, layout: Layout) -> Range:
        if isinstance(operand, Reg):
            return self.before[pc].get(operand.index, ZERO)
        return of(layout.value(operand))


class Ranges:
    """The analysis of a straight program. `memory` maps each (address, size) that is accessed to its values; `initial`
    is memory at the start, byte by byte. The functions are those of the threads, in order, and perhaps the ending."""

    def __init__(self, program: Program, layout: Layout, initial: dict[int, int]) -> None:
        self.program, self.layout, self.initial = program, layout, initial
        self.memory: dict[tuple[int, int], Range] = {}
        self.functions = list(program.functions)
        self.threads: list[Flowed] = []
        self.returns: dict[int, Range] = {}  # what each thread returns
        self.targets = {f.name: {t for i in f.code for t in jump_targets(i)} for f in self.functions}
        stores = sum(isinstance(i, ins.Store | ins.StoreConditional) for f in self.functions for i in f.code)
        for count in range(stores + 2):
            before = dict(self.memory)
            if count == MAX_ROUNDS:
                self.memory = {(a, size): unsigned(8 * size) for a, size in self.memory}
            self.threads = []
            for function in self.functions:
                self.threads.append(self._flow(function))
            if self.memory == before:
                break

    def start_value(self, address: int, size: int) -> int:
        return sum(self.initial.get(address + n, 0) << 8 * n for n in range(size))

    def addresses(self, thread: int, pc: int, operand: Operand) -> frozenset[int] | None:
        """The addresses that an access can be about; None where they cannot be listed."""
        found = self.threads[thread].operand(pc, operand, self.layout).values
        return None if found is None else frozenset(to_unsigned(v) for v in found)

    def _flow(self, function: Function) -> Flowed:
        flowed = Flowed()
        flowed.before[0] = {}
        for pc, i in enumerate(function.code):
            if pc in flowed.before:
                registers = dict(flowed.before[pc])
                targets = self._step(flowed, pc, i, registers)
                for target in targets:
                    _meet(flowed.before, target, self._known(function, pc, target, registers))
        return flowed

    def _known(self, function: Function, pc: int, target: int, registers: Registers) -> Registers:
        """What holds where control goes from `pc` to `target`: a branch tells something about what it compared."""
        i = function.code[pc]
        if isinstance(i, ins.Assume | ins.Assert):
            truth = True
        elif isinstance(i, ins.Branch) and i.then != i.otherwise:
            truth = target == i.then
        else:
            return registers
        if not isinstance(i.condition, Reg):
            return registers
        refined = dict(registers)
        for register, keep in self._compared(function, pc, i.condition, truth):
            _keep(refined, register, keep)
        return refined

    def _compared(self, function: Function, pc: int, condition: Reg, truth: bool) -> Iterator[tuple[Reg, Keep]]:
        """The registers that the condition before `pc` is about, with which of their values make it so. They are looked
        for among the instructions right before; copies are as good as what they were copied from."""
        keep: Keep = lambda value: (value != 0) == truth  # noqa: E731, the first of a chain of tests
        yield condition, keep
        subject, changed = condition, set[Reg]()
        for n in range(pc - 1, max(-1, pc - NEAR), -1):
            if n + 1 in self.targets[function.name]:
                return
            i = function.code[n]
            if isinstance(i, ins.Fence | ins.Store):
                continue
            if not isinstance(i, ins.Compute | ins.Load) or (isinstance(i, ins.Load) and i.dst == subject):
                return
            if i.dst != subject or not isinstance(i, ins.Compute):
                copy = isinstance(i, ins.Compute) and (i.op, i.width, i.args) == (Op.MOV, WORD, (subject,))
                if copy and i.dst not in changed:
                    yield i.dst, keep
                changed.add(i.dst)
                continue
            constants = [self.layout.value(a) for a in i.args if not isinstance(a, Reg)]
            regs = [a for a in i.args if isinstance(a, Reg)]
            if len(regs) != 1 or len(constants) != len(i.args) - 1 or regs[0] in changed or i.op is Op.SELECT:
                return
            keep, subject = _before(i, keep, constants), regs[0]
            yield subject, keep

    def _step(self, flowed: Flowed, pc: int, i: ins.Instruction, registers: Registers) -> tuple[int, ...]:
        """Updates the registers; where control can go."""
        match i:
            case ins.Compute():
                args = tuple(flowed.operand(pc, a, self.layout) for a in i.args)
                if i.op in (Op.UDIV, Op.UREM, Op.SDIV, Op.SREM) and args[1].low <= 0:
                    raise UnsupportedError(
                        f"the division at {i.at} may be by zero; `fencepost check` finds such errors"
                    )
                cancels = i.op in (Op.XOR, Op.SUB) and i.args[0] == i.args[1]
                registers[i.dst.index] = ZERO if cancels else apply(i.op, i.width, args)
            case ins.Load():
                registers[i.dst.index] = self._load(flowed.operand(pc, i.address, self.layout), i.size)
            case ins.Store():
                self._store(flowed, pc, i)
            case ins.StoreConditional():
                self._store(flowed, pc, i)
                registers[i.dst.index] = TRUTH if i.may_fail else of(1)
            case ins.Choose():
                low, high = (flowed.operand(pc, o, self.layout) for o in (i.low, i.high))
                registers[i.dst.index] = enclosing(low.low, high.high)
            case ins.Jump():
                return (i.target,)
            case ins.Branch():
                condition = flowed.operand(pc, i.condition, self.layout)
                if condition.values is None or (0 in condition.values and len(condition.values) > 1):
                    return (i.then, i.otherwise)
                return (i.otherwise,) if 0 in condition.values else (i.then,)
            case ins.Switch():
                return (*i.targets, i.default)
            case ins.Assume() | ins.Assert():
                if flowed.operand(pc, i.condition, self.layout).constant == 0:
                    return ()
            case ins.Join(dst=dst) if dst is not None:
                registers[dst.index] = self._returned(flowed.operand(pc, i.thread, self.layout))
            case ins.Return(value=value):
                if value is not None:
                    given = flowed.operand(pc, value, self.layout)
                    thread = len(self.threads)
                    self.returns[thread] = join(self.returns.get(thread, given), given)
                return ()
            case ins.Fail():
                return ()
        return (pc + 1,)

    def _returned(self, threads: Range) -> Range:
        """What a join can receive; threads are numbered from 1."""
        found = ZERO
        for t in threads.values or range(1, len(self.functions)):
            found = join(found, self.returns.get(t - 1, ZERO))
        return found

    def _load(self, address: Range, size: int) -> Range:
        if address.values is None:
            return unsigned(8 * size)
        found: Range | None = None
        for a in address.values:
            cell = self._cell(to_unsigned(a), size)
            found = cell if found is None else join(found, cell)
        return found if found is not None else unsigned(8 * size)

    def _cell(self, address: int, size: int) -> Range:
        return self.memory.setdefault((address, size), of(self.start_value(address, size)))

    def _store(self, flowed: Flowed, pc: int, i: ins.Store | ins.StoreConditional) -> None:
        address = flowed.operand(pc, i.address, self.layout).values
        value = apply(Op.MOV, 8 * i.size, (flowed.operand(pc, i.value, self.layout),))
        for a in address or ():
            key = (to_unsigned(a), i.size)
            self.memory[key] = join(self._cell(*key), value)


def enclosing(low: int, high: int) -> Range:
    values = frozenset(range(low, high + 1)) if high - low < LARGEST_SET else None
    return Range(low, high, values)


def _before(i: ins.Compute, keep: Keep, constants: list[int]) -> Keep:
    """The test of the one register of a computation that amounts to a test of its result."""

    def test(value: int) -> bool:
        rest = iter(constants)
        args = tuple(value if isinstance(a, Reg) else next(rest) for a in i.args)
        try:
            return keep(compute(i.op, i.width, args))
        except ArithmeticFault:
            return True

    return test


def _keep(registers: Registers, register: Reg, keep: Keep) -> None:
    now = registers.get(register.index, ZERO)
    left = [v for v in now.values or () if keep(to_unsigned(v))]
    if left:  # nothing left: the way is not taken, which is for others to find out
        registers[register.index] = of(*left)


def _meet(before: dict[int, Registers], target: int, registers: Registers) -> None:
    if target not in before:
        before[target] = dict(registers)
        return
    there = before[target]
    for index in there.keys() | registers.keys():
        there[index] = join(there.get(index, ZERO), registers.get(index, ZERO))
