"""Verdicts by enumeration: for models that the explorer does not know, and as the oracle of those that it does.

Responsible for assertions, races that the model flags, deadlocks, the program's condition and outcomes. Not for memory
safety: a program that allocates gets a warning instead of silence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field, replace

from fencepost.enumerate.enumeration import Found, Judge, Status, enumerate_all, kept_by
from fencepost.enumerate.freed import Frees, writing_frees
from fencepost.enumerate.traces import MAX_EVENTS, OutOfTimeError
from fencepost.errors import UnsupportedError
from fencepost.execution.execution import Execution
from fencepost.judgement import Seen, bound_met, judge, nothing_completes, refutation
from fencepost.models.cat.plan import is_race
from fencepost.models.registry import Model
from fencepost.options import CheckOptions, ExploreOptions
from fencepost.prepare.pieces import in_pieces, name_of_pieces, of_pieces
from fencepost.prepare.ready import ready
from fencepost.program import instructions as ins
from fencepost.program.condition import decide, holds, refutes
from fencepost.program.instructions import GOES_ON, ErrorKind
from fencepost.program.layout import condition_constants, lay_out
from fencepost.program.operands import Position
from fencepost.program.passes.flow import goes_back
from fencepost.program.passes.split import Split
from fencepost.program.program import Arch, Program
from fencepost.reasons import Reason, out_of_executions, out_of_time, words
from fencepost.records import dataclass
from fencepost.verdict import Answer, ErrorReport, Outcomes, Verdict, Witness

State = tuple[tuple[str, int], ...]
Judges = Callable[[Model], Judge | None]
_ROUNDS = (1, 3)
_NOT_LOOKED_FOR = "enumeration does not look for memory errors (out of bounds, use after free, leaks, ...)"
_ONLY_FREED = "of the memory errors, enumeration looks for use after free only (not for out of bounds, leaks, ...)"


@dataclass(slots=True)
class _Tally:
    states: dict[State, int] = field(default_factory=dict)
    executions: int = 0
    blocked: int = 0
    errors: list[tuple[ErrorReport, Found]] = field(default_factory=list)
    bounds: list[ErrorReport] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    assumed: set[Position | None] = field(default_factory=set)
    reason: Reason | None = None
    against: Execution | None = None  # the first whose final state refutes the condition
    frees: Frees | None = None

    def unfinished(self, program: Program) -> tuple[Reason, ...]:
        """Why there may be more than what was seen."""
        if self.reason is not None:
            return (self.reason,)
        return tuple(dict.fromkeys(bound_met(program, b) for b in self.bounds))


def check_by_enumeration(
    program: Program, model: Model, options: CheckOptions, judges: Judges | None = None
) -> Verdict:
    """The verdict of `check`. Its `extra` names the engine. `judges`: gives the `enumeration.Judge` of a model.

    Loops that retry go round as often as values are guessed, and most guesses come to nothing: a verdict within a few
    rounds that no execution exceeds is one without a bound."""
    if model.name == "lkmm" and options.unroll is None and not options.loop_bound:
        for rounds in _ROUNDS if any(map(goes_back, ready(program, model, options).functions)) else ():
            with suppress(UnsupportedError):
                verdict = _check(program, model, replace(options, unroll=rounds), judges)
                if verdict.answer is not Answer.UNKNOWN:
                    return verdict
    return _check(program, model, options, judges)


def _check(program: Program, model: Model, options: CheckOptions, judges: Judges | None) -> Verdict:
    start = time.perf_counter()
    asked = ready(program, model, options)
    limit = start + options.time_limit if options.time_limit is not None else None
    try:
        frees = writing_frees(asked, kept_by(model), min(options.max_events, MAX_EVENTS), limit)
    except OutOfTimeError:
        frees = Frees(asked)  # the time is over before anything was judged
    asked = frees.program
    split = in_pieces(asked, model, program.arch)
    prepared, under = (split.program, of_pieces(model)) if split is not None else (asked, model)
    named = name_of_pieces(model) if split is not None else model.name
    tally = _collect(
        prepared, under, options, options.ignored, keep_going=options.keep_going, judges=judges,
        against=_refuting(asked, split), frees=frees,
    )  # fmt: skip
    if split is not None:
        tally.states = split.restore(tally.states)
    holds = _condition(asked, tally)
    seen = Seen([e for e, _ in tally.errors], holds, tally.unfinished(prepared), tally.executions, tally.blocked,
                "enumerated", tally.assumed)  # fmt: skip
    verdict, reason, why = judge(asked, seen)
    witnesses = [Witness(found.execution, error, named, program=prepared) for error, found in tally.errors]
    if not witnesses and holds is False and tally.against is not None:
        witnesses = [refutation(prepared, tally.against, named)]
    return Verdict(
        verdict, reason, model.name, tally.executions, tally.blocked, time.perf_counter() - start,
        tuple(w.error for w in witnesses), witnesses[0] if witnesses else None, _warnings(prepared, tally),
        {"engine": "enumerate"} | ({"condition": holds} if program.condition is not None else {}), why,
        others=tuple(witnesses[1:]),
    )  # fmt: skip


def outcomes_by_enumeration(
    program: Program, model: Model, options: ExploreOptions, judges: Judges | None = None
) -> Outcomes:
    """The final states. They are complete unless `reason` says otherwise."""
    start = time.perf_counter()
    prepared = ready(program, model, options)
    split = in_pieces(prepared, model, program.arch)
    judged, under = (split.program, of_pieces(model)) if split is not None else (prepared, model)
    ignored = frozenset({ErrorKind.DEADLOCK, ErrorKind.LIVENESS})
    tally = _collect(judged, under, options, ignored, keep_going=True, judges=judges)
    if split is not None:
        tally.states = split.restore(tally.states)
    holds, unfinished = _condition(prepared, tally), tally.unfinished(judged)
    if not unfinished and (unfinished := nothing_completes(tally.executions, tally.assumed)):
        holds = None if holds else holds
    return Outcomes(
        model.name, dict(sorted(tally.states.items())), holds, tally.executions, tally.blocked,
        time.perf_counter() - start, words(unfinished), tuple(dict.fromkeys(e for e, _ in tally.errors)), "enumerate",
        reasons=unfinished,
    )  # fmt: skip


def _collect(
    program: Program, model: Model, options: ExploreOptions, ignored: frozenset[ErrorKind], *, keep_going: bool,
    judges: Judges | None, against: Callable[[Mapping[str, int]], bool] = lambda _: False, frees: Frees | None = None,
) -> _Tally:  # fmt: skip
    """`against`: whether a final state refutes the condition."""
    tally = _Tally(frees=frees)
    start = time.perf_counter()
    limit = start + options.time_limit if options.time_limit is not None else None
    most = min(options.max_events, MAX_EVENTS)
    chosen = judges(model) if judges is not None else None
    left_out = _left_out(program)
    for found in enumerate_all(program, model, max_events=most, deadline=limit, judge=chosen):
        if found.flags and found.status is Status.COMPLETE and left_out(found.outcome):
            found.flags = ()
        if found.status is Status.COMPLETE:
            tally.executions += 1
            state = tuple(found.outcome.items())
            if tally.against is None and against(found.outcome):
                tally.against = found.execution
            tally.states[state] = tally.states.get(state, 0) + 1
        elif found.status is Status.BLOCKED:
            tally.blocked += 1
            tally.assumed |= found.assumed
        elif found.status is Status.BOUND:
            tally.bounds.extend(found.errors)
        all_errors = _errors(found, tally)
        tally.bounds.extend(e for e in all_errors if e.kind in ignored and e.kind not in GOES_ON)
        new = [e for e in all_errors if e.kind not in ignored]
        known = {(e.kind, e.at) for e, _ in tally.errors}
        tally.errors += [(e, found) for e in new if (e.kind, e.at) not in known]
        if tally.errors and not keep_going:
            break
        if options.max_executions is not None and tally.executions >= options.max_executions:
            tally.reason = out_of_executions(tally.executions)
            break
    if options.time_limit is not None and time.perf_counter() - start > options.time_limit and tally.reason is None:
        tally.reason = out_of_time(options.time_limit)
    return tally


def _left_out(program: Program) -> Callable[[Mapping[str, int]], bool]:
    """Whether the filter of a kernel test leaves a final state out, with the races on the way to it, as in herd:
    filters stand there for loops that wait. In C a race is an error of the program, whatever is asked."""
    condition = program.condition
    if program.arch is not Arch.LKMM or condition is None or condition.filter is None:
        return lambda _: False
    wanted, constants = condition.filter, condition_constants(program, lay_out(program))
    return lambda state: not holds(wanted, state, constants)


def _refuting(program: Program, split: Split | None) -> Callable[[Mapping[str, int]], bool]:
    """Whether a final state, of the program in pieces where it is split, is against its condition."""
    constants, condition = condition_constants(program, lay_out(program)), program.condition

    def against(state: Mapping[str, int]) -> bool:
        whole = state if split is None else dict(split.whole(tuple(state.items())))
        return condition is not None and refutes(condition, whole, constants)

    return against


def _errors(found: Found, tally: _Tally) -> list[ErrorReport]:
    errors = list(found.errors) if found.status is Status.ERROR else []
    for name, pairs in found.flags:
        if not is_race(name):
            tally.flags.add(name)
            continue
        first, second = sorted(pairs[0])
        event = found.execution.events[second]
        errors.append(ErrorReport(ErrorKind.RACE, "data race", event.at, event.thread, (first, second)))
    if tally.frees is not None and tally.frees.seen and found.status is not Status.BOUND:
        used = tally.frees.used(found.execution)
        errors += [used] if used is not None else []
    if found.status is Status.BLOCKED and found.stalled is not None:
        last = [e.id for t in found.execution.blocked for e in found.execution.thread_events(t)[-1:]]
        errors.append(replace(found.stalled, events=tuple(last)))
    return errors


def _condition(program: Program, tally: _Tally) -> bool | None:
    """Whether the condition holds; None where there is none or what was seen does not decide it."""
    condition = program.condition
    if condition is None:
        return None
    constants = condition_constants(program, lay_out(program))
    complete = tally.reason is None and not tally.bounds
    return decide(condition, (dict(s) for s in tally.states), constants, complete=complete)


def _warnings(program: Program, tally: _Tally) -> tuple[str, ...]:
    allocates = any(isinstance(i, ins.Malloc | ins.Free) for f in program.functions for i in f.code)
    found = [f"the model raised its flag {name}" for name in sorted(tally.flags)]
    seen = tally.frees is not None and tally.frees.seen
    return tuple([*found, _ONLY_FREED if seen else _NOT_LOOKED_FOR] if allocates else found)
