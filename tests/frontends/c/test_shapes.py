"""Memory of every shape: packed, over-aligned, of three bytes; and the bits of numbers that are no integers."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.program.arithmetic import compute
from fencepost.program.instructions import ErrorKind, Op
from fencepost.verdict import Answer

SHAPES = Path(__file__).parent / "shapes"
MISALIGNED = [*sorted(p.name for p in SHAPES.glob("misaligned_*")), "pointer_to_packed_member.c"]
RIGHT = sorted(p.name for p in SHAPES.iterdir() if p.name not in MISALIGNED)


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str) -> None:
    verdict = api.check(SHAPES / name)
    assert verdict.answer is Answer.PASS, verdict.reason


@pytest.mark.parametrize("name", MISALIGNED)
def test_misaligned(name: str) -> None:
    verdict = api.check(SHAPES / name)
    assert [e.kind for e in verdict.errors] == [ErrorKind.MISALIGNED]


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (0x4000004000000001, 0x5E800001),  # a double in between would round to even, away from it
        (0x400000C000000000, 0x5E800002),
        (-0x4000004000000001, 0xDE800001),
        ((1 << 63) - 1, 0x5F000000),
        (16777217, 0x4B800000),
        (0, 0),
    ],
)
def test_integers_are_rounded_once(value: int, bits: int) -> None:
    assert compute(Op.FROM_SIGNED, 32, (value & ((1 << 64) - 1),)) == bits


def test_more_events_than_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "long.c"
    path.write_text(
        "#include <pthread.h>\n_Atomic int x;\n"
        "void *count(void *p) { for (int i = 0; i < 9000; i++) x = i; return p; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, count, 0); return pthread_join(t, 0); }"
    )
    verdict = api.check(path)
    assert verdict.answer is Answer.UNKNOWN
    assert "too many events" in verdict.reason and "--max-events" in verdict.reason
    verdict = api.check(path, max_events=20_000)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 1)
