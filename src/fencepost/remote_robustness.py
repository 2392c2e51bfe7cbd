"""Robustness on a cluster. The states of a search are one set, in which every step looks up what was seen before, so
the search is not shared: it runs as a whole on one worker, which may have more memory and time than this machine.

The program travels in its text form, and the verdict comes back as data; its witness is judged here like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from typing import Any

from fencepost.cluster.batch import share
from fencepost.cluster.connection import name_of
from fencepost.cluster.coordinator import new_run
from fencepost.cluster.reach import quiet
from fencepost.cluster.worker import stoppable
from fencepost.errors import FencepostError, UnsupportedError, UsageError
from fencepost.explore.packed import Json, Record, unpacked
from fencepost.models.registry import Model, find
from fencepost.options import RobustOptions
from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.program.reader import read_program
from fencepost.robustness import analyse
from fencepost.robustness.check import Progress
from fencepost.verdict import Verdict
from fencepost.witness.verdict_codec import decode_verdict, encode_verdict

_ERRORS: dict[str, type[FencepostError]] = {kind.__name__: kind for kind in (UnsupportedError, UsageError)}


def analyse_remotely(
    program: Program, model: Model, options: RobustOptions, progress: Progress | None = None, /
) -> Verdict:
    """As `fencepost.robustness.analyse`, on the cluster that the options name; nothing is told until the end."""
    here = quiet() if isinstance(options.cluster, str) else nullcontext()
    run = new_run()
    task = _packed(program, model, replace(options, cluster=None, certificates=None), run)
    with here:
        shared = share(options.cluster, options.certificates, 1, f"{__name__}:search", [task], run)
        ((_, content),) = shared
    if content is None:
        named = name_of(options.cluster)
        raise UsageError(f"--cluster {named}: workers die over this search: they may be short of memory")
    found: Any = unpacked(content).data
    if "error" in found:
        raise _ERRORS.get(found["kind"], FencepostError)(found["error"])
    return _with_sources(decode_verdict(found["verdict"]), program)


def _with_sources(verdict: Verdict, program: Program) -> Verdict:
    """Which files may be shown is known here only."""
    witness = verdict.witness
    if witness is None or witness.program is None:
        return verdict
    return replace(verdict, witness=replace(witness, program=replace(witness.program, sources=program.sources)))


def _packed(program: Program, model: Model, options: RobustOptions, run: str) -> bytes:
    data: dict[str, Json] = {
        "run": run, "model": model.name, "options": {f.name: getattr(options, f.name) for f in fields(options)},
    }  # fmt: skip
    return Record(data, (print_program(program).encode(),)).packed()


# --- on a worker


class _StoppedError(Exception):
    """Nobody waits for this search any more."""


@contextmanager
def _watched(run: str) -> Iterator[Progress]:
    stopped: list[bool] = []

    def look(states: int, seconds: float, depth: int) -> None:
        if stopped:
            raise _StoppedError

    with stoppable(run, lambda: stopped.append(True)):
        yield look


def search(content: bytes) -> bytes:
    """The verdict on one program, or why there is none."""
    record = unpacked(content)
    data: Any = record.data
    program, options = read_program(record.blobs[0].decode(), "<program>"), RobustOptions(**data["options"])
    try:
        with _watched(data["run"]) as look:
            verdict = analyse(program, find(data["model"]), options, look)
    except FencepostError as error:
        return Record({"kind": type(error).__name__, "error": str(error)}).packed()
    return Record({"verdict": encode_verdict(verdict)}).packed()
