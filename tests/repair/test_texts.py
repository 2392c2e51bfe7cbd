"""Where orders stand in texts, where fences may, and what patches look like."""

from __future__ import annotations

import os
import subprocess
from contextlib import chdir
from pathlib import Path

import pytest

import fencepost
from fencepost.cli import run
from fencepost.cli.patches import reply
from fencepost.options import RepairOptions
from fencepost.program.instructions import FenceKind, Mode
from fencepost.repair.sources import Inserted
from fencepost.repair.text.c import CText
from fencepost.repair.text.edits import apply
from fencepost.repair.text.pseudo import Pseudo

ORDERS = [
    ("atomic_store_explicit(&x, f(1, 2), memory_order_relaxed)", Mode.REL,
     "atomic_store_explicit(&x, f(1, 2), memory_order_release)"),
    ("x.store(1, std::memory_order_relaxed)", Mode.SC, "x.store(1, std::memory_order_seq_cst)"),
    ("p->load(std::memory_order::relaxed)", Mode.ACQ, "p->load(std::memory_order::acquire)"),
    ("__atomic_load_n(&x, __ATOMIC_RELAXED)", Mode.ACQ, "__atomic_load_n(&x, __ATOMIC_ACQUIRE)"),
    ("atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_relaxed, memory_order_relaxed)", Mode.ACQ_REL,
     "atomic_compare_exchange_strong_explicit(&x, &e, 1, memory_order_acq_rel, memory_order_acquire)"),
    ("x.compare_exchange_weak(e, 1, std::memory_order_relaxed)", Mode.ACQ,
     "x.compare_exchange_weak(e, 1, std::memory_order_acquire)"),
    ("atomic_load(&x)", Mode.ACQ, "atomic_load_explicit(&x, memory_order_acquire)"),
    ("flag.test_and_set()", Mode.ACQ, "flag.test_and_set(std::memory_order_acquire)"),
    ("atomic_compare_exchange_weak(&x, &e, 1)", Mode.REL,
     "atomic_compare_exchange_weak_explicit(&x, &e, 1, memory_order_release, memory_order_relaxed)"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "mode", "after"), ORDERS)
def test_an_order_is_written_where_it_stands(before: str, mode: Mode, after: str) -> None:
    language = CText("std" in after)
    text = f"int f() {{ return {before}; }}\n"
    start = min(
        i for i in (text.find(w) for w in ("atomic_", "__atomic", "store(", "load(", "compare", "test_")) if i > 0
    )
    place = language.order_at(text, start)
    assert place is not None
    edits = language.with_order(text, place, mode)
    assert edits is not None and apply(text, edits) == text.replace(before, after)


def test_the_order_of_a_macro_is_changed_in_its_body() -> None:
    text = (
        "#define LOAD(p) \\\n  atomic_load_explicit(p, memory_order_relaxed)\nint f() { return LOAD(&x) + LOAD(&y); }\n"
    )
    language = CText(False)
    first, second = (language.order_at(text, text.index(f"LOAD(&{v}")) for v in "xy")
    assert first is not None and second is not None and first.key == second.key
    edits = language.with_order(text, first, Mode.ACQ)
    assert edits is not None and "memory_order_acquire" in apply(text, edits)


def test_statements_of_c_begin_where_a_fence_may_stand() -> None:
    text = """struct S { int a; int b; };
int table[] = {1, 2};
int f(int n) {
  int a = 1; for (int i = 0; i < n; i++) { g(i); }
  if (n) h(); else k();
  do { a++; } while (a < 3);
  switch (a) { case 1: g(1); break; default: g(2); }
again: g(3); /* ; { */ g("; x"); auto l = [&] { g(4); };
  return a;
}
"""
    starts = [text[i:].split("(")[0].split("=")[0].split(";")[0].strip() for i in CText(True).gaps(text)]
    assert starts == ["int a", "for", "g", "if", "do { a++", "a++", "switch", "break", "again: g", "g", "g", "auto l",
                      "g", "return a"]  # fmt: skip


