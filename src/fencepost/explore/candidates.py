"""Candidate executions judged by the core: the same answers as the plain evaluator gives, sooner.

Only where enumeration takes the place of an exploration: as the oracle of the explorers (`--engine enumerate`) it keeps
its own evaluator, which shares nothing with the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from fencepost import _core
from fencepost.enumerate.candidates import Flags, Frame
from fencepost.enumerate.locations import Solution
from fencepost.execution.relations import bits, pairs
from fencepost.explore.native import plan_rows
from fencepost.models.cat.base import RELATIONS, SETS, VARYING, Structure
from fencepost.models.registry import Model

_MOST_FRAMES = 64  # that are remembered: each holds every relation of the model
_KINDS = ("po", "loc", "int", "atomic")


@lru_cache(maxsize=8)
def native_judge(model: Model) -> NativeJudge | None:
    """None for a model that has no plan."""
    return NativeJudge(model) if model.plan is not None else None


class NativeJudge:
    """Implements `enumeration.Judge`."""

    def __init__(self, model: Model) -> None:
        plan = model.plan
        assert plan is not None, "a model without a plan should be judged by its tree"
        self.checks = plan.checks
        self.model = model
        self.plan = _core.ModelPlan(*plan_rows(plan))
        self.frames: dict[int, tuple[Frame, _core.CandidateFrame | None]] = {}
        self.parts: dict[int, tuple[list[Solution], _core.LocationPart]] = {}

    def allowed(self, frame: Frame, solutions: list[list[Solution]]) -> Iterator[tuple[tuple[int, ...], Flags]] | None:
        native = self._frame(frame.first)
        if native is None:
            return None
        found = native.judge([self._part(s) for s in solutions])
        return ((tuple(picked), self._flags(flags)) for picked, flags in found)

    def _frame(self, first: Frame) -> _core.CandidateFrame | None:
        """Kept with the frame itself, so that its identity stays its own."""
        known = self.frames.get(id(first))
        if known is None:
            if len(self.frames) >= _MOST_FRAMES:
                self.frames.clear()
                self.parts.clear()
            known = self.frames[id(first)] = first, self._made(first)
        return known[1]

    def _made(self, first: Frame) -> _core.CandidateFrame | None:
        s = first.structure
        sets = [list(bits(s.set(name))) for name in SETS]
        locations = [first.layout[location][0] for location in first.locations]
        return _core.candidate_frame(self.plan, s.n, sets, [_pairs(s, name) for name in RELATIONS], locations)

    def _part(self, solutions: list[Solution]) -> _core.LocationPart:
        known = self.parts.get(id(solutions))
        if known is None:
            part = _core.LocationPart([(list(s.sources), list(s.order)) for s in solutions])
            known = self.parts[id(solutions)] = solutions, part
        return known[1]

    def _flags(self, raised: list[tuple[int, int, int]]) -> Flags:
        return tuple((self.checks[check].name, ((first, second),)) for check, first, second in raised)


def _pairs(s: Structure, name: str) -> list[tuple[int, int]]:
    return [] if name in VARYING else list(pairs(s.relation(name)))
