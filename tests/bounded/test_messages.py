"""The bounded search under release/acquire and RC11: messages and views instead of contexts."""

from __future__ import annotations

from pathlib import Path

import pytest
from messages_agreement import SHAPES, disagreement, programs

from fencepost import api
from fencepost.errors import UnsupportedError, UsageError
from fencepost.frontends.pseudo import read
from fencepost.reasons import Code
from fencepost.verdict import Answer, ExitCode

MODELS = tuple(SHAPES)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", range(103, 109))
def test_random_programs_end_as_when_explored(model: str, seed: int) -> None:
    for _, program in programs(model, range(seed, seed + 1)):
        try:
            assert disagreement(program, model) is None
        except UnsupportedError as cannot:
            pytest.skip(str(cannot))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_many_random_programs(model: str) -> None:
    for seed, program in programs(model, range(5000, 6500)):
        try:
            assert disagreement(program, model) is None, seed
        except UnsupportedError:
            continue


LITMUS = {
    "MP": ("x.rlx := 1; y.rel := 1", "a := y.acq; b := x.rlx", "a == 1 && b == 0"),
    "MP, relaxed": ("x.rlx := 1; y.rlx := 1", "a := y.rlx; b := x.rlx", "a == 1 && b == 0"),
    "MP, fences": ("x.rlx := 1; fence.rel; y.rlx := 1", "a := y.rlx; fence.acq; b := x.rlx", "a == 1 && b == 0"),
    "MP, a release sequence": (
        "x.rlx := 1; y.rel := 1; y.rlx := 2", "a := y.acq; b := x.rlx", "a == 2 && b == 0"
    ),
    "MP, an update": ("x.rlx := 1; y.rel := 1", "c := FADD(y, 1); a := y.acq; b := x.rlx", "a == 2 && b == 0"),
    "SB": ("x.rel := 1; a := y.acq", "y.rel := 1; b := x.acq", "a == 0 && b == 0"),
    "SB, fences": ("x.rlx := 1; fence.sc; a := y.rlx", "y.rlx := 1; fence.sc; b := x.rlx", "a == 0 && b == 0"),
    "SB, one fence": ("x.rlx := 1; fence.sc; a := y.rlx", "y.rlx := 1; b := x.rlx", "a == 0 && b == 0"),
    "LB": ("a := x.rlx; y.rlx := 1", "b := y.rlx; x.rlx := 1", "a == 1 && b == 1"),
    "CoRR": ("x.rlx := 1; x.rlx := 2", "a := x.rlx; b := x.rlx", "a == 2 && b == 1"),
    "two updates": ("a := FADD(x, 1)", "b := FADD(x, 1)", "a == b"),
    "2+2W": ("x.rel := 1; y.rel := 2", "y.rel := 1; x.rel := 2; a := 0; b := 0", "x == 1 && y == 1"),
}  # fmt: skip
#: What the model allows.
ALLOWED = {
    "ra": {"SB", "SB, one fence", "2+2W"},
    "rc11": {"MP, relaxed", "SB", "SB, one fence", "2+2W"},
    "rc11-cpp20": {"MP, relaxed", "MP, a release sequence", "SB", "SB, one fence", "2+2W"},
}


def litmus(name: str) -> str:
    one, two, asked = LITMUS[name]
    for register, thread in (("a", "P" if "a :=" in one else "Q"), ("b", "Q")):
        asked = asked.replace(f"{register} =", f"{thread}:{register} =").replace(f"== {register}", f"== Q:{register}")
    return f"var x, y\nthread P {{ {one} }}\nthread Q {{ {two} }}\nexists ({asked})\n"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", LITMUS)
def test_litmus(model: str, name: str) -> None:
    program = read(litmus(name), "test.fp")
    verdict = api.bounded(program, model=model)
    assert (verdict.answer is Answer.PASS) == (name in ALLOWED[model]), verdict.reason
    assert api.outcomes(program, model=model).holds == (name in ALLOWED[model])


