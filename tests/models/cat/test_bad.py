"""Every malformed model gives one message: place, what was found, what was expected, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.errors import InputError
from fencepost.models.registry import find
from golden import assert_golden

BAD = Path(__file__).parent / "bad"
CASES = sorted(BAD.glob("*.cat"))


@pytest.mark.parametrize("path", CASES, ids=[p.stem for p in CASES])
def test_the_message(path: Path) -> None:
    with pytest.raises(InputError) as caught:
        find(path).prepared  # noqa: B018 # reading is lazy: this reads
    error = caught.value
    assert error.line > 0 and error.column > 0 and error.expected
    assert_golden(path.with_suffix(".txt"), str(error).replace(f"{BAD}/", "") + "\n")


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 20
