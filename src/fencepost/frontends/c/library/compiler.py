"""Calls that compilers make for what the machine has no instruction for: atomics by size, small arithmetic."""

from __future__ import annotations

from fencepost.frontends.c.body import Body
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Mode, RmwOp
from fencepost.program.operands import Const, Operand

_ORDERS = {0: Mode.RLX, 1: Mode.ACQ, 2: Mode.ACQ, 3: Mode.REL, 4: Mode.ACQ_REL, 5: Mode.SC}
_SIZES = (1, 2, 4, 8)


def _order(operand: Operand) -> Mode:
    return _ORDERS.get(operand.value, Mode.SC) if isinstance(operand, Const) else Mode.SC


def _size(s: Site) -> int:
    size = s[0]
    if not isinstance(size, Const) or size.value not in _SIZES:
        raise Unsupported("an atomic object that is not 1, 2, 4 or 8 bytes")
    return size.value


def load(b: Body, s: Site) -> None:
    """__atomic_load(size, from, to, order)"""
    value = b.fresh("value")
    b.emit(ins.Load(value, s[1], _size(s), _order(s[3])))
    b.emit(ins.Store(s[2], value, _size(s), Mode.NA))


def store(b: Body, s: Site) -> None:
    """__atomic_store(size, to, from, order)"""
    value = b.fresh("value")
    b.emit(ins.Load(value, s[2], _size(s), Mode.NA))
    b.emit(ins.Store(s[1], value, _size(s), _order(s[3])))


def exchange(b: Body, s: Site) -> None:
    """__atomic_exchange(size, object, from, to, order)"""
    value, old = b.fresh("value"), b.fresh("old")
    b.emit(ins.Load(value, s[2], _size(s), Mode.NA))
    b.emit(ins.Rmw(old, s[1], value, RmwOp.XCHG, _size(s), _order(s[4])))
    b.emit(ins.Store(s[3], old, _size(s), Mode.NA))


def compare_exchange(b: Body, s: Site) -> Operand:
    """__atomic_compare_exchange(size, object, expected, desired, success, failure): a failure tells what was there"""
    wanted, desired, old, done = (b.fresh(n) for n in ("wanted", "desired", "old", "done"))
    b.emit(ins.Load(wanted, s[2], _size(s), Mode.NA))
    b.emit(ins.Load(desired, s[3], _size(s), Mode.NA))
    b.emit(ins.Cas(old, done, s[1], wanted, desired, _size(s), _order(s[4]), _order(s[5])))
    tell, end = b.label(), b.label()
    b.branch(done, end, tell)
    b.mark(tell)
    b.emit(ins.Store(s[2], old, _size(s), Mode.NA))
    b.jump(end)
    b.mark(end)
    return done


def fence(b: Body, s: Site) -> None:
    kinds = {1: FenceKind.ACQ, 2: FenceKind.ACQ, 3: FenceKind.REL, 4: FenceKind.ACQ_REL, 5: FenceKind.SC}
    order = s[0]
    if isinstance(order, Const) and order.value in kinds:
        b.emit(ins.Fence(kinds[order.value]))


def is_lock_free(b: Body, s: Site) -> Operand:
    return Const(int(isinstance(s[0], Const) and s[0].value in _SIZES))


FUNCTIONS: dict[str, Handler] = {
    "__atomic_exchange": exchange, "__atomic_compare_exchange": compare_exchange,
    "__atomic_load": load, "__atomic_store": store, "atomic_thread_fence": fence,
    "atomic_signal_fence": lambda b, s: None, "__atomic_is_lock_free": is_lock_free,
}  # fmt: skip
