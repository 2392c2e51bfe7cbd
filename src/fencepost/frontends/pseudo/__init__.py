"""The .fp pseudo-code language. `docs/pseudo-code.md` describes it."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.errors import UsageError
from fencepost.program.program import Program


def read(text: str, file: str, flags: Sequence[str] = ()) -> Program:
    """The Program of a .fp text. `flags`: `-DNAME=NUMBER` gives a constant of the file another value."""
    from fencepost.frontends.pseudo.lower import lower
    from fencepost.frontends.pseudo.parse import parse

    defines = dict(_define(flag) for flag in flags)
    return lower(parse(text, file), file, defines)


def _define(flag: str) -> tuple[str, int]:
    name, equals, value = flag.removeprefix("-D").partition("=")
    try:
        if not flag.startswith("-D") or not name or not equals:
            raise ValueError
        return name, int(value, 0)
    except ValueError:
        raise UsageError(f"{flag}: .fp programs take only flags of the form -DNAME=NUMBER") from None
