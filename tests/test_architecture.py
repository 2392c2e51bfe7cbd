"""The dependency direction is a file (layers.toml) and these tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "fencepost"
LAYERS = tomllib.loads((ROOT / "tests" / "layers.toml").read_text())
MODULES = sorted(SOURCE.rglob("*.py"))
NATIVE = sorted(p for p in (ROOT / "native").rglob("*") if p.suffix in (".hpp", ".cpp"))


def room_of(dotted: str) -> str:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_rooms(path: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            rooms |= {room_of(a.name) for a in node.names if a.name.split(".")[0] == "fencepost"}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            if node.module == "fencepost":
                names = {a.name for a in node.names}
                rooms |= {n if n in LAYERS["python"] else "__init__" for n in names}
            elif node.module and node.module.startswith("fencepost."):
                rooms.add(room_of(node.module))
    return rooms


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(SOURCE)) for p in MODULES])
def test_python_imports_follow_the_direction(path: Path) -> None:
    room = room_of(module_name(path))
    assert room in LAYERS["python"], f"room {room!r} is not listed in layers.toml"
    refused = imported_rooms(path) - {room} - set(LAYERS["python"][room])
    assert not refused, f"{path.relative_to(ROOT)} must not import {sorted(refused)}"


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


def test_every_module_imports_alone() -> None:
    code = "import importlib, sys\nfor name in sys.argv[1:]:\n"
    code += "    ours = [m for m in sys.modules if m.split('.')[0] == 'fencepost' and m != 'fencepost._core']\n"
    code += "    for m in ours: del sys.modules[m]\n"  # an extension can be loaded only once
    code += "    importlib.import_module(name)\n"
    names = [module_name(p) for p in MODULES if p.name != "__main__.py"]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_files_of_tests_have_names_of_their_own() -> None:
    """pytest refuses to collect a second file of the same name, wherever it is."""
    names = [p.name for p in (ROOT / "tests").rglob("*.py")]
    assert sorted(names) == sorted(set(names))
