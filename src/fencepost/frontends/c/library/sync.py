"""How library synchronisation becomes `Sync`, shared by <pthread.h>, <threads.h> and the C++ library."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.library.endings import spawned
from fencepost.program import instructions as ins
from fencepost.program.instructions import Mode, Op, SyncOp
from fencepost.program.operands import Const, Operand

EBUSY, ETIMEDOUT = 16, 110


def sync(b: Body, op: SyncOp, *args: Operand) -> Operand:
    result = b.fresh(op.value)
    b.emit(ins.Sync(result, args, op))
    return result


def kinds(b: Body) -> Operand:
    """The operand that says whether a mutex may be of another kind than normal."""
    return ONE if b.unit.uses_mutex_kinds else ZERO


def mutex_init(b: Body, mutex: Operand, kind: Operand = ZERO) -> Operand:
    return sync(b, SyncOp.MUTEX_INIT, mutex, kind, kinds(b))


def mutex(b: Body, op: SyncOp, address: Operand) -> Operand:
    return sync(b, op, address, kinds(b))


def wait(b: Body, op: SyncOp, condition: Operand, mutex_address: Operand) -> Operand:
    return sync(b, op, condition, mutex_address, kinds(b))


def replaced(b: Body, code: Operand, *pairs: tuple[int, int]) -> Operand:
    """An error code with some codes exchanged for others."""
    for old, new in pairs:
        same = b.compute(Op.EQ, code, Const(old))
        code = b.compute(Op.SELECT, same, Const(new), code)
    return code


def spawn(b: Body, handle: Operand, function: Operand, arg: Operand) -> None:
    """Starts function(arg) and stores the new thread's identifier."""
    thread = b.fresh("thread")
    first, args = spawned(b, function, arg)
    b.emit(ins.Spawn(thread, first, args))
    b.emit(ins.Store(handle, thread, 8, Mode.NA))


def join(b: Body, thread: Operand, where: Operand, size: int) -> None:
    """Waits for the thread, and stores its result where that is not null."""
    result = b.fresh("result")
    b.emit(ins.Join(result, thread))
    if isinstance(where, Const) and where.value == 0:
        return
    store, end = b.label(), b.label()
    b.branch(where, store, end)
    b.mark(store)
    b.emit(ins.Store(where, result, size, Mode.NA))
    b.jump(end)
    b.mark(end)
