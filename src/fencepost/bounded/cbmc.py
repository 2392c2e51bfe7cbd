"""CBMC as the back end, where it is installed: it runs the emitted C and its trace gives the guesses back."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fencepost.bounded.attempt import Attempt, Found
from fencepost.bounded.c_code import c_code
from fencepost.bounded.replay import plan_of, replay
from fencepost.bounded.witness import witness_of
from fencepost.errors import InternalError, UsageError
from fencepost.program.operands import to_signed


def search(asked: Attempt) -> Found:
    """As the search with an SMT solver, one run of CBMC for each formula."""
    cbmc = shutil.which("cbmc")
    if cbmc is None:
        raise UsageError("--backend cbmc needs cbmc on PATH; `--backend smt` needs nothing")
    straight, bounds = asked.straight, f"at most {asked.contexts} contexts, loop bound {asked.options.unroll}"
    for schedule in asked.plans:
        translated = asked.translated(schedule)
        text = c_code(translated, straight.program.name, bounds)
        left = asked.left()
        messages = _run(cbmc, text, None if left is None else max(0.1, left))
        if messages is None:
            return None
        guesses = dict(_guesses(messages))
        if any(result["status"] == "FAILURE" for m in messages for result in m.get("result", ())):
            return witness_of(straight, replay(straight, plan_of(translated, guesses)))
    return False


def _run(cbmc: str, text: str, seconds: float | None) -> list[dict[str, Any]] | None:
    """What CBMC says about a program; None where the time ran out."""
    with tempfile.TemporaryDirectory(prefix="fencepost-") as folder:
        file = Path(folder) / "translated.c"
        file.write_text(text)
        command = [cbmc, "-DCBMC", str(file), "--json-ui", "--trace"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode not in (0, 10):
        raise InternalError(f"cbmc ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-300:]}")
    messages: list[dict[str, Any]] = json.loads(done.stdout)
    if not any(message.get("result") for message in messages):
        raise InternalError("cbmc did not look at the violation at all")
    return messages


def _guesses(messages: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    """The guess_n in the trace of the failure. The first assignment of each is its initialisation with zero."""
    for message in messages:
        for result in message.get("result", ()):
            for step in result.get("trace", ()):
                name = str(step.get("lhs", ""))
                if step.get("stepType") == "assignment" and name.startswith("guess_") and not step.get("hidden"):
                    bits = str(step["value"]["binary"])
                    yield int(name.removeprefix("guess_")), to_signed(int(bits, 2))
