"""What a model demands, found out by asking it: the enumeration leaves out candidates only on these grounds.

A model keeps coherence if it rejects every small graph that breaks SC per location, for all modes of the accesses.
Two or three accesses of one location are enough to break it, so the list of shapes is complete.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from fencepost.execution.execution import EventKind
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
