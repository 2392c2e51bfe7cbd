"""What litmus tests of AArch64 may ask that is beyond us: each refused by its name, before a word of it misleads us."""

from __future__ import annotations

import re

from fencepost.frontends.litmus.frame import Frame
from fencepost.frontends.scan import Tokens

_TRANSLATION = "address translation (VMSA)"
_TAGGING = "memory tagging (MTE)"
_CODE = "instructions and labels as values (instruction fetch)"
_CAPABILITIES = "Morello's capabilities"
_VARIANTS = {"vmsa": _TRANSLATION, "kvm": _TRANSLATION, "ets": _TRANSLATION, "ets2": _TRANSLATION, "ets3": _TRANSLATION,
             "memtag": _TAGGING, "mte": _TAGGING, "ifetch": _CODE, "self": _CODE, "morello": _CAPABILITIES,
             "nv2": "nested virtualisation", "pauth1": "pointer authentication", "pauth2": "pointer authentication",
             "sve": "SVE", "sme": "SME", "neon": "SIMD", "asl": "instructions defined by ASL",
             "gcs": "guarded control stacks"}  # fmt: skip
_VARIANT = re.compile(r"^\s*Variant\s*=\s*(\S+)", re.MULTILINE | re.IGNORECASE)
_TYPES = {"ins_t": _CODE, "pteval_t": _TRANSLATION, "parel1_t": _TRANSLATION, "__int128_t": "values of 16 bytes",
          "int128_t": "values of 16 bytes", "uint128_t": "values of 16 bytes", "__int128": "values of 16 bytes",
          "__uint128_t": "values of 16 bytes"}  # fmt: skip
_PAGES = ("PTE", "TTD", "PA", "pte", "tag", "Tag")
_OLD_PAGE = re.compile(r"(pte|tag|phy)_\w+\Z")


def refuse_variants(frame: Frame) -> None:
    """A test that says in its head that it needs an extension is refused, even if nothing else shows it."""
    start = frame.source.text.find("\n", frame.arch_offset)
    for found in _VARIANT.finditer(frame.source.text, max(start, 0), frame.init[0]):
        for word in found[1].lower().split(","):
            if what := _VARIANTS.get(word.split(":")[0]):
                frame.source.fail(found.start(1), f"unsupported variant '{word}': Fencepost does not treat {what}")


def refuse_value(tokens: Tokens) -> None:
    """Refuses what starts here where it is a value, or a place, of an extension; reads nothing."""
    what = _beyond(tokens)
    if what:
        tokens.source.fail(tokens.token.offset, f"found '{tokens.token.text}': Fencepost does not treat {what}")


def refuse_question(tokens: Tokens) -> None:
    """Refuses a part of a condition that asks about an extension; reads nothing."""
    token, after = tokens.token, tokens.peek().text
    if token.kind == "name" and after == "(" and token.text.lower() == "fault":
        tokens.source.fail(token.offset, f"found '{token.text}': Fencepost does not treat faults")
    if token.kind == "name" and after == "(" and token.text in _PAGES:
        tokens.source.fail(token.offset, f"found '{token.text}': Fencepost does not treat {_TRANSLATION}")


def refuse_type(tokens: Tokens) -> None:
    """Refuses a type that only an extension has; reads nothing."""
    if what := _TYPES.get(tokens.token.text):
        tokens.source.fail(tokens.token.offset, f"found type '{tokens.token.text}': Fencepost does not treat {what}")


def _beyond(tokens: Tokens) -> str:
    token, after = tokens.token, tokens.peek().text
    if token.kind == "symbol":
        return _TRANSLATION if token.text == "(" else ""
    if token.kind != "name":
        return ""
    if (after == "(" and token.text in _PAGES) or _OLD_PAGE.match(token.text):
        return _TRANSLATION
    if after == ":" and token.text in ("instr", "label"):
        return _CODE
    if after == ":" and tokens.peek(2).kind == "name":
        return _CODE if re.match(r"P\d+\Z", token.text) else _TAGGING
    return ""
