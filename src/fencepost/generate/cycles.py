"""From a cycle of edges to the events of a test: threads, locations, values, and the outcome that shows the cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fencepost.errors import UsageError
from fencepost.generate.edges import Annotation, Edge, parse_edge
from fencepost.generate.shapes import family_of
from fencepost.generate.vocabulary import Vocabulary
from fencepost.records import dataclass

_LOCATIONS = "xyzabcdefghijklmnopqrstuvw"


@dataclass(frozen=True, slots=True)
class Event:
    """`value`: what a write stores, what a read must return for the cycle to happen."""

    thread: int
    direction: str
    location: str
    annotation: str
    value: int


@dataclass(frozen=True, slots=True)
class Cycle:
    """Edge i goes from event i to event i+1; the last one closes the cycle. Thread 0 starts with event 0."""

    edges: tuple[Edge, ...]
    events: tuple[Event, ...]

    @property
    def threads(self) -> int:
        return 1 + max(e.thread for e in self.events)

    @property
    def text(self) -> str:
        return " ".join(_word(e) for e in self.edges)

    def writes(self, location: str) -> list[Event]:
        return [e for e in self.events if e.location == location and e.direction == "W"]


def _word(edge: Edge) -> str:
    """The edge in diy's spelling, directions filled in."""
    annotated = edge.source_annotation or edge.target_annotation
    return edge.name + ((edge.source_annotation or "P") + (edge.target_annotation or "P") if annotated else "")


def parse_cycle(text: str, vocabulary: Vocabulary) -> Cycle:
    """Reads `SyncdWW Rfe DpAddrdR Fre`. Raises UsageError with what does not fit."""
    words = [parse_edge(word, vocabulary) for word in text.replace(",", " ").split()]
    edges: list[Edge] = []
    between: dict[int, str] = {}
    for word in words:
        if isinstance(word, Annotation):
            between[len(edges)] = word.name
        else:
            edges.append(word)
    if len(edges) < 2:
        raise UsageError("a cycle has two edges at least, such as 'PodWR Fre PodWR Fre'")
    return make_cycle(_annotated(edges, between), vocabulary)


def _annotated(edges: list[Edge], between: dict[int, str]) -> list[Edge]:
    """A lone annotation belongs to the event before edge number `at`."""
    for at, name in between.items():
        before, after = (at - 1) % len(edges), at % len(edges)
        if {edges[before].target_annotation, edges[after].source_annotation} - {"", name}:
            raise UsageError(
                f"'{edges[before].name}' and '{edges[after].name}' annotate the event of '{name}' differently"
            )
        edges[before] = replace(edges[before], target_annotation=name)
        edges[after] = replace(edges[after], source_annotation=name)
    return edges


def make_cycle(given: Sequence[Edge], vocabulary: Vocabulary) -> Cycle:
    """Checks that the edges fit together and gives every event its thread, location and value."""
    edges = _rotated(_directed(given))
    count = len(edges)
    annotations = [_meet(edges[i - 1], edges[i], vocabulary) for i in range(count)]
    threads, locations = _threads(edges), _places(edges)
    values = _values(edges, locations)
    events = [
        Event(threads[i], edges[i].source, _LOCATIONS[locations[i]], annotations[i], values[i]) for i in range(count)
    ]
    spelled = [
        replace(e, source_annotation=annotations[i], target_annotation=annotations[(i + 1) % count])
        for i, e in enumerate(edges)
    ]
    return Cycle(tuple(spelled), tuple(events))


