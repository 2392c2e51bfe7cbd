"""The frame of a litmus test, the same in every dialect: header, initial state, code, question."""

from __future__ import annotations

import re

from fencepost.frontends.scan import Source
from fencepost.records import dataclass

_HEAD = re.compile(r'\s*(?P<arch>[A-Za-z][\w-]*)[ \t]+(?P<name>"[^"\n]*"|[^\s"{]\S*)')
_QUESTION = re.compile(
    r"(exists|forall|locations|filter|final|condition|observed|~|not\b(?=\s*(?:exists|forall)))(?=[\s~(\[]|exists|$)",
    re.MULTILINE,
)
_C_DIALECTS = ("C", "LISA-C")


@dataclass(frozen=True, slots=True)
class Frame:
    """Offsets of the parts in the source: the inside of the initial state, the code, and the question."""

    source: Source
    arch: str
    arch_offset: int
    name: str
    init: tuple[int, int]
    code: tuple[int, int]
    question: tuple[int, int]


def read_frame(text: str, file: str) -> Frame:
    """Cuts a test into its parts. Comments are gone afterwards; what stands after `<<` at the end is ignored."""
    source = Source(text, file)
    while text.lstrip().startswith("(*"):
        source.blank_nested_comment(len(text) - len(text.lstrip()))
        text = source.text
    head = _HEAD.match(text)
    if head is None:
        source.fail(
            len(text) - len(text.lstrip()),
            f"found {text.split()[0]!r}" if text.strip() else "found an empty file",
            "an architecture and the name of the test, such as 'PPC MP+syncs'",
        )
    in_c = head["arch"] in _C_DIALECTS
    opening = _open(source, head.end(), in_c)
    closing = _close(source, opening)
    after = closing + 1
    if source.text[after:].lstrip().startswith(";"):
        after = source.text.index(";", after) + 1
    start = _end_of_functions(source, after) if in_c else _end_of_columns(source, after)
    old_style = source.text.find("\n<<", start)
    stop = len(source.text) if old_style < 0 else old_style
    return Frame(
        source, head["arch"], head.start("arch"), head["name"].strip('"'), (opening + 1, closing), (after, start),
        (start, stop),
    )  # fmt: skip


def _open(source: Source, start: int, in_c: bool) -> int:
    """Where the initial state opens: at the first brace outside quotes."""
    _drop_comments(source, start, in_c)
    for mark in re.compile(r'"[^"\n]*"|\{').finditer(source.text, start):
        if mark.group() == "{":
            return mark.start()
    source.fail(len(source.text), "found no initial state", "'{'", "a test without one says {}")


def _close(source: Source, opening: int) -> int:
    depth = 0
    for mark in re.compile(r"[{}]").finditer(source.text, opening):
        depth += 1 if mark.group() == "{" else -1
        if depth == 0:
            return mark.start()
    source.fail(opening, "found an initial state that never ends", "'}'")


def _drop_comments(source: Source, start: int, in_c: bool) -> None:
    """Blanks comments from `start` on. In C, `(*` is a comment only outside functions: inside it is a dereference."""
    pattern = re.compile(r'"[^"\n]*"|\(\*|//|/\*|[{}]' if in_c else r'"[^"\n]*"|\(\*')
    depth = opened = 0
    at = start
    while (mark := pattern.search(source.text, at)) is not None:
        text, at = mark.group(), mark.end()
        if text in "{}":
            depth += 1 if text == "{" else -1
            opened += text == "{"
        elif text == "(*" and (depth == 0 or opened == 1):
            at = source.blank_nested_comment(mark.start())
        elif text == "//" and opened:
            end = source.text.find("\n", at)
            source.blank(mark.start(), len(source.text) if end < 0 else end)
        elif text == "/*":
            end = source.text.find("*/", at)
            if end < 0:
                source.fail(mark.start(), "found a comment '/*' that never ends", "'*/'")
            source.blank(mark.start(), end + 2)


def _end_of_columns(source: Source, start: int) -> int:
    """Where the rows of columns end and the question starts: at a question's keyword at the start of a row."""
    at = start
    while True:
        at = len(source.text) - len(source.text[at:].lstrip())
        if at == len(source.text) or _QUESTION.match(source.text, at):
            return at
        end = source.text.find(";", at)
        if end < 0:
            source.fail(
                len(source.text.rstrip()), "found the end of the file", "';' at the end of a row, or a condition"
            )
        at = end + 1


def _end_of_functions(source: Source, start: int) -> int:
    at, text = start, source.text
    while True:
        at = len(text) - len(text[at:].lstrip())
        if at == len(text) or _QUESTION.match(text, at):
            return at
        opening = text.find("{", at)
        if opening < 0:
            source.fail(
                at, f"found {text[at:].split(None, 1)[0]!r}", "a thread such as 'P0 (int* x) {', or a condition"
            )
        at = _close_function(source, opening)


def _close_function(source: Source, opening: int) -> int:
    depth = 0
    for mark in re.compile(r"[{}]").finditer(source.text, opening):
        depth += 1 if mark.group() == "{" else -1
        if depth == 0:
            return mark.end()
    source.fail(opening, "found a function body that never ends", "'}'")
