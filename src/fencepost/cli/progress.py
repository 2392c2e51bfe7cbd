"""Progress of long work: one line on a terminal's standard error, rewritten a few times a second."""

from __future__ import annotations

import sys
from types import TracebackType

_EVERY = 0.25  # seconds


class ProgressLine:
    """Nothing is shown where standard error is not a terminal. As a context it wipes the line at the end."""

    def __init__(self) -> None:
        self._last, self._used = 0.0, False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._used:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, text: str, seconds: float) -> None:
        if seconds - self._last < _EVERY or not sys.stderr.isatty():
            return
        self._last, self._used = seconds, True
        sys.stderr.write(f"\r\x1b[K{text}, {seconds:.0f} s")
        sys.stderr.flush()

    def executions(self, visited: int, seconds: float) -> None:
        self._show(f"{visited:,} executions, {visited / max(seconds, 1e-6):,.0f} executions/s", seconds)

    def states(self, visited: int, seconds: float, depth: int) -> None:
        self._show(f"{visited:,} states, depth {depth}, {visited / max(seconds, 1e-6):,.0f} states/s", seconds)
