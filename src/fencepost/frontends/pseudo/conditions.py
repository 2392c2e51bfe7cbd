"""What a file asks about final states: `observe`, `exists`, `forall`, `~exists` and `filter`."""

from __future__ import annotations

from fencepost.errors import InputError
from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.scope import CELL, OPERATORS, Scope, mistake
from fencepost.program.condition import (
    And,
    Compare,
    Condition,
    FinalMemory,
    FinalRegister,
    Formula,
    Not,
    Observation,
    Or,
    Quantifier,
    Truth,
)
from fencepost.program.instructions import COMPARISONS
from fencepost.program.operands import Const, ConstantOperand, Position

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Questions:
    """Collects observations in the order in which they are first named. `threads`: the registers of each thread."""

    def __init__(self, scope: Scope, threads: dict[str, tuple[str, ...]]) -> None:
        self.scope, self.threads = scope, threads
        self.observations: dict[str, Observation] = {}

    def observe(self, what: s.Access) -> str:
        """The name of the observation, which is how the user wrote it."""
        if what.mode is not None:
            raise mistake("a final value has no mode", what.at)
        observation = self._observation(what.place)
        return self.observations.setdefault(observation.name, observation).name

    def condition(self, item: s.ConditionItem, filter_: s.FilterItem | None) -> Condition:
        chosen = None if filter_ is None else self.formula(filter_.formula)
        return Condition(Quantifier(item.quantifier), self.formula(item.formula), chosen)

    def _observation(self, place: s.Place) -> Observation:
        match place:
            case s.ThreadRegister(thread=thread, register=register):
                return self._register(place.at, thread, register)
            case s.Name(name=name):
                self._variable(name, place.at)
                if self.scope.variables[name].count is not None:
                    raise mistake(f"{name} is an array", place.at, expected=f"{name}[0] and so on")
                return Observation(name, FinalMemory(name, 0, CELL))
            case s.Index(name=name, index=index):
                self._variable(name, place.at)
                number = self.scope.constant(index, "the index of a final value")
                return Observation(f"{name}[{number}]", FinalMemory(name, self.scope.element(place, number), CELL))
        raise mistake("a final value is a variable, an array element or thread:register", place.at)

    def _register(self, at: Position, thread: str, register: str) -> Observation:
        if thread not in self.threads:
            raise mistake(f"there is no thread {thread}", at, expected=f"one of {', '.join(self.threads)}")
        if register not in self.threads[thread]:
            known = ", ".join(r for r in self.threads[thread] if not r.startswith(".")) or "none"
            raise mistake(f"thread {thread} has no register {register}", at, hint=f"its registers: {known}")
        return Observation(f"{thread}:{register}", FinalRegister(thread, register))

    def _variable(self, name: str, at: Position) -> None:
        if name not in self.scope.variables:
            hint = f"thread:{name} names a register" if any(name in r for r in self.threads.values()) else ""
            raise mistake(f"there is no shared variable {name}", at, hint=hint)
        if self.scope.variables[name].kind == "mutex":
            raise mistake(f"{name} is a mutex and has no value", at)

    # --- formulas

    def formula(self, e: s.Expression) -> Formula:
        match e:
            case s.Binary(op="&&"):
                return And(tuple(self.formula(p) for p in _parts(e, "&&")))
            case s.Binary(op="||"):
                return Or(tuple(self.formula(p) for p in _parts(e, "||")))
            case s.Unary(op="!" | "~", inner=inner):
                return Not(self.formula(inner))
            case s.Binary(op=op) if OPERATORS.get(op) in COMPARISONS:
                return self._compare(e)
        constant = self.scope.fold(e)
        if isinstance(constant, Const):
            return Truth(bool(constant.value))
        if isinstance(e, s.Access):
            return Compare(self.observe(e), "!=", Const(0))
        raise self._strange(e.at)

    def _compare(self, e: s.Binary) -> Formula:
        op = "=" if e.op == "==" else e.op
        left, right = self._side(e.left), self._side(e.right)
        if isinstance(left, str):
            return Compare(left, op, right)
        if isinstance(right, str):
            return Compare(right, _MIRRORED.get(op, op), left)
        raise mistake("this compares two constants", e.at, expected="a final value on one side")

    def _side(self, e: s.Expression) -> str | ConstantOperand:
        constant = self.scope.fold(e)
        if constant is not None:
            return constant
        if isinstance(e, s.Access):
            return self.observe(e)
        raise self._strange(e.at)

    def _strange(self, at: Position) -> InputError:
        return mistake(
            "a condition is made of comparisons of final values with constants or each other", at,
            expected="for example x == 1 && P:r == 0",
        )  # fmt: skip


def _parts(e: s.Expression, op: str) -> list[s.Expression]:
    """a && b && c as its parts."""
    if isinstance(e, s.Binary) and e.op == op:
        return [*_parts(e.left, op), *_parts(e.right, op)]
    return [e]
