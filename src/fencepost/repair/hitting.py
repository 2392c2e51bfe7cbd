"""The cheapest set of atoms that meets every clause, exactly, by branch and bound.

Each clause says that one of its atoms is needed; an atom brings along those below it. Our instances are small (tens of
clauses of two to five atoms), and a search of our own can break ties the same way on every machine; a MaxSAT solver
would be a dependency of several megabytes for a millisecond's work. Where the search takes too long it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

_A = TypeVar("_A")
#: Steps before the search gives up: seconds, far beyond what any repair has needed.
_MOST = 400_000


class TooHardError(Exception):
    """The search would take too long; `bound` is what every solution costs at least."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


class HittingSet(Generic[_A]):
    """Clauses are added as they are learnt. `weights` are positive; ties are broken by the fewest atoms, then by the
    order of `atoms`."""

    def __init__(self, atoms: Sequence[_A], weights: Mapping[_A, int], below: Mapping[_A, Iterable[_A]]) -> None:
        self.atoms = list(atoms)
        number = {a: i for i, a in enumerate(self.atoms)}
        scale = len(self.atoms) + 1
        self._scale = scale
        self._weight = [weights[a] * scale + 1 for a in self.atoms]
        self._closure = [1 << number[a] | sum(1 << number[b] for b in below[a]) for a in self.atoms]
        self._number = number
        self._clauses: list[int] = []

    def add(self, clause: Iterable[_A]) -> None:
        new = sum(1 << self._number[a] for a in set(clause))
        self._clauses = [c for c in self._clauses if c & new != new]  # the new one says more
        self._clauses.append(new)

    def cheapest(self) -> frozenset[_A] | None:
        """None where some clause is empty. Raises TooHardError."""
        if 0 in self._clauses:
            return None
        self._best_cost, self._best, self._steps = sum(self._weight) + 1, (1 << len(self.atoms)) - 1, 0
        self._lowest = self._bound(self._clauses, 0, 0)
        self._search(0, 0, 0)
        return frozenset(a for i, a in enumerate(self.atoms) if self._best >> i & 1)

    def _search(self, chosen: int, cost: int, excluded: int) -> None:
        self._steps += 1
        if self._steps > _MOST:
            raise TooHardError(self._lowest // self._scale)
        open_ = [c & ~excluded for c in self._clauses if not c & chosen]
        if not open_:
            if cost < self._best_cost:
                self._best_cost, self._best = cost, chosen
            return
        if 0 in open_ or cost + self._bound(open_, chosen, excluded) >= self._best_cost:
            return
        clause = min(open_, key=int.bit_count)
        literals = sorted(_bits(clause), key=lambda i: (self._added(i, chosen), i))
        for i in literals:
            if not self._closure[i] & excluded:
                self._search(chosen | self._closure[i], cost + self._added(i, chosen), excluded)
            excluded |= 1 << i

    def _added(self, i: int, chosen: int) -> int:
        return sum(self._weight[j] for j in _bits(self._closure[i] & ~chosen))

    def _bound(self, open_: list[int], chosen: int, excluded: int) -> int:
        """What the open clauses cost at least: clauses without a common atom are paid for one by one, and each at
        least the atom itself, without what that brings along (which others might share)."""
        total, used = 0, 0
        for clause in sorted(open_, key=int.bit_count):
            if not clause & used:
                used |= clause
                total += min((self._weight[i] for i in _bits(clause)), default=0)
        return total


def _bits(word: int) -> list[int]:
    found = []
    while word:
        low = word & -word
        found.append(low.bit_length() - 1)
        word ^= low
    return found
