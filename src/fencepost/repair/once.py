"""What a program does not show because it uses its lock only once.

The fewest orders for a lock that each thread takes once may be too few for a lock that is taken again: Peterson's lock
under tso is mended by less where nobody comes back. `repair` and the fix of a witness both say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fencepost.execution.execution import Event
from fencepost.program.instructions import Await, BlockingCas, Instruction, Join, Mode, SpinHead, Sync
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.repair.lattice import is_access
from fencepost.repair.sources import language_of
from fencepost.verdict import Witness

CAUTION = (
    "each thread uses the lock or barrier once only, and it may need more where it is used again: test it with two uses"
    " in each thread"
)


def used_once(program: Program, pool: Sequence[Witness]) -> list[str]:
    """The caution, where the executions that were looked at show a lock, and none of them takes it twice. `program`:
    before its passes, which make waits of calls to the library."""
    library = {i.at for f in program.functions for i in f.code if isinstance(i, Sync | Join)}
    if any(_writes_again(w) for w in pool):
        return []
    return [CAUTION] if any(_locks(w, library) for w in pool) else []


def _locks(witness: Witness, library: set[Position | None]) -> bool:
    """Two threads wait for each other: at the same place and each writes something atomic, or each for what the other
    writes. Or one waits for a place that another one writes twice: it goes in and out. Who only waits for a message
    takes no lock."""
    waits = {at for at in _waits(witness.program) if at not in library and _own(at)}
    events = [e for e in witness.execution.events if e.thread >= 0 and e.is_access and e.mode is not Mode.NA]
    waited = {t: [e for e in events if e.thread == t and e.at in waits] for t in {e.thread for e in events}}
    written = {t: [e for e in events if e.thread == t and e.is_write and _own(e.at)] for t in waited}
    threads = [t for t in waited if waited[t] and written[t]]
    both = any(
        {e.at for e in waited[s]} & {e.at for e in waited[t]}
        or (_meet(waited[s], written[t]) and _meet(waited[t], written[s]))
        for s in threads for t in threads if s < t
    )  # fmt: skip
    return both or any(_meet(waited[s], written[t]) > 1 for s in threads for t in written if s != t)


def _meet(reads: Iterable[Event], writes: Sequence[Event]) -> int:
    """How many writes there are to a place that is read."""
    return max((sum(r.same_place(w) for w in writes) for r in reads), default=0)


def _waits(program: Program | None) -> Iterable[Position | None]:
    """Where threads wait: of a loop, what it reads first."""
    for function in program.functions if program is not None else ():
        for index, i in enumerate(function.code):
            if isinstance(i, Await | BlockingCas):
                yield i.at
            elif isinstance(i, SpinHead):
                yield _first_access(function.code[index:])


def _first_access(code: Sequence[Instruction]) -> Position | None:
    return next((i.at for i in code if is_access(i)), None)


def _own(at: Position | None) -> bool:
    return at is not None and language_of(at.file) is not None


def _writes_again(witness: Witness) -> bool:
    seen: set[tuple[int, Position | None]] = set()
    for e in witness.execution.events:
        if e.is_write and e.thread >= 0 and e.mode is not Mode.NA:
            key = (e.thread, e.at)
            if key in seen:
                return True
            seen.add(key)
    return False
