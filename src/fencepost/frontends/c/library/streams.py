"""<iostream>: what goes to a standard stream is shown in the witness. Streams are not executed: formatting flags have
no effect, and everything but output is unsupported. Also what C++ headers define and we do otherwise."""

from __future__ import annotations

import re

from fencepost.frontends.c.body import ZERO, Body
from fencepost.frontends.c.site import Handler, Site
from fencepost.program import instructions as ins
from fencepost.program.operands import Operand

#: What is printed by the end of the mangled name, which is the type of the argument.
_FORMATS = {
    "i": "%d", "j": "%u", "s": "%d", "t": "%u", "l": "%ld", "x": "%ld", "m": "%lu", "y": "%lu", "c": "%c", "a": "%c",
    "h": "%c", "b": "%d", "d": "%g", "f": "%g", "PKv": "%p",
}  # fmt: skip
_INSERT = re.compile(
    r"_ZNSols(?:E|IE)(?P<a>\w+)"
    r"|_ZNSo9_M_insertI(?P<b>\w)EERSoT_"
    r"|_ZNSo(?:5flushEv|3putE(?P<put>c)|5writeEPKcl)"
    r"|_ZStlsI.*basic_ostreamI.*ES\d_(?P<c>.*)"
    r"|_ZSt16__ostream_insertI.*(?P<text>)"
    r"|_ZSt(?P<manipulator>4endl|4ends|5flush)I.*"
    r"|_ZNSt3__113basic_ostreamIcNS_11char_traitsIcEEE(?:lsB?\w*?E(?P<d>\w+)|3putE(?P<put2>c)|5flushEv|5writeEPKcl)"
    r"|_ZNSt3__1ls(?:B\w+?)?I.*basic_ostreamI.*ES\d_(?P<e>.*)"
    r"|_ZNSt3__1(?P<manipulator2>4endl|4ends|5flush)(?:B\w+?)?I.*"
)
_SLEEP = re.compile(r"_ZNSt(3__1)?11this_thread(9sleep_for|11sleep_until|5yield)")


def replaced(name: str) -> Handler | None:
    """What we do instead of a function that a header defines."""
    if not name.startswith("_Z"):
        return None
    if _SLEEP.match(name):
        return lambda b, s: None
    found = _INSERT.fullmatch(name)
    return _insert(found) if found is not None else None


def _insert(found: re.Match[str]) -> Handler:
    kinds = {k: v for k, v in found.groupdict().items() if v is not None}

    def handle(b: Body, s: Site) -> Operand:
        _show(b, s, kinds)
        return s[0]

    return handle


def _show(b: Body, s: Site, kinds: dict[str, str]) -> None:
    if "manipulator" in kinds or "manipulator2" in kinds:
        b.emit(ins.Print((), "\n" if "4endl" in kinds.values() else ""))
        return
    kind = next((v for v in kinds.values()), "")
    known = b.unit.text(s[1])
    if "text" in kinds or kind.endswith("PKc"):
        b.emit(ins.Print((), known.replace("%", "%%") if known is not None else "(a string)"))
    elif kind.startswith("PFR"):
        b.emit(ins.Print((), "\n" if "endl" in str(s[1]) else ""))
    elif "basic_string" in s.callee.rpartition("ostream")[2]:
        b.emit(ins.Print((), "(a string)"))
    elif kind in _FORMATS:
        b.emit(ins.Print((s[1] if len(s) > 1 else ZERO,), _FORMATS[kind]))
