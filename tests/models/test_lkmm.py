"""The Linux kernel's memory model: verdicts that its documentation states, data races, misuse, and its two judges."""

from __future__ import annotations

import pytest

from corpus import CORPUS, needs_corpus, table
from fencepost.enumerate.verdicts import outcomes_by_enumeration
from fencepost.errors import InputError, UnsupportedError
from fencepost.explore import outcomes
from fencepost.frontends.litmus import read
from fencepost.models.registry import find
from fencepost.options import ExploreOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.printer import print_program
from fencepost.program.program import Arch, Program
from fencepost.program.reader import read_program
from fencepost.suite.run import Job, Status, run_tests
from fencepost.verdict import Outcomes

LKMM = find("lkmm")
OPTIONS = ExploreOptions(model="lkmm")
MP = "exists (1:r0=1 /\\ 1:r1=0)"
SB = "exists (0:r0=0 /\\ 1:r0=0)"
LB = "exists (0:r0=1 /\\ 1:r0=1)"


def kernel(*threads: str, ask: str, init: str = "") -> Program:
    where = "int *x, int *y, int *z, spinlock_t *s, struct srcu_struct *ss"
    code = "\n".join(f"P{i}({where})\n{{\n{t}\n}}\n" for i, t in enumerate(threads))
    return read(f"C test\n{{ {init} }}\n{code}\n{ask}\n", "test.litmus")


def run(program: Program) -> Outcomes:
    return outcomes(program, LKMM, OPTIONS)


def writer(between: str) -> str:
    return f"WRITE_ONCE(*x, 1); {between} WRITE_ONCE(*y, 1);"


def reader(between: str, first: str = "READ_ONCE(*y)") -> str:
    return f"int r0; int r1; r0 = {first}; {between} r1 = READ_ONCE(*x);"


def store_buffer(between: str) -> tuple[str, str]:
    return f"int r0; WRITE_ONCE(*x, 1); {between} r0 = READ_ONCE(*y);", (
        f"int r0; WRITE_ONCE(*y, 1); {between} r0 = READ_ONCE(*x);"
    )


