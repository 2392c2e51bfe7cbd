"""Which functions use nothing by which the threads that run them could be told apart. Two threads that run such a
function on equal arguments do the same, whatever they are called: the explorer needs to visit only one of the
executions that differ in their names (docs/how/reductions.md).

Refused are `self`, thread-local memory, memory that others may see the address of, starting and joining threads, calls
of unknown functions, and condition variables, whose set of waiting threads is kept by number. A mutex may keep its
owner by number: it only compares it with the thread itself, and where the program may read the bytes of a mutex as
data, every thread can be told apart. Everything here errs towards "can be told apart".
"""

from __future__ import annotations

from fencepost.program.condition import FinalMemory
from fencepost.program.instructions import (
    Alloca,
    Assert,
    Assume,
    Await,
    BlockingCas,
    Branch,
    Call,
    Cas,
    Choose,
    Compute,
    Exit,
    Fail,
    Fence,
    Instruction,
    Jump,
    Load,
    Op,
    Return,
    Rmw,
    SpinHead,
    Store,
    Switch,
    Sync,
    SyncOp,
)
from fencepost.program.operands import FunctionAddress, GlobalAddress, Operand, Reg
from fencepost.program.passes.rewrite import used
from fencepost.program.program import Function, Program

_KINDS = (
    Alloca, Assert, Assume, Await, BlockingCas, Branch, Call, Cas, Choose, Compute, Exit, Fail, Fence, Jump, Load,
    Return, Rmw, SpinHead, Store, Switch, Sync,
)  # fmt: skip

_SYNCS = frozenset({
    SyncOp.MUTEX_LOCK, SyncOp.MUTEX_TRYLOCK, SyncOp.MUTEX_UNLOCK, SyncOp.RWLOCK_RDLOCK, SyncOp.RWLOCK_WRLOCK,
    SyncOp.RWLOCK_TRYRDLOCK, SyncOp.RWLOCK_TRYWRLOCK, SyncOp.RWLOCK_UNLOCK, SyncOp.BARRIER_WAIT, SyncOp.SEM_WAIT,
    SyncOp.SEM_TRYWAIT, SyncOp.SEM_POST, SyncOp.SEM_GETVALUE, SyncOp.ONCE,
})  # fmt: skip

#: The address of private memory tells its thread in its upper half; these could bring that to light.
_REVEALING = frozenset({Op.MUL, Op.OR, Op.AND, Op.XOR, Op.LSHR, Op.ASHR, Op.UDIV, Op.UREM, Op.SDIV, Op.SREM})
_HALF = 32

#: A function whose threads can be told apart.
KNOWN = -1


def anonymous(program: Program) -> dict[str, int]:
    """By function: the set of parameters that it uses, as bits; KNOWN where its threads can be told apart. pre: nothing
    is lowered yet, so that what the library does with `self` is not taken for the program's own."""
    functions = {f.name: f for f in program.functions}
    if _sees_owners(program):
        return dict.fromkeys(functions, KNOWN)
    return {f.name: _used(f) if _is_anonymous(f, functions) else KNOWN for f in program.functions}


#: Those that keep who holds them.
_OWNED = frozenset({
    SyncOp.MUTEX_LOCK, SyncOp.MUTEX_TRYLOCK, SyncOp.RWLOCK_WRLOCK, SyncOp.RWLOCK_TRYWRLOCK, SyncOp.RWLOCK_RDLOCK,
    SyncOp.RWLOCK_TRYRDLOCK,
})  # fmt: skip
_LARGEST_LOCK = 64  # bytes
_READS = (Load, Await, Cas, Rmw, BlockingCas)


def _sees_owners(program: Program) -> bool:
    """Whether something other than the library may read, or observe, the bytes of a lock."""
    code = [i for f in program.functions for i in f.code]
    locks = {i.args[0] for i in code if isinstance(i, Sync) and i.op in _OWNED}
    if not locks:
        return False
    direct = {lock for lock in locks if isinstance(lock, GlobalAddress)}
    names = {lock.name for lock in direct}
    if any(isinstance(o.what, FinalMemory) and o.what.object in names for o in program.observations):
        return True
    reads = [i for i in code if isinstance(i, _READS)]
    if any(isinstance(i.address, GlobalAddress) and any(_meets(i.address, lock) for lock in direct) for i in reads):
        return True
    hidden = len(direct) < len(locks) or _is_taken(program, code, names)
    return hidden and any(not isinstance(i.address, GlobalAddress) for i in reads)


def _meets(address: GlobalAddress, lock: GlobalAddress) -> bool:
    return address.name == lock.name and -8 < address.offset - lock.offset < _LARGEST_LOCK


def _is_taken(program: Program, code: list[Instruction], names: set[str]) -> bool:
    """Whether the address of an object with a lock is more than the place of an access or the name of the lock."""
    kept: list[Operand] = [v.value for o in program.objects for v in o.init]
    for i in code:
        if not isinstance(i, Sync):
            own = getattr(i, "address", None)
            kept += [o for o in used(i) if o is not own]
    return any(isinstance(o, GlobalAddress) and o.name in names for o in kept)


def _is_anonymous(function: Function, functions: dict[str, Function]) -> bool:
    reached = _reached(function, functions)
    if reached is None:
        return False
    code = [i for f in reached for i in f.code]
    if not all(_is_harmless(i) for i in code):
        return False
    return not (any(isinstance(i, Alloca) for i in code) and any(_reveals(i) for i in code))


def _reached(function: Function, functions: dict[str, Function]) -> list[Function] | None:
    """The function and all that it calls; None where that is not known."""
    found, todo = {function.name: function}, [function]
    while todo:
        for i in todo.pop().code:
            for callee in _callees(i):
                if not isinstance(callee, FunctionAddress) or callee.name not in functions:
                    return None
                if callee.name not in found:
                    found[callee.name] = functions[callee.name]
                    todo.append(functions[callee.name])
    return list(found.values())


def _callees(i: Instruction) -> tuple[Operand, ...]:
    if isinstance(i, Call):
        return (i.callee,)
    return (i.args[1],) if isinstance(i, Sync) and i.op is SyncOp.ONCE else ()


def _is_harmless(i: Instruction) -> bool:
    if isinstance(i, Sync):
        return i.op in _SYNCS
    return isinstance(i, _KINDS) and (not isinstance(i, Alloca) or i.private)


def _reveals(i: Instruction) -> bool:
    return isinstance(i, Compute) and i.op in _REVEALING and i.width > _HALF


def _used(function: Function) -> int:
    """The parameters that some instruction reads."""
    found = 0
    for i in function.code:
        for operand in used(i):
            if isinstance(operand, Reg) and operand.index < function.parameters:
                found |= 1 << operand.index
    return found
