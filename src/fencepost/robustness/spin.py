"""The same question asked of SPIN: generate its verifier, compile it, run it.

SPIN answers yes or no; a no is then found again by our own search, which has the witness. If the two disagree, one of
them is wrong, and that is said instead of a verdict.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fencepost.errors import InternalError, UsageError
from fencepost.options import RobustOptions
from fencepost.program.program import Program
from fencepost.records import dataclass
from fencepost.robustness.promela import emit
from fencepost.verdict import Answer, Verdict

_COMPILE = ("-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DCOLLAPSE", "-DVECTORSZ=8192")
_DEPTH = 5_000_000


@dataclass(frozen=True, slots=True)
class SpinRun:
    """What SPIN said. `robust` is None where it did not finish. `vector` is the size of a state in bytes."""

    robust: bool | None
    reason: str
    states: int = 0
    vector: int = 0
    bytes: float = 0.0
    generate: float = 0.0
    compile: float = 0.0
    run: float = 0.0

    @property
    def seconds(self) -> float:
        return self.generate + self.compile + self.run


def check_with_spin(
    program: Program, options: RobustOptions, own: Callable[[Program, RobustOptions], Verdict]
) -> Verdict:
    """The verdict of SPIN, with the witness of our `own` search where the program is not robust."""
    found = run_spin(emit(program, options.weaker, options), options.memory, options.time_limit)
    extra = {
        "robust": found.robust, "against": options.against, "states": found.states,
        "search": {"backend": "spin", "bytes_per_state": found.vector, "generate_seconds": round(found.generate, 3),
                   "compile_seconds": round(found.compile, 3), "run_seconds": round(found.run, 3)},
    }  # fmt: skip
    if found.robust is not False:
        answer = Answer.PASS if found.robust else Answer.UNKNOWN
        return Verdict(answer, found.reason, options.weaker, seconds=found.seconds, extra=extra)
    ours = own(program, replace(options, backend="native"))
    if ours.extra["robust"]:
        raise InternalError("SPIN finds a divergence and our own search does not")
    return replace(ours, seconds=found.seconds, extra=extra)


def run_spin(model: str, memory: int = 4096, time_limit: float | None = None) -> SpinRun:
    """Runs SPIN on a model that `emit` made. Raises UsageError where SPIN or a C compiler is missing."""
    spin, compiler = shutil.which("spin"), shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if spin is None or compiler is None:
        missing = "spin" if spin is None else "a C compiler (cc)"
        raise UsageError(f"--backend spin needs {missing} on PATH (for example: apt-get install spin gcc)")
    with tempfile.TemporaryDirectory(prefix="fencepost-spin-") as name:
        where = Path(name)
        (where / "model.pml").write_text(model, encoding="utf-8")
        deadline = None if time_limit is None else time.monotonic() + time_limit
        try:
            generate, _ = _timed([spin, "-o3", "-DKEEP_GOING", "-a", "model.pml"], where, deadline)
            command = [compiler, *_COMPILE, f"-DMEMLIM={memory}", "-o", "pan", "pan.c"]
            compile_, _ = _timed(command, where, deadline)
            run, output = _timed(["./pan", "-E", f"-m{_DEPTH}"], where, deadline)
        except subprocess.TimeoutExpired:
            return SpinRun(None, f"SPIN did not finish within {time_limit} s")
        return replace(_read(output), generate=generate, compile=compile_, run=run)


def _timed(command: list[str], where: Path, deadline: float | None) -> tuple[float, str]:
    started = time.monotonic()
    left = None if deadline is None else max(0.01, deadline - started)
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=left)
    output = done.stdout + done.stderr
    if not command[0].endswith("pan") and (done.returncode != 0 or "Error:" in output):
        raise InternalError(f"{Path(command[0]).name} refuses our model: {output.strip()[:500]}")
    return time.monotonic() - started, output


def _read(output: str) -> SpinRun:
    errors = re.search(r"errors: (\d+)", output)
    states, vector = re.search(r"(\d+) states, stored", output), re.search(r"State-vector (\d+) byte", output)
    actual = re.search(r"([\d.]+)\s+actual memory usage for states", output)
    found = SpinRun(
        None, "", int(states[1]) if states else 0, int(vector[1]) if vector else 0,
        float(actual[1]) * 1e6 if actual else 0.0,
    )  # fmt: skip
    if errors is None:
        return replace(found, reason=f"SPIN stopped: {output.strip()[-300:]}")
    if "outside" in output:
        return replace(found, reason="a value left the range that the Promela model can hold")
    if errors[1] != "0":
        return replace(found, robust=False, reason="SPIN finds a divergence")
    for problem, said in (("out of memory", "memory"), ("max search depth too small", "depth")):
        if problem in output:
            return replace(found, reason=f"SPIN ran out of {said} after {found.states} states")
    return replace(found, robust=True, reason=f"robust against the model: SPIN visited {found.states} states")
