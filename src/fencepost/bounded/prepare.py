"""From any Program to what the translation takes: lowered, compiled for POWER, split into processes, straightened."""

from __future__ import annotations

from fencepost.bounded.locations import Locations
from fencepost.bounded.processes import Processes, find_processes
from fencepost.bounded.ranges import Ranges
from fencepost.bounded.straighten import straighten
from fencepost.program.layout import lay_out
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.spin import find_spins
from fencepost.program.passes.synchronisation import lower_synchronisation
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


def prepare(program: Program, unroll: int) -> Straight:
    """Loops that only wait become awaits, so that they need no bound; the others run at most `unroll` times around."""
    program = map_for_model(find_spins(lower_synchronisation(program)), "power")
    processes = find_processes(program)
    straight = straighten(program, unroll, processes.starts, processes.ending)
    ranges = Ranges(straight, lay_out(straight), processes.memory)
    return Straight(straight, processes, ranges, Locations(ranges, processes.objects))
