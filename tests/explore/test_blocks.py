"""Atomic blocks, from .fp and from C: explored like everything else, and nobody comes between."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.frontends.pseudo import read
from fencepost.models.registry import find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.reasons import Code
from fencepost.verdict import Answer, Outcomes, Verdict

COHERENT = ("sc", "tso", "pso", "ra", "rc11", "rc11-cpp20")


def check(tmp_path: Path, text: str, model: str = "rc11", **options: object) -> Verdict:
    path = tmp_path / ("blocks.c" if "#include" in text else "blocks.fp")
    path.write_text(text)
    return fencepost.check(path, model=model, **options)  # type: ignore[arg-type]


def kinds(verdict: Verdict) -> list[ErrorKind]:
    return [e.kind for e in verdict.errors]


BETWEEN = "var x\nthread W { atomic { x := 1; x := 2 } }\nthread R { r := x; assert(r != 1) }\n"
BETWEEN_C = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
atomic_int x;
void *writer(void *a) {
    __VERIFIER_atomic_begin();
    x = 1;
    x = 2;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    assert(atomic_load(&x) != 1);
    pthread_join(t, 0);
}
"""


@pytest.mark.parametrize("model", COHERENT)
@pytest.mark.parametrize("text", [BETWEEN, BETWEEN_C], ids=["fp", "c"])
def test_who_is_in_no_block_sees_nothing_of_the_middle(tmp_path: Path, text: str, model: str) -> None:
    verdict = check(tmp_path, text, model)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 2)
    assert "engine" not in verdict.extra, "there should be nothing to explain about the engine"


@pytest.mark.parametrize("model", COHERENT)
def test_increments_in_blocks_are_counted_like_fetch_add(tmp_path: Path, model: str) -> None:
    add = "atomic { r := x; x := r + 1 }\n"
    text = f"var x\nthread A(i in 1..3) {{ {add}{add} }}\nforall (x == 6)\n"
    for jobs in (1, 2):
        verdict = check(tmp_path, text, model, jobs=jobs)
        assert (verdict.answer, verdict.executions) == (Answer.PASS, 90)


COUNTER = """
#include <assert.h>
#include <pthread.h>
void __VERIFIER_assume(int);
int m, x;
void __VERIFIER_atomic_acquire(void) { __VERIFIER_assume(m == 0); m = 1; }
void __VERIFIER_atomic_release(void) { m = 0; }
void *worker(void *a) { __VERIFIER_atomic_acquire(); x++; __VERIFIER_atomic_release(); return 0; }
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, worker, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(x == 2);
}
"""


@pytest.mark.parametrize("model", COHERENT)
def test_blocks_synchronise_where_they_conflict(tmp_path: Path, model: str) -> None:
    """A lock of the competition's kind: plain memory in blocks does not race, nor does what they protect."""
    verdict = check(tmp_path, COUNTER, model)
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 2)


def test_plain_memory_in_a_block_and_outside_is_a_race(tmp_path: Path) -> None:
    text = "na d\nvar f\nthread A { atomic { d := 1 } }\nthread B { d := 2 }\n"
    assert kinds(check(tmp_path, text)) == [ErrorKind.RACE]


def test_what_comes_before_an_earlier_block_is_no_race(tmp_path: Path) -> None:
    """Which of the blocks is earlier is known only when both are there, and so is whether there is a race."""
    text = "na d\nvar x\nthread A { d := 1; atomic { x := 1 } }\nthread B { atomic { r := x; if r == 1 { d := 2 } } }\n"
    assert check(tmp_path, text).answer is Answer.PASS
    assert kinds(check(tmp_path, text.replace("r == 1", "r == 0"))) == [ErrorKind.RACE]


def test_memory_that_a_block_took_is_not_freed_by_others(tmp_path: Path) -> None:
    take = "thread {} {{ atomic {{ p := place; place := 0 }}\n if p != 0 {{ [p].na := 1; free(p) }} }}\n"
    text = "var place\nthread M { q := malloc(8); place := q }\n" + take.format("A") + take.format("B")
    assert check(tmp_path, text, ignore=["leak"]).answer is Answer.PASS
    without = text.replace("atomic { p := place; place := 0 }", "p := place; place := 0")
    assert set(kinds(check(tmp_path, without, ignore=["leak"]))) & {ErrorKind.USE_AFTER_FREE, ErrorKind.DOUBLE_FREE}


def test_an_assertion_that_fails_in_a_block_is_found(tmp_path: Path) -> None:
    text = "var x, y\nthread A { atomic { r := x; y := 1; assert(r == 0) } }\nthread B { x := 1; s := y }\n"
    verdict = check(tmp_path, text, "sc")
    assert kinds(verdict) == [ErrorKind.ASSERTION]
    assert verdict.witness is not None


def test_nobody_sees_a_block_that_a_failed_assume_gives_up(tmp_path: Path) -> None:
    text = "var x\nthread A { atomic { x := 1; assume(0) } }\nthread B { r := x; assert(r == 0) }\n"
    for model in (*COHERENT, "power"):
        verdict = check(tmp_path, text, model)
        assert (verdict.reasons[0].code, verdict.blocked, verdict.errors) == (Code.ASSUMPTIONS, 1, ()), model


NESTED = """
#include <assert.h>
#include <fencepost.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void set(int v) { fencepost_atomic_begin(); x = v; fencepost_atomic_end(); }
void *writer(void *a) { fencepost_atomic_begin(); set(1); set(2); fencepost_atomic_end(); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    assert(x != 1);
    pthread_join(t, 0);
}
"""


