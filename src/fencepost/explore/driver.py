"""From a program and a model to a Verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fencepost.execution.execution import Execution
from fencepost.explore import native
from fencepost.explore.convert import state_of, to_execution, to_report
from fencepost.explore.native import NATIVE_MODELS, PLANNED_MODELS, Progress, Report
from fencepost.explore.prepare import Prepared, prepare
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.condition import Condition, FinalMemory, Quantifier, holds
from fencepost.program.instructions import BOUNDS, Await, BlockingCas, ErrorKind, Fence, StoreConditional
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, to_signed
from fencepost.program.program import Program
from fencepost.verdict import Answer, ErrorReport, Outcomes, Verdict, Witness


def explore(
    program: Program, model: Any, options: CheckOptions | None = None, progress: Progress | None = None
) -> Verdict:
    """Explores all executions and looks for errors. `model` is a Model of the registry or a name."""
    options = options or CheckOptions()
    found = _model(model)
    ran = _run(program, found, options, progress)
    if ran is None:
        from fencepost.enumerate.verdicts import check_by_enumeration

        return check_by_enumeration(program, found, options)
    prepared, report = ran
    errors, witnesses, limits = _sort_findings(report, prepared, found.name, options)
    condition = _answer_condition(report, prepared)
    answer, reason = _answer(report, errors, limits, condition)
    return Verdict(
        answer,
        reason,
        found.name,
        report.results["executions"],
        report.results["blocked"],
        report.seconds,
        tuple(errors),
        witnesses[0] if witnesses else None,
        tuple(_limit_line(limit) for limit in limits) if answer is Answer.FAIL else (),
        {"condition": condition} if program.condition is not None else {},
    )


def outcomes(
    program: Program, model: Any, options: ExploreOptions | None = None, progress: Progress | None = None
) -> Outcomes:
    """The final states of all complete executions, and whether the program's condition holds."""
    options = options or ExploreOptions()
    found = _model(model)
    ran = _run(program, found, options, progress)
    if ran is None:
        from fencepost.enumerate.verdicts import outcomes_by_enumeration

        return outcomes_by_enumeration(program, found, options)
    prepared, report = ran
    errors, _, limits = _sort_findings(report, prepared, found.name, options)
    states = {state_of(values, prepared): count for values, count in report.results["outcomes"]}
    reason = report.reason or "; ".join(_limit_line(limit) for limit in limits)
    return Outcomes(
        found.name, dict(sorted(states.items())), _answer_condition(report, prepared), report.results["executions"],
        report.results["blocked"], report.seconds, reason, tuple(errors),
    )  # fmt: skip


def executions(program: Program, model: Any, options: ExploreOptions | None = None) -> Iterator[Execution]:
    """Every complete execution as a value, for analyses of one's own."""
    options = options or ExploreOptions()
    found = _model(model)
    ran = _run(program, found, options, None, keep=options.max_executions or 2**62)
    if ran is None:
        from fencepost.enumerate import enumerate_executions
        from fencepost.enumerate.prepare import ready

        yield from enumerate_executions(ready(program, found, bound=options.unroll), found)
        return
    for raw in ran[1].results["kept"]:
        yield to_execution(raw, ran[0])


def _model(model: Any) -> Model:
    found: Model = find(model) if isinstance(model, str) else model
    return found


def knows(model: Any) -> bool:
    """Whether the core explores it. For the other models all candidate executions are enumerated."""
    found = _model(model)
    return found.ours and (found.name in NATIVE_MODELS or found.name in PLANNED_MODELS)


def _run(
    program: Program, model: Model, options: ExploreOptions, progress: Progress | None, *, keep: int = 0
) -> tuple[Prepared, Report] | None:
    """What the core found; None where only enumeration is sure to find everything: the core does not know the model,
    or its commit-before order was stronger than the model on this program and no error was found."""
    model.refuse_foreign(program)
    if not knows(model):
        return None
    prepared = prepare(program, model.name, options)
    if model.name == "wrc11" and _needs_coherence(prepared.program):
        return None
    if model.name == "ra" and any(isinstance(i, Fence) for f in prepared.program.functions for i in f.code):
        return None  # the core's release/acquire has no fences
    report = native.run(prepared, model, options, progress, keep=keep)
    incomplete = report.results["may_miss"] or (model.name in PLANNED_MODELS and _may_fail_freely(prepared.program))
    return None if incomplete and not report.failed and not report.reason else (prepared, report)


