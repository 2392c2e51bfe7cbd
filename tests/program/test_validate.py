"""The validator explains each way in which a Program can be broken, and accepts the rest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fencepost.program import instructions as ins
from fencepost.program.condition import Compare, Condition, FinalMemory, FinalRegister, Observation, Quantifier
from fencepost.program.instructions import Instruction, Mode, Op, RmwOp
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Position, Reg
from fencepost.program.program import Arch, Function, Init, Object, Program, Thread
from fencepost.program.validate import InvalidProgramError, validate

X = GlobalAddress("x")
END = ins.Return()


def program(*code: Instruction, **changes: object) -> Program:
    good = Program(
        "p", Arch.FP, (Object("x", 8), Object("t", 8, thread_local=True)),
        (Function("f", ("r", "s"), 0, (*code, END)),), (Thread("P", "f"),),
    )  # fmt: skip
    return replace(good, **changes)


def problems(broken: Program) -> list[str]:
    with pytest.raises(InvalidProgramError) as caught:
        validate(broken)
    return caught.value.problems


def test_a_good_program_is_returned_as_it_is() -> None:
    good = program(ins.Load(Reg(0), X), ins.Store(X, Reg(0)))
    assert validate(good) is good


@pytest.mark.parametrize(
    ("instruction", "problem"),
    [
        (ins.Load(Reg(7), X), "uses register 7, which is not declared"),
        (ins.Store(X, Const(2**63)), "which is outside -2^63 .. 2^63-1"),
        (ins.Store(GlobalAddress("nope"), Const(0)), "takes the address of 'nope', which is not a shared global"),
        (ins.Store(GlobalAddress("x", 2**64), Const(0)), "takes the address 18446744073709551616 bytes behind 'x'"),
        (ins.Alloca(Reg(0), Const(8), align=2**32), "has alignment 4294967296; 1 to 2^32 - 1 are possible"),
        (ins.Malloc(Reg(0), Const(8), align=0), "has alignment 0; 1 to 2^32 - 1 are possible"),
        (ins.Store(GlobalAddress("t"), Const(0)), "takes the address of 't', which is not a shared global"),
        (ins.Call(None, FunctionAddress("g"), ()), "names function 'g', which does not exist"),
        (ins.Jump(9), "jumps to 9, outside the function"),
        (ins.Branch(Reg(0), 0, -1), "jumps to -1, outside the function"),
        (ins.Load(Reg(0), X, size=3), "accesses 3 bytes; 1, 2, 4 and 8 are possible"),
        (ins.Load(Reg(0), X, mode=Mode.REL), "a load cannot be rel"),
        (ins.Store(X, Const(0), mode=Mode.ACQ), "a store cannot be acq"),
        (ins.Rmw(None, X, Const(1), RmwOp.ADD, mode=Mode.NA), "a read-modify-write cannot be non-atomic"),
        (ins.Compute(Reg(0), (Const(1),), Op.ADD), "add takes 2 operand(s), not 1"),
        (ins.Compute(Reg(0), (Const(1),), Op.MOV, 65), "has width 65; 1 to 64 are possible"),
        (ins.Await(None, X, Const(0), op=Op.ADD), "waits on add, which is not a comparison"),
        (ins.Switch(Reg(0), (Const(1),), (), 0), "must have one constant case per target"),
        (ins.ThreadLocalAddress(Reg(0), "x"), "names 'x', which is not a thread-local object"),
    ],
)
def test_instructions(instruction: Instruction, problem: str) -> None:
    found = problems(program(replace(instruction, at=Position("a.fp", 3, 4))))
    assert len(found) == 1
    assert problem in found[0] and "function 'f', instruction 0" in found[0] and "a.fp:3:4" in found[0]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"threads": ()}, "there is no thread to run"),
        ({"threads": (Thread("P", "f"), Thread("P", "f"))}, "thread 'P' is declared 2 times"),
        ({"threads": (Thread("P", "g"),)}, "thread 'P' runs function 'g', which does not exist"),
        ({"threads": (Thread("P", "f", (Const(1),)),)}, "thread 'P' passes 1 argument(s)"),
        ({"objects": (Object("x", 8), Object("x", 8))}, "global 'x' is declared 2 times"),
        ({"objects": (Object("x", 8, 3),)}, "alignment must be a power of two"),
        ({"objects": (Object("x", 8, 8, (Init(4, 8, Const(0)),)),)}, "is outside the object"),
        ({"functions": (Function("f", (), 0, ()),)}, "function 'f' can run past its end"),
        ({"functions": (Function("f", ("r", "r"), 0, (END,)),)}, "declares register 'r' 2 times"),
        ({"functions": (Function("f", (), 1, (END,)),)}, "has more parameters than registers"),
        ({"observations": (Observation("a", FinalRegister("Q", "r")),)}, "looks at thread 'Q', which does not exist"),
        ({"observations": (Observation("a", FinalRegister("P", "q")),)}, "a register that thread 'P' lacks"),
        ({"observations": (Observation("a", FinalMemory("x", 8)),)}, "looks at memory that does not exist"),
        ({"condition": Condition(Quantifier.EXISTS, Compare("a", "=", Const(0)))}, "which is not observed"),
    ],
)
def test_the_rest(changes: dict[str, object], problem: str) -> None:
    assert any(problem in found for found in problems(program(**changes)))


def test_all_problems_are_told_at_once() -> None:
    assert len(problems(program(ins.Jump(9), ins.Load(Reg(9), X), threads=()))) == 3


def test_objects_are_no_larger_than_the_memory_of_a_thread() -> None:
    assert validate(program(objects=(Object("x", 2**32),)))
    for o in (Object("x", 10**20), Object("x", 8, align=2**33)):
        assert "at most 2^32 are possible" in problems(program(objects=(o,)))[0]
