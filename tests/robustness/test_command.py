"""The verb, its limits, C programs, and SPIN as a second opinion."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from pathlib import Path
from threading import Timer

import pytest
from toy import LITMUS, build

from fencepost import api
from fencepost.cli import run
from fencepost.errors import UnsupportedError, UsageError
from fencepost.options import RobustOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.robustness import check_robustness
from fencepost.robustness.promela import emit
from fencepost.verdict import Answer
from fencepost.witness.confirm import confirm

PROGRAMS = Path(__file__).parent.parent.parent / "benchmarks" / "robustness"
C = Path(__file__).parent / "c"


@pytest.mark.parametrize(
    ("name", "against", "robust", "code"),
    [("barrier", "ra", True, 0), ("sb", "ra", False, 1), ("iriw", "ra", False, 1), ("iriw", "tso", True, 0)],
)
def test_json_has_a_boolean(
    name: str, against: str, robust: bool, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["robust", str(PROGRAMS / f"{name}.fp"), "--against", against, "--json"]) == code
    assert json.loads(capsys.readouterr().out)["robust"] is robust


def test_sc_itself_shows_only_the_programs_own_errors(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["robust", str(PROGRAMS / "dekker-sc.fp"), "--against", "sc", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["robust"], found["states"], found["search"]["monitored_locations"]) == (True, 145, 0)
    path = tmp_path / "fails.fp"
    path.write_text("var x\nthread A { x := 1; fence.sc }\nthread B { r := x; assert(r == 0) }\n")
    assert run(["robust", str(path), "--against", "sc", "--json"]) == 1
    assert "under SC already" in json.loads(capsys.readouterr().out)["reason"]
    assert run(["robust", str(path), "--against", "ra"]) == 1
    assert "sc has this error, too; robust against ra: " in " ".join(capsys.readouterr().out.split())
    with pytest.raises(UnsupportedError, match="for sc"):
        emit(api.read(path), "sc")


def test_limits_are_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(PROGRAMS / "lamport2-3-ra.fp")
    for limit in (["--max-states", "1000"], ["--memory", "2"], ["--time-limit", "0.001"]):
        assert run(["robust", file, *limit, "--json"]) == 3
        assert json.loads(capsys.readouterr().out)["robust"] is None


def test_a_hash_is_no_proof_but_a_witness_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["robust", str(PROGRAMS / "barrier.fp"), "--hash-compact"]) == 3
    assert "probability" in capsys.readouterr().out
    assert run(["robust", str(PROGRAMS / "sb.fp"), "--hash-compact"]) == 1


def test_options_that_make_no_sense_are_refused() -> None:
    for wrong in ({"against": "power"}, {"jobs": 0}, {"depth_first": True, "hash_compact": True}):
        with pytest.raises(UsageError):
            RobustOptions(**wrong)  # type: ignore[arg-type]


def test_an_interrupt_stops_the_search_at_once() -> None:
    program = api.read(PROGRAMS / "rcu-offline.fp")
    sent = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    Timer(0.3, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        check_robustness(program)
    assert time.monotonic() - sent[0] < 30, "0.1 s on a machine that has nothing else to do"


def test_assertions_are_checked_along_the_way() -> None:
    program = build("asserts", [("W", "x", 1)], [("R", "r", "x"), ("ASSERT", "r")])
    verdict = check_robustness(program)
    assert verdict.answer is Answer.FAIL and verdict.extra["robust"] is True
    assert [e.kind for e in verdict.errors] == [ErrorKind.ASSERTION]
    assert verdict.witness is not None and verdict.witness.model == "sc"
    confirm(verdict.witness)


def test_races_on_non_atomic_accesses() -> None:
    racy = build("racy", [("NAW", "d", 1), ("W", "f", 1)], [("R", "r", "f"), ("NAR", "s", "d")])
    verdict = check_robustness(racy)
    assert verdict.extra["robust"] is False and verdict.errors[0].kind is ErrorKind.RACE
    assert verdict.witness is not None
    confirm(verdict.witness)
    ordered = build("ordered", [("NAW", "d", 1), ("W", "f", 1)], [("WAIT", "f", 1), ("NAR", "s", "d")])
    assert check_robustness(ordered).extra["robust"] is True
    assert check_robustness(racy, RobustOptions(against="tso")).extra["robust"] is True


@pytest.mark.parametrize("against", ["ra", "tso"])
def test_c_programs(against: str) -> None:
    file = C / "dekker.c"
    assert api.robust(file, against=against).extra["robust"] is False
    assert api.robust(file, against=against, flags=("-DFENCE",)).extra["robust"] is True


def test_seq_cst_accesses_that_are_read_as_weaker_ones_are_named() -> None:
    """benchmarks/algorithms has a Dekker whose accesses are all seq-cst."""
    dekker = PROGRAMS.parent / "algorithms" / "mutual_exclusion" / "dekker.c"
    found = api.robust(dekker, against="ra")
    assert found.extra["robust"] is False and "seq-cst accesses" in found.warnings[0]
    assert not api.robust(dekker, against="tso").warnings and not api.robust(C / "dekker.c", against="ra").warnings


WEAKER_ORDERS = {
    "load": "atomic_load_explicit(&x, memory_order_relaxed)",
    "store": "atomic_store_explicit(&x, 1, memory_order_relaxed)",
    "update": "atomic_fetch_add_explicit(&x, 1, memory_order_acquire)",
    "exchange": "atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_relaxed)",
}


@pytest.mark.parametrize("name", WEAKER_ORDERS)
@pytest.mark.parametrize("against", ["ra", "sra"])
def test_no_pass_where_orders_are_read_as_stronger_ones(name: str, against: str, tmp_path: Path) -> None:
    path = tmp_path / "orders.c"
    path.write_text(
        f"#include <stdatomic.h>\natomic_int x;\nint main(void) {{ int e = 0; (void)e; {WEAKER_ORDERS[name]}; }}\n"
    )
    verdict = api.robust(path, against=against)
    assert (verdict.answer, verdict.extra["robust"]) == (Answer.UNKNOWN, None)
    assert verdict.extra["code"] == "other-orders" and "orders.c:3" in verdict.reason
    path.write_text("#include <stdatomic.h>\natomic_int x;\nint main(void) { x = 1; return x; }\n")
    assert api.robust(path, against=against).answer is Answer.PASS, "seq-cst is more than release/acquire"


@pytest.mark.parametrize("against", ["ra", "sra", "tso", "sc"])
def test_a_program_without_runs_is_not_robust_in_silence(against: str, tmp_path: Path) -> None:
    path = tmp_path / "none.fp"
    path.write_text("var x, y\nthread A { x := 1; r := y; assume(r == 3) }\nthread B { again: y := 1; goto again }\n")
    found = api.robust(path, against=against)
    assert (found.answer, found.extra["code"]) == (Answer.UNKNOWN, "no-runs") and "none.fp:2" in found.reason
    path.write_text("var x, y\nthread A { x := 1; r := y; assume(r == 1) }\nthread B { again: y := 1; goto again }\n")
    assert api.robust(path, against=against).answer is Answer.PASS
    path.write_text("var x\nthread A { wait(x == 2) }\nthread B { x := 1 }\n")
    found = api.robust(path, against=against)
    assert [e.kind for e in found.errors] == [ErrorKind.DEADLOCK] and found.extra["robust"] is True


TRYLOCK = """#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x;
static void *taker(void *arg) { atomic_store_explicit(&x, 1, memory_order_release); pthread_mutex_lock(&m); return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, taker, 0);
  if (pthread_mutex_trylock(&m)) return atomic_load_explicit(&x, memory_order_acquire);
}
"""


def test_a_lock_that_is_tried_says_less_than_release_and_acquire(tmp_path: Path) -> None:
    """A failing trylock does not synchronise with the lock. Whoever still waits when main returns is no deadlock."""
    path = tmp_path / "trylock.c"
    path.write_text(TRYLOCK)
    found = api.robust(path)
    assert found.model == "rc11" and found.extra["robust"] is False
    found = api.robust(path, against="ra")
    assert (found.answer, found.extra["code"]) == (Answer.UNKNOWN, "other-orders")


@pytest.mark.parametrize("where", ["static", "auto"])
def test_locking_twice_is_no_pass(where: str, tmp_path: Path) -> None:
    path = tmp_path / "twice.c"
    lock = "pthread_mutex_lock(&m);"
    path.write_text("#include <pthread.h>\nint main(void) {\n"
                    f" {where} pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n {lock} {lock}\n}}\n")  # fmt: skip
    found = api.robust(path, against="tso")
    if where == "static":
        assert [e.kind for e in found.errors] == [ErrorKind.DEADLOCK]
    else:
        assert found.answer is Answer.UNKNOWN and found.extra["code"] == "waits-for-ever"


def test_the_cycle_is_told_in_words() -> None:
    verdict = api.robust(PROGRAMS / "sb.fp")
    assert verdict.witness is not None
    assert verdict.witness.notes == (
        "the read of x at sb.fp:11 may still return 0, though 1 was stored later at sb.fp:5",
        "sequential consistency would need the read of x at sb.fp:11, then the write of x at sb.fp:5, then the read of "
        "y at sb.fp:6, then the write of y at sb.fp:10, and that before the first again",
    )


def test_what_the_theory_does_not_cover_is_said() -> None:
    program, _ = LITMUS["SB"]
    with pytest.raises(UnsupportedError, match="release/acquire"):
        check_robustness(program, RobustOptions(against="tso", state=True))


@pytest.mark.skipif(shutil.which("spin") is None, reason="SPIN is not installed (apt-get install spin)")
@pytest.mark.parametrize(
    ("name", "against"),
    [("SB", "ra"), ("SB", "tso"), ("2+2W-no-reads", "ra"), ("2+2W-no-reads", "sra"), ("2+2W-no-reads", "tso"),
     ("2RMW", "ra"), ("SB+fences", "ra"), ("SB+fences", "tso"), ("BAR", "ra"), ("BAR-busy", "ra")],
)  # fmt: skip
def test_spin_agrees_on_litmus_programs(name: str, against: str) -> None:
    program, expected = LITMUS[name]
    verdict = check_robustness(program, RobustOptions(backend="spin", against=against))
    assert verdict.extra["robust"] is expected[against]


@pytest.mark.skipif(shutil.which("spin") is None, reason="SPIN is not installed (apt-get install spin)")
@pytest.mark.parametrize(("name", "robust"), [("spinlock", True), ("peterson-tso", False), ("cilk-the-wsq-tso", True)])
def test_spin_agrees_on_algorithms(name: str, robust: bool) -> None:
    verdict = api.robust(PROGRAMS / f"{name}.fp", backend="spin")
    assert verdict.extra["robust"] is robust


STORE_BUFFERING = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int a, b;
void *first(void *unused) { atomic_store(&x, 1); FENCE a = atomic_load(&y); return 0; }
void *second(void *unused) { atomic_store(&y, 1); FENCE b = atomic_load(&x); return 0; }
int main(void)
{
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return a + b;
}
"""


