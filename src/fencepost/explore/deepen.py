"""Bounds that grow by themselves: 1, 2, 3, ... rounds of every loop, for as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

from fencepost.options import CheckOptions
from fencepost.reasons import Code, only_bounds, plural
from fencepost.records import replace
from fencepost.verdict import Answer, Verdict

_PATIENCE = 60.0  # seconds, where the user gave no limit


def deepen(check: Callable[[CheckOptions], Verdict], options: CheckOptions) -> Verdict:
    """The verdict of the deepest bound that was gone through: an error, PASS where no loop wants more, or BOUNDED. What
    was covered, and what stopped it, stands in a warning and in `extra["rounds"]`."""
    start = time.perf_counter()
    limit = options.time_limit or _PATIENCE
    covered: Verdict | None = None
    for rounds in count(1):
        left = limit - (time.perf_counter() - start)
        if covered is not None and left <= 0:
            return _ended(covered, rounds, f"the time is out after {limit:g} seconds", start)
        verdict = check(replace(options, deepen=False, unroll=rounds, time_limit=max(left, 0.001)))
        if not only_bounds(verdict.reasons) or verdict.answer is Answer.FAIL:
            if covered is None or covered.answer is Answer.UNKNOWN or not _ran_out(verdict):
                return replace(verdict, seconds=time.perf_counter() - start, extra={**verdict.extra, "rounds": rounds})
            return _ended(covered, rounds, verdict.reason, start)
        covered = verdict
        if all(r.rounds != rounds for r in verdict.reasons):  # bounds that the user set: more rounds change nothing
            return _ended(covered, rounds + 1, "the other loops have bounds of their own", start)
    raise AssertionError("counting should not end")


def _ran_out(verdict: Verdict) -> bool:
    return verdict.answer is Answer.UNKNOWN and any(r.code is Code.LIMIT for r in verdict.reasons)


def _ended(covered: Verdict, rounds: int, why: str, start: float) -> Verdict:
    note = f"covered: {plural(rounds - 1, 'round')} of every loop; {why}"
    return replace(
        covered, seconds=time.perf_counter() - start, warnings=(*covered.warnings, note),
        extra={**covered.extra, "rounds": rounds - 1},
    )  # fmt: skip
