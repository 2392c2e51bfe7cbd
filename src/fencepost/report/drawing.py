"""Where everything stands in the picture of a story: a column per thread, a row per step, curved edges by kind.

Our own layout: the story already gives the order from top to bottom and the columns, so nothing has to be searched for.
Widths are computed for a monospaced font, which every platform has.
"""

from __future__ import annotations

from dataclasses import field

from fencepost.execution.execution import EventKind, Pair
from fencepost.program.instructions import ErrorKind
from fencepost.records import dataclass
from fencepost.report.routes import Area, route
from fencepost.witness.case import open_case
from fencepost.witness.missing import missing
from fencepost.witness.names import Names
from fencepost.witness.relations import Relations
from fencepost.witness.story import Moment, Story

CHAR, SMALL_CHAR = 7.25, 6.65  # advance of the font at 12 and 11 pixels
GAP = 116  # between columns: room for labels of edges
MARGIN = 44
HEADER = 40
ROW_GAP = 18
LINE = 15
_MIN_BOX, _MAX_BOX = 150, 330
_MOST_INITIAL = 6  # edges from initial values
_CHIP = 26

#: Kinds of edges in the order of drawing, with what a person is told about each.
KINDS = {
    "po": "program order: next in its thread",
    "rf": "reads from: this write gave the read its value",
    "fr": "from read: the read missed this newer write",
    "co": "coherence: the order in which writes to a location took effect",
    "sw": "synchronises with: a release seen by an acquire",
    "hb": "happens before (of other threads)",
    "addr": "address dependency",
    "data": "data dependency",
    "ctrl": "control dependency",
    "spawn": "start and join of threads",
    "waits": "waits for what this step took or left behind",
    "race": "data race: nothing orders the two",
    "missing": "missing: the fix would add this order",
}
SHOWN_AT_FIRST = ("po", "rf", "fr", "spawn", "waits", "race", "missing")
_OFFSET = {
    "rf": -5.0,
    "fr": 6.0,
    "co": 1.0,
    "sw": -10.0,
    "hb": 11.0,
    "addr": -8.0,
    "data": -2.0,
    "ctrl": 9.0,
    "race": 12.0,
    "missing": -12.0,
}
_LABEL_AT = {
    "rf": 0.4,
    "fr": 0.62,
    "sw": 0.3,
    "hb": 0.7,
    "race": 0.6,
    "missing": 0.72,
}  # so that labels of neighbouring curves do not meet


@dataclass(frozen=True, slots=True)
class Box:
    """A step, or the initial value of a location (`number` 0)."""

    number: int
    kind: str
    lines: tuple[tuple[str, str], ...]  # style, text
    x: float
    y: float
    width: float
    height: float
    column: int = -1
    label: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Arrow:
    kind: str
    source: int  # index of a box
    target: int
    path: str
    label: tuple[float, float]
    cycle: bool = False


@dataclass(slots=True)
class Drawing:
    width: float
    height: float
    heads: list[tuple[float, float, str]] = field(default_factory=list)  # x, width, name
    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)


def draw(story: Story) -> Drawing:
    return _Artist(story).drawing()


