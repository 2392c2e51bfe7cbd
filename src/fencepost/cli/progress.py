"""Progress of long work: one line on a terminal's standard error, rewritten a few times a second."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fencepost.verdict import Estimate

_EVERY = 0.25  # seconds
_BAR = 20  # characters


def _duration(seconds: float) -> str:
    """In the two largest units that fit: 12 s, 3 min 20 s, 5 h 2 min, 40 days 3 h."""
    if seconds >= 1e11:
        return "thousands of years"
    units = (("days", 86_400), ("h", 3600), ("min", 60), ("s", 1))
    parts: list[str] = []
    rest = int(seconds)
    for name, size in units:
        if rest >= size or (parts and name != "s"):
            parts.append(f"{rest // size} {name}")
        rest %= size
    return " ".join(parts[:2]) or "0 s"


def _bar(share: float) -> str:
    """The share that is done, as a bar and in hundredths. It is a share of an estimate: 99 % is the most it says."""
    full = int(share * _BAR)
    return f"[{'#' * full}{'.' * (_BAR - full)}] {min(int(share * 100), 99):>2} %"


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

    def executions(
        self, visited: int, seconds: float, estimate: Estimate | None = None, workers: int | None = None
    ) -> None:
        rate = visited / max(seconds, 1e-6)
        text = f"{visited:,} executions, {rate:,.0f} executions/s"
        if workers is not None:
            text += f", {workers} worker{'s' * (workers != 1)}" if workers else ", waiting for a worker"
        if estimate is not None and estimate.executions is None and estimate.low > visited:
            text += f", {estimate} in all"
        elif estimate is not None and estimate.executions is not None and estimate.seconds_left is not None:
            text = f"{_bar(estimate.share)} of {estimate}, {_duration(estimate.seconds_left)} left, {text}"
        self._show(text, seconds)

    def states(self, visited: int, seconds: float, depth: int) -> None:
        self._show(f"{visited:,} states, depth {depth}, {visited / max(seconds, 1e-6):,.0f} states/s", seconds)
