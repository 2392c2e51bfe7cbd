"""What the orders of a C program ask for, beside what a model of release and acquire gives them."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.program.instructions import Await, BlockingCas, Cas, Fence, Instruction, Load, Mode, Rmw, Store
from fencepost.program.operands import Position
from fencepost.program.program import Arch, Program
from fencepost.robustness.prepare import passes

_READS = frozenset({Mode.ACQ, Mode.ACQ_REL, Mode.SC})
_WRITES = frozenset({Mode.REL, Mode.ACQ_REL, Mode.SC})


def weaker_than_ra(program: Program) -> tuple[Position, ...]:
    """Where a C program, library calls included, has atomic accesses that RC11 leaves more freedom than release/acquire
    does: relaxed ones, and read-modify-writes that do not both acquire and release. Seq-cst accesses have less: for
    them release/acquire is on the safe side. The unadorned accesses of a pseudo-code program mean whatever the model
    makes of them."""
    return _where(program, _weaker)


def stronger_than_ra(program: Program) -> tuple[Position, ...]:
    """Where a C program has seq-cst accesses."""
    return _where(program, lambda i: not isinstance(i, Fence) and getattr(i, "mode", None) is Mode.SC)


def needed(program: Program) -> str:
    """The model to ask where nobody names one. For C that is RC11; where a program has nothing but release and acquire
    accesses, release/acquire means the same and its monitor is smaller."""
    if program.arch is Arch.C11 and (weaker_than_ra(program) or stronger_than_ra(program)):
        return "rc11"
    return "tso" if program.arch is Arch.X86 else "ra"


def _where(program: Program, wanted: Callable[[Instruction], bool]) -> tuple[Position, ...]:
    if program.arch is not Arch.C11:
        return ()
    lowered = passes(program, "rc11")
    found = {i.at for f in lowered.functions for i in f.code if i.at is not None and wanted(i)}
    return tuple(sorted(found, key=lambda at: (at.file, at.line, at.column)))


def _weaker(i: Instruction) -> bool:
    if isinstance(i, Load | Await):
        return i.mode is not Mode.NA and i.mode not in _READS
    if isinstance(i, Store):
        return i.mode is not Mode.NA and i.mode not in _WRITES
    if isinstance(i, Cas):
        return i.mode not in _READS & _WRITES or i.failure not in _READS
    if isinstance(i, BlockingCas) and i.lock:
        return False  # nobody but its holder reads what a lock writes, unless by an exchange, which is judged itself
    return isinstance(i, Rmw | BlockingCas) and i.mode not in _READS & _WRITES
