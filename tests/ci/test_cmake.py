"""The CMake module, by cmake and ctest themselves."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fencepost

MODULE = Path(fencepost.__file__).parent / "cmake" / "Fencepost.cmake"
COMMAND = Path(sys.executable).parent / "fencepost"
GOOD = "int x;\nint main(void) { x = VALUE; return x - VALUE; }\n"
BAD = "#include <assert.h>\nint main(void) { assert(VALUE == 2); }\n"
ENDLESS = "int x;\nint main(void) { for (int i = 0; i < 100; i++) x += i; return x; }\n"
needs_cmake = pytest.mark.skipif(not shutil.which("cmake") or not COMMAND.exists(), reason="cmake is not installed")


def configure(folder: Path, lines: str) -> subprocess.CompletedProcess[str]:
    text = f"cmake_minimum_required(VERSION 3.16)\nproject(p NONE)\ninclude({MODULE})\nenable_testing()\n{lines}\n"
    (folder / "CMakeLists.txt").write_text(text, encoding="utf-8")
    command = ["cmake", "-S", str(folder), "-B", str(folder / "build"), f"-DFENCEPOST_EXECUTABLE={COMMAND}"]
    return subprocess.run(command, capture_output=True, text=True)


@needs_cmake
def test_ctest_shows_each_answer(tmp_path: Path) -> None:
    for name, text in (("good.c", GOOD), ("bad.c", BAD), ("endless.c", ENDLESS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    tests = "fencepost_add_test(NAME good SOURCES good.c MODEL sc FLAGS -DVALUE=1)\n"
    tests += "fencepost_add_test(NAME bad SOURCES bad.c FLAGS -DVALUE=1)\n"
    tests += "fencepost_add_test(NAME endless SOURCES endless.c OPTIONS --unroll 3 TIMEOUT 60)\n"
    made = configure(tmp_path, tests)
    assert made.returncode == 0, made.stderr
    done = subprocess.run(["ctest"], cwd=tmp_path / "build", capture_output=True, text=True)
    lines = {
        name: next(x for x in done.stdout.splitlines() if f": {name} " in x) for name in ("good", "bad", "endless")
    }
    assert "Passed" in lines["good"]
    assert "Failed" in lines["bad"]
    assert "Skipped" in lines["endless"]


@needs_cmake
@pytest.mark.skipif(not shutil.which("cc"), reason="CMake finds no C compiler")
def test_a_target_gives_its_sources_folders_and_definitions(tmp_path: Path) -> None:
    """Several of each: they are a list in CMake, and separate words for the compiler."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "value.h").write_text("#define VALUE (FIRST + SECOND)\n", encoding="utf-8")
    (tmp_path / "own.h").write_text("#include <value.h>\n", encoding="utf-8")
    (tmp_path / "bare.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    (tmp_path / "test.c").write_text(f'#include "own.h"\n{BAD}', encoding="utf-8")
    lines = (
        "enable_language(C)\nadd_executable(t test.c own.h)\ntarget_include_directories(t PRIVATE . include)\n"
        "target_compile_definitions(t PRIVATE FIRST=1 SECOND=1)\nadd_executable(bare bare.c)\n"
        "fencepost_add_test(NAME whole TARGET t)\nfencepost_add_test(NAME bare TARGET bare MODEL armv8)\n"
    )
    made = configure(tmp_path, lines)
    assert made.returncode == 0, made.stderr
    done = subprocess.run(
        ["ctest", "--output-on-failure"], cwd=tmp_path / "build", capture_output=True, text=True, check=False
    )
    assert "100% tests passed" in done.stdout, done.stdout


@needs_cmake
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("fencepost_add_test(SOURCES x.c)", "NAME is missing"),
        ("fencepost_add_test(NAME t)", "no SOURCES and no TARGET"),
        ("fencepost_add_test(NAME t MODLE sc SOURCES x.c)", "unknown words: MODLE"),
    ],
)
def test_a_wrong_call_is_explained(line: str, message: str, tmp_path: Path) -> None:
    made = configure(tmp_path, line)
    assert made.returncode != 0
    assert message in " ".join(made.stderr.split())
