"""The types that users of the API meet: what `fencepost.Verdict` and the like are."""

from fencepost.errors import FencepostError as FencepostError
from fencepost.errors import InputError as InputError
from fencepost.errors import InternalError as InternalError
from fencepost.errors import UnsupportedError as UnsupportedError
from fencepost.errors import UsageError as UsageError
from fencepost.execution.execution import Event as Event
from fencepost.execution.execution import EventKind as EventKind
from fencepost.execution.execution import Execution as Execution
from fencepost.frontends import Unread as Unread
from fencepost.models.registry import Model as Model
from fencepost.program.instructions import ErrorKind as ErrorKind
from fencepost.program.operands import Position as Position
from fencepost.program.program import Program as Program
from fencepost.reasons import Code as Code
from fencepost.reasons import Reason as Reason
from fencepost.verdict import Answer as Answer
from fencepost.verdict import Edge as Edge
from fencepost.verdict import ErrorReport as ErrorReport
from fencepost.verdict import Estimate as Estimate
from fencepost.verdict import ExitCode as ExitCode
from fencepost.verdict import Outcomes as Outcomes
from fencepost.verdict import OutcomesByModel as OutcomesByModel
from fencepost.verdict import Step as Step
from fencepost.verdict import Verdict as Verdict
from fencepost.verdict import Witness as Witness
