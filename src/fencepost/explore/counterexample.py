"""An execution that refutes a program's final condition, where one refutes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fencepost.execution.execution import Execution
from fencepost.explore.convert import to_execution
from fencepost.explore.cuts import settled
from fencepost.explore.engines import engine_of
from fencepost.explore.native import stream
from fencepost.explore.prepare import prepare
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.condition import Condition, Quantifier, holds
from fencepost.program.instructions import ErrorKind
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.operands import ConstantOperand
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
        if _refutes(condition, execution.outcome, constants):
            state = ", ".join(f"{name} = {value}" for name, value in execution.outcome.items())
            message = f"the final state {state} is against the condition"
            return Witness(execution, ErrorReport(ErrorKind.ASSERTION, message), model.name, program=prepared)
    return None


def _all(program: Program, model: Model, options: ExploreOptions) -> tuple[Program, Iterator[Execution]]:
    """The program as it runs, and its complete executions."""
    ready_to_run = prepare(program, model.mapped_like, options)
    engine = engine_of(model, ready_to_run.program)
    if engine.explores:
        ready_to_run = settled(ready_to_run, model, engine, options)
        found = stream(ready_to_run, model, engine, replace(options, resume=None))
        return ready_to_run.program, (to_execution(raw, ready_to_run) for raw in found)
    from fencepost.enumerate import enumerate_executions
    from fencepost.enumerate.prepare import ready_for

    prepared = ready_for(program, model, options)
    return prepared, enumerate_executions(prepared, model)


def _refutes(condition: Condition, outcome: Mapping[str, int], constants: Mapping[ConstantOperand, int]) -> bool:
    if condition.filter is not None and not holds(condition.filter, outcome, constants):
        return False
    return holds(condition.formula, outcome, constants) != (condition.quantifier is Quantifier.FORALL)
