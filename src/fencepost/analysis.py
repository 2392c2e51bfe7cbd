"""The one shape of an analysis, `(Program, Model, Options) → Verdict`, and what happens around each of them: its
witness is made whole, judged again by the model's own file and by replay, and gets the search for a fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from fencepost.errors import FencepostError
from fencepost.models.registry import Model
from fencepost.options import CheckOptions
from fencepost.program.program import Program
from fencepost.records import dataclass, replace
from fencepost.repair.files import Files
from fencepost.verdict import Verdict, Witness

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


#: Given a program after all passes and the size of an execution: the errors under sc, as far as they are found.
Plain = Callable[[Program, int], list[Witness]]

_PLAIN = "the error needs no weak memory: an execution in which the threads take turns is told"


def answer(
    analysis: Analysis[Options, Progress], program: Program, model: Model, options: Options,
    progress: Progress | None = None, trial: Trial | None = None, *, replayed: bool = False,
    plainly: Plain | None = None,
) -> Verdict:  # fmt: skip
    """What the analysis says, with a witness that holds. Without a `trial` no fix is looked for. `replayed`: the
    analysis ran its witness again itself, on a machine of its own, and asked the model about it. `plainly`: looks for
    the same errors without weak memory, which are easier to follow."""
    verdict = analysis(program, model, options, progress)
    if verdict.witness is None:
        return verdict
    found = verdict.witnesses if replayed else tuple(confirmed(w, model) for w in verdict.witnesses)
    if plainly is not None:
        told = _simplest(found, model, plainly)
        errors = {old.error: new.error for old, new in zip(verdict.witnesses, told, strict=True)}
        verdict, found = replace(verdict, errors=tuple(errors.get(e, e) for e in verdict.errors)), told
    first, *others = _curable(found, program, trial) if trial is not None else found
    return replace(verdict, witness=first, others=tuple(others))


def confirmed(witness: Witness, model: Model) -> Witness:
    """The witness as a whole execution. Raises InternalError where its model forbids it, or where running it again
    does not end in its error. An analysis may show an execution of another model than it was asked about: that of an
    error that the program has without weak memory."""
    from fencepost.witness.confirm import confirm, model_of
    from fencepost.witness.repair import repair

    own = model if witness.model == model.name else model_of(witness)
    assert own is not None, "the model of a new witness should be at hand"
    whole = repair(witness, own)
    whole = whole if own.ours else replace(whole, model_text=own.source)
    confirm(whole, own)
    return whole


def _simplest(found: tuple[Witness, ...], model: Model, plainly: Plain) -> tuple[Witness, ...]:
    """Where the same error, at the same place, is found without weak memory, that execution is the witness. The model
    is asked about it, and it is run again, as any other one."""
    from fencepost.witness.cycles import takes_turns

    weak = [w for w in found if w.program is not None and not takes_turns(w.execution)]
    if not weak or weak[0].program is None:
        return found
    plain = plainly(weak[0].program, max(len(w.execution.events) for w in weak))
    same = {_name(w): w for w in reversed(plain) if takes_turns(w.execution)}
    return tuple(_instead(w, same.get(_name(w)), model) if w in weak else w for w in found)


def _name(witness: Witness) -> tuple[object, ...]:
    return witness.error.kind, witness.error.at, witness.error.message


def _instead(witness: Witness, plain: Witness | None, model: Model) -> Witness:
    if plain is None:
        return witness
    try:
        return confirmed(replace(plain, model=witness.model, notes=(*witness.notes, _PLAIN)), model)
    except FencepostError:  # the one that was found first is a witness, too
        return witness


def _curable(witnesses: tuple[Witness, ...], program: Program, trial: Trial) -> tuple[Witness, ...]:
    """The witnesses with the search for a fix, which runs once, when one is told: it is a fix of the whole program."""
    from fencepost.repair.cure import Cure

    size = len(witnesses[0].execution.events)
    cure = Cure(program, trial.options, trial.check, size, robust=trial.robust, files=trial.files)
    return tuple(replace(w, cure=cure) for w in witnesses)
