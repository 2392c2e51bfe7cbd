"""The two machines: the arithmetic of Python and that of the core give the same for every operation and width, with the
same faults. Where there is a compiler, C is the third judge. Whole threads are compared by running them in both."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from collections.abc import Callable
from random import Random

import pytest

from fencepost import _core, api
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.models.registry import find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.arithmetic import ArithmeticFault, compute, update
from fencepost.program.condition import FinalMemory, FinalRegister, Observation
from fencepost.program.instructions import (
    ARITY,
    Assert,
    Branch,
    Call,
    Cas,
    Compute,
    ErrorKind,
    Fence,
    FenceKind,
    Instruction,
    Jump,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
    Store,
    Switch,
)
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Operand, Reg
from fencepost.program.printer import print_program
from fencepost.program.program import Arch, Function, Object, Program, Thread
from fencepost.suite.engine import enumerated

EDGES = (0, 1, 2, 3, 7, 9007199791611905, 0x7FFFFFBFFFFFFFFF, 0x8000008000000001,
         0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1,
         2**63 - 1, 2**63, 2**64 - 1,
         0x3FF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x8000000000000000,
         0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x40490FDB, 0x43E0000000000000,
         0xC3E0000000000000)  # fmt: skip
CONVERSIONS = (Op.TO_SIGNED, Op.TO_UNSIGNED, Op.FROM_SIGNED, Op.FROM_UNSIGNED, Op.DOUBLE_TO_FLOAT, Op.FLOAT_TO_DOUBLE)
FLOATS = [op for op in Op if op.value.startswith("f") or op in CONVERSIONS]
WHOLE = [op for op in Op if op not in FLOATS]


def in_python(op: Op, width: int, args: tuple[int, ...]) -> tuple[int, ErrorKind | None]:
    try:
        return compute(op, width, args), None
    except ArithmeticFault as fault:
        return 0, fault.kind


def in_core(op: Op, width: int, args: tuple[int, ...]) -> tuple[int, ErrorKind | None]:
    value, kind = _core.compute(list(Op).index(op), width, *args)
    return (value, None) if kind < 0 else (0, list(ErrorKind)[kind])


def arguments(op: Op, random: Random, count: int) -> list[tuple[int, ...]]:
    def one() -> int:
        return random.choice((random.choice(EDGES), random.getrandbits(64), random.getrandbits(random.randint(1, 64))))

    return [tuple(one() for _ in range(ARITY[op])) for _ in range(count)]


@pytest.mark.parametrize("op", WHOLE, ids=lambda op: op.value)
def test_whole_numbers_of_every_width(op: Op) -> None:
    random = Random(op.value)
    for width in range(1, 65):
        for args in arguments(op, random, 40):
            assert in_python(op, width, args) == in_core(op, width, args), (op, width, args)


@pytest.mark.parametrize("op", FLOATS, ids=lambda op: op.value)
def test_floats_of_both_widths(op: Op) -> None:
    random = Random(op.value)
    for width in (32, 64):
        for args in arguments(op, random, 600):
            assert in_python(op, width, args) == in_core(op, width, args), (op, width, args)


@pytest.mark.parametrize("op", RmwOp, ids=lambda op: op.value)
def test_updates_of_every_size(op: RmwOp) -> None:
    random = Random(op.value)
    for size in range(1, 9):
        for _ in range(200):
            old, value = random.choice(EDGES), random.choice((random.choice(EDGES), random.getrandbits(64)))
            assert update(op, size, old, value) == _core.update(list(RmwOp).index(op), size, old, value)


# --- C as the third judge

SIGNED = {Op.SDIV: "/", Op.SREM: "%", Op.SLT: "<", Op.SLE: "<=", Op.SGT: ">", Op.SGE: ">=", Op.ASHR: ">>"}
UNSIGNED = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.SHL: "<<", Op.LSHR: ">>",
            Op.UDIV: "/", Op.UREM: "%", Op.EQ: "==", Op.NE: "!=", Op.ULT: "<", Op.ULE: "<=", Op.UGT: ">",
            Op.UGE: ">="}  # fmt: skip
REAL = {Op.FADD: "+", Op.FSUB: "-", Op.FMUL: "*", Op.FDIV: "/", Op.FOEQ: "==", Op.FOLT: "<", Op.FOLE: "<="}
WIDTHS = (8, 16, 32, 64)


def c_source() -> str:
    lines = ["#include <stdint.h>", "#include <string.h>", "typedef uint64_t word;"]
    for width in WIDTHS:
        for op, sign in UNSIGNED.items():
            wide = f"(uint{width}_t)a {sign} (uint{width}_t)b"
            lines.append(f"word {op.value}_{width}(word a, word b) {{ return (uint{width}_t)({wide}); }}")
        for op, sign in SIGNED.items():
            wide = f"(int{width}_t)a {sign} (int{width}_t)b"
            lines.append(f"word {op.value}_{width}(word a, word b) {{ return (uint{width}_t)({wide}); }}")
        lines.append(f"word sext_{width}(word a, word b) {{ return (word)(int64_t)(int{width}_t)a; }}")
    for width, real in ((32, "float"), (64, "double")):
        for op, sign in REAL.items():
            kind = f"uint{width}_t" if op.value in ("foeq", "folt", "fole") else real
            read = f"{real} x, y; memcpy(&x, &a, sizeof x); memcpy(&y, &b, sizeof y);"
            give = "word out = 0; memcpy(&out, &r, sizeof r); return out;"
            lines.append(f"word {op.value}_{width}(word a, word b) {{ {read} {kind} r = x {sign} y; {give} }}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("judge")
    (folder / "judge.c").write_text(c_source())
    compiler = [shutil.which("cc") or shutil.which("gcc") or ""]
    if not compiler[0]:
        pytest.importorskip("ziglang", reason="no C compiler")
        compiler = [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=undefined"]
    library = folder / "judge.so"
    subprocess.run([*compiler, "-shared", "-fPIC", "-O0", "-o", str(library), str(folder / "judge.c")], check=True)
    return ctypes.CDLL(str(library))


def function(library: ctypes.CDLL, op: Op, width: int) -> Callable[[int, int], int]:
    found = getattr(library, f"{op.value}_{width}")
    found.restype, found.argtypes = ctypes.c_uint64, [ctypes.c_uint64, ctypes.c_uint64]
    return found  # type: ignore[no-any-return]


@pytest.mark.parametrize("op", [*UNSIGNED, *SIGNED, Op.SEXT], ids=lambda op: op.value)
def test_c_computes_the_same(op: Op, compiled: ctypes.CDLL) -> None:
    random = Random(f"c {op.value}")
    for width in WIDTHS:
        judge = function(compiled, op, width)
        for given in arguments(op, random, 300):
            args = (*given, 0)[:2]
            found, fault = in_core(op, width, given)
            too_far = op in (Op.SHL, Op.LSHR, Op.ASHR) and args[1] % 2**width >= width
            if fault is None and not too_far:
                assert found == judge(*args), (op, width, given)


@pytest.mark.parametrize("op", REAL, ids=lambda op: op.value)
def test_c_computes_the_same_floats(op: Op, compiled: ctypes.CDLL) -> None:
    random = Random(f"c {op.value}")
    for width in (32, 64):
        judge = function(compiled, op, width)
        for args in arguments(op, random, 1000):
            low = tuple(a % 2**width for a in args)
            found, there = in_core(op, width, low)[0], judge(*low)
            assert found == there or (is_nan(found, width) and is_nan(there, width)), (op, width, low)


def is_nan(bits: int, width: int) -> bool:
    fraction = 23 if width == 32 else 52
    return bits >> fraction & ((1 << width - 1 - fraction) - 1) == (1 << width - 1 - fraction) - 1 and bool(
        bits & ((1 << fraction) - 1)
    )


# --- whole threads


def thread(seed: int) -> Program:
    """One thread with every kind of instruction that a thread has to itself: accesses of each size and order, calls,
    jumps, the stack and the heap. What goes wrong in it goes wrong in both machines."""
    random = Random(seed)
    registers = [Reg(n) for n in range(6)]

    def value() -> Operand:
        return random.choice((random.choice(registers), Const(random.choice((0, 1, -1, 3, 255, 2**31, 2**40)))))

    def address() -> Operand:
        return GlobalAddress(random.choice("xy"), 8 * random.randint(0, 1))

    def one(at: int, length: int) -> Instruction:
        dst, size = random.choice(registers), 8
        forward = random.randint(at + 1, length)
        match random.randrange(12):
            case 0 | 1 | 2:
                op = random.choice([o for o in Op if o not in FLOATS])
                return Compute(dst, tuple(value() for _ in range(ARITY[op])), op, random.choice((1, 8, 16, 32, 64)))
            case 3:
                return Load(dst, address(), size, random.choice((Mode.NA, Mode.RLX, Mode.ACQ, Mode.SC)))
            case 4:
                return Store(address(), value(), size, random.choice((Mode.NA, Mode.RLX, Mode.REL, Mode.SC)))
            case 5:
                return Rmw(dst, address(), value(), random.choice(list(RmwOp)), size, Mode.ACQ_REL)
            case 6:
                return Cas(dst, random.choice(registers), address(), value(), value(), size, Mode.SC, Mode.RLX)
            case 7:
                return Branch(value(), forward, random.randint(at + 1, length))
            case 8:
                return Switch(value(), (Const(0), Const(1), Const(0)), (forward, length, at + 1), at + 1)
            case 9:
                return Call(dst, FunctionAddress("other"), (value(), value()))
            case 10:
                return Assert(value()) if random.random() < 0.2 else Fence(FenceKind.SC)
        return Jump(forward)

    length = random.randint(6, 16)
    code = (*(one(at, length) for at in range(length)), Return())
    other = Function("other", ("a", "b", "c"), 2, (
        Compute(Reg(2), (Reg(0), Reg(1)), Op.SUB, 32), Store(GlobalAddress("y"), Reg(2)), Return(Reg(2)),
    ))  # fmt: skip
    main = Function("P", tuple(f"r{n}" for n in range(6)), 0, code)
    seen = [Observation(f"P:r{n}", FinalRegister("P", f"r{n}")) for n in range(6)]
    seen += [Observation(f"{name}{at}", FinalMemory(name, at, 8)) for name in "xy" for at in (0, 8)]
    objects = (Object("x", 16), Object("y", 16))
    return Program(f"thread {seed}", Arch.FP, objects, (main, other), (Thread("P", "P"),), tuple(seen))


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_whole_threads(first: int) -> None:
    for seed in range(first, first + 100):
        program = thread(seed)
        found, wanted = api.outcomes(program, model="sc"), enumerated(program, find("sc"), ExploreOptions(model="sc"))
        assert dict(found.states) == dict(wanted.states), print_program(program)
        assert found.executions == wanted.executions, print_program(program)
        a = api.check(program, model="sc")
        b = check_by_enumeration(program, find("sc"), CheckOptions(model="sc"))
        assert (a.answer, [e.kind for e in a.errors]) == (b.answer, [e.kind for e in b.errors]), print_program(program)