def test_the_bound_is_that_of_the_loops() -> None:
    text = "var x\nthread P { while x < 3 { r := FADD(x, 1) } }\nthread Q { y := x; assert(y <= 4) }\n"
    verdict = api.bounded(read(text, "test.fp"), model="ra", unroll=2)
    assert verdict.answer is Answer.BOUNDED and verdict.exit_code == ExitCode.UNKNOWN
    assert verdict.reason == "PASS within loop bound 2" and "contexts" not in verdict.extra
    assert [r.code for r in verdict.reasons] == [Code.BOUND]


def test_a_violation_is_a_story_of_its_model() -> None:
    program = read(litmus("MP, relaxed").replace("exists", "~exists"), "test.fp")
    verdict = api.bounded(program, model="rc11")
    assert verdict.answer is Answer.FAIL and verdict.witness is not None and verdict.witness.model == "rc11"
    assert verdict.reason.endswith("(within loop bound 4)")
    assert {e.address for e in verdict.witness.execution.events if e.value == 1} != set()


def test_values_of_a_whole_type(tmp_path: Path) -> None:
    source = tmp_path / "any.c"
    source.write_text("""#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int __VERIFIER_nondet_int(void);
atomic_int seq, a, b;
void *writer(void *z) {
  unsigned given = (unsigned)__VERIFIER_nondet_int();
  atomic_store_explicit(&a, (int)given, memory_order_relaxed);
  atomic_store_explicit(&b, (int)(given ^ 0x5a5au), memory_order_relaxed);
  atomic_store_explicit(&seq, 1, memory_order_release);
  return z;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, writer, NULL);
  if (atomic_load_explicit(&seq, memory_order_acquire)) {
    unsigned p = (unsigned)atomic_load_explicit(&a, memory_order_relaxed);
    unsigned q = (unsigned)atomic_load_explicit(&b, memory_order_relaxed);
    assert(q == (p ^ 0x5a5au));
#ifdef BAD
    assert(p != 1000000u);
#endif
  }
  pthread_join(t, NULL);
}
""")
    assert api.bounded(source, model="rc11").answer is Answer.BOUNDED
    bad = api.bounded(source, model="rc11", flags=("-DBAD",))
    assert bad.answer is Answer.FAIL and bad.witness is not None
    assert 1000000 in {e.value for e in bad.witness.execution.events}


COUNTER = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int n;
void *t(void *z) { %s return z; }
int main(void) {
  pthread_t p, q;
  pthread_create(&p, NULL, t, NULL);
  pthread_create(&q, NULL, t, NULL);
  pthread_join(p, NULL);
  pthread_join(q, NULL);
  assert(atomic_load_explicit(&n, memory_order_relaxed) == 2);
}
"""
ADDED = "atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);"
LOST = "int v = atomic_load_explicit(&n, memory_order_relaxed); atomic_store_explicit(&n, v + 1, memory_order_relaxed);"


@pytest.mark.parametrize("model", MODELS)
def test_what_main_sees_after_the_join(tmp_path: Path, model: str) -> None:
    source = tmp_path / "counter.c"
    source.write_text(COUNTER % ADDED)
    assert api.bounded(source, model=model).answer is Answer.BOUNDED
    source.write_text(COUNTER % LOST)
    assert api.bounded(source, model=model).answer is Answer.FAIL


def test_seq_cst_accesses_are_refused_by_their_place() -> None:
    verdict = api.bounded(read("var x\nthread P { x.sc := 1 }\n", "test.fp"), model="rc11")
    assert verdict.answer is Answer.UNKNOWN
    assert "the seq-cst access at test.fp:2:12 has no place in the bounded search under rc11" in verdict.reason
    assert api.bounded(read("var x\nthread P { x.sc := 1 }\n", "test.fp"), model="ra").answer is Answer.BOUNDED


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "sc"}, "--model sc: bounded takes power, ra, rc11, rc11-cpp20"),
        ({"model": "ra", "backend": "cbmc"}, "--backend cbmc: only with --model power"),
        ({"model": "ra", "machine": "paper"}, "--machine paper: only with --model power"),
        ({"model": "rc11", "contexts": "auto"}, "--contexts auto: only with --model power"),
    ],
)
def test_wrong_options(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        api.bounded(read("var x\nthread P { x := 1 }\n", "test.fp"), **given)
    with pytest.raises(UsageError, match="only the translation for power"):
        api.bounded_translation(read("var x\nthread P { x := 1 }\n", "test.fp"), model="ra")
