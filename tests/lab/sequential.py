"""A machine that runs the programs of `pthreads` step by step in one memory, with nothing of the checker in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pthreads import Code, Threads

MAX_STATES = 30_000
Final = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Ends:
    """What the machine comes to: final states, the texts of assertions that fail, and whether all may be stuck."""

    states: frozenset[Final]
    failed: frozenset[str]
    stuck: bool


@dataclass(frozen=True, slots=True)
class Running:
    """A thread. `pc` is None before it starts and after its end; `own` is its thread-local number; `round` is the one
    in which it came to the barrier."""

    pc: int | None
    registers: tuple[int, ...]
    own: int = 0
    round: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """`memory` has x, y, d, e. Who holds the mutexes, sleeps, reads, writes, is over; how far `once` is."""

    threads: tuple[Running, ...]
    memory: tuple[int, ...]
    semaphore: int
    mutexes: tuple[int | None, ...] = (None, None)
    asleep: frozenset[int] = frozenset()
    writer: int | None = None
    readers: frozenset[tuple[int, int]] = frozenset()
    once: int = 0
    arrived: int = 0
    round: int = 0
    over: frozenset[int] = frozenset()


def flat(code: Code) -> Code:
    found: Code = []
    for kind, *rest in code:
        if kind == "if":
            body = flat(rest[2])
            found += [("unless", rest[0], rest[1], len(body)), *body]
        elif kind == "wait":
            found += [("sleep",), ("woken",), ("lock", 0)]
        elif kind == "wait while":
            found += [("done if set", 4), ("sleep",), ("woken",), ("lock", 0), ("back", 4)]
        elif kind == "once":
            found += [("begin once", 2), ("add", None, "x", 1), ("end once",)]
        elif kind == "meet":
            found += [("arrive",), ("leave",)]
        else:
            found.append((kind, *rest))
    return found


PLACES = ("x", "y", "d", "e")


class Step:
    """One thread at one instruction. Each method yields the states after it: none where the thread waits."""

    def __init__(self, state: State, t: int, pc: int, width: int) -> None:
        self.s, self.t, self.pc, self.width = state, t, pc, width
        self.me = state.threads[t]

    def on(self, *, to: int = 1, register: int | None = None, value: int = 0, me: Any = None, **changed: Any) -> State:
        """The state after a step `to` places on; `me` and `changed` are what else changes in the thread and outside."""
        kept = list(self.me.registers)
        if register is not None:
            kept[register] = value
        fresh = replace(self.me, pc=self.pc + to, registers=tuple(kept), **(me or {}))
        return replace(self.s, threads=_put(self.s.threads, self.t, fresh), **changed)

    def at(self, place: str) -> int:
        return self.s.memory[PLACES.index(place)]

    def put(self, place: str, value: int) -> tuple[int, ...]:
        return _put(self.s.memory, PLACES.index(place), value)

    # --- memory

    def store(self, place: str, value: int) -> Iterator[State]:
        yield self.on(memory=self.put(place, value))

    def load(self, register: int, place: str) -> Iterator[State]:
        yield self.on(register=register, value=self.at(place))

    def add(self, register: int | None, place: str, value: int) -> Iterator[State]:
        old = self.at(place)
        yield self.on(register=register, value=old, memory=self.put(place, old + value))

    def cas(self, register: int, place: str, expected: int, value: int) -> Iterator[State]:
        old = self.at(place)
        done = old == expected
        yield self.on(register=register, value=int(done), memory=self.put(place, value if done else old))

    def plain_store(self, value: int) -> Iterator[State]:
        return self.store("d", value)

    def plain_load(self, register: int) -> Iterator[State]:
        return self.load(register, "d")

    def shared_store(self, value: int) -> Iterator[State]:
        return self.store("e", value)

    def shared_load(self, register: int) -> Iterator[State]:
        return self.load(register, "e")

    def await_(self, place: str, value: int) -> Iterator[State]:
        if self.at(place) == value:
            yield self.on()

    def tls(self, register: int) -> Iterator[State]:
        yield self.on(register=register, value=self.me.own + 1, me={"own": self.me.own + 1})

    # --- locks

    def lock(self, k: int) -> Iterator[State]:
        if self.s.mutexes[k] is None:
            yield self.on(mutexes=_put(self.s.mutexes, k, self.t))

    def unlock(self, k: int) -> Iterator[State]:
        yield self.on(mutexes=_put(self.s.mutexes, k, None))

    def try_(self, register: int, k: int) -> Iterator[State]:
        free = self.s.mutexes[k] is None
        held = self.t if free else self.s.mutexes[k]
        yield self.on(register=register, value=int(free), mutexes=_put(self.s.mutexes, k, held))

    def sleep(self) -> Iterator[State]:
        yield self.on(mutexes=_put(self.s.mutexes, 0, None), asleep=self.s.asleep | {self.t})

    def woken(self) -> Iterator[State]:
        if self.t not in self.s.asleep:
            yield self.on()

    def signal(self) -> Iterator[State]:
        yield from (self.on(asleep=self.s.asleep - {other}) for other in self.s.asleep)
        if not self.s.asleep:
            yield self.on()

    def broadcast(self) -> Iterator[State]:
        yield self.on(asleep=frozenset())

    def post(self) -> Iterator[State]:
        yield self.on(semaphore=self.s.semaphore + 1)

    def down(self) -> Iterator[State]:
        if self.s.semaphore:
            yield self.on(semaphore=self.s.semaphore - 1)

    def try_down(self, register: int) -> Iterator[State]:
        there = int(self.s.semaphore > 0)
        yield self.on(register=register, value=there, semaphore=self.s.semaphore - there)

    def read_lock(self) -> Iterator[State]:
        if self.s.writer is None:
            yield self.on(readers=self.s.readers | {(self.t, self.pc)})

    def write_lock(self) -> Iterator[State]:
        if self.s.writer is None and not self.s.readers:
            yield self.on(writer=self.t)

    def end(self) -> Iterator[State]:
        mine = [h for h in self.s.readers if h[0] == self.t]
        yield self.on(readers=self.s.readers - {max(mine)}) if mine else self.on(writer=None)

    def begin_once(self, rest: int) -> Iterator[State]:
        if self.s.once == 0:
            yield self.on(once=1)
        elif self.s.once == 2:
            yield self.on(to=1 + rest)

    def end_once(self) -> Iterator[State]:
        yield self.on(once=2)

    def arrive(self) -> Iterator[State]:
        if self.s.arrived + 1 == self.width:
            yield self.on(to=2, arrived=0, round=self.s.round + 1)
        else:
            yield self.on(arrived=self.s.arrived + 1, me={"round": self.s.round})

    def leave(self) -> Iterator[State]:
        if self.s.round > self.me.round:
            yield self.on()

    # --- control

    def unless(self, register: int, value: int, rest: int) -> Iterator[State]:
        yield self.on(to=1 if self.me.registers[register] == value else 1 + rest)

    def done_if_set(self, rest: int) -> Iterator[State]:
        yield self.on(to=1 + rest if self.at("d") else 1)

    def back(self, rest: int) -> Iterator[State]:
        yield self.on(to=-rest)

    def assert_(self, register: int, value: int) -> Iterator[State | str]:
        yield f"r{register} != {value}" if self.me.registers[register] == value else self.on()

    def spawn(self, t: int) -> Iterator[State]:
        after = self.on()
        yield replace(after, threads=_put(after.threads, t, replace(after.threads[t], pc=0)))

    def join(self, t: int) -> Iterator[State]:
        if t in self.s.over:
            yield self.on()

    def quit(self) -> Iterator[State]:
        fresh = _put(self.s.threads, self.t, replace(self.me, pc=None))
        yield replace(self.s, threads=fresh, over=self.s.over | {self.t})

    def exit(self) -> Iterator[State]:
        yield from (replace(s, over=s.over | {0}) for s in self.quit())


def _put(values: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    return (*values[:at], value, *values[at + 1 :])


class Machine:
    def __init__(self, made: Threads) -> None:
        self.made, self.code = made, [flat(c) for c in made.code]

    def run(self) -> Ends | None:
        """None where there are too many states."""
        idle = Running(None, (0,) * self.made.registers)
        start = State((replace(idle, pc=0), *(idle for _ in self.code[1:])), (0,) * len(PLACES), self.made.initial)
        seen, todo = {start}, [start]
        states, failed, stuck = set(), set(), False
        while todo:
            if len(seen) > MAX_STATES:
                return None
            state = todo.pop()
            if self.is_over(state):
                states.add(self.final(state))
                continue
            after = [n for t in range(len(self.code)) for n in self.steps(state, t)]
            stuck |= not after
            failed |= {n for n in after if isinstance(n, str)}
            fresh = {n for n in after if not isinstance(n, str)} - seen
            seen |= fresh
            todo += fresh
        return Ends(frozenset(states), frozenset(failed), stuck)

    def is_over(self, state: State) -> bool:
        """The end of main ends all; in a process that nobody leaves early the others have ended by then."""
        early = self.made.detached or self.made.leaves
        return 0 in state.over and (early or len(state.over) == len(self.code))

    def final(self, state: State) -> Final:
        registers = [(f"T{t}_r{r}", v) for t, th in enumerate(state.threads) for r, v in enumerate(th.registers)]
        return tuple(sorted([*registers, *zip(PLACES, state.memory, strict=True)]))

    def steps(self, state: State, t: int) -> Iterator[State | str]:
        pc = state.threads[t].pc
        if pc is None:
            return iter(())
        step = Step(state, t, pc, self.made.width)
        if pc == len(self.code[t]):
            return step.quit()
        kind, *rest = self.code[t][pc]
        name = kind.replace(" ", "_")
        return getattr(step, name if hasattr(step, name) else name + "_")(*rest)  # type: ignore[no-any-return]
