"""Whatever a litmus file contains, it is read or refused with a place: no traceback, no hang."""

from __future__ import annotations

import time
from random import Random

import pytest

from fencepost.errors import InputError
from fencepost.frontends.litmus import read
from fencepost.generate.litmus_tests import family

PIECES = [
    *"{}|;()=[]#$%&*~.,+x\n\0é", '"', "(*", "*)", "exists", "0:", "/\\", "-1", "99999999999999999999", "P0", "int",
    "while", "if (", "else", "for(;;)", "<<",
]  # fmt: skip


def damaged(text: str, random: Random) -> str:
    for _ in range(random.randint(1, 4)):
        at, what = random.randrange(len(text) + 1), random.random()
        if what < 0.4:
            text = text[:at] + random.choice(PIECES) + text[at:]
        elif what < 0.8:
            text = text[:at] + text[at + random.randint(1, 12) :]
        else:
            other = random.randrange(len(text) + 1)
            text = text[:at] + text[other : other + 20] + text[at:]
    return text


@pytest.mark.parametrize("arch", ["ppc", "x86", "aarch64", "riscv", "c"])
def test_damaged_tests_are_read_or_refused(arch: str) -> None:
    texts = [t.text for t in family(arch, 4)]
    random = Random(arch)
    refused = 0
    for _ in range(150):
        text = damaged(random.choice(texts), random)
        start = time.process_time()
        try:
            read(text, "damaged.litmus")
        except InputError as error:
            assert error.line and error.column, error
            refused += 1
        assert time.process_time() - start < 5, text
    assert refused > 50
