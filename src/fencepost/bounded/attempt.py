"""What a search of the bounded analysis is asked, whichever back end answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from fencepost.bounded.straight import Straight
from fencepost.bounded.translate import Translated, translate
from fencepost.bounded.views import Schedule
from fencepost.options import BoundedOptions
from fencepost.records import dataclass
from fencepost.verdict import Witness


@dataclass(frozen=True, slots=True)
class Attempt:
    """A violation is looked for in one program and number of contexts, by one formula for each of `plans` (None: any
    schedule), by the machine of the paper; without `overtaking` by ours (docs/how/bounded.md)."""

    straight: Straight
    contexts: int
    plans: Sequence[Schedule | None]
    options: BoundedOptions
    started: float
    overtaking: bool = True

    def left(self) -> float | None:
        """Seconds until the time limit, if there is one; below zero where it has passed."""
        return None if self.options.time_limit is None else self.options.time_limit - (monotonic() - self.started)

    def translated(self, schedule: Schedule | None) -> Translated:
        return translate(
            self.straight, len(schedule) if schedule else self.contexts, schedule, overtaking=self.overtaking
        )


#: The violation that was found; False where there is none, None where the time ran out.
Found = Witness | bool | None
Search = Callable[[Attempt], Found]
