"""Who answers the search: the checker, and the model itself about single executions."""

from __future__ import annotations

from collections.abc import Callable

from fencepost.execution.execution import Execution
from fencepost.models.cat.plan import is_race
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.prepare.ready import ready
from fencepost.program.instructions import ErrorKind
from fencepost.program.program import Program
from fencepost.records import replace
from fencepost.repair.refit import refit
from fencepost.repair.space import Assignment, Space
from fencepost.verdict import Verdict, Witness
from fencepost.witness.errors import dispute
from fencepost.witness.relations import Relations
from fencepost.witness.replay import ReplayError, replay

Check = Callable[[Program], Verdict]


class Explorer:
    """`check` explores a whole program; what a known execution does under other orders is asked of the model."""

    def __init__(self, space: Space, model: Model, options: ExploreOptions, check: Check) -> None:
        self.space, self.model, self.options, self._check = space, model, options, check
        self.flags_races = model.plan is not None and any(c.race for c in model.plan.checks)

    def check(self, chosen: Assignment) -> Verdict:
        return self._check(self.space.build(chosen))

    def bad(self, witness: Witness, chosen: Assignment) -> bool:
        """Whether the execution of the witness exists under this assignment, is consistent, and is in error."""
        assert witness.program is not None, "a witness of an exploration should carry its program"
        program = ready(self.space.build(chosen), self.model, self.options, undo=True)
        program = replace(program, cuts=witness.program.cuts)
        found = refit(program, witness.execution)
        judgement = self.model.judge(found.execution, all_violations=False) if found is not None else None
        if found is None or judgement is None or not judgement.consistent:
            return False
        if witness.error.kind is ErrorKind.RACE:  # as the model has it, where it says what a race is
            own = any(is_race(f.name) for f in judgement.flags)
            return own if self.flags_races else has_race(found.execution)
        blamed = tuple(found.number[e] for e in witness.error.events if e in found.number)
        moved = replace(
            witness, execution=found.execution, program=program, error=replace(witness.error, events=blamed)
        )
        try:
            return not dispute(program, moved, replay(program, found.execution))
        except ReplayError:
            return False


class Asked:
    """Any question that only the checker answers, such as robustness."""

    def __init__(self, space: Space, check: Check) -> None:
        self.space, self._check = space, check

    def check(self, chosen: Assignment) -> Verdict:
        return self._check(self.space.build(chosen))

    def bad(self, witness: Witness, chosen: Assignment) -> bool:
        return False


def has_race(x: Execution) -> bool:
    """Whether any two conflicting accesses race: with more order, a race may go and leave another one."""
    hb = Relations(x).hb
    accesses = [e for e in x.events if e.is_access and e.thread >= 0]
    for number, a in enumerate(accesses):
        for b in accesses[number + 1 :]:
            if a.conflicts(b) and not (hb[a.id] >> b.id & 1 or hb[b.id] >> a.id & 1):
                return True
    return False
