"""Names of the linker, for people."""

from __future__ import annotations

import re

_SYMBOL = re.compile(r"_Z[\w$]+")


def demangled(name: str) -> str:
    """A C++ symbol as the source has it, where the C++ library of this machine can read it. What follows the symbol (a
    member, an index, the number of a copy) stays."""
    found = _SYMBOL.match(name)
    return name if found is None else _read(found.group()) + name[found.end() :]


def _read(symbol: str) -> str:
    import ctypes

    try:
        library = ctypes.CDLL("libstdc++.so.6")
    except OSError:
        return symbol
    read = library.__cxa_demangle
    read.restype = ctypes.c_void_p
    status = ctypes.c_int()
    found = read(symbol.encode(), None, None, ctypes.byref(status))
    if not found:
        return symbol
    text = ctypes.string_at(found).decode("utf-8", "replace")
    ctypes.CDLL(None).free(ctypes.c_void_p(found))
    return text
