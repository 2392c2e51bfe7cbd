"""Accesses of mixed size under the models of hardware: explored in pieces, as enumeration has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.api import check
from fencepost.enumerate.verdicts import check_by_enumeration
from fencepost.errors import UnsupportedError
from fencepost.explore import native
from fencepost.explore.begin import begin
from fencepost.frontends import read_file
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.suite.engine import ENUMERATE, EXPLORE, outcomes_by
from fencepost.verdict import Answer, Outcomes

STATE = "uint64_t x; uint64_t y; 0:X1=x; 0:X3=y; 1:X1=x; 1:X3=y; 0:X9=0x100000002; 1:X9=0x300000004;"
FORMS = {
    "a store of two words and their loads": (" STR X9,[X1] | LDR W0,[X1] ;\n | LDR W2,[X1,#4] ;", 4),
    "halves that are forwarded": (" STR W9,[X1] | STR X9,[X1] ;\n LDR X0,[X1] | ;", 4),
    "an exclusive pair and a load of a half": (" LDXR X5,[X1] | LDR W0,[X1,#4] ;\n STXR W6,X9,[X1] | ;", 3),
    "an exclusive pair and a store to a half": (" LDXR X5,[X1] | STR W9,[X1,#4] ;\n STXR W6,X9,[X1] | ;", 4),
    "an exclusive pair with a load amid": (
        " LDXR X5,[X1] | STR W9,[X1,#4] ;\n LDR X7,[X3] | STR X9,[X3] ;\n STXR W6,X9,[X1] | ;", 8,
    ),
    "an exclusive pair whose address was read": (
        " LDR X7,[X3] | LDR W0,[X1,#4] ;\n EOR X7,X7,X7 | ;\n ADD X7,X7,X1 | ;\n LDXR X5,[X7] | ;\n"
        " STXR W6,X9,[X7] | ;", 3,
    ),
    "an exchange and a store to a half": (" SWPAL X9,X5,[X1] | STR W9,[X1] ;\n | LDR X0,[X1] ;", 4),
    # The later load does not have the own half and an old one, where the earlier has seen the other's store.
    "a half that is read, stored and read with the other half": (
        " LDR W0,[X1] | STR X9,[X1] ;\n STR W9,[X1] | ;\n LDR X5,[X1] | ;", 5,
    ),
    "a half that is exchanged, and a load of both, as qspinlock does": (
        " SWP W9,W0,[X1] | STR X9,[X1] ;\n LDR X5,[X1] | ;", 3,
    ),
    "a sum and a load of its upper half": (" LDADD X9,X5,[X1] | LDR W0,[X1,#4] ;", 2),
}  # fmt: skip


def by(engine: str, text: str, model: str) -> Outcomes:
    return outcomes_by(engine, read(text, "t.litmus"), find(model), ExploreOptions(model=model))


@pytest.mark.parametrize("form", FORMS)
def test_each_execution_once(form: str) -> None:
    code, count = FORMS[form]
    text = f"AArch64 t\n{{ {STATE} }}\n P0 | P1 ;\n{code}\nlocations [x; y;]\nexists (x=0)"
    fast, slow = by(EXPLORE, text, "armv8"), by(ENUMERATE, text, "armv8")
    assert (fast.engine, fast.executions) == ("explore", count)
    assert (fast.states, fast.executions, fast.blocked) == (slow.states, slow.executions, slow.blocked)


#: Two words and the pair of them: the last writes of both words are of one store, where stores are whole.
FINAL = """PPC final
{ uint64_t x; 0:r1=x; 1:r1=x; 0:r2=0x100000001; 1:r2=0x200000002; 2:r1=x; 2:r2=0x300000003; }
 P0           | P1           | P2            ;
 std r2,0(r1) | std r2,0(r1) | lwz r3,0(r1)  ;
exists (x=0x100000002)
"""
#: A third store may cover two that are torn.
COVERED = """PPC covered
{ uint64_t x; 0:r1=x; 1:r1=x; 0:r2=0x100000001; 1:r2=0x200000002; 2:r1=x; 2:r2=0x300000003; 3:r1=x; }
 P0           | P1           | P2            | P3           ;
 std r2,0(r1) | std r2,0(r1) | std r2,0(r1)  | lwz r3,0(r1) ;
exists (x=0x100000002)
"""


def test_what_a_model_says_of_final_states_is_asked_at_the_end() -> None:
    """Of the four orders of the two words two are torn: they are dead ends, and in a part they are not, since another
    store might still cover both."""
    model, options = find("power"), ExploreOptions(model="power")
    prepared, engine = begin(read(FINAL, "t.litmus"), model, options)
    assert prepared is not None
    settings = native.native_settings(prepared, model, engine, options, 0)
    assert settings["pieces"] is True and "at_end" in settings
    results = native.run(prepared, model, engine, options).results
    assert (results.executions, results.dead_ends) == (6, 6)
    fast, slow = by(EXPLORE, FINAL, "power"), by(ENUMERATE, FINAL, "power")
    assert fast.holds is False and (fast.states, fast.executions) == (slow.states, slow.executions)
    assert by(EXPLORE, COVERED, "power").executions == by(ENUMERATE, COVERED, "power").executions > 24


AMO = """RISCV amo
{ uint32_t x; uint32_t 0:x7; 0:x5=x; 0:x6=0x10001; 1:x5=x; }
 P0                         | P1            ;
 amoswap.w.%s x7,x6,(x5) | lhu x6,2(x5)  ;
                            | ori x7,x6,2   ;
                            | sh x7,0(x5)   ;
