"""What people call a test: the family from its shape, then what stands between the accesses of each thread."""

from __future__ import annotations

from fencepost.generate.cycles import Cycle
from fencepost.generate.shapes import family_of, shape_of


def name_of(cycle: Cycle) -> str:
    """`MP+sync+addr`; a thread of one access adds nothing; equal parts make a plural, plain program order nothing."""
    parts = [p for p in _inside(cycle) if p]
    if not parts or all(p == "po" for p in parts):
        suffix = ""
    elif len(parts) > 1 and len(set(parts)) == 1:
        suffix = f"+{parts[0]}s"
    else:
        suffix = "".join(f"+{p}" for p in parts)
    return _family(cycle) + suffix + _outside(cycle)


def _inside(cycle: Cycle) -> list[str]:
    parts: list[list[str]] = [[] for _ in range(cycle.threads)]
    for edge, event in zip(cycle.edges, cycle.events, strict=True):
        if not edge.external:
            parts[event.thread].append(edge.short)
    return ["-".join(p) for p in parts]


def _outside(cycle: Cycle) -> str:
    """Annotated single accesses would vanish from the name: their annotations are added at the end."""
    alone = [e for e in cycle.events if sum(o.thread == e.thread for o in cycle.events) == 1]
    marks = [e.annotation for e in alone]
    return "+" + "+".join(m or "P" for m in marks) if any(marks) else ""


def _family(cycle: Cycle) -> str:
    """A shape without a name is called after the directions of its threads."""
    return family_of(cycle.edges) or "+".join(shape_of(cycle.edges).split()[::2])
