"""From a program and a model to a Verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, TypeVar

from fencepost.errors import UnsupportedError
from fencepost.execution.execution import Execution
from fencepost.explore import native
from fencepost.explore.begin import begin
from fencepost.explore.convert import state_of, to_execution, to_report
from fencepost.explore.cuts import with_cuts
from fencepost.explore.engines import (
    LOSES,
    NATIVE_MODELS,
    NOT_SHOWN,
    PLANNED_MODELS,
    STRONGER,
    WAITS_IN_BLOCK,
    Engine,
    engine_of,
    may_fail_freely,
    uses,
)
from fencepost.explore.native import Progress, Report
from fencepost.explore.prepare import Prepared, prepare
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.program.condition import Condition, Quantifier, holds
from fencepost.program.instructions import BOUNDS, AtomicBegin, ErrorKind
from fencepost.program.operands import Const, FunctionAddress, GlobalAddress, to_signed
from fencepost.program.program import Program
from fencepost.verdict import Answer, ErrorReport, Estimate, Outcomes, Verdict, Witness

Options = TypeVar("Options", bound=ExploreOptions)

#: How long a second look by enumeration may take where the user set no limit, in seconds.
_SECOND_LOOK = 60.0

#: How the core begins to say that an iteration cannot be left out, and how often such loops go round in a second run.
_UNDONE, _ROUNDS = "another thread uses what an iteration", 6


def explore(
    program: Program, model: Any, options: CheckOptions | None = None, progress: Progress | None = None
) -> Verdict:
    """Explores all executions and looks for errors. `model` is a Model of the registry or a name."""
    options = options or CheckOptions()
    found = _model(model)
    ran = _run(program, found, options, progress)
    if isinstance(ran, Engine):
        from fencepost.enumerate.verdicts import check_by_enumeration

        try:
            verdict = check_by_enumeration(program, found, _patient(ran, options))
        except UnsupportedError as error:
            verdict = Verdict(Answer.UNKNOWN, _beyond(ran, error), found.name, 0, 0, 0.0)
        return replace(verdict, extra={**verdict.extra, **_told(ran)})
    prepared, report, engine = ran
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
        (*_flags(report, found), *(_limit_line(limit) for limit in limits if answer is Answer.FAIL), *_unsaved(report)),
        _told(engine)
        | ({"condition": condition} if program.condition is not None else {})
        | ({"estimate": asdict(report.estimate)} if report.estimate is not None else {}),
        tuple(limits) if answer is Answer.UNKNOWN and not report.reason else (),
    )


def outcomes(
    program: Program, model: Any, options: ExploreOptions | None = None, progress: Progress | None = None
) -> Outcomes:
    """The final states of all complete executions, and whether the program's condition holds."""
    options = options or ExploreOptions()
    found = _model(model)
    ran = _run(program, found, options, progress)
    if isinstance(ran, Engine):
        from fencepost.enumerate.verdicts import outcomes_by_enumeration

        try:
            listed = outcomes_by_enumeration(program, found, _patient(ran, options))
        except UnsupportedError as error:
            listed = Outcomes(found.name, {}, None, 0, 0, 0.0, _beyond(ran, error))
        return replace(listed, why=ran.reason)
    prepared, report, engine = ran
    errors, _, limits = _sort_findings(report, prepared, found.name, options)
    states = {state_of(values, prepared): count for values, count in report.results["outcomes"]}
    if not prepared.program.observations and report.results["executions"]:
        states = {(): report.results["executions"]}  # as enumeration has it
    reason = report.reason or "; ".join(_limit_line(limit) for limit in limits)
    return Outcomes(
        found.name, dict(sorted(states.items())), _answer_condition(report, prepared), report.results["executions"],
        report.results["blocked"], report.seconds, reason, tuple(errors), why=engine.reason,
    )  # fmt: skip


def executions(program: Program, model: Any, options: ExploreOptions | None = None) -> Iterator[Execution]:
    """Every complete execution as a value, for analyses of one's own."""
    options = options or ExploreOptions()
    found = _model(model)
    prepared, engine = begin(program, found, options)
    surely = engine.like in NATIVE_MODELS and options.algorithm == "trust"
    if prepared is not None and surely and not uses(prepared.program, AtomicBegin):
        yield from (to_execution(raw, prepared) for raw in native.stream(prepared, found, engine, options))
        return
    ran = _run(program, found, options, None, keep=options.max_executions or 2**62)
    if isinstance(ran, Engine):
        from fencepost.enumerate import enumerate_executions
        from fencepost.enumerate.prepare import ready

        yield from enumerate_executions(ready(program, found, options), found)
        return
    for raw in ran[1].results["kept"]:
        yield to_execution(raw, ran[0])


def estimate(program: Program, model: Any, options: ExploreOptions | None = None, *, probes: int) -> Estimate | None:
    """How many executions there seem to be, from so many random ways down the exploration tree; None where the core
    explores in no such tree (models whose events commit out of order, and what is enumerated)."""
    options = options or ExploreOptions()
    found = _model(model)
    prepared, engine = begin(program, found, options)
    return None if prepared is None else native.estimate(prepared, found, engine, options, probes)


def _model(model: Any) -> Model:
    found: Model = find(model) if isinstance(model, str) else model
    return found


