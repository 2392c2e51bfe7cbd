"""What a thread that goes round for ever does in one more round."""

from __future__ import annotations

from dataclasses import field

from fencepost.execution.execution import Execution
from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Action, Kind, Machine, ThreadState
from fencepost.program.program import Program
from fencepost.records import dataclass
from fencepost.witness.relations import Relations

_LONG_ROUND = 1000  # events


@dataclass(slots=True)
class Round:
    """`returns`: the thread comes back to where it was, or cannot go on; `bounded`: it comes to the bound of a loop.
    `looked`: the addresses that it reads; `written`: those that it writes; `stored`: stores of what is not there in the
    end."""

    returns: bool = False
    bounded: bool = False
    looked: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)
    stored: list[Action] = field(default_factory=list)


def newest(machine: Machine, execution: Execution, relations: Relations, action: Action) -> list[int]:
    """What a read of memory as it is in the end may find."""
    values = [execution.events[w].value for w in relations.newest(action.address)]
    return values or [machine.initial(action.address, action.size)]


_Where = tuple[tuple[object, ...], ...]


def _where(state: ThreadState, own: dict[int, int]) -> _Where:
    """All that decides what a thread does next, where memory is only its own to change."""
    frames = tuple((f.function.name, f.pc, *f.values) for f in state.frames)
    private = tuple(sorted((address, value) for address, (value, _) in state.private.items()))
    return frames, private, tuple(sorted(own.items()))


def go_round(program: Program, execution: Execution, relations: Relations, state: ThreadState) -> Round:
    """One round of a thread that is alone with memory as it is in the end: it reads, takes back what it adds, and
    stores. It may pass the head of its loop more than once before it is where it was."""
    state, machine, found = state.clone(), Machine(program), Round()
    own: dict[int, int] = {}
    been: set[_Where] = set()
    for step in range(_LONG_ROUND):
        action = machine.run(state)
        if action.kind is Kind.BLOCK and step == 0 and action.spin is not None:
            action = machine.run_past(state)
        if action.kind is Kind.BLOCK:
            found.returns = action.spin is not None
            return found
        there = {own[action.address]} if action.address in own else set(newest(machine, execution, relations, action))
        if action.kind is Kind.READ:
            found.looked.add(action.address)
            here = _where(state, own)
            if here in been:
                found.returns = True
                return found
            been.add(here)
            if len(there) > 1 or not all(machine.satisfied(state, v) for v in there):
                found.returns = len(there) == 1
                return found
            machine.reply(state, there.pop())
        elif action.kind is Kind.FENCE or action.rmw:
            if action.rmw:
                own[action.address] = action.value
                found.written.add(action.address)
            machine.reply(state)
        elif action.kind is Kind.WRITE:
            found.written.add(action.address)
            if there != {action.value}:
                found.stored.append(action)
            if action.address in own:
                own[action.address] = action.value
            machine.reply(state)
            state.effects -= 1  # what was there is there again, or nobody looks: see `errors.py`
        else:
            found.bounded = action.error is ErrorKind.LOOP_BOUND
            return found
    return found
