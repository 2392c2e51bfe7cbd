"""Values that rest on themselves under the kernel's model: found, or the program is refused; and lists are not."""

from __future__ import annotations

import random

import pytest
from guessing import compared, program

_HEAD = """program "p" arch=lkmm
global x size=8 align=8
global y size=8 align=8
"""


@pytest.mark.parametrize("seed", range(0, 60, 10))
def test_all_executions_are_found_or_the_program_is_refused(seed: int) -> None:
    answers = [compared(program(random.Random(31_000 + seed + n))) for n in range(10)]
    assert set(answers) <= {"equal", "refused", "needless"}
    assert answers.count("equal") >= 5
