"""Whatever the text, reading it gives a valid Program or one message with its place; never anything else."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fencepost.errors import InputError
from fencepost.frontends.pseudo import read
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "pseudo-code.md").read_text(encoding="utf-8")
TEXTS = re.findall(r"```fp\n(.*?)```", PAGE, re.DOTALL)
TOKENS = sorted(set(re.findall(r"\w+|[^\w\s]+|\n", "\n".join(TEXTS))))


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A real program with a few tokens removed, replaced, doubled or put elsewhere."""
    words = re.findall(r"\w+|[^\w\s]+|\s+", draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        words[at : at + draw(st.integers(0, 2))] = draw(st.lists(st.sampled_from(TOKENS), max_size=2))
        if not words:
            break
    return "".join(words)


def check(text: str) -> None:
    try:
        program = read(text, "any.fp")
    except InputError as error:
        assert error.file == "any.fp" and error.line >= 1 and error.column >= 1 and error.message
        assert error.line <= text.count("\n") + 1
    else:
        assert read_program(print_program(program)) == program


@settings(max_examples=250, deadline=None)
@given(damaged())
def test_damaged_programs(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from(TOKENS), max_size=20).map(" ".join))
def test_noise(text: str) -> None:
    check(text)
