"""A verb's command line, from the signature of its function: each parameter is annotated with the `Argument` or
`Option` that it is. A plain command line is read here; help, mistakes and all that is unusual are left to the parser
of the standard library (parser.py), which takes as long to load as ten litmus tests to run; see words.py."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin


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


def plainly(parameters: Sequence[Parameter], args: Sequence[str]) -> dict[str, object] | None:
    """What the words give to the parameters; None where they are not plain words and known flags with good values."""
    flags = {p.details.flag: (p, True) for p in parameters if isinstance(p.details, Option)}
    flags |= {p.details.off: (p, False) for p in parameters if isinstance(p.details, Option) and p.details.off}
    found: dict[str, object] = {}
    free: list[str] = []
    words = iter(args)
    for word in words:
        if not word.startswith("-"):
            free.append(word)
            continue
        name, given, text = word.partition("=")
        parameter, switch = flags.get(name, (None, True))
        if parameter is None:
            return None
        if parameter.value_type is bool:
            if given:
                return None
            found[parameter.name] = switch
        elif not _take(found, parameter, text if given else next(words, "-"), bool(given)):
            return None
    return (
        found
        if not free or _take_free(found, [p for p in parameters if isinstance(p.details, Argument)], free)
        else None
    )


def _take(found: dict[str, object], parameter: Parameter, text: str, given: bool) -> bool:
    """The value of a flag. One that looks like a flag itself is none, unless it stands behind a `=`."""
    if text == "--" or (text.startswith("-") and not given):
        return False
    try:
        value = read_value(parameter, text)
    except ValueError:
        return False
    before = found.get(parameter.name)
    found[parameter.name] = (
        value if not parameter.several else [*before, value] if isinstance(before, list) else [value]
    )
    return True


def _take_free(found: dict[str, object], places: list[Parameter], words: list[str]) -> bool:
    if len(places) != 1 or (len(words) > 1 and not places[0].several):
        return False
    found[places[0].name] = words if places[0].several else words[0]
    return True


def read_value(parameter: Parameter, text: str) -> Any:
    """The value that a flag is given. Raises ValueError with what is wrong."""
    kind, minimum = parameter.value_type, parameter.details.minimum if isinstance(parameter.details, Option) else None
    try:
        value = kind(text)
    except ValueError:
        noun = {int: "a whole number", float: "a number"}.get(kind, "a value")
        raise ValueError(f"expected {noun}, found {text!r}") from None
    if minimum is not None and value < minimum:
        raise ValueError(f"must be at least {minimum}, not {value}")
    return value


def _is_union(kind: Any) -> bool:
    return NoneType in get_args(kind)


@lru_cache(maxsize=64)
def _meant(annotation: str, module: str) -> Any:
    """The type that the text of an annotation means."""
    return eval(annotation, vars(sys.modules[module]))


def spread(kind: type[Any]) -> Iterator[Parameter]:
    """The parameters that the fields of an option class stand for."""
    from fencepost.options import flag, off_flag
    from fencepost.records import fields

    for f in fields(kind):
        hint = _meant(str(f.type), kind.__module__)
        if get_origin(hint) is tuple:
            hint = list[get_args(hint)[0]]  # type: ignore[misc] # the type is only known now
        off = off_flag(f.name) if f.default is True else ""
        yield Parameter(
            f.name, hint, Option(flag(f.name), f.metadata["help"], f.metadata["metavar"], off=off), f.default
        )
