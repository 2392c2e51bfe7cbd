"""Runs a verb: its options from the table, its reply as text or JSON, its errors as one message and an exit code.

A verb is a function whose parameters say which `Argument` or `Option` they are, with four that this frame fills in:
`flags` receives what follows `--` on the command line, `explicit` the names of the options that stand there; a
parameter annotated with an option class receives an object
made from that class's flags; `--json` is the frame's own and reaches no verb. It returns a Reply.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import pairwise
from types import CodeType
from typing import Any, get_args, get_type_hints

from fencepost.cli.arguments import Option, Parameter, spread
from fencepost.cli.settings import with_settings
from fencepost.cli.words import parse
from fencepost.errors import FencepostError, InputError, UsageError
from fencepost.records import dataclass, field, fields, is_dataclass
from fencepost.report.visible import visible
from fencepost.verdict import ExitCode

Verb = Callable[..., "Reply"]
_JSON = Parameter("json", bool, Option("--json", "Print one JSON object instead of text."), False)
_BUILD = Parameter(
    "build", str | None,
    Option("--build", "Take the flags of the files from the compile_commands.json in this folder.", "FOLDER"),
)  # fmt: skip
_TARGET = Parameter(
    "target", str | None, Option("--target", "With --build: take the files of this target of CMake or Meson.", "NAME")
)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a verb answers: `data` is the JSON object, `text` what a person reads."""

    text: str
    data: Mapping[str, object] = field(default_factory=dict)
    exit_code: int = ExitCode.PASS


def run_verb(name: str, args: list[str]) -> int:
    """Runs the verb on its arguments. Nothing escapes: every failure has its exit code."""
    own, flags = split(args)
    try:
        return _guarded(lambda: _run(name, own, flags), "--json" in own)
    except SystemExit:  # --help
        return ExitCode.PASS
    except OSError as error:
        return unwritable(error)


def _run(name: str, args: list[str], flags: tuple[str, ...]) -> Reply:
    function: Verb = getattr(import_module(f"fencepost.cli.{name}"), name)
    parameters, tables = parameters_of(function)
    parameters = with_settings(name, parameters)
    if flags:
        from fencepost.cli.habits import refuse_as_flags

        _refuse_without_value(flags)
        refuse_as_flags(flags, [p.details.flag for p in parameters if isinstance(p.details, Option)])
    given, explicit = parse(f"fencepost {name}", function.__doc__ or "", parameters, args)
    if given.pop(_JSON.name) and given.get("watch"):
        raise UsageError("--watch answers again and again, for people: it does not go with --json")
    if _takes_flags(function):
        given, flags = _with_build(given, flags)
    for parameter in parameters:
        if parameter.required and not given.get(parameter.name):
            raise UsageError(f"missing argument {parameter.details.metavar}; see fencepost {name} --help")
    keywords = _keywords(tables, given)
    if _takes_flags(function):
        keywords["flags"] = flags
    elif flags:
        raise UsageError(f"this verb takes no flags for a compiler: {flags[0]}")
    if "explicit" in _names(function):
        keywords["explicit"] = explicit
    return function(**keywords)


def _takes_flags(function: Verb) -> bool:
    return "flags" in _names(function)


