"""Every example of the language's page is a valid program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fencepost.frontends.pseudo import read
from fencepost.program.printer import print_program
from golden import assert_golden

PAGE = Path(__file__).parents[3] / "docs" / "pseudo-code.md"
EXAMPLES = re.findall(r"```fp\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_is_valid(number: int) -> None:
    program = read(EXAMPLES[number], f"example{number}.fp")
    assert program.threads


def test_what_each_construct_becomes() -> None:
    source = Path(__file__).parent / "lowering.fp"
    program = read(source.read_text(), source.name)
    assert_golden(source.with_suffix(".fpir"), print_program(program))
