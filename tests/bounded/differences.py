"""Why the operational model reaches what the axioms forbid, test by test: python tests/bounded/differences.py

For each test of `differences.txt` the run of the machine is searched for the one thing that the axioms exclude: a write
behind a fence is overtaken at a process that the fence reaches only later. Then the same schedule is searched again
with the rule changed (`overtaking=False`): the state must not be reached.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from litmus_corpus import CORPUS, DIFFERENCES

from fencepost.bounded.check import SMT, solve
from fencepost.bounded.power_machine import Event
from fencepost.bounded.power_paths import SENT
from fencepost.bounded.prepare import prepare
from fencepost.bounded.replay import Run, plan_of, replay
from fencepost.bounded.straight import Straight
from fencepost.bounded.translate import translate
from fencepost.bounded.views import Schedule
from fencepost.frontends import litmus


def straight_of(stem: str) -> Straight:
    name = f"PPC/{stem}.litmus"
    return prepare(litmus.read((CORPUS / name).read_text(), name), 3)


def find_run(straight: Straight) -> Run:
    """A run with as few contexts as possible."""
    for contexts in range(1, 2 * len(straight.program.threads) + 2):
        translated = translate(straight, contexts)
        guesses = solve(translated, SMT, None)
        if guesses:
            return replay(straight, plan_of(translated, guesses))
    raise AssertionError("the state should be reached")


def reached_without_overtaking(straight: Straight, schedule: Schedule) -> bool:
    return bool(solve(translate(straight, len(schedule), schedule, overtaking=False), SMT, None))


def overtaken(straight: Straight, run: Run) -> Iterator[str]:
    """Every write behind a fence that another one overtakes at a process before the fence gets there."""
    machine, state, names = run.machine, run.state, [t.name for t in straight.program.threads]
    arrivals: dict[tuple[Event, int], int] = {}
    for n, (_, label) in enumerate(run.steps):
        if label.rule == "propagate" and label.target is not None:
            arrivals[(label.process, label.event), label.target] = n
        if label.rule == "commit":
            arrivals[(label.process, label.event), label.process] = n
    for address, order in sorted(state.order):
        cell = straight.locations.by_address[address].name
        for place, (p, n) in enumerate(order):
            path = machine.path(state, p).events
            fences = [(p, m) for m, e in enumerate(path[:n]) if e.what in SENT]
            for q in range(machine.count):
                later = [(arrivals[w, q], w) for w in order[place + 1 :] if (w, q) in arrivals]
                if ((p, n), q) in arrivals or not later:
                    continue
                first, winner = min(later)
                for fence in fences:
                    if arrivals[fence, q] > first:
                        kind = path[fence[1]].what.value
                        own, other = state.processes[p].values[n], state.processes[winner[0]].values[winner[1]]
                        yield (f"at {names[q]} {names[winner[0]]}'s {cell}={other} overtakes {names[p]}'s {cell}={own} "
                               f"before {names[p]}'s {kind} is there")  # fmt: skip


def explanation(stem: str) -> str:
    """The line of one test. Raises AssertionError where the reason is another one."""
    straight = straight_of(stem)
    run = find_run(straight)
    reasons = list(overtaken(straight, run))
    assert reasons, f"{stem}: no write behind a fence is overtaken before the fence arrives"
    assert not reached_without_overtaking(straight, run.schedule), f"{stem}: reached although overtaking is excluded"
    return "; ".join(reasons)


def main() -> int:
    for stem in sorted(DIFFERENCES):
        print(f"{stem}: {explanation(stem)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
