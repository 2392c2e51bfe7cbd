"""The C++ runtime, and what libc++ and libstdc++ keep in their compiled part: new and delete, guards of static locals,
threads, mutexes, condition variables, once. Exceptions are in exceptions.py."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, ZERO, Body
from fencepost.frontends.c.constants import number
from fencepost.frontends.c.exceptions import NOBODY, end_where_it_flies, flying, look
from fencepost.frontends.c.library import memory, sync
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.library.stdlib import constant
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.throwing import THROWS
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op, SyncOp
from fencepost.program.operands import Const, FunctionAddress, Operand
from fencepost.program.program import Init, Object


def throw(b: Body, s: Site) -> None:
    """In a program without handlers; in others `support/exceptions.c` comes first."""
    b.fail(ErrorKind.ABORT, NOBODY)


def terminate(b: Body, s: Site) -> None:
    b.fail(ErrorKind.ABORT, f"{b.unit.shown(s.callee)} is called")


def new_aligned(b: Body, s: Site) -> Operand:
    found = memory.aligned(b, s, s[0], s[1])
    if found != ZERO:
        b.emit(ins.Assert(found, "an alignment that is not a power of two", ErrorKind.BAD_CALL))
        return found
    b.fail(ErrorKind.BAD_CALL, "an alignment that is not a power of two")
    return ZERO


# --- static locals: the first byte, which compiled code tests for zero, is 1 when it is done; in the second one 1 is
# running and 2 is done, the latter only where an exception may leave an initialiser


def guard_acquire(b: Body, s: Site) -> Operand:
    """1 where this thread is to run the initialiser."""
    done, won, state = b.fresh("won"), b.fresh("result"), b.fresh("state")
    running = b.add(s[0], 1)
    again, wait, other, end = (b.label() for _ in range(4))
    b.jump(again)
    b.mark(again)
    b.move(won, ONE)
    b.emit(ins.Cas(state, done, running, ZERO, ONE, 1, Mode.ACQ, Mode.ACQ))
    b.branch(done, end, wait)
    b.mark(wait)
    if b.unit.exceptions.caught:
        b.emit(ins.Await(state, running, ONE, None, Op.NE, 1, Mode.ACQ))
        b.branch(state, other, again)
        b.mark(other)
    else:
        b.emit(ins.Await(None, s[0], ZERO, None, Op.NE, 1, Mode.ACQ))
    b.move(won, ZERO)
    b.jump(end)
    b.mark(end)
    return won


def guard_release(b: Body, s: Site) -> None:
    b.emit(ins.Store(s[0], ONE, 1, Mode.REL))
    if b.unit.exceptions.caught:
        b.emit(ins.Store(b.add(s[0], 1), Const(2), 1, Mode.REL))


def guard_abort(b: Body, s: Site) -> None:
    """The initialiser threw: the next one to come runs it again."""
    b.emit(ins.Store(b.add(s[0], 1), ZERO, 1, Mode.REL))


# --- threads


def join_libcxx(b: Body, s: Site) -> None:
    """std::thread::join: the handle is the only member."""
    thread = b.fresh("thread")
    b.emit(ins.Load(thread, s[0], 8, Mode.NA))
    b.emit(ins.Assert(thread, "join of a thread that is not joinable", ErrorKind.ABORT))
    b.emit(ins.Join(None, thread))
    b.emit(ins.Store(s[0], ZERO, 8, Mode.NA))


def detach(b: Body, s: Site) -> None:
    b.emit(ins.Store(s[0], ZERO, 8, Mode.NA))


def thread_destroyed(b: Body, s: Site) -> None:
    thread = b.fresh("thread")
    b.emit(ins.Load(thread, s[0], 8, Mode.NA))
    free = b.compute(Op.EQ, thread, ZERO)
    b.emit(ins.Assert(free, "a thread is destroyed before it was joined or detached", ErrorKind.ABORT))


_STATE_RUN, _STATE_DELETE = 16, 8  # virtual functions of std::thread::_State
_RUN_STATE = "std::thread"


def start_libstdcxx(b: Body, s: Site) -> None:
    """std::thread::_M_start_thread(unique_ptr<_State>, ...): the new thread runs the state, which owns what it was
    given, and deletes it."""
    state = b.fresh("state")
    b.emit(ins.Load(state, s[1], 8, Mode.NA))
    b.emit(ins.Store(s[1], ZERO, 8, Mode.NA))
    if not b.unit.has_function(_RUN_STATE):
        t = Body(b.unit, _RUN_STATE)
        own = t.fresh("state")
        for place in (_STATE_RUN, _STATE_DELETE):
            table, function = t.fresh("table"), t.fresh("function")
            t.emit(ins.Load(table, own, 8, Mode.NA))
            t.emit(ins.Load(function, t.add(table, place), 8, Mode.NA))
            t.emit(ins.Call(None, function, (own,)))
            end_where_it_flies(t)
        t.emit(ins.Return(ZERO))
        b.unit.add_function(t.finish(1, False, None))
    sync.spawn(b, s[0], FunctionAddress(_RUN_STATE), state)


# --- mutexes: the pthread object is the first member


def on_mutex(op: SyncOp) -> Handler:
    return lambda b, s: sync.mutex(b, op, s[0])


def try_lock(b: Body, s: Site) -> Operand:
    return b.compute(Op.EQ, sync.mutex(b, SyncOp.MUTEX_TRYLOCK, s[0]), ZERO)


def recursive_init(b: Body, s: Site) -> None:
    sync.mutex_init(b, s[0], ONE)


def plain(op: SyncOp) -> Handler:
    return lambda b, s: sync.sync(b, op, s[0])


def tried(op: SyncOp) -> Handler:
    return lambda b, s: b.compute(Op.EQ, sync.sync(b, op, s[0]), ZERO)


def wait(b: Body, s: Site) -> None:
    """condition_variable::wait(unique_lock<mutex>&): the lock's first member is the mutex."""
    mutex = b.fresh("mutex")
    b.emit(ins.Load(mutex, s[1], 8, Mode.NA))
    sync.wait(b, SyncOp.COND_WAIT, s[0], mutex)


