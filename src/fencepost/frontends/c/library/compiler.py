"""Calls that compilers make for what the machine has no instruction for: atomics by size, small arithmetic."""

from __future__ import annotations

from fencepost.frontends.c import wide_atomics
from fencepost.frontends.c.body import Body, Leaves
from fencepost.frontends.c.llvm.types import WORD, ArrayOf
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Mode, RmwOp
from fencepost.program.operands import Const, Operand

_ORDERS = {0: Mode.RLX, 1: Mode.ACQ, 2: Mode.ACQ, 3: Mode.REL, 4: Mode.ACQ_REL, 5: Mode.SC}
_SIZES = (1, 2, 4, 8)
_MOST_WORDS = 32


def _order(operand: Operand) -> Mode:
    return _ORDERS.get(operand.value, Mode.SC) if isinstance(operand, Const) else Mode.SC


def _size(s: Site) -> int:
    size = s[0]
    if not isinstance(size, Const) or size.value not in _SIZES:
        raise Unsupported("an atomic object that is neither 1, 2 or 4 bytes nor words")
    return size.value


def _words(s: Site) -> int:
    """The number of words of a larger object; 0 for one that an access can take."""
    size = s[0]
    large = isinstance(size, Const) and size.value % 8 == 0 and 8 < size.value <= 8 * _MOST_WORDS
    return size.value // 8 if large and isinstance(size, Const) else 0


def _all(words: int) -> ArrayOf:
    return ArrayOf(WORD, words)


def load(b: Body, s: Site) -> None:
    """__atomic_load(size, from, to, order)"""
    if words := _words(s):
        b.store(_all(words), s[2], wide_atomics.load(b, s[1], _order(s[3]), words))
        return
    value = b.fresh("value")
    b.emit(ins.Load(value, s[1], _size(s), _order(s[3])))
    b.emit(ins.Store(s[2], value, _size(s), Mode.NA))


def store(b: Body, s: Site) -> None:
    """__atomic_store(size, to, from, order)"""
    if words := _words(s):
        wide_atomics.store(b, s[1], b.load(_all(words), s[2]), _order(s[3]))
        return
    value = b.fresh("value")
    b.emit(ins.Load(value, s[2], _size(s), Mode.NA))
    b.emit(ins.Store(s[1], value, _size(s), _order(s[3])))


def exchange(b: Body, s: Site) -> None:
    """__atomic_exchange(size, object, from, to, order)"""
    if words := _words(s):
        new = b.load(_all(words), s[2])
        b.store(_all(words), s[3], wide_atomics.update(b, s[1], "xchg", new, _order(s[4])))
        return
    value, old = b.fresh("value"), b.fresh("old")
    b.emit(ins.Load(value, s[2], _size(s), Mode.NA))
    b.emit(ins.Rmw(old, s[1], value, RmwOp.XCHG, _size(s), _order(s[4])))
    b.emit(ins.Store(s[3], old, _size(s), Mode.NA))


def compare_exchange(b: Body, s: Site) -> Operand:
    """__atomic_compare_exchange(size, object, expected, desired, success, failure): a failure tells what was there"""
    if words := _words(s):
        return _exchanged(b, s[1], s[2], b.load(_all(words), s[3]), (_order(s[4]), _order(s[5])))
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


# --- of 16 bytes, as gcc calls them: the value itself is passed, and the order behind it


def load_16(b: Body, s: Site) -> Leaves:
    return wide_atomics.load(b, s[0], _order(s[1]))


def store_16(b: Body, s: Site) -> None:
    wide_atomics.store(b, s[0], s.args[1].values, _order(s[2]))


def update_16(word: str) -> Handler:
    return lambda b, s: wide_atomics.update(b, s[0], word, s.args[1].values, _order(s[2]))


def compare_exchange_16(b: Body, s: Site) -> Operand:
    """(object, expected, desired, success, failure)"""
    return _exchanged(b, s[0], s[1], s.args[2].values, (_order(s[3]), _order(s[4])))


def _exchanged(b: Body, address: Operand, wanted: Operand, desired: Leaves, orders: tuple[Mode, Mode]) -> Operand:
    type_ = _all(len(desired))
    expected = b.load(type_, wanted)
    old, done = wide_atomics.compare_exchange(b, address, expected, desired, orders, weak=False)
    tell, end = b.label(), b.label()
    b.branch(done, end, tell)
    b.mark(tell)
    b.store(type_, wanted, old)
    b.jump(end)
    b.mark(end)
    return done


FUNCTIONS: dict[str, Handler] = {
    "__atomic_load_16": load_16, "__atomic_store_16": store_16, "__atomic_exchange_16": update_16("xchg"),
    "__atomic_compare_exchange_16": compare_exchange_16,
    **{f"__atomic_fetch_{word}_16": update_16(word) for word in ("add", "sub", "and", "or", "xor", "nand")},
    "__atomic_exchange": exchange, "__atomic_compare_exchange": compare_exchange,
    "__atomic_load": load, "__atomic_store": store, "atomic_thread_fence": fence,
    "atomic_signal_fence": lambda b, s: None, "__atomic_is_lock_free": is_lock_free,
}  # fmt: skip
