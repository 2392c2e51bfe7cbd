"""Command lines that are read without the parser of the standard library mean what they mean to it."""

from __future__ import annotations

import random
from importlib import import_module

import pytest

from fencepost.cli import VERBS
from fencepost.cli.arguments import Argument, Option, Parameter, plainly
from fencepost.cli.frame import parameters_of
from fencepost.cli.parser import by_argparse
from fencepost.errors import UsageError

VALUES = ["3", "0", "-1", "x", "", "a=b", "rc11", "1.5", "--", "-x", "a b", "-"]


def _parameters(verb: str) -> list[Parameter]:
    return parameters_of(getattr(import_module(f"fencepost.cli.{verb}"), verb))[0]


def _words(parameters: list[Parameter], rng: random.Random) -> list[str]:
    flags = [p.details.flag for p in parameters if isinstance(p.details, Option)]
    flags += [p.details.off for p in parameters if isinstance(p.details, Option) and p.details.off]
    made: list[str] = []
    for _ in range(rng.randrange(6)):
        flag, value = rng.choice([*flags, "--nonsense", flags[0][:-1]]), rng.choice(VALUES)
        made += rng.choice([[flag], [flag, value], [f"{flag}={value}"], ["file.fp"], [value]])
    return made


@pytest.mark.parametrize("verb", [v.name for v in VERBS])
def test_plain_words_mean_what_the_standard_library_takes_them_for(verb: str) -> None:
    parameters = _parameters(verb)
    rng, read = random.Random(verb), 0
    for _ in range(400):
        words = _words(parameters, rng)
        found = plainly(parameters, words)
        if found is None:
            continue
        read += 1
        try:
            expected = by_argparse("fencepost", "", parameters, words)
        except UsageError as error:
            pytest.fail(f"{words}: {error}")
        assert found == expected, words
    assert read > 20


def test_what_is_not_plain_is_left_to_the_standard_library() -> None:
    parameters = _parameters("check")
    for words in (["--help"], ["--unroll", "x"], ["--unroll"], ["--json=1"], ["--unrol", "3"], ["--unroll", "-3"]):
        assert plainly(parameters, words) is None, words
    one = [Parameter("file", str, Argument("FILE", ""))]
    assert plainly(one, ["a"]) == {"file": "a"}
    assert plainly(one, ["a", "b"]) is None
    assert plainly(parameters, ["a.c", "--unroll", "3", "b.c", "--no-fix", "--ignore=race", "--ignore", "leak"]) == {
        "files": ["a.c", "b.c"], "unroll": 3, "fix": False, "ignore": ["race", "leak"],
    }  # fmt: skip
