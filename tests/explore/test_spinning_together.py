"""Threads that spin by updates which change nothing: each writes what the other has just read, and all hang."""

from __future__ import annotations

import pytest

from fencepost.explore import explore
from fencepost.frontends.pseudo import read
from fencepost.judgement import nothing_completes
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer

MODELS = ("sc", "tso", "pso", "ra", "rc11", "imm", "armv8", "power", "armv7", "riscv")
HANGS = {
    "exchanges": "var z = 1\n"
    + "".join(f"thread T{n} {{ while XCHG(z, 1) != 0 {{ }} }}\n" for n in range(2)),
    "three exchanges": "var z = 1\n"
    + "".join(f"thread T{n} {{ k := XCHG(z, 1); while k != 0 {{ k := XCHG(z, 1) }} }}\n" for n in range(3)),
    "an exchange and an or": """
        var z = 1
        thread T0 { while XCHG(z, 1) != 0 { } }
        thread T1 { r := FADD(z, 0); while r != 0 { r := FOR(z, 0) } }""",
    "sums": """
        var z = 1
        thread T0 { while FADD(z, 1) != 0 { FADD(z, -1) } }
        thread T1 { while FADD(z, 1) != 0 { FADD(z, -1) } }""",
    "a wait and an exchange": """
        var z = 1
        thread T0 { while z != 0 { } }
        thread T1 { while XCHG(z, 1) != 0 { } }""",
    "some executions end": """
        var x, z = 1
        thread T0 { while XCHG(z, 1) != 0 { } }
        thread T1 { if x == 1 { z := 0 } else { while XCHG(z, 1) != 0 { } } }
        thread T2 { x := 1 }""",
    "some executions end, with a first try before the loop": """
        var x, z = 1
        thread T0 { k := XCHG(z, 1); while k != 0 { k := XCHG(z, 1) } }
        thread T1 { if x == 1 { z := 0 } else { k := FOR(z, 1); while k != 0 { k := XCHG(z, 1) } } }
        thread T2 { x := 1 }""",
}  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", HANGS)
def test_threads_that_spin_by_updates_hang_together(name: str, model: str) -> None:
    found = explore(read(HANGS[name], "hangs.fp"), model, CheckOptions(model=model, fix=False))
    assert found.answer is Answer.FAIL, found.reason
    assert found.errors[0].kind is ErrorKind.LIVENESS


@pytest.mark.parametrize("model", MODELS)
def test_a_lock_that_is_given_back_lets_all_through(model: str) -> None:
    text = "var z = 1\nthread T0 { z.rel := 0 }\n" + "".join(
        f"thread T{n} {{ while XCHG(z.acq, 1) != 0 {{ }}; z.rel := 0 }}\n" for n in (1, 2)
    )
    found = explore(read(text, "lock.fp"), model, CheckOptions(model=model, fix=False))
    assert found.answer is Answer.PASS, found.reason


def test_no_execution_at_all_is_no_pass() -> None:
    assert nothing_completes(0, ())
    assert not nothing_completes(1, ())
