"""The canonical choice of an event in a SplitGraph: the one that a revisit expects of what it deletes. It looks at the
events of `previous` and at nothing else."""

from __future__ import annotations

from fencepost.program.interpret import Kind
from fencepost.reference.split_graph import COMMIT, OUTCOME, WHOLE, Node, SplitGraph


def bound(g: SplitGraph, n: Node, previous: set[Node]) -> tuple[Node, bool] | None:
    """The po-first later access of the thread that says where in coherence n belongs: before a write (true), or not
    after one that a read sees (false)."""
    address = g.events[n].action.address
    for f in g.slots(n[0]):
        e = g.events[f]
        access = f[2] == WHOLE and e.action.kind in (Kind.READ, Kind.WRITE)
        if f[1] <= n[1] or not access or e.action.address != address or e.pair == n:
            continue
        if g.is_write(f):
            if _commits(previous, f):
                return f, True
        elif f in previous and g.rf[f] != n and _commits(previous, g.rf[f]):
            return g.rf[f], False
    return None


def canonical_source(g: SplitGraph, r: Node, previous: set[Node]) -> Node:
    order = _order(g, g.events[r].action.address, previous)
    found = bound(g, r, previous)
    if found is None:
        return order[-1]
    w, before = found
    return _before(g, w, previous) if before else w


def canonical_place(g: SplitGraph, w: Node, previous: set[Node]) -> Node:
    """The write right after which w belongs. pre: its commit is not in `previous`, or has no place yet."""
    e = g.events[w]
    if e.pair is not None and e.pair in previous and _commits(previous, g.rf[e.pair]):
        return _after_updates(g, g.rf[e.pair], w, previous)
    found = bound(g, w, previous)
    if found is None or found[0][0] < 0:
        return [x for x in _order(g, e.action.address, previous) if x != w][-1]
    after, place = found[0], _before(g, found[0], previous)
    while place[0] >= 0 and _updates(g, after, place):  # never between the halves of a read-modify-write
        after, place = place, _before(g, place, previous)
    return place


def canonical(g: SplitGraph, n: Node, previous: set[Node]) -> bool:
    e = g.events[n]
    if e.action.kind is Kind.CHOOSE:
        return e.value == e.action.value & (1 << 64) - 1
    if n[2] == OUTCOME:
        return e.value == 0
    if g.is_read(n):
        return g.rf[n] == canonical_source(g, n, previous)
    if g.is_write(n):
        return not any(r in previous for r in g.readers(n))
    if n[2] != COMMIT:
        return True
    w = (*n[:2], WHOLE)
    if any(r in previous and (r[0] != n[0] or r[1] < n[1]) for r in g.readers(w)):
        return False
    others = previous - {n}
    return _before(g, w, others) == canonical_place(g, w, others)


def _commits(some: set[Node], w: Node) -> bool:
    return w[0] < 0 or (*w[:2], COMMIT) in some


def _order(g: SplitGraph, address: int, previous: set[Node]) -> list[Node]:
    return [w for w in g.co[address] if _commits(previous, w)]


def _before(g: SplitGraph, w: Node, previous: set[Node]) -> Node:
    order = g.co[g.events[w].action.address]
    return [x for x in order[: order.index(w)] if _commits(previous, x)][-1]


def _updates(g: SplitGraph, w: Node, source: Node) -> bool:
    pair = g.events[w].pair
    return pair is not None and g.rf[pair] == source


def _after_updates(g: SplitGraph, source: Node, except_: Node, previous: set[Node]) -> Node:
    """What a pair read, and others after it that read the same and stay: two of them are in no execution; the one that
    a revisit deletes makes room for the one that stays."""
    order = g.co[g.events[except_].action.address]
    place = source
    for w in order[order.index(source) + 1 :]:
        if w == except_ or not _commits(previous, w):
            continue
        pair = g.events[w].pair
        if pair is None or pair not in previous or g.rf[pair] != place:
            break
        place = w
    return place
