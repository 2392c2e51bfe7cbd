"""Which evaluator judges what is enumerated."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.enumerate.traces import Keeps, ThreadRunner
from fencepost.explore import candidates
from fencepost.frontends import read_content
from fencepost.models.registry import Model, find
from fencepost.options import ExploreOptions
from fencepost.suite import engine

MIXED = b"""X86_64 mixed
{ uint64_t x; }
 P0            | P1            ;
 movq $1,(x)   | movl (x),%eax ;
 movl $2,(x)   | movq (x),%rcx ;
exists (1:rax=2 /\\ 1:rcx=1)
"""


def test_the_core_judges_the_candidates_of_mixed_sizes_unless_it_is_to_be_checked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []
    native = candidates.native_judge

    def judge(model: Model) -> object:
        asked.append(model.name)
        return native(model)

    monkeypatch.setattr(candidates, "native_judge", judge)
    program = read_content(MIXED, str(tmp_path / "mixed.litmus"))
    options = ExploreOptions(model="tso")
    fast = engine.outcomes_by(engine.EXPLORE, program, find("tso"), options)
    assert asked == ["tso"]
    slow = engine.outcomes_by(engine.ENUMERATE, program, find("tso"), options)
    assert asked == ["tso"]
    assert (fast.states, fast.executions, fast.holds) == (slow.states, slow.executions, False)


def test_a_thread_that_would_see_nothing_new_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """P0 reads nothing, so one round shows all that it does; P1 needs a second, with P0's values."""
    ran: list[int] = []
    traces = ThreadRunner._traces

    def counted(self: ThreadRunner, instance: object) -> object:
        ran.append(instance.thread)  # type: ignore[attr-defined]
        return traces(self, instance)  # type: ignore[arg-type]

    monkeypatch.setattr(ThreadRunner, "_traces", counted)
    program = read_content(b"PPC two\n{ 0:r1=x; 1:r1=x; }\n P0 | P1 ;\n li r2,1 | lwz r2,0(r1) ;\n"
                           b" stw r2,0(r1) | ;\nexists (1:r2=1)\n", "two.litmus")  # fmt: skip
    runner = ThreadRunner(program, Keeps(own=True))
    runner.run()
    assert ran == [0, 1, 1]
    assert [len(t) for t in runner.traces.values()] == [1, 2]
