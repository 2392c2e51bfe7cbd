"""Which two accesses of a race are told: of several that race alike, those that a person looks for."""

from __future__ import annotations

from fencepost.program.instructions import ErrorKind
from fencepost.records import replace
from fencepost.verdict import Witness
from fencepost.witness.relations import Relations


def with_what_is_read(witness: Witness) -> Witness:
    """Of a race with a read: the write that the read sees, where that is a later one of the same thread and races as
    well. Who looks for `x = 5` should not be shown the constructor that set `x` to 0 before."""
    error, x = witness.error, witness.execution
    if error.kind is not ErrorKind.RACE or len(error.events) != 2:
        return witness
    pair = [x.events[e] for e in error.events]
    read, write = pair if pair[0].is_read else pair[::-1]
    source = x.reads_from.get(read.id)
    if not read.is_read or not write.is_write or source is None:
        return witness
    seen = x.events[source]
    later = seen.thread == write.thread and seen.index > write.index and seen.mode is write.mode
    if not later or (seen.address, seen.size) != (write.address, write.size) or not seen.conflicts(read):
        return witness
    hb = Relations(x).hb
    if hb[seen.id] >> read.id & 1 or hb[read.id] >> seen.id & 1:
        return witness
    events = tuple(seen.id if e == write.id else e for e in error.events)
    return replace(witness, error=replace(error, events=events))
