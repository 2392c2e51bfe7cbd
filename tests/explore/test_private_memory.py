"""Memory that only one thread sees is no event, but its borders count."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import check
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

PROGRAM = """
#include <string.h>
int sum(int last) {
    int a[5], s = 0;
    for (int i = 0; i <= last; i++) a[i] = i;
    for (int i = 0; i < 5; i++) s += a[i];
    return s;
}
int main(void) {
    char text[4];
    strcpy(text, TEXT);
    return sum(LAST) - 10;
}
"""


@pytest.mark.parametrize(
    ("last", "text", "line"), [(4, "abc", 0), (5, "abc", 5), (4, "abcd", 11)], ids=["inside", "array", "string"]
)
def test_borders(last: int, text: str, line: int, tmp_path: Path) -> None:
    file = tmp_path / "private.c"
    file.write_text(PROGRAM)
    verdict = check(str(file), flags=[f"-DLAST={last}", f'-DTEXT="{text}"'])
    if not line:
        assert verdict.answer is Answer.PASS, verdict.reason
    else:
        assert verdict.answer is Answer.FAIL
        assert verdict.errors[0].kind in (ErrorKind.BOUNDS, ErrorKind.OUT_OF_BOUNDS)
        assert verdict.errors[0].at is not None and verdict.errors[0].at.line == line
