"""The order that is missing, as pairs of events: what the fix that was found and checked would add."""

from __future__ import annotations

from fencepost.execution.execution import Event, Pair
from fencepost.program.instructions import Mode
from fencepost.program.operands import Position
from fencepost.verdict import STATEMENT, Cured, Fix
from fencepost.witness.case import Case


def missing(case: Case) -> frozenset[Pair]:
    """Empty where no fix is known."""
    cured = case.witness.cure() if case.witness.cure is not None else None
    if cured is None:
        return frozenset()
    found = _handed_over(case, cured) | _kept_in_order(case, cured)
    return frozenset(p for p in found if {*p} <= case.told())


def _handed_over(case: Case, cured: Cured) -> frozenset[Pair]:
    """A store that another thread has seen, where the fix makes the two a release and an acquire."""
    changed = [f for f in cured.fixes if f.mode is not None]
    pairs = set[Pair]()
    for r, w in case.witness.execution.reads_from.items():
        write, read = case.events[w], case.events[r]
        if write.thread in (-1, read.thread) or Mode.NA in (write.mode, read.mode):
            continue
        wants, gets = _order(case, write, changed), _order(case, read, changed)
        now = write.mode.releases and read.mode.acquires
        if wants.releases and gets.acquires and not now:
            pairs.add((w, r))
    return frozenset(pairs)


def _order(case: Case, e: Event, fixes: list[Fix]) -> Mode:
    """The order of an event after the fix."""
    return next((f.mode for f in fixes if f.mode is not None and f.at in _places(case, e)), e.mode)


def _kept_in_order(case: Case, cured: Cured) -> frozenset[Pair]:
    """The steps of the cycle that a thread takes, where a fence between them or a stronger order at one of their ends
    would keep them in order."""
    pairs = set[Pair]()
    for edge in case.cycle:
        a, b = case.events[edge.source], case.events[edge.target]
        if a.thread != b.thread or a.thread < 0:
            continue
        line = case.witness.execution.thread_events(a.thread)
        between = [case.events[e.id] for e in line if a.index < e.index <= b.index]
        fences = any(f.mode is None and any(_fenced(case, f, a, e) for e in between) for f in cured.fixes)
        orders = any(f.mode is not None and f.at in {*_places(case, a), *_places(case, b)} for f in cured.fixes)
        if fences or orders:
            pairs.add((a.id, b.id))
    return frozenset(pairs)


def _fenced(case: Case, fix: Fix, a: Event, e: Event) -> bool:
    """Whether the fences of a fix stand before `e`, or before a statement that begins between the two."""
    if fix.operation != STATEMENT or fix.at is None:
        return fix.at in _places(case, e)
    before, after = ([p for p in _places(case, x) if p is not None and p.file == fix.at.file] for x in (a, e))
    return any(p < fix.at for p in before) and any(fix.at <= p for p in after)


def _places(case: Case, e: Event) -> tuple[Position | None, ...]:
    return e.at, case.written_at(e.id)
