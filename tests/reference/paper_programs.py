"""The papers' small programs, built by hand so that the reference algorithms depend on no front end."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction, Mode, RmwOp
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.program.validate import validate

X, Y, Z = GlobalAddress("x"), GlobalAddress("y"), GlobalAddress("z")
RLX, ACQ, REL, SC = Mode.RLX, Mode.ACQ, Mode.REL, Mode.SC


def program(*threads: Sequence[Instruction], arch: Arch = Arch.FP) -> Program:
    """Threads over the locations x, y, z and eight registers each."""
    registers = tuple(f"r{k}" for k in range(8))
    functions = tuple(Function(f"f{i}", registers, 0, (*code, ins.Return())) for i, code in enumerate(threads))
    started = tuple(Thread(f"P{i}", f.name) for i, f in enumerate(functions))
    return validate(Program("test", arch, tuple(Object(o, 8) for o in "xyz"), functions, started))


def write(address: Operand, value: int | Operand, mode: Mode = RLX) -> ins.Store:
    return ins.Store(address, Const(value) if isinstance(value, int) else value, mode=mode)


def read(register: int, address: Operand, mode: Mode = RLX) -> ins.Load:
    return ins.Load(Reg(register), address, mode=mode)


def fence(kind: FenceKind) -> ins.Fence:
    return ins.Fence(kind)


def cas(address: Operand, expected: int, desired: int, mode: Mode = RLX) -> ins.Cas:
    return ins.Cas(Reg(0), None, address, Const(expected), Const(desired), mode=mode)


def fetch_add(address: Operand, mode: Mode = RLX) -> ins.Rmw:
    return ins.Rmw(Reg(0), address, Const(1), RmwOp.ADD, mode=mode)


def readers(n: int) -> Program:
    return program([write(X, 42, REL)], *[[read(0, X, ACQ)] for _ in range(n)])


def casrot(n: int) -> Program:
    return program(*[[cas(X, i - 1, i)] for i in range(1, n + 1)])


def ainc(n: int) -> Program:
    return program(*[[fetch_add(X)] for _ in range(n)])


def binc(n: int) -> Program:
    return program(*[[fetch_add(X), fetch_add(Y)] for _ in range(n)])


def casw(n: int) -> Program:
    return program(*[[cas(X, 0, i), write(X, i + 3, REL)] for i in range(1, n + 1)])


def store_buffering(mode: Mode = RLX, kind: FenceKind | None = None) -> Program:
    between = [fence(kind)] if kind is not None else []
    return program([write(X, 1, mode), *between, read(0, Y, mode)], [write(Y, 1, mode), *between, read(0, X, mode)])
