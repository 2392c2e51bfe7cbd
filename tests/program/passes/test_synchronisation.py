"""Each library operation does what its manual page says, under every interleaving."""

from __future__ import annotations

from fencepost.program.instructions import ErrorKind, Sync, SyncOp
from fencepost.program.passes.synchronisation import Synchronisation, bodies, lower_synchronisation
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program
from fencepost.program.validate import validate
from interleave import Outcomes, interleave

HEAD = """program "t" arch=c11
global m size=40 align=8
global c size=48 align=8
global x size=8 align=8
"""


def run(body: str, *threads: str, **options: bool) -> Outcomes:
    names = " ".join(f"\nthread {t} = {t}()" for t in threads)
    program = validate(lower_synchronisation(read_program(HEAD + body + names), Synchronisation(**options)))
    assert not any(isinstance(i, Sync) for f in program.functions for i in f.code)
    assert read_program(print_program(program)) == program
    return interleave(program)


def function(name: str, *lines: str, result: str = "0") -> str:
    code = "\n".join("  " + line for line in lines)
    return f"function {name}() registers(%a, %b, %c, %i) {{\n{code}\n  return {result}\n}}\n"


LOCK, UNLOCK = "_ = sync (&m) op=mutex_lock", "_ = sync (&m) op=mutex_unlock"
INCREMENT = ("%a = load &x mode=na", "%a = compute (%a, 1) op=add", "store &x, %a mode=na")
READ_X = "%b = load &x mode=na"


def test_every_operation_has_a_body() -> None:
    assert {op.value for op in SyncOp} <= set(bodies())


def test_a_mutex_excludes() -> None:
    done = (LOCK, *INCREMENT, READ_X, UNLOCK)
    out = run(function("p", *done, result="%b") + function("q", *done, result="%b"), "p", "q")
    assert out.results == {(1, 2), (2, 1)} and not out.stuck and not out.errors


def test_without_it_an_increment_is_lost() -> None:
    done = (*INCREMENT, READ_X)
    out = run(function("p", *done, result="%b") + function("q", *done, result="%b"), "p", "q")
    assert (1, 1) in out.results


def test_unlocking_what_is_not_held() -> None:
    assert run(function("p", UNLOCK), "p").kinds == {ErrorKind.UNLOCK}
    assert run(function("p", LOCK) + function("q", UNLOCK), "p", "q").kinds == {ErrorKind.UNLOCK}


def test_locking_twice_is_stuck() -> None:
    out = run(function("p", LOCK, LOCK), "p")
    assert out.stuck == 1 and not out.results


def test_kinds_of_mutexes() -> None:
    def kinded(kind: int) -> str:
        return function(
            "p", f"_ = sync (&m, {kind}) op=mutex_init", "%a = sync (&m, 1) op=mutex_lock",
            "%b = sync (&m, 1) op=mutex_lock", "%c = sync (&m, 1) op=mutex_unlock", "%i = load &m mode=na",
            "%b = compute (%b, 100) op=mul", "%b = compute (%b, %i) op=add", result="%b",
        )  # fmt: skip

    assert run(kinded(1), "p").results == {(1,)}  # recursive: locked again, still held after one unlock
    assert run(kinded(2), "p").results == {(3500,)}  # error-checking: EDEADLK
    assert run(kinded(0), "p").stuck == 1
    wrong = function("p", "_ = sync (&m, 2) op=mutex_init", "%a = sync (&m, 1) op=mutex_unlock", result="%a")
    assert run(wrong, "p").results == {(1,)}  # EPERM


def test_trylock() -> None:
    out = run(function("p", "%a = sync (&m) op=mutex_trylock", result="%a") * 1
              + function("q", "%a = sync (&m) op=mutex_trylock", result="%a"), "p", "q")  # fmt: skip
    assert out.results == {(0, 16), (16, 0)}


