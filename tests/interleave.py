"""Every interleaving of a Program under sequential consistency, on the plain machine: a yardstick for passes and front
ends that is too simple to be wrong. Threads' states are compared by value, so it ends on finite-state programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Action, Kind, Machine, ThreadState
from fencepost.program.layout import MAX_THREADS
from fencepost.program.program import Program


@dataclass
class Outcomes:
    """`finals`: results and final registers of the static threads, per complete run; `stuck`: runs where a thread
    waits for ever; `errors`: what went wrong."""

    finals: set[tuple[tuple[int, ...], ...]] = field(default_factory=set)
    results: set[tuple[int | None, ...]] = field(default_factory=set)
    stuck: int = 0
    errors: set[tuple[ErrorKind, str]] = field(default_factory=set)
    outputs: set[tuple[str, ...]] = field(default_factory=set)

    @property
    def kinds(self) -> set[ErrorKind]:
        return {kind for kind, _ in self.errors}


@dataclass
class _World:
    threads: list[ThreadState]
    memory: dict[int, int]
    done: dict[int, int]
    dead: set[int]

    def clone(self) -> _World:
        return _World([t.clone() for t in self.threads], dict(self.memory), dict(self.done), set(self.dead))

    def key(self) -> object:
        frames = tuple(
            (
                *((f.function.name, f.pc, tuple(f.values)) for f in t.frames),
                t.pending_write is not None,
                *sorted((a, b[0]) for a, b in t.private.items()),
            )
            for t in self.threads
        )
        return frames, tuple(sorted(self.memory.items())), tuple(sorted(self.done.items())), frozenset(self.dead)


def interleave(program: Program, limit: int = 200_000) -> Outcomes:
    machine = Machine(program)
    out = Outcomes()
    first = _World([machine.start(i) for i in range(len(program.threads))], {}, {}, set())
    todo, seen = [first], set()
    while todo:
        world = todo.pop()
        key = world.key()
        if key in seen:
            continue
        seen.add(key)
        assert len(seen) < limit, "too many states for this helper"
        _visit(machine, world, todo, out)
    return out


def _visit(machine: Machine, world: _World, todo: list[_World], out: Outcomes) -> None:
    moved = False
    for t in range(len(world.threads)):
        if t not in world.done and t not in world.dead:
            moved |= _step(machine, world, t, todo, out)
    if not moved:
        if len(world.done) == len(world.threads):
            statics = len(machine.program.threads)
            out.finals.add(tuple(s.final for s in world.threads[:statics]))
            out.results.add(tuple(world.done[t] for t in range(statics)))
            out.outputs.add(tuple(line for s in world.threads for line in s.output))
        else:
            out.stuck += 1


def _step(machine: Machine, world: _World, t: int, todo: list[_World], out: Outcomes) -> bool:
    """What comes of one step of thread t; false where it must wait."""
    next_world = world.clone()
    state = next_world.threads[t]
    action = machine.run(state)
    if action.kind is Kind.ERROR:
        assert action.error is not None
        out.errors.add((action.error, action.message))
        return True
    if action.kind is Kind.BLOCK:
        next_world.dead.add(t)
    elif action.kind is Kind.END:
        next_world.done[t] = action.value
    elif action.kind is Kind.CHOOSE:
        for value in range(action.value, action.high + 1):
            world2 = next_world.clone()
            machine.reply(world2.threads[t], value, 0)
            todo.append(world2)
        return True
    elif not _perform(machine, next_world, t, action):
        return False
    todo.append(next_world)
    return True


def _perform(machine: Machine, world: _World, t: int, action: Action) -> bool:
    """One step of thread t; false where it must wait."""
    state = world.threads[t]
    match action.kind:
        case Kind.READ:
            value = sum(
                world.memory.get(action.address + k, machine.initial(action.address + k, 1)) << 8 * k
                for k in range(action.size)
            )
            if not machine.satisfied(state, value):
                return False
            machine.reply(state, value, 0)
            if state.pending_write is not None:  # both halves of a read-modify-write at once
                _perform(machine, world, t, machine.run(state))
        case Kind.WRITE:
            for k in range(action.size):
                world.memory[action.address + k] = action.value >> 8 * k & 0xFF
            machine.reply(state, 1, 0)
        case Kind.SPAWN:
            number = len(world.threads)
            assert number < MAX_THREADS
            world.threads.append(machine.start_function(number, action.function, action.args))
            machine.reply(state, number, 0)
        case Kind.JOIN:
            if action.value not in world.done:
                return False
            machine.reply(state, world.done[action.value], 0)
        case _:
            machine.reply(state, 0, 0)
    return True


def fewest_turns(program: Program, kind: ErrorKind, message: str, limit: int = 50_000) -> int | None:
    """How few runs of steps of one thread lead to an error, of all ways in which threads may take turns; None where
    none does. All ways with so many turns are tried before those with more."""
    machine = Machine(program)
    first = _World([machine.start(i) for i in range(len(program.threads))], {}, {}, set())
    level, seen = [(first, -1)], set()
    for turns in range(1, 30):
        following: list[tuple[_World, int]] = []
        while level:
            world, last = level.pop()
            for t in range(len(world.threads)):
                if t == last or t in world.done or t in world.dead:
                    continue
                for next_world, ended in _whole_turns(machine, world, t):
                    if ended == (kind, message):
                        return turns
                    if ended is None and (key := (next_world.key(), t)) not in seen:
                        seen.add(key)
                        following.append((next_world, t))
            assert len(seen) < limit, "too many states for this helper"
        level = following
    return None


def _whole_turns(machine: Machine, world: _World, t: int) -> Iterator[tuple[_World, tuple[ErrorKind, str] | None]]:
    """Every state in which thread t may stop, having gone on alone, and the error it ends in."""
    todo = [world]
    while todo:
        out, steps = Outcomes(), list[_World]()
        before = todo.pop()
        _step(machine, before, t, steps, out)
        for kind_and_message in out.errors:
            yield before, kind_and_message
        for after in steps:
            yield after, None
            if t not in after.done and t not in after.dead:
                todo.append(after)
