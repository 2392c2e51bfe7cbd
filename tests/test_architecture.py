"""The dependency direction is a file (layers.toml) and these tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.source
ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "fencepost"
LAYERS = tomllib.loads((ROOT / "tests" / "layers.toml").read_text())
MODULES = sorted(SOURCE.rglob("*.py"))
NATIVE = sorted(p for p in (ROOT / "native").rglob("*") if p.suffix in (".hpp", ".cpp"))


def room_of(dotted: str) -> str:
    """The innermost room of the list that a module, or a name of it, lies in."""
    parts = dotted.split(".")[1:]
    names = [".".join(parts[:k]) for k in range(len(parts), 0, -1)]
    return next((name for name in names if name in LAYERS["python"]), parts[0] if parts else "__init__")


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named_in_strings(tree: ast.AST) -> set[str]:
    """The rooms that a module imports by a string: `import_module("fencepost.x")`, `__import__(...)`."""
    rooms = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__"):
            name = node.args[0]
            known = name.values[0] if isinstance(name, ast.JoinedStr) else name  # what an f-string begins with
            text = str(known.value) if isinstance(known, ast.Constant) else ""
            assert text and text != "fencepost.", f"an import by a computed name: {ast.unparse(node)}"
            if text.startswith("fencepost."):
                rooms.add(room_of(text))
    return rooms


@cache
def imported_rooms(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    rooms = named_in_strings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            rooms |= {room_of(a.name) for a in node.names if a.name.split(".")[0] == "fencepost"}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            if node.module == "fencepost":
                names = {a.name for a in node.names}
                rooms |= {n if n in LAYERS["python"] else "__init__" for n in names}
            elif node.module and node.module.startswith("fencepost."):
                rooms |= {room_of(f"{node.module}.{a.name}") for a in node.names}
    return rooms


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(SOURCE)) for p in MODULES])
def test_python_imports_follow_the_direction(path: Path) -> None:
    room = room_of(module_name(path))
    assert room in LAYERS["python"], f"room {room!r} is not listed in layers.toml"
    refused = imported_rooms(path) - {room} - set(LAYERS["python"][room])
    assert not refused, f"{path.relative_to(ROOT)} must not import {sorted(refused)}"


def test_imports_by_string_are_seen() -> None:
    text = "from importlib import import_module\nimport_module('fencepost.explore.native')\nimport_module('json')"
    assert named_in_strings(ast.parse(text)) == {"explore"}
    assert named_in_strings(ast.parse("import_module(f'fencepost.cli.{verb}')")) == {"cli"}
    with pytest.raises(AssertionError, match="computed name"):
        named_in_strings(ast.parse("import_module(f'fencepost.{x}')"))


@pytest.mark.parametrize("room", LAYERS["python"])
def test_no_permission_is_unused(room: str) -> None:
    modules = [p for p in MODULES if room_of(module_name(p)) == room]
    used = set().union(*(imported_rooms(p) for p in modules))
    unused = set(LAYERS["python"][room]) - used
    assert not unused, f"layers.toml lets {room} import {sorted(unused)}, and it does not"


@pytest.mark.parametrize("path", NATIVE, ids=[str(p.relative_to(ROOT)) for p in NATIVE])
def test_native_includes_follow_the_direction(path: Path) -> None:
    room = path.relative_to(ROOT / "native").parts[0]
    text = path.read_text()
    included = {m.split("/")[0] for m in re.findall(r'#include "([^"]+)"', text)}
    refused = included - {room} - set(LAYERS["native"][room])
    assert not refused, f"{path.relative_to(ROOT)} must not include {sorted(refused)}"
    if room != "bind":
        assert "Python.h" not in text and "nanobind" not in text, "the core should never hear of Python"


def test_the_direction_has_no_cycle() -> None:
    for language in ("python", "native"):
        order = LAYERS[language]
        done: set[str] = set()
        while len(done) < len(order):
            free = [room for room, needs in order.items() if room not in done and set(needs) <= done]
            assert free, f"cycle among {sorted(set(order) - done)}"
            done |= set(free)


NAMES = {module_name(p): p for p in MODULES if p.name != "__main__.py"}


def run_on_import(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run when a module is loaded: not those inside functions, not those only for types."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from run_on_import(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ("body", "orelse", "finalbody"):
                yield from run_on_import(getattr(node, inner, []))
            for handler in getattr(node, "handlers", []):
                yield from run_on_import(handler.body)


def loads(name: str) -> set[str]:
    """The modules of ours that must be loaded, or at least begun, before the text of this one has run. The packages
    that it lies in do not count: they were begun before it was."""
    found: set[str] = set()
    for node in run_on_import(ast.parse(NAMES[name].read_text()).body):
        if isinstance(node, ast.Import):
            named = [a.name for a in node.names]
        else:
            within = [f"{node.module}.{a.name}" for a in node.names]
            named = [n for n in within if n in NAMES]
            if len(named) < len(within):  # a name of the module itself: it must have run
                named.append(node.module or "")
                found |= {node.module or ""} & NAMES.keys()
        packages = {".".join(n.split(".")[:k]) for n in named for k in range(1, n.count(".") + 2)}
        found |= {p for p in packages & NAMES.keys() if not name.startswith(f"{p}.")}
    return found - {name}


def mentions(name: str) -> set[str]:
    """The modules of ours that a module imports anywhere, also inside functions and only for types."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(NAMES[name].read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names} & NAMES.keys()
        elif isinstance(node, ast.ImportFrom) and node.module != "fencepost":
            within = {f"{node.module}.{a.name}" for a in node.names}
            found |= (within & NAMES.keys()) or ({node.module} & NAMES.keys())
    return found - {name}