def timed_wait(b: Body, s: Site) -> None:
    mutex = b.fresh("mutex")
    b.emit(ins.Load(mutex, s[1], 8, Mode.NA))
    sync.wait(b, SyncOp.COND_TIMEDWAIT, s[0], mutex)


def call_once(b: Body, s: Site) -> None:
    """std::__call_once(flag, arg, function): all bits of the flag are set when it is done. Where the function throws it
    is as if it had not been called."""
    old, mine, thrown, caught = b.fresh("old"), b.fresh("mine"), b.fresh("flying"), b.unit.exceptions.caught
    again, run, made, undo, others, end = (b.label() for _ in range(6))
    b.jump(again)
    b.mark(again)
    b.emit(ins.Cas(old, mine, s[0], ZERO, ONE, 8, Mode.ACQ, Mode.ACQ))
    b.branch(mine, run, others)
    b.mark(run)
    b.emit(ins.Call(None, s[2], (s[1],)))
    if caught:
        b.emit(ins.Load(thrown, flying(b), 8, Mode.NA))
        b.branch(thrown, undo, made)
        b.mark(undo)
        b.emit(ins.Store(s[0], ZERO, 8, Mode.REL))
        b.jump(end)
        b.mark(made)
    b.emit(ins.Store(s[0], number(-1), 8, Mode.REL))
    b.jump(end)
    b.mark(others)
    b.emit(ins.Await(old, s[0], ONE, None, Op.NE, 8, Mode.ACQ))
    if caught:
        b.branch(old, end, again)
    else:
        b.jump(end)
    b.mark(end)
    if caught:
        look(b)


def once_proxy(b: Body, s: Site) -> None:
    """libstdc++: what pthread_once runs for std::call_once is in a thread-local variable."""
    name = b.unit.thread_local("_ZSt11__once_call")
    if name is None:
        raise Unsupported("std::call_once of this libstdc++")
    function = b.fresh("function")
    b.emit(ins.Load(function, b.thread_local(name), 8, Mode.NA))
    b.emit(ins.Call(None, function, ()))


def release_weak(b: Body, s: Site) -> None:
    """__shared_weak_count::__release_weak: the last one calls __on_zero_shared_weak, the fifth virtual function."""
    old, table, last = b.fresh("old"), b.fresh("table"), b.fresh("on_zero")
    call, end = b.label(), b.label()
    b.emit(ins.Rmw(old, b.add(s[0], 16), number(-1), ins.RmwOp.ADD, 8, Mode.ACQ_REL))
    b.branch(old, end, call)
    b.mark(call)
    b.emit(ins.Load(table, s[0], 8, Mode.NA))
    b.emit(ins.Load(last, b.add(table, 32), 8, Mode.NA))
    b.emit(ins.Call(None, last, (s[0],)))
    b.jump(end)
    b.mark(end)


def futex_wait(b: Body, s: Site) -> Operand:
    """libstdc++'s futures: _M_futex_wait_until(address, value, has_timeout, ...), false where the time ran out."""
    if s[2] == ZERO:
        b.emit(ins.Await(None, s[0], s[1], None, Op.NE, 4, Mode.RLX))
        return ONE
    now, limited, changed, end = b.fresh("now"), b.label(), b.fresh("changed"), b.label()
    waits = b.label()
    b.branch(s[2], limited, waits)
    b.mark(waits)
    b.emit(ins.Await(None, s[0], s[1], None, Op.NE, 4, Mode.RLX))
    b.move(changed, ONE)
    b.jump(end)
    b.mark(limited)
    b.emit(ins.Load(now, s[0], 4, Mode.RLX))
    b.move(changed, b.compute(Op.NE, now, s[1], width=32))
    b.jump(end)
    b.mark(end)
    return changed


