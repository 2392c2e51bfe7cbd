"""The exact numbers of executions that benchmarks/counts.toml lists."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.frontends import read_file
from fencepost.program.program import Program

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@dataclass(frozen=True, slots=True)
class Case:
    program: str
    constants: tuple[tuple[str, int], ...]
    model: str
    executions: int
    paper: str
    slow: bool

    def __str__(self) -> str:
        inside = ",".join(f"{k}={v}" for k, v in self.constants)
        return f"{self.program}({inside})-{self.model}"

    def read(self) -> Program:
        flags = [f"-D{k}={v}" for k, v in self.constants]
        return read_file(BENCHMARKS / "programs" / f"{self.program}.fp", flags=flags)


def cases() -> Iterator[Case]:
    for c in tomllib.loads((BENCHMARKS / "counts.toml").read_text())["case"]:
        for model, executions in c["counts"].items():
            constants = tuple(c["with"].items())
            yield Case(c["program"], constants, model, executions, c["paper"], model in c.get("slow", ()))
