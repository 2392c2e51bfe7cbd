"""What of a thread's registers counts as its state: what it may still read, and what stands in them at its end.

A register that is written again before anybody reads it tells nobody that an old value was seen. So the repetitions
of a busy loop do not make a new state, and what only they could show is harmless.
"""

from __future__ import annotations

from fencepost.program.instructions import Exit, Return
from fencepost.program.interpret import ThreadState
from fencepost.program.operands import Reg
from fencepost.program.passes.flow import successors
from fencepost.program.passes.rewrite import defined, used
from fencepost.program.program import Function


def is_named(register: str) -> bool:
    """Whether a register is one of the program's and not a temporary of its translation."""
    return register[0].isalpha() and "'" not in register and register != "retval"


class Forgetting:
    """Zeroes the registers of a thread that do not count any more."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, bool], list[int]] = {}

    def __call__(self, state: ThreadState) -> None:
        for depth, frame in enumerate(state.frames):
            table = self._table(frame.function, depth == 0)
            kept = table[frame.pc]
            if frame is not state.frames[-1] and frame.pc:
                kept |= table[frame.pc - 1]  # the call itself: what it reads does no harm
            for k in range(len(frame.values)):
                if not kept >> k & 1:
                    frame.values[k] = 0

    def _table(self, function: Function, first: bool) -> list[int]:
        key = (function.name, first)
        if key not in self._tables:
            self._tables[key] = live_before(function, shown_at_end=first)
        return self._tables[key]


def live_before(function: Function, *, shown_at_end: bool) -> list[int]:
    """For each instruction, the registers that may still be read when it comes next, as a bit set."""
    end = sum(1 << k for k, name in enumerate(function.registers) if shown_at_end and is_named(name))
    live = [0] * (len(function.code) + 1)
    changed = True
    while changed:
        changed = False
        for index in range(len(function.code) - 1, -1, -1):
            i = function.code[index]
            out = end if isinstance(i, Return | Exit) else 0
            for following in successors(index, i):
                out |= live[following]
            for register in defined(i):
                out &= ~(1 << register.index)
            for operand in used(i):
                if isinstance(operand, Reg):
                    out |= 1 << operand.index
            if out != live[index]:
                live[index], changed = out, True
    return live
