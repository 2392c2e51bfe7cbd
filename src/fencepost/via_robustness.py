"""A program that is robust against a model needs to be explored under sequential consistency only.

Where every execution graph of the model is one of SC, an error of the program is an error under SC, with two
exceptions that are looked at on the way: a data race is one of the model's own order, and the monitor finds it; and a
program whose robustness is not known is explored as ever. SC has far fewer executions where threads race for much.
"""

from __future__ import annotations

from dataclasses import replace

from fencepost.errors import FencepostError, UsageError
from fencepost.explore import explore
from fencepost.explore.native import Runner, Watch
from fencepost.explore.native import run as run_here
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions, RobustOptions
from fencepost.program.program import Program
from fencepost.reasons import Code, Reason
from fencepost.robustness import AGAINST, analyse
from fencepost.verdict import Answer, Verdict

SC = "sc"
_PLAIN = CheckOptions().volatile
#: Options under which the two searches would not mean the same program, or the answer would be another's.
_ALONE = ("save", "resume", "deepen", "unroll", "loop_bound", "commit_before")


def explore_via_robustness(
    program: Program, model: Model, options: CheckOptions, progress: Watch | None = None, /, *, run: Runner = run_here
) -> Verdict:
    """As `explore`, by way of robustness where that is known in time. The verdict says which way it went."""
    if not model.ours or model.name not in AGAINST:
        raise UsageError(f"--via-robustness: robustness is decided against {', '.join(AGAINST)}, not {model.name}")
    for name in _ALONE:
        if getattr(options, name):
            raise UsageError(f"--via-robustness goes without --{name.replace('_', '-')}")
    doubt = _doubt(program, model, options)
    if doubt:
        found = explore(program, model, options, progress, run=run)
        return replace(found, extra={**found.extra, "via": "exploration", "why": doubt})
    found = explore(program, find(SC), options, progress, run=run)
    extra = {**found.extra, "via": "robustness"}
    if found.answer is not Answer.PASS:
        return replace(found, model=model.name, extra=extra)
    why = Reason(Code.COMPLETE, f"robust against {model.name}, and every execution under sc explored, no error")
    return replace(found, model=model.name, reason=str(why), reasons=(why,), extra=extra)


def _doubt(program: Program, model: Model, options: CheckOptions) -> str:
    """Why the program is explored under the model itself; empty where it is robust and has no race."""
    if program.condition is not None or options.ignore or options.volatile != _PLAIN:
        return "a final condition, ignored errors and --volatile are looked at under the model itself"
    asked = RobustOptions(
        time_limit=options.time_limit, jobs=options.jobs, spurious_wakeups=options.spurious_wakeups,
        spurious_failures=options.spurious_failures,
    )  # fmt: skip
    try:
        verdict = analyse(program, model, asked)
    except FencepostError as error:
        return str(error)
    return "" if verdict.answer is Answer.PASS and verdict.extra["robust"] is True else verdict.reason