def wait_native(size: int) -> Handler:
    """libc++: __atomic_wait_native<size>(address, old)"""

    def handle(b: Body, s: Site) -> None:
        old = b.fresh("old")
        b.emit(ins.Load(old, s[1], size, Mode.NA))
        b.emit(ins.Await(None, s[0], old, None, Op.NE, size, Mode.RLX))

    return handle


def runs(name: str) -> Handler:
    """A function that is written in runtime.fpir."""
    return lambda b, s: run(b, name, *(s[k] for k in range(len(s))))


_NODE = "St18_Rb_tree_node_base"
_LIBSTDCXX: dict[str, Handler] = {
    **{f"_ZSt18_Rb_tree_{way}ment{kind}{_NODE}": runs(f"tree_{way}ment") for way in ("incre", "decre")
       for kind in ("P", "PK")},
    f"_ZSt29_Rb_tree_insert_and_rebalancebP{_NODE}S0_RS_": runs("tree_insert"),
    f"_ZSt28_Rb_tree_rebalance_for_eraseP{_NODE}RS_": runs("tree_erase"),
    "_ZNSt8__detail15_List_node_base7_M_hookEPS0_": runs("list_hook"),
    "_ZNSt8__detail15_List_node_base9_M_unhookEv": runs("list_unhook"),
}  # fmt: skip


def thread_data(b: Body, s: Site) -> Operand:
    """std::__thread_local_data(): a key of thread-specific data that is always there."""
    return b.unit.add_object(Object("fencepost.thread_data", 8, 8, (Init(0, 4, Const(63)),)))


_FUTEX = "_ZNSt28__atomic_futex_unsigned_base"
_UNTIL = "EPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_ILl1ELl1000000000EEEE"
_SIZES, _WHO = (1, 2, 4, 8), ("one", "all")
_CLOCKS = [f"_ZNSt{place}{clock}3nowEv" for place in ("3__16chrono", "6chrono3_V2") for clock in (
           "12steady_clock", "12system_clock", "21high_resolution_clock")]  # fmt: skip
_NEW = ("_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t")
_NEW_ALIGNED = [f"_Zn{kind}mSt11align_val_t{rest}" for kind in "wa" for rest in ("", "RKSt9nothrow_t")]
_DELETE = [f"_Zd{kind}Pv{rest}" for kind in "la" for rest in ("", "m", "RKSt9nothrow_t", "St11align_val_t",
           "mSt11align_val_t", "St11align_val_tRKSt9nothrow_t")]  # fmt: skip
_TERMINATE = ("_ZSt9terminatev", "__cxa_pure_virtual", "__cxa_deleted_virtual", "_ZSt10unexpectedv",
              "_ZNSt3__122__libcpp_verbose_abortEPKcz")  # fmt: skip
_NOTHING = (
    "__cxa_finalize",
    "_ZNSt3__115__thread_structC1Ev", "_ZNSt3__115__thread_structD1Ev", "_ZNSt3__118condition_variableD1Ev",
    "_ZNSt18condition_variableD1Ev", "_ZNSt6thread6_StateD2Ev",
    "_ZNSt3__119__shared_weak_countD2Ev", "_ZNSt3__114__shared_countD2Ev", "_ZNSt8ios_base4InitC1Ev",
    "_ZNSt8ios_base4InitD1Ev", "_ZNSt3__115recursive_mutexD1Ev",
)  # fmt: skip
_ALLOCATORS = [f"_ZNSaI{c}E{kind}{arguments}" for c in "cw" for kind in ("C1", "C2", "D1", "D2")
               for arguments in ("Ev", "ERKS_")]  # fmt: skip
_SLEEP = "_ZNSt3__111this_thread9sleep_forERKNS_6chrono8durationIxNS_5ratioILl1ELl1000000000EEEEE"
_WAIT_ARGUMENT = "4waitERNS_11unique_lockINS_5mutexEEE"
_TIMED_ARGUMENT = (
    "15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_6chrono10time_pointINS5_12system_clockENS5_8durationIxNS_5ratio"
    "ILl1ELl1000000000EEEEEEE"
)


def _shared_mutex(prefix: str) -> dict[str, Handler]:
    return {
        f"{prefix}C1Ev": plain(SyncOp.RWLOCK_INIT), f"{prefix}C2Ev": plain(SyncOp.RWLOCK_INIT),
        f"{prefix}4lockEv": plain(SyncOp.RWLOCK_WRLOCK), f"{prefix}6unlockEv": plain(SyncOp.RWLOCK_UNLOCK),
        f"{prefix}8try_lockEv": tried(SyncOp.RWLOCK_TRYWRLOCK), f"{prefix}11lock_sharedEv": plain(SyncOp.RWLOCK_RDLOCK),
        f"{prefix}13unlock_sharedEv": plain(SyncOp.RWLOCK_UNLOCK),
        f"{prefix}15try_lock_sharedEv": tried(SyncOp.RWLOCK_TRYRDLOCK),
    }  # fmt: skip


