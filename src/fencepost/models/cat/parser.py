"""Tokens of a cat file to its syntax tree.

Written by hand, because `*` is a product or a closure by what follows it and because an error should name what the
author most likely meant. Operators from loose to tight, as in herd: `|`, `++`, `;`, `\\`, `&`, `*` (product), then the
postfix `+ * ? ^-1`, then the prefix `~`, then application.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn

from fencepost.errors import InputError
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.lexer import KEYWORDS, Token, tokenize
from fencepost.program.operands import Position

MAX_DEPTH = 40
_CHECKS = ("acyclic", "irreflexive", "empty")
_STATEMENTS = (
    "let", *_CHECKS, "flag", "show", "unshow", "include", "procedure", "call", "forall", "foreach", "with", "enum",
    "undefined_unless", "assert", "when", "if", "instructions", "default",
)  # fmt: skip
_OPTIONS = ("withco", "withoutco", "withinit", "withoutinit", "withsc", "withoutsc", "catdep")
_BINARY = {"|": 1, "++": 2, ";": 3, "\\": 4, "&": 5, "*": 6}
_ASSOCIATIVE = ("|", ";", "&")
_RIGHT = ("++",)  # `\` and the product group to the left
_POSTFIX = ("+", "*", "?", "^-1")
_HINTS = {
    "axiom": "a constraint is written: acyclic r as name",
    "∪": "union is written |",
    "require": "a constraint is written: acyclic r as name",
}


_ConditionReader = Callable[[], cat.Condition]


def parse(text: str, file: str) -> cat.File:
    """Reads one file, without its includes. Raises InputError with the place and what was expected."""
    return _Parser(tokenize(text, file), file).file()


class _Parser:
    def __init__(self, tokens: list[Token], path: str) -> None:
        self.tokens, self.path, self.index = tokens, path, 0
        self.depth = 0

    # --- tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        self.index = min(self.index + 1, len(self.tokens) - 1)
        return token

    def sees(self, *texts: str) -> bool:
        return self.token.kind in ("op", "keyword") and self.token.text in texts

    def accept(self, *texts: str) -> Token | None:
        return self.advance() if self.sees(*texts) else None

    def expect(self, text: str, context: str = "") -> Token:
        if not self.sees(text):
            self.fail(f"'{text}'" + (f" {context}" if context else ""))
        return self.advance()

    def name(self, what: str) -> str:
        if self.token.kind != "name":
            hint = f"'{self.token.text}' is a word of the language" if self.token.kind == "keyword" else ""
            self.fail(what, hint)
        return self.advance().text

    def fail(self, expected: str, hint: str = "") -> NoReturn:
        at, found = self.token.at, self.token
        hint = hint or _HINTS.get(found.text, "")
        raise InputError(
            f"unexpected {found}", file=at.file, line=at.line, column=at.column, expected=expected, hint=hint
        )

    # --- statements

    def file(self) -> cat.File:
        first = self.token.text if self.token.kind == "name" else ""
        title = self.title()
        declared = first if self.index and first not in _OPTIONS else ""
        statements = self.statements()
        if self.token.kind != "end":
            self.stray()
        words = frozenset(t.text for t in self.tokens if t.kind in ("name", "string"))
        return cat.File(title, statements, self.path, words, declared)

    def title(self) -> str:
        """A model may begin with its name, as a word, a string or both, and with options of herd. Of these `catdep`
        says that the file computes its dependencies: see include/aarch64deps.cat."""
        words = []
        while self.token.kind == "string" or self.sees("catdep") or (self.token.kind == "name" and self._title_word()):
            word = self.advance()
            if word.text not in _OPTIONS:
                words.append(word.text.strip('"'))
        return words[-1] if words else ""

    def _title_word(self) -> bool:
        if self.token.text in _OPTIONS:
            return True
        following = self.peek(2) if self.index == 0 and self.peek().kind == "name" else self.peek()
        starts = following.kind in ("string", "end") or following.text in (*_STATEMENTS, *_OPTIONS, "~")
        return self.index < 2 and starts and not self._typo()

    def _typo(self) -> str:
        if self.peek().kind not in ("name", "op"):
            return ""
        return next(iter(get_close_matches(self.token.text, _STATEMENTS, 1, 0.75)), "")

    def statements(self, *closing: str) -> tuple[cat.Statement, ...]:
        found: list[cat.Statement] = []
        while self.token.kind != "end" and not self.sees(*closing):
            if self.advice():
                continue
            if not (self.sees(*_STATEMENTS) or self.sees("~")):
                break
            statement = self.statement()
            if statement is not None:
                found.append(statement)
        return tuple(found)

    def advice(self) -> bool:
        """`cut name` and `showall` advise other tools how to solve and what to draw: nothing to evaluate."""
        if self.token.kind != "name" or self.token.text not in ("cut", "showall"):
            return False
        if self.token.text == "cut" and self.peek().kind == "name":
            self.advance()
        self.advance()
        return True

    def stray(self) -> NoReturn:
        close = get_close_matches(self.token.text, _STATEMENTS, 1, 0.7) if self.token.kind == "name" else []
        hint = f"did you mean '{close[0]}'?" if close else ""
        if self.sees(")", "]", "}"):
            hint = "nothing is open here that it could close"
        elif self.token.kind in ("name", "string") and not close and self.token.text not in _HINTS:
            hint = "an operator may be missing before it: union is |, sequence is ;"
        self.fail("a statement (let, acyclic, irreflexive, empty, flag, show, include, ...) or an operator", hint)

    def statement(self) -> cat.Statement | None:
        at = self.token.at
        if self.sees("let"):
            return self.let(at)
        if self.sees(*_CHECKS, "~"):
            return self.check("require", at)
        if self.accept("flag"):
            return self.check("flag", at)
        if self.accept("undefined_unless"):
            return self.check("undefined", at)
        if self.accept(
            "assert", "when"
        ):  # herd's `let rec ... when acyclic r` gives up early on what the check forbids
            return self.check("require", at)
        if self.sees("show", "unshow"):
            return self.show(at)
        if self.accept("include"):
            if self.token.kind != "string":
                self.fail("the name of a file in double quotes", 'write: include "cos.cat"')
            return cat.Include(self.advance().text[1:-1], at)
        if self.accept("procedure"):
            return self.procedure(at)
        if self.accept("call"):
            return self.call(at)
        if self.accept("forall", "foreach"):
            return self.forall(at)
        if self.accept("with"):
            name = self.name("the name of a relation")
            self.expect("from")
            return cat.With(name, self.expression(), at)
        if self.accept("enum"):
            return self.enum(at)
        if self.accept("if"):
            return self.if_statement(at)
        self.bell_declaration()
        return None

    def let(self, at: Position) -> cat.Let:
        self.expect("let")
        recursive = self.accept("rec") is not None
        return cat.Let(self.bindings(), recursive, at)

    def bindings(self) -> tuple[cat.Binding, ...]:
        found = [self.binding()]
        while self.accept("and"):
            found.append(self.binding())
        return tuple(found)

    def binding(self) -> cat.Binding:
        at = self.token.at
        if self.sees("("):
            names = self.params()
            self.expect("=")
            return cat.Binding(names, self.expression(), at)
        name = self.name("a name to define")
        curried: list[tuple[tuple[str, ...], Position]] = []
        while not self.sees("="):
            if not (self.sees("(") or self.token.kind == "name"):
                self.fail("'=' or a parameter")
            place = self.token.at
            curried.append((self.params() if self.sees("(") else (self.advance().text,), place))
        self.expect("=")
        value = self.expression()
        for params, place in reversed(curried):
            value = cat.Fun(params, value, place, name)
        return cat.Binding((name,), value, at)

    def params(self) -> tuple[str, ...]:
        self.expect("(")
        found: list[str] = []
        while not self.sees(")"):
            found.append(self.name("the name of a parameter"))
            if not self.accept(",") and not self.sees(")"):
                self.fail("',' or ')'")
        self.expect(")")
        return tuple(found)

    def check(self, role: str, at: Position) -> cat.Check:
        negated = self.accept("~") is not None
        if not self.sees(*_CHECKS):
            close = get_close_matches(self.token.text, _CHECKS, 1, 0.6)
            self.fail("acyclic, irreflexive or empty", f"did you mean '{close[0]}'?" if close else "")
        kind = self.advance().text
        value = self.expression()
        return cat.Check(kind, negated, value, self.label(), role, at)

    def label(self) -> str:
        if not self.accept("as"):
            return ""
        if self.token.kind not in ("name", "string"):
            self.fail("a name after 'as'")
        return self.advance().text.strip('"')

    def show(self, at: Position) -> cat.Show:
        hide = self.advance().text == "unshow"
        values = []
        while True:
            value = self.expression()
            label = self.label() or (value.name if isinstance(value, cat.Name) else "")
            values.append((label, value))
            if not self.accept(","):
                return cat.Show(tuple(values), hide, at)

    def procedure(self, at: Position) -> cat.Procedure:
        recursive = self.accept("rec") is not None
        name = self.name("the name of a procedure")
        params = self.params() if self.sees("(") else (self.name("a parameter"),)
        self.expect("=")
        body = self.statements("end")
        self.expect("end", "at the end of the procedure")
        return cat.Procedure(name, params, body, recursive, at)

    def call(self, at: Position) -> cat.Call:
        name = self.name("the name of a procedure")
        argument = self.atom()
        args = argument.items if isinstance(argument, cat.Tuple) else (argument,)
        self.label()
        return cat.Call(name, args, at)

    def forall(self, at: Position) -> cat.ForAll:
        name = self.name("a name for each element")
        self.expect("in")
        values = self.expression()
        self.expect("do")
        body = self.statements("end")
        self.expect("end", "at the end of the loop")
        return cat.ForAll(name, values, body, at)

    def enum(self, at: Position) -> cat.Enum:
        name = self.name("the name of an enumeration")
        self.expect("=")
        self.accept("||")
        tags = [self.tag()]
        while self.accept("||"):
            tags.append(self.tag())
        return cat.Enum(name, tuple(tags), at)

    def tag(self) -> str:
        if self.token.kind != "tag":
            self.fail("a tag such as 'acquire")
        return self.advance().text

    def if_statement(self, at: Position) -> cat.IfStatement:
        condition = self.condition()
        self.accept("then")  # herd's own files write statements without it
        then = self.statements("else", "end")
        otherwise = self.statements("end") if self.accept("else") else ()
        self.expect("end", "at the end of the conditional")
        return cat.IfStatement(condition, then, otherwise, at)

    def bell_declaration(self) -> None:
        """`instructions R[{'a,'b}]` and `default`: which annotations a front end may use; nothing to evaluate."""
        self.advance()
        while not (self.token.kind == "end" or self.sees(*_STATEMENTS)):
            self.advance()

    # --- expressions

    def expression(self) -> cat.Expression:
        if not self.sees("let", "fun", "try", "if", "match"):
            return self.binary(1)
        self.deeper()
        value = self.compound()
        self.depth -= 1
        return value

    def compound(self) -> cat.Expression:
        at = self.token.at
        if self.accept("let"):
            recursive = self.accept("rec") is not None
            bindings = self.bindings()
            self.expect("in")
            return cat.LetIn(bindings, recursive, self.expression(), at)
        if self.accept("fun"):
            params = self.params() if self.sees("(") else (self.name("a parameter"),)
            self.expect("->")
            return cat.Fun(params, self.expression(), at)
        if self.accept("try"):
            attempt = self.expression()
            self.expect("with")
            return cat.Try(attempt, self.expression(), at)
        if self.accept("if"):
            condition = self.condition()
            self.expect("then")
            then = self.expression()
            self.expect("else")
            return cat.If(condition, then, self.expression(), at)
        self.expect("match")
        return self.match(at)

    def match(self, at: Position) -> cat.Match:
        subject = self.expression()
        self.expect("with")
        clauses: list[cat.Clause] = []
        while self.accept("||", "|"):
            place = self.token.at
            pattern = self.pattern()
            self.expect("->")
            clauses.append(cat.Clause(pattern, self.expression(), place))
        if not clauses:
            self.fail("a clause: || pattern -> value")
        self.expect("end", "at the end of the match")
        return cat.Match(subject, tuple(clauses), at)

    def pattern(self) -> cat.Tag | cat.Empty | cat.Universe | tuple[str, str]:
        at = self.token.at
        if self.token.kind == "tag":
            return cat.Tag(self.advance().text, at)
        if self.accept("_"):
            return cat.Universe(at)
        if self.accept("{"):
            self.expect("}")
            return cat.Empty(at)
        head = self.name("a tag, {}, _ or head ++ tail")
        self.expect("++")
        return head, self.name("a name for the rest of the set")

    def condition(self) -> cat.Condition:
        return self._junction("||", lambda: self._junction("&&", self._literal))

    def _junction(self, op: str, part: _ConditionReader) -> cat.Condition:
        at = self.token.at
        parts = [part()]
        while self.accept(op):
            parts.append(part())
        return parts[0] if len(parts) == 1 else cat.Logic(op, tuple(parts), at)

    def _literal(self) -> cat.Condition:
        at = self.token.at
        if self.accept("not", "~"):
            return cat.Logic("not", (self._literal(),), at)
        if self.accept("("):
            inner = self.condition()
            self.expect(")")
            return inner
        if self.token.kind == "name" and self.token.text == "variant":
            self.advance()
        if self.token.kind != "string":
            self.fail("the name of a variant in double quotes")
        return cat.Variant(self.advance().text[1:-1], at)

    def binary(self, level: int) -> cat.Expression:
        if level > max(_BINARY.values()):
            return self.postfix()
        op = next(o for o, tightness in _BINARY.items() if tightness == level)
        if op in _ASSOCIATIVE:
            return self.chain(op, level)
        left = self.binary(level + 1)
        while self.sees(op) and not (op == "*" and not self._product()):
            at = self.advance().at
            right = self.operand(level if op in _RIGHT else level + 1)
            left = cat.Binary(op, left, right, at)
        return left

    def chain(self, op: str, level: int) -> cat.Expression:
        """`a | b | c ...` as a balanced tree: it means the same, and a long one is not deep."""
        parts, places = [self.binary(level + 1)], []
        while self.sees(op):
            places.append(self.advance().at)
            parts.append(self.operand(level + 1))

        def balanced(first: int, last: int) -> cat.Expression:
            if first == last:
                return parts[first]
            middle = (first + last) // 2
            return cat.Binary(op, balanced(first, middle), balanced(middle + 1, last), places[middle])

        return balanced(0, len(parts) - 1)

    def operand(self, level: int) -> cat.Expression:
        """After an operator `let`, `fun` and the like may stand too, and reach to the end."""
        if self.sees("fun", "try", "match") or (self.sees("let", "if") and self._is_expression()):
            return self.expression()
        return self.binary(level)

    def _is_expression(self) -> bool:
        depth, ahead = 0, 1
        while (token := self.peek(ahead)).kind != "end":
            if token.text == "let":
                depth += 1
            if token.text in ("in", "then"):
                if depth == 0:
                    return True
                depth -= 1
            ahead += 1
        return False

    def _product(self) -> bool:
        """Whether the `*` here is a product: something that can begin an operand follows it."""
        after = self.peek()
        if after.text == "~" and after.kind == "op":
            return self.peek(2).text not in _CHECKS
        return after.kind in ("name", "tag") or (after.kind == "op" and after.text in ("(", "[", "{", "0", "_"))

    def postfix(self) -> cat.Expression:
        if self.sees("~"):
            at = self.advance().at
            self.deeper()
            inner = self.postfix()
            self.depth -= 1
            return cat.Unary("~", inner, at)
        value = self.application()
        count = 0
        while self.sees(*_POSTFIX) and not (self.sees("*") and self._product()):
            count += 1
            if count > MAX_DEPTH:
                self.fail(f"at most {MAX_DEPTH} closures in a row")
            token = self.advance()
            value = cat.Unary(token.text, value, token.at)
        return value

    def application(self) -> cat.Expression:
        value = self.atom()
        while isinstance(value, cat.Name | cat.Apply) and self._argument():
            at = self.token.at
            argument = self.atom()
            args = argument.items if isinstance(argument, cat.Tuple) else (argument,)
            value = cat.Apply(value, args, value.at if isinstance(value, cat.Name) else at)
        return value

    def _argument(self) -> bool:
        if self.token.kind == "name" and self.token.at.line > self.tokens[self.index - 1].at.line:
            # a misspelt statement on the next line is no argument
            return not get_close_matches(self.token.text, _STATEMENTS, 1, 0.8)
        return self.token.kind in ("name", "tag") or self.sees("(", "{", "_", "0")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} levels of nesting", "give a part of it a name with let")

    def atom(self) -> cat.Expression:
        self.deeper()
        value = self.simple()
        self.depth -= 1
        return value

    def simple(self) -> cat.Expression:
        at = self.token.at
        if self.token.kind == "name":
            return cat.Name(self.advance().text, at)
        if self.token.kind == "tag":
            return cat.Tag(self.advance().text, at)
        if self.accept("_"):
            return cat.Universe(at)
        if self.accept("0"):
            return cat.Empty(at)
        if self.accept("["):
            inner = self.expression()
            self.expect("]")
            return cat.Unary("[]", inner, at)
        if self.accept("{"):
            items = self.items("}")
            return cat.ValueSet(items, at) if items else cat.Empty(at)
        if self.accept("("):
            items = self.items(")")
            return items[0] if len(items) == 1 else cat.Tuple(items, at)
        hint = ""
        if self.token.kind == "keyword" and self.token.text in KEYWORDS:
            hint = "an operand is missing before it"
        elif self.sees(*_BINARY, *_POSTFIX):
            hint = "an operator stands where an operand should"
        self.fail("a set or a relation", hint)

    def items(self, closing: str) -> tuple[cat.Expression, ...]:
        found: list[cat.Expression] = []
        while not self.sees(closing):
            found.append(self.expression())
            if not self.accept(",") and not self.sees(closing):
                self.fail(f"'{closing}' or an operator", self._inside(closing))
        self.expect(closing)
        return tuple(found)

    def _inside(self, closing: str) -> str:
        return f"a bracket is still open: close it with '{closing}'" if self.token.kind in ("keyword", "end") else ""
