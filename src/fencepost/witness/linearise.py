"""An order in which an execution can be told.

Program order is always kept. Reads come after the writes that they read from wherever that is possible (on hardware it
need not be: a load may see a store that depends on it). Writes come in coherence order, and after the reads that
missed them, as far as that goes: for a sequentially consistent execution the order is one of its interleavings. Among
the orders that agree on all this, one with the fewest changes of thread is told. Of an execution that needs weak memory
no order agrees on all of it: the one that disagrees least is told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice, pairwise

from fencepost.execution.execution import Event, EventKind, Pair
from fencepost.witness.relations import Relations
from fencepost.witness.straight import straightest
from fencepost.witness.turns import Unit, fewest_turns

#: With more steps than that, nobody counts the turns.
_LONG = 400


def linearise(relations: Relations, told: Collection[int]) -> list[Unit]:
    """The told events in the order of the story; the halves of a read-modify-write are one unit."""
    x = relations.execution
    second = {w: r for r, w in x.rmw if r in told and w in told and _adjacent(relations, r, w)}
    queues: dict[int, list[Unit]] = {}
    for t in relations.threads:
        line = [e.id for e in x.thread_events(t) if e.id in told and e.id not in second]
        halves = {r: w for w, r in second.items()}
        queues[t] = [(e, halves[e]) if e in halves else (e,) for e in line]
    late = {e.id for e in x.events if e.kind is EventKind.JOIN}
    needs = _before(_starts(relations, told), told), _before(relations.reads_from, told), _soft(relations, told)
    order = _merge(queues, *needs, late)
    if len(order) > _LONG:
        return _together(relations, order)
    starts, *ordered = needs
    hard = {(a, b) for b, all_ in starts.items() for a in all_} | _fixed(relations, order)
    kept = {(a, b) for before in ordered for b, all_ in before.items() for a in all_} | hard
    order = fewest_turns(order, {e.id: e.thread for e in x.events}, kept)
    return _together(relations, straightest(relations, order, hard))


def _starts(relations: Relations, told: Collection[int]) -> set[Pair]:
    """A thread's told events lie between its start and its join, told or not what it begins and ends with."""
    pairs: set[Pair] = set()
    for a, b in relations.execution.spawns:
        before = [e.id for e in relations.lines.get(relations.events[a].thread, ()) if e.id in told]
        after = [e.id for e in relations.lines.get(relations.events[b].thread, ()) if e.id in told]
        last = [e for e in before if relations.events[e].index <= relations.events[a].index][-1:]
        first = [e for e in after if relations.events[e].index >= relations.events[b].index][:1]
        pairs |= {(e, f) for e in last for f in first}
    return pairs


def _fixed(relations: Relations, order: list[Unit]) -> set[Pair]:
    """What is freed, and who joins, stays where it was told among the steps of the others: no relation says it."""
    events = [e for unit in order for e in unit]
    fixed = [e for e in events if relations.events[e].kind in (EventKind.JOIN, EventKind.MALLOC, EventKind.FREE)]
    return {(a, b) for a in fixed for b in events if a != b}


def _together(relations: Relations, order: list[Unit]) -> list[Unit]:
    """A thread that starts (or joins) several others one after the other does it in one step."""
    steps: list[Unit] = []
    for unit in order:
        e = relations.events[unit[0]]
        before = relations.events[steps[-1][-1]] if steps else None
        same = before is not None and (before.thread, before.kind, _line(before)) == (e.thread, e.kind, _line(e))
        if same and e.kind in (EventKind.SPAWN, EventKind.JOIN):
            steps[-1] += unit
        else:
            steps.append(unit)
    return steps


def _line(e: Event) -> tuple[str, int] | None:
    return (e.at.file, e.at.line) if e.at is not None else None


def _adjacent(relations: Relations, read: int, write: int) -> bool:
    a, b = relations.events[read], relations.events[write]
    return a.thread == b.thread and a.index + 1 == b.index


def _before(pairs: Collection[tuple[int, int]], told: Collection[int]) -> dict[int, set[int]]:
    before: dict[int, set[int]] = {}
    for a, b in pairs:
        if a in told and b in told:
            before.setdefault(b, set()).add(a)
    return before


def _soft(relations: Relations, told: Collection[int]) -> dict[int, set[int]]:
    """Each told write after the told one before it in coherence, and after the reads that missed it first."""
    orders = [[w for w in order if w in told] for order in relations.execution.coherence.values()]
    pairs = {pair for order in orders for pair in pairwise(order)}
    for read in relations.execution.reads_from:
        if read in told:
            pairs |= {(read, w) for w in islice((w for w in relations.missed(read) if w in told), 1)}
    return _before(pairs, told)


def _merge(
    queues: dict[int, list[Unit]],
    hard: Mapping[int, set[int]],
    reads: Mapping[int, set[int]],
    soft: Mapping[int, set[int]],
    late: Collection[int],
) -> list[Unit]:
    """Takes, again and again, the thread whose next unit breaks least; staying in one thread where nothing is lost."""
    at = dict.fromkeys(queues, 0)
    done: set[int] = set()
    story: list[Unit] = []
    last = -1

    def unmet(unit: Unit, needs: Mapping[int, set[int]]) -> int:
        return sum(1 for e in unit for d in needs.get(e, ()) if d not in done and d not in unit)

    def cost(t: int) -> tuple[bool, bool, bool, bool, bool, int]:
        unit = queues[t][at[t]]
        waits = unit[0] in late  # a join comes when there is nothing else to tell: several become one step
        return (unmet(unit, hard) > 0, unmet(unit, reads) > 0, unmet(unit, soft) > 0, waits, t != last, t)

    while ready := [t for t in queues if at[t] < len(queues[t])]:
        last = min(ready, key=cost)
        unit = queues[last][at[last]]
        at[last] += 1
        done.update(unit)
        story.append(unit)
    return story
