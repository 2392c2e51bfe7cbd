"""Stories in the words of the source: kernels, templates, string constants, who holds what."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import fencepost
from fencepost.program.symbols import demangled
from fencepost.report.drawing import draw
from fencepost.witness.names import function_name
from fencepost.witness.story import Story, tell

BUGS = Path(__file__).parent.parent / "repair" / "bugs"


@cache
def story(name: str) -> Story:
    witness = fencepost.check(BUGS / name, fix=False).witness
    assert witness is not None
    return tell(witness)


def steps(told: Story) -> list[str]:
    return [m.text for m in told.moments]


def test_who_sleeps_at_a_futex_is_told_by_its_word() -> None:
    told = story("futex_unlock.c")
    assert "finds f = 2" in steps(told) and steps(told).count("goes to sleep at f") == 1
    assert steps(told)[-1] == "waits for somebody to wake it at f"
    assert "f is 0 since thread w#1 (futex_unlock.c:21), and nobody was woken for it" in told.explanation.reason
    words = " ".join([*steps(told), *told.initial, told.explanation.reason, *(m.via for m in told.moments)])
    assert "fencepost." not in words and "~" not in words and "atomic" not in words


def test_a_futex_that_is_woken_before_anybody_sleeps() -> None:
    told = story("futex_event.c")
    order = steps(told)
    assert order.index("wakes nobody at ev, where nobody sleeps") < order.index("goes to sleep at ev")
    assert order.index("finds ev = 0") < order.index("writes ev = 1")
    assert "thread setter had signalled (futex_event.c:11) while nobody waited" in told.explanation.reason


def test_a_futex_that_is_woken_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "woken.c"
    path.write_text(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\n#include <unistd.h>\n"
        "#include <linux/futex.h>\n#include <sys/syscall.h>\nstatic atomic_int ev;\n"
        "static void *a(void *p) { assert(syscall(SYS_futex, &ev, FUTEX_WAIT, 0, NULL, NULL, 0) != 0); return 0; }\n"
        "static void *b(void *p) { ev = 1; syscall(SYS_futex, &ev, FUTEX_WAKE, 1, NULL, NULL, 0); return 0; }\n"
        "int main(void) { pthread_t s, t; pthread_create(&s, 0, a, 0); pthread_create(&t, 0, b, 0);\n"
        "  pthread_join(s, 0); pthread_join(t, 0); }\n"
    )
    witness = fencepost.check(path, fix=False).witness
    assert witness is not None
    told = steps(tell(witness))
    order = ["finds ev = 0", "goes to sleep at ev", "wakes who sleeps at ev", "is woken at ev"]
    assert [t for t in told if t in order] == order


def test_a_signal_at_which_nobody_waits_is_in_the_reason() -> None:
    told = story("latch.cpp")
    assert told.explanation.known == "lost wake-up"
    assert "thread main::lambda2 had signalled (latch.cpp:10) while nobody waited" in told.explanation.reason
    assert any("in Latch::wait::lambda1, called at" in m.via for m in told.moments)


def test_locks_in_a_circle_of_three() -> None:
    assert story("three_accounts.cpp").explanation.known == "lock order inversion"


def test_a_cycle_is_told_by_what_was_seen() -> None:
    """What the second thread misses was stored before what it has seen: a message, not two buffers."""
    assert story("clh_relaxed.cpp").explanation.known == "message passing"


@pytest.mark.parametrize(
    ("name", "known"), [("ticket_message.c", "unlock without release"), ("mcs_guard.cpp", "lock without acquire")]
)
def test_locks_with_a_queue_are_locks(name: str, known: str) -> None:
    assert story(name).explanation.known == known


def test_of_a_mutex_on_one_side_it_is_said_who_holds_it() -> None:
    reason = story("ready_unlocked.cpp").explanation.reason
    assert "Thread consumer holds m (ready_unlocked.cpp:16), thread producer holds no lock there" in reason


def test_a_value_that_nobody_read_before_the_next_one() -> None:
    reason = story("spsc_overrun.cpp").explanation.reason
    assert "read ring.buf_[0] = 3" in reason
    assert "which had written over 1 (spsc_overrun.cpp:13) before anybody read that" in reason


def test_memory_of_new_has_the_name_of_its_type_in_a_template() -> None:
    told = story("spsc_list.cpp")
    assert told.error.message == "data race on Node#1.next"
    assert not any("heap#" in text for text in [*steps(told), *told.initial])


def test_a_string_constant_is_its_text() -> None:
    assert 'writes msg = "hello"' in steps(story("ticket_message.c"))


def test_the_call_of_a_template_is_not_the_lambda_that_it_gets() -> None:
    vias = [m.via for m in story("once_template.cpp").moments if m.via]
    assert any(v.startswith("in call_once, called at once_template.cpp:13") for v in vias)
    assert any(v.startswith("in use::lambda1, called at once_template.cpp:9 in call_once") for v in vias)


@pytest.mark.skipif(demangled("_Z1fv") == "_Z1fv", reason="no C++ library that reads symbols")
@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z1fv", "f"), ("worker", "worker"), ("_ZN5QueueIiE4pushERKi", "Queue<int>::push"),
        ("_Z9call_onceIZ3usevE3$_0EvR8OnceFlagT_", "call_once"), ("_ZZ3usevENK3$_0clEv", "use::lambda1"),
        ("_ZZN5Latch4waitEvENKUlvE_clEv", "Latch::wait::lambda1"), ("_ZN1AcvbEv", "A::operator bool"),
        ("_ZN8SpscRingIiLm2EE4pushERKi", "SpscRing<int, 2ul>::push"), ("_ZN1AclEi", "A::operator"),
        ("_ZN12_GLOBAL__N_13runEi", "run"),
    ],
)  # fmt: skip
def test_names_of_functions(symbol: str, name: str) -> None:
    assert function_name(symbol) == name


def test_the_picture_begins_with_values_of_the_program() -> None:
    """Not with those of the inside of a mutex, or of the table of who sleeps at a futex."""
    chips = {
        name: [b.label for b in draw(story(name)).boxes if b.kind == "init"]
        for name in ("futex_unlock.c", "three_accounts.cpp")
    }
    assert chips == {"futex_unlock.c": ["at first f = 0"], "three_accounts.cpp": []}


def test_a_loop_that_waits_is_told_with_what_it_finds(tmp_path: Path) -> None:
    path = tmp_path / "barrier.c"
    path.write_text(
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int count, spins;\n"
        "static void *w(void *p) {\n"
        "  if (atomic_fetch_add(&count, 1) == 1) { count = 0; atomic_fetch_add(&count, 1); }\n"
        "  else { while (count != 0) { if (spins > 4) break; } }\n  return 0;\n}\n"
        "int main(void) { pthread_t s, t; pthread_create(&s, 0, w, 0); pthread_create(&t, 0, w, 0);\n"
        "  pthread_join(s, 0); pthread_join(t, 0); }\n"
    )
    witness = fencepost.check(path, fix=False).witness
    assert witness is not None
    told = tell(witness)
    assert "finds count = 1 since thread w#2 (barrier.c:5)" in told.explanation.reason
    assert "spins = 0, and nobody is left to change that" in told.explanation.reason
    assert steps(told)[-1] == "waits for count or spins to change"


def test_a_local_variable_that_its_thread_may_leave_is_named() -> None:
    reason = story("mcs_on_stack.c").explanation.reason
    assert "writes n@spend#1.next (mcs_on_stack.c:13), a local variable of thread spend#1" in reason


def test_a_free_that_missed_who_uses_the_memory_is_told_with_what_it_missed() -> None:
    reason = story("hazard_pointer.cpp").explanation.reason
    assert "thread retire read hazard = NULL from the initial value although thread use had stored" in reason


def test_a_race_is_about_the_value_that_was_read() -> None:
    """Not about the constructor of the node."""
    assert "writes Node#2.data (michael_scott.cpp:12)" in story("michael_scott.cpp").explanation.reason


def test_memory_of_new_beside_a_destructor_has_the_name_of_its_type() -> None:
    """There `operator new` is invoked: what is noted of it stands on the second line."""
    assert "Session#1.bytes" in story("session.cpp").error.message


def test_places_and_choices_inside_of_a_library_are_told_at_the_call() -> None:
    told = story("aba_pool.cpp")
    assert "t1 read head = 2 (aba_pool.cpp:13)" in told.explanation.reason
    assert not any(t.startswith("chooses") for t in steps(told))


SIGNALLED_ONCE = """#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int started;
static void *runner(void *a) {
  pthread_mutex_lock(&m);
  while (!started)
    pthread_cond_wait(&go, &m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t r1, r2;
  pthread_create(&r1, 0, runner, 0);
  pthread_create(&r2, 0, runner, 0);
  pthread_mutex_lock(&m);
  started = 1;
  pthread_cond_signal(&go);
  pthread_mutex_unlock(&m);
  pthread_join(r1, 0);
  pthread_join(r2, 0);
}
"""


def test_a_signal_wakes_one_thread_and_the_other_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "once.c").write_text(SIGNALLED_ONCE)
    witness = fencepost.check(tmp_path / "once.c", fix=False).witness
    assert witness is not None
    told = tell(witness)
    assert "the signal of thread main (once.c:18) wakes one thread, and that was thread runner#" in (
        told.explanation.reason
    )
    assert not any("weak compare-exchange" in s or "chooses" in s for s in steps(told))
    assert "wake all of them (broadcast" in fencepost.repair(tmp_path / "once.c").reason


OVERWRITTEN = """#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_bool locked; };
static _Atomic(struct node *) lock;
static void *run(void *a) {
  struct node me, *n;
  atomic_store(&me.next, NULL);
  struct node *prev = atomic_exchange(&lock, &me);
  if (prev) {
    atomic_store(&prev->next, &me);
    atomic_store(&me.locked, true);
    while (atomic_load(&me.locked)) ;
  }
  struct node *mine = &me;
  if (atomic_compare_exchange_strong(&lock, &mine, NULL)) return 0;
  while (!(n = atomic_load(&me.next))) ;
  atomic_store(&n->locked, false);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def test_what_a_thread_waits_for_and_was_written_over_is_told(tmp_path: Path) -> None:
    (tmp_path / "late.c").write_text(OVERWRITTEN)
    witness = fencepost.check(tmp_path / "late.c", fix=False).witness
    assert witness is not None
    told = tell(witness)
    reason = told.explanation.reason
    assert "had stored 0 (late.c:19), and that was written over before anybody looked" in reason
    assert ".locked == 0 (late.c:14)" in reason, "a flag needs no mask"
    order = [m.text for m in told.moments if ".locked" in m.text]
    assert [t.partition("= ")[2].split()[0] for t in order[:2]] == ["0", "1"], "the store that was lost comes first"


def test_a_function_that_makes_an_object_is_no_name_for_its_allocation(tmp_path: Path) -> None:
    """Its other steps are shown where they stand."""
    (tmp_path / "get.cpp").write_text(
        "#include <atomic>\n#include <thread>\nstruct config { int port = 1; };\nstd::atomic<config *> made{nullptr};\n"
        "config *get() {\n  config *p = made.load(std::memory_order_relaxed);\n"
        "  if (!p) {\n    p = new config;\n    made.store(p, std::memory_order_relaxed);\n  }\n  return p;\n}\n"
        "int main() {\n  std::thread t([] { get(); });\n  int n = get()->port;\n  t.join();\n  return n;\n}\n"
    )
    witness = fencepost.check(tmp_path / "get.cpp", fix=False).witness
    assert witness is not None
    told = tell(witness)
    places = {m.place for m in told.moments if "made" in m.text}
    assert places <= {"get.cpp:6", "get.cpp:9"} and places


def test_a_ticket_that_two_threads_drew_is_told(tmp_path: Path) -> None:
    """The lock let both in because an update of it was lost."""
    (tmp_path / "ticket.c").write_text(
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_uint next, serving;\nstatic int n;\n"
        "static void *run(void *a) {\n  unsigned mine = atomic_load(&next);\n  atomic_store(&next, mine + 1);\n"
        "  while (atomic_load(&serving) != mine) ;\n  n++;\n  atomic_fetch_add(&serving, 1);\n  return 0;\n}\n"
        "int main(void) {\n  pthread_t s, t;\n  pthread_create(&s, 0, run, 0);\n  pthread_create(&t, 0, run, 0);\n"
        "  pthread_join(s, 0);\n  pthread_join(t, 0);\n}\n"
    )
    witness = fencepost.check(tmp_path / "ticket.c", fix=False).witness
    assert witness is not None
    explained = tell(witness).explanation
    assert explained.known == "lost update"
    assert "next = 0 (ticket.c:6) and stored 1 (ticket.c:7), and in between thread run#" in explained.reason
