"""Expressions: by precedence, left to right."""

from __future__ import annotations

from typing import TypeVar

from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.cursor import Cursor
from fencepost.frontends.pseudo.mistakes import EXPRESSION, OPERATORS
from fencepost.program.instructions import Mode
from fencepost.program.operands import Position

MAX_DEPTH = 200
MODES = {m.value: m for m in Mode}
_LEVELS = {
    "OR": 1, "AND": 2, "COMPARE": 3, "BAR": 4, "CARET": 5, "AMPERSAND": 6, "SHIFT": 7, "SIGN": 8, "FACTOR": 9,
}  # fmt: skip
_SPELLINGS = {"\\/": "||", "/\\": "&&"}
_PREFIXES = frozenset({"SIGN", "BANG", "TILDE"})
_NodeT = TypeVar("_NodeT", bound=s.Node)


class Formulas:
    """Reads expressions, accesses and what they are made of, from a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def expression(self, lowest: int = 1) -> s.Expression:
        """An expression of operators that bind at least as tightly as `lowest`."""
        cursor = self._cursor
        left = self._unary()
        highest = len(_LEVELS)
        while cursor.at_one_of(OPERATORS):
            level = _LEVELS[cursor.kind]
            if level < lowest or level > highest:  # the latter: a second comparison, which nothing chains
                cursor.note(OPERATORS)
                break
            token = cursor.take()
            right = self.expression(level + 1)
            op = _SPELLINGS.get(token.text, token.text)
            left = self._node(s.Binary, left.at, (left, right), op, left, right)
            highest = 2 if level == _LEVELS["COMPARE"] else level
        return left

    def _unary(self) -> s.Expression:
        cursor = self._cursor
        prefixes = []
        while cursor.kind in _PREFIXES:
            prefixes.append(cursor.take())
        if cursor.kind == "AMPERSAND":
            at = cursor.position(cursor.take())
            place = self.place()
            inner: s.Expression = self._node(s.AddressOf, at, (place,), place)
        else:
            inner = self._primary()
        for token in reversed(prefixes):
            inner = self._node(s.Unary, cursor.position(token), (inner,), token.text, inner)
        return inner

    def _primary(self) -> s.Expression:
        cursor = self._cursor
        if cursor.kind == "NUMBER":
            return self._number()
        if cursor.kind == "NAME":
            return self.call() if cursor.next_kind() == "LPAR" else self.access()
        if cursor.kind == "LSQB":
            return self.access()
        if cursor.kind == "SPAWN":
            return self._spawn()
        if cursor.kind == "LPAR":
            cursor.take()
            inner = self.expression()
            cursor.expect("RPAR")
            return inner
        cursor.at_one_of(EXPRESSION - {"STRING"})
        cursor.refuse()

    def _number(self) -> s.Number:
        token = self._cursor.take()
        text = token.text[:40]
        value = int(text, 0) if text[:2] in ("0x", "0X") else int(text)
        if value > 1 << 63:
            raise self._cursor.error(f"{text} does not fit in 64 bits", token, "at most 2^63 - 1")
        return s.Number(self._cursor.position(token), 1, value)

    def call(self) -> s.Call:
        token = self._cursor.expect("NAME")
        args = self._cursor.in_parentheses(self._argument)
        return self._node(s.Call, self._cursor.position(token), args, token.text, args)

    def _argument(self) -> s.Argument:
        cursor = self._cursor
        if cursor.at("STRING"):
            token = cursor.take()
            return s.Text(cursor.position(token), 1, token.text[1:-1])
        low = self.expression()
        return self._range_from(low) if cursor.at("DOTS") else low

    def _spawn(self) -> s.Spawn:
        cursor = self._cursor
        at = cursor.position(cursor.take())
        name = cursor.expect("NAME").text
        args = cursor.in_parentheses(self.expression)
        return self._node(s.Spawn, at, args, name, args)

    def range(self) -> s.Range:
        return self._range_from(self.expression())

    def _range_from(self, low: s.Expression) -> s.Range:
        self._cursor.expect("DOTS")
        high = self.expression()
        return self._node(s.Range, low.at, (low, high), low, high)

    def access(self) -> s.Access:
        cursor = self._cursor
        place = self.place()
        if not cursor.at("MODE"):
            return self._node(s.Access, place.at, (place,), place, None)
        token = cursor.take()
        if token.text[1:] not in MODES:
            raise cursor.error(f"there is no mode '{token.text}'", token, ", ".join(f".{m}" for m in MODES))
        return self._node(s.Access, place.at, (place,), place, MODES[token.text[1:]])

    def place(self) -> s.Place:
        cursor = self._cursor
        if cursor.at("LSQB"):
            at = cursor.position(cursor.take())
            address = self._until_bracket()
            return self._node(s.Dereference, at, (address,), address)
        token = cursor.expect("NAME")
        at = cursor.position(token)
        if cursor.skip("LSQB"):
            index = self._until_bracket()
            return self._node(s.Index, at, (index,), token.text, index)
        if cursor.skip("COLON"):
            return s.ThreadRegister(at, 1, token.text, cursor.expect("NAME").text)
        return s.Name(at, 1, token.text)

    def _until_bracket(self) -> s.Expression:
        inner = self.expression()
        self._cursor.expect("RSQB")
        return inner

    def _node(self, kind: type[_NodeT], at: Position, children: tuple[s.Node, ...], *fields: object) -> _NodeT:
        depth = 1 + max([c.depth for c in children], default=0)
        if depth > MAX_DEPTH:
            raise self._cursor.error(f"the expression nests deeper than {MAX_DEPTH}", at)
        return kind(at, depth, *fields)
