"""What `<fencepost/lkmm.h>` calls: the primitives of the Linux kernel that are no C11 operations.

A spinlock is a word, 0 free and 1 taken; an srcu_struct is one that srcu_read_lock reads and srcu_read_unlock writes.
The tags tell the model what an access is (program/instructions.py).
"""

from __future__ import annotations

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.site import Handler, Site
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Mode, Op, RmwOp, Tag
from fencepost.program.operands import Const, Operand

_WORD = 4
_FENCES = {
    "smp_mb": FenceKind.MB, "smp_rmb": FenceKind.RMB, "smp_wmb": FenceKind.WMB, "barrier": FenceKind.BARRIER,
    "before_atomic": FenceKind.BEFORE_ATOMIC, "after_atomic": FenceKind.AFTER_ATOMIC,
    "after_spinlock": FenceKind.AFTER_SPINLOCK, "after_unlock_lock": FenceKind.AFTER_UNLOCK_LOCK,
    "after_srcu_read_unlock": FenceKind.AFTER_SRCU_READ_UNLOCK, "rcu_read_lock": FenceKind.RCU_LOCK,
    "rcu_read_unlock": FenceKind.RCU_UNLOCK, "synchronize_rcu": FenceKind.SYNC_RCU,
}  # fmt: skip
_ORDERS = {"mb": Mode.SC, "relaxed": Mode.RLX, "acquire": Mode.ACQ, "release": Mode.REL}


def _fence(kind: FenceKind) -> Handler:
    def handle(b: Body, s: Site) -> Operand:
        b.emit(ins.Fence(kind))
        return ZERO

    return handle


def _update(op: RmwOp, size: int) -> Handler:
    """A read-modify-write whose result nobody gets: `(pointer, operand)`."""

    def handle(b: Body, s: Site) -> Operand:
        b.emit(ins.Rmw(None, s[0], s[1], op, size, Mode.RLX, Tag.NORETURN))
        return ZERO

    return handle


def _compare_exchange(mode: Mode, size: int) -> Handler:
    """`(pointer, expected, desired)`; what was read is returned."""

    def handle(b: Body, s: Site) -> Operand:
        old = b.fresh("old")
        b.emit(ins.Cas(old, None, s[0], s[1], s[2], size, mode, Mode.RLX, tag=Tag.CMPXCHG))
        return old

    return handle


def _lock(b: Body, s: Site) -> Operand:
    b.emit(ins.BlockingCas(s[0], ZERO, Const(1), _WORD, Mode.ACQ, lock=True, tag=Tag.LOCK))
    return ZERO


def _unlock(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(s[0], ZERO, _WORD, Mode.REL, Tag.UNLOCK))
    return ZERO


def _trylock(b: Body, s: Site) -> Operand:
    taken = b.fresh("taken")
    b.emit(ins.Cas(None, taken, s[0], ZERO, Const(1), _WORD, Mode.ACQ, Mode.RLX, tag=Tag.LOCK))
    return taken


def _is_locked(b: Body, s: Site) -> Operand:
    found = b.fresh("locked")
    b.emit(ins.Load(found, s[0], _WORD, Mode.RLX))
    return b.compute(Op.NE, found, ZERO)


def _srcu(tag: Tag) -> Handler:
    def handle(b: Body, s: Site) -> Operand:
        index = b.fresh("index")
        b.emit(ins.Load(index, s[0], _WORD, Mode.RLX, tag=tag))
        return index

    return handle


def _srcu_unlock(b: Body, s: Site) -> Operand:
    b.emit(ins.Store(s[0], s[1], _WORD, Mode.RLX, Tag.SRCU))
    return ZERO


_PREFIX = "__fencepost_lkmm_"
FUNCTIONS: dict[str, Handler] = {
    **{_PREFIX + name: _fence(kind) for name, kind in _FENCES.items()},
    **{
        f"{_PREFIX}{op.value}_{size}": _update(op, size)
        for op in (RmwOp.ADD, RmwOp.SUB, RmwOp.AND, RmwOp.OR, RmwOp.XOR)
        for size in (4, 8)
    },
    **{
        f"{_PREFIX}cmpxchg_{order}_{size}": _compare_exchange(mode, size)
        for order, mode in _ORDERS.items()
        for size in (1, 2, 4, 8)
    },
    _PREFIX + "spin_lock": _lock,
    _PREFIX + "spin_unlock": _unlock,
    _PREFIX + "spin_trylock": _trylock,
    _PREFIX + "spin_is_locked": _is_locked,
    _PREFIX + "srcu_read_lock": _srcu(Tag.SRCU),
    _PREFIX + "srcu_read_unlock": _srcu_unlock,
    _PREFIX + "synchronize_srcu": _srcu(Tag.SYNC_SRCU),
}
