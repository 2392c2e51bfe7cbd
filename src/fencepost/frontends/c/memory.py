"""Memory: allocas, loads, stores, addresses; atomic accesses and fences; copying and filling."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from fencepost.frontends.c import wide_atomics
from fencepost.frontends.c.body import ONE, ZERO, Body, Leaves, Shape, naturally_aligned, pieces
from fencepost.frontends.c.constants import bits_of
from fencepost.frontends.c.llvm.module import Inst
from fencepost.frontends.c.llvm.tokens import Cursor, plain_name, value_name
from fencepost.frontends.c.llvm.types import (
    WIDE,
    ArrayOf,
    Float,
    Int,
    Ptr,
    StructOf,
    Type,
    leaves,
    step_into,
)
from fencepost.frontends.c.streams import STREAMS
from fencepost.frontends.c.undefined import check
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, FenceKind, Mode, Op, RmwOp
from fencepost.program.operands import Const, GlobalAddress, Operand, to_signed

_ORDERS = {
    "unordered": Mode.RLX, "monotonic": Mode.RLX, "acquire": Mode.ACQ, "release": Mode.REL, "acq_rel": Mode.ACQ_REL,
    "seq_cst": Mode.SC,
}  # fmt: skip
_FENCES = {
    "acquire": FenceKind.ACQ, "release": FenceKind.REL, "acq_rel": FenceKind.ACQ_REL, "seq_cst": FenceKind.SC,
}  # fmt: skip
_RMW = {op.value: op for op in RmwOp}
_FLOAT_RMW = {"fadd": Op.FADD, "fsub": Op.FSUB}


def _order(c: Cursor) -> Mode:
    """The next memory order; what stands between (align, syncscope) is skipped."""
    while c.token and c.token not in _ORDERS:
        c.next()
        c.skip_group()
    return _ORDERS[c.next()] if c.token else Mode.NA


def pointed_at(b: Body, c: Cursor) -> tuple[Operand, str | None]:
    """A pointer operand, and its name where it has one."""
    type_ = b.types.parse(c)
    name = value_name(c.token)
    address = b.operand(type_, c)
    if isinstance(address, GlobalAddress) and address.name in STREAMS:
        raise Unsupported(f"{b.unit.shown(address.name).removesuffix('()')} used in another way than <<")
    return address, name


def alloca(b: Body, i: Inst) -> None:
    c = i.cursor
    c.accept("inalloca")
    type_ = b.types.parse(c)
    count: Operand = ONE
    align = max(1, type_.align)
    while c.accept(","):
        if c.accept("align"):
            align = int(c.next())
        elif c.token.startswith("!"):
            break
        elif c.token == "addrspace":
            c.next()
            c.skip_group()
        else:
            count = b.typed(c)[1]
    name = i.result or "local"
    b.memory_types[name] = type_
    if name in b.variables:
        return
    size: Operand = Const(type_.size * count.value) if isinstance(count, Const) else (
        b.compute(Op.MUL, count, Const(type_.size)))  # fmt: skip
    result = b.fresh(name)
    declared = b.declared.local(name) if b.declared is not None else None
    b.emit(ins.Alloca(result, size, align, False, source_name(name), declared, unset=True))
    b.bind(i.result, (result,))


def source_name(name: str) -> str:
    """The name of a local variable in the source."""
    return name.removesuffix(".addr")


RETVAL = "retval"  # where clang keeps what a function returns


def _variable(b: Body, c: Cursor) -> str:
    """The local variable in a register that the pointer operand here names; empty where it is none."""
    ahead = Cursor(c.tokens, c.file, c.at)
    b.types.parse(ahead)
    name = plain_name(ahead.token) if ahead.token[:1] == "%" else ""
    return name if name in b.variables else ""


def _check_assigned(b: Body, variable: str) -> None:
    if variable == RETVAL:
        message = "execution reached the end of a value-returning function, and its value is used"
        check(b, ErrorKind.MISSING_RETURN, b.assigned[variable], message)
        return
    message = f"the variable {source_name(variable)} is read and has no value"
    if variable.startswith("atomic-temp"):  # where clang puts what is loaded, and leaves the load out
        message = "an atomic access with an order that it may not have"
    check(b, ErrorKind.UNINITIALISED, b.assigned[variable], message)


def load(b: Body, i: Inst) -> None:
    c = i.cursor
    atomic = c.accept("atomic") is not None
    volatile = c.accept("volatile") is not None and not atomic
    type_ = b.types.parse(c)
    c.expect(",")
    if variable := _variable(b, c):
        if variable in b.assigned:
            _check_assigned(b, variable)
        b.bind(i.result, (b.compute(Op.MOV, b.variables[variable], name=i.result or "t"),))
        return
    address, name = pointed_at(b, c)
    shape = _shape(b, name, c, type_)
    mode = _order(c) if atomic else Mode.NA
    if atomic and type_ == WIDE:
        b.bind(i.result, wide_atomics.load(b, address, mode))
        return
    replaces = b.declared is not None and i.result in b.declared.bit_fields
    first = len(b.code)
    b.bind(i.result, b.load(type_, address, mode, i.result or "t", shape, copies=replaces))
    if volatile:
        _mark_volatile(b, first)


def store(b: Body, i: Inst) -> None:
    c = i.cursor
    atomic = c.accept("atomic") is not None
    volatile = c.accept("volatile") is not None and not atomic
    type_ = b.types.parse(c)
    values = b.operands(type_, c)
    c.expect(",")
    if variable := _variable(b, c):
        b.move(b.variables[variable], values[0])
        if variable in b.assigned:
            b.move(b.assigned[variable], ONE)
        return
    address, name = pointed_at(b, c)
    if name in b.mutex_members and values == (ZERO,):
        if b.mutex_members[name] % 8 == 0:  # the first half stands for the word
            b.emit(ins.Store(address, ZERO, 8, Mode.NA))
        return
    if atomic and type_ == WIDE:
        wide_atomics.store(b, address, values, _order(c))
        return
    shape = _shape(b, name, c, type_)
    first = len(b.code)
    b.store(type_, address, values, _order(c) if atomic else Mode.NA, shape)
    if volatile:
        _mark_volatile(b, first)


def _mark_volatile(b: Body, first: int) -> None:
    """Marks the access that was just emitted. One that is made in parts stays plain: no part of it is atomic."""
    accesses = [k for k in range(first, len(b.code)) if isinstance(b.code[k], ins.Load | ins.Store)]
    if len(accesses) == 1:
        b.code[accesses[0]] = replace(b.code[accesses[0]], volatile=True)  # type: ignore[call-arg]


def _shape(b: Body, name: str | None, c: Cursor, type_: Type) -> Shape:
    known = _type_at(b, name)
    align = next((int(c.tokens[k + 1]) for k in range(c.at, len(c.tokens) - 1) if c.tokens[k] == "align"), type_.align)
    return Shape(known, align)


def element(b: Body, i: Inst) -> None:
    """getelementptr"""
    c = i.cursor
    while c.token in ("inbounds", "nuw", "nusw", "inrange"):
        c.next()
        c.skip_group()
    type_: Type = b.types.parse(c)
    c.expect(",")
    base_type = b.types.parse(c)
    if isinstance(base_type, ArrayOf):
        raise Unsupported("a vector of addresses")
    at = b.operand(base_type, c)
    offset, first = 0, True
    mutex = isinstance(type_, StructOf) and _MUTEX_NAME.fullmatch(type_.name) is not None
    while c.accept(",") and not c.token.startswith("!"):
        index_type, index = b.typed(c)
        scale = type_.size
        if not first and isinstance(type_, StructOf):
            assert isinstance(index, Const), "a member of a struct is named by a constant"
            if type_.packed and i.result is not None:
                b.packed.add(i.result)
            type_, step, _ = step_into(type_, index.value)
            offset += step
            continue
        if not first:
            assert isinstance(type_, ArrayOf), "only aggregates have elements"
            type_ = type_.element
            scale = type_.size
        first = False
        wide = b.sign_extend(index, bits_of(index_type))
        if isinstance(wide, Const):
            offset += to_signed(wide.value) * scale
        else:
            at = b.compute(Op.ADD, at, b.compute(Op.MUL, wide, Const(scale)) if scale != 1 else wide)
    if i.result is not None:
        b.memory_types[i.result] = type_
        if mutex and offset < _MUTEX[2][0]:
            b.mutex_members[i.result] = offset
    b.bind(i.result, (b.add(at, offset),))


def fence(b: Body, i: Inst) -> None:
    c = i.cursor
    if c.accept("syncscope"):
        scope = c.peek()
        c.skip_group()
        if "singlethread" in scope:
            return
    b.emit(ins.Fence(_FENCES[c.next()]))


def compare_exchange(b: Body, i: Inst) -> None:
    c = i.cursor
    weak = c.accept("weak") is not None
    c.accept("volatile")
    address, _ = pointed_at(b, c)
    c.expect(",")
    type_ = b.types.parse(c)
    if type_ == WIDE:
        b.bind(i.result, _compare_exchange_wide(b, address, c, weak))
        return
    expected = b.operand(type_, c)
    c.expect(",")
    desired = b.typed(c)[1]
    success, failure = _order(c), _order(c)
    old, done = b.fresh(f"{i.result}.old"), b.fresh(f"{i.result}.ok")
    size = _atomic_size(type_)
    b.emit(ins.Cas(old, done, address, expected, desired, size, success, failure, weak))
    b.bind(i.result, (old, done))


def _compare_exchange_wide(b: Body, address: Operand, c: Cursor, weak: bool) -> Leaves:
    expected = b.operands(WIDE, c)
    c.expect(",")
    desired = b.operands(b.types.parse(c), c)
    old, done = wide_atomics.compare_exchange(b, address, expected, desired, (_order(c), _order(c)), weak=weak)
    return *old, done


def _atomic_size(type_: Type) -> int:
    size = (bits_of(type_) + 7) // 8
    if len(pieces(size)) > 1:
        raise Unsupported(f"an atomic access of {size} bytes")
    return size


def read_modify_write(b: Body, i: Inst) -> None:
    c = i.cursor
    c.accept("volatile")
    word = c.next()
    if word not in _RMW and word not in _FLOAT_RMW:
        raise Unsupported(f"atomicrmw {word}")
    address, _ = pointed_at(b, c)
    c.expect(",")
    type_ = b.types.parse(c)
    if type_ == WIDE:
        value_ = b.operands(type_, c)
        b.bind(i.result, wide_atomics.update(b, address, word, value_, _order(c)))
        return
    value = b.operand(type_, c)
    if word in _FLOAT_RMW:
        b.bind(i.result, (_float_update(b, _FLOAT_RMW[word], address, value, bits_of(type_), _order(c)),))
        return
    if isinstance(type_, Float) and word != "xchg":
        raise Unsupported(f"atomicrmw {word} on a floating-point number")
    old = b.fresh(i.result or "old")
    b.emit(ins.Rmw(old, address, value, _RMW[word], _atomic_size(type_), _order(c)))
    b.bind(i.result, (old,))


def _float_update(b: Body, op: Op, address: Operand, value: Operand, bits: int, mode: Mode) -> Operand:
    """A read and the compare-exchange that succeeds after it: what a loop of them comes to in the end."""
    old, done = b.fresh("old"), b.fresh("done")
    b.emit(ins.Load(old, address, bits // 8, Mode.RLX))
    new = b.compute(op, old, value, width=bits)
    b.emit(ins.Cas(None, done, address, old, new, bits // 8, mode, Mode.RLX))
    b.emit(ins.Assume(done))
    return old


# --- copying and filling


def copy_memory(b: Body, to: Operand, source: Operand, type_: Type) -> None:
    """Copies an object of a known type, one access per scalar."""
    shape = Shape(None, type_.align)
    found = b.load(type_, source, shape=shape)
    b.store(type_, to, found, shape=shape)


def layout_of(b: Body, size: int, align: int, *names: str | None) -> list[tuple[int, int]]:
    """Offsets and sizes of the accesses that copy or fill `size` bytes: those of the scalars of the type that one
    of the named pointers points at, so that nobody sees an access of another size than that of the variable."""
    found = _layout(b, size, align, *names)
    return naturally_aligned(found, align) if b.packed.intersection(names) else found


def _type_at(b: Body, name: str | None) -> Type | None:
    return b.memory_types.get(name or "") or b.unit.type_of_global(name)


def parts_behind(b: Body, name: str | None, size: int) -> list[tuple[int, int]] | None:
    """The scalars of the type behind a pointer, where it is known to be one of this size."""
    known = _type_at(b, name)
    return _parts(known, size) if known is not None else None


def _layout(b: Body, size: int, align: int, *names: str | None) -> list[tuple[int, int]]:
    for name in names:
        if found := parts_behind(b, name, size):
            return found
    if (guess := _guessed(b, size, align)) is not None:
        return guess
    step = min(max(align, 1), 8)
    return [(k, step) for k in range(0, size - size % step, step)] + [(k, 1) for k in range(size - size % step, size)]


def _guessed(b: Body, size: int, align: int) -> list[tuple[int, int]] | None:
    """The layout of the one struct of this size, where nobody says what is copied. Two that differ are no guess, and
    one with gaps is none either: what is copied may be something else."""
    known = [t for t in b.types.named.values() if t.members is not None and t.size == size and t.align == align]
    layouts = {tuple(parts) for t in known if (parts := _parts(t, size))}
    only = list(layouts.pop()) if len(layouts) == 1 else []
    return only if sum(n for _, n in only) == size else None


_SYNCHRONISATION = re.compile(
    r"(union|struct)\.(__)?(pthread_(mutex|cond|rwlock|barrier)(_t|_s|_arch_t)|sem_t|mtx_t|cnd_t)(\.\d+)?"
)
_MUTEX_NAME = re.compile(r"struct\.__pthread_mutex_s(\.\d+)?")
_MUTEX = [(0, 8), (8, 8), (16, 4), (20, 2), (22, 2), (24, 8), (32, 8)]  # its kind is initialised by itself


def _scalars(type_: Type) -> list[tuple[int, Int | Float | Ptr]]:
    """Like `leaves`; what the library synchronises with is made of words, whatever its members are called."""
    if isinstance(type_, ArrayOf):
        inner = _scalars(type_.element)
        return [(k * type_.element.size + o, t) for k in range(type_.count) for o, t in inner]
    if isinstance(type_, StructOf) and type_.members is not None:
        if found := _SYNCHRONISATION.fullmatch(type_.name):
            if found.group(4) == "mutex" and type_.size == 40:
                return [(k, Int(8 * n)) for k, n in _MUTEX]
            return [(k, Int(64)) for k in range(0, type_.size, 8)]
        return [(base + o, t) for base, m in zip(type_.layout[0], type_.members, strict=True) for o, t in _scalars(m)]
    return leaves(type_)


def _parts(type_: Type, size: int) -> list[tuple[int, int]] | None:
    while isinstance(type_, ArrayOf) and type_.size != size and type_.element.size >= size:
        type_ = type_.element
    if type_.size != size:
        return None
    found: list[tuple[int, int]] = []
    for offset, leaf in _scalars(type_):
        wide = (leaf.bits + 7) // 8 if isinstance(leaf, Int | Float) else 8
        for piece, part in pieces(wide) if wide <= 8 else [(0, 8), (8, 8)]:
            found.append((offset + piece, part))
    found = naturally_aligned(found, type_.align)
    covered = {k for o, s in found for k in range(o, o + s)}
    found += [(k, 1) for k in range(size) if k not in covered and isinstance(type_, StructOf) and type_.packed]
    return found


HANDLERS: dict[str, Callable[[Body, Inst], None]] = {
    "alloca": alloca,
    "load": load,
    "store": store,
    "getelementptr": element,
    "fence": fence,
    "cmpxchg": compare_exchange,
    "atomicrmw": read_modify_write,
}
