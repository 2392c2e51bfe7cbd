"""What a program from the browser may not say: nothing in it may name a file of this machine.

This is the first of two walls. It looks at the text alone, refuses more than it must, and works on every system; where
the kernel offers it, the process that runs the program cannot open such files anyway (`confine.py`)."""

from __future__ import annotations

import re

from fencepost.errors import InputError

#: Ways to ask for a file, or whether there is one, other than a plain `#include <name>`.
_FORBIDDEN = re.compile(
    r"\b(__has_(?!attribute\b|builtin\b|feature\b|extension\b|cpp_attribute\b|c_attribute\b)\w*|incbin|_Pragma|__pragma)"
)
_MODULE = re.compile(r"^[ \t]*((?:export[ \t]+)?import)[ \t]*[<\"\w]", re.MULTILINE)
#: The directives that name no file.
_HARMLESS = frozenset(
    ["", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif", "error", "warning",
     "line"]
)  # fmt: skip
_DIRECTIVE = re.compile(r"^[ \t\f\v]*(?:#|%:|\?\?=)[ \t\f\v]*(\w*)[ \t\f\v]*(.*)$", re.MULTILINE)
_NAME = re.compile(r"""(?:<([\w+./-]+)>|"([\w+./-]+)")\s*(?://.*|/\*.*)?$""")
_PRAGMA = re.compile(r"(once|STDC|pack|GCC\s+diagnostic|clang\s+diagnostic)\b")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CAT_INCLUDE = re.compile(r'\binclude\b\s*("[^"]*"?)?')
_PLAIN = re.compile(r'"[\w-]+\.cat"')
_FLAG = re.compile(r"-[DU]\w+(=[\w.+-]*)?|-std=[\w+]+")


def check_c(text: str, file: str) -> None:
    """Refuses C and C++ that name files other than by `#include` of a header, or outside the include folders."""
    spliced = re.sub(r"(\\|\?\?/)[ \t\f\v]*\r?\n", lambda m: "", text)
    code = _COMMENT.sub(lambda m: " " + "\n" * m[0].count("\n"), spliced)
    for view in (spliced, code):  # a comment may hide a directive, and a string may hide a comment
        _look(view, file)


def _look(text: str, file: str) -> None:
    for found in (*_FORBIDDEN.finditer(text), *_MODULE.finditer(text)):
        raise _refused(text, found.start(1), file, f"{found[1]} is not available in the playground")
    for found in _DIRECTIVE.finditer(text):
        word, rest = found[1], found[2].strip()
        if word == "include":
            name = _NAME.match(rest)
            if name is None or not _is_relative(name[1] or name[2]):
                what = "#include is for headers of the system here, such as #include <stdatomic.h>"
                raise _refused(text, found.start(), file, what)
        elif word not in _HARMLESS and not (word == "pragma" and _PRAGMA.match(rest)):
            raise _refused(text, found.start(), file, f"this #{word} is not available in the playground")


def _is_relative(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")


def check_cat(text: str, file: str) -> None:
    """Refuses a model that includes anything but a plain name, which is then looked for among our own files."""
    for found in _CAT_INCLUDE.finditer(text):
        if found[1] is None or not _PLAIN.fullmatch(found[1]):
            what = 'include takes the name of a file that Fencepost brings along, such as include "cos.cat"'
            raise _refused(text, found.start(), file, what)


def check_flags(flags: list[str]) -> None:
    for flag in flags:
        if not _FLAG.fullmatch(flag):
            raise InputError(
                f"{flag} is not available in the playground", file="flags", expected="-DNAME=VALUE or -std="
            )


def _refused(text: str, at: int, file: str, message: str) -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(message, file=file, line=line, column=at - (text.rfind("\n", 0, at) + 1) + 1)
