"""fencepost init: a first test for a header of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fencepost.cli.arguments import Argument, Option
from fencepost.cli.frame import Reply
from fencepost.errors import InputError, UsageError

Header = Annotated[
    str, Argument(metavar="HEADER", help="The header (.h, .hpp) of the queue, lock or whatever is tested.")
]
Out = Annotated[str | None, Option("--out", metavar="FILE", help="Where to write; HEADER_test.c or .cpp beside it.")]
_CXX = frozenset({".hpp", ".hh", ".hxx"})
_TEXT = """// fencepost: model=rc11 expect=pass unroll=4
// Two threads use {name}. `fencepost check {file}` runs every execution that C11 allows; `pytest {file}` does the same.
// Keep it small: two or three threads, one to three calls each find nearly every bug.
#include <assert.h>
#include <pthread.h>
#include "{header}"

// The object under test, shared by both threads.
// static ... shared;

static void *first(void *arg) {{
  // put something in, take the lock, ...
  return 0;
}}

static void *second(void *arg) {{
  // take it out, and assert what must hold: assert(value == 42);
  return 0;
}}

int main(void) {{
  // initialise the object: nobody else is there yet
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  // assert what must hold in the end
  return 0;
}}
"""


def init(header: Header, out: Out = None) -> Reply:
    """Write a first test for a header: two threads that use it, ready for `fencepost check` and pytest."""
    path = Path(header)
    if not path.is_file():
        raise InputError("cannot be read: there is no such file", file=header)
    suffix = ".cpp" if path.suffix in _CXX else ".c"
    target = Path(out) if out else path.with_name(f"{path.stem}_test{suffix}")
    if target.exists():
        raise UsageError(f"{target} exists already; --out names another file")
    text = _TEXT.format(name=path.stem, file=target.name, header=path.name)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from None
    return Reply(f"wrote {target}: fill it in, then\n\n    fencepost check {target}", {"file": str(target)})
