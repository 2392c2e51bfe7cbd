"""Bounded checking from a file to a verdict: the papers' programs, C, emitted code, limits, refusals."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fencepost import api
from fencepost.bounded.prepare import prepare
from fencepost.errors import UnsupportedError, UsageError
from fencepost.frontends.pseudo import read
from fencepost.program.instructions import Fence, Load, Store
from fencepost.program.program import Function
from fencepost.program.reader import read_program
from fencepost.reasons import Code
from fencepost.report.html import render
from fencepost.report.text import render as render_text
from fencepost.verdict import Answer, ExitCode

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "examples" / "papers"
BENCHMARKS = ROOT / "benchmarks" / "bounded"


def fp(text: str) -> object:
    return read(text, "test.fp")


# --- verdicts


def test_message_passing_fails_in_three_contexts() -> None:
    verdict = api.bounded(PAPERS / "power2sc-fig3.fp", contexts="1..4")
    assert verdict.answer is Answer.FAIL
    assert verdict.extra["contexts"] == 3
    assert "within 3 contexts and loop bound 4" in verdict.reason


SYNCS = (
    "var x, y\nthread p1 { x := 1; sync; r := y }\nthread p2 { y := 1; sync; r := x }\n"
    "~exists (p1:r == 0 && p2:r == 0)\n"
)


def test_a_pass_states_its_bounds() -> None:
    verdict = api.bounded(fp(SYNCS), contexts="4", unroll=7)
    assert verdict.answer is Answer.BOUNDED and verdict.exit_code == ExitCode.UNKNOWN
    assert verdict.reason == "PASS within 4 contexts and loop bound 7"
    assert [r.code for r in verdict.reasons] == [Code.BOUND]
    assert api.bounded(fp(SYNCS), contexts="2", accept_bounds=True).exit_code == ExitCode.PASS


LOCKS = "mutex m\nthread P { lock(m); %s unlock(m) }\n"
LOCAL = """#include <pthread.h>
#include <stddef.h>
void *p(void *z) { pthread_mutex_t m; pthread_mutex_init(&m, NULL); pthread_mutex_lock(&m); %s return NULL; }
int main(void) { pthread_t t; pthread_create(&t, NULL, p, NULL); pthread_join(t, NULL); return 0; }
"""


def test_no_pass_where_threads_wait_for_ever(tmp_path: Path) -> None:
    """A mutex that is locked twice, seen by others or local: no run ends, and that is said with the place."""
    (tmp_path / "local.c").write_text(LOCAL % "pthread_mutex_lock(&m);")
    twice = [
        fp(LOCKS % "lock(m);"),
        tmp_path / "local.c",
        fp("var x\nthread P { wait(x == 1) }\nthread Q { x := 2 }\n"),
    ]
    for program in twice:
        verdict = api.bounded(program, contexts="2")
        assert verdict.answer is Answer.UNKNOWN
        assert [r.code for r in verdict.reasons] == [Code.NOT_PROVED] and verdict.reasons[0].at is not None
    (tmp_path / "local.c").write_text(LOCAL % "pthread_mutex_unlock(&m);")
    for ends in (fp(LOCKS % ""), tmp_path / "local.c"):
        assert api.bounded(ends, contexts="2").answer is Answer.BOUNDED


def test_waits_are_not_asked_for_their_end_and_that_is_said() -> None:
    crossed = "mutex m, n\nthread P { lock(m); lock(n); unlock(n); unlock(m) }\n"
    crossed += "thread Q { lock(n); lock(m); unlock(m); unlock(n) }"
    assert "deadlocks" in api.bounded(fp(crossed), contexts="3").warnings[0]
    assert api.bounded(fp(SYNCS), contexts="2").warnings == ()


@pytest.mark.parametrize("between", ["lwsync", "release"])
def test_fences_hold_back_what_overtakes(between: str) -> None:
    """Two writes in opposite orders: the axioms forbid it, and so does our machine; the paper's does not."""
    first, second = ("x := 2; lwsync; y := 1", "y := 2; lwsync; x := 1")
    if between == "release":
        first, second = ("x := 2; y.rel := 1", "y := 2; x.rel := 1")
    text = f"var x, y\nthread P {{ {first} }}\nthread Q {{ {second} }}\n~exists (x == 2 && y == 2)"
    for contexts in ("4", "5"):
        assert api.bounded(fp(text), contexts=contexts).answer is Answer.BOUNDED
    assert api.bounded(fp(text), contexts="4", machine="paper").answer is Answer.FAIL
    assert api.check(fp(text), model="power").answer is Answer.PASS


