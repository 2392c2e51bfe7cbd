"""The litmus front ends read the corpus, and what they make survives the text form."""

from __future__ import annotations

import pytest

from corpus import CORPUS, litmus_files, needs_corpus
from fencepost.errors import InputError
from fencepost.frontends.litmus import read
from fencepost.program.printer import print_program
from fencepost.program.reader import read_program

FOLDERS = ["PPC", "X86", "AARCH64", "RISCV", "C11"]


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("folder", FOLDERS)
def test_nearly_all_of_the_corpus_is_readable(folder: str) -> None:
    refused = []
    files = litmus_files(folder)
    for number, path in enumerate(files):
        try:
            program = read(path.read_text(), str(path.relative_to(CORPUS)))
        except InputError as error:
            refused.append(str(error))
            continue
        if number % 20 == 0:
            assert read_program(print_program(program)) == program
    assert len(refused) <= len(files) * 0.02, "\n".join(refused)
