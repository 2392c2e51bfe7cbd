"""What a file says about itself: `// fencepost: model=tso unroll=4` near its top holds for `check`, `repair` and
`relax` of that file, too. The command line wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from fencepost.errors import InputError, UsageError
from fencepost.options import CheckOptions
from fencepost.records import dataclass, fields, replace
from fencepost.testing.headers import headers, runs

Options = TypeVar("Options", bound=CheckOptions)

#: Options that say the same thing in different words: one of them on the command line puts the others aside.
_INSTEAD = ({"model", "models"}, {"unroll", "deepen"})
_KNOWN = frozenset({f.name for f in fields(CheckOptions)} | {"expect", "flags", "models"})


@dataclass(frozen=True, slots=True)
class Asked(Generic[Options]):
    """The options and flags with what the file says of itself; `models` where it names several. `note` tells what that
    changed."""

    options: Options
    flags: tuple[str, ...]
    models: tuple[str, ...] = ()
    note: str = ""


def with_header(
    files: Sequence[str], options: Options, flags: tuple[str, ...], explicit: frozenset[str]
) -> Asked[Options]:
    """`explicit`: the options that the command line gives. The first such line of the first file that has one counts;
    what it expects is for those who check whole folders."""
    found = next(((f, *lines[0]) for f in files if (lines := headers(Path(f)))), None)
    if found is None:
        return Asked(options, flags)
    file, line, header = found
    known = [w for w in header.split() if _name(w) in _KNOWN]
    try:
        settings = runs(" ".join(known))
        own = _left(settings[0], explicit)
        models = tuple(str(s["model"]) for s in settings) if len(settings) > 1 and "model" in own else ()
        given: tuple[str, ...] = own.pop("flags", ())
        changed = {k: v for k, v in own.items() if getattr(options, k) != v}
        said = changed | ({"model": models} if models else {}) | ({"flags": given} if given else {})
        return Asked(
            replace(options, **own), (*given, *flags), models,
            _note(f"{Path(file).name}:{line}", said, [w for w in header.split() if w not in known]),
        )  # fmt: skip
    except (ValueError, UsageError) as problem:
        raise InputError(str(problem), file=file, line=line) from None


def _name(word: str) -> str:
    return word.partition("=")[0].replace("-", "_")


def _left(settings: Mapping[str, object], explicit: frozenset[str]) -> dict[str, Any]:
    """What the command line leaves to the file."""
    return {k: v for k, v in settings.items() if k not in {"expect", *put_aside(explicit)}}


def put_aside(explicit: frozenset[str]) -> frozenset[str]:
    """The options of a file that those of the command line take the place of."""
    return explicit.union(*(names for names in _INSTEAD if names & explicit))


def _note(place: str, said: Mapping[str, object], unknown: Sequence[str]) -> str:
    words = " ".join(f"{k.replace('_', '-')}={_word(v)}" for k, v in said.items())
    notes = [f"{place} asks for {words}"] if words else []
    notes += [f"{place} says {' '.join(unknown)}, which is no option"] if unknown else []
    return "; ".join(notes)


def _word(value: object) -> str:
    return (
        ",".join(value) if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)
    )