def _directed(given: Sequence[Edge]) -> list[Edge]:
    """Stars get the direction of the neighbour."""
    edges, count = list(given), len(given)
    for _ in range(2):
        for i, edge in enumerate(edges):
            before, after = edges[i - 1], edges[(i + 1) % count]
            source = before.target if edge.source == "*" else edge.source
            target = after.source if edge.target == "*" else edge.target
            edges[i] = replace(edge, source=source, target=target)
    for i, edge in enumerate(edges):
        after = edges[(i + 1) % count]
        if "*" in (edge.source, edge.target):
            raise UsageError(f"nothing decides the star in '{edge.name}': write R or W")
        if edge.target != after.source:
            kinds = {"R": "a read", "W": "a write"}
            raise UsageError(
                f"'{edge.name}' ends in {kinds[edge.target]} and '{after.name}' starts with {kinds[after.source]}"
            )
        if "*" in edge.name:
            edges[i] = replace(edge, name=_filled(edge))
    return edges


def _filled(edge: Edge) -> str:
    """The name with its stars replaced: Pod** as PodRW, DpAddrd* as DpAddrdR."""
    stem, stars = edge.name.rstrip("*RW"), edge.name[len(edge.name.rstrip("*RW")) :]
    return stem + (edge.source + edge.target if len(stars) == 2 else edge.target)


def _rotated(edges: list[Edge]) -> list[Edge]:
    """Starts where a thread starts, after an edge that leaves one: with the thread that a known family starts with."""
    turned = [edges[i:] + edges[:i] for i in range(len(edges)) if edges[i - 1].external]
    if not turned:
        raise UsageError("a cycle has an edge between threads at least: Rfe, Fre or Coe")
    return next((t for t in turned if family_of(t) is not None), turned[0])


def _meet(before: Edge, after: Edge, vocabulary: Vocabulary) -> str:
    """The annotation of the event between two edges."""
    found = {a for a in (before.target_annotation, after.source_annotation) if a}
    if len(found) > 1:
        raise UsageError(f"'{before.name}' and '{after.name}' annotate the event between them differently")
    name = next(iter(found), "")
    if name and name != "P" and after.source not in vocabulary.annotations[name]:
        raise UsageError(f"{name} is no annotation of a {'read' if after.source == 'R' else 'write'}")
    return "" if name == "P" else name


def _threads(edges: list[Edge]) -> list[int]:
    threads = [0]
    for edge in edges[:-1]:
        threads.append(threads[-1] + edge.external)
    return threads


def _places(edges: list[Edge]) -> list[int]:
    """Each edge to a different location goes to the next one; the last of them comes back to the first."""
    changes = sum(not e.same_location for e in edges)
    if changes == 1:
        raise UsageError("one edge to a different location never comes back: a cycle has none, or two at least")
    if changes > len(_LOCATIONS):
        raise UsageError(f"a cycle has {len(_LOCATIONS)} locations at most")
    places = [0]
    for edge in edges[:-1]:
        places.append((places[-1] + (not edge.same_location)) % max(changes, 1))
    return places


def _values(edges: list[Edge], locations: list[int]) -> list[int]:
    """Along the events of a location, each write stores one more than the last; a read sees the last write."""
    count = len(edges)
    values = [0] * count
    for start in _starts(edges, locations):
        current, i = 0, start
        while True:
            if edges[i].source == "W":
                current += 1
            values[i] = current
            if not edges[i].same_location:
                break
            i = (i + 1) % count
            if i == start:
                break
    return _checked(edges, values)


def _starts(edges: list[Edge], locations: list[int]) -> list[int]:
    """The first event of each location: after an edge that changes it. Where none does, the first write that is read
    or overwritten starts the only one."""
    found = [i for i in range(len(edges)) if not edges[i - 1].same_location]
    if found:
        return found
    writes = [i for i, e in enumerate(edges) if e.source == "W" and edges[i - 1].kind != "Co"]
    return writes[:1] or [0]


def _checked(edges: list[Edge], values: list[int]) -> list[int]:
    """Where the cycle stays at one location, what it asks of a read may contradict itself."""
    count = len(edges)
    for i, edge in enumerate(edges):
        if edge.kind == "Fr":
            target = (i + 1) % count
            wanted = values[target] - 1
            if edges[i - 1].kind == "Rf" and values[i] != wanted:
                raise UsageError("this cycle reads a write and is before it: no execution can have it")
            values[i] = wanted
    return values
