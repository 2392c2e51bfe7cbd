"""CBMC as the back end, where it is installed: it runs the emitted C and its trace gives the guesses back."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from fencepost.bounded.c_code import c_code
from fencepost.bounded.prepare import Straight
from fencepost.bounded.replay import plan_of, replay
from fencepost.bounded.translate import translate
from fencepost.bounded.witness import witness_of
from fencepost.errors import InternalError, UnsupportedError
from fencepost.options import BoundedOptions
from fencepost.program.operands import to_signed
from fencepost.verdict import Witness


def search(straight: Straight, contexts: int, options: BoundedOptions, started: float) -> Witness | bool | None:
    """As the search with an SMT solver, one formula for all schedules."""
    cbmc = shutil.which("cbmc")
    if cbmc is None:
        raise UnsupportedError("--backend cbmc needs cbmc on PATH; `--backend smt` needs nothing")
    translated = translate(straight, contexts)
    bounds = f"at most {contexts} contexts, loop bound {options.unroll}"
    left = None if options.time_limit is None else max(0.1, options.time_limit - (monotonic() - started))
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        file = Path(folder) / "translated.c"
        file.write_text(c_code(translated, straight.program.name, bounds))
        try:
            done = subprocess.run(
                [cbmc, "-DCBMC", str(file), "--json-ui", "--trace"], capture_output=True, text=True, timeout=left
            )
        except subprocess.TimeoutExpired:
            return None
    if done.returncode not in (0, 10):
        raise InternalError(f"cbmc ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    messages = json.loads(done.stdout)
    if not any(message.get("result") for message in messages):
        raise InternalError("cbmc did not look at the violation at all")
    if done.returncode == 0:
        return False
    guesses = dict(_guesses(messages))
    return witness_of(straight, replay(straight, plan_of(translated, guesses)))


def _guesses(messages: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """The guess_n in the trace of the failure. The first assignment of each is its initialisation with zero."""
    for message in messages:
        for result in message.get("result", ()):
            for step in result.get("trace", ()):
                name = str(step.get("lhs", ""))
                if step.get("stepType") == "assignment" and name.startswith("guess_") and not step.get("hidden"):
                    bits = str(step["value"]["binary"])
                    yield int(name.removeprefix("guess_")), to_signed(int(bits, 2))
