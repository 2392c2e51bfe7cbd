"""<string.h> on memory, and the heap of <stdlib.h>."""

from __future__ import annotations

from fencepost.frontends.c.body import ONE, ZERO, Body, naturally_aligned
from fencepost.frontends.c.constants import bits_of, number
from fencepost.frontends.c.library.runtime import run
from fencepost.frontends.c.llvm.types import leaves
from fencepost.frontends.c.memory import layout_of, parts_behind
from fencepost.frontends.c.site import Handler, Site
from fencepost.frontends.c.undefined import check
from fencepost.program import instructions as ins
from fencepost.program.instructions import ErrorKind, Mode, Op
from fencepost.program.operands import Const, GlobalAddress, Operand

_INLINE = 64  # accesses that are written out; longer copies are loops


def copy(b: Body, s: Site) -> Operand:
    """memcpy and llvm.memcpy"""
    _check_overlap(b, s[0], s[1], s[2])
    return _copied(b, s)


def _copied(b: Body, s: Site) -> Operand:
    """As many accesses as the type has scalars, each of its size; smaller ones where a pointer of which nothing else is
    known may be less aligned."""
    to, source, size = s[0], s[1], s[2]
    align = min(_align(s, 0), _align(s, 1))
    if not isinstance(size, Const):
        return _stepwise(b, "copy", to, source, size, _step(b, s, 0, 1))
    parts = layout_of(b, size.value, align, s.name(0), s.name(1))
    open_ = [_align(s, k) for k in (0, 1) if parts_behind(b, s.name(k), size.value) is None]
    parts = naturally_aligned(parts, min(open_, default=8))
    if len(parts) > _INLINE and (step := _even(parts, size.value)):
        return run(b, "copy", to, source, size, size=step)
    loaded = [_load(b, b.add(source, o), n) for o, n in parts]
    for (o, n), value in zip(parts, loaded, strict=True):
        b.emit(ins.Store(b.add(to, o), value, n, Mode.NA))
    return to


def _check_overlap(b: Body, to: Operand, source: Operand, size: Operand) -> None:
    """To copy something onto itself is what compilers make of `x = x`, and no error."""
    if isinstance(to, GlobalAddress) and isinstance(source, GlobalAddress) and to.name != source.name:
        return
    ahead, behind = b.compute(Op.SUB, to, source), b.compute(Op.SUB, source, to)
    apart = b.compute(Op.AND, b.compute(Op.UGE, ahead, size), b.compute(Op.UGE, behind, size))
    right = b.compute(Op.OR, apart, b.compute(Op.EQ, ahead, ZERO))
    check(b, ErrorKind.OVERLAP, right, "memory ranges of a copy overlap")


def _step(b: Body, s: Site, *pointers: int) -> int:
    """The size of one access where the number of bytes is computed: that of what is pointed at, or the alignment. A
    pointer to bytes may be aligned to nothing else."""
    scalars = [_scalar_size(b, s.name(k)) for k in pointers]
    if any(size == 1 and _align(s, k) == 1 for size, k in zip(scalars, pointers, strict=True)):
        return 1
    if wide := next((size for size in scalars if size in (2, 4, 8)), 0):
        return wide
    return max(_factor(b, s[2]), min(8, *(_align(s, k) for k in pointers)))


