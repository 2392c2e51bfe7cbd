"""fencepost man: the manual page, from the same table as --help."""

from __future__ import annotations

from importlib import import_module

from fencepost._version import __version__
from fencepost.cli import USAGE, VERBS
from fencepost.cli.arguments import Option, Parameter
from fencepost.cli.frame import Reply, parameters_of

_ANSWERS = (
    ("0", "PASS: every execution was explored, and there is no error; or BOUNDED, where --accept-bounds is given."),
    ("1", "FAIL: there is an error, and the execution that shows it was told."),
    ("2", "Bad usage or bad input."),
    ("3", "UNKNOWN or BOUNDED: there is no answer for all executions; the reason says why."),
)
_FILES = (
    ("fencepost.toml, pyproject.toml", "Options of a project, in this folder or one above ([tool.fencepost])."),
    ("~/.cache/fencepost", "Answers to what did not change. FENCEPOST_CACHE=off switches it off."),
)
_ENVIRONMENT = (
    ("FENCEPOST_CLANG", "The clang that compiles C and C++; zig: that of the ziglang wheel."),
    ("FENCEPOST_CACHE", "The folder for what is kept between runs, or off."),
    ("NO_COLOR, FORCE_COLOR", "No colour on a terminal; colour without one."),
)


def man() -> Reply:
    """Print the manual page: `fencepost man | man -l -`."""
    text = page()
    return Reply(text, {"page": text})


def page() -> str:
    lines = [
        f'.TH FENCEPOST 1 "" "fencepost {__version__}" "User Commands"',
        ".SH NAME", r"fencepost \- model checking for weak memory",
        ".SH SYNOPSIS", f".B {_text(USAGE)}",
        ".SH DESCRIPTION",
        "Explores every execution of a C, C++, litmus or pseudo-code program under a memory model, and tells what goes "
        "wrong as a story.",
        ".SH VERBS",
    ]  # fmt: skip
    for verb in VERBS:
        lines += [f".SS {verb.name}", _text(verb.summary), *_options(verb.name)]
    for title, rows in (("EXIT STATUS", _ANSWERS), ("FILES", _FILES), ("ENVIRONMENT", _ENVIRONMENT)):
        lines += [f".SH {title}", *(line for name, text in rows for line in _row(name, text))]
    return "\n".join(lines) + "\n"


def _options(verb: str) -> list[str]:
    found, _ = parameters_of(getattr(import_module(f"fencepost.cli.{verb}"), verb))
    return [line for p in found for line in _row(_name(p), p.details.help)]


def _name(parameter: Parameter) -> str:
    details = parameter.details
    if not isinstance(details, Option):
        return details.metavar
    flag = details.off or details.flag
    value = details.metavar or parameter.name.upper()
    return flag if parameter.value_type is bool else f"{flag} {value}"


def _row(name: str, text: str) -> list[str]:
    return [".TP", f".B {_text(name)}", _text(text)]


def _text(text: str) -> str:
    """What roff would read as its own is kept from it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text
