"""Operations of a library that take an order, one copy per call.

`flag.store(1, std::memory_order_relaxed)` is a call into `<atomic>`, where one store instruction serves all callers. A
change at one call must not change the others, so each call gets its own copy of what it calls.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.program.instructions import Call, Instruction, Mode
from fencepost.program.operands import FunctionAddress, Position
from fencepost.program.program import Function, Program
from fencepost.records import dataclass, replace
from fencepost.repair.lattice import is_access
from fencepost.repair.space import Spot
from fencepost.witness.sites import foreign

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Copied:
    """The program with the copies, and the atomic accesses that each call (by its place) now has for itself."""

    program: Program
    spots: dict[Position, tuple[Spot, ...]]


def copy_per_call(program: Program, takes_order: Callable[[Position], bool]) -> Copied:
    """Copies for the calls at places of the source that `takes_order` names."""
    by_name = {f.name: f for f in program.functions}
    functions = list(program.functions)
    spots: dict[Position, list[Spot]] = {}

    def copy(name: str, at: Position, depth: int) -> str:
        """A copy of a library function for this call, with copies of all that it calls."""
        original = by_name[name]
        number = len(functions)
        functions.append(original)  # keeps the place
        code: list[Instruction] = []
        for index, i in enumerate(original.code):
            callee = _library_callee(i, by_name)
            if callee is not None and depth < _DEEPEST:
                i = replace(i, callee=FunctionAddress(copy(callee, at, depth + 1)))  # type: ignore[call-arg] # a Call
            elif is_access(i) and i.mode is not Mode.NA:  # type: ignore[attr-defined] # an access
                spots.setdefault(at, []).append((number, index))
            code.append(i)
        new = f"{name}.{number}"
        functions[number] = replace(original, name=new, code=tuple(code))
        return new

    for number, function in enumerate(program.functions):
        if foreign(function.at):
            continue
        code = list(function.code)
        for index, i in enumerate(code):
            callee = _library_callee(i, by_name)
            if callee is not None and i.at is not None and not foreign(i.at) and takes_order(i.at):
                code[index] = replace(i, callee=FunctionAddress(copy(callee, i.at, 0)))  # type: ignore[call-arg]
        functions[number] = replace(function, code=tuple(code))
    return Copied(replace(program, functions=tuple(functions)), {at: tuple(s) for at, s in spots.items()})


def _library_callee(i: Instruction, by_name: dict[str, Function]) -> str | None:
    if not isinstance(i, Call) or not isinstance(i.callee, FunctionAddress):
        return None
    callee = by_name.get(i.callee.name)
    return callee.name if callee is not None and foreign(callee.at) else None