def test_destroying_a_locked_mutex() -> None:
    assert run(function("p", LOCK, "_ = sync (&m) op=mutex_destroy"), "p").kinds == {ErrorKind.UNLOCK}
    assert not run(function("p", "_ = sync (&m) op=mutex_destroy"), "p").errors


def test_read_locks_share_and_write_locks_do_not() -> None:
    def with_lock(name: str, lock: str) -> str:
        inside = ("%a = rmw &x, 1 op=add mode=rlx", "%b = rmw &x, 1 op=sub mode=rlx")
        return function(name, f"_ = sync (&m) op={lock}", *inside, "_ = sync (&m) op=rwlock_unlock", result="%a")

    readers = run(with_lock("p", "rwlock_rdlock") + with_lock("q", "rwlock_rdlock"), "p", "q")
    assert (0, 1) in readers.results and not readers.stuck
    for other in ("rwlock_rdlock", "rwlock_wrlock"):
        writer = run(with_lock("p", "rwlock_wrlock") + with_lock("q", other), "p", "q")
        assert writer.results == {(0, 0)} and not writer.stuck and not writer.errors


def test_trying_a_read_write_lock() -> None:
    out = run(function("p", "_ = sync (&m) op=rwlock_rdlock", "%a = sync (&m) op=rwlock_tryrdlock",
                       "%b = sync (&m) op=rwlock_trywrlock", "%b = compute (%b, 100) op=mul",
                       "%a = compute (%a, %b) op=add", result="%a"), "p")  # fmt: skip
    assert out.results == {(1600,)}


def test_unlocking_a_free_read_write_lock() -> None:
    assert run(function("p", "_ = sync (&m) op=rwlock_unlock"), "p").kinds == {ErrorKind.UNLOCK}


WAITER = f"""function w() registers(%a) {{
  {LOCK}
  jump head
head:
  %a = load &x mode=na
  branch %a, done, wait
wait:
  _ = sync (&c, &m) op=cond_wait
  jump head
done:
  {UNLOCK}
  return %a
}}
"""


def test_a_condition_variable_wakes_its_waiter() -> None:
    signaller = function("s", LOCK, "store &x, 7 mode=na", UNLOCK, "_ = sync (&c) op=cond_signal")
    out = run(WAITER + signaller, "w", "s")
    assert out.results == {(7, 0)} and not out.stuck and not out.errors


def test_a_signal_without_the_state_is_lost() -> None:
    waiter = function("w", LOCK, "_ = sync (&c, &m) op=cond_wait", UNLOCK)
    out = run(waiter + function("s", "_ = sync (&c) op=cond_signal"), "w", "s")
    assert out.results == {(0, 0)} and out.stuck


def test_a_signal_wakes_one_and_any() -> None:
    waiters = "".join(
        function(n, LOCK, "_ = sync (&c, &m) op=cond_wait", UNLOCK, f"store &x, {k} mode=na")
        for n, k in (("v", 1), ("w", 2))
    )
    start = function("s", *["%a = await &c, 3, _ mode=rlx", "_ = sync (&c) op=cond_signal"],
                     "%b = await &x, 0, _ op=ne mode=rlx", result="%b")  # fmt: skip
    out = run(waiters + start, "v", "w", "s")
    assert not out.results and out.stuck  # one waiter always stays behind
    both = function("s", "%a = await &c, 3, _ mode=rlx", "_ = sync (&c) op=cond_broadcast")
    assert run(waiters + both, "v", "w", "s").stuck == 0


def test_timed_and_spurious_wakeups() -> None:
    timed = function("w", LOCK, "%a = sync (&c, &m) op=cond_timedwait", UNLOCK, result="%a")
    out = run(timed, "w")
    assert out.results == {(110,)} and out.stuck
    waiter = function("w", LOCK, "_ = sync (&c, &m) op=cond_wait", UNLOCK)
    assert run(waiter, "w", spurious_wakeups=True).results == {(0,)}
    assert not run(waiter, "w").results


