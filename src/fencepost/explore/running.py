"""Runs the core on a program, and once more where what it met asks for that."""

from __future__ import annotations

from fencepost._core import CoreFinding, meet
from fencepost.errors import UsageError
from fencepost.explore import native
from fencepost.explore.begin import begin, prepare
from fencepost.explore.convert import to_report
from fencepost.explore.cuts import with_cuts
from fencepost.explore.engines import UNALIGNED, WAITS_IN_BLOCK, Engine
from fencepost.explore.native import Report, Runner, Watch
from fencepost.explore.reading import is_limit, kind_of
from fencepost.models.registry import MIXED, Model
from fencepost.options import ExploreOptions
from fencepost.prepare.encoded import Prepared
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Arch, Program
from fencepost.records import replace

#: The machines whose accesses may stand anywhere: they are split into pieces, which enumeration does.
_UNALIGNED = (Arch.AARCH64, Arch.X86, Arch.PPC, Arch.RISCV)

#: How often loops whose iterations cannot be left out go round in a second run; those that may hide an error in what
#: they read.
_ROUNDS, _LOOKS = 6, 2


def run_core(
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
    while cut := with_cuts(prepared, report.results.cuts):
        prepared = cut
        report = run(prepared, model, engine, replace(options, resume=None), progress, keep=keep)
    if report.results.irregular:  # who came first may matter
        given_up = replace(options, locks=False) if prepared.sections else replace(options, barriers=False)
        return run_core(program, model, given_up, progress, run, keep=keep)
    if options.algorithm != "rsmc" and (again := _going_round(program, model, engine, options, prepared, report)):
        prepared, report = again
    if options.algorithm == "rsmc":
        from fencepost.explore.commit_order import doubt as commit_before_doubt

        doubt = commit_before_doubt(prepared, model, report.results)
        return prepared, report if report.failed or report.reason else replace(report, reason=doubt), engine
    if report.results.waits_in_block and not report.failed and not report.reason:
        return WAITS_IN_BLOCK
    if MIXED in model.offers and program.arch in _UNALIGNED and any(map(_is_unaligned, report.results.findings)):
        return UNALIGNED
    return prepared, report, engine


def _going_round(
    program: Program, model: Model, engine: Engine, options: ExploreOptions, prepared: Prepared, report: Report
) -> tuple[Prepared, Report] | None:
    """Where another thread saw what an iteration added and took back, or may have written what it read, the iteration
    cannot be left out. Such loops are often left soon all the same: a lock that counts its waiters. So the program runs
    once more with these iterations, few of them and not for long; None where that is not enough to know everything, or
    was not called for."""
    found_in = [raw for raw in report.results.findings if kind_of(raw) is ErrorKind.LEFT_OUT]
    if not found_in or report.failed or report.reason or options.save or options.resume:
        return None
    looks = report.results.looks
    read_in = {b.loop for b in report.results.between if b.is_read() and any(meet(b, look) for look in looks)}
    seen = {at: raw.position in read_in for raw in found_in if (at := to_report(raw, prepared).at) is not None}
    bounds = tuple(f"{at.file}:{at.line}={_LOOKS if reads else _ROUNDS}" for at, reads in seen.items())
    whole = frozenset(at for at, reads in seen.items() if reads)
    executions = report.results.executions + report.results.blocked
    patience = replace(
        options,
        barriers=False,  # what could give them up is not looked for here
        locks=False,
        loop_bound=(*bounds, *options.loop_bound),
        shortcuts=options.shortcuts and not whole,
        max_executions=min(options.max_executions or 2**62, 10 * executions + 10_000),
        time_limit=min(options.time_limit or 2**62, 10 * report.seconds + 1),
    )
    longer = prepare(program, model, patience, undo=False, whole=whole)
    found = native.run(longer, model, engine, patience, None)
    while cut := with_cuts(longer, found.results.cuts):
        longer = cut
        found = native.run(longer, model, engine, patience, None)
    everything = not found.reason and not any(is_limit(f) for f in found.results.findings)
    return (longer, found) if found.failed or everything else None


def _is_unaligned(raw: CoreFinding) -> bool:
    return kind_of(raw) is ErrorKind.MISALIGNED


def _refuse_saving(engine: Engine, options: ExploreOptions) -> None:
    """Enumeration goes from the start to the end: a file that nobody reads or writes would be a promise not kept, and
    so would workers that nobody asks."""
    if options.cluster is not None:
        raise UsageError(f"--cluster: explorations are shared, but here all candidates are enumerated: {engine.reason}")
    if options.save or options.resume:
        asked = f"--save {options.save}" if options.save else f"--resume {options.resume}"
        raise UsageError(f"{asked}: explorations are saved, but here all candidates are enumerated: {engine.reason}")
