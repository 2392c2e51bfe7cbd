"""A C program whose files are those of the last time is answered without a compiler; where they may differ, not."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from fencepost.cli import run
from fencepost.frontends.c import compile as compiling
from fencepost.frontends.c import dependencies

MAIN = '#include <assert.h>\n#include "value.h"\nint main(void) { assert(VALUE == 1); }\n'


class Place:
    """A folder with a program, and how often the compiler was called."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys, self.calls = folder, capsys, 0

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        time.sleep(0.06)  # what is as young as the question is not trusted

    def ask(self, *words: str) -> tuple[str, bool, bool]:
        """The verdict, whether it was known, and whether the compiler was called."""
        before = self.calls
        run(["check", "a.c", "--json", "--no-fix", *words])
        found: dict[str, Any] = json.loads(self.capsys.readouterr().out)
        return found["verdict"], "cached" in found, self.calls > before


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("FENCEPOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    found, call = Place(tmp_path, capsys), compiling._call

    def counted(*arguments: Any) -> Path:
        found.calls += 1
        return call(*arguments)

    monkeypatch.setattr(compiling, "_call", counted)
    found.write("value.h", "#define VALUE 1\n")
    found.write("a.c", MAIN)
    return found


def test_the_second_time_nobody_calls_the_compiler(place: Place) -> None:
    assert place.ask() == ("PASS", False, True)
    assert place.ask() == ("PASS", True, False)
    assert place.ask("--no-cache") == ("PASS", False, True)


def test_a_header_that_changes_counts_even_with_its_old_time(place: Place) -> None:
    place.ask()
    before = (place.folder / "value.h").stat()
    place.write("value.h", "#define VALUE 2\n")
    os.utime(place.folder / "value.h", ns=(before.st_atime_ns, before.st_mtime_ns))
    time.sleep(0.06)
    assert place.ask() == ("FAIL", False, True)
    assert place.ask() == ("FAIL", True, False)


def test_a_header_that_comes_before_another_counts(place: Place) -> None:
    (place.folder / "value.h").unlink()
    place.write("second/part/value.h", "#define VALUE 1\n")
    place.write("a.c", MAIN.replace('"value.h"', "<part/value.h>"))
    (place.folder / "first").mkdir()
    words = ("-Ifirst", "-I", "second")
    assert place.ask(*words) == ("PASS", False, True)
    assert place.ask(*words) == ("PASS", True, False)
    place.write("first/part/value.h", "#define VALUE 2\n")
    assert place.ask(*words) == ("FAIL", False, True)


def test_a_header_that_was_asked_for_and_comes_counts(place: Place) -> None:
    place.write("value.h", '#if __has_include("more.h")\n#define VALUE 2\n#else\n#define VALUE 1\n#endif\n')
    assert place.ask() == ("PASS", False, True)
    assert place.ask() == ("PASS", True, False)
    place.write("more.h", "")
    assert place.ask() == ("FAIL", False, True)


@pytest.mark.parametrize(
    "text",
    ["#define WHEN __TIME__\n", "#define M <m.h>\n#if __has_include(M)\n#endif\n", "#if 0\n#embed <x>\n#endif\n"],
)
def test_what_is_not_followed_is_compiled_each_time(place: Place, text: str) -> None:
    place.write("value.h", f"{text}#define VALUE 1\n")
    place.ask()
    assert place.ask()[2]


@pytest.mark.parametrize("words", [("-include", "value.h"), ("-fshort-wchar",)])
def test_flags_that_are_not_followed_are_compiled_each_time(place: Place, words: tuple[str, ...]) -> None:
    assert place.ask("--", *words)[0] == "PASS"
    assert place.ask("--", *words) == ("PASS", True, True)


def test_other_flags_and_folders_are_other_questions(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.ask()
    assert place.ask("--", "-DX")[2]
    monkeypatch.setenv("CPATH", str(place.folder))
    assert place.ask()[2]


@pytest.mark.parametrize(
    "words",
    [["--model", "sc"], ["--unroll", "1"], ["--ignore", "race"], ["--leaks"], ["--no-spurious-failures"],
     ["--volatile", "relaxed"], ["--max-events", "100"], ["--keep-going"], ["--no-reductions"]],
)  # fmt: skip
def test_other_options_are_other_questions(place: Place, words: list[str]) -> None:
    place.ask()
    assert place.ask(*words)[1] is False
    assert place.ask(*words)[1] is True
    assert place.ask()[1] is True


def test_what_changes_while_it_is_read_is_not_recorded(place: Place) -> None:
    since = time.time_ns() - 50_000_000
    files = [Path("a.c")]
    assert dependencies.look(files, ["value.h"], (), since) != ""
    place.write("value.h", "#define VALUE 1\n")
    assert dependencies.look(files, ["value.h"], (), since) == ""
