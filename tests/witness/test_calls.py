"""Every step knows the calls that its thread is in, down to main or the thread's function."""

from __future__ import annotations

from pathlib import Path

from fencepost import api
from fencepost.program.operands import Position
from fencepost.report.json import verdict_data
from fencepost.witness.callers import callers
from fencepost.witness.sites import Called

_PROGRAM = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
static void set(int v) { atomic_store(&x, v); }
static void twice(void) {
  set(1);
  set(2);
}
static void *worker(void *u) { twice(); return u; }
static int get(void) { return atomic_load(&x); }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  int seen = get();
  assert(seen != 2);
  return 0;
}
"""


def test_the_calls_of_each_step(tmp_path: Path) -> None:
    file = tmp_path / "calls.c"
    file.write_text(_PROGRAM, encoding="utf-8")
    steps = verdict_data(api.check(file))["explanation"]["steps"]

    def calls(kind: str, number: int = 0) -> list[tuple[str, int]]:
        step = [s for s in steps if s["kind"] == kind][number]
        return [(c["function"], c["at"]["line"]) for c in step["calls"]]

    assert calls("write", 0) == [("set", 5), ("twice", 7), ("worker", 10)]
    assert calls("write", 1) == [("set", 5), ("twice", 8), ("worker", 10)]
    assert calls("read") == [("get", 11), ("main", 15)]
    assert calls("error") == [("main", 16)]


def test_the_text_tells_who_called_once_for_each_call(tmp_path: Path) -> None:
    file = tmp_path / "calls.c"
    file.write_text(_PROGRAM.replace("void set(int v) { ", "void set(int v) { atomic_load(&x); "), encoding="utf-8")
    text = " ".join(api.check(file, fix=False).story().replace("│", " ").split())
    first, second = (f"in set, called at calls.c:{line} in twice, called at calls.c:10" for line in (7, 8))
    assert text.count(first) == 1 and text.count(second) == 1 and text.index(first) < text.index(second)
    assert "called at calls.c:15" not in text, "get is shown where it is called"


def _place(at: Position | None) -> str:
    return f"{at.file}:{at.line}" if at is not None else ""


def test_a_call_that_goes_on_is_told_again_after_another_one() -> None:
    at = [Position("a.c", line) for line in range(9)]
    inside, outside = (Called("push", at[1]), Called("main", at[5])), (Called("main", at[4]),)
    steps = [(0, outside, at[4]), (0, inside, at[1]), (0, inside, at[1]), (0, outside, at[4]), (0, inside, at[1])]
    told = "in push, called at a.c:5"
    assert callers([*steps, (1, inside, at[1])], _place) == ["", told, "", "", told, told]


def test_libraries_and_the_far_outside_are_left_out() -> None:
    own = [Called(f"f{n}", Position("a.c", n)) for n in range(1, 7)]
    library = Called("invoke", Position("/usr/include/c++/12/functional", 7))
    (text,) = callers([(0, (own[0], library, *own[1:]), own[0].at)], _place)
    assert text == "in f1, called at a.c:2 in f2, called at a.c:3 in f3, called at a.c:4 ..."


def test_a_thread_of_the_library_frees_what_it_had(tmp_path: Path) -> None:
    """How std::thread gives its own memory back is no step of the story; what the program deletes is."""
    file = tmp_path / "hits.cpp"
    file.write_text(
        "#include <atomic>\n#include <cassert>\n#include <thread>\nstd::atomic<int> hits; std::atomic<int *> p;\n"
        "int main() {\n  p = new int;\n  auto hit = [] { if (hits++) delete p.load(); };\n"
        "  std::thread a(hit), b(hit);\n  a.join();\n  b.join();\n  assert(hits != 2);\n}\n"
    )
    text = api.check(file, fix=False).story()
    assert text.count("frees") == 1 and "hits.cpp:7" in text and "thread.h" not in text


def test_freed_memory_is_told_with_the_calls_of_its_allocation(tmp_path: Path) -> None:
    file = tmp_path / "gone.c"
    file.write_text(
        "#include <pthread.h>\n#include <stdlib.h>\nstruct conn { int fd; };\nstruct conn *shared;\n"
        "static struct conn *make(void) {\n  struct conn *c = malloc(sizeof *c);\n  c->fd = 1;\n  return c;\n}\n"
        "static void *use(void *u) { shared->fd = 2; return u; }\n"
        "int main(void) {\n  pthread_t t;\n  shared = make();\n  pthread_create(&t, 0, use, 0);\n  free(shared);\n"
        "  pthread_join(t, 0);\n}\n",
        encoding="utf-8",
    )
    text = " ".join(api.check(file, fix=False).story().split())
    assert "conn#1 is the memory allocated at gone.c:6 in make, called at gone.c:13" in text
