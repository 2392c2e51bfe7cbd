"""What a program goes through before it is analysed: one table of passes, for every analysis.

Each row says which analyses the pass is for, and which setting asks for it. An analysis may go on from here in its own
way (robustness turns fences into updates, `bounded` straightens loops), but what a program *means* is decided here,
so that all verbs answer the same question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum

from fencepost.program.instructions import ErrorKind
from fencepost.program.operands import Position
from fencepost.program.passes.checks import drop_checks
from fencepost.program.passes.mapping import map_for_model
from fencepost.program.passes.nondet import Nondet, close_choices
from fencepost.program.passes.patience import MODELS, shorten_patience
from fencepost.program.passes.reservations import skip_failed_rounds
from fencepost.program.passes.spin import find_spins, find_waits
from fencepost.program.passes.synchronisation import Synchronisation, lower_synchronisation
from fencepost.program.passes.unroll import LoopBounds, unroll
from fencepost.program.passes.volatile import read_volatile
from fencepost.program.passes.weak_cas import let_weak_cas_fail
from fencepost.program.passes.wide import take_wide_accesses
from fencepost.program.program import Program
from fencepost.records import dataclass


class Purpose(Enum):
    """What the program is prepared for."""

    EXPLORE = "explore"
    ENUMERATE = "enumerate"
    ROBUSTNESS = "robustness"
    BOUNDED = "bounded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the options and the model say about the passes. `target`: the model whose compilation scheme a C11 program
    takes. `undo`: the engine knows iterations that add something and take it back. `waits`: loops that only wait for
    one location become blocking, and no other loop changes. `unroll` bounds every loop, `loop_bounds` one place.
    `unordered_arrivals`: the engine knows barriers. `ignored`: kinds of errors whose checks are left out. `volatile`:
    what such an access is. `nondet`: the values that stand for those of a whole type. `whole`: loops that keep all
    their iterations."""

    target: str
    spurious_wakeups: bool = False
    unordered_arrivals: bool = False
    spurious_failures: bool = True
    spin_detection: bool = True
    undo: bool = False
    waits: bool = False
    unroll: int | None = None
    loop_bounds: Mapping[str, int] = field(default_factory=dict)
    ignored: frozenset[ErrorKind] = frozenset()
    volatile: str = "plain"
    nondet: Nondet | None = None
    whole: frozenset[Position] = frozenset()

    @property
    def races(self) -> bool:
        """Whether a data race is an error."""
        return self.target in _RACES and ErrorKind.RACE not in self.ignored


@dataclass(frozen=True, slots=True)
class Pass:
    """One row. Running a pass again on its own result should change nothing."""

    name: str
    run: Callable[[Program, Settings], Program]
    purposes: frozenset[Purpose]
    wanted: Callable[[Settings], bool] = lambda _: True


_RACES = frozenset({"rc11", "rc11-cpp20", "wrc11"})  # models of the language, in which a race has no meaning
_ALL = frozenset(Purpose)
_EXECUTIONS = frozenset({Purpose.EXPLORE, Purpose.ENUMERATE})  # they go through whole executions, one by one

#: In this order: what a value is used for shows once checks are left out and calls lowered; what lowering makes may be
#: a weak exchange or a loop, and compiling comes last.
PIPELINE: tuple[Pass, ...] = (
    Pass("volatile", lambda p, s: read_volatile(p, s.volatile), _ALL),
    Pass("wide accesses", lambda p, s: take_wide_accesses(p, s.target), _ALL),
    Pass("checks", lambda p, s: drop_checks(p, s.ignored), _ALL, lambda s: bool(s.ignored)),
    Pass("synchronisation",
         lambda p, s: lower_synchronisation(p, Synchronisation(s.spurious_wakeups, s.unordered_arrivals)), _ALL),
    Pass("nondet", lambda p, s: close_choices(p, s.nondet), _ALL),
    Pass("weak exchanges", lambda p, s: let_weak_cas_fail(p, races=s.races), _ALL, lambda s: s.spurious_failures),
    Pass("reservations", lambda p, _: skip_failed_rounds(p), _EXECUTIONS, lambda s: s.spin_detection),
    Pass("patience", lambda p, _: shorten_patience(p), _EXECUTIONS,
         lambda s: s.spin_detection and s.target in MODELS),
    Pass("spins", lambda p, s: find_spins(p, undo=s.undo, whole=s.whole), _EXECUTIONS | {Purpose.BOUNDED},
         lambda s: s.spin_detection),
    Pass("waits", lambda p, _: find_waits(p), frozenset({Purpose.ROBUSTNESS}), lambda s: s.waits),
    Pass("unrolling", lambda p, s: unroll(p, LoopBounds(s.unroll, dict(s.loop_bounds))), _EXECUTIONS),
    Pass("compilation", lambda p, s: map_for_model(p, s.target), _ALL),
)  # fmt: skip


def passes(purpose: Purpose, settings: Settings) -> tuple[Pass, ...]:
    """The rows that a program goes through."""
    return tuple(p for p in PIPELINE if purpose in p.purposes and p.wanted(settings))


def prepare(program: Program, purpose: Purpose, settings: Settings) -> Program:
    for step in passes(purpose, settings):
        program = step.run(program, settings)
    return program