FUNCTIONS: dict[str, Handler] = {
    **dict.fromkeys(_NEW, memory.malloc), **dict.fromkeys(_NEW_ALIGNED, new_aligned),
    **dict.fromkeys(_DELETE, memory.free), **dict.fromkeys(_TERMINATE, terminate), **dict.fromkeys(THROWS, throw),
    **dict.fromkeys(_NOTHING, constant(0)),
    **dict.fromkeys(_ALLOCATORS, constant(0)), **_LIBSTDCXX,
    **dict.fromkeys(_CLOCKS, constant(0)),
    f"{_FUTEX}19_M_futex_wait_until{_UNTIL}": futex_wait, f"{_FUTEX}26_M_futex_wait_until_steady{_UNTIL}": futex_wait,
    f"{_FUTEX}19_M_futex_notify_allEPj": constant(0),
    **{f"_ZNSt3__120__atomic_wait_nativeILm{n}EEEvPKvS2_": wait_native(n) for n in _SIZES},
    **{f"_ZNSt3__126__atomic_notify_{w}_nativeILm{n}EEEvPKv": constant(0) for n in _SIZES for w in _WHO},
    **{f"_ZNSt3__132__atomic_notify_{w}_global_tableEPKv": constant(0) for w in _WHO},
    "_ZNSt3__123__atomic_monitor_globalEPKv": constant(0), "_ZNSt3__126__atomic_wait_global_tableEPKvi": constant(0),
    "__cxa_guard_acquire": guard_acquire, "__cxa_guard_release": guard_release,
    "__cxa_guard_abort": guard_abort,
    "_ZNSt3__16thread4joinEv": join_libcxx, "_ZNSt3__16thread6detachEv": detach,
    "_ZNSt3__16threadD1Ev": thread_destroyed, "_ZNSt3__16thread20hardware_concurrencyEv": constant(4),
    "_ZNSt3__119__thread_local_dataEv": thread_data,
    _SLEEP: constant(0), "_ZNSt3__15mutex4lockEv": on_mutex(SyncOp.MUTEX_LOCK),
    "_ZNSt3__15mutex6unlockEv": on_mutex(SyncOp.MUTEX_UNLOCK), "_ZNSt3__15mutex8try_lockEv": try_lock,
    "_ZNSt3__15mutexD1Ev": plain(SyncOp.MUTEX_DESTROY), "_ZNSt3__15mutexD2Ev": plain(SyncOp.MUTEX_DESTROY),
    "_ZNSt3__115recursive_mutexC1Ev": recursive_init, "_ZNSt3__115recursive_mutexC2Ev": recursive_init,
    "_ZNSt3__115recursive_mutex4lockEv": on_mutex(SyncOp.MUTEX_LOCK),
    "_ZNSt3__115recursive_mutex6unlockEv": on_mutex(SyncOp.MUTEX_UNLOCK),
    "_ZNSt3__115recursive_mutex8try_lockEv": try_lock,
    "_ZNSt3__118condition_variable10notify_oneEv": plain(SyncOp.COND_SIGNAL),
    "_ZNSt3__118condition_variable10notify_allEv": plain(SyncOp.COND_BROADCAST),
    f"_ZNSt3__118condition_variable{_WAIT_ARGUMENT}": wait,
    f"_ZNSt3__118condition_variable{_TIMED_ARGUMENT}": timed_wait,
    "_ZNSt3__111__call_onceERVmPvPFvS2_E": call_once, "__once_proxy": once_proxy,
    "_ZNSt3__119__shared_weak_count14__release_weakEv": release_weak,
    **_shared_mutex("_ZNSt3__119__shared_mutex_base"), **_shared_mutex("_ZNSt3__118__shared_mutex_base"),
    "_ZNSt6thread4joinEv": join_libcxx, "_ZNSt6thread6detachEv": detach,
    "_ZNSt6thread20hardware_concurrencyEv": constant(4),
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE": start_libstdcxx,
    "_ZNSt18condition_variableC1Ev": plain(SyncOp.COND_INIT), "_ZNSt18condition_variableC2Ev": plain(SyncOp.COND_INIT),
    "_ZNSt18condition_variable10notify_oneEv": plain(SyncOp.COND_SIGNAL),
    "_ZNSt18condition_variable10notify_allEv": plain(SyncOp.COND_BROADCAST),
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE": wait,
}  # fmt: skip