def test_of_nested_blocks_the_outer_one_counts(tmp_path: Path) -> None:
    assert check(tmp_path, NESTED).answer is Answer.PASS
    apart = NESTED.replace("fencepost_atomic_begin(); set(1); set(2); fencepost_atomic_end();", "set(1); set(2);")
    assert kinds(check(tmp_path, apart)) == [ErrorKind.ASSERTION]


def test_a_block_that_ends_and_never_began_is_an_error(tmp_path: Path) -> None:
    verdict = check(tmp_path, "#include <fencepost.h>\nint main(void) { fencepost_atomic_end(); }\n")
    assert kinds(verdict) == [ErrorKind.UNLOCK] and verdict.errors[0].at is not None and verdict.errors[0].at.line == 2


def test_waiting_in_a_block_is_enumerated(tmp_path: Path) -> None:
    """Nobody else moves meanwhile: what is not there when the block comes to wait never comes."""
    served = "var x, y\nthread A { atomic { wait(y == 1); x := 1 } }\nthread B { y := 1 }\n"
    verdict = check(tmp_path, served, "sc")
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 1)
    assert verdict.extra["engine"] == "enumerate" and "wait inside an atomic block" in str(verdict.extra["why"])
    never = "var x, y\nthread A { atomic { x := 1; wait(y == 1) } }\nthread B { wait(x == 1); y := 1 }\n"
    for model in ("sc", "tso", "rc11"):
        assert kinds(check(tmp_path, never, model)) == [ErrorKind.DEADLOCK]


def test_spinning_in_a_block_never_ends(tmp_path: Path) -> None:
    text = "var x, y\nthread A { atomic { x := 1; while y == 0 || x == 0 { } } }\nthread B { y := 1 }\n"
    assert kinds(check(tmp_path, text, "sc")) == [ErrorKind.LIVENESS]
    assert check(tmp_path, text.replace("y == 0 || x == 0", "x == 0"), "sc").answer is Answer.PASS


def test_other_models_judge_blocks_on_whole_executions(tmp_path: Path) -> None:
    verdict = check(tmp_path, BETWEEN, "wrc11")
    assert verdict.answer is Answer.PASS
    assert verdict.extra["engine"] == "enumerate" and "atomic blocks" in str(verdict.extra["why"])


def values(found: Outcomes) -> list[tuple[int, ...]]:
    return [tuple(value for _, value in state) for state in found.states]


@pytest.mark.parametrize("model", ["power", "armv8", "riscv", "imm"])
def test_hardware_models_explore_blocks(tmp_path: Path, model: str) -> None:
    """Two increments of two locations each, which nobody sees half done; without blocks they may be."""
    verdict = check(tmp_path, BETWEEN, model)
    assert verdict.answer is Answer.PASS and "engine" not in verdict.extra
    text = (
        "var x, y\nthread A { atomic { x := 1; y := 1 } }\nthread B { atomic { r := y; s := x } }\nobserve B:r, B:s\n"
    )
    path = tmp_path / "mp.fp"
    path.write_text(text)
    assert sorted(values(fencepost.outcomes(path, model=model))) == [(0, 0), (1, 1)]
    path.write_text(text.replace("atomic { r := y; s := x }", "r := y; s := x"))
    loose = fencepost.outcomes(path, model=model)
    assert (1, 0) in values(loose) and not loose.why


def test_waiting_in_a_block_is_enumerated_under_hardware_models(tmp_path: Path) -> None:
    served = "var x, y\nthread A { atomic { wait(y == 1); x := 1 } }\nthread B { y := 1 }\n"
    verdict = check(tmp_path, served, "armv8")
    assert verdict.answer is Answer.PASS and "wait inside an atomic block" in str(verdict.extra["why"])


def test_a_thread_that_is_started_does_not_drain_the_buffer(tmp_path: Path) -> None:
    """What the explorer and the models say of TSO: a spawn orders what comes before it with the child only."""
    idle = "fn idle() { }\n"
    text = "var x, y\nthread A {{ x := 1; {} r := y }}\nthread B {{ y := 1; mfence; s := x }}\nobserve A:r, B:s\n"
    found = {}
    for between in ("", "t := spawn idle();", "c := choose(0..0);"):
        path = tmp_path / "sb.fp"
        path.write_text(idle + text.format(between))
        found[between] = fencepost.outcomes(path, model="tso").states
    assert len({tuple(states) for states in found.values()}) == 1


#: A block of two stores, and a thread that sees the first of them and not the second, in this order.
AMID = """var x, y
thread B {{ r := x{order}; {fence}s := y{order}; assert(!(r == 1 && s == 0)) }}
thread A {{ atomic {{ x := 1; y := 2 }} }}
"""


@pytest.mark.parametrize("model", [*COHERENT, "armv8", "riscv"])
@pytest.mark.parametrize(("order", "fence"), [(".sc", ""), (".acq", ""), ("", "fence.sc; "), ("", "")])
def test_an_error_amid_a_block_that_cannot_go_on_is_none(tmp_path: Path, model: str, order: str, fence: str) -> None:
    """The error ends its thread before the block has ended: whether there is such an execution the rest decides."""
    text = AMID.format(order=order, fence=fence)
    found = check(tmp_path, text, model)
    slow = check_by_enumeration(read(text, "blocks.fp"), find(model), CheckOptions(model=model))
    assert found.answer is slow.answer
    assert found.answer is Answer.PASS or model not in ("sc", "armv8", "riscv") or not order + fence
