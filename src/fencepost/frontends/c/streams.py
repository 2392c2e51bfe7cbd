"""The standard streams of C++: objects that are known by address only."""

from __future__ import annotations

STREAMS = frozenset({f"_ZSt{name}" for name in ("3cin", "4cout", "4cerr", "4clog", "4wcin", "5wcout", "5wcerr")}) | (
    frozenset({f"_ZNSt3__1{name}E" for name in ("3cin", "4cout", "4cerr", "4clog", "5wcout", "5wcerr")})
)
