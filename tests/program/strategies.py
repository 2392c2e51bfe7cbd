"""Hypothesis strategies: any Program whose references resolve, whether or not it makes sense to run it."""

from __future__ import annotations

from enum import Enum
from typing import Any

from hypothesis import strategies as st

from fencepost.program.condition import (
    COMPARE_SYMBOLS,
    And,
    Compare,
    Condition,
    FinalMemory,
    FinalRegister,
    Formula,
    Not,
    Observation,
    Or,
    Quantifier,
    Truth,
)
from fencepost.program.datatypes import Array, DataType, Field, Scalar, Struct
from fencepost.program.instructions import INSTRUCTIONS, Instruction, Role, roles
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, Position, Reg
from fencepost.program.program import Arch, Function, Init, Object, Program, Thread

INT64 = st.integers(-(2**63), 2**63 - 1)
SMALL = st.integers(0, 9)
NAMES = st.one_of(
    st.from_regex(r"\A[A-Za-z_.$][A-Za-z0-9_.$]{0,6}\Z"),
    st.text(max_size=6),
    st.sampled_from(["_", "global", "L1", "x y", '"', "\\", "é", "&x", "%r", "10"]),
)
POSITIONS = st.none() | st.builds(
    Position, st.sampled_from(["a.c", "b b.fp", "ü.fp"]), st.integers(0, 9999), st.integers(0, 300)
)
SCALARS = st.builds(Scalar, st.sampled_from("iuf"), st.sampled_from([1, 2, 4, 8])) | st.just(Scalar("p", 8))


def _types(inner: st.SearchStrategy[DataType]) -> st.SearchStrategy[DataType]:
    fields = st.lists(st.builds(Field, NAMES, SMALL, inner), max_size=3).map(tuple)
    return st.builds(Array, inner, SMALL) | st.builds(Struct, fields, SMALL)


TYPES: st.SearchStrategy[DataType] = st.recursive(SCALARS, _types, max_leaves=4)


@st.composite
def constants(draw: Any, globals_: list[str], functions: list[str]) -> Any:
    options = [st.builds(Const, INT64)]
    if globals_:
        options.append(st.builds(GlobalAddress, st.sampled_from(globals_), st.integers(-99, 99)))
    if functions:
        options.append(st.builds(FunctionAddress, st.sampled_from(functions)))
    return draw(st.one_of(options))


@st.composite
def instructions(draw: Any, operands: Any, registers: int, length: int) -> Instruction:
    kind = draw(st.sampled_from(list(INSTRUCTIONS.values())))
    register = st.builds(Reg, st.integers(0, registers - 1))
    target = st.integers(0, length - 1)
    values: dict[str, Any] = {"at": draw(POSITIONS)}
    for f in roles(kind):
        optional = "None" in str(f.type)
        match f.metadata["role"]:
            case Role.DEFINE:
                made = register
            case Role.USE:
                made = operands
            case Role.USES:
                made = st.lists(operands, max_size=3).map(tuple)
            case Role.TARGET:
                made = target
            case Role.TARGETS:
                made = st.lists(target, max_size=3).map(tuple)
            case _:
                made = _attribute(f.metadata["type"])
        values[f.name] = draw(st.none() | made if optional else made)
    return kind(**values)


def _attribute(type_: Any) -> Any:
    if type_ is bool:
        return st.booleans()
    if type_ is int:
        return st.integers(0, 2**40)
    if type_ is str:
        return st.text(max_size=8)
    if type_ is Position:
        return st.builds(Position, st.text(max_size=8), st.integers(0, 99), st.integers(0, 99))
    if isinstance(type_, type) and issubclass(type_, Enum):
        return st.sampled_from(list(type_))
    return TYPES


@st.composite
def functions(draw: Any, name: str, globals_: list[str], names: list[str]) -> Function:
    registers = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    operands = constants(globals_, names) | st.builds(Reg, st.integers(0, len(registers) - 1))
    length = draw(st.integers(1, 8))
    code = tuple(draw(instructions(operands, len(registers), length)) for _ in range(length))
    parameters = draw(st.integers(0, len(registers)))
    return Function(name, tuple(registers), parameters, code, draw(st.booleans()), draw(POSITIONS))


@st.composite
def objects(draw: Any, name: str, globals_: list[str], functions_: list[str]) -> Object:
    init = st.builds(Init, SMALL, st.sampled_from([1, 2, 4, 8]), constants(globals_, functions_))
    return Object(
        name, draw(SMALL), draw(st.sampled_from([1, 2, 4, 8, 16])), tuple(draw(st.lists(init, max_size=3))),
        draw(st.booleans()), draw(st.booleans()), draw(st.none() | TYPES), draw(POSITIONS),
    )  # fmt: skip


def formulas(names: list[str], constant: Any) -> st.SearchStrategy[Formula]:
    compare = st.builds(
        Compare, st.sampled_from(names), st.sampled_from(COMPARE_SYMBOLS), st.sampled_from(names) | constant
    )
    return st.recursive(
        compare | st.builds(Truth, st.booleans()),
        lambda inner: (
            st.builds(Not, inner)
            | st.builds(And, st.lists(inner, max_size=3).map(tuple))
            | st.builds(Or, st.lists(inner, max_size=3).map(tuple))
        ),
        max_leaves=5,
    )


@st.composite
def programs(draw: Any) -> Program:
    globals_ = draw(st.lists(NAMES, max_size=3, unique=True))
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    made = tuple(draw(functions(name, globals_, names)) for name in names)
    constant = constants(globals_, names)
    thread_names = draw(st.lists(NAMES, max_size=3, unique=True))
    threads = tuple(
        Thread(name, draw(st.sampled_from(names)), tuple(draw(st.lists(constant, max_size=2)))) for name in thread_names
    )
    what = st.builds(FinalRegister, NAMES, NAMES) | st.builds(FinalMemory, NAMES, SMALL, SMALL)
    observed = draw(st.lists(NAMES, max_size=3, unique=True))
    observations = tuple(Observation(n, draw(what), draw(SMALL), draw(st.booleans())) for n in observed)
    condition = None
    if observed:
        formula = formulas(observed, constant)
        condition = draw(
            st.none() | st.builds(Condition, st.sampled_from(list(Quantifier)), formula, st.none() | formula)
        )
    shared = tuple(draw(objects(name, globals_, names)) for name in globals_)
    return Program(draw(NAMES), draw(st.sampled_from(list(Arch))), shared, made, threads, observations, condition)
