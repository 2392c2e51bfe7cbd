"""Relations and sets of events as bits of integers: row i of a relation holds the successors of event i."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

Set = int


def bits(s: Set) -> Iterator[int]:
    """The members of a set."""
    while s:
        low = s & -s
        yield low.bit_length() - 1
        s ^= low


class Relation:
    """A relation on events 0 .. n-1. Immutable; operators follow the papers: `|`, `&`, `-`, and `>>` for `;`."""

    __slots__ = ("rows",)

    def __init__(self, rows: Iterable[Set]) -> None:
        self.rows = tuple(rows)

    @staticmethod
    def of(n: int, pairs: Iterable[tuple[int, int]]) -> Relation:
        rows = [0] * n
        for a, b in pairs:
            rows[a] |= 1 << b
        return Relation(rows)

    @staticmethod
    def identity(n: int, s: Set = -1) -> Relation:
        """[s]: the identity on a set."""
        return Relation((1 << i) & s for i in range(n))

    def __or__(self, other: Relation) -> Relation:
        return Relation(a | b for a, b in zip(self.rows, other.rows, strict=True))

    def __and__(self, other: Relation) -> Relation:
        return Relation(a & b for a, b in zip(self.rows, other.rows, strict=True))

    def __sub__(self, other: Relation) -> Relation:
        return Relation(a & ~b for a, b in zip(self.rows, other.rows, strict=True))

    def __rshift__(self, other: Relation) -> Relation:
        rows = []
        for row in self.rows:
            found = 0
            for j in bits(row):
                found |= other.rows[j]
            rows.append(found)
        return Relation(rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Relation) and self.rows == other.rows

    def __hash__(self) -> int:
        return hash(self.rows)

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return bool(self.rows[pair[0]] >> pair[1] & 1)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return ((i, j) for i, row in enumerate(self.rows) for j in bits(row))

    def __bool__(self) -> bool:
        return any(self.rows)

    def inverse(self) -> Relation:
        return Relation.of(len(self.rows), ((j, i) for i, j in self))

    def optional(self) -> Relation:
        """r?"""
        return Relation(row | 1 << i for i, row in enumerate(self.rows))

    def plus(self) -> Relation:
        """r+, by Warshall."""
        rows = list(self.rows)
        for k in range(len(rows)):
            through = rows[k]
            if through:
                for i, row in enumerate(rows):
                    if row >> k & 1:
                        rows[i] = row | through
        return Relation(rows)

    def star(self) -> Relation:
        return self.plus().optional()

    def between(self, domain: Set, codomain: Set) -> Relation:
        """[domain]; r; [codomain]"""
        return Relation(row & codomain if domain >> i & 1 else 0 for i, row in enumerate(self.rows))

    def predecessors(self, i: int) -> Set:
        """Those related to event i."""
        return sum(1 << j for j, row in enumerate(self.rows) if row >> i & 1)

    def domain(self) -> Set:
        return sum(1 << i for i, row in enumerate(self.rows) if row)

    def codomain(self) -> Set:
        found = 0
        for row in self.rows:
            found |= row
        return found

    @property
    def irreflexive(self) -> bool:
        return not any(row >> i & 1 for i, row in enumerate(self.rows))

    @property
    def acyclic(self) -> bool:
        return self.plus().irreflexive
