"""The public functions, thin: each reads its input, makes its options, and calls one analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from fencepost.errors import InputError, InternalError, UsageError
from fencepost.options import (
    BoundedOptions,
    CheckOptions,
    ExplainOptions,
    ExploreOptions,
    LitmusOptions,
    RelaxOptions,
    RepairOptions,
    RobustOptions,
    make,
)
from fencepost.program.program import Program
from fencepost.verdict import Answer, Estimate, Outcomes, Verdict, Witness

if TYPE_CHECKING:
    from fencepost.bounded import Progress as BoundedProgress
    from fencepost.doctor import Finding
    from fencepost.enumerate.explain import Explanation
    from fencepost.execution.execution import Execution
    from fencepost.generate.litmus_tests import LitmusTest
    from fencepost.models.registry import Model
    from fencepost.repair.repairing import Task
    from fencepost.repair.result import Repair
    from fencepost.suite.compare import Comparison
    from fencepost.suite.suite import Progress, Suite
    from fencepost.witness.sources import Sources

Source: TypeAlias = Program | str | Path | Sequence[str | Path]


def read(source: Source, *, flags: Sequence[str] = ()) -> Program:
    """The Program of a file, of several C or C++ files, or of `-` (standard input). A Program is returned as it is."""
    from fencepost.frontends import read_file, read_files

    if isinstance(source, Program):
        return source
    return read_file(source, flags=flags) if isinstance(source, str | Path) else read_files(source, flags=flags)


def check(
    source: Source,
    *,
    flags: Sequence[str] = (),
    progress: Callable[[int, float, Estimate | None], None] | None = None,
    **keywords: Any,
) -> Verdict:
    """Explores all executions under a memory model and looks for errors. `keywords` are the fields of CheckOptions;
    `progress` is called with the number of executions and the seconds so far, and an estimate of all executions."""
    options = make(CheckOptions, keywords)
    return _explored(read(source, flags=flags), options, progress)


def _explored(
    program: Program, options: CheckOptions, progress: Callable[[int, float, Estimate | None], None] | None = None
) -> Verdict:
    from fencepost.explore import explore

    model = find_model(options.model)
    verdict = explore(program, model, options, progress)
    if verdict.witness is not None:
        from fencepost.witness.confirm import confirm
        from fencepost.witness.repair import repair

        witness = repair(verdict.witness, model)
        witness = witness if model.ours else replace(witness, model_text=model.source)
        confirm(witness, model)
        verdict = replace(verdict, witness=_curable(witness, program, options, _explored))
    return verdict


def _curable(
    witness: Witness, program: Program, options: CheckOptions, check: Callable[[Program, CheckOptions], Verdict],
    *, robust: bool = False,
) -> Witness:  # fmt: skip
    """The witness with the search for a fix, which runs when it is told."""
    if not options.fix:
        return witness
    from fencepost.repair.cure import Cure

    return replace(witness, cure=Cure(program, options, check, len(witness.execution.events), robust=robust))


def robust(
    source: Source, *, flags: Sequence[str] = (), progress: Callable[[int, float, int], None] | None = None,
    **keywords: Any,
) -> Verdict:  # fmt: skip
    """Whether the program behaves under a weaker model as if memory were sequentially consistent; see
    `Verdict.extra["robust"]`. `keywords` are the fields of RobustOptions; `progress` is called with the number of
    states, the seconds and the depth so far."""
    from fencepost.robustness import check_robustness

    options, program = make(RobustOptions, keywords), read(source, flags=flags)
    verdict = check_robustness(program, options, progress)
    if verdict.witness is not None:
        from fencepost.witness.confirm import confirm

        confirm(verdict.witness)
        against = verdict.model
        if against != "sc" and not options.waits and not options.state:
            asked = CheckOptions(model=against)
            verdict = replace(verdict, witness=_curable(verdict.witness, program, asked, _is_robust, robust=True))
    return verdict


def _is_robust(program: Program, options: CheckOptions) -> Verdict:
    from fencepost.robustness import check_robustness

    return check_robustness(program, RobustOptions(against=options.model, max_states=options.max_executions))


def repair(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> Repair:
    """The cheapest stronger orders and added fences after which the program passes, as a patch of its files that was
    checked. Nothing is written. `keywords` are the fields of RepairOptions."""
    from fencepost.repair import repairing

    return repairing.repair(_task(source, flags, make(RepairOptions, keywords)))


def relax(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> Repair:
    """The weakest orders and fewest fences with which the program still passes. `keywords` are the fields of
    RelaxOptions."""
    from fencepost.repair import repairing

    return repairing.relax(_task(source, flags, make(RelaxOptions, keywords)))


def _task(source: Source, flags: Sequence[str], options: RelaxOptions) -> Task:
    from fencepost.repair.repairing import Task

    if isinstance(source, Program):
        raise UsageError("a Program has no text to change: give the file that it comes from")
    files = (str(source),) if isinstance(source, str | Path) else tuple(str(s) for s in source)
    robust_ = isinstance(options, RepairOptions) and options.goal == "robust"
    kept = {f.name: getattr(options, f.name) for f in fields(CheckOptions)}
    explored = CheckOptions(**(kept | {"fix": False}))

    def decide(program: Program) -> Verdict:
        if robust_:
            return robust(program, against=options.model, time_limit=options.time_limit, jobs=options.jobs)
        return _explored(program, explored)

    return Task(
        files, tuple(flags), find_model(options.model), explored, lambda f, g: read(list(f), flags=g), decide,
        not robust_, options.only, options.cost, options.time_limit,
    )  # fmt: skip


def promela(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> str:
    """The program in Promela with the monitor of its robustness, for SPIN. `keywords`: the fields of RobustOptions."""
    from fencepost.robustness.orders import needed
    from fencepost.robustness.promela import emit

    options, program = make(RobustOptions, keywords), read(source, flags=flags)
    return emit(program, options.against or needed(program), options)


def replay(source: str | Path | Mapping[str, Any]) -> tuple[Verdict, Sources]:
    """Runs exactly the execution of a saved witness again (a file, `-`, or the loaded JSON) and judges it by its model.
    Raises InputError where it does not end in the error that it claims."""
    from fencepost.witness.confirm import confirm
    from fencepost.witness.load import load

    file = "<witness>" if isinstance(source, Mapping) else str(source)
    witness, sources = load(source)
    try:
        confirm(witness)
    except InternalError as problem:
        hint = "the file was changed, or another version of fencepost wrote it"
        raise InputError(f"this witness does not replay: {problem}", file=file, hint=hint) from None
    verdict = Verdict(Answer.FAIL, witness.error.message, witness.model, 1, errors=(witness.error,), witness=witness)
    return verdict, sources


def notebook(value: object, form: str) -> str | None:
    """What a notebook shows for a value, as `html` or `svg`."""
    from fencepost.report.notebook import show

    return show(value, form)


def outcomes(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> Outcomes:
    """The final states of all executions. `keywords` are the fields of ExploreOptions."""
    from fencepost.explore import outcomes as explored

    options = make(ExploreOptions, keywords)
    program = read(source, flags=flags)
    return explored(program, find_model(options.model), options)


def executions(source: Source, *, flags: Sequence[str] = (), **keywords: Any) -> Iterator[Execution]:
    """Every complete execution as a value, as it is found, for analyses of one's own. `keywords` are the fields of
    ExploreOptions; nothing is remembered of the executions handed out."""
    from fencepost.explore import executions as explored

    options = make(ExploreOptions, keywords)
    program = read(source, flags=flags)
    return explored(program, find_model(options.model), options)


def estimate(source: Source, *, flags: Sequence[str] = (), probes: int = 1000, **keywords: Any) -> Estimate | None:
    """How many executions there seem to be, without exploring them: Knuth's estimator with so many probes. None under
    models whose events commit out of order. `keywords` are the fields of ExploreOptions."""
    from fencepost.explore import estimate as estimated

    options = make(ExploreOptions, keywords)
    program = read(source, flags=flags)
    return estimated(program, find_model(options.model), options, probes=probes)


def litmus(files: Sequence[str], *, progress: Progress | None = None, **keywords: Any) -> Suite:
    """Runs many litmus tests in parallel. `keywords` are the fields of LitmusOptions; `progress` is called with each
    result as it comes and the number of tests."""
    from fencepost.suite.suite import run_suite

    return run_suite(files, make(LitmusOptions, keywords), progress)


def outcomes_by_model(
    source: Source, models: Sequence[str], *, flags: Sequence[str] = (), **keywords: Any
) -> dict[str, Outcomes]:
    """The final states under each of several models. A model that cannot judge the program says so in `reason`."""
    from fencepost.suite.engine import outcomes_under

    program = read(source, flags=flags)
    return {name: outcomes_under(program, find_model(name), make(ExploreOptions, {**keywords, "model": name}))
            for name in models}  # fmt: skip


def generate(
    arch: str, *, cycle: str | None = None, name: str = "", size: int | None = None, edges: str | None = None,
    threads: int | None = None, limit: int | None = None,
) -> list[LitmusTest]:  # fmt: skip
    """Litmus tests: the one of a cycle of edges, or every critical cycle of at most `size` edges."""
    from itertools import islice

    from fencepost.generate import litmus_tests

    if cycle is not None:
        return [litmus_tests.generate(arch, cycle, name)]
    return list(islice(litmus_tests.family(arch, size or 4, edges, threads=threads), limit))


def explain(source: Source, outcome: str | None = None, *, flags: Sequence[str] = (), **keywords: Any) -> Explanation:
    """Why an outcome (`0:r1=1 /\\ x=2`; default: the one that the program's condition asks about) is allowed or
    forbidden. `keywords` are the fields of ExplainOptions."""
    from fencepost.enumerate.explain import explain_outcome
    from fencepost.enumerate.outcome import asked_outcome, parse_outcome
    from fencepost.enumerate.prepare import ready

    options = make(ExplainOptions, keywords)
    model = find_model(options.model)
    program = ready(read(source, flags=flags), model, ExploreOptions(unroll=options.unroll))
    program, formula = parse_outcome(outcome, program) if outcome is not None else (program, asked_outcome(program))
    return explain_outcome(program, model, formula)


def bounded(
    source: Source,
    *,
    flags: Sequence[str] = (),
    progress: Callable[[BoundedProgress], None] | None = None,
    **keywords: Any,
) -> Verdict:
    """Looks for a violation under POWER within a number of contexts. `keywords` are the fields of BoundedOptions."""
    from fencepost.bounded import check_bounded

    options, program = make(BoundedOptions, keywords), read(source, flags=flags)
    verdict = check_bounded(program, options, progress)
    if verdict.witness is None:
        return verdict
    asked = CheckOptions(model="power", unroll=options.unroll)
    return replace(verdict, witness=_curable(verdict.witness, program, asked, _explored))


def bounded_translation(source: Source, *, form: str = "program", flags: Sequence[str] = (), **keywords: Any) -> str:
    """What `bounded` decides: a sequential program with guesses, in the text form (`program`) or as C (`c`)."""
    from fencepost.bounded import emit

    return emit(read(source, flags=flags), form, make(BoundedOptions, keywords))


def compare(
    first: str, second: str, *, arch: str | None = None, size: int = 5, time_limit: float | None = 60.0
) -> Comparison:
    """Searches generated tests for one that tells two models apart."""
    from fencepost.suite.compare import compare as search

    return search(find_model(first), find_model(second), arch=arch, size=size, time_limit=time_limit)


def find_model(name: str) -> Model:
    """The memory model with this name, or in this .cat file."""
    from fencepost.models.registry import find

    return find(name)


def model_names() -> tuple[str, ...]:
    from fencepost.models.registry import names

    return tuple(names())


def doctor() -> tuple[Finding, ...]:
    """What is installed on this machine and what each thing enables."""
    from fencepost.doctor import examine

    return examine()


def show_findings(findings: tuple[Finding, ...]) -> str:
    """What `doctor` found, for a person."""
    from fencepost.doctor import summary

    return summary(findings)


def print_program(program: Program) -> str:
    """The text form, which `read` reads back."""
    from fencepost.program import printer

    return printer.print_program(program)
