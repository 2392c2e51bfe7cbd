"""Loops that only wait.

A loop whose iterations do nothing but read one location again becomes an `Await`, one that only tries a
compare-exchange again becomes a `BlockingCas`. Every other loop that reads shared memory gets a `SpinHead`, where the
machine notices an iteration that changed nothing and blocks the thread. An iteration without effect can be left out of
any execution, so this changes how many executions there are and never what can be observed. The same goes for an
iteration that adds something and takes it back, where nobody saw it in between.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import (
    Await,
    BlockingCas,
    Call,
    Cas,
    Compute,
    Instruction,
    Join,
    Load,
    Mode,
    Op,
    Rmw,
    RmwOp,
    SpinHead,
)
from fencepost.program.operands import Const, Operand, Position, Reg
from fencepost.program.passes.flags import takes_flag, writes_only_bits
from fencepost.program.passes.flow import Flow, Loop, goes_back
from fencepost.program.passes.iteration import SUCCESS, Test, find_iteration
from fencepost.program.passes.rewrite import inside, map_functions, rebuild, retarget, used
from fencepost.program.program import Function, Program
from fencepost.records import replace

_READS = (Load, Cas, Rmw, Call, Join, Await, BlockingCas)


def find_spins(program: Program, *, undo: bool = False, whole: frozenset[Position] = frozenset()) -> Program:
    """The program with its waiting loops made explicit. Synchronisation should be lowered before. `undo`: the engine
    knows iterations that add something and take it back. `whole`: loops that keep all their iterations."""
    observed = observed_registers(program)

    def find(f: Function) -> Function:
        seen = observed.get(f.name, frozenset())
        return _find(_drop_unused(f, seen) if undo else f, seen, undo, only_bits, whole=whole)

    only_bits = cache(lambda: writes_only_bits(program))
    return map_functions(program, find)


def find_waits(program: Program) -> Program:
    """The program with the loops that do nothing but wait for one location made blocking, and all others as they are.
    Synchronisation should be lowered before."""
    observed = observed_registers(program)
    only_bits = cache(lambda: writes_only_bits(program))
    return map_functions(program, lambda f: _find(f, observed.get(f.name, frozenset()), False, only_bits, heads=False))


def observed_registers(program: Program) -> dict[str, frozenset[int]]:
    """The registers of each function that somebody looks at when it has ended."""
    threads = {t.name: t.function for t in program.threads}
    finals = [o.what for o in program.observations if isinstance(o.what, FinalRegister)]
    seen = {(threads[w.thread], w.register) for w in finals}
    return {
        f.name: frozenset(n for n, name in enumerate(f.registers) if (f.name, name) in seen) for f in program.functions
    }


def _drop_unused(function: Function, observed: frozenset[int]) -> Function:
    """Read-modify-writes without a result where nobody looks at it: then what they read makes no difference."""
    code = function.code
    if not any(isinstance(i, Rmw) and i.dst is not None for i in code):
        return function
    read = set(observed)
    while True:
        count = len(read)
        for i in code:
            if not isinstance(i, Compute) or i.dst.index in read:
                read |= {o.index for o in used(i) if isinstance(o, Reg)}
        if len(read) == count:
            break
    dropped = [
        replace(i, dst=None) if isinstance(i, Rmw) and i.dst is not None and i.dst.index not in read else i
        for i in code
    ]
    return replace(function, code=tuple(dropped))


def _find(
    function: Function,
    observed: frozenset[int],
    undo: bool,
    only_bits: Callable[[], bool],
    heads: bool = True,
    whole: frozenset[Position] = frozenset(),
) -> Function:
    if not goes_back(function):
        return function
    flow = Flow(function)
    loops = [loop for loop in flow.loops() if not _found_before(flow, loop)]
    if not loops:
        return function
    parts: dict[int, list[Instruction]] = {}
    others: list[Loop] = []
    live = flow.live(sum(1 << r for r in observed))
    for loop in loops:
        waiting = _waiting(flow, loop, live, only_bits)
        if waiting is not None:
            parts[waiting[0]] = waiting[1]
        elif heads and flow.position(loop) not in whole and any(isinstance(i, _READS) for i in _code(flow, loop)):
            others.append(loop)
    for loop in others:
        for place in sorted({loop.header, _place_of_least_memory(flow, loop, loops, live)}):
            _add_head(flow, loop, place, live, undo, parts)
    return rebuild(function, parts) if parts else function


def _found_before(flow: Flow, loop: Loop) -> bool:
    """Whether this pass has seen the loop already: a second head would take the first one's visit for an iteration."""
    place = flow.position(loop)
    for i in _code(flow, loop):
        if isinstance(i, SpinHead) and i.at == place:
            return True
        if isinstance(i, Await | BlockingCas) and i.spin is not None and i.spin == _place_of_wait(flow, loop, i):
            return True
    return False


