"""Which language the code of a litmus test is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fencepost.program.instructions import FenceKind
from fencepost.repair.text.c import CText
from fencepost.repair.text.columns import Columns
from fencepost.repair.text.edits import Declared, Language
from fencepost.repair.text.kernel import KernelText

_HEAD = re.compile(r"(?:\s|\(\*.*?\*\))*(?P<arch>[A-Za-z][\w-]*)\s", re.DOTALL)
_KERNEL = re.compile(
    r"\b(?:READ_ONCE|WRITE_ONCE|smp_\w+|rcu_\w+|spin_\w+|synchronize_rcu|atomic_t|atomic_read|xchg\w*)\s*\("
)
_COLUMNS = {"PPC": "PPC", "PPC64": "PPC", "AARCH64": "AArch64", "RISCV": "RISCV", "X86": "X86", "X86_64": "X86_64"}


class LitmusC(CText):
    marker = "atomic_thread_fence(memory_order_seq_cst);"

    def __init__(self) -> None:
        super().__init__(False)

    def made_atomic(self, text: str, name: str) -> Declared | None:
        return None  # a test declares nothing

    def fence(self, text: str, kinds: Iterable[FenceKind]) -> str:
        return super().fence("<stdatomic.h>", kinds)


def language_of_litmus(text: str) -> Language | None:
    """None where we cannot write the dialect."""
    head = _HEAD.match(text)
    if head is None:
        return None
    if head["arch"] == "C":
        return KernelText() if _KERNEL.search(text) else LitmusC()
    column = _COLUMNS.get(head["arch"].upper())
    return Columns(column) if column is not None else None
