"""An execution that refutes a program's final condition, where one refutes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fencepost.enumerate.prepare import ready
from fencepost.execution.execution import Execution
from fencepost.explore.begin import begin
from fencepost.explore.convert import to_execution
from fencepost.explore.native import stream
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.condition import Quantifier, refutes
from fencepost.program.instructions import ErrorKind
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.program import Program
from fencepost.verdict import ErrorReport, Witness


def counterexample(program: Program, model: Model, options: ExploreOptions) -> Witness | None:
    """For a `forall` or `~exists` that does not hold. An `exists` that does not hold has no execution to show."""
    condition = program.condition
    if condition is None or condition.quantifier is Quantifier.EXISTS:
        return None
    prepared, found = _all(program, model, options)
    constants = condition_constants(prepared, lay_out(prepared))
    for execution in found:
        if refutes(condition, execution.outcome, constants):
            state = ", ".join(f"{name} = {value}" for name, value in execution.outcome.items())
            message = f"the final state {state} is against the condition"
            return Witness(execution, ErrorReport(ErrorKind.ASSERTION, message), model.name, program=prepared)
    return None


def _all(program: Program, model: Model, options: ExploreOptions) -> tuple[Program, Iterator[Execution]]:
    """The program as it runs, and its complete executions."""
    prepared, engine = begin(program, model, options)
    if prepared is not None:
        found = stream(prepared, model, engine, replace(options, resume=None))
        return prepared.program, (to_execution(raw, prepared) for raw in found)
    from fencepost.enumerate import enumerate_executions

    listed = ready(program, model, options)
    return listed, enumerate_executions(listed, model)
