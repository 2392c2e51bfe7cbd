"""The emitted C, executed: with the guesses of the solver it reaches the violation, and with any guesses it does what
the translated program does."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agreement import with_assertion
from test_bounded import BENCHMARKS, PAPERS

from fencepost.bounded.c_code import c_code
from fencepost.bounded.check import SMT, solve
from fencepost.bounded.prepare import prepare
from fencepost.bounded.translate import Translated, translate
from fencepost.frontends import read_file
from fencepost.generate.random_programs import POWER, RELAXED, random_program
from fencepost.program import instructions as ins
from fencepost.program.arithmetic import compute
from fencepost.program.operands import Const, Operand, Reg, to_unsigned
from fencepost.program.program import Program

VIOLATION, EXCLUDED, NOTHING = 1, 3, 0  # the exit codes with REPLAY
HARNESS = """
#include <stdio.h>
#include <stdlib.h>
typedef unsigned long long u64;
u64 replay_guess(int number);
u64 replay_guess(int number)
{
  const char *path = getenv("GUESSES");
  FILE *file = fopen(path, "r");
  int n;
  u64 value;
  while (file && fscanf(file, "%d %llu", &n, &value) == 2) if (n == number) { fclose(file); return value; }
  exit(4);
}
"""

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not on PATH")


def compiled(translated: Translated, folder: Path, compiler: str = "gcc") -> Path:
    (folder / "translated.c").write_text(c_code(translated, "test", "bounds"))
    (folder / "harness.c").write_text(HARNESS)
    out = folder / "program"
    command = [compiler, "-DREPLAY", "-Wall", "-Wextra", "-Werror", "-o", str(out), "translated.c", "harness.c"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return out


def executed(program: Path, guesses: dict[int, int]) -> int:
    file = program.with_suffix(".guesses")
    file.write_text("".join(f"{n} {to_unsigned(value)}\n" for n, value in guesses.items()))
    return subprocess.run([program], env={"GUESSES": str(file)}).returncode


def interpreted(translated: Translated, guesses: dict[int, int]) -> int:
    function = translated.program.functions[0]
    registers = [0] * len(function.registers)

    def value(operand: Operand) -> int:
        assert isinstance(operand, Reg | Const)
        return registers[operand.index] if isinstance(operand, Reg) else to_unsigned(operand.value)

    pc = 0
    while True:
        i = function.code[pc]
        pc += 1
        match i:
            case ins.Compute():
                registers[i.dst.index] = compute(i.op, i.width, tuple(value(a) for a in i.args))
            case ins.Choose(low=Const(low), high=Const(high)):
                registers[i.dst.index] = to_unsigned(guesses[pc - 1])
                if not low <= guesses[pc - 1] <= high:
                    return EXCLUDED
            case ins.Assume() if not value(i.condition):
                return EXCLUDED
            case ins.Jump():
                pc = i.target
            case ins.Branch():
                pc = i.then if value(i.condition) else i.otherwise
            case ins.Fail():
                return VIOLATION
            case ins.Return():
                return NOTHING


def vectors(translated: Translated, model: dict[int, int], count: int, seed: int) -> Iterator[dict[int, int]]:
    """Guesses near the solver's and anywhere."""
    chance = random.Random(seed)
    code = translated.program.functions[0].code
    bounds = {n: (i.low.value, i.high.value) for n, i in enumerate(code)
              if isinstance(i, ins.Choose) and isinstance(i.low, Const) and isinstance(i.high, Const)}  # fmt: skip
    for n in range(count):
        anywhere = {k: chance.randint(low, high) for k, (low, high) in bounds.items()}
        changed = set(chance.sample(sorted(model), min(len(model), n % 4))) if n % 5 else set(model)
        yield anywhere | {k: v for k, v in model.items() if k not in changed}


def read(name: str) -> tuple[Program, int]:
    """A program by its name, and a number of contexts."""
    if name == "message passing":
        return read_file(PAPERS / "power2sc-fig3.fp"), 3
    if name == "pgsql":
        return read_file(BENCHMARKS / "pgsql-unsafe.c"), 2
    shape, seed = name.split()
    return with_assertion(random_program(int(seed), POWER if shape == "plain" else RELAXED, size=4), int(seed)), 3


@pytest.mark.parametrize(
    "name", ["message passing", "pgsql", "plain 40", "plain 41", "plain 42", "updates 40", "updates 41", "updates 43"]
)
def test_execution(name: str, tmp_path: Path) -> None:
    program, contexts = read(name)
    translated = translate(prepare(program, 2), contexts)
    found = solve(translated, SMT, None)
    model = found if isinstance(found, dict) else {}
    runs = compiled(translated, tmp_path)
    seen = [(executed(runs, g), interpreted(translated, g)) for g in vectors(translated, model, 25, contexts)]
    assert all(c == python for c, python in seen)
    assert ((VIOLATION, VIOLATION) in seen) == bool(model)
