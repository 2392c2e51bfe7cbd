"""Every FAIL is judged again before it is shown: the model must allow the execution, in the evaluator that reads the
`.cat` file and shares nothing with the engines, and running it again must end in the same error. That evaluator takes
time in the cube of the events (7 s for 2 000, a quarter of an hour for 8 500); longer executions are only run again."""

from __future__ import annotations

from fencepost.errors import FencepostError, InternalError
from fencepost.execution.execution import Execution
from fencepost.models.registry import Model, find, of_text
from fencepost.verdict import Witness
from fencepost.witness.errors import dispute
from fencepost.witness.replay import Replay, replay

_MOST_JUDGED = 3_000  # events


def confirm(witness: Witness, model: Model | None = None) -> Replay | None:
    """Raises InternalError, which says what disagrees. Returns the replay, where the witness has a program to run.
    Without a `model` the one that the witness names is taken; a witness of a model that is not at hand is only
    replayed."""
    replayed = None
    if witness.program is not None:
        replayed = replay(witness.program, witness.execution)
        wrong = dispute(witness.program, witness, replayed)
        if wrong:
            raise InternalError(f"the {witness.error.kind.value} that was found is not there on replay: {wrong}")
    known = model or model_of(witness)
    if known is not None and len(witness.execution.events) <= _MOST_JUDGED:
        _judge(known, witness.execution)
    return replayed


def model_of(witness: Witness) -> Model | None:
    """The model of a witness: the one whose text it carries, else the one that it names; None where that came from a
    file that is not here."""
    if witness.model_text:
        return of_text(witness.model_text, f"{witness.model}.cat")
    try:
        return find(witness.model)
    except FencepostError:
        return None


def _judge(model: Model, execution: Execution) -> None:
    judgement = model.judge(execution)
    if not judgement.consistent:
        broken = ", ".join(v.name or v.kind for v in judgement.violated)
        raise InternalError(f"the execution that was found is not one of {model.name}: it violates {broken}")
