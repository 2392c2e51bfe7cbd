"""A program as the core takes it."""

from __future__ import annotations

from fencepost import _core
from fencepost.program.encode import Encoded, encode
from fencepost.program.passes.split import Split
from fencepost.program.program import Program
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Prepared:
    """The program that runs, after every pass, and what the core made of it. `anonymous`: by function, which parameters
    it uses, as bits; negative where its threads can be told apart; empty where nobody asked. `early`:
    however short it is, what comes before the first thread is done once and not explored. `sections`: the core
    explores critical sections without a conflict in one order. `split`: the program is one in pieces."""

    program: Program
    encoded: Encoded
    bytecode: _core.Bytecode
    anonymous: tuple[int, ...] = ()
    early: bool = False
    sections: bool = False
    split: Split | None = None

    @property
    def asked(self) -> Program:
        """The program whose condition and observations are asked for."""
        return self.program if self.split is None else self.split.original


def encoded(program: Program) -> Prepared:
    """A program that went through every pass, for the core."""
    words = encode(program)
    return Prepared(program, words, _core.decode(words.words, words.strings))
