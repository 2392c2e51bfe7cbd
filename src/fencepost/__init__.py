"""Fencepost: model checking for weak memory.

import fencepost
verdict = fencepost.check("queue.c", model="rc11")
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fencepost import display
from fencepost._version import __version__

if TYPE_CHECKING:
    from fencepost import errors as errors
    from fencepost.api import bounded as bounded
    from fencepost.api import check as check
    from fencepost.api import compare as compare
    from fencepost.api import doctor as doctor
    from fencepost.api import estimate as estimate
    from fencepost.api import executions as executions
    from fencepost.api import explain as explain
    from fencepost.api import generate as generate
    from fencepost.api import litmus as litmus
    from fencepost.api import model_names as model_names
    from fencepost.api import outcomes as outcomes
    from fencepost.api import outcomes_by_model as outcomes_by_model
    from fencepost.api import print_program as print_program
    from fencepost.api import read as read
    from fencepost.api import relax as relax
    from fencepost.api import repair as repair
    from fencepost.api import replay as replay
    from fencepost.api import robust as robust
    from fencepost.public import Answer as Answer
    from fencepost.public import Code as Code
    from fencepost.public import Edge as Edge
    from fencepost.public import ErrorKind as ErrorKind
    from fencepost.public import ErrorReport as ErrorReport
    from fencepost.public import Estimate as Estimate
    from fencepost.public import Event as Event
    from fencepost.public import EventKind as EventKind
    from fencepost.public import Execution as Execution
    from fencepost.public import ExitCode as ExitCode
    from fencepost.public import FencepostError as FencepostError
    from fencepost.public import InputError as InputError
    from fencepost.public import InternalError as InternalError
    from fencepost.public import Model as Model
    from fencepost.public import Outcomes as Outcomes
    from fencepost.public import OutcomesByModel as OutcomesByModel
    from fencepost.public import Position as Position
    from fencepost.public import Program as Program
    from fencepost.public import Reason as Reason
    from fencepost.public import Step as Step
    from fencepost.public import UnsupportedError as UnsupportedError
    from fencepost.public import UsageError as UsageError
    from fencepost.public import Verdict as Verdict
    from fencepost.public import Witness as Witness

_PUBLIC = (
    "check", "repair", "relax", "robust", "bounded", "outcomes", "outcomes_by_model", "executions", "estimate",
    "litmus", "explain", "generate", "compare", "replay", "read", "print_program", "model_names", "doctor",
)  # fmt: skip
_TYPES = (
    "Answer", "Code", "Edge", "ErrorKind", "ErrorReport", "Estimate", "Event", "EventKind", "Execution", "ExitCode",
    "FencepostError", "InputError", "InternalError", "Model", "Outcomes", "OutcomesByModel", "Position", "Program",
    "Reason", "Step", "UnsupportedError", "UsageError", "Verdict", "Witness",
)  # fmt: skip
__all__ = [*_PUBLIC, *_TYPES, "__version__", "errors"]


if not TYPE_CHECKING:  # to a type checker a name that is not above is a mistake

    def __getattr__(name: str) -> object:
        """The public names, imported when they are first used: `fencepost --help` must not wait for them."""
        if name in _PUBLIC:
            from fencepost import api

            return getattr(api, name)
        if name in _TYPES:
            from fencepost import public

            return getattr(public, name)
        if name == "errors":
            import fencepost.errors as found

            return found
        raise AttributeError(f"module 'fencepost' has no attribute {name!r}")


def _notebook(value: object, form: str) -> str | None:
    from fencepost import api

    return api.notebook(value, form)


display.install(_notebook)


class _Package(ModuleType):
    """Some rooms have the names of public functions (`bounded`, `repair`): importing a room must not hide them."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in _PUBLIC or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext fencepost` makes the cell magic `%%fencepost` known."""
    from fencepost.magic import register

    register(shell)


def __dir__() -> list[str]:
    return sorted(__all__)
