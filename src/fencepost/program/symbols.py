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
        return _path(symbol)
    read = library.__cxa_demangle
    read.restype = ctypes.c_void_p
    status = ctypes.c_int()
    found = read(symbol.encode(), None, None, ctypes.byref(status))
    if not found:
        return _path(symbol)
    text = ctypes.string_at(found).decode("utf-8", "replace")
    ctypes.CDLL(None).free(ctypes.c_void_p(found))
    return text


def _path(symbol: str) -> str:
    """Of a symbol that nobody can read the name without its arguments, `std::thread::thread`: newer compilers write
    what older libraries do not know."""
    nested = re.match(r"_ZN[rVK]*(St)?", symbol)
    if nested is None:
        return symbol
    parts, rest = ["std"] if nested.group(1) else [], symbol[nested.end() :]
    while (length := re.match(r"[1-9]\d*", rest)) is not None:
        end = length.end() + int(length.group())
        if end > len(rest):
            return symbol
        word, rest = rest[length.end() : end], rest[end:]
        parts += [word] if not word.startswith("__") else []  # of the library: std::__1
    if not parts or parts == ["std"]:
        return symbol
    return "::".join([*parts, parts[-1]] if re.match(r"C[12]", rest) else parts)
