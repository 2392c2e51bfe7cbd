"""Our model files against the corpus of litmus tests, by enumeration: a sample of each table, spread over it."""

from __future__ import annotations

import pytest

from corpus import CORPUS, needs_corpus, table
from fencepost.enumerate import Enumeration, enumerate_program
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.program.condition import Condition, Quantifier, holds
from fencepost.program.layout import lay_out
from fencepost.program.operands import Const, ConstantOperand, to_signed
from fencepost.program.program import Program

TABLES = [
    ("PPC.power.expected.csv", "power", 90),
    ("X86.tso.expected.csv", "tso", 15),
    ("AARCH64.armv8.expected.csv", "armv8", 40),
    ("RISCV.riscv.expected.csv", "riscv", 50),
    ("C11.rc11.expected.csv", "rc11", 5),
]


class _Constants(dict[ConstantOperand, int]):
    def __init__(self, program: Program) -> None:
        self.layout = lay_out(program)

    def __missing__(self, key: ConstantOperand) -> int:
        return key.value if isinstance(key, Const) else to_signed(self.layout.value(key))


def verdict(program: Program, condition: Condition, found: Enumeration) -> bool:
    constants = _Constants(program)
    outcomes = [dict(o) for o in found.outcomes]
    if condition.filter is not None:
        outcomes = [o for o in outcomes if holds(condition.filter, o, constants)]
    truths = [holds(condition.formula, o, constants) for o in outcomes]
    return {
        Quantifier.EXISTS: any(truths),
        Quantifier.NOT_EXISTS: not any(truths),
        Quantifier.FORALL: all(truths),
    }[condition.quantifier]


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize(("name", "model", "step"), TABLES, ids=[m for _, m, _ in TABLES])
def test_verdicts(name: str, model: str, step: int) -> None:
    rows = [(p, e) for p, e in table(name).items() if "/mixed/" not in p][::step]
    counts = table("PPC.power.executions.csv")
    for path, expected in rows:
        program = read((CORPUS / path).read_text(), path)
        if program.condition is None:
            continue
        found = enumerate_program(program, find(model))
        assert verdict(program, program.condition, found) == (expected[0] == "1"), path
        if path in counts:
            assert len(found.complete) == int(counts[path][0]), path
