"""The one shape of an analysis, `(Program, Model, Options) → Verdict`, and what happens around each of them: its
witness is made whole, judged again by the model's own file and by replay, and gets the search for a fix."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Protocol, TypeVar

from fencepost.errors import FencepostError, InternalError
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.records import dataclass, replace
from fencepost.repair.files import Files
from fencepost.verdict import Answer, Verdict, Witness

Options = TypeVar("Options", contravariant=True)
Progress = TypeVar("Progress", contravariant=True)


class Analysis(Protocol[Options, Progress]):
    """Exploration, enumeration, robustness and the bounded search are of this shape."""

    def __call__(
        self, program: Program, model: Model, options: Options, progress: Progress | None = None, /
    ) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Trial:
    """How a fix is tried on the whole program. `robust`: what is wanted is robustness, not the absence of errors.
    `files`: where there are such, declarations may be changed, too."""

    check: Callable[[Program, CheckOptions], Verdict]
    options: CheckOptions
    robust: bool = False
    files: Files | None = None


#: Given a program after all passes, a model and the size of an execution: more executions with errors.
Others = Callable[[Program, Model, int], list[Witness]]

#: Events of the executions that are compared, of all together: a fixed amount of work.
_COMPARED = 3_000
_TRIED = 3  # of the simplest, where the model does not allow one, or where it does not replay

#: What a user says about an order of exploration is not known to be right.
_MISLED = "commit-before is not valid: it led to an execution that is none, so others may be missing"
_PLAIN = "the error needs no weak memory: an execution in which the threads take turns is told"


def answer(
    analysis: Analysis[Options, Progress], program: Program, model: Model, options: Options,
    progress: Progress | None = None, trial: Trial | None = None, *, replayed: bool = False,
    others: Others | None = None,
) -> Verdict:  # fmt: skip
    """What the analysis says, with a witness that holds. Without a `trial` no fix is looked for. `replayed`: the
    analysis ran its witness again itself, on a machine of its own, and asked the model about it. `others`: finds more
    executions with the same errors, of which the simplest is told."""
    verdict = analysis(program, model, options, progress)
    if verdict.witness is None:
        return verdict
    try:
        found = verdict.witnesses if replayed else tuple(confirmed(w, model) for w in verdict.witnesses)
    except InternalError:
        if getattr(options, "commit_before", None) is None:
            raise
        return replace(verdict, answer=Answer.UNKNOWN, reason=_MISLED, reasons=(), errors=(), witness=None, others=())
    if others is not None:
        told = _simplest(found, model, others)
        errors = {old.error: new.error for old, new in zip(verdict.witnesses, told, strict=True)}
        verdict, found = replace(verdict, errors=tuple(errors.get(e, e) for e in verdict.errors)), told
    first, *rest = _curable(found, program, trial) if trial is not None else found
    return replace(verdict, witness=first, others=tuple(rest))


def confirmed(witness: Witness, model: Model) -> Witness:
    """The witness as a whole execution. Raises InternalError where its model forbids it, or where running it again
    does not end in its error. An analysis may show an execution of another model than it was asked about: that of an
    error that the program has without weak memory."""
    from fencepost.witness.confirm import confirm, model_of
    from fencepost.witness.raced import with_what_is_read
    from fencepost.witness.repair import repair

    own = model if witness.model == model.name else model_of(witness)
    assert own is not None, "the model of a new witness should be at hand"
    whole = with_what_is_read(repair(witness, own))
    whole = whole if own.ours else replace(whole, model_text=own.source)
    confirm(whole, own)
    return whole


def _simplest(found: tuple[Witness, ...], model: Model, others: Others) -> tuple[Witness, ...]:
    """Of the executions that end in the same error, at the same place, the one that is easiest to follow: first one
    without weak memory, where there is such; then one with few reads that miss something, and few changes of thread.
    The model is asked about it, and it is run again, as any other one."""
    from fencepost.witness.cycles import takes_turns

    program = next((w.program for w in found if w.program is not None), None)
    if program is None:
        return found
    size = max(len(w.execution.events) for w in found)
    sc = find("sc")
    plain = [w for w in others(program, sc, size) if takes_turns(w.execution)]
    named = {_name(w) for w in plain}
    weak = others(program, model, size) if any(_name(w) not in named for w in found) and model.name != sc.name else []
    return tuple(_simpler(w, [o for o in plain if _name(o) == _name(w)] or weak, model) for w in found)


def _simpler(witness: Witness, others: list[Witness], model: Model) -> Witness:
    from fencepost.witness.story import effort_of

    same = sorted((o for o in others if _name(o) == _name(witness)), key=_size)
    few = sum(1 for total in accumulate(map(_size, same)) if total <= _COMPARED)
    ranked = sorted((effort_of(o), n) for n, o in enumerate(same[:few]))
    own = effort_of(witness)
    for cost, n in ranked[:_TRIED]:
        instead = _instead(witness, same[n], model) if cost < own else None
        if instead is not None and effort_of(instead) < own:  # a hole in it may have been filled
            return instead
    return witness


def _size(witness: Witness) -> int:
    return len(witness.execution.events)


def _name(witness: Witness) -> tuple[object, ...]:
    return witness.error.kind, witness.error.at, witness.error.message


def _instead(witness: Witness, other: Witness, model: Model) -> Witness | None:
    from fencepost.witness.cycles import takes_turns

    plainly = not takes_turns(witness.execution) and takes_turns(other.execution)
    notes = (*witness.notes, _PLAIN) if plainly and witness.error.kind is not ErrorKind.RACE else witness.notes
    try:
        return confirmed(replace(other, model=witness.model, notes=notes), model)
    except FencepostError:  # the one that was found first is a witness, too
        return None


def _curable(witnesses: tuple[Witness, ...], program: Program, trial: Trial) -> tuple[Witness, ...]:
    """The witnesses with the search for a fix, which runs once, when one is told: it is a fix of the whole program."""
    from fencepost.repair.cure import Cure

    size = len(witnesses[0].execution.events)
    cure = Cure(program, trial.options, trial.check, size, robust=trial.robust, files=trial.files)
    return tuple(replace(w, cure=cure) for w in witnesses)
