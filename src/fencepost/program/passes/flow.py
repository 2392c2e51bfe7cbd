"""The flow of control in a function: blocks, dominators, natural loops, live registers."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.program.arithmetic import compute
from fencepost.program.instructions import BOUNDS, Compute, Exit, Fail, Instruction, Jump, Op, Return, Switch
from fencepost.program.instructions import Branch as BranchInstruction
from fencepost.program.operands import Const, Position, Reg, to_unsigned
from fencepost.program.passes.rewrite import defined, used
from fencepost.program.printer import jump_targets
from fencepost.program.program import Function
from fencepost.records import dataclass

_NO_FALL = (Jump, BranchInstruction, Switch, Return, Exit, Fail)


def successors(index: int, instruction: Instruction) -> tuple[int, ...]:
    """Where control goes from an instruction."""
    if isinstance(instruction, _NO_FALL):
        return jump_targets(instruction)
    return (index + 1,)


def goes_back(function: Function) -> bool:
    """Whether any jump leads to where it stands or before: without one there is no loop."""
    return any(
        isinstance(i, _NO_FALL) and any(t <= index for t in jump_targets(i)) for index, i in enumerate(function.code)
    )


def reachable(function: Function, starts: Iterable[int]) -> set[int]:
    """The instructions that may come from here on, those at the start included."""
    found: set[int] = set()
    todo = list(starts)
    while todo:
        n = todo.pop()
        if n not in found and n < len(function.code):
            found.add(n)
            todo += successors(n, function.code[n])
    return found


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions first..last run one after the other. `after` are the blocks that can follow."""

    first: int
    last: int
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop: its blocks, the header among them; `back` are the last instructions of the blocks that jump back
    to the header. `regular` is false where the header does not dominate the loop (a jump into its middle)."""

    header: int
    blocks: frozenset[int]
    back: frozenset[int]
    regular: bool = True


class Flow:
    """Computed once per function. Blocks that nothing reaches are left out of the orders and loops."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.blocks = _blocks(function)
        self.order = self._reverse_postorder()
        self._place = {n: i for i, n in enumerate(self.order)}
        self.before: dict[int, list[int]] = {n: [] for n in self.order}
        for n in self.order:
            for m in self.blocks[n].after:
                self.before[m].append(n)
        self.dominator = self._dominators()

    def _reverse_postorder(self) -> list[int]:
        if not self.blocks:
            return []
        done: list[int] = []
        seen = {0}
        stack = [(0, iter(self.blocks[0].after))]
        while stack:
            node, rest = stack[-1]
            for m in rest:
                if m not in seen:
                    seen.add(m)
                    stack.append((m, iter(self.blocks[m].after)))
                    break
            else:
                done.append(node)
                stack.pop()
        return done[::-1]

    def _dominators(self) -> dict[int, int]:
        """Immediate dominators (Cooper, Harvey, Kennedy)."""
        immediate = {self.order[0]: self.order[0]} if self.order else {}
        changed = True
        while changed:
            changed = False
            for n in self.order[1:]:
                known = [p for p in self.before[n] if p in immediate]
                new = known[0]
                for p in known[1:]:
                    new = self._meet(immediate, new, p)
                if immediate.get(n) != new:
                    immediate[n] = new
                    changed = True
        return immediate

    def _meet(self, immediate: dict[int, int], a: int, b: int) -> int:
        while a != b:
            while self._place[a] > self._place[b]:
                a = immediate[a]
            while self._place[b] > self._place[a]:
                b = immediate[b]
        return a

    def block_of(self, index: int) -> int:
        """The block that an instruction is in."""
        return next(n for n, b in enumerate(self.blocks) if b.first <= index <= b.last)

    def dominates(self, a: int, b: int) -> bool:
        while b != a and b != self.order[0]:
            b = self.dominator[b]
        return a == b

    def loops(self) -> list[Loop]:
        """Loops with the same header are one. Inner loops come before the loops around them."""
        back: dict[int, list[int]] = {}
        for n in self.order:
            for m in self.blocks[n].after:
                if self._place[m] <= self._place[n]:
                    back.setdefault(m, []).append(n)
        found = []
        for header, tails in back.items():
            regular = all(self.dominates(header, t) for t in tails)
            inside = self._body(header, tails) if regular else frozenset({header, *tails})
            found.append(Loop(header, inside, frozenset(self.blocks[t].last for t in tails), regular))
        return sorted(found, key=lambda loop: (len(loop.blocks), loop.header))

    def _body(self, header: int, tails: list[int]) -> frozenset[int]:
        inside = {header}
        todo = list(tails)
        while todo:
            n = todo.pop()
            if n not in inside:
                inside.add(n)
                todo += self.before[n]
        return frozenset(inside)

    def live(self, at_end: int = 0) -> dict[int, int]:
        """For each block, the registers whose value somebody may still read at its start, as a bit set. `at_end`: those
        that are looked at when the function has ended."""
        needs, kills = {}, {}
        for n in self.order:
            needs[n], kills[n] = self._block_uses(n)
        live = dict.fromkeys(self.order, 0)
        changed = True
        while changed:
            changed = False
            for n in reversed(self.order):
                out = 0 if self.blocks[n].after else at_end
                for m in self.blocks[n].after:
                    out |= live[m]
                new = needs[n] | (out & ~kills[n])
                if new != live[n]:
                    live[n], changed = new, True
        return live

    def _block_uses(self, n: int) -> tuple[int, int]:
        needs = kills = 0
        block = self.blocks[n]
        for instruction in self.function.code[block.first : block.last + 1]:
            for operand in used(instruction):
                if isinstance(operand, Reg) and not kills >> operand.index & 1:
                    needs |= 1 << operand.index
            for register in defined(instruction):
                kills |= 1 << register.index
        return needs, kills

    def number_before(self, block: int, register: int) -> int | None:
        """The number that a register holds whenever control comes to a block, where every way to it sets it to that
        same number last."""
        numbers: set[int | None] = set() if block != 0 else {None}  # nobody has set it where a function begins
        seen: set[int] = set()
        todo = list(self.before[block])
        while todo:
            n = todo.pop()
            if n in seen:
                continue
            seen.add(n)
            code = self.function.code[self.blocks[n].first : self.blocks[n].last + 1]
            last = next((i for i in reversed(code) if Reg(register) in defined(i)), None)
            if last is not None or n == 0:
                numbers.add(_moved(last))
            else:
                todo += self.before[n]
        return numbers.pop() if len(numbers) == 1 else None

    def position(self, loop: Loop) -> Position | None:
        """Where a person would say that the loop stands: the first place among the beginning of its header (or else of
        any of its blocks) and the jumps back to it, which compilers put where the loop is written."""
        code = self.function.code
        back = [at for n in loop.back if (at := code[n].at) is not None and at.line]
        for blocks in ([loop.header], sorted(loop.blocks)):
            inside = [i for n in blocks for i in code[self.blocks[n].first : self.blocks[n].last + 1]]
            known = [i.at for i in inside if i.at is not None and i.at.line]
            if known:
                return min([known[0], *(at for at in back if at.file == known[0].file)])
        return None


