"""The exact numbers of executions that counts.toml lists: tests and benchmarks read them here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fencepost import api
from fencepost.program.program import Program

PROGRAMS = Path(__file__).parent.parent / "programs"


@dataclass(frozen=True, slots=True)
class Count:
    """`slow`: too long for the test suite under this model."""

    program: str
    constants: tuple[tuple[str, int], ...]
    model: str
    executions: int
    paper: str
    slow: bool

    def __str__(self) -> str:
        inside = ",".join(f"{k}={v}" for k, v in self.constants)
        return f"{self.program}({inside})-{self.model}"

    def read(self, language: str = "fp") -> Program:
        """The program in pseudo-code, or in C."""
        folder = PROGRAMS / "c" if language == "c" else PROGRAMS
        return api.read(folder / f"{self.program}.{language}", flags=[f"-D{k}={v}" for k, v in self.constants])


@cache
def _table() -> tuple[Count, ...]:
    found = tomllib.loads((PROGRAMS.parent / "counts.toml").read_text(encoding="utf-8"))["case"]
    return tuple(
        Count(c["program"], tuple(c["with"].items()), model, executions, c["paper"], model in c.get("slow", ()))
        for c in found
        for model, executions in c["counts"].items()
    )


def counts() -> Iterator[Count]:
    return iter(_table())


def known(program: str, constants: dict[str, int], model: str) -> int | None:
    """How many executions there must be; None where the table does not say."""
    asked = program, tuple(constants.items()), model
    return next((c.executions for c in _table() if (c.program, c.constants, c.model) == asked), None)
