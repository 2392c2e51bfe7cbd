"""Turns lines into statements: drops newlines where a statement goes on, and puts one END after each statement."""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token
from lark.lark import PostLex

from fencepost.errors import InputError

MAX_NESTING = 100
_OPEN = ("LPAR", "LSQB", "LBRACE")
_CLOSE = {"RPAR": "LPAR", "RSQB": "LSQB", "RBRACE": "LBRACE"}
#: A line that ends in one of these goes on in the next one.
_CONTINUES = frozenset({
    "COMMA", "COMPARE", "SHIFT", "SIGN", "FACTOR", "OR", "AND", "BAR", "CARET", "AMPERSAND", "BANG", "TILDE", "DOTS",
    "EQUAL", "IF", "ELSE", "WHILE", "FOR", "IN", "CONST", "VAR", "NA", "MUTEX", "THREAD", "FN", "OBSERVE", "QUANTIFIER",
    "FILTER", "ASSIGN",
})  # fmt: skip
#: A line that starts with one of these goes on from the line before.
_CONTINUED = frozenset({"ELSE", "OR", "AND"})


class Lines(PostLex):
    """`file` is for messages; a Lines serves one file at a time."""

    always_accept = ("NEWLINE", "SEMICOLON")  # the grammar does not name them, so lark would drop them

    def __init__(self) -> None:
        self.file = ""

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        nesting: list[Token] = []
        previous = ""  # the type of the last token that was handed on
        labelled = False  # the last name starts a statement, so that ':' makes it a label
        last = Token("_END", "\n", line=1, column=1)
        ending: Token | None = None  # a newline or ';' whose meaning the next token decides
        for token in stream:
            if token.type in ("NEWLINE", "SEMICOLON"):
                inside = bool(nesting) and nesting[-1].type != "LBRACE"
                if token.type == "SEMICOLON" and inside:
                    raise self._unclosed(nesting[-1], token)
                if not inside and ending is None:
                    ending = token
                continue
            if token.type == "RBRACE" and previous not in ("_END", "LBRACE"):
                ending = ending or token
            if previous == "COLON" and labelled:
                ending = ending or token  # a label is a statement of its own
            if previous == "RBRACE" and token.type != "ELSE":
                ending = ending or token
            if ending is not None and self._ends(previous, ending, token):
                yield Token.new_borrow_pos("_END", str(ending), ending)
                previous = "_END"
            ending = None
            self._nest(nesting, token)
            yield token
            if token.type == "NAME":
                labelled = previous in ("_END", "LBRACE") and bool(nesting)
            previous, last = token.type, token
        if nesting:
            raise self._unclosed(nesting[-1], None)
        if previous not in ("", "_END"):
            end = Token("_END", "\n", line=last.end_line, column=last.end_column)
            yield end if ending is None else Token.new_borrow_pos("_END", "\n", ending)

    def _ends(self, previous: str, ending: Token, token: Token) -> bool:
        if previous in ("", "_END", "LBRACE") or (previous in _CONTINUES and ending.type == "NEWLINE"):
            return False
        return not (token.type in _CONTINUED and ending.type == "NEWLINE")

    def _nest(self, nesting: list[Token], token: Token) -> None:
        if token.type in _OPEN:
            nesting.append(token)
            if len(nesting) > MAX_NESTING:
                raise self._error(f"brackets nest deeper than {MAX_NESTING}", token)
        elif token.type in _CLOSE:
            if not nesting:
                raise self._error(f"'{token}' closes nothing", token)
            opened = nesting.pop()
            if opened.type != _CLOSE[token.type]:
                raise self._unclosed(opened, token)

    def _unclosed(self, opened: Token, found: Token | None) -> InputError:
        what = f"before '{found}'" if found is not None else "before the end of the file"
        return self._error(f"'{opened}' is not closed {what}", opened)

    def _error(self, message: str, token: Token) -> InputError:
        return InputError(message, file=self.file, line=token.line or 0, column=token.column or 0)
