"""Lets a command of the laboratory ask the core of another build: a debug build, or one with sanitizers."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

_AGAIN = "FENCEPOST_OTHER_CORE"
#: A sanitizer comes before everything else in its process. The interpreter itself leaks, and that is not our business.
_SANITIZERS = {
    b"__asan_init": ("libasan.so", {"ASAN_OPTIONS": "detect_leaks=0"}),
    b"__tsan_init": ("libtsan.so", {"TSAN_OPTIONS": "halt_on_error=1:ignore_noninstrumented_modules=1"}),
}


def use_core(arguments: list[str]) -> None:
    """Takes the core in the folder that `--core` names. Starts the command again where a sanitizer must be loaded."""
    if "--core" not in arguments[:-1] or "fencepost._core" in sys.modules:  # where one command imports another
        return
    folder = Path(arguments[arguments.index("--core") + 1])
    found = sorted(folder.glob("_core*.so"))
    if len(found) != 1:
        raise SystemExit(f"{folder} should hold one core, and holds {len(found)}")
    needed = [s for symbol, s in _SANITIZERS.items() if symbol in found[0].read_bytes()]
    if needed and _AGAIN not in os.environ:
        library, options = needed[0]
        # The interpreter brings no libstdc++: without it the sanitizer finds nobody who throws, and gives up.
        loaded = " ".join(_place(name) for name in (library, "libstdc++.so"))
        more = {"LD_PRELOAD": loaded, "PYTHONMALLOC": "malloc", _AGAIN: "1"}
        os.execve(sys.executable, [sys.executable, *arguments], os.environ | options | more)
    spec = importlib.util.spec_from_file_location("fencepost._core", found[0])
    assert spec is not None and spec.loader is not None
    core = importlib.util.module_from_spec(spec)
    sys.modules["fencepost._core"] = core
    spec.loader.exec_module(core)


def _place(library: str) -> str:
    found = subprocess.run(["g++", f"-print-file-name={library}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()
