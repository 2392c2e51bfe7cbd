"""TruSt with commit-before under POWER: every execution once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from paper_programs import ACQ, REL, X, Y, Z, ainc, binc, casrot, casw, fence, fetch_add, program, read, readers, write

from corpus import CORPUS, needs_corpus, table
from fencepost.explore import explore, native
from fencepost.explore.begin import begin
from fencepost.explore.convert import to_execution
from fencepost.explore.foresight import foreseen
from fencepost.frontends import litmus, read_text
from fencepost.generate.random_programs import POWER, SHAPES, random_program
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.prepare.ready import ready
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction, Mode, Op, RmwOp
from fencepost.program.operands import Const, Reg
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.program import Arch, Program
from fencepost.reference import trust_cb
from fencepost.reference.split_rules import MODELS


def count(p: Program) -> int:
    found = trust_cb.explore(map_for_model(p, "power"))
    assert found.duplicates == 0
    assert not found.blocked
    return len(found.complete)


def depends(target: int, source: int, value: int) -> list[Instruction]:
    """r[target] := value, with a dependency on r[source]."""
    return [
        ins.Compute(Reg(target), (Reg(source), Reg(source)), Op.XOR),
        ins.Compute(Reg(target), (Reg(target), Const(value)), Op.ADD),
    ]


def load_buffering(*between: Instruction) -> Program:
    return program([read(0, X), *between, write(Y, 1)], [read(0, Y), *between, write(X, 1)])


@pytest.mark.parametrize(
    ("between", "expected"),
    [([], 4), ([fence(FenceKind.LWSYNC)], 3), ([fence(FenceKind.SYNC)], 3), ([fence(FenceKind.EIEIO)], 4)],
)
def test_load_buffering(between: list[Instruction], expected: int) -> None:
    assert count(load_buffering(*between)) == expected


def test_load_buffering_with_one_dependency_has_four_traces() -> None:
    """Fig. 2 of the RSMC paper; with data dependencies on both sides there are three."""
    first = [read(0, X), *depends(1, 0, 1), write(Y, Reg(1))]
    assert count(program(first, [read(0, Y), write(X, 1)])) == 4
    assert count(program(first, [read(0, Y), *depends(1, 0, 1), write(X, Reg(1))])) == 3


def test_the_papers_programs() -> None:
    assert [count(p) for p in (readers(3), casrot(4), ainc(3), binc(2), casw(3))] == [8, 14, 6, 4, 66]


@pytest.mark.parametrize(
    ("kind", "expected"), [(None, 9), (FenceKind.LWSYNC, 9), (FenceKind.SYNC, 5)], ids=["none", "lwsync", "sync"]
)
def test_store_buffering(kind: FenceKind | None, expected: int) -> None:
    """Each read sees one of three values; with `sync` one of the two sees the last."""
    between = [fence(kind)] if kind else []
    p = program([write(X, 1), write(X, 2), *between, read(0, Y)], [write(Y, 1), write(Y, 2), *between, read(0, X)])
    assert count(p) == expected


def test_an_acquire_release_message_is_safe_and_a_relaxed_one_is_not() -> None:
    for w, r, expected in ((REL, ACQ, 3), (ins.Mode.RLX, ACQ, 4), (REL, ins.Mode.RLX, 4)):
        assert count(program([write(X, 1), write(Y, 1, w)], [read(0, Y, r), read(1, X)])) == expected


def test_what_an_exchange_writes_may_arrive_after_what_it_read_has_travelled() -> None:
    """Ghosts: without them the two executions with d = 1 are lost."""
    exchange = [read(1, Y), ins.Rmw(Reg(0), X, Reg(1), RmwOp.XCHG), write(Z, Reg(0))]
    feed = [read(0, Z), *depends(1, 0, 1), write(Y, Reg(1))]
    assert count(program(exchange, feed, [write(X, 2)])) == 8


def test_two_increments_in_a_row() -> None:
    assert count(program([fetch_add(X), fetch_add(X)], [fetch_add(X)])) == 3


def test_random_programs_visit_no_graph_twice() -> None:
    for seed in range(40):
        assert trust_cb.explore(random_program(seed, POWER)).duplicates == 0


@needs_corpus
@pytest.mark.corpus
def test_counts_of_the_corpus() -> None:
    """A sample; all 1186 agree (`python tests/fuzz/compare.py corpus`)."""
    rows = sorted(table("PPC.power.executions.csv").items())[::40]
    for path, (executions, _) in rows:
        if int(executions) > 60:
            continue
        found = trust_cb.explore(litmus.read((CORPUS / path).read_text(), path))
        assert (len(found.complete), found.duplicates) == (int(executions), 0), path


def twin(p: Program, model: str) -> trust_cb.Found:
    judge = find(model).judge
    return trust_cb.explore(p, model, lambda x: judge(x, all_violations=False).consistent)


def core(p: Program, model: str) -> tuple[dict[object, int], int, int]:
    """How often the core finds each execution, how many are blocked, and the dead ends."""
    options = ExploreOptions(model=model)
    prepared, engine = begin(p, find(model), options)
    assert prepared is not None, engine.reason
    results = native.run(prepared, find(model), engine, options, keep=2**62).results
    found = Counter(to_execution(raw, prepared).canonical() for raw in results.kept)
    return dict(found), results.blocked, results.dead_ends


@pytest.mark.parametrize("model", MODELS)
def test_the_core_does_the_same(model: str) -> None:
    """The same executions, as often; the same that block; the same dead ends."""
    compared = 0
    for seed in range(24):
        shape = SHAPES["c11" if model == "imm" else "armv8" if model == "armv7" else model]
        if model == "armv7":  # which knows no modes
            shape = replace(shape, load_modes=(Mode.RLX,), store_modes=(Mode.RLX,), rmw_modes=(Mode.RLX,))
        p = random_program(seed, replace(shape, rmw=4, cas=2, exclusives=0 if model == "imm" else 2), size=5)
        lowered = ready(p, find(model), ExploreOptions(model=model))
        if foreseen(lowered, model):
            continue
        found = twin(lowered, model)
        assert core(p, model) == (found.seen, found.blocked, found.dead_ends), seed
        compared += 1
    assert compared >= 15


def test_dead_ends_are_the_same() -> None:
    """Release exchanges of operands that their reads do not wait for: HARDWARE's worst case."""
    both = [ins.Rmw(Reg(0), X, Const(1), RmwOp.XCHG, mode=REL), ins.Rmw(Reg(1), Y, Const(2), RmwOp.XCHG, mode=REL)]
    p = replace(program(both, both), arch=Arch.AARCH64)
    found = twin(p, "armv8")
    assert found.dead_ends > 0
    assert core(p, "armv8") == (found.seen, found.blocked, found.dead_ends)
    assert explore(p, "armv8").extra["dead_ends"] == found.dead_ends


def test_an_update_to_come_may_read_what_one_that_stays_has_read() -> None:
    """Under ARMv7 it is loose: a later store of its thread may stand for it. The dead ends are those of the twin."""
    p = read_text(
        "var x, y, z\nthread P { p := z; s := XCHG(x, p); if (s == 0) { y := 1 } }\n"
        "thread Q { t := FADD(x, 1); x := 5 }\nthread R { c := x; z := c }\nthread S { y := 2 }\n"
    )
    found = twin(ready(p, find("armv7"), ExploreOptions(model="armv7")), "armv7")
    assert len(found.complete) == 26
    assert core(p, "armv7") == (found.seen, found.blocked, found.dead_ends)
