"""Does a loop only try again where a weak compare-exchange in it failed for no reason, or a store-conditional failed?

Then the round of such a failure can be left out of any execution: it wrote nothing, and the next round begins with what
the last one began with. Only reads and fences go with it, and without them no execution becomes forbidden. Every way of
one round through the exchange is followed, with what each register holds; in doubt the answer is no. A register that
holds the same number whenever a round begins, as in `while (!cas_weak(&x, &z, 1)) z = 0;`, may be set to it.

What a round does before the exchange it also does where the exchange then succeeds, so there it may check and assume.
Between the failure and the next round nothing may go wrong: an error there needs the failure. No check, no division, no
plain access (it may race), and no access through a pointer (it may be freed).

Some rounds change nothing and may still go wrong: one that stores what it failed to exchange where it found it, as
`compare_exchange_weak(&top, &node->next, node)` does, may race. Without such a round there is another execution of the
program, where whoever read that store reads the one before it, with the same value. So of several such rounds of a
thread all but one can be left out of an execution with an error, and one is enough to find it.

So it is with a round that begins with plain stores, as `do node->next = top; while (!cas_weak(&top, node));` does. The
next round begins with the same stores, since it begins with the same registers: it can do without the second ones, and
without the failure between. Whoever read one of those reads the first, and what races with them races with the first,
since a failure tells nobody what came before it.

Stores to an object that the thread has just allocated, and whose address only the exchange makes known, are seen by
nobody before it succeeds (fresh.py). Those of a round may be of any mode where the next round makes the same ones: who
reads one of the second stores later reads the first, with the same value, since nobody else can have written between.
Plain ones may even differ: who could tell races with the last one, in the execution without the round, too. Such a
round adds nothing: the object is there, and what could go wrong with the second stores has gone wrong with the first.

So it is, too, with a round that waits in a loop of its own before it tries again, as in
`while (!cas_weak(&x, 0, 1)) while (x != 0);`: a round that has come back can be left out, and one that waits for ever
is the thread's last. (Who waits for ever before the exchange of a round does so without the failed rounds before, too.)
A loop inside a round is followed once, with whatever its registers may hold in any of its iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from fencepost.program.arithmetic import ArithmeticFault, compute
from fencepost.program.instructions import (
    Assert,
    Assume,
    Branch,
    Cas,
    Compute,
    Exit,
    Fail,
    Fence,
    Instruction,
    Jump,
    Load,
    Mode,
    Op,
    Return,
    Store,
    StoreConditional,
    Switch,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg, to_unsigned
from fencepost.program.passes.copies import MAY_FAIL
from fencepost.program.passes.flow import Flow, Loop
from fencepost.program.passes.fresh import Escapes, Fresh, fresh_registers
from fencepost.program.passes.rewrite import defined
from fencepost.program.program import Function
from fencepost.records import dataclass, replace

#: What a register holds, in terms of what registers held when the round began.
Value: TypeAlias = tuple[object, ...]
_MAX_STEPS = 2000
_SILENT = (Assert, Assume, Branch, Compute, Fence, Jump, Switch)


class Round(Enum):
    """What a round does in which the exchange fails for no reason: nothing, nothing but what may go wrong, or more."""

    NOTHING = "nothing"
    NOTHING_NEW = "nothing new"
    MORE = "more"


def failed_round(
    flow: Flow, loop: Loop, exchange: int, live: int, *, races: bool = False, escapes: Escapes | None = None
) -> Round:
    """`live`: the registers that are used after the header of the loop, as bits. `races`: a data race is an error, so
    that of plain stores without one nobody sees the middle. `escapes`: see fresh.py; without it nothing is fresh."""
    if not loop.regular:
        return Round.MORE
    if _Rounds(flow, loop, exchange, live, careful=True).all_come_back():
        return Round.NOTHING
    fresh = fresh_registers(flow, loop, exchange, escapes) if escapes is not None else Fresh()
    if not fresh.mine or not _Rounds(flow, loop, exchange, live).success_leaves():
        fresh = Fresh()
    elif _Rounds(flow, loop, exchange, live, careful=True, races=races, fresh=fresh).all_come_back():
        return Round.NOTHING
    found = _Rounds(flow, loop, exchange, live, races=races, fresh=fresh).all_come_back()
    return Round.NOTHING_NEW if found else Round.MORE


def success_leaves(flow: Flow, loop: Loop, exchange: int, live: int) -> bool:
    """Whether nobody comes to the exchange again, in this loop, after it has succeeded. `live` as above."""
    return loop.regular and _Rounds(flow, loop, exchange, live).success_leaves()


@dataclass(slots=True)
class _Way:
    """A way through a round: what registers hold, what the branches said about those that it began with, whether the
    exchange has failed on it, whether it did something that others may notice, whether it looked at memory, and at that
    of a fresh object."""

    at: int
    held: dict[int, Value]
    known: dict[int, int]
    failed: bool = False
    wrote: bool = False
    looked: bool = False
    looked_at_own: bool = False

    def to(self, target: int, learnt: dict[int, int] | None = None) -> _Way:
        return replace(self, at=target, held=dict(self.held), known=self.known | (learnt or {}))


class _Rounds:
    """`careful`: nothing may go wrong in a failed round that goes well without the failure. `fresh`: what points into
    an object that nobody else knows when a round begins."""

    def __init__(
        self, flow: Flow, loop: Loop, exchange: int, live: int, *, careful: bool = False, races: bool = False,
        fresh: Fresh | None = None,
    ) -> None:  # fmt: skip
        self.careful = careful
        self.races = races
        self.fresh = fresh or Fresh()
        self.loaded: dict[Value, tuple[Value, int]] = {}  # where plain loads of this round found what they found
        self.code, self.exchange, self.live = flow.function.code, exchange, live
        self.inside = {n for b in loop.blocks for n in range(flow.blocks[b].first, flow.blocks[b].last + 1)}
        self.head = flow.blocks[loop.header].first
        self.waits = _loops_within(flow, loop)
        numbers = {r: flow.number_before(loop.header, r) for r in range(live.bit_length()) if live >> r & 1}
        self.known = {r: number for r, number in numbers.items() if number is not None}
        self.reads = 0
        self.bits = _widths(flow.function)

    def every(self, after: Callable[[_Way], list[_Way] | None]) -> bool:
        """Whether every way from the header ends well: `after` gives the ways on from one, or None where it does not.
        One that has left the loop is shown to it as well."""
        ways = [_Way(self.head, {}, dict(self.known))]
        for _ in range(_MAX_STEPS):
            if not ways:
                return True
            found = after(ways.pop())
            if found is None:
                return False
            ways += found
        return False

    def all_come_back(self) -> bool:
        """Whether every way from the header that fails at the exchange comes back to it with nothing changed."""
        return self.every(self.after_failure)

    def after_failure(self, way: _Way) -> list[_Way] | None:
        if way.at not in self.inside:
            return None if way.failed else []  # a round without such a failure
        if not self.step(way):
            return None
        ways: list[_Way] = []
        for after in self.successors(way):
            if after.at == self.head:
                if after.failed and self.changed(after):
                    return None
            elif after.at in self.waits:
                if after.failed and self.careful:
                    return None
                ways += self.waiting(way, after)
            else:
                ways.append(after)
        return ways

    def success_leaves(self) -> bool:
        """Whether nobody comes to the exchange again, in this loop, after it has succeeded."""
        return self.every(self.after_success)

    def after_success(self, way: _Way) -> list[_Way] | None:
        if way.at not in self.inside:
            return []
        i = self.code[way.at]
        if way.at == self.exchange and isinstance(i, Cas | StoreConditional):
            if way.wrote:
                return None
            way.wrote = True
            self.settle(i, way.held, succeeds=True)
        elif not self.is_silent(i, way.held):
            way.held.update((r.index, self.unknown()) for r in defined(i))
        ways: list[_Way] = []
        for after in self.successors(way):
            if after.at in self.waits:
                ways += self.waiting(way, after)
            elif after.at != self.head or after.wrote:
                ways.append(after)
        return ways

    def waiting(self, before: _Way, way: _Way) -> list[_Way]:
        """At the head of a loop inside the round: its registers hold what any of its iterations may leave in them."""
        within, changed = self.waits[way.at]
        if before.at in within:
            return []  # that is among what was followed when the loop began
        way.held.update((r, self.unknown()) for r in changed)
        return [way]

    def step(self, way: _Way) -> bool:
        """Whether the instruction there may be part of a round that is left out; notes what it does."""
        i = self.code[way.at]
        if way.at == self.exchange:
            if way.failed or way.wrote or not isinstance(i, Cas | StoreConditional):
                return False
            way.failed = True
            self.settle(i, way.held, succeeds=False)
        elif way.failed and self.careful and not _cannot_go_wrong(i):
            return False
        elif way.failed and isinstance(i, Store):
            return self.writes_back(i, way.held)
        elif not self.is_silent(i, way.held):
            if way.failed:
                return False
            way.wrote |= not self.writes_again(i, way)
            way.held.update((r.index, self.unknown()) for r in defined(i))
        if isinstance(i, Load):
            way.looked = True
            way.looked_at_own |= self.is_near(self.value(i.address, way.held))
        return True

    def writes_again(self, i: Instruction, way: _Way) -> bool:
        """Whether the next round begins by writing the same to the same place: its registers are the same, and nothing
        that it read has decided on its way. Or nobody sees what is written before the exchange succeeds."""
        if not isinstance(i, Store):
            return False
        plain = self.races and i.mode is Mode.NA
        if self.is_fresh(self.value(i.address, way.held)):
            return (plain and not way.looked_at_own) or not way.looked
        return plain and not way.looked and not self.careful

    def is_fresh(self, address: Value) -> bool:
        match address:
            case ("at", int(r)) | (Op.ADD, 64, ("at", int(r)), (int(),)):
                return bool(self.fresh.mine >> r & 1)
        return False

    def is_near(self, value: Value) -> bool:
        """Whether it may be made from the address of a fresh object."""
        match value:
            case ("at", int(r)):
                return bool(self.fresh.known >> r & 1)
        return any(isinstance(part, tuple) and self.is_near(part) for part in value)

    def settle(self, i: Cas | StoreConditional, held: dict[int, Value], *, succeeds: bool) -> None:
        """A failure for no reason, like a success, reads what it expected."""
        if isinstance(i, StoreConditional):
            held[i.dst.index] = (int(succeeds),)
            return
        expected = self.value(i.expected, held)
        if i.old is not None:
            held[i.old.index] = expected
        if i.success is not None:
            held[i.success.index] = (int(succeeds),)

    def is_silent(self, i: Instruction, held: dict[int, Value]) -> bool:
        """Follows an instruction that nobody else notices."""
        if isinstance(i, Compute):
            held[i.dst.index] = self.computed(i, held)
        elif self.only_reads(i):
            assert isinstance(i, Load), "only loads read and do nothing else"
            found = self.unknown()
            if i.mode is Mode.NA:
                self.loaded[found] = (self.value(i.address, held), i.size)
            held[i.dst.index] = found
        return isinstance(i, _SILENT) or self.only_reads(i)

    def only_reads(self, i: Instruction) -> bool:
        """The reservation that a round makes is gone with the one that the next round makes."""
        return isinstance(i, Load) and (not i.exclusive or isinstance(self.code[self.exchange], StoreConditional))

    def writes_back(self, i: Store, held: dict[int, Value]) -> bool:
        """Whether a plain store leaves what a plain load of this round found there. (A round that wrote before the
        exchange is none to leave out, and who else writes there races.)"""
        there = (self.value(i.address, held), i.size)
        allowed = self.races and not self.careful and i.mode is Mode.NA
        return allowed and self.loaded.get(self.value(i.value, held)) == there

    def successors(self, way: _Way) -> list[_Way]:
        i = self.code[way.at]
        if isinstance(i, Jump):
            return [way.to(i.target)]
        if isinstance(i, Switch):
            return self.switched(i, way)
        if isinstance(i, Branch):
            condition = self.value(i.condition, way.held)
            number = _number(condition)
            sides = [(i.then, True), (i.otherwise, False)]
            return [
                way.to(to, _learnt(condition, taken)) for to, taken in sides if number is None or bool(number) == taken
            ]
        return [way.to(-1 if _ends(i) else way.at + 1)]

    def switched(self, i: Switch, way: _Way) -> list[_Way]:
        value = self.value(i.value, way.held)
        cases = [_number(self.value(c, way.held)) for c in i.cases]
        number = _number(value)
        if number is not None and None not in cases:
            return [way.to(dict(zip(reversed(cases), reversed(i.targets), strict=True)).get(number, i.default))]
        equal = [way.to(to, _equals(value, n)) for n, to in zip(cases, i.targets, strict=True)]
        return [*equal, way.to(i.default)]

    def changed(self, way: _Way) -> bool:
        return any(
            v != ("at", r) and not (r in way.known and v == (way.known[r],))
            for r, v in way.held.items()
            if self.live >> r & 1
        )

    def unknown(self) -> Value:
        self.reads += 1
        return ("read", self.reads)

    def value(self, operand: Operand, held: dict[int, Value]) -> Value:
        if isinstance(operand, Reg):
            return held.get(operand.index, ("at", operand.index))
        return (to_unsigned(operand.value),) if isinstance(operand, Const) else ("constant", operand)

    def fits(self, value: Value, width: int) -> bool:
        """Whether cutting a value to so many bits leaves it as it is."""
        match value:
            case ("at", int(r)):
                return self.bits[r] <= width
            case (Op.MOV, int(bits), _):
                return bits <= width
            case ("read", int()) if value in self.loaded:
                return 8 * self.loaded[value][1] <= width
        return width == 64

    def computed(self, i: Compute, held: dict[int, Value]) -> Value:
        args = tuple(self.value(a, held) for a in i.args)
        numbers = [n for n in map(_number, args) if n is not None]
        if len(numbers) == len(args):
            try:
                return (compute(i.op, i.width, tuple(numbers)),)
            except ArithmeticFault:
                return self.unknown()
        if i.op is Op.MOV and self.fits(args[0], i.width):
            return args[0]
        return (i.op, i.width, *args)


def _loops_within(flow: Flow, around: Loop) -> dict[int, tuple[set[int], set[int]]]:
    """The loops inside a loop, by their first instruction: their instructions, and the registers that they change."""
    found = {}
    for loop in flow.loops():
        if loop.regular and loop.header != around.header and loop.blocks <= around.blocks:
            within = {n for b in loop.blocks for n in range(flow.blocks[b].first, flow.blocks[b].last + 1)}
            changed = {r.index for n in within for r in defined(flow.function.code[n])}
            found[flow.blocks[loop.header].first] = within, changed
    return found


def _widths(function: Function) -> list[int]:
    """The bits that each register has at most: the least numbers that agree with every instruction."""
    bits = [64 if r < function.parameters else 0 for r in range(len(function.registers))]
    before: list[int] = []
    while bits != before:
        before = bits[:]
        for i in function.code:
            for r in defined(i):
                bits[r.index] = max(bits[r.index], _width(i, r, bits))
    return bits


def _width(i: Instruction, register: Reg, bits: list[int]) -> int:
    match i:
        case Compute(op=Op.MOV, args=(Const(value=n),)) if n >= 0:
            return min(n.bit_length(), i.width)
        case Compute(op=Op.MOV, args=(Reg(index=n),)):
            return min(bits[n], i.width)
        case Compute(op=Op.MOV):
            return i.width
        case Cas(success=done) if register == done:
            return 1
        case Load() | Cas():
            return 8 * i.size
    return 64


def _cannot_go_wrong(i: Instruction) -> bool:
    if isinstance(i, Compute):
        return i.op not in MAY_FAIL
    if isinstance(i, Load):
        return i.mode is not Mode.NA and isinstance(i.address, GlobalAddress) and i.address.offset == 0
    return not isinstance(i, Assert | Assume)


def _equals(value: Value, number: int | None) -> dict[int, int]:
    match value:
        case ("at", int(r)) if number is not None:
            return {r: number}
    return {}


def _learnt(condition: Value, holds: bool) -> dict[int, int]:
    """What a branch says about a register as it was when the round began."""
    match condition:
        case ("at", int(r)) if not holds:
            return {r: 0}
        case (op, 64, ("at", int(r)), (int(n),)) if op is (Op.EQ if holds else Op.NE):
            return {r: n}
    return {}


def _number(value: Value) -> int | None:
    return value[0] if len(value) == 1 and isinstance(value[0], int) else None


def _ends(i: Instruction) -> bool:
    """Whether a thread or a function ends here, or goes on where this does not follow it."""
    return isinstance(i, Exit | Fail | Return)