_VERDICTS = {
    "MP": (kernel(writer(""), reader(""), ask=MP), True),
    "MP+wmb+rmb": (kernel(writer("smp_wmb();"), reader("smp_rmb();"), ask=MP), False),
    "MP+wmb": (kernel(writer("smp_wmb();"), reader(""), ask=MP), True),
    "MP+mb+barrier": (kernel(writer("smp_mb();"), reader("barrier();"), ask=MP), True),
    "MP+rel+acq": (
        kernel("WRITE_ONCE(*x, 1); smp_store_release(y, 1);", reader("", "smp_load_acquire(y)"), ask=MP), False,
    ),
    "MP+negative-release": (
        kernel("int r2; WRITE_ONCE(*x, 1); r2 = atomic_add_negative_release(1, y);", reader("smp_rmb();"), ask=MP),
        False,
    ),
    "MP+negative-relaxed": (
        kernel("int r2; WRITE_ONCE(*x, 1); r2 = atomic_add_negative_relaxed(1, y);", reader("smp_rmb();"), ask=MP),
        True,
    ),
    "MP+wmb+addr": (
        kernel("WRITE_ONCE(*z, 1); smp_wmb(); rcu_assign_pointer(*y, z);",
               "int *r0; int r1; r0 = rcu_dereference(*y); r1 = READ_ONCE(*r0);", init="y=x; x=7;",
               ask="exists (1:r0=z /\\ 1:r1=0)"), False,
    ),
    "MP with atomic_add, which smp_rmb does not order": (
        kernel("WRITE_ONCE(*x, 1); smp_wmb(); atomic_set(y, 1);",
               "int r1; atomic_add(1, y); smp_rmb(); r1 = READ_ONCE(*x);", ask="exists (y=2 /\\ 1:r1=0)"), True,
    ),
    "MP with atomic_fetch_add, which it does": (
        kernel("WRITE_ONCE(*x, 1); smp_wmb(); atomic_set(y, 1);",
               "int r0; int r1; r0 = atomic_fetch_add_relaxed(1, y); smp_rmb(); r1 = READ_ONCE(*x);", ask=MP), False,
    ),
    "SB": (kernel(*store_buffer(""), ask=SB), True),
    "SB+mbs": (kernel(*store_buffer("smp_mb();"), ask=SB), False),
    "SB+wmb+rmb": (kernel(*store_buffer("smp_wmb(); smp_rmb();"), ask=SB), True),
    "SB with full read-modify-writes": (kernel(*store_buffer("xchg(z, 1);"), ask=SB), False),
    "SB with acquiring ones": (kernel(*store_buffer("xchg_acquire(z, 1);"), ask=SB), True),
    "SB with void ones": (kernel(*store_buffer("atomic_inc(z);"), ask=SB), True),
    "SB with void ones and after_atomic": (
        kernel(*store_buffer("atomic_inc(z); smp_mb__after_atomic();"), ask=SB), False,
    ),
    "SB with void ones and before_atomic": (
        kernel(*store_buffer("smp_mb__before_atomic(); atomic_inc(z);"), ask=SB), False,
    ),
    "SB with cmpxchg that fails": (kernel(*store_buffer("cmpxchg(z, 5, 1);"), ask=SB), True),
    "SB with atomic_add_unless that adds": (kernel(*store_buffer("atomic_add_unless(z, 1, 5);"), ask=SB), False),
    "SB with atomic_add_unless that does not": (kernel(*store_buffer("atomic_add_unless(z, 1, 0);"), ask=SB), True),
    "SB with atomic_add_unless that does not and after_atomic": (
        kernel(*store_buffer("atomic_add_unless(z, 1, 0); smp_mb__after_atomic();"), ask=SB), False,
    ),
    "atomic_add_unless says whether it added": (
        kernel("int r0; r0 = atomic_add_unless(z, 2, 4);", "int r0; r0 = atomic_add_unless(z, 1, 2);",
               "atomic_inc(z);", ask="forall (0:r0=1 /\\ ((1:r0=0 /\\ z=3) \\/ (1:r0=1 /\\ z=4)))"), True,
    ),
    "LB with atomic_add_unless, behind which the branch is over": (
        kernel("int r0; int r1; r0 = READ_ONCE(*x); r1 = atomic_add_unless(z, 1, 0); WRITE_ONCE(*y, 1);",
               "int r0; r0 = READ_ONCE(*y); smp_mb(); WRITE_ONCE(*x, 1);", ask=LB), True,
    ),
    "SB with a lock that is handed over": (kernel(*store_buffer("spin_lock(s); spin_unlock(s);"), ask=SB), False),
    "SB with locks of their own": (
        kernel(*(t.replace("(s)", f"({own})") for t, own in
                 zip(store_buffer("spin_lock(s); spin_unlock(s);"), "sz", strict=True)), ask=SB), True,
    ),
    "SB with a lock and after_spinlock": (
        kernel(*store_buffer("spin_lock(s); smp_mb__after_spinlock(); spin_unlock(s);"), ask=SB), False,
    ),
    "SB inside one lock": (
        kernel(*(f"spin_lock(s); {t} spin_unlock(s);".replace("spin_lock(s); int r0;", "int r0; spin_lock(s);")
                 for t in store_buffer("")), ask=SB), False,
    ),
    "LB+datas": (
        kernel("int r0; r0 = READ_ONCE(*x); WRITE_ONCE(*y, r0 - r0 + 1);",
               "int r0; r0 = READ_ONCE(*y); WRITE_ONCE(*x, r0 - r0 + 1);", ask=LB), False,
    ),
    "LB+ctrl inside": (
        kernel("int r0; r0 = READ_ONCE(*x); if (r0) WRITE_ONCE(*y, 1);",
               "int r0; r0 = READ_ONCE(*y); smp_mb(); WRITE_ONCE(*x, 1);", ask=LB), False,
    ),
    "LB+ctrl that has ended": (
        kernel("int r0; r0 = READ_ONCE(*x); if (r0) WRITE_ONCE(*z, 1); else WRITE_ONCE(*z, 2); WRITE_ONCE(*y, 1);",
               "int r0; r0 = READ_ONCE(*y); smp_mb(); WRITE_ONCE(*x, 1);", ask=LB), True,
    ),
    "RCU: a grace period waits for sections": (
        kernel("int r0; int r1; rcu_read_lock(); r0 = READ_ONCE(*x); r1 = READ_ONCE(*y); rcu_read_unlock();",
               "WRITE_ONCE(*x, 1); synchronize_rcu(); WRITE_ONCE(*y, 1);", ask="exists (0:r0=0 /\\ 0:r1=1)"), False,
    ),
    "RCU: not without the section": (
        kernel("int r0; int r1; r0 = READ_ONCE(*x); r1 = READ_ONCE(*y);",
               "WRITE_ONCE(*x, 1); synchronize_rcu(); WRITE_ONCE(*y, 1);", ask="exists (0:r0=0 /\\ 0:r1=1)"), True,
    ),
    "RCU: two sections, one grace period": (
        kernel("int r0; rcu_read_lock(); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); rcu_read_unlock();",
               "int r0; rcu_read_lock(); r0 = READ_ONCE(*y); WRITE_ONCE(*z, 1); rcu_read_unlock();",
               "int r0; r0 = READ_ONCE(*z); synchronize_rcu(); WRITE_ONCE(*x, 1);",
               ask="exists (0:r0=1 /\\ 1:r0=1 /\\ 2:r0=1)"), True,
    ),
    "RCU: two sections, two grace periods": (
        kernel("int r0; rcu_read_lock(); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); rcu_read_unlock();",
               "int r0; rcu_read_lock(); r0 = READ_ONCE(*y); WRITE_ONCE(*z, 1); rcu_read_unlock();",
               "int r0; r0 = READ_ONCE(*z); synchronize_rcu(); synchronize_rcu(); WRITE_ONCE(*x, 1);",
               ask="exists (0:r0=1 /\\ 1:r0=1 /\\ 2:r0=1)"), False,
    ),
    "SRCU": (
        kernel("int i; int r0; i = srcu_read_lock(ss); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(ss, i);",
               "int r0; r0 = READ_ONCE(*y); synchronize_srcu(ss); WRITE_ONCE(*x, 1);", ask=LB), False,
    ),
    "SRCU of another struct": (
        kernel("int i; int r0; i = srcu_read_lock(z); r0 = READ_ONCE(*x); WRITE_ONCE(*y, 1); srcu_read_unlock(z, i);",
               "int r0; r0 = READ_ONCE(*y); synchronize_srcu(ss); WRITE_ONCE(*x, 1);", ask=LB), True,
    ),
    "trylock excludes": (
        kernel("int r0; r0 = spin_trylock(s);", "int r0; r0 = spin_trylock(s);", ask=LB), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _VERDICTS)
def test_what_the_kernel_documents(name: str) -> None:
    program, allowed = _VERDICTS[name]
    assert program.arch is Arch.LKMM
    assert run(program).holds is allowed


@pytest.mark.parametrize("name", _VERDICTS)
def test_the_core_and_the_plain_evaluator_judge_alike(name: str) -> None:
    program, _ = _VERDICTS[name]
    slow, fast = outcomes_by_enumeration(program, LKMM, OPTIONS), run(program)
    assert (slow.states, slow.executions, slow.errors) == (fast.states, fast.executions, fast.errors)


@pytest.mark.parametrize("name", _VERDICTS)
def test_the_text_form_keeps_what_the_model_asks_for(name: str) -> None:
    program, _ = _VERDICTS[name]
    assert read_program(print_program(program), "again.fpir") == program


@pytest.mark.parametrize(
    ("threads", "race"),
    [
        (("*x = 1;", "int r0; r0 = *x;"), True),
        (("*x = 1;", "int r0; r0 = READ_ONCE(*x);"), True),
        (("WRITE_ONCE(*x, 1);", "int r0; r0 = READ_ONCE(*x);"), False),
        (("spin_lock(s); *x = 1; spin_unlock(s);", "int r0; spin_lock(s); r0 = *x; spin_unlock(s);"), False),
        (("*x = 1; smp_store_release(y, 1);", "int r0; r0 = smp_load_acquire(y); if (r0) r0 = *x;"), False),
        (("*x = 1; WRITE_ONCE(*y, 1);", "int r0; r0 = READ_ONCE(*y); if (r0) r0 = *x;"), True),
        (("*x = 1; smp_wmb(); WRITE_ONCE(*y, 1);", "int r0; r0 = READ_ONCE(*y); smp_rmb(); if (r0) r0 = *x;"), False),
    ],
)
def test_data_races(threads: tuple[str, str], race: bool) -> None:
    program = kernel(*threads, "WRITE_ONCE(*z, 1);", ask="exists (z=1)")
    assert (ErrorKind.RACE in {e.kind for e in run(program).errors}) is race


def test_what_a_filter_leaves_out_races_with_nobody() -> None:
    """The filter stands for a loop that waits for the flag: executions that it leaves out do not exist."""
    waits = "int r0; int r1; r0 = smp_load_acquire(y); r1 = *x;"
    threads = ("*x = 1; smp_store_release(y, 1);", waits)
    for filtered, race in (("", True), ("filter (1:r0=1)", False), ("filter (1:r0=0)", True)):
        found = run(kernel(*threads, ask=f"{filtered} exists (1:r1=0)"))
        assert [e.kind for e in found.errors] == [ErrorKind.RACE] * race, filtered


def test_values_out_of_thin_air_are_not_denied() -> None:
    program = read("C oota\n{}\nP0(int *x, int *y) { int r1; r1 = *x; *y = r1; }\n"
                   "P1(int *x, int *y) { int r1; r1 = *y; *x = r1; }\nexists (0:r1=1)\n", "oota.litmus")  # fmt: skip
    with pytest.raises(UnsupportedError, match="out of thin air"):
        run(program)


@pytest.mark.parametrize("model", ["rc11", "sc", "ra", "imm", "tso", "armv8"])
def test_other_models_do_not_judge_the_kernel(model: str) -> None:
    program, _ = _VERDICTS["MP+wmb+rmb"]
    with pytest.raises(UnsupportedError, match="Linux kernel"):
        outcomes(program, find(model), ExploreOptions(model=model))


def test_c11_and_the_kernel_do_not_mix() -> None:
    with pytest.raises(InputError, match="Linux kernel"):
        kernel("smp_mb(); atomic_store(x, 1);", ask="exists (x=1)")


@needs_corpus
@pytest.mark.corpus
def test_the_table_of_the_kernel_agrees() -> None:
    rows = list(table("LKMM.lkmm.expected.csv").items())[::60]
    expected = {str(CORPUS / path): row[0] == "1" for path, row in rows}
    results = list(run_tests(expected, Job(model="lkmm"), expected))
    assert [r.path for r in results if r.wrong] == []
    assert sum(r.status is Status.DONE for r in results) >= 0.95 * len(results)


@needs_corpus
@pytest.mark.corpus
def test_the_table_of_races_agrees() -> None:
    for path, row in list(table("LKMM.lkmm-races.expected.csv").items())[11::60]:
        program = read((CORPUS / path).read_text(), path)
        races = [e for e in run(program).errors if e.kind is ErrorKind.RACE]
        assert (not races) == (row[0] == "1"), path


def asked(first: str, second: str, question: str) -> Outcomes:
    text = f"C LB\n{{}}\nP0(int *x, int *y) {{ {first} }}\nP1(int *x, int *y) {{ {second} }}\nexists ({question})\n"
    return outcomes_by_enumeration(read(text, "LB.litmus"), find("lkmm"), ExploreOptions(model="lkmm"))


def test_what_a_finished_branch_carries_is_found() -> None:
    """herd: Sometimes 1 4. Nothing in P0 makes its write wait for the branch that chose the value."""
    found = asked("int r0; int r = 1; r0 = READ_ONCE(*x); if (r0 == 0) r = 0; WRITE_ONCE(*y, r);",
                  "int r1; r1 = READ_ONCE(*y); WRITE_ONCE(*x, r1);", "0:r0=1 /\\ 1:r1=1")  # fmt: skip
    assert found.holds
    assert [count for _, count in found.states.items()] == [4, 1]


@pytest.mark.parametrize(("write", "allowed"), [("*{} = 1", True), ("WRITE_ONCE(*{}, 1)", False)])
def test_a_branch_may_be_decided_by_what_comes_of_it(write: str, allowed: bool) -> None:
    """herd: a plain write does not wait for its branch, and is a data race then; a marked one waits."""
    found = asked(f"int r0; r0 = READ_ONCE(*x); if (r0 == 1) {{ {write.format('y')}; }}",
                  f"int r1; r1 = READ_ONCE(*y); if (r1 == 1) {{ {write.format('x')}; }}",
                  "0:r0=1 /\\ 1:r1=1")  # fmt: skip
    assert found.holds is allowed
    assert (ErrorKind.RACE in {e.kind for e in found.errors}) is allowed


def test_circles_of_values_that_are_too_many_to_foresee_are_refused() -> None:
    count = "int r{0}; r{0} = *{1}; while (r{0} < 3) {{ r{0} = r{0} + 1; *{2} = r{0} + *{2}; }}"
    with pytest.raises(UnsupportedError, match="out of thin air"):
        asked(count.format(0, "x", "y"), count.format(1, "y", "x"), "0:r0=1")
