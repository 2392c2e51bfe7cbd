"""What of undefined behaviour is found, and what is not; docs/c.md shows the same table."""

from __future__ import annotations

from pathlib import Path

import pytest
from undefined_programs import PROGRAMS, Undefined, source, table

from fencepost import api
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer


def test_the_table_in_the_documentation() -> None:
    page = Path(__file__).parents[3] / "docs" / "c.md"
    assert table() in page.read_text()


def test_what_is_ignored_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text("#include <assert.h>\nint x = 2147483647; int main(void) { x++; assert(x != -2147483647 - 1); }")
    kinds = [e.kind for e in api.check(path, ignore=["signed-integer-overflow"]).errors]
    assert kinds == [ErrorKind.ASSERTION]


def test_a_check_is_no_branch(tmp_path: Path) -> None:
    """Load buffering through a sum that is checked: with a control dependency ARMv8 would forbid it."""
    path = tmp_path / "lb.c"
    path.write_text(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <assert.h>\n"
        "#define L(p) atomic_load_explicit(p, memory_order_relaxed)\n"
        "#define S(p) atomic_store_explicit(p, 1, memory_order_relaxed)\n"
        "atomic_int x, y; int a, b;\n"
        "void *p(void *z) { a = L(&x) + 1; S(&y); return 0; }\n"
        "void *q(void *z) { b = L(&y) + 1; S(&x); return 0; }\n"
        "int main(void) { pthread_t s, t; pthread_create(&s, 0, p, 0); pthread_create(&t, 0, q, 0);\n"
        "pthread_join(s, 0); pthread_join(t, 0); assert(a + b != 4); }"
    )
    assert [e.kind for e in api.check(path, model="armv8").errors] == [ErrorKind.ASSERTION]
    assert api.check(path, model="sc").answer is Answer.PASS


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.what)
def test_what_is_found(program: Undefined, tmp_path: Path) -> None:
    path = tmp_path / f"program.{program.language}"
    path.write_text(source(program))
    verdict = api.check(path)
    if program.kind is None:
        found = [e.kind for e in verdict.errors]
        assert verdict.answer is Answer.PASS or found == [program.sometimes], "it should be told in the table"
        return
    assert [e.kind for e in verdict.errors] == [program.kind], verdict.reason
