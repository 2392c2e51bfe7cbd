"""Options as other tools spell them: whoever comes from one is told ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from fencepost.errors import UsageError

_JOBS = ("use --jobs N", "use --processes N", "use --workers N")
_PAGE = ("use --html FILE, or --json > FILE",)
_MODEL = ("use --model NAME", "use --against NAME")
#: What people write, and what to do instead: the first with an option that the verb has, or with none at all.
_INSTEAD = {
    "-j": _JOBS, "--threads": _JOBS, "--parallel": _JOBS, "--workers": _JOBS, "--jobs": _JOBS,
    "-o": _PAGE, "--output": _PAGE, "--unwind": ("use --unroll N",), "--bound": ("use --unroll N",),
    "--timeout": ("use --time-limit SECONDS",), "--memory-model": _MODEL, "--mm": _MODEL, "--model": _MODEL,
    "--verbose": ("use --all for every step of a story",), "--entry": ("programs begin at main",),
    "--color": ("set FORCE_COLOR=1 or NO_COLOR=1",), "--colour": ("set FORCE_COLOR=1 or NO_COLOR=1",),
    "--std": ("write -std=c11",), "--host": ("use --port N: it listens on this machine only",),
}  # fmt: skip
_OF_COMPILERS = frozenset({"-target"})  # though we have an option of that name
_NEAR = 0.75


def advice(word: str, known: Sequence[str]) -> str:
    """Which option of `known` is meant; empty where nobody can tell."""
    from difflib import get_close_matches

    name = word.partition("=")[0]
    for said in _INSTEAD.get(name, ()):
        if (option := re.search(r"--[a-z-]+", said)) is None or option[0] in known:
            return said
    near = get_close_matches(name, known, 1, _NEAR)
    return f"did you mean {near[0]}?" if near else ""


def refuse_as_flags(flags: Collection[str], known: Sequence[str]) -> None:
    """One dash makes a flag of the compiler, which would not understand what is meant for us."""
    for flag in flags:
        jobs = re.fullmatch(r"-j\d*", flag) is not None
        name = "-j" if jobs else flag.partition("=")[0]
        ours = f"-{name}" if f"-{name}" in known and name not in _OF_COMPILERS else ""
        if jobs or name == "-o" or ours:
            said = f"did you mean {ours}?" if ours else advice(name, known)
            raise UsageError(f"{flag} is no flag for the compiler here" + f"; {said}" * bool(said))
