"""What a model demands, found out by asking it: the enumeration leaves out candidates only on these grounds.

A model keeps coherence if it rejects every small graph that breaks SC per location, for all modes of the accesses.
Two or three accesses of one location are enough to break it, so the list of shapes is complete.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product

from fencepost.execution.execution import EventKind
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.judge import Prepared
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
def uses_coherence_order(model: Model) -> bool:
    """Whether anything that the model checks looks at co: if not, an execution is its events and rf."""
    return "co" in primitives(model.prepared)


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
