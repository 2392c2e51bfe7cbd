"""Loops that exchange a byte for 1: a flag is waited for until it is clear, a byte that may hold a 2 is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.program.passes.flags import writes_only_bits
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.verdict import Answer, ErrorKind

_SEES = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic(TYPE) lock = 1;
void *taker(void *unused) {
  while (atomic_exchange(&lock, 1) != 0) ;
  return 0;
}
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, taker, 0);
  atomic_store(&lock, FIRST);
  int seen = atomic_load(&lock);
  atomic_store(&lock, 0);
  pthread_join(p, 0);
  assert(!(FIRST == 2 && seen == 1));
  return 0;
}
"""
_LEAVES = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_uchar gate = 1;
void *waits(void *unused) {
  while (atomic_exchange(&gate, 1) == 1) ;
  assert(0);
}
int main(void) {
  pthread_t p;
  pthread_create(&p, 0, waits, 0);
  atomic_store(&gate, 2);
  pthread_join(p, 0);
  return 0;
}
"""
_LOCK = """
#include <pthread.h>
#include <stdatomic.h>
atomic_flag lock = ATOMIC_FLAG_INIT;
char letters[4];
void *user(void *unused) {
  while (atomic_flag_test_and_set(&lock)) ;
  letters[0] = 'a';
  atomic_flag_clear(&lock);
  return 0;
}
int main(void) {
  pthread_t p[3];
  for (int i = 0; i < 3; i++) pthread_create(&p[i], 0, user, 0);
  for (int i = 0; i < 3; i++) pthread_join(p[i], 0);
  return 0;
}
"""


def _check(tmp_path: Path, text: str, model: str, **options: object) -> fencepost.Verdict:
    path = tmp_path / "flag.c"
    path.write_text(text)
    return fencepost.check(path, model=model, fix=False, **options)


@pytest.mark.parametrize("model", ["sc", "tso", "rc11"])
def test_a_byte_that_was_2_is_1_when_an_exchange_has_found_it(tmp_path: Path, model: str) -> None:
    text = _SEES.replace("TYPE", "unsigned char")
    assert _check(tmp_path, text.replace("FIRST", "2"), model).answer is Answer.FAIL
    assert _check(tmp_path, text.replace("FIRST", "1"), model).answer is Answer.PASS


@pytest.mark.parametrize("model", ["sc", "rc11"])
def test_a_loop_that_leaves_at_anything_but_1_leaves_at_2(tmp_path: Path, model: str) -> None:
    assert _check(tmp_path, _LEAVES, model).errors[0].kind is ErrorKind.ASSERTION


def test_a_flag_by_its_type_is_one_whatever_other_bytes_hold(tmp_path: Path) -> None:
    verdict = _check(tmp_path, _LOCK, "rc11", symmetry=False)
    assert (verdict.answer, verdict.executions, verdict.blocked) == (Answer.PASS, 6, 0)


def _bytes(code: str, *, init: str = "") -> Program:
    return read_program(f"""program "t" arch=c11
global a size=1 align=1{init}
function f(%p) registers(%r, %s) {{
  {code}
  return _
}}
thread A = f(0)
""")


@pytest.mark.parametrize(("code", "bits"), [
    ("store &a, 1 size=1", True),
    ("store &a, 2 size=1", False),
    ("store &a, 2 size=4", True),
    ("%r = compute (%p, 3) op=eq\n store &a, %r size=1", True),
    ("%r = compute (%p) op=mov width=1\n store &a, %r size=1", True),
    ("%r = compute (%p) op=mov\n store &a, %r size=1", False),
    ("%r = compute (%p, 1) op=and\n store &a, %r size=1", True),
    ("%r = compute (%p, 2) op=and\n store &a, %r size=1", False),
    ("%r = compute (%p, 3) op=eq\n %s = compute (%r, %r) op=add\n store &a, %s size=1", False),
    ("%r = load &a size=1\n store &a, %r size=1", False),
    ("%r, %s = cas &a, 0, 1 size=1\n store &a, %s size=1", True),
    ("%r, %s = cas &a, 0, 1 size=1\n store &a, %r size=1", False),
    ("_, _ = cas &a, 0, 3 size=1", False),
    ("_ = rmw &a, 1 op=add size=1", False),
    ("_ = rmw &a, 1 op=or size=1", True),
    ("store &a, %p size=1", False),
])  # fmt: skip
def test_bytes_are_bits_if_nothing_else_is_written(code: str, bits: bool) -> None:
    assert writes_only_bits(_bytes(code)) is bits


def test_nor_begins_so() -> None:
    assert writes_only_bits(_bytes("store &a, 1 size=1", init=" init=(0:1:1)"))
    assert not writes_only_bits(_bytes("store &a, 1 size=1", init=" init=(0:1:2)"))