def _may_fail_freely(program: Program) -> bool:
    """Whether a store-conditional may fail for no reason. What follows such a failure depends on nothing, so it may
    commit before the load-reserve; the core decides the failure after that load and would miss it."""
    return any(isinstance(i, StoreConditional) and i.may_fail for f in program.functions for i in f.code)


def _needs_coherence(program: Program) -> bool:
    """Whether it waits or its final memory is observed: what the core does about both rests on a coherence order."""
    waits = any(isinstance(i, Await | BlockingCas) for f in program.functions for i in f.code)
    return waits or any(isinstance(o.what, FinalMemory) for o in program.observations)


def _sort_findings(
    report: Report, prepared: Prepared, model: str, options: ExploreOptions
) -> tuple[list[ErrorReport], list[Witness], list[ErrorReport]]:
    """Errors that count, their witnesses, and the bounds that were met."""
    ignored = options.ignored if isinstance(options, CheckOptions) else frozenset({ErrorKind.DEADLOCK})
    errors, witnesses, limits = [], [], []
    for raw in report.results["findings"]:
        found = to_report(raw, prepared)
        if found.kind in BOUNDS:
            limits.append(found)
        elif found.kind not in ignored:
            errors.append(found)
            witnesses.append(Witness(to_execution(raw["execution"], prepared), found, model, program=prepared.program))
    return errors, witnesses, limits


def _limit_line(limit: ErrorReport) -> str:
    return f"{limit.at}: {limit.message}" if limit.at else limit.message


def _answer(
    report: Report, errors: list[ErrorReport], limits: list[ErrorReport], condition: bool | None
) -> tuple[Answer, str]:
    if errors:
        first = errors[0]
        return Answer.FAIL, f"{first.at}: {first.message}" if first.at else first.message
    if condition is False:
        return Answer.FAIL, "the condition does not hold"
    if report.reason:
        return Answer.UNKNOWN, report.reason
    if limits:
        return Answer.UNKNOWN, "; ".join(_limit_line(limit) for limit in limits)
    return Answer.PASS, "every execution explored, no error" if condition is None else "the condition holds"


def _answer_condition(report: Report, prepared: Prepared) -> bool | None:
    """Whether the condition holds as it is written; None where there is none or the executions seen do not decide."""
    condition = prepared.program.condition
    if condition is None:
        return None
    constants = _constants(condition, prepared)
    values = [dict(state_of(raw, prepared)) for raw, _ in report.results["outcomes"]]
    if condition.filter is not None:
        values = [v for v in values if holds(condition.filter, v, constants)]
    good = [holds(condition.formula, v, constants) for v in values]
    complete = not report.reason and not any(_is_limit(f) for f in report.results["findings"])
    match condition.quantifier:
        case Quantifier.EXISTS:
            return True if any(good) else (False if complete else None)
        case Quantifier.NOT_EXISTS:
            return False if any(good) else (True if complete else None)
        case Quantifier.FORALL:
            return False if not all(good) else (True if complete else None)


def _is_limit(raw: dict[str, Any]) -> bool:
    return tuple(ErrorKind)[raw["kind"]] in BOUNDS


def _constants(condition: Condition, prepared: Prepared) -> dict[Const | GlobalAddress | FunctionAddress, int]:
    from fencepost.program.condition import comparisons

    formulas = [condition.formula, *([condition.filter] if condition.filter else [])]
    found: dict[Const | GlobalAddress | FunctionAddress, int] = {}
    for formula in formulas:
        for c in comparisons(formula):
            if not isinstance(c.right, str):
                found[c.right] = to_signed(prepared.encoded.layout.value(c.right))
    return found