def test_a_do_without_braces_is_one_statement_with_its_while() -> None:
    text = "void f(void) {\n  do g(1); while (h());\n  do while (a) g(2); while (b);\n  g(3); while (c) g(4);\n}\n"
    starts = [text[i:].split("(")[0] for i in CText(False).gaps(text)]
    assert starts == ["do g", "do while ", "g", "while "]


def test_statements_of_fp_begin_where_a_fence_may_stand() -> None:
    text = "var x, y\nthread P {\n  x := 1; r := y +\n    2\n  if r == 1 { y := 1 } else { skip }\n L: x := 3\n}"
    starts = [text[i : i + 4].split("\n")[0].strip() for i in Pseudo().gaps(text)]
    assert starts == ["x :=", "r :=", "if r", "y :=", "skip", "L: x", "x :="]


def test_fences_are_written_in_the_words_of_the_file() -> None:
    assert CText(False).fence("#include <stdatomic.h>", [FenceKind.SC]) == "atomic_thread_fence(memory_order_seq_cst);"
    assert CText(False).fence("", [FenceKind.ACQ]) == "__atomic_thread_fence(__ATOMIC_ACQUIRE);"
    assert (
        CText(True).fence("#include <atomic>", [FenceKind.REL])
        == "std::atomic_thread_fence(std::memory_order_release);"
    )
    assert Pseudo().fence("", [FenceKind.ACQ, FenceKind.LWSYNC]) == "fence.acq; lwsync"


MP = """#include <pthread.h>
#include "shared.h"
void *writer(void *_) { data = 1; publish(); return 0; }
void *reader(void *_) { if (ready()) { int seen = data; (void)seen; } return 0; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0);
  pthread_join(a, 0); pthread_join(b, 0);
}
"""
SHARED = """#include <stdatomic.h>
static int data;
static atomic_int flag;
static inline void publish(void) { /* é */ atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static inline int ready(void) { return atomic_load_explicit(&flag, memory_order_relaxed); }
"""


def test_a_header_is_repaired_and_the_patch_applies(tmp_path: Path) -> None:
    (tmp_path / "mp.c").write_text(MP)
    (tmp_path / "shared.h").write_text(SHARED, encoding="utf-8")
    found = fencepost.repair(tmp_path / "mp.c")
    assert [Path(f).name for f, _ in found.texts] == ["shared.h"]
    subprocess.run(
        ["patch", "-p1", "-d", "/", "--dry-run"], input=found.patch, text=True, check=True, capture_output=True
    )
    assert run(["repair", str(tmp_path / "mp.c"), "--apply"]) == 0
    assert fencepost.check(tmp_path / "mp.c").answer.value == "PASS"


def test_a_disk_that_is_full_leaves_the_old_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, data: bytes) -> int:
        path.open("wb").close()  # what a full disk leaves of a file
        raise OSError(28, "No space left on device")

    (tmp_path / "mp.c").write_text(MP)
    (tmp_path / "shared.h").write_text(SHARED, encoding="utf-8")
    found = fencepost.repair(tmp_path / "mp.c")
    monkeypatch.setattr(Path, "write_bytes", full)
    assert reply(found, "", RepairOptions(apply=True)).exit_code == 2
    assert "No space left on device" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mp.c", "shared.h"]
    assert (tmp_path / "shared.h").read_text(encoding="utf-8") == SHARED


def test_what_was_changed_in_the_meantime_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mp.c").write_text(MP)
    (tmp_path / "shared.h").write_text(SHARED, encoding="utf-8")
    found = fencepost.repair(tmp_path / "mp.c")
    (tmp_path / "shared.h").write_text(SHARED + "// more\n", encoding="utf-8")
    assert reply(found, "", RepairOptions(apply=True)).exit_code == 2
    assert "shared.h was changed in the meantime" in capsys.readouterr().err
    assert (tmp_path / "shared.h").read_text(encoding="utf-8").endswith("// more\n")


