"""What to look at when an execution ends, and the question asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TypeAlias

from fencepost.program.operands import ConstantOperand
from fencepost.records import dataclass, field


@dataclass(frozen=True, slots=True)
class FinalRegister:
    """The value of a register of a thread's first function when the thread ends."""

    thread: str
    register: str

    def __str__(self) -> str:
        return f"{self.thread}:{self.register}"


@dataclass(frozen=True, slots=True)
class FinalMemory:
    """The coherence-last value of a piece of a global object."""

    object: str
    offset: int = 0
    size: int = 8

    def __str__(self) -> str:
        return f"{self.object}[{self.offset}]" if self.offset else self.object


Observable: TypeAlias = FinalRegister | FinalMemory


@dataclass(frozen=True, slots=True)
class Observation:
    """An observable under the name that reports use. `width` bits are shown, as a signed number where `signed`.
    `whole`: an element of an array that is looked at as a whole."""

    name: str
    what: Observable
    width: int = 64
    signed: bool = True
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Compare:
    """`left` names an Observation; `right` another one or a constant; op is one of = != < <= > >= (signed)."""

    left: str
    op: str
    right: str | ConstantOperand


@dataclass(frozen=True, slots=True)
class Not:
    inner: Formula


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


Formula: TypeAlias = Compare | Not | And | Or | Truth


class Quantifier(Enum):
    EXISTS = "exists"
    NOT_EXISTS = "~exists"
    FORALL = "forall"


@dataclass(frozen=True, slots=True)
class Condition:
    """`filter` removes executions before the question is asked (litmus `filter`). `hidden`: what only the filter looks
    at, which herd does not show."""

    quantifier: Quantifier
    formula: Formula
    filter: Formula | None = None
    hidden: frozenset[str] = field(default=frozenset(), compare=False)


_COMPARE = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
COMPARE_SYMBOLS = tuple(_COMPARE)


def compare_values(op: str, left: int, right: int) -> bool:
    """`left op right` for one of COMPARE_SYMBOLS, on numbers already in their observation's reading."""
    return bool(_COMPARE[op](left, right))


def holds(formula: Formula, values: Mapping[str, int], constant: Mapping[ConstantOperand, int]) -> bool:
    """Whether a formula holds in a final state. `constant` gives the numbers of symbolic constants (addresses)."""
    match formula:
        case Compare(left, op, right):
            other = values[right] if isinstance(right, str) else constant[right]
            return compare_values(op, values[left], other)
        case Not(inner):
            return not holds(inner, values, constant)
        case And(parts):
            return all(holds(p, values, constant) for p in parts)
        case Or(parts):
            return any(holds(p, values, constant) for p in parts)
        case Truth(value):
            return value


def answer(condition: Condition, states: Iterable[Mapping[str, int]], constant: Mapping[ConstantOperand, int]) -> bool:
    """Whether the condition holds as it is written, given every final state that can be reached."""
    if condition.filter is not None:
        wanted = condition.filter
        states = (s for s in states if holds(wanted, s, constant))
    found = (holds(condition.formula, s, constant) for s in states)
    match condition.quantifier:
        case Quantifier.EXISTS:
            return any(found)
        case Quantifier.NOT_EXISTS:
            return not any(found)
        case Quantifier.FORALL:
            return all(found)


def decide(
    condition: Condition, states: Iterable[Mapping[str, int]], constant: Mapping[ConstantOperand, int], *,
    complete: bool,
) -> bool | None:  # fmt: skip
    """As `answer`, from the final states seen so far: None where one not yet seen may decide otherwise."""
    found = answer(condition, states, constant)
    decided = found if condition.quantifier is Quantifier.EXISTS else not found
    return found if decided or complete else None


def refutes(condition: Condition, state: Mapping[str, int], constant: Mapping[ConstantOperand, int]) -> bool:
    """Whether one final state shows that the condition does not hold. No state does that to an `exists`."""
    only = answer(condition, [state], constant)
    return condition.quantifier is not Quantifier.EXISTS and not only


def renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with other names for what it observes."""
    match formula:
        case Compare(left, op, right):
            other = names.get(right, right) if isinstance(right, str) else right
            return Compare(names.get(left, left), op, other)
        case Not(inner):
            return Not(renamed(inner, names))
        case And(parts):
            return And(tuple(renamed(p, names) for p in parts))
        case Or(parts):
            return Or(tuple(renamed(p, names) for p in parts))
    return formula


def comparisons(formula: Formula) -> Iterator[Compare]:
    """Every comparison inside a formula, left to right."""
    match formula:
        case Compare():
            yield formula
        case Not(inner):
            yield from comparisons(inner)
        case And(parts) | Or(parts):
            for part in parts:
                yield from comparisons(part)
        case Truth():
            return