def _place_of_wait(flow: Flow, loop: Loop, access: Instruction) -> Position:
    return flow.position(loop) or access.at or Position("", 0)


def _code(flow: Flow, loop: Loop) -> list[Instruction]:
    blocks = [flow.blocks[n] for n in loop.blocks]
    return [i for b in blocks for i in flow.function.code[b.first : b.last + 1]]


def _place_of_least_memory(flow: Flow, loop: Loop, loops: list[Loop], live: dict[int, int]) -> int:
    """Iterations are compared at the header and here: in a block that each of them passes once, of those the one where
    the thread remembers least. `a = x; while (a) a = x;` has forgotten `a` when it begins to read again; where a first
    test stands before the loop, the header is reached once more before any memory can be compared here."""
    if not loop.regular:
        return loop.header
    inner = {n for other in loops if other.header in loop.blocks and other.header != loop.header for n in other.blocks}
    ends = [flow.block_of(last) for last in loop.back]
    passed = [n for n in loop.blocks - inner if all(flow.dominates(n, end) for end in ends)]
    return min(passed, key=lambda n: (live[n].bit_count(), n != loop.header, n), default=loop.header)


def _add_head(
    flow: Flow, loop: Loop, place: int, live: dict[int, int], undo: bool, parts: dict[int, list[Instruction]]
) -> None:
    first = flow.blocks[place].first
    if any(isinstance(i, SpinHead) for i in parts.get(first, ())):
        return  # of two heads at one place the second would take the first one's visit for an iteration
    kept = tuple(Reg(k) for k in range(len(flow.function.registers)) if live[place] >> k & 1)
    behind = parts.get(first, [flow.function.code[first]])
    moved = [retarget(i, lambda t: t if t >= 0 else inside(-t)) for i in behind]
    parts[first] = [SpinHead(kept, first, undo, at=flow.position(loop)), *moved]


def _waiting(
    flow: Flow, loop: Loop, live: dict[int, int], only_bits: Callable[[], bool]
) -> tuple[int, list[Instruction]] | None:
    """The access of a loop that does nothing else, and what to put in its place."""
    if not loop.regular:
        return None
    iteration = find_iteration(flow, loop, live)
    if iteration is None:
        return None
    access = flow.function.code[iteration.access]
    if isinstance(access, Rmw) and not takes_flag(flow.function, access, only_bits):
        return None
    code = _wait_for(access, iteration.leaves, iteration.operand, _place_of_wait(flow, loop, access))
    if code and isinstance(code[0], Await):
        code[0] = replace(code[0], forgets=iteration.forgets)
    return None if code is None else (iteration.access, code)


def _wait_for(access: Instruction, leaves: Test, operand: Operand | None, loop: Position) -> list[Instruction] | None:
    match access:
        case Load(exclusive=False) if access.mode is not Mode.NA and operand is not None:
            return _await(access, leaves, operand, loop)
        case Cas() if leaves.left == SUCCESS and (leaves.op, operand) == (Op.NE, Const(0)):
            code: list[Instruction] = [
                BlockingCas(
                    access.address, access.expected, access.desired, access.size, access.mode, spin=loop, at=access.at
                )
            ]
            for register, value in ((access.old, access.expected), (access.success, Const(1))):
                if register is not None:
                    code.append(Compute(register, (value,), Op.MOV, 8 * access.size, at=access.at))
            return code
        case Rmw(op=RmwOp.XCHG, size=1, value=Const(1)) if _was_clear(leaves, operand):
            taken = BlockingCas(access.address, Const(0), Const(1), 1, access.mode, spin=loop, at=access.at)
            if access.dst is None:
                return [taken]
            return [taken, Compute(access.dst, (Const(0),), Op.MOV, at=access.at)]
    return None


def _was_clear(leaves: Test, operand: Operand | None) -> bool:
    """Whether the loop is left exactly where a flag, which is 0 or 1, was clear."""
    return (leaves.op, operand) in ((Op.EQ, Const(0)), (Op.NE, Const(1)))


def _await(access: Load, leaves: Test, operand: Operand, loop: Position) -> list[Instruction] | None:
    """An await compares at the width of the access, so a narrower test must be a mask and a wider one unsigned."""
    width, mask = 8 * access.size, leaves.mask
    if leaves.width < width:
        if leaves.op not in (Op.EQ, Op.NE) or not isinstance(operand, Const):
            return None
        narrow = (1 << leaves.width) - 1
        mask = narrow if mask is None else mask & narrow
        operand = Const(operand.value & narrow)
    elif leaves.width > width:
        fits = isinstance(operand, Const) and 0 <= operand.value < 1 << width
        if leaves.op.value.startswith("s") or not fits:
            return None
    return [
        Await(access.dst, access.address, operand, None if mask is None else Const(mask), leaves.op, access.size,
              access.mode, loop, at=access.at)
    ]  # fmt: skip
