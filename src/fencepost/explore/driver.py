"""From a program and a model to a Verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TypeVar

from fencepost._core import CoreFinding
from fencepost.errors import UnsupportedError, UsageError
from fencepost.execution.execution import Execution
from fencepost.explore import native
from fencepost.explore.begin import begin, prepare
from fencepost.explore.candidates import native_judge
from fencepost.explore.commit_order import doubt as commit_before_doubt
from fencepost.explore.convert import state_of, to_execution, to_report
from fencepost.explore.cuts import with_cuts
from fencepost.explore.deepen import deepen
from fencepost.explore.engines import (
    NATIVE_MODELS,
    PLANNED_MODELS,
    UNALIGNED,
    WAITS_IN_BLOCK,
    Engine,
    engine_of,
    has_non_atomics,
    uses,
)
from fencepost.explore.native import Report, Runner, Watch
from fencepost.judgement import Seen, bound_met, judge, nothing_completes, refutation
from fencepost.models.registry import MIXED, Model, find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.prepare.encoded import Prepared
from fencepost.program.condition import decide, refutes
from fencepost.program.instructions import BOUNDS, GOES_ON, AtomicBegin, ErrorKind, Rmw
from fencepost.program.layout import condition_constants
from fencepost.program.operands import Position
from fencepost.program.program import Arch, Program
from fencepost.reasons import Code, Reason, words
from fencepost.verdict import Answer, ErrorReport, Estimate, Outcomes, Verdict, Witness

#: The machines whose accesses may stand anywhere: they are split into pieces, which enumeration does.
_UNALIGNED = (Arch.AARCH64, Arch.X86, Arch.PPC, Arch.RISCV)

Options = TypeVar("Options", bound=ExploreOptions)

#: How long a second look by enumeration may take where the user set no limit, in seconds.
_SECOND_LOOK = 60.0

#: How long a race that C forbids is looked for under a model of hardware, in seconds.
_LOOK_FOR_RACES = 0.5

#: How often loops whose iterations cannot be left out go round in a second run.
_ROUNDS = 6


def explore(
    program: Program,
    model: Model | str,
    options: CheckOptions | None = None,
    progress: Watch | None = None,
    /,
    *,
    run: Runner = native.run,
) -> Verdict:
    """Explores all executions and looks for errors. `model` is a Model of the registry or a name."""
    options = options or CheckOptions()
    found = _model(model)
    if options.deepen:
        verdict = deepen(lambda bounded: _check(program, found, bounded, progress, run), options)
    else:
        verdict = _check(program, found, options, progress, run)
    racy = _racy_in_c(program, found, options)
    return replace(verdict, accepts_bounds=options.accept_bounds, warnings=(*verdict.warnings, *racy))


def _racy_in_c(program: Program, model: Model, options: CheckOptions) -> tuple[str, ...]:
    """Hardware gives racing accesses a meaning, C does not: a race that a short look under rc11 finds is told. (imm
    has races of its own.)"""
    in_c = program.arch in (Arch.C11, Arch.FP) and has_non_atomics(program) and model.name != "imm"
    if model.name not in PLANNED_MODELS or not in_c or ErrorKind.RACE in options.ignored:
        return ()
    plain = replace(options, save=None, resume=None, algorithm="trust", commit_before=None, jobs=1)
    short = replace(plain, time_limit=_LOOK_FOR_RACES, max_executions=1000)
    found = _check(program, find("rc11"), short, None, native.run)
    places = [str(e.at) for e in found.errors if e.kind is ErrorKind.RACE]
    text = f"a data race under rc11: C gives this program no meaning, whatever {model.name} does"
    return (f"{places[0]}: {text}",) if places else ()


def _check(program: Program, found: Model, options: CheckOptions, progress: Watch | None, run: Runner) -> Verdict:
    ran = _run(program, found, options, progress, run)
    if isinstance(ran, Engine):
        from fencepost.enumerate.verdicts import check_by_enumeration

        try:
            verdict = check_by_enumeration(program, found, _patient(ran, options), native_judge)
        except UnsupportedError as error:
            beyond = _beyond(ran, error)
            verdict = Verdict(Answer.UNKNOWN, str(beyond), found.name, 0, 0, 0.0, reasons=(beyond,))
        return replace(verdict, extra={**verdict.extra, **_told(ran)})
    prepared, report, engine = ran
    errors, witnesses, limits = _sort_findings(report, prepared, found.name, options)
    condition = _answer_condition(report, prepared)
    unfinished = _unfinished(report, limits, prepared)
    seen = Seen(errors, condition, unfinished, report.results.executions, report.results.blocked, "explored",
                _assumed(report, prepared))  # fmt: skip
    answer, reason, why = judge(prepared.program, seen)
    if condition is False and not errors:
        witnesses = _refutations(report, prepared, found.name)
        errors = [w.error for w in witnesses]
    return Verdict(
        answer,
        reason,
        found.name,
        report.results.executions,
        report.results.blocked,
        report.seconds,
        tuple(errors),
        witnesses[0] if witnesses else None,
        (*_flags(report, found), *_also(answer, report, unfinished), *_unsaved(report)),
        _told(engine)
        | ({"condition": condition} if program.condition is not None else {})
        | ({"estimate": asdict(report.estimate)} if report.estimate is not None else {})
        | ({"digest": _digest(report)} if options.digest else {})
        | _reduced(report, prepared),
        why,
    )


def outcomes(
    program: Program,
    model: Model | str,
    options: ExploreOptions | None = None,
    progress: Watch | None = None,
    *,
    run: Runner = native.run,
) -> Outcomes:
    """The final states of all complete executions, and whether the program's condition holds."""
    options = options or ExploreOptions()
    found = _model(model)
    ran = _run(program, found, replace(options, reductions=False), progress, run)  # it counts each single execution
    if isinstance(ran, Engine):
        from fencepost.enumerate.verdicts import outcomes_by_enumeration

        try:
            listed = outcomes_by_enumeration(program, found, _patient(ran, options), native_judge)
        except UnsupportedError as error:
            beyond = _beyond(ran, error)
            listed = Outcomes(found.name, {}, None, 0, 0, 0.0, str(beyond), reasons=(beyond,))
        return replace(listed, why=ran.reason)
    prepared, report, engine = ran
    errors, _, limits = _sort_findings(report, prepared, found.name, options)
    states = {state_of(values, prepared): count for values, count in report.results.outcomes}
    if not prepared.program.observations and report.results.executions:
        states = {(): report.results.executions}  # as enumeration has it
    holds, unfinished = _answer_condition(report, prepared), _unfinished(report, limits, prepared)
    complete, blocked = report.results.executions, report.results.blocked
    if not unfinished and (unfinished := nothing_completes(complete, blocked, _assumed(report, prepared))):
        holds = None if holds else holds
    return Outcomes(
        found.name, dict(sorted(states.items())), holds, report.results.executions,
        report.results.blocked, report.seconds, words(unfinished), tuple(errors), why=engine.reason,
        reasons=unfinished, digest=_digest(report) if options.digest else "",
    )  # fmt: skip


