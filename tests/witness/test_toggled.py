"""Who waits for what only loops change that go round for ever is told so."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost

_ADDS = "thread P { while x == 0 { FADD(y, 1); FADD(y, -1) } }\nthread Q { wait(y == 1); x := 1 }"
_STORE = "thread P { while x == 0 { y := 1 } }\nthread R { while x == 0 { y := 2 } }\nthread Q { wait(y == 3); x := 1 }"
_NOBODY = "thread P { x := 1 }\nthread Q { wait(y == 3) }"


@pytest.mark.parametrize(
    ("threads", "told"),
    [
        (_ADDS, "but it is 0 since thread P (a.fp:2) when it looks, and only the loop at a.fp:2, which goes round for"),
        (_STORE, "when it looks, and only the loops at a.fp:2 and a.fp:3, which go round for ever, write there"),
        (_NOBODY, "but it is its initial value and nobody is left to change it"),
    ],
)
def test_who_still_writes_there_is_told(tmp_path: Path, threads: str, told: str) -> None:
    path = tmp_path / "a.fp"
    path.write_text(f"var x, y\n{threads}\n", encoding="utf-8")
    assert told in fencepost.check(path, model="sc").why
