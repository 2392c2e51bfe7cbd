"""The public functions, thin: each reads its input, makes its options, and calls one analysis."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fencepost.errors import UnsupportedError
from fencepost.options import CheckOptions, ExploreOptions, make
from fencepost.program.program import Program
from fencepost.verdict import Outcomes, Verdict

if TYPE_CHECKING:
    from fencepost.doctor import Finding

Source: TypeAlias = Program | str | Path | Sequence[str | Path]


def read(source: Source, *, flags: Sequence[str] = ()) -> Program:
    """The Program of a file, of several C or C++ files, or of `-` (standard input). A Program is returned as it is."""
    from fencepost.frontends import read_file, read_files

    if isinstance(source, Program):
        return source
    return read_file(source, flags=flags) if isinstance(source, str | Path) else read_files(source, flags=flags)


def check(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> Verdict:
    """Explores all executions under a memory model and looks for errors. `keywords` are the fields of CheckOptions."""
    options = make(CheckOptions, keywords)
    program = read(source, flags=flags)
    verdict: Verdict = _room("explore", "exploration").explore(program, find_model(options.model), options)
    return verdict


def outcomes(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> Outcomes:
    """The final states of all executions. `keywords` are the fields of ExploreOptions."""
    options = make(ExploreOptions, keywords)
    program = read(source, flags=flags)
    found: Outcomes = _room("explore", "exploration").outcomes(program, find_model(options.model), options)
    return found


def find_model(name: str) -> Any:
    """The memory model with this name, or in this .cat file."""
    return _room("models.registry", "the collection of memory models").find(name)


def model_names() -> tuple[str, ...]:
    return tuple(_room("models.registry", "the collection of memory models").names())


def doctor() -> tuple[Finding, ...]:
    """What is installed on this machine and what each thing enables."""
    from fencepost.doctor import examine

    return examine()


def show_findings(findings: tuple[Finding, ...]) -> str:
    """What `doctor` found, for a person."""
    from fencepost.doctor import summary

    return summary(findings)


def print_program(program: Program) -> str:
    """The text form, which `read` reads back."""
    from fencepost.program import printer

    return printer.print_program(program)


def _room(name: str, what: str) -> Any:
    try:
        return import_module(f"fencepost.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("fencepost."):
            raise
        raise UnsupportedError(f"this version of fencepost comes without {what}") from None
