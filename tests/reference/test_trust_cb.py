"""TruSt with commit-before under POWER: every execution once."""

from __future__ import annotations

import pytest
from paper_programs import ACQ, REL, X, Y, Z, ainc, binc, casrot, casw, fence, fetch_add, program, read, readers, write

from corpus import CORPUS, needs_corpus, table
from fencepost.frontends import litmus
from fencepost.generate.random_programs import POWER, SHAPES, random_program
from fencepost.models.registry import find
from fencepost.program import instructions as ins
from fencepost.program.instructions import FenceKind, Instruction, Op, RmwOp
from fencepost.program.interpret import Kind
from fencepost.program.operands import Const, Reg
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.program import Program
from fencepost.reference import trust_cb
from fencepost.reference.graph import Graph


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
    """The phantom: without it the two executions with d = 1 are lost."""
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
    for path, (executions, states) in rows:
        if int(executions) > 60:
            continue
        found = trust_cb.explore(litmus.read((CORPUS / path).read_text(), path))
        assert (len(found.complete), found.duplicates) == (int(executions), 0), path
        assert len({tuple(sorted(x.outcome.items())) for x in found.complete}) <= int(states), path


class Checked(trust_cb.CommitTrust):
    """Looks at the property that exactly-once rests on: the canonical choice is always allowed (no deadlock)."""

    def visit(self, graph: Graph) -> None:
        step = self.next(graph) if self.consistent(graph.execution()) else None
        if step is not None and step.action.kind in (Kind.READ, Kind.WRITE) and not step.action.rmw:
            here = self.threads.ensure_location(graph, step.action)
            last = here.co[step.action.address][-1]
            if step.action.kind is Kind.READ:
                assert self.consistent(self.threads.add_read(here, step, last).execution())
            elif step.action.conditional is None:
                assert self.consistent(self.threads.add_write(here, step).place(step.name, last).execution())
        super().visit(graph)


@pytest.mark.parametrize("model", ["power", "armv8", "riscv"])
def test_the_canonical_choice_is_always_allowed(model: str) -> None:
    judge = find(model).judge
    for seed in range(8):
        search = Checked(random_program(seed, SHAPES[model]), lambda x: judge(x, all_violations=False).consistent)
        search.visit(Graph({}))
        assert search.found.duplicates == 0
