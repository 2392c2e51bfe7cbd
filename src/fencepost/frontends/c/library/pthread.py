"""<pthread.h> and <semaphore.h>."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.exceptions import flying, look
from fencepost.frontends.c.library import sync as common
from fencepost.frontends.c.library.endings import DESTRUCTORS, MAX_KEYS, SPECIFIC
from fencepost.frontends.c.library.stdlib import clears, constant, errno
from fencepost.frontends.c.library.sync import EBUSY, ETIMEDOUT, mutex, replaced, sync, wait
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.undefined import check
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op, RmwOp, SyncOp
from fencepost.program.operands import Const, Operand
from fencepost.program.program import Object

KEYS, JOINED = "fencepost.keys", "fencepost.joined"
_NOTED = 128
_EAGAIN = 11


# --- threads


def create(b: Body, s: Site) -> Operand:
    common.spawn(b, s[0], s[2], s[3])
    return ZERO


def join(b: Body, s: Site) -> Operand:
    _once_only(b, s[0], "join of a thread that was joined or detached before")
    common.join(b, s[0], s[1], 8)
    return ZERO


def detach(b: Body, s: Site) -> Operand:
    _once_only(b, s[0], "detach of a thread that was joined or detached before")
    return ZERO


def _once_only(b: Body, thread: Operand, message: str) -> None:
    """Notes in memory of the calling thread that it has joined or detached this one: no event, so that what two threads
    do to a third is not seen. There is a bit for each of the first threads."""
    b.unit.add_object(Object(JOINED, _NOTED // 8, 8, (), True))
    few, word, end = b.label(), b.fresh("joined"), b.label()
    b.branch(b.compute(Op.ULT, thread, Const(_NOTED)), few, end)
    b.mark(few)
    place = b.compute(Op.MUL, b.compute(Op.LSHR, thread, Const(6)), Const(8))
    address = b.compute(Op.ADD, b.thread_local(JOINED), place)
    bit = b.compute(Op.SHL, ONE, b.compute(Op.AND, thread, Const(63)))
    b.emit(ins.Load(word, address, 8, Mode.NA))
    fresh = b.compute(Op.EQ, b.compute(Op.AND, word, bit), ZERO)
    b.emit(ins.Assert(fresh, message, ins.ErrorKind.BAD_JOIN))
    b.emit(ins.Store(address, b.compute(Op.OR, word, bit), 8, Mode.NA))
    b.jump(end)
    b.mark(end)


def self_(b: Body, s: Site) -> Operand:
    result = b.fresh("self")
    b.emit(ins.Self(result))
    return result


def equal(b: Body, s: Site) -> Operand:
    return b.compute(Op.EQ, s[0], s[1])


# --- mutexes and conditions


def mutex_init(b: Body, s: Site) -> Operand:
    attribute = s[1]
    if isinstance(attribute, Const) and attribute.value == 0:
        return common.mutex_init(b, s[0])
    kind = b.fresh("kind")
    b.move(kind, ZERO)
    given, end = b.label(), b.label()
    b.branch(attribute, given, end)
    b.mark(given)
    b.emit(ins.Load(kind, attribute, 4, Mode.NA))
    b.jump(end)
    b.mark(end)
    return common.mutex_init(b, s[0], kind)


def on_mutex(op: SyncOp) -> Handler:
    return lambda b, s: mutex(b, op, s[0])


def plain(op: SyncOp, *extra: int) -> Handler:
    """A call whose arguments are those of the operation; `extra` are the positions of the arguments after the first."""
    return lambda b, s: sync(b, op, s[0], *(s[k] for k in extra))


def timed(op: SyncOp) -> Handler:
    """A lock with a time limit: it is taken or the time runs out, which is what trying shows."""
    return lambda b, s: replaced(b, mutex(b, op, s[0]), (EBUSY, ETIMEDOUT))


def timed_rwlock(op: SyncOp) -> Handler:
    return lambda b, s: replaced(b, sync(b, op, s[0]), (EBUSY, ETIMEDOUT))


def barrier_init(b: Body, s: Site) -> Operand:
    some = b.compute(Op.NE, s[2], ZERO, width=32)
    b.emit(ins.Assert(some, "pthread_barrier_init for no threads", ins.ErrorKind.BAD_CALL))
    return sync(b, SyncOp.BARRIER_INIT, s[0], s[2])


def barrier_wait(b: Body, s: Site) -> Operand:
    told = sync(b, SyncOp.BARRIER_WAIT, s[0])
    return b.compute(Op.SUB, ZERO, told, width=32)


def once(b: Body, s: Site) -> Operand:
    """Where exceptions are caught, the function may throw: std::call_once of libstdc++ is this."""
    if not b.unit.exceptions.caught:
        return sync(b, SyncOp.ONCE, s[0], s[1])
    code = sync(b, SyncOp.ONCE, s[0], s[1], flying(b))
    look(b)
    return code


def set_attribute(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(s[0], s[1], 4, Mode.NA))
    return ZERO


def attribute_init(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(s[0], ZERO, 4, Mode.NA))
    return ZERO


# --- spin locks (4 bytes: 0 free, 1 held)


def spin_init(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(s[0], ZERO, 4, Mode.NA))
    return ZERO


def spin_lock(b: Body, s: Site) -> Operand:
    b.emit(ins.BlockingCas(s[0], ZERO, ONE, 4, Mode.ACQ, True))
    return ZERO


def spin_trylock(b: Body, s: Site) -> Operand:
    done = b.fresh("done")
    b.emit(ins.Cas(None, done, s[0], ZERO, ONE, 4, Mode.ACQ, Mode.RLX))
    return b.compute(Op.SELECT, done, ZERO, Const(EBUSY))


def spin_unlock(b: Body, s: Site) -> Operand:
    held = b.fresh("held")
    b.emit(ins.Load(held, s[0], 4, Mode.RLX))
    check(b, ErrorKind.UNLOCK, held, "unlock of a spin lock that nobody holds")
    b.emit(ins.Store(s[0], ZERO, 4, Mode.REL))
    return ZERO


# --- semaphores: -1 and errno where something is not possible


def _posix(b: Body, s: Site, code: Operand) -> Operand:
    failed, end = b.label(), b.label()
    b.branch(code, failed, end)
    b.mark(failed)
    b.emit(ins.Store(errno(b, s), code, 4, Mode.NA))
    b.jump(end)
    b.mark(end)
    return b.compute(Op.SELECT, code, number(-1, 32), ZERO)


def sem_trywait(b: Body, s: Site) -> Operand:
    code = sync(b, SyncOp.SEM_TRYWAIT, s[0])
    if s.callee == "sem_timedwait":
        code = replaced(b, code, (_EAGAIN, ETIMEDOUT))
    return _posix(b, s, code)


def sem_getvalue(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(s[1], sync(b, SyncOp.SEM_GETVALUE, s[0]), 4, Mode.NA))
    return ZERO


# --- thread-specific data: keys are numbered, each thread has an array of values


def key_create(b: Body, s: Site) -> Operand:
    keys = b.unit.add_object(Object(KEYS, 8))
    b.unit.add_object(Object(SPECIFIC, 8 * MAX_KEYS, 8, (), True))
    key = b.fresh("key")
    b.emit(ins.Rmw(key, keys, ONE, RmwOp.ADD, 8, Mode.RLX))
    few = b.compute(Op.ULT, key, Const(MAX_KEYS))
    b.emit(ins.Assert(few, f"more than {MAX_KEYS} thread-specific keys", ins.ErrorKind.UNSUPPORTED))
    if s[1] != ZERO:
        destructors = b.unit.add_object(Object(DESTRUCTORS, 8 * MAX_KEYS))
        place = b.compute(Op.ADD, destructors, b.compute(Op.SHL, key, Const(3)))
        b.emit(ins.Store(place, s[1], 8, Mode.NA))
    b.emit(ins.Store(s[0], key, 4, Mode.NA))
    return ZERO


def _slot(b: Body, key: Operand) -> Operand:
    b.unit.add_object(Object(SPECIFIC, 8 * MAX_KEYS, 8, (), True))
    return b.compute(Op.ADD, b.thread_local(SPECIFIC), b.compute(Op.MUL, key, Const(8)))


def get_specific(b: Body, s: Site) -> Operand:
    value = b.fresh("specific")
    b.emit(ins.Load(value, _slot(b, s[0]), 8, Mode.NA))
    return value


def set_specific(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(_slot(b, s[0]), s[1], 8, Mode.NA))
    return ZERO


_NOTHING = (
    "pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize", "pthread_attr_setschedpolicy",
    "pthread_attr_setscope", "pthread_mutexattr_destroy", "pthread_mutexattr_setpshared",
    "pthread_mutexattr_setprotocol", "pthread_mutexattr_setrobust", "pthread_condattr_init",
    "pthread_condattr_destroy", "pthread_condattr_setclock", "pthread_condattr_setpshared", "pthread_rwlockattr_init",
    "pthread_rwlockattr_destroy", "pthread_rwlock_destroy", "pthread_barrierattr_init", "pthread_barrierattr_destroy",
    "pthread_barrierattr_setpshared", "pthread_testcancel",
    "pthread_setconcurrency", "pthread_setname_np", "pthread_setaffinity_np",
    "pthread_cond_destroy", "pthread_spin_destroy", "pthread_key_delete", "sem_destroy", "pthread_setschedparam",
    "pthread_rwlockattr_setkind_np",
)  # fmt: skip

FUNCTIONS: dict[str, Handler] = {
    **dict.fromkeys(_NOTHING, constant(0)),
    **dict.fromkeys(("pthread_attr_getdetachstate", "pthread_setcancelstate", "pthread_setcanceltype"),
                    clears(1, (0, 4))),
    "pthread_create": create, "pthread_join": join, "pthread_detach": detach, "pthread_self": self_,
    "pthread_equal": equal, "pthread_once": once,
    "pthread_mutex_init": mutex_init, "pthread_mutex_lock": on_mutex(SyncOp.MUTEX_LOCK),
    "pthread_mutex_trylock": on_mutex(SyncOp.MUTEX_TRYLOCK), "pthread_mutex_timedlock": timed(SyncOp.MUTEX_TRYLOCK),
    "pthread_mutex_clocklock": timed(SyncOp.MUTEX_TRYLOCK), "pthread_mutex_unlock": on_mutex(SyncOp.MUTEX_UNLOCK),
    "pthread_mutex_destroy": plain(SyncOp.MUTEX_DESTROY), "pthread_mutexattr_init": attribute_init,
    "pthread_mutexattr_settype": set_attribute,
    "pthread_cond_init": plain(SyncOp.COND_INIT), "pthread_cond_signal": plain(SyncOp.COND_SIGNAL),
    "pthread_cond_broadcast": plain(SyncOp.COND_BROADCAST),
    "pthread_cond_wait": lambda b, s: wait(b, SyncOp.COND_WAIT, s[0], s[1]),
    "pthread_cond_timedwait": lambda b, s: wait(b, SyncOp.COND_TIMEDWAIT, s[0], s[1]),
    "pthread_cond_clockwait": lambda b, s: wait(b, SyncOp.COND_TIMEDWAIT, s[0], s[1]),
    "pthread_rwlock_init": plain(SyncOp.RWLOCK_INIT), "pthread_rwlock_rdlock": plain(SyncOp.RWLOCK_RDLOCK),
    "pthread_rwlock_wrlock": plain(SyncOp.RWLOCK_WRLOCK), "pthread_rwlock_tryrdlock": plain(SyncOp.RWLOCK_TRYRDLOCK),
    "pthread_rwlock_trywrlock": plain(SyncOp.RWLOCK_TRYWRLOCK), "pthread_rwlock_unlock": plain(SyncOp.RWLOCK_UNLOCK),
    **{f"pthread_rwlock_{how}rdlock": timed_rwlock(SyncOp.RWLOCK_TRYRDLOCK) for how in ("timed", "clock")},
    **{f"pthread_rwlock_{how}wrlock": timed_rwlock(SyncOp.RWLOCK_TRYWRLOCK) for how in ("timed", "clock")},
    "pthread_barrier_init": barrier_init, "pthread_barrier_wait": barrier_wait,
    "pthread_barrier_destroy": plain(SyncOp.BARRIER_DESTROY),
    "pthread_spin_init": spin_init, "pthread_spin_lock": spin_lock, "pthread_spin_trylock": spin_trylock,
    "pthread_spin_unlock": spin_unlock,
    "sem_init": plain(SyncOp.SEM_INIT, 2), "sem_wait": plain(SyncOp.SEM_WAIT), "sem_post": plain(SyncOp.SEM_POST),
    "sem_trywait": sem_trywait, "sem_timedwait": sem_trywait, "sem_getvalue": sem_getvalue,
    "pthread_key_create": key_create, "pthread_getspecific": get_specific, "pthread_setspecific": set_specific,
}  # fmt: skip