@pytest.mark.parametrize("fenced", [False, True])
def test_state_robustness_of_c_with_threads_that_main_starts(tmp_path: Path, fenced: bool) -> None:
    path = tmp_path / "sb.c"
    path.write_text(STORE_BUFFERING.replace("FENCE", "atomic_thread_fence(memory_order_seq_cst);" if fenced else ""))
    verdict = api.robust(path, state=True)
    assert verdict.extra["robust"] is fenced
    if not fenced:
        assert verdict.witness is not None
        assert [s.text for s in verdict.witness.run][:2] == ["starts thread 1", "starts thread 2"]


def test_states_of_relaxed_accesses_are_not_those_of_release_and_acquire(tmp_path: Path) -> None:
    path = tmp_path / "mp.c"
    text = STORE_BUFFERING.replace("FENCE", "").replace("atomic_store(&y, 1)", "atomic_load_explicit(&y, O)")
    path.write_text(text.replace("a = atomic_load(&y)", "atomic_store_explicit(&y, 1, memory_order_release)"))
    assert api.robust(path, state=True, flags=["-DO=memory_order_acquire"]).answer is Answer.PASS
    verdict = api.robust(path, state=True, flags=["-DO=memory_order_relaxed"])
    assert (verdict.answer, verdict.extra["robust"], verdict.extra["code"]) == (Answer.UNKNOWN, None, "other-orders")