def test_no_module_needs_one_that_needs_it() -> None:
    """An import inside a function, or only for types, hides a cycle from Python and not from the reader."""
    left = {name: mentions(name) for name in NAMES}
    while free := [name for name, wanted in left.items() if not wanted & left.keys()]:
        left = {name: wanted for name, wanted in left.items() if name not in free}
    assert not left, f"modules that need each other: {sorted(left)}"


def test_every_module_imports_alone() -> None:
    """A module can fail to import alone only where it is needed while it is half loaded, hence on a cycle of imports.
    There is none; so the order does not matter, and that all of them import in one order shows it for every other."""
    needs = {name: loads(name) for name in NAMES}
    left = dict(needs)
    while free := [name for name, wanted in left.items() if not wanted & left.keys()]:
        left = {name: wanted for name, wanted in left.items() if name not in free}
    assert not left, f"modules that import each other: {sorted(left)}"
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    done = subprocess.run([sys.executable, "-c", code, *NAMES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_files_of_tests_have_names_of_their_own() -> None:
    """pytest refuses to collect a second file of the same name, wherever it is."""
    names = [p.name for p in (ROOT / "tests").rglob("*.py")]
    assert sorted(names) == sorted(set(names))


MOST_ANYS = 137  # json, argparse, dataclasses, distributed and the solvers give us values of any type; nobody else does


def test_values_of_any_type_become_no_more() -> None:
    lines = [line for path in MODULES for line in path.read_text().splitlines()]
    assert sum(re.search(r"\bAny\b", line) is not None for line in lines) <= MOST_ANYS


LONGEST_FUNCTION, LONGEST_MODULE, LONGEST_NATIVE = 61, 600, 620


def test_nothing_grows_beyond_what_one_can_read() -> None:
    found = [n for path in MODULES for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.FunctionDef)]
    assert max((n.end_lineno or n.lineno) - n.lineno + 1 for n in found) <= LONGEST_FUNCTION
    assert max(len(path.read_text().splitlines()) for path in MODULES) <= LONGEST_MODULE
    assert max(len(path.read_text().splitlines()) for path in NATIVE) <= LONGEST_NATIVE
