"""Bits that nobody has written: what they reach in an operation, against all values that they could have, and that both
machines agree on what depends on them."""

from __future__ import annotations

from functools import reduce
from itertools import product
from operator import or_
from random import Random

import pytest

from fencepost import api
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import (
    ARITY,
    Alloca,
    Branch,
    Compute,
    ErrorKind,
    Exit,
    Instruction,
    Load,
    Mode,
    Op,
    Store,
)
from fencepost.program.interpret import Kind, Machine
from fencepost.program.operands import Const, Reg
from fencepost.program.program import Arch, Function, Program, Thread
from fencepost.program.unset import unset_bits

#: Whose result is known bit by bit. Of sums and products carries are left out, as they are by MemorySanitizer.
EXACT = (Op.MOV, Op.AND, Op.OR, Op.XOR, Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE,
         Op.SEXT)  # fmt: skip
WIDTH = 3
ALL = range(1 << WIDTH)


def could_be(value: int, unset: int) -> set[int]:
    return {value & ~unset | bits & unset for bits in ALL}


def differing(op: Op, args: tuple[int, ...], unset: tuple[int, ...]) -> int:
    """The bits of the result that are not the same for all values that the arguments could have."""
    found = [compute(op, WIDTH, given) for given in product(*map(could_be, args, unset))]
    return reduce(or_, (found[0] ^ other for other in found))


@pytest.mark.parametrize("op", EXACT, ids=lambda op: op.value)
def test_what_differs_is_unset_and_nothing_else(op: Op) -> None:
    for args in product(ALL, repeat=ARITY[op]):
        for unset in product(ALL, repeat=ARITY[op]):
            assert unset_bits(op, WIDTH, args, unset) == differing(op, args, unset), (args, unset)


@pytest.mark.parametrize("op", [Op.SHL, Op.LSHR, Op.ASHR], ids=lambda op: op.value)
def test_shifts_by_a_known_number_move_them(op: Op) -> None:
    for value, by, unset in product(ALL, range(WIDTH + 2), ALL):
        assert unset_bits(op, WIDTH, (value, by), (unset, 0)) == differing(op, (value, by), (unset, 0))


def test_a_choice_between_the_same_is_none() -> None:
    assert unset_bits(Op.SELECT, 8, (1, 5, 5), (1, 0, 0)) == 0
    assert unset_bits(Op.SELECT, 8, (1, 5, 4), (1, 0, 0)) == 1
    assert unset_bits(Op.SELECT, 8, (1, 5, 4), (0, 0, 0xF)) == 0


def test_what_nobody_sees_is_not_unset() -> None:
    for op, width in product(Op, (1, 8, 32, 64)):
        assert unset_bits(op, width, (3, 5, 7)[: ARITY[op]], (0, 0, 0)[: ARITY[op]]) == 0


# --- both machines


def program_of(random: Random) -> Program:
    """Two words of which some bytes are written, a few operations on them, and a branch on one bit."""
    code: list[Instruction] = [Alloca(Reg(0), Const(16), 8, True, unset=True)]
    for k in range(16):
        if random.random() < 0.6:
            code.append(Compute(Reg(1), (Reg(0), Const(k)), Op.ADD))
            code.append(Store(Reg(1), Const(random.getrandbits(8)), 1, Mode.NA))
    code.append(Compute(Reg(1), (Reg(0), Const(8)), Op.ADD))
    code += [Load(Reg(2), Reg(0), 8, Mode.NA), Load(Reg(3), Reg(1), random.choice((1, 2, 4, 8)), Mode.NA)]
    whole = [op for op in Op if not op.value.startswith("f") and op not in _MAY_FAIL]
    for k in range(4, 4 + random.randint(1, 5)):
        op, width = random.choice(whole), random.choice((1, 8, 16, 32, 64))
        args = [random.choice((Reg(2), Reg(3), Reg(k - 1), Const(random.getrandbits(6)))) for _ in range(ARITY[op])]
        code.append(Compute(Reg(k), tuple(args), op, width))
        last = k
    code.append(Store(Reg(0), Reg(last), 8, Mode.NA))
    code.append(Load(Reg(2), Reg(0), 8, Mode.NA))
    code.append(Compute(Reg(3), (Reg(2), Const(1 << random.choice((0, 1, 7, 15, 31, 63)))), Op.AND))
    end = len(code) + 1
    code += [Branch(Reg(3), end, end), Exit(Const(0))]
    main = Function("main", tuple(f"r{k}" for k in range(12)), 0, tuple(code))
    return Program("random", Arch.C11, (), (main,), (Thread("main", "main"),))


_MAY_FAIL = (Op.UDIV, Op.UREM, Op.SDIV, Op.SREM, Op.TO_SIGNED, Op.TO_UNSIGNED, Op.DOUBLE_TO_FLOAT)


def in_python(program: Program) -> ErrorKind | None:
    machine = Machine(program)
    action = machine.run(machine.start(0))
    return action.error if action.kind is Kind.ERROR else None


def test_both_machines_agree_on_what_depends_on_them() -> None:
    random, wrong = Random("unset"), 0
    for _ in range(400):
        program = program_of(random)
        wanted = in_python(program)
        found = [e.kind for e in api.check(program, model="sc").errors]
        assert found == ([wanted] if wanted is not None else [])
        wrong += wanted is not None
    assert 40 < wrong < 360
