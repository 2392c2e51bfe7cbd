"""Command lines by the parser of the standard library: help, messages, and all words that are not plain."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from fencepost.cli.arguments import Argument, Option, Parameter, read_value
from fencepost.errors import UsageError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[0].lower()}{message[1:]}; see {self.prog} --help")


def by_argparse(prog: str, summary: str, parameters: Sequence[Parameter], args: Sequence[str]) -> dict[str, object]:
    """What the words give to the parameters, by name. Raises UsageError; `--help` prints and raises SystemExit."""
    parser = _Parser(
        prog=prog, usage=_usage(prog, parameters), description=summary, allow_abbrev=False, add_help=False,
        argument_default=argparse.SUPPRESS,
    )  # fmt: skip
    for parameter in parameters:
        _add(parser, parameter)
    parser.add_argument("--help", "-h", action="help", help="Show this message and exit.")
    given, rest = parser.parse_known_intermixed_args(args)
    if rest:
        raise UsageError(_surplus(rest[0], [p.details.flag for p in parameters if isinstance(p.details, Option)], prog))
    return vars(given)


def _usage(prog: str, parameters: Sequence[Parameter]) -> str:
    words = [prog, "[OPTIONS]"]
    for p in parameters:
        if isinstance(p.details, Argument):
            word = p.details.metavar + "..." * p.several
            words.append(word if p.required or word.startswith("[") else f"[{word}]")
    return " ".join(words)


def _surplus(word: str, known: Sequence[str], prog: str) -> str:
    if not word.startswith("-"):
        return f"unexpected argument {word}; see {prog} --help"
    from fencepost.cli.habits import advice

    return f"no such option {word}; " + (advice(word, known) or f"see {prog} --help")


def _add(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    details = parameter.details
    if isinstance(details, Argument):
        nargs = "*" if parameter.several else "?"  # what is required is seen to by the frame, with a better message
        parser.add_argument(parameter.name, nargs=nargs, metavar=details.metavar, help=_escaped(details.help))
    elif parameter.value_type is bool:
        parser.add_argument(details.flag, dest=parameter.name, action="store_true", help=_help(parameter, details))
        if details.off:
            parser.add_argument(details.off, dest=parameter.name, action="store_false", help=argparse.SUPPRESS)
    else:
        parser.add_argument(
            details.flag, dest=parameter.name, action="append" if parameter.several else "store",
            type=_reader(parameter), metavar=details.metavar or parameter.name.upper(),
            help=_help(parameter, details),
        )  # fmt: skip


def _help(parameter: Parameter, details: Option) -> str:
    notes = []
    if details.off:
        notes.append(f"on; {details.off} switches it off")
    elif parameter.default not in (None, False, "", [], ()):
        notes.append(f"default: {parameter.default}")
    return _escaped(" ".join([details.help, *(f"[{note}]" for note in notes)]))


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _reader(parameter: Parameter) -> Any:
    def read(text: str) -> Any:
        try:
            return read_value(parameter, text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read