exists (0:x7=3 /\\ 1:x6=1)
"""


@pytest.mark.parametrize("mode", ["rl", "aq.rl"])
def test_modes_order_no_piece_after_another_of_its_access(mode: str) -> None:
    """The first half reads what was written after another thread saw the second: no program order holds in between."""
    fast, slow = by(EXPLORE, AMO % mode, "riscv"), by(ENUMERATE, AMO % mode, "riscv")
    assert fast.engine == "explore" and fast.holds is True
    assert (fast.states, fast.executions) == (slow.states, slow.executions) and fast.executions == 4


UNION = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {{ _Atomic uint64_t whole; _Atomic uint32_t half[2]; }} u;
static void *writer(void *p) {{ atomic_store_explicit(&u.whole, 0x100000001, memory_order_relaxed); return 0; }}
static void *reader(void *p) {{
  uint32_t a = atomic_load_explicit(&u.half[0], memory_order_{first});
  uint32_t b = atomic_load_explicit(&u.half[1], memory_order_relaxed);
  assert(!(a == 1 && b == 0));
  return 0;
}}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}}
"""


@pytest.mark.parametrize(
    ("model", "first", "answer"),
    [
        ("armv8", "acquire", Answer.PASS), ("armv8", "relaxed", Answer.FAIL),
        ("power", "acquire", Answer.FAIL), ("riscv", "acquire", Answer.FAIL),
    ],
)  # fmt: skip
def test_halves_of_a_union(model: str, first: str, answer: Answer, tmp_path: Path) -> None:
    """ARM keeps a store whole for whoever reads its halves in order; the models of POWER and RISC-V do not say so."""
    (tmp_path / "u.c").write_text(UNION.format(first=first))
    verdict = check(tmp_path / "u.c", model=model)
    assert verdict.answer is answer
    assert verdict.extra.get("engine", "explore") == "explore"
    if answer is Answer.FAIL:
        assert verdict.witness is not None and verdict.witness.model == f"{model}@mixed"


TORN = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union { _Atomic uint64_t whole; _Atomic uint32_t half[2]; } u;
#define LOAD(k) atomic_load_explicit(&u.half[k], memory_order_relaxed)
static void *store(void *p) { atomic_store_explicit(&u.whole, (uint64_t)p, memory_order_relaxed); return 0; }
static void *reader(void *p) {
  uint32_t a = LOAD(0), b = LOAD(0), c = LOAD(1), d = LOAD(1);
  assert(!(a == 1 && b == 2 && c == 2 && d == 1));
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, store, (void *)0x100000001);
  pthread_create(&b, 0, store, (void *)0x200000002);
  pthread_create(&c, 0, reader, 0);
  pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
}
"""


@pytest.mark.parametrize("model", ["power", "riscv", "armv7"])
def test_an_error_amid_torn_stores_is_told_only_where_they_may_be(model: str, tmp_path: Path) -> None:
    """The reader sees both halves change, in opposite orders: no execution ends so, but a part of one looks so."""
    (tmp_path / "torn.c").write_text(TORN)
    verdict = check(tmp_path / "torn.c", model=model, fix=False)
    assert verdict.answer is Answer.PASS and verdict.extra["dead_ends"]


SEQLOCK = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static _Atomic unsigned seq;
static union { _Atomic uint64_t word[2]; _Atomic uint32_t half[4]; } data;
static void *writer(void *p) {
  atomic_store_explicit(&seq, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&data.word[0], 0x100000001, memory_order_relaxed);
  atomic_store_explicit(&data.word[1], 0x100000001, memory_order_relaxed);
  atomic_store_explicit(&seq, 2, memory_order_release);
  return 0;
}
static void *reader(void *p) {
  unsigned s = atomic_load_explicit(&seq, memory_order_acquire);
  uint32_t a = atomic_load_explicit(&data.half[0], memory_order_relaxed);
  uint32_t b = atomic_load_explicit(&data.half[1], memory_order_relaxed);
  uint32_t c = atomic_load_explicit(&data.half[2], memory_order_relaxed);
  uint32_t d = atomic_load_explicit(&data.half[3], memory_order_relaxed);
#ifndef NO_FENCE
  atomic_thread_fence(memory_order_acquire);
#endif
  if (!(s & 1) && s == atomic_load_explicit(&seq, memory_order_relaxed)) assert(a == b && b == c && c == d);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0); pthread_join(b, 0);
}
"""


