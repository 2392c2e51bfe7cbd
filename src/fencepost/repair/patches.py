"""The fix that a witness tells of, as edits of the files that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.repair.sources import language_of, load_text
from fencepost.repair.text.edits import Edit, Language, apply, offset_of, position_of
from fencepost.verdict import STATEMENT, Cured, Fix


@dataclass(frozen=True, slots=True)
class Replacement:
    """The text from `start` to `end` (behind its last character) becomes `new`."""

    start: Position
    end: Position
    new: str


def replacements(cured: Cured) -> list[Replacement] | None:
    """None where a change cannot be written down for certain: a fence that is not between two statements."""
    files: dict[str, list[Fix]] = {}
    for fix in cured.fixes:
        files.setdefault(fix.at.file if fix.at is not None else "", []).append(fix)
    found: list[Replacement] = []
    for file, fixes in files.items():
        text, language = (load_text(file), language_of(file)) if file else (None, None)
        edits = _edits(language, text, fixes) if text is not None and language is not None else None
        if text is None or edits is None:
            return None
        found += [Replacement(position_of(file, text, e.start), position_of(file, text, e.end), e.new) for e in edits]
    return found


def _edits(language: Language, text: str, fixes: Sequence[Fix]) -> list[Edit] | None:
    if any(fix.after for fix in fixes):
        return _redeclared(language, text, fixes)
    found: list[Edit] = []
    for fix in fixes:
        offset = offset_of(text, fix.at) if fix.at is not None else None
        if fix.operation == STATEMENT and offset is not None:
            found.append(language.insertion(text, offset, language.fence(text, fix.fences)))
            continue
        place = language.order_at(text, offset) if offset is not None else None
        edits = language.with_order(text, place, fix.mode) if place is not None and fix.mode is not None else None
        if not edits:
            return None
        found += edits
    return found


def _redeclared(language: Language, text: str, fixes: Sequence[Fix]) -> list[Edit] | None:
    """One declaration after the other, since two may stand in one statement; then as one edit."""
    new = text
    for fix in fixes:
        names = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", fix.before))
        declared = [d for name in names if (d := language.made_atomic(new, name)) is not None and d.after == fix.after]
        if len(declared) != 1:
            return None
        new = apply(new, declared[0].edits)
    start = next((i for i, (a, b) in enumerate(zip(text, new, strict=False)) if a != b), 0)
    rest = min(len(text), len(new)) - start
    back = next((i for i in range(rest) if text[-1 - i] != new[-1 - i]), rest)
    return [Edit(start, len(text) - back, new[start : len(new) - back])]
