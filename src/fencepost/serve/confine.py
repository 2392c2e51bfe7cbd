"""The second wall: from here on this process, and what it starts, opens no file outside a list (Linux, Landlock), and
uses no more memory, time and disk than it is given."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_PR_SET_NO_NEW_PRIVS = 38
_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
#: How many rights on files each version knows: renaming across folders came with the second, truncating with the third.
_RIGHTS = {1: 13, 2: 14}
_MOST_RIGHTS = 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_ONLY = _EXECUTE | _READ_FILE | 1 << 1


_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/opt", "/etc/ld.so.cache", "/etc/alternatives", "/dev/null", "/dev/urandom",
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo",
)  # fmt: skip


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def limit(*, seconds: float, mebibytes: int) -> None:
    """Time of the processor, memory and the size of files. The rest of the allowance is for what Python and the
    compiler map and never touch."""
    try:
        import resource
    except ImportError:  # Windows: the server's own watch over time is what there is
        return
    memory = (mebibytes + 2048) << 20
    for kind, most in (
        (resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, int(seconds) + 5), (resource.RLIMIT_FSIZE, 64 << 20),
        (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 256),
    ):  # fmt: skip
        _, hard = resource.getrlimit(kind)
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (wanted, wanted))


def readable() -> list[Path]:
    """What a run must be able to read: Python, our package, the compiler, and the headers of the system."""
    package = Path(__file__).resolve().parents[1]
    places = [Path(p) for p in (sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path) if p]
    system = map(Path, _SYSTEM)
    return [p for p in dict.fromkeys([package, *places, *system]) if p.exists() and p != Path.home() and p != Path("/")]


def confine(folder: Path, places: Sequence[Path]) -> bool:
    """Only `places` can be read from now on, and only `folder` written. False where the kernel cannot do that."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    everything = (1 << _RIGHTS.get(version, _MOST_RIGHTS)) - 1
    rules = _Rules(everything, 3 if version >= 4 else 0)  # 3: no TCP connection, neither way
    size = 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(rules), size, 0)
    if ruleset < 0:
        return False
    for place, rights in [*((p, _READ) for p in places), (folder, everything), (Path("/dev/null"), _FILE_ONLY)]:
        _allow(libc, ruleset, place, rights)
    done = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return bool(done)


def _allow(libc: ctypes.CDLL, ruleset: int, place: Path, rights: int) -> None:
    try:
        handle = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rule = _Beneath(rights if place.is_dir() else rights & _FILE_ONLY, handle)
    libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(handle)
