"""Whether RSMC found everything: what its paper asks of a model and a commit-before function, proved or seen to hold.

Theorems 1 and 4 ask that commit-before is monotonic, acyclic in every consistent execution and deadlock free, and that
the axioms hold in each part of an execution that they allow. The core looks at every state that it meets; here is what
the outcome means. Without an answer to one of them executions may be missing, and PASS would be a guess.
"""

from __future__ import annotations

from fencepost._core import CoreResults
from fencepost.models.registry import Model
from fencepost.prepare.encoded import Prepared
from fencepost.reasons import Code, Reason

#: Models with a commit-before for which it is proved that no consistent execution has a cycle: Theorem 2 of the paper.
#: Read-modify-writes and exclusives add nothing: their halves are in po-loc.
PROVED = {("power", "power")}


def is_proved(model: Model, commit_before: str | None) -> bool:
    """Whether commit-before is acyclic in every execution that the model allows, by proof."""
    return model.ours and not model.variants and (model.name, commit_before or model.name) in PROVED


def doubt(prepared: Prepared, model: Model, results: CoreResults) -> Reason | None:
    """Why executions may be missing; None where none can be."""
    said = _broken(prepared, results) or _unproved(model)
    return Reason(Code.NOT_PROVED, said) if said else None


def _broken(prepared: Prepared, results: CoreResults) -> str:
    first, second = (str(prepared.encoded.positions[p] or "an unknown place") for p in results.doubt)
    if results.unjustified:
        return (
            f"commit-before was not shown to be valid: it puts the load at {first} before the store at {second}, which"
            " the model may let it read from, so executions may be missing"
        )
    if results.unstable:
        return f"commit-before is not monotonic: what comes before {first} changes, so executions may be missing"
    if results.dead_ends:
        runs = results.dead_ends
        return (
            f"commit-before is not deadlock free: {runs} run{'s' * (runs != 1)} ended at {first}, which nothing allows,"
            " so executions may be missing"
        )
    return ""


def _unproved(model: Model) -> str:
    """Why a part of a consistent execution may be inconsistent; for our own models that is known not to be."""
    from fencepost.models.cat.guarantees import not_monotonic

    if model.ours and not model.variants:
        return ""
    assert model.plan is not None, "RSMC should run models that have a plan only"
    check = not_monotonic(model.plan)
    return f"the model is not shown to be monotonic: '{check}' may fail at first and hold later" if check else ""
