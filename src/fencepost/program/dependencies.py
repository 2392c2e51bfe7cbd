"""What the value of a register was computed from: a set of events of its thread, each by a number.

A plain number is a full dependency. One with PICK is a pick dependency: the event only decided which value it became,
as the condition of a CSEL and the comparison of a CAS do. AArch64 tells them apart.
"""

from __future__ import annotations

Deps = frozenset[int]
NO_DEPS: Deps = frozenset()
PICK = 1 << 62


def picked(deps: Deps) -> Deps:
    """What only decides: all of them as pick dependencies."""
    return frozenset(d | PICK for d in deps)


def events_of(deps: Deps) -> Deps:
    """All the events, however the value depends on them."""
    return frozenset(d & ~PICK for d in deps)


def picks_of(deps: Deps) -> Deps:
    """The events that are pick dependencies only."""
    return frozenset(d & ~PICK for d in deps if d & PICK and d & ~PICK not in deps)
