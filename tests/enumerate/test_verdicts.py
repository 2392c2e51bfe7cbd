"""check and outcomes under models that the explorer does not know, by enumeration."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fencepost import api
from fencepost.enumerate.verdicts import check_by_enumeration, outcomes_by_enumeration
from fencepost.errors import UnsupportedError
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

MP = """
    var x, y
    thread A {{ x := 1; {} y := 1 }}
    thread B {{ a := y; b := {}; assert(a != 1 || b == 1) }}
"""
RACE = "na x\n thread A { x := 1 }\n thread B { a := x }"
DEADLOCK = "var x\n thread A { wait(x == 1) }\n thread B { a := x }"


def test_a_failing_assertion_under_power() -> None:
    verdict = check_by_enumeration(read(MP.format("lwsync;", "x"), "mp.fp"), find("power"), CheckOptions())
    assert verdict.answer is Answer.FAIL
    assert verdict.errors[0].kind is ErrorKind.ASSERTION
    assert verdict.witness is not None


def test_a_dependency_keeps_it() -> None:
    program = read(MP.format("lwsync;", "[&x + (a ^ a)]"), "mp.fp")
    verdict = check_by_enumeration(program, find("power"), CheckOptions())
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 3)


def test_a_race_names_both_accesses() -> None:
    verdict = check_by_enumeration(read(RACE, "r.fp"), find("rc11"), CheckOptions())
    assert verdict.answer is Answer.FAIL
    assert verdict.errors[0].kind is ErrorKind.RACE and len(verdict.errors[0].events) == 2


def test_a_deadlock() -> None:
    verdict = check_by_enumeration(read(DEADLOCK, "d.fp"), find("power"), CheckOptions())
    assert verdict.errors[0].kind is ErrorKind.DEADLOCK
    ignoring = check_by_enumeration(read(DEADLOCK, "d.fp"), find("power"), CheckOptions(ignore=("deadlock",)))
    assert (ignoring.answer, ignoring.executions, ignoring.blocked) == (Answer.UNKNOWN, 0, 1)


def test_a_bound_is_never_a_pass() -> None:
    text = "var x\n thread A { local i = 0\n while i < 5 { x := i; i := i + 1 } }"
    verdict = check_by_enumeration(read(text, "l.fp"), find("power"), CheckOptions(unroll=2))
    assert verdict.answer is Answer.UNKNOWN and verdict.reason


def test_a_limit_is_never_a_pass() -> None:
    found = outcomes_by_enumeration(read(MP.format("", "x"), "mp.fp"), find("power"), CheckOptions(max_executions=1))
    assert found.executions == 1 and "stopped" in found.reason


def test_a_users_model_under_a_name_of_ours_is_theirs(tmp_path: Path) -> None:
    path = tmp_path / "rc11.cat"
    path.write_text('"mine"\nacyclic po | rf | co | fr as sc\n')
    sb = read("var x, y\n thread A { x := 1; a := y } thread B { y := 1; b := x }\n observe A:a, B:b", "sb.fp")
    assert len(api.outcomes(sb, model=str(path)).states) == 3
    assert len(api.outcomes(sb, model="rc11").states) == 4


def test_a_model_does_not_judge_another_architecture() -> None:
    from fencepost.frontends.litmus import read as read_litmus

    test = read_litmus("PPC t\n{ 0:r2=x; }\n P0 ;\n li r1,1 ;\n stw r1,0(r2) ;\nexists (x=1)\n", "t.litmus")
    with pytest.raises(UnsupportedError, match="ppc"):
        outcomes_by_enumeration(test, find("armv8"), CheckOptions())


def test_a_program_that_is_too_large_stops_in_time() -> None:
    threads = "".join(f"thread P{i} {{ for i in 1..6 {{ x := x + 1 }} }}\n" for i in range(4))
    start = time.process_time()
    found = outcomes_by_enumeration(
        read(f"var x\n{threads}observe x", "big.fp"), find("sc"), CheckOptions(time_limit=1)
    )
    assert time.process_time() - start < 10
    assert "stopped after 1 s" in found.reason
