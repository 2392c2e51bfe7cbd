"""Atomic accesses of 16 bytes and more: words that nobody sees one without the other (`AtomicBegin.wide`). Those that
read and write are full barriers, as the instruction behind them is, or the lock."""

from __future__ import annotations

from fencepost.frontends.c import wide
from fencepost.frontends.c.body import Body, Leaves
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Mode, Op
from fencepost.program.operands import Const, Operand

_ACQUIRES = frozenset({Mode.ACQ, Mode.ACQ_REL, Mode.SC})
_RELEASES = frozenset({Mode.REL, Mode.ACQ_REL, Mode.SC})


def _begin(b: Body, mode: Mode) -> None:
    b.emit(ins.AtomicBegin(wide=mode))


def _end(b: Body) -> None:
    b.emit(ins.AtomicEnd())


def _read(b: Body, address: Operand, mode: Mode, words: int) -> Leaves:
    found = tuple(b.fresh("word") for _ in range(words))
    for k, half in enumerate(found):
        b.emit(ins.Load(half, b.add(address, 8 * k), 8, Mode.ACQ if mode in _ACQUIRES else Mode.RLX))
    return found


def _write(b: Body, address: Operand, values: Leaves, mode: Mode) -> None:
    for k, half in enumerate(values):
        b.emit(ins.Store(b.add(address, 8 * k), half, 8, Mode.REL if mode in _RELEASES else Mode.RLX))


def load(b: Body, address: Operand, mode: Mode, words: int = 2) -> Leaves:
    _begin(b, mode)
    found = _read(b, address, mode, words)
    _end(b)
    return found


def store(b: Body, address: Operand, values: Leaves, mode: Mode) -> None:
    _begin(b, mode)
    _write(b, address, values, mode)
    _end(b)
    if mode is Mode.SC:
        b.emit(ins.Fence(FenceKind.SC))


def update(b: Body, address: Operand, word: str, value: Leaves, mode: Mode) -> Leaves:
    """A read-modify-write. The word is that of the IR."""
    b.emit(ins.Fence(FenceKind.SC))
    _begin(b, mode)
    old = _read(b, address, mode, len(value))
    _write(b, address, _new(b, word, old, value), mode)
    _end(b)
    b.emit(ins.Fence(FenceKind.SC))
    return old


_CHOICES = {"max": Op.SGT, "min": Op.SLT, "umax": Op.UGT, "umin": Op.ULT}


def _new(b: Body, word: str, old: Leaves, value: Leaves) -> Leaves:
    if word == "xchg":
        return value
    if word == "nand":
        return tuple(b.compute(Op.XOR, half, Const(-1)) for half in wide.binary(b, "and", old, value))
    if word in _CHOICES:
        return wide.chosen(b, wide.compare(b, _CHOICES[word], old, value), old, value)
    if word in ("add", "sub", "and", "or", "xor"):
        return wide.binary(b, word, old, value)
    raise Unsupported(f"atomicrmw {word} of 16 bytes")


def compare_exchange(
    b: Body, address: Operand, expected: Leaves, desired: Leaves, modes: tuple[Mode, Mode], *, weak: bool
) -> tuple[Leaves, Operand]:
    """What was there, and whether it was exchanged. The exchange of the low word may fail for no reason where the
    whole one is weak: then it fails, too."""
    mode = Mode.SC if Mode.SC in modes else modes[0]
    b.emit(ins.Fence(FenceKind.SC))
    _begin(b, mode)
    old = _read(b, address, mode, len(expected))
    write, end = b.label(), b.label()
    done = b.fresh("done")
    b.move(done, wide.same(b, old, expected))
    b.branch(done, write, end)
    b.mark(write)
    if weak:
        low = b.fresh("low")
        releases = Mode.REL if mode in _RELEASES else Mode.RLX
        b.emit(ins.Cas(low, done, address, expected[0], desired[0], 8, releases, Mode.RLX, True))
        rest = b.label()
        b.branch(done, rest, end)
        b.mark(rest)
        _write(b, b.add(address, 8), desired[1:], mode)
    else:
        _write(b, address, desired, mode)
    b.jump(end)
    b.mark(end)
    _end(b)
    b.emit(ins.Fence(FenceKind.SC))
    return old, done
