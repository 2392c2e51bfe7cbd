"""What is installed on this machine, what is missing, and what each thing enables."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata

from fencepost._version import __version__
from fencepost.records import dataclass

_TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """`version` is empty where the thing is missing; `needed`: nothing works without it."""

    name: str
    version: str
    enables: str
    remedy: str
    needed: bool = False

    @property
    def found(self) -> bool:
        return bool(self.version)


def examine() -> tuple[Finding, ...]:
    """Looks at everything that Fencepost can use."""
    return (
        Finding("python", platform.python_version(), "everything", "", needed=True),
        Finding("native core", _core(), "exploration and search at full speed",
                "reinstall with a C++20 compiler: pip install --force-reinstall fencepost", needed=True),
        *(_package(*row) for row in _PACKAGES),
        *(_program(*row) for row in _PROGRAMS),
    )  # fmt: skip


_PACKAGES = (
    ("llvmlite", "reading LLVM IR: C, C++, .ll, .bc", True),
    ("ziglang", "compiling C and C++ where there is no clang on the PATH", False),
    ("bitwuzla", "context-bounded checking under POWER (the default solver)", False),
    ("z3-solver", "z3 as the solver of context-bounded checking", False),
    ("distributed", "explorations on many machines (--cluster)", False),
    ("starlette", "the playground in the browser (serve), with uvicorn", False),
    ("uvicorn", "the playground in the browser (serve), with starlette", False),
)
_PROGRAMS = (
    ("clang", "compiling C and C++ with your own compiler; version 14 or later",
     "optional: the ziglang package has one", ("--version",)),
    ("spin", "robustness with SPIN as the back end (--backend spin)", "install SPIN, for example apt-get install spin",
     ("-V",)),
    ("cbmc", "context-bounded checking with CBMC as the back end (--backend cbmc)",
     "install CBMC, for example apt-get install cbmc", ("--version",)),
)  # fmt: skip


def _core() -> str:
    try:
        from fencepost import _core  # noqa: F401 - whether it can be imported is the question
    except ImportError:
        return ""
    return __version__


def _package(name: str, enables: str, needed: bool) -> Finding:
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        version = ""
    return Finding(name, version, enables, f"pip install {name}", needed)


def _program(name: str, enables: str, remedy: str, arguments: tuple[str, ...]) -> Finding:
    path = shutil.which(name)
    return Finding(name, _version(path, arguments) if path else "", enables, remedy)


def _version(path: str, arguments: tuple[str, ...]) -> str:
    """The version a program reports, and where it is; a program that answers nothing useful is still there."""
    try:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return f"present ({path}), but it does not run"
    number = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return f"{number.group()} ({path})" if number else f"present ({path})"


def summary(findings: tuple[Finding, ...]) -> str:
    """One line per thing, then what to do about what is missing."""
    width = max(len(f.name) for f in findings)
    lines = [f"fencepost on {platform.system()} {platform.machine()}, {sys.executable}", ""]
    for f in findings:
        lines.append(f"  {'+' if f.found else '-'} {f.name:{width}}  {f.version or 'missing'}: {f.enables}")
    missing = [f for f in findings if not f.found]
    if missing:
        lines += ["", "To get what is missing:"]
        lines += [f"  {f.name:{width}}  {f.remedy}" for f in missing]
    broken = [f.name for f in missing if f.needed]
    lines += ["", f"Not usable without {', '.join(broken)}." if broken else "Ready."]
    return "\n".join(lines)
