"""The Linux kernel's primitives, as its litmus tests call them (tools/memory-model/linux-kernel.def).

Modes: once is relaxed, a full barrier is SC; acquire and release are themselves. A read-modify-write whose result
nobody gets is tagged, since smp_rmb does not order it. A spinlock is a word: 0 free, 1 taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from fencepost.frontends.litmus.c_expressions import C_INT, Expressions, Value
from fencepost.frontends.scan import Token
from fencepost.program.instructions import (
    BlockingCas,
    Cas,
    Fence,
    FenceKind,
    Load,
    Mode,
    Op,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
    Tag,
)
from fencepost.program.operands import Const, Operand

_NOTHING = Value(Const(0), C_INT)
_MODE = {"": Mode.SC, "_relaxed": Mode.RLX, "_acquire": Mode.ACQ, "_release": Mode.REL}
_FENCES = {
    "smp_mb": FenceKind.MB, "smp_rmb": FenceKind.RMB, "smp_wmb": FenceKind.WMB, "barrier": FenceKind.BARRIER,
    "smp_mb__before_atomic": FenceKind.BEFORE_ATOMIC, "smp_mb__after_atomic": FenceKind.AFTER_ATOMIC,
    "smp_mb__after_spinlock": FenceKind.AFTER_SPINLOCK, "smp_mb__after_unlock_lock": FenceKind.AFTER_UNLOCK_LOCK,
    "smp_mb__after_srcu_read_unlock": FenceKind.AFTER_SRCU_READ_UNLOCK, "rcu_read_lock": FenceKind.RCU_LOCK,
    "rcu_read_unlock": FenceKind.RCU_UNLOCK, "synchronize_rcu": FenceKind.SYNC_RCU,
    "synchronize_rcu_expedited": FenceKind.SYNC_RCU,
}  # fmt: skip
_ORDER = r"(?P<order>|_relaxed|_acquire|_release)\Z"
_ARITHMETIC = r"(?P<op>add|sub|inc|dec|and|or|xor|andnot)"
_RETURN = re.compile(rf"atomic(?:64|_long)?_{_ARITHMETIC}_return{_ORDER}")
_FETCH = re.compile(rf"atomic(?:64|_long)?_fetch_{_ARITHMETIC}{_ORDER}")
_VOID = re.compile(rf"atomic(?:64|_long)?_{_ARITHMETIC}\Z")
_TEST = re.compile(
    r"atomic(?:64|_long)?_(?:(?P<op>sub|dec|inc)_and_test"
    r"|(?P<negative>add)_negative(?P<order>|_relaxed|_acquire|_release))\Z"
)
_READ = re.compile(r"atomic(?:64|_long)?_(?P<what>read|set)(?P<order>|_acquire|_release)\Z")
_EXCHANGE = re.compile(rf"(?:atomic(?:64|_long)?_)?(?P<compare>cmp)?xchg{_ORDER}")
_UNLESS = re.compile(r"atomic(?:64|_long)?_add_unless\Z")
_SHARED = re.compile(r"atomic_fetch_(add|sub|and|or|xor)\Z")
_RMW_OP = {"add": RmwOp.ADD, "inc": RmwOp.ADD, "sub": RmwOp.SUB, "dec": RmwOp.SUB, "and": RmwOp.AND,
           "andnot": RmwOp.AND, "or": RmwOp.OR, "xor": RmwOp.XOR}  # fmt: skip
_AGAIN = {RmwOp.ADD: "+", RmwOp.SUB: "-", RmwOp.AND: "&", RmwOp.OR: "|", RmwOp.XOR: "^"}

Primitive = Callable[[Expressions], Value]


def primitive(name: str) -> Primitive | None:
    """What a call of this name does, read from behind its opening bracket; None where the kernel has no such name."""
    if name in _FENCES:
        return lambda e: _fence(e, _FENCES[name])
    if name in _SIMPLE:
        return _SIMPLE[name]
    for pattern, meaning in _PATTERNS:
        if m := pattern.match(name):
            return lambda e: meaning(e, m)
    return None


def _fence(e: Expressions, kind: FenceKind) -> Value:
    e.code.add(Fence(kind))
    return _NOTHING


def _second(e: Expressions) -> Value:
    e.t.expect(",")
    return e.expression()


# --- reads and writes


def _read_once(e: Expressions) -> Value:
    place = e.lvalue()
    return e.load(place, Mode.RLX) if isinstance(place, Value) else Value(*place)


def _write_to(mode: Mode, *fences: FenceKind) -> Primitive:
    def write(e: Expressions) -> Value:
        place = e.lvalue()
        value = _second(e)
        if isinstance(place, Value):
            e.store(place, value, mode)
        else:
            e.assign(*place, value)
        for kind in fences:
            e.code.add(Fence(kind))
        return _NOTHING

    return write


def _load(mode: Mode) -> Primitive:
    return lambda e: e.load(e.pointer(), mode)


def _store(mode: Mode) -> Primitive:
    def store(e: Expressions) -> Value:
        pointer = e.pointer()
        e.store(pointer, _second(e), mode)
        return _NOTHING

    return store


def _access(e: Expressions, m: re.Match[str]) -> Value:
    mode = Mode.RLX if not m["order"] else _MODE[m["order"]]
    return (_load(mode) if m["what"] == "read" else _store(mode))(e)


# --- read-modify-writes


def _update(e: Expressions, name: str) -> tuple[Value, Value, RmwOp]:
    """The pointer, the operand and the operation: `atomic_add(v, x)`, `atomic_inc(x)`."""
    amount = Value(Const(1), C_INT)
    if name not in ("inc", "dec"):
        amount = e.expression()
        e.t.expect(",")
        if name == "andnot":
            amount = e.operate("^", amount, Value(Const(-1), C_INT))
    pointer = e.pointer()
    return pointer, e.convert(amount, e.pointed(pointer)), _RMW_OP[name]


def _fetched(e: Expressions, name: str, mode: Mode) -> tuple[Value, Value]:
    """The value before and the value after."""
    pointer, amount, op = _update(e, name)
    type_, old = e.pointed(pointer), e.code.scratch()
    e.code.add(Rmw(old, pointer.operand, amount.operand, op, type_.value.size, mode))
    before = Value(old, type_)
    return before, e.operate(_AGAIN[op], before, amount)


def _fetch(e: Expressions, m: re.Match[str]) -> Value:
    return _fetched(e, m["op"], _MODE[m["order"]])[0]


def _return(e: Expressions, m: re.Match[str]) -> Value:
    return _fetched(e, m["op"], _MODE[m["order"]])[1]


def _test(e: Expressions, m: re.Match[str]) -> Value:
    after = _fetched(e, m["op"] or m["negative"], _MODE[m["order"] or ""])[1]
    return e.operate("==" if m["op"] else "<", after, Value(Const(0), C_INT))


def _void(e: Expressions, m: re.Match[str]) -> Value:
    pointer, amount, op = _update(e, m["op"])
    size = e.pointed(pointer).value.size
    e.code.add(Rmw(None, pointer.operand, amount.operand, op, size, Mode.RLX, Tag.NORETURN))
    return _NOTHING


def _exchange(e: Expressions, m: re.Match[str]) -> Value:
    pointer = e.pointer()
    type_, mode = e.pointed(pointer), _MODE[m["order"]]
    first: Operand = e.convert(_second(e), type_).operand
    old = e.code.scratch()
    if m["compare"]:
        desired = e.convert(_second(e), type_).operand
        e.code.add(Cas(old, None, pointer.operand, first, desired, type_.value.size, mode, Mode.RLX,
                       tag=Tag.CMPXCHG))  # fmt: skip
    else:
        e.code.add(Rmw(old, pointer.operand, first, RmwOp.XCHG, type_.value.size, mode))
    return Value(old, type_)


def _add_unless(e: Expressions, _: re.Match[str]) -> Value:
    """Whether it added. What it found decides whether it writes at all, so it is a reserved load and a store: only
    where both happen they are a read-modify-write, and a full barrier."""
    pointer = e.pointer()
    type_ = e.pointed(pointer)
    amount = e.convert(_second(e), type_)
    unless = e.convert(_second(e), type_)
    size, old, added, end = type_.value.size, e.code.scratch(), e.code.scratch(), e.code.fresh_label()
    e.code.add(Load(old, pointer.operand, size, Mode.SC, exclusive=True, tag=Tag.CMPXCHG))
    found = Value(old, type_)
    e.code.move(added, Const(0))
    e.code.branch(e.operate("==", found, unless).operand, end)
    total = e.operate("+", found, amount)
    e.code.add(StoreConditional(e.code.scratch(), pointer.operand, total.operand, size, Mode.SC, may_fail=False))
    e.code.move(added, Const(1))
    e.code.label(end)
    return Value(added, C_INT)


# --- locks and SRCU


def _lock(e: Expressions) -> Value:
    pointer = e.pointer()
    size = e.pointed(pointer).value.size
    e.code.add(BlockingCas(pointer.operand, Const(0), Const(1), size, Mode.ACQ, lock=True, tag=Tag.LOCK))
    return _NOTHING


def _unlock(e: Expressions) -> Value:
    pointer = e.pointer()
    e.code.add(Store(pointer.operand, Const(0), e.pointed(pointer).value.size, Mode.REL, Tag.UNLOCK))
    return _NOTHING


def _trylock(e: Expressions) -> Value:
    pointer, taken = e.pointer(), e.code.scratch()
    size = e.pointed(pointer).value.size
    e.code.add(Cas(None, taken, pointer.operand, Const(0), Const(1), size, Mode.ACQ, Mode.RLX, tag=Tag.LOCK))
    return Value(taken, C_INT)


def _is_locked(e: Expressions) -> Value:
    found = e.load(e.pointer(), Mode.RLX)
    return Value(e.code.compute(Op.NE, found.operand, Const(0), width=found.width), C_INT)


def _tagged_load(tag: Tag) -> Primitive:
    def load(e: Expressions) -> Value:
        pointer, dst = e.pointer(), e.code.scratch()
        type_ = e.pointed(pointer)
        e.code.add(Load(dst, pointer.operand, type_.value.size, Mode.RLX, tag=tag))
        return Value(dst, type_)

    return load


def _srcu_unlock(e: Expressions) -> Value:
    pointer = e.pointer()
    type_ = e.pointed(pointer)
    value = e.convert(_second(e), type_)
    e.code.add(Store(pointer.operand, value.operand, type_.value.size, Mode.RLX, Tag.SRCU))
    return _NOTHING


_SIMPLE: dict[str, Primitive] = {
    "READ_ONCE": _read_once,
    "WRITE_ONCE": _write_to(Mode.RLX),
    "rcu_dereference": _read_once,
    "rcu_assign_pointer": _write_to(Mode.REL),
    "smp_store_mb": _write_to(Mode.RLX, FenceKind.MB),
    "smp_load_acquire": _load(Mode.ACQ),
    "smp_store_release": _store(Mode.REL),
    "spin_lock": _lock,
    "spin_unlock": _unlock,
    "spin_trylock": _trylock,
    "spin_is_locked": _is_locked,
    "srcu_read_lock": _tagged_load(Tag.SRCU),
    "srcu_down_read": _tagged_load(Tag.SRCU),
    "srcu_read_unlock": _srcu_unlock,
    "srcu_up_read": _srcu_unlock,
    "synchronize_srcu": _tagged_load(Tag.SYNC_SRCU),
    "synchronize_srcu_expedited": _tagged_load(Tag.SYNC_SRCU),
}
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[Expressions, re.Match[str]], Value]], ...] = (
    (_READ, _access),
    (_RETURN, _return),
    (_FETCH, _fetch),
    (_VOID, _void),
    (_TEST, _test),
    (_EXCHANGE, _exchange),
    (_UNLESS, _add_unless),
)


def is_kernels(name: str) -> bool:
    """Whether only the kernel has a function of this name: `atomic_fetch_add` is C11's, too."""
    return primitive(name) is not None and not _SHARED.match(name)


def is_kernel_call(e: Expressions, token: Token) -> bool:
    return primitive(token.text) is not None and (e.kernel or not _SHARED.match(token.text))
