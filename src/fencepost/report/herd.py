"""Outcomes as herd and litmus print them, so that tools which compare such logs (mcompare) work on ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from fencepost.program.condition import (
    And,
    Compare,
    Condition,
    FinalMemory,
    Formula,
    Not,
    Or,
    Quantifier,
    Truth,
    holds,
)
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress
from fencepost.program.passes.points_to import may_hold_addresses
from fencepost.program.program import Program
from fencepost.records import replace
from fencepost.verdict import Outcomes

_KIND = {Quantifier.EXISTS: "Allowed", Quantifier.NOT_EXISTS: "Forbidden", Quantifier.FORALL: "Required"}
_State = tuple[tuple[str, int], ...]
_Addresses = dict[tuple[str, int], str]  # an observation and its value: the object that is there
_SYMBOL = {"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def herd_text(program: Program, outcomes: Outcomes) -> str:
    """One test's block of a log."""
    condition = program.condition or Condition(Quantifier.FORALL, Truth(True))
    positive, negative = counts = witnesses(program, outcomes)
    seen = (negative, positive) if condition.quantifier is Quantifier.NOT_EXISTS else (positive, negative)
    addresses, wholes, states = _addresses(program, outcomes), _wholes(program), _shown(program, outcomes)
    lines = [f"Test {program.name} {_KIND[condition.quantifier]}", f"States {len(states)}"]
    lines += [_state(state, addresses, wholes) for state in sorted(_ordered(states))]
    known = outcomes.holds if program.condition is not None else True
    lines.append("Unknown" if known is None or outcomes.reason else "Ok" if known else "No")
    lines += ["Witnesses", f"Positive: {seen[0]} Negative: {seen[1]}"]
    lines += [f"Flag {kind}" for kind in sorted({e.kind.value for e in outcomes.errors})]
    lines.append(f"Condition {condition_text(replace(condition, filter=None))}")
    lines.append(f"Observation {program.name} {observed(counts)}")
    lines.append(f"Time {program.name} {outcomes.seconds:.2f}")
    return "\n".join(lines) + "\n"


def _shown(program: Program, outcomes: Outcomes) -> Collection[_State]:
    """The states that a filter leaves, without what only the filter looks at."""
    condition = program.condition
    if condition is None or condition.filter is None:
        return outcomes.states
    wanted, hidden = condition.filter, condition.hidden
    constants = condition_constants(program, lay_out(program))
    left = [state for state in outcomes.states if holds(wanted, dict(state), constants)]
    return dict.fromkeys(tuple((name, value) for name, value in state if name not in hidden) for state in left)


def _ordered(states: Iterable[_State]) -> Iterator[_State]:
    """Registers by their thread, then memory, as herd has them. All states of a test have the same places."""
    order: dict[tuple[str, ...], list[int]] = {}
    for state in states:
        names = tuple(name for name, _ in state)
        if names not in order:
            ranks = [_rank(name) for name in names]
            order[names] = sorted(range(len(names)), key=ranks.__getitem__)
        yield tuple(state[k] for k in order[names])


def _rank(name: str) -> tuple[bool, int, tuple[tuple[int, str], ...]]:
    thread, colon, register = name.partition(":")
    number = int(thread) if colon and thread.isdigit() else 0
    return not colon, number, _with_numbers(register if colon else name)


def _with_numbers(name: str) -> tuple[tuple[int, str], ...]:
    """For sorting: x[10] comes after x[9]."""
    return tuple((int(p), "") if p.isdigit() else (-1, p) for p in re.split(r"(\d+)", name) if p)


def witnesses(program: Program, outcomes: Outcomes) -> tuple[int, int]:
    """How many executions satisfy the formula, and how many do not."""
    if program.condition is None:
        return outcomes.executions, 0
    constants = condition_constants(program, lay_out(program))
    positive = negative = 0
    for state, count in outcomes.states.items():
        values = dict(state)
        if program.condition.filter is not None and not holds(program.condition.filter, values, constants):
            continue
        if holds(program.condition.formula, values, constants):
            positive += count
        else:
            negative += count
    return positive, negative


def observation(program: Program, outcomes: Outcomes) -> str:
    """`Sometimes 1 3`: whether the formula is ever satisfied, and by how many executions."""
    return observed(witnesses(program, outcomes))


def observed(counts: tuple[int, int]) -> str:
    """`observation` of the two numbers of `witnesses`."""
    positive, negative = counts
    word = "Never" if positive == 0 else "Always" if negative == 0 else "Sometimes"
    return f"{word} {positive} {negative}"


def condition_text(condition: Condition) -> str:
    text = f"{condition.quantifier.value} ({formula_text(condition.formula)})"
    return f"filter ({formula_text(condition.filter)}) {text}" if condition.filter is not None else text


def formula_text(formula: Formula) -> str:
    match formula:
        case Compare(left, op, right):
            return f"{_place(left)}{_SYMBOL[op]}{right if isinstance(right, str) else _constant(right)}"
        case Not(inner):
            return f"not ({formula_text(inner)})"
        case And(parts):
            return " /\\ ".join(f"({formula_text(p)})" if isinstance(p, Or) else formula_text(p) for p in parts)
        case Or(parts):
            return " \\/ ".join(formula_text(p) for p in parts)
        case Truth(value):
            return "true" if value else "false"


def _place(name: str) -> str:
    """Registers as they are; memory in brackets, as herd writes it."""
    return name if ":" in name else f"[{name}]"


def _constant(value: ConstantOperand) -> str:
    match value:
        case Const(number):
            return str(number)
        case GlobalAddress(name, offset):
            return f"{name}+{offset}" if offset else name
    return str(value)


def _addresses(program: Program, outcomes: Outcomes) -> _Addresses:
    """The addresses that are final values, for each place that can hold one: elsewhere 65536 is a number, whatever may
    have that address."""
    names = {address: name for name, address in lay_out(program).globals.items()}
    values = {(place, value) for state in outcomes.states for place, value in state if value in names}
    pointers = may_hold_addresses(program) if values else frozenset()
    return {(place, value): names[value] for place, value in values if place in pointers}


def _wholes(program: Program) -> dict[str, str]:
    """Elements of arrays that are shown as a whole, and their arrays."""
    return {o.name: o.what.object for o in program.observations if o.whole and isinstance(o.what, FinalMemory)}


def _state(state: _State, addresses: _Addresses, wholes: dict[str, str]) -> str:
    shown: dict[str, list[str]] = {}
    for name, value in state:
        shown.setdefault(wholes.get(name, _place(name)), []).append(addresses.get((name, value), str(value)))
    arrays = frozenset(wholes.values())
    return " ".join(
        f"{name}={{{','.join(values)}}};" if name in arrays else f"{name}={values[0]};"
        for name, values in shown.items()
    )