def test_no_pass_where_assumptions_exclude_every_run() -> None:
    """Fig. 8 assumes in each thread what syncs make impossible in both: nothing is left to be checked."""
    verdict = api.bounded(PAPERS / "power2sc-fig8.fp", contexts="4")
    assert verdict.answer is Answer.UNKNOWN
    assert [r.code for r in verdict.reasons] == [Code.ASSUMPTIONS]
    never = "var x\nthread P { r := x; assume(r == 7); assert(r == 0) }\n"
    assert api.bounded(fp(never), contexts="2").answer is Answer.UNKNOWN
    some = "var x\nthread P { r := x; assume(r == 1); assert(r == 1) }\nthread Q { x := 1 }\n"
    assert api.bounded(fp(some), contexts="3").answer is Answer.BOUNDED


def test_a_state_that_exists_is_reached() -> None:
    verdict = api.bounded(PAPERS / "power2sc-fig8-lwsync.fp", contexts="3")
    assert verdict.answer is Answer.PASS
    assert verdict.extra["reachable"] is True
    assert verdict.witness is not None


def test_a_state_that_was_not_found_is_not_refuted() -> None:
    verdict = api.bounded(PAPERS / "power2sc-fig8-lwsync.fp", contexts="2")
    assert verdict.answer is Answer.UNKNOWN
    assert "within 2 contexts" in verdict.reason


def test_progress_tells_every_bound() -> None:
    seen: list[tuple[int, bool | None]] = []
    api.bounded(PAPERS / "power2sc-fig3.fp", contexts="1..4", progress=lambda p: seen.append((p.contexts, p.found)))
    assert seen == [(1, False), (2, False), (3, True)]


@pytest.mark.parametrize("backend", ["smt", "z3", "cbmc"])
def test_back_ends_agree(backend: str) -> None:
    if backend == "z3":
        pytest.importorskip("z3")
    if backend == "cbmc" and shutil.which("cbmc") is None:
        pytest.skip("cbmc is not on PATH")
    found = api.bounded(PAPERS / "power2sc-fig3.fp", contexts="3", backend=backend)
    nothing = api.bounded(fp(SYNCS), contexts="3", backend=backend)
    assert (found.answer, nothing.answer) == (Answer.FAIL, Answer.BOUNDED)


def test_loops_stop_at_their_bound() -> None:
    text = "var x\nthread P { for i in 1..5 { x := i } }\nthread Q { r := x; assert(r < 5) }"
    assert api.bounded(fp(text), contexts="2", unroll=3).answer is Answer.BOUNDED
    assert api.bounded(fp(text), contexts="2", unroll=4).answer is Answer.FAIL


def test_waiting_needs_no_bound() -> None:
    text = "var x\nthread P { x := 1 }\nthread Q { while x == 0 { skip }; assert(0) }"
    assert api.bounded(fp(text), contexts="2", unroll=1).answer is Answer.FAIL


def test_computed_addresses_order_later_commits() -> None:
    text = "var x, y, z[2]\nthread P { a := x; z[a & 1] := 1; y := 1 }\nthread Q { b := y; x := b }\nexists (P:a == 1)"
    assert api.bounded(fp(text), contexts="5").extra["reachable"] is False


def test_an_increment_is_atomic() -> None:
    text = "var x\nthread P { FADD(x, 1) }\nthread Q { FADD(x, 1) }\nforall (x == 2)"
    assert api.bounded(fp(text), contexts="5").answer is Answer.BOUNDED


def test_a_lock_protects_on_power() -> None:
    text = "var x\nmutex m\nthread P(i in 1..2) { lock(m); a := x; x := a + 1; unlock(m) }\nforall (x == 2)"
    assert api.bounded(fp(text), contexts="4").answer is Answer.BOUNDED


@pytest.mark.parametrize(
    ("program", "reachable"),
    [
        ("thread P { x := 1; eieio; y := 1 }\nthread Q { a := y; sync; b := x }\nexists (Q:a == 1 && Q:b == 0)", False),
        ("thread P { x := 1; eieio; y := 1 }\nthread Q { a := y; b := x }\nexists (Q:a == 1 && Q:b == 0)", True),
        ("thread P { a := x; eieio; y := 1 }\nthread Q { b := y; sync; x := 1 }\nexists (P:a == 1 && Q:b == 1)", True),
        ("thread P { x := 1; eieio; a := y }\nthread Q { y := 1; sync; b := x }\nexists (P:a == 0 && Q:b == 0)", True),
    ],
)
def test_eieio_orders_writes_and_nothing_else(program: str, reachable: bool) -> None:
    assert api.bounded(fp(f"var x, y\n{program}"), contexts="4").extra["reachable"] is reachable


