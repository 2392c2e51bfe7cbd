"""Runs a verb: its options from the table, its reply as text or JSON, its errors as one message and an exit code.

A verb is a function whose parameters typer understands, with three that this frame fills in:
`flags` receives what follows `--` on the command line; a parameter annotated with an option class receives an object
made from that class's flags; `--json` is the frame's own and reaches no verb. It returns a Reply.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from fencepost.errors import FencepostError, InputError, UsageError
from fencepost.verdict import ExitCode

Verb = Callable[..., "Reply"]
_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a verb answers: `data` is the JSON object, `text` what a person reads."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    exit_code: int = ExitCode.PASS


def run_verb(name: str, args: list[str]) -> int:
    """Runs the verb on its arguments. Nothing escapes: every failure has its exit code."""
    try:
        function: Verb = getattr(import_module(f"fencepost.cli.{name}"), name)
        own, flags = _split(args)
        command = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        command.command(name)(_command(function, flags))
        command(own, prog_name=f"fencepost {name}")
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else ExitCode.PASS
    except BrokenPipeError:
        return broken_pipe()
    except Exception as error:  # the verb could not even be imported
        return _our_fault(error, "--json" in args)
    return ExitCode.PASS


def _split(args: list[str]) -> tuple[list[str], tuple[str, ...]]:
    if "--" not in args:
        return args, ()
    at = args.index("--")
    return args[:at], tuple(args[at + 1 :])


# --- the command line of a verb


def _command(function: Verb, flags: tuple[str, ...]) -> Callable[..., None]:
    """The function as typer sees it: option classes spread out into their options, `--json` added."""
    hints = get_type_hints(function, include_extras=True)
    tables: dict[str, type[Any]] = {
        n: k for n, k in hints.items() if n != "return" and isinstance(k, type) and is_dataclass(k)
    }
    takes_flags = "flags" in hints

    def run(**given: Any) -> None:
        as_json = given.pop("json")
        raise SystemExit(_guarded(lambda: function(**_keywords(given)), as_json))

    def _keywords(given: dict[str, Any]) -> dict[str, Any]:
        if flags and not takes_flags:
            raise UsageError(f"this verb takes no flags after '--': {flags[0]}")
        keywords = dict(given)
        for name, kind in tables.items():
            values = {f.name: keywords.pop(f.name) for f in fields(kind)}
            keywords[name] = kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
        return keywords | ({"flags": flags} if takes_flags else {})

    parameters = [
        inspect.Parameter(p.name, inspect.Parameter.KEYWORD_ONLY, default=p.default, annotation=hints[p.name])
        for p in inspect.signature(function).parameters.values()
        if p.name not in tables and p.name != "flags"
    ]
    for kind in tables.values():
        parameters += [_option(kind, f) for f in fields(kind)]
    parameters.append(inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_JSON))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # typer reads it through inspect
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__doc__ = function.__doc__
    return run


def _option(kind: type[Any], f: Any) -> inspect.Parameter:
    from fencepost.options import flag, off_flag

    hint = get_type_hints(kind)[f.name]
    repeated = get_origin(hint) is tuple
    if repeated:
        hint = list[get_args(hint)[0]]  # type: ignore[misc] # the type is only known now
    switch = f"{flag(f.name)}/{off_flag(f.name)}" if f.default is True else flag(f.name)
    details = typer.Option(switch, help=f.metadata["help"], metavar=f.metadata["metavar"] or None)
    default = list(f.default) if repeated else f.default
    return inspect.Parameter(
        f.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[hint, details]
    )


# --- replies and failures


def _guarded(verb: Callable[[], Reply], as_json: bool) -> int:
    try:
        reply = verb()
        _show(json.dumps(reply.data, indent=2, default=str) if as_json else reply.text)
        return reply.exit_code
    except FencepostError as error:
        return _refuse(error, as_json)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return broken_pipe()
    except Exception as error:
        return _our_fault(error, as_json)


def _show(text: str) -> None:
    if text:
        print(text.removesuffix("\n"), flush=True)


def _refuse(error: FencepostError, as_json: bool) -> int:
    """Bad usage or input: one message, on standard error; with --json an object on standard output."""
    if as_json:
        details: dict[str, Any] = {"message": str(error)}
        if isinstance(error, InputError):
            details = {
                "message": error.message, "file": error.file, "line": error.line, "column": error.column,
                "expected": error.expected, "hint": error.hint,
            }  # fmt: skip
        _show(json.dumps({"error": details}, indent=2))
    else:
        print(f"error: {error}", file=sys.stderr)
    return ExitCode.BAD_INPUT


def _our_fault(error: Exception, as_json: bool) -> int:
    """A bug of ours. The traceback goes into a file that a report can carry."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="fencepost-", suffix=".txt", delete=False) as file:
        file.write(f"{' '.join(sys.argv)}\n\n")
        traceback.print_exception(error, file=file)
    text = f"{type(error).__name__}: {error}".strip().splitlines()[0]
    if as_json:
        _show(json.dumps({"error": {"message": text, "internal": True, "details": file.name}}, indent=2))
    print(f"internal error: {text}\nThis is a bug in fencepost. Please report it with {file.name}", file=sys.stderr)
    return ExitCode.INTERNAL


def broken_pipe() -> int:
    """The reader of our output has gone. Python would complain once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.BROKEN_PIPE