def joins(function: Function) -> dict[int, int]:
    """For each branch the first instruction that every way from it reaches: where what it decided ends. Branches whose
    ways never meet again are left out. A way that a bound of ours cuts off would have gone on: it meets all others. By
    sets of post-dominators: meant for the few branches of one function."""
    count = len(function.code)
    after = {i: successors(i, instruction) for i, instruction in enumerate(function.code)}
    everything = (1 << count + 1) - 1
    reached = [everything] * count + [1 << count]  # the last stands for the end of the function
    changed = True
    while changed:
        changed = False
        for i in reversed(range(count)):
            met = everything
            for s in () if _is_cut(function.code[i]) else after[i] or (count,):
                met &= reached[s]
            met |= 1 << i
            changed |= met != reached[i]
            reached[i] = met
    found = {}
    for i, following in after.items():
        others = reached[i] & ~(1 << i) & ~(1 << count)
        if len(following) > 1 and others:
            candidates = [j for j in range(count) if others >> j & 1]
            found[i] = max(candidates, key=lambda j: (reached[j] & others).bit_count())
    return found


def _is_cut(i: Instruction) -> bool:
    return isinstance(i, Fail) and i.kind in BOUNDS


def _moved(i: Instruction | None) -> int | None:
    """The number that an instruction puts into its register."""
    if isinstance(i, Compute) and i.op is Op.MOV and isinstance(i.args[0], Const):
        return compute(i.op, i.width, (to_unsigned(i.args[0].value),))
    return None


def _blocks(function: Function) -> list[Block]:
    code = function.code
    starts = {0}
    for index, instruction in enumerate(code):
        if isinstance(instruction, _NO_FALL):
            starts |= {*jump_targets(instruction), index + 1}
    ordered = sorted(s for s in starts if s < len(code))
    number = {s: n for n, s in enumerate(ordered)}
    blocks = []
    for n, first in enumerate(ordered):
        last = (ordered[n + 1] if n + 1 < len(ordered) else len(code)) - 1
        after = dict.fromkeys(number[t] for t in successors(last, code[last]) if t < len(code))
        blocks.append(Block(first, last, tuple(after)))
    return blocks
