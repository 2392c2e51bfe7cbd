"""The papers' programs: each is valid, prints and reads back, reaches the core, and has the executions it should."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from fencepost import _core
from fencepost.frontends import read_file
from fencepost.program.encode import encode
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program
from fencepost.reference import trust

PAPERS = Path(__file__).parents[2] / "examples" / "papers"
PROGRAMS = sorted(PAPERS.glob("*.fp"))
EXPECTED = tomllib.loads((Path(__file__).parent / "papers.toml").read_text())
COUNTS = [(name, model, count) for name, models in EXPECTED.items() for model, count in models.items()]


def test_every_paper_is_there() -> None:
    papers = {path.stem.split("-")[0] for path in PROGRAMS}
    assert papers == {"power2sc", "rcmc", "rocker", "rsmc"}
    assert set(EXPECTED) <= {path.stem for path in PROGRAMS}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_text_form_reads_back_equal(path: Path) -> None:
    program = read_file(path)
    text = print_program(program)
    assert read_program(text) == program
    assert print_program(read_program(text)) == text


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_core_decodes_every_instruction(path: Path) -> None:
    program = read_file(path)
    encoded = encode(program)
    assert _core.decode(encoded.words, encoded.strings).instructions == sum(len(f.code) for f in program.functions)


@pytest.mark.parametrize(("name", "model", "count"), COUNTS)
def test_complete_executions(name: str, model: str, count: int) -> None:
    found = trust.explore(read_file(PAPERS / f"{name}.fp"), model)
    assert (len(found.complete), found.duplicates) == (count, 0)


@pytest.mark.parametrize(
    ("name", "flags", "model", "count"),
    [
        ("rcmc-ainc", ["-DN=3"], "rc11", 6),
        ("rcmc-binc", ["-DN=2"], "rc11", 4),
        ("rcmc-readers", ["-DN=5"], "rc11", 32),
        ("rcmc-casw", ["-DN=4"], "wrc11", 200),
    ],
)
def test_constants_can_be_set(name: str, flags: list[str], model: str, count: int) -> None:
    assert len(trust.explore(read_file(PAPERS / f"{name}.fp", flags=flags), model).complete) == count
