"""A verb's command line, from the signature of its function: each parameter is annotated with the `Argument` or
`Option` that it is. The parser is the standard library's: it is loaded in two milliseconds, which a command that
answers in a tenth of a second can spare."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from types import NoneType
from typing import Any, NamedTuple, NoReturn, get_args, get_origin

from fencepost.errors import UsageError


class Argument(NamedTuple):
    """What stands on the command line without a flag."""

    metavar: str
    help: str


class Option(NamedTuple):
    """What a flag introduces. `off` is the flag that switches it off, for what is on by default."""

    flag: str
    help: str
    metavar: str = ""
    minimum: int | None = None
    off: str = ""


class Parameter(NamedTuple):
    """One parameter of a verb. `default` is None where the command line must give it."""

    name: str
    kind: Any
    details: Argument | Option
    default: Any = None
    required: bool = False

    @property
    def value_type(self) -> type[Any]:
        """The type of one value: of an element where several are taken, without the None of what may be left out."""
        kinds = [k for k in get_args(self.kind) if k is not NoneType] if _is_union(self.kind) else [self.kind]
        found = get_args(kinds[0])[0] if get_origin(kinds[0]) is list else kinds[0]
        assert isinstance(found, type), self
        return found

    @property
    def several(self) -> bool:
        return any(get_origin(k) is list for k in (self.kind, *get_args(self.kind)))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message[0].lower()}{message[1:]}; see {self.prog} --help")


class Parsed(NamedTuple):
    """The values of the parameters by their names, and which of them the command line gave."""

    values: dict[str, Any]
    explicit: frozenset[str]


def parse(prog: str, summary: str, parameters: Sequence[Parameter], args: Sequence[str]) -> Parsed:
    """Whether anything is missing is not asked here. Raises UsageError; `--help` prints and raises SystemExit."""
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
    found = vars(given)
    return Parsed({p.name: found.get(p.name, p.default) for p in parameters}, frozenset(found))


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
            type=_reader(parameter, details), metavar=details.metavar or parameter.name.upper(),
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


def _reader(parameter: Parameter, details: Option) -> Any:
    kind = parameter.value_type
    noun = {int: "a whole number", float: "a number"}.get(kind, "a value")

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected {noun}, found {text!r}") from None
        if details.minimum is not None and value < details.minimum:
            raise argparse.ArgumentTypeError(f"must be at least {details.minimum}, not {value}")
        return value

    return read


def _is_union(kind: Any) -> bool:
    return NoneType in get_args(kind)


def spread(kind: type[Any]) -> Iterator[Parameter]:
    """The parameters that the fields of an option class stand for."""
    from dataclasses import fields
    from typing import get_type_hints

    from fencepost.options import flag, off_flag

    hints = get_type_hints(kind)
    for f in fields(kind):
        hint = hints[f.name]
        if get_origin(hint) is tuple:
            hint = list[get_args(hint)[0]]  # type: ignore[misc] # the type is only known now
        off = off_flag(f.name) if f.default is True else ""
        yield Parameter(
            f.name, hint, Option(flag(f.name), f.metadata["help"], f.metadata["metavar"], off=off), f.default
        )
