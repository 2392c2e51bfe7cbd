"""The functions of <stdatomic.h>, as the C dialect calls them."""

from __future__ import annotations

import re
from collections.abc import Callable

from fencepost.frontends.litmus.c_expressions import C_INT, Expressions, Value
from fencepost.frontends.litmus.c_kernel import is_kernel_call, primitive
from fencepost.frontends.scan import Token
from fencepost.program.instructions import Cas, Fence, FenceKind, Mode, Op, Rmw, RmwOp
from fencepost.program.operands import Const

_ORDER = {
    "relaxed": Mode.RLX, "consume": Mode.ACQ, "acquire": Mode.ACQ, "release": Mode.REL, "acq_rel": Mode.ACQ_REL,
    "seq_cst": Mode.SC,
}  # fmt: skip
_FENCE = {Mode.ACQ: FenceKind.ACQ, Mode.REL: FenceKind.REL, Mode.ACQ_REL: FenceKind.ACQ_REL, Mode.SC: FenceKind.SC}
_FETCH = re.compile(r"atomic_fetch_(add|sub|and|or|xor)(_explicit)?\Z")
_CAS = re.compile(r"atomic_compare_exchange_(strong|weak)(_explicit)?\Z")
_NOTHING = Value(Const(0), C_INT)


def call(e: Expressions, token: Token) -> Value:
    """Reads the arguments of a call and adds its code; returns its value."""
    e.code.at = e.code.source.at(token.offset)
    kernel = is_kernel_call(e, token)
    e.uses(token, kernel=kernel)
    e.t.expect("(")
    result = _kernel(e, token) if kernel else _c11(e, token)
    e.t.expect(")")
    return result


def _kernel(e: Expressions, token: Token) -> Value:
    meaning = primitive(token.text)
    assert meaning is not None, "only a primitive of the kernel should come here"
    return meaning(e)


def _c11(e: Expressions, token: Token) -> Value:
    explicit = token.text.endswith("_explicit")
    handler = _HANDLERS.get(token.text.removesuffix("_explicit"))
    if handler is not None:
        return handler(e, explicit or token.text.endswith("fence"))
    if m := _FETCH.match(token.text):
        return _fetch(e, RmwOp[m[1].upper()], explicit)
    if m := _CAS.match(token.text):
        return _compare_exchange(e, m[1] == "weak", explicit)
    e.code.source.fail(token.offset, f"unsupported function '{token.text}'")


def _order(e: Expressions, explicit: bool, refused: tuple[Mode, ...] = (), what: str = "") -> Mode:
    """The memory order, the next argument of an `_explicit` call; else sequentially consistent."""
    if not explicit:
        return Mode.SC
    e.t.expect(",")
    return _order_argument(e, refused, what)


def _order_argument(e: Expressions, refused: tuple[Mode, ...], what: str) -> Mode:
    token = e.t.name("a memory order such as memory_order_relaxed")
    name = token.text.removeprefix("memory_order_").removeprefix("mo_")
    if name not in _ORDER:
        e.t.fail("a memory order such as memory_order_relaxed", token=token)
    if _ORDER[name] in refused:
        e.t.fail(f"an order that {what} can have", token=token)
    return _ORDER[name]


def _next(e: Expressions) -> Value:
    e.t.expect(",")
    return e.expression()


def _load(e: Expressions, explicit: bool) -> Value:
    pointer = e.pointer()
    return e.load(pointer, _order(e, explicit, (Mode.REL, Mode.ACQ_REL), "a load"))


def _store(e: Expressions, explicit: bool) -> Value:
    pointer, value = e.pointer(), _next(e)
    e.store(pointer, value, _order(e, explicit, (Mode.ACQ, Mode.ACQ_REL), "a store"))
    return _NOTHING


def _init(e: Expressions, explicit: bool) -> Value:
    pointer, value = e.pointer(), _next(e)
    e.store(pointer, value, Mode.NA)
    return _NOTHING


def _exchange(e: Expressions, explicit: bool) -> Value:
    return _fetch(e, RmwOp.XCHG, explicit)


def _fetch(e: Expressions, op: RmwOp, explicit: bool) -> Value:
    pointer, value = e.pointer(), _next(e)
    type_ = e.pointed(pointer)
    operand = e.convert(value, type_).operand
    mode, old = _order(e, explicit), e.code.scratch()
    e.code.add(Rmw(old, pointer.operand, operand, op, type_.value.size, mode))
    return Value(old, type_)


def _compare_exchange(e: Expressions, weak: bool, explicit: bool) -> Value:
    """`expected` is a pointer: read before, and written with what was found where the exchange fails."""
    pointer = e.pointer()
    type_, size = e.pointed(pointer), e.pointed(pointer).value.size
    e.t.expect(",")
    local = None
    if e.t.at("&") and (local := e.local(e.t.peek().text)) is not None:
        e.t.index += 2
        where, expected = None, e.convert(Value(*local), type_)
    else:
        where = e.pointer()
        expected = e.convert(e.load(where), type_)
    desired = e.convert(_next(e), type_)
    mode = _order(e, explicit)
    failure = _order(e, explicit, (Mode.REL, Mode.ACQ_REL), "a failed exchange")
    old, success, done = e.code.scratch(), e.code.scratch(), e.code.fresh_label()
    e.code.add(
        Cas(old, success, pointer.operand, expected.operand, desired.operand, size, mode, failure, weak)
    )  # fmt: skip
    e.code.branch(success, done)
    if where is not None:
        e.store(where, Value(old, type_))
    elif local is not None:
        e.assign(*local, Value(old, type_))
    e.code.label(done)
    return Value(success, C_INT)


def _fence(e: Expressions, explicit: bool) -> Value:
    mode = _order_argument(e, (), "a fence")
    if mode is not Mode.RLX:
        e.code.add(Fence(_FENCE[mode]))
    return _NOTHING


def _signal_fence(e: Expressions, explicit: bool) -> Value:
    _order_argument(e, (), "a fence")
    return _NOTHING


def _flag_test_and_set(e: Expressions, explicit: bool) -> Value:
    pointer = e.pointer()
    type_, mode, old = e.pointed(pointer), _order(e, explicit), e.code.scratch()
    e.code.add(Rmw(old, pointer.operand, Const(1), RmwOp.XCHG, type_.value.size, mode))
    return Value(e.code.compute(Op.NE, old, Const(0), width=8 * type_.value.size), C_INT)


def _flag_clear(e: Expressions, explicit: bool) -> Value:
    pointer = e.pointer()
    e.store(pointer, _NOTHING, _order(e, explicit, (Mode.ACQ, Mode.ACQ_REL), "a store"))
    return _NOTHING


_HANDLERS: dict[str, Callable[[Expressions, bool], Value]] = {
    "atomic_load": _load,
    "atomic_store": _store,
    "atomic_init": _init,
    "atomic_exchange": _exchange,
    "atomic_thread_fence": _fence,
    "atomic_signal_fence": _signal_fence,
    "atomic_flag_test_and_set": _flag_test_and_set,
    "atomic_flag_clear": _flag_clear,
}
