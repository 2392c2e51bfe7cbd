"""<threads.h>, and the threads of programs for verifiers."""

from __future__ import annotations

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.library import pthread
from fencepost.frontends.c.library import sync as common
from fencepost.frontends.c.library.endings import spawned
from fencepost.frontends.c.library.stdlib import constant
from fencepost.frontends.c.library.sync import EBUSY, ETIMEDOUT, mutex, replaced, wait
from fencepost.frontends.c.site import Handler, Site
from fencepost.program import instructions as ins
from fencepost.program.instructions import Op, SyncOp
from fencepost.program.operands import Const, Operand

_BUSY, _ERROR, _TIMEDOUT = 1, 2, 4  # thrd_busy, thrd_error, thrd_timedout
_CODES = ((EBUSY, _BUSY), (ETIMEDOUT, _TIMEDOUT), (35, _ERROR))


def create(b: Body, s: Site) -> Operand:
    common.spawn(b, s[0], s[1], s[2])
    return ZERO


def join(b: Body, s: Site) -> Operand:
    common.join(b, s[0], s[1], 4)
    return ZERO


def mutex_init(b: Body, s: Site) -> Operand:
    kind = s[1]
    recursive = Const(kind.value & 1) if isinstance(kind, Const) else b.compute(Op.AND, kind, Const(1))
    return common.mutex_init(b, s[0], recursive)


def on_mutex(op: SyncOp) -> Handler:
    return lambda b, s: replaced(b, mutex(b, op, s[0]), *_CODES)


def timed_lock(b: Body, s: Site) -> Operand:
    return replaced(b, mutex(b, SyncOp.MUTEX_TRYLOCK, s[0]), (EBUSY, _TIMEDOUT))


def timed_wait(b: Body, s: Site) -> Operand:
    return replaced(b, wait(b, SyncOp.COND_TIMEDWAIT, s[0], s[1]), *_CODES)


# --- programs for verifiers


def spawn_thread(b: Body, s: Site) -> Operand:
    """__VERIFIER_spawn(function, argument)"""
    thread = b.fresh("thread")
    first, args = spawned(b, s[0], s[1])
    b.emit(ins.Spawn(thread, first, args))
    return thread


def join_thread(b: Body, s: Site) -> Operand:
    result = b.fresh("result")
    b.emit(ins.Join(result, s[0]))
    return result


def thread_number(b: Body, s: Site) -> Operand:
    me = b.fresh("me")
    b.emit(ins.Self(me))
    return b.truncate(me, 32)


FUNCTIONS: dict[str, Handler] = {
    "__VERIFIER_spawn": spawn_thread, "__VERIFIER_join": join_thread, "__VERIFIER_tid": thread_number,
    "thrd_create": create, "thrd_join": join, "thrd_current": pthread.self_,
    "thrd_equal": pthread.equal, "thrd_yield": constant(0), "thrd_sleep": constant(0), "thrd_detach": constant(0),
    "mtx_init": mutex_init, "mtx_lock": on_mutex(SyncOp.MUTEX_LOCK), "mtx_trylock": on_mutex(SyncOp.MUTEX_TRYLOCK),
    "mtx_timedlock": timed_lock, "mtx_unlock": on_mutex(SyncOp.MUTEX_UNLOCK),
    "mtx_destroy": pthread.plain(SyncOp.MUTEX_DESTROY),
    "cnd_init": pthread.plain(SyncOp.COND_INIT), "cnd_signal": pthread.plain(SyncOp.COND_SIGNAL),
    "cnd_broadcast": pthread.plain(SyncOp.COND_BROADCAST), "cnd_destroy": constant(0),
    "cnd_wait": lambda b, s: wait(b, SyncOp.COND_WAIT, s[0], s[1]), "cnd_timedwait": timed_wait,
    "call_once": pthread.plain(SyncOp.ONCE, 1),
    "tss_create": pthread.key_create, "tss_get": pthread.get_specific, "tss_set": pthread.set_specific,
    "tss_delete": constant(0),
}  # fmt: skip
