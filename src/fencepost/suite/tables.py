"""Which tests to run and what to expect of them: files, folders, lists, and tables of verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fencepost.errors import InputError, UsageError
from fencepost.frontends import missing
from fencepost.paths import below, is_folder, is_there

if TYPE_CHECKING:
    from pathlib import Path

    from fencepost.suite.logs import Expected


def collect(files: Iterable[str], lists: Iterable[str] = ()) -> list[str]:
    """Paths in the order given; a folder stands for the tests in it and below."""
    found: list[str] = []
    for name in files:
        if is_folder(name):
            found += _inside(name)
        elif not is_there(name):
            raise missing(name)
        else:
            found.append(name)
    for name in lists:
        found += _listed(name)
    return list(dict.fromkeys(found))


def _inside(folder: str) -> list[str]:
    found = below(folder, ".litmus")
    if not found:
        raise UsageError(f"{folder}: there is no .litmus file in this folder")
    return found


def _listed(file: str) -> list[str]:
    """One path a line, relative to the list or to here; empty lines and lines that start with # are skipped."""
    from pathlib import Path

    path = Path(file)
    lines = [line.strip() for line in _text(path).splitlines()]
    names = [line for line in lines if line and not line.startswith("#")]
    return [str(_beside(path, name)) for name in names]


def read_expected(name: str) -> tuple[dict[str, bool], dict[str, Expected]]:
    """A table of rows `path,0|1`, keyed by the path as `match` finds it: relative to the table, or to here; or a log of
    herd, keyed by the names of its tests."""
    from pathlib import Path

    from fencepost.suite.logs import is_log, read_log

    text = _text(Path(name))
    return ({}, read_log(text, name)) if is_log(text) else (_table(Path(name), text), {})


def _table(path: Path, text: str) -> dict[str, bool]:
    import csv

    found, name = dict[str, bool](), str(path)
    for number, row in enumerate(csv.reader(text.splitlines()), 1):
        if not row or row[0].startswith("#"):
            continue
        if len(row) < 2 or row[1].strip() not in ("0", "1"):
            raise InputError(f"found {','.join(row)!r}", file=name, line=number, expected="a row such as 'SB.litmus,1'")
        found[str(_beside(path, row[0].strip()))] = row[1].strip() == "1"
    return found


def match(files: Iterable[str], table: dict[str, bool]) -> dict[str, bool]:
    """The expected verdicts by the paths as they were given: the same file may be written in several ways."""
    from pathlib import Path

    real = {str(Path(p).resolve()): verdict for p, verdict in table.items()}
    resolved = {f: str(Path(f).resolve()) for f in files}
    return {f: real[r] for f, r in resolved.items() if r in real}


def _beside(table: Path, name: str) -> Path:
    from pathlib import Path

    beside = table.parent / name
    return beside if beside.exists() or not Path(name).exists() else Path(name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("this is not a text file", file=str(path), expected="one path a line") from None
