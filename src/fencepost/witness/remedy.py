"""What would have prevented an error, in words. Only what was tried on the whole program is said: the witness carries
the search, and it is asked when the story is told."""

from __future__ import annotations

from fencepost.execution.execution import Event
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.records import dataclass
from fencepost.verdict import Cured, Fix
from fencepost.witness.case import Case


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
    if cured.bounded:
        return "then no error is left within the bounds"
    return "then the program is robust" if cured.robust else "then every execution passes"


def _say(case: Case, cured: Cured) -> str:
    said = [_sentence(case, fix) for fix in cured.fixes]
    return ", ".join(said) if len(said) > 2 else " and ".join(said)


def _sentence(case: Case, fix: Fix) -> str:
    place = f" ({case.names.place(fix.at)})" if fix.at is not None else ""
    event = _event(case, fix)
    if fix.mode is not None:
        if event is None:
            return f"{fix.operation} with {_ORDERS[fix.mode]}{place}"
        verb = "store to" if fix.operation == "store" else fix.operation
        return f"{verb} {case.names.location(event.address)} with {_ORDERS[fix.mode]}{place}"
    fences = " and ".join(_SPOKEN.get(kind) or assembler(kind) for kind in fix.fences)
    noun = {"load": "load of", "store": "store to", "update": "update of"}[fix.operation]
    what = f"the {noun} {case.names.location(event.address)}" if event is not None else f"the {noun.split()[0]}"
    return f"put {fences} before {what}{place}"


def _event(case: Case, fix: Fix) -> Event | None:
    """An access of the story that the place made, for the name of what it accesses."""

    def fits(e: Event, at: Position | None) -> bool:
        reads = fix.operation != "store"
        return e.is_access and e.thread >= 0 and at == fix.at and (e.is_read if reads else e.is_write)

    found = [e for e in case.events if fits(e, e.at) or fits(e, case.written_at(e.id))]
    names = {case.names.location(e.address) for e in found}
    return found[0] if len(names) == 1 else None


def assembler(fence: FenceKind) -> str:
    """`dmb sy`, `fence rw,w`: as the assembler writes it."""
    name, _, operands = fence.value.partition(".")
    return f"{name} {operands.replace('.', ',')}".rstrip()
