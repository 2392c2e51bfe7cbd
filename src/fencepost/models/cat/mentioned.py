"""What a model looks at."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.models.cat import syntax as cat
from fencepost.models.cat.judge import Prepared


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