def test_nothing_is_written_unless_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mp.c").write_text(MP)
    (tmp_path / "shared.h").write_text(SHARED, encoding="utf-8")
    assert run(["repair", str(tmp_path / "mp.c"), "--diff"]) == 0
    assert capsys.readouterr().out.startswith("--- a/")
    assert (tmp_path / "shared.h").read_text(encoding="utf-8") == SHARED


@pytest.mark.parametrize("arguments", [
    ["--only", "loads"], ["--cost", "acq"], ["--cost", "nothing=3"], ["--goal", "robust"], ["--goal", "x"],
])  # fmt: skip
def test_bad_usage_is_told(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.fp"
    path.write_text("var x\nthread P { x := 1 }\n")
    assert run(["repair", str(path), *arguments]) == 2
    assert "expected" in capsys.readouterr().err or arguments[-1] == "robust"


def test_a_dialect_that_cannot_be_written_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.litmus"
    path.write_text("MIPS a\n{}\n P0 ;\n sync ;\nexists (x=1)\n")
    assert run(["repair", str(path)]) == 2
    assert "only C, C++, .fp and litmus tests of C" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["here", "above", "elsewhere", "root"])
def test_the_answer_does_not_depend_on_the_working_directory(where: str, tmp_path: Path) -> None:
    """Compilers name files from where they run; a mark that was not found again would stay there as a fence."""
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "sb.c"
    text = (Path(__file__).parent / "bugs" / "store_buffer.c").read_text()
    path.write_text(text)
    folder = {"here": path.parent, "above": tmp_path, "elsewhere": Path(__file__).parent, "root": Path("/")}[where]
    with chdir(folder):
        names = [path, Path(os.path.relpath(path))]
        found = [fencepost.repair(name, only="fences") for name in names]
    assert [len(f.changes) for f in found] == [2, 2] and all(f.cost == 26 and not f.notes for f in found)


def test_marks_that_are_not_found_again_are_no_fences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sb.c"
    path.write_text((Path(__file__).parent / "bugs" / "store_buffer.c").read_text())
    monkeypatch.setattr(Inserted, "marked", lambda self, offset: None)
    found = fencepost.repair(path)
    assert len(found.changes) == 4 and "not found again" in found.notes[0]


WRAPPED = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int data;
#define RLX memory_order_relaxed
static void put(atomic_int *p, int v, memory_order o) { atomic_store_explicit(p, v, o); }
void *w(void *a) { data = 1; PUT; return 0; }
void *r(void *a) { if (atomic_load_explicit(&flag, RLX)) assert(data == 1); return 0; }
int main() {
  pthread_t a, b;
  pthread_create(&a, 0, w, 0); pthread_create(&b, 0, r, 0); pthread_join(a, 0); pthread_join(b, 0);
}
"""


def test_an_order_behind_a_macro_is_known(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.c"
    path.write_text(WRAPPED.replace("PUT", "atomic_store_explicit(&flag, 1, RLX)"))
    found = fencepost.repair(path, only="accesses")
    assert found.answer.value == "PASS" and found.cost == 4 and "memory_order_release" in found.patch


def test_a_place_that_cannot_be_changed_is_no_reason_to_say_that_nothing_helps(tmp_path: Path) -> None:
    path = tmp_path / "wrapped.c"
    path.write_text(WRAPPED.replace("PUT", "put(&flag, 1, memory_order_relaxed)"))
    found = fencepost.repair(path, only="accesses")
    assert found.answer.value == "UNKNOWN" and "wrapped.c:7" in found.reason
    with_fences = fencepost.repair(path)
    assert with_fences.answer.value == "PASS" and "atomic_thread_fence(memory_order_release)" in with_fences.patch
