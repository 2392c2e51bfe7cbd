"""From a program and a weaker model to a Verdict on its robustness."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fencepost._core import Against, RobustnessSearch, SearchStatistics, SearchStatus
from fencepost.models.registry import Model
from fencepost.options import RobustOptions
from fencepost.prepare.encoded import Prepared
from fencepost.program.instructions import BOUNDS, ErrorKind, Malloc
from fencepost.program.operands import Position
from fencepost.program.program import Arch, Program
from fencepost.robustness.orders import needed, stronger_than_ra, weaker_than_ra
from fencepost.robustness.prepare import RC11, prepare
from fencepost.robustness.witness import divergence, program_error, race, race_by_hb
from fencepost.verdict import Answer, ErrorReport, Verdict, Witness

#: Called every so often with the number of states, the seconds so far and the length of the traces under way.
Progress = Callable[[int, float, int], None]

_MODELS = {"ra": Against.RA, "sra": Against.SRA, "tso": Against.TSO, "sc": Against.SC, "rc11": Against.RC11,
           "rc11-cpp20": Against.RC11_CPP20}  # fmt: skip
#: The models weaker than SC against which robustness is decided.
AGAINST = tuple(name for name in _MODELS if name != "sc")
_SLICE = 0.05  # seconds between two looks at the clock and the keyboard
_MEBIBYTE = 1 << 20
_UNLIMITED = (1 << 32) - 2
#: Codes of `Verdict.extra["code"]`: why a program that does not diverge is not called robust.
OTHER_ORDERS, NO_RUNS, WAITS = "other-orders", "no-runs", "waits-for-ever"
_MANY = 300_000  # states after which a second way to the answer is worth a try


def analyse(program: Program, model: Model, options: RobustOptions, progress: Progress | None = None, /) -> Verdict:
    """Robustness against a model, as an analysis."""
    return check_robustness(program, replace(options, against=model.name), progress)


def check_robustness(
    program: Program, options: RobustOptions | None = None, progress: Progress | None = None
) -> Verdict:
    """Decides whether every execution graph of the program under `options.against` is one of SC, for programs with
    finitely many states. The answer also stands on `Verdict.extra["robust"]`; it is None where it is not known.
    Assertions and other errors that SC already has make the verdict FAIL too, without making the program less robust.
    """
    options = options or RobustOptions()
    if options.against is None:
        options = replace(options, against=weaker_model(program, options))
    if options.state:
        from fencepost.robustness.states import check_state_robustness

        return _with_orders(check_state_robustness(program, options), program)
    if options.backend == "spin":
        from fencepost.robustness.spin import check_with_spin

        return _with_orders(check_with_spin(program, options, check_robustness), program)
    return _search(program, options, progress, options.weaker)


def _search(program: Program, options: RobustOptions, progress: Progress | None, asked: str) -> Verdict:
    """The verdict of our own search. `asked` is the model that the user wants to know about: `options.weaker`, or one
    whose executions are all among those of `options.weaker`."""
    prepared = prepare(program, options.weaker, options)
    search = RobustnessSearch(
        prepared.bytecode, _MODELS[options.weaker], options.depth_first, options.hash_compact,
        memory=options.memory * _MEBIBYTE, states=options.max_states or _UNLIMITED, jobs=options.jobs,
        critical_values=options.critical_values,
    )  # fmt: skip
    started = time.perf_counter()
    shorter = options.against == "tso" or (program.arch is Arch.C11 and options.against in RC11)
    finished = _run(search, options, started, progress, _MANY if shorter else None)
    if not finished and shorter and not _late(options, started):
        weaker = _weaker(program, options, started, progress)
        if weaker is not None:
            return weaker
        finished = _run(search, options, started, progress)
    verdict = _verdict(search, prepared, options, finished, time.perf_counter() - started, asked)
    return _with_orders(verdict, program)


def weaker_model(program: Program, options: RobustOptions) -> str:
    """The model to be robust against: the one that was asked for, or the one that the program's accesses need."""
    return options.against or ("ra" if options.state else needed(program))


def _with_orders(verdict: Verdict, program: Program) -> Verdict:
    """No PASS where accesses were read as stronger than they are, and no FAIL without a word where as weaker."""
    if verdict.model not in ("ra", "sra"):
        return verdict
    weaker, stronger = weaker_than_ra(program), stronger_than_ra(program)
    if verdict.extra["robust"] is False and stronger:
        return replace(verdict, warnings=(f"seq-cst accesses ({_places(stronger)}) are read as release and acquire",))
    if verdict.extra["robust"] is not True or not weaker:
        return verdict
    reason = f"{verdict.reason}; but {_places(weaker)} ask for less, and were read as that (try --against rc11)"
    answer = Answer.UNKNOWN if verdict.answer is Answer.PASS else verdict.answer
    return replace(verdict, answer=answer, reason=reason, extra={**verdict.extra, "robust": None, "code": OTHER_ORDERS})


def _places(at: tuple[Position, ...]) -> str:
    return f"{at[0]}" + (f" and {len(at) - 1} more" if len(at) > 1 else "")


def _run(
    search: RobustnessSearch, options: RobustOptions, started: float, progress: Progress | None,
    pause: int | None = None,
) -> bool:  # fmt: skip
    """Whether the search came to an end by itself, and not to a limit or to `pause` states. Between two slices Python
    handles signals, so Ctrl-C works."""
    while not search.advance(_SLICE):
        statistics = search.statistics
        if progress is not None:
            progress(statistics.states, time.perf_counter() - started, statistics.depth)
        if _late(options, started) or (pause is not None and statistics.states > pause):
            return False
    return True


