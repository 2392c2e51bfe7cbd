"""What a model demands, found out by asking it: the enumeration leaves out candidates only on these grounds.

A model keeps coherence if it rejects every small graph that breaks SC per location, for all modes of the accesses.
Two or three accesses of one location are enough to break it, so the list of shapes is complete.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product

from fencepost.execution.execution import Event, EventKind, Execution
from fencepost.models.cat.small import INCOHERENT, OWN, Shape, incoherent
from fencepost.models.registry import Model
from fencepost.program.instructions import Mode

_READ_MODES = (Mode.NA, Mode.RLX, Mode.ACQ, Mode.SC)
_WRITE_MODES = (Mode.NA, Mode.RLX, Mode.REL, Mode.SC)


@lru_cache(maxsize=64)
def keeps_own_coherence(model: Model) -> bool:
    """Whether a thread alone always reads its own last write."""
    return all(_rejects(model, shape) for shape in OWN)


@lru_cache(maxsize=64)
def keeps_coherence(model: Model) -> bool:
    """SC per location."""
    return all(_rejects(model, shape) for shape in INCOHERENT)


@lru_cache(maxsize=64)
def keeps_compared(model: Model) -> bool:
    """Whether no write comes of what a compare-exchange wrote and decides itself that the exchange succeeds. The
    exchange reads what another thread wrote that saw the write, and the write depends on a read of what it wrote."""
    ways = product(("address_deps", "data_deps", "control_deps"), (Mode.NA, Mode.RLX))
    return not any(model.judge(_decided_by_itself(*way), all_violations=False).consistent for way in ways)


def _decided_by_itself(dependency: str, mode: Mode) -> Execution:
    """`c := CAS(f, 1, 2); s := f; x := s - 1` against `a := x; f := a`, where the exchange succeeds."""
    f, x, reads, writes = 0x1000, 0x2000, EventKind.READ, EventKind.WRITE
    looks = ((0, reads, x, 1), (0, writes, f, 1), (1, reads, f, 1), (1, writes, f, 2), (1, reads, f, 2), (1, writes, x, 1))
    first = [Event(k, -1, k, EventKind.INIT, place, 8) for k, place in enumerate((f, x))]
    rest = [
        Event(2 + k, thread, k, kind, place, 8, value, Mode.RLX if k in (2, 3) else mode, rmw=k in (2, 3))
        for k, (thread, kind, place, value) in enumerate(looks)
    ]
    compared, pair = frozenset({(4, 5)}), frozenset({(6, 7)})
    graph = Execution(
        (*first, *rest), {2: 7, 4: 3, 6: 5}, {f: (0, 3, 5), x: (1, 7)}, rmw=compared, threads=("P", "Q"),
        data_deps=frozenset({(2, 3)}), control_deps=compared, control_picks=compared,
    )  # fmt: skip
    return replace(graph, **{dependency: getattr(graph, dependency) | pair})


def _rejects(model: Model, shape: Shape) -> bool:
    own, writes, _, _ = shape
    reads = [{"kind": EventKind.READ, "mode": mode} for mode in _READ_MODES]
    stores = [{"kind": EventKind.WRITE, "mode": mode} for mode in _WRITE_MODES]
    choices = [reads if kind == "R" else stores for kind in own] + [stores] * min(writes, 1)
    for looks in product(*choices):
        alike = looks + looks[-1:] * (len(own) + writes - len(looks))
        if model.judge(incoherent(shape, alike), all_violations=False).consistent:
            return False
    return True
