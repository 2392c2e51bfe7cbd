"""Each malformed file gives exactly one clear message with its place. `pytest --promote` accepts changed messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fencepost.errors import InputError
from fencepost.frontends import read_file, read_text
from fencepost.program.instructions import Store

BAD = Path(__file__).parent / "bad"
FILES = sorted(BAD.glob("*.fp"))


def message_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_file(path)
    return str(caught.value).replace(str(BAD) + "/", "") + "\n"


def test_there_are_enough() -> None:
    assert len(FILES) >= 40
    assert {p.stem for p in BAD.glob("*.expected")} == {p.stem for p in FILES}, "every file should have its message"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_message(path: Path, request: pytest.FixtureRequest) -> None:
    found, golden = message_of(path), path.with_suffix(".expected")
    if request.config.getoption("--promote"):
        golden.write_text(found)
    assert found == golden.read_text()
    assert re.match(rf"{re.escape(path.name)}:\d+:\d+: ", found), "the place should come first"


@pytest.mark.parametrize(
    "text",
    [
        "var x\nthread P { r := " + "(" * 20_000 + "x" + ")" * 20_000 + " }",
        "var x\nthread P { r := " + "!" * 20_000 + "x }",
        "var x\nthread P { r := " + "- " * 20_000 + "x }",
        "var x\nthread P { r := " + " + ".join(["x"] * 10_000) + " }",
        "var x, a[2]\nthread P { r := " + "a[" * 10_000 + "0" + "]" * 10_000 + " }",
        "var x\nthread P { r := " + "[" * 10_000 + "0" + "]" * 10_000 + " }",
        "var x\nthread P " + "{ if x " * 20_000 + "{" + "}" * 20_001,
        "var x\nthread P { r := " + "FADD(x, " * 20_000 + "1" + ")" * 20_000 + " }",
        "var x\nthread P { skip }\nexists " + "!" * 20_000 + "(x == 1)",
        "{" * 20_000,
        "var x = " + "9" * 20_000 + "\nthread P { skip }",
    ],
    ids=lambda text: text[-12:].strip(),
)
def test_deep_input_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_text(text, "deep.fp")
    assert caught.value.line >= 1 and caught.value.column >= 1
    assert len(str(caught.value)) < 500


def test_many_cases_are_not_deep() -> None:
    """A long chain of else-ifs, of statements, of declarations nests nothing."""
    chain = "if r == 0 { skip }" + "".join(f" else if r == {i} {{ skip }}" for i in range(1, 3000))
    (thread,) = read_text(f"var x\nthread P {{ r := x\n{chain}\n{'x := 1;' * 3000} }}", "long.fp").functions
    assert sum(isinstance(i, Store) for i in thread.code) == 3000


def test_a_file_of_ten_megabytes_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "huge.fp"
    path.write_text("var x\nthread P {\n" + "x := 1\n" * 1_500_000 + "}\n")
    with pytest.raises(InputError, match="the file is too long"):
        read_file(path)


@pytest.mark.parametrize("name", ["nothing-there.fp", ".", "a.txt", "Makefile"])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    (tmp_path / "Makefile").write_text("hello")
    with pytest.raises(InputError):
        read_file(tmp_path / name)
