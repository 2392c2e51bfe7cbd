"""A test that tells two models apart: the shortest cycle first, then small random programs."""

from __future__ import annotations

import time
from collections.abc import Iterator

from fencepost.display import show
from fencepost.enumerate import enumerate_program
from fencepost.enumerate.explain import Explanation, explain_outcome
from fencepost.errors import UnsupportedError, UsageError
from fencepost.generate import litmus_tests
from fencepost.generate.random_programs import SHAPES, random_program
from fencepost.models.registry import Model
from fencepost.prepare.ready import ready
from fencepost.program.condition import And, Compare, Formula, Truth
from fencepost.program.operands import Const
from fencepost.program.printer import print_program
from fencepost.program.program import Arch, Program
from fencepost.records import dataclass
from fencepost.verdict import Witness

State = tuple[tuple[str, int], ...]
_FAMILIES = {Arch.PPC: "ppc", Arch.X86: "x86", Arch.AARCH64: "aarch64", Arch.RISCV: "riscv"}
_SHAPES = {"c": "c11", "ppc": "power", "x86": "x86", "aarch64": "armv8", "riscv": "riscv"}
#: Cycles that are not critical and yet tell models apart: release sequences, reads of one's own writes.
_FURTHER = {
    "c": ("PodWWRlxRel PosWWRelRlx Rfe PodRRAcqRlx Fre",),
    "x86": ("Rfi PodRR Fre Rfi PodRR Fre",),
    "ppc": ("Rfi DpAddrdR Fre Rfi DpAddrdR Fre", "SyncdWW Rfe DpDatadW Rfi DpAddrdR Fre"),
}
RANDOM_SIZES = range(3, 9)
RANDOM_PER_SIZE = 150


@dataclass(frozen=True, slots=True)
class Difference:
    """An outcome that one model allows and the other forbids."""

    name: str
    text: str
    outcome: State
    allowed_by: str
    forbidden_by: str
    execution: Explanation
    reason: Explanation


@dataclass(frozen=True, slots=True)
class Comparison:
    """`difference` is None where none was found; `bound` says how far we looked."""

    first: str
    second: str
    tried: int
    bound: str
    difference: Difference | None = None

    def pictures(self) -> tuple[Witness, ...]:
        """What can be drawn: the execution that one model allows, and the cycle because of which the other does not."""
        d = self.difference
        return () if d is None else (*d.execution.pictures(), *d.reason.pictures())

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str | None:
        return show(self, "html")

    def text(self) -> str:
        d = self.difference
        if d is None:
            return f"{self.first} and {self.second} agree on {self.tried} tests ({self.bound})"
        outcome = ", ".join(f"{n}={v}" for n, v in d.outcome) or "the execution itself"
        head = f"{d.name} tells them apart: {d.allowed_by} allows {outcome}, {d.forbidden_by} forbids it"
        tried = f"({self.tried} tests tried)"
        return "\n\n".join([f"{head} {tried}", d.text.strip(), d.execution.text(), d.reason.text()])

    def data(self) -> dict[str, object]:
        d = self.difference
        found = None
        if d is not None:
            found = {
                "name": d.name, "test": d.text, "outcome": dict(d.outcome), "allowed_by": d.allowed_by,
                "forbidden_by": d.forbidden_by, "allowed": d.execution.data(), "forbidden": d.reason.data(),
            }  # fmt: skip
        return {
            "models": [self.first, self.second], "different": d is not None, "tried": self.tried, "bound": self.bound,
            "difference": found,
        }  # fmt: skip


def compare(
    first: Model, second: Model, *, arch: str | None = None, size: int = 5, time_limit: float | None = 60.0
) -> Comparison:
    """Searches generated tests: every critical cycle of at most `size` edges, then random programs."""
    deadline = time.perf_counter() + time_limit if time_limit is not None else None
    chosen = arch or _architecture(first, second)
    tried = 0
    bound = f"{chosen}, cycles of at most {size} edges and {RANDOM_PER_SIZE * len(RANDOM_SIZES)} random programs"
    for name, text, program in _tests(chosen, size):
        if deadline is not None and time.perf_counter() > deadline:
            return Comparison(first.name, second.name, tried, f"stopped after {time_limit:g} s; {bound}")
        tried += 1
        difference = _difference(name, text, program, first, second)
        if difference is not None:
            return Comparison(first.name, second.name, tried, bound, difference)
    return Comparison(first.name, second.name, tried, bound)


def _architecture(first: Model, second: Model) -> str:
    """The architecture that both judge; C, which is compiled for each, where there is none."""
    known = {m.architecture for m in (first, second) if m.kind.value == "hardware"}
    if any(m.kind.value == "c11" for m in (first, second)) or len(known) != 1:
        return "c"
    only = known.pop()
    return _FAMILIES[only] if only is not None else "c"


def _tests(arch: str, size: int) -> Iterator[tuple[str, str, Program]]:
    for test in litmus_tests.family(arch, size):
        yield test.name, test.text, test.program()
    for cycle in _FURTHER.get(arch, ()):
        test = litmus_tests.generate(arch, cycle)
        yield test.name, test.text, test.program()
    shape = SHAPES[_SHAPES[arch]]
    for length in RANDOM_SIZES:
        for seed in range(RANDOM_PER_SIZE):
            program = random_program(seed, shape, size=length)
            yield program.name, print_program(program), program


def _difference(name: str, text: str, program: Program, first: Model, second: Model) -> Difference | None:
    try:
        states = [set(enumerate_program(ready(program, m), m).outcomes) for m in (first, second)]
    except UnsupportedError as error:
        raise UsageError(f"{first.name} and {second.name} do not judge the same programs: {error}") from error
    for allows, forbids, extra in ((first, second, states[0] - states[1]), (second, first, states[1] - states[0])):
        if extra:
            outcome = min(extra)
            formula = _formula(outcome)
            shown = explain_outcome(ready(program, allows), allows, formula)
            reason = explain_outcome(ready(program, forbids), forbids, formula)
            return Difference(name, text, outcome, allows.name, forbids.name, shown, reason)
    return None


def _formula(outcome: State) -> Formula:
    parts = tuple(Compare(name, "=", Const(value)) for name, value in outcome)
    return And(parts) if parts else Truth(True)
