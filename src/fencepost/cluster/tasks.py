"""What travels: a job once to each worker, tasks to the workers, returns back. Our own form with a checksum, plain
values only.

A job is all that the core needs: the program as it runs and its options as numbers. A worker reads no source and no
model, so it needs neither files nor a compiler.
"""

from __future__ import annotations

from enum import Enum
from hashlib import sha256

from fencepost import _core
from fencepost._version import __version__
from fencepost.explore.native import Settings, options_of
from fencepost.explore.packed import Json, Record, unpacked
from fencepost.explore.structs import decode, encode
from fencepost.prepare.encoded import Prepared
from fencepost.records import dataclass


class End(Enum):
    """How the run of a piece ended, or why it did not begin: the worker has not seen the job yet, or refuses it."""

    DONE = "done"
    PAUSED = "paused"
    FAILED = "failed"
    LACKS_JOB = "lacks-job"
    REFUSED = "refused"


#: What the core says of a run; all else is a pause.
ENDS = {_core.Progress.DONE: End.DONE, _core.Progress.FAILED: End.FAILED}


@dataclass(frozen=True, slots=True)
class Job:
    """`fingerprint` names it."""

    fingerprint: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Task:
    """Explore `piece` for so many seconds or executions, and cut what is left into at most `parts`. `run` names the
    coordinator. `job` is empty where the worker is thought to know it."""

    run: str
    fingerprint: str
    number: int
    piece: bytes
    seconds: float
    executions: int
    parts: int = 1
    job: bytes = b""
    version: str = __version__

    def packed(self) -> bytes:
        data: dict[str, Json] = {
            "version": self.version, "run": self.run, "job": self.fingerprint, "number": self.number,
            "seconds": self.seconds, "executions": self.executions, "parts": self.parts,
        }  # fmt: skip
        return Record(data, (self.piece, self.job)).packed()


@dataclass(frozen=True, slots=True)
class Return:
    """One object for all that became of a piece: what was found and what is left belong to the same cut. `worker` names
    the process, `cpu` are the seconds that it took there, `why` is said where it was refused."""

    number: int
    end: End
    results: _core.CoreResults
    left: tuple[bytes, ...] = ()
    worker: str = ""
    cpu: float = 0.0
    why: str = ""

    def packed(self) -> bytes:
        data: dict[str, Json] = {
            "number": self.number, "end": self.end.value, "results": encode(self.results), "worker": self.worker,
            "cpu": self.cpu, "why": self.why,
        }  # fmt: skip
        return Record(data, self.left).packed()


def job_of(prepared: Prepared, settings: Settings) -> Job:
    data: dict[str, Json] = {"strings": list(prepared.encoded.strings), "settings": settings}
    content = Record(data, (prepared.encoded.words,)).packed()
    return Job(sha256(content).hexdigest(), content)


def open_job(content: bytes) -> tuple[_core.Bytecode, _core.ExploreOptions]:
    """What a worker makes of it. Raises DamagedError, and _core's errors where the core refuses it."""
    record = unpacked(content)
    strings, settings = record.data["strings"], record.data["settings"]
    assert isinstance(strings, list) and isinstance(settings, dict), "a job should have these"
    return _core.decode(record.blobs[0], [str(s) for s in strings]), options_of(settings)


def open_task(content: bytes) -> Task:
    """Raises DamagedError."""
    record = unpacked(content)
    d, (piece, job) = record.data, record.blobs
    return Task(
        str(d["run"]), str(d["job"]), int(str(d["number"])), piece, float(str(d["seconds"])), int(str(d["executions"])),
        int(str(d["parts"])), job, str(d["version"]),
    )  # fmt: skip


def open_return(content: bytes) -> Return:
    """Raises DamagedError."""
    record = unpacked(content)
    d = record.data
    return Return(
        int(str(d["number"])), End(d["end"]), decode(_core.CoreResults, d["results"]), record.blobs, str(d["worker"]),
        float(str(d["cpu"])), str(d["why"]),
    )  # fmt: skip
