"""Names of C++ functions for people: the qualified name, without parameter types. Enough for a message."""

from __future__ import annotations

import re

_SHORT = {"St": "std", "Sa": "std::allocator", "Ss": "std::string", "Sb": "std::basic_string"}


def demangle(name: str) -> str:
    """`_ZNSt3__15mutex4lockEv` becomes `std::mutex::lock()`; a name that we cannot read stays as it is."""
    text = name[2:]
    parts: list[str] = []
    nested = text.startswith("N")
    text = re.sub(r"^(N[rVK]*|L(?=\d))", "", text)  # L: of this file only
    while text:
        if text[:2] in _SHORT:
            parts.append(_SHORT[text[:2]])
            text = text[2:]
        elif found := re.match(r"\d+", text):
            length = int(found.group())
            start = found.end()
            parts.append(text[start : start + length])
            text = text[start + length :]
            text = _skip_template(text)
        elif nested and text[:2] in ("C1", "C2", "D0", "D1", "D2") and parts:
            parts.append(parts[-1] if text[0] == "C" else f"~{parts[-1]}")
            break
        else:
            break
        if not nested and parts[-1] != "std":
            break
    parts = ["(anonymous namespace)" if p == "_GLOBAL__N_1" else p for p in parts if not re.fullmatch(r"__\d+", p)]
    return "::".join(parts) + "()" if parts else name


def _skip_template(text: str) -> str:
    if not text.startswith("I"):
        return text
    depth = 0
    for k, letter in enumerate(text):
        depth += {"I": 1, "N": 1, "J": 1, "E": -1}.get(letter, 0)
        if depth == 0:
            return text[k + 1 :]
    return ""
