"""Calls and initialisers that are made once: an exception that leaves one means that the next one to come makes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fencepost import api
from fencepost.frontends.c.compile import find_compiler
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Answer, Verdict

COMPILERS = ["zig", *(["clang"] if shutil.which("clang") else [])]
HEAD = "#include <atomic>\n#include <cassert>\n#include <mutex>\n#include <thread>\nstd::once_flag f;\nint n;\n"
CALL = (
    HEAD
    + """int main() {
  int caught = 0;
  try { std::call_once(f, [] { n++; throw 7; }); n = 100; } catch (int thrown) { caught = thrown; }
  assert(caught == 7 && n == 1);
  std::call_once(f, [] { n++; });
  std::call_once(f, [] { n++; });
  assert(n == 2);
}
"""
)
TWO = (
    HEAD
    + """std::atomic<int> tries;
void run() {
  try {
    std::call_once(f, [] { if (tries++ == 0) throw 1; n++; });
    assert(n == 1);
  } catch (int) { }
}
int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
  assert(n == WANTED);
}
"""
)
LOCAL = (
    HEAD
    + """struct S { S() { if (n++ == 0) throw 1; } };
void use() { static S s; }
int main() {
  int caught = 0;
  try { use(); } catch (int) { caught = 1; }
  use();
  use();
  assert(caught == 1 && n == 2);
}
"""
)
LOCALS = (
    HEAD
    + """std::atomic<int> tries, made;
struct S { S() { if (tries++ == 0) throw 1; n = 5; made++; } };
void run() { try { static S s; assert(n == 5); } catch (int) { } }
int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
  assert(made == 1);
}
"""
)
NOBODY = (
    HEAD
    + """int main() {
  try { if (n) throw 1; } catch (int) { }
  std::call_once(f, [] { throw 1; });
}
"""
)


@pytest.fixture(params=COMPILERS, autouse=True)
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENCEPOST_CLANG", request.param)
    find_compiler.cache_clear()
    request.addfinalizer(find_compiler.cache_clear)


def check(tmp_path: Path, text: str) -> Verdict:
    path = tmp_path / "p.cpp"
    path.write_text(text)
    return api.check(path)


@pytest.mark.parametrize(
    "text", [CALL, TWO.replace("WANTED", "1"), LOCAL, LOCALS], ids=["call", "two", "local", "locals"]
)
def test_what_threw_is_made_by_the_next_one(tmp_path: Path, text: str) -> None:
    verdict = check(tmp_path, text)
    assert (verdict.answer, verdict.errors) == (Answer.PASS, ())


def test_a_wrong_claim_about_it_fails(tmp_path: Path) -> None:
    verdict = check(tmp_path, TWO.replace("WANTED", "2"))
    assert verdict.answer is Answer.FAIL and "n == 2" in verdict.errors[0].message


def test_what_nobody_catches_is_told_where_it_was_thrown(tmp_path: Path) -> None:
    (error,) = check(tmp_path, NOBODY).errors
    assert error.kind is ErrorKind.ABORT and error.at is not None and error.at.line == HEAD.count("\n") + 3
