"""fencepost init: a first test for a header of one's own."""

from __future__ import annotations

import re
from collections import Counter
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
_TEXT = """// fencepost: model=rc11 expect=pass
// Two threads use {name}. `fencepost check {file}` runs every execution that C11 allows; `pytest {file}` does the same.
// Keep it small: two or three threads, one to three calls each find nearly every bug.
#include <assert.h>
#include <pthread.h>
#include "{header}"

// The object under test, shared by both threads.
{shared}
{functions}
static void *first(void *arg) {{
  // put something in, take the lock, ...
  return 0;
}}

static void *second(void *arg) {{
  // take it out, and assert what must hold: assert(value == 42);
  return 0;
}}

int main(void) {{
  {start}
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!"fill in what the threads do, and what must hold in the end");
  return 0;
}}
"""


_FUNCTION = re.compile(
    r"^[A-Za-z_][\w \t*]*[ \t*](?P<name>[a-z_]\w*)[ \t]*\((?P<arguments>[^(){};&]*)\)\s*[{;]", re.MULTILINE
)
_POINTER = re.compile(r"\s*(?P<type>(?:struct\s+)?[A-Za-z_]\w*)\s*\*\s*\w*\s*(?:,|$)")
_MOST = 12  # functions that are worth listing
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def _found(path: Path) -> dict[str, str]:
    """What can be told from the text of a header of C: its functions, and the type that they work on."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))
    functions = list(_FUNCTION.finditer(text))[:_MOST] if path.suffix not in _CXX else []
    types = Counter(m["type"] for f in functions if (m := _POINTER.match(f["arguments"])))
    types.pop("void", None)
    shared = types.most_common(1)[0][0] if types else ""
    starts = [f["name"] for f in functions if f["name"].endswith("init") and "," not in f["arguments"]]
    listed = "".join(f"//   {f['name']}({' '.join(f['arguments'].split())})\n" for f in functions)
    return {
        "shared": f"static {shared} shared;" if shared else "// static ... shared;",
        "functions": f"// What {path.name} offers:\n{listed}" if listed else "",
        "start": f"{starts[0]}(&shared);"
        if shared and starts
        else "// initialise the object: nobody else is there yet",
    }


def init(header: Header, out: Out = None) -> Reply:
    """Write a first test for a header: two threads that use it, ready for `fencepost check` and pytest."""
    path = Path(header)
    if not path.is_file():
        raise InputError("cannot be read: there is no such file", file=header)
    if path.suffix in (".fp", ".litmus", ".fpir"):
        raise InputError(f"a {path.suffix} file is a test itself; expected a C or C++ header", file=header)
    suffix = ".cpp" if path.suffix in _CXX else ".c"
    target = Path(out) if out else path.with_name(f"{path.stem}_test{suffix}")
    if target.exists():
        raise UsageError(f"{target} exists already; --out names another file")
    text = _TEXT.format(name=path.stem, file=target.name, header=path.name, **_found(path))
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from None
    return Reply(f"wrote {target}: fill it in, then\n\n    fencepost check {target}", {"file": str(target)})
