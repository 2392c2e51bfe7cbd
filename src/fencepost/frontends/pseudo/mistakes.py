"""What to say of a token that fits nowhere: what was found, what could have stood there, and often what was meant."""

from __future__ import annotations

from fencepost.errors import InputError
from fencepost.frontends.pseudo.tokens import Token

OPERATORS = frozenset({"OR", "AND", "COMPARE", "BAR", "CARET", "AMPERSAND", "SHIFT", "SIGN", "FACTOR"})
EXPRESSION = frozenset({"NUMBER", "NAME", "LPAR", "LSQB", "SIGN", "BANG", "TILDE", "AMPERSAND", "SPAWN", "STRING"})
STATEMENT = frozenset({
    "NAME", "LSQB", "IF", "WHILE", "FOR", "ATOMIC", "GOTO", "RETURN", "BREAK", "CONTINUE", "SKIP", "FENCE", "LOCAL",
})  # fmt: skip
DECLARATION = frozenset({"VAR", "NA", "MUTEX", "CONST", "FN", "THREAD", "OBSERVE", "QUANTIFIER", "FILTER"})
_GROUPS = (
    ("a declaration (var, na, mutex, const, fn, thread, observe, exists, forall)", DECLARATION, "THREAD"),
    ("a statement", STATEMENT, "WHILE"),
    ("an expression", EXPRESSION, "NUMBER"),
    ("an operator", OPERATORS, "AND"),
)
_KINDS = {
    "NAME": "a name", "NUMBER": "a number", "STRING": "a text in quotes", "MODE": "a mode such as .acq", "COLON": "':'",
    "ASSIGN": "':='", "LBRACE": "'{'", "RBRACE": "'}'", "LPAR": "'('", "RPAR": "')'", "LSQB": "'['", "RSQB": "']'",
    "COMMA": "','", "EQUAL": "'='", "DOTS": "'..'", "END": "the end of the line", "EOF": "the end of the file",
}  # fmt: skip


def misplaced(token: Token, accepted: set[str], file: str) -> InputError:
    """`accepted`: the kinds of token that could have stood here."""
    return InputError(
        f"found {_found(token)}", file=file, line=token.line, column=token.column, expected=_expected(accepted),
        hint=_hint(token, accepted),
    )  # fmt: skip


def _found(token: Token) -> str:
    if token.kind == "EOF":
        return "the end of the file"
    if token.kind == "END" and token.text == "\n":
        return "the end of the line"
    return f"'{token.text}'"


def _expected(accepted: set[str]) -> str:
    if (
        "AND" in accepted or "ASSIGN" in accepted
    ):  # a complete place could still get longer: that is not what is missing
        accepted = accepted - {"MODE", "COLON", "LPAR", "LSQB"}
    shown = []
    for phrase, group, mark in _GROUPS:
        if mark in accepted:
            shown.append(phrase)
            accepted = accepted - group
    shown[:0] = sorted(_KINDS.get(name, f"'{name.lower()}'") for name in accepted if name != "EOF" or not shown)
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1]


def _hint(token: Token, accepted: set[str]) -> str:
    if token.kind == "EQUAL":
        return "':=' assigns, '==' compares"
    if token.kind == "ASSIGN" and "EQUAL" in accepted:
        return "a declaration gives its initial value with '='"
    if token.kind == "END" and "LBRACE" in accepted:
        return "the body stands in { }"
    if token.kind == "NAME" and token.text in ("int", "atomic_int", "long"):
        return "variables are declared with 'var x = 0'; registers need no declaration"
    if token.kind == "NAME" and "THREAD" in accepted:
        return _meant(token.text)
    if token.text in ("+", "-", "++", "--") and "ASSIGN" in accepted:
        return "a value is changed by an assignment: r := r + 1"
    if "AND" in accepted and token.kind == "COMPARE":
        return "comparisons do not chain: write a < b && b < c"
    return ""


def _meant(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), [k.lower() for k in DECLARATION - {"QUANTIFIER"}], 1)
    return f"did you mean {near[0]}?" if near else ""
