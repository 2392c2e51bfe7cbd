"""Operational machines for little programs: what memory does, step by step, with nothing of the checker in them.

`outcomes(program, machine)` is the set of final states: the registers of every thread and the last value of every
location. Machines: `sc` (one memory), `tso` (a buffer of stores per thread), `pso` (one per thread and location), and
`rc11` (messages with views, as in the view machines of the literature; no seq-cst accesses), of which `ra` is the case
in which every access releases or acquires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from little import Little, Statement

State = Any
Outcome = tuple[tuple[str, int], ...]
_MASK = 2**32


@dataclass(frozen=True, slots=True)
class Running:
    """A thread: the statements that are left, and its registers."""

    code: tuple[Statement, ...]
    registers: tuple[tuple[str, int], ...] = ()

    def __hash__(self) -> int:
        return hash((len(self.code), self.registers))

    def read(self, name: str) -> int:
        return dict(self.registers).get(name, 0)

    def value(self, s: Statement) -> int:
        return (s.value + (self.read(s.added) if s.added else 0)) % _MASK

    def after(self, s: Statement, value: int | None = None) -> Running:
        kept = dict(self.registers)
        if value is not None:
            kept[s.register] = value
        return Running(self.code[1:], tuple(sorted(kept.items())))

    def branch(self) -> Running:
        s = self.code[0]
        body = s.body if self.read(s.register) == s.value else ()
        return Running((*body, *self.code[1:]), self.registers)


def outcomes(program: Little, machine: str) -> set[Outcome]:
    memory: Memory = {"sc": Flat, "tso": Buffers, "pso": Buffers, "rc11": Views, "ra": Views}[machine](program, machine)
    start = tuple(Running(code) for code in program.threads), memory
    seen, todo, found = {start}, [start], set()
    while todo:
        threads, memory = todo.pop()
        following = list(_steps(threads, memory))
        if not following:
            found.add(_outcome(threads, memory))
        for state in following:
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return found


def _outcome(threads: tuple[Running, ...], memory: Memory) -> Outcome:
    registers = [(f"{t}:{name}", value) for t, thread in enumerate(threads) for name, value in thread.registers]
    return tuple(sorted([*registers, *memory.final().items()]))


def _steps(threads: tuple[Running, ...], memory: Memory) -> Iterator[State]:
    for t, thread in enumerate(threads):
        if thread.code and thread.code[0].kind == "if":
            yield (*threads[:t], thread.branch(), *threads[t + 1 :]), memory
            return  # nobody sees when a branch is taken
    for later in memory.own_steps():
        yield threads, later
    for t, thread in enumerate(threads):
        if thread.code:
            for moved, later in memory.perform(t, thread):
                yield (*threads[:t], moved, *threads[t + 1 :]), later


def _updated(s: Statement, old: int, value: int) -> int | None:
    """What an update stores; None where a compare-exchange fails."""
    if s.kind == "cas" and old != s.expected:
        return None
    return (old + value) % _MASK if s.kind == "add" else value


class Memory:
    """What memory can do: steps of its own, the statement of a thread, and what is in it at the end."""

    def own_steps(self) -> Iterator[Memory]:
        return iter(())

    def perform(self, t: int, thread: Running) -> Iterator[tuple[Running, Memory]]:
        raise NotImplementedError

    def final(self) -> Mapping[str, int]:
        raise NotImplementedError


@dataclass(frozen=True)
class Flat(Memory):
    """One memory, one step at a time."""

    program: Little
    machine: str
    cells: tuple[tuple[str, int], ...] = ()

    def __hash__(self) -> int:
        return hash(self.cells)

    def final(self) -> Mapping[str, int]:
        return {x: dict(self.cells).get(x, 0) for x in self.program.locations}

    def write(self, x: str, value: int) -> Flat:
        return replace(self, cells=tuple(sorted((dict(self.cells) | {x: value}).items())))

    def perform(self, t: int, thread: Running) -> Iterator[tuple[Running, Memory]]:
        s = thread.code[0]
        old = dict(self.cells).get(s.location, 0)
        if s.kind == "fence":
            yield thread.after(s), self
        elif s.kind == "load":
            yield thread.after(s, old), self
        elif s.kind == "store":
            yield thread.after(s), self.write(s.location, thread.value(s))
        else:
            new = _updated(s, old, thread.value(s))
            yield thread.after(s, old), self if new is None else self.write(s.location, new)


@dataclass(frozen=True)
class Buffers(Memory):
    """Stores wait in order: all of a thread's (TSO), or those to one location (PSO). Updates, fences and, on an x86,
    seq-cst stores empty them first."""

    program: Little
    machine: str
    cells: tuple[tuple[str, int], ...] = ()
    waiting: tuple[tuple[tuple[str, int], ...], ...] = ()

    def __hash__(self) -> int:
        return hash((self.cells, self.waiting))

    def _of(self, t: int) -> tuple[tuple[str, int], ...]:
        return self.waiting[t] if t < len(self.waiting) else ()

    def _with(self, t: int, stores: tuple[tuple[str, int], ...]) -> Buffers:
        waiting = list(self.waiting) + [()] * (len(self.program.threads) - len(self.waiting))
        waiting[t] = stores
        return replace(self, waiting=tuple(waiting))

    def final(self) -> Mapping[str, int]:
        return {x: dict(self.cells).get(x, 0) for x in self.program.locations}

    def own_steps(self) -> Iterator[Memory]:
        for t in range(len(self.waiting)):
            stores = self._of(t)
            for k, (x, value) in enumerate(stores):
                if any(y == x for y, _ in stores[:k]) or (self.machine == "tso" and k):
                    continue
                cells = tuple(sorted((dict(self.cells) | {x: value}).items()))
                yield replace(self._with(t, stores[:k] + stores[k + 1 :]), cells=cells)

    def perform(self, t: int, thread: Running) -> Iterator[tuple[Running, Memory]]:
        s, mine = thread.code[0], self._of(t)
        if s.kind == "load":
            own = [value for x, value in mine if x == s.location]
            yield thread.after(s, own[-1] if own else dict(self.cells).get(s.location, 0)), self
        elif s.kind == "store":
            yield thread.after(s), self._with(t, (*mine, (s.location, thread.value(s))))
        elif not mine and s.kind == "fence":
            yield thread.after(s), self
        elif not mine:
            old = dict(self.cells).get(s.location, 0)
            new = _updated(s, old, thread.value(s))
            cells = self.cells if new is None else tuple(sorted((dict(self.cells) | {s.location: new}).items()))
            yield thread.after(s, old), replace(self, cells=cells)


View = tuple[tuple[str, int], ...]  # location -> number of a message; none is the first, 0


@dataclass(frozen=True)
class Message:
    number: int
    value: int
    view: View
    follows: int = -1  # the message that an update read, right behind which it stays


NOTHING_SENT = (Message(0, 0, ()),)


@dataclass(frozen=True)
class Knowledge:
    """What a thread knows: now, after an acquire fence, at its last release fence, at its release writes."""

    now: View = ()
    acquired: View = ()
    fenced: View = ()
    released: tuple[tuple[str, View], ...] = ()


@dataclass(frozen=True)
class Views(Memory):
    """Per location the messages in coherence order. A read takes any that its thread has not gone past; a write goes
    anywhere behind, but not between an update and what it read."""

    program: Little
    machine: str
    orders: tuple[tuple[str, tuple[Message, ...]], ...] = ()
    threads: tuple[Knowledge, ...] = ()

    def __hash__(self) -> int:
        return hash((self.orders, self.threads))

    def order(self, x: str) -> tuple[Message, ...]:
        for y, order in self.orders:
            if x == y:
                return order
        return NOTHING_SENT

    def known(self, t: int) -> Knowledge:
        return self.threads[t] if t < len(self.threads) else Knowledge()

    def final(self) -> Mapping[str, int]:
        return {x: self.order(x)[-1].value for x in self.program.locations}

    def place(self, x: str, number: int) -> int:
        """Where in its order a message is; the initial one is first."""
        if number:
            for k, message in enumerate(self.order(x)):
                if message.number == number:
                    return k
        return 0

    def join(self, a: View, b: View) -> View:
        if not b or a == b:
            return a
        both = dict(a)
        for x, number in b:
            have = both.get(x, 0)
            if have == 0 or (have != number and self.place(x, number) >= self.place(x, have)):
                both[x] = number
        return tuple(sorted(both.items()))

    def _with(self, t: int, known: Knowledge) -> Views:
        threads = list(self.threads) + [Knowledge()] * (len(self.program.threads) - len(self.threads))
        threads[t] = known
        return Views(self.program, self.machine, self.orders, tuple(threads))

    def acquires(self, s: Statement) -> bool:
        return self.machine == "ra" or s.mode == "acquire" or s.mode == "acq_rel"

    def releases(self, s: Statement) -> bool:
        return self.machine == "ra" or s.mode in ("release", "acq_rel")

    def perform(self, t: int, thread: Running) -> Iterator[tuple[Running, Memory]]:
        s, k = thread.code[0], self.known(t)
        if s.kind == "fence":
            now = self.join(k.now, k.acquired) if s.mode in ("acquire", "acq_rel") else k.now
            fenced = now if s.mode in ("release", "acq_rel") else k.fenced
            yield thread.after(s), self._with(t, Knowledge(now, k.acquired, fenced, k.released))
        elif s.kind == "store":
            yield from ((thread.after(s), later) for later in self.write(t, s, thread.value(s), None))
        else:
            first = self.place(s.location, dict(k.now).get(s.location, 0))
            for message in self.order(s.location)[first:]:
                reading = self.read(t, s, message)
                new = None if s.kind == "load" else _updated(s, message.value, thread.value(s))
                moved = thread.after(s, message.value)
                if new is None:
                    yield moved, reading
                else:
                    yield from ((moved, later) for later in reading.write(t, s, new, message))

    def read(self, t: int, s: Statement, message: Message) -> Views:
        k = self.known(t)
        now = self.join(k.now, ((s.location, message.number),))
        acquired = self.join(self.join(k.acquired, now), message.view)
        now = self.join(now, message.view) if self.acquires(s) else now
        return self._with(t, Knowledge(now, acquired, k.fenced, k.released))

    def write(self, t: int, s: Statement, value: int, read: Message | None) -> Iterator[Views]:
        """One memory for each place. A number says who wrote: thread and how many it wrote before."""
        k, x, order = self.known(t), s.location, self.order(s.location)
        number = 1 + t + len(self.program.threads) * sum((m.number - 1 - t) % len(self.program.threads) == 0
                                                         for _, ms in self.orders for m in ms if m.number)  # fmt: skip
        first = self.place(x, dict(k.now).get(x, 0)) + 1
        places = range(first, len(order) + 1) if read is None else [self.place(x, read.number) + 1]
        for at in places:
            if at < len(order) and order[at].follows == order[at - 1].number:
                continue
            follows = -1 if read is None else read.number
            blank = (*order[:at], Message(number, value, (), follows), *order[at:])
            yield self._ordered(x, blank)._send(t, s, number, read)

    def _ordered(self, x: str, order: tuple[Message, ...]) -> Views:
        return Views(self.program, self.machine, tuple(sorted((dict(self.orders) | {x: order}).items())), self.threads)

    def _send(self, t: int, s: Statement, number: int, read: Message | None) -> Views:
        """Fills in what the new message carries."""
        k, x = self.known(t), s.location
        now = self.join(k.now, ((x, number),))
        released = dict(k.released)
        if self.releases(s):
            released[x] = now
        carried = self.join(self.join(k.fenced, released.get(x, ())), ((x, number),))
        if read is not None:
            carried = self.join(carried, read.view)
        order = tuple(Message(number, m.value, carried, m.follows) if m.number == number else m for m in self.order(x))
        known = Knowledge(now, self.join(k.acquired, now), k.fenced, tuple(sorted(released.items())))
        return self._ordered(x, order)._with(t, known)
