"""The public functions, thin: each reads its input, makes its options, and calls one analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

from fencepost.analysis import Trial, answer
from fencepost.errors import InputError, InternalError, UsageError
from fencepost.options import (
    BoundedOptions,
    CheckOptions,
    ClusterOptions,
    ExplainOptions,
    ExploreOptions,
    LitmusOptions,
    RelaxOptions,
    RepairOptions,
    RobustOptions,
    make,
)
from fencepost.program.program import Program
from fencepost.records import fields, replace
from fencepost.repair.files import Files
from fencepost.verdict import Answer, Estimate, Outcomes, OutcomesByModel, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from fencepost.bounded import Progress as BoundedProgress
    from fencepost.doctor import Finding
    from fencepost.enumerate.explain import Explanation
    from fencepost.execution.execution import Execution
    from fencepost.explore.native import Runner
    from fencepost.frontends import Unread
    from fencepost.generate.litmus_tests import LitmusTest
    from fencepost.models.registry import Model
    from fencepost.obligations import Checked
    from fencepost.repair.repairing import Task
    from fencepost.repair.result import Repair
    from fencepost.suite.compare import Comparison
    from fencepost.suite.suite import Progress, Suite
    from fencepost.witness.sources import Sources

Source: TypeAlias = "Program | str | Path | Sequence[str | Path]"
#: Called with the number of executions and the seconds so far, and an estimate of all executions; on a cluster also
#: with the number of its threads.
Watch: TypeAlias = Callable[..., None]


def read(source: Source, *, flags: Sequence[str] = ()) -> Program:
    """The Program of a file, of several C or C++ files, of `-` (standard input), or of a text: a string of several
    lines is a program in C, C++, `.fp` or a litmus test. A Program is returned as it is."""
    from fencepost.frontends import read_file, read_files, read_string

    if isinstance(source, Program):
        return source
    if isinstance(source, str) and "\n" in source:
        return read_string(source, flags=flags)
    return read_file(source, flags=flags) if isinstance(source, str | PathLike) else read_files(source, flags=flags)


def _has_loops(program: Program, options: ExploreOptions) -> Program:
    """Refuses a bound for a loop that is not there: it would bound nothing, and nobody would know."""
    if options.loop_bound:
        from fencepost.program.passes.unroll import unmatched

        surplus, loops = unmatched(program, options.loop_bounds)
        if surplus:
            raise UsageError(
                f"--loop-bound {surplus[0]}={options.loop_bounds[surplus[0]]}: there is no such loop; "
                + (f"the program's loops: {', '.join(loops[:8])}" if loops else "the program has no loop")
            )
    return program


def open_files(files: Sequence[str | Path], *, flags: Sequence[str] = ()) -> Unread:
    """The input as far as it must be looked at to tell whether it has changed; `read()` goes on from there."""
    from fencepost.frontends import open_files as opened

    return opened(files, flags=flags)


def setting_of(files: Sequence[str | Path], *, flags: Sequence[str] = ()) -> str:
    """All that decides what the compiler makes of these files, but for the content of files. Empty where that is not
    known, and for what is not compiled."""
    from fencepost.frontends import setting_of as setting

    return setting(files, flags=flags)


def look(files: Sequence[str | Path], given: Unread, since: int, *, flags: Sequence[str] = ()) -> str:
    """What `unchanged` compares with later; empty where a file changed after `since`, in nanoseconds."""
    from fencepost.frontends import look as looked

    return looked(files, given, since, flags=flags)


def unchanged(footprint: str, *, flags: Sequence[str] = ()) -> bool:
    """Whether the compiler would read the same text again."""
    from fencepost.frontends import unchanged as same

    return same(footprint, flags=flags)


def check(
    source: Source,
    *,
    flags: Sequence[str] = (),
    progress: Watch | None = None,
    options: CheckOptions | None = None,
    **keywords: object,
) -> Verdict:
    """Explores all executions under a memory model and looks for errors. `keywords` are the fields of CheckOptions."""
    options = make(CheckOptions, keywords, options)
    program = _has_loops(read(source, flags=flags), options)
    return _explored(program, options, progress, simplest=True, files=_files(source, flags))


def check_opened(given: Unread, *, progress: Watch | None = None, options: CheckOptions) -> Verdict:
    """The same for an input that was opened."""
    program = _has_loops(given.read(), options)
    return _explored(program, options, progress, simplest=True, files=_files(given.files, given.flags))


def _files(source: Source, flags: Sequence[str]) -> Files | None:
    """The files that a source names; None for a Program, a text and standard input, which nobody can change."""
    if isinstance(source, Program) or (isinstance(source, str) and "\n" in source):
        return None
    files = (str(source),) if isinstance(source, str | PathLike) else tuple(str(s) for s in source)
    if "-" in files:
        return None
    return Files(files, tuple(flags), lambda f, g: read(list(f), flags=g))


def _runner(options: ExploreOptions) -> Runner:
    """Who explores: this process, or the cluster that is named."""
    if options.cluster is None:
        from fencepost.explore.native import run
    else:
        from fencepost.cluster.connection import run
    return run


def _explored(
    program: Program, options: CheckOptions, progress: Watch | None = None, *, simplest: bool = False,
    files: Files | None = None,
) -> Verdict:  # fmt: skip
    """`simplest`: for people to read, an error is shown in the simplest execution that is found. `files`: what the
    program was read from, where a fix may change declarations."""
    from fencepost.explore.plain import other_errors

    if options.via_robustness:
        from fencepost.via_robustness import explore_via_robustness as explore
    else:
        from fencepost.explore import explore

    alone = replace(options, cluster=None, certificates=None)
    trial = Trial(_explored, alone, files=files) if options.fix else None
    return answer(
        partial(explore, run=_runner(options)), program, find_model(options.model), options, progress, trial,
        others=partial(other_errors, options=options) if simplest else None,
    )  # fmt: skip


def robust(
    source: Source, *, flags: Sequence[str] = (), progress: Callable[[int, float, int], None] | None = None,
    options: RobustOptions | None = None, **keywords: object,
) -> Verdict:  # fmt: skip
    """Whether the program behaves under a weaker model as if memory were sequentially consistent; see
    `Verdict.extra["robust"]`. `keywords` are the fields of RobustOptions; `progress` is called with the number of
    states, the seconds and the depth so far."""
    from fencepost.robustness import weaker_model

    options, program = make(RobustOptions, keywords, options), read(source, flags=flags)
    if options.cluster is None:
        from fencepost.robustness import analyse
    else:
        from fencepost.remote_robustness import analyse_remotely as analyse
    against = weaker_model(program, options)
    tried = against != "sc" and not options.waits and not options.state
    trial = Trial(_is_robust, CheckOptions(model=against), robust=True) if tried else None
    return answer(analyse, program, find_model(against), options, progress, trial)


def _is_robust(program: Program, options: CheckOptions) -> Verdict:
    from fencepost.robustness import analyse

    return analyse(program, find_model(options.model), RobustOptions(max_states=options.max_executions))


def repair(
    source: Source, *, flags: Sequence[str] = (), options: RepairOptions | None = None, **keywords: object
) -> Repair:
    """The cheapest stronger orders and added fences after which the program passes, as a patch of its files that was
    checked. Nothing is written. `keywords` are the fields of RepairOptions."""
    from fencepost.repair import repairing

    return repairing.repair(_task(source, flags, make(RepairOptions, keywords, options)))


def relax(
    source: Source, *, flags: Sequence[str] = (), options: RelaxOptions | None = None, **keywords: object
) -> Repair:
    """The weakest orders and fewest fences with which the program still passes. `keywords` are the fields of
    RelaxOptions."""
    from fencepost.repair import repairing

    return repairing.relax(_task(source, flags, make(RelaxOptions, keywords, options)))


def _task(source: Source, flags: Sequence[str], options: RelaxOptions) -> Task:
    from fencepost.repair.repairing import Task

    given = _files(source, flags)
    if given is None:
        raise UsageError("there is no file to change: give the file that the program comes from")
    robust_ = isinstance(options, RepairOptions) and options.goal == "robust"
    if robust_ and options.cluster is not None:
        raise UsageError("--goal robust searches states, which cannot be shared: it does not go with --cluster")
    kept = {f.name: getattr(options, f.name) for f in fields(CheckOptions)}
    explored = CheckOptions(**(kept | {"fix": False}))

    def decide(program: Program, *, simplest: bool = False) -> Verdict:
        if robust_:
            return robust(program, against=options.model, time_limit=options.time_limit, jobs=options.jobs)
        return _explored(program, explored, simplest=simplest)

    return Task(
        given.files, given.flags, find_model(options.model), explored, given.read, decide, not robust_, options.only,
        options.cost, options.time_limit, partial(decide, simplest=True),
    )  # fmt: skip


def check_model(model: str, *, between: int = 1, every: int = 1) -> Checked:
    """Tries on all small programs what the exploration of a model that lets events commit out of program order rests
    on (docs/how/power.md). `between`: how large they are. `every`: only each so many of them."""
    from fencepost.explore.engines import out_of_order
    from fencepost.obligations import check as tried

    found = find_model(model)
    if found.ours and not out_of_order(found):  # those of the user's are tried, whatever they are
        raise UsageError(f"{found.name} is explored in program order, or enumerated: --check is not about it")
    return tried(found, between=between, every=every)


def promela(
    source: Source, *, flags: Sequence[str] = (), options: RobustOptions | None = None, **keywords: object
) -> str:
    """The program in Promela with the monitor of its robustness, for SPIN. `keywords`: the fields of RobustOptions."""
    from fencepost.robustness.orders import needed
    from fencepost.robustness.promela import emit

    options, program = make(RobustOptions, keywords, options), read(source, flags=flags)
    return emit(program, options.against or needed(program), options)


def replay(source: str | Path | Mapping[str, object]) -> tuple[Verdict, Sources]:
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


def outcomes(
    source: Source, *, flags: Sequence[str] = (), observe: Sequence[str] = (), progress: Watch | None = None,
    options: ExploreOptions | None = None, **keywords: object,
) -> Outcomes:  # fmt: skip
    """The final states of all executions. `observe` names globals whose values are asked for beside what the program
    observes itself. `keywords` are the fields of ExploreOptions."""
    from fencepost.explore import outcomes as explored
    from fencepost.program.observe import observe as observed

    options = make(ExploreOptions, keywords, options)
    program = observed(_has_loops(read(source, flags=flags), options), observe)
    model = find_model(options.model)
    model.refuse_final_states(program)
    return explored(program, model, options, progress, run=_runner(options))


def observable(program: Program) -> list[str]:
    """The names of the globals that `outcomes` can observe."""
    from fencepost.program.observe import observable as found

    return found(program)


def how_to_observe(program: Program) -> str:
    """Advice for a program whose end nobody looks at; empty where it observes something."""
    from fencepost.program.observe import advice

    return advice(program)


def executions(
    source: Source, *, flags: Sequence[str] = (), options: ExploreOptions | None = None, **keywords: object
) -> Iterator[Execution]:
    """Every complete execution as a value, as it is found, for analyses of one's own. `keywords` are the fields of
    ExploreOptions; nothing is remembered of the executions handed out."""
    from fencepost.explore import executions as explored

    options = make(ExploreOptions, keywords, options)
    if options.cluster is not None:
        raise UsageError("executions are handed out by this process: cluster is for check and outcomes")
    program = _has_loops(read(source, flags=flags), options)
    return explored(program, find_model(options.model), options)


def estimate(
    source: Source,
    *,
    flags: Sequence[str] = (),
    seconds: float = 1.0,
    population: int = 0,
    options: ExploreOptions | None = None,
    **keywords: object,
) -> Estimate | None:
    """How many executions there seem to be, without exploring them: samples of the exploration tree, for so many
    seconds. None where no sample ended in that time, where executions are enumerated, and for RSMC. With `population`,
    samples keep so many graphs on each level of the tree; if that is more than there are, the answer is exact.
    `keywords` are the fields of ExploreOptions."""
    from fencepost.explore import estimate as estimated

    options = make(ExploreOptions, keywords, options)
    program = _has_loops(read(source, flags=flags), options)
    return estimated(program, find_model(options.model), options, seconds=seconds, population=population)


def litmus(
    files: Sequence[str], *, progress: Progress | None = None, options: LitmusOptions | None = None, **keywords: object
) -> Suite:
    """Runs many litmus tests in parallel. `keywords` are the fields of LitmusOptions; `progress` is called with each
    result as it comes and the number of tests."""
    from fencepost.suite.suite import run_suite

    return run_suite(files, make(LitmusOptions, keywords, options), progress)


def outcomes_by_model(
    source: Source,
    models: Sequence[str],
    *,
    flags: Sequence[str] = (),
    observe: Sequence[str] = (),
    options: ExploreOptions | None = None,
    **keywords: object,
) -> OutcomesByModel:
    """The final states under each of several models. A model that cannot judge the program says so in `reason`."""
    from fencepost.program.observe import observe as observed
    from fencepost.suite.engine import outcomes_under

    options = make(ExploreOptions, keywords, options)
    program, run = observed(_has_loops(read(source, flags=flags), options), observe), _runner(options)
    found = {name: outcomes_under(program, find_model(name), replace(options, model=name), run) for name in models}
    return OutcomesByModel(found)


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


def explain(
    source: Source,
    outcome: str | None = None,
    *,
    flags: Sequence[str] = (),
    options: ExplainOptions | None = None,
    **keywords: object,
) -> Explanation:
    """Why an outcome (`0:r1=1 /\\ x=2`; default: the one that the program's condition asks about) is allowed or
    forbidden. `keywords` are the fields of ExplainOptions."""
    from fencepost.enumerate.explain import explain_outcome
    from fencepost.enumerate.outcome import asked_outcome, parse_outcome
    from fencepost.prepare.ready import ready

    options = make(ExplainOptions, keywords, options)
    model = find_model(options.model)
    program = ready(read(source, flags=flags), model, ExploreOptions(unroll=options.unroll))
    program, formula = parse_outcome(outcome, program) if outcome is not None else (program, asked_outcome(program))
    return explain_outcome(program, model, formula)


def bounded(
    source: Source,
    *,
    flags: Sequence[str] = (),
    progress: Callable[[BoundedProgress], None] | None = None,
    options: BoundedOptions | None = None,
    **keywords: object,
) -> Verdict:
    """Looks for a violation within the bound of the loops, and under POWER within a number of contexts. `keywords` are
    the fields of BoundedOptions."""
    from fencepost.bounded import analyse

    options, program = make(BoundedOptions, keywords, options), read(source, flags=flags)
    trial = Trial(_explored, CheckOptions(model=options.model, unroll=options.unroll))
    return answer(analyse, program, find_model(options.model), options, progress, trial, replayed=True)


def bounded_translation(
    source: Source,
    *,
    form: str = "program",
    flags: Sequence[str] = (),
    options: BoundedOptions | None = None,
    **keywords: object,
) -> str:
    """What `bounded` decides: a sequential program with guesses, in the text form (`program`) or as C (`c`)."""
    from fencepost.bounded import emit

    return emit(read(source, flags=flags), form, make(BoundedOptions, keywords, options))


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
    from fencepost.models.registry import all_names

    return all_names()


def start_cluster(
    *, ready: Callable[[list[str]], None], options: ClusterOptions | None = None, **keywords: object
) -> None:
    """A scheduler and workers on this machine, or workers for one elsewhere, until Ctrl-C. `ready` is called with what
    others need to know; `keywords` are the fields of ClusterOptions."""
    from fencepost.cluster.verb import run

    run(make(ClusterOptions, keywords, options), ready)


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