def executions(program: Program, model: Model | str, options: ExploreOptions | None = None) -> Iterator[Execution]:
    """Every complete execution as a value, for analyses of one's own."""
    options = options or ExploreOptions()
    options = replace(options, reductions=False)
    found = _model(model)
    prepared, engine = begin(program, found, options)
    surely = engine.like in NATIVE_MODELS and options.algorithm == "trust"
    if prepared is not None and surely and not uses(prepared.program, AtomicBegin):
        yield from (to_execution(raw, prepared) for raw in native.stream(prepared, found, engine, options))
        return
    ran = _run(program, found, options, None, keep=options.max_executions or 2**62)
    if isinstance(ran, Engine):
        from fencepost.enumerate import enumerate_executions
        from fencepost.prepare.ready import ready

        yield from enumerate_executions(ready(program, found, options), found)
        return
    for raw in ran[1].results.kept:
        yield to_execution(raw, ran[0])


def estimate(
    program: Program,
    model: Model | str,
    options: ExploreOptions | None = None,
    *,
    seconds: float = 1.0,
    population: int = 0,
) -> Estimate | None:
    """How many executions there seem to be, from samples of the exploration tree; None where there is no such tree
    (what is enumerated, and RSMC), or where no sample ended in so many seconds. `population`: the graphs of a sample on
    one level; 0: ever more of them, while there is time."""
    options = replace(options or ExploreOptions(), reductions=False)
    found = _model(model)
    prepared, engine = begin(program, found, options)
    if prepared is None:
        return None
    return native.estimate(prepared, found, engine, options, seconds=seconds, population=population)