def test_where_states_may_be_infinite_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "heap.fp"
    path.write_text("var top\nthread T(i in 1..2) { while 1 { p := malloc(8); top := p } }\n")
    assert run(["robust", str(path), "--max-states", "500"]) == 3
    assert "allocates in a loop" in capsys.readouterr().out
    assert run(["robust", str(path), "--state"]) == 2
    assert "--state cannot treat malloc" in capsys.readouterr().err


def test_the_time_limit_holds_for_states_under_sc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep.fp"
    path.write_text("var x\nthread T(i in 1..3) { while 1 { FADD(x, 1) } }\n")
    assert run(["robust", str(path), "--state", "--time-limit", "0.2"]) == 3
    assert "SC alone" in capsys.readouterr().out


def test_a_loop_that_only_waits_may_be_read_as_a_wait(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(PROGRAMS / "barrier-busy.fp")
    assert run(["robust", file, "--json"]) == 1
    capsys.readouterr()
    assert run(["robust", file, "--waits", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["robust"] is True
    assert "wait" not in api.promela(file) and "->" in api.promela(file, waits=True)


# --- C for SPIN

SIZED = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static _Atomic(TYPE) x, y = 3;
static TYPE a, b;
static void *p(void *n) { x = 1; BETWEEN; a = y; return 0; }
static void *q(void *n) { y = 1; BETWEEN; b = x; return 0; }
int main(void) {
  pthread_t t, u;
  x = -2;
  pthread_create(&t, 0, p, 0);
  pthread_create(&u, 0, q, 0);
  BESIDE;
  pthread_join(t, 0);
  pthread_join(u, 0);
  return a + b;
}
"""
INITIAL = {"int8_t": (254, 3), "uint16_t": (65534, 3), "int32_t": (-2, 3), "int64_t": (-2, 3)}


def sized(tmp_path: Path, kind: str, between: str = "", beside: str = "") -> Program:
    file = tmp_path / "sized.c"
    file.write_text(SIZED.replace("TYPE", kind).replace("BETWEEN", between).replace("BESIDE", beside))
    return api.read(file)


@pytest.mark.parametrize("kind", INITIAL)
def test_c_for_spin_begins_with_what_main_left(kind: str, tmp_path: Path) -> None:
    text = emit(sized(tmp_path, kind), "ra")
    assert "proctype T0() { /* p */" in text and "proctype T1() { /* q */" in text and "proctype T2" not in text
    names = dict(re.findall(r"/\* mem\[(\d)\]: (\w+)", text))
    initial = {names[k]: int(v) for k, v in re.findall(r"mem\[(\d)\] = (-?\d+);", text) if k in names}
    assert (initial["x"], initial["y"]) == INITIAL[kind]


def test_c_for_spin_whose_main_works_along_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"sized\.c:14:5: main does more than to start threads and to join them"):
        emit(sized(tmp_path, "int32_t", beside="x = 2"), "ra")


def test_a_main_that_goes_on_and_on_is_not_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fencepost.robustness.static_threads.MOST_ACTIONS", 50)
    source = tmp_path / "main.c"
    source.write_text(
        "#include <pthread.h>\nvolatile int x;\nvoid *t(void *a) { return a; }\n"
        "int main(void) { pthread_t p; while (x >= 0) x = x + 1; return pthread_create(&p, 0, t, 0); }\n"
    )
    with pytest.raises(UnsupportedError, match=r"main\.c:4:\d+: main does more than 50 things"):
        emit(api.read(source), "ra")


def test_c_for_spin_has_one_size_for_an_object(tmp_path: Path) -> None:
    file = tmp_path / "halves.c"
    file.write_text(
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic _Atomic int x;\n"
        "static void *p(void *n) { x = 1; *(volatile char *)&x = 2; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, p, 0); pthread_join(t, 0); }\n"
    )
    with pytest.raises(UnsupportedError, match=r"halves\.c:4:\d+: accesses x 1 bytes at a time, others 4"):
        emit(api.read(file), "ra")


def test_what_a_promela_int_cannot_hold_is_guarded(tmp_path: Path) -> None:
    file = tmp_path / "unsigned.c"
    file.write_text(
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic _Atomic unsigned x, y;\n"
        "static void *p(void *n) { unsigned v = x; if (v < 7u) y = 1; return 0; }\n"
        "int main(void) { pthread_t t; pthread_create(&t, 0, p, 0); pthread_join(t, 0); }\n"
    )
    assert re.search(r"assert\(\(f0_\d+ >= 0\) \|\| outside\)", emit(api.read(file), "ra"))


@pytest.mark.skipif(shutil.which("spin") is None, reason="SPIN is not installed (apt-get install spin)")
@pytest.mark.parametrize("kind", INITIAL)
@pytest.mark.parametrize("between", ["", "atomic_thread_fence(memory_order_seq_cst)"])
def test_spin_agrees_on_c(kind: str, between: str, tmp_path: Path) -> None:
    verdict = check_robustness(sized(tmp_path, kind, between), RobustOptions(backend="spin", against="ra"))
    assert verdict.extra["robust"] is bool(between)


ENDS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x;
void *ends_all(void *unused) { if (atomic_load(&x) == 0) exit(1); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, ends_all, 0); pthread_join(t, 0); assert(0); }
"""


@pytest.mark.parametrize("against", ["rc11", "ra", "sra", "tso"])
def test_who_ended_the_program_is_not_joined(tmp_path: Path, against: str) -> None:
    """What would come after such a join never happens; it was followed, and its witness could not be shown."""
    (tmp_path / "ends.c").write_text(ENDS)
    found = api.robust(tmp_path / "ends.c", against=against)
    assert found.answer is Answer.PASS, found.reason
    (tmp_path / "ends.c").write_text(ENDS.replace("== 0", "!= 0"))
    assert api.robust(tmp_path / "ends.c", against=against).answer is Answer.FAIL
