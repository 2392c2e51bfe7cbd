"""Search spaces of texts, and their optimum by trying everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from pathlib import Path

import fencepost
from fencepost.api import find_model, read
from fencepost.options import CheckOptions
from fencepost.repair.oracle import Asked, Explorer
from fencepost.repair.repairing import _asked
from fencepost.repair.search import Oracle, passes
from fencepost.repair.sources import Sources
from fencepost.repair.space import Assignment, Space
from fencepost.repair.survey import survey
from fencepost.verdict import Answer

CASES = Path(__file__).with_name("cases")


def robust_space_of(path: Path, model: str, only: str = "") -> tuple[Space, Asked]:
    """The same where the goal is to be robust."""
    space, _ = space_of(path, model, only)
    return space, Asked(space, lambda program: fencepost.robust(program, against=model))


def space_of(path: Path, model: str, only: str = "", *, strip: bool = False) -> tuple[Space, Explorer]:
    sources = Sources([str(path)], (), lambda files, flags: _asked(read(list(files), flags=flags)))
    found = survey(
        sources, find_model(model), accesses=only != "fences", fences=only != "accesses", strip=strip
    )  # fmt: skip
    options = CheckOptions(model=model)
    check = lambda program: fencepost.check(program, model=model)  # noqa: E731
    return found.space, Explorer(found.space, find_model(model), options, check)


def assignments(space: Space) -> Iterator[Assignment]:
    """All of them."""
    choices = []
    for site in range(len(space.sites)):
        atoms = [a for a in space.atoms if a.site == site]
        subsets = chain.from_iterable(combinations(atoms, n) for n in range(len(atoms) + 1))
        choices.append([frozenset(s) for s in subsets if space.closed(s) == frozenset(s)])
    for choice in product(*choices):
        yield frozenset(chain.from_iterable(choice))


def count(space: Space) -> int:
    total = 1
    for site in range(len(space.sites)):
        atoms = [a for a in space.atoms if a.site == site]
        subsets = chain.from_iterable(combinations(atoms, n) for n in range(len(atoms) + 1))
        total *= sum(space.closed(s) == frozenset(s) for s in subsets)
    return total


def brute(space: Space, explorer: Oracle) -> tuple[int | None, list[str]]:
    """The cost of a cheapest assignment that passes, and each pair that shows that more order broke something."""
    good = {a: passes(explorer.check(a)) for a in assignments(space)}
    best = min((space.cost(a) for a, ok in good.items() if ok), default=None)
    broken = [
        f"{sorted(map(str, a))} passes, and with {atom} it does not"
        for a, ok in good.items() if ok
        for atom in space.atoms
        if atom not in a and set(space.below[atom]) <= a and not good[a | {atom}]
    ]  # fmt: skip
    return best, broken


def is_wrong(answer: Answer) -> bool:
    return answer is Answer.FAIL
