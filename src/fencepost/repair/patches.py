"""The fix that a witness tells of, as edits of the files that it speaks of."""

from __future__ import annotations

from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.repair.sources import language_of, load_text
from fencepost.repair.text.edits import offset_of, position_of
from fencepost.verdict import Cured


@dataclass(frozen=True, slots=True)
class Replacement:
    """The text from `start` to `end` (behind its last character) becomes `new`."""

    start: Position
    end: Position
    new: str


def replacements(cured: Cured) -> list[Replacement] | None:
    """None where a change cannot be written down for certain: of a fence, only its place in the program is known."""
    found: list[Replacement] = []
    for fix in cured.fixes:
        text = load_text(fix.at.file) if fix.at is not None else None
        language = language_of(fix.at.file) if fix.at is not None else None
        if fix.mode is None or fix.at is None or text is None or language is None:
            return None
        offset = offset_of(text, fix.at)
        place = language.order_at(text, offset) if offset is not None else None
        edits = language.with_order(text, place, fix.mode) if place is not None else None
        if not edits:
            return None
        file = fix.at.file
        found += [Replacement(position_of(file, text, e.start), position_of(file, text, e.end), e.new) for e in edits]
    return found