class _Artist:
    def __init__(self, story: Story) -> None:
        self.story = story
        self.columns = [c.thread for c in story.columns] or [0]
        self.texts = {m.number: _lines(m) for m in story.moments}
        self.box_of: dict[int, int] = {}  # event -> index of its box
        self.out = Drawing(0, 0)
        self.far = 0  # edges so far that go around boxes

    def drawing(self) -> Drawing:
        self.lay_columns()
        top = self.lay_initial(MARGIN + HEADER)
        self.lay_steps(top)
        self.arrows()
        return self.out

    # --- boxes

    def lay_columns(self) -> None:
        x = float(MARGIN)
        names = {c.thread: c.name + (f" · {c.hidden} more" if c.hidden else "") for c in self.story.columns}
        for t in self.columns:
            widths = [_width(self.texts[m.number]) for m in self.story.moments if m.thread == t]
            width = min(max([_MIN_BOX, len(names.get(t, "")) * CHAR + 24, *widths]), _MAX_BOX)
            self.out.heads.append((x, width, names.get(t, "")))
            x += width + GAP
        self.out.width = max(x - GAP + MARGIN + 24, 320)

    def lay_initial(self, y: float) -> float:
        """Chips for the initial values that the story reads, above the first step; none for the inside of a mutex."""
        x_, told = self.story.witness.execution, {e for m in self.story.moments for e in m.events}
        read = {w: r for r, w in x_.reads_from.items() if r in told and x_.events[w].kind is EventKind.INIT}
        if not read:
            return y
        case = open_case(self.story.witness)
        names: Names = case.names
        read = {w: r for w, r in read.items() if not case.operation(r) or case.about(r) == x_.events[w].address}
        rows: dict[int, int] = {}  # chips so far in each column
        for e in sorted(read):
            text = f"{names.location(x_.events[e].address)} = {names.value(x_.events[e])}"
            reader = next(m.thread for m in self.story.moments if any(x_.reads_from.get(r) == e for r in m.events))
            column = self.columns.index(reader)
            x, width, _ = self.out.heads[column]
            top = y + rows.get(column, 0) * (_CHIP + 8)
            rows[column] = rows.get(column, 0) + 1
            width = min(len(text) * SMALL_CHAR + 20, width)
            lines = (("small", _cut(text, int((width - 16) / SMALL_CHAR))),)
            self.box_of[e] = len(self.out.boxes)
            self.out.boxes.append(Box(0, "init", lines, x, top, width, _CHIP, label=f"at first {text}"))
        return y + max(rows.values()) * (_CHIP + 8) + 18 if rows else y

    def lay_steps(self, y: float) -> None:
        for m in self.story.moments:
            lines = self.texts[m.number]
            column = self.columns.index(m.thread) if m.thread in self.columns else 0
            x, width, _ = self.out.heads[column]
            height = 14.0 + LINE * len(lines)
            cut = tuple((style, _cut(text, int((width - 19) / _advance(style)))) for style, text in lines)
            for e in m.events:
                self.box_of[e] = len(self.out.boxes)
            label = f"step {m.number}: {'; '.join(text for _, text in lines)}"
            self.out.boxes.append(Box(m.number, _style(m), cut, x, y, width, height, column, label))
            y += height + ROW_GAP
        self.out.height = y + MARGIN - ROW_GAP

    # --- arrows

    def arrows(self) -> None:
        self.frame_threads()
        relations = Relations(self.story.witness.execution).named()
        relations["fr"] = frozenset(p for p in relations["fr"] if self.misses(p))
        for kind in ("sw", "ctrl"):
            relations[kind] = self.nearest(relations[kind])
        cycle: set[tuple[str, int, int]] = set()
        for edge in self.story.cycle:
            a, b = self.box_of.get(edge.source, -1), self.box_of.get(edge.target, -1)
            if a >= 0 and b >= 0 and a != b:
                cycle.add((edge.name if edge.name in KINDS else "po", a, b))
        initial = {(a, b) for a, b in self.pairs(relations["rf"]) if self.out.boxes[a].number == 0}
        plain = initial if len(initial) > _MOST_INITIAL else set[tuple[int, int]]()  # each such step says so in words
        drawn = self.neighbours(cycle)
        for kind in KINDS:
            for a, b in self.pairs(relations[kind]) if kind in relations and kind != "po" else ():
                if kind == "rf" and (a, b) in plain and (kind, a, b) not in cycle:
                    continue
                self.add(kind, a, b, in_cycle=(kind, a, b) in cycle)
                drawn.add((kind, a, b))
        for kind, a, b in sorted(cycle - drawn):
            self.add(kind, a, b, in_cycle=True)
        waits = self.waits()
        for a, b in waits:
            self.add("waits", a, b, in_cycle=len(waits) > 1)
        error = self.story.witness.error
        if error.kind is ErrorKind.RACE and len(error.events) == 2:
            for a, b in self.pairs(frozenset({(error.events[0], error.events[1])})):
                self.add("race", a, b, in_cycle=True)
        for a, b in self.pairs(missing(open_case(self.story.witness))):
            self.add("missing", a, b, in_cycle=True)

    def waits(self) -> list[tuple[int, int]]:
        """From each step that waits for ever to the one that it waits because of."""
        boxes = {b.number: i for i, b in enumerate(self.out.boxes)}
        found = [(boxes[m.number], self.box_of.get(m.because, -1)) for m in self.story.moments if m.kind == "wait"]
        return [(a, b) for a, b in found if b >= 0]

    def misses(self, pair: Pair) -> bool:
        """Whether a read misses a write that another thread has made by then: of one that comes later (unless a cycle
        goes by it) nobody would say so, and inside a thread the order of steps does."""
        events = self.story.witness.execution.events
        read, write = (self.box_of.get(e, -1) for e in pair)
        return events[pair[0]].thread != events[pair[1]].thread and write < read

    def nearest(self, pairs: frozenset[Pair]) -> frozenset[Pair]:
        """Without the pairs that another one implies through program order: these relations are closed under it."""
        events = self.story.witness.execution.events
        last: dict[tuple[int, int], int] = {}  # (thread of source, target) -> the latest source
        for a, b in sorted(pairs, key=lambda p: events[p[0]].index):
            last[events[a].thread, b] = a
        first: dict[tuple[int, int], int] = {}  # (source, thread of target) -> the first target
        for (_, b), a in sorted(last.items(), key=lambda item: -events[item[0][1]].index):
            first[a, events[b].thread] = b
        return frozenset((a, b) for (a, _), b in first.items())

    def frame_threads(self) -> None:
        """Where a thread begins and ends has no box of its own: its first and its last step stand for it."""
        for e in self.story.witness.execution.events:
            steps = [i for i, b in enumerate(self.out.boxes) if b.column >= 0 and self.columns[b.column] == e.thread]
            if steps and e.kind in (EventKind.BEGIN, EventKind.END):
                self.box_of[e.id] = steps[0] if e.kind is EventKind.BEGIN else steps[-1]

    def neighbours(self, cycle: set[tuple[str, int, int]]) -> set[tuple[str, int, int]]:
        """Program order is drawn between boxes that follow each other in a column, left-out events or not."""
        last: dict[int, int] = {}
        drawn: set[tuple[str, int, int]] = set()
        for index, box in enumerate(self.out.boxes):
            if box.column < 0:
                continue
            if box.column in last:
                above = self.out.boxes[last[box.column]]
                x = above.middle[0]
                path = f"M{x:.0f},{above.y + above.height:.0f}L{x:.0f},{box.y - 2:.0f}"
                key = ("po", last[box.column], index)
                middle = (x + 16, (above.y + above.height + box.y) / 2)
                self.out.arrows.append(Arrow(*key, path, middle, key in cycle))
                drawn.add(key)
            last[box.column] = index
        return drawn

    def pairs(self, events: frozenset[Pair]) -> list[tuple[int, int]]:
        found = {(self.box_of.get(a, -1), self.box_of.get(b, -1)) for a, b in events}
        return sorted((a, b) for a, b in found if a >= 0 and b >= 0 and a != b)

    def add(self, kind: str, a: int, b: int, *, in_cycle: bool) -> None:
        areas = [Area(box.x, box.y, box.width, box.height) for box in self.out.boxes]
        way = route(areas[a], areas[b], areas, GAP, _OFFSET.get(kind, 0.0), _LABEL_AT.get(kind, 0.5), self.far)
        self.far += way.far
        self.out.arrows.append(Arrow(kind, a, b, way.path, way.label, in_cycle))


# --- what a box says


def _lines(m: Moment) -> tuple[tuple[str, str], ...]:
    lines = [("main", m.text)]
    facts = " · ".join(part for part in (m.mode, m.place) if part)
    if facts:
        lines.append(("small", facts))
    got, _, missed = m.detail.partition(", missed ")
    if got:
        lines.append(("small", got))
    if missed:
        lines.append(("missed", f"missed {missed}"))
    return tuple(lines)


def _style(m: Moment) -> str:
    return f"{m.kind} blamed" if m.blamed and m.kind not in ("error", "wait") else m.kind


def _advance(style: str) -> float:
    return CHAR if style == "main" else SMALL_CHAR


def _width(lines: tuple[tuple[str, str], ...]) -> float:
    return max(len(text) * _advance(style) for style, text in lines) + 22


def _cut(text: str, limit: int) -> str:
    """In the middle: what is done stands at the beginning, the member and its value at the end."""
    if len(text) <= limit:
        return text
    begin = max((limit - 1) // 2, 1)
    return f"{text[:begin]}…{text[len(text) - max(limit - 1 - begin, 0) :]}"
