"""The cell magic of notebooks: `%load_ext fencepost`, then

    %%fencepost --model rc11 --unroll 3 -DN=2
    #include <stdatomic.h>
    ...

The cell is a program in C, C++, `.fp` or a litmus test; the options are those of `fencepost check`. The value is the
Verdict; `--outcomes` asks for the final states instead (`--models sc,tso`: side by side)."""

from __future__ import annotations

import shlex
from typing import Any

from fencepost import api
from fencepost.cli.arguments import Option, Parameter, spread
from fencepost.cli.frame import split
from fencepost.cli.words import parse
from fencepost.errors import FencepostError
from fencepost.options import CheckOptions, ExploreOptions

_OUTCOMES = Parameter("outcomes", bool, Option("--outcomes", "List the final states instead."), False)
_MODELS = Parameter("models", str | None, Option("--models", "With --outcomes: compare these models.", "MODELS"))
_OBSERVE = Parameter("observe", list[str] | None, Option("--observe", "With --outcomes: also this global.", "NAME"))


def register(shell: Any) -> None:
    """Makes the magic known to an IPython shell."""
    shell.register_magic_function(cell, "cell", "fencepost")


def cell(line: str, text: str) -> object:
    """What a cell shows: a Verdict or Outcomes; a mistake is printed, not thrown."""
    try:
        return _answer(shlex.split(line), text if "\n" in text else f"{text}\n")
    except FencepostError as problem:
        print(f"error: {problem}")
    except SystemExit:  # --help
        pass
    except ValueError as problem:
        print(f"error: {line}: {problem}")
    return None


def _answer(words: list[str], text: str) -> object:
    own, flags = split(words)
    parameters = [*spread(CheckOptions), _OUTCOMES, _MODELS, _OBSERVE]
    given = parse("%%fencepost", "Check the program in this cell.", parameters, own).values
    asked: dict[str, Any] = {name: given.pop(name) for name in ("outcomes", "models", "observe")}
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    if not asked["outcomes"]:
        return api.check(text, flags=flags, **values)
    kept: dict[str, Any] = {p.name: values[p.name] for p in spread(ExploreOptions)}
    observe = asked["observe"] or []
    if asked["models"]:
        names = [n.strip() for n in asked["models"].split(",") if n.strip()]
        return api.outcomes_by_model(text, names, flags=flags, observe=observe, **kept)
    return api.outcomes(text, flags=flags, observe=observe, **kept)
