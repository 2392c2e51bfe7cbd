"""Why an execution is not one that taking turns could give: a shortest cycle in po ∪ rf ∪ co ∪ fr."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from fencepost.execution.execution import Execution, Pair
from fencepost.verdict import Edge
from fencepost.witness.relations import Relations


def shortest_cycle(relations: Relations, among: Collection[int] | None = None) -> tuple[Edge, ...]:
    """A cycle with the fewest edges, po between any two accesses of a thread counting as one; () where the execution
    is sequentially consistent. `among` restricts it to these events. Of several, one with reads that missed a store:
    that says more than an order of stores; of those, one in which a thread has seen what another one did: there less is
    missing than where nobody has seen anything."""
    core = _on_cycles(relations, among)
    if not core:
        return ()
    steps = _communication(relations, core)
    after = _edges(relations, steps)
    best: tuple[Edge, ...] = ()
    for start in sorted({a for a, _ in steps}, key=lambda a: (not relations.events[a].is_read, a)):
        found = _cycle_through(start, after, len(best) + 1 if best else len(relations.events) + 1)
        cycle = tuple(Edge(a, b, steps.get((a, b), "po")) for a, b in zip(found, [*found[1:], *found[:1]], strict=True))
        if found and (not best or (len(cycle), _told_by(cycle)) < (len(best), _told_by(best))):
            best = cycle
    return best


def _told_by(cycle: tuple[Edge, ...]) -> tuple[bool, int]:
    names = [e.name for e in cycle]
    return "fr" not in names, -names.count("rf")


def takes_turns(execution: Execution) -> bool:
    """Whether it is sequentially consistent."""
    return not _on_cycles(Relations(execution), None)


def _on_cycles(relations: Relations, among: Collection[int] | None) -> set[int]:
    """Events that can be on a cycle: what is left when those with nothing before or nothing after them are taken away,
    again and again. Empty exactly for an acyclic order, and then found in linear time."""
    pairs = relations.program_order | relations.reads_from | relations.coherence | relations.from_reads
    left = set(range(len(relations.events))) if among is None else _filled(relations, among)
    for forward in (True, False):
        after: dict[int, list[int]] = {e: [] for e in left}
        count = dict.fromkeys(left, 0)
        for pair in pairs:
            a, b = pair if forward else pair[::-1]
            if a in left and b in left:
                after[a].append(b)
                count[b] += 1
        free = [e for e in left if not count[e]]
        while free:
            e = free.pop()
            left.discard(e)
            for b in after[e]:
                count[b] -= 1
                if not count[b]:
                    free.append(b)
    return left


def _filled(relations: Relations, among: Collection[int]) -> set[int]:
    """Program order is given from event to next event: a part of a thread needs what lies in between."""
    wanted = set(among)
    for line in relations.lines.values():
        inside = [e.index for e in line if e.id in wanted]
        if inside:
            first, last = min(inside), max(inside)
            wanted |= {e.id for e in line if first <= e.index <= last}
    return wanted


def _communication(relations: Relations, among: Collection[int]) -> dict[Pair, str]:
    named: dict[Pair, str] = {}
    named.update(dict.fromkeys(relations.coherence, "co"))
    for read in relations.execution.reads_from:
        if read in among:
            named.update({(read, w): "fr" for w in relations.missed(read)})
    named.update(dict.fromkeys(relations.reads_from, "rf"))
    events = relations.events
    return {
        (a, b): name
        for (a, b), name in named.items()
        if a in among and b in among and events[a].thread != events[b].thread
    }


def _edges(relations: Relations, steps: dict[Pair, str]) -> dict[int, list[int]]:
    """From each event that matters the events one step on; initial writes cannot be on a cycle."""
    events = relations.events
    matters = {e for pair in steps for e in pair if events[e].thread >= 0}
    after: dict[int, list[int]] = {e: [] for e in matters}
    for a, b in sorted(steps):
        if a in matters and b in matters:
            after[a].append(b)
    for a in sorted(matters):
        after[a] += sorted(b for b in matters if relations.po[a] >> b & 1)
    return after


def _cycle_through(start: int, after: dict[int, list[int]], limit: int) -> list[int]:
    """A shortest cycle through `start`, if it is shorter than `limit`."""
    came: dict[int, int] = {}
    depth = {start: 0}
    queue = deque([start])
    while queue:
        a = queue.popleft()
        if depth[a] + 1 >= limit:
            return []
        for b in after.get(a, ()):
            if b == start:
                path = [a]
                while path[-1] != start:
                    path.append(came[path[-1]])
                return path[::-1]
            if b not in depth:
                depth[b], came[b] = depth[a] + 1, a
                queue.append(b)
    return []