def knows(model: Any) -> bool:
    """Whether the core explores it. For the other models all candidate executions are enumerated."""
    return engine_of(_model(model)).explores


def _told(engine: Engine) -> dict[str, str]:
    """What the user is told about the choice of the engine, where there was one."""
    return {"engine": "explore" if engine.explores else "enumerate", "why": engine.reason} if engine.reason else {}


def _beyond(engine: Engine, error: UnsupportedError) -> str:
    """Why there is no answer where the explorer may have missed something and enumeration is too large a task."""
    if not _second_look(engine):
        raise error
    return f"{engine.reason}, and {error}"


def _second_look(engine: Engine) -> bool:
    return engine.reason in (LOSES, STRONGER, WAITS_IN_BLOCK)


def _patient(engine: Engine, options: Options) -> Options:
    """A second look was not asked for: it ends in a while, by saying that it does not know."""
    if not _second_look(engine) or options.time_limit is not None:
        return options
    return replace(options, time_limit=_SECOND_LOOK)


def _run(
    program: Program, model: Model, options: ExploreOptions, progress: Progress | None, *, keep: int = 0
) -> tuple[Prepared, Report, Engine] | Engine:
    """What the core found; an engine with its reason where only enumeration is sure to find everything."""
    prepared, engine = begin(program, model, options)
    if prepared is None:
        return engine
    report = native.run(prepared, model, engine, options, progress, keep=keep)
    while cut := with_cuts(prepared, report.results["cuts"]):
        prepared = cut
        report = native.run(prepared, model, engine, replace(options, resume=None), progress, keep=keep)
    if options.algorithm != "rsmc" and (again := _going_round(program, model, engine, options, prepared, report)):
        prepared, report = again
    incomplete = report.results["may_miss"] or (engine.like in PLANNED_MODELS and may_fail_freely(prepared.program))
    if incomplete and not report.failed and not report.reason:
        return Engine(False, reason=WAITS_IN_BLOCK if engine.like in NATIVE_MODELS else STRONGER)
    if engine.like in NOT_SHOWN and options.algorithm != "rsmc" and not report.failed and not report.reason:
        return Engine(False, reason=LOSES)
    if report.results["dead_ends"] and not report.failed and not report.reason:
        report = replace(report, reason=_deadlocks(report.results["dead_ends"]))
    return prepared, report, engine


def _going_round(
    program: Program, model: Model, engine: Engine, options: ExploreOptions, prepared: Prepared, report: Report
) -> tuple[Prepared, Report] | None:
    """Where another thread saw what an iteration added and took back, the iteration cannot be left out. Such loops are
    often left soon all the same: a lock that counts its waiters. So the program runs once more with these iterations,
    few of them and not for long; None where that is not enough to know everything, or was not called for."""
    seen = [to_report(raw, prepared).at for raw in report.results["findings"] if raw["message"].startswith(_UNDONE)]
    if not seen or report.failed or report.reason or options.save or options.resume:
        return None
    bounds = tuple(f"{at.file}:{at.line}={_ROUNDS}" for at in seen if at is not None)
    executions = report.results["executions"] + report.results["blocked"]
    patience = replace(
        options,
        loop_bound=(*bounds, *options.loop_bound),
        max_executions=min(options.max_executions or 2**62, 10 * executions + 10_000),
        time_limit=min(options.time_limit or 2**62, 10 * report.seconds + 1),
    )
    longer = prepare(program, model, patience, undo=False)
    found = native.run(longer, model, engine, patience, None)
    whole = not found.reason and not any(_is_limit(f) for f in found.results["findings"])
    return (longer, found) if found.failed or (whole and not found.results["cuts"]) else None


def _deadlocks(runs: int) -> str:
    return (
        f"commit-before is not deadlock free: {runs} runs ended at an event that nothing allows, so some may be missing"
    )


def _sort_findings(
    report: Report, prepared: Prepared, model: str, options: ExploreOptions
) -> tuple[list[ErrorReport], list[Witness], list[ErrorReport]]:
    """Errors that count, their witnesses, and the bounds that were met."""
    waiting = frozenset({ErrorKind.DEADLOCK, ErrorKind.LIVENESS})
    ignored = options.ignored if isinstance(options, CheckOptions) else waiting
    errors, witnesses, limits = [], [], []
    for raw in report.results["findings"]:
        found = to_report(raw, prepared)
        if found.kind in BOUNDS:
            limits.append(found)
        elif found.kind not in ignored:
            errors.append(found)
            witnesses.append(Witness(to_execution(raw["execution"], prepared), found, model, program=prepared.program))
    return errors, witnesses, limits


def _flags(report: Report, model: Model) -> list[str]:
    """What the model flags besides races."""
    raised = report.results["flags"]
    plan = model.plan if raised else None
    return [f"the model raised its flag {plan.checks[i].name}" for i in raised] if plan is not None else []


def _unsaved(report: Report) -> list[str]:
    return [report.unsaved] if report.unsaved else []


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
        seen, all_ = report.results["executions"] + report.results["blocked"], report.estimate
        known = all_ is not None and all_.executions > seen  # too few probes may say less than is already there
        return Answer.UNKNOWN, report.reason + (f", of about {all_} executions" if known else "")
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
