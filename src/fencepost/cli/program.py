"""fencepost program: the Program of any input, in its text form."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Argument
from fencepost.cli.frame import Reply

_FILES = "The input; several only for C and C++; - is standard input."
Files = Annotated[list[str], Argument(metavar="FILES", help=_FILES)]


def program(files: Files, flags: tuple[str, ...] = ()) -> Reply:
    """Print the Program of any input in its text form, which is an input again (FILE.fpir)."""
    found = api.read(files, flags=flags)
    text = api.print_program(found)
    data = {
        "name": found.name,
        "arch": found.arch.value,
        "threads": [t.name for t in found.threads],
        "functions": [f.name for f in found.functions],
        "globals": [o.name for o in found.objects],
        "observations": [o.name for o in found.observations],
        "text": text,
    }
    return Reply(text, data)
