"""Each malformed test names the place, what was found and what was expected; the texts are golden."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.errors import InputError
from fencepost.frontends.litmus import read
from golden import assert_golden

FOLDER = Path(__file__).parent / "litmus_errors"
FILES = sorted(FOLDER.glob("*.litmus"))


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_a_malformed_test_is_refused_with_its_place(path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(path.read_text(), path.name)
    assert caught.value.line and caught.value.column
    assert_golden(path.with_suffix(".txt"), f"{caught.value}\n")


def test_there_are_many_of_them() -> None:
    assert len(FILES) >= 20
