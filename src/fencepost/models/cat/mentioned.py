"""What a model looks at."""

from __future__ import annotations

from collections.abc import Iterable

from fencepost.models.cat import syntax as cat
from fencepost.models.cat.judge import Prepared
from fencepost.models.cat.resolve import prelude_names


def primitives(model: Prepared) -> frozenset[str]:
    """The primitive sets and relations that the checks of a model depend on."""
    return _reached(model, model.statements, frozenset())


def vocabulary(model: Prepared) -> frozenset[str]:
    """The names that the checks of a model take from us, as its author could write them: `SYNC`, `ACQ`, `po-loc`; and
    the primitives that it names itself. What it defines and never uses does not count, nor does any comment or a flag:
    files that only define fences have flags of their own."""
    required = tuple(s for s in model.statements if not isinstance(s, cat.Check) or s.role == "require")
    reached = _reached(model, required, prelude_names())
    return frozenset(model.origin.get(name, name) for name in reached)


def _reached(model: Prepared, checks: tuple[cat.Statement, ...], stop: frozenset[str]) -> frozenset[str]:
    """The primitives that some checks lead to, and the names among `stop`, whose definitions are not looked into."""
    found: set[str] = set()
    seen: set[str] = set()
    pending: list[object] = list(checks)
    while pending:
        node = pending.pop()
        if isinstance(node, cat.Base):
            found.add(node.name)
        elif isinstance(node, cat.Name):
            if node.name in stop:
                found.add(node.name)
            elif node.name not in seen and node.name in model.definitions:
                seen.add(node.name)
                pending.append(model.definitions[node.name])
        else:
            pending.extend(_parts(node))
            if isinstance(node, cat.Call) and node.procedure not in seen:
                seen.add(node.procedure)
                pending.append(model.procedures[node.procedure].body)
    return frozenset(found)


def _parts(node: object) -> Iterable[object]:
    if isinstance(node, tuple):
        return node
    slots = getattr(type(node), "__slots__", ())
    return [getattr(node, slot) for slot in slots]
