"""What a litmus test asks: `exists`, `~exists`, `forall`, `locations`, `filter`, and the old `final ... with`."""

from __future__ import annotations

from fencepost.frontends.litmus.beyond import refuse_question, refuse_type
from fencepost.frontends.litmus.state import State, read_register, read_thread, read_type, read_value
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.condition import And, Compare, Formula, Not, Or, Quantifier, Truth
from fencepost.program.datatypes import Scalar
from fencepost.program.operands import ConstantOperand
from fencepost.records import dataclass, field

_MAX_DEPTH = 150
_COMPARE = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_QUESTION = "exists, ~exists, forall, final, filter or locations"


@dataclass(frozen=True, slots=True)
class Observed:
    """What a question looks at, as it is written: a register of a thread, or an element of a location."""

    token: Token
    thread: int | None = None
    element: int | None = None
    scalar: Scalar | None = None


@dataclass(slots=True)
class Question:
    """`observed` is keyed by the name that reports use. Constants are as written, not yet of a width."""

    quantifier: Quantifier | None = None
    formula: Formula | None = None
    filter: Formula | None = None
    hidden: frozenset[str] = frozenset()  # what only the filter looks at
    observed: dict[str, Observed] = field(default_factory=dict)
    wholes: dict[str, int] = field(default_factory=dict)  # arrays asked about as a whole, with their length


def read_question(tokens: Tokens, state: State) -> Question:
    """Reads everything after the code. A test that only lists locations asks what always holds, as in herd."""
    return _Reader(tokens, state).question()


class _Reader:
    def __init__(self, tokens: Tokens, state: State) -> None:
        self.tokens, self.state, self.found = tokens, state, Question()
        self.depth = 0

    def question(self) -> Question:
        t = self.tokens
        while not t.done:
            if t.accept(";"):
                continue
            start = t.token
            if t.accept("locations", "observed"):
                self._locations()
            elif t.accept("filter"):
                shown = frozenset(self.found.observed) - self.found.hidden
                self.found.filter = self._formula()
                self.found.hidden = frozenset(self.found.observed) - shown
            else:
                quantifier = self._quantifier(start)
                if self.found.formula is not None:
                    t.fail("one condition", token=start)
                self.found.quantifier, self.found.formula = quantifier, self._formula()
                self._with()
        return self.found

    def _quantifier(self, start: Token) -> Quantifier:
        t = self.tokens
        if t.accept("final", "condition"):
            for text, quantifier in (("exists", Quantifier.EXISTS), ("forall", Quantifier.FORALL)):
                if t.accept(text):
                    return quantifier
            return Quantifier.EXISTS
        if t.accept("~", "not"):
            t.expect("exists")
            return Quantifier.NOT_EXISTS
        if t.accept("exists"):
            return Quantifier.EXISTS
        if t.accept("forall"):
            return Quantifier.FORALL
        t.fail(_QUESTION, token=start)

    def _with(self) -> None:
        """`with tso: ~exists; default: exists;` says what the author expects per model: no part of the question."""
        t = self.tokens
        t.accept(";")
        if not t.accept("with"):
            return
        while t.token.kind == "name" and t.peek().text == ":":
            t.index += 2
            t.accept("~")
            t.name("exists or forall")
            t.accept(";")

    def _locations(self) -> None:
        t = self.tokens
        t.expect("[")
        t.separated(self._location_item, ";", "]")
        t.expect("]")

    def _location_item(self) -> None:
        refuse_type(self.tokens)
        type_ = read_type(self.tokens)
        scalar, token = type_.value if type_ else None, self.tokens.token
        whole = token.kind == "name" and self.tokens.peek().text in (";", "]")
        if whole and token.text in self.state.locations and self.state.locations[token.text].count > 1:
            self._elements(self.tokens.next(), scalar)
        else:
            self._observe(scalar)

    # --- formulas

    def _formula(self) -> Formula:
        left = self._or()
        if self.tokens.accept("=>"):
            return Or((Not(left), self._formula()))
        return left

    def _or(self) -> Formula:
        parts = [self._and()]
        while self.tokens.accept("\\/", "||"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Formula:
        parts = [self._not()]
        while self.tokens.accept("/\\", "&&"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _not(self) -> Formula:
        t = self.tokens
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            t.fail(f"a condition nested at most {_MAX_DEPTH} deep")
        try:
            if t.accept("not", "~", "!"):
                return Not(self._not())
            if t.at("("):
                t.next()
                inner = self._formula()
                t.expect(")")
                return inner
            if t.accept("true"):
                return Truth(True)
            if t.accept("false"):
                return Truth(False)
            return self._atom()
        finally:
            self.depth -= 1

    def _atom(self) -> Formula:
        t = self.tokens
        refuse_question(t)
        if (whole := self._array()) is not None:
            return whole
        left = self._observe(None)
        if t.token.text not in _COMPARE:
            t.fail("'=' or another comparison")
        op = _COMPARE[t.next().text]
        if t.at("[", "*") or self._at_register():
            return Compare(left, op, self._observe(None))
        return Compare(left, op, read_value(t, self.state))

    def _array(self) -> Formula | None:
        """`x={1,2}`: every element has its value. None, and nothing read, where something else stands."""
        t, start = self.tokens, self.tokens.index
        bracket = t.accept("[")
        token = t.next()
        if bracket and not t.accept("]"):
            t.index = start
            return None
        if token.kind != "name" or not t.accept("=", "==") or not t.accept("{"):
            t.index = start
            return None
        values: list[ConstantOperand] = []
        t.separated(lambda: values.append(read_value(t, self.state)), ",", "}")
        t.expect("}")
        names = self._elements(token, None)
        if len(names) != len(values):
            t.fail(f"{len(names)} values, one per element of {token.text}", token=token)
        return And(tuple(Compare(name, "=", value) for name, value in zip(names, values, strict=True)))

    def _elements(self, token: Token, scalar: Scalar | None) -> list[str]:
        """Observes an array as a whole."""
        count = self.state.location(token.text, token.offset).count
        if count > 1:
            self.found.wholes[token.text] = count
        names = [f"{token.text}[{k}]" for k in range(count)] if count > 1 else [token.text]
        for k, name in enumerate(names):
            self._add(name, Observed(token, None, k if count > 1 else None, scalar))
        return names

    def _at_register(self) -> bool:
        start = self.tokens.index
        found = read_thread(self.tokens) is not None
        self.tokens.index = start
        return found

    def _observe(self, scalar: Scalar | None) -> str:
        """Reads `0:r1`, `P0:r1`, `x`, `[x]`, `*x` or `x[2]`; returns the name that reports use."""
        t = self.tokens
        thread = read_thread(t)
        if thread is not None:
            token = read_register(t)
            return self._add(f"{thread}:{token.text}", Observed(token, thread, None, scalar))
        bracket = t.accept("[")
        star = not bracket and t.accept("*")
        parenthesis = star and t.accept("(")
        token = t.name("a location, or a register such as 0:r1")
        self.state.location(token.text, token.offset)
        element = None
        if t.accept("["):
            element = t.number("an index")
            t.expect("]")
        if bracket:
            t.expect("]")
        if parenthesis:
            t.expect(")")
        name = token.text if element is None else f"{token.text}[{element}]"
        return self._add(name, Observed(token, None, element, scalar))

    def _add(self, name: str, observed: Observed) -> str:
        self.found.hidden -= {name}  # unless a filter is being read, which hides it again
        known = self.found.observed.get(name)
        if known is None or (known.scalar is None and observed.scalar is not None):
            self.found.observed[name] = observed
        return name
