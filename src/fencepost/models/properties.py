"""What a model demands, found out by asking it: the enumeration leaves out candidates only on these grounds.

A model keeps coherence if it rejects every small graph that breaks SC per location, for all modes of the accesses.
Two or three accesses of one location are enough to break it, so the list of shapes is complete.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.judge import Prepared
from fencepost.models.registry import Model
from fencepost.program.instructions import Mode

_ADDRESS = 0x10000
_READ_MODES = (Mode.NA, Mode.RLX, Mode.ACQ, Mode.SC)
_WRITE_MODES = (Mode.NA, Mode.RLX, Mode.REL, Mode.SC)

#: (accesses of thread 0, number of writes of thread 1, reads-from of the reads, coherence). Access 0 is the initial
#: write, then thread 0, then thread 1.
Shape = tuple[str, int, tuple[int, ...], tuple[int, ...]]
_OWN: tuple[Shape, ...] = (
    ("RW", 0, (2,), (0, 2)),  # reads its own later write
    ("WWR", 0, (1,), (0, 1, 2)),  # reads its own write that it has overwritten
    ("WR", 0, (0,), (0, 1)),  # reads the initial value after its own write
)
_SHARED: tuple[Shape, ...] = (
    ("WW", 0, (), (0, 2, 1)),  # CoWW
    ("RW", 1, (3,), (0, 2, 3)),  # CoRW
    ("WR", 1, (3,), (0, 3, 1)),  # CoWR
    ("RR", 1, (3, 0), (0, 3)),  # CoRR
    ("RR", 2, (4, 3), (0, 3, 4)),
)


@lru_cache(maxsize=64)
def keeps_own_coherence(model: Model) -> bool:
    """Whether a thread alone always reads its own last write."""
    return all(_rejects(model, shape) for shape in _OWN)


@lru_cache(maxsize=64)
def keeps_coherence(model: Model) -> bool:
    """SC per location."""
    return keeps_own_coherence(model) and all(_rejects(model, shape) for shape in _SHARED)


@lru_cache(maxsize=64)
def uses_coherence_order(model: Model) -> bool:
    """Whether anything that the model checks looks at co: if not, an execution is its events and rf."""
    return "co" in primitives(model.prepared)


def _rejects(model: Model, shape: Shape) -> bool:
    own, writes, _, _ = shape
    choices = [_READ_MODES if kind == "R" else _WRITE_MODES for kind in own] + [_WRITE_MODES] * min(writes, 1)
    return not any(model.judge(_graph(shape, modes), all_violations=False).consistent for modes in product(*choices))


def _graph(shape: Shape, modes: tuple[Mode, ...]) -> Execution:
    own, writes, sources, order = shape
    events = [Event(0, -1, 0, EventKind.INIT, _ADDRESS, 8)]
    for i, kind in enumerate(own):
        what = EventKind.READ if kind == "R" else EventKind.WRITE
        events.append(Event(len(events), 0, i, what, _ADDRESS, 8, mode=modes[i]))
    for i in range(writes):
        events.append(Event(len(events), 1, i, EventKind.WRITE, _ADDRESS, 8, mode=modes[-1]))
    reads = [i + 1 for i, kind in enumerate(own) if kind == "R"]
    return Execution(tuple(events), dict(zip(reads, sources, strict=True)), {_ADDRESS: order})


def primitives(model: Prepared) -> frozenset[str]:
    """The primitive sets and relations that the checks of a model depend on."""
    found: set[str] = set()
    seen: set[str] = set()
    pending: list[object] = list(model.statements) + [p.body for p in model.procedures.values()]
    while pending:
        node = pending.pop()
        if isinstance(node, cat.Base):
            found.add(node.name)
        elif isinstance(node, cat.Name):
            if node.name not in seen and node.name in model.definitions:
                seen.add(node.name)
                pending.append(model.definitions[node.name])
        else:
            pending.extend(_parts(node))
    return frozenset(found)


def _parts(node: object) -> Iterable[object]:
    if isinstance(node, tuple):
        return node
    slots = getattr(type(node), "__slots__", ())
    return [getattr(node, slot) for slot in slots]
