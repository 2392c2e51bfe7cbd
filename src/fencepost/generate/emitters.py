"""Who writes the tests of which architecture."""

from __future__ import annotations

from fencepost.generate.architectures import PPC, RISCV, X86, AArch64, C
from fencepost.generate.emit import Emitter
from fencepost.generate.kernel import Kernel
from fencepost.generate.pseudo import Pseudo
from fencepost.generate.vocabulary import Vocabulary

_EMITTERS: dict[str, type[Emitter]] = {
    "ppc": PPC, "x86": X86, "aarch64": AArch64, "riscv": RISCV, "c": C, "lkmm": Kernel, "fp": Pseudo,
}  # fmt: skip


def emitter(vocabulary: Vocabulary) -> Emitter:
    return _EMITTERS[vocabulary.arch](vocabulary)
