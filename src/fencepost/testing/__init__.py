"""Model checking inside a test suite: `assert_safe` in Python tests, and the pytest plugin that collects files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fencepost import api
from fencepost.errors import UsageError
from fencepost.program.instructions import FAULTS
from fencepost.program.program import Program
from fencepost.report.text import render
from fencepost.verdict import Answer, Verdict

__all__ = ["UnexpectedVerdictError", "assert_safe", "assert_verdict"]


class UnexpectedVerdictError(AssertionError):
    """A verdict other than the one that was expected; the message tells its whole story."""

    def __init__(self, verdict: Verdict, expected: str) -> None:
        self.verdict = verdict
        super().__init__(f"expected {expected}\n{render(verdict)}")


def assert_safe(
    source: Program | str | Path | Sequence[str | Path], *, flags: Sequence[str] = (), **options: Any
) -> Verdict:
    """Fails with the witness as its message unless every execution is free of errors: an UNKNOWN is no success.

    assert_safe("queue.c", model="rc11", unroll=4)
    """
    __tracebackhide__ = True
    return assert_verdict(source, "pass", flags=flags, **options)


def assert_verdict(
    source: Program | str | Path | Sequence[str | Path], expect: str, *, flags: Sequence[str] = (), **options: Any
) -> Verdict:
    """`expect` is `pass`, `fail`, `unknown`, or a kind of error such as `race` that must be the one found."""
    __tracebackhide__ = True
    answers = {a.value.lower(): a for a in Answer}
    known = [*answers, *(k.value for k in FAULTS)]
    if expect not in known:
        raise UsageError(f"expect={expect}: there is no such verdict; expected one of {', '.join(known)}")
    verdict = api.check(source, flags=flags, **options)
    if expect in answers:
        met = verdict.answer is answers[expect]
    else:
        met = verdict.answer is Answer.FAIL and any(e.kind.value == expect for e in verdict.errors)
    if not met:
        raise UnexpectedVerdictError(verdict, expect)
    return verdict
