"""What each architecture has: fences, annotations, dependencies that its model looks at."""

from __future__ import annotations

from fencepost.errors import UsageError
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`fences` maps diy's names to instructions. `branch_barrier` is what turns a control dependency into an order of
    reads. `annotations` maps names to the directions that may carry them."""

    arch: str
    fences: dict[str, str]
    annotations: dict[str, str]
    dependencies: bool = True
    branch_barrier: str = ""


_C_ANNOTATIONS = {"Rlx": "RW", "Acq": "R", "Rel": "W", "Sc": "RW", "Na": "RW"}
_RISCV_SETS = ("r", "w", "rw")
VOCABULARIES = {
    "ppc": Vocabulary(
        "ppc",
        {"Sync": "sync", "LwSync": "lwsync", "ISync": "isync", "Eieio": "eieio"},
        {"X": "RW"},
        branch_barrier="Isync",
    ),
    "x86": Vocabulary("x86", {"MFence": "MFENCE"}, {}, dependencies=False),
    "aarch64": Vocabulary(
        "aarch64",
        {f"{b}.{kind}": f"{b} {kind}" for b in ("DMB", "DSB") for kind in ("SY", "LD", "ST")} | {"ISB": "ISB"},
        {"A": "R", "Q": "R", "L": "W", "X": "RW", "XA": "R", "XL": "W"},
        branch_barrier="Isb",
    ),
    "riscv": Vocabulary(
        "riscv",
        {f"Fence.{a}.{b}": f"fence {a},{b}" for a in _RISCV_SETS for b in _RISCV_SETS}
        | {"Fence.tso": "fence.tso", "Fence.i": "fence.i"},
        {"Aq": "R", "Rl": "W", "X": "RW", "XAq": "R", "XRl": "W"},
        branch_barrier="Fencei",
    ),
    "c": Vocabulary(
        "c",
        {"FenceAcqRel": "memory_order_acq_rel", "FenceAcq": "memory_order_acquire", "FenceRel": "memory_order_release",
         "FenceSc": "memory_order_seq_cst"},
        _C_ANNOTATIONS,
    ),
    "lkmm": Vocabulary(
        "lkmm",
        {"Mb": "smp_mb()", "Rmb": "smp_rmb()", "Wmb": "smp_wmb()", "SyncRcu": "synchronize_rcu()",
         "Rcu": "rcu_read_lock()", "Lock": "spin_lock()"},
        {"Once": "RW", "Acq": "R", "Rel": "W", "Na": "RW"},
    ),
    "fp": Vocabulary(
        "fp",
        {"FenceAcqRel": "fence.acq_rel", "FenceAcq": "fence.acq", "FenceRel": "fence.rel", "FenceSc": "fence.sc",
         "Sync": "sync", "LwSync": "lwsync"},
        _C_ANNOTATIONS,
    ),
}  # fmt: skip
_ALIASES = {
    "power": "ppc",
    "x86_64": "x86",
    "armv8": "aarch64",
    "arm64": "aarch64",
    "risc-v": "riscv",
    "c11": "c",
    "linux": "lkmm",
    "kernel": "lkmm",
}


def vocabulary_of(arch: str) -> Vocabulary:
    name = _ALIASES.get(arch.lower(), arch.lower())
    if name not in VOCABULARIES:
        raise UsageError(f"unknown architecture '{arch}'; expected one of {', '.join(VOCABULARIES)}")
    return VOCABULARIES[name]
