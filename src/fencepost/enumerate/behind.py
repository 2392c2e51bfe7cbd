"""What may lie behind a bound on loops, under a model that allows circles of program order and reads-from.

A thread that is cut off at a bound can have come there only because of what it writes behind the bound: another thread
reads that, and writes what the first has read. Such an execution has no beginning that ends at the bound and stands for
it, so it would be neither found nor missed. It needs a location that the thread reads before the bound, one that it
writes afterwards and another thread reads, and a way back from this one to the first through reads and later writes.
What it writes afterwards is known from its traces where these run every call and every instruction that writes, each at
one place; where they do not, nothing is promised.
"""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.enumerate.traces import Ending, Instance, Location, ThreadRunner, Trace, reached
from fencepost.execution.execution import EventKind
from fencepost.program import instructions as ins
from fencepost.program.operands import FunctionAddress
from fencepost.program.program import Program

_WRITES = (ins.Store, ins.StoreConditional, ins.Rmw, ins.Cas, ins.BlockingCas)


def cut_off(runner: ThreadRunner) -> Trace | None:
    """A trace that ends at a bound, of a thread that may have read what comes of its writes behind it."""
    if runner.foreseen is None:
        return None  # what a thread writes comes of all that decided it: such a circle is in no execution
    cut = {i: [t for t in traces if t.ending is Ending.BOUND] for i, traces in runner.traces.items()}
    edges = {i: _edges(traces) for i, traces in runner.traces.items()} if any(cut.values()) else {}
    for instance, traces in cut.items():
        if not traces:
            continue
        if not all_seen(runner, instance, runner.traces[instance]):
            return traces[0]
        others = {a for i, found in edges.items() if i.thread != instance.thread for a in found}
        every: dict[Location, set[Location]] = {}
        for a, targets in (pair for found in edges.values() for pair in found.items()):
            every.setdefault(a, set()).update(targets)
        back = {a for a, bs in edges[instance].items() for b in (bs & others) - {a} if a in reached(every, b)}
        for trace in traces:
            if any(s.kind is EventKind.READ and s.location in back for s in trace.steps):
                return trace
    return None


def _edges(traces: Iterable[Trace]) -> dict[Location, set[Location]]:
    """From each location that is read to those that are written later."""
    found: dict[Location, set[Location]] = {}
    for trace in traces:
        later: set[Location] = set()
        for step in reversed(trace.steps):
            if step.kind is EventKind.WRITE:
                later.add(step.location)
            elif step.kind is EventKind.READ:
                found.setdefault(step.location, set()).update(later)
    return found


def all_seen(runner: ThreadRunner, instance: Instance, traces: list[Trace]) -> bool:
    """Whether the traces run every call of the thread and every instruction of it that writes, each at one place."""
    program, places = runner.machine.program, dict[tuple[str, int], set[Location]]()
    for (thread, writer, _), location, _ in (fact for t in traces for why in t.why for facts in why for fact in facts):
        if thread == instance.thread:
            assert isinstance(writer, tuple), "a slot should name its instruction"
            places.setdefault(writer[1:], set()).add(location)
    ran = places.keys() | {(function, n) for thread, function, n in runner.machine.ran if thread == instance.thread}
    wanted = {(name, n) for name in _called(program, instance.function)
              for n, i in enumerate(program.function(name).code) if isinstance(i, (*_WRITES, ins.Call))}  # fmt: skip
    return wanted <= ran and all(len(found) == 1 for found in places.values())


def _called(program: Program, start: str) -> set[str]:
    """A function, and those that it may call."""
    found, todo = {start}, [start]
    while todo:
        for i in (i for i in program.function(todo.pop()).code if isinstance(i, ins.Call)):
            names = {i.callee.name} if isinstance(i.callee, FunctionAddress) else {f.name for f in program.functions}
            todo += names - found
            found |= names
    return found
