"""Our model files against the corpus of litmus tests, by enumeration: a sample of each table, spread over it."""

from __future__ import annotations

import pytest

from corpus import CORPUS, needs_corpus, table
from fencepost.enumerate import enumerate_program
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.program.condition import answer
from fencepost.program.layout import condition_constants, lay_out

TABLES = [
    ("PPC.power.expected.csv", "power", 90),
    ("X86.tso.expected.csv", "tso", 15),
    ("AARCH64.armv8.expected.csv", "armv8", 40),
    ("RISCV.riscv.expected.csv", "riscv", 50),
    ("C11.rc11.expected.csv", "rc11", 5),
]


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
        states = [dict(s) for s in found.outcomes]
        holds = answer(program.condition, states, condition_constants(program, lay_out(program)))
        assert holds == (expected[0] == "1"), path
        if path in counts:
            assert len(found.complete) == int(counts[path][0]), path
