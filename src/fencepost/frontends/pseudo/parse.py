"""Text to syntax tree, and lark's complaints to ours."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from fencepost.errors import InputError
from fencepost.frontends.pseudo import syntax as s
from fencepost.frontends.pseudo.tokens import Lines
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.operands import Position

MAX_DEPTH = 200
MAX_SIZE = 1 << 20
MODES = {m.value: m for m in Mode}
FENCES = {f.value: f for f in FenceKind} | {"fence.ar": FenceKind.ACQ_REL}
FENCES |= {f"fence.{m}": FenceKind(m) for m in ("acq", "rel", "acq_rel", "sc")}
_NodeT = TypeVar("_NodeT", bound=s.Node)


def parse(text: str, file: str) -> tuple[s.Item, ...]:
    """The declarations of a file in order. Raises InputError at the first mistake."""
    if len(text) > MAX_SIZE:
        size = f"{len(text) / 1e6:.1f} million characters"
        raise InputError(f"the file is too long: {size}", file=file, expected=f"at most {MAX_SIZE}")
    parser, lines, build = _parser()
    lines.file = build.file = file
    try:
        return parser.parse(text)  # type: ignore[return-value] # the embedded transformer returns items, not a tree
    except VisitError as error:
        raise error.orig_exc from None
    except UnexpectedInput as error:
        raise _explain(error, text, file) from None


@lru_cache(maxsize=1)
def _parser() -> tuple[Lark, Lines, _Build]:
    grammar = resources.files("fencepost.frontends.pseudo").joinpath("grammar.lark").read_text()
    lines, build = Lines(), _Build()
    # The tables that Lark makes of the grammar are kept in the system's temporary folder, under a hash of the grammar.
    parser = Lark(grammar, parser="lalr", lexer="basic", postlex=lines, transformer=build, cache=True)
    return parser, lines, build


# --- messages


_OPERATORS = frozenset({"OR", "AND", "COMPARE", "BAR", "CARET", "AMPERSAND", "SHIFT", "SIGN", "FACTOR"})
_EXPRESSION = frozenset({"NUMBER", "NAME", "LPAR", "LSQB", "SIGN", "BANG", "TILDE", "AMPERSAND", "SPAWN", "STRING"})
_STATEMENT = frozenset({
    "NAME", "LSQB", "IF", "WHILE", "FOR", "ATOMIC", "GOTO", "RETURN", "BREAK", "CONTINUE", "SKIP", "FENCE", "LOCAL",
})  # fmt: skip
_DECLARATION = frozenset({"VAR", "NA", "MUTEX", "CONST", "FN", "THREAD", "OBSERVE", "QUANTIFIER", "FILTER"})
_GROUPS = (
    ("a declaration (var, na, mutex, const, fn, thread, observe, exists, forall)", _DECLARATION, "THREAD"),
    ("a statement", _STATEMENT, "WHILE"),
    ("an expression", _EXPRESSION, "NUMBER"),
    ("an operator", _OPERATORS, "AND"),
)
_TERMINALS = {
    "NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "MODE": "a mode such as .acq", "COLON": "':'",
    "ASSIGN": "':='", "LBRACE": "'{'", "RBRACE": "'}'", "LPAR": "'('", "RPAR": "')'", "LSQB": "'['", "RSQB": "']'",
    "COMMA": "','", "EQUAL": "'='", "__ANON_0": "'..'", "_END": "the end of the line", "$END": "the end of the file",
}  # fmt: skip


def _explain(error: UnexpectedInput, text: str, file: str) -> InputError:
    if isinstance(error, UnexpectedCharacters):
        return _stray(text, error.pos_in_stream or 0, file, error.line, error.column)
    assert isinstance(error, UnexpectedToken), "lark should raise one of these two for an LALR parser"
    token = error.token
    line, column = token.line or text.count("\n") + 1, token.column or 1
    if token.start_pos is not None and text.startswith("/*", token.start_pos):
        return _stray(text, token.start_pos, file, line, column)
    accepted = set(error.accepts or error.expected)
    return InputError(
        f"found {_found(token)}", file=file, line=line, column=column, expected=_expected(accepted),
        hint=_hint(token, accepted),
    )  # fmt: skip


def _found(token: Token) -> str:
    if token.type == "$END":
        return "the end of the file"
    if token.type == "_END" and token == "\n":
        return "the end of the line"
    return f"'{token}'"


def _expected(accepted: set[str]) -> str:
    if (
        "AND" in accepted or "ASSIGN" in accepted
    ):  # a place that is complete could still get longer: not what is missing
        accepted = accepted - {"MODE", "COLON", "LPAR", "LSQB"}
    shown = []
    for phrase, group, mark in _GROUPS:
        if mark in accepted:
            shown.append(phrase)
            accepted = accepted - group
    shown[:0] = sorted(_TERMINALS.get(name, f"'{name.lower()}'") for name in accepted if name != "$END" or not shown)
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1]


def _hint(token: Token, accepted: set[str]) -> str:
    if token.type == "EQUAL":
        return "':=' assigns, '==' compares"
    if token.type == "ASSIGN" and "EQUAL" in accepted:
        return "a declaration gives its initial value with '='"
    if token.type == "_END" and "LBRACE" in accepted:
        return "the body stands in { }"
    if token.type == "NAME" and token in ("int", "atomic_int", "long"):
        return "variables are declared with 'var x = 0'; registers need no declaration"
    return ""


def _stray(text: str, at: int, file: str, line: int, column: int) -> InputError:
    if text.startswith("/*", at):
        return InputError("the comment that starts here is not closed", file=file, line=line, column=column)
    if text[at] == '"':
        return InputError("the text that starts here is not closed on its line", file=file, line=line, column=column)
    hint = "only letters, digits, '_' and '$' make names" if text[at].isalpha() else ""
    return InputError(f"found {text[at]!r}, which starts nothing", file=file, line=line, column=column, hint=hint)


# --- the tree


class _Build(Transformer[Token, Any]):
    """lark calls one method per rule with the children, innermost first."""

    def __init__(self) -> None:
        super().__init__(visit_tokens=False)
        self.file = ""

    def _at(self, token: Token) -> Position:
        return Position(self.file, token.line or 0, token.column or 0)

    def _error(self, message: str, at: Position, expected: str = "") -> InputError:
        return InputError(message, file=at.file, line=at.line, column=at.column, expected=expected)

    def _node(self, kind: type[_NodeT], at: Position, children: tuple[Any, ...], *fields: Any) -> _NodeT:
        depth = 1 + max((c.depth for c in children), default=0)
        if depth > MAX_DEPTH:
            raise self._error(f"the expression nests deeper than {MAX_DEPTH}", at)
        return kind(at, depth, *fields)

    # expressions

    def number(self, c: list[Any]) -> s.Number:
        value = int(c[0], 0) if c[0][:2] in ("0x", "0X") else int(c[0][:40])
        if value > 1 << 63:
            raise self._error(f"{c[0][:40]} does not fit in 64 bits", self._at(c[0]), "at most 2^63 - 1")
        return s.Number(self._at(c[0]), 1, value)

    def text(self, c: list[Any]) -> s.Text:
        return s.Text(self._at(c[0]), 1, str(c[0])[1:-1])

    def name(self, c: list[Any]) -> s.Name:
        return s.Name(self._at(c[0]), 1, str(c[0]))

    def index(self, c: list[Any]) -> s.Index:
        return self._node(s.Index, self._at(c[0]), (c[1],), str(c[0]), c[1])

    def dereference(self, c: list[Any]) -> s.Dereference:
        return self._node(s.Dereference, self._at(c[0]), (c[1],), c[1])

    def thread_register(self, c: list[Any]) -> s.ThreadRegister:
        return s.ThreadRegister(self._at(c[0]), 1, str(c[0]), str(c[1]))

    def access(self, c: list[Any]) -> s.Access:
        place, token = c
        if token is not None and token[1:] not in MODES:
            raise self._error(f"there is no mode '{token}'", self._at(token), ", ".join(f".{m}" for m in MODES))
        return self._node(s.Access, place.at, (place,), place, None if token is None else MODES[token[1:]])

    def address_of(self, c: list[Any]) -> s.AddressOf:
        return self._node(s.AddressOf, self._at(c[0]), (c[1],), c[1])

    def unary(self, c: list[Any]) -> s.Unary:
        return self._node(s.Unary, self._at(c[0]), (c[1],), str(c[0]), c[1])

    def binary(self, c: list[Any]) -> s.Binary:
        op = {"\\/": "||", "/\\": "&&"}.get(str(c[1]), str(c[1]))
        return self._node(s.Binary, c[0].at, (c[0], c[2]), op, c[0], c[2])

    def range(self, c: list[Any]) -> s.Range:
        return self._node(s.Range, c[0].at, tuple(c), *c)

    def call(self, c: list[Any]) -> s.Call:
        args = tuple(a for a in c[1:] if a is not None)
        return self._node(s.Call, self._at(c[0]), args, str(c[0]), args)

    def spawn(self, c: list[Any]) -> s.Spawn:
        args = tuple(a for a in c[2:] if a is not None)
        return self._node(s.Spawn, self._at(c[0]), args, str(c[1]), args)

    # statements

    def label(self, c: list[Any]) -> s.Label:
        return s.Label(self._at(c[0]), str(c[0]))

    parameter = target = label

    def assign(self, c: list[Any]) -> s.Assign:
        return s.Assign(c[0].at, tuple(c[:-1]), c[-1])

    def local(self, c: list[Any]) -> s.Local:
        return s.Local(self._at(c[0]), str(c[0]), c[1])

    def locals(self, c: list[Any]) -> s.Locals:
        return s.Locals(self._at(c[0]), tuple(c[1:]))

    def call_statement(self, c: list[Any]) -> s.CallStatement:
        return s.CallStatement(c[0].at, c[0])

    def fence(self, c: list[Any]) -> s.FenceStatement:
        if str(c[0]) not in FENCES:
            raise self._error(f"there is no fence '{c[0]}'", self._at(c[0]), "fence.sc, sync, dmb.sy, ...")
        return s.FenceStatement(self._at(c[0]), FENCES[str(c[0])])

    def conditional(self, c: list[Any]) -> s.If:
        parts, otherwise = c[1:-1], c[-1]
        return s.If(self._at(c[0]), tuple(zip(parts[::2], parts[1::2], strict=True)), otherwise)

    def branch(self, c: list[Any]) -> s.IfGoto:
        return s.IfGoto(self._at(c[0]), c[1], c[2])

    def for_(self, c: list[Any]) -> s.For:
        return s.For(self._at(c[0]), str(c[1]), c[2], c[3])

    def while_(self, c: list[Any]) -> s.While:
        return s.While(self._at(c[0]), c[1], c[2])

    def atomic(self, c: list[Any]) -> s.Atomic:
        return s.Atomic(self._at(c[0]), c[1])

    def goto(self, c: list[Any]) -> s.Goto:
        return s.Goto(self._at(c[0]), c[1])

    def return_(self, c: list[Any]) -> s.Return:
        return s.Return(self._at(c[0]), c[1])

    def break_(self, c: list[Any]) -> s.Break:
        return s.Break(self._at(c[0]))

    def continue_(self, c: list[Any]) -> s.Continue:
        return s.Continue(self._at(c[0]))

    def skip(self, c: list[Any]) -> s.Skip:
        return s.Skip(self._at(c[0]))

    def block(self, c: list[Any]) -> s.Block:
        return s.Block(tuple(c[:-1]), self._at(c[-1]))

    # declarations

    def initial(self, c: list[Any]) -> tuple[tuple[s.Expression, ...], bool]:
        """`= [e]` reads as the list of one element, which is what it means after an array."""
        inner = c[0]
        if isinstance(inner, s.Access) and isinstance(inner.place, s.Dereference):
            return (inner.place.address,), True
        return (inner,), False

    def initial_list(self, c: list[Any]) -> tuple[tuple[s.Expression, ...], bool]:
        return tuple(c), True

    def declarator(self, c: list[Any]) -> s.Declarator:
        initial, listed = c[2] or ((), False)
        return s.Declarator(self._at(c[0]), str(c[0]), c[1], initial, listed)

    def variables(self, c: list[Any]) -> s.Variables:
        return s.Variables(self._at(c[0]), str(c[0]), tuple(c[1:]))

    def constant(self, c: list[Any]) -> s.Constant:
        return s.Constant(self._at(c[0]), str(c[0]), c[1])

    def function(self, c: list[Any]) -> s.FunctionItem:
        return s.FunctionItem(self._at(c[0]), str(c[0]), tuple(p for p in c[1:-1] if p is not None), c[-1])

    def thread(self, c: list[Any]) -> s.ThreadItem:
        return s.ThreadItem(self._at(c[0]), str(c[0]), *c[1:])

    def observe(self, c: list[Any]) -> s.Observe:
        return s.Observe(self._at(c[0]), tuple(c[1:]))

    def condition(self, c: list[Any]) -> s.ConditionItem:
        return s.ConditionItem(self._at(c[0]), "".join(c[0].split()), c[1])

    def filter(self, c: list[Any]) -> s.FilterItem:
        return s.FilterItem(self._at(c[0]), c[1])

    def start(self, c: list[Any]) -> tuple[s.Item, ...]:
        return tuple(c)