def _late(options: RobustOptions, started: float) -> bool:
    return options.time_limit is not None and time.perf_counter() - started > options.time_limit


def _weaker(program: Program, options: RobustOptions, started: float, progress: Progress | None) -> Verdict | None:
    """The answer for TSO, or for RC11, where release/acquire gives it, whose monitor forgets more: every execution of
    TSO is one of release/acquire, and every one of RC11 is if no access asks for less. (An order of SC fences that
    extends psc serves as the order of the updates that release/acquire reads them as.) None where the program is not
    robust against that, or asks for less, or nobody knows."""
    if options.against in RC11 and weaker_than_ra(program):
        return None
    left = None if options.time_limit is None else max(0.001, options.time_limit - (time.perf_counter() - started))
    model = options.weaker
    found = _search(program, replace(options, against="ra", time_limit=left), progress, model)
    if found.extra["robust"] is not True:
        return None
    return replace(found, model=model, extra={**found.extra, "against": model})


def _verdict(
    search: RobustnessSearch, prepared: Prepared, options: RobustOptions, finished: bool, seconds: float, asked: str
) -> Verdict:
    witness, reason, robust = _finding(search, prepared, options, finished, asked)
    errors: list[ErrorReport] = []
    limits: list[str] = []
    if witness is not None:
        errors.append(witness.error)
    for raw in search.errors:
        kind = tuple(ErrorKind)[raw.kind]
        found = program_error(search, prepared, raw, kind)
        if kind in BOUNDS:
            limits.append(f"{found.error.at}: {found.error.message}")
        else:
            errors.append(found.error)
            witness = witness or found
    code = ""
    if robust and limits:
        robust, reason = None, "; ".join(limits)
    elif robust and not errors:
        robust, reason, code = _emptiness(search, prepared, reason)
    answer = Answer.FAIL if errors else Answer.PASS if robust else Answer.UNKNOWN
    beside: tuple[str, ...] = ()
    if errors and robust is not False:
        told = reason if robust else f"whether it is robust is not known: {reason}"
        beside = (f"sc has this error, too; {told}",) if options.weaker != "sc" else ()
        reason = f"{errors[0].message}, under SC already; {reason}"
    statistics = search.statistics
    return Verdict(answer, reason, options.weaker, 0, 0, seconds, tuple(errors), witness, warnings=beside,
                   extra={"robust": robust, "against": options.against, "states": statistics.states,
                          "search": _figures(statistics, seconds), **({"code": code} if code else {})})  # fmt: skip


def _emptiness(search: RobustnessSearch, prepared: Prepared, reason: str) -> tuple[bool | None, str, str]:
    """Whether there was anything to be robust: the answer, its reason and its code."""
    empty, positions = search.emptiness, prepared.encoded.positions
    if empty.assumption is not None:
        at = positions[empty.assumption]
        return None, f"assumptions exclude every run, for example the one at {at}", NO_RUNS
    if empty.waits_alone is not None:
        return None, f"{positions[empty.waits_alone]}: a thread waits for ever, {reason} until then", WAITS
    return True, reason, ""


def _finding(
    search: RobustnessSearch, prepared: Prepared, options: RobustOptions, finished: bool, asked: str
) -> tuple[Witness | None, str, bool | None]:
    """The witness of a divergence or a race, the reason of the answer, and whether the program is robust."""
    against, states = options.weaker, search.statistics.states
    endless = _endless(prepared.program)
    if not finished:
        return None, f"no divergence in the {states} states visited in {options.time_limit} s{endless}", None
    match search.status:
        case SearchStatus.DIVERGES:
            found = divergence(search, prepared, against)
            return found, f"{found.error.message}: {found.notes[0]}", False
        case SearchStatus.RACE:
            found = (race_by_hb if against in RC11 else race)(search, prepared, against)
            return found, found.error.message, False
        case SearchStatus.STATE_LIMIT:
            return None, f"no divergence in the first {states} states (--max-states){endless}", None
        case SearchStatus.MEMORY_LIMIT:
            return None, f"no divergence in {states} states, which fill {options.memory} MiB (--memory){endless}", None
        case SearchStatus.UNSUPPORTED:
            at = prepared.encoded.positions[search.unsupported_position]
            return None, f"{at}: {search.unsupported}" if at else search.unsupported, None
    if options.hash_compact:
        odds = states * states / 2**65
        reason = f"no divergence in {states} states, but states were told apart by their hash only"
        return None, f"{reason} (a state was missed with a probability of at most {odds:.1g})", None
    if against == "sc":
        return None, f"no error in the {states} states of sc", True
    models = against if asked == against else f"{asked}, since against {against}"
    return None, f"robust against {models}: {states} states, none diverges", True


def _endless(program: Program) -> str:
    """What may make the states of a program infinitely many: memory that a loop allocates again and again."""
    from fencepost.program.passes.flow import Flow

    for f in program.functions:
        flow = Flow(f)
        for block in (flow.blocks[n] for loop in flow.loops() for n in sorted(loop.blocks)):
            for i in f.code[block.first : block.last + 1]:
                if isinstance(i, Malloc):
                    return (
                        f"; {i.at} allocates in a loop: a program that never stops doing so has infinitely many states"
                    )
    return ""


def _figures(statistics: SearchStatistics, seconds: float) -> dict[str, object]:
    return {
        "transitions": statistics.transitions,
        "states_per_second": round(statistics.states / max(seconds, 1e-6)),
        "bytes": statistics.bytes,
        "bits_per_state": statistics.bits_per_state,
        "depth": statistics.depth,
        "monitored_locations": statistics.monitored,
        "local_states": statistics.local_states,
        "restarts": statistics.restarts,
    }
