"""Text to syntax tree: declarations and statements. `docs/pseudo-code.md` has the grammar."""

from __future__ import annotations

from fencepost.errors import InputError
from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.cursor import Cursor
from fencepost.frontends.pseudo.formulas import Formulas
from fencepost.frontends.pseudo.mistakes import DECLARATION, STATEMENT
from fencepost.program.instructions import FenceKind
from fencepost.program.operands import Position

MAX_SIZE = 1 << 20
FENCES = {f.value: f for f in FenceKind} | {"fence.ar": FenceKind.ACQ_REL}
FENCES |= {f"fence.{m}": FenceKind(m) for m in ("acq", "rel", "acq_rel", "sc", "mb", "rmb", "wmb")}


def parse(text: str, file: str) -> tuple[s.Item, ...]:
    """The declarations of a file in order. Raises InputError at the first mistake."""
    if len(text) > MAX_SIZE:
        size = f"{len(text) / 1e6:.1f} million characters"
        raise InputError(f"the file is too long: {size}", file=file, expected=f"at most {MAX_SIZE}")
    return _Parser(Cursor(text, file)).file()


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._formulas = Formulas(cursor)

    def file(self) -> tuple[s.Item, ...]:
        items = []
        while not self._cursor.at("EOF"):
            items.append(self._item())
            self._cursor.expect("END")
        return tuple(items)

    # --- declarations

    def _item(self) -> s.Item:
        cursor, kind = self._cursor, self._cursor.kind
        if not cursor.at_one_of(DECLARATION):
            cursor.refuse()
        token = cursor.take()
        at = cursor.position(token)
        if kind == "CONST":
            return self._constant()
        if kind == "FN":
            return self._function()
        if kind == "THREAD":
            return self._thread()
        if kind == "OBSERVE":
            return s.Observe(at, cursor.separated(self._formulas.access))
        if kind == "QUANTIFIER":
            return s.ConditionItem(at, "".join(token.text.split()), self._formulas.expression())
        if kind == "FILTER":
            return s.FilterItem(at, self._formulas.expression())
        return s.Variables(at, token.text, cursor.separated(self._declarator))

    def _declarator(self) -> s.Declarator:
        cursor = self._cursor
        name = self._name()
        count = None
        if cursor.skip("LSQB"):
            count = self._formulas.expression()
            cursor.expect("RSQB")
        initial, listed = self._initial() if cursor.skip("EQUAL") else ((), False)
        return s.Declarator(name.at, name.name, count, initial, listed)

    def _initial(self) -> tuple[tuple[s.Expression, ...], bool]:
        """The initial values, and whether they are written as a list. `[e]` reads as the list of one element, which is
        what it means after an array."""
        cursor, start = self._cursor, self._cursor.index
        if cursor.skip("LSQB"):
            first = self._formulas.expression()
            if cursor.skip("COMMA"):
                rest = cursor.separated(self._formulas.expression)
                cursor.expect("RSQB")
                return (first, *rest), True
            cursor.expect("RSQB")
            cursor.go_to(start)
        value = self._formulas.expression()
        if isinstance(value, s.Access) and isinstance(value.place, s.Dereference):
            return (value.place.address,), True
        return (value,), False

    def _constant(self) -> s.Constant:
        name = self._name()
        self._cursor.expect("EQUAL")
        return s.Constant(name.at, name.name, self._formulas.expression())

    def _function(self) -> s.FunctionItem:
        name = self._name()
        parameters = self._cursor.in_parentheses(self._name)
        return s.FunctionItem(name.at, name.name, parameters, self._block())

    def _thread(self) -> s.ThreadItem:
        cursor = self._cursor
        name = self._name()
        parameter, range_ = None, None
        if cursor.skip("LPAR"):
            parameter = self._name()
            cursor.expect("IN")
            range_ = self._formulas.range()
            cursor.expect("RPAR")
        return s.ThreadItem(name.at, name.name, parameter, range_, self._block())

    def _name(self) -> s.Label:
        token = self._cursor.expect("NAME")
        return s.Label(self._cursor.position(token), token.text)

    # --- statements

    def _block(self) -> s.Block:
        cursor = self._cursor
        cursor.expect("LBRACE")
        statements = []
        while not cursor.at("RBRACE"):
            statements.append(self._statement())
            cursor.expect("END")
        return s.Block(tuple(statements), cursor.position(cursor.take()))

    def _statement(self) -> s.Statement:
        cursor, kind = self._cursor, self._cursor.kind
        if kind == "NAME":
            return self._named()
        if kind == "LSQB":
            return self._assign()
        if not cursor.at_one_of(STATEMENT):
            cursor.refuse()
        token = cursor.take()
        at = cursor.position(token)
        if kind == "IF":
            return self._if(at)
        if kind == "LOCAL":
            return s.Locals(at, cursor.separated(self._local))
        if kind == "FENCE":
            if token.text not in FENCES:
                raise cursor.error(f"there is no fence '{token.text}'", token, "fence.sc, sync, dmb.sy, ...")
            return s.FenceStatement(at, FENCES[token.text])
        if kind == "WHILE":
            return s.While(at, self._formulas.expression(), self._block())
        if kind == "FOR":
            name = self._name().name
            cursor.expect("IN")
            return s.For(at, name, self._formulas.range(), self._block())
        return self._jump(kind, at)

    def _jump(self, kind: str, at: Position) -> s.Statement:
        if kind == "ATOMIC":
            return s.Atomic(at, self._block())
        if kind == "GOTO":
            return s.Goto(at, self._name())
        if kind == "RETURN":
            return s.Return(at, None if self._cursor.at("END") else self._formulas.expression())
        if kind == "BREAK":
            return s.Break(at)
        return s.Continue(at) if kind == "CONTINUE" else s.Skip(at)

    def _named(self) -> s.Statement:
        """What starts with a name: a label, a call, or an assignment."""
        cursor = self._cursor
        if cursor.next_kind() == "LPAR":
            call = self._formulas.call()
            return s.CallStatement(call.at, call)
        if cursor.next_kind() == "COLON":
            label = self._name()
            cursor.take()
            return label
        return self._assign()

    def _assign(self) -> s.Assign:
        targets = self._cursor.separated(self._formulas.access)
        self._cursor.expect("ASSIGN")
        return s.Assign(targets[0].at, targets, self._formulas.expression())

    def _local(self) -> s.Local:
        name = self._name()
        return s.Local(name.at, name.name, self._formulas.expression() if self._cursor.skip("EQUAL") else None)

    def _if(self, at: Position) -> s.If | s.IfGoto:
        cursor = self._cursor
        condition = self._formulas.expression()
        if cursor.skip("GOTO"):
            return s.IfGoto(at, condition, self._name())
        cases = [(condition, self._block())]
        otherwise = None
        while otherwise is None and cursor.skip("ELSE"):
            if cursor.skip("IF"):
                condition = self._formulas.expression()
                cases.append((condition, self._block()))
            else:
                otherwise = self._block()
        return s.If(at, tuple(cases), otherwise)
