"""A program as the core takes it."""

from __future__ import annotations

from fencepost import _core
from fencepost.enumerate.prepare import ready
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.encode import Encoded, encode
from fencepost.program.program import Program
from fencepost.records import dataclass


@dataclass(frozen=True, slots=True)
class Prepared:
    """The program that runs, after every pass, and what the core made of it."""

    program: Program
    encoded: Encoded
    bytecode: _core.Bytecode


def prepare(program: Program, model: Model, options: ExploreOptions, *, undo: bool = True) -> Prepared:
    """`undo`: an iteration that adds something and takes it back is waiting, too."""
    return encoded(ready(program, model, options, undo=undo))


def encoded(program: Program) -> Prepared:
    """A program that went through every pass, for the core."""
    words = encode(program)
    return Prepared(program, words, _core.decode(words.words, words.strings))
