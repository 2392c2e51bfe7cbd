"""Programs in the kernel's style, with <fencepost/lkmm.h>, each right and with its bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import Answer, check
from fencepost.errors import UnsupportedError
from fencepost.frontends.c.compile import INCLUDE
from fencepost.frontends.c.library.lkmm import FUNCTIONS

HEADER = "#include <assert.h>\n#include <fencepost/lkmm.h>\n#include <pthread.h>\n"
MAIN = """
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  END
}
"""
#: What stands for BUG is left out, or put in, in the version with the bug; then the kind of what is found.
PROGRAMS = {
    "message": (
        "int data, flag;\n"
        "void *first(void *p) { WRITE_ONCE(data, 1); smp_wmb(); WRITE_ONCE(flag, 1); return 0; }\n"
        "void *second(void *p) { int f = READ_ONCE(flag); FIX(smp_rmb()); int d = READ_ONCE(data);"
        " assert(!f || d); return 0; }\n", "", "assertion"),
    "rcu": (
        "struct item { int value; } old = {1}, fresh = {2}, *head = &old;\n"
        "void *first(void *p) { rcu_read_lock(); int v = READ_ONCE(rcu_dereference(head)->value); assert(v);"
        " rcu_read_unlock(); return 0; }\n"
        "void *second(void *p) { rcu_assign_pointer(head, &fresh); FIX(synchronize_rcu());"
        " WRITE_ONCE(old.value, 0); return 0; }\n", "", "assertion"),
    "srcu": (
        "DEFINE_SRCU(ss);\nint x, y;\n"
        "void *first(void *p) { int i = srcu_read_lock(&ss); int a = READ_ONCE(x); int b = READ_ONCE(y);"
        " srcu_read_unlock(&ss, i); assert(!a || b); return 0; }\n"
        "void *second(void *p) { WRITE_ONCE(y, 1); FIX(synchronize_srcu(&ss)); WRITE_ONCE(x, 1); return 0; }\n",
        "", "assertion"),
    "lock": (
        "DEFINE_SPINLOCK(lock);\nint count;\n"
        "static void work(void) { FIX(spin_lock(&lock)); count++; FIX(spin_unlock(&lock)); }\n"
        "void *first(void *p) { work(); return 0; }\nvoid *second(void *p) { work(); return 0; }\n",
        "assert(count == 2);", "race"),
    "atomics": (
        "atomic_t x, y;\nint u, v;\n"
        "void *first(void *p) { atomic_inc(&x); FIX(smp_mb__after_atomic()); u = atomic_read(&y); return 0; }\n"
        "void *second(void *p) { atomic_add(1, &y); FIX(smp_mb__after_atomic()); v = atomic_read(&x); return 0; }\n",
        "assert(u || v);", "assertion"),
    "cmpxchg": (
        "long x;\nint wins;\natomic_t n = ATOMIC_INIT(0);\n"
        "void *first(void *p) { if (FIX_OR(cmpxchg(&x, 0, 1) == 0, xchg_relaxed(&x, 1) < 2)) atomic_inc(&n);"
        " return 0; }\n"
        "void *second(void *p) { return first(p); }\n", "assert(atomic_read(&n) == 1);", "assertion"),
    "freed": (
        "void *malloc(unsigned long);\nvoid free(void *);\nstruct item { int value; } *head;\n"
        "__attribute__((constructor)) static void begin(void) { head = malloc(sizeof *head); head->value = 1; }\n"
        "void *first(void *p) { int v = 1; rcu_read_lock(); struct item *i = rcu_dereference(head);"
        " if (i) v = READ_ONCE(i->value); rcu_read_unlock(); return (void *)(long)v; }\n"
        "void *second(void *p) { struct item *i = head; WRITE_ONCE(head, (struct item *)0); FIX(synchronize_rcu());"
        " free(i); return 0; }\n", "", "race"),
    "counted": (
        "void *malloc(unsigned long);\nvoid free(void *);\nstruct item { atomic_t refs; int value; } *head;\n"
        "__attribute__((constructor)) static void begin(void) { head = malloc(sizeof *head);"
        " atomic_set(&head->refs, 2); head->value = 1; }\n"
        "void *first(void *p) { struct item *i = READ_ONCE(head); int v = i->value;"
        " if (FIX_OR(atomic_sub_return(1, &i->refs), atomic_sub_return_relaxed(1, &i->refs)) == 0) free(i);"
        " return (void *)(long)v; }\n"
        "void *second(void *p) { return first(p); }\n", "", "race"),
    "used after": (
        "void *malloc(unsigned long);\nvoid free(void *);\nint flag;\n"
        "void *first(void *p) { long *i = malloc(sizeof *i); *i = 1; if (FIX_OR(0, READ_ONCE(flag))) free(i);"
        " WRITE_ONCE(*i, 2); return 0; }\n"
        "void *second(void *p) { WRITE_ONCE(flag, 1); return 0; }\n", "", "use-after-free"),
    "freed twice": (
        "void *malloc(unsigned long);\nvoid free(void *);\nlong *head;\n"
        "__attribute__((constructor)) static void begin(void) { head = malloc(8); WRITE_ONCE(*head, 1); }\n"
        "void *first(void *p) { long *i = FIX_OR(xchg(&head, (long *)0), READ_ONCE(head)); free(i); return 0; }\n"
        "void *second(void *p) { return first(p); }\n", "", "race"),
}  # fmt: skip


def _file(folder: Path, name: str, *, fixed: bool) -> Path:
    text, end, _ = PROGRAMS[name]
    macros = "#define FIX(x) x\n#define FIX_OR(x, y) x\n" if fixed else "#define FIX(x)\n#define FIX_OR(x, y) y\n"
    path = folder / f"{name}.c"
    path.write_text(HEADER + macros + text + MAIN.replace("END", end), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bug_is_found_and_nothing_without_it(name: str, tmp_path: Path) -> None:
    assert check(_file(tmp_path, name, fixed=True), model="lkmm").answer is Answer.PASS
    bad = check(_file(tmp_path, name, fixed=False), model="lkmm")
    assert bad.answer is Answer.FAIL and bad.errors[0].kind.value == PROGRAMS[name][2]


def test_other_models_do_not_judge_kernel_programs(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="use lkmm"):
        check(_file(tmp_path, "rcu", fixed=True), model="rc11")


def test_the_header_declares_what_the_front_end_knows() -> None:
    header = (INCLUDE / "fencepost" / "lkmm.h").read_text(encoding="utf-8")
    missing = [name for name in FUNCTIONS if name not in header and "cmpxchg" not in name]
    assert not missing


_CIRCLE = HEADER + """
static int x, y, z;
void *first(void *p) {
  int n = 0;
  while (READ_ONCE(x) == 1)
    if (++n == 3) break;
  z = n;
  WRITE_ONCE(y, 1);
  return 0;
}
void *second(void *p) { int r = READ_ONCE(y); WRITE_ONCE(x, r); return 0; }
""" + MAIN.replace("END", "assert(z != 3);")  # fmt: skip
_RETRIES = HEADER + """
static int v;
static void add(void) {
  int seen = READ_ONCE(v), found;
  while ((found = cmpxchg(&v, seen, seen + 1)) != seen) seen = found;
}
void *first(void *p) { add(); return 0; }
void *second(void *p) { add(); return 0; }
""" + MAIN.replace("END", "assert(v == 2);")  # fmt: skip


def test_what_a_bound_cuts_off_orders_nothing_and_may_be_what_led_there(tmp_path: Path) -> None:
    """The first thread's write behind its loop is what its loop sees: the model lets it be seen before."""
    path = tmp_path / "circle.c"
    path.write_text(_CIRCLE, encoding="utf-8")
    assert check(path, model="lkmm").answer is Answer.FAIL
    assert check(path, model="lkmm", unroll=4).answer is Answer.FAIL
    with pytest.raises(UnsupportedError, match="behind that bound"):
        check(path, model="lkmm", unroll=1)


