"""Text to tokens, and lines to statements: newlines are dropped where a statement goes on, and one END follows each
statement and declaration, so that the parser need not know about lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from fencepost.errors import InputError

MAX_NESTING = 100
KEYWORDS = frozenset({
    "var", "na", "mutex", "const", "fn", "thread", "observe", "filter", "if", "else", "while", "for", "in", "atomic",
    "goto", "return", "local", "break", "continue", "skip", "spawn",
})  # fmt: skip
#: In this order: the first that matches is the token.
_TOKEN = re.compile(r"""
    (?P<BLANK>[ \t\r\f]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
  | (?P<QUANTIFIER>~[ \t]*exists\b|exists\b|forall\b)
  | (?P<FENCE>(?:fence\.[a-z_]+(?:\.[a-z]+)?|(?:dmb|dsb)\.[a-z]+|lwsync|isync|sync|eieio|mfence|lfence|sfence|isb)\b)
  | (?P<NAME>[A-Za-z_$][A-Za-z0-9_$]*)
  | (?P<NUMBER>0[xX][0-9a-fA-F]+|[0-9]+)
  | (?P<NEWLINE>\n)
  | (?P<ASSIGN>:=)
  | (?P<SHIFT><<|>>)
  | (?P<COMPARE>==|!=|<=|>=|<|>)
  | (?P<OR>\|\||\\/)
  | (?P<AND>&&|/\\)
  | (?P<DOTS>\.\.)
  | (?P<MODE>\.[A-Za-z_][A-Za-z0-9_]*)
  | (?P<SIGN>[+-])
  | (?P<FACTOR>[*/%])
  | (?P<STRING>"[^"\n]*")
  | (?P<PUNCTUATION>[()\[\]{},;:=|^&!~])
""", re.VERBOSE)  # fmt: skip
_PUNCTUATION = {
    "(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB", "{": "LBRACE", "}": "RBRACE", ",": "COMMA", ";": "SEMICOLON",
    ":": "COLON", "=": "EQUAL", "|": "BAR", "^": "CARET", "&": "AMPERSAND", "!": "BANG", "~": "TILDE",
}  # fmt: skip
_CLOSE = {"RPAR": "LPAR", "RSQB": "LSQB", "RBRACE": "LBRACE"}
#: A line that ends in one of these goes on in the next one.
_CONTINUES = frozenset({
    "COMMA", "COMPARE", "SHIFT", "SIGN", "FACTOR", "OR", "AND", "BAR", "CARET", "AMPERSAND", "BANG", "TILDE", "DOTS",
    "EQUAL", "IF", "ELSE", "WHILE", "FOR", "IN", "CONST", "VAR", "NA", "MUTEX", "THREAD", "FN", "OBSERVE", "QUANTIFIER",
    "FILTER", "ASSIGN",
})  # fmt: skip
#: A line that starts with one of these goes on from the line before.
_CONTINUED = frozenset({"ELSE", "OR", "AND"})


class Token(NamedTuple):
    """`kind` is END for what ends a statement (its text: a newline, a ';' or the token before which it ends), EOF at
    the very end; a keyword's kind is the keyword in capitals."""

    kind: str
    text: str
    line: int
    column: int


def tokens(text: str, file: str) -> Iterator[Token]:
    """The tokens with an END after each statement, and an EOF. Raises InputError at what starts nothing."""
    return _statements(_scan(text, file), file)


def _scan(text: str, file: str) -> Iterator[Token]:
    at, line, start = 0, 1, 0
    match = _TOKEN.match
    while found := match(text, at):
        kind, word = found.lastgroup or "", found[0]
        if kind == "NAME":
            yield Token(word.upper() if word in KEYWORDS else kind, word, line, at - start + 1)
        elif kind == "NEWLINE":
            yield Token(kind, word, line, at - start + 1)
            line, start = line + 1, at + 1
        elif kind == "BLANK":
            if "\n" in word:  # a comment of several lines
                line += word.count("\n")
                start = at + word.rindex("\n") + 1
        else:
            kind = _PUNCTUATION[word] if kind == "PUNCTUATION" else kind
            if word == "/" and text.startswith("/*", at):
                break
            yield Token(kind, word, line, at - start + 1)
        at = found.end()
    if at < len(text):
        raise _stray(text, at, InputError("", file=file, line=line, column=at - start + 1))
    yield Token("EOF", "", line, at - start + 1)


#: What people write who know other languages.
_STRANGERS = {
    "#": "a comment starts with //", "'": "a text stands in double quotes, a number is written in digits",
    "?": "select(condition, a, b) chooses between two values", "\0": "this is not a text file",
}  # fmt: skip


def _stray(text: str, at: int, place: InputError) -> InputError:
    file, line, column = place.file, place.line, place.column
    if text.startswith("/*", at):
        return InputError("the comment that starts here is not closed", file=file, line=line, column=column)
    if text[at] == '"':
        return InputError("the text that starts here is not closed on its line", file=file, line=line, column=column)
    letters = "only letters, digits, '_' and '$' make names" if text[at].isalpha() else ""
    hint = _STRANGERS.get(text[at], letters)
    return InputError(f"found {text[at]!r}, which starts nothing", file=file, line=line, column=column, hint=hint)


def _statements(stream: Iterator[Token], file: str) -> Iterator[Token]:
    nesting: list[Token] = []
    previous = ""  # the kind of the last token that was handed on
    labelled = False  # the last name starts a statement, so that ':' makes it a label
    last = Token("END", "\n", 1, 1)
    ending: Token | None = None  # a newline or ';' whose meaning the next token decides
    for token in stream:
        kind = token.kind
        if kind in ("NEWLINE", "SEMICOLON"):
            inside = bool(nesting) and nesting[-1].kind != "LBRACE"
            if kind == "SEMICOLON" and inside:
                raise _unclosed(nesting[-1], f"'{token.text}'", file)
            if not inside and ending is None:
                ending = token
            continue
        if kind == "EOF":
            if nesting:
                raise _unclosed(nesting[-1], "the end of the file", file)
            if previous not in ("", "END"):
                at = ending or Token("END", "\n", last.line, last.column + len(last.text))
                yield Token("END", "\n", at.line, at.column)
            yield token
            return
        if (
            (kind == "RBRACE" and previous not in ("END", "LBRACE"))
            or (previous == "COLON" and labelled)  # a label is a statement of its own
            or (previous == "RBRACE" and kind != "ELSE")
        ):
            ending = ending or token
        if ending is not None and _ends(previous, ending, kind):
            yield Token("END", ending.text, ending.line, ending.column)
            previous = "END"
        ending = None
        _nest(nesting, token, file)
        yield token
        if kind == "NAME":
            labelled = previous in ("END", "LBRACE") and bool(nesting)
        previous, last = kind, token


def _ends(previous: str, ending: Token, kind: str) -> bool:
    if previous in ("", "END", "LBRACE") or (previous in _CONTINUES and ending.kind == "NEWLINE"):
        return False
    return not (kind in _CONTINUED and ending.kind == "NEWLINE")


def _nest(nesting: list[Token], token: Token, file: str) -> None:
    if token.kind in ("LPAR", "LSQB", "LBRACE"):
        nesting.append(token)
        if len(nesting) > MAX_NESTING:
            raise _error(f"brackets nest deeper than {MAX_NESTING}", token, file)
    elif token.kind in _CLOSE:
        if not nesting:
            raise _error(f"'{token.text}' closes nothing", token, file)
        opened = nesting.pop()
        if opened.kind != _CLOSE[token.kind]:
            raise _unclosed(opened, f"'{token.text}'", file)


def _unclosed(opened: Token, found: str, file: str) -> InputError:
    return _error(f"'{opened.text}' is not closed before {found}", opened, file)


def _error(message: str, token: Token, file: str) -> InputError:
    return InputError(message, file=file, line=token.line, column=token.column)
