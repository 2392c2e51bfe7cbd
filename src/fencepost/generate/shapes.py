"""The families of tests that have a name of their own, by their shape."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.generate.edges import Edge

#: Per thread the directions of its first and last access, then how the cycle leaves it.
FAMILIES = {
    "WW rf RR fr": "MP",
    "WR fr WR fr": "SB",
    "RW rf RW rf": "LB",
    "WW rf RW co": "S",
    "WW co WR fr": "R",
    "WW co WW co": "2+2W",
    "WR fr WR fr WR fr": "3.SB",
    "RW rf RW rf RW rf": "3.LB",
    "WW co WW co WW co": "3.2W",
    "W rf RW rf RR fr": "WRC",
    "W rf RW rf RW co": "WWC",
    "W rf RR fr WR fr": "RWC",
    "W rf RW co WR fr": "WRW+WR",
    "W rf RW co WW co": "WRW+2W",
    "W rf RR fr WW co": "WRR+2W",
    "WW rf RR fr WR fr": "W+RWC",
    "WW rf RW rf RR fr": "ISA2",
    "WW rf RW co WR fr": "Z6.0",
    "WW co WW rf RW co": "Z6.1",
    "WW rf RW rf RW co": "Z6.2",
    "WW co WW rf RR fr": "Z6.3",
    "WW co WR fr WR fr": "Z6.4",
    "WW co WW co WR fr": "Z6.5",
    "W rf RR fr W rf RR fr": "IRIW",
    "W rf RR fr W rf RW co": "IRRWIW",
    "W rf RW co W rf RW co": "IRWIW",
}
COHERENCE = {"W rf RR fr": "CoRR", "WW co": "CoWW", "RW rf": "CoRW1", "W rf RW co": "CoRW2", "WR fr": "CoWR0",
              "W co WR fr": "CoWR"}  # fmt: skip


def shape_of(edges: Sequence[Edge]) -> str:
    """`WW rf RR fr` for edges that start with a thread."""
    parts, first = [], edges[0].source
    length = 0
    for edge in edges:
        length += 1
        if edge.external:
            ends = first + edge.source if length > 1 else first
            parts.append(f"{ends} {edge.kind.lower()}")
            first, length = edge.target, 0
    return " ".join(parts)


def family_of(edges: Sequence[Edge]) -> str | None:
    """The name of the family, where these edges start with the thread that the family starts with."""
    table = FAMILIES if any(not e.same_location for e in edges) else COHERENCE
    return table.get(shape_of(edges))
