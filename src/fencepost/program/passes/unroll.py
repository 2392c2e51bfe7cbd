"""Bounds on loops: each loop counts its iterations in a register, and going beyond the bound is a Fail that says which
loop it was. The code is not copied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fencepost.program.instructions import Branch, Compute, ErrorKind, Fail, Instruction, Jump, Op
from fencepost.program.operands import Const, Position, Reg
from fencepost.program.passes.flow import Flow, Loop
from fencepost.program.passes.rewrite import Registers, inside, map_functions, rebuild
from fencepost.program.program import Function, Program
from fencepost.program.symbols import demangled
from fencepost.records import dataclass, field

#: Functions whose names start so are a front end's own code for a library, whose loops always end: no bound for them.
LIBRARY_PREFIX = "~"
_ENTRY, _AGAIN, _HEADER = 0, 2, 6  # offsets in what stands before a header


@dataclass(frozen=True, slots=True)
class LoopBounds:
    """`default` bounds every loop (None: no bound); `loops` those at a `FILE:LINE` or in a function, by its name. A
    bound is how often a loop may go round again each time that it is entered."""

    default: int | None = None
    loops: Mapping[str, int] = field(default_factory=dict)

    def bound(self, function: Function, at: Position | None) -> int | None:
        return next((self.loops[k] for k in _names(function, at) if k in self.loops), self.default)


def _names(function: Function, at: Position | None) -> list[str]:
    """What a loop may be called, the most precise first."""
    places = [f"{at.file}:{at.line}", f"{at.file.rsplit('/', 1)[-1]}:{at.line}", str(at.line)] if at else []
    return [*places, function.name, demangled(function.name).partition("(")[0]]


def unmatched(program: Program, places: Iterable[str]) -> tuple[list[str], list[str]]:
    """Those of the places at which there is no loop, and the loops that there are."""
    known: set[str] = set()
    loops: list[str] = []
    for function in program.functions:
        if function.name.startswith(LIBRARY_PREFIX):
            continue
        flow = Flow(function)
        for at in map(flow.position, flow.loops()):
            known.update(_names(function, at))
            where = f"{at.file.rsplit('/', 1)[-1]}:{at.line} in " if at is not None else ""
            loops.append(where + demangled(function.name))
    return [p for p in places if p not in known], loops


def unroll(program: Program, bounds: LoopBounds) -> Program:
    """The program with every bounded loop counting."""
    if bounds.default is None and not bounds.loops:
        return program
    return map_functions(program, lambda f: f if f.name.startswith(LIBRARY_PREFIX) else _bound(f, bounds))


def _bound(function: Function, bounds: LoopBounds) -> Function:
    flow = Flow(function)
    registers = Registers(function)
    loops: dict[int, Loop] = {}
    parts: dict[int, list[Instruction]] = {}
    for loop in flow.loops():
        at = flow.position(loop)
        bound = bounds.bound(function, at)
        if bound is not None:
            first = flow.blocks[loop.header].first
            loops[first] = loop
            header = function.code[first]
            parts[first] = [*_counter(registers.fresh(f"loop{first}"), loop, bound, function, at, registers), header]
    if not parts:
        return function

    def entry(source: int, target: int) -> int:
        return _AGAIN if target in loops and source in loops[target].back else _ENTRY

    return rebuild(function, parts, registers, entry)


def _counter(
    count: Reg, loop: Loop, bound: int, function: Function, at: Position | None, registers: Registers
) -> list[Instruction]:
    """What stands before the header: on entry the count starts, on the way back it grows. A loop with several entries
    (jumps into its middle) never starts its count again, so its bound is on the whole call."""
    more = registers.fresh("more")
    where = f"at {at}" if at is not None else f"in {demangled(function.name)}"
    message = f"the loop {where} runs more than {bound} time{'s' * (bound != 1)}: raise its bound to see further"
    start = Op.MOV if loop.regular else Op.ADD
    return [
        Compute(count, (Const(0),) if loop.regular else (count, Const(0)), start, at=at),
        Jump(inside(_HEADER), at=at),
        Compute(count, (count, Const(1)), Op.ADD, at=at),
        Compute(more, (count, Const(bound)), Op.UGT, at=at),
        Branch(more, inside(5), inside(_HEADER), at=at),
        Fail(ErrorKind.LOOP_BOUND, message, bound, at=at),
    ]