def test_retries_end_where_no_other_location_leads_back_to_them(tmp_path: Path) -> None:
    path = tmp_path / "retries.c"
    path.write_text(_RETRIES, encoding="utf-8")
    assert check(path, model="lkmm", unroll=1).answer is Answer.PASS
    assert check(path, model="lkmm").answer is Answer.PASS  # which tries a few rounds first


#: Each write may come before the branch that leads to it, and so decide it: the model orders no plain write behind one.
FROM_THEMSELVES = """
int x, y, one, two;
void *first(void *p) { if (READ_ONCE(x)) { one = 1; STORE(y, 1); } return 0; }
void *second(void *p) { if (READ_ONCE(y)) { two = 1; STORE(x, 1); } return 0; }
"""


@pytest.mark.parametrize(("store", "answer"), [("x = v", Answer.FAIL), ("WRITE_ONCE(x, v)", Answer.PASS)])
def test_branches_that_are_decided_by_what_is_behind_them(tmp_path: Path, store: str, answer: Answer) -> None:
    path = tmp_path / "program.c"
    define = f"#define STORE(x, v) {store}\n"
    path.write_text(HEADER + define + FROM_THEMSELVES + MAIN.replace("END", "assert(!(one && two));"), encoding="utf-8")
    assert check(path, model="lkmm").answer is answer
