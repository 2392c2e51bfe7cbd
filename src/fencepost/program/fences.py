"""What a fence orders: the one table in Python. The core has its own (`native/models/fence_pairs.hpp`), and a test
holds the two equal."""

from __future__ import annotations

from fencepost.program.instructions import FenceKind

Orders = frozenset[str]
RR, RW, WR, WW = ("rr", "rw", "wr", "ww")
ACQUIRE, RELEASE, ALL = frozenset({RR, RW}), frozenset({RW, WW}), frozenset({RR, RW, WR, WW})
NOT_WR = ALL - {WR}

#: Which pairs of accesses (before, after) a fence orders.
ORDERS: dict[FenceKind, Orders] = {
    FenceKind.ACQ: ACQUIRE, FenceKind.REL: RELEASE, FenceKind.ACQ_REL: NOT_WR, FenceKind.SC: ALL,
    FenceKind.SYNC: ALL, FenceKind.LWSYNC: NOT_WR, FenceKind.EIEIO: frozenset({WW}),
    FenceKind.MFENCE: ALL, FenceKind.LFENCE: ACQUIRE, FenceKind.SFENCE: frozenset({WW}),
    FenceKind.DMB_SY: ALL, FenceKind.DMB_LD: ACQUIRE, FenceKind.DMB_ST: frozenset({WW}),
    FenceKind.DSB_SY: ALL, FenceKind.DSB_LD: ACQUIRE, FenceKind.DSB_ST: frozenset({WW}),
    FenceKind.FENCE_R_R: frozenset({RR}), FenceKind.FENCE_R_W: frozenset({RW}), FenceKind.FENCE_R_RW: ACQUIRE,
    FenceKind.FENCE_W_R: frozenset({WR}), FenceKind.FENCE_W_W: frozenset({WW}),
    FenceKind.FENCE_W_RW: frozenset({WR, WW}), FenceKind.FENCE_RW_R: frozenset({RR, WR}),
    FenceKind.FENCE_RW_W: RELEASE, FenceKind.FENCE_RW_RW: ALL, FenceKind.FENCE_TSO: NOT_WR,
}  # fmt: skip
INSTRUCTION_BARRIERS = frozenset({FenceKind.ISYNC, FenceKind.ISB, FenceKind.FENCE_I})
#: Those that order everything.
FULL_FENCES = frozenset(kind for kind, orders in ORDERS.items() if orders == ALL)