def _scalar_size(b: Body, name: str | None) -> int:
    """The size of all scalars of what a pointer is known to point at; 0 where they differ, or nothing is known."""
    known = b.memory_types.get(name or "")
    sizes = {(bits_of(t) + 7) // 8 for _, t in leaves(known)} if known is not None else set()
    return sizes.pop() if len(sizes) == 1 else 0


def _factor(b: Body, size: Operand) -> int:
    """The size of one element, where the program computes a size as `count * sizeof *block`; 1 where that is not seen.
    What has several members is taken for words."""
    product = next((i for i in reversed(b.code) if isinstance(i, ins.Compute) and i.dst == size), None)
    if product is None or product.op is not Op.MUL:
        return 1
    factor = next((a.value for a in product.args if isinstance(a, Const)), 1)
    return next((n for n in (8, 4, 2) if factor > 0 and factor % n == 0), 1)


def _stepwise(b: Body, name: str, to: Operand, other: Operand, size: Operand, step: int) -> Operand:
    """`copy` or `fill` for a computed size: so many accesses of `step` bytes, and what is left over in single bytes."""
    if step == 1:
        return run(b, name, to, other, size)
    whole = b.compute(Op.AND, size, number(-step))
    rest = b.compute(Op.SUB, size, whole)
    ahead = b.compute(Op.ADD, other, whole) if name == "copy" else other
    wide = _repeated(b, other, step) if name == "fill" else other
    run(b, name, to, wide, whole, size=step)
    run(b, name, b.compute(Op.ADD, to, whole), ahead, rest)
    return to


def _load(b: Body, address: Operand, size: int) -> Operand:
    part = b.fresh("part")
    b.emit(ins.Load(part, address, size, Mode.NA, copies=True))
    return part


def _align(s: Site, index: int) -> int:
    return s.args[index].align if index < len(s.args) else 1


def _even(parts: list[tuple[int, int]], size: int) -> int:
    """The size of all parts, where they are all of one size and cover everything; else 0."""
    sizes = {n for _, n in parts}
    step = sizes.pop() if len(sizes) == 1 else 0
    return step if step and step * len(parts) == size else 0


def move(b: Body, s: Site) -> Operand:
    """memmove: inline copies read everything before they write, so overlap does not matter there."""
    to, source, size = s[0], s[1], s[2]
    if isinstance(size, Const) and size.value <= 8 * _INLINE:
        return _copied(b, s)
    ahead, back, end = b.label(), b.label(), b.label()
    overlaps = b.compute(Op.ULT, source, to)
    b.branch(overlaps, back, ahead)
    b.mark(ahead)
    step = _step(b, s, 0, 1)
    _stepwise(b, "copy", to, source, size, step)
    b.jump(end)
    b.mark(back)
    whole = b.compute(Op.AND, size, number(-step))
    b.emit(ins.Assert(b.compute(Op.EQ, whole, size), "memmove of a part of an element", ins.ErrorKind.UNSUPPORTED))
    run(b, "copy_back", to, source, size, size=step)
    b.jump(end)
    b.mark(end)
    return to


def fill(b: Body, s: Site) -> Operand:
    to, value, size = s[0], s[1], s[2]
    if not isinstance(size, Const):
        return _stepwise(b, "fill", to, value, size, _step(b, s, 0))
    parts = layout_of(b, size.value, _align(s, 0), s.name(0))
    if len(parts) > _INLINE and (step := _even(parts, size.value)):
        return run(b, "fill", to, _repeated(b, value, step), size, size=step)
    words = {n: _repeated(b, value, n) for n in {n for _, n in parts}}
    for o, n in parts:
        b.emit(ins.Store(b.add(to, o), words[n], n, Mode.NA))
    return to


def _repeated(b: Body, value: Operand, size: int) -> Operand:
    """The byte, so many times."""
    pattern = int.from_bytes(b"\x01" * size, "little")
    if isinstance(value, Const):
        return number((value.value & 0xFF) * pattern)
    return b.compute(Op.MUL, b.compute(Op.MOV, value, width=8), number(pattern))


def zero(b: Body, s: Site) -> Operand:
    """bzero"""
    return run(b, "fill", s[0], ZERO, s[1])


# --- heap


_HEAD = 16  # in a program that uses realloc each block has a head: 0 its own length, 8 the size of the block


def allocate(b: Body, s: Site, size: Operand, align: int = 16, *, zeroed: bool = False) -> Operand:
    """Heap memory for what the call `s` gives."""
    block, new = b.fresh(s.result or "block"), by_new(s.callee)
    if not b.unit.uses_realloc:
        b.allocate(block, s.result, size, align, zeroed, new)
        return block
    head = max(_HEAD, align)
    b.allocate(block, None, b.compute(Op.ADD, size, Const(head)), align, zeroed, new)
    b.emit(ins.Store(b.add(block, head - 16), Const(head), 8, Mode.NA))
    b.emit(ins.Store(b.add(block, head - 8), size, 8, Mode.NA))
    return b.add(block, head)


def by_new(callee: str) -> str:
    """The operator of C++ that a function is or undoes, by its name; empty for malloc and its like."""
    return {"_Znw": "new", "_Zdl": "new", "_Zna": "new[]", "_Zda": "new[]"}.get(callee[:4], "")


def release(b: Body, address: Operand, new: str = "") -> None:
    if b.unit.uses_realloc:
        head = b.fresh("head")
        b.emit(ins.Load(head, b.add(address, -16), 8, Mode.NA))
        address = b.compute(Op.SUB, address, head)
    b.emit(ins.Free(address, new != "", new == "new[]"))


def malloc(b: Body, s: Site) -> Operand:
    return allocate(b, s, s[0])


def calloc(b: Body, s: Site) -> Operand:
    x, y = s[0], s[1]
    constant = isinstance(x, Const) and isinstance(y, Const)
    size = Const(x.value * y.value) if constant else b.compute(Op.MUL, x, y)  # type: ignore[union-attr]
    return allocate(b, s, size, zeroed=True)


_WIDEST = 4096  # what memory whose alignment is computed is aligned to: every smaller alignment holds then, too


def aligned(b: Body, s: Site, size: Operand, align: Operand) -> Operand:
    """Heap memory of any alignment; null where that is none (no power of two)."""
    if isinstance(align, Const):
        right = align.value > 0 and align.value & (align.value - 1) == 0
        return allocate(b, s, size, align.value) if right else ZERO
    found, some, fits, large, end = b.fresh("aligned"), b.label(), b.label(), b.label(), b.label()
    b.move(found, ZERO)
    rest = b.compute(Op.AND, align, b.compute(Op.SUB, align, ONE))
    b.branch(b.compute(Op.AND, b.compute(Op.EQ, rest, ZERO), b.compute(Op.NE, align, ZERO)), some, end)
    b.mark(some)
    b.branch(b.compute(Op.ULE, align, Const(_WIDEST)), fits, large)
    b.mark(large)
    b.fail(ErrorKind.UNSUPPORTED, f"a computed alignment of more than {_WIDEST} bytes")
    b.mark(fits)
    b.move(found, allocate(b, s, size, _WIDEST))
    b.jump(end)
    b.mark(end)
    return found


def aligned_alloc(b: Body, s: Site) -> Operand:
    return aligned(b, s, s[1], s[0])


def posix_memalign(b: Body, s: Site) -> Operand:
    """EINVAL, and nothing stored, where the alignment is not a power of two that pointers divide."""
    result, good, end = b.fresh("result"), b.label(), b.label()
    b.move(result, Const(22))
    found = aligned(b, s, s[2], s[1]) if not isinstance(s[1], Const) or s[1].value % 8 == 0 else ZERO
    b.branch(found, good, end)
    b.mark(good)
    b.emit(ins.Store(s[0], found, 8, Mode.NA))
    b.move(result, ZERO)
    b.jump(end)
    b.mark(end)
    return result


def free(b: Body, s: Site) -> None:
    address = s[0]
    if isinstance(address, Const) and address.value == 0:
        return
    take, end = b.label(), b.label()
    b.branch(address, take, end)
    b.mark(take)
    release(b, address, by_new(s.callee))
    b.jump(end)
    b.mark(end)


def realloc(b: Body, s: Site) -> Operand:
    """Always another block, so that whoever keeps the old address is found out."""
    old, size = s[0], s[1]
    if s.callee == "reallocarray":
        size = b.compute(Op.MUL, s[1], s[2])
    fresh = allocate(b, s, size)
    move_over, end = b.label(), b.label()
    b.branch(old, move_over, end)
    b.mark(move_over)
    before = b.fresh("before")
    b.emit(ins.Load(before, b.add(old, -8), 8, Mode.NA))
    shorter = b.compute(Op.SELECT, b.compute(Op.ULT, before, size), before, size)
    _stepwise(b, "copy", fresh, old, shorter, _unit_of(b, size))
    release(b, old)
    b.jump(end)
    b.mark(end)
    return fresh


def _unit_of(b: Body, size: Operand) -> int:
    """The size of what is in a block: a guess where the size is a constant."""
    if not isinstance(size, Const):
        return _factor(b, size)
    return 4 if size.value % 4 == 0 else 1


def compare(b: Body, s: Site) -> Operand:
    return run(b, "memcmp", s[0], s[1], s[2])


def sort(b: Body, s: Site) -> None:
    """qsort(base, count, width, compare)"""
    run(b, "qsort", s[0], s[1], s[2], s[3], size=_element(b, s))


def _element(b: Body, s: Site) -> int:
    """The size of the accesses that move elements about: that of the scalars they are made of, as far as is known."""
    width = s[2]
    if not isinstance(width, Const):
        return 1
    known = b.memory_types.get(s.name(0) or "") or b.unit.type_of_global(s.name(0))
    sizes = {(bits_of(t) + 7) // 8 for _, t in leaves(known)} if known is not None else set()
    if len(sizes) == 1 and width.value % (size := sizes.pop()) == 0:
        return size
    if sizes:
        return 1  # a struct of several sizes
    return width.value if width.value in (2, 4, 8) else 4 if width.value % 4 == 0 else 1


FUNCTIONS: dict[str, Handler] = {
    "memcpy": copy, "__memcpy_chk": copy, "memmove": move, "__memmove_chk": move, "memset": fill,
    "__memset_chk": fill, "bzero": zero, "memcmp": compare, "bcmp": compare,
    "memchr": lambda b, s: run(b, "memchr", s[0], s[1], s[2]),
    "qsort": sort, "bsearch": lambda b, s: run(b, "bsearch", *(s[k] for k in range(5))),
    "malloc": malloc, "calloc": calloc, "free": free, "cfree": free, "realloc": realloc, "reallocarray": realloc,
    "valloc": malloc,
    "aligned_alloc": aligned_alloc, "memalign": aligned_alloc, "posix_memalign": posix_memalign,
}  # fmt: skip
