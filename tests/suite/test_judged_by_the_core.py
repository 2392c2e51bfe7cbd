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

MIXED = b"""AArch64 mixed
{ uint64_t x; 0:X1=x; 1:X1=x; }
 P0            | P1            ;
 MOV X0,#1     | LDR W0,[X1]   ;
 STR X0,[X1]   | LDR X2,[X1]   ;
 MOV W2,#2     |               ;
 STR W2,[X1]   |               ;
exists (1:X0=2 /\\ 1:X2=1)
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
    options = ExploreOptions(model="armv8")
    fast = engine.outcomes_by(engine.EXPLORE, program, find("armv8"), options)
    assert asked == ["armv8"]
    slow = engine.outcomes_by(engine.ENUMERATE, program, find("armv8"), options)
    assert asked == ["armv8"]
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
