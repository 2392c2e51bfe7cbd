"""Who did what: each piece of work counts once, whatever is lost on the way and whatever comes twice.

The first return of a piece is committed: what was found is added and what is left takes the piece's place. A later
return of the same piece may have been cut elsewhere; it is dropped whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from fencepost import _core
from fencepost.cluster.tasks import End, Return
from fencepost.explore.journal import Journal


class Ledger:
    """`pieces`: all work that is left, by number; `ready`: the numbers of what nobody works on."""

    def __init__(self, results: _core.CoreResults, pieces: Iterable[bytes], journal: Journal | None = None) -> None:
        self.results, self.journal = results, journal
        self.failed = False
        self.dropped = 0
        self._next = 0
        self._outcomes = {tuple(values) for values, _ in results.outcomes}
        self.pieces: dict[int, bytes] = {}
        self.ready: deque[int] = deque()
        self._add(pieces)
        if journal is not None:
            journal.renew(self.results, self.pieces)

    @property
    def visited(self) -> int:
        return self.results.executions + self.results.blocked

    def commit(self, returned: Return) -> bool:
        """Whether it counts. pre: it ran."""
        assert returned.end in (End.DONE, End.PAUSED, End.FAILED), "what did not run has nothing to commit"
        if returned.number not in self.pieces:
            self.dropped += 1
            return False
        del self.pieces[returned.number]
        self._forget_known(returned.results)
        fresh = self._add(returned.left)
        self.results.merge(returned.results)
        self.failed |= returned.end is End.FAILED
        if self.journal is not None:
            self.journal.commit(returned.number, returned.results, fresh)
            if self.journal.wants_renewal:
                self.journal.renew(self.results, self.pieces)
        return True

    def give_back(self, number: int) -> None:
        """Nobody works on this piece any more, it seems."""
        if number in self.pieces:
            self.ready.appendleft(number)

    def _add(self, pieces: Iterable[bytes]) -> dict[int, bytes]:
        fresh = {}
        for piece in pieces:
            fresh[self._next] = piece
            self._next += 1
        self.pieces |= fresh
        self.ready.extend(fresh)
        return fresh

    def _forget_known(self, found: _core.CoreResults) -> None:
        """Of each outcome one execution is kept; every piece sends its own first ones."""
        if not found.kept:
            return
        fresh = []
        for execution in found.kept:
            if (outcome := tuple(execution.outcome)) not in self._outcomes:
                self._outcomes.add(outcome)
                fresh.append(execution)
        found.kept = fresh