@pytest.mark.parametrize("model", ["armv8", "power", "riscv", "armv7"])
@pytest.mark.parametrize("fenced", [True, False])
def test_a_seqlock_whose_reader_copies_by_halves(model: str, fenced: bool, tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SEQLOCK if fenced else "#define NO_FENCE\n" + SEQLOCK)
    verdict = check(tmp_path / "s.c", model=model)
    assert verdict.answer is (Answer.PASS if fenced else Answer.FAIL)


def test_what_cannot_be_split_is_named(tmp_path: Path) -> None:
    """A compare-exchange of a word, of which another thread reads a half: no guess is made."""
    stored = "atomic_store_explicit(&u.whole, 0x100000001, memory_order_relaxed);"
    exchanged = "uint64_t e = 0; atomic_compare_exchange_strong(&u.whole, &e, 0x100000001);"
    text = UNION.format(first="acquire")
    assert stored in text
    (tmp_path / "u.c").write_text(text.replace(stored, exchanged))
    verdict = check(tmp_path / "u.c", model="armv8")
    assert verdict.answer is Answer.UNKNOWN and "in parts" in verdict.reason


def test_plain_accesses_of_c_are_cut_as_they_run(tmp_path: Path) -> None:
    """A struct that is cleared by words has no pieces: its atomics are whole, and the judge of the model stays."""
    text = UNION.format(first="acquire").replace("_Atomic uint64_t whole", "uint64_t whole")
    text = text.replace("atomic_store_explicit(&u.whole, 0x100000001, memory_order_relaxed)", "u.whole = 0x100000001")
    (tmp_path / "u.c").write_text(text)
    model, options = find("armv8"), ExploreOptions(model="armv8")
    prepared, _ = begin(read_file(tmp_path / "u.c"), model, options)
    assert prepared is not None and prepared.split is None and prepared.program.cuts


PAIR = """program "pair" arch={arch}
global x size=8 align=8

function P0() registers(%r, %fine) {{
  %r = load &x size=4
  %fine = compute (%r, 3) op=ne
  assert %fine message="not the pair's"
  return _
}}

function P1() registers(%r, %done) {{
{first}  %r = load &x exclusive=true
  %done = store_conditional &x, 12884901891
  return _
}}

thread P0 = P0()
thread P1 = P1()
"""


@pytest.mark.parametrize(
    ("model", "arch"), [("armv8", "aarch64"), ("armv7", "arm"), ("power", "ppc"), ("riscv", "riscv")]
)
@pytest.mark.parametrize("first", ["", "  store &x, 2 size=4\n"])
def test_an_error_behind_an_exclusive_pair_is_told(model: str, arch: str, first: str, tmp_path: Path) -> None:
    """The events of the two halves of the load do not have numbers in a row when it is run again."""
    (tmp_path / "pair.fpir").write_text(PAIR.format(arch=arch, first=first))
    verdict = check(tmp_path / "pair.fpir", model=model)
    assert verdict.answer is Answer.FAIL and verdict.errors[0].message == "not the pair's"


AMID = """program "amid" arch=aarch64
global x size=8 align=8

function P0() registers(%r, %fine) {{
  %r = load &x{order}
  %fine = compute (%r, 3) op=ne
  assert %fine message="torn"
  return _
}}

function P1() registers(%r, %done) {{
  %r = load &x exclusive=true
  %done = store_conditional &x, 12884901891
  return _
}}

function P2() registers(%r) {{
  %r = load &x+4 size=4
  return _
}}

thread P0 = P0()
thread P1 = P1()
thread P2 = P2()
"""


@pytest.mark.parametrize(("order", "answer"), [("", Answer.PASS), (" size=4", Answer.FAIL)])
def test_no_error_is_seen_amid_the_pieces_of_a_store(order: str, answer: Answer, tmp_path: Path) -> None:
    """While the other pieces of a store are still to come, a load may be torn: that execution has no end."""
    (tmp_path / "amid.fpir").write_text(AMID.format(order=order + " mode=acq"))
    verdict = check(tmp_path / "amid.fpir", model="armv8")
    slow = check_by_enumeration(read_file(tmp_path / "amid.fpir"), find("armv8"), CheckOptions(model="armv8"))
    assert verdict.answer is slow.answer is answer


@pytest.mark.parametrize(
    ("access", "said"),
    [
        (
            "CAS X5,X9,[X1]",
            "a compare-exchange of mixed size, of which each piece is written only if all are as expected",
        ),
        ("LDSMAX X9,X5,[X1]", "a minimum or maximum of mixed size, of which a piece is written only if"),
    ],
)
def test_what_cannot_be_in_pieces_is_named_with_its_reason(access: str, said: str) -> None:
    text = f"AArch64 t\n{{ {STATE} }}\n P0 | P1 ;\n {access} | STR W9,[X1,#4] ;\nexists (x=0)"
    with pytest.raises(UnsupportedError, match=said):
        by(EXPLORE, text, "armv8")
