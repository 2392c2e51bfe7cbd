"""Every count of the papers that is not too large for a test suite, by the explorer."""

from __future__ import annotations

import pytest

from fencepost.explore import explore
from fencepost.explore.driver import knows
from fencepost.options import CheckOptions
from fencepost.verdict import Answer
from numbers_table import Count, counts

WANTED = [c for c in counts() if not c.slow and knows(c.model)]


@pytest.mark.parametrize("case", WANTED, ids=str)
def test_the_papers_counts(case: Count) -> None:
    verdict = explore(case.read(), case.model, CheckOptions(reductions=False))
    assert verdict.answer is not Answer.UNKNOWN, verdict.reason
    assert (verdict.executions, verdict.blocked) == (case.executions, 0)
