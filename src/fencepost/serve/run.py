"""Runs of the playground: each a process of its own, in a folder of its own, that is gone when the answer is there, the
time is out, or nobody listens any more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

_GRACE = 15.0  # seconds for compiling and reporting, beyond the limit of the exploration
_LONGEST_LINE = 32 << 20
#: What a run may know of the environment it is in.
_KEPT = ("PATH", "LANG", "LC_ALL", "FENCEPOST_CLANG", "SYSTEMROOT", "LD_LIBRARY_PATH")


async def run(question: dict[str, Any], *, seconds: float) -> AsyncGenerator[dict[str, Any], None]:
    """The lines that the child says. Closing the iterator ends the child."""
    with tempfile.TemporaryDirectory(prefix="fencepost-", ignore_cleanup_errors=True) as folder:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "fencepost.serve.child", folder,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=_environment(folder), cwd=folder, start_new_session=True, limit=_LONGEST_LINE,
        )  # fmt: skip
        try:
            assert process.stdin is not None and process.stdout is not None and process.stderr is not None
            process.stdin.write(json.dumps(question).encode())
            process.stdin.close()
            ended = False
            deadline = asyncio.get_running_loop().time() + seconds * max(len(question["models"]), 1) + _GRACE
            async for line in _lines(process.stdout, deadline):
                ended = ended or not {"result", "error"}.isdisjoint(line)
                yield line
            if not ended:
                yield {"error": {"message": await _why(process, deadline)}}
        finally:
            _end(process)
            await asyncio.shield(process.wait())


async def _lines(stream: asyncio.StreamReader, deadline: float) -> AsyncGenerator[dict[str, Any], None]:
    loop = asyncio.get_running_loop()
    with contextlib.suppress(TimeoutError):
        while line := await asyncio.wait_for(stream.readline(), max(deadline - loop.time(), 0.01)):
            yield json.loads(line)


async def _why(process: asyncio.subprocess.Process, deadline: float) -> str:
    """A run that ended without an answer. What it wrote about itself stays here: it may speak of this machine."""
    if asyncio.get_running_loop().time() >= deadline:
        return "stopped: the time is out"
    code = await process.wait()
    ended = {-signal.SIGKILL: "it needs too much memory or time", -signal.SIGXCPU: "the time is out"}
    return f"the run ended without an answer ({ended.get(code, f'code {code}')})"


def _end(process: asyncio.subprocess.Process) -> None:
    """The child and the compiler that it may have started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _environment(folder: str) -> dict[str, str]:
    own = {k: os.environ[k] for k in _KEPT if k in os.environ}
    cache = str(Path(folder) / "cache")
    return own | {
        "HOME": folder, "TMPDIR": folder, "FENCEPOST_CACHE": "off", "ZIG_LOCAL_CACHE_DIR": cache,
        "ZIG_GLOBAL_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