def _model(model: Model | str) -> Model:
    return find(model) if isinstance(model, str) else model


def knows(model: Model | str) -> bool:
    """Whether the core explores it. For the other models all candidate executions are enumerated."""
    return engine_of(_model(model)).explores


def _told(engine: Engine) -> dict[str, str]:
    """What the user is told about the choice of the engine, where there was one."""
    return {"engine": "explore" if engine.explores else "enumerate", "why": engine.reason} if engine.reason else {}


def _beyond(engine: Engine, error: UnsupportedError) -> Reason:
    """Why there is no answer where the explorer may have missed something and enumeration is too large a task."""
    if not _second_look(engine):
        raise error
    return Reason(Code.NOT_PROVED, f"{engine.reason}, and {error}")


def _second_look(engine: Engine) -> bool:
    return engine.reason == WAITS_IN_BLOCK


def _patient(engine: Engine, options: Options) -> Options:
    """A second look was not asked for: it ends in a while, by saying that it does not know."""
    if not _second_look(engine) or options.time_limit is not None:
        return options
    return replace(options, time_limit=_SECOND_LOOK)


def _run(
    program: Program,
    model: Model,
    options: ExploreOptions,
    progress: Watch | None,
    run: Runner = native.run,
    *,
    keep: int = 0,
) -> tuple[Prepared, Report, Engine] | Engine:
    """What the core found; an engine with its reason where only enumeration is sure to find everything."""
    prepared, engine = begin(program, model, options)
    if prepared is None:
        _refuse_saving(engine, options)
        return engine
    report = run(prepared, model, engine, options, progress, keep=keep)
    if report.results.irregular:  # who came first to a barrier may matter
        return _run(program, model, replace(options, barriers=False), progress, run, keep=keep)
    while cut := with_cuts(prepared, report.results.cuts):
        prepared = cut
        report = run(prepared, model, engine, replace(options, resume=None), progress, keep=keep)
    if options.algorithm != "rsmc" and (again := _going_round(program, model, engine, options, prepared, report)):
        prepared, report = again
    if options.algorithm == "rsmc":
        doubt = commit_before_doubt(prepared, model, report.results)
        return prepared, report if report.failed or report.reason else replace(report, reason=doubt), engine
    if report.results.may_miss and not report.failed and not report.reason:
        return Engine(False, reason=WAITS_IN_BLOCK)
    if MIXED in model.offers and program.arch in _UNALIGNED and any(map(_is_unaligned, report.results.findings)):
        return Engine(False, reason=UNALIGNED)
    return prepared, report, engine


def _is_unaligned(raw: CoreFinding) -> bool:
    return _kind(raw) is ErrorKind.MISALIGNED


def _refuse_saving(engine: Engine, options: ExploreOptions) -> None:
    """Enumeration goes from the start to the end: a file that nobody reads or writes would be a promise not kept, and
    so would workers that nobody asks."""
    if options.cluster is not None:
        raise UsageError(f"--cluster: explorations are shared, but here all candidates are enumerated: {engine.reason}")
    if options.save or options.resume:
        asked = f"--save {options.save}" if options.save else f"--resume {options.resume}"
        raise UsageError(f"{asked}: explorations are saved, but here all candidates are enumerated: {engine.reason}")


def _going_round(
    program: Program, model: Model, engine: Engine, options: ExploreOptions, prepared: Prepared, report: Report
) -> tuple[Prepared, Report] | None:
    """Where another thread saw what an iteration added and took back, the iteration cannot be left out. Such loops are
    often left soon all the same: a lock that counts its waiters. So the program runs once more with these iterations,
    few of them and not for long; None where that is not enough to know everything, or was not called for."""
    seen = [to_report(raw, prepared).at for raw in report.results.findings if _kind(raw) is ErrorKind.LEFT_OUT]
    if not seen or report.failed or report.reason or options.save or options.resume:
        return None
    bounds = tuple(f"{at.file}:{at.line}={_ROUNDS}" for at in seen if at is not None)
    executions = report.results.executions + report.results.blocked
    patience = replace(
        options,
        loop_bound=(*bounds, *options.loop_bound),
        max_executions=min(options.max_executions or 2**62, 10 * executions + 10_000),
        time_limit=min(options.time_limit or 2**62, 10 * report.seconds + 1),
    )
    longer = prepare(program, model, patience, undo=False)
    found = native.run(longer, model, engine, patience, None)
    whole = not found.reason and not any(_is_limit(f) for f in found.results.findings)
    return (longer, found) if found.failed or (whole and not found.results.cuts) else None


