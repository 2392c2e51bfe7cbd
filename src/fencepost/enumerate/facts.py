"""What must be true of an execution for a value to be there: the writes that it was computed from.

A fact says that a write of a thread, by its instruction and how often that came before, writes this value to this
location. A value read in one thread brings the
facts it rests on; two facts about the same write that differ, or a write that rests on itself, cannot be in one
execution. So impossible combinations of read values die in the thread that meets them, and the values a location can
hold stay finite even for `x = x + 1`. That no write rests on itself is common to most models (dependencies into writes
are kept, rf follows). Each model is asked (`models/properties.py`): where one keeps less, fewer causes count.

A value may have several justifications: alternatives. Dropping facts from an alternative is always sound.
"""

from __future__ import annotations

from collections.abc import Iterable

Slot = tuple[int, object, int]  # thread, instruction, how often the thread came to it before, wrote or not
Fact = tuple[Slot, tuple[int, int], int]  # slot, location, value
Facts = frozenset[Fact]
Alternatives = tuple[Facts, ...]

NOTHING: Alternatives = (frozenset(),)
MOST = 64


def consistent(facts: Facts) -> bool:
    return len({slot for slot, _, _ in facts}) == len(facts)


def conjunction(parts: Iterable[Alternatives]) -> Alternatives:
    """All consistent ways to have one alternative of each part; none where they contradict each other."""
    found: Alternatives = NOTHING
    for part in parts:
        if part is NOTHING or part == NOTHING:
            continue
        if found is NOTHING:
            found = part
            continue
        joined = {a | b for a in found for b in part}
        found = smallest(f for f in joined if consistent(f))
        if not found:
            return ()
    return found


def smallest(alternatives: Iterable[Facts]) -> Alternatives:
    """Without those that ask for more than another one does; where there are too many, only what all of them say."""
    kept: list[Facts] = []
    for facts in sorted(set(alternatives), key=len):
        if not any(k <= facts for k in kept):
            kept.append(facts)
    if len(kept) > MOST:
        return (frozenset.intersection(*kept),)
    return tuple(kept)
