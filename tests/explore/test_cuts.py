"""Accesses of different sizes to the same memory: plain ones are cut, atomic ones are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fencepost import check, read
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program
from fencepost.verdict import Answer
from fencepost.witness.confirm import confirm

HEAD = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <string.h>\n"
UNION = """
union word { uint64_t whole; struct { uint32_t low, high; } half; uint8_t bytes[8]; } shared;
void *writer(void *_) { shared.whole = 0x0102030405060708ull; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    pthread_join(t, 0);
    assert(shared.half.low == LOW && shared.bytes[7] == 1);
}
"""
CLEARED = """
struct queue { int count; pthread_mutex_t lock; short kind; pthread_rwlock_t table; };
void *worker(void *given) {
    struct queue *q = given;
    pthread_mutex_lock(&q->lock);
    q->count++;
    pthread_mutex_unlock(&q->lock);
    pthread_rwlock_rdlock(&q->table);
    pthread_rwlock_unlock(&q->table);
    return 0;
}
int main(void) {
    struct queue q;
    memset(&q, 0, sizeof q);
    q.kind = 3;
    pthread_t a, b;
    pthread_create(&a, 0, worker, &q);
    pthread_create(&b, 0, worker, &q);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(q.count == 2 && q.kind == 3);
}
"""
ATOMIC = """
union word { _Atomic uint64_t whole; _Atomic uint32_t half; } shared;
void *writer(void *_) { atomic_store(&shared.whole, 1); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    atomic_load(&shared.half);
    pthread_join(t, 0);
}
"""


def write(folder: Path, text: str) -> str:
    file = folder / "program.c"
    file.write_text(HEAD + text)
    return str(file)


@pytest.mark.parametrize("model", ["sc", "tso", "rc11", "power", "armv8"])
def test_plain_accesses_are_cut(model: str, tmp_path: Path) -> None:
    verdict = check(write(tmp_path, UNION), model=model, flags=["-DLOW=0x05060708"])
    assert (verdict.answer, verdict.executions) == (Answer.PASS, 1), verdict.reason


def test_a_witness_with_cuts_replays(tmp_path: Path) -> None:
    verdict = check(write(tmp_path, UNION), flags=["-DLOW=0x01020304"])
    assert verdict.answer is Answer.FAIL
    assert verdict.witness is not None and verdict.witness.program is not None
    assert len(verdict.witness.program.cuts) == 1, "between the halves"
    confirm(verdict.witness)


def test_what_is_cleared_as_a_whole(tmp_path: Path) -> None:
    verdict = check(write(tmp_path, CLEARED))
    assert verdict.answer is Answer.PASS, verdict.reason


def test_atomic_accesses_of_different_sizes_are_named(tmp_path: Path) -> None:
    verdict = check(write(tmp_path, ATOMIC))
    assert verdict.answer is Answer.UNKNOWN
    assert "an atomic access to memory that others access in parts" in verdict.reason


def test_cuts_in_the_text_form(tmp_path: Path) -> None:
    program = replace(read(write(tmp_path, UNION), flags=["-DLOW=0"]), cuts=(65540, 65543))
    assert read_program(print_program(program)) == program