def _sort_findings(
    report: Report, prepared: Prepared, model: str, options: ExploreOptions
) -> tuple[list[ErrorReport], list[Witness], list[ErrorReport]]:
    """Errors that count, their witnesses, and what executions ended at before their time."""
    waiting = frozenset({ErrorKind.DEADLOCK, ErrorKind.LIVENESS})
    ignored = options.ignored if isinstance(options, CheckOptions) else waiting
    errors, witnesses, limits = [], [], []
    for raw in report.results.findings:
        found = to_report(raw, prepared)
        if found.kind in BOUNDS or (found.kind in ignored and found.kind not in GOES_ON):
            limits.append(found)
        elif found.kind not in ignored:
            errors.append(found)
            witnesses.append(Witness(to_execution(raw.execution, prepared), found, model, program=prepared.program))
    return errors, witnesses, limits


def _assumed(report: Report, prepared: Prepared) -> frozenset[Position | None]:
    """The places of the assumptions that failed, while no execution was complete."""
    return frozenset(prepared.encoded.positions[p] for p in report.results.assumed)


def _flags(report: Report, model: Model) -> list[str]:
    """What the model flags besides races."""
    raised = report.results.flags
    plan = model.plan if raised else None
    return [f"the model raised its flag {plan.checks[i].name}" for i in raised] if plan is not None else []


def _reduced(report: Report, prepared: Prepared) -> dict[str, object]:
    """What the reductions did: how many executions those that were visited stand for. Where identical threads part in a
    way that the model does not order, several may stand for the same ones, and there is no number; nor is there one
    for orders of arrival at barriers, some of which the model may forbid."""
    visited, all_ = report.results.executions, report.results.representing
    arrivals = any(isinstance(i, Rmw) and i.barrier for f in prepared.program.functions for i in f.code)
    done = [*(["symmetry"] if all_ > visited else []), *(["barriers"] if arrivals else [])]
    if not done:
        return {}
    return {"representing": None if report.results.uncounted or arrivals else all_, "reductions": done}


def _digest(report: Report) -> str:
    low, high = report.results.digest
    return f"{high:016x}{low:016x}"


def _unsaved(report: Report) -> list[str]:
    return [*report.notes, *([report.unsaved] if report.unsaved else [])]


def _refutations(report: Report, prepared: Prepared, model: str) -> list[Witness]:
    """The first execution that shows that the condition does not hold. An `exists` has none to show."""
    condition = prepared.program.condition
    assert condition is not None, "a condition that does not hold should be there"
    constants = condition_constants(prepared.program, prepared.encoded.layout)
    for raw in report.results.kept:
        if refutes(condition, dict(state_of(raw.outcome, prepared)), constants):
            return [refutation(prepared.program, to_execution(raw, prepared), model)]
    return []


def _also(answer: Answer, report: Report, unfinished: tuple[Reason, ...]) -> list[str]:
    """The bounds that were met, where the verdict is about something else."""
    return [str(r) for r in unfinished] if answer is Answer.FAIL and report.reason is None else []


def _unfinished(report: Report, limits: list[ErrorReport], prepared: Prepared) -> tuple[Reason, ...]:
    """Why there may be more than what was seen."""
    if report.reason is None:
        return tuple(bound_met(prepared.program, limit) for limit in limits)
    seen, all_ = report.results.executions + report.results.blocked, report.estimate
    if all_ is None or all_.low <= seen:
        return (report.reason,)
    return (replace(report.reason, message=f"{report.reason.message}, of {all_} executions"),)


def _answer_condition(report: Report, prepared: Prepared) -> bool | None:
    """Whether the condition holds as it is written; None where there is none or the executions seen do not decide."""
    condition = prepared.program.condition
    if condition is None:
        return None
    values = [dict(state_of(raw, prepared)) for raw, _ in report.results.outcomes]
    complete = report.reason is None and not any(_is_limit(f) for f in report.results.findings)
    constants = condition_constants(prepared.program, prepared.encoded.layout)
    return decide(condition, values, constants, complete=complete)


def _kind(raw: CoreFinding) -> ErrorKind:
    return tuple(ErrorKind)[raw.kind]


def _is_limit(raw: CoreFinding) -> bool:
    return _kind(raw) in BOUNDS
