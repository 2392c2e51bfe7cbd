"""`--watch`: the answer again, whenever a file that it rests on changes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from fencepost.cli.frame import Reply
from fencepost.errors import FencepostError
from fencepost.report.visible import visible
from fencepost.verdict import ExitCode

_EVERY = 0.2  # seconds
_CLEAR = "\x1b[H\x1b[2J"


def watched(once: Callable[[set[str]], Reply], files: Sequence[str]) -> Reply:
    """Runs `once` now and after each change, until Ctrl-C. It puts the files that its answer rests on into its
    argument."""
    code: int = ExitCode.PASS
    try:
        while True:
            sources: set[str] = set()
            before = time.time_ns()
            try:
                reply = once(sources)
                text, code = reply.text, reply.exit_code
            except FencepostError as error:
                text, code = f"error: {visible(str(error))}", ExitCode.BAD_INPUT
            seen = _state(sources | _around(files))
            if sys.stdout.isatty():
                print(_CLEAR, end="")
            print(text.removesuffix("\n"))
            print(f"\nwatching {len(seen)} file{'s' * (len(seen) != 1)}; Ctrl-C ends it", flush=True)
            _wait(seen, before)
    except KeyboardInterrupt:
        return Reply("", {}, code)


def _around(files: Iterable[str]) -> set[str]:
    """The files given, and everything in the folders given: a file may be added."""
    paths = [Path(f) for f in files]
    return {str(p) for path in paths for p in (path.rglob("*") if path.is_dir() else [path])}


State = dict[str, tuple[int, int]]


def _state(files: Iterable[str]) -> State:
    return {f: _stamp(Path(f)) for f in files}


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:  # editors replace files: it may be gone for a moment
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _wait(seen: State, since: int) -> None:
    """Until a file differs from what was seen, or was written while the answer was being made."""
    while all(_stamp(Path(f)) == stamp and stamp[0] < since for f, stamp in seen.items()):
        time.sleep(_EVERY)
    time.sleep(_EVERY)  # let the editor finish
