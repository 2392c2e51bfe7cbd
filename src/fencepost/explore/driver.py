"""From a program and a model to a Verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from fencepost.errors import UnsupportedError
from fencepost.execution.execution import Execution
from fencepost.explore import native, reading
from fencepost.explore.begin import begin
from fencepost.explore.convert import state_of, to_execution
from fencepost.explore.deepen import deepen
from fencepost.explore.engines import (
    NATIVE_MODELS,
    PLANNED_MODELS,
    Engine,
    engine_of,
    has_non_atomics,
    uses,
)
from fencepost.explore.native import Runner, Watch
from fencepost.explore.running import run_core
from fencepost.explore.unmet import unmet
from fencepost.judgement import Seen, judge, nothing_completes
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.prepare.pieces import name_of_pieces
from fencepost.program.instructions import AtomicBegin, ErrorKind
from fencepost.program.program import Arch, Program
from fencepost.reasons import Code, Reason, words
from fencepost.records import replace
from fencepost.verdict import Answer, Estimate, Outcomes, Verdict

Options = TypeVar("Options", bound=ExploreOptions)

#: How long a second look by enumeration may take where the user set no limit, in seconds.
_SECOND_LOOK = 60.0

#: How long a race that C forbids is looked for under a model of hardware, in seconds.
_LOOK_FOR_RACES = 0.5

_UNTOLD = (
    "the execution is not shown: before the first thread starts, memory is accessed in other parts than by the "
    "atomics, and an execution tells each location as a whole"
)


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
    notes = (*verdict.warnings, *racy, *program.notes, *unmet(program, verdict))
    return replace(verdict, accepts_bounds=options.accept_bounds, warnings=notes)


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
    ran = run_core(program, found, options, progress, run)
    if isinstance(ran, Engine):
        from fencepost.enumerate.verdicts import check_by_enumeration
        from fencepost.explore.candidates import native_judge

        try:
            verdict = check_by_enumeration(program, found, _patient(ran, options), native_judge)
        except UnsupportedError as error:
            beyond = _beyond(ran, error)
            verdict = Verdict(Answer.UNKNOWN, str(beyond), found.name, 0, 0, 0.0, reasons=(beyond,))
        return replace(verdict, extra={**verdict.extra, **_told(ran)})
    prepared, report, engine = ran
    judged = name_of_pieces(found) if prepared.split is not None else found.name
    errors, witnesses, limits = reading.sort_findings(report, prepared, judged, options)
    untold = bool(errors) and report.results.in_parts
    if untold:  # what comes before the first thread takes memory apart, and has to be explored to be told
        again = _check(program, found, replace(options, reductions=False), progress, run)
        if again.answer is Answer.FAIL:
            return again
        witnesses = []
    count = reading.counted(report) if options.count == "all" else report.results.executions
    if count is None:
        return _check(program, found, replace(options, symmetry=False), progress, run)
    condition = reading.answer_condition(report, prepared)
    unfinished = reading.unfinished(report, limits, prepared)
    seen = Seen(errors, condition, unfinished, report.results.executions, report.results.blocked, "explored",
                reading.assumed(report, prepared))  # fmt: skip
    answer, reason, why = judge(prepared.asked, seen)
    if condition is False and not errors:
        witnesses = reading.refutations(report, prepared, judged)
        errors = [w.error for w in witnesses]
    return Verdict(
        answer,
        reason,
        found.name,
        count,
        report.results.blocked,
        report.seconds,
        tuple(errors),
        witnesses[0] if witnesses else None,
        (
            *reading.flags(report, found),
            *reading.also(answer, report, unfinished),
            *report.notes,
            *(n for n in prepared.program.notes if n not in program.notes),
            *([report.unsaved] if report.unsaved else []),
            *([_UNTOLD] if untold else []),
        ),
        _told(engine)
        | ({"condition": condition} if program.condition is not None else {})
        | ({"estimate": _data(report.estimate)} if report.estimate is not None else {})
        | ({"digest": reading.digest(report)} if options.digest else {})
        | ({"duplicates": report.results.duplicates} if options.algorithm == "rcmc" else {})
        | ({"dead_ends": report.results.dead_ends} if report.results.dead_ends and options.algorithm == "trust" else {})
        | reading.reduced(report, prepared, options),
        why,
        others=tuple(witnesses[1:]),
    )


def _data(estimate: Estimate) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(estimate)


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
    single = replace(options, reductions=False) if options.reductions else options  # each execution is counted
    ran = run_core(program, found, single, progress, run)
    if isinstance(ran, Engine):
        from fencepost.enumerate.verdicts import outcomes_by_enumeration
        from fencepost.explore.candidates import native_judge

        try:
            listed = outcomes_by_enumeration(program, found, _patient(ran, options), native_judge)
        except UnsupportedError as error:
            beyond = _beyond(ran, error)
            listed = Outcomes(found.name, {}, None, 0, 0, 0.0, str(beyond), reasons=(beyond,))
        return replace(listed, why=ran.reason)
    prepared, report, engine = ran
    errors, _, limits = reading.sort_findings(report, prepared, found.name, options)
    states = {state_of(values, prepared): count for values, count in report.results.outcomes}
    if not prepared.program.observations and report.results.executions:
        states = {(): report.results.executions}  # as enumeration has it
    holds, unfinished = reading.answer_condition(report, prepared), reading.unfinished(report, limits, prepared)
    assumed = reading.assumed(report, prepared)
    if not unfinished and (unfinished := nothing_completes(report.results.executions, assumed)):
        holds = None if holds else holds
    return Outcomes(
        found.name, dict(sorted(states.items())), holds, report.results.executions,
        report.results.blocked, report.seconds, words(unfinished), tuple(errors), why=engine.reason,
        reasons=unfinished, digest=reading.digest(report) if options.digest else "",
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
    ran = run_core(program, found, options, None, keep=options.max_executions or 2**62)
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
    if not engine.second_look:
        raise error
    return Reason(Code.NOT_PROVED, f"{engine.reason}, and {error}")


def _patient(engine: Engine, options: Options) -> Options:
    """A second look was not asked for: it ends in a while, by saying that it does not know."""
    if not engine.second_look or options.time_limit is not None:
        return options
    return replace(options, time_limit=_SECOND_LOOK)
