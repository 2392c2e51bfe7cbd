"""What a program goes through before it is analysed: one table of passes, for every analysis.

Each row says which analyses the pass is for, and which setting asks for it. An analysis may go on from here in its own
way (robustness turns fences into updates, `bounded` straightens loops), but what a program *means* is decided here,
so that all verbs answer the same question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING

from fencepost.program.instructions import (
    AtomicBegin,
    Call,
    Cas,
    Choose,
    ErrorKind,
    Load,
    Rmw,
    Store,
    StoreConditional,
    Sync,
)
from fencepost.program.operands import Position
from fencepost.program.passes.flow import goes_back
from fencepost.program.program import Program
from fencepost.records import dataclass, field

if TYPE_CHECKING:
    from fencepost.program.passes.nondet import Nondet


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
    what such an access is. `nondet`: the values that stand for those of a whole type. `whole_types`: all of them are
    kept, for a solver that takes them at once. `whole`: loops that keep all their iterations."""

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
    whole_types: bool = False
    whole: frozenset[Position] = frozenset()

    @property
    def races(self) -> bool:
        """Whether a data race is an error."""
        return self.target in _RACES and ErrorKind.RACE not in self.ignored


class Looked:
    """What a glance at a program shows: enough to tell that a pass will find nothing to do, before it is loaded."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kinds = {type(i) for f in program.functions for i in f.code}

    def loops(self) -> bool:
        return any(goes_back(f) for f in self.program.functions)

    def volatile(self) -> bool:
        return any(isinstance(i, Load | Store) and i.volatile for f in self.program.functions for i in f.code)

    def weak(self) -> bool:
        return Cas in self.kinds and any(isinstance(i, Cas) and i.weak for f in self.program.functions for i in f.code)


@dataclass(frozen=True, slots=True)
class Pass:
    """One row. Running a pass again on its own result should change nothing. `wanted`: False where the settings do not
    ask for it. `works`: False only where the pass would return the program as it is."""

    name: str
    run: Callable[[Program, Settings], Program]
    purposes: frozenset[Purpose]
    wanted: Callable[[Settings], bool] = lambda _: True
    works: Callable[[Looked, Settings], bool] = lambda _, __: True


def _volatile(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.volatile import read_volatile

    return read_volatile(program, settings.volatile)


def _wide(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.wide import take_wide_accesses

    return take_wide_accesses(program, settings.target)


def _checks(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.checks import drop_checks

    return drop_checks(program, settings.ignored)


def _synchronisation(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.synchronisation import Synchronisation, lower_synchronisation

    return lower_synchronisation(program, Synchronisation(settings.spurious_wakeups, settings.unordered_arrivals))


def _nondet(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.nondet import close_choices

    return close_choices(program, settings.nondet)


def _weak(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.weak_cas import let_weak_cas_fail

    return let_weak_cas_fail(program, races=settings.races)


def _reservations(program: Program, _: Settings) -> Program:
    from fencepost.program.passes.reservations import skip_failed_rounds

    return skip_failed_rounds(program)


def _patience(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.patience import MODELS, shorten_patience

    return shorten_patience(program) if settings.target in MODELS else program


def _helpers(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.helpers import put_helpers_in_place
    from fencepost.program.passes.patience import MODELS

    return put_helpers_in_place(program) if settings.target in MODELS else program


def _idle(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.idle import leave_out_idle
    from fencepost.program.passes.patience import MODELS

    return leave_out_idle(program) if settings.target in MODELS else program


def _spins(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.spin import find_spins

    return find_spins(program, undo=settings.undo, whole=settings.whole)


def _waits(program: Program, _: Settings) -> Program:
    from fencepost.program.passes.spin import find_waits

    return find_waits(program)


def _unrolling(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.unroll import LoopBounds, unroll

    return unroll(program, LoopBounds(settings.unroll, dict(settings.loop_bounds)))


def _compilation(program: Program, settings: Settings) -> Program:
    from fencepost.program.passes.mapping import map_for_model

    return map_for_model(program, settings.target)


_RACES = frozenset({"rc11", "rc11-cpp20", "wrc11"})  # models of the language, in which a race has no meaning
_ALL = frozenset(Purpose)
_EXECUTIONS = frozenset({Purpose.EXPLORE, Purpose.ENUMERATE})  # they go through whole executions, one by one

#: In this order: what a value is used for shows once checks are left out and calls lowered; what lowering makes may be
#: a weak exchange or a loop, and compiling comes last.
PIPELINE: tuple[Pass, ...] = (
    Pass("volatile", _volatile, _ALL, works=lambda p, _: p.volatile()),
    Pass("wide accesses", _wide, _ALL, works=lambda p, _: AtomicBegin in p.kinds),
    Pass("checks", _checks, _ALL, lambda s: bool(s.ignored)),
    Pass("synchronisation", _synchronisation, _ALL, works=lambda p, s: Sync in p.kinds or s.spurious_wakeups),
    Pass("nondet", _nondet, _ALL, lambda s: not s.whole_types, lambda p, _: Choose in p.kinds),
    Pass("weak exchanges", _weak, _ALL, lambda s: s.spurious_failures, lambda p, _: p.weak()),
    Pass("reservations", _reservations, _EXECUTIONS, lambda s: s.spin_detection,
         lambda p, _: StoreConditional in p.kinds),
    Pass("helpers", _helpers, _EXECUTIONS, lambda s: s.spin_detection, lambda p, _: Call in p.kinds and p.loops()),
    Pass("idle", _idle, _EXECUTIONS, lambda s: s.spin_detection, lambda p, _: p.loops()),
    Pass("patience", _patience, _EXECUTIONS, lambda s: s.spin_detection, lambda p, _: p.loops()),
    Pass("spins", _spins, _EXECUTIONS | {Purpose.BOUNDED}, lambda s: s.spin_detection,
         lambda p, _: Rmw in p.kinds or p.loops()),
    Pass("waits", _waits, frozenset({Purpose.ROBUSTNESS}), lambda s: s.waits, lambda p, _: p.loops()),
    Pass("unrolling", _unrolling, _EXECUTIONS, works=lambda _, s: s.unroll is not None or bool(s.loop_bounds)),
    Pass("compilation", _compilation, _ALL),
)  # fmt: skip


def passes(purpose: Purpose, settings: Settings) -> tuple[Pass, ...]:
    """The rows that a program goes through."""
    return tuple(p for p in PIPELINE if purpose in p.purposes and p.wanted(settings))


def prepare(program: Program, purpose: Purpose, settings: Settings) -> Program:
    looked = Looked(program)
    for step in passes(purpose, settings):
        if step.works(looked, settings):
            program = step.run(program, settings)
            looked = looked if program is looked.program else Looked(program)
    return program
