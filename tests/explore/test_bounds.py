"""Answers within bounds: what BOUNDED promises, what it does not, and bounds that grow by themselves."""

from __future__ import annotations

import pytest

import fencepost
from fencepost.frontends import read_text
from fencepost.options import CheckOptions
from fencepost.reasons import Code
from fencepost.report.junit import render_suite
from fencepost.verdict import Answer, ExitCode, Verdict

#: Each round stores, so that no round can be left out.
WAITS = (
    'var x, y\nthread P { i := 0; while x == 0 { i := i + 1; y := i }; assert(i != %d, "rounds") }\nthread Q { x := 1 }'
)
FIVE = 'var x\nthread P { i := 0; while i < 5 { i := i + 1; x := i } }\nthread Q { r := x; assert(r != %d, "seen") }'
MODELS = ("sc", "rc11", "power", "armv8", "sra")


def check(text: str, **options: object) -> Verdict:
    return fencepost.check(read_text(text, "t.fp"), **options)


@pytest.mark.parametrize("model", MODELS)
def test_everything_within_the_bound_is_seen(model: str) -> None:
    """The error in round k is found by every bound of at least k, and by none below."""
    for wrong in range(4):
        answers = [check(WAITS % wrong, model=model, unroll=bound).answer for bound in range(1, 4)]
        assert answers == [Answer.FAIL if wrong <= bound else Answer.BOUNDED for bound in range(1, 4)], wrong


def test_the_bound_is_said_with_its_place() -> None:
    verdict = check(WAITS % 9, unroll=3)
    assert verdict.reason == "PASS within 3 rounds of the loop at t.fp:2"
    (reason,) = verdict.reasons
    assert (reason.code, reason.rounds, reason.at and reason.at.line) == (Code.BOUND, 3, 2)


def test_only_who_accepts_bounds_gets_a_zero() -> None:
    refused, accepted = check(WAITS % 9, unroll=3), check(WAITS % 9, unroll=3, accept_bounds=True)
    assert (refused.exit_code, accepted.exit_code) == (ExitCode.UNKNOWN, ExitCode.PASS)
    assert 'errors="1"' in render_suite([("t", refused)]) and 'errors="0"' in render_suite([("t", accepted)])
    failed, unknown = check(WAITS % 1, unroll=3, accept_bounds=True), check(WAITS % 9, max_executions=1, unroll=9,
                                                                           accept_bounds=True)  # fmt: skip
    assert (failed.exit_code, unknown.exit_code) == (ExitCode.FAIL, ExitCode.UNKNOWN)


def test_a_bound_that_no_execution_keeps_shows_nothing() -> None:
    verdict = check("var x\nthread P { i := 0; while i < 9 { i := i + 1; x := i } }", unroll=2)
    assert verdict.answer is Answer.UNKNOWN and {r.code for r in verdict.reasons} == {Code.BOUND}


def test_what_an_exists_asks_for_may_lie_beyond() -> None:
    text = "var x, y\nthread P { i := 0; while x == 0 { i := i + 1; y := i } }\nthread Q { x := 1 }\n%s (P:i == %d)"
    assert check(text % ("exists", 9), unroll=2).answer is Answer.UNKNOWN
    assert check(text % ("~exists", 9), unroll=2).answer is Answer.BOUNDED
    assert check(text % ("~exists", 2), unroll=2).answer is Answer.FAIL


def test_other_limits_are_no_bounds() -> None:
    verdict = check(WAITS % 9, unroll=3, max_events=6)
    assert verdict.answer is Answer.UNKNOWN and Code.LIMIT in {r.code for r in verdict.reasons}


def test_deepening_ends_by_itself() -> None:
    done = check(FIVE % 9, deepen=True)
    assert (done.answer, done.extra["rounds"], done.executions) == (Answer.PASS, 5, 6)
    found = check(WAITS % 2, deepen=True)
    assert (found.answer, found.extra["rounds"]) == (Answer.FAIL, 2)


def test_deepening_says_what_it_covered() -> None:
    verdict = check(WAITS % 10**6, deepen=True, time_limit=1.0)
    rounds = verdict.extra["rounds"]
    assert verdict.answer is Answer.BOUNDED and verdict.warnings[0].startswith(f"covered: {rounds} round")
    assert verdict.reasons[0].rounds == rounds


def test_deepening_leaves_bounds_of_the_user_alone() -> None:
    verdict = check(WAITS % 9, deepen=True, loop_bound=("P=2",))
    assert verdict.answer is Answer.BOUNDED and verdict.reasons[0].rounds == 2 and verdict.seconds < 60


def test_deepening_sets_the_bound_itself() -> None:
    with pytest.raises(fencepost.errors.UsageError, match="--deepen"):
        CheckOptions(deepen=True, unroll=3)


@pytest.mark.parametrize("model", MODELS)
def test_assumptions_that_exclude_everything_show_nothing(model: str) -> None:
    verdict = check("var x\nthread P { r := x; assume(r == 1) }", model=model)
    assert (verdict.answer, verdict.executions, verdict.exit_code) == (Answer.UNKNOWN, 0, ExitCode.UNKNOWN)
    assert verdict.reasons[0].code is Code.ASSUMPTIONS and verdict.reasons[0].at is not None
    some = check("var x\nthread P { r := x; assume(r == 1) }\nthread Q { x := 1 }", model=model)
    assert some.answer is Answer.PASS


def test_the_code_decides_about_the_exit() -> None:
    """Not the words: a reason that only sounds like an interruption is none."""
    from fencepost.reasons import Reason, interrupted

    sounds = Verdict(Answer.UNKNOWN, "interrupted", "sc", reasons=(Reason(Code.LIMIT, "interrupted"),))
    is_one = Verdict(Answer.UNKNOWN, "stopped", "sc", reasons=(interrupted(),))
    assert (sounds.exit_code, is_one.exit_code) == (ExitCode.UNKNOWN, ExitCode.INTERRUPTED)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "stores"), [("rc11", 8300), ("armv8", 4300)])  # where a store is two events
def test_executions_have_as_many_events_as_the_user_wants(model: str, stores: int) -> None:
    text = f"var x, y\nthread P {{ for k in 1..{stores} {{ x := k }} y := 1 }}\nthread Q {{ r := y; assert(r < 2) }}"
    verdict = check(text, model=model, max_events=10_000)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 2)
    assert "more than 4000 (--max-events)" in check(text, model=model, max_events=4000).reason
