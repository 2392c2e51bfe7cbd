"""Sets of events and relations between them as integers.

A set is a bit mask. A relation is a tuple of masks, one row per event: bit j of row i says that i is related to j.
These few functions are all that the evaluators know about the representation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from operator import and_, or_

Rows = tuple[int, ...]
Pair = tuple[int, int]


def bits(mask: int) -> Iterator[int]:
    """The members of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(members: Iterable[int]) -> int:
    mask = 0
    for member in members:
        mask |= 1 << member
    return mask


def relation(pairs: Iterable[Pair], n: int) -> Rows:
    rows = [0] * n
    for a, b in pairs:
        rows[a] |= 1 << b
    return tuple(rows)


def total_orders(orders: Iterable[Sequence[int]], n: int) -> Rows:
    """All pairs of some total orders of different events."""
    rows = [0] * n
    for order in orders:
        later = 0
        for member in reversed(order):
            rows[member] = later
            later |= 1 << member
    return tuple(rows)


def pairs(r: Rows) -> Iterator[Pair]:
    for a, row in enumerate(r):
        for b in bits(row):
            yield a, b


def union(a: Rows, b: Rows) -> Rows:
    return tuple(map(or_, a, b))


def intersection(a: Rows, b: Rows) -> Rows:
    return tuple(map(and_, a, b))


def difference(a: Rows, b: Rows) -> Rows:
    return tuple([x & ~y for x, y in zip(a, b, strict=True)])


def complement(a: Rows) -> Rows:
    full = (1 << len(a)) - 1
    return tuple([full & ~x for x in a])


#: From so many events on the functions below take the way for large relations.
LARGE = 128


def sequence(a: Rows, b: Rows) -> Rows:
    if len(a) >= LARGE:
        return _large_sequence(a, b)
    out = []
    for row in a:
        reached = 0
        while row:
            low = row & -row
            reached |= b[low.bit_length() - 1]
            row ^= low
        out.append(reached)
    return tuple(out)


def inverse(a: Rows) -> Rows:
    out = [0] * len(a)
    for i, row in enumerate(a):
        bit = 1 << i
        while row:
            low = row & -row
            out[low.bit_length() - 1] |= bit
            row ^= low
    return tuple(out)


def closure(a: Rows) -> Rows:
    """The transitive closure (Warshall, a row at a time)."""
    order = successors_first(a) if len(a) >= LARGE else None
    if order is not None:
        return _closure_of_acyclic(a, order)
    rows = list(a)
    for k, bit in enumerate([1 << k for k in range(len(rows))]):
        through = rows[k]
        if through:
            for i, row in enumerate(rows):
                if row & bit:
                    rows[i] = row | through
    return tuple(rows)


def _large_sequence(a: Rows, b: Rows) -> Rows:
    """Most rows are another one and a few events more: small rows first, and the last ones are remembered."""
    out = [0] * len(a)
    known: deque[tuple[int, int]] = deque(maxlen=8)  # rows and what they reach, the last at the end
    for i in sorted(range(len(a)), key=lambda i: a[i].bit_count()):
        row, reached = a[i], 0
        for old in reversed(known):
            if not old[0] & ~row:
                row, reached = row & ~old[0], old[1]
                known.remove(old)
                break
        for j in bits(row):
            reached |= b[j]
        out[i] = reached
        known.append((a[i], reached))
    return tuple(out)


def successors_first(a: Rows) -> list[int] | None:
    """All events, each after those that it is related to; None where there is a cycle."""
    order: list[int] = []
    fresh, way = (1 << len(a)) - 1, 0
    for start in range(len(a)):
        path = [start] if fresh >> start & 1 else []
        fresh &= ~(1 << start)
        while path:
            here = path[-1]
            way |= 1 << here
            if a[here] & way:
                return None
            if left := a[here] & fresh:
                path.append((left & -left).bit_length() - 1)
                fresh ^= left & -left
            else:
                order.append(path.pop())
                way ^= 1 << here
    return order


def _closure_of_acyclic(a: Rows, order: list[int]) -> Rows:
    rows = [0] * len(a)
    for i in order:
        left = reached = a[i]
        while left:
            low = left & -left
            through = rows[low.bit_length() - 1]
            reached |= through
            left &= ~(low | through)
        rows[i] = reached
    return tuple(rows)


def identity(members: int, n: int) -> Rows:
    return tuple([members & (1 << i) for i in range(n)])


def reflexive(a: Rows) -> Rows:
    return tuple([row | (1 << i) for i, row in enumerate(a)])


def product(a: int, b: int, n: int) -> Rows:
    return tuple([b if a >> i & 1 else 0 for i in range(n)])


def domain(a: Rows) -> int:
    mask = 0
    for i, row in enumerate(a):
        if row:
            mask |= 1 << i
    return mask


def range_of(a: Rows) -> int:
    mask = 0
    for row in a:
        mask |= row
    return mask


def is_irreflexive(a: Rows) -> bool:
    return not any(row >> i & 1 for i, row in enumerate(a))


def is_acyclic(a: Rows) -> bool:
    """Removes events without a successor among the rest until none is left or none can go."""
    if len(a) >= LARGE:
        return successors_first(a) is not None
    left = [(1 << i, row) for i, row in enumerate(a) if row]
    alive = mask_of(i for i, row in enumerate(a) if row)
    while left:
        kept = [(bit, row) for bit, row in left if row & alive]
        if len(kept) == len(left):
            return False
        left = kept
        alive = 0
        for bit, _ in kept:
            alive |= bit
    return True


def shortest_path(a: Rows, source: int, target: int) -> list[int] | None:
    """The events of a shortest path with at least one edge; source and target may be the same."""
    before: dict[int, int] = {}
    queue = deque([source])
    while queue:
        here = queue.popleft()
        for there in bits(a[here]):
            if there in before:
                continue
            before[there] = here
            if there == target:
                return _walk_back(before, source, target)
            queue.append(there)
    return None


def _walk_back(before: dict[int, int], source: int, target: int) -> list[int]:
    path = [target, before[target]]
    while path[-1] != source:
        path.append(before[path[-1]])
    return path[::-1]


def shortest_cycle(a: Rows) -> list[int] | None:
    """A shortest cycle as its events, the first one repeated at the end."""
    best: list[int] | None = None
    for start in range(len(a)):
        path = shortest_path(a, start, start)
        if path is not None and (best is None or len(path) < len(best)):
            best = path
    return best


def starting_in(members: int, a: Rows) -> Rows:
    return tuple([row if members >> i & 1 else 0 for i, row in enumerate(a)])


def ending_in(a: Rows, members: int) -> Rows:
    return tuple([row & members for row in a])
