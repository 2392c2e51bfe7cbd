"""The reference monitor on the programs of the robustness paper."""

from __future__ import annotations

import pytest
from toy import LITMUS

from fencepost.reference import scm


@pytest.mark.parametrize("name", LITMUS)
@pytest.mark.parametrize("critical", [True, False])
def test_litmus_programs_of_the_paper(name: str, critical: bool) -> None:
    program, expected = LITMUS[name]
    assert scm.check(program, critical=critical).robust == expected["ra"]
