"""What would have prevented an error, in words. Only what was tried on the whole program is said: the witness carries
the search, and it is asked when the story is told."""

from __future__ import annotations

import re

from fencepost.execution.execution import Event
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.verdict import STATEMENT, Cured, Fix
from fencepost.witness.case import Case
from fencepost.witness.names import listed
from fencepost.witness.sources import sources_of

_QUOTED = 60  # characters of a line
_NAMES = 2


@dataclass(frozen=True, slots=True)
class Remedy:
    """`proof` says what was checked of the program with this change."""

    text: str
    proof: str = ""


_SPOKEN = {
    FenceKind.SC: "a seq-cst fence", FenceKind.ACQ: "an acquire fence", FenceKind.REL: "a release fence",
    FenceKind.ACQ_REL: "an acq-rel fence",
}  # fmt: skip
_ORDERS = {Mode.ACQ: "acquire", Mode.REL: "release", Mode.ACQ_REL: "acq-rel", Mode.SC: "seq-cst"}


def remedies(case: Case) -> tuple[Remedy, ...]:
    """The one that was found, or none."""
    cured = case.witness.cure() if case.witness.cure is not None else None
    return (Remedy(_say(case, cured), _proof(cured)),) if cured is not None else ()


def _proof(cured: Cured) -> str:
    cautions = "".join(f". {c[:1].upper()}{c[1:]}" for c in cured.cautions)
    if cured.bounded:
        return f"then no error is left within the bounds{cautions}"
    return f"then {'the program is robust' if cured.robust else 'every execution passes'}{cautions}"


def _say(case: Case, cured: Cured) -> str:
    said = [_sentence(case, fix) for fix in cured.fixes]
    return ", ".join(said) if len(said) > 2 else " and ".join(said)


def _sentence(case: Case, fix: Fix) -> str:
    name = _accessed(case, fix)
    place = _place(case, fix, quoted=not name)
    if fix.after:
        return f"declare {fix.after} instead of {fix.before}{place}"
    if fix.mode is not None:
        verb = "store to" if fix.operation == "store" and name else fix.operation
        return f"{verb}{name} with {_ORDERS[fix.mode]}{place}"
    fences = " and ".join(_SPOKEN.get(kind) or assembler(kind) for kind in fix.fences)
    if fix.operation == STATEMENT:
        return f"put {fences} before the statement{_place(case, fix, quoted=True)}"
    noun = {"load": "load of", "store": "store to", "update": "update of"}[fix.operation]
    return f"put {fences} before the {noun if name else fix.operation}{name}{place}"


def _place(case: Case, fix: Fix, *, quoted: bool) -> str:
    """`quoted`: with the text that stands there, where nothing else says what is meant."""
    if fix.at is None:
        return ""
    line = " ".join(sources_of(case.witness).excerpt(fix.at).split()) if quoted and not fix.after else ""
    text = f": {line[:_QUOTED]}{'…' if len(line) > _QUOTED else ''}" if line else ""
    return f" ({case.names.place(fix.at)}{text})"


def _accessed(case: Case, fix: Fix) -> str:
    """What the place accessed in this execution, by name; of several elements of an array the array. Empty where it
    accessed nothing, or too much to be named."""

    def fits(e: Event, at: Position | None) -> bool:
        reads = fix.operation != "store"
        if fix.mode is not None and e.mode is Mode.NA:  # the expected value of a compare-exchange, say
            return False
        return e.is_access and e.thread >= 0 and at == fix.at and (e.is_read if reads else e.is_write)

    found = [e for e in case.events if fits(e, e.at) or fits(e, case.written_at(e.id))]
    names = sorted({case.names.location(e.address) for e in found})
    arrays = sorted({re.sub(r"\[\d+\]", "[...]", name) for name in names})
    named = names if len(names) <= _NAMES else arrays if len(arrays) <= _NAMES else []
    return f" {listed(named)}" if named else ""


def assembler(fence: FenceKind) -> str:
    """`dmb sy`, `fence rw,w`: as the assembler writes it."""
    name, _, operands = fence.value.partition(".")
    return f"{name} {operands.replace('.', ',')}".rstrip()
