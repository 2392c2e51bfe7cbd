"""What happens-before leaves a thread to read at each place, step by step: the writes told so far that nothing it knows
of has overwritten. It knows of what happens before its last step, and of what it has read. That is said for the models
of C11 only, where happens-before is what hides a value (the axioms for sc may hide more); elsewhere it would be wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fencepost.execution.execution import Event, EventKind
from fencepost.models.registry import ModelKind
from fencepost.records import dataclass
from fencepost.witness.case import Case
from fencepost.witness.confirm import model_of

_MOST_PLACES = 12
_MOST_STEPS = 80


@dataclass(frozen=True, slots=True)
class Sight:
    """One place after one step: for each thread of the story, the values that it may read, oldest first."""

    place: str
    values: tuple[tuple[str, ...], ...]


def sights(
    case: Case, numbers: Mapping[int, int], threads: Sequence[int], steps: int
) -> tuple[tuple[Sight, ...], ...]:  # fmt: skip
    """A row per place, after each step; () where the story is too long for that to help anybody, or under other
    models."""
    model = model_of(case.witness)
    if model is None or not model.ours or model.kind is not ModelKind.C11:
        return ()
    ordered = case.witness.execution.coherence
    accesses = [e for e in case.events if e.id in numbers and e.is_access and not case.operation(e.id)]
    touched = dict.fromkeys(e.address for e in accesses if e.address in ordered)
    if steps > _MOST_STEPS or len(touched) > _MOST_PLACES or case.relations.unordered:
        return ()
    return tuple(
        tuple(_sight(case, numbers, threads, address, step) for address in touched) for step in range(1, steps + 1)
    )


def _sight(case: Case, numbers: Mapping[int, int], threads: Sequence[int], address: int, step: int) -> Sight:
    order = [case.events[w] for w in case.witness.execution.coherence[address]]
    there = [w for w in order if _performed(case, numbers, w, step)]
    values = []
    for t in threads:
        known = _known(case, numbers, t, step)
        floor = max((n for n, w in enumerate(order) if w.id in known), default=0)
        kept = [case.names.value(w) for n, w in enumerate(order) if n >= floor and w in there]
        values.append(tuple(dict.fromkeys(kept)))
    return Sight(case.names.location(address), tuple(values))


def _performed(case: Case, numbers: Mapping[int, int], w: Event, step: int) -> bool:
    """Whether the story has told a write, or begins after it."""
    if w.kind is EventKind.INIT or w.id in case.setup:
        return True
    return numbers.get(w.id, step + 1) <= step


def _known(case: Case, numbers: Mapping[int, int], thread: int, step: int) -> set[int]:
    """The writes that a thread knows of: its own, what it or those before it have read, what happens before."""
    line = case.relations.lines.get(thread, ())
    mine = [e for e in line if numbers.get(e.id, step + 1) <= step] or list(line[:1])
    if not mine:
        return set()
    last, hb, sources = mine[-1].id, case.relations.hb, case.witness.execution.reads_from
    before = {e.id for e in case.events if hb[e.id] >> last & 1} | {
        e.id for e in mine if numbers.get(e.id, step + 1) <= step
    }
    return before | {sources[e] for e in before if e in sources}
