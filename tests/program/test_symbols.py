"""Names of the linker in messages: nobody should have to read `_ZL6shared`."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import api
from fencepost.frontends.c.demangle import demangle
from fencepost.program.symbols import demangled


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("shared", "shared"),
        ("_ZL6shared", "shared"),
        ("_ZL6shared.1", "shared.1"),
        ("_ZL6shared[8]", "shared[8]"),
        ("_ZN12_GLOBAL__N_16hiddenE.next", "(anonymous namespace)::hidden.next"),
        ("_Zzz", "_Zzz"),
    ],
)
def test_symbols_are_read(symbol: str, text: str) -> None:
    assert demangled(symbol) == text


def test_functions_of_one_file_are_read_without_a_library() -> None:
    assert demangle("_ZL3runv") == "run()"
    assert demangle("_ZN12_GLOBAL__N_14boomEPi") == "(anonymous namespace)::boom()"


TEXT = """#include <pthread.h>
static int shared;
static void *run(void *) { shared++; return 0; }
int main() {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  shared++;
  pthread_join(t, 0);
}
"""


def test_no_message_has_a_symbol(tmp_path: Path) -> None:
    path = tmp_path / "p.cpp"
    path.write_text(TEXT)
    errors = [*api.check(path).errors, *api.outcomes(path).errors]
    assert len(errors) >= 2
    for error in errors:
        assert "race on shared" in error.message and "_Z" not in error.message


@pytest.mark.parametrize(("symbol", "text"), [
    ("_ZNSt3__16threadC2B9nie220108IRFvvEJETnNS_9enable_ifIXsr1aE4typeELi0EEEOS5_", "std::thread::thread"),
    ("_ZNK3foo3barITnbad", "foo::bar"), ("_ZQ", "_ZQ"), ("_ZNQ", "_ZNQ"), ("_ZN99x", "_ZN99x"),
])  # fmt: skip
def test_of_what_nobody_can_read_the_path_is_told(symbol: str, text: str) -> None:
    assert demangled(symbol) == text
