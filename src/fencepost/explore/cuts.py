"""Accesses of different sizes to the same memory: a struct that is cleared by words and used by fields, a union.

The core has no common location for them. It says where plain accesses should be cut into pieces so that all meet in
whole locations, and the exploration begins again with those cuts: that is sound, since a plain access takes part in no
race, or the race is an error on a piece as well. Atomic accesses are never cut: where others take one apart, that stays
a mixed-size access, which is named.
"""

from __future__ import annotations

from fencepost import _core
from fencepost.explore.engines import Engine
from fencepost.explore.native import begins_late, native_options
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.prepare.encoded import Prepared, encoded
from fencepost.program.program import Program
from fencepost.records import replace

#: Seconds for that first execution: where all of them meet a bound there is none, and the run itself asks for cuts.
_AT_MOST = 1.0


def settled(prepared: Prepared, model: Model, engine: Engine, options: ExploreOptions) -> Prepared:
    """With the cuts that a first execution asks for, which is nearly always all, and those of a saved exploration."""
    if options.resume:
        from pathlib import Path

        from fencepost.explore import journal

        prepared = with_cuts(prepared, list(journal.load(Path(options.resume)).cuts)) or prepared
    while _mixes(prepared.program):
        first = _core.Exploration(prepared.bytecode, native_options(prepared, model, engine, options, keep=0))
        first.run(min(_AT_MOST, options.time_limit or _AT_MOST), 1, 1)
        cuts = first.results().cuts
        if cuts and not prepared.early and begins_late(engine, options, keep=0):
            prepared = replace(prepared, early=True)  # what is taken apart before the first thread is no matter
            continue
        asked = with_cuts(prepared, cuts)
        if asked is None:
            break
        prepared = asked
    return prepared


def with_cuts(prepared: Prepared, cuts: list[int]) -> Prepared | None:
    """The same with plain accesses cut at these addresses too; None where it has these cuts already."""
    program = prepared.program
    fresh = set(cuts) - set(program.cuts)
    if not fresh:
        return None
    cut = encoded(replace(program, cuts=tuple(sorted(fresh | set(program.cuts)))))
    return replace(cut, anonymous=prepared.anonymous, early=prepared.early, sections=prepared.sections)


def _mixes(program: Program) -> bool:
    sizes = {getattr(i, "size", None) for f in program.functions for i in f.code}
    return sum(isinstance(size, int) for size in sizes) > 1  # that of an allocation is an operand