def test_the_time_limit_gives_unknown() -> None:
    verdict = api.bounded(BENCHMARKS / "lamport-safe.c", contexts="3", unroll=8, time_limit=0.5)
    assert verdict.answer is Answer.UNKNOWN
    assert "0.5 s" in verdict.reason


@pytest.mark.parametrize(
    ("option", "value"),
    [("contexts", "0"), ("contexts", "3..2"), ("contexts", "many"), ("unroll", 0), ("backend", "spin")],
)
def test_senseless_options_are_refused(option: str, value: object) -> None:
    with pytest.raises(UsageError, match=option):
        api.bounded(PAPERS / "power2sc-fig3.fp", **{option: value})


# --- the witness


def test_the_run_is_told_step_by_step() -> None:
    witness = api.bounded(PAPERS / "power2sc-fig3.fp", contexts="3").witness
    assert witness is not None
    texts = [step.text for step in witness.run]
    assert texts[0].startswith("context 1: fetch ")
    order = [texts.index(t) for t in texts if re.search(r"propagate write . := 1 to p2", t)]
    assert len(order) == 2, "both writes should be propagated"
    assert {text.split(":")[0] for text in texts} == {"context 1", "context 2", "context 3"}
    assert witness.execution.reads_from and witness.execution.coherence


def test_the_page_draws_contexts_by_processes() -> None:
    page = render(api.bounded(PAPERS / "power2sc-fig3.fp", contexts="3"))
    rows = re.findall(r"<tr><th>(\w+)</th>(.*?)</tr>", page, re.DOTALL)
    assert [row[0] for row in rows] == ["context", "1", "2", "3"]
    assert ["<li" in cell for _, cells in rows[1:] for cell in re.findall(r"<td>(.*?)</td>", cells, re.DOTALL)] == [
        True, False, False, True, True, False,
    ]  # fmt: skip


# --- C


@pytest.mark.parametrize(
    ("name", "contexts"),
    [
        ("burns", 3),
        ("dekker", 2),
        ("fib_bench", 6),
        ("peterson", 3),
        ("pgsql", 2),
        ("pgsql_bnd", 2),
        ("simple_dekker", 2),
    ],
)
def test_programs_of_the_tables(name: str, contexts: int) -> None:
    def answer(kind: str, k: int) -> Answer:
        return api.bounded(BENCHMARKS / f"{name}-{kind}.c", contexts=str(k), unroll=3).answer

    assert answer("unsafe", contexts - 1) is Answer.BOUNDED
    assert answer("unsafe", contexts) is Answer.FAIL
    assert answer("safe", contexts) is Answer.BOUNDED


# --- the translation as text


def test_the_translation_is_a_program() -> None:
    text = api.bounded_translation(PAPERS / "power2sc-fig3.fp", contexts="3")
    program = read_program(text, "translated")
    assert [t.name for t in program.threads] == ["main"]


def test_the_translation_grows_with_the_square_of_the_contexts_at_most() -> None:
    sizes = [api.bounded_translation(PAPERS / "power2sc-fig3.fp", contexts=str(k)).count("\n") for k in (2, 4, 8)]
    assert sizes[2] < 4 * sizes[1] < 16 * sizes[0]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("form", ["c", "paper"])
