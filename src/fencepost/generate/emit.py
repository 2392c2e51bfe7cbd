"""Writes the litmus test of a cycle: what every architecture shares, and the columns of the assembly ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import field

from fencepost.generate.cycles import Cycle, Event
from fencepost.generate.edges import Edge
from fencepost.generate.vocabulary import Vocabulary
from fencepost.records import dataclass


@dataclass(slots=True)
class Column:
    """The code of one thread while it is written. `addresses` maps locations to the registers that hold them."""

    lines: list[str] = field(default_factory=list)
    number: int = 0
    used: int = 0
    labels: int = 0
    addresses: dict[str, str] = field(default_factory=dict)
    reads: list[tuple[str, int]] = field(default_factory=list)  # register, value that the cycle wants


def _unseen_orders(cycle: Cycle) -> list[tuple[str, list[int]]]:
    """The locations with three writes or more: the last one is seen at the end, the order of the others by nobody."""
    places = {x: sorted(w.value for w in cycle.writes(x)) for x in sorted({e.location for e in cycle.events})}
    return [(x, values[:-1]) for x, values in places.items() if len(values) > 2]


class Emitter(ABC):
    """One instruction set. `access` writes one event; `entering` is the edge inside the thread that leads to it, and
    `source` the register of the read at its start."""

    header: str
    first_register = 0

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    @abstractmethod
    def access(self, c: Column, event: Event, entering: Edge | None, source: str) -> str:
        """Writes the access; returns the register that holds what it read, or nothing."""

    @abstractmethod
    def exchange(self, c: Column, read: Event, write: Event, entering: Edge | None, source: str) -> str:
        """Writes a read-modify-write; returns the register that holds what it read."""

    @abstractmethod
    def control(self, c: Column, source: str) -> None:
        """A branch on a register to the next instruction."""

    @abstractmethod
    def register(self, number: int) -> str: ...

    # --- the whole test

    def test(self, cycle: Cycle, name: str) -> str:
        columns = self.columns(cycle)
        state = "".join(self.state(i, c) for i, c in enumerate(columns) if c.addresses)
        head = f'{self.header} {name}\n"{cycle.text}"\nCycle={cycle.text}\n'
        return f"{head}{{\n{state}}}\n{self.body(columns)}exists\n({self.question(cycle, columns)})\n"

    def columns(self, cycle: Cycle) -> list[Column]:
        """The threads of the cycle, then the observers."""
        own = [self.column(cycle, thread) for thread in range(cycle.threads)]
        return own + [self.observer(x, values) for x, values in _unseen_orders(cycle)]

    def column(self, cycle: Cycle, thread: int) -> Column:
        c, source, entering = Column(number=thread), "", None
        own = [i for i, e in enumerate(cycle.events) if e.thread == thread]
        skip = False
        for i in own:
            if skip:
                skip = False
            else:
                self.before(c, entering, source)
                if cycle.edges[i].kind == "Rmw":
                    source = self.exchange(c, cycle.events[i], cycle.events[i + 1], entering, source)
                    c.reads.append((source, cycle.events[i].value))
                    skip = True
                else:
                    source = self.access(c, cycle.events[i], entering, source)
                    if cycle.events[i].direction == "R":
                        c.reads.append((source, cycle.events[i].value))
            entering = None if cycle.edges[i].external else cycle.edges[i]
        self.after(c)
        return c

    def observer(self, location: str, values: list[int]) -> Column:
        """A thread that reads a location again and again and sees its writes in the order of the cycle."""
        c = Column()
        for value in values:
            c.reads.append((self.access(c, Event(0, "R", location, "", value), None, ""), value))
        self.after(c)
        return c

    def before(self, c: Column, entering: Edge | None, source: str) -> None:
        """What stands between two accesses, dependencies through registers excepted."""
        if entering is None:
            return
        if entering.kind == "Fence":
            c.lines.append(self.vocabulary.fences[entering.fence])
        elif entering.kind == "Ctrl":
            self.control(c, source)
            if entering.fence:
                c.lines.append(self.barrier())

    def barrier(self) -> str:
        return {"Isync": "isync", "Isb": "ISB", "Fencei": "fence.i"}[self.vocabulary.branch_barrier]

    def after(self, c: Column) -> None:  # noqa: B027 - nothing to close is the usual case
        """Closes what `before` opened."""

    def state(self, thread: int, c: Column) -> str:
        return " ".join(f"{thread}:{register}={location};" for location, register in c.addresses.items()) + "\n"

    def body(self, columns: list[Column]) -> str:
        table = [[f"P{i}", *c.lines] for i, c in enumerate(columns)]
        widths = [max(map(len, column)) for column in table]
        rows = []
        for number in range(max(map(len, table))):
            cells = [column[number] if number < len(column) else "" for column in table]
            rows.append(" " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " ;\n")
        return "".join(rows)

    def question(self, cycle: Cycle, columns: list[Column]) -> str:
        """Every read returns what the cycle wants; where there are several writes, the last of them is final."""
        locations = sorted({e.location for e in cycle.events})
        parts = [f"{x}={max(w.value for w in cycle.writes(x))}" for x in locations if len(cycle.writes(x)) > 1]
        parts += [f"{i}:{register}={value}" for i, c in enumerate(columns) for register, value in c.reads]
        return " /\\ ".join(parts) or "true"

    # --- registers

    def fresh(self, c: Column) -> str:
        c.used += 1
        return self.register(self.first_register + c.used - 1)

    def address(self, c: Column, location: str) -> str:
        if location not in c.addresses:
            c.addresses[location] = self.fresh(c)
        return c.addresses[location]

    def label(self, c: Column) -> str:
        c.labels += 1
        return f"LC{c.number}{c.labels - 1}"  # herd wants each label once in a test
