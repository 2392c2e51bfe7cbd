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
