"""Compare-exchanges whose write a later read of their thread may see before they have read.

ARMv8 and ARMv7 order the two halves of a compare-exchange, but not its read before a later read of what it wrote: that
may be forwarded. So whether such a compare-exchange succeeds is, for the explorer, a choice of its own, made before it
reads (docs/how/power.md). That costs: both choices are followed. It is needed only where such a read can come before
anything that waits for the compare-exchange: a branch on how it came out, which nearly every program has beside it, or
a fence that orders loads. What is looked at here is the code: where in doubt, the success is foreseen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from fencepost.program.fences import ORDERS, RR, RW
from fencepost.program.instructions import (
    Await,
    BlockingCas,
    Branch,
    Call,
    Cas,
    Exit,
    Fail,
    Fence,
    Instruction,
    Load,
    Return,
    Rmw,
    Spawn,
    Switch,
)
from fencepost.program.operands import FunctionAddress, GlobalAddress, Operand, Reg
from fencepost.program.passes.flow import successors
from fencepost.program.passes.rewrite import defined, used
from fencepost.program.program import Program

_MOST = 2000  # places that are looked at for one compare-exchange
_ARMV8 = ("armv8", "armv8-2018")
_FORWARDING = (*_ARMV8, "armv7")

#: A function, an instruction of it, and the registers that depend on how the compare-exchange came out.
_Place = tuple[int, int, frozenset[int]]


def foreseen(program: Program, model: str) -> list[int]:
    """The instructions, counted over all functions in order, of which the success is to be foreseen."""
    return list(_Search(program, model).found()) if model in _FORWARDING else []


class _Search:
    def __init__(self, program: Program, model: str) -> None:
        self.program, self.modes = program, model in _ARMV8

    def found(self) -> Iterator[int]:
        start = 0
        for number, function in enumerate(self.program.functions):
            for k, i in enumerate(function.code):
                if isinstance(i, Cas) and not (self.modes and i.mode.acquires) and self.may_be_read(number, k, i):
                    yield start + k
            start += len(function.code)

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {f.name: n for n, f in enumerate(self.program.functions)}

    @cached_property
    def callers(self) -> list[tuple[int, int, Call]]:
        code = ((n, f.code) for n, f in enumerate(self.program.functions))
        return [(n, k, i) for n, c in code for k, i in enumerate(c) if isinstance(i, Call)]

    def may_be_read(self, function: int, at: int, cas: Cas) -> bool:
        """Whether a read may see its write before anything waits for its own read."""
        results = frozenset(r.index for r in (cas.old, cas.success) if r is not None)
        seen: set[_Place] = set()
        todo: list[_Place] = [(function, at + 1, results)]
        while todo:
            place = todo.pop()
            if place in seen:
                continue
            seen.add(place)
            number, k, tainted = place
            i = self.program.functions[number].code[k]
            if self.reads(i, cas.address if number == function else None) or len(seen) > _MOST:
                return True
            if not self.waits(i, tainted):
                todo += self.after(number, k, i, tainted)
        return False

    def reads(self, i: Instruction, address: Operand | None) -> bool:
        """Whether an instruction may read there, and not so that it waits for the write to be committed."""
        if not isinstance(i, Load | Rmw | Cas | Await | BlockingCas):
            return False
        waits = i.mode.acquires and (not isinstance(i, Cas) or i.failure.acquires)
        if self.modes and waits:
            return False
        elsewhere = isinstance(i.address, GlobalAddress) and isinstance(address, GlobalAddress)
        return not elsewhere or i.address == address

    def waits(self, i: Instruction, tainted: frozenset[int]) -> bool:
        """Whether everything after an instruction waits for the read of the compare-exchange."""
        if isinstance(i, Fence):
            return {RR, RW} <= ORDERS.get(i.kind, frozenset())
        if isinstance(i, Branch | Switch):
            return _depends(i, tainted)
        return isinstance(i, Exit | Fail | Spawn)

    def after(self, number: int, k: int, i: Instruction, tainted: frozenset[int]) -> Iterator[_Place]:
        if isinstance(i, Return):
            yield from self.returned(number, i, tainted)
            return
        if isinstance(i, Call):
            yield from self.called(i, tainted)
        new = {r.index for r in defined(i)}
        depends = _depends(i, tainted) and not isinstance(i, Load | Rmw | Cas)
        left = (tainted - new) | (new if depends else set())
        yield from ((number, s, frozenset(left)) for s in successors(k, i))

    def called(self, i: Call, tainted: frozenset[int]) -> Iterator[_Place]:
        given = frozenset(p for p, a in enumerate(i.args) if isinstance(a, Reg) and a.index in tainted)
        yield from ((n, 0, given) for n in self.callees(i) if self.program.functions[n].code)

    def callees(self, i: Call) -> list[int]:
        if isinstance(i.callee, FunctionAddress) and i.callee.name in self.numbers:
            return [self.numbers[i.callee.name]]
        return list(self.numbers.values())

    def returned(self, number: int, i: Return, tainted: frozenset[int]) -> Iterator[_Place]:
        """To everyone who may have called; what else depends on the compare-exchange there is not known."""
        told = isinstance(i.value, Reg) and i.value.index in tainted
        for n, k, call in self.callers:
            if number in self.callees(call):
                kept = frozenset({call.dst.index}) if told and call.dst is not None else frozenset()
                yield n, k + 1, kept


def _depends(i: Instruction, tainted: frozenset[int]) -> bool:
    return any(isinstance(o, Reg) and o.index in tainted for o in used(i))
