"""The search space: the sites of a program, the atoms of each, and the program that an assignment of atoms gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from fencepost.program.instructions import Fence, FenceKind, Instruction, Mode
from fencepost.program.operands import Position
from fencepost.program.passes.rewrite import rebuild
from fencepost.program.program import Program
from fencepost.records import dataclass, field, replace
from fencepost.repair.lattice import Steps, fences, held, joined, price, raised, with_order


class SiteKind(Enum):
    """ACCESS: an access that is there. GAP: a place where a fence may be put; its spots are fences that mark it.
    BEFORE: the same, in front of an access. FENCE: a fence that is there and may be made weaker or taken away."""

    ACCESS = "access"
    GAP = "gap"
    BEFORE = "before"
    FENCE = "fence"


Spot: TypeAlias = tuple[int, int]  # the index of a function, and of an instruction in it


@dataclass(frozen=True, slots=True)
class Site:
    """One place of the source. All threads and all iterations that run it share it, and so do all `spots`: the copies
    that the front end made of it. `now` is the order that the source gives an access, `base` the one that an
    assignment without atoms gives it. `label` is what the place does, for a person."""

    kind: SiteKind
    spots: tuple[Spot, ...]
    steps: Steps
    at: Position | None = None
    now: Mode = Mode.NA
    base: Mode = Mode.NA
    label: str = ""
    fence: FenceKind | None = None  # the one that is there


@dataclass(frozen=True, slots=True)
class Atom:
    site: int
    step: str


Assignment: TypeAlias = frozenset[Atom]
NOTHING: Assignment = frozenset()


@dataclass(slots=True)
class Space:
    """`weights` are what atoms cost; `below` are the atoms that each needs."""

    program: Program
    sites: tuple[Site, ...]
    atoms: tuple[Atom, ...] = ()
    weights: dict[Atom, int] = field(default_factory=dict)
    below: dict[Atom, tuple[Atom, ...]] = field(default_factory=dict)

    def cost(self, chosen: Iterable[Atom]) -> int:
        return sum(self.weights[a] for a in chosen)

    def closed(self, chosen: Iterable[Atom]) -> Assignment:
        found = set(chosen)
        for atom in list(found):
            found |= set(self.below[atom])
        return frozenset(found)

    def without(self, chosen: Assignment, atom: Atom) -> Assignment:
        """The assignment one step weaker: without the atom and those that need it."""
        return frozenset(a for a in chosen if a != atom and atom not in self.below[a])

    @property
    def top(self) -> Assignment:
        return frozenset(self.atoms)

    def steps_at(self, chosen: Assignment) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for atom in chosen:
            found.setdefault(atom.site, set()).add(atom.step)
        return found

    def build(self, chosen: Assignment, *, pretty: bool = False) -> Program:
        """The program of an assignment. `pretty`: fences joined as a person would write them."""
        at = self.steps_at(chosen)
        parts: dict[int, dict[int, Sequence[Instruction]]] = {}
        for number, site in enumerate(self.sites):
            steps = at.get(number, set())
            if site.kind in (SiteKind.ACCESS, SiteKind.BEFORE) and not steps and site.base is site.now:
                continue
            for function, index in site.spots:
                here = parts.setdefault(function, {})
                before = list(here.get(index, (self.program.functions[function].code[index],)))
                here[index] = _changed(site, before, steps, pretty)
        functions = list(self.program.functions)
        for function, changes in parts.items():
            functions[function] = rebuild(functions[function], changes)
        return replace(self.program, functions=tuple(functions))


def _changed(site: Site, before: list[Instruction], steps: set[str], pretty: bool) -> list[Instruction]:
    write = joined if pretty else fences
    if site.kind is SiteKind.ACCESS:
        order = raised(site.base, steps)
        if order is site.now:
            return before
        weakest = getattr(before[-1], "failure", Mode.RLX) if site.base is site.now else Mode.RLX
        return [*before[:-1], with_order(before[-1], order, weakest)]
    kinds = write(steps, site.steps)
    if site.kind is SiteKind.FENCE:
        assert site.fence is not None, "a site of a fence should know it"
        kinds = [site.fence] if steps == set(site.steps) else joined(steps, site.steps)
    new: list[Instruction] = [Fence(kind, at=site.at) for kind in kinds]
    return [*new, *before] if site.kind is SiteKind.BEFORE else new


def make_space(
    program: Program, sites: Sequence[Site], costs: Mapping[str, int], useful: Callable[[Space, Atom], bool]
) -> Space:
    """Atoms for every step that a site does not have yet. A step that makes no difference on the machine is left out;
    what stands above it then costs as much more, so that `sc` keeps its price."""
    space = Space(program, tuple(sites))
    for number, site in enumerate(sites):
        _add_atoms(space, number, site, costs)
    full = Space(program, space.sites, space.atoms, dict(space.weights), dict(space.below))
    for atom in full.atoms:
        if not useful(full, atom):
            _drop(space, atom)
    return space


def _add_atoms(space: Space, number: int, site: Site, costs: Mapping[str, int]) -> None:
    group = "fence" if site.kind is not SiteKind.ACCESS else _group(site.steps)
    have = held(site.base) if site.kind is SiteKind.ACCESS else frozenset()
    place = costs.get(f"{_short(site.at)}") if site.at is not None else None
    for name, (default, below) in site.steps.items():
        if name in have:
            continue
        atom = Atom(number, name)
        space.atoms = (*space.atoms, atom)
        space.weights[atom] = price(group, name, default, costs) * (place or 1)
        space.below[atom] = tuple(Atom(number, b) for b in below if b not in have)


def _drop(space: Space, atom: Atom) -> None:
    space.atoms = tuple(a for a in space.atoms if a != atom)
    above = [a for a in space.atoms if atom in space.below[a]]
    for a in above:
        space.weights[a] += space.weights[atom]
        space.below[a] = tuple(b for b in space.below[a] if b != atom)
    del space.weights[atom], space.below[atom]


def _group(steps: Steps) -> str:
    return "update" if {"acq", "rel"} <= set(steps) else "store" if "rel" in steps else "load"


def _short(at: Position) -> str:
    return f"{at.file.rsplit('/', 1)[-1]}:{at.line}"
