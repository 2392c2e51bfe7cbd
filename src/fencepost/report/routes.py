"""Ways for edges that do not run behind boxes.

Every step has a row of its own, so between two rows, and between two columns, there is always room. An edge to the
next column bends through the gap between the two. One that goes farther leaves its box into the gap beside it, crosses
the columns in between where a row ends, and comes down (or up) the gap beside its target.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fencepost.records import dataclass

Point = tuple[float, float]
_ROUND = 9.0  # radius of a corner
_EDGE = 8.0  # of the picture


@dataclass(frozen=True, slots=True)
class Area:
    """Where a box is."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Route:
    """`far`: it goes around other boxes."""

    path: str
    label: Point
    far: bool = False


def route(a: Area, b: Area, areas: Sequence[Area], gap: float, offset: float, along: float, lane: int = 0) -> Route:
    """`areas` are all boxes; `offset` keeps edges of different kinds apart, `lane` those that go a long way; the label
    stands at `along` of the way."""
    curve = _curve(a, b, offset)
    others = [o for o in areas if o not in (a, b)]
    if not any(_inside(o, _at(curve, n / 40)) for n in range(41) for o in others):
        p, q, r, s = (f"{x:.0f},{y:.0f}" for x, y in curve)
        return Route(f"M{p}C{q} {r} {s}", _at(curve, along if curve[0][0] <= curve[3][0] else 1 - along))
    corners = _around(a, b, areas, gap * 0.24 + 1.2 * offset + 5 * (lane % 5), offset)
    (x1, y), (x2, _) = corners[2], corners[3]
    return Route(_rounded(corners), (x1 + (x2 - x1) * (along + 0.12 * (lane % 5 - 2)), y), far=True)


def _curve(a: Area, b: Area, offset: float) -> tuple[Point, Point, Point, Point]:
    """The four points of a curve from the side of one box to the side of another."""
    ay, by = a.centre[1] + offset, b.centre[1] + offset
    if a.x == b.x:  # in one column: around on the right
        x1, x2 = a.right, b.right + 3
        reach = max(x1, x2) + 22 + min(abs(by - ay) * 0.16, 60)
        return (x1, ay), (reach, ay), (reach, by), (x2, by)
    right = a.centre[0] < b.centre[0]
    x1, x2 = (a.right, b.x - 3) if right else (a.x, b.right + 3)
    reach = max(34.0, min(abs(x2 - x1) * 0.5, 120.0)) * (1 if right else -1)
    return (x1, ay), (x1 + reach, ay), (x2 - reach, by), (x2, by)


def _around(a: Area, b: Area, areas: Sequence[Area], shift: float, offset: float) -> list[Point]:
    """Six corners: out of `a`, along the corridor between two rows that is nearest to it, into `b`. `shift`: how far
    beside the boxes it goes up or down."""
    right = a.centre[0] < b.centre[0]
    sign = 1 if right else -1
    start = (a.right if right else a.x, a.centre[1] + offset)
    end = (b.x - 3 if right else b.right + 3, b.centre[1] + offset)
    out, into = max(start[0] + sign * shift, _EDGE), max(end[0] - sign * shift, _EDGE)
    y = _corridor(a, b, areas) + offset * 0.45
    return [start, (out, start[1]), (out, y), (into, y), (into, end[1]), end]


def _corridor(a: Area, b: Area, areas: Sequence[Area]) -> float:
    """The middle of the free strip next to the row of `a`, on the side of `b`."""
    bands: list[list[float]] = []
    for area in sorted(areas, key=lambda o: o.y):
        if bands and area.y < bands[-1][1]:
            bands[-1][1] = max(bands[-1][1], area.bottom)
        else:
            bands.append([area.y, area.bottom])
    free = [(above[1] + below[0]) / 2 for above, below in pairwise(bands)]
    down = a.centre[1] < b.centre[1]
    way = [y for y in free if (y > a.centre[1]) is down]
    if not way:
        return (a.bottom if down else a.y) + (9 if down else -9)
    return min(way) if down else max(way)


def _rounded(corners: Sequence[Point]) -> str:
    parts = [f"M{corners[0][0]:.0f},{corners[0][1]:.0f}"]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        enter, leave = _towards(corner, before), _towards(corner, after)
        parts.append(f"L{enter[0]:.0f},{enter[1]:.0f}Q{corner[0]:.0f},{corner[1]:.0f} {leave[0]:.0f},{leave[1]:.0f}")
    return "".join([*parts, f"L{corners[-1][0]:.0f},{corners[-1][1]:.0f}"])


def _towards(corner: Point, other: Point) -> Point:
    """A point near a corner on the way to another one."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    long = max(abs(dx), abs(dy), 1.0)
    step = min(_ROUND, long / 2) / long
    return corner[0] + dx * step, corner[1] + dy * step


def _inside(area: Area, point: Point) -> bool:
    return area.x < point[0] < area.right and area.y < point[1] < area.bottom


def _at(points: tuple[Point, Point, Point, Point], t: float) -> Point:
    """The point of a Bézier curve at `t` of its way."""
    u = 1 - t
    weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
    x, y = (sum(w * p[i] for w, p in zip(weights, points, strict=True)) for i in (0, 1))
    return x, y