@pytest.mark.parametrize("source", ["examples/papers/power2sc-fig3.fp", "benchmarks/bounded/peterson-safe.c"])
def test_emitted_c_compiles_without_warnings(compiler: str, form: str, source: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not on PATH")
    file = tmp_path / "translated.c"
    file.write_text(api.bounded_translation(ROOT / source, form=form, contexts="3", unroll=2))
    command = [compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "-o", str(tmp_path / "out.o"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]


def test_the_papers_form_has_the_papers_processes_and_statements() -> None:
    text = api.bounded_translation(PAPERS / "power2sc-fig3.fp", form="paper", contexts="4")
    assert "#define K 4\n" in text
    assert re.findall(r"/\* --- (Algorithm \d+|process \d)", text) == [
        *(f"Algorithm {n}" for n in range(6, 16)), "process 0", "process 1",
    ]  # fmt: skip
    calls = re.findall(r"^ {4}(write|read|write_at|read_at|sync_|lwsync_|isync_)\(", text, flags=re.MULTILINE)
    assert len(calls) == sum(isinstance(i, Load | Store | Fence) for f in _prepared("power2sc-fig3.fp") for i in f.code)


def _prepared(name: str) -> tuple[Function, ...]:
    return prepare(api.read(PAPERS / name), 4).program.functions


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("var x\nthread A { r := FADD(x, 1); assert(r == 0) }\n", "no read-modify-writes"),
        ("var x\nthread A { x := 1 }\nexists x == 1\n", "write the final condition as one"),
    ],
)
def test_what_the_papers_language_lacks_is_refused(source: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        api.bounded_translation(source, form="paper", contexts="2")


@pytest.mark.slow
@pytest.mark.parametrize(("contexts", "answer"), [("2", "SUCCESSFUL"), ("3", "FAILED")])
def test_cbmc_finds_message_passing_within_three_contexts(contexts: str, answer: str, tmp_path: Path) -> None:
    if shutil.which("cbmc") is None:
        pytest.skip("cbmc is not on PATH")
    file = tmp_path / "mp.c"
    source = "var x, y\nthread A { x := 1; y := 1 }\nthread B { r := y; s := x; assert(r == 0 || s == 1) }\n"
    file.write_text(api.bounded_translation(source, form="paper", contexts=contexts))
    command = ["cbmc", "--unwind", "14", "--no-unwinding-assertions", str(file)]
    assert subprocess.run(command, capture_output=True, text=True).stdout.rstrip().endswith(f"VERIFICATION {answer}")


def test_emitted_c_has_no_pointer_and_no_loop() -> None:
    text = api.bounded_translation(PAPERS / "power2sc-fig3.fp", form="c", contexts="3")
    body = re.sub(r"/\*.*?\*/", "", text.split("int main")[1], flags=re.DOTALL)
    assert not re.search(r"\*|\[|&(?!\s*\d)|while|for", body)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("r := x; s := 1 / (r - 1)", "division"),
        ("r := x; s := choose(0..r)", "choice"),
        ("atomic { x := 1 }", "atomic"),
    ],
)
def test_refusals_say_why(statement: str, reason: str) -> None:
    verdict = api.bounded(fp(f"var x = 1\nthread P {{ {statement} }}\nthread Q {{ x := 2 }}\nobserve x"), contexts="2")
    assert verdict.answer is Answer.UNKNOWN
    assert reason in verdict.reason


# --- main beside its threads


SHARING = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
volatile int x, y;
void *writer(void *unused) { x = 1; FENCE y = 1; END }
int main(void)
{
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  int flag = y;
  FENCE
  int data = x;
  assert(!flag || data);
  pthread_join(thread, 0);
  AFTER
  return 0;
}
"""


def sharing(tmp_path: Path, fence: str = "", end: str = "return 0;", after: str = "") -> Path:
    path = tmp_path / "sharing.c"
    path.write_text(SHARING.replace("FENCE", fence).replace("END", end).replace("AFTER", after))
    return path


@pytest.mark.parametrize("end", ["return 0;", "exit(0);"])
def test_main_is_a_process_where_it_shares_memory_with_its_threads(tmp_path: Path, end: str) -> None:
    found = api.bounded(sharing(tmp_path, end=end), contexts="1..3")
    assert found.answer is Answer.FAIL and found.extra["contexts"] == 3
    fenced = api.bounded(sharing(tmp_path, "__sync_synchronize();", end), contexts="3")
    assert fenced.answer is Answer.BOUNDED


def test_main_goes_on_after_a_join_with_what_it_has_read(tmp_path: Path) -> None:
    seen = "assert(x == 1 && (!flag || data || y == 0));"
    found = api.bounded(sharing(tmp_path, after=seen).with_suffix(".c"), contexts="3")
    assert found.answer is Answer.FAIL
    after = sharing(tmp_path, after="assert(x == 1 && y == 1);")
    after.write_text(after.read_text().replace("assert(!flag || data);", ""))
    assert api.bounded(after, contexts="4").answer is Answer.BOUNDED


HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
volatile int x, y;
"""
START = "int main(void) { pthread_t a, b; pthread_create(&a, 0, p, 0); pthread_create(&b, 0, q, 0); "


