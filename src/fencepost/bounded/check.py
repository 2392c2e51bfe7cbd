"""From a program and bounds to a Verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING

from fencepost.bounded.attempt import Attempt, Found, Search
from fencepost.bounded.child import in_child
from fencepost.bounded.prepare import prepare
from fencepost.bounded.replay import plan_of, replay
from fencepost.bounded.schedules import likely, schedules
from fencepost.bounded.straight import Straight
from fencepost.bounded.symbolic import Formula, Symbolic
from fencepost.bounded.terms import Solver, make_solver
from fencepost.bounded.translate import Translated, translate
from fencepost.bounded.views import Schedule
from fencepost.bounded.witness import witness_of
from fencepost.errors import UnsupportedError, UsageError
from fencepost.models.registry import Model, find
from fencepost.options import BoundedOptions
from fencepost.program.condition import Quantifier
from fencepost.program.instructions import BOUNDS, Assume
from fencepost.program.operands import Const, Reg
from fencepost.program.printer import print_program
from fencepost.program.program import Program
from fencepost.reasons import Code, Reason, plural
from fencepost.records import dataclass
from fencepost.verdict import Answer, Verdict, Witness

if TYPE_CHECKING:
    from fencepost.bounded.messages import Told


@dataclass(frozen=True, slots=True)
class Progress:
    """What was learnt about one number of contexts. `found` is None where the time ran out."""

    contexts: int
    found: bool | None
    seconds: float


POWER = "power"
#: Seconds: how long as many contexts as possible are tried, and for what is asked about the last of them.
_PATIENCE, _LONGER = 60.0, 10.0
SHALLOW = 2
SMT = "smt"
PAPER = "paper"
_NO_DEADLOCKS = (
    "threads of this program wait; bounded does not ask whether for ever: `check --model %s` finds deadlocks"
)


def analyse(
    program: Program, model: Model, options: BoundedOptions, progress: Callable[[Progress], None] | None = None, /
) -> Verdict:
    """The bounded search, as an analysis."""
    assert model.name == options.model, "the machine of the bounded search should be asked about its own model"
    return check_bounded(program, options, progress)


def check_bounded(
    program: Program, options: BoundedOptions | None = None, progress: Callable[[Progress], None] | None = None
) -> Verdict:
    """Looks for a violation within a loop bound, and under POWER within a number of contexts."""
    options = options or BoundedOptions()
    if options.deepens and options.time_limit is None:
        options = replace(options, time_limit=_PATIENCE)
    started = monotonic()
    try:
        return _check(program, options, progress, started)
    except UnsupportedError as error:
        return _verdict(Answer.UNKNOWN, str(error), options, options.bounds[-1], started)


def _depths(unroll: int) -> list[int]:
    """The loop bounds to try for each number of contexts: most bugs show in the first rounds of a loop, where they are
    found much faster, and looking there first costs little."""
    return [SHALLOW, unroll] if unroll > SHALLOW + 1 else [unroll]


def _attempts(
    prepared: Callable[[int], Straight], contexts: int | None, unroll: int
) -> Iterator[tuple[Straight, Sequence[Schedule | None]]]:
    """What to ask for one number of contexts, and in which order; only the last question is the whole one."""
    shallow, *deep = _depths(unroll)
    if contexts is None:
        yield from ((prepared(depth), (None,)) for depth in (shallow, *deep))
        return
    first = prepared(shallow)
    threads = len(first.program.threads)
    if plans := [*likely(threads, contexts, first.watcher)]:
        yield prepared(unroll), plans
    yield first, [*schedules(threads, contexts)]
    if deep and prepared(unroll).program != first.program:  # else no loop goes that far
        yield prepared(unroll), [*schedules(threads, contexts)]


def _check(
    program: Program, options: BoundedOptions, progress: Callable[[Progress], None] | None, started: float
) -> Verdict:
    search: Search = _search if options.has_contexts else _search_messages
    if options.backend == "cbmc":
        from fencepost.bounded.cbmc import search
    prepared = cache(lambda depth: prepare(program, depth, options))
    forbidden: Witness | None = None
    straight: Straight | None = None
    for k in options.bounds:
        found: Found = False
        for straight, plans in _attempts(prepared, k if options.has_contexts else None, options.unroll):
            attempt = Attempt(straight, k, plans, options, started)
            found = search(attempt)
            if (
                options.has_contexts
                and isinstance(found, Witness)
                and options.machine != PAPER
                and not _is_allowed(found)
            ):
                found = search(replace(attempt, overtaking=False))
            if isinstance(found, Witness) and options.machine != PAPER and not _is_allowed(found):
                forbidden, found = found, False
            if found is None or found:
                break
        if progress is not None:
            progress(Progress(k, found if found is None else bool(found), monotonic() - started))
        assert straight is not None, "there should be a loop bound to try"
        if found is None and options.deepens and k > options.bounds[0]:
            return _as_far_as(program, straight, k - 1, options, started, forbidden)
        if found is None:
            undecided = f", with {k} contexts not decided" if options.has_contexts else ""
            reason = f"the time ran out after {options.time_limit} s{undecided}"
            return _verdict(Answer.UNKNOWN, reason, options, k, started)
        if found is not None and found is not False:
            return _found(program, options, k, started, found if isinstance(found, Witness) else None)
    if forbidden is not None:
        return _verdict(Answer.UNKNOWN, _only_forbidden(forbidden, options), options, options.bounds[-1], started)
    assert straight is not None, "there should be a number of contexts to try"
    return _nothing(program, straight, options, started)


def _as_far_as(
    program: Program, straight: Straight, k: int, options: BoundedOptions, started: float, forbidden: Witness | None
) -> Verdict:
    """The answer for the contexts that were decided before the time ran out. Whether runs end at all is asked for a
    little longer."""
    decided = replace(options, contexts=f"{options.bounds[0]}..{k}", time_limit=monotonic() - started + _LONGER)
    if forbidden is not None:
        return _verdict(Answer.UNKNOWN, _only_forbidden(forbidden, decided), decided, k, started)
    verdict = _nothing(program, straight, decided, started)
    note = f"{k + 1} contexts were not decided in {options.time_limit} s"
    return replace(verdict, warnings=(*verdict.warnings, note))


def _is_allowed(witness: Witness) -> bool:
    """Whether the axioms allow what happened in a run of the machine, which reaches more than they do."""
    return find(witness.model).judge(witness.execution, all_violations=False).consistent


def _only_forbidden(witness: Witness, options: BoundedOptions) -> str:
    place = f"{witness.error.at}: " if witness.error.at is not None else ""
    return (
        f"{place}the machine reaches '{witness.error.message}' within {options.bounds[-1]} contexts, but only by runs"
        " that power.cat forbids were found (--machine paper shows one); `check --model power` decides"
    )


def emit(program: Program, form: str, options: BoundedOptions) -> str:
    """The translation itself, for the largest number of contexts, with the schedule guessed."""
    if options.deepens:
        raise UsageError("--contexts auto: a translation is one for a number of contexts; give the number")
    if not options.has_contexts:
        raise UsageError("--emit: only the translation for power is printed")
    straight = prepare(program, options.unroll, options)
    bounds = f"at most {options.bounds[-1]} contexts, loop bound {options.unroll}"
    if form == "paper":
        from fencepost.bounded.paper import paper_form

        return paper_form(straight, options.bounds[-1], program.name, bounds)
    translated = translate(straight, options.bounds[-1])
    if form == "c":
        from fencepost.bounded.c_code import c_code

        return c_code(translated, program.name, bounds)
    return print_program(translated.program)


# --- the search


def _search(asked: Attempt) -> Found:
    left = asked.left()
    return in_child(lambda: _try_schedules(asked), None if left is None else max(0.0, left))


def _search_messages(asked: Attempt) -> Found:
    from fencepost.bounded.messages import tell
    from fencepost.bounded.told import witness_told

    def decide_told() -> Found:
        model, left = asked.options.model, asked.left()
        told = tell(asked.straight, model)
        guesses = solve(told, asked.options.backend, None if left is None else max(0.001, left))
        if not isinstance(guesses, dict):
            return guesses
        return witness_told(asked.straight, find(model), told, guesses)

    left = asked.left()
    return in_child(decide_told, None if left is None else max(0.0, left))


def _try_schedules(asked: Attempt) -> Found:
    for schedule in asked.plans:
        left = asked.left()
        if left is not None and left <= 0:
            return None
        found = decide(asked, schedule)
        if found is None or found:
            return found
    return False


def decide(asked: Attempt, schedule: Schedule | None) -> Found:
    """One of the formulas of an attempt."""
    translated = asked.translated(schedule)
    left = asked.left()
    guesses = solve(translated, asked.options.backend, None if left is None else max(0.001, left))
    if not isinstance(guesses, dict):
        return guesses
    return witness_of(asked.straight, replay(asked.straight, plan_of(translated, guesses)))


def solve(translated: Translated | Told, backend: str, seconds: float | None) -> dict[int, int] | bool | None:
    """The guesses that lead to the failure of a translated program; False where there are none, None where the time
    ran out."""
    before = monotonic()
    solver = make_solver(backend)
    symbolic = Symbolic(translated.program, solver)
    formula = symbolic.run()
    if formula.failure is False:
        return False
    if formula.failure is not True:
        solver.require(formula.failure)
    answer = solver.check(None if seconds is None else max(0.001, seconds - (monotonic() - before)))
    return _guesses(solver, symbolic, formula) if answer else answer


def _guesses(solver: Solver, symbolic: Symbolic, formula: Formula) -> dict[int, int]:
    """The guesses that the model makes on its way."""
    found = {}
    for index, chosen in formula.choices.items():
        if chosen.guard is True or solver.value(chosen.guard):
            found[index] = symbolic.values.in_model(chosen.value)
    return found


# --- verdicts


def _verdict(
    answer: Answer, reason: str, options: BoundedOptions, contexts: int, started: float, witness: Witness | None = None,
    reachable: bool | None = None,
) -> Verdict:  # fmt: skip
    extra: dict[str, object] = {"contexts": contexts} if options.has_contexts else {}
    extra |= {"unroll": options.unroll, "backend": options.backend}
    if options.machine == PAPER:
        extra["machine"] = PAPER
    if reachable is not None:
        extra["reachable"] = reachable
    errors = (witness.error,) if witness is not None and answer is Answer.FAIL else ()
    return Verdict(
        answer, reason, options.model, 0, 0, monotonic() - started, errors, witness, extra=extra,
        accepts_bounds=options.accept_bounds,
    )  # fmt: skip


def _found(
    program: Program, options: BoundedOptions, contexts: int, started: float, witness: Witness | None
) -> Verdict:
    what = "a violation" if witness is None else witness.error.message
    place = f"{witness.error.at}: " if witness is not None and witness.error.at is not None else ""
    reason = f"{place}{what} ({_bounds(options, contexts)})"
    if witness is not None and witness.error.kind in BOUNDS:
        return _verdict(Answer.UNKNOWN, reason, options, contexts, started)
    if options.machine == PAPER:
        by = "the paper's machine" + (
            "" if witness is None or _is_allowed(witness) else ", by a run that power.cat forbids"
        )
        reason += f"; {by}"
        if witness is not None:  # what every report shows
            witness = replace(witness, error=replace(witness.error, message=f"{witness.error.message} ({by})"))
    return _verdict(_wanted(program), reason, options, contexts, started, witness, True)


def _bounds(options: BoundedOptions, contexts: int) -> str:
    rounds = f"loop bound {options.unroll}"
    return f"within {plural(contexts, 'context')} and {rounds}" if options.has_contexts else f"within {rounds}"


def _wanted(program: Program) -> Answer:
    """What finding a run means: the state that an `exists` asks for is what it asks for."""
    condition = program.condition
    return Answer.PASS if condition is not None and condition.quantifier is Quantifier.EXISTS else Answer.FAIL


def _nothing(program: Program, straight: Straight, options: BoundedOptions, started: float) -> Verdict:
    k = options.bounds[-1]
    bounds = _bounds(options, k)
    if options.machine == PAPER:
        bounds += " of the paper's machine"
    if _wanted(program) is Answer.PASS:
        reason = f"no run {bounds} reaches the state; a longer one may"
        return _verdict(Answer.UNKNOWN, reason, options, k, started, reachable=False)
    completes = _completes(program, straight, k, options, started)
    if not completes:
        why = _incomplete(program, straight, bounds)
        if completes is None:
            why = Reason(Code.LIMIT, f"no violation {bounds}, but the time ran out before a run that ends was found")
        return replace(_verdict(Answer.UNKNOWN, str(why), options, k, started, reachable=False), reasons=(why,))
    why = Reason(Code.BOUND, bounds)
    warnings = (_NO_DEADLOCKS % options.model,) if next(_waits(straight), None) is not None else ()
    found = _verdict(Answer.BOUNDED, f"PASS {bounds}", options, k, started, reachable=False)
    return replace(found, reasons=(why,), warnings=warnings)


def _incomplete(program: Program, straight: Straight, bounds: str) -> Reason:
    """Why there is nothing to judge."""
    assumed = next(_assumptions(program), None)
    if assumed is not None:
        return Reason(Code.ASSUMPTIONS, f"assumptions exclude every execution {bounds}", assumed.at)
    waiting = next(_waits(straight), None)
    at = waiting.at if waiting is not None else None
    return Reason(Code.NOT_PROVED, f"no run {bounds} comes to the end of every thread: some wait for ever here", at)


def _assumptions(program: Program) -> Iterator[Assume]:
    return (i for f in program.functions for i in f.code if isinstance(i, Assume))


def _is_cut(straight: Straight) -> bool:
    """Whether a loop may go on where its bound ends it."""
    return any(isinstance(i.condition, Const) for i in _assumptions(straight.program))


def _waits(straight: Straight) -> Iterator[Assume]:
    """What threads wait for, and what they assume; the bounds of loops are assumptions that never hold."""
    return (i for i in _assumptions(straight.program) if isinstance(i.condition, Reg))


def _completes(
    program: Program, straight: Straight, contexts: int, options: BoundedOptions, started: float
) -> bool | None:
    """Whether some run comes to the end of every thread; None where the time ran out. Only assumptions and waits make
    that a question worth asking: without them a run that is not complete looks at everything that it does, and so does
    one that ends at the bound of a loop. So few contexts that nobody gets what it waits for are no reason to doubt:
    more of them are tried then."""
    if next(_waits(straight), None) is None or (_is_cut(straight) and next(_assumptions(program), None) is None):
        return True
    if not options.has_contexts:
        left = None if options.time_limit is None else max(0.1, options.time_limit - (monotonic() - started))
        return _can_complete(straight, options, left)
    enough = max(contexts, 2 * len(straight.program.threads) + 1)
    answers: list[bool | None] = []
    for k in dict.fromkeys((contexts, enough)):
        answers.append(_completes_within(straight, k, options, started))
        if answers[-1]:
            return True
    return None if None in answers else False


def _can_complete(straight: Straight, options: BoundedOptions, seconds: float | None) -> bool | None:
    from fencepost.bounded.messages import tell

    found = solve(tell(straight, options.model, completion=True), SMT, seconds)
    return found if found is None else found is not False


def _completes_within(straight: Straight, contexts: int, options: BoundedOptions, started: float) -> bool | None:
    unknown = False
    for s in schedules(len(straight.program.threads), contexts):
        left = None if options.time_limit is None else max(0.1, options.time_limit - (monotonic() - started))
        found = solve(translate(straight, len(s) if s else contexts, s, completion=True), SMT, left)
        if found is not None and found is not False:
            return True
        unknown |= found is None
    return None if unknown else False