def test_a_barrier_holds_everyone_twice() -> None:
    def thread(name: str) -> str:
        step = ("_ = rmw &x, 1 op=add mode=rlx", "%c = sync (&m) op=barrier_wait", "%a = load &x mode=rlx")
        return function(name, *step, *("_ = sync (&m) op=barrier_wait", *step[:1], *step[1:2], "%b = load &x mode=rlx"),
                        "%a = compute (%a, 10) op=mul", "%a = compute (%a, %b) op=add", result="%a")  # fmt: skip

    out = run(function("i", "_ = sync (&m, 2) op=barrier_init", "store &c, 1 mode=rel") +
              thread("p").replace("{", "{\n _ = await &c, 1, _ mode=acq", 1) +
              thread("q").replace("{", "{\n _ = await &c, 1, _ mode=acq", 1), "i", "p", "q")  # fmt: skip
    assert out.results == {(0, 24, 24)} and not out.stuck


MAKE, USE, DESTROY = ("_ = sync (&m, 2) op=barrier_init", "_ = sync (&m) op=barrier_wait",
                      "_ = sync (&m) op=barrier_destroy")  # fmt: skip
OTHER = function("q", "_ = await &c, 1, _ mode=acq", USE)


def test_destroying_a_barrier_where_somebody_waits() -> None:
    out = run(function("p", MAKE, "store &c, 1 mode=rel", DESTROY) + OTHER, "p", "q")
    assert {message for _, message in out.errors} == {
        "a wait at a barrier that was not initialised or is destroyed",
        "a barrier is destroyed while a thread waits at it",
    }


def test_a_barrier_is_destroyed_and_made_again_while_others_leave() -> None:
    again = (MAKE.replace("2", "1"), USE)
    out = run(function("p", MAKE, "store &c, 1 mode=rel", USE, DESTROY, *again, DESTROY, *again) + OTHER, "p", "q")
    assert not out.errors and not out.stuck and out.results == {(0, 0)}


def test_one_thread_of_a_barrier_is_told() -> None:
    thread = [function(n, "%a = sync (&m) op=barrier_wait", result="%a") for n in "pqr"]
    text = "".join(thread).replace("global m size=40 align=8", "")
    program = read_program(HEAD.replace("global m size=40 align=8", "global m size=40 align=8 init=(0:8:3)") + text
                           + "\nthread p = p()\nthread q = q()\nthread r = r()")  # fmt: skip
    out = interleave(lower_synchronisation(program))
    assert out.results == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}


def test_a_semaphore_counts() -> None:
    taker = "".join(function(n, "_ = sync (&m) op=sem_wait", "%a = rmw &x, 1 op=add mode=rlx", result="%a")
                    for n in "pq")  # fmt: skip
    out = run(taker + function("s", "_ = sync (&m) op=sem_post"), "p", "q", "s")
    assert not out.results and out.stuck
    posted = function("s", "_ = sync (&m) op=sem_post", "_ = sync (&m) op=sem_post")
    assert run(taker + posted, "p", "q", "s").results == {(0, 1, 0), (1, 0, 0)}
    tried = function("p", "_ = sync (&m, 1) op=sem_init", "%a = sync (&m) op=sem_trywait",
                     "%b = sync (&m) op=sem_trywait", "%c = sync (&m) op=sem_getvalue",
                     "%b = compute (%b, %a) op=sub", "%b = compute (%b, %c) op=add", result="%b")  # fmt: skip
    assert run(tried, "p").results == {(11,)}


def test_once_runs_once_and_the_others_wait() -> None:
    setup = function("setup", "%a = rmw &x, 1 op=add mode=rlx")
    caller = "".join(function(n, "_ = sync (&c, @setup) op=once", "%a = load &x mode=na", result="%a") for n in "pq")
    out = run(setup + caller, "p", "q")
    assert out.results == {(1, 1)} and not out.stuck
