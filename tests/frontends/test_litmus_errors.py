"""Each malformed test names the place, what was found and what was expected; the texts are golden."""

from __future__ import annotations

from pathlib import Path

import pytest

import fencepost
from fencepost.errors import InputError
from fencepost.frontends.litmus import read
from golden import assert_golden

FOLDER = Path(__file__).parent / "litmus_errors"
FILES = sorted(FOLDER.glob("*.litmus"))


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_a_malformed_test_is_refused_with_its_place(path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(path.read_text(), path.name)
    assert caught.value.line and caught.value.column
    assert_golden(path.with_suffix(".txt"), f"{caught.value}\n")


def test_there_are_many_of_them() -> None:
    assert len(FILES) >= 20


@pytest.mark.parametrize(
    "body", ["int r = " + "!" * 3000 + "1;", "int r = " + "(" * 3000 + "1;", "int r = " + "*" * 5000 + "x;",
             "if (1) " * 5000 + ";", "(" * 5000 + "r0 = 1;", "int r = " + "1 ? " * 3000 + "1;"],
)  # fmt: skip
def test_deep_nesting_in_c_is_refused_by_name(body: str) -> None:
    with pytest.raises(InputError, match="nested at most 63 deep"):
        read(f"C deep\n{{}}\nP0 (atomic_int* x) {{ {body} }}\nexists (x=0)\n", "deep.litmus")


def test_long_but_flat_expressions_are_read() -> None:
    text = f"C flat\n{{}}\nP0 (atomic_int* x) {{ int r = {'1+' * 2000}1; }}\nexists (0:r=2001)\n"
    assert fencepost.outcomes(read(text, "flat.litmus"), model="sc").holds


@pytest.mark.parametrize("place", ["init", "code", "condition"])
def test_a_number_of_thousands_of_digits_is_refused(place: str) -> None:
    n = {p: "9" * 5000 if p == place else "1" for p in ("init", "code", "condition")}
    with pytest.raises(InputError, match="at most 64 bits"):
        read(
            f"PPC big\n{{ x={n['init']}; }}\n P0 ;\n li r1,{n['code']} ;\nexists (0:r1={n['condition']})\n", "b.litmus"
        )
