"""From a program to what the core runs, and by which engine: the one way in."""

from __future__ import annotations

from collections.abc import Mapping

from fencepost.errors import UnsupportedError
from fencepost.explore.cuts import settled
from fencepost.explore.engines import (
    STRONG_RC11,
    WITH_BLOCKS,
    Engine,
    engine_of,
    out_of_order,
    refuse_rcmc,
    rsmc,
    uses,
)
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.prepare.encoded import Prepared, encoded
from fencepost.prepare.pieces import in_pieces
from fencepost.prepare.ready import ready
from fencepost.program.instructions import AtomicBegin, Spawn, Sync
from fencepost.program.operands import Position
from fencepost.program.program import Program
from fencepost.records import replace


def prepare(
    program: Program,
    model: Model,
    options: ExploreOptions,
    *,
    undo: bool = True,
    whole: frozenset[Position] = frozenset(),
) -> Prepared:
    """`undo`: an iteration that adds something and takes it back is waiting, too. `whole`: loops that keep all their
    iterations."""
    ours = (options.reduces_barriers or options.reduces_locks) and _is_reduced(model, program, options)
    sections = ours and options.reduces_locks and _may_have_sections(program)
    arrivals = ours and options.reduces_barriers
    lowered = ready(program, model, options, undo=undo, unordered_arrivals=arrivals, whole=whole)
    split = in_pieces(lowered, model, program.arch) if out_of_order(model) and options.algorithm == "trust" else None
    if split is not None:
        return replace(encoded(split.program), split=split)
    prepared = replace(encoded(lowered), sections=sections)
    if not options.reduces_symmetry:
        return prepared
    if len(program.threads) < 2 and not uses(program, Spawn):
        return prepared
    from fencepost.program.passes.anonymity import KNOWN, anonymous

    known = anonymous(program)
    if not _may_have_kin(prepared.program, known, KNOWN):
        return prepared
    return replace(prepared, anonymous=tuple(known.get(f.name, KNOWN) for f in prepared.program.functions))


def _is_reduced(model: Model, program: Program, options: ExploreOptions) -> bool:
    """Whether the engine is the one that knows barriers and critical sections."""
    engine = engine_of(model, program)
    if not engine.explores or engine.like not in (*WITH_BLOCKS, STRONG_RC11) or options.algorithm != "trust":
        return False
    return not uses(program, AtomicBegin)


def _may_have_sections(program: Program) -> bool:
    if not uses(program, Sync):
        return False
    from fencepost.program.passes.synchronisation import may_have_sections

    return may_have_sections(program)


def _may_have_kin(program: Program, known: Mapping[str, int], told_apart: int) -> bool:
    """Whether two threads may do the same on the same arguments. Where none do, nobody needs to look for them."""
    seen: set[object] = set()
    for t in program.threads:
        used = known.get(t.function, told_apart)
        same = (t.function, tuple(a for k, a in enumerate(t.args) if used >> k & 1))
        if used != told_apart and same in seen:
            return True
        seen.add(same)
    return any(isinstance(i, Spawn) for f in program.functions for i in f.code)


def begin(program: Program, model: Model, options: ExploreOptions) -> tuple[Prepared | None, Engine]:
    """The program as the core runs it; None where all candidate executions are to be enumerated."""
    model.refuse_foreign(program)
    by_rsmc = options.algorithm == "rsmc"
    engine = rsmc(model, options.commit_before) if by_rsmc else engine_of(model)
    if not engine.explores:
        return None, engine
    try:
        prepared = prepare(program, model, options)
    except UnsupportedError as error:
        return None, Engine(False, reason=str(error))
    if not by_rsmc:
        engine = engine_of(model, prepared.program)
    if options.algorithm == "rcmc":
        refuse_rcmc(model, engine)
    return (settled(prepared, model, engine, options) if engine.explores else None), engine
