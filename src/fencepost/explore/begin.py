"""From a program to what the core runs, and by which engine: the one way in."""

from __future__ import annotations

from fencepost.explore.cuts import settled
from fencepost.explore.engines import Engine, engine_of, rsmc
from fencepost.explore.prepare import Prepared, prepare
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.program import Program


def begin(program: Program, model: Model, options: ExploreOptions) -> tuple[Prepared | None, Engine]:
    """The program as the core runs it; None where all candidate executions are to be enumerated."""
    model.refuse_foreign(program)
    by_rsmc = options.algorithm == "rsmc"
    engine = rsmc(model, options.commit_before) if by_rsmc else engine_of(model)
    if not engine.explores:
        return None, engine
    prepared = prepare(program, model, options)
    if not by_rsmc:
        engine = engine_of(model, prepared.program)
    return (settled(prepared, model, engine, options) if engine.explores else None), engine
