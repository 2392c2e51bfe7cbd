"""What a round reads that is left out: another thread may write or free it once the loop is over, and not in order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import fencepost
from fencepost import _core
from fencepost.explore.driver import explore
from fencepost.frontends.pseudo import read
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

_PLAIN_READ, _WRITES = 4, 1  # kinds of the core: Between::Kind, Look::Kind
MODELS = ["rc11", "rc11-cpp20", "wrc11"]
_RACE = """
var x, y, f
thread T { while 1 { k := x; if k == 1 { break }; s := y.na }; f := 1 }
thread Q { wait(f == 1); y.na := 1 }
thread R { x := 1 }
"""
_FREED = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int x, over, *p;
void *looks(void *u) {
  atomic_int *mine = p;
  while (!atomic_load_explicit(&x, memory_order_relaxed)) (void)atomic_load_explicit(mine, memory_order_relaxed);
  atomic_store_explicit(&over, 1, memory_order_relaxed);
  return u;
}
void *frees(void *u) {
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {}
  free(p);
  return u;
}
int main(void) {
  p = malloc(4);
  atomic_init(p, 0);
  pthread_t a, b;
  pthread_create(&a, 0, looks, 0);
  pthread_create(&b, 0, frees, 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def _checked(text: str, model: str, **options: object) -> Verdict:
    return explore(read(text, "a.fp"), model, CheckOptions(model=model, fix=False, **options))  # type: ignore[arg-type]


def _checked_c(folder: Path, text: str, **options: object) -> Verdict:
    path = folder / "waits.c"
    path.write_text(text, encoding="utf-8")
    return fencepost.check(path, fix=False, **options)


@pytest.mark.parametrize("model", MODELS)
def test_a_race_with_a_round_that_is_left_out_is_found(model: str) -> None:
    for options in ({}, {"spin_detection": False, "unroll": 3}):
        assert [e.kind for e in _checked(_RACE, model, **options).errors] == [ErrorKind.RACE]


def test_a_free_after_a_round_that_is_left_out_is_found(tmp_path: Path) -> None:
    assert _checked_c(tmp_path, _FREED).errors[0].kind is ErrorKind.USE_AFTER_FREE


@pytest.mark.parametrize("model", MODELS)
def test_a_write_that_follows_the_loop_in_order_is_no_doubt(model: str) -> None:
    ordered = _RACE.replace("f := 1", "f.rel := 1").replace("f == 1", "f.acq == 1")
    assert _checked(ordered, model).answer is Answer.PASS


_SEQUENCE_LOCK = """
var n, x, y
thread W { n := 1; fence.sc; x.na := 1; y.na := 1; fence.sc; n := 2 }
thread R { while 1 { k := n; if k == 2 { break }; a := x.na; b := y.na } }
"""


@pytest.mark.parametrize("model", ["armv8", "power", "riscv"])
def test_what_a_round_reads_is_no_doubt_where_no_race_is_an_error(model: str) -> None:
    assert _checked(_SEQUENCE_LOCK, model).answer is Answer.PASS
    assert _checked(_SEQUENCE_LOCK, "rc11").answer is not Answer.PASS


@pytest.mark.parametrize("model", ["armv8", "power"])
def test_a_free_is_a_doubt_under_every_model(model: str, tmp_path: Path) -> None:
    assert _checked_c(tmp_path, _FREED, model=model).answer is not Answer.PASS


@pytest.mark.parametrize("model", MODELS)
def test_where_a_few_rounds_show_nothing_there_is_no_answer(model: str) -> None:
    """The write is in order with the loop, but not with what came after it."""
    beside = _RACE.replace("f\n", "f, g\n", 1).replace("f := 1", "f.rel := 1; g := 1")
    text = beside.replace("wait(f == 1)", "wait(f.acq == 1); wait(g == 1)")
    assert _checked(text, model).answer is Answer.UNKNOWN


@pytest.mark.parametrize("text", [
    "thread Q { y.na := 1; y.rel := 2 }\nthread T { while 1 { k := x; if k == 1 { break }; s := y.acq } }",
    "thread T { while 1 { k := x; if k == 1 { break }; s := y.acq } }\nthread Q { y.na := 1; y.rel := 2 }",
])  # fmt: skip
@pytest.mark.parametrize("model", MODELS)
def test_a_race_of_a_read_after_which_the_search_ends_is_found(text: str, model: str) -> None:
    """The round may not see the newest write, and is in order with that one."""
    found = _checked(f"var x, y\n{text}\nthread R {{ x := 1 }}\n", model)
    assert [e.kind for e in found.errors] == [ErrorKind.RACE]


#: Queues hand nodes over by releases and acquires: a round in vain reads what others wrote into theirs.
_QUEUE = Path(__file__).parents[2] / "benchmarks" / "rcmc" / "ms-queue.c"


@pytest.mark.parametrize("model", ["rc11", "wrc11"])
@pytest.mark.parametrize("flags", [(), ("-DSC",)])
def test_a_queue_whose_rounds_read_nodes_is_decided(model: str, flags: tuple[str, ...]) -> None:
    found = fencepost.check(_QUEUE, model=model, fix=False, flags=("-DN=3", *flags))
    assert (found.answer, found.executions) == (Answer.PASS, 1368)


#: A round reads four bytes; another thread writes the third of them.
_PARTS = """
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
atomic_int x, over;
union { int whole; unsigned char byte[4]; } u;
void *looks(void *unused) {
  int sum = 0;
  while (!atomic_load_explicit(&x, memory_order_relaxed)) { int seen = 0; READ; sum |= seen & 0; }
  atomic_store_explicit(&over, 1, memory_order_relaxed);
  return sum ? unused : 0;
}
void *writes(void *unused) {
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {}
  WRITE;
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, looks, 0);
  pthread_create(&b, 0, writes, 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


@pytest.mark.parametrize("read_by", ["seen = u.whole", "memcpy(&seen, &u, 4)", "seen = *(int *)(void *)u.byte"])
@pytest.mark.parametrize("write_by", ["u.byte[2] = 1", "memset((char *)&u + 2, 1, 1)", "*((char *)&u.whole + 2) = 1"])
def test_a_write_to_a_part_of_what_a_round_reads_is_met(tmp_path: Path, read_by: str, write_by: str) -> None:
    for options in ({}, {"jobs": 2}):
        found = _checked_c(tmp_path, _PARTS.replace("READ", read_by).replace("WRITE", write_by), **options)
        assert [e.kind for e in found.errors] == [ErrorKind.RACE]


@pytest.mark.parametrize("write", [(2, 1), (0, 4), (3, 1), (1, 2)])
def test_places_meet_where_they_share_a_byte(write: tuple[int, int]) -> None:
    """Workers that never saw an access of the other size have cut nothing to pieces."""
    between, look = _core.CoreBetween(), _core.CoreLook()
    between.kind, between.address, between.size, between.thread = _PLAIN_READ, 0x1000, 4, 1
    look.kind, look.address, look.size, look.thread = _WRITES, 0x1000 + write[0], write[1], 2
    assert _core.meet(between, look)
    look.address = 0x1004
    assert not _core.meet(between, look)
    look.address = 0x1000 - look.size
    assert not _core.meet(between, look)


_ENDED = """
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, over, *_Atomic p;
void *looks(void *u) {
  atomic_int *mine;
  while (!(mine = atomic_load_explicit(&p, memory_order_acquire))) {}
  while (!atomic_load_explicit(&x, memory_order_relaxed)) (void)atomic_load_explicit(mine, memory_order_relaxed);
  atomic_store_explicit(&over, 1, memory_order_relaxed);
  return u;
}
void *ends(void *u) {
  atomic_int own = 0;
  atomic_store_explicit(&p, &own, memory_order_release);
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {}
  return u;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, looks, 0);
  pthread_create(&b, 0, ends, 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def test_a_round_may_read_the_stack_of_a_thread_that_has_ended(tmp_path: Path) -> None:
    """Only where the thread learns in order that the loop is over has it gone on."""
    assert [e.kind for e in _checked_c(tmp_path, _ENDED).errors] == [ErrorKind.USE_AFTER_FREE]
    ordered = _ENDED.replace("over, 1, memory_order_relaxed", "over, 1, memory_order_release")
    ordered = ordered.replace("&over, memory_order_relaxed", "&over, memory_order_acquire")
    assert _checked_c(tmp_path, ordered).answer is Answer.PASS


def test_a_free_of_memory_that_a_round_reads_in_the_middle_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "freed.c"
    inside = _FREED.replace("malloc(4)", "malloc(12)").replace("atomic_int *mine = p;", "atomic_int *mine = p + 2;")
    path.write_text(inside.replace("atomic_init(p, 0)", "atomic_init(p + 2, 0)"), encoding="utf-8")
    assert fencepost.check(path, fix=False).answer is not Answer.PASS


def test_a_free_of_other_memory_of_the_same_thread_is_no_doubt(tmp_path: Path) -> None:
    """As std::thread does: the one who starts a thread allocates what that one frees."""
    path = tmp_path / "freed.c"
    path.write_text(_FREED.replace("free(p)", "free(u)").replace("frees, 0)", "frees, malloc(4))"), encoding="utf-8")
    assert fencepost.check(path, fix=False).answer is Answer.PASS


@pytest.mark.parametrize("model", MODELS)
def test_where_the_loop_is_left_in_order_nothing_is_doubtful(model: str) -> None:
    ordered = _RACE.replace("f := 1", "f.rel := 1").replace("f == 1", "f.acq == 1")
    assert _checked(ordered.replace("y.na := 1", "z := 1").replace("f\n", "f, z\n", 1), model).answer is Answer.PASS


@pytest.mark.parametrize("model", MODELS)
def test_what_a_round_reads_first_is_read_again(model: str) -> None:
    """The read that ends the loop is there, and shows the race."""
    text = (
        "var y, f\nthread T { while y == 0 { }; f := 1 }\nthread R { y := 1 }\nthread Q { wait(f == 1); y.na := 2 }\n"
    )
    found = _checked(text, model)
    assert [e.kind for e in found.errors] == [ErrorKind.RACE]


@pytest.mark.parametrize(("first", "write"), [("rlx", "rlx"), ("rlx", "rel"), ("rlx", "na"), ("na", "rlx")])
@pytest.mark.parametrize("model", MODELS)
def test_a_plain_read_of_what_a_round_reads_first_counts(first: str, write: str, model: str) -> None:
    """The last round reads the place by an atomic, which races with less."""
    for tells, learns, answer in (("rlx", "rlx", Answer.FAIL), ("rel", "acq", Answer.PASS)):
        text = f"""
            var x, y, f
            thread T {{ while 1 {{ t := y.{first}; k := x; if k == 1 {{ break }}; s := y.na }}; f.{tells} := 1 }}
            thread Q {{ wait(f.{learns} == 1); y.{write} := 1 }}
            thread R {{ x := 1 }}"""
        slowly = _checked(text, model, spin_detection=False, unroll=3)
        assert _checked(text, model).answer is answer
        assert (slowly.answer is Answer.FAIL) == (answer is Answer.FAIL)


#: What is freed is larger in some executions, and who frees it cannot tell.
_LARGER = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int c, x, over, *_Atomic p;
void *looks(void *unused) {
  int big = atomic_load_explicit(&c, memory_order_relaxed);
  atomic_int *mine = malloc(big ? 8 : 4);
  atomic_init(mine + big, 0);
  atomic_store_explicit(&p, mine, memory_order_release);
  while (!atomic_load_explicit(&x, memory_order_relaxed))
    if (big) (void)atomic_load_explicit(mine + 1, memory_order_relaxed);
  atomic_store_explicit(&over, 1, memory_order_relaxed);
  return unused;
}
void *frees(void *unused) {
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {}
  free(atomic_load_explicit(&p, memory_order_acquire));
  return unused;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, looks, 0);
  pthread_create(&b, 0, frees, 0);
  atomic_store_explicit(&c, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
"""


def test_what_is_freed_is_as_large_as_it_ever_is(tmp_path: Path) -> None:
    assert [e.kind for e in _checked_c(tmp_path, _LARGER).errors] == [ErrorKind.USE_AFTER_FREE]


def _program(seed: int) -> str:
    """A loop that reads while it waits, and a thread that writes when it learns, or not, that the loop is over."""
    pick = Random(seed).choice
    read_there, also = pick(["y.na", "y.rlx", "y.acq", "x.rlx"]), pick(["y.na", "z.rlx", "z.na"])
    body = pick([f"s := {read_there}", f"s := {read_there}; t := {also}", f"if k == 2 {{ s := {read_there} }}"])
    write = pick(["y.na := 1", "y.rlx := 1", "z.na := 1", "y.rel := 2", "r := y.na; z.rlx := 1"])
    learns = pick(["wait(f.{} == 1); {}", "if f.{} == 1 {{ {} }}"]).format(pick(["rlx", "acq"]), write)
    first = pick(["x.rlx", "x.acq"])
    return f"""
        var x, y, z, f
        thread T {{ while 1 {{ k := {first}; if k == 1 {{ break }}; {body} }}; f.{pick(["rlx", "rel"])} := 1 }}
        thread Q {{ {learns} }}
        thread R {{ {pick(["", "x.rlx := 2; "])}x.{pick(["rlx", "rel"])} := 1 }}"""


def _same_errors(seed: int, model: str, program: Callable[[int], str] = _program) -> bool:
    """What shows within three rounds of each loop, none left out, is told, and nothing else; whether one did."""
    text = program(seed)
    told, slowly = _checked(text, model), _checked(text, model, spin_detection=False, unroll=3)
    assert (told.answer is Answer.FAIL) == (slowly.answer is Answer.FAIL), f"seed {seed}, {model}\n{text}"
    return told.answer is Answer.FAIL


def _chain(seed: int) -> str:
    """The same with more threads in any order: some that pass it on, some that are equal, some that learn more."""
    random = Random(seed)
    pick = random.choice
    order = lambda: pick(["rlx", "rlx", "acq"])  # noqa: E731
    gives = lambda: pick(["rlx", "rel", "rel"])  # noqa: E731
    read_there = pick(["y.na", "y.na", "y.rlx", "y.acq"])
    body = pick([f"s := {read_there}", f"if k == 2 {{ s := {read_there} }}", f"t := z.rlx; s := {read_there}",
                 f"s := {read_there}; t := z.{order()}"])  # fmt: skip
    after = pick([f"f.{gives()} := 1", f"r := FADD(f.{pick(['rlx', 'acq_rel'])}, 1)", f"f.{gives()} := 1; g := 1",
                  "fence.rel; f := 1", "r := FADD(f.rlx, 1); if r == 1 { y.na := 3 }",
                  "r := FADD(f.acq_rel, 1); if r == 0 { y.na := 3 }"])  # fmt: skip
    write = pick(["y.na := 1", "y.na := 1", "y.rlx := 1", "y.rel := 2", "y.na := 1; y.rel := 2", "z := 1; y.na := 1"])
    learns = pick(["wait(h.{} == 1); {}", "wait(f.{} == 1); {}", "if h.{} == 1 {{ {} }}", "if f.{} == 1 {{ {} }}",
                   "wait(g.{} == 1); {}", "wait(f == 1); fence.acq; {1}", "i := x.{}; {}",
                   "wait(g == 1); wait(f.{} == 1); {}"])  # fmt: skip
    equal = pick(["", "", "(i in 1..2)"])
    threads = [
        f"thread T{equal} {{ while 1 {{ k := x.{order()}; if k == 1 {{ break }}; {body} }}; {after} }}",
        f"thread P {{ wait(f.{order()} == 1); h.{gives()} := 1 }}",
        f"thread Q {{ {learns.format(order(), write)} }}",
        f"thread R {{ {pick(['', 'x := 2; ', 'y.na := 4; ', 'g := 1; '])}x.{gives()} := 1 }}",
    ]
    random.shuffle(threads)
    return "\n".join(["var x, y, z, f, g, h", *threads])


@pytest.mark.parametrize("model", MODELS)
def test_errors_in_what_rounds_read_are_those_of_an_exploration_that_leaves_nothing_out(model: str) -> None:
    assert 10 < sum(_same_errors(seed, model) for seed in range(80)) < 40


@pytest.mark.parametrize("model", MODELS)
def test_so_they_are_where_others_pass_on_that_the_loop_is_over(model: str) -> None:
    assert 10 < sum(_same_errors(seed, model, _chain) for seed in range(60)) < 50


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_so_they_are_in_many_programs(model: str) -> None:
    assert sum(_same_errors(seed, model) for seed in range(1_000, 4_000)) > 300
    assert sum(_same_errors(seed, model, _chain) for seed in range(1_000, 4_000)) > 300