def _names(function: Verb) -> tuple[str, ...]:
    """The names of its parameters. (`inspect` has the same, and takes long to load.)"""
    code: CodeType = getattr(function, "__code__")  # noqa: B009 # a Callable need not have one
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _with_build(given: dict[str, Any], flags: tuple[str, ...]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments with what the user's build says about files and flags."""
    place, target = given.pop(_BUILD.name), given.pop(_TARGET.name)
    if place is None and target is None:
        return given, flags
    if place is None:
        raise UsageError("--target is a target of the build folder that --build names")
    from fencepost.cli.build import from_build

    files, all_flags = from_build(place, target, given.get("files") or [], flags)
    return given | {"files": files}, all_flags


_FILLED_IN = ("flags", "explicit")  # parameters that are no options

#: Flags of a compiler that may take their value as the next word, with an example of one.
_WITH_VALUE = {
    "-D": "N=3", "-I": "include", "-U": "NDEBUG", "-include": "config.h", "-isystem": "include", "-x": "c++",
}  # fmt: skip


def split(args: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """Our own words and those for the compiler: what follows `--`, and before it what begins with one dash, as none of
    our options does but -h, and the version of the language."""
    at = args.index("--") if "--" in args else len(args)
    own: list[str] = []
    flags: list[str] = []
    words = iter(args[:at])
    for word in words:
        if word.startswith("--std="):  # compilers take it with two dashes as well
            flags.append(word)
            continue
        if not word.startswith("-") or word.startswith("--") or word in ("-", "-h") or word[1].isdigit():
            own.append(word)
            continue
        flags.append(word)
        if word in _WITH_VALUE:
            flags += [value for value in [next(words, None)] if value is not None]
    return own, (*flags, *filter(None, args[at + 1 :]))  # scripts hand on what may be empty


def _refuse_without_value(flags: tuple[str, ...]) -> None:
    """A compiler would take the next word, whatever it is, for the name of a macro."""
    for flag, value in pairwise((*flags, "")):
        if flag in _WITH_VALUE and (not value or value.startswith("-")):
            raise UsageError(f"{flag} wants a value behind it, such as {flag} {_WITH_VALUE[flag]}")


def parameters_of(function: Verb) -> tuple[list[Parameter], dict[str, type[Any]]]:
    """What the command line gives the verb, and the option classes among its parameters by their names."""
    hints = get_type_hints(function, include_extras=True)
    found: list[Parameter] = []
    tables: dict[str, type[Any]] = {}
    defaults = _defaults(function)
    for name in _names(function):
        kind = hints[name]
        if is_dataclass(kind) and isinstance(kind, type):
            tables[name] = kind
            found += spread(kind)
        elif name not in _FILLED_IN:
            default, required = defaults.get(name), name not in defaults
            found.append(Parameter(name, get_args(kind)[0], kind.__metadata__[0], default, required))
    build = [_BUILD, _TARGET] if _takes_flags(function) else []
    return [*found, *build, _JSON], tables


def _defaults(function: Verb) -> dict[str, object]:
    given: tuple[object, ...] = getattr(function, "__defaults__") or ()  # noqa: B009
    last: dict[str, object] = getattr(function, "__kwdefaults__") or {}  # noqa: B009
    named = _names(function)[: len(_names(function)) - len(last)]
    return dict(zip(named[len(named) - len(given) :], given, strict=True)) | last


def _keywords(tables: Mapping[str, type[Any]], given: dict[str, object]) -> dict[str, object]:
    """The arguments of the verb: what belongs to an option class is made into its object."""
    keywords = dict(given)
    for name, kind in tables.items():
        values = {f.name: keywords.pop(f.name) for f in fields(kind)}
        keywords[name] = kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    return keywords


# --- replies and failures


def _guarded(verb: Callable[[], Reply], as_json: bool) -> int:
    try:
        reply = verb()
        _show(_json(reply.data) if as_json else reply.text)
        return reply.exit_code
    except FencepostError as error:
        return _refuse(error, as_json)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except _OutputError as error:
        return unwritable(error.reason)
    except OSError as error:
        if error.filename is None or error.strerror is None:
            return _our_fault(error, as_json)
        return _refuse(UsageError(f"{error.filename}: {error.strerror}"), as_json)
    except Exception as error:
        return _our_fault(error, as_json)


class _OutputError(Exception):
    """Standard output takes no more."""

    def __init__(self, reason: OSError) -> None:
        self.reason = reason


def _json(data: object) -> str:
    import json

    return json.dumps(data, indent=2, default=str)


def _show(text: str) -> None:
    try:
        if text:
            print(text.removesuffix("\n"), flush=True)
    except OSError as error:
        raise _OutputError(error) from None


def _refuse(error: FencepostError, as_json: bool) -> int:
    """Bad usage or input: one message, on standard error; with --json an object on standard output."""
    if as_json:
        details: dict[str, object] = {"message": str(error)}
        if isinstance(error, InputError):
            details = {
                "message": error.message, "file": error.file, "line": error.line, "column": error.column,
                "expected": error.expected, "hint": error.hint,
            }  # fmt: skip
        _show(_json({"error": details}))
    else:
        said = visible(str(error)).removeprefix("error: ")  # a compiler says the word itself
        print(f"error: {said}", file=sys.stderr)
    return ExitCode.BAD_INPUT


def _our_fault(error: Exception, as_json: bool) -> int:
    """A bug of ours. The traceback goes into a file that a report can carry."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="fencepost-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.write(f"{' '.join(sys.argv)}\n\n")
        traceback.print_exception(error, file=file)
    text = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    if as_json:
        _show(_json({"error": {"message": text, "internal": True, "details": file.name}}))
    print(f"internal error: {text}\nThis is a bug in fencepost. Please report it with {file.name}", file=sys.stderr)
    return ExitCode.INTERNAL


def unwritable(error: OSError) -> int:
    """Standard output takes no more: its reader has gone, or the disk is full. Python would complain once more when it
    flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return ExitCode.BROKEN_PIPE
    print(f"error: standard output: {error.strerror}", file=sys.stderr)
    return ExitCode.BAD_INPUT
