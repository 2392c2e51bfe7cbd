"""Turns every `Sync` into reads, writes and awaits on the memory of its object.

What each operation does is written in the text form, in `synchronisation.fpir` beside this file, one function per
operation; this pass puts the body in the place of the Sync, at its position. Layouts are described there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from fencepost.program.condition import FinalRegister
from fencepost.program.instructions import Call, Compute, Instruction, Sync, SyncOp
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.passes.rewrite import Registers, expand, inline, map_functions, used
from fencepost.program.program import Function, Object, Program
from fencepost.program.reader import read_program
from fencepost.records import dataclass, replace

#: A last operand other than 0 (at this index) is for a mutex that may be recursive or error-checking: its kind is read
#: from memory. Without it a mutex is one word.
_KIND_AT = {
    SyncOp.MUTEX_LOCK: 1, SyncOp.MUTEX_TRYLOCK: 1, SyncOp.MUTEX_UNLOCK: 1, SyncOp.MUTEX_INIT: 1, SyncOp.COND_WAIT: 2,
    SyncOp.COND_TIMEDWAIT: 2,
}  # fmt: skip
_FLYING_AT = 2  # operand of a once whose function may throw: the address of what flies
_WOKEN = "fencepost.woken"  # thread-local: whether the thread was woken for no reason
DESTROYED_MUTEX = 1 << 31  # its word: who wants it waits for ever
_DESTROYED = "fencepost.destroyed"  # thread-local: how many barriers the thread has destroyed
_ON_BARRIERS = (SyncOp.BARRIER_INIT, SyncOp.BARRIER_DESTROY)


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """`spurious_wakeups`: a condition variable may wake a thread for no reason, as POSIX and C++ allow; once.
    `unordered_arrivals`: the explorer takes arrivals at a barrier for unordered, where nobody looks at the result."""

    spurious_wakeups: bool = False
    unordered_arrivals: bool = False


def lower_synchronisation(program: Program, options: Synchronisation = Synchronisation()) -> Program:  # noqa: B008 - immutable
    """The program without a single Sync."""

    def change(function: Function) -> Function:
        if not any(isinstance(i, Sync) for i in function.code):
            return function
        unused = _unused(program, function) if options.unordered_arrivals else frozenset()
        return expand(function, lambda i, registers: _lower(i, registers, options, unused))

    lowered = map_functions(program, change)
    notes = [_WOKEN] if options.spurious_wakeups else []
    if any(isinstance(i, Sync) and i.op in _ON_BARRIERS for f in program.functions for i in f.code):
        notes.append(_DESTROYED)
    known = {o.name for o in program.objects}
    new = tuple(Object(name, 8, 8, (), True) for name in notes if name not in known)
    return replace(lowered, objects=(*lowered.objects, *new)) if new else lowered


#: What may be done with mutexes whose sections need no order.
_SECTIONED = frozenset({SyncOp.MUTEX_LOCK, SyncOp.MUTEX_UNLOCK, SyncOp.MUTEX_INIT, SyncOp.MUTEX_DESTROY})


def may_have_sections(program: Program) -> bool:
    """Whether mutexes are all that synchronises threads, and each is locked and unlocked only."""
    calls = [i for f in program.functions for i in f.code if isinstance(i, Sync)]
    kinds = [i for i in calls if (at := _KIND_AT.get(i.op)) is not None and any(a != Const(0) for a in i.args[at:])]
    return any(i.op is SyncOp.MUTEX_LOCK for i in calls) and not kinds and all(i.op in _SECTIONED for i in calls)


def _unused(program: Program, function: Function) -> frozenset[Reg]:
    """Registers that only go into computations whose results go nowhere."""
    if any(isinstance(o.what, FinalRegister) for o in program.observations):
        return frozenset()
    needed: set[Operand] = set()
    sums = [i for i in function.code if isinstance(i, Compute)]
    for i in function.code:
        if not isinstance(i, Compute):
            needed.update(used(i))
    while fresh := {o for i in sums if i.dst in needed for o in used(i)} - needed:
        needed |= fresh
    return frozenset(Reg(n) for n in range(len(function.registers))) - needed


def _lower(
    i: Instruction, registers: Registers, options: Synchronisation, unused: frozenset[Reg]
) -> Sequence[Instruction]:
    if not isinstance(i, Sync):
        return (i,)
    name = _body_name(i, options)
    if options.unordered_arrivals and i.op is SyncOp.BARRIER_WAIT and (i.dst is None or i.dst in unused):
        name += "_unordered"
    body = bodies()[name]
    args = [*i.args[: body.parameters], *[Const(0)] * (body.parameters - len(i.args))]
    return inline(body, args, i.dst, registers, i.at)


def _body_name(i: Sync, options: Synchronisation) -> str:
    at = _KIND_AT.get(i.op)
    name = i.op.value
    if at is not None and len(i.args) > at and any(a != Const(0) for a in i.args[at:]):
        name += "_kind"
    if i.op is SyncOp.ONCE and len(i.args) > _FLYING_AT:
        name += "_throwing"
    return name + "_spurious" if options.spurious_wakeups and i.op is SyncOp.COND_WAIT else name


@cache
def bodies() -> dict[str, Function]:
    """The library, by name. Calls inside it (one operation made of others) are already put in place."""
    path = Path(__file__).with_name("synchronisation.fpir")
    found = {f.name: f for f in read_program(path.read_text(), str(path)).functions}
    return {name: _flatten(f, found) for name, f in found.items()}


def _flatten(function: Function, library: dict[str, Function]) -> Function:
    def step(i: Instruction, registers: Registers) -> Sequence[Instruction]:
        name = getattr(i.callee, "name", None) if isinstance(i, Call) else None
        if name is None or not isinstance(i, Call):
            return (replace(i, at=None),)
        return inline(_flatten(library[name], library), i.args, i.dst, registers)

    return expand(function, step)