@pytest.mark.parametrize(
    ("text", "answer", "contexts"),
    [
        # what a thread returns
        ("void *p(void *z) { x = 1; return (void *)(long)y; } void *q(void *z) { y = 1; return (void *)(long)x; }\n"
         + START + "void *r, *s; pthread_join(a, &r); pthread_join(b, &s); assert(r || s); }", Answer.FAIL, 3),
        # one thread is joined, the other may run on; it need not even end
        ("void *p(void *z) { x = 1; return 0; } void *q(void *z) { while (!y) {} return 0; }\n"
         + START + "pthread_join(a, 0); assert(x == 0); pthread_join(b, 0); }", Answer.FAIL, 1),
        # arguments that main goes on writing while threads run, but not those that they look at
        ("int n[2], sum; void *p(void *z) { sum = sum + *(int *)z; return 0; }\n"
         "int main(void) { pthread_t t[2];"
         " for (int i = 0; i < 2; i++) { n[i] = i + 1; pthread_create(&t[i], 0, p, &n[i]); }"
         " for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(sum != 1 && sum != 2); }", Answer.FAIL, 2),
        # heap memory of a thread
        ("int *volatile m; void *p(void *z) { int *l = malloc(4); *l = 7; m = l; return 0; }\n"
         "void *q(void *z) { int *l = m; if (l) assert(*l == 7); return 0; }" + START + "}", Answer.FAIL, 3),
        # local memory: an array, and one whose place is computed
        ("void *p(void *z) { int l[3] = {1, 2, 3}; l[x & 1] = 5; y = l[0] + l[1] + l[2]; return 0; }\n"
         "void *q(void *z) { x = 1; int r = y; assert(r == 0 || r == 10); return 0; }" + START + "}", Answer.FAIL, 3),
        # thread-local memory
        ("_Thread_local int t = 3; void *p(void *z) { t++; x = t; return 0; }\n"
         "void *q(void *z) { int r = x; assert(t == 3 && (!r || r == 4)); return 0; }" + START + "}",
         Answer.BOUNDED, 3),
        # a pointer to a function
        ("static void w(void) { x = 1; } static void v(void) { x = 2; } void (*f)(void) = w;\n"
         "void *p(void *z) { f(); y = 1; return 0; } void *q(void *z) { int r = y; assert(!r || x == 1); return 0; }"
         + START + "}", Answer.FAIL, 3),
        # exit in a thread ends what main would do after it joined it
        ("int got; void *p(void *z) { y = 1; return 0; } void *q(void *z) { got = y; if (!got) exit(0); return 0; }\n"
         + START + "pthread_join(a, 0); pthread_join(b, 0); assert(got == 1); }", Answer.BOUNDED, 3),
    ],
)  # fmt: skip
def test_what_small_programs_have(tmp_path: Path, text: str, answer: Answer, contexts: int) -> None:
    path = tmp_path / "small.c"
    path.write_text(HEAD + text)
    verdict = api.bounded(path, contexts=f"1..{contexts}", unroll=2)
    assert (verdict.answer, verdict.extra["contexts"]) == (answer, contexts), verdict.reason


def test_a_refusal_names_the_place(tmp_path: Path) -> None:
    path = tmp_path / "small.c"
    read = START + "pthread_join(a, 0); int r = y; pthread_join(b, 0); assert(r); }"
    path.write_text(HEAD + "void *p(void *z) { x = 1; return 0; } void *q(void *z) { y = 1; return 0; }\n" + read)
    verdict = api.bounded(path, contexts="2")
    assert verdict.answer is Answer.UNKNOWN
    assert re.search(r"small\.c:\d+:\d+ accesses, after it has joined another thread, what thread q", verdict.reason)


def test_a_time_limit_holds_inside_the_solver() -> None:
    verdict = api.bounded(BENCHMARKS / "dijkstra-safe.c", contexts="3", unroll=8, time_limit=1.0)
    assert verdict.answer is Answer.UNKNOWN
    assert verdict.seconds < 40


TWO_WRITES = """var x, y
thread P { x := 1; lwsync; y := 2 }
thread Q { y := 1; lwsync; x := 2 }
~exists x == 1 && y == 1"""


def test_a_violation_is_one_of_the_axioms() -> None:
    """The machine of the paper lets a write overtake another whose fence has not arrived; power.cat forbids it."""
    assert api.bounded(fp(TWO_WRITES), contexts="4").answer is not Answer.FAIL
    paper = api.bounded(fp(TWO_WRITES), contexts="4", machine="paper")
    assert paper.answer is Answer.FAIL and "power.cat forbids" in paper.reason
    assert "by a run that power.cat forbids" in render_text(paper).partition("\n")[0]
    plain = fp(TWO_WRITES.replace("lwsync; ", ""))
    assert api.bounded(plain, contexts="4").answer is Answer.FAIL
    with pytest.raises(UsageError, match="--machine none"):
        api.bounded(plain, machine="none")
