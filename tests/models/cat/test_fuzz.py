"""No input makes the reader do anything but read it or say what is wrong with it."""

from __future__ import annotations

import random
import time

import pytest

from fencepost.errors import InputError
from fencepost.models.cat.judge import prepare
from fencepost.models.registry import find, names

WORDS = [
    "let",
    "rec",
    "and",
    "in",
    "fun",
    "match",
    "with",
    "end",
    "try",
    "if",
    "then",
    "else",
    "not",
    "from",
    "include",
    "acyclic",
    "irreflexive",
    "empty",
    "as",
    "flag",
    "show",
    "procedure",
    "call",
    "forall",
    "do",
    "enum",
    "po",
    "rf",
    "co",
    "R",
    "W",
    "F",
    "ACQ",
    "f",
    "x",
    "'",
    "'a",
    '"s"',
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "&",
    "\\",
    ";",
    "~",
    "+",
    "*",
    "?",
    "^-1",
    "++",
    "||",
    "->",
    "=",
    ",",
    "0",
    "_",
    "(*",
    "*)",
    "//",
    "\n",
]


def read_or_refuse(text: str) -> bool:
    try:
        prepare(text, "fuzz.cat")
    except InputError as error:
        assert error.line > 0
        return False
    return True


@pytest.mark.parametrize("seed", range(8))
def test_soup_of_words(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(120):
        read_or_refuse(" ".join(source.choices(WORDS, k=source.randint(1, 25))))


@pytest.mark.parametrize("name", names())
def test_models_with_a_word_changed(name: str) -> None:
    source, text = random.Random(name), find(name).source
    for _ in range(25):
        at = source.randrange(len(text))
        read_or_refuse(text[:at] + source.choice(WORDS) + text[at + source.randint(0, 6) :])


@pytest.mark.parametrize(
    "text",
    [
        "acyclic " + "(" * 5000 + "po" + ")" * 5000,
        "acyclic " + "~" * 5000 + "po",
        "acyclic po" + "+" * 5000,
        "acyclic " + "let x = po in " * 3000 + "x",
        "(*" * 10_000,
        "let f(x) = " + "f(" * 3000,
    ],
    ids=["brackets", "complements", "closures", "lets", "comments", "calls"],
)
def test_depth_is_refused_at_once(text: str) -> None:
    start = time.process_time()
    assert not read_or_refuse(text)
    assert time.process_time() - start < 5


def test_long_is_not_deep() -> None:
    assert read_or_refuse("acyclic " + " | ".join(["po", "rf ; co"] * 3000))


def test_endless_recursion_is_refused() -> None:
    from test_language import value

    with pytest.raises(InputError, match="without end"):
        value("f(po)", "let rec f(x) = f(x | rf)")
