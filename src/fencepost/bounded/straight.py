"""What the translation takes: straight threads, and what is known of them."""

from __future__ import annotations

from fencepost.bounded.locations import Locations
from fencepost.bounded.processes import Processes
from fencepost.bounded.ranges import Ranges
from fencepost.program.program import Function, Program
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Straight:
    """A straight program with what is known of it. Its functions are those of the threads, in order, and the ending
    where `main` has one."""

    program: Program
    processes: Processes
    ranges: Ranges
    locations: Locations

    @property
    def ending(self) -> Function | None:
        return self.program.functions[-1] if self.processes.ending is not None else None

    @property
    def watcher(self) -> int | None:
        """The process that writes for nobody else, where there is one and no more: a `main` that looks on without
        joining."""
        threads = range(len(self.program.threads))
        silent = [p for p in threads if not any(self._tells(p, q) for q in threads if p != q)]
        return silent[0] if len(silent) == 1 else None

    def _tells(self, writer: int, other: int) -> bool:
        """Whether a process may write what another one accesses."""
        cells = (c for c in self.locations.cells if writer in c.writers)
        return any(self.locations.touches(other, c.address, c.size, writes=False) for c in cells)
