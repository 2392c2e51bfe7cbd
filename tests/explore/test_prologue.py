"""What the first thread does before it starts another one is done once: the same answers, and no event of it counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fencepost import check, read
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict
from fencepost.witness.confirm import confirm

HEAD = (
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n"
)
TABLE = """
_Atomic int table[150], seen;
void *worker(void *_) { atomic_fetch_add_explicit(&table[7], 1, memory_order_relaxed); return 0; }
int main(void) {
    for (int i = 0; i < 150; i++) atomic_store_explicit(&table[i], i, memory_order_seq_cst);
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    int early = atomic_load(&table[7]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(table[7] == 9 && table[149] == 149 && EXPECTED);
}
"""
LATER = """
int table[400];
_Atomic int count;
void *worker(void *number) {
    int early = number == 0 && atomic_fetch_add(&count, 1) == 2;
    if (number != 0) atomic_fetch_add(&count, 1);
    assert(table[3] == 3);
    if (table[4] == 4) assert(EXPECTED);
    return 0;
}
int main(void) {
    for (int i = 0; i < 400; i++) table[i] = i;
    pthread_t a, b, c;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, "1");
    pthread_create(&c, 0, worker, "2");
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
}
"""
HEAP = """
int *block;
void *worker(void *_) { USE; return 0; }
int main(void) {
    int *other = malloc(4);
    *other = 1;
    block = malloc(400);
    for (int i = 0; i < 99; i++) block[i] = *other;
    free(FREED);
    pthread_t a;
    pthread_create(&a, 0, worker, other);
    pthread_join(a, 0);
}
"""
APART = """
struct slot { _Atomic uint64_t turn; char text[8]; };
struct slot *slots;
void *worker(void *_) { atomic_store(&slots[1].turn, 2); return 0; }
int main(void) {
    slots = malloc(2 * sizeof *slots);
    char *bytes = (char *)slots;
    for (unsigned i = 0; i < 2 * sizeof *slots; i++) bytes[i] = 1;
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    uint64_t now = atomic_load(&slots[1].turn);
    pthread_join(a, 0);
    assert(EXPECTED);
}
"""


def _check(tmp_path: Path, text: str, *flags: str, **options: object) -> Verdict:
    source = tmp_path / "program.c"
    source.write_text(HEAD + text, encoding="utf-8")
    return check(read(source, flags=list(flags)), model="rc11", **options)  # type: ignore[arg-type]


def test_the_same_executions_with_and_without(tmp_path: Path) -> None:
    short, whole = (_check(tmp_path, TABLE, "-DEXPECTED=1", reductions=r, symmetry=False) for r in (True, False))
    assert short.answer is whole.answer is Answer.PASS
    assert (short.executions, short.blocked) == (whole.executions, whole.blocked) == (6, 0)


def test_its_events_do_not_count(tmp_path: Path) -> None:
    assert _check(tmp_path, TABLE, "-DEXPECTED=1", max_events=60).answer is Answer.PASS
    assert _check(tmp_path, TABLE, "-DEXPECTED=1", max_events=60, reductions=False).answer is Answer.UNKNOWN


def test_a_witness_has_its_events(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(HEAD + TABLE, encoding="utf-8")
    program = read(source, flags=["-DEXPECTED=early==7"])
    found = check(program, model="rc11")
    assert found.answer is Answer.FAIL and found.witness is not None
    confirm(found.witness)
    main = [e for e in found.witness.execution.events if e.thread == 0]
    assert [e.index for e in main] == list(range(len(main))) and len(main) > 150


@pytest.mark.parametrize(
    ("use", "freed", "kind"),
    [
        ("block[99]++", "other", ErrorKind.UNINITIALISED),
        ("*(int *)_ = 2", "other", ErrorKind.USE_AFTER_FREE),
        ("free(_)", "other", ErrorKind.DOUBLE_FREE),
        ("block[100] = 1", "other", ErrorKind.OUT_OF_BOUNDS),
        ("block[98]++", "0", None),
    ],
)
def test_errors_of_memory_that_was_made_before(tmp_path: Path, use: str, freed: str, kind: ErrorKind | None) -> None:
    found = _check(tmp_path, HEAP, f"-DUSE={use}", f"-DFREED={freed}")
    assert [e.kind for e in found.errors] == ([kind] if kind else [])
    assert found.answer is (Answer.FAIL if kind else Answer.PASS)


def test_an_error_in_it_is_found(tmp_path: Path) -> None:
    found = _check(tmp_path, HEAP.replace("i < 99", "i < 101"), "-DUSE=(void)0", "-DFREED=0")
    assert [e.kind for e in found.errors] == [ErrorKind.OUT_OF_BOUNDS]


def test_what_it_takes_apart_may_be_atomic_later(tmp_path: Path) -> None:
    passes = _check(tmp_path, APART, "-DEXPECTED=now == 2 || now == 0x0101010101010101ull")
    assert passes.answer is Answer.PASS and passes.executions == 2
    # The error is looked for again with everything explored, which does not know such accesses.
    fails = _check(tmp_path, APART, "-DEXPECTED=now == 2")
    assert fails.answer is Answer.FAIL and [e.kind for e in fails.errors] == [ErrorKind.ASSERTION]
    assert fails.witness is None and any("the execution is not shown" in w for w in fails.warnings)


@pytest.mark.parametrize("done", [1, 2])
@pytest.mark.parametrize(("expected", "answer"), [("1", Answer.PASS), ("early == 0", Answer.FAIL)])
def test_who_goes_on_begins_with_what_it_leaves(tmp_path: Path, done: int, expected: str, answer: Answer) -> None:
    """`early` is not 0 only in executions that come later."""
    saved = tmp_path / "saved"
    first = _check(tmp_path, LATER, f"-DEXPECTED={expected}", symmetry=False, save=saved, max_executions=done)
    assert first.answer is Answer.UNKNOWN
    assert _check(tmp_path, LATER, f"-DEXPECTED={expected}", symmetry=False, resume=saved).answer is answer
    assert _check(tmp_path, LATER, f"-DEXPECTED={expected}", symmetry=False, jobs=2).answer is answer


@pytest.mark.slow
def test_random_beginnings(tmp_path: Path) -> None:
    rng = random.Random(5)
    orders = ["relaxed", "release", "seq_cst"]
    for _ in range(40):
        first = [rng.randrange(4) for _ in range(110)]
        steps = "\n".join(
            f"atomic_store_explicit(&x[{p}], {n}, memory_order_{rng.choice(orders)});" for n, p in enumerate(first)
        )
        bodies = ["".join(_statement(rng, k) for k in range(3)) for _ in range(2)]
        text = (
            "_Atomic int x[4];\n"
            + "".join(f"void *w{n}(void *_) {{ int r = 0; {b} return 0; }}\n" for n, b in enumerate(bodies))
            + f"int main(void) {{ {steps}\npthread_t t[2]; pthread_create(&t[0], 0, w0, 0);"
            + f"pthread_create(&t[1], 0, w1, 0); int r = 0; {_statement(rng, 9)}"
            + "pthread_join(t[0], 0); pthread_join(t[1], 0); }\n"
        )
        short, whole = (_check(tmp_path, text, reductions=r, symmetry=False) for r in (True, False))
        assert (short.answer, short.executions, short.blocked) == (whole.answer, whole.executions, whole.blocked), text


def _statement(rng: random.Random, number: int) -> str:
    place = f"&x[{rng.randrange(4)}]"
    order = rng.choice(["relaxed", "seq_cst"])
    kind = rng.randrange(4)
    if kind == 0:
        return f"atomic_store_explicit({place}, {1000 + number}, memory_order_{order});"
    if kind == 1:
        return f"r += atomic_load_explicit({place}, memory_order_{order});"
    if kind == 2:
        return f"r += atomic_fetch_add_explicit({place}, 1, memory_order_{order});"
    return f"atomic_thread_fence(memory_order_{order});"
