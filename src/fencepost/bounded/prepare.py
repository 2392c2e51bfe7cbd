"""From any Program to what the translations take: lowered, compiled for POWER where that is the model, split into
processes, straightened."""

from __future__ import annotations

from dataclasses import replace

from fencepost.bounded.ending import check_ending
from fencepost.bounded.locations import Locations
from fencepost.bounded.processes import Processes, find_processes
from fencepost.bounded.ranges import Ranges
from fencepost.bounded.storage import storage_of, to_registers
from fencepost.bounded.straight import Straight
from fencepost.bounded.straighten import straighten
from fencepost.options import BoundedOptions
from fencepost.program import pipeline
from fencepost.program.layout import initial_bytes, lay_out
from fencepost.program.program import Program


def prepare(program: Program, unroll: int, options: BoundedOptions | None = None) -> Straight:
    """Loops that only wait become awaits, so that they need no bound; the others run at most `unroll` times around."""
    options = options or BoundedOptions()
    program = pipeline.prepare(program, pipeline.Purpose.BOUNDED, options.settings)
    shares_at: int | None = None
    while True:
        straight = _straight(program, find_processes(program, shares_at), unroll, c11=not options.has_contexts)
        shares_at = _conflict(straight)
        if shares_at is None:
            check_ending(straight)
            return straight


def _straight(program: Program, processes: Processes, unroll: int, *, c11: bool) -> Straight:
    storage = storage_of(program, lay_out(program))
    straight = straighten(program, unroll, processes.starts, storage, processes.ending, c11=c11)
    layout = lay_out(straight)
    memory = initial_bytes(straight, layout) | processes.memory
    ranges = Ranges(straight, layout, memory)
    fixed = frozenset() if processes.main is None else frozenset({processes.main, len(processes.starts)})
    while (simpler := to_registers(straight, ranges, storage.private, fixed)) is not None:
        straight = simpler
        ranges = Ranges(straight, layout, memory)
    return Straight(straight, replace(processes, memory=memory), ranges, Locations(ranges, processes.objects))


def _conflict(straight: Straight) -> int | None:
    """The first access that `main` was thought to have to itself, but that a running thread can notice or disturb."""
    for n, note in enumerate(straight.processes.notes):
        for p in range(note.running):
            if straight.locations.touches(p, note.address, note.size, writes=not note.writes):
                return n
    return None
