"""What memory holds when an execution has ended, whatever the sizes of the writes were."""

from __future__ import annotations

from collections.abc import Iterable


def final_value(address: int, size: int, initial: int, last_writes: Iterable[tuple[int, int, int]]) -> int:
    """`size` bytes at `address`, which began as `initial`. `last_writes`: address, size and value of the coherence-last
    write of each piece of memory; the pieces do not overlap, and may be parts of these bytes or reach beyond them."""
    value = initial
    for start, length, written in last_writes:
        first, end = max(address, start), min(address + size, start + length)
        if first < end:
            mask, shift = (1 << 8 * (end - first)) - 1, 8 * (first - address)
            part = written >> 8 * (first - start) & mask
            value = (value & ~(mask << shift)) | part << shift
    return value
